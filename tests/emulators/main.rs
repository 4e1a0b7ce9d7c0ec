//! Presets compute what they promise, on every tier, and docs/NUMERICS.md says the truth about both models.

mod golden;

use std::sync::Arc;
use xfjit::backend::{Backend, Interp};
use xfjit::config::{Addresses, Arithmetic, FogWrite, Library, QuirkSet};
use xfjit::engine::default_backend;
#[cfg(feature = "jit")]
use xfjit::front::Microcode;
use xfjit::runtime::batch::{Attribute, Inputs, Outputs};
use xfjit::runtime::num::Model;
use xfjit::runtime::state::{Context, Row};
use xfjit::{Config, Emulator, Engine, Generation, Options, Worker, asm, isa};

const NUMERICS: &str = include_str!("../../docs/NUMERICS.md");

/// What the rows of constants hold: their number.
fn constant(row: usize) -> Row {
    [(row as f32).to_bits(); 4]
}

/// An output of a program and the constants behind it, which all tiers must agree on.
fn run(config: &Config, text: &str, inputs: &[Row], output: u8) -> (Row, Vec<Row>) {
    run_with(config, text, inputs, constant(0), output)
}

/// Runs a text with another first row of constants.
fn run_with(config: &Config, text: &str, inputs: &[Row], first: Row, output: u8) -> (Row, Vec<Row>) {
    let config = &config.clone().live_outputs(1 << output);
    let text = text.replace("; ", "\n");
    let program =
        asm::parse_as(config.generation, config.reading(), &text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
    let words = isa::encode(config.generation, &program);
    let backends: [Arc<dyn Backend>; 3] =
        [Arc::new(Interp::Single), Arc::new(Interp::Batched), default_backend()];
    let mut results = backends.map(|backend| {
        let engine = Engine::new(Options::default().with(|options| options.backend = backend));
        let program = engine.program(&words, 0, config).expect("it decodes");
        let mut context = Context::new(config.generation.constants());
        for row in 0..config.generation.constants() {
            context.set_row(row, constant(row));
        }
        context.set_row(0, first);
        let rows: Vec<[Row; 1]> = inputs.iter().map(|&row| [row]).collect();
        let streams = rows
            .iter()
            .enumerate()
            .fold(Inputs::new(1), |streams, (register, row)| streams.with(register, Attribute::rows(row)));
        let mut words = [0; 4];
        program
            .run(&mut Worker::new(), &mut context, &streams, &mut Outputs::interleaved(&mut words, &[output]))
            .expect("the streams are long enough");
        let constants = (0..config.generation.constants()).map(|row| context.row(row)).collect();
        (words, constants)
    });
    assert_eq!(results[0], results[1], "{text}");
    assert_eq!(results[0], results[2], "{text}");
    std::mem::take(&mut results[0])
}

fn like(emulator: Emulator, generation: Generation) -> Config {
    Config::like(emulator, generation).expect("the emulator runs such programs")
}

fn row(numbers: [f32; 4]) -> Row {
    numbers.map(f32::to_bits)
}

/// The first component of oPos.
fn x(config: &Config, text: &str, inputs: &[Row]) -> f32 {
    f32::from_bits(run(config, text, inputs, 0).0[0])
}

#[test]
fn presets_go_by_their_names() {
    for emulator in Emulator::ALL {
        assert_eq!(emulator.name().parse(), Ok(emulator));
        assert_eq!(emulator.name().to_uppercase().parse(), Ok(emulator));
        for &generation in Generation::ALL {
            let config = Config::like(emulator, generation);
            assert_eq!(config.is_ok(), emulator.generations().contains(&generation), "{emulator}");
            if let Ok(config) = config {
                assert_eq!((config.generation, config.model), (generation, Model::Ieee));
            }
        }
    }
    let unknown = "bock".parse::<Emulator>().expect_err("there is no such emulator");
    assert_eq!(
        unknown.to_string(),
        "no preset is called \"bock\"; there are nv2a_vsh_cpu, xemu, cxbx, mame, bochs, rpcs3"
    );
    let refused = Config::like(Emulator::Rpcs3, Generation::Kelvin).expect_err("it runs Curie's programs");
    assert_eq!(refused.to_string(), "rpcs3 runs no programs of kelvin, only of curie");
}

/// Every switch and form of every preset, so that a new one, or another default, is decided here for each emulator.
#[test]
fn every_switch_of_a_preset_is_decided() {
    let decided = |emulator: Emulator, generation: Generation| match (emulator, generation) {
        (Emulator::Nv2aVshCpu, _) => {
            "write_order=scalar_wins fog_write=masked address_bias=milli address_nan=zero out_of_range=zero products=saturated extremes=either \
             comparisons=signed reciprocals=decimal addresses=never read_back=written constant_results=there rows=chip library=chip"
        }
        (Emulator::Xemu, _) => {
            "write_order=vector_dropped fog_write=any_component address_bias=milli address_nan=zero out_of_range=zero products=rules extremes=less \
             comparisons=floats reciprocals=clamped addresses=clamped read_back=written constant_results=there rows=chip library=chip"
        }
        (Emulator::Cxbx, _) => {
            "write_order=scalar_wins fog_write=any_component address_bias=milli address_nan=zero out_of_range=zero products=rules extremes=less \
             comparisons=floats reciprocals=clamped addresses=clamped read_back=written constant_results=there rows=chip library=chip"
        }
        (Emulator::Mame, _) => {
            "write_order=scalar_wins fog_write=masked address_bias=none address_nan=zero out_of_range=zero products=plain extremes=numbers \
             comparisons=floats reciprocals=operand addresses=truncated read_back=whole \
             constant_results=scalar_elsewhere rows=chip library=chip"
        }
        (Emulator::Bochs, Generation::Kelvin) => {
            "write_order=scalar_wins fog_write=masked address_bias=none address_nan=zero out_of_range=zero products=plain extremes=either \
             comparisons=floats reciprocals=unclamped addresses=wrapped read_back=output constant_results=elsewhere \
             rows=chip library=chip"
        }
        (Emulator::Bochs, Generation::Rankine) => {
            "write_order=scalar_wins address_bias=none paired=r1 branch_test=field end_on_branch=ends \
             indirect=table address_nan=zero address_codes=yes out_of_range=zero \
             clip_outputs=yes products=plain extremes=either comparisons=floats sign_of_nan=one \
             reciprocals=unclamped addresses=wrapped both_outputs=position constant_results=elsewhere rows=chip library=chip \
             waves=half"
        }
        (Emulator::Bochs, _) => {
            "write_order=scalar_wins address_bias=none branch_test=field end_on_branch=ends \
             indirect=table address_nan=zero address_codes=yes saturate_nan=passes out_of_range=zero \
             products=plain extremes=either comparisons=floats sign_of_nan=one reciprocals=unclamped \
             addresses=wrapped rows=chip library=chip waves=half"
        }
        (Emulator::Rpcs3, _) => {
            "write_order=scalar_wins address_bias=none branch_test=field end_on_branch=ends \
             indirect=slot address_nan=zero address_codes=yes saturate_nan=passes out_of_range=zero \
             products=rules extremes=less comparisons=floats sign_of_nan=zero reciprocals=clamped \
             addresses=clamped rows=chip library=chip waves=computed"
        }
    };
    fn settings<S: QuirkSet>(set: &S, generation: Generation) -> Vec<String> {
        let rows = S::TABLE.iter().filter(|row| row.matters(generation));
        rows.map(|row| format!("{}={}", row.name, (row.get)(set))).collect()
    }
    for emulator in Emulator::ALL {
        for &generation in emulator.generations() {
            let config = like(emulator, generation);
            assert_eq!(config.forms, emulator.forms(generation));
            let all = [settings(&config.quirks, generation), settings(&config.forms, generation)].concat();
            assert_eq!(all.join(" "), decided(emulator, generation), "{emulator} {generation:?}");
        }
    }
}

/// A result just below an integer names the row of that integer.
#[test]
fn the_bias_of_addresses() {
    for (emulator, addressed) in [
        (Emulator::Nv2aVshCpu, 1.0),
        (Emulator::Xemu, 1.0),
        (Emulator::Cxbx, 1.0),
        (Emulator::Mame, 0.0),
        (Emulator::Bochs, 0.0),
    ] {
        let mut config = like(emulator, Generation::Kelvin);
        let text = "ARL a0.x, v0.x; MOV oPos, c[a0]";
        if emulator == Emulator::Nv2aVshCpu {
            assert_eq!(x(&config, text, &[row([0.999_9; 4])]), 0.0, "what it has parsed writes no address");
            config.forms.addresses = Addresses::Clamped;
        }
        assert_eq!(x(&config, text, &[row([0.999_9; 4])]), addressed, "{emulator}");
    }
}

#[test]
fn both_units_write_r1() {
    let text = "MOV r3, v0; MUL r1, r3, c[2] + RCC r1.xy, r3.w; MOV oPos, r1";
    for emulator in Emulator::ALL.into_iter().filter(|&emulator| emulator != Emulator::Rpcs3) {
        let both = if emulator == Emulator::Xemu { [0.25, 0.25, 0.0, 0.0] } else { [0.25, 0.25, 6.0, 8.0] };
        let config = like(emulator, Generation::Kelvin);
        assert_eq!(run(&config, text, &[row([1.0, 2.0, 3.0, 4.0])], 0).0, row(both), "{emulator}");
    }
}

#[test]
fn constant_writes_stay_or_vanish() {
    let text = "MOV c[100], v0; MOV oPos, c[100]";
    for emulator in Emulator::ALL.into_iter().filter(|&emulator| emulator != Emulator::Rpcs3) {
        let stays = matches!(emulator, Emulator::Nv2aVshCpu | Emulator::Mame);
        let (output, constants) = run(&like(emulator, Generation::Kelvin), text, &[row([7.0; 4])], 0);
        let expected = if stays { row([7.0; 4]) } else { constant(100) };
        assert_eq!((output, constants[100]), (expected, expected), "{emulator}");
    }
}

/// A GPU's oFog takes the x of a result whose x the mask does not name; the interpreters' is a register like any other.
#[test]
fn fog_on_gpus_and_in_interpreters() {
    for emulator in Emulator::ALL.into_iter().filter(|&emulator| emulator != Emulator::Rpcs3) {
        let on_gpu = matches!(emulator, Emulator::Xemu | Emulator::Cxbx);
        let config = like(emulator, Generation::Kelvin);
        let fog = run(&config, "MOV oFog.yw, v0", &[row([5.0, 6.0, 7.0, 8.0])], 5).0;
        assert_eq!(f32::from_bits(fog[0]), if on_gpu { 5.0 } else { 0.0 }, "{emulator}");
    }
}

#[test]
fn bochs_wraps_the_rows_of_rankine_and_ends_at_end() {
    let config = like(Emulator::Bochs, Generation::Rankine);
    let text = "ARL a0.x, v0.x; MOV o0, c[a0.x + 400]";
    assert_eq!(x(&config, text, &[row([115.0; 4])]), 3.0);
    let without = Config::new(Generation::Rankine).model(Model::Ieee);
    assert_eq!(x(&without, text, &[row([115.0; 4])]), 0.0);

    let text = "MOV o0, c[1]\nBRA behind + END\nbehind:\nMOV o0, c[3]";
    assert_eq!(x(&config, text, &[]), 1.0);
    assert_eq!(x(&without, text, &[]), 3.0);
}

/// The pair's scalar result, and a product that no zero rule mends.
#[test]
fn bochs_pairs_as_kelvin_and_knows_no_zero_rule() {
    for &generation in &[Generation::Rankine, Generation::Curie] {
        let config = like(Emulator::Bochs, generation);
        let nan = x(&config, "MUL o0, v0.x, v0.y", &[row([0.0, f32::INFINITY, 0.0, 0.0])]);
        assert!(nan.is_nan(), "{generation:?}");
    }
    let config = like(Emulator::Bochs, Generation::Rankine);
    assert_eq!(config.arithmetic, Arithmetic::Legacy);
    assert_eq!(x(&config, "MOV r0, c[1] + RCP r1, v0.x; MOV o0, r1", &[row([4.0; 4])]), 0.25);
}

#[test]
fn rpcs3_branches_to_slots_and_ends_at_end() {
    let config = like(Emulator::Rpcs3, Generation::Curie);
    let chip = Config::new(Generation::Curie).model(Model::Ieee);
    // By the table, of zeros, the branch would loop until the time is over.
    let text = "ARL a0, v0\nBRAI a0.x\nMOV o0, c[1]\nBRA 9\nNOP\nMOV o0, c[2]";
    assert_eq!(x(&config, text, &[row([5.0; 4])]), 2.0);
    assert_eq!(x(&chip, text, &[row([5.0; 4])]), 0.0);
    let text = "MOV o0, c[1]\nBRA behind + END\nbehind:\nMOV o0, c[3]";
    assert_eq!(x(&config, text, &[]), 1.0);
    assert_eq!(x(&chip, text, &[]), 3.0);
    let products = x(&config, "MUL o0, v0.x, v0.y", &[row([0.0, f32::INFINITY, 0.0, 0.0])]);
    assert!(products.is_nan());
    // A test that fails holds although nothing enables it.
    assert_eq!(config.quirks.branch_test, xfjit::isa::BranchTest::Field);
}

/// Infinities of nv2a_vsh_cpu: a product of finite numbers is none, nor is a sum of products.
#[test]
fn products_that_saturate() {
    let config = like(Emulator::Nv2aVshCpu, Generation::Kelvin);
    let great = f32::MAX;
    for (text, input, expected) in [
        ("MUL oPos, v0.x, v0.y", [great, 2.0, 0.0, 0.0], great),
        ("MUL oPos, v0.x, -v0.y", [great, 2.0, 0.0, 0.0], -great),
        ("MUL oPos, v0.x, v0.y", [f32::INFINITY, 2.0, 0.0, 0.0], f32::INFINITY),
        ("MAD oPos, v0.x, v0.y, v0.z", [great, 2.0, -great, 0.0], 0.0),
        ("ADD oPos, v0.x, v0.x", [great, 0.0, 0.0, 0.0], f32::INFINITY),
        ("DP4 oPos, v0, v0", [great, 1.0, 1.0, 1.0], great),
        ("DP4 oPos, v0, v0", [f32::INFINITY, 1.0, 1.0, 1.0], great),
        ("DST r0, v0, v0; MOV oPos, r0.y", [1.0, great, 1.0, 1.0], great),
    ] {
        assert_eq!(x(&config, text, &[row(input)]), expected, "{text} of {input:?}");
    }
}

/// oFog takes x of a result whose mask does not name it, and x may have to be made finite, or come of a library.
#[test]
fn fog_takes_what_forms_change() {
    let mut config = like(Emulator::Nv2aVshCpu, Generation::Kelvin);
    config.quirks.fog_write = FogWrite::AnyComponent;
    config.forms.library = Library::Nv2aVshCpu;
    let fog = |text: &str, input: [f32; 4]| f32::from_bits(run(&config, text, &[row(input)], 5).0[0]);
    assert_eq!(fog("MUL oFog.y, v0, v0", [f32::MAX, 1.0, 1.0, 1.0]), f32::MAX);
    assert_eq!(fog("LOG oFog.w, v0.x", [0.5, 0.0, 0.0, 0.0]), 4_294_967_296.0);
}

/// What a library computes, the interpreter runs: machine code leaves vertices to it, those alone that come to such an operation.
#[cfg(feature = "jit")]
#[test]
fn vertices_that_come_to_a_library_are_interpreted() {
    let mut config = like(Emulator::Bochs, Generation::Curie).live_outputs(1);
    let deopt = |config: &Config, text: &str| {
        let program = Arc::new(asm::parse(Generation::Curie, text).expect("the program assembles"));
        let routine =
            default_backend().prepare(&Microcode::shader(&program, config)).expect("it is compiled");
        let rows: Vec<Row> =
            (0..64).map(|number| row([1.0, if number < 8 { -1.0 } else { 1.0 }, 1.0, 1.0])).collect();
        let (mut worker, mut context) = (Worker::new(), Context::new(config.rows()));
        let inputs = Inputs::new(64).with(0, Attribute::rows(&rows));
        let mut words = [0; 256];
        let mut outputs = Outputs::interleaved(&mut words, &[0]);
        routine.run(&mut worker, &mut context, &inputs, &mut outputs).expect("there is room").deopt_vertices
    };
    let all = "LG2 o0, v0.x";
    assert_eq!(deopt(&config, all), 0);
    config.forms.library = Library::Bochs;
    assert_eq!(deopt(&config, all), 64);
    assert_eq!(deopt(&config, "MOV o0, v0"), 0);
    let some = "MOVC cc, v0\nBRA behind (LT.y)\nLG2 o0, v0.x\nbehind:\nMOV o0.w, v0";
    assert_eq!(deopt(&config, some), 56);
}

/// The cells of the table rows whose first cell passes.
fn cells(keep: impl Fn(&str) -> bool) -> Vec<Vec<&'static str>> {
    let (_, section) = NUMERICS.split_once("## What emulators compute").expect("the section is there");
    let section = section.split("\n## ").next().unwrap_or(section);
    let rows = section.lines().filter_map(|line| line.strip_prefix('|')?.strip_suffix('|'));
    rows.map(|line| line.split('|').map(str::trim).collect::<Vec<_>>()).filter(|row| keep(row[0])).collect()
}

