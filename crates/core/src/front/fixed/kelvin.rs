//! The colours of Kelvin, Rankine and NV40 (fixed_function.md 5.4, 5.5 and 6).

use super::eye::Eye;
use super::light::Surface;
use super::vector::{Lowering, Vec3, Vec4, xyz};
use crate::chip::Pipeline;
use crate::chip::mode::{Name, Property, Side};
use crate::ir::func::Value;
use crate::ir::origin::Topic;

impl Lowering<'_> {
    pub(super) fn kelvin_colours(&mut self, normal: Vec3, eye: &Eye) {
        let slots = self.slots();
        let colours = slots.attributes.colours.map(|register| self.input(register));
        let colours = colours.map(|colour| self.vertex_colour(colour));
        let two_sides = self.mode.has(Name::TwoSide);
        let back = two_sides.then_some(Side::Back);
        if !self.mode.has(Name::Lighting) {
            let black = self.black();
            for side in [Side::Front].into_iter().chain(back) {
                let sides = match side {
                    Side::Front => [colours[0], self.gated(colours[1])],
                    Side::Back => [black; 2],
                };
                self.put_colours(side, sides);
            }
            return;
        }
        let normal = match self.mode.pipeline() {
            Pipeline::Rankine | Pipeline::Curie => normal,
            Pipeline::Celsius(_) | Pipeline::Kelvin => self.lt3(normal),
        };
        for side in [Side::Front].into_iter().chain(back) {
            let normal = match side {
                Side::Front => normal,
                Side::Back => normal.map(|c| self.f.neg(c)),
            };
            let lit = self.kelvin_side(side, normal, eye, &colours);
            self.put_colours(side, lit);
        }
    }

    fn put_colours(&mut self, side: Side, colours: [Vec4; 2]) {
        let registers = self.slots().outputs.colours(side);
        for (register, colour) in registers.into_iter().zip(colours) {
            self.put_colour(register, colour);
        }
    }

    /// The colours of one side.
    fn kelvin_side(&mut self, side: Side, normal: Vec3, eye: &Eye, colours: &[Vec4; 2]) -> [Vec4; 2] {
        let lighting = &self.slots().lighting;
        let [emission, ambient, diffuse, specular] =
            [Property::Emission, Property::Ambient, Property::Diffuse, Property::Specular]
                .map(|property| self.source(side, property, colours));
        let scene = self.ltctx(lighting.surface(side).scene);
        let factor = self.ltctx(lighting.surface(side).factor);
        let constant = match (emission, ambient) {
            (None, None) => scene,
            (Some(colour), None) | (None, Some(colour)) => {
                let product = self.lt_mul3(xyz(colour), factor);
                self.lt_add3(scene, product)
            }
            (Some(emission), Some(ambient)) => {
                let product = self.lt_mul3(xyz(ambient), factor);
                self.lt_add3(xyz(emission), product)
            }
        };
        let enabled = self.mode.has(Name::SpecularEnable);
        let separate = enabled && self.mode.has(Name::SeparateSpecular);
        let zero = self.ltctx(lighting.zero);
        let mut surface = Surface {
            side,
            normal,
            ambient: ambient.map(xyz),
            diffuse: diffuse.map(xyz),
            specular: specular.map(xyz),
            separate,
            colours: [constant, zero],
        };
        let viewer = self.lighting_eye(eye);
        let setup = self.setup;
        for (light, _) in setup.lights() {
            let before = self.at(Topic::Light, light);
            let to_light = self.light_vector(light, eye);
            self.light(light, &to_light, viewer, &mut surface);
            self.f.set_origin(before);
        }
        let alpha = self.alpha(side, diffuse);
        let [[r, g, b], sum] = surface.colours;
        let primary = [r, g, b, alpha];
        let [r, g, b] = if separate { sum } else { xyz(colours[1]) };
        [primary, self.gated([r, g, b, colours[1][3]])]
    }

    /// The secondary colour as the mode outputs it, lit or not. UNKNOWN: whether ALPHA_FROM_MATERIAL_SPECULAR selects the
    /// alpha of another colour if that is the specular source; here it is always that of the secondary colour.
    fn gated(&mut self, [r, g, b, a]: Vec4) -> Vec4 {
        if !self.mode.has(Name::SpecularEnable) {
            return self.black();
        }
        let alpha = if self.mode.has(Name::SpecularAlpha) { a } else { self.one() };
        [r, g, b, alpha]
    }

    /// Opaque black.
    fn black(&mut self) -> Vec4 {
        let zero = self.zero();
        self.opaque([zero; 3])
    }

    fn alpha(&mut self, side: Side, diffuse: Option<Vec4>) -> Value {
        let (ram, slot) = self.slots().lighting.surface(side).alpha;
        match diffuse {
            Some(colour) => colour[3],
            None => self.ltc(ram, slot),
        }
    }
}
