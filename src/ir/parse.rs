//! Reads the text form of a function (see [`super::print`]); `;` begins a comment.

use super::func::{Func, Inst, Level, Value};
use super::host::table_imm;
use super::ops::{Imm, Op};
use super::print::{COMPONENTS, RULES};
use super::verify::{VerifyError, verify};
use std::collections::HashMap;
use std::fmt;
use xfjit_runtime::lookup::Table;
use xfjit_runtime::num::{Model, Numerics};

/// Text that is not a function. The author's fault.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    /// Line, from 1; 0 for the function as a whole.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for ParseError {}

impl From<VerifyError> for ParseError {
    fn from(error: VerifyError) -> Self {
        ParseError { line: 0, message: error.to_string() }
    }
}

/// Reads one function and verifies it.
///
/// # Errors
/// The first line that cannot be read, or the rule that the function breaks.
pub fn parse(text: &str) -> Result<Func, ParseError> {
    let mut lines = text
        .lines()
        .enumerate()
        .map(|(i, line)| (i + 1, line.split(';').next().unwrap_or("").trim()))
        .filter(|(_, line)| !line.is_empty());
    let (number, head) = lines.next().ok_or_else(|| error(1, "no function"))?;
    let mut func =
        header(head).ok_or_else(|| error(number, "expected `func LEVEL MODEL RULES window A..B {`"))?;
    let mut names = HashMap::new();
    let mut in_prologue = false;
    for (number, line) in lines {
        match line {
            "prologue:" => in_prologue = true,
            "body:" => in_prologue = false,
            "}" => break,
            _ => {
                let (name, inst) =
                    line.split_once(" = ").map_or((None, line), |(name, inst)| (Some(name), inst));
                let inst = instruction(inst, &names).map_err(|message| error(number, &message))?;
                if name.is_some() == inst.op.has_effect() {
                    return Err(error(number, "an effect has no result, everything else has one"));
                }
                let value = Value(func.insts.len() as u32);
                func.insts.push(inst);
                let part = if in_prologue { &mut func.prologue } else { &mut func.body };
                part.push(value);
                if let Some(name) = name {
                    names.insert(name.to_owned(), value);
                }
            }
        }
    }
    verify(&func)?;
    Ok(func)
}

fn error(line: usize, message: &str) -> ParseError {
    ParseError { line, message: message.to_owned() }
}

fn header(line: &str) -> Option<Func> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let ["func", level, model, rules, "window", window, "{"] = words[..] else { return None };
    let level = [Level::Xf, Level::Host].into_iter().find(|l| l.to_string() == level)?;
    let model = match model {
        "hw" => Model::Hw,
        "ieee" => Model::Ieee,
        _ => return None,
    };
    let rules = RULES.iter().find(|(_, name)| *name == rules)?.0;
    let (start, end) = window.split_once("..")?;
    Some(Func::new(level, Numerics { model, rules }, start.parse().ok()?..end.parse().ok()?))
}

fn instruction(text: &str, names: &HashMap<String, Value>) -> Result<Inst, String> {
    let (name, rest) = text.split_once(' ').unwrap_or((text, ""));
    let op = Op::from_text(name).ok_or_else(|| format!("no operation `{name}`"))?;
    let mut words = rest.split(',').map(str::trim).filter(|word| !word.is_empty());
    let mut imm = 0;
    if op.imm() != Imm::None {
        let word = words.next().ok_or("the immediate is missing")?;
        let second = if op.imm() == Imm::Copy { words.next().unwrap_or("") } else { "" };
        imm = immediate(op.imm(), word, second).ok_or_else(|| format!("bad immediate `{word}`"))?;
    }
    let args: Vec<Value> = words
        .map(|word| names.get(word).copied().ok_or_else(|| format!("`{word}` is not defined")))
        .collect::<Result<_, _>>()?;
    if args.len() != op.operands() {
        return Err(format!("`{name}` takes {} operands", op.operands()));
    }
    Ok(Inst::new(op, imm, &args))
}

fn immediate(kind: Imm, word: &str, second: &str) -> Option<u32> {
    let register = |word: &str, letter: char| word.strip_prefix(letter)?.parse::<u32>().ok();
    let row = |word: &str| word.strip_prefix("c[")?.strip_suffix(']')?.parse::<u32>().ok();
    let split = |word: &str| {
        let (head, component) = word.rsplit_once('.')?;
        let component = COMPONENTS.iter().position(|c| component.chars().eq([*c]))?;
        Some((head.to_owned(), component as u32))
    };
    match kind {
        Imm::None => None,
        Imm::Bits => u32::from_str_radix(word, 16).ok(),
        Imm::Shift => word.parse().ok(),
        Imm::Input => split(word).and_then(|(head, c)| Some(register(&head, 'v')?.checked_mul(4)? + c)),
        Imm::Ctx => split(word).and_then(|(head, c)| Some(row(&head)?.checked_mul(4)? + c)),
        Imm::Component => split(word).map(|(_, c)| c),
        Imm::Table => split(word).and_then(|(head, c)| {
            let table = Table::ALL.iter().find(|table| table.text() == head)?;
            Some(table_imm(*table, c))
        }),
        Imm::Output => register(word, 'o'),
        Imm::Row => row(word),
        Imm::Copy => {
            register(word, 'o')?.checked_mul(256)?.checked_add(register(second, 'v').filter(|&v| v < 256)?)
        }
        Imm::Register => register(word, 'v'),
        Imm::Block => register(word, 'b'),
        Imm::Cell => register(word, 's'),
    }
}
