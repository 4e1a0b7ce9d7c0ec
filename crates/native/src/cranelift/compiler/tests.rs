//! Frames of functions with many spilled values.

use super::{Compiler, frame};
use crate::backend::CompileError;
use crate::budget::Budget;
use crate::cranelift::target::Target;
use crate::ir::func::Func;
use crate::samples::computing;
use crate::stack::MOST_FRAME;
use xfjit_runtime::batch::Layout;

/// Values that are computed beside the attributes.
const VALUES: usize = 3000;

/// A function in which each value is read for the last time when so many others have been computed.
fn func(live: usize) -> Func {
    computing(VALUES, |number| format!("iadd %{}, %{}", number.saturating_sub(live), number - 1))
}

/// A compiler that has registers assigned quickly.
fn quick() -> Compiler {
    let target = Target::host().expect("this host has native code");
    Compiler::new(target).budget(Budget { thorough: 0, ..Budget::UNLIMITED })
}

#[test]
fn frames_of_the_quick_allocator_that_are_too_large_are_made_anew() {
    let func = func(60);
    let mut compiler = quick();
    let mut made = |most| {
        let code = compiler.generate_within(most, &func, Layout::Rows);
        code.map(|code| frame(&code).expect("a frame"))
    };
    let large = made(MOST_FRAME).expect("it is code");
    let small = made(large - 1).expect("the other allocator needs less");
    assert!(small < large / 2, "{small} and {large} bytes");
    let refused = made(small - 1);
    let says = |why: &str| why == format!("its code needs {small} bytes of stack");
    assert!(matches!(&refused, Err(CompileError::TooLarge(why)) if says(why)), "{refused:?}");
}
