//! What has left the unit, as it leaves: streams may be long.

use crate::args::Format;
use crate::fail::Failure;
use crate::files;
use crate::flipper::ring::Ring;
use crate::run::device::{Register, Word};
use crate::table::Table;
use serde::Serialize;
use std::io::{self, BufWriter, StdoutLock, Write};
use xfjit::chip::flipper::output;
use xfjit::flipper::{Disagreement, Drawn, Output};

/// Columns of comma-separated values.
const COLUMNS: [&str; 7] = ["draw", "vertex", "what", "x", "y", "z", "w"];

/// One thing that has left.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Piece {
    Frame(usize),
    Draw(Draw),
    Bp { register: u8, value: Word },
    Call { address: Word, bytes: u32 },
    InvalidateVertices,
    Unknown(u8),
    Ring { waits: u32, read: Word, write: Word, status: Vec<&'static str>, interrupts: bool },
}

#[derive(Serialize)]
struct Draw {
    primitive: &'static str,
    /// Vertices of the command, with those that were left out.
    given: u16,
    vertices: Vec<Vec<Register>>,
    triangles: Vec<Triangle>,
    /// What command processor and transform unit have been told differently.
    disagreement: Vec<&'static str>,
}

#[derive(Serialize)]
struct Triangle {
    vertices: [usize; 3],
    is_back: bool,
    is_rejected: bool,
}

/// Prints what leaves.
pub(super) struct Writer {
    out: BufWriter<StdoutLock<'static>>,
    format: Format,
    hex: bool,
    draws: usize,
    is_first: bool,
    /// What went wrong, which ends the run.
    failed: Option<io::Error>,
}

impl Writer {
    pub(super) fn new(
        format: Format,
        hex: bool,
        dialect: &'static str,
        backend: &'static str,
    ) -> Result<Writer, Failure> {
        let mut out = files::stdout();
        match format {
            Format::Json => write!(
                out,
                "{{\"schema\":\"xfjit.flipper.1\",\"chip\":\"flipper\",\"dialect\":\"{dialect}\",\"backend\":\"{backend}\",\
                 \"outputs\":["
            )?,
            Format::Csv => writeln!(out, "{}", COLUMNS.join(","))?,
            Format::Text => {}
        }
        Ok(Writer { out, format, hex, draws: 0, is_first: true, failed: None })
    }

    /// A picture begins.
    pub(super) fn frame(&mut self, number: usize) {
        self.piece(&Piece::Frame(number));
    }

    /// The ring has another status.
    pub(super) fn ring(&mut self, ring: &Ring) {
        let Ring { count, read, write, status, interrupts } = ring.clone();
        self.piece(&Piece::Ring { waits: count, read: Word(read), write: Word(write), status, interrupts });
    }

    pub(super) fn take(&mut self, output: &Output<'_>) {
        if self.failed.is_some() {
            return;
        }
        let piece = match *output {
            Output::Drawn(drawn) => Piece::Draw(Draw::new(&drawn)),
            Output::LoadBp(register, value) => Piece::Bp { register, value: Word(value) },
            Output::Call(address, bytes) => Piece::Call { address: Word(address), bytes },
            Output::InvalidateVertices => Piece::InvalidateVertices,
            Output::Unknown(byte) => Piece::Unknown(byte),
        };
        self.piece(&piece);
    }

    /// Whether everything could be written so far.
    pub(super) fn check(&mut self) -> Result<(), Failure> {
        self.failed.take().map_or(Ok(()), |error| Err(error.into()))
    }

    pub(super) fn finish(mut self) -> Result<(), Failure> {
        self.check()?;
        if self.format == Format::Json {
            writeln!(self.out, "]}}")?;
        }
        Ok(self.out.flush()?)
    }

    fn piece(&mut self, piece: &Piece) {
        let written = match self.format {
            Format::Json => self.json(piece),
            Format::Csv => self.csv(piece),
            Format::Text => self.text(piece),
        };
        self.failed = self.failed.take().or(written.err());
        self.draws += usize::from(matches!(piece, Piece::Draw(_)));
        self.is_first = false;
    }

    fn json(&mut self, piece: &Piece) -> io::Result<()> {
        if !self.is_first {
            write!(self.out, ",")?;
        }
        Ok(serde_json::to_writer(&mut self.out, piece)?)
    }

    /// A block for each draw, a line for everything else.
    fn text(&mut self, piece: &Piece) -> io::Result<()> {
        let out = &mut self.out;
        match piece {
            Piece::Frame(number) => writeln!(out, "frame {number}"),
            Piece::Draw(draw) => {
                let (count, given) = (draw.vertices.len(), usize::from(draw.given));
                let of = if count == given { String::new() } else { format!(" of {given}") };
                writeln!(out, "draw {}: {}, {count}{of} vertices", self.draws, draw.primitive)?;
                if !draw.disagreement.is_empty() {
                    writeln!(out, "settings disagree: {}", draw.disagreement.join(", "))?;
                }
                if !draw.vertices.is_empty() {
                    let mut table = Table::new([">vertex", "what", ">x", ">y", ">z", ">w"]);
                    draw.rows(self.hex, |vertex, what, cells| {
                        table.row([vec![vertex, what], cells].concat());
                    });
                    table.write(out)?;
                }
                if !draw.triangles.is_empty() {
                    let mut table = Table::new([">triangle", ">a", ">b", ">c", "side", "clip"]);
                    for (number, triangle) in draw.triangles.iter().enumerate() {
                        let cells = triangle.cells();
                        table.row([vec![number.to_string()], cells].concat());
                    }
                    table.write(out)?;
                }
                writeln!(out)
            }
            Piece::Bp { register, value } => writeln!(out, "bp {register:02x} {:06x}", value.0),
            Piece::Call { address, bytes } => writeln!(out, "list at {:08x}, {bytes} bytes", address.0),
            Piece::InvalidateVertices => writeln!(out, "invalidate vertices"),
            Piece::Unknown(byte) => writeln!(out, "unknown {byte:02x}"),
            Piece::Ring { waits, read, write, status, interrupts } => {
                let (count, read, write) = (*waits, read.0, write.0);
                let ring = Ring { count, read, write, status: status.clone(), interrupts: *interrupts };
                writeln!(out, "ring {ring}")
            }
        }
    }

