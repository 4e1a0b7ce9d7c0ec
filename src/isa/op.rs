//! The opcodes of both execution units, as one table each (kelvin.md 2, rankine_curie.md 2).

use super::Generation;

/// A source slot, as an opcode names the ones it reads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Slot {
    /// SRC0.
    A,
    /// SRC1.
    B,
    /// SRC2.
    C,
}

/// What an operation leaves behind.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Effect {
    /// Nothing.
    Nothing,
    /// A result, for temporaries, outputs, constants and condition codes.
    Value,
    /// An address register.
    Address,
    /// Another next instruction, or another stack.
    Flow,
}

/// Calls `$reader!` with the rows of the vector unit's opcodes:
/// `Name = code, first generation, [slots], result, "MNEMONIC", "meaning";`
#[macro_export]
#[doc(hidden)]
macro_rules! for_each_vec_op {
    ($reader:ident) => {
        $reader! {
            // name code since    sources    result   mnemonic meaning
            Nop = 0x00, Kelvin,  [],        Nothing, "NOP", "nothing";
            Mov = 0x01, Kelvin,  [A],       Value,   "MOV", "copy of the bits";
            Mul = 0x02, Kelvin,  [A, B],    Value,   "MUL", "component product";
            Add = 0x03, Kelvin,  [A, C],    Value,   "ADD", "sum of sources 0 and 2";
            Mad = 0x04, Kelvin,  [A, B, C], Value,   "MAD", "product plus source 2";
            Dp3 = 0x05, Kelvin,  [A, B],    Value,   "DP3", "three-component dot product, replicated";
            Dph = 0x06, Kelvin,  [A, B],    Value,   "DPH", "dot product with A.w taken as 1, replicated";
            Dp4 = 0x07, Kelvin,  [A, B],    Value,   "DP4", "four-component dot product, replicated";
            Dst = 0x08, Kelvin,  [A, B],    Value,   "DST", "distance vector (1, A.y * B.y, A.z, B.w)";
            Min = 0x09, Kelvin,  [A, B],    Value,   "MIN", "lesser";
            Max = 0x0a, Kelvin,  [A, B],    Value,   "MAX", "greater";
            Slt = 0x0b, Kelvin,  [A, B],    Value,   "SLT", "1.0 where less, else 0.0";
            Sge = 0x0c, Kelvin,  [A, B],    Value,   "SGE", "1.0 where greater or equal, else 0.0";
            Arl = 0x0d, Kelvin,  [A],       Address, "ARL", "address: floor";
            Frc = 0x0e, Rankine, [A],       Value,   "FRC", "the operand less its floor";
            Flr = 0x0f, Rankine, [A],       Value,   "FLR", "greatest integer not above";
            Seq = 0x10, Rankine, [A, B],    Value,   "SEQ", "1.0 where equal, else 0.0";
            Sfl = 0x11, Rankine, [],        Value,   "SFL", "0.0";
            Sgt = 0x12, Rankine, [A, B],    Value,   "SGT", "1.0 where greater, else 0.0";
            Sle = 0x13, Rankine, [A, B],    Value,   "SLE", "1.0 where less or equal, else 0.0";
            Sne = 0x14, Rankine, [A, B],    Value,   "SNE", "1.0 where not equal, else 0.0";
            Str = 0x15, Rankine, [],        Value,   "STR", "1.0";
            Ssg = 0x16, Rankine, [A],       Value,   "SSG", "sign as 1.0, 0.0 or -1.0";
            Arr = 0x17, Rankine, [A],       Address, "ARR", "address: nearest integer, halves to even";
            Ara = 0x18, Rankine, [],        Address, "ARA", "address: x + z and y + w of an address register";
            Txl = 0x19, Curie,   [A],       Value,   "TXL", "texel of a vertex texture at A";
        }
    };
}

