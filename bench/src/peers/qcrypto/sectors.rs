//! Its runs of sectors, from one thread and from several.
#![expect(unsafe_code, reason = "calls a C library")]

use std::ffi::{c_int, c_uint, c_void};
use std::ptr;
use std::rc::Rc;
use std::sync::Barrier;
use std::thread;

use super::cipher::Cipher;
use super::{Build, Error, Functions, Handle};
use crate::algorithm::{Direction, Disk, Hash, Rule};
use crate::buffer::Pair;
use crate::machine::spread;
use crate::peers::cipher::Keyed;
use crate::peers::sectors::{ESSIV, SectorEngine, key};
use crate::peers::{Crew, Refusal};

pub(super) type Crypt = unsafe extern "C" fn(
    Handle,
    Handle,
    u64,
    u64,
    usize,
    *const c_void,
    *mut c_void,
    usize,
    *mut Error,
) -> c_int;

/// A cipher with its IV generator.
pub(super) struct Sectors {
    library: Rc<Build>,
    cipher: Cipher,
    ivgen: Handle,
    encrypt: Crypt,
    decrypt: Crypt,
}

impl Sectors {
    pub(super) fn new(library: &Rc<Build>, disk: Disk) -> Result<Self, Refusal> {
        let lacking = || Refusal::Unsupported("no runs of sectors".to_owned());
        let functions = &library.functions;
        let encrypt = functions.qcrypto_cipher_encrypt_sectors.ok_or_else(lacking)?;
        let decrypt = functions.qcrypto_cipher_decrypt_sectors.ok_or_else(lacking)?;
        let key = key(disk.spec);
        let cipher = Cipher::new(library, disk.spec, &key)?;
        let ivgen = functions.new_ivgen(disk.rule, &key)?;
        Ok(Self { library: Rc::clone(library), cipher, ivgen, encrypt, decrypt })
    }

    fn call(&self, direction: Direction) -> Call {
        let function = match direction {
            Direction::Encrypt => self.encrypt,
            Direction::Decrypt => self.decrypt,
        };
        Call { function, cipher: self.cipher.handle(), ivgen: self.ivgen }
    }
}

impl Drop for Sectors {
    fn drop(&mut self) {
        if let Some(free) = self.library.functions.qcrypto_ivgen_free {
            // SAFETY: made by `new` and freed nowhere else.
            unsafe { free(self.ivgen) }
        }
    }
}

impl SectorEngine for Sectors {
    fn kernel(&self) -> String {
        self.cipher.kernel()
    }

    fn crypt(
        &mut self,
        direction: Direction,
        sector_size: usize,
        first: u64,
        input: &[u8],
        output: &mut [u8],
    ) -> Result<(), String> {
        let call = self.call(direction);
        call.run(sector_size, first, input, output)
            .map_err(|error| self.library.functions.complain(error))
    }
}

impl Functions {
    fn new_ivgen(&self, rule: Rule, key: &[u8]) -> Result<Handle, Refusal> {
        let Some(new) = self.qcrypto_ivgen_new else {
            return Err(Refusal::Unsupported("no IV generators".to_owned()));
        };
        let number = match rule {
            Rule::Plain64 => 1,
            Rule::Essiv => 2,
        };
        let (cipher, hash) = (ESSIV.algorithm as c_uint, Hash::Sha256 as c_uint);
        let mut error = ptr::null_mut();
        // SAFETY: any numbers will do, the key is read for the length given, and the Error is still NULL.
        let ivgen = unsafe { new(number, cipher, hash, key.as_ptr(), key.len(), &raw mut error) };
        if ivgen.is_null() { Err(Refusal::Failed(self.complain(error))) } else { Ok(ivgen) }
    }
}

/// What a thread needs to go over sectors.
#[derive(Clone, Copy)]
struct Call {
    function: Crypt,
    cipher: Handle,
    ivgen: Handle,
}

// SAFETY: any number of threads may be in the function with the same objects.
unsafe impl Send for Call {}

impl Call {
    #[inline]
    fn run(
        self,
        sector_size: usize,
        first: u64,
        input: &[u8],
        output: &mut [u8],
    ) -> Result<(), Error> {
        let mut error = ptr::null_mut();
        let (from, to) = (input.as_ptr().cast(), output.as_mut_ptr().cast());
        // SAFETY: the objects are alive, both buffers have the length given, and the Error is still NULL.
        let code = unsafe {
            (self.function)(
                self.cipher,
                self.ivgen,
                first,
                1,
                sector_size,
                from,
                to,
                input.len(),
                &raw mut error,
            )
        };
        if code == 0 { Ok(()) } else { Err(error) }
    }

    /// Runs that go on where the last one ended; whether none failed.
    fn repeat(self, sector_size: usize, buffers: &mut Pair, calls: u64) -> bool {
        let (input, output) = buffers.split();
        let sectors = (input.len() / sector_size) as u64;
        (0..calls).all(|call| self.run(sector_size, call * sectors, input, output).is_ok())
    }
}

/// Threads, each with buffers of its own, and the objects that they share: one for all, or one each.
pub(super) struct Threads {
    objects: Vec<Sectors>,
    buffers: Vec<Pair>,
}

impl Threads {
    pub(super) fn new(
        library: &Rc<Build>,
        disk: Disk,
        run: usize,
        threads: usize,
        is_shared: bool,
    ) -> Result<Self, Refusal> {
        let objects = if is_shared { 1 } else { threads };
        Ok(Self {
            objects: (0..objects).map(|_| Sectors::new(library, disk)).collect::<Result<_, _>>()?,
            buffers: (0..threads).map(|_| Pair::new(run)).collect(),
        })
    }
}

impl Crew for Threads {
    fn kernel(&self) -> String {
        self.objects[0].kernel()
    }

    fn any(&mut self) -> &mut dyn SectorEngine {
        &mut self.objects[0]
    }

    fn run(&mut self, direction: Direction, sector_size: usize, calls: u64) -> Result<(), String> {
        let calls_of = self.objects.iter().map(|object| object.call(direction)).cycle();
        let start = Barrier::new(self.buffers.len());
        let start = &start;
        let work = |number: usize, call: Call, buffers: &mut Pair| {
            let placed = spread(number);
            start.wait();
            placed.is_ok() && call.repeat(sector_size, buffers, calls)
        };
        thread::scope(|scope| {
            let threads: Vec<_> = self
                .buffers
                .iter_mut()
                .zip(calls_of)
                .enumerate()
                .map(|(number, (buffers, call))| scope.spawn(move || work(number, call, buffers)))
                .collect();
            let good = threads.into_iter().all(|thread| thread.join().unwrap_or(false));
            if good { Ok(()) } else { Err("a thread failed".to_owned()) }
        })
    }
}
