//! Tables for people: aligned columns.

use std::io::{self, Write};

/// How a column is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// Rows of text cells under a header.
#[derive(Clone, Debug, Default)]
pub struct Table {
    columns: Vec<(String, Align)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table without rows; a name that starts with `>` makes a column of numbers.
    pub fn new<'a>(columns: impl IntoIterator<Item = &'a str>) -> Table {
        let column = |name: &str| match name.strip_prefix('>') {
            Some(name) => (name.to_string(), Align::Right),
            None => (name.to_string(), Align::Left),
        };
        Table { columns: columns.into_iter().map(column).collect(), rows: Vec::new() }
    }

    /// Adds a row; missing cells are empty, cells without a column are left out.
    pub fn row<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        let mut cells: Vec<String> = cells.into_iter().map(Into::into).collect();
        cells.resize(self.columns.len(), String::new());
        self.rows.push(cells);
    }

    /// Writes it with the columns aligned, two spaces between them.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let names: Vec<&str> = self.columns.iter().map(|(name, _)| name.as_str()).collect();
        let width = |i: usize| {
            let cells = self.rows.iter().map(|row| row[i].chars().count());
            cells.chain([names[i].chars().count()]).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..names.len()).map(width).collect();
        let mut line = |cells: &[&str]| {
            let mut text = String::new();
            for ((cell, width), (_, align)) in cells.iter().zip(&widths).zip(&self.columns) {
                let gap = " ".repeat(width.saturating_sub(cell.chars().count()));
                match align {
                    Align::Left => text += &format!("{cell}{gap}  "),
                    Align::Right => text += &format!("{gap}{cell}  "),
                }
            }
            writeln!(out, "{}", text.trim_end())
        };
        line(&names)?;
        line(
            &widths
                .iter()
                .map(|width| "-".repeat(*width))
                .collect::<Vec<_>>()
                .iter()
                .map(|s| &s[..])
                .collect::<Vec<_>>(),
        )?;
        for row in &self.rows {
            line(&row.iter().map(String::as_str).collect::<Vec<_>>())?;
        }
        Ok(())
    }

    /// Writes it as comma-separated values with a header line.
    pub fn write_csv(&self, out: &mut dyn Write) -> io::Result<()> {
        let names: Vec<String> = self.columns.iter().map(|(name, _)| name.clone()).collect();
        for row in std::iter::once(&names).chain(&self.rows) {
            let cells: Vec<String> = row.iter().map(|cell| quoted(cell)).collect();
            writeln!(out, "{}", cells.join(","))?;
        }
        Ok(())
    }
}

fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_string()
    }
}

/// A count per second in the unit that suits it: `12.3 M`.
pub fn si(value: f64) -> String {
    let (scaled, unit) = match value.abs() {
        1e9.. => (value / 1e9, " G"),
        1e6.. => (value / 1e6, " M"),
        1e3.. => (value / 1e3, " k"),
        _ => (value, ""),
    };
    let decimals = match scaled.abs() {
        100.0.. => 0,
        10.0.. => 1,
        _ => 2,
    };
    format!("{scaled:.decimals$}{unit}")
}

/// The shortest decimal that gives the bits back, NaNs aside.
pub fn number(value: f32) -> String {
    let magnitude = value.abs();
    let is_plain = magnitude == 0.0 || !value.is_finite() || (1e-5..1e7).contains(&magnitude);
    if is_plain { value.to_string() } else { format!("{value:e}") }
}

/// So many of what is named in the singular: `1 vertex`, `2 vertices`.
pub fn count(number: impl TryInto<u64>, one: &str) -> String {
    let number = number.try_into().unwrap_or(u64::MAX);
    match one.strip_suffix("ex") {
        _ if number == 1 => format!("1 {one}"),
        Some(stem) => format!("{number} {stem}ices"),
        None if one.ends_with("ch") => format!("{number} {one}es"),
        None => format!("{number} {one}s"),
    }
}

/// A duration in the unit that suits it: `1.23 ms`.
pub fn duration(time: std::time::Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        1.0.. => format!("{seconds:.2} s"),
        1e-3.. => format!("{:.2} ms", seconds * 1e3),
        1e-6.. => format!("{:.1} us", seconds * 1e6),
        _ => format!("{:.0} ns", seconds * 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn one_is_singular() {
        let counts =
            [count(1_u32, "vertex"), count(0_u64, "vertex"), count(2_usize, "batch"), count(1_u8, "batch")];
        assert_eq!(counts, ["1 vertex", "0 vertices", "2 batches", "1 batch"]);
    }

    fn text(write: impl Fn(&mut dyn Write) -> io::Result<()>) -> String {
        let mut out = Vec::new();
        write(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn columns_are_aligned() {
        let mut table = Table::new(["tier", ">vertices/s"]);
        table.row(["interpreter", "1.0 M"]);
        table.row(["\u{e9}t\u{e9}"]);
        assert_eq!(
            text(|out| table.write(out)),
            "tier         vertices/s\n-----------  ----------\ninterpreter       1.0 M\n\u{e9}t\u{e9}\n"
        );
    }

    #[test]
    fn csv_quotes_what_needs_it() {
        let mut table = Table::new(["a", ">b"]);
        table.row(["x, \"y\"", "1"]);
        assert_eq!(text(|out| table.write_csv(out)), "a,b\n\"x, \"\"y\"\"\",1\n");
    }

    #[test]
    fn quantities_get_their_unit() {
        assert_eq!([si(12_345_678.0), si(999.0), si(0.5), si(4e9)], ["12.3 M", "999", "0.50", "4.00 G"]);
        assert_eq!(duration(Duration::from_micros(1234)), "1.23 ms");
        assert_eq!(duration(Duration::from_nanos(12)), "12 ns");
        assert_eq!(
            [number(-0.0), number(1e-30), number(f32::NAN), number(0.1)],
            ["-0", "1e-30", "NaN", "0.1"]
        );
    }
}
