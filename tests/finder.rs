//! Handles found by their words are those that decoding them gives.

use std::num::NonZeroUsize;
use std::sync::Arc;
use xfjit::backend::Interp;
use xfjit::engine::Finder;
use xfjit::runtime::format::InputLayout;
use xfjit::{Config, Engine, Generation, Options, asm, isa};
use xfjit_testing::{Choices, branching, program};

fn engine() -> Arc<Engine> {
    Arc::new(Engine::new(Options::default().with(|options| options.backend = Arc::new(Interp::Batched))))
}

fn finder(most: usize) -> Finder {
    Finder::new(engine(), NonZeroUsize::new(most).expect("some"))
}

/// A whole memory of programs, which holds one of them, and garbage elsewhere.
fn memory(generation: Generation, text: &str, garbage: u32) -> Vec<u32> {
    let program = asm::parse(generation, text).unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
    let words = isa::encode(generation, &program);
    let mut memory = vec![garbage; generation.slots() * isa::WORDS_PER_SLOT];
    memory[program.first * isa::WORDS_PER_SLOT..][..words.len()].copy_from_slice(&words);
    memory
}

#[test]
fn slots_that_do_not_run_make_no_difference() {
    let config = Config::new(Generation::Kelvin);
    let mut finder = finder(8);
    let text = "MOV r0, v0\nADD oPos, r0, c[4]\nMOV oD0, v3";
    let known =
        Arc::clone(finder.find(&memory(Generation::Kelvin, text, 0), 0, &config).expect("it decodes"));
    for garbage in [1, u32::MAX, 0x1234_5678] {
        let words = memory(Generation::Kelvin, text, garbage);
        let found = finder.find(&words, 0, &config).expect("it decodes");
        assert!(Arc::ptr_eq(&known, found), "{garbage:x}");
    }
    assert_eq!(finder.len(), 1);
}

/// Outputs that a batch keeps are wanted only if something is written to them; and who does not keep them gets another program.
#[test]
fn what_is_kept_and_not_written_is_not_wanted() {
    let config = Config::new(Generation::Kelvin).live_outputs(0b1001_1001);
    let words = memory(Generation::Kelvin, "MOV oPos, v0\nMOV oD1, v0\nMOV oD0.xy, v3", 0);
    let mut finder = finder(8);
    for _ in 0..2 {
        let kept =
            Arc::clone(finder.find_keeping(&words, 0, &config, InputLayout::ROWS).expect("it decodes"));
        assert_eq!((kept.needs().outputs, kept.info().written_outputs()), (0b1_1001, 0b1_1001));
        let other = finder.find(&words, 0, &config).expect("it decodes");
        assert!(!Arc::ptr_eq(&kept, other));
        assert_eq!(other.needs().outputs, 0b1001_1001);
    }
    // An index may reach any register.
    let config = Config::new(Generation::Curie);
    let words = memory(Generation::Curie, "MOV o[a0.x + 1], v0", 0);
    let kept = finder.find_keeping(&words, 0, &config, InputLayout::ROWS).expect("it decodes");
    assert_eq!(kept.needs().outputs, config.live_outputs);
}

/// Each bit of each slot that runs, the start, and the number of slots matter; and a finder that knows all of them still
/// tells them apart, by the engine's own judgement.
#[test]
fn whatever_differs_is_another_program_or_the_engine_says_that_it_is_the_same() {
    let config = Config::new(Generation::Kelvin);
    let mut finder = finder(2000);
    let words = memory(Generation::Kelvin, "MOV r0, v0\nDP4 oPos.x, r0, c[4] + RCP r1, v1.w\nMOV oD0, r1", 0);
    let engine = Arc::clone(finder.engine());
    for round in 0..2 {
        for bit in 0..3 * 128 {
            let mut words = words.clone();
            words[bit / 32] ^= 1 << (bit % 32);
            let found = finder.find(&words, 0, &config).expect("every word decodes");
            let want = engine.program(&words, 0, &config).expect("every word decodes");
            assert!(Arc::ptr_eq(found, &want), "round {round}, bit {bit}");
        }
    }
    for start in 0..4 {
        let found = finder.find(&words, start, &config).expect("there is such a slot");
        assert!(Arc::ptr_eq(found, &engine.program(&words, start, &config).expect("it decodes")), "{start}");
    }
    // Without an END it matters where the words end.
    let endless = [0; 8 * 4];
    for slots in [1, 2, 7, 8] {
        let found = finder.find(&endless[..4 * slots], 0, &config).expect("it decodes");
        let want = engine.program(&endless[..4 * slots], 0, &config).expect("it decodes");
        assert!(Arc::ptr_eq(found, &want), "{slots}");
    }
}

