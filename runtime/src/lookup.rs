//! The lookup tables in the form that generated code reads: rows of four words, so that one load fetches a whole row.

use crate::num::tables::{
    EX2, EXP_BASE, EXP_SLOPE, INV_TAU, INV_TAU_ONE, LG2, LOG_BASE, LOG_SLOPE, Node, RSQ_V1, RSQ_V2, SINCOS,
};
use crate::registers::Row;
use memoffset::offset_of;

/// Calls `$reader!` with the tables: `Name = "text", field: rows;`
macro_rules! for_each_lookup {
    ($reader:ident) => {
        $reader! {
            // name text   field rows  contents
            Exp = "exp", exp: 32, "EXP: column x the value, column y the slope of 32 segments.";
            Log = "log", log: 32, "LOG: column x the value, column y the slope of 32 segments.";
            RsqV1 = "rsq_v1", rsq_v1: 128, "RSQ of Celsius, see [`rsq_row`].";
            RsqV2 = "rsq_v2", rsq_v2: 128, "RSQ of Kelvin and later, see [`rsq_row`].";
            Lg2 = "lg2", lg2: 128, "LG2 by half segments, see [`node_row`].";
            Ex2 = "ex2", ex2: 128, "EX2 by half segments, see [`node_row`].";
            SinCos = "sincos", sincos: 128, "SIN and COS by half segments, see [`node_row`].";
            InvTau = "inv_tau", inv_tau: 256, "Range reduction of SIN and COS, see [`inv_tau_row`].";
        }
    };
}

macro_rules! define_lookup { ($($name:ident = $text:literal, $field:ident: $rows:literal, $doc:literal;)*) => {
    /// A table.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum Table { $(#[doc = $doc] $name),* }

    /// All tables.
    #[derive(Debug)]
    #[repr(C, align(64))]
    pub struct Lookup { $(#[doc = $doc] pub $field: [Row; $rows]),* }

    impl Table {
        /// Every table, by number.
        pub const ALL: &[Table] = &[$(Table::$name),*];

        /// Its name in texts.
        pub const fn text(self) -> &'static str {
            match self { $(Table::$name => $text),* }
        }

        /// Its rows; the count is a power of two.
        pub fn rows(self) -> &'static [Row] {
            match self { $(Table::$name => &LOOKUP.$field),* }
        }

        /// Its byte offset in [`Lookup`].
        pub const fn offset(self) -> i32 {
            match self { $(Table::$name => offset_of!(Lookup, $field) as i32),* }
        }
    }

    $(const _: () = assert!(usize::is_power_of_two($rows));)*
} }
for_each_lookup!(define_lookup);

macro_rules! columns { ($count:literal, $i:ident => [$($column:expr),*]) => { {
    let mut rows = [[0; 4]; $count];
    let mut $i = 0;
    while $i < $count {
        rows[$i] = [$($column),*];
        $i += 1;
    }
    rows
} } }

macro_rules! seeds {
    ($count:literal, $table:ident, $row:ident) => {{
        let mut rows = [[0; 4]; $count];
        let mut i = 0;
        while i < $count {
            rows[i] = $row($table[i] as u32);
            i += 1;
        }
        rows
    }};
}

/// The row of a seed for the first Newton step of RSQ. The step is the floor of `x - y * significand / 2^39`.
///
/// This is `((3 * 2^37 - s * s * f) * s) >> 32` (kelvin.md 4.1), multiplied out. Column x is `96 * s` and column y is `2^7 * s^3`,
/// both as floats that hold them exactly. Column z is the seed as a fraction field, which is the only part that LT uses.
pub const fn rsq_row(seed: u32) -> Row {
    [
        ((96 * seed) as f32).to_bits(),
        (((seed * seed * seed) << 7) as f32).to_bits(),
        seed << 17 & 0x7f_ffff,
        0,
    ]
}

/// The row of a node for the special-function unit: column x is the constant, and column w is the curvature.
///
/// The slope is stored as radix-4 digits -2..=2, by which the unit multiplies (arithmetic.md: P). Column z holds the
/// seven lower digits, whose partial products are rounded, in four bits each. Column y holds the number that the other
/// digits make.
pub const fn node_row(node: Node) -> Row {
    let (constant, slope, curvature) = node;
    let (mut recoded, mut digit) = (slope << 1, 0);
    let (mut lower, mut upper) = (0, 0i32);
    while recoded != 0 {
        let value = match recoded & 7 {
            1 | 2 => 1,
            3 => 2,
            4 => -2,
            5 | 6 => -1,
            _ => 0,
        };
        if digit < 7 {
            lower |= (value as u32 & 15) << (4 * digit);
        } else {
            upper += value << (2 * (digit - 7));
        }
        recoded >>= 2;
        digit += 1;
    }
    [constant, upper as u32, lower, curvature as u32]
}

/// Rows by half segments: the two around a node share it.
const fn node_rows(nodes: &[Node; 65]) -> [Row; 128] {
    let mut rows = [[0; 4]; 128];
    let mut half = 0;
    while half < 128 {
        rows[half] = node_row(nodes[(half + 1) >> 1]);
        half += 1;
    }
    rows
}

/// Sums of the parts that some bits of the fraction add to the product with 1/tau (arithmetic.md: MT). Column x is for
/// the lowest eight bits, and column y is for the next eight. Columns z (lowest eight bits) and w (the bits above) are
/// for the highest seven bits and the implicit one.
pub const fn inv_tau_row(bits: u32) -> Row {
    let high = INV_TAU_ONE + inv_tau_sum(bits & 127, 16);
    [inv_tau_sum(bits, 0) as u32, inv_tau_sum(bits, 8) as u32, high as u32 & 255, (high >> 8) as u32]
}

const fn inv_tau_sum(bits: u32, first: usize) -> u64 {
    let (mut sum, mut k) = (0, 0);
    while bits >> k != 0 {
        if bits >> k & 1 != 0 {
            sum += INV_TAU[first + k];
        }
        k += 1;
    }
    sum
}

/// The tables themselves.
pub static LOOKUP: Lookup = Lookup {
    exp: columns!(32, i => [EXP_BASE[i] as u32, EXP_SLOPE[i] as u32, 0, 0]),
    log: columns!(32, i => [LOG_BASE[i], LOG_SLOPE[i] as u32, 0, 0]),
    rsq_v1: seeds!(128, RSQ_V1, rsq_row),
    rsq_v2: seeds!(128, RSQ_V2, rsq_row),
    lg2: node_rows(&LG2),
    ex2: node_rows(&EX2),
    sincos: node_rows(&SINCOS),
    inv_tau: {
        let mut rows = [[0; 4]; 256];
        let mut i = 0;
        while i < 256 {
            rows[i] = inv_tau_row(i as u32);
            i += 1;
        }
        rows
    },
};
