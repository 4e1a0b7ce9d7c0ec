//! The opcodes of both execution units, as one table each (kelvin.md 2, rankine_curie.md 2).
//!
//! A row has everything about an opcode except its arithmetic. Code that treats some operations specially uses the [`Kind`] of the row,
//! never its name.

use super::Generation;
use super::mask::Mask;

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

/// Which components of a source an operation reads, after the swizzle.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Components {
    /// Those that some destination of its result takes.
    Written,
    /// The first.
    X,
    /// The second and third.
    Yz,
    /// The second and last.
    Yw,
    /// The first three.
    Xyz,
    /// All but the third.
    Xyw,
    /// All.
    All,
}

impl Components {
    /// As a mask, if destinations take the components `written` of the result.
    pub const fn mask(self, written: Mask) -> Mask {
        match self {
            Components::Written => written,
            Components::X => Mask(0b1000),
            Components::Yz => Mask(0b0110),
            Components::Yw => Mask(0b0101),
            Components::Xyz => Mask(0b1110),
            Components::Xyw => Mask(0b1101),
            Components::All => Mask::ALL,
        }
    }
}

/// The kind of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// Nothing.
    Nothing,
    /// A result, computed from its sources alone.
    Value,
    /// A result that a texture unit delivers.
    Texel,
    /// It computes integers for an address register.
    Address(Integers),
    /// It changes the next slot.
    Jump(Jump, Decider),
    /// An address register goes to the stack.
    Push,
    /// An address register comes from the stack.
    Pop,
}

/// How integers for an address register are found.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Integers {
    /// The floor of each component of the first source.
    Floor,
    /// The integer nearest to each component of the first source, halves to even.
    Nearest,
    /// Sums of components of an address register.
    Sums,
}

/// How an operation continues in another slot than the next one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Jump {
    /// A jump without return.
    Branch(To),
    /// A call, which returns to the next slot.
    Call(To),
    /// A return to the slot after the call.
    Return,
}

/// Where a jump finds its target slot.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum To {
    /// In the instruction.
    Slot,
    /// By an address register.
    Register,
}

/// What decides whether a jump is taken.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Decider {
    /// A test of a condition register.
    Test,
    /// A boolean constant.
    Boolean,
}

/// The effect of an operation.
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

/// What an operation reads besides its sources.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Takes {
    /// Nothing.
    Nothing,
    /// A texture unit.
    Texture,
    /// A whole address register.
    Address,
}

impl Kind {
    const fn effect(self) -> Effect {
        match self {
            Kind::Nothing => Effect::Nothing,
            Kind::Value | Kind::Texel => Effect::Value,
            Kind::Address(_) | Kind::Pop => Effect::Address,
            Kind::Jump(..) | Kind::Push => Effect::Flow,
        }
    }

    const fn takes(self) -> Takes {
        match self {
            Kind::Texel => Takes::Texture,
            Kind::Address(Integers::Sums) | Kind::Push => Takes::Address,
            Kind::Address(Integers::Floor | Integers::Nearest) | Kind::Pop => Takes::Nothing,
            Kind::Nothing | Kind::Value | Kind::Jump(..) => Takes::Nothing,
        }
    }
}

/// What is known of an opcode, and what follows from it, computed once: each instruction that is decoded is asked for it again
/// and again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    since: Generation,
    kind: Kind,
    pub(super) effect: Effect,
    pub(super) takes: Takes,
    components: [Option<Components>; 3],
    /// What `components` reads of each source: those of the result that go somewhere and are in the first mask, and all of the second.
    pub(super) reads: [[Mask; 2]; 3],
}

impl Row {
    const fn new(since: Generation, read: &[(Slot, Components)], kind: Kind) -> Self {
        let mut row = Row {
            since,
            kind,
            effect: kind.effect(),
            takes: kind.takes(),
            components: [None; 3],
            reads: [[Mask::NONE; 2]; 3],
        };
        let mut at = 0;
        while at < read.len() {
            let (slot, components) = read[at];
            row.components[slot as usize] = Some(components);
            let fixed = components.mask(Mask::NONE);
            row.reads[slot as usize] = [Mask(components.mask(Mask::ALL).0 & !fixed.0), fixed];
            at += 1;
        }
        row
    }
}

