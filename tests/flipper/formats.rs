//! Every format of every attribute, against values that are made another way: by parts of a float's bits, and by f64.

use xfjit::chip::flipper::format::{Colour, Component};
use xfjit::chip::flipper::vat::{Field, TEXCOORDS, Vat};
use xfjit::chip::flipper::vcd::{Attribute, Source, Vcd};
use xfjit::flipper::{Array, Dialect, Fetch, Memory, Vertex};
use xfjit_testing::Choices;

const SOURCES: [Source; 3] = [Source::Direct, Source::Index8, Source::Index16];

/// Numbers that formats cannot all hold.
const NUMBERS: [f32; 18] = [
    f32::MIN,
    1e-45,
    f32::MIN_POSITIVE,
    f32::MAX,
    f32::NAN,
    f32::INFINITY,
    -32768.0,
    -128.0,
    -1.0,
    -0.0,
    0.0,
    1.0,
    123.0,
    127.0,
    255.0,
    32767.0,
    65535.0,
    12345678.0,
];

/// A number in a format, the nearest that it has, and what it is without a fraction.
fn stored(format: u32, number: f32) -> (Vec<u8>, f64) {
    match format {
        0 => (vec![number as u8], f64::from(number as u8)),
        1 => (vec![number as i8 as u8], f64::from(number as i8)),
        2 => ((number as u16).to_be_bytes().to_vec(), f64::from(number as u16)),
        3 => ((number as i16).to_be_bytes().to_vec(), f64::from(number as i16)),
        _ => (number.to_bits().to_be_bytes().to_vec(), f64::NAN),
    }
}

fn same(got: u32, number: f32, value: f64, shift: i32, format: u32) -> bool {
    if format > 3 {
        got == number.to_bits()
    } else {
        f64::from(f32::from_bits(got)) == value * 2_f64.powi(-shift) && got != 1 << 31
    }
}

/// A vertex whose one attribute has these bytes: in the vertex, or in an array at an odd address, element 3.
fn one(vcd: Vcd, vat: Vat, attribute: Attribute, bytes: &[u8], dialect: Dialect) -> Vertex {
    let (base, stride) = (7, 41);
    let mut memory = vec![0x5a; 7 + 3 * 41];
    memory.extend_from_slice(bytes);
    let mut arrays = [Array { base: 0x03ff_ffff, stride: 255 }; 16];
    arrays[attribute.array()] = Array { base, stride };
    let fetch = Fetch { vcd, vat, arrays: &arrays, memory: Memory::from(&memory), dialect };
    let (vertex, is_there) = match vcd.source(attribute) {
        Source::Index8 => fetch.vertex(&[3]),
        Source::Index16 => fetch.vertex(&[0, 3]),
        Source::Direct | Source::Absent => fetch.vertex(bytes),
    };
    assert!(is_there);
    vertex
}

#[test]
fn positions_and_coordinates_of_every_format() {
    for source in SOURCES {
        for format in 0..8 {
            for count in 0..2 {
                for shift in [0, 1, 31] {
                    let vat = Vat::default().with(Field::BYTE_DEQUANT, 1);
                    let vat = vat
                        .with(Field::POS_COUNT, count)
                        .with(Field::POS_FORMAT, format)
                        .with(Field::POS_SHIFT, shift);
                    let vcd = Vcd::default().with(Attribute::Position, source);
                    for numbers in NUMBERS.chunks_exact(2 + count as usize) {
                        let (bytes, values): (Vec<_>, Vec<_>) =
                            numbers.iter().map(|&number| stored(format, number)).unzip();
                        let got = one(vcd, vat, Attribute::Position, &bytes.concat(), Dialect::Spec).position;
                        for (at, &number) in numbers.iter().enumerate() {
                            let name = format!("{source:?} {format} {shift} {number}");
                            assert!(
                                same(got[at], number, values[at], shift as i32, format),
                                "{name}: {:x}",
                                got[at]
                            );
                        }
                        assert!(count == 1 || got[2] == 0, "z is 0");
                    }
                    for (number, [counts, formats, shifts]) in TEXCOORDS.into_iter().enumerate() {
                        let attribute = Attribute::Texcoord(number as u8);
                        let vat = Vat::default().with(Field::BYTE_DEQUANT, 1);
                        let vat = vat.with(counts, count).with(formats, format).with(shifts, shift);
                        let vcd = Vcd::default().with(attribute, source);
                        for numbers in NUMBERS.chunks_exact(1 + count as usize) {
                            let (bytes, values): (Vec<_>, Vec<_>) =
                                numbers.iter().map(|&number| stored(format, number)).unzip();
                            let vertex = one(vcd, vat, attribute, &bytes.concat(), Dialect::Spec);
                            let got = vertex.texcoords[number];
                            for (at, &number) in numbers.iter().enumerate() {
                                assert!(same(got[at], number, values[at], shift as i32, format));
                            }
                            assert!(count == 1 || got[1] == 0, "t is 0");
                            let others = (0..8).filter(|&other| other != number);
                            assert!(others.into_iter().all(|other| vertex.texcoords[other] == [0; 2]));
                        }
                    }
                }
            }
        }
    }
}

