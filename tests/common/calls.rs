//! The ways to call a cipher that must all give the same bytes.

use inout::InOutBuf;
use qcrypto::algorithm::{CipherAlgorithm, CipherMode};
use qcrypto::cipher::Cipher;
use qcrypto::error::Error;

/// What the output holds before a call: anything but zeros or data.
pub const FILL: u8 = 0xa5;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    Encrypt,
    Decrypt,
}

impl Direction {
    pub const BOTH: [Self; 2] = [Self::Encrypt, Self::Decrypt];

    /// One call.
    pub fn call(self, cipher: &mut Cipher, data: InOutBuf<'_, '_, u8>) -> Result<(), Error> {
        match self {
            Self::Encrypt => cipher.encrypt(data),
            Self::Decrypt => cipher.decrypt(data),
        }
    }

    /// One call from one buffer to another.
    pub fn apart(self, cipher: &mut Cipher, input: &[u8]) -> Result<Vec<u8>, Error> {
        let mut output = vec![FILL; input.len()];
        let result = self.call(cipher, InOutBuf::new(input, &mut output).expect("equal lengths"));
        if result.is_err() {
            assert!(output.iter().all(|&byte| byte == FILL), "a refused call wrote to the output");
        }
        result.map(|()| output)
    }

    /// One call on one buffer.
    pub fn in_place(self, cipher: &mut Cipher, input: &[u8]) -> Result<Vec<u8>, Error> {
        let mut buffer = input.to_vec();
        let result = self.call(cipher, InOutBuf::from(&mut buffer[..]));
        if result.is_err() {
            assert!(buffer == input, "a refused call wrote to the buffer");
        }
        result.map(|()| buffer)
    }

    /// Calls of these lengths one after the other, by turns in place and not.
    pub fn split(
        self,
        cipher: &mut Cipher,
        input: &[u8],
        lengths: impl IntoIterator<Item = usize>,
    ) -> Result<Vec<u8>, Error> {
        let mut output = Vec::new();
        for (turn, len) in lengths.into_iter().enumerate() {
            let part = &input[output.len()..][..len];
            let call = if turn % 2 == 0 { Self::apart } else { Self::in_place };
            output.extend(call(self, cipher, part)?);
        }
        assert_eq!(output.len(), input.len(), "the lengths add up");
        Ok(output)
    }
}

/// Every algorithm in every mode, whether they go together or not.
pub fn pairs() -> impl Iterator<Item = (CipherAlgorithm, CipherMode)> {
    CipherAlgorithm::ALL
        .into_iter()
        .flat_map(|algorithm| CipherMode::ALL.map(|mode| (algorithm, mode)))
}

/// Every algorithm in every mode it has.
pub fn supported_pairs() -> impl Iterator<Item = (CipherAlgorithm, CipherMode)> {
    pairs().filter(|&(algorithm, mode)| Cipher::supports(algorithm, mode))
}

/// The length of the key of a pair.
pub fn key_len(algorithm: CipherAlgorithm, mode: CipherMode) -> usize {
    if mode == CipherMode::Xts { 2 * algorithm.key_len() } else { algorithm.key_len() }
}

/// A cipher that must be there.
pub fn new(algorithm: CipherAlgorithm, mode: CipherMode, key: &[u8]) -> Cipher {
    Cipher::new(algorithm, mode, key).unwrap_or_else(|error| {
        panic!("{}-{}: {error}", algorithm.name(), mode.name());
    })
}

/// A cipher that must be there, with an IV that it must take.
pub fn new_at(algorithm: CipherAlgorithm, mode: CipherMode, key: &[u8], iv: &[u8]) -> Cipher {
    let mut cipher = new(algorithm, mode, key);
    cipher.set_iv(iv).expect("an IV of the right length");
    cipher
}
