//! Hashes, HMAC and PBKDF2: what a library implements, and the loop over it that is timed.

/// Room for any digest. A library that is given this much cannot write beyond it.
pub(crate) type Room = [u8; 64];

/// A hash, or an HMAC with its key. Every return code comes back as a `Result`, as with ciphers.
pub(crate) trait Digest {
    /// The digest of one whole message, at the beginning of `room`.
    fn digest(&mut self, message: &[u8], room: &mut Room) -> Result<(), String>;

    /// `calls` times the same message. There is one such loop for each implementer, and no indirection in it.
    fn run(&mut self, message: &[u8], room: &mut Room, calls: u64) -> Result<(), String> {
        for _ in 0..calls {
            self.digest(message, room)?;
        }
        Ok(())
    }
}

/// PBKDF2 with HMAC and one hash.
pub(crate) trait Derivation {
    /// One key, as long as `key` is.
    fn derive(
        &mut self,
        password: &[u8],
        salt: &[u8],
        iterations: u64,
        key: &mut [u8],
    ) -> Result<(), String>;
}

/// A number in a library's own type.
pub(super) fn narrow<Wide: ToString + Copy, Narrow: TryFrom<Wide>>(
    number: Wide,
) -> Result<Narrow, String> {
    Narrow::try_from(number)
        .map_err(|_| format!("{} is more than the library counts", number.to_string()))
}
