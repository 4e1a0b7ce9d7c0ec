//! The opcodes of both execution units, as one table each (kelvin.md 2, rankine_curie.md 2).

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

/// Calls `$reader!` with the rows of the vector unit's opcodes: `Name = code, [slots], "MNEMONIC", "meaning";`
#[macro_export]
#[doc(hidden)]
macro_rules! for_each_vec_op {
    ($reader:ident) => {
        $reader! {
            // name code sources    mnemonic meaning
            Nop = 0x00, [],        "NOP", "nothing";
            Mov = 0x01, [A],       "MOV", "copy of the bits";
            Mul = 0x02, [A, B],    "MUL", "component product";
            Add = 0x03, [A, C],    "ADD", "sum of sources 0 and 2";
            Mad = 0x04, [A, B, C], "MAD", "product plus source 2";
            Dp3 = 0x05, [A, B],    "DP3", "three-component dot product, replicated";
            Dph = 0x06, [A, B],    "DPH", "dot product with A.w taken as 1, replicated";
            Dp4 = 0x07, [A, B],    "DP4", "four-component dot product, replicated";
            Dst = 0x08, [A, B],    "DST", "distance vector (1, A.y * B.y, A.z, B.w)";
            Min = 0x09, [A, B],    "MIN", "lesser";
            Max = 0x0a, [A, B],    "MAX", "greater";
            Slt = 0x0b, [A, B],    "SLT", "1.0 where less, else 0.0";
            Sge = 0x0c, [A, B],    "SGE", "1.0 where greater or equal, else 0.0";
            Arl = 0x0d, [A],       "ARL", "A0.x = floor(A.x)";
        }
    };
}

/// Calls `$reader!` with the rows of the scalar unit's opcodes: `Name = code, [slots], "MNEMONIC", "meaning";`
#[macro_export]
#[doc(hidden)]
macro_rules! for_each_sca_op {
    ($reader:ident) => {
        $reader! {
            // name code sources mnemonic meaning
            Nop = 0x00, [],     "NOP", "nothing";
            Mov = 0x01, [C],    "MOV", "copy of the bits, all four components";
            Rcp = 0x02, [C],    "RCP", "1 / C.x, replicated";
            Rcc = 0x03, [C],    "RCC", "1 / C.x with its magnitude clamped to 2^-64 .. 2^64, replicated";
            Rsq = 0x04, [C],    "RSQ", "1 / sqrt(|C.x|), replicated";
            Exp = 0x05, [C],    "EXP", "(2^floor(C.x), fraction, approximate 2^C.x, 1)";
            Log = 0x06, [C],    "LOG", "(exponent, mantissa, approximate log2, 1) of |C.x|";
            Lit = 0x07, [C],    "LIT", "lighting coefficients of (C.x, C.y, C.w)";
        }
    };
}

macro_rules! define_op { ($enum:ident, $summary:literal, $($name:ident = $code:literal, [$($slot:ident),*], $mnemonic:literal, $doc:literal;)*) => {
    #[doc = $summary]
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum $enum { $(#[doc = $doc] $name = $code),* }

    impl $enum {
        /// Every opcode, in code order.
        pub const ALL: &[$enum] = &[$($enum::$name),*];

        /// The opcode with this code, if there is one.
        pub const fn from_code(code: u8) -> Option<Self> {
            match code { $($code => Some(Self::$name),)* _ => None }
        }

        /// The code in the microcode word.
        pub const fn code(self) -> u8 {
            self as u8
        }

        /// The source slots it reads.
        pub const fn reads(self) -> &'static [Slot] {
            match self { $(Self::$name => &[$(Slot::$slot),*]),* }
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
