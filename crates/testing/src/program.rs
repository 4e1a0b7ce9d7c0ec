//! Random microcode, weighted like that of real games (kelvin.md 6), with rare things made more frequent at will.

use super::choices::Choices;
use crate::asm;
use crate::chip::programs::POSITION_READ_BACK;
use crate::isa::kelvin::{Fields, SourceFields, slot_words};
use crate::isa::op::{Kind, ScaOp, VecOp};
use crate::isa::{self, Generation};

/// What kind of programs to make.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Slots at most.
    pub slots: u32,
    /// Extra weight of what real programs seldom do, in percent: 0 is the mix of real games.
    pub rare: u32,
    /// Percentage of slots that are random bits.
    pub raw: u32,
    /// Percentage of programs that are made of whole idioms: transformations, normalisations, lighting.
    pub idioms: u32,
}

impl Shape {
    /// A shape that tests everything, drawn from a stream; programs of up to `slots` slots.
    pub fn choose(c: &mut Choices<'_>, slots: usize) -> Self {
        Shape {
            slots: c.pick(&[8, 16, 32, 4, 64, slots as u32]),
            rare: c.pick(&[10, 0, 3, 30]),
            raw: c.weighted(&[(12, 0), (3, 5), (1, 100)]),
            idioms: c.pick(&[20, 0, 60]),
        }
    }
}

/// Words of a program and its start slot.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Microcode {
    /// Four words a slot, as uploaded.
    pub words: Vec<u32>,
    /// Slot in which it starts.
    pub start: usize,
}

/// A random Kelvin program of 1 to 136 slots; it always decodes.
pub fn program(c: &mut Choices<'_>, shape: Shape) -> Microcode {
    let length = 1 + c.below(shape.slots.clamp(1, Generation::Kelvin.slots() as u32)) as usize;
    let mut writer = Writer::new(c, shape.rare);
    let mut slots: Vec<[u32; 4]> = Vec::new();
    while slots.len() < length {
        if c.chance(shape.idioms) {
            slots.extend(writer.idiom(c));
        } else if c.chance(shape.raw) {
            slots.push(std::array::from_fn(|_| c.word()));
        } else {
            slots.push(slot_words(writer.slot(c).pack()));
        }
    }
    slots.truncate(length);
    // An END before the last slot cuts the program short; without any, it runs to the end of the memory.
    for slot in &mut slots[..length - 1] {
        if !c.chance(1) {
            slot[3] &= !1;
        }
    }
    let unterminated = c.chance(2);
    slots[length - 1][3] = slots[length - 1][3] & !1 | u32::from(!unterminated);
    let start = if c.chance(3) { c.below(length as u32) as usize } else { 0 };
    Microcode { words: slots.concat(), start }
}

const ALL: u16 = 15;
const TEMP: u16 = 1;
const INPUT: u16 = 2;
const CONSTANT: u16 = 3;
/// The source that reads oPos back.
const READ_BACK: u16 = POSITION_READ_BACK as u16;
/// oFog.
const FOG: u16 = 5;

/// Operations of a lesser share, in thousandths, are rare.
const RARE: u16 = 35;

/// Whole idioms of real programs; `C0` to `C3` are replaced by neighbouring rows, `@` by an input register.
const IDIOMS: &[&str] = &[
    // A transformation, as in nearly every program.
    "DP4 oPos.x, v@, c[C0]\nDP4 oPos.y, v@, c[C1]\nDP4 oPos.z, v@, c[C2]\nDP4 oPos.w, v@, c[C3]",
    "DPH r2.x, v@, c[C0]\nDPH r2.y, v@, c[C1]\nDPH r2.z, v@, c[C2]\nDPH r2.w, v@, c[C3]",
    // A transform column by column.
    "MUL r3, v@.x, c[C0]\nMAD r3, v@.y, c[C1], r3\nMAD r3, v@.z, c[C2], r3\nMAD r3, v@.w, c[C3], r3",
    // A normal, transformed and normalised.
    "DP3 r4.x, v@, c[C0]\nDP3 r4.y, v@, c[C1]\nDP3 r4.z, v@, c[C2]\nDP3 r5.w, r4, r4\nRSQ r5.w, r5.w\nMUL r4.xyz, r4, r5.w",
    // Diffuse and specular light.
    "DP3 r6.x, r4, c[C0]\nDP3 r6.y, r4, c[C1]\nMOV r6.w, c[C2].w\nLIT r7, r6\nMAD oD0, r7.y, c[C2], c[C2].w\nMUL oD1, r7.z, c[C3]",
    // The viewport of the console.
    "MUL oPos.xyz, r12, c[C0] + RCC r1.x, r12.w\nMAD oPos.xyz, r12, r1.x, c[C1]",
    // A bone of a skin.
    "ARL a0.x, v@.x\nDP4 r8.x, v@, c[a0 + C0]\nDP4 r8.y, v@, c[a0 + C1]\nDP4 r8.z, v@, c[a0 + C2]\nMAD r9, r8, v@.y, r9",
    // A clamp.
    "MAX r10, r10, c[C0].x\nMIN oD0, r10, c[C0].y",
    // A distance.
    "ADD r10.xyz, v@, -c[C0]\nDP3 r10.w, r10, r10\nRSQ r11.x, r10.w\nDST r11, r10.w, r11.x\nDP3 oFog, r11, c[C1]",
    "MOV oT0, v@",
    "MOV oT1.xy, v@",
];

/// A program in the making.
struct Writer {
    rare: u32,
    /// Temporaries written so far.
    written: Vec<u16>,
    /// The rows and attributes that this program likes.
    rows: [u16; 4],
    inputs: [u16; 4],
}

