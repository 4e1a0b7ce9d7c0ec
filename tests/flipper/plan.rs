//! Columns, and vertices that are lent where they lie, equal the reference: golden cases, random formats in every dialect, indices behind
//! memory.

use crate::vectors::cases;
use std::sync::Arc;
use xfjit::chip::flipper::input;
use xfjit::chip::flipper::vat::Vat;
use xfjit::chip::flipper::vcd::{Attribute, Source, Vcd};
use xfjit::flipper::{
    Array, Copied, Dialect, Draw, Fetch, Fetched, Memory, Plan, Registers, Vertex, canonical, vertex,
};
use xfjit::front::Microcode;
use xfjit::runtime::batch::{Inputs, Outputs, registers};
use xfjit::runtime::num::{self, Numerics, Rules};
use xfjit::runtime::state::Context;
use xfjit::{Config, Generation, Model, Worker, asm};
use xfjit_testing::golden::flipper_fetch::GuestMemory;
use xfjit_testing::{Choices, backends};

/// The vertices that columns hold.
fn vertices(vcd: Vcd, fetched: &Fetched) -> Vec<Vertex> {
    let value = |register: usize, at: usize| fetched.rows(register).get(at).copied().unwrap_or_default();
    vertices_of(vcd, fetched.count(), 0xff, value)
}

/// The vertices of a batch; of matrix indices the six bits that count.
fn lent_vertices(vcd: Vcd, present: u16, inputs: &Inputs<'_>) -> Vec<Vertex> {
    let value = |register: usize, at: usize| match present >> register & 1 {
        0 => [0; 4],
        _ => inputs.fetch(register, at),
    };
    vertices_of(vcd, inputs.count, 0x3f, value)
}

fn vertices_of(vcd: Vcd, count: usize, mask: u8, value: impl Fn(usize, usize) -> [u32; 4]) -> Vec<Vertex> {
    let three = |[x, y, z, _]: [u32; 4]| [x, y, z];
    (0..count)
        .map(|at| {
            let mut vertex = Vertex::default();
            let row = value(input::MATRICES, at);
            let mut bytes = row.iter().flat_map(|word| word.to_le_bytes());
            for number in (0..9).filter(|&number| vcd.has_matrix(number)) {
                vertex.matrices[number] = bytes.next().expect("nine") & mask;
            }
            vertex.position = three(value(input::POSITION, at));
            for (number, normal) in vertex.normals.iter_mut().enumerate() {
                *normal = three(value(input::NORMAL + number, at));
            }
            for (number, colour) in vertex.colours.iter_mut().enumerate() {
                let components = value(input::COLOUR + number, at).map(f32::from_bits);
                let bytes = components.map(|number| number as u8);
                assert_eq!(bytes.map(f32::from), components, "whole numbers");
                *colour = u32::from_be_bytes(bytes);
            }
            for (number, coordinate) in vertex.texcoords.iter_mut().enumerate() {
                let [s, t, ..] = value(input::TEXCOORD + number, at);
                *coordinate = [s, t];
            }
            vertex
        })
        .collect()
}

#[test]
fn columns_decode_every_case() {
    let mut memory = GuestMemory::default();
    let mut fetched = Fetched::default();
    let mut draws = 0;
    for case in cases() {
        let difference =
            case.check(&mut memory, &mut |registers: &Registers, draw: &Draw<'_>, memory: Memory<'_>| {
                draws += 1;
                let plan = Plan::new(registers.vcd, registers.vats[draw.vat()], Dialect::Spec);
                plan.fetch(draw, &registers.arrays, memory, &mut fetched);
                vertices(registers.vcd, &fetched)
            });
        assert_eq!(difference, None, "case {}", case.number);
    }
    assert!(draws > 6_000);
}

/// Programs that move the attributes of a mask of a batch have on every backend what the scalar functions have of it. Matrix indices are
/// not among them: they are no floats, whose NaNs would become canonical.
fn check_moved(live: u16, plan: &Plan, inputs: &Inputs<'_>) {
    moved(live, plan, inputs, &|register, at| inputs.fetch(register, at));
}

