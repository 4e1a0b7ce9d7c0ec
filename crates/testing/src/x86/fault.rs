//! Why code is stopped.

use std::fmt;

/// Why an instruction cannot be executed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// There is no such instruction here.
    Unknown,
    /// It has operands that it does not have here: of another kind, or with a rounding of its own.
    Operand,
    /// It reads bytes that nobody has lent.
    Read {
        /// Where.
        address: u64,
        /// How many.
        bytes: usize,
    },
    /// It writes bytes that nobody has lent to be written.
    Write {
        /// Where.
        address: u64,
        /// How many.
        bytes: usize,
    },
    /// It accesses a vector at an address that is no multiple of its length.
    Unaligned {
        /// The address.
        address: u64,
    },
    /// It is not in the code.
    Outside,
    /// So many have been executed before that the code is taken to go round for ever.
    Endless,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Unknown => f.write_str("there is no such instruction"),
            Fault::Operand => f.write_str("it has other operands"),
            Fault::Read { address, bytes } => write!(f, "it reads {bytes} bytes at {address:#x}"),
            Fault::Write { address, bytes } => write!(f, "it writes {bytes} bytes at {address:#x}"),
            Fault::Unaligned { address } => write!(f, "its vector at {address:#x} is not aligned"),
            Fault::Outside => f.write_str("it is outside of the code"),
            Fault::Endless => f.write_str("the code does not end"),
        }
    }
}
