//! Channels: docs/spec/flipper.md 3.4 and 3.5.

use super::{Vec3, Vertex, dot, sub, unit};
use crate::chip::flipper::input;
use crate::chip::flipper::rows::{self, Light};
use crate::chip::flipper::transform::{Attenuation, Channel, ColourSource, Diffuse, LIGHTS, Lighting};
use crate::config::{Accumulation, HalfAngle, ToInteger};
use crate::interp::positive;

/// Added and taken off again, it rounds a number below 2^22 to an integer.
const TO_INTEGER: f32 = 12_582_912.0;
/// What terms are clamped to before they are integers.
const MOST_TERM: f32 = 65536.0;

/// The quotient, but by zero 1 or 0.
fn divided(a: f32, by: f32) -> f32 {
    match by == 0.0 {
        false => a / by,
        true if a > 0.0 => 1.0,
        true => 0.0,
    }
}

/// The integer below, from 0 to 255; 0 of NaN.
fn byte(x: f32) -> f32 {
    let x = positive(x);
    if x < 255.0 { x.trunc() } else { 255.0 }
}

impl Vertex<'_> {
    /// A channel: red, green, blue, alpha as integers.
    pub(super) fn channel(&self, channel: usize) -> [u32; 4] {
        let [colour, alpha] = self.unit.transform.channel(channel);
        let controls = [colour, colour, colour, alpha];
        std::array::from_fn(|component| self.component(channel, controls[component], component) as u32)
    }

    /// A colour of the channel: of the register, or of the vertex.
    fn colour(&self, channel: usize, source: ColourSource, register: usize, component: usize) -> f32 {
        match source {
            ColourSource::Register => self.constant::<4>(register + channel)[component],
            ColourSource::Vertex => match self.unit.transform.vertices.colour_of(channel) {
                Some(number) => self.input::<4>(input::COLOUR + number)[component],
                None => 255.0,
            },
        }
    }

    fn component(&self, channel: usize, control: Channel, component: usize) -> f32 {
        let material = self.colour(channel, control.material, rows::MATERIAL, component);
        let Some(lighting) = control.lighting else { return byte(material) };
        let mut sum = self.colour(channel, lighting.ambient, rows::AMBIENT, component);
        for light in (0..LIGHTS).filter(|light| lighting.lights >> light & 1 != 0) {
            let Some((weakening, product)) = self.light(light, lighting) else { continue };
            let colour = self.constant::<4>(Light::Colour.row(light))[component];
            let term = match product {
                None => colour * weakening,
                Some(product) if component < 3 => colour * (weakening * product),
                Some(product) => colour * weakening * product,
            };
            sum += match self.unit.quirks.accumulation {
                Accumulation::Float => term,
                Accumulation::Integer => {
                    // As in code: of NaN the least.
                    let term = if term > -MOST_TERM { term } else { -MOST_TERM };
                    let term = if term < MOST_TERM { term } else { MOST_TERM };
                    (term + TO_INTEGER) - TO_INTEGER
                }
            };
        }
        let sum = match self.unit.quirks.to_integer {
            ToInteger::X86 if sum >= 2_147_483_648.0 => 0.0,
            ToInteger::X86 | ToInteger::Saturates => byte(sum),
        };
        let more = if sum >= 128.0 { 1.0 } else { 0.0 };
        byte(material * (sum + more) * (1.0 / 256.0))
    }

    /// The weakening of a light and the product with the normal, if that counts; nothing if the light adds nothing.
    fn light(
        &self,
        light: usize,
        Lighting { diffuse, attenuation, .. }: Lighting,
    ) -> Option<(f32, Option<f32>)> {
        let normal = self.normals[0];
        let away = sub(self.short(Light::Position.row(light)), self.eye);
        let (direction, weakening) = match attenuation {
            Attenuation::None => {
                let direction = unit(away);
                (if direction == [0.0; 3] { normal } else { direction }, 1.0)
            }
            Attenuation::Specular => {
                let direction = unit(away);
                let half: Vec3 = self.short(Light::Direction.row(light));
                let s = if dot(normal, direction) >= 0.0 { positive(dot(normal, half)) } else { 0.0 };
                let [a0, a1, a2]: Vec3 = self.short(Light::Angle.row(light));
                let k: Vec3 = self.short(Light::Distance.row(light));
                let [k0, k1, k2] = match self.unit.quirks.half_angle {
                    HalfAngle::Normalised if diffuse != Diffuse::None => unit(k),
                    HalfAngle::Normalised | HalfAngle::Plain => k,
                };
                let square = s * s;
                let angle = positive(a0 + s * a1 + square * a2);
                (direction, divided(angle, k0 + s * k1 + square * k2))
            }
            Attenuation::Spot => {
                let square = dot(away, away);
                let distance = square.sqrt();
                let direction = away.map(|component| component / distance);
                let s = positive(dot(direction, self.short(Light::Direction.row(light))));
                let [a0, a1, a2]: Vec3 = self.short(Light::Angle.row(light));
                let [k0, k1, k2]: Vec3 = self.short(Light::Distance.row(light));
                let angle = positive(a0 + a1 * s + a2 * s * s);
                (direction, divided(angle, k0 + k1 * distance + k2 * square))
            }
        };
        let product = match diffuse {
            Diffuse::None => None,
            Diffuse::Signed => Some(dot(direction, normal)),
            Diffuse::Clamped => Some(positive(dot(direction, normal))),
            Diffuse::Reserved => return None,
        };
        Some((weakening, product))
    }
}
