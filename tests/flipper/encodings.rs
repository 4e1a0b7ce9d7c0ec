//! Every encoding of the table, and every format of the chip, has one meaning: that of the reference, of columns and of compiled code, in
//! all bits of all four components.

use crate::plan::moved;
use xfjit::chip::flipper::format::{Colour, Component};
use xfjit::chip::flipper::input;
use xfjit::chip::flipper::vat::{COLOURS, Field, TEXCOORDS, Vat};
use xfjit::chip::flipper::vcd::{Attribute, Source, Vcd};
use xfjit::flipper::{Array, Copied, Dialect, Draw, Fetch, Fetched, Memory, Plan, Registers, Vertex, vertex};
use xfjit::runtime::encoding::Meaning;
use xfjit::runtime::format::{ByteOrder, Encoding, Format, MOST_FRACTION};
use xfjit_testing::Choices;

type Row = [u32; 4];

/// Bytes of which many are ends of what is signed, normalised, repeated or a half, and words that are no ordinary floats.
fn hostile(c: &mut Choices<'_>, count: usize) -> Vec<u8> {
    const WORDS: [u32; 12] = [
        0x7f80_0000,
        0xff80_0000,
        0x7f80_0001,
        0xffc0_1234,
        0x7fff_ffff,
        0x8000_0000,
        0x0000_0001,
        0x807f_ffff,
        0x7c00_fc01,
        0x7bff_8001,
        0x8000_7fff,
        0x8001_ffff,
    ];
    let mut bytes = Vec::with_capacity(count + 4);
    while bytes.len() < count {
        match c.below(3) {
            0 => bytes.push([0, 1, 0x7f, 0x80, 0x81, 0xff][c.below(6) as usize]),
            1 => bytes.push(c.word() as u8),
            _ => {
                let word = WORDS[c.below(WORDS.len() as u32) as usize];
                bytes.extend(if c.chance(50) { word.to_be_bytes() } else { word.to_le_bytes() });
            }
        }
    }
    bytes.truncate(count);
    bytes
}

/// All formats that an attribute can have.
fn formats() -> Vec<Format> {
    let mut formats = Vec::new();
    for &encoding in Encoding::ALL {
        let fractions = if encoding.meaning() == Meaning::Number { [0, 1, 9, MOST_FRACTION] } else { [0; 4] };
        for components in encoding.least()..=encoding.most() {
            for order in [ByteOrder::Host, ByteOrder::Swapped] {
                let all =
                    fractions.map(|fraction| Format { encoding, components, order, fraction }.canonical());
                formats.extend(all);
            }
        }
    }
    formats.dedup();
    formats
}

#[test]
fn every_encoding_is_one() {
    const COUNT: usize = 37;
    let mut c = Choices::seed(51);
    let (mut fetched, mut copied) = (Fetched::default(), Copied::default());
    let formats = formats();
    assert!(formats.len() > 150, "{}", formats.len());
    // Four attributes of a vertex at a time, so that most are at odd addresses.
    for formats in formats.chunks(4) {
        let attributes: Vec<(usize, Format)> = formats.iter().copied().enumerate().collect();
        let plan = Plan::of_formats(&attributes);
        let size = formats.iter().map(|format| format.bytes()).sum();
        let stream = hostile(&mut c, COUNT * size);
        let draw = Draw { opcode: 0x80, count: COUNT as u16, size, bytes: &stream };
        let reference = |register: usize, vertex: usize| {
            let before: usize = formats[..register].iter().map(|format| format.bytes()).sum();
            formats[register].read(&stream[vertex * size + before..])
        };
        let registers = Registers::default();
        plan.fetch(&draw, &registers.arrays, Memory::from(&[]), &mut fetched);
        for (register, format) in formats.iter().enumerate() {
            for (vertex, row) in fetched.rows(register).iter().enumerate() {
                assert_eq!(*row, reference(register, vertex), "{format:?}, vertex {vertex}");
            }
            assert_eq!(fetched.rows(register).len(), COUNT);
        }
        let live = (1 << formats.len()) - 1;
        plan.lend(live, (&registers, &draw, Memory::from(&[])), &mut copied, |inputs| {
            inputs.check(live).expect("they are there");
            moved(live, &plan, inputs, &reference);
        });
    }
}

/// A vertex of which one attribute is there, and what the table says of its format.
struct One {
    attribute: Attribute,
    vat: Vat,
    register: usize,
    vectors: usize,
    format: Format,
    bytes: usize,
}

