//! The lookup tables in the form that generated code reads: rows of four words, so that one load fetches a whole row.

use crate::num::tables::{EXP_BASE, EXP_SLOPE, LOG_BASE, LOG_SLOPE, RCP_V1, RCP_V2, RSQ_V1, RSQ_V2};
use crate::state::Row;
use memoffset::offset_of;

/// Calls `$reader!` with the tables: `Name = "text", field: rows;`
macro_rules! for_each_lookup {
    ($reader:ident) => {
        $reader! {
            // name text   field rows  contents
            Exp = "exp", exp: 32, "EXP: column x the value, column y the slope of 32 segments.";
            Log = "log", log: 32, "LOG: column x the value, column y the slope of 32 segments.";
            RcpV1 = "rcp_v1", rcp_v1: 64, "RCP of Celsius, see [`rcp_row`].";
            RcpV2 = "rcp_v2", rcp_v2: 64, "RCP of Kelvin and later, see [`rcp_row`].";
            RsqV1 = "rsq_v1", rsq_v1: 128, "RSQ of Celsius, see [`rsq_row`].";
            RsqV2 = "rsq_v2", rsq_v2: 128, "RSQ of Kelvin and later, see [`rsq_row`].";
        }
    };
}

macro_rules! define_lookup { ($($name:ident = $text:literal, $field:ident: $rows:literal, $doc:literal;)*) => {
    /// A table.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
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

/// What the first Newton step of RCP needs of the seed: the step is `x + (y * significand >> 24)`.
///
/// It is `((2^31 - s * f) * s) >> 24` (kelvin.md 4.1), multiplied out: column x is `s << 7`, column y `-(s * s)`.
pub const fn rcp_row(seed: u32) -> Row {
    [seed << 7, (seed * seed).wrapping_neg(), 0, 0]
}

/// What the first Newton step of RSQ needs of the seed: the step is the floor of `x - y * significand / 2^32`.
///
/// It is `((3 * 2^37 - s * s * f) * s) >> 32` (kelvin.md 4.1), multiplied out: column x is `96 * s`, column y `s^3`,
/// both as floats that hold them exactly.
pub const fn rsq_row(seed: u32) -> Row {
    [((96 * seed) as f32).to_bits(), ((seed * seed * seed) as f32).to_bits(), 0, 0]
}

/// The tables themselves.
pub static LOOKUP: Lookup = Lookup {
    exp: columns!(32, i => [EXP_BASE[i] as u32, EXP_SLOPE[i] as u32, 0, 0]),
    log: columns!(32, i => [LOG_BASE[i], LOG_SLOPE[i] as u32, 0, 0]),
    rcp_v1: seeds!(64, RCP_V1, rcp_row),
    rcp_v2: seeds!(64, RCP_V2, rcp_row),
    rsq_v1: seeds!(128, RSQ_V1, rsq_row),
    rsq_v2: seeds!(128, RSQ_V2, rsq_row),
};
