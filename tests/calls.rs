//! What a caller's data can be wrong about is an error, not a panic, and the same one on every backend.

use std::panic::catch_unwind;
use std::sync::Arc;
use xfjit::backend::{Backend, Interp, Worker};
use xfjit::chip::Pipeline;
use xfjit::chip::memory::Ram;
use xfjit::chip::mode::{Mode, Name};
use xfjit::front::Microcode;
use xfjit::front::fixed::Setup;
use xfjit::isa;
use xfjit::runtime::batch::{Attribute, Inputs, Layout, Outputs, Place, StreamError};
use xfjit::runtime::state::{Context, OUTPUTS, Row};
use xfjit::runtime::texture::{Texel, Texture, Textures};
use xfjit::shader::Shader;
use xfjit::xf::{Chip, Command, Payload, Register, Type, XfUnit};
use xfjit::{Config, Engine, Generation, Model, Options, asm};
use xfjit_testing::backends;

const ROWS: [Row; 8] = [[0x3f80_0000; 4]; 8];

fn all_backends() -> Vec<Arc<dyn Backend>> {
    let mut all = backends(Model::Ieee);
    all.push(Arc::new(Interp::Single));
    all
}

fn codes() -> Vec<Shader> {
    let config = |generation| Config::new(generation).model(Model::Ieee).live_outputs(1);
    let mut codes: Vec<Shader> = Generation::ALL
        .iter()
        .map(|&generation| {
            let program = asm::parse(generation, "MUL oPos, v0, c[3]").expect("it assembles");
            Microcode::shader(&Arc::new(program), &config(generation))
        })
        .collect();
    for pipeline in [Pipeline::NV10, Pipeline::Kelvin] {
        codes.push(Shader::from(Setup::new(Mode::new(pipeline, &[])).model(Model::Ieee).live_outputs(1)));
    }
    codes
}

/// What every backend says of a batch; what it does not refuse it must not spoil.
fn refusal(code: &Shader, rows: usize, inputs: &Inputs<'_>, registers: &[u8]) -> Option<StreamError> {
    let mut all = Vec::new();
    for backend in all_backends() {
        let routine = backend.prepare(code).expect("it is small");
        let (mut context, mut words) = (Context::new(rows), vec![7; 4 * 8 * registers.len()]);
        let mut outputs = Outputs::interleaved(&mut words, registers);
        let result = routine.run(&mut Worker::new(), &mut context, inputs, &mut outputs);
        assert!(
            result.is_ok() || words.iter().all(|&word| word == 7),
            "{}: refused and written",
            backend.name()
        );
        all.push(result.err());
    }
    assert!(all.iter().all(|error| *error == all[0]), "{all:?}");
    all.swap_remove(0)
}

/// A batch that no cache holds may run on other code than small ones.
#[test]
#[cfg(feature = "jit")]
fn batches_that_no_cache_holds_come_out_as_small_ones() {
    const PERIOD: usize = 1009;
    const COUNT: usize = 140 * PERIOD + 5;
    let config = Config::new(Generation::Kelvin).model(Model::Ieee).live_outputs(1 | 1 << 3);
    let program = asm::parse(Generation::Kelvin, "MOV oD0, v3\nMUL oPos, v0, c[0]").expect("it assembles");
    let code = Microcode::shader(&Arc::new(program), &config);
    let routine = xfjit_native::Jit::host().expect("code").prepare(&code).expect("it is small");
    let row = |vertex: usize| {
        std::array::from_fn(|component| (0x3f80_0000 + 977 * (4 * vertex + component)) as u32)
    };
    let rows: Vec<Row> = (0..COUNT).map(|vertex| row(vertex % PERIOD)).collect();
    let run = |rows: &[Row]| {
        let mut words = vec![0; 8 * rows.len()];
        let inputs = Inputs::new(rows.len()).with(0, Attribute::rows(rows)).with(3, Attribute::rows(rows));
        let mut context = Context::new(192);
        context.set_row(0, [0x4000_0000; 4]);
        let mut outputs = Outputs::interleaved(&mut words, &[0, 3]);
        routine
            .run(&mut Worker::new(), &mut context, &inputs, &mut outputs)
            .expect("the streams are long enough");
        words
    };
    let (small, large) = (run(&rows[..PERIOD]), run(&rows));
    assert!(small.iter().any(|&word| word != small[0]));
    assert!(large.chunks(small.len()).all(|period| period == &small[..period.len()]));
}