/// Every format of every attribute.
fn attributes() -> Vec<One> {
    let mut all = Vec::new();
    for attribute in Attribute::ALL {
        let (count, format, shift, register) = match attribute {
            Attribute::Position => {
                (Field::POS_COUNT, Field::POS_FORMAT, Some(Field::POS_SHIFT), input::POSITION)
            }
            Attribute::Normal => (Field::NORMAL_COUNT, Field::NORMAL_FORMAT, None, input::NORMAL),
            Attribute::Colour(number) => {
                let [count, format] = COLOURS[usize::from(number)];
                for (code, colour) in Colour::ALL.into_iter().enumerate() {
                    let vat = Vat::default().with(format, code as u32).with(count, code as u32);
                    let register = input::COLOUR + usize::from(number);
                    let (format, bytes) = (colour.format(), colour.bytes());
                    all.push(One { attribute, vat, register, vectors: 1, format, bytes });
                }
                continue;
            }
            Attribute::Texcoord(number) => {
                let [count, format, shift] = TEXCOORDS[usize::from(number)];
                (count, format, Some(shift), input::TEXCOORD + usize::from(number))
            }
        };
        for component in Component::ALL {
            for (more, fraction) in [(0, 0), (1, 0), (0, 1), (1, 10), (0, 31), (1, 31)] {
                let mut vat = Vat::default().with(Field::BYTE_DEQUANT, 1);
                vat = vat.with(count, more).with(format, component as u32);
                let fraction = match shift {
                    Some(shift) => {
                        vat = vat.with(shift, fraction);
                        fraction
                    }
                    None => component.normal_shift(),
                };
                let (of_each, vectors) = match attribute {
                    Attribute::Position => (2 + more, 1),
                    Attribute::Normal => (3, 1 + 2 * more as usize),
                    Attribute::Colour(_) | Attribute::Texcoord(_) => (1 + more, 1),
                };
                let format = component.format(of_each as u8, fraction as u8);
                let bytes = vectors * format.bytes();
                all.push(One { attribute, vat, register, vectors, format, bytes });
            }
        }
    }
    all
}

/// The words of a vertex that the reference has of an attribute's vector; of a colour as numbers.
fn words(vertex: &Vertex, attribute: Attribute, vector: usize) -> Vec<u32> {
    match attribute {
        Attribute::Position => vertex.position.to_vec(),
        Attribute::Normal => vertex.normals[vector].to_vec(),
        Attribute::Texcoord(number) => vertex.texcoords[usize::from(number)].to_vec(),
        Attribute::Colour(number) => {
            let bytes = vertex.colours[usize::from(number)].to_be_bytes();
            bytes.map(|byte| f32::from(byte).to_bits()).to_vec()
        }
    }
}

/// In the vertex, and in an array of which some elements are behind memory: of these, columns and the reference have zeros for bytes.
#[test]
fn every_format_of_the_chip_is_one() {
    let mut c = Choices::seed(52);
    let (mut fetched, mut copied) = (Fetched::default(), Copied::default());
    let (mut lent, mut behind) = (0, 0);
    for One { attribute, vat, register, vectors, format, bytes } in attributes() {
        for source in [Source::Direct, Source::Index8, Source::Index16] {
            // Of many vertices with indices of a byte elements are read once.
            let many = source == Source::Index8 && c.chance(20);
            let count: usize = if many { 513 } else { 21 };
            let vcd = Vcd::default().with(attribute, source);
            let size = vertex::size(vcd, vat);
            let mut stream = hostile(&mut c, count * size);
            if source == Source::Index16 {
                stream.chunks_mut(2).for_each(|index| index[0] = 0);
            }
            // No index of ones, which would leave its vertex out.
            stream
                .iter_mut()
                .filter(|byte| source != Source::Direct && **byte == 0xff)
                .for_each(|byte| *byte = 3);
            let stride = bytes as u32 + c.below(3);
            let whole = c.chance(50);
            let length = if whole { 256 * stride as usize + bytes } else { 128 * stride as usize + 1 };
            let memory = hostile(&mut c, length + 5);
            let arrays = [Array { base: 5, stride }; 16];
            let (draw, memory) =
                (Draw { opcode: 0x90, count: count as u16, size, bytes: &stream }, Memory::from(&memory));
            let (plan, dialect) = (Plan::new(vcd, vat, Dialect::Spec), Dialect::Spec);
            let fetch = Fetch { vcd, vat, arrays: &arrays, memory, dialect };
            plan.fetch(&draw, &arrays, memory, &mut fetched);
            let live = fetched.present();
            let registers: Vec<usize> = (register..register + vectors).collect();
            assert_eq!(live, registers.iter().fold(0, |mask, register| mask | 1 << register));
            // What the table says of the bytes that are there, with zeros behind memory.
            let reference = |register_of: usize, at: usize| -> Row {
                let own = (register_of - register) * format.bytes();
                let vertex = draw.vertex(at);
                let index = match source {
                    Source::Direct | Source::Absent => return format.read(&vertex[own..]),
                    Source::Index8 => u32::from(vertex[0]),
                    Source::Index16 => u16::from_be_bytes([vertex[0], vertex[1]]).into(),
                };
                let element: [u8; 16] = memory.read(5 + index * stride + own as u32, format.bytes());
                format.read(&element)
            };
            for at in 0..count {
                let (vertex, is_there) = fetch.vertex(draw.vertex(at));
                assert!(is_there, "no index is ones");
                for (vector, &register) in registers.iter().enumerate() {
                    let (want, row) = (reference(register, at), fetched.rows(register)[at]);
                    let name = || format!("{attribute:?} {format:?} {source:?}, vertex {at} of {count}");
                    assert_eq!(row, want, "columns of {}", name());
                    let own = words(&vertex, attribute, vector);
                    assert_eq!(own, want[..own.len()], "the reference of {}", name());
                }
            }
            let guest = Registers { vcd, arrays, ..Registers::default() };
            plan.lend(live, (&guest, &draw, memory), &mut copied, |inputs| {
                if inputs.check(live).is_err() {
                    behind += 1;
                    return;
                }
                lent += 1;
                // Code is the layout's, whichever register has it: that of one of the coordinates is enough.
                if !matches!(attribute, Attribute::Texcoord(1..) | Attribute::Colour(1)) {
                    moved(live, &plan, inputs, &reference);
                }
            });
        }
    }
    assert!(lent > 400 && behind > 50, "{lent} {behind}");
}
