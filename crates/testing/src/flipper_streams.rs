//! Streams of commands for Flipper, written by hand or at random.

use super::choices::Choices;
use crate::chip::flipper::opcode::Primitive;
use crate::chip::flipper::vat::{Field, Vat};
use crate::chip::flipper::vcd::{Attribute, Source, Vcd};
use xfjit::flipper::vertex;

/// Indices of matrices that a camera chooses: the first for position and normal, the sixteenth for coordinates 0 to 3.
const CAMERA_INDICES: u32 = 60 << 6 | 60 << 12 | 60 << 18 | 60 << 24;

/// A stream of commands.
#[derive(Clone, Default, Debug)]
pub struct Stream(
    /// Its bytes.
    pub Vec<u8>,
);

impl Stream {
    /// Loads a register of the command processor.
    pub fn cp(&mut self, register: u8, value: u32) -> &mut Self {
        self.0.extend([8, register]);
        self.0.extend(value.to_be_bytes());
        self
    }

    /// Loads words of the transform unit, 1 to 16.
    pub fn xf(&mut self, address: u16, words: &[u32]) -> &mut Self {
        self.0.push(0x10);
        self.0.extend(((words.len() as u32 - 1) << 16 | u32::from(address)).to_be_bytes());
        self.0.extend(words.iter().flat_map(|word| word.to_be_bytes()));
        self
    }

    /// Loads floats.
    pub fn floats(&mut self, address: u16, floats: &[f32]) -> &mut Self {
        let words: Vec<u32> = floats.iter().map(|float| float.to_bits()).collect();
        self.xf(address, &words)
    }

    /// Which attributes vertices have, and a table of their formats.
    pub fn formats(&mut self, vcd: Vcd, vat: usize, formats: Vat) -> &mut Self {
        self.cp(0x50, vcd.lo).cp(0x60, vcd.hi);
        let [a, b, c] = formats.0;
        let number = vat as u8;
        self.cp(0x70 | number, a).cp(0x80 | number, b).cp(0x90 | number, c)
    }

    /// Vertices.
    pub fn draw(&mut self, primitive: Primitive, vat: usize, count: u16, bytes: &[u8]) -> &mut Self {
        self.0.push(0x80 | (primitive as u8) << 3 | vat as u8);
        self.0.extend(count.to_be_bytes());
        self.0.extend(bytes);
        self
    }

    /// Identity matrices, a perspective projection, a viewport of 640 by 480.
    pub fn camera(&mut self) -> &mut Self {
        let identity = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0];
        self.floats(0, &identity).floats(60 * 4, &identity);
        self.floats(0x400, &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
        self.xf(0x1018, &[CAMERA_INDICES, 60 | 60 << 6 | 60 << 12 | 60 << 18]);
        self.floats(0x101a, &[320.0, -240.0, 16_777_215.0, 662.0, 582.0, 16_777_215.0]);
        self.floats(0x1020, &[1.5, 0.0, 2.0, 0.0, -0.01, -1.01]).xf(0x1026, &[0])
    }

