//! Key Locker as a backend, on the machine of the tests: what is listed and served, refusals before and in the middle of a
//! call, threads. That it gives the right answers, the tests of all ciphers show with `QCRYPTO_BACKENDS=keylocker!`.

#![cfg(all(
    target_arch = "x86_64",
    not(aes_backend = "soft"),
    feature = "keylocker",
    feature = "test-hooks"
))]

mod common;

use std::sync::{Mutex, MutexGuard, PoisonError};

use common::backends::{list, new_with, set};
use common::bytes::{Random, k};
use common::calls::{Direction, FILL, key_len};
use common::keylocker::handle::{NO_DECRYPTION, Size};
use common::keylocker::machine::{Counts, Machine};
use common::keylocker::signal::{WHOLE, is_needed, start};
use common::run_part;
use inout::InOutBuf;
use qcrypto::algorithm::{CipherAlgorithm, CipherMode, HashAlgorithm};
use qcrypto::cipher::Cipher;
use qcrypto::cipher::sectors::{Run, SectorIvs};
use qcrypto::error::Error;
use qcrypto::hash::Hash;
use qcrypto::ivgen::IvGen;

const AES: [CipherAlgorithm; 2] = [CipherAlgorithm::Aes128, CipherAlgorithm::Aes256];

/// One test at a time has the machine. No cipher that runs on it before the guard is there.
fn machine() -> Option<MutexGuard<'static, ()>> {
    static ONE: Mutex<()> = Mutex::new(());
    if !is_needed() {
        return None;
    }
    start(WHOLE);
    let guard = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    // The self-test is over, and is not counted or disturbed.
    assert!(list()["keylocker"].starts_with("available, "), "{:?}", list());
    let mut machine = Machine::get();
    machine.counts = Counts::default();
    machine.lose_after = None;
    machine.flip = None;
    Some(guard)
}

/// Every algorithm and mode that it serves, in both directions.
fn each() -> impl Iterator<Item = (CipherAlgorithm, CipherMode, Direction)> {
    AES.into_iter().flat_map(|algorithm| {
        CipherMode::ALL.into_iter().flat_map(move |mode| {
            Direction::BOTH.into_iter().map(move |direction| (algorithm, mode, direction))
        })
    })
}

fn cipher(algorithm: CipherAlgorithm, mode: CipherMode) -> Cipher {
    new_with("keylocker", algorithm, mode, &k(key_len(algorithm, mode))).expect("AES")
}

/// What the native backend makes of data.
fn expected(
    algorithm: CipherAlgorithm,
    mode: CipherMode,
    direction: Direction,
    data: &[u8],
) -> Vec<u8> {
    let mut native =
        new_with("native", algorithm, mode, &k(key_len(algorithm, mode))).expect("all of AES");
    direction.in_place(&mut native, data).expect("whole blocks")
}

/// Whether an error names Key Locker.
fn is_refusal(error: &Error) -> bool {
    let text = error.to_string();
    ["encrypt", "decrypt"]
        .iter()
        .any(|what| text == format!("Cannot {what} data: Key Locker has lost the key"))
}

/// Calls that the CPU must refuse: the output is zeroed and the object dead.
fn must_refuse(cipher: &mut Cipher, direction: Direction, data: &[u8], is_in_place: bool) {
    let mut buffer = if is_in_place { data.to_vec() } else { vec![FILL; data.len()] };
    let buffers = if is_in_place {
        InOutBuf::from(&mut buffer[..])
    } else {
        InOutBuf::new(data, &mut buffer).expect("equal lengths")
    };
    let refusal = direction.call(cipher, buffers).expect_err("the handle is worth nothing");
    assert!(is_refusal(&refusal), "{refusal}");
    assert!(buffer.iter().all(|&byte| byte == 0), "{:02x?}", &buffer[..16]);
    assert_eq!(direction.in_place(cipher, data), Err(Error::Dead("cipher")));
    assert!(matches!(cipher.set_iv(&[0; 16]), Err(Error::Dead("cipher"))));
}

#[test]
fn what_is_listed() {
    let Some(_machine) = machine() else { return };
    assert_eq!(
        list()["keylocker"],
        "available, AES-128 and AES-256, tweak keys for encryption only"
    );
}

