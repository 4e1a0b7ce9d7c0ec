//! Every code of every encoding of attributes means on every backend what the scalar function says, in both models.

use std::sync::Arc;
use xfjit::backend::{Backend, Interp, Runs, Worker};
use xfjit::front::Microcode;
use xfjit::runtime::batch::{Inputs, Outputs, StreamError};
use xfjit::runtime::format::{ByteOrder, Encoding, Format, InputLayout, MOST_FRACTION};
use xfjit::runtime::num::{self, Numerics, Rules};
use xfjit::runtime::state::{Context, Row};
use xfjit::{Config, Generation, Model, Shader, asm};
use xfjit_testing::{Choices, backends};

const MODELS: [Model; 2] = [Model::Hw, Model::Ieee];

/// Vertices of one attribute, v1, in memory.
struct Elements {
    format: Format,
    stride: usize,
    count: usize,
    bytes: Vec<u8>,
}

impl Elements {
    fn inputs(&self) -> Inputs<'_> {
        Inputs::new(self.count).formatted(1, &self.bytes, self.stride, self.format)
    }

    /// What the program writes, from the scalar functions.
    fn want(&self, model: Model) -> Vec<Row> {
        let n = Numerics { model, rules: Rules::Kelvin };
        let value = |vertex: usize| {
            let row = self.format.value(self.format.element(&self.bytes[vertex * self.stride..]));
            row.map(|word| num::canonical(n, word))
        };
        (0..self.count).map(value).collect()
    }

    /// How many groups of four have a NaN, or an infinite half, which code for `ieee` leaves to the interpreter.
    fn guarded(&self) -> u64 {
        let least = if self.format.encoding == Encoding::Half { 0x7f80_0000 } else { 0x7f80_0001 };
        let is_special = |row: &Row| row.iter().any(|word| word & 0x7fff_ffff >= least);
        self.want(Model::Ieee).chunks(4).filter(|group| group.iter().any(is_special)).count() as u64
    }
}

fn shader(model: Model, layout: InputLayout) -> Shader {
    let program = asm::parse(Generation::Kelvin, "MOV oPos, v1").expect("it assembles");
    let config = Config::new(Generation::Kelvin).model(model).live_outputs(1);
    Microcode::shader(&Arc::new(program), &config).with_inputs(layout)
}

/// Runs all backends. Tells how many have read the elements where they are.
fn check(elements: &Elements, models: &[Model]) {
    let format = elements.format;
    for &model in models {
        let want = elements.want(model);
        for backend in backends(model).into_iter().chain([Arc::new(Interp::Single) as Arc<dyn Backend>]) {
            // Made for the format, and for rows, to which it is converted; which is the same for all.
            let layouts = [InputLayout::ROWS.with(1, format), InputLayout::ROWS];
            let few = if elements.count > 256 && backend.runs() != Runs::Instructions { 1 } else { 2 };
            for layout in layouts.into_iter().take(few) {
                let routine = backend.prepare(&shader(model, layout)).expect("it is small enough");
                let mut words = vec![0; 4 * elements.count];
                let mut outputs = Outputs::interleaved(&mut words, &[0]);
                let inputs = elements.inputs();
                let mut context = Context::new(192);
                let outcome = routine.run(&mut Worker::new(), &mut context, &inputs, &mut outputs);
                let guarded = outcome.expect("the elements are there").deopt_groups;
                let name = || format!("{} {model:?} {format:?} stride {}", backend.name(), elements.stride);
                for (vertex, (got, want)) in words.as_chunks().0.iter().zip(&want).enumerate() {
                    assert_eq!(got, want, "{}, vertex {vertex}, {layout:?}", name());
                }
                match model {
                    Model::Hw => assert_eq!(guarded, 0, "{}", name()),
                    Model::Ieee => assert!(guarded <= elements.guarded(), "{}: {guarded} guarded", name()),
                }
            }
        }
    }
}

