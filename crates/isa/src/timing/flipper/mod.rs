//! The time of the GameCube's transform unit (docs/spec/timing.md, "Flipper").
//!
//! Which engines it has is known by the names of its counters, and that is all: no rate of it is documented. So its parameters are choices,
//! and what they matter is what there is to see.

mod parameters;
#[cfg(test)]
mod tests;
mod work;

use super::values::Values;
use parameters::Key;

pub use parameters::FLIPPER_PARAMETERS;
pub use work::{Work, target};

/// The GameCube's clock in MHz (Nintendo's specifications of 2001; segatech.com, techpowerup.com).
pub const MHZ: u32 = 162;

/// Clocks of a vertex, by engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cost {
    /// Those that every vertex takes.
    pub vertex: u64,
    /// Those of the transform engine.
    pub transform: u64,
    /// Those of the lighting engine.
    pub lighting: u64,
    /// From a vertex to the next one.
    pub clocks: u64,
}

impl Cost {
    /// Of a vertex that takes some work.
    pub fn new(values: &Values, work: &Work) -> Cost {
        let value = |key: Key| u64::from(values.at(key as usize).unwrap_or(0));
        let vertex = value(Key::Vertex);
        let transform = value(Key::Row) * u64::from(work.rows());
        let lighting = value(Key::Light) * u64::from(work.lights);
        let engines = if value(Key::Beside) != 0 { transform.max(lighting) } else { transform + lighting };
        Cost { vertex, transform, lighting, clocks: vertex.max(engines) }
    }
}

impl Values {
    /// The parameters of Flipper's transform unit.
    pub fn of_flipper() -> Values {
        Values::new(FLIPPER_PARAMETERS, None)
    }
}
