//! What a configuration computes and reads, as its registers say it. Tests of random configurations hold it against the functions that
//! lowering makes.

use super::Setup;
use crate::chip::flipper::transform::{
    Attenuation, Channel, ColourSource, Diffuse, Generator, Lighting, Source, TEXGENS, Texgen,
};
use crate::chip::flipper::{input, output};

/// What outputs are made of on their way from the attributes.
pub(super) struct Needed {
    /// The position in eye space.
    pub(super) eye: bool,
    /// Unit normal, tangent, binormal.
    pub(super) normals: [bool; 3],
}

impl Needed {
    /// Whether the index of the position's and the normal's matrix is looked at.
    pub(super) fn is_transformed(&self) -> bool {
        self.eye || self.normals.contains(&true)
    }
}

/// The attributes of normals, in the order of [`Needed::normals`].
const NORMALS: [usize; 3] = [input::NORMAL, input::TANGENT, input::BINORMAL];

/// What of a configuration is computed. It is looked at again and again, and found out once.
pub(super) struct Computed<'a> {
    setup: &'a Setup,
    /// The texture coordinates that are made: those that leave, and those that others are made of.
    pub(super) made: [bool; TEXGENS],
    /// For each channel: whether its colour and its alpha are computed.
    pub(super) shaded: [[bool; 2]; 2],
}

impl Setup {
    /// Attributes that the outputs depend on, as a mask.
    pub(crate) fn live_inputs(&self) -> u16 {
        self.computed().live_inputs()
    }

    /// What of it is computed.
    pub(super) fn computed(&self) -> Computed<'_> {
        let mut computed = Computed { setup: self, made: self.made(), shaded: [[false; 2]; 2] };
        computed.shaded = [0, 1].map(|channel| {
            let leaves = self.is_live(output::COLOUR + channel);
            // Of a coordinate made of a channel red and green count.
            let made_of_it = Generator::Colour(channel as u8);
            let is_source = computed.generators().any(|(_, texgen)| texgen.generator == made_of_it);
            [leaves || is_source, leaves]
        });
        computed
    }

    /// Whether an output register is computed.
    pub(super) fn is_live(&self, register: usize) -> bool {
        (self.live_outputs & self.outputs()) >> register & 1 != 0
    }

    fn made(&self) -> [bool; TEXGENS] {
        let mut made = [false; TEXGENS];
        for number in (0..TEXGENS).rev() {
            made[number] |= self.is_live(output::TEXCOORD + number);
            let Texgen { generator, emboss_source, .. } = self.transform.texgen(number);
            // One that is not made before reads as zeros, whatever it is.
            if made[number] && generator == Generator::Emboss && usize::from(emboss_source) < number {
                made[usize::from(emboss_source)] = true;
            }
        }
        made
    }

    /// The attribute that has the index of a matrix, if vertices have one of their own.
    fn index_input(&self, number: usize) -> u16 {
        u16::from(self.transform.vertices.index_byte(number).is_some()) << input::MATRICES
    }
}

impl Computed<'_> {
    /// The generators of the texture coordinates that are made.
    pub(super) fn generators(&self) -> impl Iterator<Item = (usize, Texgen)> {
        let numbers = (0..TEXGENS).filter(|&number| self.made[number]);
        numbers.map(|number| (number, self.setup.transform.texgen(number)))
    }

    /// The controls of what is computed of the channels, each with the number of its channel.
    pub(super) fn controls(&self) -> impl Iterator<Item = (usize, Channel)> {
        let both = (0..4).map(|at| (at / 2, at % 2)).filter(|&(channel, part)| self.shaded[channel][part]);
        both.map(|(channel, part)| (channel, self.setup.transform.channel(channel)[part]))
    }

    fn live_inputs(&self) -> u16 {
        let needed = self.needed();
        let mut live = u16::from(needed.eye) << input::POSITION;
        for (register, is_needed) in NORMALS.into_iter().zip(needed.normals) {
            live |= u16::from(is_needed) << register;
        }
        if needed.is_transformed() {
            live |= self.setup.index_input(0);
        }
        for (number, texgen) in self.generators() {
            if texgen.generator == Generator::Regular {
                live |= source_input(texgen.source) | self.setup.index_input(1 + number);
            }
        }
        for (channel, _) in self.controls().filter(|(_, control)| control.reads(ColourSource::Vertex)) {
            if let Some(number) = self.setup.transform.vertices.colour_of(channel) {
                live |= 1 << (input::COLOUR + number);
            }
        }
        live
    }

    /// What outputs are made of.
    pub(super) fn needed(&self) -> Needed {
        let of_position = [output::CLIP, output::SCREEN, output::EYE, output::FLAGS];
        let of_normals = [output::NORMAL, output::TANGENT, output::BINORMAL];
        let mut needed = Needed {
            eye: of_position.into_iter().any(|register| self.setup.is_live(register)),
            normals: of_normals.map(|register| self.setup.is_live(register)),
        };
        if self.generators().any(|(_, texgen)| texgen.generator == Generator::Emboss) {
            needed.eye = true;
            needed.normals[1..].fill(true);
        }
        for lit in self.controls().filter_map(|(_, channel)| channel.lighting).filter(Lighting::adds) {
            let reflects = lit.diffuse != Diffuse::None;
            let (eye, normal) = match lit.attenuation {
                Attenuation::None => (reflects, reflects),
                Attenuation::Specular => (true, true),
                Attenuation::Spot => (true, reflects),
            };
            needed.eye |= eye;
            needed.normals[0] |= normal;
        }
        needed
    }
}

/// The attribute that a generator takes, as a mask.
fn source_input(source: Source) -> u16 {
    match source {
        Source::Position => 1 << input::POSITION,
        Source::Normal => 1 << input::NORMAL,
        Source::Tangent => 1 << input::TANGENT,
        Source::Binormal => 1 << input::BINORMAL,
        Source::Texcoord(number) => 1 << (input::TEXCOORD + usize::from(number)),
        Source::Nothing => 0,
    }
}
