//! `xfjit run --trace`: a command stream on a unit, and what comes out of it.

use super::device::{self, Register, Word};
use crate::args::{Format, Global, Run};
use crate::capture::UnitItems;
use crate::fail::{Failure, remark};
use crate::table::Table;
use crate::textures::Loaded;
use crate::{files, registers};
use serde::Serialize;
use std::io::Write;
use xfjit::Generation;
use xfjit::chip::Outputs;
use xfjit::chip::Pipeline;
use xfjit::xf::trace::{Item, Reply};
use xfjit::xf::{self, Family, Form, Output, UnitStats, XfUnit};

/// Words after which outputs are taken, so that a long trace needs no more memory than its results.
const TAKE: usize = 1 << 20;

/// Registers, and other things, that may come out of a capture: they are kept until all are there, since columns are as wide as what is
/// in them.
const MOST_LINES: usize = 1 << 22;

/// What has come out so far.
#[derive(Default)]
pub(super) struct Pieces {
    all: Vec<Piece>,
    lines: usize,
}

impl Pieces {
    /// Keeps one more; an error if these are too many.
    pub(super) fn push(&mut self, piece: Piece) -> Result<(), Failure> {
        self.lines += match &piece {
            Piece::Vertex(registers) => registers.len().max(1),
            Piece::CelsiusVertex(_) => 4,
            _ => 1,
        };
        if self.lines > MOST_LINES {
            return Err(Failure::Unsupported(format!(
                "the trace outputs more than {MOST_LINES} registers, the limit of `run --trace`"
            )));
        }
        self.all.push(piece);
        Ok(())
    }

    /// An error if reads have reached nothing: what they gave has been printed as far as it goes.
    fn failed(&self) -> Result<(), Failure> {
        let mut errors = self.all.iter().filter_map(|piece| match piece {
            Piece::Error(message) => Some(message),
            _ => None,
        });
        match (errors.next(), errors.count()) {
            (None, _) => Ok(()),
            (Some(first), 0) => Err(Failure::Unsupported(first.clone())),
            (Some(first), more) => {
                Err(Failure::Unsupported(format!("{first}; {more} more reads have no effect")))
            }
        }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }
}

/// One thing that has come out.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Piece {
    /// Registers of a vertex.
    Vertex(Vec<Register>),
    /// The 16 words of Celsius.
    CelsiusVertex(Vec<Word>),
    Bundle([Word; 2]),
    Read(Word),
    /// A read that would hang the machine, or reaches nothing.
    Error(String),
}

#[derive(Serialize)]
struct Json<'a> {
    schema: &'static str,
    chip: &'static str,
    model: &'static str,
    backend: &'static str,
    outputs: &'a [Piece],
}

/// Executes a trace.
pub(super) fn run(args: &Run, items: &UnitItems<'_>, global: &Global) -> Result<(), Failure> {
    let generation = items.chip().family().microcode().unwrap_or(Generation::Kelvin);
    let model = args.model;
    let (name, engine) = device::engine(args, model)?;
    let watch = args.limits.watch(&engine);
    let (config, fixed) = args.configuration.of_unit(items.chip(), model)?;
    let mut unit = XfUnit::new(engine, items.chip()).with_config(config).with_fixed_quirks(fixed);
    unit.set_overtime(Some(args.limits.overtime));
    if !args.textures.is_empty() && items.chip().family() != Family::Curie {
        let chip = items.chip().name();
        return Err(Failure::Usage(format!(
            "--texture has no effect: programs of {chip} do not read textures"
        )));
    }
    let textures = Loaded::read_all(&args.textures)?;
    for (number, texture) in textures.units()?.iter().enumerate() {
        unit.set_texture(number, texture.as_ref())
            .map_err(|error| Failure::Unsupported(error.to_string()))?;
    }
    let mut pieces = Pieces::default();
    items.each(|item| {
        if matches!(item, Item::Set(xf::Register::Execution, _)) {
            // Registers have the names of the programs that they come from.
            take(&mut unit, generation, &mut pieces)?;
        }
        match unit.play(item) {
            Reply::None => {}
            reply => {
                take(&mut unit, generation, &mut pieces)?;
                pieces.push(match reply {
                    Reply::Read(Ok(word)) | Reply::Rdi(Ok(word)) => Piece::Read(Word(word)),
                    Reply::Read(Err(error)) => Piece::Error(error.to_string()),
                    Reply::Rdi(Err(error)) | Reply::RdiFailed(error) => Piece::Error(error.to_string()),
                    _ => return Ok(()),
                })?;
            }
        }
        if unit.waiting() > TAKE {
            take(&mut unit, generation, &mut pieces)?;
        }
        watch.check()
    })?;
    take(&mut unit, generation, &mut pieces)?;
    watch.check()?;
    write(&pieces, items.chip().name(), model.name(), name, args.hex, global.format)?;
    let stats = unit.stats();
    if args.verbose {
        remark(summary(&stats, items.len()));
    }
    match stats.mismatches {
        0 => pieces.failed(),
        count => {
            remark(format_args!("{count} batches differ between the reference and native code"));
            Err(Failure::Mismatch)
        }
    }
}

