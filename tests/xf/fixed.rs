//! The fixed function, by commands: golden cases that this project did not compute, all on one unit, and how XFMODE
//! selects it.

use crate::{ONE, THREE, TWO, engine, unit, vector, word};
use std::sync::Arc;
use xfjit::Worker;
use xfjit::backend::{Backend, Interp};
use xfjit::chip::memory::{EyeDirection, Ram, rows};
use xfjit::runtime::state::Row;
use xfjit::xf::{Chip, Family, Form, Output, Register, Type, XfUnit};
use xfjit::{Engine, Options};
use xfjit_testing::{Choices, FixedCase, GoldenCase, RandomFixed};

fn hex(word: &str) -> u32 {
    u32::from_str_radix(word, 16).unwrap_or_else(|error| panic!("{word}: {error}"))
}

/// A golden case: its lines.
struct Case<'a>(Vec<&'a str>);

impl Case<'_> {
    /// The words behind a keyword.
    fn words(&self, keyword: &str) -> Vec<u32> {
        let line = self.0.iter().find_map(|line| line.strip_prefix(keyword)?.strip_prefix(' '));
        line.unwrap_or_else(|| panic!("no line {keyword}")).split_whitespace().map(hex).collect()
    }

    /// State and two vertices, as commands.
    fn play(&self, unit: &mut XfUnit) {
        for (slot, row) in (0..).zip(self.words("xfctx").as_chunks::<4>().0) {
            vector(unit, Type::Xfctx, slot, *row);
        }
        for (slot, &[x, y, z]) in (0..).zip(self.words("ltctx").as_chunks::<3>().0) {
            vector(unit, Type::Ltctx, slot, [x, y, z, 0]);
        }
        for (keyword, kind) in
            [("ltc0", Type::Ltc0), ("ltc1", Type::Ltc1), ("ltc2", Type::Ltc2), ("ltc3", Type::Ltc3)]
        {
            for (slot, value) in (0..).zip(self.words(keyword)) {
                word(unit, kind, slot, 0, value);
            }
        }
        let mode = self.words("mode");
        vector(unit, Type::Mode, 0, [0, 0, mode[0], mode[1]]);
        for (slot, row) in (0..).zip(self.words("vab").as_chunks::<4>().0) {
            vector(unit, Type::Vab, slot, *row);
        }
        unit.vertex();
        unit.vertex();
    }

    /// Words of the vertex that must come out, by their numbers.
    fn expected(&self) -> Vec<(usize, u32)> {
        let line = self.0.last().and_then(|line| line.strip_prefix("out ")).expect("the last line is out");
        let mut rest = line.split_whitespace();
        let mut expected = Vec::new();
        while let Some(name) = rest.next() {
            let places: &[usize] = match name {
                "pos" => &[12, 13, 14, 15],
                "txc0" => &[4, 5, 7],
                "txc1" => &[0, 1, 3],
                "psize" => &[2],
                "fog" => &[9],
                "col0" => &[10],
                "col1" => &[11],
                name => panic!("{name} is not an output"),
            };
            for &place in places {
                let word = hex(rest.next().expect("another word"));
                // The secondary colour stands above the edge flag, and has no alpha.
                expected.push((place, if place == 11 { word << 8 } else { word }));
            }
        }
        expected
    }
}

