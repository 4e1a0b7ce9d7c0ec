//! A list as it is written: an entry for each command, as it is read.

use crate::args::{Format, List};
use crate::fail::Failure;
use crate::table;
use serde::Serialize;
use std::fmt;
use std::io::{self, Write};

/// Columns of comma-separated values.
const COLUMNS: &str = "place,command,arguments,primitive,vertices,made of,matrices,constants";

/// Where a command is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Place {
    /// A byte of the commands of a frame.
    Byte {
        /// The frame, from 0 on.
        frame: usize,
        /// The byte.
        offset: usize,
    },
    /// A line of a text, from 1 on.
    Line {
        /// The line.
        line: usize,
    },
    /// An item of a capture, from 0 on.
    Item {
        /// The item.
        item: usize,
    },
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Byte { frame, offset } => write!(f, "{frame}:{offset:06x}"),
            Place::Line { line } => write!(f, "line {line}"),
            Place::Item { item } => write!(f, "item {item}"),
        }
    }
}

/// A matrix that a draw is transformed by.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(super) struct Matrix {
    /// What it transforms.
    pub(super) of: String,
    /// Which one: its first row, of each that is used; nothing of the projection.
    pub(super) rows: Vec<u8>,
    /// Whether vertices say which themselves.
    pub(super) is_of_vertices: bool,
    /// Of the first of them, row by row.
    pub(super) values: Vec<Vec<f32>>,
}

/// What a draw is made of.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub(super) struct Draw {
    /// What the vertices make; a unit is not told.
    pub(super) primitive: Option<&'static str>,
    /// How many there are.
    pub(super) vertices: u64,
    /// What a vertex consists of.
    pub(super) format: Vec<String>,
    /// What transforms them, if it is no matrix that is known.
    pub(super) by: Option<String>,
    /// The matrices that transform them.
    pub(super) matrices: Vec<Matrix>,
    /// Rows of constants that have been written since the last draw, as ranges.
    pub(super) constants: Option<String>,
}

/// A command.
#[derive(Serialize)]
struct Entry<'a> {
    #[serde(flatten)]
    place: Place,
    command: &'a str,
    arguments: String,
    /// If it draws.
    #[serde(skip_serializing_if = "Option::is_none")]
    draw: Option<Draw>,
}

/// Writes a list.
pub(super) struct Writer<'a> {
    out: &'a mut dyn Write,
    format: Format,
    draws_only: bool,
    shows_matrices: bool,
    is_first: bool,
    draws: usize,
}