/// K2: what it does not have goes to the next of the list, or nowhere.
#[test]
fn what_it_lacks() {
    let Some(_machine) = machine() else { return };
    assert!(set(c"keylocker"));
    let served = |algorithm: CipherAlgorithm| {
        let cipher = Cipher::new(algorithm, CipherMode::Cbc, &k(algorithm.key_len()));
        cipher.map(|cipher| cipher.backend().to_str().expect("ASCII").to_owned())
    };
    for algorithm in AES {
        assert_eq!(served(algorithm).as_deref(), Ok("keylocker/cbc"));
    }
    for algorithm in [CipherAlgorithm::Aes192, CipherAlgorithm::Serpent256] {
        assert!(served(algorithm).is_ok_and(|name| name.starts_with("native/")));
    }
    assert!(Hash::new(HashAlgorithm::Sha256).is_ok());

    assert!(set(c"keylocker!"));
    assert_eq!(served(CipherAlgorithm::Aes256).as_deref(), Ok("keylocker/cbc"));
    let unsupported = Error::UnsupportedPair(CipherAlgorithm::Aes192, CipherMode::Cbc);
    assert_eq!(served(CipherAlgorithm::Aes192), Err(unsupported));
    let unsupported = Error::UnsupportedHash(HashAlgorithm::Sha256);
    assert_eq!(Hash::new(HashAlgorithm::Sha256).err(), Some(unsupported));

    assert!(set(c"native"));
    let lacks = Cipher::new_with("keylocker", CipherAlgorithm::Aes192, CipherMode::Xts, &k(48));
    assert!(matches!(lacks.err(), Some(Error::BackendLacks { name: "keylocker", .. })));
}

/// Keys are encoded once, and data goes eight blocks at a time.
#[test]
fn instructions_in_use() {
    let Some(_machine) = machine() else { return };
    for algorithm in AES {
        for (mode, encode, one, eight) in [
            (CipherMode::Ecb, 1, 3, 4),
            (CipherMode::Cbc, 1, 35, 0),
            (CipherMode::Ctr, 1, 3, 4),
            // One more makes the tweak.
            (CipherMode::Xts, 2, 4, 4),
        ] {
            Machine::get().counts = Counts::default();
            let mut cipher = cipher(algorithm, mode);
            Direction::Encrypt.in_place(&mut cipher, &[1; 560]).expect("whole blocks");
            assert_eq!(Machine::get().counts, Counts { encode, one, eight }, "{mode:?}");
        }
        let mut cbc = cipher(algorithm, CipherMode::Cbc);
        Machine::get().counts = Counts::default();
        Direction::Decrypt.in_place(&mut cbc, &[1; 560]).expect("whole blocks");
        assert_eq!(Machine::get().counts, Counts { encode: 0, one: 3, eight: 4 });
    }
}

/// Handles that only ever encrypt cannot decrypt.
#[test]
fn restrictions_in_use() {
    let Some(_machine) = machine() else { return };
    for algorithm in AES {
        for (mode, restrictions) in [
            (CipherMode::Ecb, &[0][..]),
            (CipherMode::Cbc, &[0]),
            (CipherMode::Ctr, &[NO_DECRYPTION]),
            (CipherMode::Xts, &[0, NO_DECRYPTION]),
        ] {
            Machine::get().counts = Counts::default();
            cipher(algorithm, mode);
            assert_eq!(Machine::get().encoded[..restrictions.len()], *restrictions, "{mode:?}");
        }
    }
}

/// K1: nothing of what a refused instruction leaves is given to the caller.
#[test]
fn wrapping_key_lost_before_a_call() {
    let Some(_machine) = machine() else { return };
    let data = Random::new().bytes(400);
    for (algorithm, mode, direction) in each() {
        for is_in_place in [false, true] {
            let mut before = cipher(algorithm, mode);
            direction.in_place(&mut before, &data).expect("whole blocks");
            let mut waiting = cipher(algorithm, mode);
            let saved = Machine::get().wrapping_key;
            Machine::get().lose();
            must_refuse(&mut before, direction, &data, is_in_place);
            // A new object is as good as ever.
            let wanted = expected(algorithm, mode, direction, &data);
            let found = direction.in_place(&mut cipher(algorithm, mode), &data);
            assert_eq!(found.as_ref(), Ok(&wanted));
            // And so is one that was not called in the meantime, but no other.
            Machine::get().wrapping_key = saved;
            assert_eq!(direction.in_place(&mut waiting, &data), Ok(wanted));
            assert_eq!(direction.in_place(&mut before, &data), Err(Error::Dead("cipher")));
        }
    }
}

