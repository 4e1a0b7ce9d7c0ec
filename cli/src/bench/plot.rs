//! Speed by batch size and tier as a picture.
//!
//! Both axes are logarithmic, since batches are of one vertex to a quarter of a million, and tiers differ by a hundred times.

use crate::fail::Failure;
use crate::files;
use crate::sort::{self, Wanted};
use crate::table;
use crate::text::Flaw;
use plotters::coord::ranged1d::{Ranged, ValueFormatter};
use plotters::prelude::*;
use serde::Deserialize;
use std::path::Path;

/// The most panels of a picture: programs and models of the fixed sets are less.
const MOST_PANELS: usize = 64;
/// The most lines of a panel.
const MOST_TIERS: usize = COLOURS.len();
const COLUMNS: usize = 2;
/// Tiers without a line: later microcode and another way to write the same by hand lie on the lines of others.
const NOT_DRAWN: [&str; 2] = ["jit_nv40", "native4_lanes"];
const PANEL: (u32, u32) = (600, 340);
/// Of it, for the names of the lines.
const NAMES: u32 = 110;

/// Colours that differ to all eyes (Okabe and Ito), in the order of the tiers.
const COLOURS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(0, 0, 0),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(140, 120, 20),
];

/// What of a figure is drawn.
#[derive(Clone, Debug, Deserialize)]
pub struct Figure {
    pub program: String,
    pub model: String,
    pub backend: String,
    pub batch: usize,
    pub mverts_per_s: f64,
}

/// The figures of an earlier run.
#[derive(Debug, Deserialize)]
struct Earlier {
    schema: String,
    rows: Vec<Figure>,
}

/// Reads what `bench --json` has written.
pub fn read(path: &Path) -> Result<Vec<Figure>, Failure> {
    let name = files::name(path);
    let wrong = |message: String| Failure::input(&name, Flaw::new(message));
    let text = sort::read_text(path, Wanted::Figures)?;
    let earlier: Earlier = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    if earlier.schema != super::SCHEMA {
        let schema = crate::text::clip(&earlier.schema);
        return Err(wrong(format!("holds `{schema}`, not {}", super::SCHEMA)));
    }
    Ok(earlier.rows)
}

/// Draws a panel for each program and model, a line for each tier.
pub fn write(path: &Path, figures: &[Figure]) -> Result<(), Failure> {
    let figures: Vec<&Figure> = figures
        .iter()
        .filter(|f| f.batch > 0 && f.mverts_per_s.is_finite() && f.mverts_per_s > 0.0)
        .filter(|f| !NOT_DRAWN.contains(&f.backend.as_str()))
        .collect();
    let panels = distinct(figures.iter().map(|f| (f.program.as_str(), f.model.as_str())));
    let tiers = distinct(figures.iter().map(|f| f.backend.as_str()));
    let wrong = |what: String| Failure::input("the figures", Flaw::new(what));
    if panels.is_empty() {
        return Err(wrong("hold nothing to draw".to_owned()));
    }
    if panels.len() > MOST_PANELS || tiers.len() > MOST_TIERS {
        let most = format!("a picture has {MOST_PANELS} programs and {MOST_TIERS} tiers at most");
        return Err(wrong(format!("are of {} programs and {} tiers; {most}", panels.len(), tiers.len())));
    }
    let columns = COLUMNS.min(panels.len());
    let rows = panels.len().div_ceil(columns);
    let mut text = String::new();
    let size = (PANEL.0 * columns as u32, PANEL.1 * rows as u32);
    {
        let root = SVGBackend::with_string(&mut text, size).into_drawing_area();
        let drawn = root.fill(&WHITE).map_err(|error| error.to_string()).and_then(|()| {
            root.split_evenly((rows, columns)).iter().zip(&panels).try_for_each(
                |(area, &(program, model))| {
                    let of_panel: Vec<&Figure> = figures
                        .iter()
                        .copied()
                        .filter(|f| f.program == program && f.model == model)
                        .collect();
                    panel(area, &format!("{program}, {model}"), &of_panel, &tiers)
                },
            )
        });
        drawn.and_then(|()| root.present().map_err(|error| error.to_string())).map_err(Failure::Internal)?;
    }
    files::write(path, text.as_bytes())
}

