//! Why programs have no text.

use std::fmt;

/// Why the languages cannot say an instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Unsaid {
    /// Both units write a component of one register.
    Both,
    /// Each of several operations reads what another writes, so that none can be first.
    Circle,
    /// A register, or a component of one, that has no name.
    Register(String),
    /// An operation that has no name.
    Operation(&'static str),
    /// An operation that the languages do to the absolute value alone.
    Signed(&'static str),
    /// The last instruction stands among others and is a branch itself.
    End,
    /// The program both writes constants and outputs, or reads more than the first attribute while it writes constants.
    State,
}

impl fmt::Display for Unsaid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unsaid::Both => write!(f, "both units write a component of one register"),
            Unsaid::Circle => write!(f, "its two operations read each other's results"),
            Unsaid::Register(name) => write!(f, "{name} has no name there"),
            Unsaid::Operation(name) => write!(f, "there is no {name}"),
            Unsaid::Signed(name) => write!(f, "{name} applies to the absolute value there"),
            Unsaid::End => write!(f, "it ends the program among other instructions, and branches"),
            Unsaid::State => {
                write!(f, "programs that write constants cannot have outputs there, and can read only v[0]")
            }
        }
    }
}

/// An instruction that cannot be said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unsayable {
    /// Its slot.
    pub slot: usize,
    /// Why.
    pub why: Unsaid,
}

impl fmt::Display for Unsayable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "slot {}: {}", self.slot, self.why)
    }
}

impl std::error::Error for Unsayable {}
