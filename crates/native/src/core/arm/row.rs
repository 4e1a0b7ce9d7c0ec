//! What a row of the table of instructions says.

/// One row: an instruction with all operands that it may have.
pub(in super::super) struct Row {
    /// What it is called, and its operands.
    pub(in super::super) text: &'static str,
    pub(in super::super) does: Does,
    /// The bits that are fixed, and what they are.
    pub(super) mask: u32,
    pub(super) bits: u32,
    /// The bits of the immediate.
    pub(super) immediate: u32,
    /// The lowest bits of registers that must not be register 31.
    pub(super) integers: [u32; 4],
}

/// Which registers an access moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) enum Bank {
    Integer,
    Vector,
}

/// Where an access finds its memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) enum Access {
    /// At a register, and so many times the bytes of the access behind it.
    Scaled,
    /// At a register and a distance.
    Unscaled,
    /// At the sum of two registers; the second one as 32 bits.
    Index,
    IndexHalf,
    /// Among the literals of the code.
    Literal,
    /// At a register; all lanes get the word.
    Spread,
    /// Two registers, at a register and so many times the bytes of one behind it.
    Pair,
    /// At the stack pointer, which is moved before, or behind: of one register, or of two.
    Push,
    Pop,
    PushPair,
    PopPair,
}

/// Which words an instruction moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) enum Moved {
    ZipLow,
    ZipHigh,
    Even,
    Odd,
    LowHalves,
    HighHalves,
    SpreadWord,
    SpreadPair,
    Word,
    ToInteger,
    SpreadInteger,
    SpreadInteger64,
    /// So many words.
    OfInteger(u8),
    /// So many bytes.
    Insert(u8),
}

/// How words are made of an immediate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) enum Immediate {
    Shifted,
    ShiftedInverted,
    /// With ones below.
    Ones,
    OnesInverted,
    Halves,
    Bytes,
    /// A bit for each of eight bytes, which are all ones or all zeros: words that lie next to each other may differ.
    Masks,
    Float,
}

/// What bounds the lanes of a result, as numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) enum Bound {
    None,
    /// The lesser of the operands, or their sum.
    Least,
    Sum,
    /// The operand, shifted by the immediate.
    Left,
    Right,
}

/// What an instruction does. Where nothing else is said, it is on registers of 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) enum Does {
    Jump,
    Branch,
    Return,
    /// Writes 16 bits and clears, or sets, all others; or keeps them.
    Wide {
        bits: u8,
        inverted: bool,
    },
    Keep {
        bits: u8,
    },
    /// Writes ones that repeat.
    Repeated {
        bits: u8,
    },
    Copy,
    /// Copies the stack pointer; moves it by an immediate, or by a register.
    CopyStack,
    Level {
        grows: bool,
        shift: u8,
    },
    LevelBy {
        grows: bool,
    },
    AddImmediate {
        shift: u8,
    },
    SubtractImmediate {
        shift: u8,
    },
    /// The second operand is shifted by the immediate, if there is one.
    Add,
    /// The second operand has 32 bits.
    AddHalf,
    Subtract,
    Multiply,
    MultiplyAdd,
    ShiftLeft(u8),
    ShiftRight,
    Compare,
    CompareImmediate,
    /// The second operand is negated.
    CompareNegated,
    /// Sets flags of which nothing is known; a register by flags.
    Test,
    Set,
    /// So many bytes of each register.
    Load(Bank, u8, Access),
    Store(Bank, u8, Access),
    /// Stores four bytes of zeros at the stack pointer, or at a distance from it.
    Probe {
        is_indexed: bool,
    },
    Move(Moved),
    Literally(Immediate),
    /// Copies, if both operands are one.
    Or,
    /// Compute a vector of one, of two, or of two and what the register of the result held.
    One(Bound),
    Two(Bound),
    Three,
}

/// A row, its pattern from the highest bit on; `_` separates.
pub(super) const fn row(text: &'static str, pattern: &'static str, does: Does) -> Row {
    let mut row = Row { text, does, mask: 0, bits: 0, immediate: 0, integers: [0; 4] };
    let (pattern, mut at, mut bit) = (pattern.as_bytes(), 0, 32u32);
    while at < pattern.len() {
        let letter = pattern[at];
        at += 1;
        if letter == b'_' {
            continue;
        }
        bit -= 1;
        let one = 1 << bit;
        match letter {
            b'0' => row.mask |= one,
            b'1' => {
                row.mask |= one;
                row.bits |= one;
            }
            b'i' => row.immediate |= one,
            b'd' => row.integers[0] |= one,
            b'n' => row.integers[1] |= one,
            b'm' => row.integers[2] |= one,
            b'a' => row.integers[3] |= one,
            b's' | b'w' | b'c' | b'D' | b'N' | b'M' | b'A' => {}
            _ => panic!("a letter that is not a field"),
        }
    }
    assert!(bit == 0, "a pattern has 32 bits");
    row
}

impl Row {
    /// Whether a word is this instruction.
    pub(super) const fn fits(&self, word: u32) -> bool {
        let [d, n, m, a] = self.integers;
        word & self.mask == self.bits
            && (d == 0 || word & d != d)
            && (n == 0 || word & n != n)
            && (m == 0 || word & m != m)
            && (a == 0 || word & a != a)
    }
}
