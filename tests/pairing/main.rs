//! `asm::pair`: fewer slots, and the same bits. The reference runs programs before and after, each pass by itself and all together.

mod figures;

use std::sync::Arc;
use xfjit::asm::{self, Paired, Passes};
use xfjit::backend::{Backend, Interp};
use xfjit::config::Forms;
use xfjit::front::Microcode;
use xfjit::isa::{self, Insn, Program, ScaOp, VecOp, WORDS_PER_SLOT};
use xfjit::repro::difference;
use xfjit::runtime::batch::{Attribute, Inputs, Outputs};
use xfjit::runtime::num::Model;
use xfjit::{Config, Generation, Worker};
use xfjit_testing::programs::{ALL, Fixed};
use xfjit_testing::{Case, Choices, Limits, RandomCase, check, share};

/// The words of a program from slot 0 on, and the slot that it starts in.
fn words(config: &Config, program: &Program) -> Vec<u32> {
    let mut words = vec![0; program.first * WORDS_PER_SLOT];
    words.extend(isa::encode_as(config.generation, config.reading(), program));
    words
}

/// Passes by the lowest four bits of a number.
fn passes(number: u32) -> Passes {
    let bit = |n: u32| number >> n & 1 != 0;
    Passes { dead: bit(0), rename: bit(1), pair: bit(2), order: bit(3) }
}

/// What a number of programs came to.
#[derive(Default, Debug)]
struct Counts {
    programs: usize,
    timeouts: usize,
    shorter: usize,
    slots: [usize; 2],
}

impl Counts {
    /// Runs a case before and after.
    fn compare(&mut self, case: &Case, passes: Passes, worker: &mut Worker) -> Result<(), String> {
        let Config { generation, .. } = case.config;
        let program = case.program().expect("a program");
        let reading = case.config.reading();
        let Paired { program: paired, from } = asm::pair(generation, reading, &program, passes);
        let after = Case { words: words(&case.config, &paired), start: paired.start, ..case.clone() };
        let text = || {
            let [before, after] =
                [&*program, &paired].map(|program| asm::print_as(generation, reading, program));
            format!("{passes:?} of {}\n{before}\nis\n{after}", generation.name())
        };
        if after.program().as_deref() != Ok(&paired) {
            let again = after.program().expect("a program");
            let mut pairs = again.insns.iter().zip(&paired.insns).enumerate();
            let first = pairs.find(|(_, (again, insn))| again != insn);
            let shape = |program: &Program| (program.first, program.start, program.insns.len());
            let shapes = (shape(&program), shape(&paired), shape(&again));
            return Err(format!("words say something else: {shapes:?} {first:?}: {}", text()));
        }
        if paired.insns.len() > program.insns.len() || from.len() != paired.insns.len() {
            return Err(format!("longer: {}", text()));
        }
        for (insn, from) in paired.insns.iter().zip(&from) {
            let [vec, sca] = from.map(|place| place.map_or(Insn::NOP, |place| program.insns[place]));
            // Only a MOV changes its unit.
            let moved = [
                vec.sca == ScaOp::Mov && insn.vec == VecOp::Mov,
                sca.vec == VecOp::Mov && insn.sca == ScaOp::Mov,
            ];
            if insn.vec != vec.vec && !moved[0] || insn.sca != sca.sca && !moved[1] {
                return Err(format!("{from:?} is not where this was: {}", text()));
            }
        }
        let [want, got] = [case, &after]
            .map(|case| case.run(&Interp::Single, worker).expect("the reference runs every case"));
        self.programs += 1;
        // Whoever runs out of time does so elsewhere.
        if want.outcome.faults.timeouts > 0 {
            self.timeouts += 1;
            return Ok(());
        }
        self.shorter += usize::from(paired.insns.len() < program.insns.len());
        self.slots[0] += program.insns.len();
        self.slots[1] += paired.insns.len();
        match difference(&case.placement(), &want, &got) {
            Some((what, _)) => Err(format!("{what}: {}", text())),
            None => Ok(()),
        }
    }
}