/// Words that hold all codes of the fields of an encoding.
fn codes(encoding: Encoding) -> Vec<u32> {
    match encoding.field(0).bits {
        8 => (0..64).map(|i| i * 0x0404_0404 + 0x0302_0100).collect(),
        4 | 5 | 6 | 16 => (0..0x8000_u32).map(|i| i << 1 | (i << 1 | 1) << 16).collect(),
        11 => (0..1 << 11).map(|i| i | (i ^ 0x555) << 11 | i << 22).collect(),
        _ => {
            let mut c = Choices::seed(7);
            let corners = [0, 1, 0x7f_ffff, 0x80_0000, 0x3f80_0000, 0x7f7f_ffff, 0x7f80_0000, 0x7f80_0001];
            let signed = corners.into_iter().flat_map(|word| [word, word | 0x8000_0000]);
            signed.chain((0..240).map(|_| c.word())).collect()
        }
    }
}

#[test]
fn every_code_on_every_backend() {
    for &encoding in Encoding::ALL {
        for order in [ByteOrder::Host, ByteOrder::Swapped] {
            for fraction in [0, 9, MOST_FRACTION] {
                let format = Format { order, ..Format::host(encoding, encoding.most()) };
                let format = format.with_fraction(fraction);
                if format.canonical() != format {
                    continue;
                }
                let bytes = codes(encoding).into_iter().flat_map(u32::to_le_bytes).collect::<Vec<u8>>();
                let stride = format.bytes();
                let count = bytes.len() / stride;
                check(&Elements { format, stride, count, bytes }, &MODELS);
            }
        }
    }
}

/// All numbers of components, at any alignment, with what lies between and no byte behind; the stride 0.
#[test]
fn elements_of_any_size_lie_anywhere() {
    let mut c = Choices::seed(1);
    for &encoding in Encoding::ALL {
        for components in encoding.least()..=encoding.most() {
            let order = [ByteOrder::Host, ByteOrder::Swapped][usize::from(components % 2)];
            let format = Format { order, ..Format::host(encoding, components) }.with_fraction(components);
            for stride in [0, 1, format.bytes(), 13] {
                for count in [4, 9] {
                    let bytes: Vec<u8> =
                        (0..stride * (count - 1) + format.bytes()).map(|_| c.word() as u8).collect();
                    let model = [MODELS[c.below(2) as usize]];
                    check(&Elements { format, stride, count, bytes }, &model);
                }
            }
        }
    }
}

/// Three attributes of an array, where code expects that they lie beside each other, and where they do not: at other distances, with
/// other strides.
#[test]
fn neighbours_lie_where_they_are_expected_or_elsewhere() {
    const COUNT: usize = 35;
    const OUTPUTS: [u8; 3] = [0, 3, 9];
    let mut c = Choices::seed(3);
    let program = "MOV oPos, v0\nMOV oD0, v3\nMOV oT0, v8";
    let program = Arc::new(asm::parse(Generation::Kelvin, program).expect("it assembles"));
    let live = OUTPUTS.iter().fold(0, |live, output| live | 1_u32 << output);
    for &encoding in Encoding::ALL {
        for components in encoding.least()..=encoding.most() {
            let order = [ByteOrder::Host, ByteOrder::Swapped][usize::from(components % 2)];
            let middle = Format { order, ..Format::host(encoding, components) };
            let mut others = [Format::host(Encoding::S1, 3), Format::host(Encoding::Half, 2)];
            others.rotate_left(c.below(2) as usize);
            let [first, last] = others;
            let start = first.bytes().next_multiple_of(4);
            let end = start + middle.bytes().next_multiple_of(4);
            let attributes = [(0, first), (3, middle), (8, last)];
            let model = MODELS[c.below(2) as usize];
            let n = Numerics { model, rules: Rules::Kelvin };
            let config = Config::new(Generation::Kelvin).model(model).live_outputs(live);
            let layout = attributes
                .iter()
                .fold(InputLayout::ROWS, |layout, &(register, format)| layout.with(register, format));
            let shader = Microcode::shader(&program, &config).with_inputs(layout);
            let bytes: Vec<u8> = (0..40 * COUNT).map(|_| c.word() as u8).collect();
            let arrays = [
                [(0, 28), (start, 28), (end, 28)],
                [(1, 0), (start + 1, 0), (end + 1, 0)],
                [(0, 28), (start, 28), (end + 1, 28)],
                [(0, 28), (start - 1, 28), (end, 28)],
                [(16, 28), (8, 28), (0, 28)],
                [(0, 28), (start, 28), (end, 29)],
                [(0, 28), (start, 0), (end, 28)],
                [(0, 1), (start, 28), (end, 28)],
            ];
            for backend in backends(model) {
                let routine = backend.prepare(&shader).expect("it is small enough");
                for array in arrays {
                    let mut inputs = Inputs::new(COUNT);
                    for ((register, format), (at, stride)) in attributes.into_iter().zip(array) {
                        inputs = inputs.formatted(register, &bytes[at..], stride, format);
                    }
                    let mut words = vec![0; 4 * OUTPUTS.len() * COUNT];
                    let mut outputs = Outputs::interleaved(&mut words, &OUTPUTS);
                    let outcome =
                        routine.run(&mut Worker::new(), &mut Context::new(192), &inputs, &mut outputs);
                    outcome.expect("the elements are there");
                    for (number, got) in words.as_chunks::<4>().0.iter().enumerate() {
                        let (vertex, attribute) = (number / OUTPUTS.len(), number % OUTPUTS.len());
                        let ((_, format), (at, stride)) = (attributes[attribute], array[attribute]);
                        let element = format.element(&bytes[at + vertex * stride..]);
                        let want = format.value(element).map(|word| num::canonical(n, word));
                        assert_eq!(*got, want, "{} {model:?} {middle:?} {array:?} {number}", backend.name());
                    }
                }
            }
        }
    }
}

