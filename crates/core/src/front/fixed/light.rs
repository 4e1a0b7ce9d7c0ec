//! Lights (fixed_function.md 3, step 10; 5.4 to 5.6). The contribution of a light takes two steps: its geometry, in LT
//! on Celsius and Kelvin and in XF on Rankine, and from this the colours, in LT on all chips that have it.

use super::eye::{Direction, Eye};
use super::vector::{Lowering, Vec3, Vec4, xyz};
use crate::chip::Pipeline;
use crate::chip::mode::{LightMode, Name, Property, Side, values};
use crate::chip::slots::Ltc;
use crate::ir::func::Value;

/// The vector to a light.
#[derive(Clone, Copy)]
pub(super) struct LightVector {
    pub mode: Option<LightMode>,
    /// Unit vector to a local light; for other lights their position as it is, which only embossing reads.
    pub vector: Vec3,
    /// Unit vector and distances of a local light.
    pub direction: Option<Direction>,
}

/// The lit surface: the normal and the material of one side.
pub(super) struct Surface {
    pub side: Side,
    pub normal: Vec3,
    /// Vertex colours that light colours are multiplied by. If `None`, the light's colour is already the product.
    pub ambient: Option<Vec3>,
    pub diffuse: Option<Vec3>,
    pub specular: Option<Vec3>,
    /// Whether the specular sum goes to the secondary colour.
    pub separate: bool,
    /// Primary and secondary colour so far.
    pub colours: [Vec3; 2],
}

/// The geometric terms of a light, as LT numbers.
struct Geometry {
    /// Attenuation, and the distance for the range test; `None` for an infinite light.
    fading: Option<(Value, Value)>,
    /// Dot product of the normal and the light vector.
    diffuse: Value,
    specular: Highlight,
}

/// The operands of the specular formula.
enum Highlight {
    /// Dot product of the normal and the half vector, both unit vectors.
    Half(Value),
    /// Dot product of the normal and the half vector, and the squared length of the half vector.
    Unnormalised(Value, Value),
    /// The squared dot product divided by the squared length, computed in XF; and the dot product, for its sign.
    Divided(Value, Value),
}

