//! Files of golden vectors: what the hardware model computes for operations, programs and fixed-function state.
//!
//! [`recognise`] recognises a text by its content, and returns an iterator over the cases of its kind. Cases are read one
//! at a time; every error names file and line. The formats:
//!
//! | first line | kind |
//! |---|---|
//! | `kelvin vec MOV ...` | [`Ops`]: one operation a line |
//! | `# kelvin programs, model hw` | [`Programs`] of all generations |
//! | `# kelvin programs, model hw, from pictures of a console` | the same, with a [`Picture`](super::console::Picture) for an expectation |
//! | `# emulator mame release 0.289 ..` | [`EmulatedCases`]: operations and programs, as an emulator computes them |
//! | `op,a_hex,b_hex,...` | [`CelsiusOps`]: fixed-function arithmetic |
//! | `# flipper fetch, dialect spec` | [`FetchCases`]: commands and vertices |
//! | `case 0 chip nv10`, behind comments | [`FixedCases`]: fixed-function state and result |
//! | `# flipper xf, dialect spec` | [`FlipperCases`]: Flipper's transform unit |

use super::cases::FixedCases;
use super::celsius::CelsiusOps;
use super::emulators::EmulatedCases;
use super::flipper::FlipperCases;
use super::flipper_fetch::FetchCases;
pub use super::lines::FileFlaw;
use super::lines::Source;
use super::ops::{OpRules, Ops};
use super::programs::{Header, Programs};
use crate::chip::Generation;
use crate::text::{self, Flaw};

/// An opened file.
#[derive(Debug)]
pub enum VectorFile {
    /// Single operations of the vector and scalar units.
    Ops(Ops),
    /// Whole programs.
    Programs(Programs),
    /// What an emulator makes of programs.
    Emulated(EmulatedCases),
    /// Single operations of the Celsius pipeline.
    CelsiusOps(CelsiusOps),
    /// Fixed-function state, a vertex and its result.
    Fixed(FixedCases),
    /// Commands of Flipper, and the vertices that they hold.
    FlipperFetch(FetchCases),
    /// Words of Flipper's transform unit, vertices and their results.
    Flipper(FlipperCases),
}

/// Recognises golden vectors by their content.
///
/// # Errors
/// The text does not begin like any of them.
pub fn recognise(name: String, text: String) -> Result<VectorFile, FileFlaw> {
    let fail = |flaw| FileFlaw { file: name.clone(), flaw };
    let Some(first) = first_line(&text) else { return Err(fail(Flaw::new("is empty"))) };
    let Some(form) = form(&text) else {
        let flaw = Flaw::line(&first, "is not the start of a known file of golden vectors").help(
            "known are single operations, programs, emulators' figures, Celsius operations, fixed-function and Flipper cases",
        );
        return Err(fail(flaw));
    };
    Ok(match form {
        Form::FlipperFetch => {
            let dialect = FetchCases::dialect(&first).map_err(fail)?;
            VectorFile::FlipperFetch(FetchCases::new(Source::new(name, text), dialect))
        }
        Form::Programs => {
            let header = Header::parse(&first).map_err(fail)?;
            VectorFile::Programs(Programs::new(header, Source::new(name, text)))
        }
        Form::Emulated => VectorFile::Emulated(EmulatedCases::new(name, text)?),
        Form::Flipper => VectorFile::Flipper(FlipperCases::new(Source::new(name, text))),
        Form::Ops => VectorFile::Ops(Ops(Source::new(name, text))),
        Form::CelsiusOps => VectorFile::CelsiusOps(CelsiusOps::new(Source::new(name, text))),
        Form::Fixed => VectorFile::Fixed(FixedCases(Source::new(name, text))),
    })
}

/// What a file holds.
enum Form {
    FlipperFetch,
    Programs,
    Emulated,
    Flipper,
    Ops,
    CelsiusOps,
    Fixed,
}

/// Whether a text begins as a file of golden vectors.
pub fn is_one(text: &str) -> bool {
    form(text).is_some()
}

fn first_line(text: &str) -> Option<text::Line<'_>> {
    text::lines(text).find(|line| !line.text.trim().is_empty())
}

/// How a text begins.
fn form(text: &str) -> Option<Form> {
    let first = first_line(text)?;
    let words: Vec<&str> = first.text.split_whitespace().collect();
    // Comments may stand before the first case.
    let mut starts = text.lines().filter_map(|line| line.split_whitespace().next());
    match words[..] {
        ["#", "flipper", "fetch,", "dialect", ..] => Some(Form::FlipperFetch),
        ["#", generation, "programs,", ..] if Generation::from_name(generation).is_some() => {
            Some(Form::Programs)
        }
        ["#", "emulator", ..] => Some(Form::Emulated),
        ["#", "flipper", "xf,", ..] => Some(Form::Flipper),
        [rules, ..] if OpRules::from_name(rules).is_some() => Some(Form::Ops),
        [word, ..] if word.starts_with("op,") => Some(Form::CelsiusOps),
        _ if starts.find(|word| !word.starts_with('#')) == Some("case") => Some(Form::Fixed),
        _ => None,
    }
}
