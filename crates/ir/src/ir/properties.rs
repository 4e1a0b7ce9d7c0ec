//! Properties of operations that passes, recipes and back ends use: the columns of the table ([`super::ops`]).
//!
//! Every row states every property of its kind, if only as unknown.

/// At which level of the IR an operation may stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum At {
    /// XF level: a primitive of the chip.
    Xf,
    /// Host level: a machine operation.
    Host,
    /// Either.
    Both,
}

/// The meaning of the immediate of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Imm {
    /// Not used, 0.
    None,
    /// A 32-bit pattern.
    Bits,
    /// A bit count, 0..=31.
    Shift,
    /// A component of an IBUF register ([`super::imm::Element`]).
    Input,
    /// A component of an XFCTX row ([`super::imm::Element`]).
    Ctx,
    /// A component, 0..=3.
    Component,
    /// A column of a table ([`super::imm::Column`]).
    Table,
    /// A TBUF register.
    Output,
    /// An XFCTX row.
    Row,
    /// An IBUF register and a TBUF register ([`super::imm::Passed`]).
    Copy,
    /// An IBUF register.
    Register,
    /// A block.
    Block,
    /// A cell.
    Cell,
}

/// Whether the first two operands may be exchanged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// Exchanging them changes no observable bit.
    Commutes,
    /// Exchanging them changes the result, or it is not known.
    Ordered,
}

/// Whether the result depends on the sign of a zero operand, under the model `hw`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Zeros {
    /// No: the operand is an addend of a sum.
    Added,
    /// No.
    Hidden,
    /// Only in the sign of a zero result.
    Kept,
    /// As `Kept`; the result is an operand, perhaps negated, so that an addend may also be used through this operation.
    Passed,
    /// For the first operand as `Kept`, for the second as `Seen`.
    First,
    /// Yes, or not known.
    Seen,
    /// Where numbers compare as integers, so that -0 is less than +0.
    Compared,
    /// Where RSQ and LOG see signs.
    Signed,
}

/// The form of operands or of a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Any 32 bits.
    Word,
    /// A number of the lighting engine: 22 bits, left-aligned in a word.
    Short,
    /// A double: 64 bits in each lane. Doubles never cross from the prologue to the body.
    Double,
}

/// How code for x86-64 reads an operand that is in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemoryOperand {
    /// As the memory operand of the instruction.
    Folds,
    /// By a separate load.
    Loads,
}

/// The kind of result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Makes {
    /// Fully specified bits.
    Bits,
    /// A rounded float: never denormal in an environment that flushes; the bits of a NaN are the host's.
    Rounded,
}

/// An upper bound of the result as an unsigned integer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// None is known.
    Unknown,
    /// The lesser of the bounds of two operands.
    Least,
    /// The bound of the operand, shifted right by the immediate.
    Shifted,
    /// The sum of the bounds of two operands, if it does not wrap around.
    Sum,
}

/// Which operands have to be LT numbers (22 bits) for the result to be one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Short {
    /// The result is not known to be one.
    Unknown,
    /// None: the result always is one.
    Always,
    /// One of two.
    Either,
    /// The first.
    First,
    /// Both.
    Every,
    /// The second and the third.
    Chosen,
}

/// The properties of an operation.
#[derive(Clone, Copy, Debug)]
pub struct Properties {
    /// The levels at which it may occur.
    pub at: At,
    /// Whether operands may be exchanged.
    pub order: Order,
    /// Whether the result depends on the sign of a zero operand.
    pub zeros: Zeros,
    /// The form of its operands.
    pub takes: Form,
    /// The form of its result.
    pub makes: Form,
    /// The kind of result.
    pub result: Makes,
    /// An upper bound of its result.
    pub bound: Bound,
    /// Whether its result is an LT number.
    pub short: Short,
    /// Estimated latency in cycles, for recent processors.
    pub cycles: u32,
    /// Approximate number of code generator instructions.
    pub weight: usize,
    /// How an operand in memory is read.
    pub memory: MemoryOperand,
}

/// Defaults for the properties that a kind of rows does not name: words, one cycle, one instruction, nothing known.
pub(super) const PLAIN: Properties = Properties {
    at: At::Xf,
    order: Order::Ordered,
    zeros: Zeros::Seen,
    takes: Form::Word,
    makes: Form::Word,
    result: Makes::Bits,
    bound: Bound::Unknown,
    short: Short::Unknown,
    cycles: 1,
    weight: 1,
    memory: MemoryOperand::Loads,
};

/// The properties of a row. Each kind names those that differ from [`PLAIN`], in this order.
macro_rules! properties {
    (Load {$at:ident, $cycles:literal, $weight:literal}) => {
        Properties { at: At::$at, cycles: $cycles, weight: $weight, ..PLAIN }
    };
    (Effect {$at:ident, $weight:literal}) => {
        Properties { at: At::$at, weight: $weight, ..PLAIN }
    };
    (Pure {
        $at:ident, $order:ident, $zeros:ident, $cycles:literal, $weight:literal, $memory:ident, $result:ident,
        $bound:ident, $short:ident
    }) => {
        Properties {
            at: At::$at,
            order: Order::$order,
            zeros: Zeros::$zeros,
            cycles: $cycles,
            weight: $weight,
            memory: MemoryOperand::$memory,
            result: Makes::$result,
            bound: Bound::$bound,
            short: Short::$short,
            ..PLAIN
        }
    };
    (Double {$takes:ident, $makes:ident, $cycles:literal, $weight:literal}) => {
        Properties {
            at: At::Host,
            takes: Form::$takes,
            makes: Form::$makes,
            cycles: $cycles,
            weight: $weight,
            ..PLAIN
        }
    };
    (Indexed {}) => {
        PLAIN
    };
    (Arithmetic {$order:ident, $zeros:ident}) => {
        Properties { order: Order::$order, zeros: Zeros::$zeros, ..PLAIN }
    };
    (Function {$zeros:ident}) => {
        Properties { zeros: Zeros::$zeros, ..PLAIN }
    };
    (Lighting {$zeros:ident, $takes:ident}) => {
        Properties {
            zeros: Zeros::$zeros,
            takes: Form::$takes,
            makes: Form::Short,
            short: Short::Always,
            ..PLAIN
        }
    };
    (Leaving {$zeros:ident}) => {
        Properties { zeros: Zeros::$zeros, ..PLAIN }
    };
}
pub(super) use properties;