/// Programs that move the attributes of a mask of a batch have on every backend what is wanted.
pub(crate) fn moved(live: u16, plan: &Plan, inputs: &Inputs<'_>, want: &dyn Fn(usize, usize) -> [u32; 4]) {
    let n = Numerics { model: Model::Ieee, rules: Rules::Kelvin };
    let moved: Vec<usize> = registers(live & !(1 << input::MATRICES)).collect();
    for attributes in moved.chunks(4) {
        let text: Vec<String> =
            attributes.iter().enumerate().map(|(place, v)| format!("MOV oT{place}, v{v}")).collect();
        let program = Arc::new(asm::parse(Generation::Kelvin, &text.join("\n")).expect("it assembles"));
        let outputs: Vec<u8> = (9..9 + attributes.len() as u8).collect();
        let mask = ((1 << attributes.len()) - 1) << 9;
        let config = Config::new(Generation::Kelvin).model(Model::Ieee).live_outputs(mask);
        let shader = Microcode::shader(&program, &config).with_inputs(plan.layout(live));
        for backend in backends(Model::Ieee) {
            let routine = backend.prepare(&shader).expect("it is small enough");
            let mut words = vec![0; 4 * outputs.len() * inputs.count];
            let mut outputs = Outputs::interleaved(&mut words, &outputs);
            let outcome = routine.run(&mut Worker::new(), &mut Context::new(192), inputs, &mut outputs);
            outcome.expect("it is lent");
            for (at, rows) in words.as_chunks::<4>().0.chunks(attributes.len()).enumerate() {
                for (row, &register) in rows.iter().zip(attributes) {
                    let want = want(register, at).map(|word| num::canonical(n, word));
                    assert_eq!(*row, want, "{} v{register} of vertex {at}, {text:?}", backend.name());
                }
            }
        }
    }
}

#[test]
fn what_is_lent_is_every_case() {
    let mut memory = GuestMemory::default();
    let (mut fetched, mut copied) = (Fetched::default(), Copied::default());
    let (mut lent, mut columns) = (0, 0);
    for case in cases() {
        let check = &mut |registers: &Registers, draw: &Draw<'_>, memory: Memory<'_>| {
            let plan = Plan::new(registers.vcd, registers.vats[draw.vat()], Dialect::Spec);
            plan.fetch(draw, &registers.arrays, memory, &mut fetched);
            let live = fetched.present();
            let vertices_lent = plan.lend(live, (registers, draw, memory), &mut copied, |inputs| {
                inputs.check(live).ok()?;
                if case.number % 64 == 0 {
                    check_moved(live, &plan, inputs);
                }
                Some(lent_vertices(registers.vcd, live, inputs))
            });
            let made = vertices_lent.is_some();
            (lent, columns) = (lent + usize::from(made), columns + usize::from(!made));
            vertices_lent.unwrap_or_else(|| vertices(registers.vcd, &fetched))
        };
        assert_eq!(case.check(&mut memory, check), None, "case {}", case.number);
    }
    assert!(lent > 5_500 && columns > 0, "{lent} {columns}");
}

#[test]
fn columns_equal_the_reference_whatever_the_formats() {
    let mut c = Choices::seed(11);
    let mut fetched = Fetched::default();
    let bytes: Vec<u8> = (0..5000).map(|_| c.word() as u8).collect();
    let (mut left_out, mut lent, mut moved) = (0, 0, 0);
    let mut copied = Copied::default();
    for round in 0..6000 {
        // Some attributes, all, or any.
        let mut vcd = Vcd { lo: c.word() & Vcd::LO, hi: c.word() & Vcd::HI };
        if round % 3 == 0 {
            vcd = Vcd { lo: vcd.lo & c.word(), hi: vcd.hi & c.word() & c.word() };
        }
        let vat = Vat([c.word(), c.word(), c.word()]);
        let dialect = c.pick(&Dialect::ALL);
        // Within memory, or some elements behind it.
        let strides = [4, 40, 255][c.below(3) as usize];
        let arrays = std::array::from_fn(|_| Array { base: c.below(900), stride: c.below(strides) });
        let memory = Memory::from(&bytes[..[5000, 1000, 3][c.below(3) as usize]]);
        let size = vertex::size(vcd, vat);
        // Of many vertices elements are read once.
        let count = if round % 40 == 1 { 512 + c.below(9) } else { c.below(20) };
        let mut stream: Vec<u8> = (0..size * count as usize).map(|_| c.word() as u8).collect();
        // Positions that leave vertices out are rare otherwise.
        for number in 0..count as usize {
            let at = size * number + vertex::offset(vcd, vat, Attribute::Position);
            if vcd.source(Attribute::Position).index_bytes().is_some() && c.below(4) == 0 {
                let bytes = vertex::bytes(vcd, vat, Attribute::Position);
                stream[at..at + bytes].fill(0xff);
            }
        }
        let draw = Draw { opcode: 0x90, count: count as u16, size, bytes: &stream };
        let fetch = Fetch { vcd, vat, arrays: &arrays, memory, dialect };
        let all = (0..count as usize).map(|number| fetch.vertex(draw.vertex(number)));
        let want: Vec<Vertex> = all.filter(|(_, is_there)| *is_there).map(|(vertex, _)| vertex).collect();
        left_out += count as usize - want.len();
        let plan = Plan::new(vcd, vat, dialect);
        plan.fetch(&draw, &arrays, memory, &mut fetched);
        assert_eq!(vertices(vcd, &fetched), want, "{vcd:x?} {vat:x?} {dialect:?}");
        // What is in memory whole can be lent, whichever attributes are wanted.
        let live = fetched.present() & if c.chance(50) { u16::MAX } else { c.word() as u16 };
        let registers = Registers { vcd, arrays, ..Registers::default() };
        plan.lend(live, (&registers, &draw, memory), &mut copied, |inputs| {
            if inputs.check(live).is_err() {
                return;
            }
            lent += 1;
            let value = |register: usize, at: usize| match live >> register & 1 {
                0 => [0; 4],
                _ => fetched.rows(register)[at],
            };
            let mut want = vertices_of(vcd, want.len(), 0x3f, value);
            assert_eq!(lent_vertices(vcd, live, inputs), want, "{vcd:x?} {vat:x?} {dialect:?}");
            if round % 128 == 0 {
                moved += want.drain(..).len();
                check_moved(live, &plan, inputs);
            }
        });
        // What is canonical has the same plan, and is that of itself.
        let canonical_vat = canonical(vcd, vat, dialect);
        assert_eq!(Plan::new(vcd, canonical_vat, dialect), plan, "{vcd:x?} {vat:x?}");
        assert_eq!(canonical(vcd, canonical_vat, dialect), canonical_vat);
    }
    assert!(left_out > 1000, "{left_out}");
    assert!(lent > 1000 && moved > 50, "{lent} {moved}");
}

