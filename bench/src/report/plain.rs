//! QEMU's lines: `enc(aes-256-xts) chunk 512 bytes 1234.56 MB/sec`.

use super::{Figure, Label};
use crate::contest::{Case, Outcome};
use crate::session::Session;

/// A line a figure; where several implementations take part, each line ends in whose it is.
pub(super) fn lines<L: Label>(session: &Session, figure: &Figure, cases: &[Case<L>]) -> String {
    let several = session.titles().count() > 1;
    let mut text = String::new();
    for case in cases {
        for (row, title) in case.rows.iter().zip(session.titles()) {
            let Outcome::Measured { value, .. } = &row.outcome else { continue };
            let whose = if several { format!(" {}", title.describe()) } else { String::new() };
            text += &format!(
                "{} {:.2} {}{whose}\n",
                case.label.line(),
                value.median,
                figure.plain_unit
            );
        }
    }
    text
}