#[test]
fn constants_of_another_generation_are_refused() {
    let mut sizes: Vec<usize> = codes().iter().map(Shader::rows).collect();
    sizes.extend([0, 1, 191, 193]);
    let inputs = Inputs::new(8).with(0, Attribute::rows(&ROWS));
    for code in codes() {
        let needed = code.rows();
        assert_eq!(refusal(&code, needed, &inputs, &[0]), None);
        for &got in sizes.iter().filter(|&&rows| rows != needed) {
            assert_eq!(refusal(&code, got, &inputs, &[0]), Some(StreamError::WrongContext { needed, got }));
        }
    }
}

#[test]
fn registers_that_do_not_exist_are_refused() {
    let good = Inputs::new(8).with(0, Attribute::rows(&ROWS));
    for code in codes() {
        for register in [16, 17, usize::MAX] {
            let inputs = good.with(register, Attribute::rows(&ROWS));
            assert_eq!(
                refusal(&code, code.rows(), &inputs, &[0]),
                Some(StreamError::NoSuchInput { register })
            );
        }
        for register in [24, 32, 255] {
            let error = refusal(&code, code.rows(), &good, &[0, register]);
            assert_eq!(error, Some(StreamError::NoSuchOutput { register }));
        }
    }
}

/// What they would hold depends on the order in which vertices are written, which is nobody's promise.
#[test]
fn planes_in_each_other_are_refused() {
    let mut data = [0; 256];
    let mut places = [None; OUTPUTS];
    for (stride, most) in [(0, 0), (4, 1), (16, 4), (20, 5)] {
        places[3] = Some(Place { offset: 0, stride });
        let outputs = Outputs::new(&mut data, Layout::Planes, places);
        for count in 0..8 {
            let overlap = Err(StreamError::PlanesOverlap { register: 3, stride, needed: 4 * count });
            assert_eq!(
                outputs.check(8, count),
                if count <= most { Ok(()) } else { overlap },
                "{stride} {count}"
            );
        }
    }
}

#[test]
fn memory_that_cannot_be_is_refused() {
    let code = &codes()[0];
    for backend in all_backends() {
        let routine = backend.prepare(code).expect("it is small");
        let run = |inputs: &Inputs<'_>, outputs: &mut Outputs<'_>| {
            routine.run(&mut Worker::new(), &mut Context::new(code.rows()), inputs, outputs)
        };
        let mut words = [0; 32];
        let mut data = [0; 128];
        for size in [usize::MAX, usize::MAX / 4, usize::MAX / 16 + 1] {
            let attribute = Attribute::interleaved(ROWS.as_flattened(), 0, 4, size);
            let inputs = Inputs::new(8).with(0, attribute);
            let result = run(&inputs, &mut Outputs::interleaved(&mut words, &[0]));
            assert!(matches!(result, Err(StreamError::InputTooShort { .. })), "{result:?}");
            let attribute = Attribute::interleaved(ROWS.as_flattened(), size, 4, 4);
            let result = run(&Inputs::new(8).with(0, attribute), &mut Outputs::interleaved(&mut words, &[0]));
            assert!(matches!(result, Err(StreamError::InputTooShort { .. })), "{result:?}");

            let inputs = Inputs::new(8).with(0, Attribute::rows(&ROWS));
            let mut places = [None; OUTPUTS];
            for place in [Place { offset: size, stride: 16 }, Place { offset: 0, stride: size }] {
                places[0] = Some(place);
                let result = run(&inputs, &mut Outputs::new(&mut data, Layout::Rows, places));
                assert!(matches!(result, Err(StreamError::OutputTooShort { .. })), "{result:?}");
                // Nothing is written in an empty batch, wherever its places are.
                assert!(run(&Inputs::new(0), &mut Outputs::new(&mut data, Layout::Rows, places)).is_ok());
            }
            let mut planes = Outputs::planes(&mut words, &[3, 0], size);
            assert!(planes.check(1, 8).is_err());
            assert!(run(&inputs, &mut planes).is_err());
        }
        for components in [0, 5, 255] {
            let stream = Attribute::Stream { data: &[0; 999], stride: 16, components };
            let result = run(&Inputs::new(8).with(0, stream), &mut Outputs::interleaved(&mut words, &[0]));
            assert_eq!(result, Err(StreamError::BadComponents { register: 0, components }));
        }
    }
}

