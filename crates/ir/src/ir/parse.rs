//! Reads the text form of a function (see [`super::print`]); `;` begins a comment.

use super::func::{Func, Inst, Level, Value};
use super::imm::{Column, Element, Immediate, Passed};
use super::layout;
use super::ops::{Imm, Op};
use super::print::COMPONENTS;
use super::verify::{VerifyError, verify};
use crate::text::LineError;
use std::collections::HashMap;
use xfjit_runtime::lookup::Table;
use xfjit_runtime::num::{Model, Numerics, Rules};
use xfjit_runtime::state::ATTRIBUTES;

impl From<VerifyError> for LineError {
    fn from(error: VerifyError) -> Self {
        LineError { line: 0, message: error.to_string() }
    }
}

/// Reads one function and verifies it.
///
/// # Errors
/// The first line that cannot be read, or the rule that the function breaks.
pub fn parse(text: &str) -> Result<Func, LineError> {
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

fn error(line: usize, message: &str) -> LineError {
    LineError { line, message: message.to_owned() }
}

fn header(line: &str) -> Option<Func> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let ["func", level, model, rules, "window", window, ref formats @ .., "{"] = words[..] else {
        return None;
    };
    let level = [Level::Xf, Level::Host].into_iter().find(|l| l.to_string() == level)?;
    let model = Model::from_name(model)?;
    let rules = Rules::from_name(rules)?;
    let (start, end) = window.split_once("..")?;
    let func = Func::new(level, Numerics { model, rules }, start.parse().ok()?..end.parse().ok()?);
    Some(Func { inputs: layout::read(formats)?, ..func })
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
    // u16: more rows than any chip has, and small enough to be packed.
    let number = |word: &str| word.parse::<u16>().ok().map(usize::from);
    let register = |word: &str, letter: char| number(word.strip_prefix(letter)?);
    let row = |word: &str| number(word.strip_prefix("c[")?.strip_suffix(']')?);
    let split = |word| -> Option<(&str, usize)> {
        let (head, component) = str::rsplit_once(word, '.')?;
        Some((head, COMPONENTS.iter().position(|c| component.chars().eq([*c]))?))
    };
    match kind {
        Imm::None => None,
        Imm::Bits => u32::from_str_radix(word, 16).ok(),
        Imm::Shift => word.parse().ok(),
        Imm::Input => {
            let (head, component) = split(word)?;
            Some(Element { row: register(head, 'v')?, component }.pack())
        }
        Imm::Ctx => {
            let (head, component) = split(word)?;
            Some(Element { row: row(head)?, component }.pack())
        }
        Imm::Component => split(word).map(|(_, component)| component.pack()),
        Imm::Table => {
            let (head, column) = split(word)?;
            let table = *Table::ALL.iter().find(|table| table.text() == head)?;
            Some(Column { table, column }.pack())
        }
        Imm::Output => register(word, 'o').map(usize::pack),
        Imm::Row => row(word).map(usize::pack),
        Imm::Copy => {
            let attribute = register(second, 'v').filter(|&attribute| attribute < ATTRIBUTES)?;
            Some(Passed { attribute, output: register(word, 'o')? }.pack())
        }
        Imm::Register => register(word, 'v').map(usize::pack),
        Imm::Block => register(word, 'b').map(usize::pack),
        Imm::Cell => register(word, 's').map(usize::pack),
    }
}
