// SPDX-License-Identifier: MIT OR Apache-2.0

//! Finds circuits for the S-boxes of Serpent and prints them as Rust:
//!
//!     rustc -O -o target/find-circuits tools/find-circuits.rs
//!     target/find-circuits binary > src/serpent/boxes/binary.rs
//!     target/find-circuits ternary > src/serpent/boxes/ternary.rs
//!
//! A value is the truth table of a function of the four input bits. A circuit begins with the inputs and computes a value
//! more in each step, until all outputs are among them. The search goes over all circuits of one length at a time, but
//! keeps the most promising ones only: those whose values come closest to the outputs that are missing. Nothing is left
//! to chance, so that the same circuits come out every time. It takes some minutes.

use std::cmp::Reverse;
use std::collections::HashSet;

/// Serpent: A Proposal for the Advanced Encryption Standard, appendix A.5.
const BOXES: [[u8; 16]; 8] = [
    [3, 8, 15, 1, 10, 6, 5, 11, 14, 13, 4, 2, 7, 0, 9, 12],
    [15, 12, 2, 7, 9, 0, 5, 10, 1, 11, 14, 8, 6, 13, 3, 4],
    [8, 6, 7, 9, 3, 12, 10, 15, 13, 1, 14, 4, 0, 11, 5, 2],
    [0, 15, 11, 8, 12, 9, 6, 3, 13, 1, 2, 4, 10, 7, 5, 14],
    [1, 15, 8, 3, 12, 0, 11, 6, 2, 5, 4, 10, 9, 14, 7, 13],
    [15, 5, 2, 11, 4, 10, 9, 12, 0, 3, 14, 8, 13, 6, 7, 1],
    [7, 2, 12, 5, 8, 4, 6, 11, 14, 9, 1, 15, 13, 3, 10, 0],
    [1, 13, 15, 0, 14, 8, 2, 11, 7, 4, 12, 10, 9, 3, 5, 6],
];

/// A function of the four inputs: bit x is its value where the inputs make the number x.
type Value = u16;

const INPUTS: [Value; 4] = [0xaaaa, 0xcccc, 0xf0f0, 0xff00];

/// What a value is made of: numbers of earlier values, and how.
#[derive(Clone, Copy)]
enum Gate {
    Not(usize),
    And(usize, usize),
    Or(usize, usize),
    Xor(usize, usize),
    AndNot(usize, usize),
    /// The truth table is what `vpternlog` takes.
    Ternary(u8, [usize; 3]),
}

impl Gate {
    fn inputs(&self) -> Vec<usize> {
        match *self {
            Self::Not(i) => vec![i],
            Self::And(i, j) | Self::Or(i, j) | Self::Xor(i, j) | Self::AndNot(i, j) => vec![i, j],
            Self::Ternary(_, places) => places.to_vec(),
        }
    }

    fn renumbered(&self, number: impl Fn(usize) -> usize) -> Self {
        match *self {
            Self::Not(i) => Self::Not(number(i)),
            Self::And(i, j) => Self::And(number(i), number(j)),
            Self::Or(i, j) => Self::Or(number(i), number(j)),
            Self::Xor(i, j) => Self::Xor(number(i), number(j)),
            Self::AndNot(i, j) => Self::AndNot(number(i), number(j)),
            Self::Ternary(table, places) => Self::Ternary(table, places.map(number)),
        }
    }
}

/// A set of values.
struct Set([u64; 1024]);

impl Set {
    fn of(values: impl IntoIterator<Item = Value>) -> Self {
        let mut set = Self([0; 1024]);
        for value in values {
            set.insert(value);
        }
        set
    }

    fn contains(&self, value: Value) -> bool {
        self.0[usize::from(value >> 6)] >> (value & 63) & 1 == 1
    }

    /// Whether the value was not there.
    fn insert(&mut self, value: Value) -> bool {
        let is_new = !self.contains(value);
        self.0[usize::from(value >> 6)] |= 1 << (value & 63);
        is_new
    }
}

#[derive(Clone)]
struct Circuit {
    values: Vec<Value>,
    gates: Vec<Gate>,
    /// For each output, how many of the eight combinations that three values make do not determine it, with the three
    /// that do best.
    undetermined: [usize; 4],
}

impl Circuit {
    fn with(&self, (gate, value): (Gate, Value), outputs: &[Value; 4]) -> Self {
        let mut longer = self.clone();
        for (i, &a) in self.values.iter().enumerate() {
            for &b in &self.values[..i] {
                let classes = classes([value, a, b]);
                for (least, output) in longer.undetermined.iter_mut().zip(outputs) {
                    let is_mixed = |class: &&Value| ![0, **class].contains(&(output & **class));
                    *least = classes.iter().filter(is_mixed).count().min(*least);
                }
            }
        }
        longer.values.push(value);
        longer.gates.push(gate);
        longer
    }

    fn is_complete(&self, outputs: &[Value; 4]) -> bool {
        outputs.iter().all(|output| self.values.contains(output))
    }

