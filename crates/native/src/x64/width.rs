//! Widths of code: how many lanes a vector has, and with which instructions.
//!
//! A width is one implementation of [`Lanes`] with its [`Facts`], in a file of its own, and a row of `widths!`. The emitter asks the
//! implementation wherever widths differ; nothing else names a width. None of the methods has a default and facts are written out,
//! so that a width that lacks something does not compile. What two widths share is a function that both call (`eight_lanes`).

mod eight;
mod eight_evex;
mod eight_lanes;
mod sixteen;

use super::super::instructions::InstructionSet;
use super::asm::{Arg, Assembler, Source};
use super::emit::Emitter;
use super::lookups::Permutes;
use super::rows::Rows;
use super::table::{Column, Insn};
use crate::ir::func::Func;
use crate::machine::Machine;
use iced_x86::Register;
use xfjit_runtime::lookup::Table;

macro_rules! widths {
    ($($(#[$doc:meta])* $name:ident = $module:ident;)*) => {
        /// How many lanes a vector has, and with which instructions.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Width {
            $($(#[$doc])* $name,)*
        }

        impl Width {
            /// All widths, narrow ones first.
            pub const ALL: &[Width] = &[$(Width::$name),*];

            /// What is known of it.
            #[inline]
            pub(super) const fn facts(self) -> &'static Facts {
                match self {
                    $(Width::$name => &$module::FACTS,)*
                }
            }

            /// What the emitter leaves to it.
            #[inline]
            pub(super) const fn implementation(self) -> &'static dyn Lanes {
                match self {
                    $(Width::$name => &$module::$name,)*
                }
            }
        }
    };
}

widths! {
    /// Eight lanes: AVX2, 16 registers.
    Eight = eight;
    /// Eight lanes, where constants are words that instructions of AVX-512 (VL) broadcast: calls with few vertices begin sooner, since
    /// the prologue has no vectors of them to store.
    EightEvex = eight_evex;
    /// Sixteen lanes: AVX-512 (F, DQ, VL, BW), 32 registers.
    Sixteen = sixteen;
}

/// What is known of a width.
pub(super) struct Facts {
    /// The name of the back end.
    pub(super) name: &'static str,
    /// Vertices of a group, which is one vector.
    pub(super) lanes: usize,
    /// Whether code works on a last group of fewer vertices. If not, calls have a group at least, and end with a whole one.
    pub(super) has_tails: bool,
    /// The instruction set that has its instructions.
    pub(super) instructions: InstructionSet,
    /// The width for batches that are too small for this one.
    pub(super) narrower: Option<Width>,
    /// What passes have to know.
    pub(super) machine: Machine,
    /// Vector registers, and the first of them: all of it, and half.
    pub(super) registers: u8,
    pub(super) first: Register,
    pub(super) first_half: Register,
    /// The columns of the [`table`](super::table) in which an instruction on its vectors is looked for, in this order.
    pub(super) whole: &'static [Column],
    /// Those of instructions on the lowest eight lanes, and on the lowest four.
    pub(super) eight: Column,
    pub(super) four: Column,
    /// Whether instructions read constants where they are, a word for all lanes.
    pub(super) reads_constants: bool,
    /// Whether one instruction chooses lanes by the signs of a mask, if that is all ones or all zeros in each.
    pub(super) chooses_by_signs: bool,
    /// How many literals have registers of their own, each of which leaves a register less to values: where nothing accumulates
    /// guards, and where something does.
    pub(super) literals: [usize; 2],
    /// Whether streams stay open from one group to the next. (Where few vertices are run, saving registers takes longer than what is
    /// gained.)
    pub(super) keeps_streams_open: bool,
    /// Whether adjacent attributes are loaded together.
    pub(super) loads_adjacent: bool,
}

/// What widths do each in their own way.
pub(super) trait Lanes: Sync {
    /// A constant with the same word in each lane.
    fn word(&self, asm: &mut Assembler, word: u32) -> Source;

    /// A constant with the same two words in each two lanes.
    fn pair(&self, asm: &mut Assembler, pair: [u32; 2]) -> Arg;

    /// Slots of scratch memory for so many values that the prologue leaves for the body.
    fn uniform_slots(&self, values: u16) -> u16;

    /// Where such a value is.
    fn uniform(&self, emitter: &Emitter<'_>, number: u16) -> Source;

    /// Stores one from a register.
    fn store_uniform(&self, emitter: &mut Emitter<'_>, number: u16, register: u8);

    /// The mask registers that values of a function may be in.
    fn mask_registers(&self, func: &Func) -> &'static [Register];

    /// Sets what is in registers as long as a function runs.
    fn begin(&self, emitter: &mut Emitter<'_>);

    /// Compares a register with zero, for a jump.
    fn test(&self, emitter: &mut Emitter<'_>, register: u8);

    /// Compares floats by a predicate; the result is a vector of masks.
    fn compare_floats(&self, emitter: &mut Emitter<'_>, predicate: u32, to: u8, operands: [Source; 2]);

    /// Compares integers by an instruction; the result is a vector of masks.
    fn compare_integers(&self, emitter: &mut Emitter<'_>, insn: Insn, to: u8, operands: [Source; 2]);

    /// Raises a guard where one of the floats in two registers is a NaN; the first is lost.
    fn raise_unordered(&self, emitter: &mut Emitter<'_>, registers: [u8; 2]);

    /// Raises a guard where integers compare so, by way of a register.
    fn raise_integers(&self, emitter: &mut Emitter<'_>, insn: Insn, by: u8, operands: [Source; 2]);

    /// Looks for NaNs in two rows; those found go to the lowest four lanes of a register, or to a mask, beside others unless these are
    /// the first rows.
    fn find_unordered(&self, emitter: &mut Emitter<'_>, is_first: bool, found: u8, rows: [u8; 2]);

    /// Makes what has been found a vector of masks.
    fn spread_found(&self, emitter: &mut Emitter<'_>, found: u8);

    /// Bits of one of two operands, by those of a mask; whether the mask is all ones or all zeros in each lane.
    fn select(&self, emitter: &mut Emitter<'_>, to: u8, is_by_lanes: bool, mask: Source, chosen: [Source; 2]);

    /// Replaces the lanes of a register that are in a mask.
    fn blend(&self, emitter: &mut Emitter<'_>, to: u8, mask: u8, source: Source);

    /// Replaces the odd lanes of a register by those of another.
    fn blend_odd(&self, emitter: &mut Emitter<'_>, to: u8, odd: u8);

    /// The upper half of a register, at the beginning of another one.
    fn upper_half(&self, emitter: &mut Emitter<'_>, to: u8, from: u8);

    /// The lower words of doubles.
    fn low_words(&self, emitter: &mut Emitter<'_>, to: u8, low: Source, high: Source);

    /// Loads rows of all lanes: a register gets every fourth, the first those of lanes 0, 4, ..
    fn load_rows(&self, emitter: &mut Emitter<'_>, rows: Rows, registers: [u8; 4]);

    /// Whether rows are so short that their words are loaded each to its lane.
    fn is_packed(&self, rows: Rows) -> bool;

    /// Brings the offsets of rows of a table to the order in which these are loaded.
    fn order_offsets(&self, emitter: &mut Emitter<'_>, offsets: u8);

    /// Moves the next four lanes of a register to the lowest ones.
    fn next_four(&self, emitter: &mut Emitter<'_>, register: u8);

    /// How these columns of a table are looked up without loading rows; by rows, if nothing is returned.
    fn permutes(&self, table: Table, wanted: [bool; 4]) -> Option<Permutes>;
}

impl Width {
    /// Vertices of a group, which is one vector.
    pub const fn lanes(self) -> usize {
        self.facts().lanes
    }

    /// Whether code works on a last group of fewer vertices. Where vectors are longer there is shorter code beside it, for
    /// batches that it would not fill.
    pub const fn has_tails(self) -> bool {
        self.facts().has_tails
    }

    /// The name of the back end.
    pub const fn name(self) -> &'static str {
        self.facts().name
    }

    /// The instruction set that has it.
    pub const fn instructions(self) -> InstructionSet {
        self.facts().instructions
    }

    /// The width for batches that are too small for this one.
    pub const fn narrower(self) -> Option<Width> {
        self.facts().narrower
    }

    /// What passes have to know.
    pub const fn machine(self) -> Machine {
        self.facts().machine
    }

    /// The width of the vectors of an instruction set, if it has some that are wide: the widest of those that need all of it.
    pub fn of(instructions: InstructionSet) -> Option<Width> {
        Width::ALL.iter().copied().rfind(|width| width.instructions() == instructions)
    }

    /// Whether this machine has it.
    pub fn is_here(self) -> bool {
        self.instructions().check_host().is_ok()
    }
}