#[test]
fn golden_cases_come_out_of_a_unit_that_is_fed_by_commands() {
    let mut text = Vec::new();
    let packed: &[u8] = include_bytes!("../data/celsius_ff_hw.txt.xz");
    lzma_rs::xz_decompress(&mut &packed[..], &mut text).expect("the file is whole");
    let text = String::from_utf8(text).expect("the file is text");
    let cases: Vec<Case> = GoldenCase::records(&text).into_iter().map(Case).collect();
    assert_eq!(cases.len(), 500);
    for (chip, name) in [(Chip::Nv10, "nv10"), (Chip::Nv15, "nv15")] {
        // That native code agrees is shown elsewhere, on the same cases.
        let options = Options::default().with(|options| options.backend = Arc::new(Interp::Batched));
        let mut unit = XfUnit::new(Arc::new(Engine::new(options)), chip);
        let cases: Vec<&Case> = cases.iter().filter(|case| case.0[0].ends_with(name)).collect();
        // Nothing is taken before all have run: every case waits for the next one's commands.
        cases.iter().for_each(|case| case.play(&mut unit));
        let mut words: Vec<u32> = Vec::new();
        unit.drain(|output| {
            let Output::Vertices(vertices) = output else { panic!("{output:?}") };
            assert_eq!(vertices.form, Form::Celsius);
            words.extend_from_slice(vertices.words);
        });
        assert_eq!(words.len(), cases.len() * 32);
        for (case, words) in cases.iter().zip(words.chunks(32)) {
            for vertex in words.chunks(16) {
                for (place, want) in case.expected() {
                    assert_eq!(vertex[place], want, "{}, word {place}", case.0[0]);
                }
            }
        }
    }
}

/// A golden case of Kelvin as commands; every memory is written, LT's numbers as they are held.
fn play_kelvin(unit: &mut XfUnit, golden: &GoldenCase) {
    let FixedCase { setup, context, attributes } = &golden.case;
    let pipeline = setup.mode.pipeline();
    for (row, &value) in context.rows().iter().enumerate().take(rows(pipeline)) {
        let (ram, slot) = Ram::of_row(pipeline, row).expect("a row of a memory");
        let slot = slot as u16;
        match ram {
            Ram::Xfctx => vector(unit, Type::Xfctx, slot, value),
            Ram::Ltctx => vector(unit, Type::Ltctx, slot, value),
            Ram::Ltc(0) => word(unit, Type::Ltc0, slot, 0, value[0]),
            Ram::Ltc(1) => word(unit, Type::Ltc1, slot, 0, value[0]),
            Ram::Ltc(2) => word(unit, Type::Ltc2, slot, 0, value[0]),
            Ram::Ltc(_) => word(unit, Type::Ltc3, slot, 0, value[0]),
        }
    }
    let mode: [u32; 4] = setup.mode.words().try_into().expect("four words");
    vector(unit, Type::Mode, 0, mode);
    for (slot, rows) in (0..).zip(attributes) {
        vector(unit, Type::Vab, slot, rows[0]);
    }
    unit.vertex();
}

#[test]
fn what_a_console_shows_comes_out_of_a_unit_that_is_fed_by_commands() {
    let files: [&[u8]; 3] = [
        include_bytes!("../data/kelvin_ff_console.txt.xz"),
        include_bytes!("../data/console_points.txt.xz"),
        include_bytes!("../data/console_ff.txt.xz"),
    ];
    let options = Options::default().with(|options| options.backend = Arc::new(Interp::Batched));
    let mut unit = XfUnit::new(Arc::new(Engine::new(options)), Chip::Nv2a);
    for packed in files {
        let mut text = Vec::new();
        lzma_rs::xz_decompress(&mut &packed[..], &mut text).expect("the file is whole");
        let text = String::from_utf8(text).expect("the file is text");
        for lines in GoldenCase::records(&text).iter().step_by(5) {
            let golden = GoldenCase::parse(lines).unwrap_or_else(|flaw| panic!("{flaw}"));
            play_kelvin(&mut unit, &golden);
            let mut vertices = 0;
            unit.drain(|output| {
                let Output::Vertices(seen) = output else { panic!("{output:?}") };
                assert!(matches!(seen.form, Form::Fixed(_)));
                assert_eq!(
                    golden.wrong(|register| seen.register(0, register)),
                    None,
                    "case {}",
                    golden.number
                );
                vertices += seen.count;
            });
            assert_eq!(vertices, 1);
        }
    }
}

