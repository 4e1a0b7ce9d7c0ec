//! The canonical setup: fields without influence are cleared, so that equivalent setups are equal.

use super::Setup;
use super::reads::Computed;
use crate::chip::flipper::output;
use crate::chip::flipper::registers::POST_NORMALISE;
use crate::chip::flipper::transform::{
    Attenuation, ColourSource, Diffuse, Generator, Lighting, TEXGENS, Transform, Vertices,
};
use crate::config::FlipperQuirks;

impl Setup {
    /// The setup with all fields without influence at their least. It is part of the key of compiled code.
    #[must_use]
    pub fn canonical(&self) -> Setup {
        let computed = &self.computed();
        let mut transform = Transform {
            texgens: computed.made.iter().rposition(|&made| made).map_or(0, |last| last as u8 + 1),
            ..Transform::default()
        };
        for (number, texgen) in computed.generators() {
            transform.texgen[number] = texgen.word();
            if self.transform.dual && texgen.generator == Generator::Regular {
                transform.dual = true;
                transform.post[number] = POST_NORMALISE.set(0, self.transform.normalises(number).into());
            }
        }
        for (channel, [colour, alpha]) in computed.shaded.into_iter().enumerate() {
            let controls = self.transform.channel(channel);
            transform.colour[channel] = if colour { controls[0].word() } else { 0 };
            transform.alpha[channel] = if alpha { controls[1].word() } else { 0 };
        }
        transform.orthographic = self.projects() && self.transform.orthographic;
        transform.vertices = self.vertices(computed);
        let live_outputs = self.live_outputs & self.outputs();
        Setup { transform, quirks: self.kept_quirks(computed), live_outputs, ..*self }
    }

    /// Whether the projection is looked at.
    fn projects(&self) -> bool {
        [output::CLIP, output::SCREEN, output::FLAGS].into_iter().any(|register| self.is_live(register))
    }

    /// What of vertices is looked at. Where an index is depends on those before it.
    fn vertices(&self, computed: &Computed<'_>) -> Vertices {
        let is_read = |number: usize| match number {
            0 => computed.needed().is_transformed(),
            number => {
                computed.made[number - 1] && self.transform.texgen(number - 1).generator == Generator::Regular
            }
        };
        let matrices = self.transform.vertices.matrices & 0x1ff;
        let last = (0..=TEXGENS).rev().find(|&number| matrices >> number & 1 != 0 && is_read(number));
        let matrices = last.map_or(0, |last| matrices & ((2 << last) - 1));
        let reads_colour = |channel: usize| {
            computed.controls().any(|(of, control)| of == channel && control.reads(ColourSource::Vertex))
        };
        let colours = match ([0, 1].map(reads_colour), self.transform.vertices.colours) {
            ([false, false], _) => [false; 2],
            // Channel 1 reads the second of two, or none.
            ([false, true], [true, false] | [false, true]) => [false; 2],
            (_, colours) => colours,
        };
        Vertices { matrices, colours }
    }

    /// Quirks that are looked at.
    fn kept_quirks(&self, computed: &Computed<'_>) -> FlipperQuirks {
        let FlipperQuirks { depth, half_angle, to_integer, storage, accumulation } = self.quirks;
        let lit = || computed.controls().filter_map(|(_, control)| control.lighting);
        let adds = || lit().filter(Lighting::adds);
        let normalises = |lit: Lighting| {
            lit.attenuation == Attenuation::Specular
                && matches!(lit.diffuse, Diffuse::Signed | Diffuse::Clamped)
        };
        let mut kept = FlipperQuirks::SPEC;
        if self.projects() && !self.transform.orthographic {
            kept.depth = depth;
        }
        if adds().any(normalises) {
            kept.half_angle = half_angle;
        }
        if lit().next().is_some() {
            kept.to_integer = to_integer;
        }
        if adds().next().is_some() || computed.needed().normals.contains(&true) {
            kept.storage = storage;
        }
        if adds().next().is_some() {
            kept.accumulation = accumulation;
        }
        kept
    }
}