#[test]
fn the_configuration_tells_programs_apart() {
    let mut finder = finder(8);
    let words = memory(Generation::Kelvin, "MOV oPos, v0", 0);
    let configs = [Config::new(Generation::Kelvin), Config::new(Generation::Kelvin).live_outputs(1)];
    let [all, first] = &configs;
    let known = Arc::clone(finder.find(&words, 0, all).expect("it decodes"));
    let other = Arc::clone(finder.find(&words, 0, first).expect("it decodes"));
    assert!(!Arc::ptr_eq(&known, &other));
    for _ in 0..2 {
        assert!(Arc::ptr_eq(finder.find(&words, 0, all).expect("it decodes"), &known));
        assert!(Arc::ptr_eq(finder.find(&words, 0, first).expect("it decodes"), &other));
    }
}

#[test]
fn what_branches_lead_to_is_compared_though_it_stands_behind_end() {
    let config = Config::new(Generation::Curie);
    let text = |row: u32| {
        format!("CAL sub\nMOV oPos, r0\nBRA out(TR)\nsub:\nMOV r0, c[{row}]\nRET\nout:\nMOV oFog, r0")
    };
    let mut finder = finder(4);
    let engine = Arc::clone(finder.engine());
    for round in 0..2 {
        // More than one bucket keeps of those that begin alike.
        for row in 0..8 {
            let words = memory(Generation::Curie, &text(row), 0);
            let found = Arc::clone(finder.find(&words, 0, &config).expect("it decodes"));
            let want = engine.program(&words, 0, &config).expect("it decodes");
            assert!(Arc::ptr_eq(&found, &want), "round {round}, row {row}");
        }
    }
}

#[test]
fn it_is_bounded_and_forgets_what_was_not_asked_for() {
    let config = Config::new(Generation::Kelvin);
    let mut finder = finder(16);
    for round in 0..3 {
        for row in 0..96 {
            let words = memory(Generation::Kelvin, &format!("ADD oPos, v0, c[{row}]"), round);
            finder.find(&words, 0, &config).expect("it decodes");
            assert!(finder.len() <= 16 * 4);
        }
    }
    assert!(!finder.is_empty() && finder.bytes() < 16 << 10, "{}", finder.bytes());
    finder.clear();
    assert!(finder.is_empty());
}

#[test]
fn what_is_no_program_is_refused_as_the_engine_refuses_it() {
    let mut finder = finder(4);
    let engine = Arc::clone(finder.engine());
    for generation in Generation::ALL.iter().copied() {
        let config = Config::new(generation);
        let many = vec![0; (generation.slots() + 1) * 4];
        for (words, start) in
            [(&[][..], 0), (&[0; 3], 0), (&[0; 9], 1), (&[0; 8], 2), (&[0; 8], usize::MAX), (&many[..], 0)]
        {
            let found = finder.find(words, start, &config).map(|_| ());
            let want = engine.program(words, start, &config).map(|_| ());
            assert!(found.is_err());
            assert_eq!(found, want, "{generation:?}, {} words, start {start}", words.len());
        }
    }
    assert!(finder.is_empty());
}

fn random(generation: Generation, seed: u64) -> (Vec<u32>, usize) {
    let c = &mut Choices::seed(seed);
    let shape = program::Shape::choose(c, generation.slots());
    let microcode = match generation {
        Generation::Kelvin => program::program(c, shape),
        _ => branching::program(c, generation, shape),
    };
    (microcode.words, microcode.start)
}

/// Random programs, asked for in turn, each in a memory of its own.
#[test]
fn random_programs_are_found_again() {
    for generation in Generation::ALL.iter().copied() {
        let mut finder = finder(64);
        let engine = Arc::clone(finder.engine());
        let programs: Vec<(Vec<u32>, usize)> = (0..40).map(|seed| random(generation, seed)).collect();
        let config = Config::new(generation);
        for at in (0..400).map(|i| i * 7 % 40) {
            let (words, start) = &programs[at];
            let found = Arc::clone(finder.find(words, *start, &config).expect("it decodes"));
            let want = engine.program(words, *start, &config).expect("it decodes");
            assert!(Arc::ptr_eq(&found, &want), "{generation:?} {at}");
        }
    }
}
