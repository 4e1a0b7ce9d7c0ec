//! The statements of a program: in a line; with branches forward, which become `if`; or else as a loop over the slots that branches go to.

use super::instruction::Text;
use super::{Names, STACK, TABLE};
use crate::isa::Program;
use crate::isa::op::{Jump, Kind, To};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The chip stops a program after so many slots, unless it is told otherwise (rankine_curie.md 2.5).
const LIMIT: usize = 65_536;

/// The statements.
pub(super) fn flow(names: &Names, program: &Program) -> String {
    let slots = || (program.first..).zip(&program.insns);
    let mut lines = Lines::default();
    if !program.insns.iter().any(|insn| insn.sca.is_flow()) {
        for (slot, insn) in slots() {
            lines.instruction(slot, &Text { names, insn });
        }
        return lines.text;
    }
    match forward(program) {
        true => {
            for (slot, insn) in slots() {
                lines.close(slot);
                structured(
                    &mut lines,
                    slot,
                    &Text { names, insn },
                    slot + 1 - program.first < program.insns.len(),
                );
            }
            lines.close(usize::MAX);
            lines.text
        }
        false => looped(names, program),
    }
}

/// Whether all branches go forward to named slots, and none into or out of what another one skips.
fn forward(program: &Program) -> bool {
    let mut ends: Vec<usize> = Vec::new();
    let last = program.first + program.insns.len();
    if program.start != program.first {
        return false;
    }
    for (slot, insn) in (program.first..).zip(&program.insns) {
        while ends.last().is_some_and(|&end| end <= slot) {
            ends.pop();
        }
        match insn.sca.kind() {
            Kind::Jump(Jump::Branch(To::Slot), _) => {}
            _ if insn.sca.is_flow() => return false,
            _ => continue,
        }
        let target = usize::from(insn.branch.target);
        let end = target.min(last);
        if target <= slot || ends.last().is_some_and(|&around| end > around) {
            return false;
        }
        ends.push(end);
    }
    true
}

/// Lines at a depth.
#[derive(Default)]
struct Lines {
    text: String,
    depth: usize,
    /// The slots at which what is open ends, the innermost last.
    open: Vec<usize>,
}

impl Lines {
    fn line(&mut self, line: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "{}{line}", "    ".repeat(self.depth + 1));
    }

    /// The statements of an instruction; the first one names the slot.
    fn instruction(&mut self, slot: usize, text: &Text<'_>) {
        for (number, line) in text.statements().iter().enumerate() {
            match number {
                0 => self.line(&format!("{line} // {slot}")),
                _ => self.line(line),
            }
        }
    }

    fn close(&mut self, slot: usize) {
        while self.open.last().is_some_and(|&end| end <= slot) {
            self.open.pop();
            self.depth -= 1;
            self.line("}");
        }
    }
}

/// An instruction of a program whose branches go forward.
fn structured(lines: &mut Lines, slot: usize, text: &Text<'_>, has_next: bool) {
    let insn = text.insn;
    let is_branch = insn.sca.is_branch();
    let statements = text.statements();
    let condition = text.taken_if();
    let is_first = is_branch && !statements.is_empty() && condition.is_some();
    // The test looks at the register as it was before.
    let skipped = match (is_branch, condition) {
        (false, _) => None,
        (true, None) => Some("false".to_owned()),
        (true, Some(condition)) if is_first => {
            lines.line(&format!("bool taken{slot} = {condition};"));
            Some(format!("!taken{slot}"))
        }
        (true, Some(condition)) => Some(format!("!({condition})")),
    };
    lines.instruction(slot, text);
    if let Some(skipped) = skipped {
        lines.line(&format!("if ({skipped}) {{ // {slot}: to {}", insn.branch.target));
        lines.open.push(insn.branch.target.into());
        lines.depth += 1;
    }
    if insn.end && has_next {
        lines.line("return;");
    }
}

