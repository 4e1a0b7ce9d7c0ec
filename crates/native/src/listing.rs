//! The text of machine code, for people: above the instructions the operation that they are for, with its origin.

#[cfg(any(
    all(target_arch = "x86_64", feature = "cross"),
    all(target_arch = "aarch64", any(feature = "cross", feature = "wide"))
))]
use super::a64;
use super::cranelift::compiler::Compiler;
use super::cranelift::target::Target;
use super::instructions::InstructionSet;
use super::lines::Lines;
#[cfg(all(target_arch = "x86_64", feature = "wide"))]
use super::x64;
use crate::backend::CompileError;
use crate::ir::func::{Func, Value};
use rustc_hash::FxHashMap;
use xfjit_runtime::batch::Layout;

/// Machine code as text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Listing {
    /// The instructions, each with its address in the code, below the operation that they are for as the function's own text has it,
    /// and where that comes from. Instructions of x86-64 are in Intel's syntax, those of AArch64 in Arm's.
    pub text: String,
    /// The length of the code in bytes, with the constants behind it.
    pub bytes: usize,
}

/// Makes the code of a host-level function for an instruction set, which need not be this machine's, as the back end for that set does,
/// and lists it.
///
/// # Errors
/// [`CompileError::Host`] if this build makes no code for the set. [`CompileError::TooLarge`] if the set's emitter refuses the function;
/// Cranelift's code runs instead. [`CompileError::Codegen`]: a bug of this library.
pub fn listing(func: &Func, layout: Layout, set: InstructionSet) -> Result<Listing, CompileError> {
    match set {
        InstructionSet::X86_64V2 => Compiler::new(Target::named(set.name())?).listing(func, layout),
        #[cfg(all(target_arch = "x86_64", feature = "wide"))]
        InstructionSet::X86_64V3 | InstructionSet::X86_64V4 => {
            let width = x64::Width::of(set).expect("the emitter has both sets");
            x64::listing(func, layout, width)
        }
        #[cfg(not(all(target_arch = "x86_64", feature = "wide")))]
        InstructionSet::X86_64V3 | InstructionSet::X86_64V4 => {
            Err(CompileError::Host(format!("code for {} can be compiled only on x86-64", set.name())))
        }
        #[cfg(any(
            all(target_arch = "x86_64", feature = "cross"),
            all(target_arch = "aarch64", any(feature = "cross", feature = "wide"))
        ))]
        InstructionSet::Aarch64 => a64::listing(func, layout),
        #[cfg(not(any(
            all(target_arch = "x86_64", feature = "cross"),
            all(target_arch = "aarch64", any(feature = "cross", feature = "wide"))
        )))]
        InstructionSet::Aarch64 => Compiler::new(Target::named(set.name())?).listing(func, layout),
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

/// Code whose instructions are at hand as texts, with their addresses.
fn listed(
    func: &Func,
    code: &[u8],
    lines: &Lines,
    instructions: impl Iterator<Item = (u32, String)>,
) -> Listing {
    let (mut heads, mut text) = (Heads::new(func), String::new());
    for (at, instruction) in instructions {
        text += &heads.before(lines.value(at));
        text += &format!("{at:5x}:  {instruction}\n");
    }
    Listing { text, bytes: code.len() }
}

/// Code of AArch64, up to the constants behind it.
///
/// # Errors
/// [`CompileError::Codegen`] if it has an instruction that the checkers do not know.
#[cfg(any(target_arch = "aarch64", feature = "cross"))]
pub(super) fn aarch64(func: &Func, code: &[u8], lines: &Lines) -> Result<Listing, CompileError> {
    let texts = super::core::arm_texts(code)?;
    Ok(listed(func, code, lines, texts.into_iter()))
}

/// Code of x86-64, up to the constants behind it.
#[cfg(target_arch = "x86_64")]
pub(super) fn x86_64(func: &Func, code: &[u8], lines: &Lines) -> Listing {
    use iced_x86::{Decoder, DecoderOptions, Formatter, IntelFormatter, Mnemonic};
    let mut formatter = IntelFormatter::new();
    formatter.options_mut().set_space_after_operand_separator(true);
    formatter.options_mut().set_rip_relative_addresses(true);
    let mut decoder = Decoder::with_ip(64, code, 0, DecoderOptions::NONE);
    let (mut last_target, mut has_ended) = (0, false);
    let instructions = std::iter::from_fn(|| {
        if has_ended || !decoder.can_decode() {
            return None;
        }
        let instruction = decoder.decode();
        last_target = last_target.max(instruction.near_branch_target());
        let is_end = matches!(instruction.mnemonic(), Mnemonic::Ret | Mnemonic::Ud2 | Mnemonic::Jmp);
        has_ended = is_end && last_target < instruction.next_ip();
        let mut text = String::new();
        formatter.format(&instruction, &mut text);
        Some((instruction.ip() as u32, text))
    });
    listed(func, code, lines, instructions)
}

#[cfg(test)]
mod tests;
