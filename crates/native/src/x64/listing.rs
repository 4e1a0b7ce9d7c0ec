//! The text of emitted code, for people.

use super::emit;
use super::trace::Note;
use super::width::Width;
use crate::backend::CompileError;
use crate::ir::func::Func;
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
    let mut notes = emitted.trace.notes.iter().peekable();
    for (number, instruction) in emitted.instructions.iter().enumerate() {
        while let Some((_, note)) = notes.next_if(|&&(at, _)| at <= number) {
            match note {
                Note::Run(value) => {
                    text += &format!("; {}\n", lines.get(value).copied().unwrap_or_default().trim());
                }
                Note::Tail(_, value) => {
                    let line = lines.get(value).copied().unwrap_or_default().trim();
                    text += &format!("; of a group with fewer vertices: {line}\n");
                }
                Note::Ran => text.push_str(";\n"),
                Note::Fork(_) | Note::Join(_) | Note::TailEnd(_) => {}
                Note::Begin | Note::Bind(..) | Note::BindMask(..) | Note::Literal(..) | Note::Read(..) => {}
            }
        }
        text += &format!("{:5x}:  ", instruction.ip());
        formatter.format(instruction, &mut text);
        text.push('\n');
    }
    Ok(text)
}
