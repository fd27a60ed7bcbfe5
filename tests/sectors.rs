//! Runs of sectors: equal to setting each sector's IV and encrypting it, on every backend, in every mode, with every
//! generator, from any number of threads.

#![allow(unsafe_code, reason = "the backends are listed by a C function; safe code does not race")]

mod common;

use std::cell::UnsafeCell;
use std::thread;

use common::backends::{libraries, new_with};
use common::bytes::{Random, d1, hex, k, sha256};
use common::calls::{Direction, FILL, key_len, new, supported_pairs};
use common::vectors::{self, Record};
use inout::InOutBuf;
use qcrypto::algorithm::{CipherAlgorithm, CipherMode, HashAlgorithm};
use qcrypto::cipher::Cipher;
use qcrypto::cipher::sectors::{Run, SectorIvs};
use qcrypto::error::Error;
use qcrypto::ivgen::IvGen;

/// One call over a run.
fn call(
    cipher: &Cipher,
    direction: Direction,
    ivgen: Option<&IvGen>,
    run: Run,
    data: InOutBuf<'_, '_, u8>,
) -> Result<(), Error> {
    let ivs = ivgen.map(|ivgen| ivgen as &dyn SectorIvs);
    match direction {
        Direction::Encrypt => cipher.encrypt_sectors(ivs, run, data),
        Direction::Decrypt => cipher.decrypt_sectors(ivs, run, data),
    }
}

/// One call from one buffer to another, which a refused call leaves alone.
fn apart(
    cipher: &Cipher,
    direction: Direction,
    ivgen: Option<&IvGen>,
    run: Run,
    input: &[u8],
) -> Result<Vec<u8>, Error> {
    let mut output = vec![FILL; input.len()];
    let data = InOutBuf::new(input, &mut output).expect("one length");
    let result = call(cipher, direction, ivgen, run, data);
    if result.is_err() {
        assert!(output.iter().all(|&byte| byte == FILL), "a refused call wrote to the output");
    }
    result.map(|()| output)
}

/// One call on one buffer.
fn in_place(
    cipher: &Cipher,
    direction: Direction,
    ivgen: Option<&IvGen>,
    run: Run,
    input: &[u8],
) -> Result<Vec<u8>, Error> {
    let mut buffer = input.to_vec();
    call(cipher, direction, ivgen, run, InOutBuf::from(&mut buffer[..])).map(|()| buffer)
}

/// What the run must become: a cipher of its own, an IV and a call for each sector.
fn one_by_one(
    cipher: &mut Cipher,
    iv_len: usize,
    direction: Direction,
    ivgen: Option<&IvGen>,
    run: Run,
    input: &[u8],
) -> Vec<u8> {
    let mut number = run.first;
    let mut output = Vec::new();
    for sector in input.chunks(run.sector_size) {
        if let Some(ivgen) = ivgen.filter(|_| iv_len > 0) {
            let mut iv = vec![0; iv_len];
            ivgen.calculate(number, &mut iv).expect("nothing is wrong");
            cipher.set_iv(&iv).expect("an IV of its length");
        }
        output.extend(direction.apart(cipher, sector).expect("whole blocks"));
        number = number.wrapping_add(run.step);
    }
    output
}

/// Every generator that fits a cipher of this block length.
fn generators(block_len: usize) -> Vec<(&'static str, IvGen)> {
    let essiv = |cipher, hash| IvGen::essiv(cipher, hash, &k(32)).expect("a digest long enough");
    let mut generators = vec![("plain", IvGen::plain()), ("plain64", IvGen::plain64())];
    if block_len == 16 {
        let aes = essiv(CipherAlgorithm::Aes256, HashAlgorithm::Sha256);
        generators.push(("essiv of aes", aes));
        let serpent = essiv(CipherAlgorithm::Serpent128, HashAlgorithm::Md5);
        generators.push(("essiv of serpent", serpent));
    } else {
        generators.push(("essiv of des", essiv(CipherAlgorithm::Des, HashAlgorithm::Sha1)));
    }
    generators
}

#[test]
fn equal_to_one_call_a_sector() {
    equal(|algorithm, mode, key| Some(new(algorithm, mode, key)));
}