    /// The circuit without steps whose values nothing needs.
    fn without_idle_steps(mut self, outputs: &[Value; 4]) -> Self {
        let is_idle = |circuit: &Self, place: usize| {
            !outputs.contains(&circuit.values[place])
                && circuit.gates.iter().all(|gate| !gate.inputs().contains(&place))
        };
        while let Some(idle) = (4..self.values.len()).find(|&place| is_idle(&self, place)) {
            self.values.remove(idle);
            self.gates.remove(idle - 4);
            for gate in &mut self.gates {
                *gate = gate.renumbered(|place| if place > idle { place - 1 } else { place });
            }
        }
        self
    }

    /// The same for circuits that compute the same values in another order.
    fn identity(&self) -> Vec<Value> {
        let mut values = self.values.clone();
        values.sort_unstable();
        values
    }
}

/// Which gates there are, and how close a circuit is to its outputs.
trait Kind {
    /// Circuits of one length that are kept.
    const KEPT: usize;

    /// Every gate that adds a value to a circuit.
    fn gates(circuit: &Circuit, outputs: &[Value; 4]) -> Vec<(Gate, Value)>;

    /// Low where the missing outputs are close.
    fn distance(circuit: &Circuit, outputs: &[Value; 4]) -> usize;

    /// The trait of words with these gates.
    const WORDS: &str;

    /// Prints the gates.
    fn print(circuit: &Circuit);
}

/// Gates of two inputs, which every CPU has.
struct Binary;

/// Any gate of three inputs.
struct Ternary;

impl Kind for Binary {
    const KEPT: usize = 250;
    const WORDS: &str = "Bits";

    fn gates(circuit: &Circuit, _: &[Value; 4]) -> Vec<(Gate, Value)> {
        let values = &circuit.values;
        let mut gates = Vec::new();
        for (i, &a) in values.iter().enumerate() {
            gates.push((Gate::Not(i), !a));
            for (j, &b) in values[..i].iter().enumerate() {
                gates.push((Gate::And(i, j), a & b));
                gates.push((Gate::Or(i, j), a | b));
                gates.push((Gate::Xor(i, j), a ^ b));
                gates.push((Gate::AndNot(i, j), a & !b));
                gates.push((Gate::AndNot(j, i), b & !a));
            }
        }
        only_new(gates, values)
    }

    fn distance(circuit: &Circuit, outputs: &[Value; 4]) -> usize {
        let near: Vec<Value> =
            Self::gates(circuit, outputs).into_iter().map(|(_, value)| value).collect();
        let set = Set::of(near.iter().copied());
        let is_near = |value| set.contains(value);
        let distance = |(&output, undetermined): (&Value, &usize)| {
            if circuit.values.contains(&output) {
                return 0;
            }
            if is_near(output) {
                return 3;
            }
            let in_two = |&a: &Value| {
                is_near(a ^ output)
                    || (a & output == output
                        && near.iter().any(|b| a & b == output || a & !b == output))
                    || (a & output == a && near.iter().any(|b| a | b == output))
                    || (a & output == 0 && near.iter().any(|b| b & !a == output))
            };
            if is_near(!output) || circuit.values.iter().any(in_two) {
                return 6;
            }
            let holding: Vec<_> = near.iter().filter(|&b| b & output == output).collect();
            let held: Vec<_> = near.iter().filter(|&b| b & output == *b).collect();
            let in_three = near.iter().any(|b| is_near(b ^ output))
                || holding.iter().any(|&a| holding.iter().any(|&b| a & b == output))
                || held.iter().any(|&a| held.iter().any(|&b| a | b == output));
            if in_three { 9 } else { 11 + undetermined }
        };
        outputs.iter().zip(&circuit.undetermined).map(distance).sum()
    }

    fn print(circuit: &Circuit) {
        for (step, gate) in circuit.gates.iter().enumerate() {
            let value = match *gate {
                Gate::Not(i) => format!("{}.not()", variable(i)),
                Gate::And(i, j) => format!("{}.and({})", variable(i), variable(j)),
                Gate::Or(i, j) => format!("{}.or({})", variable(i), variable(j)),
                Gate::Xor(i, j) => format!("{}.xor({})", variable(i), variable(j)),
                Gate::AndNot(i, j) => format!("{}.and_not({})", variable(i), variable(j)),
                Gate::Ternary(..) => unreachable!("not of this kind"),
            };
            println!("            let {} = {value};", variable(4 + step));
        }
    }
}

impl Kind for Ternary {
    const KEPT: usize = 40;
    const WORDS: &str = "TernaryBits";

    fn gates(circuit: &Circuit, outputs: &[Value; 4]) -> Vec<(Gate, Value)> {
        let values = &circuit.values;
        let mut gates = Vec::new();
        for places in triples(values.len()) {
            let classes = classes(places.map(|place| values[place]));
            // A value is as good as its complement, unless it is an output.
            for table in (0..=u8::MAX).step_by(2) {
                let value = classes.iter().enumerate().fold(0, |value, (number, class)| {
                    if table >> number & 1 == 1 { value | class } else { value }
                });
                let (table, value) =
                    if outputs.contains(&!value) { (!table, !value) } else { (table, value) };
                gates.push((Gate::Ternary(table, places), value));
            }
        }
        only_new(gates, values)
    }