/// Calls `$reader!` with the rows of the scalar unit's opcodes:
/// `Name = code, first generation, [slots], result, "MNEMONIC", "meaning";`
#[macro_export]
#[doc(hidden)]
macro_rules! for_each_sca_op {
    ($reader:ident) => {
        $reader! {
            // name           code since    sources result  mnemonic meaning
            Nop             = 0x00, Kelvin,  [],  Nothing, "NOP", "nothing";
            Mov             = 0x01, Kelvin,  [C], Value,   "MOV", "copy of the bits, all four components";
            Rcp             = 0x02, Kelvin,  [C], Value,   "RCP", "1 / C.x, replicated";
            Rcc             = 0x03, Kelvin,  [C], Value,   "RCC", "1 / C.x with its magnitude clamped to 2^-64 .. 2^64, replicated";
            Rsq             = 0x04, Kelvin,  [C], Value,   "RSQ", "1 / sqrt(|C.x|), replicated";
            Exp             = 0x05, Kelvin,  [C], Value,   "EXP", "(2^floor(C.x), fraction, approximate 2^C.x, 1)";
            Log             = 0x06, Kelvin,  [C], Value,   "LOG", "(exponent, mantissa, approximate log2, 1) of |C.x|";
            Lit             = 0x07, Kelvin,  [C], Value,   "LIT", "lighting coefficients of (C.x, C.y, C.w)";
            BraIndirect     = 0x08, Rankine, [],  Flow,    "BRAI", "branch to where an address register says";
            Bra             = 0x09, Rankine, [],  Flow,    "BRA", "branch";
            CalIndirect     = 0x0a, Rankine, [],  Flow,    "CALI", "call of where an address register says";
            Cal             = 0x0b, Rankine, [],  Flow,    "CAL", "call";
            Ret             = 0x0c, Rankine, [],  Flow,    "RET", "return";
            Lg2             = 0x0d, Rankine, [C], Value,   "LG2", "logarithm of C.x to base 2, replicated";
            Ex2             = 0x0e, Rankine, [C], Value,   "EX2", "2 to the power of C.x, replicated";
            Sin             = 0x0f, Rankine, [C], Value,   "SIN", "sine of C.x, replicated";
            Cos             = 0x10, Rankine, [C], Value,   "COS", "cosine of C.x, replicated";
            Brb             = 0x11, Curie,   [],  Flow,    "BRB", "branch on a boolean constant";
            Clb             = 0x12, Curie,   [],  Flow,    "CLB", "call on a boolean constant";
            Pusha           = 0x13, Curie,   [],  Flow,    "PUSHA", "push an address register";
            Popa            = 0x14, Curie,   [],  Address, "POPA", "pop an address register";
        }
    };
}

macro_rules! define_op { ($enum:ident, $summary:literal, $($name:ident = $code:literal, $since:ident, [$($slot:ident),*], $effect:ident, $mnemonic:literal, $doc:literal;)*) => {
    #[doc = $summary]
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum $enum { $(#[doc = $doc] $name = $code),* }

    impl $enum {
        /// Every opcode, in code order.
        pub const ALL: &[$enum] = &[$($enum::$name),*];

        /// The opcode that has this code on a generation, if there is one.
        pub fn from_code(generation: Generation, code: u8) -> Option<Self> {
            let op = match code { $($code => Self::$name,)* _ => return None };
            (op.since() <= generation).then_some(op)
        }

        /// The code in the microcode word.
        pub const fn code(self) -> u8 {
            self as u8
        }

        /// The first generation that has it.
        pub const fn since(self) -> Generation {
            match self { $(Self::$name => Generation::$since),* }
        }

        /// The source slots it reads.
        #[cfg_attr(not(feature = "unstable"), doc(hidden))]
        pub const fn reads(self) -> &'static [Slot] {
            match self { $(Self::$name => &[$(Slot::$slot),*]),* }
        }

        /// What it leaves behind.
        #[cfg_attr(not(feature = "unstable"), doc(hidden))]
        pub const fn effect(self) -> Effect {
            match self { $(Self::$name => Effect::$effect),* }
        }

        /// Whether it has a result for temporaries, outputs, constants and condition codes.
        #[cfg_attr(not(feature = "unstable"), doc(hidden))]
        pub fn has_value(self) -> bool {
            self.effect() == Effect::Value
        }

        /// The mnemonic of the assembler text.
        pub const fn mnemonic(self) -> &'static str {
            match self { $(Self::$name => $mnemonic),* }
        }
    }
} }

