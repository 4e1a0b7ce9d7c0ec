//! The canonical setup: fields without influence are cleared, so that equivalent setups are equal.

use super::Setup;
use crate::chip::Family;
use crate::chip::mode::{Gen, LightMode, Mode, Name, Property, Side};
use crate::chip::slots::Outputs;
use crate::config::{FixedQuirks, LightingSums};

impl Setup {
    /// The setup with all fields without influence set to 0. It is part of the key of compiled code.
    #[must_use]
    pub fn canonical(&self) -> Setup {
        let mut setup = *self;
        setup.live_outputs &= self.outputs();
        let family = self.mode.pipeline().family();
        let registers = Outputs::of(self.mode.pipeline());
        let live = |register: u8| setup.live_outputs >> register & 1 != 0;
        setup.clamps_depth &= family == Family::Celsius && live(registers.position);

        let mut mode = Mode::new(self.mode.pipeline(), &[]);
        let mut keep = |names: &[Name]| names.iter().for_each(|&name| mode.set(name, self.mode.get(name)));
        keep(&[Name::ArithRules]);
        if self.mode.is_bypass() {
            keep(&[Name::Mode, Name::Origin, Name::FogCoord]);
            (0..self.mode.pipeline().units()).for_each(|unit| keep(&[Name::TexPerspective(unit as u8)]));
            setup.mode = mode;
            setup.quirks = self.kept_quirks(live(registers.fog));
            return setup;
        }
        keep(&[Name::Weight, Name::Normalize, Name::ViewportSkip]);
        if live(registers.fog) {
            keep(&[Name::FogEnable, Name::FogCoord]);
        }
        if live(registers.point_size) {
            keep(&[Name::PointParams]);
        }
        for plane in (0..6).filter(|&plane| live(registers.clip + plane)) {
            keep(&[Name::ClipPlane(plane)]);
        }
        let mut maps = false;
        let mut embosses = false;
        for unit in (0..self.mode.pipeline().units()).filter(|&unit| live(registers.texture + unit as u8)) {
            let Some(texture) = self.mode.texture(unit) else { continue };
            let unit = unit as u8;
            keep(&[
                Name::TexEnable(unit),
                Name::TexMatrix(unit),
                Name::TexPerspective(unit),
                Name::TexR(unit),
            ]);
            embosses |= texture.generate[0] == Gen::EmbossMap;
            for (component, generate) in texture.generate.into_iter().enumerate() {
                maps |= matches!(generate, Gen::SphereMap | Gen::ReflectionMap);
                if generate != Gen::Pass {
                    keep(&[Name::TexGen(unit, component as u8)]);
                }
            }
        }
        if maps {
            keep(&[Name::TexgenInfinite]);
        }
        setup.mode = mode;
        let front = registers.front.into_iter().any(live);
        let back = self.mode.has(Name::TwoSide) && registers.back.into_iter().any(live);
        self.keep_lighting(&mut setup.mode, front, back, embosses);
        let is_lit = self.mode.has(Name::Lighting) && (front || back);
        // Rankine measures distances in XF.
        let measures = matches!(family, Family::Celsius | Family::Kelvin)
            && (setup.mode.has(Name::FogEnable) || setup.mode.has(Name::PointParams));
        setup.quirks = self.kept_quirks(is_lit || measures);
        setup
    }

    /// What is kept of the quirks; `adds` tells whether LT adds anything. `light_gaps` never is: lights behind a gap that ends the list are no
    /// longer in the mode.
    fn kept_quirks(&self, adds: bool) -> FixedQuirks {
        let FixedQuirks { lighting_sums, light_gaps: _ } = self.quirks;
        let has_lt = FixedQuirks::matters("lighting_sums", self.mode.pipeline(), self.model);
        let kept = if adds && has_lt { lighting_sums } else { LightingSums::Split };
        FixedQuirks { lighting_sums: kept, ..FixedQuirks::SPEC }
    }

    /// Keeps the lighting fields that influence colours, or embossing, which depends on light 0 only.
    fn keep_lighting(&self, mode: &mut Mode, front: bool, back: bool, embosses: bool) {
        let mut keep = |names: &[Name]| names.iter().for_each(|&name| mode.set(name, self.mode.get(name)));
        let celsius = self.mode.pipeline().family() == Family::Celsius;
        if back {
            keep(&[Name::TwoSide]);
        }
        if !self.mode.has(Name::Lighting) {
            let both = [Name::VertexSpecular, Name::SeparateSpecular];
            if celsius && front && both.into_iter().all(|name| self.mode.has(name)) {
                keep(&both);
            }
            if !celsius && front {
                keep(&[Name::SpecularEnable, Name::SpecularAlpha]);
            }
            return;
        }
        if !front && !back {
            if embosses && self.mode.light(0).is_some_and(|light| light != LightMode::Infinite) {
                // Embossing treats a spot light as any local light.
                mode.set(Name::Lighting, 1);
                mode.set(Name::Light(0), 2);
            }
            return;
        }
        keep(&[Name::Lighting, Name::SpecularEnable, Name::SeparateSpecular, Name::SpecularAlpha]);
        let sides = [(front, Side::Front), (back, Side::Back)];
        for (_, side) in sides.into_iter().filter(|(live, _)| *live) {
            for property in [Property::Emission, Property::Ambient, Property::Diffuse, Property::Specular] {
                keep(&[Name::Source(side, property)]);
            }
        }
        self.lights().for_each(|(light, _)| keep(&[Name::Light(light as u8)]));
        if self.lights().next().is_some() {
            keep(&[Name::LocalViewer]);
            if self.mode.has(Name::Source(Side::Front, Property::Specular)) {
                keep(&[Name::VertexSpecular]);
            }
        }
        if self.lights().any(|(_, light)| light != LightMode::Infinite) {
            keep(&[Name::RawAttenuation]);
        }
    }
}