/// Kelvin with an identity for the composite matrix, and a white vertex at (2, 3, 1, 1).
fn kelvin() -> XfUnit {
    let mut unit = unit(Chip::Nv2a);
    for row in 0..4u16 {
        let mut identity = [0; 4];
        identity[usize::from(row)] = ONE;
        vector(&mut unit, Type::Xfctx, row, identity);
    }
    vector(&mut unit, Type::Vab, 0, [TWO, THREE, ONE, ONE]);
    vector(&mut unit, Type::Vab, 3, [ONE; 4]);
    unit
}

/// Forms, and positions of the vertices.
fn seen(unit: &mut XfUnit) -> Vec<(Form, Row)> {
    let mut all = Vec::new();
    unit.drain(|output| {
        let Output::Vertices(vertices) = output else { panic!("{output:?}") };
        let rows = (0..vertices.count).filter_map(|at| vertices.register(at, 0));
        all.extend(rows.map(|row| (vertices.form, row)));
    });
    all
}

#[test]
fn the_mode_says_whether_the_fixed_function_runs_or_a_program() {
    let mut unit = kelvin();
    crate::load(&mut unit, 0, "ADD o0, v0, v0");
    unit.vertex();
    vector(&mut unit, Type::Mode, 0, [2 << 30, 0, 0, 0]);
    unit.set(Register::Outputs, 1);
    unit.vertex();
    vector(&mut unit, Type::Mode, 0, [0; 4]);
    unit.vertex();
    let all = seen(&mut unit);
    assert_eq!(all.len(), 3);
    assert!(matches!(all[0].0, Form::Fixed(mask) if mask & 0b11001 == 0b11001));
    assert_eq!(all[0].1[..3], [TWO, THREE, ONE]);
    assert_eq!(all[1], (Form::Registers(1), [0x4080_0000, 0x40c0_0000, TWO, TWO]));
    assert_eq!(all[2], (Form::Fixed(1), all[0].1));
}

#[test]
fn colours_of_the_fixed_function_are_integers() {
    let mut unit = kelvin();
    unit.vertex();
    unit.drain(|output| {
        let Output::Vertices(vertices) = output else { panic!("{output:?}") };
        assert_eq!(vertices.register(0, 3), Some([255; 4]));
    });
}

#[test]
fn the_fixed_function_reads_what_commands_rdi_programs_and_states_have_written() {
    let mut unit = kelvin();
    let x = |unit: &mut XfUnit| {
        unit.vertex();
        seen(unit)[0].1[0]
    };
    assert_eq!(x(&mut unit), TWO);
    // The viewport's offset is row 0x3b.
    vector(&mut unit, Type::Xfctx, 0x3b, [ONE, 0, 0, 0]);
    assert_eq!(x(&mut unit), THREE);
    for (at, value) in (0..).step_by(4).zip([0, 0, 0, TWO]) {
        unit.rdi_write(0x17, 0x3b0 + at, value).expect("it exists");
    }
    assert_eq!(x(&mut unit), 0x4080_0000);
    crate::load(&mut unit, 9, "MOV c[59], v0");
    vector(&mut unit, Type::Param, 0, [THREE, 0, 0, 0]);
    word(&mut unit, Type::Run, 0, 0, 9);
    assert_eq!(x(&mut unit), 0x40a0_0000);
    let state = unit.save();
    vector(&mut unit, Type::Xfctx, 0x3b, [0; 4]);
    assert_eq!(x(&mut unit), TWO);
    unit.restore(&state).expect("its own");
    assert_eq!(x(&mut unit), 0x40a0_0000);
}

#[test]
fn the_fixed_function_and_programs_share_one_cache() {
    let engine = Arc::new(Engine::new(Options::default()));
    let run = || {
        let mut unit = XfUnit::new(Arc::clone(&engine), Chip::Nv2a);
        crate::load(&mut unit, 0, "MOV o0, v0");
        unit.vertex();
        vector(&mut unit, Type::Mode, 0, [2 << 30, 0, 0, 0]);
        unit.vertex();
        unit.discard();
        unit.stats().resolved
    };
    assert_eq!((run(), run()), (2, 2));
    assert_eq!((engine.stats().programs, engine.stats().misses), (2, 2));
}

