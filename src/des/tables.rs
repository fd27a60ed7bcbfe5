//! The tables of DES (FIPS 46-3), and what is made of them by the compiler. Bits are numbered as there: from 1, the most
//! significant first.

/// The S-boxes, row by row.
const BOXES: [[[u8; 16]; 4]; 8] = [
    [
        [14, 4, 13, 1, 2, 15, 11, 8, 3, 10, 6, 12, 5, 9, 0, 7],
        [0, 15, 7, 4, 14, 2, 13, 1, 10, 6, 12, 11, 9, 5, 3, 8],
        [4, 1, 14, 8, 13, 6, 2, 11, 15, 12, 9, 7, 3, 10, 5, 0],
        [15, 12, 8, 2, 4, 9, 1, 7, 5, 11, 3, 14, 10, 0, 6, 13],
    ],
    [
        [15, 1, 8, 14, 6, 11, 3, 4, 9, 7, 2, 13, 12, 0, 5, 10],
        [3, 13, 4, 7, 15, 2, 8, 14, 12, 0, 1, 10, 6, 9, 11, 5],
        [0, 14, 7, 11, 10, 4, 13, 1, 5, 8, 12, 6, 9, 3, 2, 15],
        [13, 8, 10, 1, 3, 15, 4, 2, 11, 6, 7, 12, 0, 5, 14, 9],
    ],
    [
        [10, 0, 9, 14, 6, 3, 15, 5, 1, 13, 12, 7, 11, 4, 2, 8],
        [13, 7, 0, 9, 3, 4, 6, 10, 2, 8, 5, 14, 12, 11, 15, 1],
        [13, 6, 4, 9, 8, 15, 3, 0, 11, 1, 2, 12, 5, 10, 14, 7],
        [1, 10, 13, 0, 6, 9, 8, 7, 4, 15, 14, 3, 11, 5, 2, 12],
    ],
    [
        [7, 13, 14, 3, 0, 6, 9, 10, 1, 2, 8, 5, 11, 12, 4, 15],
        [13, 8, 11, 5, 6, 15, 0, 3, 4, 7, 2, 12, 1, 10, 14, 9],
        [10, 6, 9, 0, 12, 11, 7, 13, 15, 1, 3, 14, 5, 2, 8, 4],
        [3, 15, 0, 6, 10, 1, 13, 8, 9, 4, 5, 11, 12, 7, 2, 14],
    ],
    [
        [2, 12, 4, 1, 7, 10, 11, 6, 8, 5, 3, 15, 13, 0, 14, 9],
        [14, 11, 2, 12, 4, 7, 13, 1, 5, 0, 15, 10, 3, 9, 8, 6],
        [4, 2, 1, 11, 10, 13, 7, 8, 15, 9, 12, 5, 6, 3, 0, 14],
        [11, 8, 12, 7, 1, 14, 2, 13, 6, 15, 0, 9, 10, 4, 5, 3],
    ],
    [
        [12, 1, 10, 15, 9, 2, 6, 8, 0, 13, 3, 4, 14, 7, 5, 11],
        [10, 15, 4, 2, 7, 12, 9, 5, 6, 1, 13, 14, 0, 11, 3, 8],
        [9, 14, 15, 5, 2, 8, 12, 3, 7, 0, 4, 10, 1, 13, 11, 6],
        [4, 3, 2, 12, 9, 5, 15, 10, 11, 14, 1, 7, 6, 0, 8, 13],
    ],
    [
        [4, 11, 2, 14, 15, 0, 8, 13, 3, 12, 9, 7, 5, 10, 6, 1],
        [13, 0, 11, 7, 4, 9, 1, 10, 14, 3, 5, 12, 2, 15, 8, 6],
        [1, 4, 11, 13, 12, 3, 7, 14, 10, 15, 6, 8, 0, 5, 9, 2],
        [6, 11, 13, 8, 1, 4, 10, 7, 9, 5, 0, 15, 14, 2, 3, 12],
    ],
    [
        [13, 2, 8, 4, 6, 15, 11, 1, 10, 9, 3, 14, 5, 0, 12, 7],
        [1, 15, 13, 8, 10, 3, 7, 4, 12, 5, 6, 11, 0, 14, 9, 2],
        [7, 11, 4, 1, 9, 12, 14, 2, 0, 6, 10, 13, 15, 3, 5, 8],
        [2, 1, 14, 7, 4, 10, 8, 13, 15, 12, 9, 0, 3, 5, 6, 11],
    ],
];

/// The permutation P.
const P: [u8; 32] = [
    16, 7, 20, 21, 29, 12, 28, 17, 1, 15, 23, 26, 5, 18, 31, 10, 2, 8, 24, 14, 32, 27, 3, 9, 19,
    13, 30, 6, 22, 11, 4, 25,
];