/// Bytes 64, -64 and 32 with six bits of fraction, and shorts, in each dialect.
#[test]
fn fractions_count_as_dialects_have_it() {
    let value = |dialect, format, dequant, code: &[u8]| {
        let vat = Vat::default()
            .with(Field::POS_FORMAT, format)
            .with(Field::POS_SHIFT, 6)
            .with(Field::BYTE_DEQUANT, dequant);
        let vat = vat.with(Field::TEX5_FORMAT, format).with(Field::TEX5_SHIFT, 6).with(Field::TEX5_COUNT, 1);
        let bytes = [code, code].concat();
        let vcd = |attribute| Vcd::default().with(attribute, Source::Direct);
        let coordinate =
            one(vcd(Attribute::Texcoord(5)), vat, Attribute::Texcoord(5), &bytes, dialect).texcoords[5];
        let position = one(vcd(Attribute::Position), vat, Attribute::Position, &bytes, dialect).position;
        assert_eq!(coordinate, position[..2]);
        f32::from_bits(position[0])
    };
    // Bytes without ByteDequant, with it; shorts without, with.
    for (dialect, want) in [
        (Dialect::Spec, [64.0, 1.0, 1.0, 1.0]),
        (Dialect::DolphinSw, [1.0, 1.0, 1.0, 1.0]),
        (Dialect::DolphinJit, [64.0, 1.0, 64.0, 1.0]),
        (Dialect::Dolphin, [64.0, 1.0, 64.0, 1.0]),
    ] {
        assert_eq!(Dialect::named(dialect.name()), Some(dialect));
        for (unsigned, factor) in [(0, 1.0), (1, -1.0)] {
            let byte = if unsigned == 0 { 64 } else { 192 };
            let short = if unsigned == 0 { [0, 64] } else { [255, 192] };
            let got = [
                (unsigned, 0, &[byte][..]),
                (unsigned, 1, &[byte]),
                (2 + unsigned, 0, &short),
                (2 + unsigned, 1, &short),
            ]
            .map(|(format, dequant, code)| value(dialect, format, dequant, code) * factor);
            assert_eq!(got, want, "{dialect:?} {unsigned}");
        }
    }
}

#[test]
fn normals_have_the_fractions_of_their_formats() {
    let shifts = [7, 6, 15, 14, 0];
    for source in SOURCES {
        for (format, count, three, dequant) in
            (0..5).flat_map(|format| (0..8).map(move |bits| (format, bits & 1, bits >> 1 & 1, bits >> 2)))
        {
            let vat = Vat::default().with(Field::NORMAL_FORMAT, format).with(Field::NORMAL_COUNT, count);
            let vat = vat.with(Field::NORMAL_INDEX3, three).with(Field::BYTE_DEQUANT, dequant);
            let component = Component::ALL[format as usize];
            // i / 32, which all formats have, from an element on.
            let scale = (1_u32 << shifts[format as usize]) as f32;
            let numbers: Vec<f32> = (0..32).map(|i| i as f32 / 32.0).collect();
            let bytes: Vec<u8> = numbers
                .iter()
                .flat_map(|&n| stored(format, if format < 4 { n * scale } else { n }).0)
                .collect();
            let mut arrays = [Array::default(); 16];
            arrays[1] = Array { base: 0, stride: component.bytes() as u32 };
            let vcd = Vcd::default().with(Attribute::Normal, source);
            let fetch =
                Fetch { vcd, vat, arrays: &arrays, memory: Memory::from(&bytes), dialect: Dialect::Spec };
            let three = three & count == 1;
            let (first, wide) = (10, source == Source::Index16);
            let index = |at: u8| if wide { vec![0, at] } else { vec![at] };
            let direct = first as usize * component.bytes();
            let vertex = match source {
                Source::Direct | Source::Absent => fetch.vertex(&bytes[direct..]),
                // Of each its own element: the second is one vector further.
                _ if three => fetch.vertex(&[index(first), index(first + 1), index(first + 2)].concat()),
                _ => fetch.vertex(&index(first)),
            };
            let is_spread = three && source != Source::Direct;
            for vector in 0..3 {
                let from = usize::from(first) + 3 * vector + if is_spread { vector } else { 0 };
                let want: [u32; 3] = std::array::from_fn(|at| {
                    if vector == 0 || count == 1 { numbers[from + at].to_bits() } else { 0 }
                });
                assert_eq!(vertex.0.normals[vector], want, "{source:?} {format} {count} {three} {vector}");
            }
            assert!(vertex.1);
        }
    }
}

