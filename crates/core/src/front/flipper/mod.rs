//! Flipper's transform unit: a configuration of its registers becomes IR, specialised on it; matrices, lights, colours and
//! indices are rows of constants ([`crate::chip::flipper::rows`]).
//!
//! `docs/isa/flipper.md` says what is exact and what is assumed.

mod canonical;
mod light;
mod lower;
mod reads;
mod shader;
mod texgen;

use crate::chip::flipper::output;
use crate::chip::flipper::transform::Transform;
use crate::config::FlipperQuirks;
use xfjit_runtime::batch::Layout;

/// Everything that lowering depends on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Setup {
    /// What the registers select.
    pub transform: Transform,
    /// The choices for unknown behaviour, and for behaviour in which emulators differ.
    pub quirks: FlipperQuirks,
    /// The output registers to compute, as a mask.
    pub live_outputs: u32,
    /// The memory layout of outputs.
    pub layout: Layout,
}

impl Setup {
    /// The dialect `spec`, all outputs that the configuration produces.
    pub fn new(transform: Transform) -> Self {
        let quirks = FlipperQuirks::SPEC;
        let setup = Setup { transform, quirks, live_outputs: u32::MAX, layout: Layout::Rows };
        Setup { live_outputs: setup.outputs(), ..setup }
    }

    /// Returns this set-up with some fields changed. The struct may get more fields in later versions.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    /// Sets another dialect.
    #[must_use]
    pub fn quirks(mut self, quirks: FlipperQuirks) -> Self {
        self.quirks = quirks;
        self
    }

    /// Sets the requested outputs.
    #[must_use]
    pub fn live_outputs(mut self, mask: u32) -> Self {
        self.live_outputs = mask;
        self
    }

    /// The output registers that the configuration produces, as a mask: all except texture coordinates that are off.
    pub fn outputs(&self) -> u32 {
        let off = (1 << 8) - (1 << self.transform.texgen_count());
        ((1 << output::COUNT) - 1) & !(off << output::TEXCOORD)
    }
}