    fn csv(&mut self, piece: &Piece) -> io::Result<()> {
        let (out, draw) = (&mut self.out, self.draws);
        // No cell needs quotes.
        let mut line = |draw: &str, vertex: &str, what: &str, cells: &[String]| {
            let mut all: Vec<&str> =
                [draw, vertex, what].into_iter().chain(cells.iter().map(|c| &**c)).collect();
            all.resize(COLUMNS.len(), "");
            writeln!(out, "{}", all.join(","))
        };
        let (number, mut result) = (draw.to_string(), Ok(()));
        match piece {
            Piece::Frame(number) => line("", "", "frame", &[number.to_string()]),
            Piece::Draw(draw) => {
                let told = draw.disagreement.iter().map(|what| (*what).to_owned()).collect::<Vec<_>>();
                line(
                    &number,
                    "",
                    draw.primitive,
                    &[draw.vertices.len().to_string(), draw.given.to_string()],
                )?;
                if !told.is_empty() {
                    line(&number, "", "told differently", &told)?;
                }
                draw.rows(self.hex, |vertex, what, cells| {
                    if result.is_ok() {
                        result = line(&number, &vertex, &what, &cells);
                    }
                });
                result?;
                for triangle in &draw.triangles {
                    let cells = triangle.cells();
                    let flags = cells[3..].iter().filter(|cell| !cell.is_empty());
                    let flags = flags.map(String::as_str).collect::<Vec<_>>().join(" ");
                    line(&number, "", "triangle", &[&cells[..3], &[flags]].concat())?;
                }
                Ok(())
            }
            Piece::Bp { register, value } => {
                line("", "", "bp", &[format!("{register:02x}"), format!("{:06x}", value.0)])
            }
            Piece::Call { address, bytes } => {
                line("", "", "list", &[format!("{:08x}", address.0), bytes.to_string()])
            }
            Piece::InvalidateVertices => line("", "", "invalidate vertices", &[]),
            Piece::Unknown(byte) => line("", "", "unknown", &[format!("{byte:02x}")]),
            Piece::Ring { waits, read, write, status, interrupts } => {
                let interrupts = if *interrupts { &["interrupts"][..] } else { &[] };
                let told = [status, interrupts].concat().join("; ");
                line(
                    "",
                    "",
                    "ring",
                    &[waits.to_string(), format!("{:07x}", read.0), format!("{:07x}", write.0), told],
                )
            }
        }
    }
}

impl Draw {
    fn new(drawn: &Drawn<'_>) -> Draw {
        let register = |vertex: usize, register: usize| {
            let row = drawn.vertices.register(vertex, register as u8)?;
            let is_integer =
                (output::COLOUR..output::TEXCOORD).contains(&register) || register == output::FLAGS;
            Some(Register::new(output::NAMES[register].to_owned(), row, is_integer))
        };
        let vertex = |at| (0..output::COUNT).filter_map(|number| register(at, number)).collect();
        let Disagreement { colours, normals, texcoords, matrices, positions } = drawn.disagreement;
        let told = [
            (colours, "colours"),
            (normals, "normals"),
            (texcoords, "texture coordinates"),
            (matrices, "matrix indices"),
            (positions, "positions"),
        ];
        Draw {
            primitive: drawn.primitive.name(),
            given: drawn.given,
            vertices: (0..drawn.vertices.count).map(vertex).collect(),
            triangles: drawn
                .triangles()
                .map(|t| Triangle { vertices: t.vertices, is_back: t.is_back, is_rejected: t.is_rejected })
                .collect(),
            disagreement: told.into_iter().filter_map(|(is, name)| is.then_some(name)).collect(),
        }
    }

    /// A row for each register of each vertex.
    fn rows(&self, hex: bool, mut row: impl FnMut(String, String, Vec<String>)) {
        for (at, vertex) in self.vertices.iter().enumerate() {
            for register in vertex {
                let mut cells = register.cells(hex);
                if register.name == output::NAMES[output::FLAGS] {
                    cells.truncate(1);
                }
                row(at.to_string(), register.name.clone(), cells);
            }
        }
    }
}

impl Triangle {
    fn cells(&self) -> Vec<String> {
        let side = if self.is_back { "back" } else { "front" };
        let clip = if self.is_rejected { "rejected" } else { "" };
        self.vertices.iter().map(usize::to_string).chain([side.to_owned(), clip.to_owned()]).collect()
    }
}
