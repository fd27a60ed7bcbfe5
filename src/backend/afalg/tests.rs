//! The backend on a kernel that is none: it computes with the native backend, and fails on demand.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use inout::InOutBuf;
use nix::errno::Errno;

use super::kernel::{Kernel, Operation};
use super::offer::Kept;
use super::{cipher, hash};
use crate::algorithm::{CipherAlgorithm, CipherMode, HashAlgorithm};
use crate::backend::native::Native;
use crate::backend::{Backend, Context};
use crate::error::Error;
use crate::iv::Iv;

/// A system call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Call {
    Transform,
    SetKey,
    Operation,
    Buffer,
    Send,
    Receive,
}

/// What goes wrong with a call.
#[derive(Clone, Copy, Debug)]
enum Fault {
    Fails(Errno),
    /// No more than so many bytes are taken or given.
    Short(usize),
}

/// Of this call the one after so many others fails.
type Plan = (Call, usize, Fault);

#[derive(Clone, Copy)]
struct Fake(&'static World);

#[derive(Default)]
struct World {
    plan: Mutex<Vec<Plan>>,
    open: Arc<AtomicUsize>,
}

/// A descriptor, counted as long as it lives.
struct Descriptor {
    open: Arc<AtomicUsize>,
    kind: String,
    name: String,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    key: Option<Vec<u8>>,
    /// What was sent and not fetched: the direction, the IV, the data.
    request: Option<(bool, Vec<u8>, Vec<u8>)>,
    message: Vec<u8>,
    digest: VecDeque<u8>,
}

impl Drop for Descriptor {
    fn drop(&mut self) {
        self.open.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Fake {
    fn new(plan: &[Plan]) -> Self {
        let world = World { plan: Mutex::new(plan.to_vec()), ..World::default() };
        Self(Box::leak(Box::new(world)))
    }

    /// How many bytes a call may move, or its failure.
    fn moves(&self, call: Call, len: usize) -> nix::Result<usize> {
        let mut plan = self.0.plan.lock().expect("not poisoned");
        let due = plan.iter_mut().position(|(of, after, _)| {
            let is_due = *of == call && *after == 0;
            *after = after.saturating_sub(usize::from(*of == call));
            is_due
        });
        match due.map(|due| plan.remove(due).2) {
            None => Ok(len),
            Some(Fault::Short(most)) => Ok(len.min(most)),
            Some(Fault::Fails(errno)) => Err(errno),
        }
    }

    fn descriptor(&self, kind: &str, name: &str, key: Option<Vec<u8>>) -> Descriptor {
        self.0.open.fetch_add(1, Ordering::Relaxed);
        let state = Mutex::new(State { key, ..State::default() });
        Descriptor {
            open: Arc::clone(&self.0.open),
            kind: kind.to_owned(),
            name: name.to_owned(),
            state,
        }
    }

    fn open(&self) -> usize {
        self.0.open.load(Ordering::Relaxed)
    }
}

impl Kernel for Fake {
    type Descriptor = Descriptor;

    fn transform(&self, kind: &str, name: &str) -> nix::Result<Descriptor> {
        self.moves(Call::Transform, 0)?;
        if name.contains("sm4") {
            Err(Errno::ENOENT)
        } else {
            Ok(self.descriptor(kind, name, None))
        }
    }

    fn set_key(&self, transform: &Descriptor, key: &[u8]) -> nix::Result<()> {
        self.moves(Call::SetKey, 0)?;
        // As Linux 6.1 does; the longer is net.core.optmem_max.
        match key.len() {
            0 => return Err(Errno::EINVAL),
            20_481.. => return Err(Errno::ENOMEM),
            _ => {}
        }
        transform.state.lock().expect("not poisoned").key = Some(key.to_vec());
        Ok(())
    }

    fn operation(&self, transform: &Descriptor) -> nix::Result<Descriptor> {
        self.moves(Call::Operation, 0)?;
        let key = transform.state.lock().expect("not poisoned").key.clone();
        Ok(self.descriptor(&transform.kind, &transform.name, key))
    }

    fn buffer(&self, _operation: &Descriptor) -> nix::Result<usize> {
        self.moves(Call::Buffer, 212_992)
    }

    fn send(
        &self,
        descriptor: &Descriptor,
        operation: Option<Operation<'_>>,
        data: &[u8],
        more: bool,
    ) -> nix::Result<usize> {
        let len = self.moves(Call::Send, data.len())?;
        let mut state = descriptor.state.lock().expect("not poisoned");
        let Some(operation) = operation else {
            state.message.extend(&data[..len]);
            if !more {
                let message = std::mem::take(&mut state.message);
                state.digest = descriptor.digest(state.key.as_deref(), &message).into();
            }
            return Ok(len);
        };
        assert_eq!(
            operation.iv.is_some(),
            !descriptor.name.starts_with("ecb"),
            "an IV where there is one"
        );
        if state.request.is_some() {
            return Err(Errno::EINVAL);
        }
        let iv = operation.iv.unwrap_or_default().to_vec();
        state.request = Some((operation.encrypt, iv, data[..len].to_vec()));
        Ok(len)
    }

    fn receive(&self, descriptor: &Descriptor, result: &mut [u8]) -> nix::Result<usize> {
        let len = self.moves(Call::Receive, result.len())?;
        let mut state = descriptor.state.lock().expect("not poisoned");
        let output = if descriptor.kind == "hash" {
            std::mem::take(&mut state.digest).into()
        } else {
            // Where buffers are small, more would be fetched by pieces, in XTS each as a unit of its own.
            assert!(pages(result) <= 16, "{} bytes of a result", result.len());
            let (encrypt, iv, data) = state.request.take().ok_or(Errno::EAGAIN)?;
            descriptor.crypt(state.key.as_deref().ok_or(Errno::ENOKEY)?, encrypt, &iv, data)
        };
        let len = len.min(output.len());
        result[..len].copy_from_slice(&output[..len]);
        Ok(len)
    }
}

/// The pages that a buffer lies on.
fn pages(buffer: &[u8]) -> usize {
    let range = buffer.as_ptr_range();
    (range.end.addr().div_ceil(4096)) - range.start.addr() / 4096
}

impl Descriptor {
    fn digest(&self, key: Option<&[u8]>, message: &[u8]) -> Vec<u8> {
        let hash = self.name.trim_start_matches("hmac(").trim_end_matches(')');
        let hash =
            HashAlgorithm::ALL.into_iter().find(|known| known.name() == hash).expect("known");
        let context = match key {
            Some(key) => Native.hmac(hash, key),
            None => Native.hash(hash),
        };
        let mut context = context.expect("native has all");
        let mut digest = vec![0; hash.digest_len()];
        context.update(message).expect("native never fails");
        context.finish(&mut digest).expect("native never fails");
        digest
    }

    fn crypt(&self, key: &[u8], encrypt: bool, iv: &[u8], mut data: Vec<u8>) -> Vec<u8> {
        let mode = CipherMode::ALL.into_iter().find(|mode| self.name.starts_with(mode.name()));
        let context = Native.open(CipherAlgorithm::Aes128, mode.expect("a mode"), key);
        let context = context.expect("the tests use AES-128");
        let mut state = Iv::default();
        state.set(iv);
        crypt(&*context, encrypt, &mut state, &mut data).expect("native never fails");
        data
    }
}

fn crypt(context: &dyn Context, encrypt: bool, iv: &mut Iv, data: &mut [u8]) -> Result<(), Error> {
    let data = InOutBuf::from(data);
    if encrypt { context.encrypt(iv, data) } else { context.decrypt(iv, data) }
}

fn pattern(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i * 7 + (i >> 8)) as u8).collect()
}

fn open(fake: Fake, mode: CipherMode) -> Result<Box<dyn Context>, Error> {
    cipher::open(fake, CipherAlgorithm::Aes128, mode, &pattern(key_len(mode)))
}

fn key_len(mode: CipherMode) -> usize {
    if mode == CipherMode::Xts { 32 } else { 16 }
}

/// Two calls on one IV, here and natively.
fn agrees(fake: Fake, mode: CipherMode, encrypt: bool, len: usize) {
    let ours = open(fake, mode).expect("nothing fails");
    let native =
        Native.open(CipherAlgorithm::Aes128, mode, &pattern(key_len(mode))).expect("native");
    let (mut iv, mut native_iv) = (Iv::default(), Iv::default());
    // The counter carries and wraps on the way.
    for iv in [&mut iv, &mut native_iv] {
        iv.set(&[0xff; 16]);
    }
    for call in 0..2 {
        let (mut found, mut wanted) = (pattern(len), pattern(len));
        crypt(&*ours, encrypt, &mut iv, &mut found).expect("nothing fails");
        crypt(&*native, encrypt, &mut native_iv, &mut wanted).expect("native never fails");
        assert!(found == wanted, "{mode:?} of {len} bytes, call {call}");
    }
}

#[test]
fn long_data_is_cut_and_put_together() {
    for mode in CipherMode::ALL {
        for encrypt in [true, false] {
            for len in [16, 4096, 65536, 65552, 200_000, 3 * 65536 + 32] {
                agrees(Fake::new(&[]), mode, encrypt, len / 16 * 16);
            }
        }
    }
}

/// Where buffers are small, long data is put together from shorter requests, and comes out the same.
#[test]
fn small_buffers() {
    for buffer in [0, 4608, 20_000, 300_000] {
        for encrypt in [true, false] {
            let plan = [(Call::Buffer, 0, Fault::Short(buffer))];
            for mode in CipherMode::ALL {
                agrees(Fake::new(&plan), mode, encrypt, 150_000 / 16 * 16);
            }
        }
    }
}

/// A kernel that is short of room takes a page at a time. In XTS that is an error, since it would start anew.
#[test]
fn short_sends() {
    let short = [(Call::Send, 0, Fault::Short(4096)), (Call::Send, 2, Fault::Short(16))];
    for mode in [CipherMode::Ecb, CipherMode::Cbc, CipherMode::Ctr] {
        for encrypt in [true, false] {
            agrees(Fake::new(&short), mode, encrypt, 20_000 / 16 * 16);
        }
    }
    expect_failure(CipherMode::Xts, &short[..1], "Cannot encrypt data: Message too long");
    expect_failure(
        CipherMode::Cbc,
        &[(Call::Send, 0, Fault::Short(0))],
        "Cannot encrypt data: Message too long",
    );
    expect_failure(
        CipherMode::Cbc,
        &[(Call::Send, 0, Fault::Short(24))],
        "Cannot encrypt data: Message too long",
    );
}

#[test]
fn interrupted_calls_are_made_again() {
    let interrupted: Vec<Plan> =
        [Call::Transform, Call::SetKey, Call::Operation, Call::Send, Call::Receive]
            .into_iter()
            .flat_map(|call| [0, 1, 3].map(|after| (call, after, Fault::Fails(Errno::EINTR))))
            .collect();
    for mode in CipherMode::ALL {
        agrees(Fake::new(&interrupted), mode, true, 150_000 / 16 * 16);
    }
    let fake = Fake::new(&interrupted);
    assert_eq!(cipher::supports(&fake, CipherAlgorithm::Aes128, CipherMode::Xts), Ok(true));
    assert_eq!(hash::supports(&fake, HashAlgorithm::Sha256), Ok(true));
}

/// The first call of an object fails as planned; the object stays closed to nobody, and its descriptors go with it.
fn expect_failure(mode: CipherMode, plan: &[Plan], text: &str) {
    let fake = Fake::new(plan);
    {
        let context = open(fake, mode).expect("it fails later");
        let mut data = pattern(8192);
        let result = crypt(&*context, true, &mut Iv::default(), &mut data);
        assert_eq!(result.expect_err("planned").to_string(), text, "{mode:?} {plan:?}");
    }
    assert_eq!(fake.open(), 0);
}

#[test]
fn a_kernel_that_says_no_midway() {
    for mode in CipherMode::ALL {
        for (errno, words) in [
            (Errno::EAGAIN, "Resource temporarily unavailable"),
            (Errno::EBUSY, "Device or resource busy"),
            (Errno::ENOKEY, "Required key not available"),
            (Errno::EINVAL, "Invalid argument"),
            (Errno::ENOMEM, "Out of memory"),
        ] {
            for call in [Call::Send, Call::Receive] {
                let text = format!("Cannot encrypt data: {}", errno.desc());
                assert!(!words.is_empty());
                expect_failure(mode, &[(call, 0, Fault::Fails(errno))], &text);
            }
        }
        for len in [0, 16, 8176] {
            let text = "Cannot encrypt data: a result of the wrong length";
            expect_failure(mode, &[(Call::Receive, 0, Fault::Short(len))], text);
        }
    }
}

#[test]
fn what_cannot_be_opened() {
    for (call, errno, text) in [
        (Call::Transform, Errno::ENOENT, "Cannot open AF_ALG socket: No such file or directory"),
        (
            Call::Transform,
            Errno::EAFNOSUPPORT,
            "Cannot open AF_ALG socket: Address family not supported by protocol",
        ),
        (Call::Transform, Errno::EMFILE, "Cannot open AF_ALG socket: Too many open files"),
        (Call::Transform, Errno::EPERM, "Cannot open AF_ALG socket: Operation not permitted"),
        (Call::Transform, Errno::EACCES, "Cannot open AF_ALG socket: Permission denied"),
        (Call::SetKey, Errno::EINVAL, "Cannot set key: Invalid argument"),
        (Call::Operation, Errno::EMFILE, "Cannot open AF_ALG socket: Too many open files"),
    ] {
        for mode in CipherMode::ALL {
            // In XTS also the second socket; and if ECB is refused, XTS in its place is, too.
            let sockets = if mode == CipherMode::Xts { 2 } else { 1 };
            for after in 0..sockets {
                let fake = Fake::new(&vec![(call, after, Fault::Fails(errno)); sockets]);
                assert_eq!(
                    open(fake, mode).err().map(|error| error.to_string()),
                    Some(text.to_owned())
                );
                assert_eq!(fake.open(), 0, "{call:?} {mode:?}");
            }
        }
    }
}

#[test]
fn what_is_supported() {
    let supports = |plan: &[Plan], algorithm, mode| {
        let fake = Fake::new(plan);
        let supported = cipher::supports(&fake, algorithm, mode);
        assert_eq!(fake.open(), 0);
        supported.expect("an answer")
    };
    use CipherAlgorithm as A;
    assert!(supports(&[], A::Aes128, CipherMode::Xts));
    assert!(!supports(&[], A::Sm4, CipherMode::Ecb));
    assert!(!supports(&[], A::Cast5, CipherMode::Xts));
    let no_ecb = (Call::Transform, 1, Fault::Fails(Errno::ENOENT));
    assert!(supports(&[no_ecb], A::Aes128, CipherMode::Xts));
    let equal_keys_refused = (Call::SetKey, 0, Fault::Fails(Errno::EINVAL));
    assert!(!supports(&[no_ecb, equal_keys_refused], A::Aes128, CipherMode::Xts));
    for errno in [Errno::ENOENT, Errno::EINVAL, Errno::EAFNOSUPPORT, Errno::EPERM, Errno::EACCES] {
        let first = [(Call::Transform, 0, Fault::Fails(errno))];
        assert!(!supports(&first, A::Aes128, CipherMode::Xts), "{errno}");
        let second = [(Call::Transform, 1, Fault::Fails(errno))];
        assert_eq!(hash::supports(&Fake::new(&second), HashAlgorithm::Sha1), Ok(false), "no HMAC");
    }
}

/// What a program without a free descriptor asks is asked again, and no answer is taken for a lasting one.
#[test]
fn what_cannot_be_known_now() {
    for errno in [Errno::EMFILE, Errno::ENFILE, Errno::ENOMEM, Errno::ENOBUFS] {
        let fake = Fake::new(&[(Call::Transform, 0, Fault::Fails(errno))]);
        let offer = Kept::new();
        let ask = || {
            offer.get(|| cipher::supports(&fake, CipherAlgorithm::Sm4, CipherMode::Ecb)).copied()
        };
        assert_eq!([ask(), ask(), ask()], [None, Some(false), Some(false)], "{errno}");
    }
}

/// Linux 7.3 has xts(aes) for every program, and ecb(aes) for few.
#[test]
fn long_units_without_ecb() {
    for encrypt in [true, false] {
        let refused = [(Call::Transform, 0, Fault::Fails(Errno::ENOENT))];
        agrees(Fake::new(&refused), CipherMode::Xts, encrypt, 300_000 / 16 * 16);
    }
}

#[test]
fn messages_in_parts() {
    for len in [0, 1, 64, 65536, 65537, 200_000] {
        macs_agree(&[7; 32], len);
    }
}

#[test]
fn hmac_keys_of_any_length() {
    for len in [0, 1, 64, 65, 128, 129, 20_481, 100_000] {
        macs_agree(&pattern(len), 100);
    }
}

/// The HMAC of a message of some length, and of the next one on the same object.
fn macs_agree(key: &[u8], len: usize) {
    let message = pattern(len);
    let mut ours = hash::hmac(Fake::new(&[]), HashAlgorithm::Sha256, key).expect("nothing fails");
    let mut native = Native.hmac(HashAlgorithm::Sha256, key).expect("native");
    // The second time it starts over.
    for _ in 0..2 {
        let [found, wanted] = [&mut ours, &mut native].map(|context| {
            let mut mac = [0; 32];
            message.chunks(50_000).for_each(|part| context.update(part).expect("nothing fails"));
            context.finish(&mut mac).expect("nothing fails");
            mac
        });
        assert_eq!(found, wanted, "{len} bytes, a key of {}", key.len());
    }
}

#[test]
fn hashes_that_fail() {
    let finish = |plan: &[Plan]| {
        let fake = Fake::new(plan);
        let mut context = hash::hash(fake, HashAlgorithm::Sha256).expect("it fails later");
        let result = context.update(&pattern(100)).and_then(|()| context.finish(&mut [0; 32]));
        drop(context);
        assert_eq!(fake.open(), 0);
        result.expect_err("planned").to_string()
    };
    assert_eq!(finish(&[(Call::Send, 0, Fault::Short(99))]), "Cannot hash data: Message too long");
    assert_eq!(
        finish(&[(Call::Send, 1, Fault::Fails(Errno::EBUSY))]),
        "Cannot hash data: Device or resource busy"
    );
    assert_eq!(
        finish(&[(Call::Receive, 0, Fault::Short(31))]),
        "Cannot hash data: a result of the wrong length"
    );
}

#[test]
fn ten_thousand_objects_leave_no_descriptor() {
    let fake = Fake::new(&[]);
    for turn in 0..10_000 {
        let mode = CipherMode::ALL[turn % 4];
        let context = open(fake, mode).expect("nothing fails");
        assert_eq!(fake.open(), if mode == CipherMode::Xts { 4 } else { 2 });
        crypt(&*context, true, &mut Iv::default(), &mut [0; 32]).expect("nothing fails");
    }
    assert_eq!(fake.open(), 0);
}