/// K1: after any number of instructions, also the last group of a call, when all others are in the output already.
#[test]
fn wrapping_key_lost_in_the_middle_of_a_call() {
    let Some(_machine) = machine() else { return };
    let data = Random::new().bytes(35 * 16);
    for (algorithm, mode, direction) in each() {
        Machine::get().counts = Counts::default();
        let wanted = expected(algorithm, mode, direction, &data);
        let found = direction.in_place(&mut cipher(algorithm, mode), &data);
        assert_eq!(found, Ok(wanted.clone()));
        let Counts { one, eight, .. } = Machine::get().counts;
        assert!(one + eight >= 7);
        for is_in_place in [false, true] {
            for instructions in 0..one + eight {
                let mut cipher = cipher(algorithm, mode);
                Machine::get().lose_after = Some(instructions);
                must_refuse(&mut cipher, direction, &data, is_in_place);
            }
        }
        let mut cipher = cipher(algorithm, mode);
        Machine::get().lose_after = Some(one + eight);
        assert_eq!(direction.in_place(&mut cipher, &data), Ok(wanted));
        Machine::get().lose_after = None;
    }
}

/// A run of sectors ends like any call: nothing of it is left, and the object is dead.
#[test]
fn wrapping_key_lost_in_a_run_of_sectors() {
    let Some(_machine) = machine() else { return };
    let run = Run { first: 7, step: 1, sector_size: 512 };
    let ivgen = IvGen::plain64();
    let ivs: Option<&dyn SectorIvs> = Some(&ivgen);
    let data = Random::new().bytes(5 * 512);
    for (algorithm, mode, direction) in each() {
        let call = |cipher: &Cipher, buffer: &mut [u8]| match direction {
            Direction::Encrypt => cipher.encrypt_sectors(ivs, run, InOutBuf::from(buffer)),
            Direction::Decrypt => cipher.decrypt_sectors(ivs, run, InOutBuf::from(buffer)),
        };
        let native = new_with("native", algorithm, mode, &k(key_len(algorithm, mode)));
        let mut wanted = data.clone();
        call(&native.expect("all of AES"), &mut wanted).expect("whole sectors");
        let mut found = data.clone();
        call(&cipher(algorithm, mode), &mut found).expect("whole sectors");
        assert!(found == wanted, "{algorithm:?}-{mode:?} {direction:?}");

        let cipher = cipher(algorithm, mode);
        let saved = Machine::get().wrapping_key;
        Machine::get().lose_after = Some(13);
        let refusal = call(&cipher, &mut found).expect_err("the handle is worth nothing");
        assert!(is_refusal(&refusal), "{refusal}");
        assert!(found.iter().all(|&byte| byte == 0));
        Machine::get().wrapping_key = saved;
        assert_eq!(call(&cipher, &mut found), Err(Error::Dead("cipher")));
    }
}

/// Each bit of a handle, in memory that has gone bad, say.
#[test]
fn every_bit_of_a_handle_counts() {
    let Some(_machine) = machine() else { return };
    for (algorithm, mode, direction) in each() {
        let size = if algorithm == CipherAlgorithm::Aes128 { Size::Aes128 } else { Size::Aes256 };
        // Eight blocks at a time, and one.
        for data in [&[1; 128][..], &[1; 16]] {
            for bit in 0..8 * size.handle_len() {
                let mut cipher = cipher(algorithm, mode);
                Machine::get().flip = Some(bit);
                must_refuse(&mut cipher, direction, data, true);
                Machine::get().flip = None;
            }
        }
    }
}

