//! The unit: what draws make is what the reference interpreters make.

use xfjit::chip::flipper::memory::Memory as Words;
use xfjit::chip::flipper::opcode::Primitive;
use xfjit::chip::flipper::vat::{Field, Vat};
use xfjit::chip::flipper::vcd::{Attribute, Source, Vcd};
use xfjit::chip::flipper::{output, registers as xf};
use xfjit::flipper::{Dialect, Disagreement, Quirks, Registers};
use xfjit_testing::Choices;
use xfjit_testing::flipper_streams::{Stream, random_memory, random_stream};
use xfjit_testing::flipper_unit::{Out, Reference, placing_unit, run, unit, vertices};

fn lit_formats() -> (Vcd, Vat) {
    let vcd = Vcd::default()
        .with(Attribute::Position, Source::Direct)
        .with(Attribute::Normal, Source::Index8)
        .with(Attribute::Texcoord(0), Source::Index16);
    let vat = Vat::default()
        .with(Field::POS_COUNT, 1)
        .with(Field::POS_FORMAT, 3)
        .with(Field::POS_SHIFT, 8)
        .with(Field::NORMAL_FORMAT, 1)
        .with(Field::TEX0_COUNT, 1)
        .with(Field::TEX0_FORMAT, 0)
        .with(Field::TEX0_SHIFT, 4)
        .with(Field::BYTE_DEQUANT, 1);
    (vcd, vat)
}

/// Lit by its own light, a mesh of strips: figures that are known, and those of the reference.
#[test]
fn a_lit_mesh() {
    let (vcd, vat) = lit_formats();
    let mut memory = vec![0; 0x200];
    // Normals: towards the viewer, then others.
    for (at, normal) in [[0, 0, 64], [64, 0, 0], [0, 64, 0], [45, 0, 45], [0, 45, 45_i8]].iter().enumerate() {
        normal.iter().zip(&mut memory[0x100 + 3 * at..]).for_each(|(&n, to)| *to = n as u8);
    }
    (0..32).for_each(|at| memory[0x180 + at] = 16 * (at as u8 % 9));
    let mut stream = Stream::default();
    stream.camera().formats(vcd, 3, vat).cp(0xa1, 0x100).cp(0xb1, 3).cp(0xa4, 0x180).cp(0xb4, 2);
    // Lighting, light 0, clamped, spot without weakening; texture coordinate 0 as it is.
    stream.light([0.0, 0.0, 0.0], 1 << 1 | 1 << 2 | 2 << 7 | 3 << 9);
    stream.xf(0x103f, &[1]).xf(0x1040, &[5 << 7]);
    let mut vertices = Vec::new();
    for strip in 0..6_i16 {
        vertices.clear();
        for column in 0..8_i16 {
            for row in [strip, strip + 1] {
                let position = [(column - 4) * 64, (row - 3) * 64, -512];
                vertices.extend(position.iter().flat_map(|c| c.to_be_bytes()));
                // In the middle the first.
                vertices.push(if column == 4 && row == 3 { 0 } else { (column + row) as u8 % 5 });
                vertices.extend([0, (column + 2 * row) as u8 % 16]);
            }
        }
        stream.draw(Primitive::TriangleStrip, 3, 16, &vertices);
    }
    let mut unit = unit(Quirks::default());
    let out = run(&mut unit, &stream.0, &memory);
    assert_eq!(out, Reference::new(Quirks::default()).run(&stream.0, &memory));
    assert_eq!((unit.stats().batches, unit.stats().vertices, unit.stats().resolved), (6, 96, 1));
    let Out::Drawn { vertices, triangles, disagreement, .. } = &out[3] else { panic!("{out:?}") };
    // The vertex in the middle: (0, 0, -2), lit from where the viewer is by a light of 255 and an ambient of 16, 32, 48, 64.
    let middle = &vertices[8];
    assert_eq!(middle[&output::COLOUR], [255, 128, 64, 255]);
    assert_eq!(middle[&output::EYE].map(f32::from_bits), [0.0, 0.0, -2.0, 1.0]);
    assert_eq!(middle[&output::CLIP].map(f32::from_bits)[3], 2.0);
    assert_eq!(middle[&output::SCREEN].map(f32::from_bits)[..2], [662.0, 582.0]);
    assert_eq!(middle[&output::NORMAL].map(f32::from_bits), [0.0, 0.0, 1.0, 0.0]);
    assert!(middle.contains_key(&output::TEXCOORD) && !middle.contains_key(&(output::TEXCOORD + 1)));
    // All of a strip shows the same side.
    assert_eq!((triangles.len(), triangles[1].0), (14, [1, 3, 2]));
    assert!(triangles.iter().all(|t| t.1 == triangles[0].1 && !t.2), "{triangles:?}");
    // INVTXSPEC has not been loaded, nor have CP's matrix indices.
    let wrong = Disagreement { normals: true, texcoords: true, matrices: true, ..Disagreement::default() };
    assert_eq!(*disagreement, wrong);
}

