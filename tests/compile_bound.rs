//! Looks for programs that take long to compile, or to be refused. What bounds that is counted, not timed, in
//! `crates/native/src/budget/tests.rs`; this looks for what the counts do not see:
//! `cargo test --release --test compile_bound -- --ignored --nocapture` (for longer with `XFJIT_SEARCH_SECONDS=600`).
#![cfg(feature = "jit")]

use std::sync::Arc;
use std::time::{Duration, Instant};
use xfjit::backend::CompileError;
use xfjit::front::Microcode;
use xfjit::isa::{Insn, Program};
use xfjit::{Config, Generation, backend::Backend};
use xfjit_native::{Budget, Jit};
use xfjit_testing::RandomCase;
use xfjit_testing::operand::Temper;
use xfjit_testing::program::Shape;
use xfjit_testing::{Case, Choices, Limits};

/// Programs that are kept to be changed further.
const KEPT: usize = 12;

struct Found {
    program: Program,
    config: Config,
    time: Duration,
    refused: bool,
}

impl Found {
    fn new(jit: &Jit, program: Program, config: Config) -> Self {
        let code = Microcode::shader(&Arc::new(program.clone()), &config);
        let mut refused = false;
        let mut once = || {
            let start = Instant::now();
            match jit.prepare(&code) {
                Ok(_) => {}
                Err(CompileError::TooLarge(_)) => refused = true,
                Err(error) => panic!("{error}"),
            }
            start.elapsed()
        };
        // The lesser of two: what else the machine does is not the program's fault.
        let time = once().min(once());
        Found { program, config, time, refused }
    }
}

fn random(c: &mut Choices<'_>) -> (Program, Config) {
    let generation = c.pick(&[Generation::Curie, Generation::Rankine, Generation::Curie]);
    let shape = Shape { slots: c.pick(&[12, 40, 100, 512]), rare: 30, raw: c.pick(&[0, 5]), idioms: 0 };
    let case = Case::within(c, Limits { generation, shape, temper: Temper::Mixed, vertices: 1, model: None });
    ((*case.program().expect("it decodes")).clone(), case.config)
}

/// Instructions doubled, moved, or of another program.
fn changed(c: &mut Choices<'_>, found: &Found, other: &Found) -> (Program, Config) {
    let mut program = found.program.clone();
    for _ in 0..1 + c.below(8) {
        let length = program.insns.len() as u32;
        let (at, from) = (c.below(length) as usize, c.below(length) as usize);
        let mut part: Vec<Insn> =
            program.insns[from..].iter().take(1 + c.below(16) as usize).copied().collect();
        if c.chance(40) {
            let from = c.below(other.program.insns.len() as u32) as usize;
            part = other.program.insns[from..].iter().take(16).copied().collect();
        }
        program.insns.splice(at..at, part);
    }
    let room = found.config.generation.slots() - program.first.min(found.config.generation.slots() - 1);
    program.insns.truncate(room);
    for insn in program.insns.iter_mut().rev().skip(1) {
        insn.end &= c.chance(5);
    }
    (program, found.config.clone())
}

#[test]
#[ignore = "a search of a minute, for a release build on an idle machine"]
fn the_worst_compilations() {
    let seconds = std::env::var("XFJIT_SEARCH_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(60);
    let jit = Jit::host().expect("this host has native code").budget(Budget::default());
    let mut c = Choices::seed(7);
    let mut kept: Vec<Found> = Vec::new();
    let (start, mut tried) = (Instant::now(), 0);
    while start.elapsed() < Duration::from_secs(seconds) {
        let (program, config) = if kept.len() < KEPT || c.chance(30) {
            random(&mut c)
        } else {
            let [one, other] = [0, 1].map(|_| c.below(kept.len() as u32) as usize);
            changed(&mut c, &kept[one], &kept[other])
        };
        tried += 1;
        kept.push(Found::new(&jit, program, config));
        kept.sort_by_key(|found| std::cmp::Reverse(found.time));
        kept.truncate(KEPT);
    }
    println!("{tried} programs; the worst:");
    for Found { program, config, time, refused } in &kept {
        let how = if *refused { "until it was refused" } else { "compiled" };
        println!("{time:?} {how}: {} of {} slots", config.generation.name(), program.insns.len());
    }
    assert!(kept.len() == KEPT, "{tried} programs");
}