    /// One light, white, at a place, and both channels lit by it.
    pub fn light(&mut self, position: [f32; 3], control: u32) -> &mut Self {
        self.xf(0x603, &[0xffff_ffff]).floats(0x604, &[1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
        self.floats(0x60a, &position).floats(0x60d, &[0.0, 0.0, 1.0]);
        self.xf(0x1009, &[2]).xf(0x100a, &[0x1020_3040, 0, 0xff80_40ff, 0x2040_60ff]);
        self.xf(0x100e, &[control; 4])
    }
}

/// What a guest may do between draws: everything at random, but mostly with sense.
pub fn random_stream(c: &mut Choices<'_>, commands: usize, memory_bytes: u32) -> Stream {
    let mut stream = Stream::default();
    let (mut vcd, mut vats) = (Vcd::default(), [Vat::default(); 8]);
    stream.camera();
    // Indices of matrices; the lowest field is that of position and normal.
    let mut indices = CAMERA_INDICES;
    for _ in 0..commands {
        match c.below(14) {
            0 => {
                vcd = Vcd { lo: c.word() & c.word() & Vcd::LO, hi: c.word() & c.word() & Vcd::HI };
                if c.chance(80) {
                    vcd = vcd.with(Attribute::Position, Source::ALL[1 + c.below(3) as usize]);
                }
                stream.cp(0x50, vcd.lo).cp(0x60, vcd.hi);
            }
            1 => {
                let vat = c.below(8);
                vats[vat as usize] = Vat([c.word(), c.word(), c.word()]);
                stream.formats(vcd, vat as usize, vats[vat as usize]);
            }
            2 => {
                let array = c.below(16) as u8;
                stream.cp(0xa0 | array, c.below(memory_bytes)).cp(0xb0 | array, c.below(40));
            }
            3 => {
                let words: Vec<f32> = (0..1 + c.below(16)).map(|_| float(c)).collect();
                stream.floats(c.below(0x100) as u16, &words);
            }
            4 => {
                let base = [0x400, 0x500, 0x600, 0x101a][c.below(4) as usize];
                let words: Vec<f32> = (0..1 + c.below(12)).map(|_| float(c)).collect();
                stream.floats(base + if base == 0x101a { 0 } else { c.below(0x60) as u16 }, &words);
            }
            5 => {
                let controls: Vec<u32> = (0..4).map(|_| c.word() & c.word() & 0x7fff).collect();
                stream
                    .xf(0x1009, &[c.below(4), c.word(), c.word(), c.word(), c.word()])
                    .xf(0x100e, &controls);
            }
            6 => {
                let texgens: Vec<u32> = (0..8).map(|_| c.word() & !0x40).collect();
                stream.xf(0x103f, &[c.below(10)]).xf(0x1040, &texgens);
            }
            7 => {
                let post: Vec<u32> = (0..8).map(|_| c.word()).collect();
                stream.xf(0x1012, &[c.below(2)]).xf(0x1050, &post).xf(0x1026, &[c.below(3)]);
            }
            8 => {
                indices = c.word();
                stream.xf(0x1018, &[indices, c.word()]).cp(0x30, c.word()).cp(0x40, c.word());
                stream.xf(0x1005, &[c.below(8)]).xf(0x1008, &[c.below(256)]);
            }
            9 => {
                // From an array, into matrices or lights.
                let count = c.below(16);
                stream.0.push([0x20, 0x28, 0x30, 0x38][c.below(4) as usize]);
                let address = [0, 0x400, 0x500, 0x600][c.below(4) as usize] + c.below(0x40);
                stream.0.extend((c.below(40) << 16 | count << 12 | address).to_be_bytes());
            }
            10 | 11 => {
                let (vat, count) = (c.below(8) as usize, c.below(24) as u16);
                random_draw(c, &mut stream, (vcd, &vats), vat, count);
            }
            _ => random_run(c, &mut stream, (vcd, &vats), indices),
        }
        match c.below(20) {
            0 => stream.0.push(0x48),
            1 => stream.0.extend([0x61, c.word() as u8, 1, 2, 3]),
            2 => stream.0.extend([0, 0, 0]),
            _ => {}
        }
    }
    stream
}

fn float(c: &mut Choices<'_>) -> f32 {
    (c.below(4096) as f32 - 2048.0) / 512.0
}

/// A drawing command of some vertices, some of which have no position.
fn random_draw(
    c: &mut Choices<'_>,
    stream: &mut Stream,
    (vcd, vats): (Vcd, &[Vat; 8]),
    vat: usize,
    count: u16,
) {
    let size = vertex::size(vcd, vats[vat]);
    let mut bytes: Vec<u8> = (0..size * usize::from(count)).map(|_| c.word() as u8).collect();
    for at in 0..usize::from(count) {
        let position = vertex::offset(vcd, vats[vat], Attribute::Position);
        let own = vertex::bytes(vcd, vats[vat], Attribute::Position);
        if vcd.source(Attribute::Position).index_bytes().is_some() && c.below(5) == 0 {
            bytes[at * size + position..][..own].fill(0xff);
        }
    }
    stream.draw(Primitive::ALL[c.below(8) as usize], vat, count, &bytes);
}

/// Small draws in a row, most of them in one format, and what is loaded between them: mostly matrices, whole or in part, that of position
/// and normal or another, or its index; sometimes what the draws before must not see.
fn random_run(c: &mut Choices<'_>, stream: &mut Stream, formats: (Vcd, &[Vat; 8]), indices: u32) {
    let mut first = indices as u16 & 0x3f;
    let vat = c.below(8) as usize;
    let loads = c.chance(70);
    for _ in 0..2 + c.below(16) {
        let vat = if c.chance(95) { vat } else { c.below(8) as usize };
        let count = if c.chance(95) { c.below(7) } else { c.below(48) };
        random_draw(c, stream, formats, vat, count as u16);
        if !loads {
            continue;
        }
        let count = 1 + c.below(12);
        let words: Vec<f32> = (0..count).map(|_| float(c)).collect();
        match c.weighted(&[(6, 0), (4, 1), (2, 2), (2, 3), (1, 4), (1, 5), (1, 6), (3, 7), (8, 8)]) {
            0 => _ = stream.floats(4 * first, &words),
            1 => _ = stream.floats(0x400 + 3 * (first & 0x1f), &words),
            2 => _ = stream.floats(c.below(0x100) as u16, &words),
            3 => _ = stream.floats(0x400 + c.below(0x60) as u16, &words),
            4 => _ = stream.floats([0x500, 0x604, 0x101a][c.below(3) as usize], &words[..1]),
            5 => _ = stream.cp(0x30, c.word()).cp(0xa0 | c.below(12) as u8, c.below(0x800)),
            6 => _ = stream.xf(0x1018, &[c.below(64), c.word()]).xf(0x1008, &[c.below(256)]),
            7 => {
                first = c.below(64) as u16;
                stream.xf(0x1018, &[indices & !0x3f | u32::from(first)]);
            }
            _ => {}
        }
    }
}

/// The formats of a mesh as games have them: a position of three shorts with eight bits of fraction, a normal of three bytes, a colour of
/// 16 bits, a texture coordinate of two shorts with ten.
pub fn mesh_formats() -> Vat {
    Vat::default()
        .with(Field::BYTE_DEQUANT, 1)
        .with(Field::POS_COUNT, 1)
        .with(Field::POS_FORMAT, 3)
        .with(Field::POS_SHIFT, 8)
        .with(Field::NORMAL_FORMAT, 1)
        .with(Field::TEX0_COUNT, 1)
        .with(Field::TEX0_FORMAT, 3)
        .with(Field::TEX0_SHIFT, 10)
}

/// Bytes of which many are parts of ordinary floats.
pub fn random_memory(c: &mut Choices<'_>) -> Vec<u8> {
    (0..0x800).map(|at| if at % 4 == 0 { 0x3f + c.below(2) as u8 } else { c.word() as u8 }).collect()
}
