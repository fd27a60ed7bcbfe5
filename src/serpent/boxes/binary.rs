//! Serpent's S-boxes in gates of two inputs, as `tools/find-circuits.rs` found them.

use super::Bits;

/// The S-box of a round.
#[inline(always)]
pub(in crate::serpent) fn s_box<B: Bits>(number: usize, [a, b, c, d]: [B; 4]) -> [B; 4] {
    match number {
        // 16 gates
        0 => {
            let e = d.or(a);
            let f = e.xor(b);
            let g = f.xor(c);
            let h = b.or(a);
            let i = b.and_not(d);
            let j = i.or(g);
            let k = j.and(h);
            let l = d.xor(a);
            let m = l.xor(k);
            let n = m.xor(f);
            let o = j.and_not(n);
            let p = o.not();
            let q = i.xor(c);
            let r = p.xor(l);
            let s = p.xor(h);
            let t = r.xor(q);
            [s, t, m, g]
        }
        // 17 gates
        1 => {
            let e = b.not();
            let f = e.or(a);
            let g = c.or(a);
            let h = f.xor(d);
            let i = h.xor(c);
            let j = c.and(b);
            let k = g.and_not(h);
            let l = h.xor(a);
            let m = l.and(i);
            let n = m.or(b);
            let o = n.xor(k);
            let p = i.and_not(o);
            let q = k.or(j);
            let r = p.or(l);
            let s = q.xor(e);
            let t = s.xor(a);
            let u = r.xor(j);
            [t, o, i, u]
        }
        // 14 gates
        2 => {
            let e = c.and(a);
            let f = e.xor(d);
            let g = f.xor(c);
            let h = f.not();
            let i = g.xor(b);
            let j = h.or(b);
            let k = i.xor(a);
            let l = c.and_not(f);
            let m = l.or(k);
            let n = m.xor(f);
            let o = n.and(j);
            let p = o.or(k);
            let q = p.xor(l);
            let r = k.xor(j);
            [i, o, q, r]
        }
        // 17 gates
        3 => {
            let e = b.and_not(c);
            let f = a.and_not(e);
            let g = c.and_not(a);
            let h = b.and_not(a);
            let i = f.xor(d);
            let j = i.or(g);
            let k = j.xor(b);
            let l = d.and_not(k);
            let m = k.xor(c);
            let n = m.xor(a);
            let o = l.or(i);
            let p = n.or(f);
            let q = o.xor(n);
            let r = i.and_not(h);
            let s = r.xor(c);
            let t = o.xor(e);
            let u = t.and(p);
            [u, q, s, k]
        }
        // 15 gates
        4 => {
            let e = d.and_not(a);
            let f = e.xor(c);
            let g = d.xor(a);
            let h = b.and_not(g);
            let i = h.xor(f);
            let j = h.xor(d);
            let k = g.xor(b);
            let l = j.or(i);
            let m = f.or(b);
            let n = l.xor(k);
            let o = i.not();
            let p = l.and_not(k);
            let q = p.xor(a);
            let r = m.xor(g);
            let s = q.xor(f);
            [o, s, n, r]
        }
        // 15 gates
        5 => {
            let e = d.and(b);
            let f = d.xor(b);
            let g = f.not();
            let h = g.or(a);
            let i = h.xor(c);
            let j = i.or(g);
            let k = j.xor(b);
            let l = b.xor(a);
            let m = i.and_not(d);
            let n = i.xor(e);
            let o = l.and_not(m);
            let p = o.xor(k);
            let q = m.xor(l);
            let r = k.and(a);
            let s = r.xor(i);
            [n, q, p, s]
        }
        // 16 gates
        6 => {
            let e = d.and(a);
            let f = d.and(c);
            let g = e.xor(b);
            let h = g.not();
            let i = h.xor(c);
            let j = i.or(b);
            let k = d.xor(a);
            let l = j.and_not(k);
            let m = i.xor(a);
            let n = l.xor(f);
            let o = m.and_not(b);
            let p = o.xor(c);
            let q = p.xor(l);
            let r = m.and(k);
            let s = n.xor(g);
            let t = r.xor(n);
            [s, i, t, q]
        }
        // 16 gates
        7 => {
            let e = c.and_not(b);
            let f = e.xor(d);
            let g = a.and_not(f);
            let h = g.xor(c);
            let i = h.xor(b);
            let j = i.and(a);
            let k = b.xor(a);
            let l = f.and_not(j);
            let m = l.xor(k);
            let n = h.or(f);
            let o = m.xor(c);
            let p = o.and(k);
            let q = p.or(l);
            let r = m.xor(j);
            let s = n.and_not(o);
            let t = s.not();
            [t, r, q, i]
        }
        _ => unreachable!("eight boxes"),
    }
}

