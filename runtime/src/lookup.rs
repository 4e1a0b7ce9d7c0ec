//! The lookup tables in the form that generated code reads: rows of four words, so that one load fetches a whole row.

use crate::num::tables::{EXP_BASE, EXP_SLOPE, LOG_BASE, LOG_SLOPE};
use crate::state::Row;
use memoffset::offset_of;

/// Calls `$reader!` with the tables: `Name = "text", field: rows;`
macro_rules! for_each_lookup { ($reader:ident) => { $reader! {
    // name text   field rows  contents
    Exp = "exp", exp: 32, "EXP: column x the value, column y the slope of 32 segments.";
    Log = "log", log: 32, "LOG: column x the value, column y the slope of 32 segments.";
} } }

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

/// The tables themselves.
pub static LOOKUP: Lookup = Lookup {
    exp: columns!(32, i => [EXP_BASE[i] as u32, EXP_SLOPE[i] as u32, 0, 0]),
    log: columns!(32, i => [LOG_BASE[i], LOG_SLOPE[i] as u32, 0, 0]),
};
