//! Code for AArch64 as instructions: those that control reaches, and the places that jumps lead to.
//!
//! There is a table of our own ([`rows`]), since it is short: what no row fits is refused.

mod row;
mod rows;
#[cfg(all(test, any(feature = "cross", target_arch = "aarch64")))]
pub(super) mod tests;
#[cfg(feature = "testing")]
mod text;

use super::contract::Convention;
use super::steps::{self, Decoded, Fault, Flow, Head, Step};
use row::Row;
pub(super) use row::{Access, Bank, Bound, Does, Immediate, Moved};
use rows::ROWS;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::LazyLock;
#[cfg(feature = "testing")]
pub(in super::super) use text::texts;

/// Bytes of an instruction.
const BYTES: u64 = 4;

/// An instruction in its place.
#[derive(Clone, Copy)]
pub(super) struct Insn {
    pub(super) at: u32,
    pub(super) word: u32,
    row: &'static Row,
}

/// The condition that a signed number is greater.
const GREATER: u32 = 12;

impl steps::Insn for Insn {
    /// That of Arm's procedure calls (AAPCS64, 6.1). A register that is the platform's is left alone, and so is the link register, which the
    /// code returns by.
    const CONVENTION: &'static Convention = &Convention {
        arguments: [0, 1, 2, 3],
        result: 0,
        stack: 31,
        saved: &[18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30],
        saved_vectors: 8..16,
        return_bytes: 0,
        frame_bytes: 2 * size_of::<u64>(),
    };

    fn at(&self) -> u64 {
        self.at.into()
    }

    fn target(&self) -> u64 {
        self.at().wrapping_add_signed(self.signed().wrapping_mul(BYTES as i64))
    }

    fn text(&self) -> String {
        format!("{:08x}, {}", self.word, self.row.text)
    }
}

impl Insn {
    /// The instruction of a word, if a row has it.
    pub(super) fn of(at: u32, word: u32) -> Option<Insn> {
        /// Rows by the highest bits of words.
        static BY_HIGHEST: LazyLock<Vec<Vec<&Row>>> = LazyLock::new(|| {
            let fit = |highest: u32| {
                let has = |row: &&Row| (highest << 24 ^ row.bits) & row.mask & 0xff << 24 == 0;
                ROWS.iter().filter(has).collect()
            };
            (0..256).map(fit).collect()
        });
        let row = BY_HIGHEST[(word >> 24) as usize].iter().find(|row| row.fits(word))?;
        let insn = Insn { at, word, row };
        let is_reserved = matches!(insn.does(), Does::Repeated { .. }) && insn.number(None).is_none();
        (!is_reserved).then_some(insn)
    }

    pub(super) fn does(&self) -> Does {
        self.row.does
    }

    const fn field(&self, at: u32) -> usize {
        (self.word >> at & 31) as usize
    }

    /// The numbers of registers: of the result, or of what is stored; of the first and second operand; of a third one.
    pub(super) const fn d(&self) -> usize {
        self.field(0)
    }

    pub(super) const fn n(&self) -> usize {
        self.field(5)
    }

    pub(super) const fn m(&self) -> usize {
        self.field(16)
    }

    pub(super) const fn a(&self) -> usize {
        self.field(10)
    }

    /// The bits of the immediate, one behind the other.
    pub(super) fn immediate(&self) -> u32 {
        let (mut bits, mut mask, mut place) = (0, self.row.immediate, 0);
        while mask != 0 {
            bits |= (self.word >> mask.trailing_zeros() & 1) << place;
            (mask, place) = (mask & (mask - 1), place + 1);
        }
        bits
    }

    /// The immediate as a number with a sign.
    pub(super) fn signed(&self) -> i64 {
        let unused = (i64::BITS - self.row.immediate.count_ones()).min(i64::BITS - 1);
        i64::from(self.immediate()) << unused >> unused
    }

