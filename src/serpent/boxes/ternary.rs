//! Serpent's S-boxes in gates of three inputs, as `tools/find-circuits.rs` found them.

use super::TernaryBits;

/// The S-box of a round.
#[inline(always)]
pub(in crate::serpent) fn s_box<B: TernaryBits>(number: usize, [a, b, c, d]: [B; 4]) -> [B; 4] {
    match number {
        // 8 gates
        0 => {
            let e = B::ternary::<0xc6>(d, b, a);
            let f = B::ternary::<0x96>(e, d, c);
            let g = B::ternary::<0xf2>(f, d, b);
            let h = B::ternary::<0xe0>(g, b, a);
            let i = B::ternary::<0xe8>(e, c, a);
            let j = B::ternary::<0x96>(h, d, a);
            let k = B::ternary::<0x61>(g, e, a);
            let l = B::ternary::<0x69>(i, h, e);
            [k, l, j, f]
        }
        // 8 gates
        1 => {
            let e = B::ternary::<0x96>(d, c, b);
            let f = B::ternary::<0x94>(e, c, a);
            let g = B::ternary::<0xce>(d, b, a);
            let h = B::ternary::<0xe0>(g, f, c);
            let i = B::ternary::<0x87>(e, b, a);
            let j = B::ternary::<0x6b>(g, f, e);
            let k = B::ternary::<0x69>(h, e, a);
            let l = B::ternary::<0x07>(f, e, b);
            [j, k, i, l]
        }
        // 7 gates
        2 => {
            let e = B::ternary::<0x78>(d, c, a);
            let f = B::ternary::<0x96>(c, b, a);
            let g = B::ternary::<0xe4>(d, c, a);
            let h = B::ternary::<0x5c>(g, f, e);
            let i = B::ternary::<0x96>(e, c, b);
            let j = B::ternary::<0x2e>(g, f, e);
            let k = B::ternary::<0x87>(f, e, b);
            [i, h, j, k]
        }
        // 8 gates
        3 => {
            let e = B::ternary::<0xd6>(d, c, a);
            let f = B::ternary::<0x94>(c, b, a);
            let g = B::ternary::<0xd8>(d, b, a);
            let h = B::ternary::<0x96>(g, f, a);
            let i = B::ternary::<0xa6>(h, g, e);
            let j = B::ternary::<0xc6>(g, f, e);
            let k = B::ternary::<0x96>(f, e, c);
            let l = B::ternary::<0x70>(h, f, e);
            [l, j, i, k]
        }
        // 8 gates
        4 => {
            let e = B::ternary::<0xc6>(d, c, a);
            let f = B::ternary::<0x96>(d, b, a);
            let g = B::ternary::<0x9e>(f, d, c);
            let h = B::ternary::<0x96>(g, e, d);
            let i = B::ternary::<0xb0>(g, f, a);
            let j = B::ternary::<0xc9>(f, e, b);
            let k = B::ternary::<0xe4>(f, e, b);
            let l = B::ternary::<0x78>(h, g, f);
            [j, l, i, k]
        }
        // 8 gates
        5 => {
            let e = B::ternary::<0xd2>(c, b, a);
            let f = B::ternary::<0xb4>(c, b, a);
            let g = B::ternary::<0x94>(f, d, a);
            let h = B::ternary::<0xf4>(g, d, b);
            let i = B::ternary::<0x8d>(f, e, d);
            let j = B::ternary::<0x69>(h, e, a);
            let k = B::ternary::<0x39>(f, e, d);
            let l = B::ternary::<0x4b>(g, e, c);
            [i, k, j, l]
        }
        // 8 gates
        6 => {
            let e = B::ternary::<0x96>(d, c, b);
            let f = B::ternary::<0xd6>(e, c, a);
            let g = B::ternary::<0xd6>(f, e, b);
            let h = B::ternary::<0xd8>(d, c, a);
            let i = B::ternary::<0x4b>(e, d, a);
            let j = B::ternary::<0x68>(g, f, a);
            let k = B::ternary::<0x2f>(f, e, d);
            let l = B::ternary::<0x6b>(h, g, b);
            [k, i, l, j]
        }
        // 8 gates
        7 => {
            let e = B::ternary::<0xb6>(c, b, a);
            let f = B::ternary::<0x78>(e, d, a);
            let g = B::ternary::<0x94>(d, c, a);
            let h = B::ternary::<0x94>(g, b, a);
            let i = B::ternary::<0xf4>(h, e, c);
            let j = B::ternary::<0xde>(h, d, b);
            let k = B::ternary::<0x78>(g, f, b);
            let l = B::ternary::<0x6d>(j, i, e);
            [l, k, i, f]
        }
        _ => unreachable!("eight boxes"),
    }
}