/// Moves what has come out. `generation` is that of the chip; the fixed function has the registers of its own.
fn take(unit: &mut XfUnit, generation: Generation, pieces: &mut Pieces) -> Result<(), Failure> {
    let mut kept = Ok(());
    let fixed = unit.chip().pipeline().map_or(generation, Pipeline::registers);
    let generation = unit.generation().unwrap_or(fixed);
    unit.drain(|output| {
        if kept.is_ok() {
            kept = keep(&output, generation, pieces);
        }
    });
    kept
}

fn keep(output: &Output<'_>, generation: Generation, pieces: &mut Pieces) -> Result<(), Failure> {
    match output {
        Output::Bundle(words) => pieces.push(Piece::Bundle(words.map(Word))),
        Output::Vertices(vertices) => (0..vertices.count).try_for_each(|at| {
            pieces.push(match vertices.form {
                Form::Celsius => {
                    Piece::CelsiusVertex(vertices.vertex(at).iter().copied().map(Word).collect())
                }
                form => {
                    let registers = (0..32).filter_map(|register| {
                        let row = vertices.register(at, register)?;
                        let is_colour = matches!(form, Form::Fixed(_)) && is_colour(generation, register);
                        let name = registers::output_name(generation, usize::from(register));
                        Some(Register::new(name, row, is_colour))
                    });
                    Piece::Vertex(registers.collect())
                }
            })
        }),
    }
}

/// Whether a register holds a colour, whose components are integers where the fixed function makes them.
fn is_colour(generation: Generation, register: u8) -> bool {
    // Of Curie's chips one has a fixed function, and Rankine's registers for it.
    let registers = Outputs::of(generation.family().pipeline().unwrap_or(Pipeline::Kelvin));
    [registers.front, registers.back].concat().contains(&register)
}

fn summary(stats: &UnitStats, items: usize) -> String {
    format!(
        "{items} items: {} vertices in {} batches, {} state programs, {} handle requests, {} groups left to the \
         interpreter, {} timeouts, {} stack faults",
        stats.vertices,
        stats.batches,
        stats.state_programs,
        stats.resolved,
        stats.deopt_groups,
        stats.faults.timeouts,
        stats.faults.stack
    )
}

/// Writes what has come out of a chip.
pub(super) fn write(
    pieces: &Pieces,
    chip: &'static str,
    model: &'static str,
    backend: &'static str,
    hex: bool,
    format: Format,
) -> Result<(), Failure> {
    let mut out = files::stdout();
    match format {
        Format::Json => {
            let json = Json { schema: "xfjit.trace.2", chip, model, backend, outputs: &pieces.all };
            serde_json::to_writer(&mut out, &json).map_err(std::io::Error::from)?;
            writeln!(out)?;
        }
        Format::Text => table(&pieces.all, hex).write(&mut out)?,
        Format::Csv => table(&pieces.all, hex).write_csv(&mut out)?,
    }
    Ok(out.flush()?)
}

/// A line for every register; words of which nobody knows what they are, Celsius's too, are hexadecimal.
fn table(pieces: &[Piece], hex: bool) -> Table {
    let bits = |word: &Word| format!("{:08x}", word.0);
    let mut table = Table::new([">vertex", "what", ">x", ">y", ">z", ">w"]);
    let mut vertex = 0;
    let mut row = |vertex: &str, what: &str, cells: Vec<String>| {
        let mut all = vec![vertex.to_owned(), what.to_owned()];
        all.extend(cells);
        all.resize(6, String::new());
        table.row(all);
    };
    for piece in pieces {
        match piece {
            Piece::Vertex(registers) => {
                for register in registers {
                    row(&vertex.to_string(), &register.name, register.cells(hex));
                }
                vertex += 1;
            }
            Piece::CelsiusVertex(words) => {
                for (at, words) in words.chunks(4).enumerate() {
                    let what = format!("words {} to {}", 4 * at, 4 * at + 3);
                    row(&vertex.to_string(), &what, words.iter().map(bits).collect());
                }
                vertex += 1;
            }
            Piece::Bundle(words) => row("", "bundle", words.iter().map(bits).collect()),
            Piece::Read(word) => row("", "read", vec![bits(word)]),
            Piece::Error(message) => row("", message, Vec::new()),
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_kept_than_there_is_room_for() {
        let mut pieces = Pieces { all: Vec::new(), lines: MOST_LINES - 5 };
        pieces.push(Piece::CelsiusVertex(vec![Word(0); 16])).expect("it has four lines");
        pieces.push(Piece::Vertex(Vec::new())).expect("it is one");
        let error = pieces.push(Piece::Read(Word(0))).expect_err("there is no room");
        assert_eq!((error.code(), pieces.len()), (3, 2));
    }
}