/// Three indices 0, 1, 2 of records of nine.
#[test]
fn three_indices_are_three_elements() {
    let record = |record: i8| (0..9).map(move |at| 30 * record + 10 * (at / 3) + at % 3);
    let bytes: Vec<u8> = (0..3).flat_map(record).map(|number| number as u8).collect();
    let mut arrays = [Array::default(); 16];
    arrays[1].stride = 9;
    let vat = Vat::default()
        .with(Field::NORMAL_COUNT, 1)
        .with(Field::NORMAL_INDEX3, 1)
        .with(Field::NORMAL_FORMAT, 1);
    let vcd = Vcd::default().with(Attribute::Normal, Source::Index8);
    let fetch = Fetch { vcd, vat, arrays: &arrays, memory: Memory::from(&bytes), dialect: Dialect::Spec };
    let value = |number: i8| (f32::from(number) / 64.0).to_bits();
    let want = [[0, 1, 2], [40, 41, 42], [80, 81, 82]].map(|vector| vector.map(value));
    assert_eq!(fetch.vertex(&[0, 1, 2]).0.normals, want);
}

#[test]
fn arrays_overlap_and_stand_still() {
    let bytes: Vec<u8> = [1.0_f32, 2.0, 3.0].iter().flat_map(|number| number.to_be_bytes()).collect();
    let mut arrays = [Array::default(); 16];
    let vat = Vat::default().with(Field::POS_FORMAT, 4);
    let vcd = Vcd::default().with(Attribute::Position, Source::Index16);
    for (stride, want) in [(4, [[2.0, 3.0], [1.0, 2.0]]), (0, [[1.0, 2.0]; 2])] {
        arrays[0].stride = stride;
        let fetch = Fetch { vcd, vat, arrays: &arrays, memory: Memory::from(&bytes), dialect: Dialect::Spec };
        let got = [[0, 1], [0, 0]].map(|index| fetch.vertex(&index).0.position);
        assert_eq!(got.map(|[x, y, _]| [x, y].map(f32::from_bits)), want);
    }
    // Behind memory, in part and wholly.
    arrays[0] = Array { base: 5, stride: 255 };
    let fetch = Fetch { vcd, vat, arrays: &arrays, memory: Memory::from(&bytes), dialect: Dialect::Spec };
    assert_eq!(fetch.vertex(&[0, 0]).0.position, [0x40, 0x4000_0000, 0]);
    assert_eq!(fetch.vertex(&[255, 254]).0.position, [0; 3]);
}

#[test]
fn colours_are_those_of_their_arrays() {
    let mut c = Choices::seed(9);
    for (code, colour) in Colour::ALL.into_iter().enumerate() {
        for source in SOURCES {
            for (number, field) in [(0, Field::COLOUR0_FORMAT), (1, Field::COLOUR1_FORMAT)] {
                for count in [Field::COLOUR0_COUNT, Field::COLOUR1_COUNT] {
                    let vat = Vat::default().with(field, code as u32).with(count, c.below(2));
                    let attribute = Attribute::Colour(number);
                    let word = c.word();
                    let bytes = &word.to_be_bytes()[..colour.bytes()];
                    let vertex =
                        one(Vcd::default().with(attribute, source), vat, attribute, bytes, Dialect::Spec);
                    let numbers = colour.format().read(bytes).map(f32::from_bits);
                    let want = u32::from_be_bytes(numbers.map(|number| number as u8));
                    assert_eq!(vertex.colours[usize::from(number)], want);
                    assert_eq!(vertex.colours[1 - usize::from(number)], 0);
                }
            }
        }
    }
}

