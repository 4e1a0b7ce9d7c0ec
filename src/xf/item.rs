//! One event of a unit: a line of a [trace](super::trace).

use super::command::{COMPONENTS, Command, Type};
use super::register::Register;
use std::fmt;
use xfjit_runtime::state::Row;

/// One line of a trace.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Item {
    /// A write command.
    Command(Command),
    /// A vertex trigger.
    Vertex,
    /// A register beside the commands is written.
    Set(Register, u32),
    /// What an output register holds. This is state of a unit, not a command of the chip.
    Tbuf(u8, Row),
    /// A read command of Celsius.
    Read {
        /// Its type.
        kind: Type,
        /// Vector.
        slot: u16,
        /// Word of it.
        word: u8,
    },
    /// A word of an index space is read.
    RdiRead {
        /// Number of the space.
        space: u32,
        /// Byte address.
        address: u32,
    },
    /// A word of an index space is written.
    RdiWrite {
        /// Number of the space.
        space: u32,
        /// Byte address.
        address: u32,
        /// The word.
        value: u32,
    },
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Item::Command(command) => command.fmt(f),
            Item::Vertex => f.write_str("vertex"),
            Item::Set(register, value) => write!(f, "set {} {value:#x}", register.name()),
            Item::Tbuf(register, [x, y, z, w]) => {
                write!(f, "tbuf {register} {x:#010x} {y:#010x} {z:#010x} {w:#010x}")
            }
            Item::Read { kind, slot, word } => {
                write!(f, "read {} {slot:#x}.{}", kind.name(), COMPONENTS[usize::from(word & 3)])
            }
            Item::RdiRead { space, address } => write!(f, "rdi {space:#x} {address:#x}"),
            Item::RdiWrite { space, address, value } => {
                write!(f, "rdi {space:#x} {address:#x} {value:#010x}")
            }
        }
    }
}
