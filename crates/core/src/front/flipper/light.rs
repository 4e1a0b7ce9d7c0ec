//! Channels: docs/spec/flipper.md 3.4 and 3.5.

use super::lower::{Lowering, Vec3, Vec4};
use crate::chip::flipper::input;
use crate::chip::flipper::rows::{self, Light};
use crate::chip::flipper::transform::{Attenuation, Channel, ColourSource, Diffuse, LIGHTS, Lighting};
use crate::config::{Accumulation, HalfAngle, ToInteger};
use crate::ir::func::Value;
use crate::ir::origin::Topic;

impl Lowering<'_> {
    /// A channel: red, green, blue, alpha as integers.
    pub(super) fn channel(&mut self, channel: usize) -> Vec4 {
        if let Some(colour) = self.colours[channel] {
            return colour;
        }
        let [colour, alpha] = self.setup.transform.channel(channel);
        let [red, green, blue, alpha] = self.part(Topic::Channel, channel, |this| {
            [(colour, 0), (colour, 1), (colour, 2), (alpha, 3)]
                .map(|(control, component)| this.component(channel, control, component))
        });
        *self.colours[channel].insert([red, green, blue, alpha])
    }

    /// Red or green of a channel, as an integer.
    pub(super) fn channel_component(&mut self, channel: usize, component: usize) -> Value {
        if let Some(colour) = self.colours[channel] {
            return colour[component];
        }
        let [colour, _] = self.setup.transform.channel(channel);
        self.part(Topic::Channel, channel, |this| this.component(channel, colour, component))
    }

    /// A colour of the channel: of the register, or of the vertex.
    fn colour(&mut self, channel: usize, source: ColourSource, register: usize, component: usize) -> Value {
        match source {
            ColourSource::Register => self.constant::<4>(register + channel)[component],
            ColourSource::Vertex => match self.setup.transform.vertices.colour_of(channel) {
                Some(number) => self.input::<4>(input::COLOUR + number)[component],
                None => self.f.float(255.0),
            },
        }
    }

    /// From 0.0 to 255.0; 0.0 of NaN.
    fn clamped(&mut self, x: Value) -> Value {
        let x = self.positive(x);
        let most = self.f.float(255.0);
        self.f.fmin(x, most)
    }

    fn component(&mut self, channel: usize, control: Channel, component: usize) -> Value {
        let material = self.colour(channel, control.material, rows::MATERIAL, component);
        let Some(lighting) = control.lighting else {
            let clamped = self.clamped(material);
            return self.f.cvt_i(clamped);
        };
        let mut sum = self.colour(channel, lighting.ambient, rows::AMBIENT, component);
        for light in (0..LIGHTS).filter(|light| lighting.lights >> light & 1 != 0) {
            let lit = self.part(Topic::Light, light, |this| this.light(light, lighting));
            let Some((weakening, product)) = lit else { continue };
            let colour = self.constant::<4>(Light::Colour.row(light))[component];
            let term = match product {
                None => self.f.fmul(colour, weakening),
                Some(product) if component < 3 => {
                    let factor = self.f.fmul(weakening, product);
                    self.f.fmul(colour, factor)
                }
                Some(product) => {
                    let weak = self.f.fmul(colour, weakening);
                    self.f.fmul(weak, product)
                }
            };
            let term = match self.setup.quirks.accumulation {
                Accumulation::Float => term,
                Accumulation::Integer => self.rounded(term),
            };
            sum = self.f.fadd(sum, term);
        }
        let is_beyond = match self.setup.quirks.to_integer {
            ToInteger::X86 => {
                let least = self.f.float(2_147_483_648.0);
                Some(self.f.fle(least, sum))
            }
            ToInteger::Saturates => None,
        };
        let sum = self.clamped(sum);
        let sum = match is_beyond {
            Some(is_beyond) => self.f.andnot(sum, is_beyond),
            None => sum,
        };
        let sum = self.f.cvt_i(sum);
        let half = self.f.bits(127);
        let is_above = self.f.igt(sum, half);
        let one = self.f.bits(1);
        let more = self.f.and(is_above, one);
        let sum = self.f.iadd(sum, more);
        let sum = self.f.cvt_f(sum);
        let lit = self.f.fmul(material, sum);
        let scale = self.f.float(1.0 / 256.0);
        let lit = self.f.fmul(lit, scale);
        let lit = self.clamped(lit);
        self.f.cvt_i(lit)
    }

    /// The nearest integer, halves to even, of what lies within 2^16.
    fn rounded(&mut self, term: Value) -> Value {
        let [least, most] = [-65536.0, 65536.0].map(|bound| self.f.float(bound));
        let term = self.f.fmax(term, least);
        let term = self.f.fmin(term, most);
        let integers = self.f.float(12_582_912.0);
        let term = self.f.fadd(term, integers);
        self.f.fsub(term, integers)
    }

    /// The weakening of a light and the product with the normal, if that counts; nothing if the light adds nothing.
    fn light(
        &mut self,
        light: usize,
        Lighting { diffuse, attenuation, .. }: Lighting,
    ) -> Option<(Value, Option<Value>)> {
        if diffuse == Diffuse::Reserved {
            return None;
        }
        let (direction, weakening) = match attenuation {
            Attenuation::None => (self.towards(light), self.one()),
            Attenuation::Specular => self.specular(light, diffuse),
            Attenuation::Spot => self.spot(light),
        };
        let product = match diffuse {
            Diffuse::None | Diffuse::Reserved => None,
            Diffuse::Signed => {
                let normal = self.normal(0);
                Some(self.dot(direction, normal))
            }
            Diffuse::Clamped => {
                let normal = self.normal(0);
                let product = self.dot(direction, normal);
                Some(self.positive(product))
            }
        };
        Some((weakening, product))
    }

    /// From the vertex to a light.
    pub(super) fn away(&mut self, light: usize) -> Vec3 {
        let position = self.short(Light::Position.row(light));
        let eye = self.eye();
        self.sub3(position, eye)
    }

    /// The unit vector to a light; the normal where that is zero.
    fn towards(&mut self, light: usize) -> Vec3 {
        let away = self.away(light);
        let direction = self.unit(away);
        let normal = self.normal(0);
        let zero = self.zero();
        let are_zero = direction.map(|component| self.f.feq(component, zero));
        let is_zero = are_zero.into_iter().reduce(|all, one| self.f.and(all, one)).expect("three");
        std::array::from_fn(|c| self.f.select(is_zero, normal[c], direction[c]))
    }

    /// The quotient, but by zero 1 or 0.
    fn divided(&mut self, a: Value, by: Value) -> Value {
        let [zero, one] = [self.zero(), self.one()];
        let quotient = self.f.fdiv(a, by);
        let is_positive = self.f.flt(zero, a);
        let otherwise = self.f.and(is_positive, one);
        let by_zero = self.f.feq(by, zero);
        self.f.select(by_zero, otherwise, quotient)
    }

    fn specular(&mut self, light: usize, diffuse: Diffuse) -> (Vec3, Value) {
        let away = self.away(light);
        let direction = self.unit(away);
        let normal = self.normal(0);
        let half = self.short(Light::Direction.row(light));
        let [front, cosine] = [direction, half].map(|vector| self.dot(normal, vector));
        let zero = self.zero();
        let faces = self.f.fle(zero, front);
        let cosine = self.positive(cosine);
        let s = self.f.and(cosine, faces);
        let a = self.short(Light::Angle.row(light));
        let k = self.short(Light::Distance.row(light));
        let k = match self.setup.quirks.half_angle {
            HalfAngle::Normalised if diffuse != Diffuse::None => self.unit(k),
            HalfAngle::Normalised | HalfAngle::Plain => k,
        };
        let square = self.f.fmul(s, s);
        let [angle, distance] = [a, k].map(|[c0, c1, c2]| {
            let [c1, c2] = [self.f.fmul(s, c1), self.f.fmul(square, c2)];
            self.sum([c0, c1, c2])
        });
        let angle = self.positive(angle);
        (direction, self.divided(angle, distance))
    }

    fn spot(&mut self, light: usize) -> (Vec3, Value) {
        let away = self.away(light);
        let square = self.dot(away, away);
        let distance = self.f.fsqrt(square);
        let direction = away.map(|component| self.f.fdiv(component, distance));
        let axis = self.short(Light::Direction.row(light));
        let cosine = self.dot(direction, axis);
        let s = self.positive(cosine);
        let [a0, a1, a2] = self.short(Light::Angle.row(light));
        let [k0, k1, k2] = self.short(Light::Distance.row(light));
        let [a1, a2] = [self.f.fmul(a1, s), self.f.fmul(a2, s)];
        let a2 = self.f.fmul(a2, s);
        let angle = self.sum([a0, a1, a2]);
        let angle = self.positive(angle);
        let [k1, k2] = [self.f.fmul(k1, distance), self.f.fmul(k2, square)];
        let weaker = self.sum([k0, k1, k2]);
        (direction, self.divided(angle, weaker))
    }
}
