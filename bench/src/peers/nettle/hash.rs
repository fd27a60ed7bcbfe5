//! Hashes and HMAC by the library's descriptions, PBKDF2 by its function for the hash. None of them can fail, and a
//! context starts over once its digest is taken.
#![expect(unsafe_code, reason = "calls a C library")]

use std::rc::Rc;

use super::{
    Context, Derive, HashDescription, MacDescription, Nettle, SetKeyOfLength, TakePart, TakeWhole,
    Taker, Update,
};
use crate::algorithm::Hash;
use crate::peers::Refusal;
use crate::peers::hash::{Derivation, Digest, Room, narrow};

/// How a digest is taken in the version at hand.
#[derive(Clone, Copy)]
enum Take {
    Part(TakePart),
    Whole(TakeWhole),
}

impl Nettle {
    fn take(&self, taker: Taker) -> Take {
        // SAFETY: each is what the headers of that major version declare, and `open` has seen which one this is.
        unsafe { if self.major < 4 { Take::Part(taker.part) } else { Take::Whole(taker.whole) } }
    }

    fn describe_hash(&self, hash: Hash) -> Result<HashDescription, Refusal> {
        let functions = &self.functions;
        let described = match hash {
            Hash::Md5 => functions.nettle_md5,
            Hash::Sha1 => functions.nettle_sha1,
            Hash::Sha224 => functions.nettle_sha224,
            Hash::Sha256 => functions.nettle_sha256,
            Hash::Sha384 => functions.nettle_sha384,
            Hash::Sha512 => functions.nettle_sha512,
            Hash::Ripemd160 => functions.nettle_ripemd160,
            Hash::Sm3 => functions.nettle_sm3,
        };
        let described = described.ok_or_else(not_described)?;
        // SAFETY: the address of a constant of the library, which `self` keeps open.
        Ok(unsafe { *described })
    }

    fn describe_hmac(&self, hash: Hash) -> Result<(MacDescription, SetKeyOfLength), Refusal> {
        let functions = &self.functions;
        let (described, set_key) = match hash {
            Hash::Md5 => (functions.nettle_hmac_md5, functions.nettle_hmac_md5_set_key),
            Hash::Sha1 => (functions.nettle_hmac_sha1, functions.nettle_hmac_sha1_set_key),
            Hash::Sha224 => (functions.nettle_hmac_sha224, functions.nettle_hmac_sha224_set_key),
            Hash::Sha256 => (functions.nettle_hmac_sha256, functions.nettle_hmac_sha256_set_key),
            Hash::Sha384 => (functions.nettle_hmac_sha384, functions.nettle_hmac_sha384_set_key),
            Hash::Sha512 => (functions.nettle_hmac_sha512, functions.nettle_hmac_sha512_set_key),
            Hash::Ripemd160 => {
                (functions.nettle_hmac_ripemd160, functions.nettle_hmac_ripemd160_set_key)
            }
            Hash::Sm3 => (functions.nettle_hmac_sm3, functions.nettle_hmac_sm3_set_key),
        };
        let (described, set_key) = described.zip(set_key).ok_or_else(not_described)?;
        // SAFETY: as above.
        Ok((unsafe { *described }, set_key))
    }
}

fn not_described() -> Refusal {
    Refusal::Unsupported("not described by the library".to_owned())
}

/// A hash, or an HMAC with its key.
pub(super) struct Keeping {
    context: Context,
    update: Update,
    take: Take,
    len: usize,
    /// Keeps the functions above where they are.
    _library: Rc<Nettle>,
}

impl Keeping {
    pub(super) fn hash(library: Rc<Nettle>, hash: Hash) -> Result<Self, Refusal> {
        let described = library.describe_hash(hash)?;
        let mut context = Context::new(described.context_size as usize);
        // SAFETY: the context is as large as the description says.
        unsafe { (described.init)(context.get_mut()) };
        Self::new(library, context, described.update, described.digest, described.digest_size, hash)
    }

    pub(super) fn hmac(library: Rc<Nettle>, hash: Hash, key: &[u8]) -> Result<Self, Refusal> {
        let (described, set_key) = library.describe_hmac(hash)?;
        let mut context = Context::new(described.context_size as usize);
        // SAFETY: the context is as large as the description says, and the key is read for the length given.
        unsafe { set_key(context.get_mut(), key.len(), key.as_ptr()) };
        Self::new(library, context, described.update, described.digest, described.digest_size, hash)
    }

    fn new(
        library: Rc<Nettle>,
        context: Context,
        update: Update,
        taker: Taker,
        digest_size: std::ffi::c_uint,
        hash: Hash,
    ) -> Result<Self, Refusal> {
        let len = hash.digest_len();
        if digest_size as usize != len {
            return Err(Refusal::Failed(format!("says of its digest: {digest_size} bytes")));
        }
        Ok(Self { context, update, take: library.take(taker), len, _library: library })
    }
}

impl Digest for Keeping {
    fn digest(&mut self, message: &[u8], room: &mut Room) -> Result<(), String> {
        let context = self.context.get_mut();
        // SAFETY: the context was made for these functions and has started over; the message is read for the length
        // given, and the digest is as long as `new` has seen, which is less than there is room for.
        unsafe {
            (self.update)(context, message.len(), message.as_ptr());
            match self.take {
                Take::Part(take) => take(context, self.len, room.as_mut_ptr()),
                Take::Whole(take) => take(context, room.as_mut_ptr()),
            }
        }
        Ok(())
    }
}

pub(super) struct Pbkdf2 {
    function: Derive,
    /// Keeps the function where it is.
    _library: Rc<Nettle>,
}

impl Pbkdf2 {
    pub(super) fn new(library: Rc<Nettle>, hash: Hash) -> Result<Self, Refusal> {
        let functions = &library.functions;
        let function = match hash {
            Hash::Sha1 => functions.nettle_pbkdf2_hmac_sha1,
            Hash::Sha256 => functions.nettle_pbkdf2_hmac_sha256,
            Hash::Sha384 => functions.nettle_pbkdf2_hmac_sha384,
            Hash::Sha512 => functions.nettle_pbkdf2_hmac_sha512,
            _ => None,
        };
        let function = function.ok_or_else(|| {
            Refusal::Unsupported("no PBKDF2 function of its own for this hash".to_owned())
        })?;
        Ok(Self { function, _library: library })
    }
}

impl Derivation for Pbkdf2 {
    fn derive(
        &mut self,
        password: &[u8],
        salt: &[u8],
        iterations: u64,
        key: &mut [u8],
    ) -> Result<(), String> {
        // SAFETY: password and salt are read, and the key written, for the lengths given.
        unsafe {
            (self.function)(
                password.len(),
                password.as_ptr(),
                narrow(iterations)?,
                salt.len(),
                salt.as_ptr(),
                key.len(),
                key.as_mut_ptr(),
            );
        }
        Ok(())
    }
}