/// Those that differ, in the order of their first appearance.
fn distinct<T: PartialEq>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut found = Vec::new();
    for one in all {
        if !found.contains(&one) {
            found.push(one);
        }
    }
    found
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

fn panel(area: &Area<'_>, title: &str, figures: &[&Figure], tiers: &[&str]) -> Result<(), String> {
    let speed = |figure: &Figure| figure.mverts_per_s * 1e6;
    let least = |values: &mut dyn Iterator<Item = f64>| values.fold(f64::MAX, f64::min);
    let greatest = |values: &mut dyn Iterator<Item = f64>| values.fold(f64::MIN_POSITIVE, f64::max);
    let batches = || figures.iter().map(|figure| figure.batch as f64);
    let speeds = || figures.iter().map(|figure| speed(figure));
    let across = (least(&mut batches()) / 1.3..greatest(&mut batches()) * 1.3).log_scale();
    let up = (least(&mut speeds()) / 1.5..greatest(&mut speeds()) * 1.5).log_scale();
    let (area, names) = area.split_horizontally(PANEL.0 - NAMES);
    let mut chart = ChartBuilder::on(&area)
        .caption(title, ("sans-serif", 16))
        .margin(10)
        .x_label_area_size(38)
        .y_label_area_size(64)
        .build_cartesian_2d(across, up)
        .map_err(|error| error.to_string())?;
    mesh(&mut chart)?;
    let is_there = |tier: &&str| figures.iter().any(|figure| figure.backend == *tier);
    let lines = tiers.iter().zip(COLOURS).filter(|(tier, _)| is_there(tier));
    for ((tier, colour), line) in lines.zip(0..) {
        let points = figures.iter().filter(|figure| figure.backend == *tier);
        let points = points.map(|figure| (figure.batch as f64, speed(figure)));
        let series = LineSeries::new(points, colour.stroke_width(2)).point_size(3);
        chart.draw_series(series).map_err(|error| error.to_string())?;
        let y = 50 + 20 * line;
        let sample = PathElement::new([(0, y), (18, y)], colour.stroke_width(2));
        let name = Text::new((*tier).to_owned(), (24, y - 6), ("sans-serif", 13));
        names.draw(&sample).and_then(|()| names.draw(&name)).map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn mesh<X, Y>(chart: &mut ChartContext<'_, SVGBackend<'_>, Cartesian2d<X, Y>>) -> Result<(), String>
where
    X: Ranged<ValueType = f64> + ValueFormatter<f64>,
    Y: Ranged<ValueType = f64> + ValueFormatter<f64>,
{
    chart
        .configure_mesh()
        .x_desc("vertices of a batch")
        .y_desc("vertices/s")
        .x_label_formatter(&|batch| format!("{batch:.0}"))
        .y_label_formatter(&|speed| table::si(*speed))
        .light_line_style(WHITE)
        .draw()
        .map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(backend: &str, batch: usize, mverts_per_s: f64) -> Figure {
        let [program, model, backend] = ["P1", "ieee", backend].map(str::to_owned);
        Figure { program, model, backend, batch, mverts_per_s }
    }

    #[test]
    fn a_picture_names_what_it_shows() {
        let path = std::env::temp_dir().join(format!("xfjit_plot_{}.svg", std::process::id()));
        let figures = [
            figure("jit", 3, 20.0),
            figure("jit", 1024, 90.0),
            figure("wide16", 1024, 180.0),
            figure("odd", 3, f64::NAN),
            figure("jit_nv40", 3, 20.0),
        ];
        write(&path, &figures).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        for name in ["P1, ieee", "jit", "wide16", "vertices of a batch"] {
            assert!(text.contains(name), "{name}");
        }
        assert!(!text.contains("odd"), "what is not a number is not drawn");
        assert!(!text.contains("jit_nv40"), "what lies on another line is not drawn");
    }

    #[test]
    fn what_cannot_be_drawn_is_told() {
        let path = Path::new("never_written.svg");
        assert!(write(path, &[]).is_err());
        assert!(write(path, &[figure("jit", 0, 1.0), figure("jit", 1, -1.0)]).is_err());
        let many: Vec<Figure> = (0..9).map(|n| figure(&n.to_string(), 1, 1.0)).collect();
        assert!(write(path, &many).is_err());
        assert!(!path.exists());
    }
}