#[test]
fn nv34_has_no_alternate_attenuation() {
    // One local light whose attenuation is 2: lit fully by it, or half by its reciprocal.
    let lit = |chip: Chip, alternate: bool| {
        let mut unit = XfUnit::new(engine(), chip);
        let constants = xfjit::xf::initial_constants(chip, EyeDirection::Zero);
        constants.into_iter().for_each(|command| unit.command(command));
        for row in 0..4u16 {
            let mut identity = [0; 4];
            identity[usize::from(row)] = ONE;
            for matrix in [0x3c, 0x44, 0x48] {
                vector(&mut unit, Type::Xfctx, matrix + row, identity);
            }
        }
        vector(&mut unit, Type::Xfctx, 0x64, [0, 0, TWO, ONE]);
        vector(&mut unit, Type::Xfctx, 0x30, [0x4080_0000, 0, 0, ONE]);
        vector(&mut unit, Type::Ltctx, 0, [ONE, ONE, ONE, 0]);
        for light in 0..8 {
            word(&mut unit, Type::Ltc1, 5 + light, 0, 0x7149_f2ca);
        }
        vector(&mut unit, Type::Vab, 0, [0, 0, 0, ONE]);
        vector(&mut unit, Type::Vab, 2, [0, 0, ONE, 0]);
        let a = 1 << 31 | u32::from(alternate) << 28;
        vector(&mut unit, Type::Mode, 0, [0, 0, 2, a]);
        unit.vertex();
        let mut colour = 0;
        unit.drain(|output| {
            let Output::Vertices(vertices) = output else { panic!("{output:?}") };
            colour = vertices.register(0, 3).expect("it is sent")[0];
        });
        colour
    };
    assert_ne!(lit(Chip::Nv30, false), lit(Chip::Nv30, true));
    assert_eq!(lit(Chip::Nv34, false), lit(Chip::Nv34, true));
    assert_eq!(lit(Chip::Nv34, false), lit(Chip::Nv30, false));
}

/// Components of the attributes that some configuration looks at: others may hold anything. The documents say of Rankine only which
/// attributes there are.
#[test]
fn components_that_the_documents_leave_out_do_not_count() {
    const XYZW: u8 = 15;
    const XYZ: u8 = 7;
    const X: u8 = 1;
    #[rustfmt::skip]
    let documents: [(Family, [u8; 16]); 3] = [
        // Position, colours (fog in w of the second), two coordinates, normal, weight.
        (Family::Celsius, [XYZW, XYZW, XYZW, XYZW, XYZW, XYZ, X, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
        // Position, weights, normal, colours, fog, four coordinates.
        (Family::Kelvin, [XYZW, XYZW, XYZ, XYZW, XYZW, X, 0, 0, 0, XYZW, XYZW, XYZW, XYZW, 0, 0, 0]),
        (Family::Rankine, [XYZW, XYZW, XYZ, XYZW, XYZW, X, 0, 0, XYZW, XYZW, XYZW, XYZW, XYZW, XYZW, XYZW, XYZW]),
    ];
    let mut worker = Worker::new();
    for (family, documented) in documents {
        let mut used = [0; 16];
        for seed in 0..120 {
            let mut c = Choices::seed(seed);
            let mut case = FixedCase::choose(&mut c, family, None, 2);
            let routine = Interp::Batched.prepare(&case.shader()).expect("it is small enough");
            let mut run =
                |case: &FixedCase| case.run_on(&*routine, &mut worker).expect("the rows are there").output;
            let want = run(&case);
            for (attribute, used) in used.iter_mut().enumerate() {
                // What has been seen to count need not be tried again.
                for component in 0..4 {
                    if *used >> component & 1 == 0 {
                        let before = case.attributes[attribute].clone();
                        case.attributes[attribute].iter_mut().for_each(|row| row[component] ^= 0x40d5_5555);
                        *used |= u8::from(run(&case) != want) << component;
                        case.attributes[attribute] = before;
                    }
                }
            }
        }
        assert_eq!(used, documented, "{family:?}");
    }
}
