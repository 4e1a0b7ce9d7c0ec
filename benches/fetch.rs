//! P1 on packed vertices of 16 bytes, three shorts, two halves and a colour: read and converted by the code made for that
//! layout; against rows that are there already; and against loops in Rust that convert to rows first, then run P1 on these. One
//! loop is general, as an emulator has it: attribute after attribute it looks at the format. The other is written for these three
//! formats, without a branch. Compare figures of one run only.

use divan::Bencher;
use divan::counter::ItemsCount;
use std::hint::black_box;
use std::sync::Arc;
use xfjit::backend::{Backend, Worker};
use xfjit::front::Microcode;
use xfjit::runtime::batch::{Attribute, Inputs, Outputs};
use xfjit::runtime::encoding::byte_fraction;
use xfjit::runtime::format::{ByteOrder, Encoding, Format, InputLayout};
use xfjit::runtime::num::Model;
use xfjit::runtime::state::{DEFAULT_ROW, Row};
use xfjit_native::Jit;
use xfjit_testing::Choices;
use xfjit_testing::programs::Fixed;

fn main() {
    check();
    divan::main();
}

const COUNT: usize = 1024;
const STRIDE: usize = 16;
/// Register, byte of the vertex, format.
const ATTRIBUTES: [(usize, usize, Format); 3] = [
    (0, 0, Format::host(Encoding::S1, 3)),
    (3, 8, Format::host(Encoding::UbD3d, 4)),
    (8, 12, Format::host(Encoding::Half, 2)),
];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    Rows,
    Packed,
    /// Rows made by the general loop.
    General,
    /// Rows made by the loop for these formats.
    Special,
}

/// Halves are numbers of ordinary size.
fn vertices() -> Vec<u8> {
    let mut c = Choices::seed(5);
    let vertex = |_| {
        let [a, b, colour] = [c.word(), c.word() & 0xffff, c.word()];
        [a, b, colour, c.word() & 0x83ff_83ff | 0x3800_3800]
    };
    (0..COUNT).flat_map(vertex).flat_map(u32::to_le_bytes).collect()
}

/// Conversions with the same bits as those of generated code.
struct Converter {
    bytes: [u32; 256],
    rows: [Vec<Row>; 3],
}

impl Converter {
    fn new() -> Self {
        let bytes = std::array::from_fn(|code| byte_fraction(code as u32));
        Converter { bytes, rows: std::array::from_fn(|_| vec![[0; 4]; COUNT]) }
    }

    /// Any formats: what to do is asked for each attribute of each vertex.
    fn general(&mut self, data: &[u8], attributes: &[(usize, usize, Format)]) {
        for (vertex, bytes) in data.chunks_exact(STRIDE).enumerate() {
            for (rows, &(_, at, format)) in self.rows.iter_mut().zip(attributes) {
                let mut row = DEFAULT_ROW;
                let element = &bytes[at..at + format.bytes()];
                let components = row.iter_mut().take(format.components.into());
                let short = |component: usize| {
                    let bytes = [element[2 * component], element[2 * component + 1]];
                    match format.order {
                        ByteOrder::Host => u16::from_le_bytes(bytes),
                        ByteOrder::Swapped => u16::from_be_bytes(bytes),
                    }
                };
                match format.encoding {
                    Encoding::S1 => components.enumerate().for_each(|(i, c)| *c = short_fraction(short(i))),
                    Encoding::Half => components.enumerate().for_each(|(i, c)| *c = half(short(i))),
                    Encoding::UbD3d => components
                        .zip([2, 1, 0, 3])
                        .for_each(|(c, i)| *c = self.bytes[usize::from(element[i])]),
                    Encoding::UbOgl => {
                        components.zip(element).for_each(|(c, &byte)| *c = self.bytes[usize::from(byte)]);
                    }
                    _ => row = format.value(format.element(element)),
                }
                rows[vertex] = row;
            }
        }
    }

