//! Reasons why a program has no text.

use std::fmt;

/// Why the languages cannot express an instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Unsaid {
    /// Both units write a component of one register.
    Both,
    /// Several operations each read a register that another one writes, so none can be first.
    Circle,
    /// A register, or a component of one, that has no name.
    Register(String),
    /// An operation that has no name.
    Operation(&'static str),
    /// An operation that the languages apply only to the absolute value.
    Signed(&'static str),
    /// An instruction in the middle ends the program, and is a branch or the language has no branches.
    End,
    /// The program writes both constants and outputs, or it writes constants and reads more than the first
    /// attribute.
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
            Unsaid::End => {
                write!(f, "it ends the program in the middle of other instructions, and is a branch")
            }
            Unsaid::State => {
                write!(f, "programs that write constants cannot have outputs there, and can read only v[0]")
            }
        }
    }
}

/// An instruction that cannot be expressed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unsayable {
    /// Its slot.
    pub slot: usize,
    /// The reason.
    pub why: Unsaid,
}

impl fmt::Display for Unsayable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "slot {}: {}", self.slot, self.why)
    }
}

impl std::error::Error for Unsayable {}
