//! Where memory operands are: what the checker of addresses finds, and the checker of values reads.

use std::ops::RangeInclusive;

/// The memory that an operand begins in, and where.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) enum Place {
    /// No memory, or memory that holds no values: streams' addresses, index lists.
    #[default]
    None,
    /// Literals behind the code, at this byte of it.
    Literals(u32),
    /// Scratch memory, and the stack by the distance from the stack pointer at the entry.
    Scratch(i32),
    Stack(i32),
    /// Rows of constants, at this byte; at another row of as many bytes more if it was computed.
    Constants {
        at: u32,
        is_computed: bool,
    },
    /// A row of a table: from this byte of all tables on, if it is the first row of its table.
    Table(u32),
    /// Words of attributes, as many as a row has.
    Attributes([Word; 4]),
    /// The row or the plane of an output from this component on; some output if it is none of its own.
    Output {
        output: Option<u8>,
        component: u8,
    },
}

/// Four bytes of an attribute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Word {
    None,
    Of {
        attribute: u8,
        word: u8,
    },
    /// Bytes of two words.
    Across(u8),
    /// A word of an attribute that is not known.
    OfSome(u8),
}

impl Word {
    /// The word with these bytes of an attribute.
    pub(super) fn of(attribute: Option<usize>, bytes: RangeInclusive<i64>) -> Self {
        let word =
            |byte: i64| u8::try_from(byte.div_euclid(size_of::<u32>() as i64)).ok().filter(|word| *word < 4);
        let (Some(first), Some(last)) = (word(*bytes.start()), word(*bytes.end())) else { return Word::None };
        match attribute {
            Some(attribute) if first == last => Word::Of { attribute: attribute as u8, word: first },
            Some(attribute) => Word::Across(attribute as u8),
            None => Word::OfSome(first),
        }
    }
}
