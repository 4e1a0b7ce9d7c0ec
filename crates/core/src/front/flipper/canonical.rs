//! The canonical setup: fields without influence are cleared, so that equivalent setups are equal.

use super::Setup;
use crate::chip::flipper::output;
use crate::chip::flipper::registers::POST_NORMALISE;
use crate::chip::flipper::transform::{
    Attenuation, Channel, ColourSource, Diffuse, Generator, Lighting, TEXGENS, Texgen, Transform, Vertices,
};
use crate::config::FlipperQuirks;

impl Setup {
    /// The setup with all fields without influence at their least. It is part of the key of compiled code.
    #[must_use]
    pub fn canonical(&self) -> Setup {
        let live_outputs = self.live_outputs & self.outputs();
        let live = |register: usize| live_outputs >> register & 1 != 0;
        let mut made = [false; TEXGENS];
        for number in (0..TEXGENS).rev() {
            made[number] |= live(output::TEXCOORD + number);
            let Texgen { generator, emboss_source, .. } = self.transform.texgen(number);
            // One that is not made before reads as zeros, whatever it is.
            if made[number] && generator == Generator::Emboss && usize::from(emboss_source) < number {
                made[usize::from(emboss_source)] = true;
            }
        }
        let generators = || (0..TEXGENS).filter(|&number| made[number]).map(|n| self.transform.texgen(n));
        let mut transform = Transform {
            texgens: made.iter().rposition(|&made| made).map_or(0, |last| last as u8 + 1),
            ..Transform::default()
        };
        for number in (0..TEXGENS).filter(|&number| made[number]) {
            let texgen = self.transform.texgen(number);
            transform.texgen[number] = texgen.word();
            if self.transform.dual && texgen.generator == Generator::Regular {
                transform.dual = true;
                transform.post[number] = POST_NORMALISE.set(0, self.transform.normalises(number).into());
            }
        }
        // Two of each channel at most.
        let mut all = [(0, Channel::of(0)); 4];
        let mut count = 0;
        let mut keep = |channel: (usize, Channel)| {
            all[count] = channel;
            count += 1;
        };
        for channel in 0..2 {
            // Of a coordinate made of a channel red and green count.
            let is_source = generators().any(|texgen| texgen.generator == Generator::Colour(channel as u8));
            let leaves = live(output::COLOUR + channel);
            let [colour, alpha] = self.transform.channel(channel);
            if leaves || is_source {
                transform.colour[channel] = colour.word();
                keep((channel, colour));
            }
            if leaves {
                transform.alpha[channel] = alpha.word();
                keep((channel, alpha));
            }
        }
        let channels = &all[..count];
        let projects = [output::CLIP, output::SCREEN, output::FLAGS].into_iter().any(live);
        transform.orthographic = projects && self.transform.orthographic;
        transform.vertices = self.vertices(&transform, &made, channels, live_outputs);
        let quirks = self.kept_quirks(&transform, projects, channels, live_outputs);
        Setup { transform, quirks, live_outputs, ..*self }
    }

    /// What of vertices is looked at. Where an index is depends on those before it.
    fn vertices(
        &self,
        transform: &Transform,
        made: &[bool; TEXGENS],
        channels: &[(usize, Channel)],
        live_outputs: u32,
    ) -> Vertices {
        let is_read = |number: usize| match number {
            0 => transform_reads_position(transform, channels, live_outputs),
            number => made[number - 1] && transform.texgen(number - 1).generator == Generator::Regular,
        };
        let matrices = self.transform.vertices.matrices & 0x1ff;
        let last = (0..=TEXGENS).rev().find(|&number| matrices >> number & 1 != 0 && is_read(number));
        let matrices = last.map_or(0, |last| matrices & ((2 << last) - 1));
        let reads_colour = |channel: usize| {
            channels.iter().any(|&(of, Channel { material, lighting })| {
                let ambient = lighting.map(|Lighting { ambient, .. }| ambient);
                of == channel && [Some(material), ambient].contains(&Some(ColourSource::Vertex))
            })
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
    fn kept_quirks(
        &self,
        transform: &Transform,
        projects: bool,
        channels: &[(usize, Channel)],
        live_outputs: u32,
    ) -> FlipperQuirks {
        let FlipperQuirks { depth, half_angle, to_integer, storage, accumulation } = self.quirks;
        let lit = || channels.iter().filter_map(|(_, channel)| channel.lighting);
        let adds = || lit().filter(|lit| lit.lights != 0 && lit.diffuse != Diffuse::Reserved);
        let normalises = |lit: Lighting| {
            lit.attenuation == Attenuation::Specular
                && matches!(lit.diffuse, Diffuse::Signed | Diffuse::Clamped)
        };
        let mut kept = FlipperQuirks::SPEC;
        if projects && !transform.orthographic {
            kept.depth = depth;
        }
        if adds().any(normalises) {
            kept.half_angle = half_angle;
        }
        if lit().next().is_some() {
            kept.to_integer = to_integer;
        }
        let embosses =
            (0..transform.texgen_count()).any(|n| transform.texgen(n).generator == Generator::Emboss);
        let normals = [output::NORMAL, output::TANGENT, output::BINORMAL];
        if adds().next().is_some() || embosses || normals.into_iter().any(|r| live_outputs >> r & 1 != 0) {
            kept.storage = storage;
        }
        if adds().next().is_some() {
            kept.accumulation = accumulation;
        }
        kept
    }
}

/// Whether the first row of the position's or the normal's matrix is looked at.
fn transform_reads_position(transform: &Transform, channels: &[(usize, Channel)], live_outputs: u32) -> bool {
    let coordinates = ((1 << TEXGENS) - 1) << output::TEXCOORD | 3 << output::COLOUR;
    let adds = |lighting: Option<Lighting>| {
        lighting.is_some_and(|lit| lit.lights != 0 && lit.diffuse != Diffuse::Reserved)
    };
    let embosses = (0..transform.texgen_count()).any(|n| transform.texgen(n).generator == Generator::Emboss);
    live_outputs & !coordinates != 0 || embosses || channels.iter().any(|(_, channel)| adds(channel.lighting))
}
