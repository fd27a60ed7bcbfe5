//! The two directions of a cipher, for backends that do both in one place.

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Direction {
    Encrypt,
    Decrypt,
}