/// The wrapping key is lost while eight threads are at work: each call is right or refused, and never anything between.
#[test]
fn threads() {
    let Some(_machine) = machine() else { return };
    let (algorithm, mode) = (CipherAlgorithm::Aes256, CipherMode::Xts);
    let data = Random::new().bytes(512);
    let wanted = expected(algorithm, mode, Direction::Encrypt, &data);
    let work = |calls: usize| {
        let mut refused = 0;
        let mut used = cipher(algorithm, mode);
        for _ in 0..calls {
            let mut buffer = data.clone();
            match used.encrypt(InOutBuf::from(&mut buffer[..])) {
                Ok(()) => assert!(buffer == wanted),
                Err(error) => {
                    assert!(is_refusal(&error), "{error}");
                    assert!(buffer.iter().all(|&byte| byte == 0));
                    used = cipher(algorithm, mode);
                    refused += 1;
                }
            }
        }
        refused
    };
    let refused: usize = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| work(300))).collect();
        for _ in 0..20 {
            std::thread::sleep(std::time::Duration::from_millis(2));
            Machine::get().lose();
        }
        threads.into_iter().map(|thread| thread.join().expect("nothing is wrong")).sum()
    });
    println!("{refused} of 2400 calls were refused");
    assert_eq!(work(10), 0);
}

/// K4: what makes it unavailable is told, and nothing of it is used then.
#[test]
fn unavailable() {
    if !is_needed() {
        return;
    }
    for part in [
        "part_as_this_machine_is",
        "part_not_enabled",
        "part_wrong_results",
        "part_no_wrapping_key",
        "part_cannot_forbid_decryption",
    ] {
        assert!(run_part(part, &[]).success(), "{part}");
    }
}

fn must_be_unavailable(reason: &str) {
    assert_eq!(list()["keylocker"], format!("not available, {reason}"));
    let (algorithm, mode) = (CipherAlgorithm::Aes256, CipherMode::Xts);
    let new_with = Cipher::new_with("keylocker", algorithm, mode, &k(64));
    let unavailable = Error::BackendUnavailable { name: "keylocker", reason: reason.into() };
    assert_eq!(new_with.err(), Some(unavailable));

    assert!(set(c"keylocker!"));
    assert!(!Cipher::supports(algorithm, mode));
    let unsupported = Error::UnsupportedPair(algorithm, mode);
    assert_eq!(Cipher::new(algorithm, mode, &k(64)).err(), Some(unsupported));
    assert!(set(c"keylocker"));
    let cipher = Cipher::new(algorithm, mode, &k(64)).expect("native is there");
    assert!(cipher.backend().to_str().is_ok_and(|name| name.starts_with("native/")));
}

#[test]
#[ignore = "a part of unavailable"]
fn part_as_this_machine_is() {
    match &*list()["keylocker"] {
        "not available, this CPU has no Key Locker" => {
            must_be_unavailable("this CPU has no Key Locker");
        }
        "not available, the operating system has not enabled Key Locker" => {
            must_be_unavailable("the operating system has not enabled Key Locker");
        }
        state => {
            assert!(state.starts_with("available, "), "{state}");
            let mut data = [1; 512];
            let mut cipher = cipher(CipherAlgorithm::Aes256, CipherMode::Xts);
            cipher.encrypt(InOutBuf::from(&mut data[..])).expect("the CPU itself serves");
        }
    }
}

#[test]
#[ignore = "a part of unavailable"]
fn part_not_enabled() {
    start((0b111, 0b100));
    must_be_unavailable("the operating system has not enabled Key Locker");
    assert_eq!(Machine::get().counts, Counts::default());
}

#[test]
#[ignore = "a part of unavailable"]
fn part_wrong_results() {
    start(WHOLE);
    Machine::get().is_faulty = true;
    must_be_unavailable("the CPU's key handles fail the self-test");
}

#[test]
#[ignore = "a part of unavailable"]
fn part_no_wrapping_key() {
    start(WHOLE);
    Machine::get().lose_after = Some(0);
    must_be_unavailable("the CPU's key handles fail the self-test");
}

/// A CPU without that restriction is not asked for it: it would be a fault.
#[test]
#[ignore = "a part of unavailable"]
fn part_cannot_forbid_decryption() {
    start((0b011, 0b101));
    Machine::get().restrictions = 0b011;
    assert_eq!(list()["keylocker"], "available, AES-128 and AES-256");
    let data = Random::new().bytes(560);
    for (algorithm, mode, direction) in each() {
        let found = direction.in_place(&mut cipher(algorithm, mode), &data);
        assert_eq!(found, Ok(expected(algorithm, mode, direction, &data)));
    }
    assert_eq!(Machine::get().encoded, [0; 4]);
}
