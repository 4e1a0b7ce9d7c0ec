//! What a drawing command of Flipper's is made of, as the registers have it.

use super::write::{Draw, Matrix};
use xfjit::chip::flipper::format::{Colour, Component};
use xfjit::chip::flipper::memory::Memory as Words;
use xfjit::chip::flipper::opcode::Primitive;
use xfjit::chip::flipper::registers as xf;
use xfjit::chip::flipper::vat::{Field, Vat};
use xfjit::chip::flipper::vcd::{Attribute, Source};
use xfjit::flipper::vertex::{matrix_offset, size};
use xfjit::flipper::{Dialect, Registers};

/// Words of a row of a position matrix.
const ROW: u16 = 4;

/// A draw of vertices whose bytes are these.
pub(super) fn describe(registers: &Registers, words: &Words, opcode: u8, count: u16, bytes: &[u8]) -> Draw {
    let vat = registers.vats[usize::from(opcode & 7)];
    let mut format: Vec<String> = Vec::new();
    let matrices = (0..xf::MATRIX_INDICES.len()).filter(|&number| registers.vcd.has_matrix(number));
    format.extend(matrices.map(|number| format!("{} matrix", transformed(number))));
    for attribute in Attribute::ALL {
        let source = match registers.vcd.source(attribute) {
            Source::Absent => continue,
            Source::Direct => "",
            Source::Index8 => " by index8",
            Source::Index16 => " by index16",
        };
        format.push(format!("{} {}{source}", name(attribute), element(vat, attribute)));
    }
    Draw {
        primitive: Some(Primitive::of(opcode).name()),
        vertices: count.into(),
        format,
        matrices: all_matrices(registers, words, opcode, count, bytes),
        ..Draw::default()
    }
}

fn name(attribute: Attribute) -> String {
    match attribute {
        Attribute::Position => "position".to_owned(),
        Attribute::Normal => "normal".to_owned(),
        Attribute::Colour(number) => format!("colour{number}"),
        Attribute::Texcoord(number) => format!("tex{number}"),
    }
}

/// What a matrix index is for.
fn transformed(number: usize) -> String {
    match number.checked_sub(1) {
        None => "position".to_owned(),
        Some(number) => format!("tex{number}"),
    }
}

/// Of what an element consists, with bits of fraction.
fn element(vat: Vat, attribute: Attribute) -> String {
    let Some(components) = vat.components(attribute) else {
        let number = usize::from(attribute == Attribute::Colour(1));
        return match vat.colour(number) {
            Colour::Rgb565 => "rgb565",
            Colour::Rgb8 => "rgb8",
            Colour::Rgb8x => "rgb8x",
            Colour::Rgba4 => "rgba4",
            Colour::Rgba6 => "rgba6",
            Colour::Rgba8 => "rgba8",
        }
        .to_owned();
    };
    let component = match components.component {
        Component::U8 => "u8",
        Component::S8 => "s8",
        Component::U16 => "u16",
        Component::S16 => "s16",
        Component::F32 => "f32",
    };
    let fraction = match attribute {
        Attribute::Normal => components.shift,
        _ => {
            let dequant = vat.get(Field::BYTE_DEQUANT) != 0;
            Dialect::default().shift(components.component, components.shift, dequant)
        }
    };
    let of = if fraction == 0 { String::new() } else { format!("/2^{fraction}") };
    format!("{} {component}{of}", components.count)
}

/// The matrices that transform the vertices: that of the position, those of the texture coordinates that leave, the projection.
fn all_matrices(registers: &Registers, words: &Words, opcode: u8, count: u16, bytes: &[u8]) -> Vec<Matrix> {
    let vat = registers.vats[usize::from(opcode & 7)];
    let size = size(registers.vcd, vat);
    let coordinates = xf::TEXGEN_COUNT.of(words.word(xf::TEXGENS)).min(8) as u16;
    let mut all = Vec::new();
    for number in 0..=coordinates {
        let mut height = 3;
        if let Some(coordinate) = number.checked_sub(1) {
            let control = words.word(xf::TEXGEN + coordinate);
            // Those that are made of a light or of a colour have none.
            if matches!(xf::TEXGEN_TYPE.of(control), 1..=3) {
                continue;
            }
            height = 2 + xf::TEXGEN_STQ.of(control) as u16;
        }
        let number = usize::from(number);
        let is_of_vertices = registers.vcd.has_matrix(number);
        let rows = if is_of_vertices {
            let at = matrix_offset(registers.vcd, number);
            let mut used = [false; 64];
            for vertex in bytes.chunks_exact(size.max(1)).take(count.into()) {
                used[usize::from(vertex[at] & 63)] = true;
            }
            (0..64).filter(|&row| used[usize::from(row)]).collect()
        } else {
            let (register, field) = xf::MATRIX_INDICES[number];
            vec![field.of(words.word(register)) as u8]
        };
        let first = rows.first().map_or(0, |&row| ROW * u16::from(row));
        let row = |row: u16| (0..ROW).map(|at| value(words, first + ROW * row + at)).collect();
        let values = if rows.is_empty() { Vec::new() } else { (0..height).map(row).collect() };
        all.push(Matrix { of: transformed(number), rows, is_of_vertices, values });
    }
    let form = match xf::ORTHOGRAPHIC.of(words.word(xf::PROJECTION_FORM)) {
        0 => "perspective projection",
        _ => "orthographic projection",
    };
    let values = vec![(0..6).map(|at| value(words, xf::PROJECTION + at)).collect()];
    all.push(Matrix { of: form.to_owned(), rows: Vec::new(), is_of_vertices: false, values });
    all
}

fn value(words: &Words, address: u16) -> f32 {
    f32::from_bits(words.word(address))
}
