//! Code that something else executes than this machine's processor: tests evaluate instructions that it lacks.

use std::fmt::Debug;
use std::ops::Range;
use xfjit_runtime::bound::Streams;
use xfjit_runtime::constants::Constants;
use xfjit_runtime::fpenv::FpEnv;

/// One call of code, with what it may access.
#[derive(Debug)]
pub struct CodeCall<'a, 'b, 'c> {
    /// The code, with the constants behind it, at the address that it is executed at.
    pub code: &'a [u8],
    /// The floating-point environment that it is made for.
    pub env: FpEnv,
    /// The first argument of [`Entry`](xfjit_runtime::abi::Entry), and how many rows of it the code may read.
    pub constants: &'a mut Constants<'b>,
    /// That number, the row of zeros included.
    pub rows: usize,
    /// Whether it may write them.
    pub writes_constants: bool,
    /// The second argument.
    pub streams: &'a mut Streams<'c>,
    /// The third and the last: the first vertex, and the one behind the last.
    pub vertices: Range<usize>,
}

/// What executes code.
pub trait Processor: Send + Sync + Debug {
    /// What a back end is called whose code it executes.
    fn name(&self) -> &'static str;

    /// Executes code; returns what that does.
    fn call(&self, call: CodeCall<'_, '_, '_>) -> u64;
}