#[test]
fn states_change_between_draws() {
    let mut c = Choices::seed(21);
    let (mut drawn, mut rejected, mut backs, mut in_place) = (0, 0, 0, 0);
    for round in 0..40 {
        let memory = random_memory(&mut c);
        let stream = random_stream(&mut c, 60, 0xc00);
        let quirks = Quirks { dialect: c.pick(&Dialect::ALL), ..Quirks::default() };
        let got = run(&mut unit(quirks), &stream.0, &memory);
        let want = Reference::new(quirks).run(&stream.0, &memory);
        assert_eq!(got.len(), want.len());
        if round % 2 == 0 {
            let mut unit = placing_unit(quirks);
            assert_eq!(run(&mut unit, &stream.0, &memory), want);
            in_place += unit.stats().in_place;
        }
        for (number, (got, want)) in got.iter().zip(&want).enumerate() {
            assert_eq!(got, want, "{number}");
            if let Out::Drawn { vertices, triangles, .. } = got {
                drawn += vertices.len();
                backs += triangles.iter().filter(|t| t.1).count();
                rejected += triangles.iter().filter(|t| t.2).count();
            }
        }
    }
    assert!(drawn > 2000 && backs > 100 && rejected > 100, "{drawn} {backs} {rejected}");
    assert!(in_place > 500 || !cfg!(feature = "jit"), "{in_place}");
}

/// Vertices become those that are read where they lie once enough of one form have been drawn; where an element is not in memory whole, columns
/// are made of them all the same. Nobody sees a difference.
#[test]
fn vertices_are_read_where_they_lie_once_they_are_many() {
    let (vcd, vat) = lit_formats();
    let mut memory: Vec<u8> = (0..0x200).map(|at| (at * 37) as u8).collect();
    let mut stream = Stream::default();
    stream.camera().formats(vcd, 3, vat).cp(0xa1, 0x100).cp(0xb1, 3).cp(0xa4, 0x100).cp(0xb4, 1);
    stream.light([0.0, 0.0, 0.0], 1 << 1 | 1 << 2 | 2 << 7 | 3 << 9).xf(0x103f, &[1]).xf(0x1040, &[5 << 7]);
    let bytes: Vec<u8> = (0..40 * 9).map(|at| if at % 9 == 7 { 0 } else { (at * 5) as u8 / 4 }).collect();
    stream.draw(Primitive::Points, 3, 40, &bytes);
    let draw = Stream(stream.0.split_off(stream.0.len() - bytes.len() - 3));
    let mut unit = unit(Quirks::default());
    unit.set_hot(100);
    run(&mut unit, &stream.0, &memory);
    let whole = if cfg!(feature = "jit") { 40 } else { 0 };
    // Counted are those of draws before, then this one.
    for (number, in_place) in [(1, 0), (2, 0), (3, whole), (4, 2 * whole)] {
        let reference = Reference::new(Quirks::default()).run(&[&stream.0[..], &draw.0].concat(), &memory);
        assert_eq!(run(&mut unit, &draw.0, &memory), reference[reference.len() - 1..], "{number}");
        assert_eq!(unit.stats().in_place, in_place, "{number}");
    }
    // An element ends behind memory.
    memory.truncate(0x180);
    let reference = Reference::new(Quirks::default()).run(&[&stream.0[..], &draw.0].concat(), &memory);
    assert_eq!(run(&mut unit, &draw.0, &memory), reference[reference.len() - 1..]);
    assert_eq!((unit.stats().in_place, unit.stats().vertices), (2 * whole, 200));
    // Never.
    unit.set_hot(u64::MAX);
    memory.resize(0x200, 7);
    run(&mut unit, &[&stream.0[..], &draw.0].concat(), &memory);
    assert_eq!(unit.stats().in_place, 2 * whole);
}

/// Vertices without normals have those of the draw before; a draw that nobody sees keeps them, too.
#[test]
fn normals_are_kept_for_later_draws() {
    let (vcd, vat) = lit_formats();
    let with = vcd.with(Attribute::Normal, Source::Direct).with(Attribute::Texcoord(0), Source::Absent);
    let without = with.with(Attribute::Normal, Source::Absent);
    let mut stream = Stream::default();
    stream.camera().formats(with, 0, vat);
    let position = [0, 0, 0, 0, 0xfe, 0];
    stream.draw(Primitive::Points, 0, 2, &[&position[..], &[0, 64, 0], &position, &[64, 0, 0]].concat());
    stream.formats(without, 0, vat).draw(Primitive::Points, 0, 1, &position);
    let out = run(&mut unit(Quirks::default()), &stream.0, &[]);
    let Out::Drawn { vertices, .. } = &out[1] else { panic!("{out:?}") };
    assert_eq!(vertices[0][&output::NORMAL].map(f32::from_bits), [1.0, 0.0, 0.0, 0.0]);
    assert_eq!(out, Reference::new(Quirks::default()).run(&stream.0, &[]));
}