/// The inverse of [`s_box`].
#[inline(always)]
pub(in crate::serpent) fn inverse<B: Bits>(number: usize, [a, b, c, d]: [B; 4]) -> [B; 4] {
    match number {
        // 17 gates
        0 => {
            let e = b.or(a);
            let f = c.or(b);
            let g = e.xor(d);
            let h = g.not();
            let i = c.and_not(a);
            let j = i.or(h);
            let k = j.and(f);
            let l = b.xor(a);
            let m = l.xor(k);
            let n = h.xor(c);
            let o = n.or(m);
            let p = o.and(b);
            let q = p.xor(j);
            let r = q.xor(b);
            let s = l.or(g);
            let t = s.xor(r);
            let u = t.xor(c);
            [u, m, n, q]
        }
        // 17 gates
        1 => {
            let e = d.and_not(b);
            let f = b.or(a);
            let g = e.xor(c);
            let h = g.xor(a);
            let i = g.and(d);
            let j = i.or(h);
            let k = j.and(f);
            let l = d.xor(b);
            let m = l.not();
            let n = l.xor(c);
            let o = n.and(k);
            let p = m.xor(a);
            let q = p.or(d);
            let r = o.xor(h);
            let s = r.xor(f);
            let t = q.xor(o);
            let u = m.xor(k);
            [t, s, u, h]
        }
        // 14 gates
        2 => {
            let e = d.and_not(b);
            let f = e.xor(c);
            let g = f.and(d);
            let h = g.xor(b);
            let i = h.and_not(a);
            let j = i.xor(f);
            let k = j.xor(a);
            let l = i.xor(d);
            let m = h.not();
            let n = m.xor(k);
            let o = k.and_not(h);
            let p = o.xor(l);
            let q = n.and(l);
            let r = q.xor(m);
            [p, j, n, r]
        }
        // 15 gates
        3 => {
            let e = b.and_not(c);
            let f = e.xor(a);
            let g = f.or(d);
            let h = g.xor(b);
            let i = h.xor(c);
            let j = i.xor(f);
            let k = f.or(c);
            let l = j.xor(d);
            let m = g.and_not(l);
            let n = l.or(i);
            let o = k.and_not(j);
            let p = o.and_not(m);
            let q = p.xor(k);
            let r = m.xor(h);
            let s = o.xor(n);
            [i, s, r, q]
        }
        // 16 gates
        4 => {
            let e = d.or(c);
            let f = e.xor(b);
            let g = d.or(b);
            let h = f.and(a);
            let i = h.xor(c);
            let j = g.and(a);
            let k = j.xor(f);
            let l = i.xor(d);
            let m = a.and_not(l);
            let n = m.not();
            let o = n.xor(k);
            let p = k.xor(d);
            let q = d.and(c);
            let r = q.or(j);
            let s = o.and_not(p);
            let t = s.xor(r);
            [o, l, t, p]
        }
        // 15 gates
        5 => {
            let e = d.and(a);
            let f = e.xor(c);
            let g = a.and_not(c);
            let h = b.and_not(g);
            let i = f.and(b);
            let j = i.xor(d);
            let k = h.xor(f);
            let l = j.xor(a);
            let m = k.and(a);
            let n = l.xor(k);
            let o = m.xor(b);
            let p = n.and_not(o);
            let q = k.not();
            let r = o.xor(l);
            let s = p.xor(j);
            [l, r, s, q]
        }
        // 15 gates
        6 => {
            let e = c.and_not(a);
            let f = b.or(a);
            let g = e.xor(d);
            let h = g.xor(b);
            let i = h.not();
            let j = i.or(c);
            let k = f.and_not(g);
            let l = k.xor(c);
            let m = j.and_not(l);
            let n = m.xor(a);
            let o = n.and(g);
            let p = o.xor(i);
            let q = p.xor(l);
            let r = q.and(n);
            let s = r.xor(g);
            [q, i, s, n]
        }
        // 18 gates
        7 => {
            let e = b.and(a);
            let f = d.and_not(e);
            let g = d.or(a);
            let h = f.xor(c);
            let i = c.or(b);
            let j = a.not();
            let k = j.xor(b);
            let l = k.and(d);
            let m = d.and(c);
            let n = m.or(k);
            let o = l.xor(i);
            let p = o.xor(n);
            let q = h.or(e);
            let r = h.and(g);
            let s = i.and_not(h);
            let t = r.xor(b);
            let u = s.xor(j);
            let v = q.xor(l);
            [u, p, t, v]
        }
        _ => unreachable!("eight boxes"),
    }
}