/// The libraries, which may lock within; the IVs are made by the native backend.
#[test]
fn equal_on_other_backends() {
    for backend in libraries() {
        equal(|algorithm, mode, key| new_with(&backend, algorithm, mode, key));
    }
}

fn equal(open: impl Fn(CipherAlgorithm, CipherMode, &[u8]) -> Option<Cipher>) {
    let mut random = Random::new();
    let data = random.bytes(70 * 528);
    for (algorithm, mode) in supported_pairs() {
        let key = k(key_len(algorithm, mode));
        let Some(cipher) = open(algorithm, mode, &key) else { continue };
        let mut reference = new(algorithm, mode, &key);
        let block_len = algorithm.block_len();
        let iv_len = mode.iv_len(algorithm);
        for (rule, ivgen) in generators(block_len) {
            for direction in Direction::BOTH {
                for sector_size in [block_len, 3 * block_len, 512, 528] {
                    let count = [random.below(9), random.below(70)][random.below(2)];
                    let first = [0, 7, u32::MAX.into(), random.number() >> 8][random.below(4)];
                    let step = [1, 8, 0, random.number() >> 32][random.below(4)];
                    let run = Run { first, step, sector_size };
                    let input = &data[..count * sector_size];
                    let ivgen = Some(&ivgen);
                    let expected = one_by_one(&mut reference, iv_len, direction, ivgen, run, input);
                    let context = || {
                        let backend = cipher.backend();
                        format!("{backend:?} {algorithm:?}-{mode:?} {rule} {direction:?} {run:?}")
                    };
                    let output = apart(&cipher, direction, ivgen, run, input);
                    assert_eq!(output, Ok(expected.clone()), "{} {count}", context());
                    let output = in_place(&cipher, direction, ivgen, run, input);
                    assert_eq!(output, Ok(expected), "{} {count} in place", context());
                }
            }
        }
    }
}

/// Large sectors, and more of them than are worked on at a time.
#[test]
fn long_runs() {
    let mut random = Random::new();
    let data = random.bytes(150 * 4096);
    for mode in CipherMode::ALL {
        let algorithm = CipherAlgorithm::Aes192;
        let key = k(key_len(algorithm, mode));
        let cipher = new(algorithm, mode, &key);
        let mut reference = new(algorithm, mode, &key);
        for (_, ivgen) in generators(16) {
            for direction in Direction::BOTH {
                let first = u64::from(u32::MAX) - 600;
                let run = Run { first, step: 8, sector_size: 4096 };
                let iv_len = mode.iv_len(algorithm);
                let expected =
                    one_by_one(&mut reference, iv_len, direction, Some(&ivgen), run, &data);
                let output = apart(&cipher, direction, Some(&ivgen), run, &data);
                assert!(output == Ok(expected), "{mode:?} {direction:?}");
            }
        }
    }
}

/// The cipher and generator of a record, if the rule is one of QEMU's.
fn of_record(record: &Record) -> Option<(Cipher, IvGen)> {
    let text = |field| record.text(field).expect("a name");
    let algorithm = CipherAlgorithm::ALL.into_iter().find(|known| known.name() == text("alg"));
    let mode = CipherMode::ALL.into_iter().find(|known| known.name() == text("mode"));
    let key = record.bytes("key").expect("hex");
    let ivgen = match text("ivgen") {
        "plain" => IvGen::plain(),
        "plain64" => IvGen::plain64(),
        "essiv:sha256" => IvGen::essiv(CipherAlgorithm::Aes256, HashAlgorithm::Sha256, &key)
            .expect("a digest as long as a key"),
        _ => return None,
    };
    Some((new(algorithm.expect("a cipher"), mode.expect("a mode"), &key), ivgen))
}

