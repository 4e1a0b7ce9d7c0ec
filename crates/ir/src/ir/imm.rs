//! Immediates: the typed contents of the immediate word of an instruction.
//!
//! An instruction holds the packed word ([`super::Inst::imm`]), so that all instructions have one size and can be compared.
//! Packing and unpacking are defined here only.

use super::properties::Imm;
use xfjit_runtime::lookup::Table;

/// A type that packs into an immediate word.
pub trait Immediate {
    /// The word.
    fn pack(self) -> u32;

    /// The contents of a word.
    fn unpack(word: u32) -> Self;
}

/// A pattern, or a count of bits.
impl Immediate for u32 {
    fn pack(self) -> u32 {
        self
    }

    fn unpack(word: u32) -> Self {
        word
    }
}

/// A number: of a register, a row, a component, a block or a cell.
impl Immediate for usize {
    fn pack(self) -> u32 {
        self as u32
    }

    fn unpack(word: u32) -> Self {
        word as usize
    }
}

/// One component of a row: of an attribute or of a constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Element {
    /// IBUF register or XFCTX row.
    pub row: usize,
    /// 0..=3.
    pub component: usize,
}

impl Element {
    /// The components of a row, in order.
    pub fn of_row(row: usize) -> [Element; 4] {
        [0, 1, 2, 3].map(|component| Element { row, component })
    }
}

impl Immediate for Element {
    fn pack(self) -> u32 {
        (4 * self.row + self.component) as u32
    }

    fn unpack(word: u32) -> Self {
        Element { row: word as usize / 4, component: word as usize % 4 }
    }
}

/// A column of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Column {
    /// The table.
    pub table: Table,
    /// 0..=3.
    pub column: usize,
}

impl Column {
    /// Whether a word names a column of a table that there is.
    pub fn exists(word: u32) -> bool {
        (word as usize) < 4 * Table::ALL.len()
    }
}

impl Immediate for Column {
    fn pack(self) -> u32 {
        4 * self.table as u32 + self.column as u32
    }

    /// # Panics
    /// If there is no such table, which the verifier excludes.
    fn unpack(word: u32) -> Self {
        Column { table: Table::ALL[word as usize / 4], column: word as usize % 4 }
    }
}

/// An attribute that is copied to an output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Passed {
    /// The IBUF register that is read.
    pub attribute: usize,
    /// The TBUF register that is written.
    pub output: usize,
}

impl Immediate for Passed {
    fn pack(self) -> u32 {
        (self.output << 8 | self.attribute) as u32
    }

    fn unpack(word: u32) -> Self {
        Passed { attribute: word as usize & 255, output: word as usize >> 8 }
    }
}

/// The type of an immediate by its kind.
macro_rules! immediate {
    (Bits) => {
        u32
    };
    (Shift) => {
        u32
    };
    (Input) => {
        $crate::ir::imm::Element
    };
    (Ctx) => {
        $crate::ir::imm::Element
    };
    (Component) => {
        usize
    };
    (Table) => {
        $crate::ir::imm::Column
    };
    (Output) => {
        usize
    };
    (Row) => {
        usize
    };
    (Copy) => {
        $crate::ir::imm::Passed
    };
    (Register) => {
        usize
    };
    (Block) => {
        usize
    };
    (Cell) => {
        usize
    };
}
pub(crate) use immediate;

impl Imm {
    /// The streams that an immediate of this kind names.
    pub(super) fn uses(self, word: u32) -> Uses {
        match self {
            Imm::Input => Uses { attribute: Some(Element::unpack(word).row), output: None },
            Imm::Register => Uses { attribute: Some(word as usize), output: None },
            Imm::Copy => {
                let Passed { attribute, output } = Passed::unpack(word);
                Uses { attribute: Some(attribute), output: Some(output) }
            }
            Imm::Output => Uses { attribute: None, output: Some(word as usize) },
            Imm::None | Imm::Bits | Imm::Shift | Imm::Ctx | Imm::Component | Imm::Table => Uses::default(),
            Imm::Row | Imm::Block | Imm::Cell => Uses::default(),
        }
    }
}

/// The streams that an immediate names.
#[derive(Clone, Copy, Default)]
pub(super) struct Uses {
    /// An attribute that is read.
    pub(super) attribute: Option<usize>,
    /// An output register that is written.
    pub(super) output: Option<usize>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_is_unpacked() {
        for (row, component) in [(0, 0), (0, 3), (15, 2), (543, 1), (1023, 3)] {
            let element = Element { row, component };
            assert_eq!(Element::unpack(element.pack()), element);
        }
        for &table in Table::ALL {
            for column in 0..4 {
                let word = Column { table, column }.pack();
                assert!(Column::exists(word));
                assert_eq!(Column::unpack(word), Column { table, column });
            }
        }
        assert!(!Column::exists(4 * Table::ALL.len() as u32));
        for (attribute, output) in [(0, 0), (15, 31), (255, 1)] {
            let passed = Passed { attribute, output };
            assert_eq!(Passed::unpack(passed.pack()), passed);
        }
    }
}
