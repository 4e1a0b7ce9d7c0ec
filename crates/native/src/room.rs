//! Memory for a compilation. The code generator cannot be refused any: where there is none, the process ends. So a compilation does
//! not begin unless there is more than it takes, which the budget bounds.

use crate::backend::CompileError;
use std::hint::black_box;

/// Bytes that must be there for a compilation to begin. It takes less than half of them (`capi/tests/out_of_memory.rs`): 37 MB where
/// Cranelift makes 148,000 instructions without AVX2, of which the checkers keep 112 bytes each. More than the 32 MiB that allocators of C
/// keep when it is given back.
pub(super) const COMPILING: usize = 96 << 20;

/// That there is memory for a compilation, unless other threads take it meanwhile. It is asked for and given back, not touched: that
/// takes a microsecond.
///
/// # Errors
/// [`CompileError::Memory`].
pub(super) fn check() -> Result<(), CompileError> {
    let mut room = Vec::<u8>::new();
    let got = room.try_reserve_exact(COMPILING).map_err(|error| CompileError::Memory(error.to_string()));
    // An allocation that nobody looks at may be none.
    black_box(room.as_ptr());
    got
}