#[test]
fn the_document_lists_every_preset() {
    for emulator in Emulator::ALL {
        let name = format!("`{}`", emulator.name());
        let rows = cells(|first| first == name);
        assert_eq!(rows.len(), 1, "{emulator}");
        let chips: Vec<_> = emulator.generations().iter().map(|generation| generation.name()).collect();
        assert_eq!(rows[0][1], chips.join(", "), "{emulator}");
    }
}

/// Rows of the table that compares with nv2a_vsh_cpu hold our words under both models.
#[test]
fn the_document_has_our_words_right() {
    let word = |cell: &str| u32::from_str_radix(cell.trim_matches('`'), 16).expect("a word");
    let rows: Vec<_> =
        cells(|_| true).into_iter().filter(|row| row.len() == 8 && row[1].contains("oPos")).collect();
    assert!(rows.len() >= 12, "the table is gone");
    for cells in rows {
        let row = |cell: &str| -> Row {
            let words: Vec<u32> = cell.trim_matches('`').split(' ').map(word).collect();
            std::array::from_fn(|i| words[i % words.len()])
        };
        let (input, first) = (row(cells[2]), if cells[3].is_empty() { [0; 4] } else { row(cells[3]) });
        let program = cells[1].trim_matches('`');
        for (model, cell) in [(Model::Ieee, cells[5]), (Model::Hw, cells[6])] {
            let config = Config::new(Generation::Kelvin).model(model);
            let (output, _) = run_with(&config, program, &[input], first, 0);
            assert_eq!(format!("{:08x}", output[0]), cell.trim_matches('`'), "{}, {model:?}", cells[0]);
        }
    }
}
