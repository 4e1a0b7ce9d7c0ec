//! The text of machine code, for people: above the instructions the operation that they are for, with its origin.

use super::lines::Lines;
use crate::ir::func::{Func, Value};
use rustc_hash::FxHashMap;
use target_lexicon::Architecture;

/// The text of the code of a function. Where no decoder for it is at hand, it is that of the code generator (`plain`), which says of
/// no instruction where it is; it stays as it is if that does not follow from the text.
pub(super) fn text(
    func: &Func,
    code: &[u8],
    lines: &Lines,
    plain: &str,
    architecture: Architecture,
) -> String {
    match architecture {
        #[cfg(target_arch = "x86_64")]
        Architecture::X86_64 => x86::text(func, code, lines),
        Architecture::Aarch64(_) => fixed_width(func, code, lines, plain).unwrap_or_else(|| plain.to_owned()),
        _ => plain.to_owned(),
    }
}

/// What stands above the code of a value.
struct Heads {
    operations: FxHashMap<Value, String>,
    current: Option<Option<Value>>,
}

impl Heads {
    fn new(func: &Func) -> Self {
        let printed = format!("{func:#}");
        let operations = printed.lines().filter_map(|line| line.strip_prefix("  ")).map(str::to_owned);
        Heads { operations: func.order().zip(operations).collect(), current: None }
    }

    /// The line above code of a value, if the code before it is of another.
    fn before(&mut self, value: Option<Value>) -> String {
        if self.current.replace(value) == Some(value) {
            return String::new();
        }
        match value {
            Some(value) => format!("; {}\n", self.operations.get(&value).map_or("", String::as_str)),
            None => ";\n".to_owned(),
        }
    }
}

/// Return from the function.
const RET: [u8; 4] = 0xd65f_03c0_u32.to_le_bytes();

/// Code of AArch64, whose instructions have four bytes each; nothing if the lines of the text are not what is in the code.
fn fixed_width(func: &Func, code: &[u8], lines: &Lines, plain: &str) -> Option<String> {
    let (words, _) = code.as_chunks::<4>();
    let (mut heads, mut text, mut at) = (Heads::new(func), String::new(), 0);
    for line in plain.lines() {
        if line.starts_with(' ') {
            let count = instructions(line, words.get(at..)?);
            if count > 0 {
                text += &heads.before(lines.value(4 * at as u32));
            }
            if line.trim() == "ret" && *words.get(at)? != RET {
                return None;
            }
            at += count;
        }
        text += line;
        text.push('\n');
    }
    Some(text)
}

/// How many instructions a line stands for: several are told apart by semicolons. A jump at its end may have been left out, since it
/// leads to what comes next.
fn instructions(line: &str, words: &[[u8; 4]]) -> usize {
    let parts = line.split(" ; ");
    let count = parts.clone().count();
    let is_jump = |word: &[u8; 4]| u32::from_le_bytes(*word) >> 26 == 0b000101;
    let jumps = parts.last().is_some_and(|last| last.trim().starts_with("b label"));
    match words.get(count - 1) {
        Some(word) if jumps && !is_jump(word) => count - 1,
        _ => count,
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) mod x86 {
    use super::super::lines::Lines;
    use super::Heads;
    use crate::ir::func::Func;
    use iced_x86::{Decoder, DecoderOptions, Formatter, IntelFormatter, Mnemonic};

    /// Instructions in Intel's syntax, each with its address, up to the constants behind them.
    pub(in super::super) fn text(func: &Func, code: &[u8], lines: &Lines) -> String {
        let mut formatter = IntelFormatter::new();
        formatter.options_mut().set_space_after_operand_separator(true);
        formatter.options_mut().set_rip_relative_addresses(true);
        let (mut heads, mut text) = (Heads::new(func), String::new());
        let mut last_target = 0;
        for instruction in &mut Decoder::with_ip(64, code, 0, DecoderOptions::NONE) {
            text += &heads.before(lines.value(instruction.ip() as u32));
            text += &format!("{:5x}:  ", instruction.ip());
            formatter.format(&instruction, &mut text);
            text.push('\n');
            last_target = last_target.max(instruction.near_branch_target());
            let is_end = matches!(instruction.mnemonic(), Mnemonic::Ret | Mnemonic::Ud2 | Mnemonic::Jmp);
            if is_end && last_target < instruction.next_ip() {
                break;
            }
        }
        text
    }
}

#[cfg(test)]
mod tests;
