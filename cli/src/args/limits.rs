//! What the vertices of a run may execute.

use crate::fail::Failure;
use clap::Args;
use std::sync::Arc;
use xfjit::{Engine, Options, Worker};

/// Limits of programs with loops.
#[derive(Clone, Copy, Debug, Args)]
pub struct Limits {
    /// Limit of slots that one vertex may execute, whatever its program or its capture requests.
    #[arg(long, value_name = "SLOTS", value_parser = clap::value_parser!(u16).range(1..))]
    pub slot_limit: Option<u16>,
    /// Limit of the overtime of all vertices together: slots after the first 2,048 of each vertex. Beyond it, the run ends with an error.
    #[arg(long, value_name = "SLOTS", default_value_t = Worker::OVERTIME, value_parser = clap::value_parser!(u64).range(1..))]
    pub overtime: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { slot_limit: None, overtime: Worker::OVERTIME }
    }
}

impl Limits {
    /// Options of an engine with the limit of a vertex.
    pub fn options(&self, options: Options) -> Options {
        options.with(|options| options.slot_limit = self.slot_limit.unwrap_or(options.slot_limit))
    }

    /// A watch over what an engine runs from now on.
    pub fn watch(&self, engine: &Arc<Engine>) -> Watch {
        Watch { engine: Arc::clone(engine), before: engine.overtime(), most: self.overtime }
    }

    /// The error of a run in which vertices have executed too much.
    pub fn failure(most: u64) -> Failure {
        Failure::Unsupported(format!(
            "the run has ended: its vertices executed {most} slots of overtime, after the first 2,048 of each (--overtime allows more, \
             --slot-limit lets vertices execute less)"
        ))
    }
}

/// Whether the vertices of a run execute too much.
#[derive(Debug)]
pub struct Watch {
    engine: Arc<Engine>,
    before: u64,
    most: u64,
}

impl Watch {
    /// An error if they have.
    pub fn check(&self) -> Result<(), Failure> {
        match self.engine.overtime() - self.before < self.most {
            true => Ok(()),
            false => Err(Limits::failure(self.most)),
        }
    }
}