/// Denormal halves, and the greatest, are ordinary to both models.
#[test]
fn finite_halves_raise_no_guard() {
    let format = Format::host(Encoding::Half, 2);
    let shader = shader(Model::Ieee, InputLayout::ROWS.with(1, format));
    let half = |code: u32| (code & 0x3ff) | [0, 0x0400, 0x7800, 0x8000][code as usize / 0x400];
    let words = (0..0x1000).map(|code| half(code) | half(0xfff - code) << 16);
    let bytes: Vec<u8> = words.flat_map(u32::to_ne_bytes).collect();
    let inputs = Inputs::new(0x1000).formatted(1, &bytes, 4, format);
    for backend in backends(Model::Ieee) {
        let mut words = vec![0; 4 * 0x1000];
        let mut outputs = Outputs::interleaved(&mut words, &[0]);
        let routine = backend.prepare(&shader).expect("it is small enough");
        let outcome = routine.run(&mut Worker::new(), &mut Context::new(192), &inputs, &mut outputs);
        assert_eq!(outcome.expect("the elements are there").deopt_groups, 0, "{}", backend.name());
    }
}

#[test]
fn indexed_elements_are_found() {
    let mut c = Choices::seed(2);
    let bytes: Vec<u8> = (0..300).map(|_| c.word() as u8).collect();
    for &encoding in Encoding::ALL {
        let format = Format::host(encoding, 3);
        let indices: Vec<u32> = (0..23).map(|_| c.below(36)).collect();
        let inputs = Inputs::new(0).formatted(1, &bytes, 8, format).indexed(&indices);
        for model in MODELS {
            let n = Numerics { model, rules: Rules::Kelvin };
            for backend in backends(model) {
                let routine = backend.prepare(&shader(model, InputLayout::ROWS.with(1, format)));
                let mut words = vec![0; 4 * indices.len()];
                let mut outputs = Outputs::interleaved(&mut words, &[0]);
                let routine = routine.expect("it is small enough");
                let outcome = routine.run(&mut Worker::new(), &mut Context::new(192), &inputs, &mut outputs);
                outcome.expect("the elements are there");
                for (&index, got) in indices.iter().zip(words.as_chunks::<4>().0) {
                    let want = format.value(format.element(&bytes[8 * index as usize..]));
                    assert_eq!(
                        *got,
                        want.map(|word| num::canonical(n, word)),
                        "{} {format:?}",
                        backend.name()
                    );
                }
            }
        }
    }
}