/// Zeros, encrypted as dm-crypt does, with both of its rules for large sectors.
#[test]
fn known_chains() {
    let mut count = 0;
    for record in vectors::read("ivgen/sector-chains.txt") {
        let Some((cipher, ivgen)) = of_record(&record) else { continue };
        let number = |field| record.number(field).expect("a number");
        let size = |field| usize::try_from(number(field)).expect("fits");
        let run = Run {
            first: number("iv-first"),
            step: number("iv-step"),
            sector_size: size("sector-size"),
        };
        let zeros = vec![0; size("length")];
        for call in [apart, in_place] {
            let output = call(&cipher, Direction::Encrypt, Some(&ivgen), run, &zeros);
            let output = output.expect("whole sectors");
            assert_eq!(Ok(&*sha256(&output)), record.text("ct-sha256"), "{:?}", record.text("id"));
            let back = call(&cipher, Direction::Decrypt, Some(&ivgen), run, &output);
            assert_eq!(back, Ok(zeros.clone()));
        }
        count += 1;
    }
    assert_eq!(count, 15);
}

/// X16: the numbers of plain wrap at 32 bits.
#[test]
fn plain_wraps_at_32_bits() {
    let cipher = new(CipherAlgorithm::Aes256, CipherMode::Xts, &k(64));
    let run = Run { first: 0xffff_fffe, step: 1, sector_size: 512 };
    let output = apart(&cipher, Direction::Encrypt, Some(&IvGen::plain()), run, &d1(2048))
        .expect("whole sectors");
    let heads: Vec<_> = output.chunks(512).map(|sector| hex(&sector[..8])).collect();
    assert_eq!(
        heads,
        ["377f1781a2f11006", "a5d444d3f211127d", "e0208cff9ca86b5e", "6c882ee4e64d32c2"]
    );
    assert_eq!(sha256(&output), "e0ffccab3740db0eef97e378080d63ac9d3950daaed1a6233bf4eaa0c3ee7bab");
    // Also where the sum has more than 64 bits.
    let run = Run { first: u64::MAX - 1, ..run };
    assert_eq!(
        apart(&cipher, Direction::Encrypt, Some(&IvGen::plain()), run, &d1(2048)),
        Ok(output)
    );
}

/// L23: 512-byte sectors, and one of 4096 bytes with either rule for its number.
#[test]
fn rules_for_large_sectors() {
    let cipher = new(CipherAlgorithm::Aes256, CipherMode::Xts, &k(64));
    for (first, step, sector_size, expected) in [
        (8, 1, 512, "7d4ac0068efb923b6ac82c0e779fe3c576b8d0beadc17d5c00bbac4c355f4aba"),
        (8, 8, 4096, "c31ac9153aec16fef7e62b09e4f82b10403886f32de1ab031fcdc84836d5e686"),
        (1, 1, 4096, "b8352a59bd24ebf5e725b66cb28d854d379fe6e52cf5541d6d9bda40178d7890"),
    ] {
        let run = Run { first, step, sector_size };
        let output = apart(&cipher, Direction::Encrypt, Some(&IvGen::plain64()), run, &d1(4096));
        assert_eq!(sha256(&output.expect("whole sectors")), expected);
    }
}

/// Control: each number of a run counts, and so does the direction.
#[test]
fn another_run_is_another_result() {
    let cipher = new(CipherAlgorithm::Aes256, CipherMode::Xts, &k(64));
    let usual = Run { first: 3, step: 1, sector_size: 512 };
    let encrypt =
        |ivgen: IvGen, run| apart(&cipher, Direction::Encrypt, Some(&ivgen), run, &d1(2048));
    let output = encrypt(IvGen::plain64(), usual);
    assert_eq!(encrypt(IvGen::plain(), usual), output, "the numbers are small");
    for other in [
        Run { first: 4, ..usual },
        Run { step: 2, ..usual },
        Run { step: 0, ..usual },
        Run { sector_size: 1024, ..usual },
        Run { first: 3 + (1 << 32), ..usual },
    ] {
        assert_ne!(encrypt(IvGen::plain64(), other), output, "{other:?}");
    }
    let decrypted = apart(&cipher, Direction::Decrypt, Some(&IvGen::plain64()), usual, &d1(2048));
    assert_ne!(decrypted, output);
}

