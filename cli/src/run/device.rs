//! What runs of devices have in common: their engine, errors of their traces, words as they are printed.

use super::executors;
use crate::args::{Backend as Name, Run};
use crate::fail::Failure;
use crate::text::{self, Flaw, Place};
use crate::{backends, table};
use serde::{Serialize, Serializer};
use std::fmt;
use std::sync::Arc;
use xfjit::backend::{Backend, Interp};
use xfjit::runtime::state::Row;
use xfjit::text::ParseError;
use xfjit::{Engine, Lockstep, Model};

/// A word; bits in JSON.
#[derive(Clone, Copy)]
pub(super) struct Word(pub(super) u32);

impl Serialize for Word {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{:08x}", self.0))
    }
}

/// A word as the number that it is.
#[derive(Clone, Copy, Serialize)]
#[serde(untagged)]
pub(super) enum Number {
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

/// A register of a vertex.
#[derive(Serialize)]
pub(super) struct Register {
    pub(super) name: String,
    /// Numbers; null where there is none. Colours of the fixed function are integers.
    values: [Number; 4],
    bits: [Word; 4],
}

impl Register {
    pub(super) fn new(name: String, row: Row, is_integer: bool) -> Register {
        let value = |word: u32| match is_integer {
            true => Number::Integer(word),
            false => Number::Float(f32::from_bits(word)),
        };
        Register { name, values: row.map(value), bits: row.map(Word) }
    }

    /// A cell of a table for each component.
    pub(super) fn cells(&self, hex: bool) -> Vec<String> {
        match hex {
            true => self.bits.iter().map(|word| format!("{:08x}", word.0)).collect(),
            false => self.values.iter().map(Number::to_string).collect(),
        }
    }
}

/// The engine that was asked for, and its name.
pub(super) fn engine(args: &Run, model: Model) -> Result<(&'static str, Arc<Engine>), Failure> {
    let backend = if args.backend == Name::Lockstep {
        let native = backends::native(args.target).map_err(Failure::Unsupported)?;
        let lockstep = Lockstep::new(Interp::Single, native);
        let lockstep = match &args.report {
            Some(directory) => lockstep.reporting_to(directory),
            None => lockstep,
        };
        Arc::new(lockstep) as Arc<dyn Backend>
    } else {
        executors(args.backend, args.target, model)?.remove(0)
    };
    let name = backend.name();
    let perf = crate::perf::wanted()?;
    let options = args.limits.options(crate::perf::options(backend, perf.as_ref()));
    Ok((name, Arc::new(Engine::new(options))))
}

/// The errors of a trace.
pub fn wrong(name: &str, text: &str, errors: &[ParseError]) -> Failure {
    let flaws = errors.iter().map(|error| {
        let line = text::lines(text).nth(error.line - 1).map_or("", |line| line.text);
        let length = text.get(error.span.clone()).map_or(0, |marked| marked.chars().count());
        let place =
            Place { line: error.line, column: error.column, length: length.max(1), text: line.to_owned() };
        Flaw { message: error.message.clone(), help: error.help.clone(), place: Some(place) }
    });
    Failure::Input { file: name.to_owned(), flaws: flaws.collect() }
}