impl Writer {
    fn new(c: &mut Choices<'_>, rare: u32) -> Self {
        Writer {
            rare,
            written: Vec::new(),
            rows: std::array::from_fn(|_| c.below(180) as u16),
            inputs: std::array::from_fn(|_| c.below(16) as u16),
        }
    }

    fn rarely(&self, c: &mut Choices<'_>, percent: u32) -> bool {
        c.chance((percent + self.rare).min(90))
    }

    fn idiom(&mut self, c: &mut Choices<'_>) -> Vec<[u32; 4]> {
        let mut text = c.pick(IDIOMS).replace('@', &c.pick(&self.inputs).to_string());
        let row = c.pick(&self.rows);
        for offset in 0..4 {
            text = text.replace(&format!("C{offset}"), &(row + offset).to_string());
        }
        let program =
            asm::parse(Generation::Kelvin, &text).unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
        self.written.extend([2, 3, 4, 8, 10]);
        isa::encode(Generation::Kelvin, &program).as_chunks::<4>().0.to_vec()
    }

    fn slot(&mut self, c: &mut Choices<'_>) -> Fields {
        let (mut f, ours) = (Fields::default(), Generation::Kelvin);
        let (vec, sca) = match c.below(1000) {
            0..17 => (false, true),
            17..95 => (true, true),
            95..100 => (false, false),
            _ if self.rare > 0 && c.chance(self.rare / 2) => (c.chance(80), true),
            _ => (true, false),
        };
        let weight = |share: u16| u32::from(share) + if share < RARE { 2 * self.rare } else { 0 };
        if vec {
            let ours = VecOp::ALL.iter().filter(|op| op.since() == ours && op.kind() != Kind::Nothing);
            let mix: Vec<_> = ours.map(|op| (weight(op.share()), *op)).collect();
            f.vec_op = c.weighted(&mix).code().into();
            if self.rare > 0 && c.chance(1) {
                f.vec_op = 14 + c.below(2) as u16;
            }
        }
        if sca {
            let ours = ScaOp::ALL.iter().filter(|op| op.since() == ours && op.kind() != Kind::Nothing);
            let mix: Vec<_> = ours.map(|op| (weight(op.share()), *op)).collect();
            f.sca_op = c.weighted(&mix).code().into();
        }
        [f.src_a, f.src_b, f.src_c] = std::array::from_fn(|slot| self.source(c, slot));
        f.input = c.pick(&self.inputs);
        f.constant = c.pick(&self.rows) + c.below(4) as u16;
        if self.rarely(c, 2) {
            f.input = c.below(16) as u16;
            f.constant = c.below(256) as u16;
        }
        f.indexed = self.rarely(c, 6).into();
        self.destinations(c, &mut f, vec, sca);
        f
    }

    fn source(&mut self, c: &mut Choices<'_>, slot: usize) -> u16 {
        let temp_weight = if self.written.is_empty() { 2 } else { 45 };
        let mux = c.weighted(&[(25, INPUT), (30 + 10 * slot as u32, CONSTANT), (temp_weight, TEMP)]);
        let mut f = SourceFields { mux, ..SourceFields::default() };
        f.temp = match self.written.len() {
            _ if self.rarely(c, 4) => READ_BACK,
            0 => 0,
            count => self.written[c.below(count as u32) as usize],
        };
        if self.rare > 0 && c.chance(1) {
            (f.mux, f.temp) = (c.below(4) as u16, c.below(16) as u16);
        }
        [f.x, f.y, f.z, f.w] = match c.weighted(&[(60, 0), (25, 1), (15, 2)]) {
            0 => [0, 1, 2, 3],
            1 => [c.below(4) as u16; 4],
            _ => std::array::from_fn(|_| c.below(4) as u16),
        };
        f.negate = c.chance(10).into();
        f.pack() as u16
    }

    fn destinations(&mut self, c: &mut Choices<'_>, f: &mut Fields, vec: bool, sca: bool) {
        f.dst = c.below(12) as u16;
        if self.rare > 0 && c.chance(1) {
            f.dst = c.below(16) as u16;
        }
        f.out_buffer = 1;
        f.out_addr = 0xff;
        // Both results must go somewhere, or the operation is none.
        let to_output = c.chance(35);
        f.out_from_sca = if vec && sca { c.below(2) as u16 } else { sca.into() };
        let dual = self.rarely(c, 1);
        if to_output || dual {
            f.out_addr = c.pick(&[0, 0, 3, 4, FOG, 6, 9, 10, 11, 12]);
            f.out_mask = mask(c);
            if self.rarely(c, 0) {
                f.out_addr = c.below(16) as u16;
            }
        }
        let port_takes = |sca: bool| to_output && !dual && (f.out_from_sca != 0) == sca;
        f.vec_mask = if vec && !port_takes(false) { mask(c) } else { 0 };
        f.sca_mask = if sca && !port_takes(true) { mask(c) } else { 0 };
        // Writes of constants, some of them to rows that do not exist.
        if self.rare > 0 && c.chance(self.rare / 4) {
            f.out_buffer = 0;
            f.out_addr =
                if c.chance(5) { c.below(256) as u16 } else { c.pick(&self.rows) + c.below(4) as u16 };
            f.out_mask = mask(c);
        }
        let written = if vec {
            [Some(f.dst).filter(|_| f.vec_mask != 0), Some(1).filter(|_| f.sca_mask != 0)]
        } else {
            [Some(f.dst).filter(|_| f.sca_mask != 0), None]
        };
        self.written.extend(written.into_iter().flatten().filter(|&register| register < READ_BACK));
    }
}

fn mask(c: &mut Choices<'_>) -> u16 {
    match c.below(4) {
        0 | 1 => ALL,
        2 => 1 << c.below(4),
        _ => 1 + c.below(15) as u16,
    }
}
