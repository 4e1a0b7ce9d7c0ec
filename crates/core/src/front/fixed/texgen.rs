//! Texture coordinates (fixed_function.md 3, step 8; 5.7).

use super::eye::{Eye, Reflected};
use super::position::Position;
use super::vector::{Lowering, Vec3, Vec4, xyz};
use crate::chip::Pipeline;
use crate::chip::mode::{Gen, Texture};
use crate::ir::func::Value;

/// The sources of generated coordinates.
pub(super) struct Sources<'a> {
    pub position: &'a Position,
    pub eye: &'a Eye,
    pub normal: Vec3,
    /// Vector to light 0, for embossing.
    pub light: Vec3,
}

impl Lowering<'_> {
    /// The coordinates of a unit. UNKNOWN: without matrix and perspective the chip's result is not determined
    /// (fixed_function.md 3.11); here they are output unchanged.
    pub(super) fn coordinates(&mut self, unit: usize, texture: &Texture, sources: &Sources<'_>) -> Vec4 {
        let slots = self.slots();
        let first = slots.texture[unit];
        let mut start = self.input(slots.attributes.texture + unit);
        let mut emboss = None;
        if texture.generate[0] == Gen::EmbossMap {
            let planes = [self.xfctx(first), self.xfctx(first + 1)];
            let shift = self.emboss(planes.map(xyz), sources);
            let base = self.input(slots.attributes.texture);
            let depth = self.scale3(shift, base[3]);
            let [x, y, z] = self.add3(xyz(base), depth);
            start = [x, y, z, base[3]];
            emboss = Some((shift, base[3]));
        }
        let maps = texture.generate.iter().any(|mode| matches!(mode, Gen::SphereMap | Gen::ReflectionMap));
        let reflected = (maps && emboss.is_none()).then(|| {
            let viewer = self.viewer(sources.eye);
            self.reflected(sources.normal, viewer)
        });
        let mut made = start;
        for (c, mode) in texture.generate.into_iter().enumerate() {
            made[c] = match mode {
                Gen::Pass | Gen::EmbossMap => start[c],
                Gen::EyeLinear => self.planar(first + c, sources.position.eye),
                Gen::ObjectLinear => self.planar(first + c, sources.position.object),
                Gen::NormalMap => sources.normal[c],
                // With embossing, these two modes read other registers.
                Gen::SphereMap => match (&emboss, &reflected) {
                    (Some((shift, _)), _) => shift[c],
                    (None, Some(Reflected { sphere, .. })) => sphere[c],
                    (None, None) => start[c],
                },
                Gen::ReflectionMap => match (&emboss, &reflected) {
                    (Some((_, depth)), _) => *depth,
                    (None, Some(Reflected { reflection, .. })) => reflection[c],
                    (None, None) => start[c],
                },
            };
        }
        if texture.matrix {
            made = self.texture_matrix(first + 4, made);
        }
        if texture.perspective {
            made = self.scale4(made, sources.position.inverse_w);
        }
        made
    }

    fn planar(&mut self, slot: usize, position: Vec4) -> Value {
        let plane = self.xfctx(slot);
        self.dp4(position, plane)
    }

    fn texture_matrix(&mut self, slot: usize, made: Vec4) -> Vec4 {
        let rows: [Vec4; 4] = self.matrix(slot);
        let mut result = self.transform4(rows, made);
        if self.mode.pipeline() == Pipeline::NV10 {
            // The chip overwrites x of the operand before it computes w.
            let overwritten = [result[0], made[1], made[2], made[3]];
            result[3] = self.dp4(overwritten, rows[3]);
        }
        result
    }

    /// The shift of the coordinates: the light vector in tangent space.
    fn emboss(&mut self, planes: [Vec3; 2], sources: &Sources<'_>) -> Vec3 {
        let slots = self.slots();
        let given = self.input(slots.attributes.texture + 1);
        let rows = self.matrix(slots.model_view[0] + 4);
        let tangent = self.transform3(rows, xyz(given));
        let normal = sources.normal;
        let binormal = self.cross(normal, tangent);
        let square = self.dp3(binormal, binormal);
        let root = self.f.rsq(square);
        let unit = self.scale3(binormal, root);
        let across = self.cross(binormal, normal);
        let across = self.scale3(across, root);
        let light = planes.map(|plane| self.mul3(plane, sources.light));
        let zero = self.zero();
        [self.dp3(light[0], unit), self.dp3(light[1], across), zero]
    }
}
