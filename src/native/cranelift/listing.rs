//! The text of Cranelift's code, for people: above the instructions the operation that they are for, with its origin.

use super::super::lines::Lines;
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
        #[cfg(all(target_arch = "x86_64", any(feature = "checks", feature = "wide")))]
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

#[cfg(all(target_arch = "x86_64", any(feature = "checks", feature = "wide")))]
mod x86 {
    use super::super::super::lines::Lines;
    use super::Heads;
    use crate::ir::func::Func;
    use iced_x86::{Decoder, DecoderOptions, Formatter, IntelFormatter, Mnemonic};

    /// Instructions in Intel's syntax, each with its address, up to the constants behind them.
    pub(super) fn text(func: &Func, code: &[u8], lines: &Lines) -> String {
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
            let is_end = instruction.mnemonic() == Mnemonic::Ret || instruction.mnemonic() == Mnemonic::Ud2;
            if is_end && last_target < instruction.next_ip() {
                break;
            }
        }
        text
    }
}

#[cfg(all(test, feature = "cross"))]
mod tests {
    use super::super::compiler::Compiler;
    use super::super::target::Target;
    use crate::backend::to_host;
    use crate::front::Microcode;
    use crate::front::fixed::Setup;
    use crate::machine::Machine;
    use crate::shader::Shader;
    use crate::testing::{programs, setups};
    use crate::{Model, native};
    use std::sync::Arc;

    fn shaders() -> impl Iterator<Item = Shader> {
        let program = |fixed: &programs::Fixed| {
            Microcode::shader(&Arc::new(fixed.program()), &fixed.config(Model::Ieee))
        };
        let setup = |set: &setups::FixedSetup| Shader::from(Setup::new(set.mode()).model(Model::Hw));
        programs::ALL.iter().map(program).chain(setups::ALL.iter().map(setup))
    }

    /// Nearly all instructions of a listing stand below an operation, and those below the operations of all slots that matter.
    #[test]
    fn listings_say_where_instructions_come_from() {
        for target in ["x86_64", "aarch64"] {
            let mut compiler = Compiler::new(Target::named(target).expect("it is there"));
            for shader in shaders() {
                let host = to_host(shader.lower(), &Machine::X86_64);
                let listing = compiler.listing(&host, shader.layout()).expect("it compiles");
                let heads: Vec<&str> = listing.lines().filter(|line| line.starts_with("; ")).collect();
                assert!(heads.len() > host.body.len() / 2, "{target}: {} heads", heads.len());
                let known = |head: &&str| head.contains("  ; ") || head.contains("const ");
                assert!(heads.iter().all(known), "{target}: {listing}");
            }
        }
    }

    #[test]
    fn lines_do_not_change_code() {
        for target in ["x86_64", "aarch64"] {
            let target = Target::named(target).expect("it is there");
            let mut compilers =
                [false, true].map(|has_lines| Compiler::new(target.clone()).with_lines(has_lines));
            for shader in native::samples::shaders(9) {
                let host = to_host(shader.lower(), &Machine::X86_64);
                let codes = compilers
                    .each_mut()
                    .map(|compiler| compiler.code(&host, shader.layout(), false).expect("it compiles").0);
                assert!(codes[0] == codes[1], "{host}");
            }
        }
    }
}
