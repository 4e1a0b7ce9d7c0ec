//! What is where in the file that a process writes for others to attach to. docs/ATTACH.md is its reference; a test compares the two.
//!
//! ```text
//! header     512 words                        what process it is, and counters
//! programs   2048 entries of 160 words        what each program is, and what it has done in all
//! records    32768 records of 8 words         what happened, the last ones: a ring
//! texts      524288 words                     what programs are made of, one behind the other
//! ```
//! A word is a `u64` in the byte order of the machine. Everything has its place in this version of the layout, so that a reader computes
//! no address from what it reads, but for the texts.

/// A field.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its first word.
    pub at: usize,
    /// How many it has.
    pub words: usize,
}

macro_rules! fields {
    ($(#[$outer:meta])* $module:ident { $($name:ident: $at:literal, $words:literal, $text:literal;)* }) => {
        $(#[$outer])*
        pub mod $module {
            use super::Field;
            $(#[doc = $text] pub const $name: Field = Field { at: $at, words: $words };)*
            /// All of them, with what they are.
            pub const ALL: &[(&str, Field, &str)] = &[$((stringify!($name), $name, $text)),*];
        }
    };
}

fields! {
    /// Words of the header.
    header {
        MAGIC: 0, 1, "the bytes `xfjitatt`";
        VERSION: 1, 1, "the version of this layout, 1; it is 0 until the header is complete";
        BYTES: 2, 1, "the size of the file in bytes";
        PROCESS: 3, 1, "the process id of the writer";
        STARTED: 4, 1, "when the file was made: nanoseconds since 1970. All other times are nanoseconds since then";
        STATE: 5, 1, "1 while the writer lives, 2 after it has closed the file";
        HEAD: 6, 1, "the number of records so far, those included that are not in the ring any more";
        DROPPED: 7, 1, "records that were not written, because another thread was still at their place; a reader finds them missing, too";
        PROGRAMS: 8, 1, "the number of entries in use";
        LEFT_PROGRAMS: 9, 1, "programs that have no entry, because there was no room";
        LEFT_BATCHES: 10, 1, "batches of these";
        LEFT_VERTICES: 11, 1, "vertices of these";
        LEFT_NS: 12, 1, "what these took";
        LEFT_TEXTS: 13, 1, "programs whose text had no room";
        EXECUTABLE_BYTES: 14, 1, "the length of `EXECUTABLE`";
        TARGET_BYTES: 15, 1, "the length of `TARGET`";
        EXECUTABLE: 32, 32, "the file name of the executable, without its directory, UTF-8";
        LIBRARY: 64, 8, "the version of the library, ended by zeros";
        TARGET: 72, 128, "what code is made for, as the first engine says, UTF-8";
    }
}

fields! {
    /// Words of the entry of a program.
    program {
        STATE: 0, 1, "1 as soon as the entry can be read";
        SEQUENCE: 1, 1, "odd while a field of this entry is written that is marked with *, and greater afterwards";
        MADE: 2, 1, "when its handle was made";
        TEXT: 3, 1, "where its text begins: the byte of the texts. Lines as in a list of programs, without the line `program`";
        TEXT_BYTES: 4, 1, "how long that is; 0 if there is none";
        TEXT_CRC: 5, 1, "CRC-32 of the text";
        TIER: 6, 1, "* what runs it: 0 the interpreter, until it is compiled; 1 native code; 2 the interpreter, since native code was refused; 3 the interpreter, since native code was given up";
        LANES: 7, 1, "* vertices of a group of native code";
        CODE_BYTES: 8, 1, "* bytes of machine code";
        MEMORY_BYTES: 9, 1, "* bytes of memory for it";
        COMPILE_NS: 10, 1, "* what compiling took, slow path and routines with literals included";
        ROUTINES: 11, 1, "* routines with constants as literals (low half), and slow paths (high half)";
        NAME_BYTES: 12, 1, "* the length of `NAME`";
        LABEL_BYTES: 13, 1, "* the length of `LABEL`; 0 if it has none";
        REFUSAL_BYTES: 14, 1, "* the length of `REFUSAL`";
        GUARDS: 15, 1, "* the number of causes of guards that follow";
        BATCHES: 16, 1, "batches";
        VERTICES: 17, 1, "vertices";
        NS: 18, 1, "what the batches took that were timed; all are, but for those that `Options::verify` compares";
        TIMED_VERTICES: 19, 1, "vertices of these";
        INTERPRETED_BATCHES: 20, 1, "of the batches, those of the interpreter";
        INTERPRETED_VERTICES: 21, 1, "their vertices";
        INTERPRETED_NS: 22, 1, "what they took";
        LITERAL_VERTICES: 23, 1, "vertices of routines with constants as literals";
        GUARDED_BATCHES: 24, 1, "batches in which native code has left a group";
        GUARDED_GROUPS: 25, 1, "such groups";
        GUARDED_VERTICES: 26, 1, "their vertices that have run again";
        SLOW_VERTICES: 27, 1, "of these, those of the slow path";
        FALLBACK_NS: 28, 1, "what running them again took; part of `NS`";
        FIRST_RUN: 29, 1, "when its first batch began, and 1; 0 if none has run";
        LAST_RUN: 30, 1, "when a batch began last, and 1";
        LOOKED_GROUPS: 32, 1, "* groups that were looked at for the causes";
        LOOKED_VERTICES: 33, 1, "* vertices of these that raise a guard";
        CAUSE: 36, 48, "* four causes of 12 words: see below";
        NAME: 84, 8, "* its name, UTF-8: the kind, and a hash of all that decides what it computes";
        LABEL: 92, 32, "* what the host calls it, UTF-8";
        REFUSAL: 124, 32, "* why native code was refused, UTF-8";
    }
}

fields! {
    /// Words of a cause of guards.
    cause {
        PLACE: 0, 4, "where: `slot 4`, `light 0`, ended by zeros";
        OPERATION: 4, 3, "the primitive whose recipe has the guard, ended by zeros";
        WHY: 7, 1, "0 a NaN, 1 a large exponent, 2 a small one, 3 an operand that the recipe does not cover";
        VERTICES: 8, 1, "vertices that raise it, of those looked at";
        EXAMPLE: 9, 1, "one of them: its place in its batch";
        OPERAND: 10, 1, "0, or the operand that may be the reason: 1 an attribute, 2 a constant; its component in bits 8 to 15, its row from bit 32 on";
        BITS: 11, 1, "the bits of that operand";
    }
}

fields! {
    /// Words of a record.
    record {
        SEQUENCE: 0, 1, "2n + 2 if record n is here, 2n + 1 while it is written, 0 if there was none yet";
        KIND: 1, 1, "the kind in bits 0 to 7, flags from bit 8 on, the entry of the program from bit 32 on (all ones: it has none)";
        AT: 2, 1, "when it happened, or began";
        NS: 3, 1, "how long it took";
        AMOUNT: 4, 1, "vertices of a run, bytes of a compilation";
        GUARDED: 5, 1, "of a run groups that native code has left (low half) and their vertices that have run again (high half); of a compilation the vertices of a group";
        FALLBACK_NS: 6, 1, "of `NS`, what running vertices again took";
        WORKER: 7, 1, "the worker of a run: each has a number of its own";
    }
}

/// The first bytes of the file.
pub const MAGIC: u64 = u64::from_ne_bytes(*b"xfjitatt");
/// The version of this layout.
pub const VERSION: u64 = 1;

/// The first word of the entries.
pub const PROGRAMS: usize = 512;
/// Words of an entry.
pub const PROGRAM_WORDS: usize = 160;
/// Entries.
pub const MOST_PROGRAMS: usize = 2048;
/// Causes of guards in an entry.
pub const MOST_CAUSES: usize = 4;
/// Words of a cause.
pub const CAUSE_WORDS: usize = 12;
/// The first word of the records.
pub const RECORDS: usize = PROGRAMS + PROGRAM_WORDS * MOST_PROGRAMS;
/// Words of a record.
pub const RECORD_WORDS: usize = 8;
/// Records, a power of two.
pub const MOST_RECORDS: usize = 1 << 15;
/// The first word of the texts.
pub const TEXTS: usize = RECORDS + RECORD_WORDS * MOST_RECORDS;
/// Bytes of all texts.
pub const TEXT_BYTES: usize = 4 << 20;
/// Words of the file.
pub const WORDS: usize = TEXTS + TEXT_BYTES / 8;
/// Its bytes.
pub const BYTES: usize = 8 * WORDS;

/// Kinds of records.
pub mod kind {
    /// A handle has been made.
    pub const MADE: u64 = 1;
    /// Code has been made; the routine is in the flags.
    pub const COMPILED: u64 = 2;
    /// The back end has refused a program.
    pub const REFUSED: u64 = 3;
    /// A batch has run.
    pub const RUN: u64 = 4;
    /// Native code was given up.
    pub const RETIRED: u64 = 5;
    /// Groups that were left have been looked at.
    pub const LOOKED: u64 = 6;
}

/// Flags of a run.
pub mod flag {
    /// It is the program's first one.
    pub const FIRST: u64 = 1;
    /// The interpreter has run it.
    pub const INTERPRETED: u64 = 2;
    /// A routine with constants as literals has run it.
    pub const LITERALS: u64 = 4;
    /// It was not timed.
    pub const UNTIMED: u64 = 8;
}

/// The entry of a program that has none, in a record.
pub const NO_PROGRAM: u32 = u32::MAX;

/// The first word of an entry.
pub const fn entry(place: usize) -> usize {
    PROGRAMS + place * PROGRAM_WORDS
}

/// The first word of the place of a record, whatever its number.
pub const fn record_at(number: u64) -> usize {
    RECORDS + (number as usize & (MOST_RECORDS - 1)) * RECORD_WORDS
}
