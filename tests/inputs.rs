//! Code made for a layout of the attributes computes what the reference does, which converts each of them by itself.

use std::sync::Arc;
use xfjit::front::Microcode;
use xfjit::front::fixed::Setup;
use xfjit::runtime::batch::{Attribute, Inputs, Outputs, StreamError};
use xfjit::runtime::format::{ByteOrder, Format, InputLayout};
use xfjit::runtime::state::{Context, DEFAULT_ROW};
use xfjit::{Config, Engine, Generation, Model, Options, Shader, asm};
use xfjit_core::backend::{Backend, Eval, Interp, Worker};
use xfjit_ir::ir::parse::parse;
use xfjit_testing::RandomCase;
use xfjit_testing::{Case, Choices, Limits, backends, check_layouts, setups};

/// Attributes of 1 to 4 components at any stride, with and without indices, as [`Case`] has them; of any encoding.
#[test]
fn all_backends_compute_the_same_whatever_the_layout() {
    let mut worker = Worker::new();
    let (mut ran, mut refused) = (0, 0);
    for seed in 0..160 {
        let mut c = Choices::seed(seed);
        let mut limits = Limits::choose(&mut c, Generation::ALL[seed as usize % 3]);
        limits.shape.slots = limits.shape.slots.min(24);
        let case = Case::within(&mut c, limits);
        let counts = check_layouts(&case, &mut c, &mut worker);
        (ran, refused) = (ran + counts.0, refused + counts.1);
    }
    assert!(ran > 20 * refused, "{refused} of {ran} are refused");
}

/// A shader, and whatever runs it.
fn check(shader: &Shader, setup: &setups::FixedSetup, inputs: &Inputs<'_>, layout: InputLayout) {
    let live: Vec<u8> = (0..24).filter(|register| shader.live_outputs() >> register & 1 != 0).collect();
    let run = |backend: &dyn Backend, shader: &Shader| {
        let routine = backend.prepare(shader).expect("it is small enough");
        let mut words = vec![0; 4 * live.len() * inputs.count];
        let mut outputs = Outputs::interleaved(&mut words, &live);
        let outcome = routine.run(&mut Worker::new(), &mut setup.context(), inputs, &mut outputs);
        outcome.expect("the batch is one for the layout");
        words
    };
    let want = run(&Eval::Xf, shader);
    for backend in backends(Model::Hw) {
        let got = run(&*backend, &shader.clone().with_inputs(layout));
        assert!(got == want, "{}, {layout:?}", backend.name());
    }
}

#[test]
fn the_fixed_function_has_layouts_too() {
    for (number, set) in setups::ALL.iter().enumerate() {
        let rows = set.vertices(13);
        let (mut inputs, mut layout) = (Inputs::new(13), InputLayout::ROWS);
        for (register, rows) in rows.iter().enumerate() {
            let Attribute::Stream { data, stride, .. } = Attribute::rows(rows) else {
                unreachable!("rows are a stream")
            };
            let components = 1 + ((register + number) % 4) as u8;
            inputs = inputs.with(register, Attribute::Stream { data, stride, components });
            layout = layout.with(register, Format::words(components, ByteOrder::Host));
        }
        for model in [Model::Hw, Model::Ieee] {
            check(&Shader::from(Setup::new(set.mode()).model(model)), set, &inputs, layout);
        }
    }
}

