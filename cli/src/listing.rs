//! Machine code as text, of whichever code generator makes it.

use xfjit::InstructionSet;
use xfjit::backend::CompileError;
use xfjit::runtime::batch::Layout;
use xfjit_ir::ir::func::Func;
#[cfg(target_arch = "x86_64")]
use xfjit_native::x64::{self, Width};
use xfjit_native::{Compiler, Target};

/// Whether code for wide vectors is asked for, which is not Cranelift's.
pub fn is_wide(set: Option<InstructionSet>) -> bool {
    matches!(set, Some(InstructionSet::X86_64V3 | InstructionSet::X86_64V4))
}

/// Cranelift, for an instruction set or for this machine.
pub fn compiler(set: Option<InstructionSet>) -> Result<Compiler, CompileError> {
    let target = match set {
        None => Target::host(),
        Some(set) => Target::named(set.name()),
    };
    target.map(Compiler::new)
}

/// The machine code of a function for an instruction set, or for Cranelift's on this machine, line by line.
pub fn text(func: &Func, layout: Layout, set: Option<InstructionSet>) -> Result<String, CompileError> {
    match width(set)? {
        #[cfg(target_arch = "x86_64")]
        Some(width) => x64::listing(func, layout, width),
        #[cfg(not(target_arch = "x86_64"))]
        Some(none) => match none {},
        None => compiler(set)?.listing(func, layout),
    }
}

/// How many bytes it has.
pub fn bytes(func: &Func, layout: Layout, set: Option<InstructionSet>) -> Result<usize, CompileError> {
    match width(set)? {
        #[cfg(target_arch = "x86_64")]
        Some(width) => Ok(x64::code(func, layout, width)?.len()),
        #[cfg(not(target_arch = "x86_64"))]
        Some(none) => match none {},
        None => Ok(compiler(set)?.code(func, layout, false)?.0.len()),
    }
}

/// The width of code for wide vectors.
#[cfg(target_arch = "x86_64")]
fn width(set: Option<InstructionSet>) -> Result<Option<Width>, CompileError> {
    Ok(set.and_then(Width::of))
}

/// Such code is made on its own architecture alone.
#[cfg(not(target_arch = "x86_64"))]
fn width(set: Option<InstructionSet>) -> Result<Option<std::convert::Infallible>, CompileError> {
    match set.filter(|_| is_wide(set)) {
        Some(set) => {
            Err(CompileError::Host(format!("code for {} can be compiled only on x86-64", set.name())))
        }
        None => Ok(None),
    }
}