    /// These formats only.
    fn special(&mut self, data: &[u8]) {
        const ONE: u32 = 0x3f80_0000;
        let [positions, colours, coordinates] = &mut self.rows;
        let rows = positions.iter_mut().zip(colours).zip(coordinates);
        for (vertex, ((position, colour), coordinate)) in data.as_chunks::<STRIDE>().0.iter().zip(rows) {
            let short = |at: usize| u16::from_le_bytes([vertex[at], vertex[at + 1]]);
            *position = [short_fraction(short(0)), short_fraction(short(2)), short_fraction(short(4)), ONE];
            let byte = |at: usize| self.bytes[usize::from(vertex[at])];
            *colour = [byte(10), byte(9), byte(8), byte(11)];
            *coordinate = [half(short(12)), half(short(14)), 0, ONE];
        }
    }
}

#[inline]
fn short_fraction(code: u16) -> u32 {
    let odd = 2 * i32::from(code as i16) + 1;
    let bits = (odd as f32).to_bits();
    let bits = bits + (bits >> 16 & 0x7f | 0x80) - (16 << 23);
    bits + u32::from(bits & 0x7fff_ffff == 0x3f7f_ffff)
}

#[inline]
fn half(code: u16) -> u32 {
    let (sign, magnitude) = (u32::from(code & 0x8000) << 16, u32::from(code & 0x7fff));
    let normal = (magnitude << 13) + (112 << 23);
    let denormal = (magnitude as f32 * (1.0 / 16_777_216.0)).to_bits();
    let special = if magnitude > 0x7bff { 112 << 23 } else { 0 };
    let value = if magnitude < 0x400 { denormal } else { normal };
    sign | (value + special)
}

/// The loops convert as the scalar functions do.
fn check() {
    let data = vertices();
    for is_general in [true, false] {
        let mut converter = Converter::new();
        if is_general {
            converter.general(&data, &ATTRIBUTES);
        } else {
            converter.special(&data);
        }
        for (rows, (_, at, format)) in converter.rows.iter().zip(ATTRIBUTES) {
            for (vertex, row) in rows.iter().enumerate() {
                assert_eq!(*row, format.value(format.element(&data[vertex * STRIDE + at..])));
            }
        }
    }
}

fn bench(bencher: Bencher<'_, '_>, model: Model, way: Way) {
    let fixed = Fixed::find("P1").expect("one of the fixed set");
    let mut layout = InputLayout::ROWS;
    for (register, _, format) in ATTRIBUTES {
        layout = if way == Way::Packed { layout.with(register, format) } else { layout };
    }
    let shader = Microcode::shader(&Arc::new(fixed.program()), &fixed.config(model)).with_inputs(layout);
    let routine = Jit::host().expect("this host has native code").prepare(&shader).expect("it is short");
    let data = vertices();
    let mut converter = Converter::new();
    converter.special(&data);
    let (mut worker, mut context) = (Worker::new(), fixed.context());
    let mut words = vec![0; COUNT * fixed.output_words()];
    bencher.counter(ItemsCount::new(COUNT)).bench_local(|| {
        match way {
            Way::General => converter.general(&data, black_box(&ATTRIBUTES)),
            Way::Special => converter.special(&data),
            Way::Rows | Way::Packed => {}
        }
        let mut inputs = Inputs::new(COUNT);
        for ((register, at, format), rows) in ATTRIBUTES.into_iter().zip(&converter.rows) {
            inputs = match way {
                Way::Packed => inputs.formatted(register, &data[at..], STRIDE, format),
                _ => inputs.with(register, Attribute::rows(rows)),
            };
        }
        let mut outputs = Outputs::interleaved(&mut words, fixed.outputs);
        routine.run(&mut worker, &mut context, &inputs, &mut outputs)
    });
}

const WAYS: [Way; 4] = [Way::Rows, Way::Packed, Way::General, Way::Special];

#[divan::bench(args = WAYS)]
fn p1_ieee(bencher: Bencher<'_, '_>, way: Way) {
    bench(bencher, Model::Ieee, way);
}

#[divan::bench(args = WAYS)]
fn p1_hw(bencher: Bencher<'_, '_>, way: Way) {
    bench(bencher, Model::Hw, way);
}
