//! The drawing itself, the same for every backend.

use std::error::Error;

use plotters::coord::Shift;
use plotters::prelude::{
    BLACK, ChartBuilder, Color, DashedLineSeries, DrawingArea, DrawingBackend, FontStyle, IntoFont,
    LineSeries, PathElement, RGBColor, Text, WHITE,
};
use plotters::style::register_font;

use super::axis::ChunkAxis;
use super::style::Look;
use super::{Panel, Picture};

const PANEL: (u32, u32) = (440, 300);
const HEADING: u32 = 30;
const LEGEND_LINE: u32 = 24;
const LEGEND_ENTRY: u32 = 440;
const FONT: &str = "sans-serif";
const GRID: RGBColor = RGBColor(215, 215, 215);

type Area<DB> = DrawingArea<DB, Shift>;

impl Picture {
    /// Encryption and decryption stand side by side; many ciphers make two such pairs a line.
    fn columns(&self) -> u32 {
        match self.panels.len() {
            0..=8 => 2,
            _ => 4,
        }
    }

    fn rows(&self) -> u32 {
        (self.panels.len() as u32).div_ceil(self.columns())
    }

    fn legend_lines(&self) -> u32 {
        (self.series.len() as u32).div_ceil(self.columns())
    }

    pub(super) fn size(&self, scale: u32) -> (u32, u32) {
        let width = self.columns() * PANEL.0;
        let height =
            HEADING + self.rows() * PANEL.1 + self.legend_lines() * LEGEND_LINE + LEGEND_LINE / 2;
        (width * scale, height * scale)
    }

    pub(super) fn draw<DB>(&self, area: &Area<DB>, scale: u32) -> Result<(), Box<dyn Error>>
    where
        DB: DrawingBackend,
        DB::ErrorType: 'static,
    {
        register_font(FONT, FontStyle::Normal, dejavu::sans::regular())
            .map_err(|_| "the font is broken")?;
        area.fill(&WHITE)?;
        let (heading, below) = area.split_vertically(HEADING * scale);
        let (grid, legend) = below.split_vertically(self.rows() * PANEL.1 * scale);
        let font = (FONT, 15 * scale).into_font();
        heading.draw(&Text::new(
            self.heading.clone(),
            (12 * scale as i32, 9 * scale as i32),
            font,
        ))?;
        let panels = grid.split_evenly((self.rows() as usize, self.columns() as usize));
        for (panel, area) in self.panels.iter().zip(&panels) {
            self.draw_panel(panel, area, scale)?;
        }
        self.draw_legend(&legend, scale)?;
        area.present()?;
        Ok(())
    }

    fn look(&self, series: usize, scale: u32) -> Look {
        Look::new(series, self.series[series].ours, scale)
    }

    fn draw_panel<DB>(
        &self,
        panel: &Panel,
        area: &Area<DB>,
        scale: u32,
    ) -> Result<(), Box<dyn Error>>
    where
        DB: DrawingBackend,
        DB::ErrorType: 'static,
    {
        let points = || panel.lines.iter().flatten();
        let Some(chunks) = ChunkAxis::new(points().map(|(chunk, _)| *chunk)) else { return Ok(()) };
        // From zero, or small differences would look large.
        let rates = 0.0..points().map(|(_, rate)| *rate).fold(0.0, f64::max) * 1.08;

        let mut chart = ChartBuilder::on(area)
            .margin(8 * scale)
            .caption(&panel.title, (FONT, 15 * scale))
            .x_label_area_size(36 * scale)
            .y_label_area_size(46 * scale)
            .build_cartesian_2d(chunks, rates)?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .light_line_style(WHITE)
            .bold_line_style(GRID)
            .axis_style(BLACK.stroke_width(scale))
            .label_style((FONT, 12 * scale))
            .axis_desc_style((FONT, 12 * scale))
            .y_labels(6)
            .x_desc("bytes a call")
            .y_desc("GiB/s")
            // As f32: in f64 the axis counts to 0.6000000000000001.
            .y_label_formatter(&|rate| (*rate as f32).to_string())
            .draw()?;
        // Ours last, on top of the others.
        for (number, line) in panel.lines.iter().enumerate().rev() {
            let look = self.look(number, scale);
            let points = line.iter().copied();
            match look.dashes() {
                Some((dash, gap)) => {
                    chart.draw_series(DashedLineSeries::new(
                        points.clone(),
                        dash,
                        gap,
                        look.stroke(),
                    ))?;
                }
                None => {
                    chart.draw_series(LineSeries::new(points.clone(), look.stroke()))?;
                }
            }
            chart.draw_series(points.map(|point| look.marker(point)))?;
        }
        Ok(())
    }

    fn draw_legend<DB>(&self, area: &Area<DB>, scale: u32) -> Result<(), Box<dyn Error>>
    where
        DB: DrawingBackend,
        DB::ErrorType: 'static,
    {
        for (number, series) in self.series.iter().enumerate() {
            let look = self.look(number, scale);
            let (column, line) = (number as u32 % self.columns(), number as u32 / self.columns());
            let at = |x: u32, y: u32| {
                (
                    ((column * LEGEND_ENTRY + x) * scale) as i32,
                    ((line * LEGEND_LINE + y) * scale) as i32,
                )
            };
            let stroke = vec![at(60, 10), at(110, 10)];
            match look.dashes() {
                Some((dash, gap)) => {
                    for element in DashedLineSeries::new(stroke, dash, gap, look.stroke()) {
                        area.draw(&element)?;
                    }
                }
                None => area.draw(&PathElement::new(stroke, look.stroke()))?,
            }
            area.draw(&look.marker(at(85, 10)))?;
            area.draw(&Text::new(series.name.clone(), at(120, 5), (FONT, 13 * scale).into_font()))?;
        }
        Ok(())
    }
}
