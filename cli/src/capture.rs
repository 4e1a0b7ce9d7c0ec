//! Captures: what happened to a device, in each of the forms that `run --trace` and `prof` read.

mod items;
mod play;
mod programs;

pub use play::{Event, How};
pub use programs::{Known, program_of};

use crate::args::Global;
use crate::conflicts::Kind;
use crate::fail::{Failure, warning};
use crate::run::device;
use crate::text::{self, Flaw};
pub use items::{Calls, FlipperItems, UnitItems};
use xfjit::capture::{self, Content, Part, Reader};
use xfjit::flipper;
use xfjit::flipper::dff::Recording;
use xfjit::xf::Trace;

/// A capture that can be played again and again.
pub enum Capture<'a> {
    /// Of a unit of NVIDIA's.
    Unit(UnitItems<'a>),
    /// Of Flipper.
    Flipper(FlipperItems<'a>),
    /// Of calls.
    Calls(Calls<'a>),
    /// Of Flipper, as Dolphin records it.
    Recording(Box<Recording<'a>>),
}

impl<'a> Capture<'a> {
    /// What a file holds; it tells by how it begins.
    pub fn read(name: &str, bytes: &'a [u8], global: &Global) -> Result<Capture<'a>, Failure> {
        if capture::is_one(bytes) {
            return Self::read_capture(name, bytes, global);
        }
        if Recording::is_one(bytes) {
            global.given.input(Kind::Flipper)?;
            let recording = Recording::read(bytes);
            return recording
                .map(|recording| Capture::Recording(Box::new(recording)))
                .map_err(|error| Failure::input(name, Flaw::new(error.to_string())));
        }
        let text = text::decode(bytes).map_err(|flaw| Failure::input(name, flaw))?;
        if flipper::Trace::is_named_in(&text) {
            global.given.input(Kind::Flipper)?;
            let trace = flipper::Trace::parse(&text);
            return trace
                .map(|trace| Capture::Flipper(FlipperItems::Text(trace)))
                .map_err(|errors| device::wrong(name, &text, &errors));
        }
        global.given.input(Kind::Trace)?;
        Trace::parse(&text)
            .map(|trace| Capture::Unit(UnitItems::Text(trace)))
            .map_err(|errors| device::wrong(name, &text, &errors))
    }

    /// One of our own. It is read through once, so that nothing is wrong with it any more when it is played.
    fn read_capture(name: &str, bytes: &'a [u8], global: &Global) -> Result<Capture<'a>, Failure> {
        let wrong = |error: capture::CaptureError| Failure::input(name, Flaw::new(error.to_string()));
        let mut reader = Reader::new(bytes).map_err(wrong)?;
        let content = reader.content();
        global.given.input(match content {
            Content::Unit(_) => Kind::Trace,
            Content::Flipper => Kind::Flipper,
            Content::Calls => Kind::Calls,
        })?;
        let mut items = 0;
        while let Some(part) = reader.part().map_err(wrong)? {
            items += usize::from(!matches!(part, Part::Note(_) | Part::Name { .. }));
        }
        if let Some(offset) = reader.cut() {
            warning(format_args!(
                "{name} is truncated: only {offset} of {} bytes are usable, with {items} items",
                bytes.len()
            ));
        }
        match content {
            Content::Unit(chip) => Ok(Capture::Unit(UnitItems::Binary { chip, bytes, items })),
            Content::Flipper => Ok(Capture::Flipper(FlipperItems::Binary(bytes))),
            Content::Calls => Ok(Capture::Calls(Calls { bytes })),
        }
    }
}