/// A table of opcodes:
/// `Name = code, first generation, [source components], kind, share, "MNEMONIC", "meaning";`
///
/// The share is how often programs of games have it, in thousandths of their slots (kelvin.md 6); 0 is seldom, or unknown.
/// Random programs of Kelvin follow it.
macro_rules! define_op { ($enum:ident, $summary:literal, $($name:ident = $code:literal, $since:ident, [$($slot:ident $components:ident),*], $kind:expr, $share:literal, $mnemonic:literal, $doc:literal;)*) => {
    #[doc = $summary]
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum $enum { $(#[doc = $doc] $name = $code),* }

    impl $enum {
        /// Every opcode, in code order.
        pub const ALL: &[$enum] = &[$($enum::$name),*];

        /// The rows of the table, by code.
        const ROWS: &[Row; Self::ALL.len()] = &[$(Row::new(
            Generation::$since,
            &[$((Slot::$slot, Components::$components)),*],
            {
                #[allow(unused_imports, reason = "neither table has all of them")]
                use self::{Decider::*, Integers::*, Jump::*, Kind::*, To::*};
                $kind
            },
        )),*];

        #[inline]
        pub(super) const fn row(self) -> &'static Row {
            &Self::ROWS[self as usize]
        }

        /// The opcode that has this code on a generation, if there is one.
        #[inline]
        pub fn from_code(generation: Generation, code: u8) -> Option<Self> {
            let op = *Self::ALL.get(usize::from(code))?;
            (op.since() <= generation).then_some(op)
        }

        /// The code in the microcode word.
        pub const fn code(self) -> u8 {
            self as u8
        }

        /// The first generation that has it.
        pub const fn since(self) -> Generation {
            self.row().since
        }

        /// The source slots it reads.
        #[doc(hidden)]
        pub const fn reads(self) -> &'static [Slot] {
            match self { $(Self::$name => &[$(Slot::$slot),*]),* }
        }

        /// The components that it reads of a source, if it reads that source.
        #[doc(hidden)]
        pub const fn components(self, slot: Slot) -> Option<Components> {
            self.row().components[slot as usize]
        }

        /// Its kind.
        #[doc(hidden)]
        pub const fn kind(self) -> Kind {
            self.row().kind
        }

        /// How often programs of games use it, in thousandths of their slots; 0: seldom, or unknown.
        #[doc(hidden)]
        pub const fn share(self) -> u16 {
            match self { $(Self::$name => $share),* }
        }

        /// Its effect.
        #[doc(hidden)]
        pub const fn effect(self) -> Effect {
            self.row().effect
        }

        /// Whether it has a result for temporaries, outputs, constants and condition codes.
        #[doc(hidden)]
        pub fn has_value(self) -> bool {
            self.effect() == Effect::Value
        }

        /// What it reads besides its sources and a target slot.
        #[doc(hidden)]
        pub const fn takes(self) -> Takes {
            self.row().takes
        }

        /// The mnemonic of the assembler text.
        pub const fn mnemonic(self) -> &'static str {
            match self { $(Self::$name => $mnemonic),* }
        }
    }

    // Codes count from 0, so that they are places in the table.
    const _: () = {
        let mut code = 0;
        while code < $enum::ALL.len() {
            assert!($enum::ALL[code] as usize == code);
            code += 1;
        }
    };
} }

define_op! { VecOp, "Operations of the vector unit.",
    // name code    since    components of sources              kind              share        meaning
    Nop = 0x00, Kelvin,  [],                                Nothing,            0, "NOP", "nothing";
    Mov = 0x01, Kelvin,  [A Written],                       Value,             70, "MOV", "copy of the bits";
    Mul = 0x02, Kelvin,  [A Written, B Written],            Value,            210, "MUL", "component product";
    Add = 0x03, Kelvin,  [A Written, C Written],            Value,            100, "ADD", "sum of sources 0 and 2";
    Mad = 0x04, Kelvin,  [A Written, B Written, C Written], Value,            150, "MAD", "product plus source 2";
    Dp3 = 0x05, Kelvin,  [A Xyz, B Xyz],                    Value,            160, "DP3", "three-component dot product, replicated";
    Dph = 0x06, Kelvin,  [A Xyz, B All],                    Value,             70, "DPH", "dot product with A.w taken as 1, replicated";
    Dp4 = 0x07, Kelvin,  [A All, B All],                    Value,            150, "DP4", "four-component dot product, replicated";
    Dst = 0x08, Kelvin,  [A Yz, B Yw],                      Value,              1, "DST", "distance vector (1, A.y * B.y, A.z, B.w)";
    Min = 0x09, Kelvin,  [A Written, B Written],            Value,             20, "MIN", "lesser";
    Max = 0x0a, Kelvin,  [A Written, B Written],            Value,             30, "MAX", "greater";
    Slt = 0x0b, Kelvin,  [A Written, B Written],            Value,              1, "SLT", "1.0 where less, else 0.0";
    Sge = 0x0c, Kelvin,  [A Written, B Written],            Value,              1, "SGE", "1.0 where greater or equal, else 0.0";
    Arl = 0x0d, Kelvin,  [A Written],                       Address(Floor),    15, "ARL", "address: floor";
    Frc = 0x0e, Rankine, [A Written],                       Value,              0, "FRC", "the operand less its floor";
    Flr = 0x0f, Rankine, [A Written],                       Value,              0, "FLR", "greatest integer not above";
    Seq = 0x10, Rankine, [A Written, B Written],            Value,              0, "SEQ", "1.0 where equal, else 0.0";
    Sfl = 0x11, Rankine, [],                                Value,              0, "SFL", "0.0";
    Sgt = 0x12, Rankine, [A Written, B Written],            Value,              0, "SGT", "1.0 where greater, else 0.0";
    Sle = 0x13, Rankine, [A Written, B Written],            Value,              0, "SLE", "1.0 where less or equal, else 0.0";
    Sne = 0x14, Rankine, [A Written, B Written],            Value,              0, "SNE", "1.0 where not equal, else 0.0";
    Str = 0x15, Rankine, [],                                Value,              0, "STR", "1.0";
    Ssg = 0x16, Rankine, [A Written],                       Value,              0, "SSG", "sign as 1.0, 0.0 or -1.0";
    Arr = 0x17, Rankine, [A Written],                       Address(Nearest),   0, "ARR", "address: nearest integer, halves to even";
    Ara = 0x18, Rankine, [],                                Address(Sums),      0, "ARA", "address: x + z and y + w of an address register";
    Txl = 0x19, Curie,   [A All],                           Texel,              0, "TXL", "texel of a vertex texture at A";
}

