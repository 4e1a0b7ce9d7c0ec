//! The text of emitted code, for people.

use super::emit;
use super::trace::Note;
use super::width::Width;
use crate::backend::CompileError;
use crate::ir::func::{Func, Value};
use iced_x86::{Formatter, IntelFormatter};
use rustc_hash::FxHashMap;
use xfjit_runtime::batch::Layout;

/// The instructions of a host-level function in Intel's syntax, each with its address, below the operation that they are for as
/// the function's own text has it, and where that
/// comes from. What stands before an operation's instructions for want of registers belongs to it.
///
/// # Errors
/// As of [`super::code`].
pub fn listing(func: &Func, layout: Layout, width: Width) -> Result<String, CompileError> {
    super::check_emittable(func, width)?;
    let emitted = emit::emit_traced(func, layout, width)?;
    let printed = format!("{func:#}");
    let lines = printed.lines().filter_map(|line| line.strip_prefix("  "));
    let lines: FxHashMap<_, _> = func.order().zip(lines).collect();
    let mut formatter = IntelFormatter::new();
    formatter.options_mut().set_space_after_operand_separator(true);
    formatter.options_mut().set_rip_relative_addresses(true);
    let mut text = String::new();
    let line = |value: Value| lines.get(&value).copied().unwrap_or_default().trim();
    let mut notes = emitted.trace.notes().iter().peekable();
    for (number, instruction) in emitted.instructions.iter().enumerate() {
        while let Some((_, note)) = notes.next_if(|&&(at, _)| at <= number) {
            match *note {
                Note::Run(value) => text += &format!("; {}\n", line(value)),
                Note::Again(value) => {
                    text += &format!("; of a group with fewer vertices: {}\n", line(value));
                }
                Note::Ran => text.push_str(";\n"),
                Note::Makes(_) | Note::Result(..) | Note::Cell(..) => {}
            }
        }
        text += &format!("{:5x}:  ", instruction.ip());
        formatter.format(instruction, &mut text);
        text.push('\n');
    }
    Ok(text)
}
