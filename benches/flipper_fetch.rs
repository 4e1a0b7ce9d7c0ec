//! Flipper's vertices: a position of three shorts, a normal of three bytes, a colour of 16 bits and a texture coordinate of two
//! shorts, each by an index of a byte. In columns, against a loader of function pointers that looks at one vertex after the
//! other, and against one of the same kind written by hand for these formats, with SSSE3. Compare figures of one run only.

use divan::Bencher;
use divan::counter::ItemsCount;
use xfjit::chip::flipper::input;
use xfjit::chip::flipper::vat::{Field, Vat};
use xfjit::chip::flipper::vcd::{Attribute, Source};
use xfjit::flipper::{Array, Dialect, Draw, Fetched, Memory, Plan, Registers};
use xfjit_testing::Choices;
use xfjit_testing::flipper_streams::mesh_formats;

fn main() {
    check();
    divan::main();
}

const COUNT: usize = 1024;
/// Registers of the attributes, in the order of the stream, which is that of their indices.
const REGISTERS: [usize; 4] = [input::POSITION, input::NORMAL, input::COLOUR, input::TEXCOORD];
const ATTRIBUTES: [Attribute; 4] =
    [Attribute::Position, Attribute::Normal, Attribute::Colour(0), Attribute::Texcoord(0)];
const STRIDES: [u32; 4] = [6, 3, 2, 4];

type Row = [u32; 4];

struct Setup {
    registers: Registers,
    memory: Vec<u8>,
    stream: Vec<u8>,
}

impl Setup {
    fn new() -> Setup {
        let mut registers = Registers::default();
        registers.vats[0] = mesh_formats();
        for ((attribute, stride), place) in ATTRIBUTES.into_iter().zip(STRIDES).zip(0..) {
            registers.vcd = registers.vcd.with(attribute, Source::Index8);
            registers.arrays[attribute.array()] = Array { base: 0x1000 * place, stride };
        }
        let mut c = Choices::seed(1);
        let memory = (0..0x4000).map(|_| c.word() as u8).collect();
        let stream = (0..4 * COUNT).map(|_| c.below(255) as u8).collect();
        Setup { registers, memory, stream }
    }

    fn draw(&self) -> Draw<'_> {
        Draw { opcode: 0x90, count: COUNT as u16, size: 4, bytes: &self.stream }
    }

    fn plan(&self) -> Plan {
        Plan::new(self.registers.vcd, self.registers.vats[0], Dialect::Spec)
    }
}

/// A loader in the shape of a software renderer's: what an attribute needs is done by a function, and a vertex calls each.
struct Loader<'a> {
    stream: &'a [u8],
    memory: &'a [u8],
    arrays: &'a [Array; 16],
    vat: Vat,
    out: &'a mut [Vec<Row>; 4],
    vertex: usize,
    skipped: bool,
    scales: [f32; 2],
}

impl Loader<'_> {
    fn index(&mut self) -> u32 {
        let index = self.stream[0];
        self.stream = &self.stream[1..];
        index.into()
    }

    fn address(&mut self, array: usize) -> usize {
        let index = self.index();
        (self.arrays[array].base + index * self.arrays[array].stride) as usize
    }
}

fn position(loader: &mut Loader<'_>) {
    loader.skipped = loader.stream[0] == 0xff;
    let at = loader.address(0);
    let short =
        |place: usize| i16::from_be_bytes([loader.memory[at + 2 * place], loader.memory[at + 2 * place + 1]]);
    let z = if loader.vat.get(Field::POS_COUNT) == 1 { f32::from(short(2)) } else { 0.0 };
    let numbers = [f32::from(short(0)), f32::from(short(1)), z, 0.0];
    loader.out[0][loader.vertex] = numbers.map(|number| (number * loader.scales[0]).to_bits());
}

fn normal(loader: &mut Loader<'_>) {
    let at = loader.address(1);
    let byte = |place: usize| (f32::from(loader.memory[at + place] as i8) * (1.0 / 64.0)).to_bits();
    loader.out[1][loader.vertex] = [byte(0), byte(1), byte(2), 0];
}

fn colour(loader: &mut Loader<'_>) {
    let at = loader.address(2);
    let code = u16::from_be_bytes([loader.memory[at], loader.memory[at + 1]]);
    let (r, g, b) = (code >> 11, code >> 5 & 63, code & 31);
    let components = [r << 3 | r >> 2, g << 2 | g >> 4, b << 3 | b >> 2, 255];
    loader.out[2][loader.vertex] = components.map(|component| f32::from(component).to_bits());
}

fn coordinate(loader: &mut Loader<'_>) {
    let at = loader.address(4);
    let short =
        |place: usize| i16::from_be_bytes([loader.memory[at + 2 * place], loader.memory[at + 2 * place + 1]]);
    let value = |number: i16| (f32::from(number) * loader.scales[1]).to_bits();
    loader.out[3][loader.vertex] = [value(short(0)), value(short(1)), 0, 0];
}