#[test]
fn refusals() {
    let essiv = |cipher, hash| IvGen::essiv(cipher, hash, &k(32)).expect("a digest long enough");
    let essiv8 = essiv(CipherAlgorithm::Cast5, HashAlgorithm::Sha256);
    let essiv16 = essiv(CipherAlgorithm::Aes128, HashAlgorithm::Sha256);
    let (plain, plain64) = (IvGen::plain(), IvGen::plain64());
    let run = |first, step, sector_size| Run { first, step, sector_size };
    let usual = run(0, 1, 512);
    for (algorithm, mode) in supported_pairs() {
        let cipher = new(algorithm, mode, &k(key_len(algorithm, mode)));
        let block_len = algorithm.block_len();
        let refuse = |ivgen, run, len, error| {
            for direction in Direction::BOTH {
                let result = apart(&cipher, direction, ivgen, run, &d1(len));
                assert_eq!(result.as_ref(), Err(&error), "{algorithm:?}-{mode:?} {run:?} {len}");
            }
        };
        let accept = |ivgen, run, len| {
            for direction in Direction::BOTH {
                let result = apart(&cipher, direction, ivgen, run, &d1(len));
                assert!(result.is_ok(), "{algorithm:?}-{mode:?} {run:?} {len}: {result:?}");
            }
        };
        for size in [0, 1, block_len - 1, block_len + 1, 511] {
            for len in [0, 512] {
                let error = Error::SectorSize { size, block_len };
                refuse(Some(&plain64), run(0, 1, size), len, error);
            }
        }
        for len in [1, block_len, 511, 513, 1000] {
            refuse(Some(&plain64), usual, len, Error::PartialSector { len, sector_size: 512 });
        }
        accept(Some(&plain64), usual, 0);
        accept(Some(&plain), run(u64::MAX, u64::MAX, 512), 2048);
        if mode == CipherMode::Ecb {
            accept(None, usual, 1024);
            accept(Some(&essiv8), usual, 1024);
            accept(Some(&plain64), run(u64::MAX, u64::MAX, 512), 2048);
            continue;
        }
        for len in [0, 1024] {
            refuse(None, usual, len, Error::Null("ivgen"));
            let (other, made) = if block_len == 16 { (&essiv8, 8) } else { (&essiv16, 16) };
            refuse(Some(other), usual, len, Error::IvGenLength { made, expected: block_len });
        }
        let fitting = if block_len == 16 { &essiv16 } else { &essiv8 };
        for ivgen in [fitting, &plain64] {
            let ivgen = Some(ivgen);
            accept(ivgen, run(u64::MAX, 1, 512), 512);
            accept(ivgen, run(u64::MAX, 0, 512), 1024);
            accept(ivgen, run(u64::MAX - 8, 8, 512), 1024);
            for (first, step, count) in [
                (u64::MAX, 1, 2),
                (u64::MAX - 7, 8, 2),
                (1, u64::MAX, 2),
                (0, u64::MAX, 3),
                (1 << 63, 1 << 63, 2),
            ] {
                let error = Error::SectorRange { first, step, count };
                refuse(ivgen, run(first, step, 512), count * 512, error);
            }
        }
    }
}

#[test]
fn texts() {
    for (error, text) in [
        (
            Error::SectorSize { size: 511, block_len: 16 },
            "Sector size 511 must be a positive multiple of block size 16",
        ),
        (
            Error::PartialSector { len: 513, sector_size: 512 },
            "Length 513 must be a multiple of sector size 512",
        ),
        (
            Error::IvGenLength { made: 8, expected: 16 },
            "IV generator makes IVs of size 8, expected 16",
        ),
        (
            Error::SectorRange { first: u64::MAX, step: 8, count: 2 },
            "Numbers of 2 sectors from 18446744073709551615 in steps of 8 exceed 64 bits",
        ),
        (Error::Null("ivgen"), "Argument 'ivgen' is NULL"),
    ] {
        assert_eq!(error.to_string(), text);
    }
}

/// L18 and A8: eight threads on one cipher and one generator, random runs at odd addresses, each compared with what a
/// cipher of the thread's own makes of the sectors one by one. `tools/check-threads` runs it under ThreadSanitizer.
#[test]
fn threads_share_one_cipher() {
    for mode in CipherMode::ALL {
        share(mode, new);
    }
}

