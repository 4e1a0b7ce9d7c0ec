//! Why there is no native code.

use std::fmt;

/// Why a program could not be compiled. Then it runs in the interpreter; nothing else changes (invariant I7).
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum CompileError {
    /// There is no code generator for this host, or the host lacks an instruction set that the code needs (SSE4.1).
    Host(String),
    /// The code generator refused: it has reached one of its limits, or there is a bug in xfjit.
    Codegen(String),
    /// The program has more constants, registers and branches, or more operations, than compiled code is made for.
    TooLarge(String),
    /// The system did not give memory, or did not make it executable.
    Memory(String),
    /// The caller's stack is too small to compile on, or its size is unknown, and the system did not give a thread instead.
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
    /// Whether it reports a limit, and not a bug.
    pub fn is_limit(&self) -> bool {
        !matches!(self, CompileError::Codegen(_))
    }
}
