//! The text form of a function. [`super::parse`] reads it back.
//!
//! ```text
//! func host ieee kelvin window 0..192 {
//! prologue:
//!   %0 = ctx c[12].x
//! body:
//!   %1 = input v0.x
//!   %2 = fmul %1, %0
//!   output o0, %2, %2, %2, %2
//! }
//! ```
//! Values are numbered in the order in which they run. Attributes that do not lie in memory as rows of four words are named
//! behind the window, with the number of their components: `v0[3] v2[4] swapped`. The alternate form (`{:#}`) says in a comment where
//! each instruction comes from ([`super::origin`]).

use super::func::{Func, Inst, Level, Value};
use super::imm::{Column, Element, Passed};
use super::layout;
use super::ops::Imm;
use super::origin::Origin;
use std::fmt;

/// Letters of the components.
pub const COMPONENTS: [char; 4] = ['x', 'y', 'z', 'w'];

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Level::Xf => "xf",
            Level::Host => "host",
        })
    }
}

impl fmt::Display for Func {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let model = self.numerics.model.name();
        let rules = self.numerics.rules.name();
        let window = &self.window;
        write!(f, "func {} {model} {rules} window {}..{}", self.level, window.start, window.end)?;
        layout::write(f, &self.inputs)?;
        writeln!(f, " {{")?;
        let mut numbers = vec![0; self.insts.len()];
        let mut next = 0;
        for (title, part) in [("prologue", &self.prologue), ("body", &self.body)] {
            if title == "prologue" && part.is_empty() {
                continue;
            }
            writeln!(f, "{title}:")?;
            for &value in part {
                let inst = self.inst(value);
                f.write_str("  ")?;
                if !inst.op.has_effect() {
                    write!(f, "%{next} = ")?;
                    numbers[value.index()] = next;
                    next += 1;
                }
                write_inst(f, inst, &numbers)?;
                let origin = self.origin(value);
                if f.alternate() && origin != Origin::NONE {
                    write!(f, "  ; {origin}")?;
                }
                writeln!(f)?;
            }
        }
        writeln!(f, "}}")
    }
}

fn write_inst(f: &mut fmt::Formatter<'_>, inst: &Inst, numbers: &[usize]) -> fmt::Result {
    f.write_str(inst.op.text())?;
    let imm = inst.imm;
    let component = |component: usize| COMPONENTS[component];
    let mut separator = " ";
    let immediate = match inst.op.imm() {
        Imm::None => String::new(),
        Imm::Bits => format!("{imm:08x}"),
        Imm::Shift => format!("{imm}"),
        Imm::Input => {
            let at: Element = inst.immediate();
            format!("v{}.{}", at.row, component(at.component))
        }
        Imm::Ctx => {
            let at: Element = inst.immediate();
            format!("c[{}].{}", at.row, component(at.component))
        }
        Imm::Component => format!(".{}", component(inst.immediate())),
        Imm::Table => {
            let Column { table, column } = inst.immediate();
            format!("{}.{}", table.text(), component(column))
        }
        Imm::Output => format!("o{imm}"),
        Imm::Row => format!("c[{imm}]"),
        Imm::Copy => {
            let Passed { attribute, output } = inst.immediate();
            format!("o{output}, v{attribute}")
        }
        Imm::Register => format!("v{imm}"),
        Imm::Block => format!("b{imm}"),
        Imm::Cell => format!("s{imm}"),
    };
    if !immediate.is_empty() {
        write!(f, "{separator}{immediate}")?;
        separator = ", ";
    }
    for &Value(arg) in inst.operands() {
        write!(f, "{separator}%{}", numbers[arg as usize])?;
        separator = ", ";
    }
    Ok(())
}