impl Lowering<'_> {
    /// The vector to a light.
    pub(super) fn light_vector(&mut self, light: usize, eye: &Eye) -> LightVector {
        let position = xyz(self.xfctx(self.slots().light_position + light));
        let mode = if self.mode.has(Name::Lighting) { self.mode.light(light) } else { None };
        if !matches!(mode, Some(LightMode::Local | LightMode::Spot)) {
            return LightVector { mode, vector: position, direction: None };
        }
        let to_light = self.sub3(position, xyz(eye.position));
        let direction = self.direction(to_light);
        LightVector { mode, vector: direction.vector, direction: Some(direction) }
    }

    /// 1, the distance and its square, as LT numbers.
    pub(super) fn distances(&mut self, direction: Direction) -> Vec3 {
        let one = self.one();
        self.lt3([one, direction.distance, direction.square])
    }

    fn ltc_slot(&mut self, (ram, slot): Ltc, light: usize) -> Value {
        self.ltc(ram, slot + light)
    }

    /// The eye vector of lighting, in the number format of the geometry (LT or XF).
    pub(super) fn lighting_eye(&mut self, eye: &Eye) -> Vec3 {
        let slot = self.slots().lighting.eye_direction;
        match (self.mode.has(Name::LocalViewer), self.mode.pipeline()) {
            (true, Pipeline::Rankine | Pipeline::Curie) => eye.direction.vector,
            (true, _) => self.lt3(eye.direction.vector),
            (false, Pipeline::Rankine | Pipeline::Curie) => xyz(self.xfctx(slot)),
            (false, _) => self.ltctx(slot),
        }
    }

    /// Adds the contribution of a light to the colours of a surface.
    pub(super) fn light(&mut self, light: usize, to_light: &LightVector, eye: Vec3, surface: &mut Surface) {
        let geometry = match self.mode.pipeline() {
            Pipeline::Rankine | Pipeline::Curie => self.geometry_xf(light, to_light, eye, surface),
            Pipeline::Celsius(_) | Pipeline::Kelvin => self.geometry_lt(light, to_light, eye, surface),
        };
        let lighting = &self.slots().lighting;
        // Mask of lanes without a diffuse and specular part.
        let mut dark = None;
        let mut fading = None;
        if let Some((attenuation, distance)) = geometry.fading {
            let far = self.far(distance, light);
            dark = Some(far);
            fading = Some(self.f.andnot(attenuation, far));
        }
        if to_light.mode == Some(LightMode::Spot) {
            let (factor, outside) = self.cone(light, to_light.vector);
            dark = self.either(dark, outside);
            let faded = match fading {
                Some(fading) => self.lt_mul(fading, factor),
                None => factor,
            };
            fading = Some(self.f.andnot(faded, outside));
        }
        let away = self.negative(geometry.diffuse);
        dark = self.either(dark, away);
        let diffuse = self.unless(dark, geometry.diffuse);
        let diffuse = self.faded(fading, diffuse);

        let (highlight, dark) = self.highlight(&geometry.specular, surface.side, dark);
        let specular = self.unless(dark, highlight);
        let specular = self.faded(fading, specular);

        let first = lighting.stride * light + lighting.surface(surface.side).colours;
        let ambient = {
            let own = self.ltctx(first);
            match fading {
                Some(fading) => self.lt_scale(own, fading),
                None => {
                    let one = self.one();
                    self.lt_scale(own, one)
                }
            }
        };
        let ambient = self.coloured(ambient, surface.ambient);
        surface.colours[0] = self.lt_add3(surface.colours[0], ambient);
        let own = self.ltctx(first + 1);
        let lit = self.lt_scale(own, diffuse);
        let lit = self.coloured(lit, surface.diffuse);
        surface.colours[0] = self.lt_add3(surface.colours[0], lit);
        let own = self.ltctx(first + 2);
        let lit = self.lt_scale(own, specular);
        let lit = self.coloured(lit, surface.specular);
        let sum = usize::from(surface.separate);
        surface.colours[sum] = self.lt_add3(surface.colours[sum], lit);
    }

    fn faded(&mut self, fading: Option<Value>, a: Value) -> Value {
        match fading {
            Some(fading) => self.lt_mul(fading, a),
            None => {
                let one = self.one();
                self.lt_mul(one, a)
            }
        }
    }

    fn coloured(&mut self, lit: Vec3, colour: Option<Vec3>) -> Vec3 {
        match colour {
            Some(colour) => self.lt_mul3(lit, colour),
            None => lit,
        }
    }

    /// All ones where the distance is greater than the light's range.
    fn far(&mut self, distance: Value, light: usize) -> Value {
        let minus = match self.mode.pipeline() {
            // Only on Celsius and Kelvin MAC0 multiplies here.
            Pipeline::Rankine | Pipeline::Curie => self.f.neg(distance),
            Pipeline::Celsius(_) | Pipeline::Kelvin => {
                let factor = self.ltc(0, 1);
                self.lts_mul(distance, factor)
            }
        };
        let range = self.ltc_slot(self.slots().lighting.range, light);
        let left = self.lts_add(minus, range);
        self.negative(left)
    }

    fn geometry_lt(
        &mut self,
        light: usize,
        to_light: &LightVector,
        eye: Vec3,
        surface: &Surface,
    ) -> Geometry {
        let lighting = &self.slots().lighting;
        let normal = surface.normal;
        let half = lighting.stride * light + lighting.half;
        let Some(direction) = to_light.direction else {
            let towards = self.ltctx(lighting.stride * light + lighting.direction);
            let diffuse = self.lt_dp(normal, towards);
            let specular = if self.mode.has(Name::LocalViewer) {
                self.half_lt(normal, eye, towards)
            } else {
                let half = self.ltctx(half);
                Highlight::Half(self.lt_dp(normal, half))
            };
            return Geometry { fading: None, diffuse, specular };
        };
        let distances = self.distances(direction);
        let coefficients = self.ltctx(half);
        let attenuation = self.lt_dp(distances, coefficients);
        let attenuation =
            if self.mode.has(Name::RawAttenuation) { attenuation } else { self.lt_rcp(attenuation) };
        let towards = self.lt3(to_light.vector);
        let diffuse = self.lt_dp(normal, towards);
        let specular = self.half_lt(normal, eye, towards);
        Geometry { fading: Some((attenuation, distances[1])), diffuse, specular }
    }

    fn half_lt(&mut self, normal: Vec3, eye: Vec3, towards: Vec3) -> Highlight {
        let half = self.lt_add3(eye, towards);
        let square = self.lt_dp(half, half);
        let product = self.lt_dp(normal, half);
        Highlight::Unnormalised(product, square)
    }

    /// UNKNOWN: all of it. Here the steps of [`Lowering::geometry_lt`] with 32 bits, the results rounded to LT numbers. XF
    /// divides by the squared half vector, by which LTC0 multiplied before (fixed_function.md 6).
    fn geometry_xf(
        &mut self,
        light: usize,
        to_light: &LightVector,
        eye: Vec3,
        surface: &Surface,
    ) -> Geometry {
        let lighting = &self.slots().lighting;
        let normal = surface.normal;
        let half_slot = lighting.half + light;
        let Some(direction) = to_light.direction else {
            let towards = xyz(self.xfctx(lighting.direction + light));
            let diffuse = self.dp3(normal, towards);
            let diffuse = self.lt(diffuse);
            let specular = if self.mode.has(Name::LocalViewer) {
                self.half_xf(normal, eye, towards)
            } else {
                let half = xyz(self.xfctx(half_slot));
                let product = self.dp3(normal, half);
                Highlight::Half(self.lt(product))
            };
            return Geometry { fading: None, diffuse, specular };
        };
        let one = self.one();
        let powers = [one, direction.distance, direction.square];
        let coefficients = xyz(self.xfctx(half_slot));
        let attenuation = self.dp3(powers, coefficients);
        let attenuation =
            if self.mode.has(Name::RawAttenuation) { attenuation } else { self.f.rcp(attenuation) };
        let attenuation = self.lt(attenuation);
        let distance = self.lt(direction.distance);
        let diffuse = self.dp3(normal, to_light.vector);
        let diffuse = self.lt(diffuse);
        let specular = self.half_xf(normal, eye, to_light.vector);
        Geometry { fading: Some((attenuation, distance)), diffuse, specular }
    }

    fn half_xf(&mut self, normal: Vec3, eye: Vec3, towards: Vec3) -> Highlight {
        let half = self.add3(eye, towards);
        let square = self.dp3(half, half);
        let product = self.dp3(normal, half);
        let squared = self.f.mul(product, product);
        let inverse = self.f.rcp(square);
        let quotient = self.f.mul(squared, inverse);
        Highlight::Divided(self.lt(quotient), self.lt(product))
    }

    /// The specular term before attenuation, a quotient of linear functions (fixed_function.md 3.12), and the mask of lanes
    /// without one.
    fn highlight(
        &mut self,
        highlight: &Highlight,
        side: Side,
        dark: Option<Value>,
    ) -> (Value, Option<Value>) {
        let slots = self.slots().lighting.surface(side).shininess;
        let [a, b, c, d, e, f] = slots.map(|(ram, slot)| self.ltc(ram, slot));
        let mut dark = dark;
        let (numerator, denominator) = match *highlight {
            Highlight::Half(s) => self.linear(s, [a, b, c]),
            Highlight::Unnormalised(s, square) => {
                let away = self.negative(s);
                dark = self.either(dark, away);
                let ss = self.lts_mul(s, s);
                let scaled = self.lts_mul(square, d);
                let numerator = self.lts_add(ss, scaled);
                let scaled = self.lts_mul(ss, e);
                let zero = self.zero();
                let scaled = self.lts_add(scaled, zero);
                let rest = self.lts_mul(square, f);
                (numerator, self.lts_add(scaled, rest))
            }
            Highlight::Divided(x, s) => {
                let away = self.negative(s);
                dark = self.either(dark, away);
                self.linear(x, [d, e, f])
            }
        };
        let below = self.negative(numerator);
        dark = self.either(dark, below);
        let inverse = self.lt_rcp(denominator);
        (self.lts_mul(numerator, inverse), dark)
    }

    /// `x + p` and `q * x + r`, whose quotient approximates a power of `x`.
    fn linear(&mut self, x: Value, [p, q, r]: [Value; 3]) -> (Value, Value) {
        let numerator = self.lts_add(x, p);
        let denominator = self.lts_mul(x, q);
        (numerator, self.lts_add(denominator, r))
    }

    /// The factor of a spot light's cone, and the mask of lanes in which the vertex is outside. UNKNOWN: the bits on the
    /// chip; this is the suggested model of fixed_function.md 5.6. Captures of Kelvin show that the cosine is clamped to
    /// that of the inner cone before the quotient; a NaN is clamped, too.
    fn cone(&mut self, light: usize, towards: Vec3) -> (Value, Value) {
        let slots = self.slots();
        let axis: Vec4 = self.xfctx(slots.spot_direction + light);
        let cosine = self.dp3(xyz(axis), towards);
        let cosine = self.f.sum2(cosine, axis[3]);
        let x = self.lt(cosine);
        // Positive floats compare as integers, and negative ones are less.
        let one = self.one();
        let x = self.f.imin(x, one);
        let [k0, k1, k2] = slots.lighting.cutoff.map(|slot| self.ltc_slot(slot, light));
        let (numerator, denominator) = self.linear(x, [k0, k1, k2]);
        let outside = self.negative(numerator);
        let inverse = self.lt_rcp(denominator);
        (self.lts_mul(numerator, inverse), outside)
    }

    // Materials.

    /// The vertex colour that replaces a material property, on Kelvin and later.
    pub(super) fn source(&mut self, side: Side, property: Property, colours: &[Vec4; 2]) -> Option<Vec4> {
        self.mode.value(&values::source(side, property)).map(|colour| colours[colour])
    }
}