#[test]
fn a_draw_of_absurd_size_is_refused() {
    let mut unit = XfUnit::new(Arc::new(Engine::new(Options::default())), Chip::Nv2a);
    for count in [usize::MAX, usize::MAX / 16, (1 << 24) + 1] {
        assert_eq!(
            unit.draw(Inputs::new(count), 0),
            Err(StreamError::TooManyVertices { count, limit: 1 << 24 })
        );
    }
    let inputs = Inputs::new(1).with(16, Attribute::DEFAULT);
    assert_eq!(unit.draw(inputs, 0), Err(StreamError::NoSuchInput { register: 16 }));
    assert_eq!(unit.waiting(), 0);
}

/// Numbers at which arithmetic on them, or tables behind them, end.
const NUMBERS: &[usize] = &[
    0,
    1,
    3,
    4,
    7,
    8,
    15,
    16,
    23,
    24,
    31,
    32,
    63,
    64,
    191,
    192,
    255,
    256,
    511,
    512,
    543,
    544,
    65535,
    65536,
    usize::MAX,
];

/// What takes numbers of slots, registers, lights, units and rows from anywhere.
fn ask(number: usize, chip: Chip) {
    let engine =
        Arc::new(Engine::new(Options::default().with(|options| options.backend = Arc::new(Interp::Batched))));
    let mut unit = XfUnit::new(engine, chip);
    let (byte, half, word) = (number as u8, number as u16, number as u32);
    unit.attribute(number);
    let _ = (unit.xfmode(number), unit.xtra(number), unit.xfpr(number), unit.xfctx(number));
    let _ = (unit.ltctx(number), unit.ltc(number, number));
    for kind in (0..32).map(Type::from_code) {
        unit.command(Command::word(kind, half, byte, word));
        unit.command(Command::pair(kind, half, byte, [word; 2]));
        let _ = unit.read(kind, half, byte);
    }
    for register in [Register::Start, Register::Outputs, Register::Timeout, Register::BranchBits] {
        unit.set(register, word);
        unit.get(register);
    }
    let _ = (unit.wrapped(word, Payload::Word(word)), unit.pipe_read(word));
    let _ = (
        unit.rdi_read(word, word),
        unit.rdi_write(word, word, word),
        unit.restore(&vec![byte; number.min(999)]),
    );
    unit.vertex();
    unit.drain(|output| {
        if let xfjit::xf::Output::Vertices(vertices) = output {
            let _ = (vertices.vertex(number), vertices.register(number, byte));
        }
    });
}

fn ask_the_fixed_function(number: usize, pipeline: Pipeline) {
    let byte = number as u8;
    let mut mode = Mode::new(pipeline, &vec![number as u32; number.min(99)]);
    for name in [Name::Light(byte), Name::TexEnable(byte), Name::TexGen(byte, byte), Name::ClipPlane(byte)] {
        mode.set(name, number as u32);
        mode.get(name);
    }
    let _ = (mode.light(number), mode.texture(number), mode.fog(), mode.lights().count());
    for ram in Ram::ALL {
        ram.row(pipeline, number);
    }
    Ram::of_row(pipeline, number);
}

fn ask_the_rest(number: usize) {
    let byte = number as u8;
    let texels = [0; 64];
    if let Ok(texture) = Texture::new(&texels, Texel::Four, number, number, number) {
        texture.fetch([number as u32; 4]);
    }
    let _ = Texture::new(&texels, Texel::One, 1, number, number);
    Textures::NONE.fetch(byte, [number as u32; 4]);
    let mut context = Context::new(192);
    context.set_row(number, [1; 4]);
    context.row(number);
    for &generation in Generation::ALL {
        let words = vec![number as u32; number.min(4000)];
        let _ = isa::decode(generation, &words, number);
        let _ = isa::decode(generation, &[byte.into(); 16], number);
    }
}

/// Asks with one number.
type Ask = fn(usize);

#[test]
fn numbers_from_anywhere_panic_nowhere() {
    for &number in NUMBERS {
        let asked: [(&str, Ask); 3] = [
            ("the unit", |number| Chip::ALL.iter().for_each(|&chip| ask(number, chip))),
            ("the fixed function", |number| {
                Pipeline::ALL.into_iter().for_each(|pipeline| ask_the_fixed_function(number, pipeline));
            }),
            ("the rest", ask_the_rest),
        ];
        for (what, ask) in asked {
            assert!(catch_unwind(|| ask(number)).is_ok(), "{what} of {number:#x}");
        }
    }
}
