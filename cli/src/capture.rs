//! Captures: what happened to a device, in each of the forms that `run --trace` and `prof` read.

mod items;

use crate::args::Global;
use crate::conflicts::Kind;
use crate::fail::{Failure, warning};
use crate::run::device;
use crate::text::{self, Flaw};
pub use items::{Calls, FlipperItems, UnitItems};
use std::sync::Arc;
use xfjit::capture::{self, CallPlayer, Content, Part, Reader};
use xfjit::config::FlipperQuirks;
use xfjit::flipper::dff::{Played, Player, Recording};
use xfjit::flipper::{self, Budget, FlipperUnit, Quirks};
use xfjit::xf::{Trace, XfUnit};
use xfjit::{Config, Engine, Generation, Model};

/// Words after which outputs are dropped, which nobody looks at.
const TAKE: usize = 1 << 20;

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
            _ => Kind::Calls,
        })?;
        let mut items = 0;
        while let Some(part) = reader.part().map_err(wrong)? {
            items += usize::from(!matches!(part, Part::Note(_)));
        }
        if let Some(offset) = reader.cut() {
            warning(format_args!(
                "{name} has been cut off: of {} bytes {offset} are whole, with {items} items",
                bytes.len()
            ));
        }
        match content {
            Content::Unit(chip) => Ok(Capture::Unit(UnitItems::Binary { chip, bytes, items })),
            Content::Flipper => Ok(Capture::Flipper(FlipperItems::Binary(bytes))),
            Content::Calls => Ok(Capture::Calls(Calls { bytes })),
            _ => Err(Failure::Internal("captures of this content are not known".to_owned())),
        }
    }

    /// Plays it once, on a device of its own.
    pub fn play(&self, engine: &Arc<Engine>, model: Model) -> Result<(), Failure> {
        match self {
            Capture::Unit(items) => {
                let generation = items.chip().family().microcode().unwrap_or(Generation::Kelvin);
                let config = Config::new(generation).model(model);
                let mut unit = XfUnit::new(Arc::clone(engine), items.chip()).with_config(config);
                items.each(|item| {
                    unit.play(item);
                    if unit.waiting() > TAKE {
                        unit.drain(|_| {});
                    }
                    Ok(())
                })?;
                unit.drain(|_| {});
            }
            Capture::Flipper(items) => {
                let (mut unit, mut memory) = (flipper_unit(engine), Vec::new());
                items.each(|item| {
                    let played = unit.play(item, &mut memory, |_| {});
                    played.map_err(|_| Failure::Internal("a draw of a trace lacks bytes".to_owned()))
                })?;
            }
            Capture::Calls(calls) => {
                let mut player = CallPlayer::new(Arc::clone(engine));
                calls.each(&mut player, |_, _, _| Ok(()))?;
            }
            Capture::Recording(recording) => {
                let mut unit = flipper_unit(engine);
                let mut player = Player::new(recording, &mut unit);
                for _ in 0..recording.frames.len() {
                    while player.frame(&mut unit, Budget(1 << 16), |_| {}) == Played::Part {}
                }
            }
        }
        Ok(())
    }
}

fn flipper_unit(engine: &Arc<Engine>) -> FlipperUnit {
    FlipperUnit::new(Arc::clone(engine), Quirks::default(), FlipperQuirks::SPEC)
}
