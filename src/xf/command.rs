//! IDX2XF: what a command is, and how its address is built on each family (fixed_function.md 7).
//!
//! ```text
//! address of XF    bits 0-1 zero | 2-3 word, 0 = X .. 3 = W | from 4 on the slot: 6, 8, 9 or 10 bits
//! wrapped by FE    the address | type << (10, 12, 13 or 14) | one flag bit above the type, not on Curie
//! ```

use std::fmt;
use xfjit_isa::chip::memory::Ram;
use xfjit_isa::chip::{Chip, Family};

/// A list macro: one line per command type, in the order of their numbers.
macro_rules! types {
    ($($kind:ident = $code:literal $name:literal $first:ident ..= $last:ident, $doc:literal;)*) => {
        /// The type of a command: 4 bits.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[repr(u8)]
        pub enum Type { $(#[doc = $doc] $kind = $code),* }

        impl Type {
            /// Every type, by number.
            pub const ALL: [Type; 16] = [$(Type::$kind),*];

            /// The name in traces.
            pub const fn name(self) -> &'static str {
                match self { $(Type::$kind => $name),* }
            }

            /// Returns the type with a name.
            pub fn from_name(name: &str) -> Option<Type> {
                match name { $($name => Some(Type::$kind),)* _ => None }
            }

            /// Whether a chip has it (the XF overview's list of commands, whose ranges end before the chip that they name last). UNKNOWN:
            /// what the other chips do with it; here it acts as NOP. UNKNOWN: whether PARAM and RUN exist from NV41 on, where the overview
            /// has a question mark; here they do not.
            pub fn exists(self, chip: Chip) -> bool {
                match self { $(Type::$kind => chip >= Chip::$first && chip <= Chip::$last),* }
            }
        }
    };
}

types! {
    // type     code name       chips
    Nop      = 0x0 "NOP"      Nv10..=Nv43, "Nothing, but for the passthrough slot.";
    Vab      = 0x1 "VAB"      Nv10..=Nv43, "Vertex attributes.";
    Xfpr     = 0x2 "XFPR"     Nv20..=Nv43, "Microcode.";
    Unused   = 0x3 "T3"       Nv10..=Nv43, "Not named in the documents; as NOP.";
    Param    = 0x4 "PARAM"    Nv20..=Nv40, "The parameter of a vertex state program.";
    Passthru = 0x5 "PASSTHRU" Nv10..=Nv43, "A bundle on its way to VTX.";
    Run      = 0x6 "RUN"      Nv20..=Nv40, "Starts a vertex state program.";
    Mode     = 0x7 "MODE"     Nv10..=Nv34, "XFMODE.";
    Xtra     = 0x8 "XTRA"     Nv30..=Nv40, "Branch table and timeout.";
    Xfctx    = 0x9 "XFCTX"    Nv10..=Nv43, "Constants of the transform.";
    Ltctx    = 0xa "LTCTX"    Nv10..=Nv34, "Vectors of lighting.";
    Ltc0     = 0xb "LTC0"     Nv10..=Nv25, "Factors of MAC0.";
    Ltc1     = 0xc "LTC1"     Nv10..=Nv34, "Addends of MAC0.";
    Ltc2     = 0xd "LTC2"     Nv10..=Nv34, "Factors of MAC2.";
    Ltc3     = 0xe "LTC3"     Nv10..=Nv34, "Addends of MAC2.";
    Sync     = 0xf "SYNC"     Nv10..=Nv43, "Waits for all vertices.";
}

/// The type that loads a memory.
impl From<Ram> for Type {
    fn from(ram: Ram) -> Type {
        match ram {
            Ram::Xfctx => Type::Xfctx,
            Ram::Ltctx => Type::Ltctx,
            Ram::Ltc(0) => Type::Ltc0,
            Ram::Ltc(1) => Type::Ltc1,
            Ram::Ltc(2) => Type::Ltc2,
            Ram::Ltc(_) => Type::Ltc3,
        }
    }
}

impl Type {
    /// Returns the type with a number, of which only the lower four bits matter.
    pub const fn from_code(code: u32) -> Type {
        Type::ALL[(code & 15) as usize]
    }
}

/// What a command writes: one word, or an aligned pair of words.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Payload {
    /// 32 bits for the word that the address names.
    Word(u32),
    /// 64 bits for the pair that contains it, the word with the lower number (X or Z) first.
    Pair([u32; 2]),
}