    /// Whether it does nothing but compute a vector of what is in vector registers, or of itself. What is written to a register whose lower half
    /// the caller gets back has to be looked at.
    fn is_of_vectors(&self) -> bool {
        let is_plain = match self.does() {
            Does::One(_) | Does::Two(_) | Does::Three | Does::Or | Does::Literally(_) => true,
            Does::Move(moved) => match moved {
                Moved::ZipLow | Moved::ZipHigh | Moved::Even | Moved::Odd => true,
                Moved::LowHalves | Moved::HighHalves => true,
                Moved::SpreadWord | Moved::SpreadPair | Moved::Word => true,
                Moved::ToInteger | Moved::SpreadInteger | Moved::SpreadInteger64 => false,
                Moved::OfInteger(_) | Moved::Insert(_) => false,
            },
            _ => false,
        };
        is_plain && !<Insn as steps::Insn>::CONVENTION.saved_vectors.contains(&(self.d() as u8))
    }

    /// The condition of a branch.
    pub(super) const fn condition(&self) -> u32 {
        self.word & 15
    }

    /// The number that an instruction leaves in its register, if it is one that puts numbers there; of what has been there before.
    pub(super) fn number(&self, before: Option<u64>) -> Option<u64> {
        let shift = 16 * (self.word >> 21 & 3);
        let value = u64::from(self.immediate()) << shift;
        let (bits, number) = match self.does() {
            Does::Wide { bits, inverted } => (bits, if inverted { !value } else { value }),
            Does::Keep { bits } => (bits, before? & !(0xffff << shift) | value),
            Does::Repeated { bits } => (bits, repeated(self.immediate())?),
            _ => return None,
        };
        Some(if bits == 64 { number } else { number & u64::from(u32::MAX) })
    }

    /// The words that [`Does::Literally`] writes: those of even numbers, and those of odd ones.
    pub(super) fn words(&self, immediate: Immediate) -> [u32; 2] {
        let bits = self.immediate();
        let byte = match immediate {
            Immediate::Shifted | Immediate::ShiftedInverted => bits >> 7 << 5 | bits & 31,
            Immediate::Ones | Immediate::OnesInverted | Immediate::Halves => bits >> 6 << 5 | bits & 31,
            Immediate::Bytes | Immediate::Masks | Immediate::Float => bits,
        };
        let shift = 8 * (bits >> 5 & 3);
        let ones = 8 + 8 * (bits >> 5 & 1);
        let word = match immediate {
            Immediate::Shifted => byte << shift,
            Immediate::ShiftedInverted => !(byte << shift),
            Immediate::Ones => byte << ones | ((1 << ones) - 1),
            Immediate::OnesInverted => !(byte << ones | ((1 << ones) - 1)),
            Immediate::Halves => (byte << (8 * (bits >> 5 & 1))) * 0x0001_0001,
            Immediate::Bytes => byte * 0x0101_0101,
            Immediate::Masks => {
                let word = |bits: u32| (0..4).map(|at| ((bits >> at & 1) * 0xff) << (8 * at)).sum();
                return [word(byte), word(byte >> 4)];
            }
            Immediate::Float => {
                let exponent = if byte & 0x40 != 0 { 0x1f << 25 } else { 1 << 30 };
                (byte & 0x80) << 24 | exponent | (byte & 0x3f) << 19
            }
        };
        [word; 2]
    }
}

/// The ones that an immediate of logical instructions stands for: so many, turned to the right, in elements of a power of two of bits.
fn repeated(bits: u32) -> Option<u64> {
    let (is_whole, turned, ones) = (bits >> 12 & 1, bits >> 6 & 63, bits & 63);
    // The highest zero says how long an element is.
    let size = 1 << (is_whole << 6 | !ones & 63).checked_ilog2().filter(|&log| log > 0)?;
    let (turned, ones) = (turned & (size - 1), ones & (size - 1));
    if ones == size - 1 {
        return None;
    }
    let element = u64::MAX >> (u64::BITS - 1 - ones);
    let whole = u64::MAX >> (u64::BITS - size);
    let element = if turned == 0 { element } else { element >> turned | element << (size - turned) } & whole;
    Some((0..u64::BITS / size).fold(0, |all, number| all | element << (number * size)))
}

