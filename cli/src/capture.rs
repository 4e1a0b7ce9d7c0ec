//! Captures: command streams of the devices, in the forms that `run --trace` reads.

use crate::args::Global;
use crate::conflicts::Kind;
use crate::fail::Failure;
use crate::run::device;
use crate::text::{self, Flaw};
use std::sync::Arc;
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
    Unit(Trace),
    /// Of Flipper.
    Flipper(flipper::Trace),
    /// Of Flipper, as Dolphin records it.
    Recording(Box<Recording<'a>>),
}

impl<'a> Capture<'a> {
    /// What a file holds; it tells by how it begins.
    pub fn read(name: &str, bytes: &'a [u8], global: &Global) -> Result<Capture<'a>, Failure> {
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
            return trace.map(Capture::Flipper).map_err(|errors| device::wrong(name, &text, &errors));
        }
        global.given.input(Kind::Trace)?;
        Trace::parse(&text).map(Capture::Unit).map_err(|errors| device::wrong(name, &text, &errors))
    }

    /// Plays it once, on a device of its own.
    pub fn play(&self, engine: &Arc<Engine>, model: Model) -> Result<(), Failure> {
        match self {
            Capture::Unit(trace) => {
                let generation = trace.chip.family().microcode().unwrap_or(Generation::Kelvin);
                let config = Config::new(generation).model(model);
                let mut unit = XfUnit::new(Arc::clone(engine), trace.chip).with_config(config);
                for item in &trace.items {
                    unit.play(item);
                    if unit.waiting() > TAKE {
                        unit.drain(|_| {});
                    }
                }
                unit.drain(|_| {});
            }
            Capture::Flipper(trace) => {
                let (mut unit, mut memory) = (flipper_unit(engine), Vec::new());
                for item in &trace.items {
                    let played = unit.play(item, &mut memory, |_| {});
                    played.map_err(|_| Failure::Internal("a draw of a trace lacks bytes".to_owned()))?;
                }
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
