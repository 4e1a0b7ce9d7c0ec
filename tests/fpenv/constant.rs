//! Programs whose operands are all known when they are compiled: whatever folds wrongly shows in what they compute.
//!
//! Temporaries start as zero, and DST of zeros is (1, 0, 0, 0). Everything else is computed from that, so a compiler folds
//! the whole program, and no operand of the vertices can hide what it has made.

use std::fmt::Write;
use std::sync::Arc;
use xfjit::front::Microcode;
use xfjit::runtime::num::Model;
use xfjit::shader::Shader;
use xfjit::{Config, Generation, asm};
use xfjit_isa::isa::op::{Components, ScaOp, Slot, VecOp};
use xfjit_testing::Choices;

/// Temporaries that every generation has.
const TEMPS: u32 = 12;

/// The program of a seed.
pub(crate) fn program(generation: Generation, model: Model, seed: u64) -> Shader {
    let c = &mut Choices::seed(seed);
    // One, three, a third, and numbers with many digits.
    let mut text =
        "DST r0, r0, r0\nADD r1, r0.x, r0.x\nADD r1.xyz, r1, r0.x\nRCP r2, r1.x\nEXP r3, r2.x\nRSQ r4, r1.x\nMAD r5, r3, r2, r4\n".to_owned();
    for _ in 0..4 + c.below(16) {
        let line = if c.chance(50) { vector(c, generation) } else { scalar(c, generation) };
        text += &line;
        text.push('\n');
    }
    let outputs = ["oPos", "oD0", "oD1", "oT0"];
    for output in outputs {
        let source = source(c);
        writeln!(text, "MOV {output}, {source}").expect("a String takes everything");
    }
    let program = asm::parse(generation, &text).unwrap_or_else(|errors| panic!("{text}{errors:?}"));
    Microcode::shader(&Arc::new(program), &Config::new(generation).model(model))
}

/// Most operations compute; a fifth of them compare, round or move.
fn is_usual(mnemonic: &str) -> bool {
    matches!(
        mnemonic,
        "MUL"
            | "ADD"
            | "MAD"
            | "DP3"
            | "DPH"
            | "DP4"
            | "DST"
            | "RCP"
            | "RSQ"
            | "EXP"
            | "LOG"
            | "LIT"
            | "LG2"
            | "EX2"
            | "SIN"
            | "COS"
    )
}

/// An operation with a value that the generation has.
fn pick<Op: Copy>(
    c: &mut Choices<'_>,
    all: &[Op],
    is_there: impl Fn(Op) -> bool,
    name: impl Fn(Op) -> &'static str,
) -> Op {
    let usual = c.chance(80);
    let ops: Vec<Op> =
        all.iter().copied().filter(|&op| is_there(op) && is_usual(name(op)) == usual).collect();
    c.pick(&ops)
}

fn vector(c: &mut Choices<'_>, generation: Generation) -> String {
    let is_there = |op: VecOp| op.since() <= generation && op.has_value() && op != VecOp::Txl;
    let op = pick(c, VecOp::ALL, is_there, VecOp::mnemonic);
    line(c, op.mnemonic(), op.reads())
}

fn scalar(c: &mut Choices<'_>, generation: Generation) -> String {
    let is_there = |op: ScaOp| op.since() <= generation && op.has_value() && op != ScaOp::Mov;
    let op = pick(c, ScaOp::ALL, is_there, ScaOp::mnemonic);
    if op.components(Slot::C) == Some(Components::X) {
        format!("{} r{}, {}", op.mnemonic(), target(c), component(c))
    } else {
        line(c, op.mnemonic(), op.reads())
    }
}

fn line(c: &mut Choices<'_>, mnemonic: &str, reads: &[Slot]) -> String {
    let mask = c.pick(&["", "", "", ".x", ".yz", ".xyw"]);
    let mut text = format!("{mnemonic} r{}{mask}", target(c));
    for _ in reads {
        text += ", ";
        text += &source(c);
    }
    text
}

/// Seldom one of the first, whose numbers are good to compute with.
fn target(c: &mut Choices<'_>) -> u32 {
    if c.chance(85) { 6 + c.below(TEMPS - 6) } else { c.below(TEMPS) }
}

fn register(c: &mut Choices<'_>) -> u32 {
    if c.chance(60) { 1 + c.below(5) } else { c.below(TEMPS) }
}

fn component(c: &mut Choices<'_>) -> String {
    format!("r{}.{}", register(c), c.pick(&['x', 'y', 'z', 'w']))
}

fn source(c: &mut Choices<'_>) -> String {
    let sign = if c.chance(25) { "-" } else { "" };
    let register = register(c);
    let swizzle = match c.below(3) {
        0 => String::new(),
        1 => format!(".{}", c.pick(&['x', 'y', 'z', 'w'])),
        _ => std::iter::once('.').chain((0..4).map(|_| c.pick(&['x', 'y', 'z', 'w']))).collect(),
    };
    format!("{sign}r{register}{swizzle}")
}
