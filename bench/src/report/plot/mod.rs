//! Throughput over chunk size, all implementations in one picture: a panel for each table.

mod axis;
mod draw;
mod style;

use std::error::Error;

use plotters::prelude::{BitMapBackend, IntoDrawingArea, SVGBackend};

use super::Label;
use crate::contest::{Case, Outcome};
use crate::peers::Title;
use crate::problem::Problem;
use crate::session::Session;

/// The bitmap has this many dots where the vector picture has one, for print.
const BITMAP_SCALE: u32 = 2;

/// What is drawn, apart from how.
struct Picture {
    heading: String,
    /// One for each implementation with at least one point anywhere.
    series: Vec<Series>,
    panels: Vec<Panel>,
}

struct Series {
    name: String,
    ours: bool,
}

struct Panel {
    title: String,
    /// For each series, (bytes, GiB/s) in order of bytes.
    lines: Vec<Vec<(usize, f64)>>,
}

/// Writes the pictures asked for.
pub(crate) fn write<L: Label>(session: &Session, cases: &[Case<L>]) -> Result<(), Problem> {
    let fail = |error: Box<dyn Error>| Problem::Failure(format!("cannot draw: {error}"));
    let picture = Picture::of(session, cases);
    if let Some(destination) = &session.svg {
        let text = picture.svg().map_err(fail)?;
        destination.write(text.as_bytes()).map_err(Problem::Failure)?;
    }
    if let Some(destination) = &session.png {
        let bytes = picture.png().map_err(fail)?;
        destination.write(&bytes).map_err(Problem::Failure)?;
    }
    Ok(())
}

impl Picture {
    fn of<L: Label>(session: &Session, cases: &[Case<L>]) -> Self {
        let drawn: Vec<(usize, &Title)> = session
            .titles()
            .enumerate()
            .filter(|(row, _)| cases.iter().any(|case| gib(&case.rows[*row].outcome).is_some()))
            .collect();
        Self {
            heading: format!("{}, one thread", session.machine.cpu),
            series: drawn
                .iter()
                .map(|(_, title)| Series { name: title.describe(), ours: title.ours })
                .collect(),
            panels: cases
                .chunk_by(|a, b| a.label.table() == b.label.table())
                .map(|cases| Panel {
                    title: cases[0].label.table(),
                    lines: drawn.iter().map(|(row, _)| line(cases, *row)).collect(),
                })
                .collect(),
        }
    }

    fn svg(&self) -> Result<String, Box<dyn Error>> {
        let mut text = String::new();
        {
            let area = SVGBackend::with_string(&mut text, self.size(1)).into_drawing_area();
            self.draw(&area, 1)?;
        }
        Ok(text)
    }

    fn png(&self) -> Result<Vec<u8>, Box<dyn Error>> {
        let (width, height) = self.size(BITMAP_SCALE);
        let mut pixels = vec![0; (width * height * 3) as usize];
        {
            let area = BitMapBackend::with_buffer(&mut pixels, (width, height)).into_drawing_area();
            self.draw(&area, BITMAP_SCALE)?;
        }
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, width, height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.write_header()?.write_image_data(&pixels)?;
        Ok(bytes)
    }
}

fn line<L: Label>(cases: &[Case<L>], row: usize) -> Vec<(usize, f64)> {
    cases
        .iter()
        .filter_map(|case| Some((case.label.chunk()?, gib(&case.rows[row].outcome)?)))
        .collect()
}

fn gib(outcome: &Outcome) -> Option<f64> {
    match outcome {
        Outcome::Measured { value, .. } => Some(value.median / 1024.0),
        _ => None,
    }
}
