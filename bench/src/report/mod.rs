//! What comes out: tables, QEMU's lines, JSON, pictures.

mod json;
mod plain;
pub(crate) mod plot;
mod table;

use crate::contest::Case;
use crate::peers::Found;
use crate::session::Session;

pub(crate) use json::json;

/// How a case is called in the various outputs.
pub(crate) trait Label: Clone {
    /// Cases of one table share this.
    fn table(&self) -> String;

    /// And differ in this.
    fn column(&self) -> String;

    /// Both in one, as QEMU's benchmarks put it.
    fn line(&self) -> String;

    /// Where the case stands in a picture of throughput over chunk size; none if in none.
    fn chunk(&self) -> Option<usize> {
        None
    }
}

/// What a subcommand measures.
pub(crate) struct Figure {
    pub(crate) kind: &'static str,
    pub(crate) unit: &'static str,
    /// The same unit as QEMU's benchmarks spell it.
    pub(crate) plain_unit: &'static str,
    /// How much was done and under which conditions, for the heading.
    pub(crate) terms: Vec<String>,
}

/// All that a person reads.
pub(crate) fn text<L: Label>(session: &Session, figure: &Figure, cases: &[Case<L>]) -> String {
    if session.options.plain {
        return plain::lines(session, figure, cases);
    }
    let tables = cases
        .chunk_by(|a, b| a.label.table() == b.label.table())
        .map(|table| format!("\n{}\n{}\n", table[0].label.table(), table::render(session, table)));
    std::iter::once(heading(session, figure)).chain(tables).collect()
}

fn heading(session: &Session, figure: &Figure) -> String {
    let options = &session.options;
    format!(
        "CPU: {}\n{}, {} passes of {} rounds on core {}\n\
         {}: median of the rounds, ± half the span of their middle 80 %, speed against the best other library\n",
        session.machine.describe(),
        figure.terms.join(", "),
        options.passes,
        options.rounds,
        session.core,
        figure.unit,
    )
}

/// A figure with as many digits as mean something.
fn digits(value: f64) -> String {
    if value < 100.0 { format!("{value:.1}") } else { format!("{value:.0}") }
}

/// `--list`.
pub(crate) fn list(found: &Found) -> String {
    let here = found
        .implementations
        .iter()
        .map(|implementation| format!("{}\n", implementation.title.describe()));
    let absent = found
        .absent
        .iter()
        .map(|absent| format!("{}: not available: {}\n", absent.name, absent.reason));
    here.chain(absent).collect()
}
