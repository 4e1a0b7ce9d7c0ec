//! The text of emitted code, for people.

use super::emit;
use super::target::Width;
use crate::backend::CompileError;
use crate::ir::func::Func;
use iced_x86::{Formatter, IntelFormatter};
use xfjit_runtime::batch::Layout;

/// The instructions of a host-level function in Intel's syntax, each with its address.
///
/// # Errors
/// As of [`super::code`].
pub fn listing(func: &Func, layout: Layout, width: Width) -> Result<String, CompileError> {
    super::check_emittable(func, width)?;
    let emitted = emit::emit(func, layout, width)?;
    let mut formatter = IntelFormatter::new();
    formatter.options_mut().set_space_after_operand_separator(true);
    formatter.options_mut().set_rip_relative_addresses(true);
    let mut text = String::new();
    for instruction in &emitted.instructions {
        text += &format!("{:5x}:  ", instruction.ip());
        formatter.format(instruction, &mut text);
        text.push('\n');
    }
    Ok(text)
}