    fn distance(circuit: &Circuit, outputs: &[Value; 4]) -> usize {
        let distance = |(output, &undetermined): (&Value, &usize)| {
            if circuit.values.contains(output) {
                0
            } else if undetermined == 0 {
                4
            } else {
                8 + undetermined
            }
        };
        outputs.iter().zip(&circuit.undetermined).map(distance).sum()
    }

    fn print(circuit: &Circuit) {
        for (step, gate) in circuit.gates.iter().enumerate() {
            let Gate::Ternary(table, places) = gate else { unreachable!("not of this kind") };
            let [i, j, k] = places.map(variable);
            println!(
                "            let {} = B::ternary::<0x{table:02x}>({i}, {j}, {k});",
                variable(4 + step)
            );
        }
    }
}

fn only_new(mut gates: Vec<(Gate, Value)>, values: &[Value]) -> Vec<(Gate, Value)> {
    let mut seen = Set::of(values.iter().copied().chain([0, Value::MAX]));
    gates.retain(|(_, value)| seen.insert(*value));
    gates
}

/// The numbers of three values, in every combination.
fn triples(values: usize) -> Vec<[usize; 3]> {
    (0..values).flat_map(|i| (0..i).flat_map(move |j| (0..j).map(move |k| [i, j, k]))).collect()
}

/// Where three values make the number 0, 1 ... 7, the first being its highest bit.
fn classes([a, b, c]: [Value; 3]) -> [Value; 8] {
    std::array::from_fn(|number| {
        let pick = |value: Value, bit: usize| if number >> bit & 1 == 1 { value } else { !value };
        pick(a, 2) & pick(b, 1) & pick(c, 0)
    })
}

/// The shortest circuit that the search comes across.
fn find<K: Kind>(outputs: &[Value; 4]) -> Circuit {
    let inputs = Circuit { values: INPUTS.to_vec(), gates: Vec::new(), undetermined: [8; 4] };
    let mut circuits = vec![inputs];
    loop {
        let mut seen = HashSet::new();
        let mut longer = Vec::new();
        for circuit in &circuits {
            for gate in K::gates(circuit, outputs) {
                let circuit = circuit.with(gate, outputs);
                if seen.insert(circuit.identity()) {
                    longer.push(circuit);
                }
            }
        }
        longer.sort_by_cached_key(|circuit| {
            (K::distance(circuit, outputs), Reverse(circuit.identity()))
        });
        longer.truncate(K::KEPT);
        circuits = longer;
        if let Some(found) = circuits.iter().find(|circuit| circuit.is_complete(outputs)) {
            return found.clone().without_idle_steps(outputs);
        }
    }
}

fn variable(number: usize) -> String {
    char::from(b'a' + u8::try_from(number).expect("few")).to_string()
}

/// Prints what comes out.
fn print_outputs(circuit: &Circuit, outputs: &[Value; 4]) {
    let place = |output| circuit.values.iter().position(|value| value == output);
    let names = outputs.each_ref().map(|output| variable(place(output).expect("complete")));
    println!("            [{}]", names.join(", "));
}

fn inverse(forward: &[u8; 16]) -> [u8; 16] {
    let mut inverse = [0; 16];
    for (input, output) in (0..).zip(forward) {
        inverse[usize::from(*output)] = input;
    }
    inverse
}

/// The output bits as functions of the input bits.
fn outputs(table: &[u8; 16]) -> [Value; 4] {
    std::array::from_fn(|bit| {
        table.iter().rev().fold(0, |value, entry| value << 1 | Value::from(entry >> bit & 1))
    })
}

/// Prints a function that is one of these boxes, by its number.
fn print_boxes<K: Kind>(name: &str, boxes: [[u8; 16]; 8]) {
    println!("#[inline(always)]");
    println!(
        "pub(in crate::serpent) fn {name}<B: {0}>(number: usize, [a, b, c, d]: [B; 4]) -> [B; 4] {{",
        K::WORDS
    );
    println!("    match number {{");
    for (number, table) in boxes.iter().enumerate() {
        let outputs = outputs(table);
        let circuit = find::<K>(&outputs);
        println!("        // {} gates", circuit.gates.len());
        println!("        {number} => {{");
        K::print(&circuit);
        print_outputs(&circuit, &outputs);
        println!("        }}");
    }
    println!("        _ => unreachable!(\"eight boxes\"),\n    }}\n}}");
}

fn print_all<K: Kind>(gates: &str) {
    println!(
        "//! Serpent's S-boxes in gates of {gates} inputs, as `tools/find-circuits.rs` found them."
    );
    println!("\nuse super::{};", K::WORDS);
    println!("\n/// The S-box of a round.");
    print_boxes::<K>("s_box", BOXES);
    println!("\n/// The inverse of [`s_box`].");
    print_boxes::<K>("inverse", BOXES.map(|table| inverse(&table)));
}

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("binary") => print_all::<Binary>("two"),
        Some("ternary") => print_all::<Ternary>("three"),
        _ => panic!("usage: find-circuits binary|ternary"),
    }
}
