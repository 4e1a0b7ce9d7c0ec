use super::Budget;
use crate::backend::CompileError;
use crate::front::Microcode;
use crate::ir::func::Func;
use crate::machine::Machine;
use crate::shader::Shader;
use crate::{Compiler, Target};
use crate::{front, legalize, opt};
use std::fmt::Write;
use std::sync::Arc;
use xfjit_isa::asm;
use xfjit_isa::config::Config;
use xfjit_isa::isa::Generation;
use xfjit_runtime::batch::Layout;
use xfjit_testing::RandomCase;
use xfjit_testing::operand::Temper;
use xfjit_testing::program::Shape;
use xfjit_testing::{Case, Choices, Limits};

/// What compiling something has taken, counted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
struct Work {
    /// Instructions and blocks of the code generator.
    instructions: usize,
    blocks: usize,
    /// Values of the functions on the way.
    lowered: usize,
    legal: usize,
    /// Operations of what is put in order.
    ordered: usize,
}

fn code(text: &str) -> Shader {
    let program = asm::parse(Generation::Curie, text).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    Microcode::shader(&Arc::new(program), &Config::new(Generation::Curie))
}

/// Programs that make much of few instructions: branches that lead anywhere, calls that meet, outputs and inputs that are
/// indexed, stacks that differ from lane to lane.
fn heavy() -> Vec<(String, Shader)> {
    let mut all = Vec::new();
    let mut family = |name: &str, lines: &[&str], counts: &[usize], end: &str| {
        for &count in counts {
            let mut text = "MOV o1, v0\nARL a0, v0\nARL a1, v1\nMOVC cc, v2\nMOV r1, v1\n".to_owned();
            for number in 0..count {
                let line = lines[number % lines.len()];
                let line =
                    line.replace("$NEXT", &format!("L{}", number + 1)).replace('$', &number.to_string());
                writeln!(text, "L{number}: {line}").expect("a string takes all");
            }
            writeln!(text, "L{count}: {end}").expect("a string takes all");
            all.push((format!("{name} {count}"), code(&text)));
        }
    };
    family("indexed outputs", &["MOV o[a0.x + 1], v1", "MOV o[a1.y + 2], r1"], &[12, 38, 200], "END");
    family("indexed inputs", &["ADD r1, v[a0.x], r1", "MUL r2, v[a0.y + 1], r1"], &[12, 38, 200], "END");
    family("branches", &["BRAI a0.x", "ADD r0, r0, v0", "BRA L0 (GT.x)"], &[12, 38, 100, 400], "END");
    family("jumps", &["BRA L0 (GT.x)", "BRA $NEXT (EQ.y)"], &[100, 480], "END");
    family("calls", &["CAL $NEXT (GT.x)", "ADD r0, r0, v0", "RET (EQ.x)"], &[12, 60, 300, 480], "RET");
    family("indirect calls", &["CALI a0.x", "RET (GT.x)", "MUL r0, r0, v0"], &[12, 60, 300], "RET");
    family("stacks", &["PUSHA a0", "CAL $NEXT (GT.x)", "POPA a0", "RET (LT.x)"], &[12, 60, 300], "RET");
    family("functions", &["LIT r1, r1", "EX2 r1.x, r1.x", "SIN r1.w, r1.x"], &[60, 480], "END");
    all
}

fn random() -> impl Iterator<Item = (String, Shader)> {
    (0..40).map(|seed: u64| {
        let generation = [Generation::Rankine, Generation::Curie][seed as usize % 2];
        let shape = Shape { slots: 200, rare: 30, raw: [0, 5][seed as usize / 2 % 2], idioms: 0 };
        let limits = Limits { generation, shape, temper: Temper::Mixed, vertices: 1, model: None };
        let case = Case::within(&mut Choices::seed(seed), limits);
        let program = case.program().expect("it decodes");
        (format!("random {seed}"), Microcode::shader(&program, &case.config))
    })
}

/// By how much the result of a step may exceed its limit: steps finish one instruction of a program, or one primitive.
const STEP: usize = 12_000;

