//! Chains of HMACs, the inner loop of PBKDF2 (RFC 8018 section 5.2): `U(i+1) = HMAC(key, U(i))`, and their sum
//! `T = U(1) ^ U(2) ^ ...`.
//!
//! A link of a chain is two compressions of one block each. The padded key stands already in the states they start from
//! (RFC 2104 section 4), and the block is a digest with the hash's padding behind it. [`Hash::extend`] does that over
//! any compression function; a hash with code for an instruction set replaces it by a loop that keeps all of it in
//! registers and works on several chains side by side.

use std::ops::BitXorAssign;

use zeroize::Zeroize;

/// A hash that runs a message through a compression function block by block: MD5, SHA-1, SHA-2.
pub(crate) trait Hash: Sized {
    /// What state and message consist of.
    type Word: Word;
    /// The chaining value between blocks.
    type State: Copy + AsRef<[Self::Word]> + AsMut<[Self::Word]> + Zeroize;
    /// A message block.
    type Block: Copy + AsRef<[u8]> + AsMut<[u8]> + Zeroize;

    /// The state before the first block.
    const INITIAL: Self::State;
    /// A block of zeros.
    const EMPTY: Self::Block;
    /// How much of the last state is the digest, in bytes: whole words.
    const DIGEST_LEN: usize;
    /// How words stand in the message and the digest.
    const ORDER: ByteOrder;

    /// Takes one block of the message.
    fn compress(state: &mut Self::State, block: &Self::Block);

    /// Appends so many links to each of the chains.
    fn extend(key: &Key<Self>, chains: &mut [Chain<Self>], links: u64) {
        extend(key, chains, links);
    }
}

/// The order of a word's bytes.
#[derive(Clone, Copy)]
pub(crate) enum ByteOrder {
    /// The most significant byte first: SHA-1, SHA-2.
    Big,
    /// The least significant byte first: MD5.
    Little,
}

/// A word of a hash.
pub(crate) trait Word: Copy + BitXorAssign {
    /// Puts the word into a place of its size.
    fn write(self, order: ByteOrder, bytes: &mut [u8]);

    /// Takes the word from a place of its size.
    fn read(order: ByteOrder, bytes: &[u8]) -> Self;
}

macro_rules! words {
    ($($word:ty),*) => {$(
        impl Word for $word {
            #[inline]
            fn write(self, order: ByteOrder, bytes: &mut [u8]) {
                bytes.copy_from_slice(&match order {
                    ByteOrder::Big => self.to_be_bytes(),
                    ByteOrder::Little => self.to_le_bytes(),
                });
            }

            #[inline]
            fn read(order: ByteOrder, bytes: &[u8]) -> Self {
                let mut array = [0; size_of::<$word>()];
                array.copy_from_slice(bytes);
                match order {
                    ByteOrder::Big => Self::from_be_bytes(array),
                    ByteOrder::Little => Self::from_le_bytes(array),
                }
            }
        }
    )*};
}

words!(u32, u64);

/// HMAC's key: the states after the inner and the outer padded key (RFC 2104 section 4). Wiped when dropped.
pub(crate) struct Key<H: Hash> {
    /// What the hash of the message starts from.
    pub(crate) inner: H::State,
    /// What the hash of that digest starts from.
    pub(crate) outer: H::State,
}

impl<H: Hash> Key<H> {
    /// From a key of a block's length: one that is shorter is filled up with zeros, one that is longer is hashed first.
    pub(crate) fn new(key: &H::Block) -> Self {
        Self { inner: absorb::<H>(key, 0x36), outer: absorb::<H>(key, 0x5c) }
    }
}

/// The state after a block that is the key, each byte of it xored with `pad`.
fn absorb<H: Hash>(key: &H::Block, pad: u8) -> H::State {
    let mut state = H::INITIAL;
    let mut block = *key;
    for byte in block.as_mut() {
        *byte ^= pad;
    }
    H::compress(&mut state, &block);
    block.zeroize();
    state
}

impl<H: Hash> Drop for Key<H> {
    fn drop(&mut self) {
        self.inner.zeroize();
        self.outer.zeroize();
    }
}

/// A chain: its last link and the sum of all. Words beyond the digest mean nothing. Wiped when dropped.
pub(crate) struct Chain<H: Hash> {
    /// U(i), as words.
    pub(crate) link: H::State,
    /// T, as words.
    pub(crate) sum: H::State,
}

impl<H: Hash> Chain<H> {
    /// A chain that has not started.
    pub(crate) const EMPTY: Self = Self { link: H::INITIAL, sum: H::INITIAL };

    /// Starts with a first link, which is a digest.
    pub(crate) fn start(&mut self, digest: &[u8]) {
        let words = digest.chunks_exact(size_of::<H::Word>());
        for (word, bytes) in self.link.as_mut().iter_mut().zip(words) {
            *word = H::Word::read(H::ORDER, bytes);
        }
        self.sum = self.link;
    }

    /// Puts the sum into a place of the digest's length.
    pub(crate) fn write_sum(&self, digest: &mut [u8]) {
        write::<H>(&self.sum, digest);
    }
}

impl<H: Hash> Drop for Chain<H> {
    fn drop(&mut self) {
        self.link.zeroize();
        self.sum.zeroize();
    }
}

/// The digest that a state is.
#[inline]
fn write<H: Hash>(state: &H::State, digest: &mut [u8]) {
    for (word, bytes) in state.as_ref().iter().zip(digest.chunks_exact_mut(size_of::<H::Word>())) {
        word.write(H::ORDER, bytes);
    }
}