#[test]
fn matrix_indices_have_six_bits() {
    let mut c = Choices::seed(4);
    for lo in (0..512).chain([0x1ff; 20]) {
        let vcd = Vcd { lo, hi: 0 };
        let bytes: Vec<u8> = (0..9).map(|_| c.word() as u8).collect();
        for (dialect, mask) in [
            (Dialect::Spec, 0x3f),
            (Dialect::DolphinSw, 0x3f),
            (Dialect::DolphinJit, 0xff),
            (Dialect::Dolphin, 0xff),
        ] {
            let arrays = [Array::default(); 16];
            let fetch =
                Fetch { vcd, vat: Vat::default(), arrays: &arrays, memory: Memory::from(&[]), dialect };
            let mut stream = bytes.iter();
            let want: [u8; 9] = std::array::from_fn(|number| {
                let mask = if number == 0 { 0x3f } else { mask };
                if lo >> number & 1 == 0 { 0 } else { stream.next().expect("nine") & mask }
            });
            assert_eq!(fetch.vertex(&bytes).0.matrices, want);
        }
    }
}

/// The index of a position that is all ones leaves a vertex out; no other index does, nor another value.
#[test]
fn vertices_are_left_out_by_their_position_alone() {
    let arrays = [Array::default(); 16];
    for attribute in Attribute::ALL {
        for (source, index) in
            [(Source::Index8, &[0xff][..]), (Source::Index16, &[0xff, 0xff]), (Source::Direct, &[0xff; 40])]
        {
            let vcd = Vcd::default().with(attribute, source);
            let fetch = Fetch {
                vcd,
                vat: Vat::default(),
                arrays: &arrays,
                memory: Memory::from(&[]),
                dialect: Dialect::Spec,
            };
            let left_out = attribute == Attribute::Position && source != Source::Direct;
            assert_eq!(fetch.vertex(index).1, !left_out, "{attribute:?} {source:?}");
            let mut other = index.to_vec();
            *other.last_mut().expect("it has bytes") = 0xfe;
            assert!(fetch.vertex(&other).1);
        }
    }
    // A byte of ones is no short of ones.
    let vcd = Vcd::default().with(Attribute::Position, Source::Index16);
    let fetch = Fetch {
        vcd,
        vat: Vat::default(),
        arrays: &arrays,
        memory: Memory::from(&[]),
        dialect: Dialect::Spec,
    };
    assert!(fetch.vertex(&[0, 0xff]).1);
}

/// What later vertices have of the last one, and of one that was left out as dialects have it.
#[test]
fn normals_are_kept() {
    let bytes: Vec<u8> = (0..=255).collect();
    let mut arrays = [Array::default(); 16];
    arrays[1].stride = 1;
    let vat = Vat::default().with(Field::NORMAL_FORMAT, 1);
    let both = vat.with(Field::NORMAL_COUNT, 1);
    let vcd =
        Vcd::default().with(Attribute::Position, Source::Index8).with(Attribute::Normal, Source::Index8);
    let kept = |vcd, vat, dialect, vertices: &[[u8; 2]], before| {
        let fetch = Fetch { vcd, vat, arrays: &arrays, memory: Memory::from(&bytes), dialect };
        fetch.kept(before, vertices.iter().rev().map(|vertex| &vertex[..]))
    };
    let at = |first: u8| Some([first, first + 1, first + 2].map(|n| (f32::from(n as i8) / 64.0).to_bits()));
    let old = [at(100), at(101), at(102)];
    let whole = [[0, 1], [0, 20]];
    assert_eq!(kept(vcd, vat, Dialect::Spec, &whole, [None; 3]), [at(20), None, None]);
    assert_eq!(kept(vcd, vat, Dialect::Spec, &whole, old), [at(20), old[1], old[2]]);
    assert_eq!(kept(vcd, both, Dialect::Spec, &whole, old), [at(20), at(23), at(26)]);
    assert_eq!(kept(vcd, both, Dialect::Spec, &[], old), old);
    let without = Vcd::default().with(Attribute::Position, Source::Index8);
    assert_eq!(kept(without, both, Dialect::Spec, &whole, old), old);
    let left_out = [[0, 1], [255, 20]];
    for (dialect, want) in [
        (Dialect::Spec, [at(1), at(4), at(7)]),
        (Dialect::DolphinSw, [at(20), at(23), at(26)]),
        (Dialect::DolphinJit, [old[0], old[1], at(7)]),
        (Dialect::Dolphin, [old[0], old[1], at(7)]),
    ] {
        assert_eq!(kept(vcd, both, dialect, &left_out, old), want, "{dialect:?}");
    }
    assert_eq!(kept(vcd, both, Dialect::Spec, &[[255, 3], [255, 4]], old), old);
}
