//! How the implementations are told apart: by colour on a screen, by marker and dashes in print.

use plotters::element::ComposedElement;
use plotters::prelude::{
    Color, DrawingBackend, EmptyElement, PathElement, Polygon, RGBColor, ShapeStyle, WHITE,
};

type Pixels = (i32, i32);
pub(super) type Marker<C, DB> = ComposedElement<C, DB, Polygon<Pixels>, PathElement<Pixels>>;

/// Okabe and Ito's colours, which the colour-blind can tell apart too. Ours come first, in black and blue.
const COLOURS: [RGBColor; 8] = [
    RGBColor(0, 0, 0),
    RGBColor(213, 94, 0),
    RGBColor(0, 114, 178),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(110, 110, 110),
];

/// How one series looks.
#[derive(Clone, Copy)]
pub(super) struct Look {
    number: usize,
    ours: bool,
    scale: u32,
}

impl Look {
    pub(super) fn new(number: usize, ours: bool, scale: u32) -> Self {
        Self { number, ours, scale }
    }

    fn colour(self) -> RGBColor {
        COLOURS[self.number % COLOURS.len()]
    }

    pub(super) fn stroke(self) -> ShapeStyle {
        let width = if self.ours { 2 } else { 1 };
        self.colour().stroke_width(width * self.scale)
    }

    /// Length of a dash and of the gap behind it; none for an unbroken line.
    pub(super) fn dashes(self) -> Option<(u32, u32)> {
        let dashes = [(8, 4), (3, 3), (12, 3), (6, 6), (2, 5)];
        let (dash, gap) = dashes[self.number % dashes.len()];
        (!self.ours).then_some((dash * self.scale, gap * self.scale))
    }

    /// A closed shape on a point: filled with its own colour or, for every other series, hollow.
    pub(super) fn marker<C, DB: DrawingBackend>(self, at: C) -> Marker<C, DB> {
        let radius = f64::from(5 * self.scale);
        let mut corners: Vec<(i32, i32)> = outline(self.number)
            .into_iter()
            .map(|(x, y)| ((x * radius).round() as i32, (y * radius).round() as i32))
            .collect();
        let fill = if self.number.is_multiple_of(2) { self.colour() } else { WHITE };
        let area = Polygon::new(corners.clone(), fill);
        corners.push(corners[0]);
        EmptyElement::at(at)
            + area
            + PathElement::new(corners, self.colour().stroke_width(self.scale))
    }
}

/// Corners in a circle of radius 1, y downwards.
fn outline(number: usize) -> Vec<(f64, f64)> {
    let regular = |corners: u32, turn: f64| {
        let corner = |i| (f64::from(i) / f64::from(corners) + turn) * std::f64::consts::TAU;
        (0..corners).map(corner).map(|angle| (angle.sin(), -angle.cos())).collect()
    };
    match number % 5 {
        0 => regular(24, 0.0),
        1 => regular(3, 0.0),
        2 => regular(4, 0.125),
        3 => regular(4, 0.0),
        _ => regular(3, 0.5),
    }
}