#[test]
fn components_that_a_layout_lacks_are_refused() {
    let program =
        Arc::new(asm::parse(Generation::Kelvin, "MOV oPos, v0\nMOV oD0, v1").expect("it assembles"));
    let config = Config::new(Generation::Kelvin).live_outputs(9);
    let three = Format::words(3, ByteOrder::Host);
    let shader = Microcode::shader(&program, &config).with_inputs(InputLayout::ROWS.with(1, three));
    let rows = [[0x4000_0000; 4]; 6];
    let with = |components: u8| match Attribute::rows(&rows) {
        Attribute::Stream { data, stride, .. } => Attribute::Stream { data, stride, components },
        other @ Attribute::Constant(_) => other,
    };
    let refused = |got| Err(StreamError::WrongInputLayout { register: 1, expected: three, got });
    let message = StreamError::WrongInputLayout { register: 1, expected: three, got: Some(Format::ROW) };
    assert_eq!(message.to_string(), "attribute v1 is 4 floats; the program's input layout expects 3 floats");
    for backend in backends(Model::Hw).into_iter().chain([Arc::new(Interp::Single) as Arc<dyn Backend>]) {
        let routine = backend.prepare(&shader).expect("it is small enough");
        let run = |attribute| {
            let inputs = Inputs::new(6).with(0, Attribute::rows(&rows)).with(1, attribute);
            let mut words = [0; 48];
            let mut outputs = Outputs::interleaved(&mut words, &[0, 3]);
            let done = routine.run(&mut Worker::new(), &mut Context::new(192), &inputs, &mut outputs);
            done.map(|_| words[4 * 11 + 3])
        };
        assert_eq!(run(with(4)), refused(Some(Format::ROW)), "{}", backend.name());
        assert_eq!(run(Attribute::Constant([1; 4])), refused(None), "{}", backend.name());
        assert_eq!(run(with(3)), Ok(DEFAULT_ROW[3]), "{}", backend.name());
        assert_eq!(run(with(1)), Ok(DEFAULT_ROW[3]), "{}", backend.name());
        assert_eq!(run(Attribute::DEFAULT), Ok(DEFAULT_ROW[3]), "{}", backend.name());
    }
}

#[test]
fn the_layout_is_part_of_the_key_as_far_as_it_matters() {
    let engine = Engine::new(Options::default());
    let program = Arc::new(asm::parse(Generation::Kelvin, "MOV oPos, v2").expect("it assembles"));
    let shader = Microcode::shader(&program, &Config::new(Generation::Kelvin));
    let with = |register, components, order| {
        let layout = InputLayout::ROWS.with(register, Format::words(components, order));
        engine.shader(&shader.clone().with_inputs(layout))
    };
    let plain = engine.shader(&shader);
    let three = with(2, 3, ByteOrder::Host);
    assert!(!Arc::ptr_eq(&plain, &three) && !Arc::ptr_eq(&three, &with(2, 3, ByteOrder::Swapped)));
    assert!(Arc::ptr_eq(&three, &with(2, 3, ByteOrder::Host)));
    assert!(Arc::ptr_eq(&plain, &with(3, 3, ByteOrder::Swapped)), "nobody reads v3");
    assert_eq!(three.shader().inputs().format(2).components, 3);
}

/// The text form says what is no row, and the verifier keeps code inside of it.
#[test]
fn functions_read_what_their_layout_has() {
    let text = |level: &str, formats: &str, body: &str| {
        format!("func {level} hw kelvin window 0..192{formats} {{\nbody:\n{body}\n}}\n")
    };
    let read = |component: &str| format!("  %0 = input v1.{component}\n  output o0, %0, %0, %0, %0");
    let accepted = |text: &str| match parse(text) {
        Ok(func) => func.to_string() == text,
        Err(_) => false,
    };
    assert!(accepted(&text("host", " v1[3]", &read("z"))));
    assert!(accepted(&text("host", " v1[3] swapped v4[4] swapped", &read("z"))));
    assert!(!accepted(&text("host", " v1[3]", &read("w"))));
    assert!(accepted(&text("xf", " v1[3]", &read("w"))), "at the level of the chip it is an attribute");
    for effect in ["row_copy o0, v1", "row_guard v1"] {
        assert!(accepted(&text("host", "", &format!("  {effect}"))), "{effect}");
        assert!(!accepted(&text("host", " v1[3]", &format!("  {effect}"))), "{effect}");
        assert!(!accepted(&text("host", " v1[4] swapped", &format!("  {effect}"))), "{effect}");
    }
    // Of what is packed there are as many words as it has bytes for.
    assert!(accepted(&text("host", " v1[s1:4]", &read("y"))));
    assert!(!accepted(&text("host", " v1[s1:4]", &read("z"))));
    assert!(accepted(&text("host", " v1[ub256:3] v2[cmp:3] swapped", &read("x"))));
    assert!(!accepted(&text("host", " v1[ub256:3]", &read("y"))));
    assert!(!accepted(&text("host", " v1[f16:4]", "  row_copy o0, v1")));
    for formats in [
        " v1[cmp:4]",
        " v1[s2:1]",
        " v1[s1]",
        " v1[s1:]",
        " v1[:3]",
        " v1[5]",
        " v1[0]",
        " v16[3]",
        " swapped",
        " v1[3",
        " 1[3]",
    ] {
        assert!(!accepted(&text("host", formats, &read("x"))), "{formats}");
    }
}
