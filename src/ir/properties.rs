//! What passes, recipes and back ends know of operations: the columns of the table ([`super::ops`]).
//!
//! Where something is not known, a row says so: an operation that is new has to answer every question.

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

/// What the immediate of an instruction is.
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
    /// Without changing a bit that can be seen.
    Commutes,
    /// Not so, or not known.
    Ordered,
}

/// What the result tells of the sign of an operand that is zero, under the model `hw`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Zeros {
    /// Nothing, nor of anything else that an addend does not bring into a sum.
    Added,
    /// Nothing.
    Hidden,
    /// It is that of the result: seen where the result's is seen.
    Kept,
    /// The result is an operand, perhaps negated: what is seen of the one is seen of the other.
    Passed,
    /// The first operand's is that of the result, the second's is seen.
    First,
    /// Seen, or not known not to be.
    Seen,
    /// Seen by the legacy order, in which zeros of both signs differ.
    Legacy,
    /// Seen by the modern rules.
    Modern,
}

/// What form operands or a result have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Any 32 bits.
    Word,
    /// A number of the lighting engine: 22 bits, left-aligned in a word.
    Short,
    /// A double: 64 bits in each lane. Doubles never cross from the prologue to the body.
    Double,
}

/// Whether code for x86-64 may take an operand from memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Memory {
    /// As an operand of its instruction.
    Folds,
    /// By a load of its own.
    Loads,
}

/// How the result comes about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Makes {
    /// Any bits, always the same.
    Bits,
    /// A rounded float: never denormal in an environment that flushes; the bits of a NaN are the host's.
    Rounded,
}

/// What bounds the result as an unsigned integer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// Nothing is known.
    Unknown,
    /// Each of two operands.
    Least,
    /// The operand, shifted right by the immediate.
    Shifted,
    /// The sum of two operands, unless it wraps around.
    Sum,
}

/// Which operands have to be numbers of the lighting engine for the result to be one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Short {
    /// It is not known to be one.
    Unknown,
    /// None: it always is one.
    Always,
    /// One of two.
    Either,
    /// The first.
    First,
    /// All.
    Every,
    /// The second and the third.
    Chosen,
}

/// The properties of an operation.
#[derive(Clone, Copy, Debug)]
pub struct Properties {
    /// Where it may stand.
    pub at: At,
    /// Whether operands may be exchanged.
    pub order: Order,
    /// What it shows of an operand's sign.
    pub zeros: Zeros,
    /// What its operands must be.
    pub takes: Form,
    /// What its result is.
    pub makes: Form,
    /// How its result comes about.
    pub result: Makes,
    /// What bounds its result.
    pub bound: Bound,
    /// Whether its result has 22 bits.
    pub short: Short,
    /// Estimate of the cycles until the result is there, for recent processors.
    pub cycles: u32,
    /// About how many of a code generator's instructions it becomes.
    pub weight: usize,
    /// Where operands may be.
    pub memory: Memory,
}

/// What does not follow from a row of its kind: of words, one instruction of one cycle, about which nothing is known.
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
    memory: Memory::Loads,
};

/// The properties that a row of each kind names, in the order in which it names them.
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
            memory: Memory::$memory,
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