/// Decodes the instructions that control reaches.
pub(super) fn decode(bytes: &[u8]) -> Result<Decoded<Insn>, Fault> {
    let words = bytes.as_chunks::<4>().0;
    let mut decoding = Decoding {
        words,
        known: vec![false; words.len()],
        waiting: BTreeSet::from([0]),
        heads: BTreeMap::from([(0, Head::new(0))]),
        steps: Vec::with_capacity(words.len()),
    };
    while let Some(start) = decoding.waiting.pop_first() {
        decoding.run(start)?;
    }
    let Decoding { known, heads, steps, .. } = decoding;
    let end = steps.iter().map(|step| u64::from(step.insn.at) + BYTES).max().unwrap_or(0);
    Ok(Decoded::new(steps, heads.into_values(), end, literals(&known, bytes.len())))
}

/// Where no instruction is.
fn literals(known: &[bool], bytes: usize) -> Vec<Range<u64>> {
    let mut literals: Vec<Range<u64>> = Vec::new();
    for (number, _) in known.iter().enumerate().filter(|&(_, &is_insn)| !is_insn) {
        let own = number as u64 * BYTES..(number as u64 + 1) * BYTES;
        match literals.last_mut() {
            Some(last) if last.end == own.start => last.end = own.end,
            _ => literals.push(own),
        }
    }
    literals.iter_mut().for_each(|range| range.end = range.end.min(bytes as u64));
    literals
}

struct Decoding<'a> {
    words: &'a [[u8; 4]],
    /// Whether an instruction is there.
    known: Vec<bool>,
    waiting: BTreeSet<u64>,
    heads: BTreeMap<u64, Head>,
    steps: Vec<Step<Insn>>,
}

impl Decoding<'_> {
    /// Decodes up to where control goes elsewhere, or where instructions are known already.
    fn run(&mut self, start: u64) -> Result<(), Fault> {
        let (mut at, mut compares_frame) = (start, false);
        loop {
            let fault = |why: &str| Fault::new(at, why);
            let index = usize::try_from(at / BYTES).unwrap_or(usize::MAX);
            let (Some(word), Some(known)) = (self.words.get(index), self.known.get_mut(index)) else {
                return Err(fault("control leaves the code"));
            };
            if std::mem::replace(known, true) {
                return Ok(());
            }
            let place = u32::try_from(at).map_err(|_| fault("control leaves the code"))?;
            let word = u32::from_le_bytes(*word);
            let insn =
                Insn::of(place, word).ok_or_else(|| fault(&format!("{word:08x} is not on the list")))?;
            let flow = match insn.does() {
                Does::Jump => Flow::Jump,
                Does::Branch => Flow::Branch,
                Does::Return => Flow::Return,
                _ => Flow::Next,
            };
            let is_probe = compares_frame && flow == Flow::Branch && insn.condition() == GREATER;
            self.steps.push(Step { insn, flow, is_of_vectors: insn.is_of_vectors(), is_probe });
            let target = steps::Insn::target(&insn);
            match flow {
                Flow::Branch if is_probe => {
                    let is_known =
                        usize::try_from(target / BYTES).is_ok_and(|to| self.known.get(to) == Some(&true));
                    if target >= at || !is_known {
                        return Err(Fault::of(&insn, "the stack is probed elsewhere"));
                    }
                }
                Flow::Branch | Flow::Jump => {
                    self.heads.entry(target).or_insert(Head::new(target)).come_from(at, flow);
                    self.waiting.insert(target);
                }
                _ => {}
            }
            if matches!(flow, Flow::Jump | Flow::Return) {
                return Ok(());
            }
            compares_frame = insn.does() == Does::CompareNegated;
            at += BYTES;
        }
    }
}