/// A write command.
///
/// ```
/// use xfjit::xf::{Command, Family, Payload, Type};
///
/// let command = Command::wrapped(Family::Kelvin, 0x1900c, Payload::Word(0x3f80_0000))?;
/// assert_eq!((command.kind, command.slot, command.word), (Type::Xfctx, 0, 3));
/// assert_eq!(command.wrap(Family::Kelvin), 0x1900c);
/// assert_eq!(command.to_string(), "XFCTX 0x0.w 0x3f800000");
/// # Ok::<(), xfjit::xf::CommandError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Command {
    /// The type.
    pub kind: Type,
    /// The word of the vector, 0 (X) to 3 (W). For a pair, either of its words. UNKNOWN: what the unit does with an address in the middle
    /// of a pair; here the address selects the pair that contains it.
    pub word: u8,
    /// The vector.
    pub slot: u16,
    /// What is written.
    pub payload: Payload,
}

/// Why an address that FE sends is not an XF command. This is the caller's fault: the address is meant for another unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum CommandError {
    /// The bit that marks commands for XF is not set, or bits above it are.
    NotForXf {
        /// The address.
        address: u32,
    },
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CommandError::NotForXf { address } => {
                write!(f, "address {address:#x} is not a wrapped XF command")
            }
        }
    }
}

impl std::error::Error for CommandError {}

/// Where the type stands in a wrapped address.
const fn type_shift(family: Family) -> u32 {
    family.slot_bits() + 4
}

/// The bit that marks wrapped XF commands; Curie tells them by a target code outside the address (UNKNOWN: 3).
const fn wrapped_flag(family: Family) -> u32 {
    match family {
        Family::Curie => 0,
        Family::Celsius | Family::Kelvin | Family::Rankine => 1 << (type_shift(family) + 4),
    }
}

impl Command {
    /// A command that writes one word.
    #[inline(always)]
    pub const fn word(kind: Type, slot: u16, word: u8, value: u32) -> Command {
        Command { kind, word: word & 3, slot, payload: Payload::Word(value) }
    }

    /// A command that writes the pair which begins with `word`.
    #[inline(always)]
    pub const fn pair(kind: Type, slot: u16, word: u8, values: [u32; 2]) -> Command {
        Command { kind, word: word & 2, slot, payload: Payload::Pair(values) }
    }

    /// The command at an address of XF. Bits 0 and 1 and those above the slot are ignored.
    pub fn at(family: Family, kind: Type, address: u32, payload: Payload) -> Command {
        let word = (address >> 2 & 3) as u8;
        let word = if matches!(payload, Payload::Pair(_)) { word & 2 } else { word };
        let slot = (address >> 4 & ((1 << family.slot_bits()) - 1)) as u16;
        Command { kind, word, slot, payload }
    }

    /// The command that FE has wrapped.
    ///
    /// # Errors
    /// The address belongs to something else.
    pub fn wrapped(family: Family, address: u32, payload: Payload) -> Result<Command, CommandError> {
        let shift = type_shift(family);
        if address >> (shift + 4) != wrapped_flag(family) >> (shift + 4) {
            return Err(CommandError::NotForXf { address });
        }
        Ok(Command::at(family, Type::from_code(address >> shift), address, payload))
    }

    /// The command with only those bits of slot and word that an address has.
    #[must_use]
    #[inline(always)]
    pub const fn wired(mut self, family: Family) -> Command {
        self.slot &= ((1u32 << family.slot_bits()) - 1) as u16;
        self.word &= match self.payload {
            Payload::Word(_) => 3,
            Payload::Pair(_) => 2,
        };
        self
    }

    /// Its address in XF.
    pub const fn address(&self, family: Family) -> u32 {
        (self.slot as u32 & ((1 << family.slot_bits()) - 1)) << 4 | (self.word as u32 & 3) << 2
    }

    /// Its address as FE wraps it.
    pub const fn wrap(&self, family: Family) -> u32 {
        self.address(family) | (self.kind as u32) << type_shift(family) | wrapped_flag(family)
    }
}

/// As in a trace: type, slot, components, words.
impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, slot) = (self.kind.name(), self.slot);
        match self.payload {
            Payload::Word(_) => write!(f, "{name} {slot:#x}.{}", COMPONENTS[usize::from(self.word & 3)])?,
            Payload::Pair(_) => write!(f, "{name} {slot:#x}.{}", PAIRS[usize::from(self.word & 2) / 2])?,
        }
        let words = match &self.payload {
            Payload::Word(word) => std::slice::from_ref(word),
            Payload::Pair(words) => words,
        };
        // Microcode goes without 0x, as in its own files.
        let prefix = if self.kind == Type::Xfpr { "" } else { "0x" };
        words.iter().try_for_each(|word| write!(f, " {prefix}{word:08x}"))
    }
}

/// Words of a vector in traces.
pub(super) const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];
/// Pairs of words.
pub(super) const PAIRS: [&str; 2] = ["xy", "zw"];
