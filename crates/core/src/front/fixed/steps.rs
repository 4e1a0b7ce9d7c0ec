//! The order of steps (fixed_function.md 3). UNKNOWN: that of Kelvin and Rankine; the transform part is taken to be that
//! of Celsius, in the arithmetic of the chip (5 and 6).

use super::texgen::Sources;
use super::vector::Lowering;
use crate::chip::mode::Name;
use crate::chip::slots::CLIP_PLANES;
use crate::chip::{Family, Pipeline};
use crate::ir::origin::Topic;

impl Lowering<'_> {
    pub(super) fn steps(&mut self) {
        let family = self.mode.pipeline().family();
        if self.mode.is_bypass() {
            self.at(Topic::Bypass, 0);
            return match self.mode.pipeline() {
                Pipeline::Celsius(_) => self.bypass_celsius(),
                Pipeline::Kelvin | Pipeline::Rankine | Pipeline::Curie => self.bypass_kelvin(),
            };
        }
        self.at(Topic::Position, 0);
        let weights = self.weights();
        let position = self.position(&weights);
        self.at(Topic::Normal, 0);
        let normal = self.normal(&weights);
        self.at(Topic::Eye, 0);
        let eye = self.eye(position.eye);
        self.at(Topic::Position, 0);
        self.put_position(position.window);
        self.at(Topic::Light, 0);
        let first = self.light_vector(0, &eye);
        for unit in 0..self.mode.pipeline().units() {
            let Some(texture) = self.mode.texture(unit) else { continue };
            self.at(Topic::Texture, unit);
            let sources = Sources { position: &position, eye: &eye, normal, light: first.vector };
            let mut made = self.coordinates(unit, &texture, &sources);
            if family != Family::Celsius && !self.mode.has(Name::TexR(unit as u8)) {
                // UNKNOWN: the output of the coordinate that is not computed; 0 here.
                made[2] = self.zero();
            }
            self.put_coordinates(unit, made);
        }
        let outputs = self.slots().outputs;
        for plane in 0..6 {
            if self.mode.has(Name::ClipPlane(plane)) {
                self.at(Topic::ClipPlane, plane.into());
                // UNKNOWN: the space of clip planes; eye space here, as in OpenGL.
                let row = self.xfctx(CLIP_PLANES + usize::from(plane));
                let distance = self.dp4(position.eye, row);
                self.put_scalar(outputs.clip + plane, Some(distance));
            }
        }
        self.at(Topic::Fog, 0);
        let fog = self.fog(&eye);
        self.put_scalar(outputs.fog, fog);
        self.at(Topic::PointSize, 0);
        let size = self.point_size(&eye);
        self.put_scalar(outputs.point_size, size);
        self.at(Topic::Colours, 0);
        match self.mode.pipeline() {
            Pipeline::Celsius(_) => self.celsius_colours(normal, &eye),
            Pipeline::Kelvin | Pipeline::Rankine | Pipeline::Curie => self.kelvin_colours(normal, &eye),
        }
    }
}
