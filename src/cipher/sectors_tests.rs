//! Runs of sectors at every level of this CPU, against the portable cipher that goes over them one after the other.

use inout::InOutBuf;

use super::Cipher;
use super::kernel_tests::{BLOCK, DIRECTIONS, Direction, Random, cipher, each_kernel};
use super::kernel_tests::{in_place, key, set_iv};
use super::sectors::{Run, SectorIvs};
use crate::algorithm::{CipherAlgorithm, CipherMode};
use crate::cpu::Level;
use crate::error::Error;
use crate::guarded_tests::Guarded;

/// More sectors than two groups of the widest kernel have, with each number that is left over in the end.
const SECTORS: usize = 70;

/// IVs without pattern, of which every fourth makes a counter carry.
struct Ivs;

impl Ivs {
    fn one(number: u64) -> [u8; BLOCK] {
        let mut iv = Random(number).iv();
        if number.is_multiple_of(4) {
            iv[5..].fill(0xff);
            iv[BLOCK - 1] -= (number % 50) as u8;
        }
        iv
    }
}

impl SectorIvs for Ivs {
    fn iv_len(&self) -> Option<usize> {
        Some(BLOCK)
    }

    fn wraps(&self) -> bool {
        true
    }

    fn make(&self, first: u64, step: u64, iv_len: usize, ivs: &mut [u8]) -> Result<(), Error> {
        assert_eq!(iv_len, BLOCK);
        for (iv, i) in ivs.chunks_exact_mut(BLOCK).zip(0..) {
            iv.copy_from_slice(&Self::one(first.wrapping_add(step.wrapping_mul(i))));
        }
        Ok(())
    }
}

/// The run that the tests have, of whatever sector size: its numbers wrap.
fn run_of(sector_size: usize) -> Run {
    Run { first: u64::MAX - 20, step: 3, sector_size }
}

fn run(cipher: &Cipher, direction: Direction, sector_size: usize, data: InOutBuf<'_, '_, u8>) {
    let run = run_of(sector_size);
    match direction {
        Direction::Encrypt => cipher.encrypt_sectors(Some(&Ivs), run, data),
        Direction::Decrypt => cipher.decrypt_sectors(Some(&Ivs), run, data),
    }
    .expect("whole sectors");
}

/// A cipher, and what each sector of `data` becomes by an IV and a call of its own on the portable one.
fn prepare(
    level: Level,
    algorithm: CipherAlgorithm,
    mode: CipherMode,
    direction: Direction,
    sector_size: usize,
    data: &[u8],
) -> (Cipher, Vec<u8>) {
    let key = key(algorithm, mode);
    let mut reference = cipher(Level::Portable, algorithm, mode, &key);
    let Run { mut first, step, .. } = run_of(sector_size);
    let mut expected = Vec::new();
    for sector in data.chunks(sector_size) {
        set_iv(&mut reference, &Ivs::one(first));
        expected.extend(in_place(&mut reference, direction, sector));
        first = first.wrapping_add(step);
    }
    (cipher(level, algorithm, mode, &key), expected)
}

/// In place and not.
fn check(cipher: &Cipher, direction: Direction, sector_size: usize, data: &[u8], expected: &[u8]) {
    let mut output = vec![0xa5; data.len()];
    let buffers = InOutBuf::new(data, &mut output).expect("one length");
    run(cipher, direction, sector_size, buffers);
    let context =
        || format!("{:?} {direction:?} {} of {sector_size}", cipher.backend(), data.len());
    assert_eq!(output, expected, "{}", context());

    let mut both = data.to_vec();
    run(cipher, direction, sector_size, InOutBuf::from(&mut both[..]));
    assert_eq!(both, expected, "{} in place", context());
}

#[test]
fn every_count_of_sectors() {
    let data = Random(1).bytes(SECTORS * 528);
    each_kernel(|level, algorithm, mode, direction| {
        for sector_size in [16, 32, 48, 512, 528] {
            let data = &data[..SECTORS * sector_size];
            let (cipher, expected) = prepare(level, algorithm, mode, direction, sector_size, data);
            for count in 0..=SECTORS {
                let len = count * sector_size;
                check(&cipher, direction, sector_size, &data[..len], &expected[..len]);
            }
        }
    });
}