define_op! { ScaOp, "Operations of the scalar unit.",
    // name     code    since    components of sources kind                          share          meaning
    Nop         = 0x00, Kelvin,  [],          Nothing,                       0, "NOP",   "nothing";
    Mov         = 0x01, Kelvin,  [C Written], Value,                        51, "MOV",   "copy of the bits, all four components";
    Rcp         = 0x02, Kelvin,  [C X],       Value,                        13, "RCP",   "1 / C.x, replicated";
    Rcc         = 0x03, Kelvin,  [C X],       Value,                        39, "RCC",   "1 / C.x with its magnitude clamped to 2^-64 .. 2^64, replicated";
    Rsq         = 0x04, Kelvin,  [C X],       Value,                        44, "RSQ",   "1 / sqrt(|C.x|), replicated";
    Exp         = 0x05, Kelvin,  [C X],       Value,                         1, "EXP",   "(2^floor(C.x), fraction, approximate 2^C.x, 1)";
    Log         = 0x06, Kelvin,  [C X],       Value,                         1, "LOG",   "(exponent, mantissa, approximate log2, 1) of |C.x|";
    Lit         = 0x07, Kelvin,  [C Xyw],     Value,                         4, "LIT",   "lighting coefficients of (C.x, C.y, C.w)";
    BraIndirect = 0x08, Rankine, [],          Jump(Branch(Register), Test),  0, "BRAI",  "branch to where an address register says";
    Bra         = 0x09, Rankine, [],          Jump(Branch(Slot), Test),      0, "BRA",   "branch";
    CalIndirect = 0x0a, Rankine, [],          Jump(Call(Register), Test),    0, "CALI",  "call of where an address register says";
    Cal         = 0x0b, Rankine, [],          Jump(Call(Slot), Test),        0, "CAL",   "call";
    Ret         = 0x0c, Rankine, [],          Jump(Return, Test),            0, "RET",   "return";
    Lg2         = 0x0d, Rankine, [C X],       Value,                         0, "LG2",   "logarithm of C.x to base 2, replicated";
    Ex2         = 0x0e, Rankine, [C X],       Value,                         0, "EX2",   "2 to the power of C.x, replicated";
    Sin         = 0x0f, Rankine, [C X],       Value,                         0, "SIN",   "sine of C.x, replicated";
    Cos         = 0x10, Rankine, [C X],       Value,                         0, "COS",   "cosine of C.x, replicated";
    Brb         = 0x11, Curie,   [],          Jump(Branch(Slot), Boolean),   0, "BRB",   "branch on a boolean constant";
    Clb         = 0x12, Curie,   [],          Jump(Call(Slot), Boolean),     0, "CLB",   "call on a boolean constant";
    Pusha       = 0x13, Curie,   [],          Push,                          0, "PUSHA", "push an address register";
    Popa        = 0x14, Curie,   [],          Pop,                           0, "POPA",  "pop an address register";
}

#[doc(hidden)]
impl ScaOp {
    /// How it may continue in another slot than the next one.
    pub const fn jump(self) -> Option<Jump> {
        match self.kind() {
            Kind::Jump(jump, _) => Some(jump),
            Kind::Nothing | Kind::Value | Kind::Texel | Kind::Address(_) | Kind::Push | Kind::Pop => None,
        }
    }

    /// Whether it may continue in another slot than the next one.
    pub const fn is_branch(self) -> bool {
        self.jump().is_some()
    }

    /// Whether it decides what comes next, or uses the stack.
    pub const fn is_flow(self) -> bool {
        matches!(self.kind(), Kind::Jump(..) | Kind::Push | Kind::Pop)
    }

    /// Whether an address register decides its target.
    pub const fn is_indirect(self) -> bool {
        matches!(self.jump(), Some(Jump::Branch(To::Register) | Jump::Call(To::Register)))
    }

    /// Whether it names the slot to go to.
    pub const fn names_slot(self) -> bool {
        matches!(self.jump(), Some(Jump::Branch(To::Slot) | Jump::Call(To::Slot)))
    }

    /// Whether it computes exponentials or logarithms, for which emulators call a library.
    pub const fn is_exponential(self) -> bool {
        matches!(self, ScaOp::Exp | ScaOp::Log | ScaOp::Lit | ScaOp::Lg2 | ScaOp::Ex2)
    }

    /// Whether a boolean constant, instead of a test, decides whether it is taken.
    pub const fn is_on_boolean(self) -> bool {
        matches!(self.kind(), Kind::Jump(_, Decider::Boolean))
    }
}