#[test]
fn both_are_to_be_told_the_same() {
    let (vcd, vat) = lit_formats();
    let vcd = vcd.with(Attribute::Colour(1), Source::Direct).with(Attribute::Texcoord(5), Source::Index8);
    let mut words = Words::new();
    let mut registers = Registers { vcd, ..Registers::default() };
    registers.vats[2] = vat;
    let told = |registers: &Registers, words: &Words| Disagreement::new(registers, 2, words);
    let fine = 1 | 1 << 2 | 2 << 4;
    words.write(xf::VERTEX_SPEC, &[fine]);
    assert!(!told(&registers, &words).is_any());
    for (change, want) in [
        (3, Disagreement { colours: true, ..Disagreement::default() }),
        (3 << 2, Disagreement { normals: true, ..Disagreement::default() }),
        (1 << 4, Disagreement { texcoords: true, ..Disagreement::default() }),
    ] {
        words.write(xf::VERTEX_SPEC, &[fine ^ change]);
        assert_eq!(told(&registers, &words), want);
    }
    // A position there is always, however it comes.
    words.write(xf::VERTEX_SPEC, &[fine]);
    for source in Source::ALL {
        registers.vcd = vcd.with(Attribute::Position, source);
        let positions = source == Source::Absent;
        assert_eq!(told(&registers, &words), Disagreement { positions, ..Disagreement::default() });
        assert_eq!(told(&registers, &words).is_any(), positions);
    }
    registers.vcd = vcd;
    // Two and three are three normals.
    registers.vats[2] = vat.with(Field::NORMAL_COUNT, 1);
    for normals in [2, 3] {
        words.write(xf::VERTEX_SPEC, &[fine & !12 | normals << 2]);
        assert!(!told(&registers, &words).is_any(), "{normals}");
    }
    // Indices of the position, of coordinate 5; the vertex's own do not count.
    for (at, own) in [(0, 0), (1, 6)] {
        registers.matrices = [0; 2];
        registers.matrices[at] = if at == 0 { 5 } else { 9 << 6 };
        assert!(told(&registers, &words).matrices);
        registers.vcd.lo = vcd.lo | 1 << own;
        assert!(!told(&registers, &words).is_any());
        registers.vcd.lo = vcd.lo;
    }
}

/// What nobody asks for does not leave, and all else is the same.
#[test]
fn outputs_are_those_asked_for() {
    let mut c = Choices::seed(22);
    let memory = random_memory(&mut c);
    let stream = random_stream(&mut c, 120, 0x800);
    let all = run(&mut unit(Quirks::default()), &stream.0, &memory);
    assert!(vertices(&all) > 100, "{}", vertices(&all));
    for mask in [0, 1 << output::COLOUR, 1 << output::TEXCOORD | 1 << output::EYE] {
        let mut unit = unit(Quirks::default());
        unit.set_outputs(mask);
        let some = run(&mut unit, &stream.0, &memory);
        let kept = mask | 1 << output::CLIP | 1 << output::FLAGS;
        let mut want = all.clone();
        for out in &mut want {
            if let Out::Drawn { vertices, .. } = out {
                vertices.iter_mut().for_each(|vertex| vertex.retain(|register, _| kept >> register & 1 != 0));
            }
        }
        assert_eq!(some, want);
    }
}

/// A handle is asked for once for each configuration: not again for other matrices, colours or rows of them, nor for fields that do not
/// count, nor when it comes back.
#[test]
fn a_configuration_has_one_handle() {
    let mut unit = unit(Quirks::default());
    let mut draw = |change: &mut dyn FnMut(&mut Stream)| {
        let mut stream = Stream::default();
        change(&mut stream);
        stream.draw(Primitive::Points, 0, 1, &[1, 2]);
        run(&mut unit, &stream.0, &[]);
        unit.stats().resolved
    };
    let position = Vcd::default().with(Attribute::Position, Source::Direct);
    assert_eq!(draw(&mut |stream| _ = stream.camera().cp(0x50, position.lo)), 1);
    assert_eq!(draw(&mut |stream| _ = stream.floats(0, &[5.0; 12]).xf(0x100a, &[1, 2, 3, 4])), 1);
    // Lights of channels that are not lit, coordinates that are not made, second matrices that are not used.
    assert_eq!(draw(&mut |stream| _ = stream.xf(0x100e, &[0x7ffc & !0x43, 0x3c]).xf(0x1040, &[9, 8])), 1);
    assert_eq!(draw(&mut |stream| _ = stream.xf(0x1050, &[0x13f, 5]).xf(0x1018, &[7])), 1);
    // An orthographic projection; the other; a channel that leaves; one that does not.
    assert_eq!(draw(&mut |stream| _ = stream.xf(0x1026, &[1])), 2);
    assert_eq!(draw(&mut |stream| _ = stream.xf(0x1026, &[0])), 2);
    assert_eq!(draw(&mut |stream| _ = stream.xf(0x1009, &[1])), 3);
    assert_eq!(draw(&mut |stream| _ = stream.xf(0x1009, &[2])), 4);
    assert_eq!(draw(&mut |stream| _ = stream.xf(0x1009, &[0])), 4);
}
