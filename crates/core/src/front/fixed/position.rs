//! Position: weights, eye space, window (fixed_function.md 3, steps 1 to 3; 5.2, 5.7, 6).

use super::vector::{Lowering, Vec3, Vec4, xyz};
use crate::chip::mode::{Name, values};
use crate::chip::slots::POSITION;
use crate::chip::{Family, Pipeline};
use crate::ir::func::Value;

/// The weight of each matrix, in all components; `None` if only the first matrix is used.
pub(super) type Weights = Option<Vec<Vec3>>;

/// The position of a vertex.
pub(super) struct Position {
    /// In object space.
    pub object: Vec4,
    /// In eye space.
    pub eye: Vec4,
    /// Window coordinates; w is 1/w on Celsius, clamped on Kelvin, unchanged on Rankine and NV40.
    pub window: Vec4,
    /// 1/w.
    pub inverse_w: Value,
}

impl Lowering<'_> {
    /// The weights of the matrices.
    pub(super) fn weights(&mut self) -> Weights {
        let attribute = self.slots().attributes.weight;
        if self.mode.pipeline().family() == Family::Celsius {
            return self.mode.has(Name::Weight).then(|| {
                let weight = self.input(attribute)[0];
                let one = self.constants().weight_one;
                let rest = self.sub3(one, [weight; 3]);
                vec![[weight; 3], rest]
            });
        }
        let (matrices, given) = self.mode.value(&values::WEIGHTS)?;
        let input = self.input(attribute);
        let mut weights: Vec<Value> = input[..given].to_vec();
        if given < matrices {
            // UNKNOWN: the last weight; here it is one sum, 1 minus all the others.
            let one = self.constants().weight_one[0];
            let others: Vec<Value> = weights.iter().map(|&weight| self.f.neg(weight)).collect();
            let rest = match others[..] {
                [a] => self.f.sum2(one, a),
                [a, b] => self.f.sum3(one, a, b),
                [a, b, c] => self.f.sum4(one, a, b, c),
                _ => return None,
            };
            weights.push(rest);
        }
        Some(weights.into_iter().map(|weight| [weight; 3]).collect())
    }

    /// The weighted sum of vectors, one sum per component (UNKNOWN for more than two, which Celsius does not support).
    pub(super) fn blend(&mut self, parts: &[Vec3], weights: &[Vec3]) -> Vec3 {
        std::array::from_fn(|c| {
            let products: Vec<Value> =
                parts.iter().zip(weights).map(|(part, weight)| self.f.mul(part[c], weight[c])).collect();
            match products[..] {
                [a, b] => self.f.sum2(a, b),
                [a, b, d] => self.f.sum3(a, b, d),
                [a, b, d, e] => self.f.sum4(a, b, d, e),
                _ => products.first().copied().unwrap_or(part_of_none(parts, c)),
            }
        })
    }

    pub(super) fn position(&mut self, weights: &Weights) -> Position {
        let slots = self.slots();
        let object = self.input(POSITION);
        let count = weights.as_ref().map_or(1, Vec::len);
        let parts: Vec<Vec4> = slots.model_view[..count]
            .iter()
            .map(|&slot| {
                let rows = self.matrix(slot);
                self.transform4(rows, object)
            })
            .collect();
        let eye = match weights {
            None => parts[0],
            Some(weights) => {
                let spatial: Vec<Vec3> = parts.iter().copied().map(xyz).collect();
                let [x, y, z] = self.blend(&spatial, weights);
                [x, y, z, parts[0][3]]
            }
        };
        let projection = self.matrix(slots.projection);
        let from = if weights.is_some() { eye } else { object };
        let clip = self.transform4(projection, from);
        let inverse_w = self.f.rcc(clip[3]);
        let window = self.window(clip, inverse_w);
        Position { object, eye, window, inverse_w }
    }

    /// The scale of the viewport; 0 on Celsius, which has none.
    pub(super) fn viewport_scale(&mut self) -> Vec4 {
        match self.slots().viewport_scale {
            Some(slot) => self.xfctx(slot),
            None => [self.zero(); 4],
        }
    }

    /// The viewport transform, from clip space to window coordinates.
    fn window(&mut self, clip: Vec4, inverse_w: Value) -> Vec4 {
        let slots = self.slots();
        let scales = matches!(self.mode.pipeline(), Pipeline::Rankine | Pipeline::Curie);
        if scales && self.mode.has(Name::ViewportSkip) {
            return clip;
        }
        let mut scaled = xyz(clip);
        if scales {
            let scale = self.viewport_scale();
            scaled = self.mul3(scaled, xyz(scale));
        }
        let divided = self.scale3(scaled, inverse_w);
        let translate = self.xfctx(slots.viewport_translate);
        let [x, y, z] = self.add3(divided, xyz(translate));
        let w = match self.mode.pipeline() {
            Pipeline::Celsius(_) => inverse_w,
            Pipeline::Kelvin => self.f.clamp_w(clip[3]),
            Pipeline::Rankine | Pipeline::Curie => clip[3],
        };
        [x, y, z, w]
    }
}

/// A component of the first vector, the result of [`Lowering::blend`] without weights.
fn part_of_none(parts: &[Vec3], component: usize) -> Value {
    parts.first().map_or(Value::NONE, |part| part[component])
}
