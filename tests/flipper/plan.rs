//! Columns equal the reference: golden cases, random formats in every dialect, indices behind memory.

use crate::vectors::cases;
use xfjit::chip::flipper::input;
use xfjit::chip::flipper::vat::Vat;
use xfjit::chip::flipper::vcd::{Attribute, Source, Vcd};
use xfjit::flipper::{
    Array, Dialect, Draw, Fetch, Fetched, Memory, Plan, Registers, Vertex, canonical, vertex,
};
use xfjit::testing::Choices;
use xfjit::testing::golden::flipper_fetch::GuestMemory;

/// The vertices that columns hold.
fn vertices(vcd: Vcd, fetched: &Fetched) -> Vec<Vertex> {
    let value = |register: usize, at: usize| fetched.rows(register).get(at).copied().unwrap_or_default();
    let three = |[x, y, z, _]: [u32; 4]| [x, y, z];
    (0..fetched.count())
        .map(|at| {
            let mut vertex = Vertex::default();
            let row = value(input::MATRICES, at);
            let mut bytes = row.iter().flat_map(|word| word.to_le_bytes());
            for number in (0..9).filter(|&number| vcd.has_matrix(number)) {
                vertex.matrices[number] = bytes.next().expect("nine");
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

#[test]
fn columns_equal_the_reference_whatever_the_formats() {
    let mut c = Choices::seed(11);
    let mut fetched = Fetched::default();
    let bytes: Vec<u8> = (0..5000).map(|_| c.word() as u8).collect();
    let mut left_out = 0;
    for round in 0..6000 {
        // Some attributes, all, or any.
        let mut vcd = Vcd { lo: c.word() & Vcd::LO, hi: c.word() & Vcd::HI };
        if round % 3 == 0 {
            vcd = Vcd { lo: vcd.lo & c.word(), hi: vcd.hi & c.word() & c.word() };
        }
        let vat = Vat([c.word(), c.word(), c.word()]);
        let dialect = Dialect::ALL[c.below(3) as usize];
        // Within memory, or some elements behind it.
        let strides = [4, 40, 255][c.below(3) as usize];
        let arrays = std::array::from_fn(|_| Array { base: c.below(900), stride: c.below(strides) });
        let memory = Memory(&bytes[..[5000, 1000, 3][c.below(3) as usize]]);
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
        // What is canonical has the same plan, and is that of itself.
        let canonical_vat = canonical(vcd, vat, dialect);
        assert_eq!(Plan::new(vcd, canonical_vat, dialect), plan, "{vcd:x?} {vat:x?}");
        assert_eq!(canonical(vcd, canonical_vat, dialect), canonical_vat);
    }
    assert!(left_out > 1000, "{left_out}");
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
        plan.fetch(&draw, &registers.arrays, Memory(&[]), &mut fetched);
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
