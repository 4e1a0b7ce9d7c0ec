//! Bodies of the fuzz targets. Each takes any bytes and panics where something does not hold.

use super::case::Case;
use super::check::{Stats, check, native, native_wide};
use super::choices::Choices;
use super::layouts::check_layouts;
use crate::RandomCase;
use crate::RandomFixed;
use crate::RandomFlipper;
use crate::asm::gl::{self, Assembled};
use crate::asm::{self, Passes};
use crate::backend::{Backend, Eval, Interp, Worker};
use crate::isa::{self, BranchTest, Generation, PairedScalar, Program, ProgramMode, Reading};
use crate::repro::{FixedCase, FlipperCase};
use xfjit_isa::text::{MAX_ERRORS, ParseError};

/// Where the documents leave a choice, the other one.
const OTHER_READING: Reading =
    Reading { mode: ProgramMode::V2, paired: PairedScalar::Shared, branch_test: BranchTest::Enabled };

/// Every operation in a slot of its own, and pairs.
const PASSES: [Passes; 2] = [Passes::NONE, Passes::ALL];

/// Words decode without a panic, and what they decode to survives encoding and printing. Returns the programs among
/// them.
pub fn fuzz_decode(bytes: &[u8]) -> u64 {
    let mut programs = 0;
    for &generation in Generation::ALL {
        let (&start, bytes) = bytes.split_first().unwrap_or((&0, &[]));
        let words: Vec<u32> = bytes.as_chunks::<4>().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
        for reading in [Reading::default(), OTHER_READING] {
            if let Ok(program) = isa::decode_as(generation, reading, &words, usize::from(start)) {
                round_trip(generation, reading, &program);
                programs += 1;
            }
        }
    }
    programs
}

/// Any text is a program or errors that point into it; programs survive printing and encoding. Returns the programs.
pub fn fuzz_asm(bytes: &[u8]) -> u64 {
    let mut programs = 0;
    let text = String::from_utf8_lossy(bytes);
    for (&generation, passes) in Generation::ALL.iter().flat_map(|g| PASSES.map(|passes| (g, passes))) {
        match asm::parse_with_passes(generation, Reading::default(), &text, passes) {
            Ok((program, reading)) => {
                round_trip(generation, reading, &program);
                programs += 1;
            }
            Err(errors) => point_into(&text, &errors),
        }
    }
    let generations = std::iter::once(None).chain(Generation::ALL.iter().copied().map(Some));
    for (generation, passes) in generations.flat_map(|generation| PASSES.map(|passes| (generation, passes))) {
        match gl::assemble(generation, &text, passes) {
            Ok(assembled) => {
                let Assembled { program, generation, rows, .. } = assembled;
                assert!(rows.iter().all(|row| usize::from(row.row) < generation.constants()));
                assert!(rows.windows(2).all(|pair| pair[0].row < pair[1].row), "{rows:?}");
                round_trip(generation, Reading::default(), &program);
                programs += 1;
            }
            Err(errors) => point_into(&text, &errors),
        }
    }
    programs
}

fn point_into(text: &str, errors: &[ParseError]) {
    assert!(!errors.is_empty() && errors.len() <= MAX_ERRORS);
    for error in errors {
        assert!(text.get(error.span.clone()).is_some(), "{error:?}");
        error.render(text);
    }
}

/// All backends agree on the case that the bytes name, and mostly on one with attributes of other encodings.
pub fn fuzz_program(bytes: &[u8]) -> Stats {
    let mut c = Choices::bytes(bytes);
    let case = Case::choose(&mut c);
    if c.chance(70) {
        check_layouts(&case, &mut c, &mut Worker::new());
    }
    check(&case).unwrap_or_else(|mismatch| panic!("{mismatch}"))
}

/// All backends agree on the configuration of the fixed function that the bytes name.
pub fn fuzz_fixed(bytes: &[u8]) -> Stats {
    let mut c = Choices::bytes(bytes);
    let family = c.pick(&crate::fixed::FAMILIES);
    let vertices = 1 + c.below(9) as usize;
    let case = FixedCase::choose(&mut c, family, None, vertices);
    let native = native();
    let mut backends: Vec<&dyn Backend> = vec![&Interp::Batched, &Eval::Host];
    backends.extend(native.as_deref());
    let wide = native_wide();
    backends.extend(wide.iter().map(|wide| &**wide));
    case.check(&backends, &mut Worker::new()).unwrap_or_else(|mismatch| panic!("{mismatch}"))
}

/// All backends agree on the configuration of Flipper's transform unit that the bytes name.
pub fn fuzz_transform(bytes: &[u8]) -> Stats {
    let mut c = Choices::bytes(bytes);
    let vertices = 1 + c.below(9) as usize;
    let case = FlipperCase::choose_flipper(&mut c, vertices);
    let native = native();
    let mut backends: Vec<&dyn Backend> = vec![&Interp::Batched, &Eval::Xf, &Eval::Host];
    backends.extend(native.as_deref());
    let wide = native_wide();
    backends.extend(wide.iter().map(|wide| &**wide));
    case.check_flipper(&backends, &mut Worker::new()).unwrap_or_else(|mismatch| panic!("{mismatch}"))
}

fn round_trip(generation: Generation, reading: Reading, program: &Program) {
    let text = asm::print_as(generation, reading, program);
    assert_eq!(asm::parse(generation, &text).as_ref(), Ok(program), "{text}");
    let words = isa::encode_as(generation, reading, program);
    // Branches name slots, so every slot must be where it was.
    let mut memory = vec![0; program.first * isa::WORDS_PER_SLOT];
    memory.extend(&words);
    let again = isa::decode_as(generation, reading, &memory, program.start);
    let again = again.expect("encoded instructions are a program");
    assert_eq!(&again, program, "{text}");
    assert_eq!(isa::encode_as(generation, reading, &again), words, "{text}");
}