/// The function that is compiled for this machine.
fn for_host(budget: Budget, code: &Shader) -> Result<Func, CompileError> {
    budget.prepare(code, &Machine::HOST, legalize::Path::Quick, &[])?.for_machine(budget, &Machine::HOST)
}

/// Counts, not times: each step on the way of any program works on no more than the budget says, and what comes out of an
/// operation that is counted as one is a few instructions.
#[test]
fn work_is_bounded_by_the_budget() {
    let budget = Budget::default();
    let mut compiler = Compiler::new(Target::host().expect("this host has native code"));
    let (mut worst, mut refused, mut compiled) = (Work::default(), 0, 0);
    for (name, code) in heavy().into_iter().chain(random()) {
        let mut work = Work::default();
        let lowered = code.lower_within(4 * budget.most);
        work.lowered = lowered.as_ref().map_or(0, |func| func.insts.len());
        assert!(work.lowered <= 4 * budget.most + STEP, "{name}: {work:?}");
        let lowered = lowered.map(opt::simplify);
        let legal = lowered.and_then(|func| {
            legalize::run_within(&func, &Machine::HOST, legalize::Path::Quick, 2 * budget.most)
        });
        work.legal = legal.as_ref().map_or(0, |func| func.insts.len());
        assert!(work.legal <= 2 * budget.most + STEP, "{name}: {work:?}");
        let mut prepared = budget.prepare(&code, &Machine::HOST, legalize::Path::Quick, &[]);
        work.ordered = prepared.as_ref().map_or(0, |prepared| Machine::HOST.operations(&prepared.arranged));
        assert!(work.ordered <= budget.most, "{name}: {work:?}");
        let func = prepared.as_mut().map(|prepared| prepared.for_machine(budget, &Machine::HOST));
        match func.unwrap_or_else(|refused| Err(refused.clone())) {
            Ok(func) => {
                let operations = Machine::HOST.operations(&func);
                assert!(operations <= budget.most, "{name}");
                let (instructions, blocks) = compiler.size(&func, code.layout());
                (work.instructions, work.blocks) = (instructions, blocks);
                // Planes are stored in two ways.
                let planes =
                    if code.layout() == Layout::Planes { func.live_outputs().count_ones() } else { 0 };
                let most = 3 * operations + 50 * planes as usize + 500;
                assert!(instructions <= most, "{name}: {work:?} of {operations}");
                assert!(blocks <= operations / 2 + 50, "{name}: {work:?} of {operations}");
                compiled += 1;
            }
            Err(CompileError::TooLarge(_)) => refused += 1,
            Err(error) => panic!("{name}: {error}"),
        }
        println!("{name}: {work:?}");
        worst = worst.max(work);
    }
    println!("{compiled} compiled, {refused} refused, worst {worst:?}");
    assert!(compiled > 30 && refused > 3, "{compiled} compiled, {refused} refused");
}

/// The limits of early steps refuse no function that the last one would accept, but for loops that are slower than the interpreter.
#[test]
fn limits_of_the_steps_refuse_nothing_that_fits() {
    let budget = Budget::default();
    let mut slow = 0;
    for (name, code) in heavy().into_iter().chain(random()) {
        let refused = for_host(budget, &code).is_err();
        let Some(Microcode { program, config }) = code.made_of() else { unreachable!("programs only") };
        if refused && let Some(lowered) = front::lower_within(program, config, 12 * budget.most) {
            let late = legalize::run_within(
                &opt::simplify(lowered),
                &Machine::HOST,
                legalize::Path::Quick,
                8 * budget.most,
            );
            let late = late.map(opt::simplify);
            if late.as_ref().is_some_and(|late| budget.check_loops(late).is_err()) {
                slow += 1;
                continue;
            }
            let late = late.map(|late| Machine::HOST.operations(&late));
            assert!(late.is_none_or(|operations| operations > budget.most), "{name}: {late:?} operations");
        }
    }
    assert!(slow < 8, "{slow} programs have slow loops");
}
