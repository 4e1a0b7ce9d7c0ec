//! The table of instructions: one row for each, and what can be asked of a row.
//!
//! The emitter names an instruction ([`Insn`]) and where its vectors stand ([`Column`]); the encoder takes the bytes from the row.
//! Tests compare each column of each row with
//! what iced knows: bytes, features, and operands that are read and written.

use super::args::Source;
use super::encode::{Form, Immediate, Prefix, Shape};
use cells::COLUMNS;
use iced_x86::Code;

/// What is known of an instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    /// What stands for a mandatory prefix: 66, F3, F2.
    mandatory: u32,
    /// The bytes before the opcode.
    map: u32,
    opcode: u8,
    /// W: with VEX or without a prefix, and with EVEX.
    wide: [u8; 2],
    shape: Shape,
    immediate: Immediate,
    /// Whether memory may stand in for an operand.
    pub(crate) memory: Memory,
    /// What is done with operands, immediates excepted. A mask makes what is written under it read as well, unless it clears.
    #[allow(
        dead_code,
        reason = "tests compare it with the processor's manuals as iced has them; no checker asks yet"
    )]
    pub(crate) accesses: &'static [Access],
    /// What is done with the processor's flags.
    #[allow(
        dead_code,
        reason = "tests compare it with the processor's manuals as iced has them; no checker asks yet"
    )]
    pub(crate) flags: Flags,
    /// With VEX, and with EVEX.
    #[allow(
        dead_code,
        reason = "tests compare it with the processor's manuals as iced has them; no checker asks yet"
    )]
    features: [Feature; 2],
    codes: [Option<Code>; COLUMNS],
}

impl Row {
    /// What iced calls the instruction in a column.
    #[cfg(test)]
    pub(crate) const fn code(&self, column: Column) -> Option<Code> {
        self.codes[column as usize]
    }

    /// What is done with an operand; immediates are read.
    #[cfg(test)]
    pub(crate) fn access(&self, operand: usize) -> Access {
        self.accesses.get(operand).copied().unwrap_or(Access::R)
    }

    /// What kinds of operands there are, and where they are encoded; which digit stands for a register does not matter.
    #[cfg(feature = "testing")]
    pub(crate) fn operands(&self) -> (Shape, Immediate, usize, bool) {
        let without_digit = |shape| match shape {
            Shape::VexRm(_) => Shape::VexRm(0),
            Shape::Rm(_) => Shape::Rm(0),
            Shape::Alone | Shape::RegRm | Shape::RmReg | Shape::RegVexRm | Shape::Opcode | Shape::Branch => {
                shape
            }
        };
        let shape = without_digit(self.shape);
        (shape, self.immediate, self.accesses.len(), self.memory == Memory::Never)
    }

    /// The operand for which memory may stand in, in a column.
    pub(crate) const fn memory_operand(&self, column: Column) -> Option<usize> {
        match (self.memory, self.shape, column.prefix()) {
            (Memory::Never, ..) | (_, Shape::Alone | Shape::Opcode | Shape::Branch, _) => None,
            // Shifts by a number take no memory with VEX.
            (_, Shape::VexRm(_), Prefix::Legacy | Prefix::Vex) => None,
            (_, Shape::RmReg | Shape::Rm(_), _) => Some(0),
            (_, Shape::RegRm | Shape::VexRm(_), _) => Some(1),
            (_, Shape::RegVexRm, _) => Some(2),
        }
    }

    /// Bytes of the element that an instruction may read for all lanes in a column; 0 if it may not.
    pub(crate) const fn element(&self, column: Column) -> u8 {
        match (self.memory, column.prefix()) {
            (Memory::Full(bytes) | Memory::Half(bytes), Prefix::Evex) => bytes,
            _ => 0,
        }
    }

    /// Bytes of what is read or written in memory in a column.
    pub(crate) const fn bytes(&self, column: Column) -> u32 {
        match self.memory {
            Memory::Never => 0,
            Memory::Full(_) | Memory::Whole => column.bits() / 8,
            Memory::Half(_) => column.bits() / 16,
            Memory::Part(bytes) | Memory::Scalar(bytes) => bytes as u32,
        }
    }