/// Permuted choice 1: which bits of a key are used. The others are for parity.
const PC1: [u8; 56] = [
    57, 49, 41, 33, 25, 17, 9, 1, 58, 50, 42, 34, 26, 18, 10, 2, 59, 51, 43, 35, 27, 19, 11, 3, 60,
    52, 44, 36, 63, 55, 47, 39, 31, 23, 15, 7, 62, 54, 46, 38, 30, 22, 14, 6, 61, 53, 45, 37, 29,
    21, 13, 5, 28, 20, 12, 4,
];

/// Permuted choice 2.
const PC2: [u8; 48] = [
    14, 17, 11, 24, 1, 5, 3, 28, 15, 6, 21, 10, 23, 19, 12, 4, 26, 8, 16, 7, 27, 20, 13, 2, 41, 52,
    31, 37, 47, 55, 30, 40, 51, 45, 33, 48, 44, 49, 39, 56, 34, 53, 46, 42, 50, 36, 29, 32,
];

/// How far the halves of a key are turned before each round.
const SHIFTS: [u32; 16] = [1, 1, 2, 2, 2, 2, 2, 2, 1, 2, 2, 2, 2, 2, 2, 1];

/// What the six bits that go into each S-box add to the result of the function f, turned to the left by one.
pub(super) static TURNED_BOXES: [[u32; 64]; 8] = boxes_and_p(1);

const fn boxes_and_p(turn: u32) -> [[u32; 64]; 8] {
    let mut tables = [[0_u32; 64]; 8];
    let mut number = 0;
    while number < 8 {
        let mut input = 0;
        while input < 64 {
            let row = (input >> 4 & 2) | (input & 1);
            let column = input >> 1 & 15;
            let output = (BOXES[number][row][column] as u32) << (28 - 4 * number);
            let mut bit = 0;
            while bit < 32 {
                if output >> (32 - P[bit]) & 1 == 1 {
                    tables[number][input] |= 1 << (31 - bit);
                }
                bit += 1;
            }
            tables[number][input] = tables[number][input].rotate_left(turn);
            input += 1;
        }
        number += 1;
    }
    tables
}

/// For each S-box and each group of six bits, what the input of the one adds to the other; at an address that a register
/// can be loaded from at once.
#[cfg(target_arch = "x86_64")]
#[repr(align(64))]
pub(super) struct SpreadBoxes(pub(super) [[[u8; 64]; 8]; 8]);

#[cfg(target_arch = "x86_64")]
pub(super) static SPREAD_BOXES: SpreadBoxes = SpreadBoxes(spread_boxes());

/// The S-boxes that add something to a group. The other two have no bit there.
#[cfg(target_arch = "x86_64")]
pub(super) const SOURCES: [[usize; 6]; 8] = sources();

#[cfg(target_arch = "x86_64")]
const fn spread_boxes() -> [[[u8; 64]; 8]; 8] {
    let boxes = boxes_and_p(0);
    let mut spread = [[[0; 64]; 8]; 8];
    let mut number = 0;
    while number < 8 {
        let mut to = 0;
        while to < 8 {
            let mut input = 0;
            while input < 64 {
                spread[number][to][input] = group(boxes[number][input], to);
                input += 1;
            }
            to += 1;
        }
        number += 1;
    }
    spread
}

#[cfg(target_arch = "x86_64")]
const fn sources() -> [[usize; 6]; 8] {
    let spread = spread_boxes();
    let mut sources = [[0; 6]; 8];
    let mut to = 0;
    while to < 8 {
        let (mut number, mut found) = (0, 0);
        while number < 8 {
            let mut bits = 0;
            let mut input = 0;
            while input < 64 {
                bits |= spread[number][to][input];
                input += 1;
            }
            if bits != 0 {
                sources[to][found] = number;
                found += 1;
            }
            number += 1;
        }
        to += 1;
    }
    sources
}

/// The six bits of a half block that go into an S-box, the selection E: neighbours overlap.
#[cfg(target_arch = "x86_64")]
pub(super) const fn group(half: u32, number: usize) -> u8 {
    (half.rotate_left(4 * number as u32 + 5) & 0x3f) as u8
}

/// The subkeys of a key, in groups as [`group`] makes them.
pub(super) fn subkeys(key: [u8; 8]) -> [[u8; 8]; 16] {
    let key = u64::from_be_bytes(key);
    let chosen = PC1.iter().fold(0, |chosen, bit| chosen << 1 | key >> (64 - bit) & 1);
    let (mut c, mut d) = (chosen >> 28, chosen & HALF);
    SHIFTS.map(|shift| {
        c = (c << shift | c >> (28 - shift)) & HALF;
        d = (d << shift | d >> (28 - shift)) & HALF;
        let both = c << 28 | d;
        std::array::from_fn(|group| {
            let bits = &PC2[6 * group..][..6];
            bits.iter().fold(0, |group, bit| group << 1 | (both >> (56 - bit) & 1) as u8)
        })
    })
}

/// The 28 bits of half a key.
const HALF: u64 = (1 << 28) - 1;
