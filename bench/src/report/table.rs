//! A table a case: one row an implementation, one column a chunk size or an operation.

use comfy_table::{CellAlignment, Table, presets};

use super::{Label, digits};
use crate::contest::{Case, Outcome};
use crate::session::Session;

/// In Markdown, which is plain enough to read and can be pasted where people argue.
pub(super) fn render<L: Label>(session: &Session, cases: &[Case<L>]) -> String {
    // Not every kind of function tells what serves inside.
    let kernels = cases[0].rows.iter().any(|row| !row.kernel.is_empty());
    let leading = |name: String, kernel: String| {
        [Some(name), kernels.then_some(kernel)].into_iter().flatten()
    };
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN);
    let columns = cases.iter().map(|case| case.label.column());
    table.set_header(leading("implementation".to_owned(), "kernel".to_owned()).chain(columns));
    for (row, title) in session.titles().enumerate() {
        let kernel = cases[0].rows[row].kernel.clone();
        let cells = cases.iter().map(|case| cell(&case.rows[row].outcome));
        table.add_row(leading(title.describe(), kernel).chain(cells));
    }
    for column in table.column_iter_mut().skip(1 + usize::from(kernels)) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table.trim_fmt()
}

fn cell(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Measured { value, ratio } => {
            let ratio = ratio.map_or_else(String::new, |ratio| format!(" {ratio:.2}x"));
            format!("{} ±{:.0}%{ratio}", digits(value.median), 100.0 * value.spread)
        }
        Outcome::Unsupported { .. } => "-".to_owned(),
        Outcome::Failed { .. } => "failed".to_owned(),
        Outcome::Differs { .. } => "differs".to_owned(),
    }
}