impl<'a> Writer<'a> {
    pub(super) fn new(
        args: &List,
        format: Format,
        chip: &str,
        out: &'a mut dyn Write,
    ) -> Result<Writer<'a>, Failure> {
        match format {
            Format::Json => write!(out, "{{\"schema\":\"xfjit.list.1\",\"chip\":\"{chip}\",\"commands\":[")?,
            Format::Csv => writeln!(out, "{COLUMNS}")?,
            Format::Text => {}
        }
        Ok(Writer {
            out,
            format,
            draws_only: args.draws,
            shows_matrices: args.matrices,
            is_first: true,
            draws: 0,
        })
    }

    /// A command that draws nothing.
    pub(super) fn command(
        &mut self,
        place: Place,
        command: &str,
        arguments: impl fmt::Display,
    ) -> Result<(), Failure> {
        match self.draws_only {
            true => Ok(()),
            false => self.entry(&Entry { place, command, arguments: arguments.to_string(), draw: None }),
        }
    }

    /// A draw.
    pub(super) fn draw(
        &mut self,
        place: Place,
        arguments: impl fmt::Display,
        draw: Draw,
    ) -> Result<(), Failure> {
        let arguments = arguments.to_string();
        self.entry(&Entry { place, command: "draw", arguments, draw: Some(draw) })?;
        self.draws += 1;
        Ok(())
    }

    /// Ends the list.
    pub(super) fn finish(self) -> Result<(), Failure> {
        if self.format == Format::Json {
            writeln!(self.out, "]}}")?;
        }
        Ok(self.out.flush()?)
    }

    fn entry(&mut self, entry: &Entry<'_>) -> Result<(), Failure> {
        match self.format {
            Format::Json => {
                if !self.is_first {
                    write!(self.out, ",")?;
                }
                serde_json::to_writer(&mut *self.out, entry).map_err(io::Error::from)?;
            }
            Format::Csv => self.csv(entry)?,
            Format::Text => self.text(entry)?,
        }
        self.is_first = false;
        Ok(())
    }

    /// A line for a command, more for a draw.
    fn text(&mut self, entry: &Entry<'_>) -> io::Result<()> {
        let out = &mut self.out;
        let line = format!("{:<10} {:<10} {}", entry.place.to_string(), entry.command, entry.arguments);
        writeln!(out, "{}", line.trim_end())?;
        let Some(draw) = &entry.draw else { return Ok(()) };
        let primitive = draw.primitive.map_or(String::new(), |primitive| format!("{primitive}, "));
        let by = draw.by.as_ref().map_or(String::new(), |by| format!(", {by}"));
        writeln!(
            out,
            "{:10} draw {}: {primitive}{}{by}",
            "",
            self.draws,
            table::count(draw.vertices, "vertex")
        )?;
        for (what, list) in [("vertex", draw.format.join(", ")), ("matrices", named(&draw.matrices))] {
            if !list.is_empty() {
                writeln!(out, "{:12} {what}: {list}", "")?;
            }
        }
        if let Some(constants) = &draw.constants {
            writeln!(out, "{:12} constants: {constants}", "")?;
        }
        if self.shows_matrices {
            for matrix in draw.matrices.iter().filter(|matrix| !matrix.values.is_empty()) {
                let row = |row: &Vec<f32>| {
                    row.iter().map(|&value| crate::table::number(value)).collect::<Vec<_>>().join(" ")
                };
                let rows: Vec<String> = matrix.values.iter().map(row).collect();
                let which = matrix.rows.first().map_or(String::new(), |row| format!(" {row}"));
                writeln!(out, "{:12} {}{which}: {}", "", matrix.of, rows.join(" | "))?;
            }
        }
        Ok(())
    }

    /// Cells with commas are quoted; none has quotes.
    fn csv(&mut self, entry: &Entry<'_>) -> io::Result<()> {
        let none = Draw::default();
        let draw = entry.draw.as_ref().unwrap_or(&none);
        let vertices = entry.draw.as_ref().map_or(String::new(), |draw| draw.vertices.to_string());
        let made = draw.by.iter().chain(&draw.format).cloned().collect::<Vec<_>>().join(", ");
        let cells = [
            entry.place.to_string(),
            entry.command.to_owned(),
            entry.arguments.clone(),
            draw.primitive.unwrap_or_default().to_owned(),
            vertices,
            made,
            named(&draw.matrices),
            draw.constants.clone().unwrap_or_default(),
        ];
        let quoted = cells
            .map(|cell| if cell.contains(',') { format!("\"{}\"", cell.replace('"', "'")) } else { cell });
        writeln!(self.out, "{}", quoted.join(","))
    }
}

/// Which matrices: what they transform, and their first rows.
fn named(matrices: &[Matrix]) -> String {
    let one = |matrix: &Matrix| {
        let rows: Vec<String> = matrix.rows.iter().map(u8::to_string).collect();
        let own = if matrix.is_of_vertices { " (of the vertices)" } else { "" };
        format!("{} {}{own}", matrix.of, rows.join(" ")).trim_end().to_owned()
    };
    matrices.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// Numbers as ranges.
pub(super) fn ranges(numbers: impl IntoIterator<Item = u16>) -> String {
    let mut all: Vec<(u16, u16)> = Vec::new();
    for number in numbers {
        match all.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(number) => *last = number,
            _ => all.push((number, number)),
        }
    }
    let one = |&(first, last): &(u16, u16)| match first == last {
        true => format!("{first:#x}"),
        false => format!("{first:#x}-{last:#x}"),
    };
    all.iter().map(one).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_follow_each_other_are_one_range() {
        assert_eq!(ranges([0, 1, 2, 9, 0x60, 0x61, u16::MAX]), "0x0-0x2, 0x9, 0x60-0x61, 0xffff");
        assert_eq!(ranges([]), "");
    }
}
