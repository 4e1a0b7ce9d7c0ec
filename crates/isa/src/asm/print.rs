//! Assembler text of decoded programs, in the grammar of [`parse`](super::parse()): reading it back gives the same
//! program.

use std::collections::BTreeSet;
use std::fmt;

use crate::isa::op::VecOp;
use crate::isa::{Generation, PairedScalar, Reading};
use crate::isa::{Insn, Program};
use insn::Text;

pub(super) mod insn;

/// The text of a program, slot by slot.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Listing {
    /// Directives before the first slot.
    pub before: Vec<String>,
    /// The slots, from [`Program::first`] on.
    pub slots: Vec<SlotText>,
    /// Directives after the last slot.
    pub after: Vec<String>,
}

/// The text of a slot.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SlotText {
    /// The name of the slot, if branches go to it.
    pub label: Option<String>,
    /// The instruction, and END if it is not the program's last one.
    pub text: String,
}

impl fmt::Display for Listing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.before {
            writeln!(f, "{line}")?;
        }
        for SlotText { label, text } in &self.slots {
            if let Some(label) = label {
                writeln!(f, "{label}:")?;
            }
            writeln!(f, "{text}")?;
        }
        for line in &self.after {
            writeln!(f, "{line}")?;
        }
        Ok(())
    }
}

/// The text of a program, one instruction a line.
pub fn print(generation: Generation, program: &Program) -> String {
    print_as(generation, Reading::default(), program)
}

/// As [`print()`], for a program that [`decode_as`](crate::isa::decode_as) has read in this way. If this is not the default reading, the
/// text says so, and [`parse`](super::parse()) gives the program back.
pub fn print_as(generation: Generation, reading: Reading, program: &Program) -> String {
    listing_as(generation, reading, program).to_string()
}

/// The text of one instruction, without a line end. It does not include END, which the last instruction of a text implies. Branches name
/// slots by number.
pub fn print_insn(generation: Generation, insn: &Insn) -> String {
    Text { generation, insn, labels: &BTreeSet::new() }.to_string()
}

/// The text of a program, slot by slot.
pub fn listing(generation: Generation, program: &Program) -> Listing {
    listing_as(generation, Reading::default(), program)
}

/// The lines of [`print_as`], slot by slot.
pub fn listing_as(generation: Generation, reading: Reading, program: &Program) -> Listing {
    let Program { insns, first, start, unterminated } = program;
    let labels = program.labels();
    let mut listing = Listing::default();
    // Of the other choices of a reading the text says what they come to: which test a branch has, which opcodes there are.
    let pairs = |insn: &Insn| insn.vec != VecOp::Nop && !insn.sca_dst.mask.is_empty();
    if generation == Generation::Rankine
        && reading.paired != PairedScalar::default()
        && insns.iter().any(pairs)
    {
        listing.before.push(format!(".paired {}", reading.paired.name()));
    }
    if first != start {
        listing.before.push(format!(".first {first}"));
    }
    if first != start || *start != 0 {
        listing.before.push(format!(".start {start}"));
    }
    for (slot, insn) in (*first..).zip(insns) {
        let label = u16::try_from(slot).ok().filter(|slot| labels.contains(slot)).map(label);
        let mut text = Text { generation, insn, labels: &labels }.to_string();
        if insn.end && slot + 1 < first + insns.len() {
            text += " + END";
        }
        listing.slots.push(SlotText { label, text });
    }
    if *unterminated {
        listing.after.push(".noend".to_owned());
    }
    listing
}

/// The printed name of a slot.
fn label(slot: u16) -> String {
    format!("L{slot}")
}