#[test]
fn every_sector_size() {
    let data = Random(2).bytes(33 * 70 * BLOCK);
    each_kernel(|level, algorithm, mode, direction| {
        for blocks in 1..=70 {
            let sector_size = blocks * BLOCK;
            let data = &data[..33 * sector_size];
            let (cipher, expected) = prepare(level, algorithm, mode, direction, sector_size, data);
            for count in [1, 2, 5, 9, 17, 33] {
                let len = count * sector_size;
                check(&cipher, direction, sector_size, &data[..len], &expected[..len]);
            }
        }
    });
}

#[test]
fn large_sectors_and_long_runs() {
    let data = Random(3).bytes(300 * 4096);
    each_kernel(|level, algorithm, mode, direction| {
        for (sector_size, counts) in
            [(4096, &[1, 2, 8, 64, 65, 300][..]), (1024, &[127, 300]), (65536, &[3, 18])]
        {
            let longest = counts[counts.len() - 1] * sector_size;
            let data = &data[..longest];
            let (cipher, expected) = prepare(level, algorithm, mode, direction, sector_size, data);
            for count in counts {
                let len = count * sector_size;
                check(&cipher, direction, sector_size, &data[..len], &expected[..len]);
            }
        }
    });
}

#[test]
fn every_alignment() {
    const SIZE: usize = 80;
    let data = Random(4).bytes(SECTORS * SIZE);
    each_kernel(|level, algorithm, mode, direction| {
        let (cipher, expected) = prepare(level, algorithm, mode, direction, SIZE, &data);
        for count in [1, 6, 33] {
            let len = count * SIZE;
            let mut input = vec![0; len + BLOCK];
            let mut output = vec![0; len + BLOCK];
            for from in 0..BLOCK {
                let to = (7 * from + 1) % BLOCK;
                input[from..from + len].copy_from_slice(&data[..len]);
                output.fill(0xa5);
                let target = &mut output[to..to + len];
                let buffers = InOutBuf::new(&input[from..from + len], target);
                run(&cipher, direction, SIZE, buffers.expect("one length"));
                assert_eq!(output[to..to + len], expected[..len], "{level:?} {from} to {to}");
                assert!(output[..to].iter().all(|&byte| byte == 0xa5));
                assert!(output[to + len..].iter().all(|&byte| byte == 0xa5));
            }
        }
    });
}

/// X1: nothing is read or written outside of the buffers.
#[test]
fn nothing_outside_the_buffers() {
    let data = Random(5).bytes(Guarded::LEN);
    each_kernel(|level, algorithm, mode, direction| {
        for sector_size in [16, 48, 112, 512, 1040] {
            let most = (Guarded::LEN / sector_size).min(SECTORS);
            let data = &data[..most * sector_size];
            let (cipher, expected) = prepare(level, algorithm, mode, direction, sector_size, data);
            let mut input = Guarded::new();
            let mut output = Guarded::new();
            for count in 1..=most {
                let len = count * sector_size;
                for at_end in [false, true] {
                    let from = input.edge(len, at_end);
                    from.copy_from_slice(&data[..len]);
                    let to = output.edge(len, at_end);
                    let buffers = InOutBuf::new(from, to).expect("one length");
                    run(&cipher, direction, sector_size, buffers);
                    assert_eq!(to, &expected[..len], "{level:?} {direction:?} {count}");
                    run(&cipher, direction, sector_size, InOutBuf::from(&mut *from));
                    assert_eq!(from, &expected[..len], "{level:?} {direction:?} {count} in place");
                }
            }
        }
    });
}

/// The IV that the object carries is its own, before and after.
#[test]
fn the_iv_of_the_object_has_no_part() {
    let data = Random(6).bytes(4 * 512);
    let iv = Random(7).iv();
    each_kernel(|level, algorithm, mode, direction| {
        let (mut cipher, expected) = prepare(level, algorithm, mode, direction, 512, &data);
        let mut alone = super::kernel_tests::cipher(level, algorithm, mode, &key(algorithm, mode));
        set_iv(&mut cipher, &iv);
        set_iv(&mut alone, &iv);
        for other in DIRECTIONS {
            check(&cipher, direction, 512, &data, &expected);
            let output = in_place(&mut cipher, other, &data[..80]);
            assert_eq!(output, in_place(&mut alone, other, &data[..80]), "{level:?} {mode:?}");
        }
    });
}