/// The slots to which a program may go from elsewhere than the slot before.
fn heads(program: &Program) -> BTreeSet<usize> {
    let slots = || (program.first..).zip(&program.insns);
    if slots().any(|(_, insn)| insn.sca.is_indirect()) {
        return slots().map(|(slot, _)| slot).collect();
    }
    let mut heads = BTreeSet::from([program.start]);
    for (slot, insn) in slots() {
        if let Kind::Jump(..) = insn.sca.kind() {
            heads.insert(slot + 1);
            if insn.sca.names_slot() {
                heads.insert(insn.branch.target.into());
            }
        }
    }
    heads
}

/// A program as a loop over its slots.
fn looped(names: &Names, program: &Program) -> String {
    let heads = heads(program);
    let mut lines = Lines::default();
    let uses_stack = program.insns.iter().any(|insn| {
        matches!(insn.sca.kind(), Kind::Jump(Jump::Call(_) | Jump::Return, _) | Kind::Push | Kind::Pop)
    });
    if uses_stack {
        lines.line(&format!("ivec4 stack[{STACK}];"));
        lines.line("int depth = 0;");
    }
    lines.line(&format!("int slot = {};", program.start));
    lines.line(&format!("for (int steps = 0; steps < {LIMIT}; ++steps) {{"));
    lines.depth = 1;
    lines.line("switch (slot) {");
    let last = program.first + program.insns.len();
    for (slot, insn) in (program.first..).zip(&program.insns) {
        if heads.contains(&slot) || slot == program.first {
            lines.depth = 1;
            lines.line(&format!("case {slot}:"));
        }
        lines.depth = 2;
        let text = Text { names, insn };
        step(&mut lines, slot, &text);
        let behind = slot + 1;
        let goes_on = behind < last && !heads.contains(&behind);
        if insn.sca.is_branch() && text.taken_if().is_none() {
            // It has gone elsewhere.
        } else if insn.end || behind >= last {
            lines.line("return;");
        } else if !goes_on {
            lines.line(&format!("slot = {behind};"));
            lines.line("break;");
        }
    }
    lines.depth = 1;
    lines.line("default:");
    lines.line("    return;");
    lines.line("}");
    lines.depth = 0;
    lines.line("}");
    lines.text
}

/// An instruction of such a program: where it goes is read before it writes, and it goes there behind that.
fn step(lines: &mut Lines, slot: usize, text: &Text<'_>) {
    let insn = text.insn;
    let address = insn.address.reg;
    let (condition, target) = (text.taken_if(), format!("table[clamp({}, 0, {})]", text.index(0), TABLE - 1));
    let target = if insn.sca.is_indirect() { target } else { insn.branch.target.to_string() };
    let goes = |action: &str| match &condition {
        None => format!("{action} break;"),
        Some(_) => format!("if (taken{slot}) {{ {action} break; }}"),
    };
    let kind = insn.sca.kind();
    if let (Kind::Jump(..), Some(condition)) = (kind, &condition) {
        lines.line(&format!("bool taken{slot} = {condition};"));
    }
    let is_moved = insn.sca.is_indirect();
    if is_moved {
        lines.line(&format!("int target{slot} = {target};"));
    }
    let target = if is_moved { format!("target{slot}") } else { target };
    if kind == Kind::Push {
        lines.line(&format!("if (depth == {STACK}) return;"));
        lines.line(&format!("stack[depth++] = a{address}; // {slot}"));
    }
    lines.instruction(slot, text);
    let full = format!("if (depth == {STACK}) return;");
    match kind {
        Kind::Jump(Jump::Branch(_), _) => lines.line(&goes(&format!("slot = {target};"))),
        Kind::Jump(Jump::Call(_), _) => {
            lines.line(&goes(&format!("{full} stack[depth++] = ivec4({}); slot = {target};", slot + 1)));
        }
        Kind::Jump(Jump::Return, _) => lines.line(&goes("if (depth == 0) return; slot = stack[--depth].x;")),
        Kind::Pop => {
            lines.line("if (depth == 0) return;");
            for line in text.popped("stack[--depth]") {
                lines.line(&line);
            }
        }
        Kind::Nothing | Kind::Value | Kind::Texel | Kind::Address(_) | Kind::Push => {}
    }
}
