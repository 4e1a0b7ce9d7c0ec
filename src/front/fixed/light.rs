//! Lights (fixed_function.md 3, step 10; 5.4 to 5.6). What one contributes is found in two steps: the geometry, which
//! is LT's on Celsius and Kelvin and XF's on Rankine, and from it the colours, which are LT's everywhere.

use super::eye::{Direction, Eye};
use super::vector::{Lowering, Vec3, Vec4, xyz};
use crate::chip::Pipeline;
use crate::chip::mode::{LightMode, Name, Property, Side};
use crate::chip::slots::Ltc;
use crate::ir::func::Value;

/// Towards a light.
#[derive(Clone, Copy)]
pub(super) struct LightVector {
    pub mode: Option<LightMode>,
    /// Unit vector to a local light; the raw position of others, which only embossing sees.
    pub vector: Vec3,
    /// Distances of a local light.
    pub direction: Option<Direction>,
}

/// What is lit: the normal and the material of one side.
pub(super) struct Surface {
    pub side: Side,
    pub normal: Vec3,
    /// Vertex colours that light colours are multiplied by; none: the light's own colour is the product.
    pub ambient: Option<Vec3>,
    pub diffuse: Option<Vec3>,
    pub specular: Option<Vec3>,
    /// Whether the specular sum has a colour of its own.
    pub separate: bool,
    /// Primary and secondary colour so far.
    pub colours: [Vec3; 2],
}

/// What of a light depends on geometry; numbers of LT, or of XF on their way to it.
struct Geometry {
    /// Attenuation, and the distance for the range; none of an infinite light.
    fading: Option<(Value, Value)>,
    /// Normal times light.
    diffuse: Value,
    specular: Highlight,
}

/// What the specular formula takes.
enum Highlight {
    /// Normal times half vector, unit vectors both.
    Half(Value),
    /// Normal times half vector, and the square of the half vector.
    Unnormalised(Value, Value),
    /// The quotient of their squares, where XF has divided; and the product, for its sign.
    Divided(Value, Value),
}

impl Lowering<'_> {
    /// Towards a light, if it is a local one.
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

    /// 1, distance and its square, as LT sees them.
    pub(super) fn distances(&mut self, direction: Direction) -> Vec3 {
        let one = self.one();
        self.lt3([one, direction.distance, direction.square])
    }

    fn ltc_slot(&mut self, (ram, slot): Ltc, light: usize) -> Value {
        self.ltc(ram, slot + light)
    }

    /// The eye vector that lighting takes, in the numbers of the geometry.
    pub(super) fn lighting_eye(&mut self, eye: &Eye) -> Vec3 {
        let slot = self.slots().lighting.eye_direction;
        match (self.mode.has(Name::LocalViewer), self.mode.pipeline()) {
            (true, Pipeline::Rankine) => eye.direction.vector,
            (true, _) => self.lt3(eye.direction.vector),
            (false, Pipeline::Rankine) => xyz(self.xfctx(slot)),
            (false, _) => self.ltctx(slot),
        }
    }

    /// Adds what a light contributes to the colours of a surface.
    pub(super) fn light(&mut self, light: usize, to_light: &LightVector, eye: Vec3, surface: &mut Surface) {
        let geometry = match self.mode.pipeline() {
            Pipeline::Rankine => self.geometry_xf(light, to_light, eye, surface),
            Pipeline::Celsius(_) | Pipeline::Kelvin => self.geometry_lt(light, to_light, eye, surface),
        };
        let lighting = &self.slots().lighting;
        // Set where the light does not reach: no diffuse, and no specular part.
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

    /// All ones beyond a light's range, which is part of it.
    fn far(&mut self, distance: Value, light: usize) -> Value {
        let minus = match self.mode.pipeline() {
            // MAC0 multiplies on Celsius and Kelvin alone.
            Pipeline::Rankine => self.f.neg(distance),
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

    /// UNKNOWN: all of it; the steps of [`Lowering::geometry_lt`] with 32 bits, rounded where LT takes over. The square
    /// of the half vector, by which LTC0 multiplied, is divided out (fixed_function.md 6).
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

    /// The specular term before it fades, by a quotient of linear functions (fixed_function.md 3.12), and where it is
    /// dark.
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

    /// `x + p` and `q * x + r`, whose quotient fits a power.
    fn linear(&mut self, x: Value, [p, q, r]: [Value; 3]) -> (Value, Value) {
        let numerator = self.lts_add(x, p);
        let denominator = self.lts_mul(x, q);
        (numerator, self.lts_add(denominator, r))
    }

    /// UNKNOWN: the cone's factor on the chip, bit for bit; this is the suggested model of fixed_function.md 5.6. That the
    /// cosine is capped at that of the inner cone, before the quotient, is what captures of Kelvin show; a NaN is capped,
    /// too. Returns the factor, and where the vertex is outside.
    fn cone(&mut self, light: usize, towards: Vec3) -> (Value, Value) {
        let slots = self.slots();
        let axis: Vec4 = self.xfctx(slots.spot_direction + light);
        let cosine = self.dp3(xyz(axis), towards);
        let cosine = self.f.sum2(cosine, axis[3]);
        let x = self.lt(cosine);
        // Positive numbers are ordered as integers are, and negative ones are less.
        let one = self.one();
        let x = self.f.imin(x, one);
        let [k0, k1, k2] = slots.lighting.cutoff.map(|slot| self.ltc_slot(slot, light));
        let (numerator, denominator) = self.linear(x, [k0, k1, k2]);
        let outside = self.negative(numerator);
        let inverse = self.lt_rcp(denominator);
        (self.lts_mul(numerator, inverse), outside)
    }

    // Materials.

    /// Which vertex colour takes the place of a property, on Kelvin and later.
    pub(super) fn source(&mut self, side: Side, property: Property, colours: &[Vec4; 2]) -> Option<Vec4> {
        // UNKNOWN: the reserved source 3 is taken for the register.
        match self.mode.get(Name::Source(side, property)) {
            1 => Some(colours[0]),
            2 => Some(colours[1]),
            _ => None,
        }
    }
}