/// Every bit that changes no vertex is cleared, and no other: two tables that differ in one bit are the same exactly if their plans
/// are.
#[test]
fn what_is_canonical_is_what_counts() {
    let mut c = Choices::seed(12);
    let mut same = 0;
    for _ in 0..300 {
        let vcd = Vcd { lo: c.word() & Vcd::LO, hi: c.word() & Vcd::HI };
        let vat = Vat([c.word(), c.word(), c.word()]);
        for dialect in Dialect::ALL {
            for bit in 0..96 {
                let mut other = vat;
                other.0[bit / 32] ^= 1 << (bit % 32);
                let plans = Plan::new(vcd, vat, dialect) == Plan::new(vcd, other, dialect);
                let equal = canonical(vcd, vat, dialect) == canonical(vcd, other, dialect);
                // A fraction that ByteDequant switches off is kept.
                assert!(plans || !equal, "{vcd:x?} {vat:x?} {bit}");
                same += usize::from(equal);
            }
        }
    }
    assert!(same > 20_000, "{same}");
}

/// It is not used, whatever vertices have.
#[test]
fn the_last_bit_of_the_second_word_changes_nothing() {
    let mut c = Choices::seed(13);
    for dialect in [Dialect::ALL; 40].concat() {
        let vcd = Vcd { lo: c.word() & Vcd::LO, hi: c.word() & Vcd::HI };
        let [a, b, third] = [c.word(), c.word(), c.word()];
        let plan = |b: u32| Plan::new(vcd, Vat([a, b, third]), dialect);
        assert_eq!(plan(b | 1 << 31), plan(b & !(1 << 31)), "{vcd:x?}");
        assert_eq!(
            vertex::size(vcd, Vat([a, b | 1 << 31, third])),
            vertex::size(vcd, Vat([a, b & !(1 << 31), third]))
        );
    }
}

/// What vertices do not have is what was kept, and the same memory serves draw after draw.
#[test]
fn a_batch_has_what_was_kept() {
    let mut registers =
        Registers { normals: [Some([1, 2, 3]), None, Some([7, 8, 9])], ..Registers::default() };
    registers.vcd = Vcd::default().with(Attribute::Position, Source::Direct);
    let plan = Plan::new(registers.vcd, Vat::default(), Dialect::Spec);
    let mut fetched = Fetched::default();
    for bytes in [&[1, 2, 3, 4, 5, 6][..], &[7, 8], &[]] {
        let draw = Draw { opcode: 0x80, count: bytes.len() as u16 / 2, size: 2, bytes };
        plan.fetch(&draw, &registers.arrays, Memory::from(&[]), &mut fetched);
        assert_eq!((fetched.count(), fetched.present()), (bytes.len() / 2, 1));
        assert_eq!(fetched.rows(0).len(), bytes.len() / 2);
        let inputs = fetched.inputs(&registers);
        let constant = |register: usize| match inputs.attributes[register] {
            xfjit::runtime::batch::Attribute::Constant(row) => Some(row),
            xfjit::runtime::batch::Attribute::Stream { .. } => None,
        };
        assert_eq!([0, 1, 2, 3].map(constant), [None, Some([1, 2, 3, 0]), Some([0; 4]), Some([7, 8, 9, 0])]);
    }
}