/// As many as `XFJIT_PROGRAMS` says, from seed `XFJIT_SEED` on.
fn random_programs(generation: Generation) {
    let variable = |name| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let first = variable("XFJIT_SEED").unwrap_or(0);
    let count = variable("XFJIT_PROGRAMS").unwrap_or_else(|| share(1_500));
    let mut counts = Counts::default();
    let mut worker = Worker::new();
    for seed in first..first + count {
        let mut c = Choices::seed(seed);
        let limits = Limits::choose(&mut c, generation);
        let mut case = Case::within(&mut c, limits);
        // What some change about constants and the read-back of oPos is seen (docs/isa/pairing.md).
        case.config.forms = Forms::default();
        let passes = if seed % 2 == 0 { Passes::ALL } else { passes(c.below(16)) };
        if let Err(what) = counts.compare(&case, passes, &mut worker) {
            panic!("seed {seed}: {what}");
        }
    }
    println!("{}: {counts:?}", generation.name());
    assert!(counts.timeouts * 4 < counts.programs, "{counts:?}");
    assert!(counts.shorter * 2 > counts.programs - counts.timeouts, "{counts:?}");
}

#[test]
fn programs_of_kelvin_keep_their_bits() {
    random_programs(Generation::Kelvin);
}

#[test]
fn programs_of_rankine_keep_their_bits() {
    random_programs(Generation::Rankine);
}

#[test]
fn programs_of_curie_keep_their_bits() {
    random_programs(Generation::Curie);
}

/// Pairs are what random programs seldom have so many of: native code has them, too.
#[test]
fn every_backend_runs_what_is_paired() {
    for seed in 500_000..500_090 {
        let mut c = Choices::seed(seed);
        let generation = Generation::ALL[seed as usize % 3];
        let mut limits = Limits::choose(&mut c, generation);
        limits.shape.slots = limits.shape.slots.min(60);
        let case = Case::within(&mut c, limits);
        let program = case.program().expect("a program");
        let paired = asm::pair(generation, case.config.reading(), &program, Passes::ALL).program;
        let after = Case { words: words(&case.config, &paired), start: paired.start, ..case };
        if let Err(mismatch) = check(&after) {
            panic!("seed {seed}: {mismatch}");
        }
    }
}

/// What the fixed benchmark set leaves of 50 vertices, in fewer slots or not.
fn benchmark(fixed: &Fixed, config: &Config, program: Program) -> Vec<u32> {
    const COUNT: usize = 50;
    let vertices: Vec<u8> = fixed.vertices(COUNT).iter().flat_map(|word| word.to_ne_bytes()).collect();
    let mut inputs = Inputs::new(COUNT);
    for (number, &register) in fixed.attributes.iter().enumerate() {
        let (data, stride) = (&vertices[16 * number..], 4 * fixed.input_words());
        inputs = inputs.with(register.into(), Attribute::Stream { data, stride, components: 4 });
    }
    let mut words = vec![0; COUNT * fixed.output_words()];
    let shader = Microcode::shader(&Arc::new(program), config);
    let routine = Interp::Single.prepare(&shader).expect("the reference takes every program");
    let mut outputs = Outputs::interleaved(&mut words, fixed.outputs);
    let ran = routine.run(&mut Worker::new(), &mut fixed.context(), &inputs, &mut outputs);
    ran.expect("the streams hold the batch");
    words
}

#[test]
fn benchmarks_keep_their_bits() {
    for fixed in &ALL {
        for model in [Model::Hw, Model::Ieee] {
            let config = fixed.config(model);
            let program = fixed.program();
            let paired = asm::pair(fixed.generation, config.reading(), &program, Passes::ALL).program;
            let [want, got] = [program, paired].map(|program| benchmark(fixed, &config, program));
            assert!(want == got, "{} under {model:?}", fixed.title);
        }
    }
}