#[test]
fn threads_share_one_cipher_of_a_library() {
    for backend in libraries() {
        for mode in CipherMode::ALL {
            share(mode, |algorithm, mode, key| {
                new_with(&backend, algorithm, mode, key).expect("AES in every mode")
            });
        }
    }
}

fn share(mode: CipherMode, open: impl Fn(CipherAlgorithm, CipherMode, &[u8]) -> Cipher) {
    const THREADS: usize = 8;
    const RUNS: usize = 60;
    let algorithm = CipherAlgorithm::Aes256;
    let key = k(key_len(algorithm, mode));
    let iv_len = mode.iv_len(algorithm);
    let cipher = open(algorithm, mode, &key);
    let ivgen = IvGen::essiv(algorithm, HashAlgorithm::Sha256, &key[..32]).expect("it fits");
    let work = |thread: usize| {
        let mut random = Random::new();
        for _ in 0..1000 * thread {
            random.number();
        }
        let mut reference = new(algorithm, mode, &key);
        for _ in 0..RUNS {
            let sector_size = [16, 512, 512, 528, 4096][random.below(5)];
            let count = random.below(20);
            let run = Run { first: random.number() >> 1, step: 1, sector_size };
            let direction = Direction::BOTH[random.below(2)];
            let offset = random.below(16);
            let mut data = random.bytes(offset + count * sector_size);
            let data = &mut data[offset..];
            let expected = one_by_one(&mut reference, iv_len, direction, Some(&ivgen), run, data);
            let buffer = InOutBuf::from(&mut data[..]);
            call(&cipher, direction, Some(&ivgen), run, buffer).expect("whole sectors");
            assert!(data == expected, "{mode:?} {direction:?} {count} {run:?}");
        }
    };
    thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = (0..THREADS).map(|i| scope.spawn(move || work(i))).collect();
        threads.into_iter().for_each(|thread| thread.join().expect("no panic"));
    });
}

/// Control of `tools/check-threads`: ThreadSanitizer sees a race where there is one.
#[test]
#[ignore = "it races on purpose"]
fn a_race_is_reported() {
    struct Racy(UnsafeCell<u64>);
    // SAFETY: it is not sound, and that is the point.
    unsafe impl Sync for Racy {}
    let counter = &Racy(UnsafeCell::new(0));
    // SAFETY: none; two threads write at the same time.
    let count = || unsafe { *counter.0.get() += 1 };
    thread::scope(|scope| [(); 2].map(|()| scope.spawn(count)).map(|_| ()));
}

/// A backend that fails midway, forced through the feature `test-hooks`: all of the output is zeroed, and the object is
/// dead, also for other threads.
#[cfg(feature = "test-hooks")]
#[test]
fn failing_midway_zeroes_and_kills() {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use qcrypto::test_hooks::{Fault, arm};

    let plain64 = &IvGen::plain64();
    let plain64 = Some(plain64);
    let run = Run { first: 1, step: 1, sector_size: 48 };
    for (algorithm, mode) in supported_pairs() {
        for direction in Direction::BOTH {
            for fault in [Fault::FailMidway, Fault::PanicMidway] {
                let mut failing = new(algorithm, mode, &k(key_len(algorithm, mode)));
                let mut buffer = d1(100 * 48);
                arm(Some(fault));
                let result = catch_unwind(AssertUnwindSafe(|| {
                    call(&failing, direction, plain64, run, InOutBuf::from(&mut buffer[..]))
                }));
                assert_eq!(result.is_err(), fault == Fault::PanicMidway);
                assert_eq!(result.unwrap_or(Err(Error::Internal)), Err(Error::Internal));
                assert_eq!(
                    buffer,
                    [0; 100 * 48],
                    "{algorithm:?}-{mode:?}: {direction:?}, {fault:?}"
                );

                let dead = || Err(Error::Dead("cipher"));
                let elsewhere = thread::scope(|scope| {
                    let again = || apart(&failing, direction, plain64, run, &d1(96));
                    scope.spawn(again).join().expect("no panic")
                });
                assert_eq!(elsewhere, dead());
                assert_eq!(apart(&failing, direction, plain64, run, &[]), dead());
                assert_eq!(direction.apart(&mut failing, &d1(64)), dead());
            }
        }
    }
}
