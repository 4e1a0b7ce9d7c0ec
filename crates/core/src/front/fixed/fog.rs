//! Fog and point size (fixed_function.md 3, steps 9 and 10; 5.7, 6).

use super::eye::Eye;
use super::vector::{Lowering, Vec3, xyz};
use crate::chip::Pipeline;
use crate::chip::mode::{FogCoord, Name};
use crate::chip::slots::Points;
use crate::ir::func::Value;

/// Slots of fog coefficients in LTCTX: that of Celsius, and the one with which Kelvin passes the distance unchanged.
const CELSIUS_COEFFICIENTS: usize = 0x2b;
const KELVIN_LINEAR: usize = 0x49;

impl Lowering<'_> {
    /// The fog output, if fog is on.
    pub(super) fn fog(&mut self, eye: &Eye) -> Option<Value> {
        let coord = self.mode.fog()?;
        let slots = self.slots();
        let distance = match coord {
            FogCoord::SpecularAlpha => self.input(slots.attributes.colours[1])[3],
            FogCoord::Radial => eye.direction.distance,
            FogCoord::Planar | FogCoord::PlanarAbs => {
                let plane = self.xfctx(slots.fog_plane);
                self.dp4(eye.position, plane)
            }
            FogCoord::Attribute => self.fog_attribute(),
        };
        if matches!(self.mode.pipeline(), Pipeline::Rankine | Pipeline::Curie) {
            // The rasteriser applies the coefficients (fixed_function.md 6).
            return Some(distance);
        }
        let (one, square) = match coord {
            FogCoord::Radial => (self.one(), eye.direction.square),
            FogCoord::SpecularAlpha | FogCoord::Planar | FogCoord::PlanarAbs | FogCoord::Attribute => {
                (self.constants().z_one[2], self.f.mul(distance, distance))
            }
        };
        let mut powers = [one, distance, square];
        if coord == FogCoord::PlanarAbs {
            powers = powers.map(|power| self.abs(power));
        }
        Some(self.fog_of(powers))
    }

    /// The fog distance of the vertex; 0 on Celsius, which has none.
    pub(super) fn fog_attribute(&mut self) -> Value {
        match self.slots().attributes.fog {
            Some(register) => self.input(register)[0],
            None => self.zero(),
        }
    }

    /// UNKNOWN: which part of Kelvin's fog LT computes, and which the rasteriser. Here LT passes the distance, by the row
    /// of coefficients for that, for any FOG_MODE_EXP.
    pub(super) fn fog_of(&mut self, powers: Vec3) -> Value {
        let row = match self.mode.pipeline() {
            Pipeline::Celsius(_) => CELSIUS_COEFFICIENTS,
            Pipeline::Kelvin | Pipeline::Rankine | Pipeline::Curie => KELVIN_LINEAR,
        };
        let powers = self.lt3(powers);
        let coefficients = self.ltctx(row);
        let fog = self.lt_dp(coefficients, powers);
        self.f.fog(fog)
    }

    /// The point size output by the distance from the eye, if it is on.
    pub(super) fn point_size(&mut self, eye: &Eye) -> Option<Value> {
        if !self.mode.has(Name::PointParams) {
            return None;
        }
        let lighting = &self.slots().lighting;
        let (coefficients, range, (bias, bias_slot), (least, least_slot)) = match lighting.points {
            Points::Lt { coefficients, range, bias, least } => (coefficients, range, bias, least),
            Points::Xf { coefficients, sizes } => return Some(self.point_size_32(eye, coefficients, sizes)),
        };
        let distances = self.distances(eye.direction);
        let coefficients = self.ltctx(coefficients);
        let size = self.lt_dp(coefficients, distances);
        let size = self.lt_rsq(size);
        let bias = self.ltc(bias, bias_slot);
        let size = self.lts_add(size, bias);
        let size = self.lt_clamp(size);
        let range = self.ltctx(range)[0];
        let size = self.lt_mul(size, range);
        let least = self.ltc(least, least_slot);
        let zero = self.ltctx(lighting.zero)[0];
        let least = self.lts_add(zero, least);
        let size = self.lt_add(size, least);
        Some(self.point_size_of(size))
    }

    /// The output form of a size: on Celsius a field of the number, on Kelvin eighths of a pixel.
    pub(super) fn point_size_of(&mut self, size: Value) -> Value {
        match self.mode.pipeline() {
            Pipeline::Celsius(_) => self.f.point_size(size),
            Pipeline::Kelvin | Pipeline::Rankine | Pipeline::Curie => self.f.point_eighths(size),
        }
    }

    /// UNKNOWN: Rankine's order of steps; the coefficients are XF's, and the size is output as a float.
    fn point_size_32(&mut self, eye: &Eye, coefficients: usize, sizes: usize) -> Value {
        let one = self.one();
        let coefficients = self.xfctx(coefficients);
        let [range, bias, least, _] = self.xfctx(sizes);
        let powers = [one, eye.direction.distance, eye.direction.square];
        let size = self.dp3(xyz(coefficients), powers);
        let size = self.f.rsq(size);
        let size = self.f.sum2(size, bias);
        let size = self.f.saturate(size);
        let size = self.f.mul(size, range);
        self.f.sum2(size, least)
    }
}
