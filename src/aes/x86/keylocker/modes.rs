//! ECB, CBC and CTR (SP 800-38A) and XTS (IEEE 1619-2018 section 5) over key handles, eight blocks at a time.
//!
//! Any instruction may fail, so a group is worked on in a buffer, and reaches the output when nothing can fail any more.

use inout::InOutBuf;
use zeroize::{Zeroize, Zeroizing};

use super::{BLOCK, GROUP, Handle, Refused};
use crate::iv::Iv;
use crate::kernel::XtsKey;
use crate::xts::double;

/// A kernel of [`crate::kernel`] that can fail.
pub(crate) type Kernel<K> =
    fn(key: &K, iv: &mut Iv, data: InOutBuf<'_, '_, u8>) -> Result<(), Refused>;

/// Room for the blocks of a group, wiped in the end.
type Group = Zeroizing<[u8; GROUP * BLOCK]>;

/// An empty group.
fn group() -> Group {
    Zeroizing::new([0; GROUP * BLOCK])
}

/// Goes over data a group at a time, the last may be shorter: `crypt` makes a copy of the input the output.
fn run(
    data: InOutBuf<'_, '_, u8>,
    mut crypt: impl FnMut(&mut [u8]) -> Result<(), Refused>,
) -> Result<(), Refused> {
    let mut group = group();
    let mut rest = data;
    while !rest.is_empty() {
        let len = rest.len().min(group.len());
        let (mut part, after) = rest.split_at(len);
        rest = after;
        let blocks = &mut group[..len];
        blocks.copy_from_slice(part.get_in());
        crypt(blocks)?;
        part.get_out().copy_from_slice(blocks);
    }
    Ok(())
}

/// `to ^= from`, as far as both go.
fn xor(to: &mut [u8], from: &[u8]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to ^= from;
    }
}

/// ECB encryption.
pub(crate) fn ecb_encrypt<const LEN: usize>(
    handle: &Handle<LEN>,
    _iv: &mut Iv,
    data: InOutBuf<'_, '_, u8>,
) -> Result<(), Refused> {
    run(data, |blocks| handle.encrypt(blocks))
}

/// ECB decryption.
pub(crate) fn ecb_decrypt<const LEN: usize>(
    handle: &Handle<LEN>,
    _iv: &mut Iv,
    data: InOutBuf<'_, '_, u8>,
) -> Result<(), Refused> {
    run(data, |blocks| handle.decrypt(blocks))
}

/// CBC encryption, a chain by nature: block by block.
pub(crate) fn cbc_encrypt<const LEN: usize>(
    handle: &Handle<LEN>,
    iv: &mut Iv,
    data: InOutBuf<'_, '_, u8>,
) -> Result<(), Refused> {
    run(data, |blocks| {
        for block in blocks.chunks_exact_mut(BLOCK) {
            xor(block, iv.bytes());
            handle.encrypt(block)?;
            iv.set(block);
        }
        Ok(())
    })
}

/// CBC decryption.
pub(crate) fn cbc_decrypt<const LEN: usize>(
    handle: &Handle<LEN>,
    iv: &mut Iv,
    data: InOutBuf<'_, '_, u8>,
) -> Result<(), Refused> {
    let mut room = group();
    run(data, |blocks| {
        let ciphertext = &mut room[..blocks.len()];
        ciphertext.copy_from_slice(blocks);
        handle.decrypt(blocks)?;
        let (first, others) = blocks.split_at_mut(BLOCK);
        xor(first, iv.bytes());
        xor(others, ciphertext);
        iv.set(&ciphertext[others.len()..]);
        Ok(())
    })
}

/// CTR, the same in both directions. The counter is the whole block, big-endian, and wraps to zero.
pub(crate) fn ctr<const LEN: usize>(
    handle: &Handle<LEN>,
    iv: &mut Iv,
    data: InOutBuf<'_, '_, u8>,
) -> Result<(), Refused> {
    let mut room = group();
    run(data, |blocks| {
        let keystream = &mut room[..blocks.len()];
        for counter in keystream.chunks_exact_mut(BLOCK) {
            counter.copy_from_slice(iv.bytes());
            iv.count(BLOCK, 1);
        }
        handle.encrypt(keystream)?;
        xor(blocks, keystream);
        Ok(())
    })
}

/// XTS over one data unit.
pub(crate) fn xts_encrypt<const LEN: usize>(
    key: &XtsKey<Handle<LEN>>,
    iv: &mut Iv,
    data: InOutBuf<'_, '_, u8>,
) -> Result<(), Refused> {
    unit(key, iv, data, Handle::encrypt)
}

/// The inverse of [`xts_encrypt`]. Tweaks are made by encryption here too.
pub(crate) fn xts_decrypt<const LEN: usize>(
    key: &XtsKey<Handle<LEN>>,
    iv: &mut Iv,
    data: InOutBuf<'_, '_, u8>,
) -> Result<(), Refused> {
    unit(key, iv, data, Handle::decrypt)
}

/// One data unit.
fn unit<const LEN: usize>(
    key: &XtsKey<Handle<LEN>>,
    iv: &Iv,
    data: InOutBuf<'_, '_, u8>,
    crypt: impl Fn(&Handle<LEN>, &mut [u8]) -> Result<(), Refused>,
) -> Result<(), Refused> {
    let mut first = Zeroizing::new(*iv.bytes());
    key.tweak.encrypt(&mut *first)?;
    let mut tweak = u128::from_le_bytes(*first);
    let mut room = group();
    let result = run(data, |blocks| {
        let tweaks = &mut room[..blocks.len()];
        for bytes in tweaks.chunks_exact_mut(BLOCK) {
            bytes.copy_from_slice(&tweak.to_le_bytes());
            tweak = double(tweak);
        }
        xor(blocks, tweaks);
        crypt(&key.data, blocks)?;
        xor(blocks, tweaks);
        Ok(())
    });
    tweak.zeroize();
    result
}
