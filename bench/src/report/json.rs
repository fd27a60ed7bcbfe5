//! Everything that was measured, for programs: `tools/performance-report` is one.

use serde::Serialize;

use super::Figure;
use crate::contest::Case;
use crate::machine::Machine;
use crate::peers::{Absent, Title};
use crate::session::Session;

/// Counts up when a reader of the last one could go wrong.
const SCHEMA: u32 = 1;

#[derive(Serialize)]
struct Run<'a, L> {
    schema: u32,
    program: &'static str,
    version: &'static str,
    kind: &'static str,
    unit: &'static str,
    machine: &'a Machine,
    settings: Settings,
    implementations: Vec<&'a Title>,
    absent: &'a [Absent],
    cases: &'a [Case<L>],
}

#[derive(Serialize)]
struct Settings {
    size: u64,
    iterations: u64,
    passes: u32,
    rounds: u32,
    keep_iv: bool,
    core: usize,
}

pub(crate) fn json<L: Serialize>(session: &Session, figure: &Figure, cases: &[Case<L>]) -> String {
    let options = &session.options;
    let run = Run {
        schema: SCHEMA,
        program: env!("CARGO_PKG_NAME"),
        version: env!("CARGO_PKG_VERSION"),
        kind: figure.kind,
        unit: figure.unit,
        machine: &session.machine,
        settings: Settings {
            size: options.size(),
            iterations: options.iterations(),
            passes: options.passes,
            rounds: options.rounds,
            keep_iv: options.keep_iv,
            core: session.core,
        },
        implementations: session.titles().collect(),
        absent: session.absent(),
        cases,
    };
    let mut text = serde_json::to_string_pretty(&run).expect("strings for keys and finite numbers");
    text.push('\n');
    text
}
