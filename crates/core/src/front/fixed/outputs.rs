//! The outputs of the unit (fixed_function.md 4.2, 4.3).

use super::vector::{Lowering, Vec4};
use crate::chip::Pipeline;
use crate::ir::func::Value;

/// The lowest bit, which receives the sign of x in the fourth component of a position.
const LOWEST: u32 = 1;

impl Lowering<'_> {
    /// Writes an output register, if it is live.
    pub(super) fn output(&mut self, register: u8, row: Vec4) {
        if self.setup.live_outputs >> register & 1 != 0 {
            self.f.output(register.into(), row);
        }
    }

    /// Converts and writes the position, in window coordinates.
    pub(super) fn put_position(&mut self, [x, y, z, w]: Vec4) {
        let register = self.slots().outputs.position;
        let row = match self.mode.pipeline() {
            Pipeline::Celsius(_) => {
                let (z, w) = if self.setup.clamps_depth {
                    (self.f.depth(z), self.f.clamped_w(w))
                } else {
                    (z, self.f.inverse_w(w))
                };
                let (x, y) = (self.f.window(x), self.f.window(y));
                let [x, y, z, w] = [x, y, z, w].map(|c| self.f.squash(c));
                let lowest = self.f.bits(LOWEST);
                let negative = self.negative(x);
                let sign = self.f.and(negative, lowest);
                let w = self.f.andnot(w, lowest);
                [x, y, z, self.f.or(w, sign)]
            }
            // Captures show that x and y are converted. UNKNOWN: whether z and w are, too.
            Pipeline::Kelvin => {
                let [x, y] = [x, y].map(|c| self.f.window(c)).map(|c| self.f.squash(c));
                [x, y, z, w]
            }
            // UNKNOWN: not converted here, as the position of the chip's programs.
            Pipeline::Rankine | Pipeline::Curie => [x, y, z, w],
        };
        self.output(register, row);
    }

    /// Writes texture coordinates. Celsius has no third component, and converts the others.
    pub(super) fn put_coordinates(&mut self, unit: usize, row: Vec4) {
        let register = self.slots().outputs.texture + unit as u8;
        let row = match self.mode.pipeline() {
            Pipeline::Celsius(_) => {
                let [s, t, _, q] = row.map(|c| self.f.squash(c));
                [s, t, self.zero(), q]
            }
            Pipeline::Kelvin | Pipeline::Rankine | Pipeline::Curie => row,
        };
        self.output(register, row);
    }

    /// Writes a colour, converted to four integers. UNKNOWN: whether NV40 converts as the chips with LT do, which look at 14 bits.
    pub(super) fn put_colour(&mut self, register: u8, colour: Vec4) {
        let row = colour.map(|c| self.f.colour(c));
        self.output(register, row);
    }

    /// Writes a scalar output, if there is a value.
    pub(super) fn put_scalar(&mut self, register: u8, value: Option<Value>) {
        if let Some(value) = value {
            let (zero, one) = (self.zero(), self.one());
            self.output(register, [value, zero, zero, one]);
        }
    }
}