    /// The features that the encoding of a column needs.
    #[cfg(test)]
    pub(crate) const fn features(&self, column: Column) -> [Feature; 2] {
        let [vex, evex] = self.features;
        match column {
            Column::Plain => [Feature::No; 2],
            Column::V128 if matches!(vex, Feature::Avx2) => [Feature::Avx, Feature::No],
            Column::V128 | Column::V256 => [vex, Feature::No],
            Column::E128 | Column::E256 if !matches!(self.memory, Memory::Scalar(_)) => [evex, Feature::Vl],
            Column::E128 | Column::E256 | Column::E512 => [evex, Feature::No],
        }
    }

    /// How the bytes of a column are made.
    const fn form(&self, column: Column) -> Form {
        let prefix = column.prefix();
        let is_evex = matches!(prefix, Prefix::Evex);
        let bytes = self.bytes(column);
        Form {
            prefix,
            map: match self.map {
                0x0f => 1,
                0x0f38 => 2,
                0x0f3a => 3,
                _ => 0,
            },
            mandatory: match self.mandatory {
                0x66 => 1,
                0xf3 => 2,
                0xf2 => 3,
                _ => 0,
            },
            is_wide: self.wide[is_evex as usize] == 1,
            length: (column.bits() / 128).ilog2() as u8,
            opcode: self.opcode,
            shape: self.shape,
            immediate: self.immediate,
            has_memory: self.memory_operand(column).is_some(),
            unit: if is_evex && bytes != 0 { bytes.ilog2() as u8 } else { 0 },
            element: if self.element(column) == 0 { 0 } else { self.element(column).ilog2() as u8 },
        }
    }
}

/// The columns of a row in the source: the mandatory prefix, bytes before the opcode, the opcode, W with VEX and with EVEX, where operands are encoded, the immediate;
/// memory, accesses of operands and of flags, features with VEX and with EVEX; the encodings that are used.
macro_rules! instructions {
    ($($insn:ident = $mandatory:literal $map:literal $opcode:literal $vex_w:literal/$evex_w:literal, $shape:expr, $immediate:ident,
        $memory:expr, [$($access:ident)*] $flags:ident, $vex:ident $evex:ident: $($column:ident=$code:ident)*;)*) => {
        /// An instruction that code here is made of. EVEX has other mnemonics for some (`vpandd`, `vinsertf32x4`, `vrndscaleps`).
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum Insn {
            $(#[doc = concat!("The row of `", stringify!($insn), "`.")] $insn,)*
        }

        /// All rows, in the order of [`Insn`].
        pub(crate) static ROWS: &[Row] = {
            use Access::{N, R, RW, W};
            use Memory::{Full, Half, Never, Part, Scalar, Whole};
            use Shape::{Alone, Branch, Opcode, RegRm, RegVexRm, Rm, RmReg, VexRm};
            &[$(Row {
                mandatory: $mandatory,
                map: $map,
                opcode: $opcode,
                wide: [$vex_w, $evex_w],
                shape: $shape,
                immediate: Immediate::$immediate,
                memory: $memory,
                accesses: &[$($access),*],
                flags: Flags::$flags,
                features: [Feature::$vex, Feature::$evex],
                codes: {
                    let mut codes = [None; COLUMNS];
                    $(codes[Column::$column as usize] = Some(Code::$code);)*
                    codes
                },
            },)*]
        };

        /// All instructions.
        #[cfg(any(test, feature = "testing"))]
        pub(crate) static ALL: &[Insn] = &[$(Insn::$insn),*];
    };
}

mod cells;
mod rows;

pub(crate) use cells::{Access, Column, Feature, Flags, Memory};
#[cfg(any(test, feature = "testing"))]
pub(crate) use rows::ALL;
pub(crate) use rows::{Insn, ROWS};

/// An encoding of a row, ready for the encoder.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Encoding {
    /// What iced calls it.
    pub(crate) code: Code,
    pub(super) form: Form,
}

