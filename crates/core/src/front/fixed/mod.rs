//! The fixed function: an XFMODE configuration becomes IR, specialised on the mode; the memories XFCTX, LTCTX and LTC
//! are inputs ([`crate::chip::memory`]).
//!
//! One file for each topic, shared by the families where they agree; `steps` has the order of steps, `celsius` and `kelvin` compute the
//! colours. `docs/isa/fixed.md` lists what is exact, assumed and unknown. The fixed function has no instructions to interpret, so the
//! reference of all backends is the IR evaluator, run on the function that `lower` returns.

mod bypass;
mod canonical;
mod celsius;
mod eye;
mod fog;
mod kelvin;
mod light;
mod outputs;
mod position;
mod shader;
mod steps;
mod texgen;
mod vector;

use crate::chip::mode::{LightMode, Mode, Name};
use crate::chip::slots::{Outputs, Slots, slots};
use crate::config::{FixedQuirks, LightGaps};
use crate::ir::func::Func;
use vector::{Lowering, Vec3, Vec4};
use xfjit_runtime::batch::Layout;
use xfjit_runtime::fpenv::FpEnv;
use xfjit_runtime::num::{Model, Numerics};

/// Everything that lowering depends on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Setup {
    /// XFMODE.
    pub mode: Mode,
    /// The arithmetic; see `docs/isa/fixed.md` for what `ieee` means for LT.
    pub model: Model,
    /// The output registers to compute, as a mask.
    pub live_outputs: u32,
    /// The memory layout of outputs.
    pub layout: Layout,
    /// Celsius: depth and 1/w are clamped from below: bit 22 of debug_e is set, and bit 30 of the rasteriser's bundle is
    /// not (fixed_function.md 4.2).
    pub clamps_depth: bool,
    /// The choices for unknown behaviour of the chip.
    pub quirks: FixedQuirks,
}

impl Setup {
    /// The chip's arithmetic, all outputs that the mode produces, no debug bits.
    pub fn new(mode: Mode) -> Self {
        let setup = Setup {
            mode,
            model: Model::Hw,
            live_outputs: u32::MAX,
            layout: Layout::Rows,
            clamps_depth: false,
            quirks: FixedQuirks::SPEC,
        };
        Setup { live_outputs: setup.outputs(), ..setup }
    }

    /// Returns this set-up with some fields changed. The struct may get more fields in later versions.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    /// Sets another model.
    #[must_use]
    pub fn model(mut self, model: Model) -> Self {
        self.model = model;
        self
    }

    /// Sets the requested outputs.
    #[must_use]
    pub fn live_outputs(mut self, mask: u32) -> Self {
        self.live_outputs = mask;
        self
    }

    /// Sets other hypotheses.
    #[must_use]
    pub fn quirk(mut self, choose: impl FnOnce(&mut FixedQuirks)) -> Self {
        choose(&mut self.quirks);
        self
    }

    /// The lights that shine, if lighting is on.
    pub(crate) fn lights(&self) -> impl Iterator<Item = (usize, LightMode)> + '_ {
        let is_listed = move |&(place, (light, _)): &(usize, (usize, LightMode))| match self.quirks.light_gaps
        {
            LightGaps::Passed => true,
            LightGaps::End => light == place,
        };
        self.mode.lights().enumerate().take_while(is_listed).map(|(_, light)| light)
    }

    /// The arithmetic of XF.
    pub(crate) fn numerics(&self) -> Numerics {
        Numerics { model: self.model, rules: self.mode.rules() }
    }

    /// The output registers that the mode produces, as a mask.
    pub fn outputs(&self) -> u32 {
        let mode = &self.mode;
        let slots = slots(mode.pipeline());
        let Outputs { position, front, back, fog, point_size, texture, clip } = slots.outputs;
        let bypass = mode.is_bypass();
        let mut mask = 0;
        let mut put = |register: u8, there: bool| mask |= u32::from(there) << register;
        put(position, true);
        for i in 0..2 {
            put(front[i], true);
            put(back[i], mode.has(Name::TwoSide) && !bypass);
        }
        put(fog, bypass || mode.has(Name::FogEnable));
        put(point_size, bypass || mode.has(Name::PointParams));
        for unit in 0..mode.pipeline().units() as u8 {
            put(texture + unit, bypass || mode.has(Name::TexEnable(unit)));
        }
        for plane in 0..6 {
            put(clip + plane, mode.has(Name::ClipPlane(plane)));
        }
        mask
    }
}

/// Lowers the configuration to IR.
pub fn lower(setup: &Setup) -> Func {
    FpEnv::Default.within(|| {
        let mut lowering = Lowering::new(setup);
        lowering.steps();
        lowering.f.finish()
    })
}

impl Lowering<'_> {
    /// The tables of the chip.
    fn slots(&self) -> &'static Slots {
        slots(self.mode.pipeline())
    }

    /// A colour of the vertex with red, green and blue as LT numbers. Alpha takes part in no computation, so it is never
    /// rounded to 22 bits (fixed_function.md 3, step 10; 5.4).
    fn vertex_colour(&mut self, [r, g, b, a]: Vec4) -> Vec4 {
        let [r, g, b] = self.lt3([r, g, b]);
        [r, g, b, a]
    }

    /// A colour with alpha 1.0.
    fn opaque(&mut self, [r, g, b]: Vec3) -> Vec4 {
        [r, g, b, self.one()]
    }
}