/// [`Hash::extend`] over any compression function.
pub(crate) fn extend<H: Hash>(key: &Key<H>, chains: &mut [Chain<H>], links: u64) {
    let mut block = padded::<H>();
    for chain in chains {
        for _ in 0..links {
            write::<H>(&chain.link, &mut block.as_mut()[..H::DIGEST_LEN]);
            chain.link = key.inner;
            H::compress(&mut chain.link, &block);

            write::<H>(&chain.link, &mut block.as_mut()[..H::DIGEST_LEN]);
            chain.link = key.outer;
            H::compress(&mut chain.link, &block);

            for (sum, &link) in chain.sum.as_mut().iter_mut().zip(chain.link.as_ref()) {
                *sum ^= link;
            }
        }
    }
    block.zeroize();
}

/// The block that ends a message of one block and one digest, with zeros for the digest: a one bit behind it, and the
/// length in bits at the end (FIPS 180-4 section 5.1, RFC 1321 section 3.2).
fn padded<H: Hash>() -> H::Block {
    let mut padded = H::EMPTY;
    let block = padded.as_mut();
    let message_len = block.len() + H::DIGEST_LEN;
    let length = block.len() - 8;
    block[H::DIGEST_LEN] = 0x80;
    (8 * message_len as u64).write(H::ORDER, &mut block[length..]);
    padded
}

#[cfg(test)]
pub(crate) mod tests {
    use hmac::{Hmac, KeyInit, Mac};

    use super::{Chain, Hash, Key, extend};
    use crate::md5::Md5;
    use crate::sha1::Sha1;
    use crate::sha2::{Sha224, Sha256, Sha384, Sha512};

    /// Numbers without a pattern (SplitMix64).
    struct Noise(u64);

    impl Noise {
        fn fill(&mut self, bytes: &mut [u8]) {
            for byte in bytes {
                self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
                let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                *byte = (mixed >> 56) as u8;
            }
        }
    }

    fn key<H: Hash>(noise: &mut Noise) -> (H::Block, Key<H>) {
        let mut block = H::EMPTY;
        noise.fill(block.as_mut());
        (block, Key::new(&block))
    }

    fn chains<H: Hash>(noise: &mut Noise, count: usize) -> Vec<Chain<H>> {
        let start = |_| {
            let mut digest = [0; 64];
            noise.fill(&mut digest[..H::DIGEST_LEN]);
            let mut chain = Chain::EMPTY;
            chain.start(&digest[..H::DIGEST_LEN]);
            chain
        };
        (0..count).map(start).collect()
    }

    fn digest<H: Hash>(state: &H::State) -> Vec<u8> {
        let mut digest = vec![0; H::DIGEST_LEN];
        super::write::<H>(state, &mut digest);
        digest
    }

    /// What a test sees of a chain.
    fn digests<H: Hash>(chains: &[Chain<H>]) -> Vec<[Vec<u8>; 2]> {
        chains.iter().map(|chain| [digest::<H>(&chain.link), digest::<H>(&chain.sum)]).collect()
    }

    /// Compares a kernel with the portable loop: every number of chains, several lengths, links of links.
    pub(crate) fn check_kernel<H: Hash>(kernel: impl Fn(&Key<H>, &mut [Chain<H>], u64)) {
        let mut noise = Noise(1);
        for round in 0..50 {
            for count in 0..=9 {
                let (_, key) = key::<H>(&mut noise);
                let mut expected = chains::<H>(&mut noise, count);
                let mut found = Vec::new();
                for chain in &expected {
                    found.push(Chain { link: chain.link, sum: chain.sum });
                }
                for links in [round % 4, 1] {
                    extend(&key, &mut expected, links);
                    kernel(&key, &mut found, links);
                    assert_eq!(
                        digests(&found),
                        digests(&expected),
                        "{count} chains, {links} links"
                    );
                }
            }
        }
    }

    /// Compares the portable loop with the `hmac` crate.
    fn check_portable<M: KeyInit + Mac, H: Hash>() {
        let mut noise = Noise(2);
        for _ in 0..50 {
            let (block, key) = key::<H>(&mut noise);
            let mut found = chains::<H>(&mut noise, 2);
            let mut expected = digests(&found);
            for [link, sum] in &mut expected {
                for _ in 0..3 {
                    let mac = <M as KeyInit>::new_from_slice(block.as_ref()).expect("any length");
                    *link = mac.chain_update(&link).finalize().into_bytes().to_vec();
                    for (sum, link) in sum.iter_mut().zip(&*link) {
                        *sum ^= link;
                    }
                }
            }
            extend(&key, &mut found, 3);
            assert_eq!(digests(&found), expected);
        }
    }

    #[test]
    fn portable() {
        check_portable::<Hmac<::md5::Md5>, Md5>();
        check_portable::<Hmac<::sha1::Sha1>, Sha1>();
        check_portable::<Hmac<::sha2::Sha224>, Sha224>();
        check_portable::<Hmac<::sha2::Sha256>, Sha256>();
        check_portable::<Hmac<::sha2::Sha384>, Sha384>();
        check_portable::<Hmac<::sha2::Sha512>, Sha512>();
    }

    #[test]
    fn whatever_serves() {
        check_kernel(Md5::extend);
        check_kernel(Sha1::extend);
        check_kernel(Sha224::extend);
        check_kernel(Sha256::extend);
        check_kernel(Sha384::extend);
        check_kernel(Sha512::extend);
    }
}
