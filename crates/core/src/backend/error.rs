//! Why there is no native code.

use std::fmt;

/// Why a program could not be compiled. It runs in the interpreter then; nothing else changes (invariant I7).
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum CompileError {
    /// No code generator for this host, or it lacks an instruction set that the code needs (SSE4.1).
    Host(String),
    /// The code generator refused: a limit of it, or a bug of ours.
    Codegen(String),
    /// The program has more constants, registers and branches, or more operations, than compiled code is made for.
    TooLarge(String),
    /// The system gave no memory, or did not let it become executable.
    Memory(String),
    /// The caller's stack is too small to compile on, or its size is unknown, and the system gave no thread instead.
    Stack(String),
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CompileError::Host(why) => write!(f, "this host does not support native code: {why}"),
            CompileError::Codegen(why) => write!(f, "the code generator failed: {why}"),
            CompileError::TooLarge(why) => write!(f, "the program is too large: {why}"),
            CompileError::Memory(why) => write!(f, "not enough memory: {why}"),
            CompileError::Stack(why) => write!(f, "cannot start a compiler thread: {why}"),
        }
    }
}

impl std::error::Error for CompileError {}

impl CompileError {
    /// Whether it tells of a limit, and not of a bug.
    pub fn is_limit(&self) -> bool {
        !matches!(self, CompileError::Codegen(_))
    }
}