fn pointers(setup: &Setup, steps: &[fn(&mut Loader<'_>)], out: &mut [Vec<Row>; 4]) {
    let arrays = &setup.registers.arrays;
    let (vat, scales) = (setup.registers.vats[0], [1.0 / 256.0, 1.0 / 1024.0]);
    let (stream, memory) = (&setup.stream[..], &setup.memory[..]);
    let mut loader = Loader { stream, memory, arrays, vat, out, vertex: 0, skipped: false, scales };
    for _ in 0..COUNT {
        for step in steps {
            step(&mut loader);
        }
        loader.vertex += usize::from(!loader.skipped);
    }
}

fn steps() -> Vec<fn(&mut Loader<'_>)> {
    divan::black_box(vec![position, normal, colour, coordinate])
}

/// One vertex after the other, as a loader made for these formats has it: a load, a shuffle that swaps and widens, a conversion,
/// a product and a store for each attribute.
#[cfg(target_arch = "x86_64")]
mod by_hand {
    use super::{COUNT, Row, STRIDES, Setup};
    use std::arch::x86_64::*;

    /// # Safety
    /// The host has SSSE3.
    #[target_feature(enable = "ssse3")]
    pub(super) unsafe fn load(setup: &Setup, out: &mut [Vec<Row>; 4]) -> usize {
        assert!(setup.stream.len() >= 4 * COUNT && out.iter().all(|rows| rows.len() >= COUNT));
        // The greatest index of a byte, and 16 bytes behind it, are in memory.
        assert!(setup.memory.len() >= 0x3000 + 255 * 6 + 16);
        let bases = [0, 1, 2, 4].map(|array| setup.registers.arrays[array].base as usize);
        let shorts = _mm_setr_epi8(-1, -1, 1, 0, -1, -1, 3, 2, -1, -1, 5, 4, -1, -1, -1, -1);
        let two = _mm_setr_epi8(-1, -1, 1, 0, -1, -1, 3, 2, -1, -1, -1, -1, -1, -1, -1, -1);
        let bytes = _mm_setr_epi8(-1, -1, -1, 0, -1, -1, -1, 1, -1, -1, -1, 2, -1, -1, -1, -1);
        let scales = [1.0 / 256.0, 1.0 / 64.0, 1.0 / 1024.0].map(|scale| _mm_set1_ps(scale));
        let mut kept = 0;
        for vertex in setup.stream.as_chunks::<4>().0 {
            if vertex[0] == 0xff {
                continue;
            }
            let at = |place: usize| bases[place] + usize::from(vertex[place]) * STRIDES[place] as usize;
            // SAFETY: an array's last element and 16 bytes more are in memory, as asserted; a row is 16 bytes, and there are
            // as many as vertices.
            unsafe {
                let from = |place: usize| _mm_loadu_si128(setup.memory.as_ptr().add(at(place)).cast());
                let to = |place: usize| out[place].as_ptr().add(kept).cast_mut().cast::<f32>();
                let position = _mm_srai_epi32::<16>(_mm_shuffle_epi8(from(0), shorts));
                _mm_storeu_ps(to(0), _mm_mul_ps(_mm_cvtepi32_ps(position), scales[0]));
                let normal = _mm_srai_epi32::<24>(_mm_shuffle_epi8(from(1), bytes));
                _mm_storeu_ps(to(1), _mm_mul_ps(_mm_cvtepi32_ps(normal), scales[1]));
                let code =
                    u16::from_be(setup.memory.as_ptr().add(at(2)).cast::<u16>().read_unaligned()) as i32;
                let (r, g, b) = (code >> 11, code >> 5 & 63, code & 31);
                let colour = _mm_setr_epi32(r << 3 | r >> 2, g << 2 | g >> 4, b << 3 | b >> 2, 255);
                _mm_storeu_ps(to(2), _mm_cvtepi32_ps(colour));
                let coordinate = _mm_srai_epi32::<16>(_mm_shuffle_epi8(from(3), two));
                _mm_storeu_ps(to(3), _mm_mul_ps(_mm_cvtepi32_ps(coordinate), scales[2]));
            }
            kept += 1;
        }
        kept
    }
}

fn rows() -> [Vec<Row>; 4] {
    std::array::from_fn(|_| vec![[0; 4]; COUNT])
}

/// Three components; the fourth, which nobody looks at here, is what the table of encodings has for it in columns alone.
fn assert_equal(got: &[Row], want: &[Row]) {
    let three = |rows: &[Row]| rows.iter().map(|&[x, y, z, _]| [x, y, z]).collect::<Vec<_>>();
    assert_eq!(three(got), three(want));
}

/// All ways compute the same.
fn check() {
    let setup = Setup::new();
    let mut fetched = Fetched::default();
    setup.plan().fetch(&setup.draw(), &setup.registers.arrays, Memory::from(&setup.memory), &mut fetched);
    let mut out = rows();
    pointers(&setup, &steps(), &mut out);
    for (rows, register) in out.iter().zip(REGISTERS) {
        assert_equal(fetched.rows(register), rows);
    }
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("ssse3") {
        let mut out = rows();
        // SAFETY: the host has it.
        assert_eq!(unsafe { by_hand::load(&setup, &mut out) }, COUNT);
        for (rows, register) in out.iter().zip(REGISTERS) {
            assert_equal(fetched.rows(register), rows);
        }
    }
}

#[divan::bench]
fn columns(bencher: Bencher<'_, '_>) {
    let (setup, mut fetched) = (Setup::new(), Fetched::default());
    let plan = setup.plan();
    bencher.counter(ItemsCount::new(COUNT)).bench_local(|| {
        plan.fetch(&setup.draw(), &setup.registers.arrays, Memory::from(&setup.memory), &mut fetched);
    });
}

#[divan::bench]
fn function_pointers(bencher: Bencher<'_, '_>) {
    let (setup, mut out, steps) = (Setup::new(), rows(), steps());
    bencher.counter(ItemsCount::new(COUNT)).bench_local(|| pointers(&setup, &steps, &mut out));
}

#[cfg(target_arch = "x86_64")]
#[divan::bench]
fn one_vertex_by_hand(bencher: Bencher<'_, '_>) {
    let (setup, mut out) = (Setup::new(), rows());
    if is_x86_feature_detected!("ssse3") {
        // SAFETY: the host has it.
        bencher.counter(ItemsCount::new(COUNT)).bench_local(|| unsafe { by_hand::load(&setup, &mut out) });
    }
}
