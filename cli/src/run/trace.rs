//! `xfjit run --trace`: a command stream on a unit, and what comes out of it.

use super::executors;
use crate::args::{Backend as Name, Format, Global, Run};
use crate::fail::{Failure, remark};
use crate::table::{self, Table};
use crate::text::{self, Flaw, Place};
use crate::{backends, files, load};
use serde::{Serialize, Serializer};
use std::fmt;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use xfjit::Lockstep;
use xfjit::backend::Interp;
use xfjit::chip::Outputs;
use xfjit::chip::Pipeline;
use xfjit::xf::trace::Reply;
use xfjit::xf::{Form, Output, Trace, UnitStats, XfUnit};
use xfjit::{Config, Engine, Generation, Options};

/// Words after which outputs are taken, so that a long trace needs no more memory than its results.
const TAKE: usize = 1 << 20;

/// A word; bits in JSON.
#[derive(Clone, Copy)]
struct Word(u32);

impl Serialize for Word {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{:08x}", self.0))
    }
}

/// A register of a vertex.
#[derive(Serialize)]
struct Register {
    name: String,
    /// Numbers; null where there is none. Colours of the fixed function are integers.
    values: [Number; 4],
    bits: [Word; 4],
}

/// A word as the number that it is.
#[derive(Clone, Copy, Serialize)]
#[serde(untagged)]
enum Number {
    Float(f32),
    Integer(u32),
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Float(value) => f.write_str(&table::number(*value)),
            Number::Integer(value) => value.fmt(f),
        }
    }
}

/// One thing that has come out.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Piece {
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
pub(super) fn run(args: &Run, path: &Path, global: &Global) -> Result<(), Failure> {
    let trace = read(path)?;
    let generation = trace.chip.family().microcode().unwrap_or(Generation::Kelvin);
    let model = args.model;
    let (name, backend) = if args.backend == Name::Lockstep {
        let native = backends::native(args.target).map_err(Failure::Unsupported)?;
        let lockstep = Lockstep::new(Interp::Single, native);
        let lockstep = match &args.report {
            Some(directory) => lockstep.reporting_to(directory),
            None => lockstep,
        };
        ("lockstep", Arc::new(lockstep) as Arc<dyn xfjit::backend::Backend>)
    } else {
        let backend = executors(args.backend, args.target, model)?.remove(0);
        (backend.name(), backend)
    };
    let engine = Arc::new(Engine::new(Options::default().with(|options| options.backend = backend)));
    let mut unit = XfUnit::new(engine, trace.chip).with_config(Config::new(generation).model(model));
    let mut pieces = Vec::new();
    for item in &trace.items {
        match unit.play(item) {
            Reply::None => {}
            reply => {
                take(&mut unit, generation, &mut pieces);
                pieces.push(match reply {
                    Reply::Read(Ok(word)) | Reply::Rdi(Ok(word)) => Piece::Read(Word(word)),
                    Reply::Read(Err(error)) => Piece::Error(error.to_string()),
                    Reply::Rdi(Err(error)) | Reply::RdiFailed(error) => Piece::Error(error.to_string()),
                    _ => continue,
                });
            }
        }
        if unit.waiting() > TAKE {
            take(&mut unit, generation, &mut pieces);
        }
    }
    take(&mut unit, generation, &mut pieces);
    write(&pieces, &trace, model.name(), name, args.hex, global.format)?;
    let stats = unit.stats();
    if args.verbose {
        remark(summary(&stats, trace.items.len()));
    }
    match stats.mismatches {
        0 => Ok(()),
        count => {
            remark(format_args!("{count} batches differ between the reference and native code"));
            Err(Failure::Mismatch)
        }
    }
}

/// The trace in a file.
fn read(path: &Path) -> Result<Trace, Failure> {
    let name = files::name(path);
    let text = files::read_text(path)?;
    Trace::parse(&text).map_err(|errors| {
        let flaws = errors.iter().map(|error| {
            let line = text::lines(&text).nth(error.line - 1).map_or("", |line| line.text);
            let length = text.get(error.span.clone()).map_or(0, |marked| marked.chars().count());
            let place = Place {
                line: error.line,
                column: error.column,
                length: length.max(1),
                text: line.to_owned(),
            };
            Flaw { message: error.message.clone(), help: error.help.clone(), place: Some(place) }
        });
        Failure::Input { file: name.clone(), flaws: flaws.collect() }
    })
}

/// Moves what has come out.
fn take(unit: &mut XfUnit, generation: Generation, pieces: &mut Vec<Piece>) {
    unit.drain(|output| match output {
        Output::Bundle(words) => pieces.push(Piece::Bundle(words.map(Word))),
        Output::Vertices(vertices) => pieces.extend((0..vertices.count).map(|at| match vertices.form {
            Form::Celsius => Piece::CelsiusVertex(vertices.vertex(at).iter().copied().map(Word).collect()),
            form => {
                let registers = (0..32).filter_map(|register| {
                    let row = vertices.register(at, register)?;
                    let is_colour = matches!(form, Form::Fixed(_)) && is_colour(generation, register);
                    Some(Register {
                        name: load::output_name(generation, usize::from(register)),
                        values: row.map(|word| match is_colour {
                            true => Number::Integer(word),
                            false => Number::Float(f32::from_bits(word)),
                        }),
                        bits: row.map(Word),
                    })
                });
                Piece::Vertex(registers.collect())
            }
        })),
    });
}

/// Whether a register holds a colour, whose components are integers where the fixed function makes them.
fn is_colour(generation: Generation, register: u8) -> bool {
    // Curie has no fixed function; its programs have Kelvin's numbers.
    let registers = Outputs::of(generation.family().pipeline().unwrap_or(Pipeline::Kelvin));
    [registers.front, registers.back].concat().contains(&register)
}

fn summary(stats: &UnitStats, items: usize) -> String {
    format!(
        "{items} items: {} vertices in {} batches, {} state programs, {} handles asked for, {} groups left to the \
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

fn write(
    pieces: &[Piece],
    trace: &Trace,
    model: &'static str,
    backend: &'static str,
    hex: bool,
    format: Format,
) -> Result<(), Failure> {
    let mut out = files::stdout();
    match format {
        Format::Json => {
            let json =
                Json { schema: "xfjit.trace.2", chip: trace.chip.name(), model, backend, outputs: pieces };
            serde_json::to_writer(&mut out, &json).map_err(std::io::Error::from)?;
            writeln!(out)?;
        }
        Format::Text => table(pieces, hex).write(&mut out)?,
        Format::Csv => table(pieces, hex).write_csv(&mut out)?,
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
                for Register { name, values, bits: words } in registers {
                    let cells = match hex {
                        true => words.iter().map(bits).collect(),
                        false => values.iter().map(Number::to_string).collect(),
                    };
                    row(&vertex.to_string(), name, cells);
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
