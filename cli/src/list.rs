//! `xfjit list`: what a recording consists of, command by command, and what each draw is made of.

mod calls;
mod flipper;
mod flipper_draw;
mod lines;
mod unit;
mod write;

use crate::args::{Global, List};
use crate::capture::Capture;
use crate::fail::Failure;
use crate::files;
use crate::names::Names;
use crate::sort::{self, Wanted};
use crate::text;
use lines::Lines;
use std::io::Write;
use write::Writer;
use xfjit::Model;

/// Lists a file.
pub fn run(args: &List, global: &Global) -> Result<(), Failure> {
    let bytes = sort::read(&args.file, Wanted::Capture)?;
    list(args, &bytes, global, &mut files::stdout())
}

/// Lists what a file holds.
fn list(args: &List, bytes: &[u8], global: &Global, out: &mut dyn Write) -> Result<(), Failure> {
    let capture = Capture::read(&files::name(&args.file), bytes, global)?;
    let names = Names::read(args.names.as_deref())?;
    let chip = match &capture {
        Capture::Unit(items) => items.chip().name(),
        Capture::Flipper(_) | Capture::Recording(_) => "flipper",
        Capture::Calls(_) => "calls",
    };
    let mut writer = Writer::new(args, global.format, chip, out)?;
    // It has been read as text before, if it is one.
    let text = text::decode(bytes).unwrap_or_default();
    match &capture {
        Capture::Unit(items) => unit::list(items, Lines::of(items, &text), &mut writer)?,
        Capture::Flipper(items) => flipper::items(items, Lines::of_flipper(items, &text), &mut writer)?,
        Capture::Recording(recording) => flipper::recording(recording, &mut writer)?,
        Capture::Calls(_) => {
            // What computes nothing has no model: calls say theirs.
            calls::list(bytes, &capture.programs(Model::Hw, &names)?, &mut writer)?;
        }
    }
    writer.finish()
}

#[cfg(test)]
mod tests;
