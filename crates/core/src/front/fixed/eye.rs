//! Normal, eye vector and reflection (fixed_function.md 3, steps 4 to 6).

use super::position::Weights;
use super::vector::{Lowering, Vec3, Vec4, xyz};
use crate::chip::mode::Name;
use crate::chip::{Family, Pipeline};
use crate::ir::func::Value;

/// A unit vector, and the lengths computed with it.
#[derive(Clone, Copy)]
pub(super) struct Direction {
    pub vector: Vec3,
    /// The approximate distance.
    pub distance: Value,
    /// The square of the distance.
    pub square: Value,
}

/// The vertex as seen from the eye.
pub(super) struct Eye {
    /// The vertex in eye space, divided by its w.
    pub position: Vec4,
    /// From the vertex to the eye.
    pub direction: Direction,
}

/// The generated coordinates of reflection and sphere maps.
pub(super) struct Reflected {
    pub reflection: Vec3,
    pub sphere: Vec3,
}

/// Constants of the sequence.
pub(super) struct Constants {
    pub weight_one: Vec3,
    pub reflect_two: Vec3,
    pub z_one: Vec3,
    pub half: Vec3,
}

impl Lowering<'_> {
    /// The hidden constants. Celsius has rows for them; on Kelvin they have none (fixed_function.md 5.7). UNKNOWN: Rankine; here as
    /// Kelvin.
    pub(super) fn constants(&mut self) -> Constants {
        let family = self.mode.pipeline().family();
        if family == Family::Celsius {
            let [reflect_two, z_one, half, weight_one] =
                [0x35, 0x36, 0x37, 0x3a].map(|slot| self.xfctx(slot));
            return Constants {
                weight_one: xyz(weight_one),
                reflect_two: xyz(reflect_two),
                z_one: xyz(z_one),
                half: xyz(half),
            };
        }
        let [half, one, two] = [0.5f32, 1.0, 2.0].map(|number| self.f.bits(number.to_bits()));
        let zero = self.zero();
        Constants { weight_one: [one; 3], reflect_two: [two; 3], z_one: [zero, zero, one], half: [half; 3] }
    }

    /// The normal in eye space.
    pub(super) fn normal(&mut self, weights: &Weights) -> Vec3 {
        let slots = self.slots();
        let given = xyz(self.input(slots.attributes.normal));
        let count = weights.as_ref().map_or(1, Vec::len);
        let parts: Vec<Vec3> = slots.model_view[..count]
            .iter()
            .map(|&slot| {
                let rows = self.matrix(slot + 4);
                self.transform3(rows, given)
            })
            .collect();
        let normal = match weights {
            None => parts[0],
            Some(weights) => self.blend(&parts, weights),
        };
        if !self.mode.has(Name::Normalize) {
            return normal;
        }
        let square = self.dp3(normal, normal);
        let root = self.f.rsq(square);
        self.scale3(normal, root)
    }

    /// Normalises a vector.
    pub(super) fn direction(&mut self, vector: Vec3) -> Direction {
        let square = self.dp3(vector, vector);
        let root = self.f.rsq(square);
        Direction { vector: self.scale3(vector, root), distance: self.f.mul(square, root), square }
    }

    pub(super) fn eye(&mut self, position: Vec4) -> Eye {
        let inverse = self.f.rcp(position[3]);
        let position = self.scale4(position, inverse);
        let eye = self.xfctx(self.slots().eye_position);
        let to_eye = self.sub3(xyz(eye), xyz(position));
        Eye { position, direction: self.direction(to_eye) }
    }

    /// The viewing direction of sphere and reflection maps.
    pub(super) fn viewer(&mut self, eye: &Eye) -> Vec3 {
        if !self.mode.has(Name::TexgenInfinite) {
            return eye.direction.vector;
        }
        // UNKNOWN: the direction of the infinite viewer (fixed_function.md 10.4).
        match self.mode.pipeline() {
            Pipeline::Rankine | Pipeline::Curie => xyz(self.xfctx(self.slots().lighting.eye_direction)),
            Pipeline::Celsius(_) | Pipeline::Kelvin => self.constants().z_one,
        }
    }

    pub(super) fn reflected(&mut self, normal: Vec3, viewer: Vec3) -> Reflected {
        let Constants { reflect_two, z_one, half, .. } = self.constants();
        let doubled = self.mul3(reflect_two, normal);
        let cosine = self.dp3(viewer, doubled);
        let along = self.scale3(normal, cosine);
        let shifted = self.add3(along, z_one);
        let shifted = self.sub3(shifted, viewer);
        let reflection = self.sub3(shifted, z_one);
        let square = self.dp3(shifted, shifted);
        let root = self.f.rsq(square);
        let halved = self.mul3(shifted, half);
        let scaled = self.scale3(halved, root);
        Reflected { reflection, sphere: self.add3(scaled, half) }
    }
}
