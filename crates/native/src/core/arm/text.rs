//! Code for AArch64 as text: rows have the names of their operands, words have what is there.

use super::super::steps::Insn as _;
use super::{Access, Does, Immediate, Insn, decode};
use crate::backend::CompileError;
use std::fmt::{self, Write};

/// Conditions by their numbers (Arm DDI 0487, C1.2.4).
const CONDITIONS: [&str; 16] =
    ["eq", "ne", "cs", "cc", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le", "al", "nv"];

/// The base register that is the stack pointer.
const STACK: usize = 31;

/// The instructions that control reaches, with their addresses, which ascend.
///
/// # Errors
/// [`CompileError::Codegen`] at an instruction that no row has.
pub(in super::super::super) fn texts(code: &[u8]) -> Result<Vec<(u32, String)>, CompileError> {
    let decoded = decode(code)?;
    Ok(decoded.steps.iter().map(|step| (step.insn.at, step.insn.to_string())).collect())
}

impl fmt::Display for Insn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut letters = self.row.text.chars().peekable();
        while let Some(letter) = letters.next() {
            let next = letters.peek().copied();
            match (letter, next) {
                (
                    'X' | 'W' | 'B' | 'H' | 'S' | 'D' | 'Q' | 'V',
                    Some(field @ ('d' | 'n' | 'm' | 'a' | 's')),
                ) => {
                    letters.next();
                    let number = match field {
                        'd' => self.d(),
                        'm' => self.m(),
                        'a' => self.a(),
                        _ => self.n(),
                    };
                    match (field, number) {
                        ('s', STACK) => f.write_str("sp")?,
                        _ => write!(f, "{}{number}", letter.to_ascii_lowercase())?,
                    }
                }
                ('.', Some('c')) if self.does() == Does::Branch => {
                    letters.next();
                    write!(f, ".{}", CONDITIONS[self.condition() as usize])?;
                }
                ('#' | '[', Some('i')) => {
                    letters.next();
                    f.write_char(letter)?;
                    self.write_immediate(f)?;
                }
                ('@', _) => write!(f, "{:#x}", self.target())?,
                _ => f.write_char(letter)?,
            }
        }
        let shift = self.word >> 21 & 3;
        if matches!(self.does(), Does::Keep { .. }) && shift > 0 {
            write!(f, ", lsl #{}", 16 * shift)?;
        }
        Ok(())
    }
}

impl Insn {
    /// The immediate as the number that it stands for: distances in bytes, words in full.
    fn write_immediate(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let raw = self.immediate();
        match self.does() {
            Does::Load(_, bytes, Access::Scaled) | Does::Store(_, bytes, Access::Scaled) => {
                write!(f, "{}", raw * u32::from(bytes))
            }
            Does::Load(_, bytes, Access::PopPair | Access::Pair)
            | Does::Store(_, bytes, Access::PushPair | Access::Pair) => {
                write!(f, "{}", self.signed() * i64::from(bytes))
            }
            Does::Load(..) | Does::Store(..) => write!(f, "{}", self.signed()),
            Does::Wide { .. } | Does::Repeated { .. } => {
                write!(f, "{:#x}", self.number(None).unwrap_or_default())
            }
            Does::Literally(immediate) => {
                let [even, odd] = self.words(immediate);
                let odd = if immediate == Immediate::Masks { u64::from(odd) << u32::BITS } else { 0 };
                write!(f, "{:#x}", odd | u64::from(even))
            }
            // Shifts to the right are counted downwards, from twice the bits of a lane.
            Does::One(_) if self.row.text.contains("shr") => {
                let most = if self.row.text.contains("2d") { 64 } else { 32 };
                write!(f, "{}", most - raw)
            }
            _ => write!(f, "{raw}"),
        }
    }
}
