//! Bypass: colours and coordinates pass unchanged, the position is scaled and translated (fixed_function.md 4.1).

use super::vector::{Lowering, Vec4, xyz};
use crate::chip::Pipeline;
use crate::chip::mode::Name;
use crate::chip::slots::POSITION;
use crate::ir::func::Value;

/// Slots of Celsius: in XFCTX the scale and the offsets CORNER and CENTER, in LTCTX the fog coefficients.
const SCALE: usize = 0x0c;
const CORNER: usize = 0x0d;
const CENTER: usize = 0x0e;
const FOG_FACTOR: usize = 0x2b;
const FOG_TERM: usize = 0x28;
const FOG_TERM_OTHERS: usize = 0x29;

impl Lowering<'_> {
    pub(super) fn bypass_celsius(&mut self) {
        let position = self.input(POSITION);
        let scale = self.xfctx(SCALE);
        let offset = self.xfctx(if self.mode.has(Name::Origin) { CENTER } else { CORNER });
        let scaled = self.mul4(position, scale);
        let [x, y, z] = self.add3(xyz(scaled), xyz(offset));
        let w = scaled[3];
        self.put_position([x, y, z, w]);
        self.bypass_coordinates(Some(w));
        self.bypass_colours();

        let alpha = |l: &mut Self| l.input(l.slots().attributes.colours[1])[3];
        // On NV15 mode 3 is the same as 0.
        let mode = match (self.mode.get(Name::FogCoord), self.mode.pipeline()) {
            (3, Pipeline::NV10) => 2,
            (3, Pipeline::Celsius(_) | Pipeline::Kelvin | Pipeline::Rankine | Pipeline::Curie) => 0,
            (mode, _) => mode,
        };
        let source = match mode {
            0 => alpha(self),
            1 => position[2],
            _ => self.f.rcp(w),
        };
        let source = self.lt(source);
        let term = if mode == 0 { FOG_TERM } else { FOG_TERM_OTHERS };
        let factor = self.ltctx(FOG_FACTOR)[0];
        let term = self.ltctx(term);
        let term = self.lt_sum(term);
        let fog = self.lt_mul(factor, source);
        let fog = self.lt_add(fog, term);
        let fog = self.f.fog(fog);
        self.put_scalar(self.slots().outputs.fog, Some(fog));
        self.bypass_point_size();
    }

    /// UNKNOWN: Kelvin's bypass, whose slots are not documented. Here it is that of Celsius with the rows of the
    /// viewport for the scale and the offset, and with the fog of the full mode.
    pub(super) fn bypass_kelvin(&mut self) {
        let slots = self.slots();
        let position = self.input(POSITION);
        let scale = self.viewport_scale();
        let offset = self.xfctx(slots.viewport_translate);
        let scaled = self.mul4(position, scale);
        let [x, y, z] = self.add3(xyz(scaled), xyz(offset));
        let w = scaled[3];
        self.put_position([x, y, z, w]);
        self.bypass_coordinates(None);
        self.bypass_colours();
        let source = match self.mode.get(Name::FogCoord) {
            0 => self.input(slots.attributes.colours[1])[3],
            1 => position[2],
            2 | 3 => self.f.rcp(w),
            _ => self.fog_attribute(),
        };
        let (one, square) = (self.one(), self.f.mul(source, source));
        let fog = self.fog_of([one, source, square]);
        self.put_scalar(slots.outputs.fog, Some(fog));
        self.bypass_point_size();
    }

    /// Writes the texture coordinates of all units, multiplied by `w` where perspective is on.
    fn bypass_coordinates(&mut self, w: Option<Value>) {
        for unit in 0..self.mode.pipeline().units() {
            let mut row: Vec4 = self.input(self.slots().attributes.texture + unit);
            if let Some(w) = w.filter(|_| self.mode.has(Name::TexPerspective(unit as u8))) {
                row = self.scale4(row, w);
            }
            self.put_coordinates(unit, row);
        }
    }

    fn bypass_colours(&mut self) {
        let slots = self.slots();
        let [primary, secondary] = slots.attributes.colours.map(|register| self.input(register));
        self.put_colour(slots.outputs.front[0], primary);
        let secondary = match self.mode.pipeline() {
            Pipeline::Celsius(_) => self.opaque(xyz(secondary)),
            Pipeline::Kelvin | Pipeline::Rankine | Pipeline::Curie => secondary,
        };
        self.put_colour(slots.outputs.front[1], secondary);
    }

    /// Writes the point size, which is taken from the weight attribute.
    fn bypass_point_size(&mut self) {
        let slots = self.slots();
        let size = self.input(slots.attributes.weight)[0];
        let size = self.lt(size);
        let size = self.point_size_of(size);
        self.put_scalar(slots.outputs.point_size, Some(size));
    }
}