/// The inverse of [`s_box`].
#[inline(always)]
pub(in crate::serpent) fn inverse<B: TernaryBits>(number: usize, [a, b, c, d]: [B; 4]) -> [B; 4] {
    match number {
        // 8 gates
        0 => {
            let e = B::ternary::<0xb4>(d, b, a);
            let f = B::ternary::<0x9e>(e, c, b);
            let g = B::ternary::<0xc6>(d, c, b);
            let h = B::ternary::<0xda>(g, f, a);
            let i = B::ternary::<0xd0>(h, e, b);
            let j = B::ternary::<0x79>(g, f, a);
            let k = B::ternary::<0x4f>(f, e, a);
            let l = B::ternary::<0x69>(e, c, a);
            [k, i, l, j]
        }
        // 8 gates
        1 => {
            let e = B::ternary::<0xe6>(d, c, a);
            let f = B::ternary::<0xb6>(d, b, a);
            let g = B::ternary::<0xe0>(e, b, a);
            let h = B::ternary::<0x94>(f, c, b);
            let i = B::ternary::<0x7c>(h, g, d);
            let j = B::ternary::<0x3e>(f, e, b);
            let k = B::ternary::<0x79>(h, f, e);
            let l = B::ternary::<0x69>(g, d, b);
            [k, j, l, i]
        }
        // 7 gates
        2 => {
            let e = B::ternary::<0xbe>(d, c, b);
            let f = B::ternary::<0xa6>(d, c, b);
            let g = B::ternary::<0x3a>(d, c, b);
            let h = B::ternary::<0xc9>(g, f, a);
            let i = B::ternary::<0x96>(e, d, a);
            let j = B::ternary::<0x6c>(g, f, a);
            let k = B::ternary::<0x95>(i, h, g);
            [i, j, h, k]
        }
        // 8 gates
        3 => {
            let e = B::ternary::<0x94>(d, c, b);
            let f = B::ternary::<0xd2>(e, d, a);
            let g = B::ternary::<0x68>(d, b, a);
            let h = B::ternary::<0x68>(g, d, c);
            let i = B::ternary::<0xd2>(g, f, c);
            let j = B::ternary::<0x5e>(i, f, b);
            let k = B::ternary::<0x1e>(j, h, d);
            let l = B::ternary::<0x0e>(h, e, b);
            [f, l, i, k]
        }
        // 8 gates
        4 => {
            let e = B::ternary::<0x94>(d, c, a);
            let f = B::ternary::<0xe6>(d, b, a);
            let g = B::ternary::<0xe1>(f, e, c);
            let h = B::ternary::<0x92>(d, b, a);
            let i = B::ternary::<0xd6>(g, c, b);
            let j = B::ternary::<0x69>(i, h, g);
            let k = B::ternary::<0x4b>(h, g, d);
            let l = B::ternary::<0x78>(e, b, a);
            [g, l, j, k]
        }
        // 8 gates
        5 => {
            let e = B::ternary::<0x9e>(c, b, a);
            let f = B::ternary::<0xda>(d, b, a);
            let g = B::ternary::<0x2d>(e, d, a);
            let h = B::ternary::<0xd2>(f, c, b);
            let i = B::ternary::<0xe6>(d, c, a);
            let j = B::ternary::<0xd2>(h, g, a);
            let k = B::ternary::<0x78>(i, f, b);
            let l = B::ternary::<0x78>(f, c, b);
            [l, j, k, g]
        }
        // 8 gates
        6 => {
            let e = B::ternary::<0x96>(d, b, a);
            let f = B::ternary::<0x92>(e, d, c);
            let g = B::ternary::<0x83>(f, e, a);
            let h = B::ternary::<0x9c>(g, c, b);
            let i = B::ternary::<0xd4>(d, c, a);
            let j = B::ternary::<0xe1>(e, c, a);
            let k = B::ternary::<0x96>(i, g, e);
            let l = B::ternary::<0x1e>(h, d, a);
            [k, j, l, g]
        }
        // 8 gates
        7 => {
            let e = B::ternary::<0xd6>(d, b, a);
            let f = B::ternary::<0x92>(d, c, b);
            let g = B::ternary::<0xac>(d, c, a);
            let h = B::ternary::<0x96>(g, f, d);
            let i = B::ternary::<0xa9>(h, g, e);
            let j = B::ternary::<0x6c>(g, f, e);
            let k = B::ternary::<0x69>(f, e, b);
            let l = B::ternary::<0x70>(h, f, e);
            [k, i, j, l]
        }
        _ => unreachable!("eight boxes"),
    }
}