impl Encoding {
    /// Whether the operand for which memory may stand in may be this.
    #[inline]
    pub(super) fn reads(&self, source: Source) -> bool {
        match source {
            Source::Register(_) => true,
            Source::Memory(..) | Source::Constant(..) => self.form.has_memory,
            Source::Scalar(..) | Source::ScalarConstant(_) => self.form.element != 0,
        }
    }
}

/// How many encodings all rows have.
const COUNT: usize = {
    let (mut count, mut row) = (0, 0);
    while row < ROWS.len() {
        let mut column = 0;
        while column < COLUMNS {
            count += ROWS[row].codes[column].is_some() as usize;
            column += 1;
        }
        row += 1;
    }
    assert!(count < 256 && ROWS.len() < 256, "numbers are bytes");
    count
};

/// For each row and column the number of its encoding, counted from 1; 0 where there is none.
static PLACES: [[u8; COLUMNS]; ROWS.len()] = {
    let (mut places, mut count, mut row) = ([[0; COLUMNS]; ROWS.len()], 0, 0);
    while row < ROWS.len() {
        let mut column = 0;
        while column < COLUMNS {
            if ROWS[row].codes[column].is_some() {
                count += 1;
                places[row][column] = count;
            }
            column += 1;
        }
        row += 1;
    }
    places
};

/// All encodings, row by row.
static ENCODINGS: [Encoding; COUNT] = {
    let first = Encoding { code: Code::INVALID, form: ROWS[0].form(Column::Plain) };
    let (mut all, mut count, mut row) = ([first; COUNT], 0, 0);
    while row < ROWS.len() {
        let mut column = 0;
        while column < COLUMNS {
            if let Some(code) = ROWS[row].codes[column] {
                all[count] = Encoding { code, form: ROWS[row].form(Column::ALL[column]) };
                count += 1;
            }
            column += 1;
        }
        row += 1;
    }
    all
};

/// The length of [`INDEX`].
#[cfg(test)]
const CODES: usize = {
    let (mut codes, mut number) = (0, 0);
    while number < COUNT {
        if codes <= ENCODINGS[number].code as usize {
            codes = ENCODINGS[number].code as usize + 1;
        }
        number += 1;
    }
    codes
};

/// For each code the number of its row, counted from 1; 0 if none has it.
#[cfg(test)]
static INDEX: [u8; CODES] = {
    let (mut index, mut row) = ([0; CODES], 0);
    while row < ROWS.len() {
        let mut column = 0;
        while column < COLUMNS {
            if let Some(code) = ROWS[row].codes[column] {
                assert!(index[code as usize] == 0, "a code is in two rows");
                index[code as usize] = row as u8 + 1;
            }
            column += 1;
        }
        row += 1;
    }
    index
};

impl Insn {
    /// Its row.
    #[inline]
    #[cfg(test)]
    pub(crate) fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }

    /// Its encoding in a column.
    #[inline]
    pub(crate) fn at(self, column: Column) -> Option<&'static Encoding> {
        ENCODINGS.get(usize::from(PLACES[self as usize][column as usize]).wrapping_sub(1))
    }

    /// Its encoding in the first column that has one: the only one of an instruction without vectors.
    #[inline]
    pub(crate) fn sole(self) -> Option<&'static Encoding> {
        let number = PLACES[self as usize].into_iter().find(|&number| number != 0)?;
        ENCODINGS.get(usize::from(number).wrapping_sub(1))
    }
}

/// What iced calls each encoding.
#[cfg(feature = "testing")]
pub(super) fn codes() -> impl Iterator<Item = Code> {
    ENCODINGS.iter().map(|encoding| encoding.code)
}

/// The row of a decoded instruction; nothing if no code here is made of it.
#[inline]
#[cfg(test)]
pub(crate) fn find(code: Code) -> Option<(Insn, &'static Row)> {
    let number = INDEX.get(code as usize).copied().unwrap_or_default();
    let row = usize::from(number).checked_sub(1)?;
    Some((ALL[row], &ROWS[row]))
}

#[cfg(test)]
mod tests;
