//! What happened, item by item, from text or from a capture of our own, which stays packed.

use crate::fail::Failure;
use xfjit::Config;
use xfjit::backend::Outcome;
use xfjit::capture::{CallPlayer, Part, Played, Reader};
use xfjit::flipper;
use xfjit::flipper::trace::Item as FlipperItem;
use xfjit::xf::trace::Item;
use xfjit::xf::{Chip, Trace};

/// Parts of a capture that has been read through before.
pub(super) fn parts(bytes: &[u8], mut take: impl FnMut(Part) -> Result<(), Failure>) -> Result<(), Failure> {
    let internal = |error: xfjit::capture::CaptureError| Failure::Internal(error.to_string());
    let mut reader = Reader::new(bytes).map_err(internal)?;
    while let Some(part) = reader.part().map_err(internal)? {
        take(part)?;
    }
    Ok(())
}

/// Of a unit of NVIDIA's.
pub enum UnitItems<'a> {
    /// A trace.
    Text(Trace),
    /// A capture.
    Binary {
        /// Of this chip.
        chip: Chip,
        /// All of it.
        bytes: &'a [u8],
        /// How many there are.
        items: usize,
    },
}

impl UnitItems<'_> {
    /// The chip.
    pub fn chip(&self) -> Chip {
        match self {
            UnitItems::Text(trace) => trace.chip,
            UnitItems::Binary { chip, .. } => *chip,
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            UnitItems::Text(trace) => trace.items.len(),
            UnitItems::Binary { items, .. } => *items,
        }
    }

    /// Each, in order.
    pub fn each(&self, mut take: impl FnMut(&Item) -> Result<(), Failure>) -> Result<(), Failure> {
        match self {
            UnitItems::Text(trace) => trace.items.iter().try_for_each(take),
            UnitItems::Binary { bytes, .. } => parts(bytes, |part| match part {
                Part::Unit(item) => take(&item),
                _ => Ok(()),
            }),
        }
    }
}

/// Of Flipper.
pub enum FlipperItems<'a> {
    /// A trace.
    Text(flipper::Trace),
    /// A capture.
    Binary(&'a [u8]),
}

impl FlipperItems<'_> {
    /// Each, in order.
    pub fn each(&self, mut take: impl FnMut(&FlipperItem) -> Result<(), Failure>) -> Result<(), Failure> {
        match self {
            FlipperItems::Text(trace) => trace.items.iter().try_for_each(take),
            FlipperItems::Binary(bytes) => parts(bytes, |part| match part {
                Part::Flipper(item) => take(&item),
                _ => Ok(()),
            }),
        }
    }
}

/// Calls.
pub struct Calls<'a> {
    pub(super) bytes: &'a [u8],
}

impl Calls<'_> {
    /// Plays all, and hands over what comes out, with the configuration of its program.
    pub fn each(
        &self,
        player: &mut CallPlayer,
        mut take: impl FnMut(&Config, Outcome, Played<'_>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut configs = Vec::new();
        parts(self.bytes, |part| match part {
            Part::Program(program) => {
                player.program(&program).map_err(|error| Failure::Internal(error.to_string()))?;
                configs.push(program.config);
                Ok(())
            }
            Part::Name { program, name } => {
                player.name(program, &name).map_err(|error| Failure::Internal(error.to_string()))
            }
            Part::Call(call) => {
                let (outcome, played) =
                    player.call(&call).map_err(|error| Failure::Internal(error.to_string()))?;
                take(&configs[call.program], outcome, played)
            }
            _ => Ok(()),
        })
    }
}