macro_rules! define_vec_op { ($($rows:tt)*) => { define_op! { VecOp, "Operations of the vector unit.", $($rows)* } } }
macro_rules! define_sca_op { ($($rows:tt)*) => { define_op! { ScaOp, "Operations of the scalar unit.", $($rows)* } } }
for_each_vec_op!(define_vec_op);
for_each_sca_op!(define_sca_op);

/// Where an operation that goes elsewhere finds the slot.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum To {
    /// In the instruction.
    Slot,
    /// By an address register.
    Register,
}

/// How an operation goes on elsewhere than in the next slot.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Jump {
    /// For good.
    Branch(To),
    /// To come back to the next slot.
    Call(To),
    /// Back behind the call.
    Return,
}

/// What an operation takes beside its sources.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Takes {
    /// Nothing.
    Nothing,
    /// A texture unit.
    Texture,
    /// A whole address register.
    Address,
}

#[cfg_attr(not(feature = "unstable"), doc(hidden))]
impl VecOp {
    /// What it takes beside its sources.
    pub const fn takes(self) -> Takes {
        use VecOp::*;
        match self {
            Txl => Takes::Texture,
            Ara => Takes::Address,
            Nop | Mov | Mul | Add | Mad | Dp3 | Dph | Dp4 | Dst | Min | Max | Slt | Sge | Arl => {
                Takes::Nothing
            }
            Frc | Flr | Seq | Sfl | Sgt | Sle | Sne | Str | Ssg | Arr => Takes::Nothing,
        }
    }
}

#[cfg_attr(not(feature = "unstable"), doc(hidden))]
impl ScaOp {
    /// What it takes beside its source and a slot to go to.
    pub const fn takes(self) -> Takes {
        use ScaOp::*;
        match self {
            Pusha => Takes::Address,
            Nop | Mov | Rcp | Rcc | Rsq | Exp | Log | Lit | Lg2 | Ex2 | Sin | Cos | Popa => Takes::Nothing,
            BraIndirect | Bra | CalIndirect | Cal | Ret | Brb | Clb => Takes::Nothing,
        }
    }

    /// How it may go on elsewhere than in the next slot, and whether a boolean constant decides that, not a test.
    const fn flow(self) -> (Option<Jump>, bool) {
        use ScaOp::*;
        match self {
            Bra => (Some(Jump::Branch(To::Slot)), false),
            Brb => (Some(Jump::Branch(To::Slot)), true),
            BraIndirect => (Some(Jump::Branch(To::Register)), false),
            Cal => (Some(Jump::Call(To::Slot)), false),
            Clb => (Some(Jump::Call(To::Slot)), true),
            CalIndirect => (Some(Jump::Call(To::Register)), false),
            Ret => (Some(Jump::Return), false),
            Nop | Mov | Rcp | Rcc | Rsq | Exp | Log | Lit | Lg2 | Ex2 | Sin | Cos | Pusha | Popa => {
                (None, false)
            }
        }
    }

    /// How it may go on elsewhere than in the next slot.
    pub const fn jump(self) -> Option<Jump> {
        self.flow().0
    }

    /// Whether it may go on elsewhere than in the next slot.
    pub const fn is_branch(self) -> bool {
        self.jump().is_some()
    }

    /// Whether it goes where an address register says.
    pub const fn is_indirect(self) -> bool {
        matches!(self.jump(), Some(Jump::Branch(To::Register) | Jump::Call(To::Register)))
    }

    /// Whether it names the slot to go to.
    pub const fn names_slot(self) -> bool {
        matches!(self.jump(), Some(Jump::Branch(To::Slot) | Jump::Call(To::Slot)))
    }

    /// Whether a boolean constant decides where it goes, not a test.
    pub const fn is_on_boolean(self) -> bool {
        self.flow().1
    }
}