#[test]
fn what_is_not_there_or_not_so_is_refused() {
    let bytes = [0; 24];
    let run = |layout: InputLayout, inputs: &Inputs<'_>| {
        let mut errors = backends(Model::Hw).into_iter().map(|backend| {
            let routine = backend.prepare(&shader(Model::Hw, layout)).expect("it is small enough");
            let mut words = [0; 16];
            let mut outputs = Outputs::interleaved(&mut words, &[0]);
            routine.run(&mut Worker::new(), &mut Context::new(192), inputs, &mut outputs).err()
        });
        let first = errors.next().expect("there are backends");
        assert!(errors.all(|error| error == first), "{layout:?}");
        first
    };
    let shorts = Format::host(Encoding::S1, 3);
    let layout = InputLayout::ROWS.with(1, shorts);
    let with = |format, stride| Inputs::new(4).formatted(1, &bytes, stride, format);
    assert_eq!(run(layout, &with(shorts, 6)), None);
    let short = StreamError::InputTooShort { register: 1, vertex: 3, needed: 27, got: 24 };
    assert_eq!(run(layout, &with(shorts, 7)), Some(short));
    let wrong = |got| Some(StreamError::WrongInputLayout { register: 1, expected: shorts, got });
    for other in [
        Format::host(Encoding::S1, 2),
        Format { order: ByteOrder::Swapped, ..shorts },
        Format::host(Encoding::S32k, 3),
        Format::host(Encoding::S32k, 3).with_fraction(1),
        Format::float3(),
    ] {
        assert_eq!(run(layout, &with(other, 4)), wrong(Some(other)), "{other:?}");
    }
    assert_eq!(run(layout, &Inputs::new(4)), wrong(None), "a constant is not a short");
    let told = |got| wrong(got).expect("it is one").to_string();
    assert_eq!(
        told(Some(Format::words(2, ByteOrder::Swapped))),
        "attribute v1 is 2 floats of the other byte order; the program's input layout expects s1:3"
    );
    assert_eq!(told(None), "attribute v1 is a constant; the program's input layout expects s1:3");
    let four = Format::host(Encoding::Cmp, 4);
    let bad = StreamError::BadComponents { register: 1, components: 4 };
    assert_eq!(run(InputLayout::ROWS, &with(four, 4)), Some(bad));
    let bad = StreamError::BadComponents { register: 1, components: 3 };
    let fine = Format::host(Encoding::S32k, 3).with_fraction(MOST_FRACTION);
    assert_eq!(run(InputLayout::ROWS.with(1, fine), &with(fine, 4)), None);
    assert_eq!(run(InputLayout::ROWS, &with(fine.with_fraction(MOST_FRACTION + 1), 4)), Some(bad));
    let other =
        StreamError::WrongInputLayout { register: 1, expected: fine, got: Some(fine.with_fraction(2)) };
    // Bits of fraction are part of what code is made for.
    assert_eq!(run(InputLayout::ROWS.with(1, fine), &with(fine.with_fraction(2), 4)), Some(other));
    // Bytes have no order.
    let colour = Format::host(Encoding::UbD3d, 4);
    let layout = InputLayout::ROWS.with(1, colour);
    assert_eq!(run(layout, &with(Format { order: ByteOrder::Swapped, ..colour }, 4)), None);
}

/// The alpha of a colour that has none is 255, which floats of fewer components do not say.
#[test]
fn colours_without_alpha_are_not_taken_for_fewer_floats() {
    let element = [0x21; 4];
    for (encoding, components) in
        [(Encoding::Rgb565, 3), (Encoding::Rgba8, 3), (Encoding::Rgba6, 2), (Encoding::Unorm8, 3)]
    {
        let inputs = Inputs::new(1).formatted(0, &element, 4, Format::host(encoding, components));
        let is_taken = |read: u8| {
            let layout = InputLayout::ROWS.with(0, Format::words(read, ByteOrder::Swapped));
            inputs.check_layout(1, &layout).is_ok()
        };
        let least = if encoding == Encoding::Unorm8 { components } else { 4 };
        assert_eq!([1, 2, 3, 4].map(is_taken), [1, 2, 3, 4].map(|read| read >= least), "{encoding:?}");
    }
}
