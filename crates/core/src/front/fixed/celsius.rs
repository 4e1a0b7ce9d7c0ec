//! The colours of Celsius (fixed_function.md 3, step 10).

use super::eye::Eye;
use super::light::{LightVector, Surface};
use super::vector::{Lowering, Vec3, xyz};
use crate::chip::mode::{Name, Property, Side};
use crate::ir::origin::Topic;

impl Lowering<'_> {
    pub(super) fn celsius_colours(&mut self, normal: Vec3, eye: &Eye) {
        let slots = self.slots();
        let [primary, secondary] = slots.attributes.colours.map(|register| self.input(register));
        let primary = self.vertex_colour(primary);
        let secondary = self.lt3(xyz(secondary));
        let zero = self.ltctx(slots.lighting.zero);
        let separate = self.mode.has(Name::SeparateSpecular);
        let given = self.mode.has(Name::VertexSpecular);
        if !self.mode.has(Name::Lighting) {
            self.put_colour(slots.outputs.front[0], primary);
            let secondary = if separate && given { secondary } else { zero };
            let secondary = self.opaque(secondary);
            return self.put_colour(slots.outputs.front[1], secondary);
        }
        let has = |property| self.mode.has(Name::Source(Side::Front, property));
        let vertex = xyz(primary);
        let scene = self.ltctx(slots.lighting.front.scene);
        let base = if has(Property::Ambient) {
            let factor = self.ltctx(slots.lighting.front.factor);
            let lit = self.lt_mul3(vertex, scene);
            self.lt_add3(lit, factor)
        } else if has(Property::Emission) {
            self.lt_add3(scene, vertex)
        } else {
            scene
        };
        // UNKNOWN: from which register a specular source takes its colour if the vertex gives a secondary one and the
        // sum is not separate: a stale one on the chip (fixed_function.md 3.11), the secondary colour here.
        let specular = if given { secondary } else { vertex };
        let mut surface = Surface {
            side: Side::Front,
            normal: self.lt3(normal),
            ambient: has(Property::Ambient).then_some(vertex),
            diffuse: has(Property::Diffuse).then_some(vertex),
            specular: has(Property::Specular).then_some(specular),
            separate,
            colours: [base, zero],
        };
        let viewer = self.lighting_eye(eye);
        let setup = self.setup;
        for (light, _) in setup.lights() {
            let before = self.at(Topic::Light, light);
            let to_light: LightVector = self.light_vector(light, eye);
            self.light(light, &to_light, viewer, &mut surface);
            self.f.set_origin(before);
        }
        let alpha = if has(Property::Diffuse) {
            primary[3]
        } else {
            let (ram, slot) = slots.lighting.front.alpha;
            self.ltc(ram, slot)
        };
        let [[r, g, b], secondary] = surface.colours;
        self.put_colour(slots.outputs.front[0], [r, g, b, alpha]);
        let secondary = self.opaque(secondary);
        self.put_colour(slots.outputs.front[1], secondary);
    }
}
