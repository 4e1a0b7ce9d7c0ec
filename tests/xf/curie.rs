//! What NV40 has from both sides: modes of execution, programs of Rankine, and the map of output registers.

use crate::{ONE, THREE, TWO, copying, load, rows, unit, vector, word};
use xfjit::chip::output_map::VertexAttribute;
use xfjit::runtime::state::Row;
use xfjit::xf::methods::{MethodError, Methods};
use xfjit::xf::{Chip, Output, Register, Type, XfUnit};
use xfjit::{Generation, asm, isa};
use xfjit_testing::program::Shape;
use xfjit_testing::{Choices, branching};

const DEFAULT: Row = [0, 0, 0, ONE];

/// Chips of Curie that have no programs but their own.
const LATER: [Chip; 2] = [Chip::Nv41, Chip::Nv43];

/// A vertex of which the first component of its position is given.
fn vertex(unit: &mut XfUnit, x: u32) {
    word(unit, Type::Vab, 0, 0, x);
    unit.vertex();
}

fn load_words(unit: &mut XfUnit, words: &[u32]) {
    for (slot, words) in (0..).zip(words.as_chunks::<4>().0) {
        vector(unit, Type::Xfpr, slot, *words);
    }
}

/// All registers of some vertices.
fn registers(unit: &mut XfUnit, count: u8) -> Vec<Vec<Option<Row>>> {
    let mut all = Vec::new();
    unit.drain(|output| {
        if let Output::Vertices(vertices) = output {
            let of = |at| (0..count).map(|register| vertices.register(at, register)).collect();
            all.extend((0..vertices.count).map(of));
        }
    });
    all
}

/// Programs of Rankine give on NV40 what they give on NV30, in both of their modes.
#[test]
fn nv40_runs_rankines_programs() {
    let mut c = Choices::seed(40);
    let mut different = 0;
    for round in 0..60 {
        let shape = Shape { slots: 12, ..Shape::choose(&mut c, 12) };
        let words = branching::program(&mut c, Generation::Rankine, shape).words;
        let (mut nv30, mut nv40) = (unit(Chip::Nv30), unit(Chip::Nv40));
        let (mode, bits) = (2 + round % 2, c.word());
        let [access, modern, skip] = [0, 1, 2].map(|bit| bits >> bit & 1);
        vector(&mut nv30, Type::Mode, 0, [0, 0, mode << 30 | access << 18 | modern << 17 | skip << 16, 0]);
        nv40.set(Register::Execution, mode | access << 2 | modern << 4 | skip << 8);
        let rows: Vec<Row> = (0..40).map(|_| std::array::from_fn(|_| float(&mut c))).collect();
        for unit in [&mut nv30, &mut nv40] {
            load_words(unit, &words);
            word(unit, Type::Xtra, 2, 0, 200);
            (0..).zip(&rows).for_each(|(row, &words)| vector(unit, Type::Xfctx, 10 * row, words));
            for attributes in rows.chunks(8) {
                (0..).zip(attributes).for_each(|(slot, &words)| vector(unit, Type::Vab, slot, words));
                unit.vertex();
            }
        }
        let (want, got) = (registers(&mut nv30, 23), registers(&mut nv40, 23));
        assert_eq!(got, want, "{round}");
        different += usize::from(want.iter().flatten().flatten().any(|row| *row != DEFAULT));
    }
    assert!(different > 30, "{different}");
}

fn float(c: &mut Choices<'_>) -> u32 {
    ((c.below(4096) as f32 - 2048.0) / 256.0).to_bits()
}

/// A mode that a chip does not have runs nothing, and does not run words of another generation as its own.
#[test]
fn modes_that_a_chip_lacks_run_nothing() {
    for chip in LATER {
        for mode in [0, 2, 3] {
            let mut unit = copying(chip);
            vertex(&mut unit, TWO);
            unit.set(Register::Execution, 0x110 | mode);
            vertex(&mut unit, ONE);
            word(&mut unit, Type::Run, 0, 0, 0);
            unit.set(Register::Execution, 0x111);
            vertex(&mut unit, THREE);
            // What is not written is as it was.
            let got: Vec<u32> = rows(&mut unit).iter().map(|row| row[0]).collect();
            assert_eq!(got, [TWO, TWO, THREE], "{chip:?} {mode}");
        }
    }
}

/// FE takes the modes of an object's class, and says where a chip has no fixed function.
#[test]
fn execution_modes_of_objects() {
    let modes = |methods: &mut Methods| -> Vec<(u32, bool)> {
        [0, 1, 2, 3, 0x117, 0x111, 0x211]
            .map(|value| {
                let result = methods.write(0x1e94, value, &mut |_| {});
                let is_fixed = result == Err(MethodError::NoFixedFunction { method: 0x1e94 });
                (value, result.is_ok() && !is_fixed)
            })
            .to_vec()
    };
    let taken = |methods: &mut Methods| -> Vec<u32> {
        modes(methods).into_iter().filter(|(_, is_taken)| *is_taken).map(|(value, _)| value).collect()
    };
    let mut nv40 = Methods::new(Chip::Nv40);
    assert_eq!(taken(&mut nv40), [0, 1, 2, 3, 0x111]);
    nv40.set_rankine_class(true);
    assert_eq!(taken(&mut nv40), [0, 2, 3, 0x117]);
    // Rows of Rankine's, not all that NV40 has; and there is no XFMODE whose field this would be.
    assert!(
        nv40.write(0x1efc, 0x19b, &mut |_| {}).is_ok() && nv40.write(0x1efc, 0x19c, &mut |_| {}).is_err()
    );
    assert_eq!(nv40.write(0x1e98, 1, &mut |_| {}), Err(MethodError::Unknown { method: 0x1e98 }));
    assert!(nv40.write(0x1ff4, 1, &mut |_| {}).is_err());
    nv40.set_rankine_class(false);
    assert_eq!(taken(&mut nv40), [0, 1, 2, 3, 0x111]);
    for chip in LATER {
        let mut methods = Methods::new(chip);
        methods.set_rankine_class(true);
        assert_eq!(taken(&mut methods), [1, 0x111], "{chip:?}");
        assert_eq!(
            methods.write(0x1e94, 3, &mut |_| {}),
            Err(MethodError::Value { method: 0x1e94, value: 3 })
        );
    }
}

/// Rankine's program, loaded by the methods of an object of its class.
#[test]
fn an_object_of_rankines_class_loads_and_runs_its_program() {
    let (mut methods, mut unit) = (Methods::new(Chip::Nv40), unit(Chip::Nv40));
    methods.set_rankine_class(true);
    let text = "ADD o0, v0, c[100]\nMOV o[17].x, v0";
    let program = asm::parse(Generation::Rankine, text).expect("it assembles");
    let words = isa::encode(Generation::Rankine, &program);
    let mut write = |method: u32, value: u32| {
        methods.write(method, value, &mut |item| _ = unit.play(&item)).expect("FE takes it");
    };
    (0..).zip(&words).for_each(|(at, &word)| write(0xb80 + 4 * (at % 4), word));
    write(0x1efc, 100);
    (0..4).for_each(|component| write(0x1f00 + 4 * component, ONE));
    write(0x1e94, 0x117);
    word(&mut unit, Type::Vab, 0, 0, TWO);
    unit.vertex();
    let got = registers(&mut unit, 23);
    assert_eq!((got[0][0], got[0][17]), (Some([THREE, ONE, ONE, TWO]), Some([TWO, 0, 0, ONE])));
}

/// Registers in which no attribute is that is on are not sent; those that are named twice are sent once.
#[test]
fn the_output_map_decides_which_registers_are_sent() {
    let (mut methods, mut unit) = (Methods::new(Chip::Nv43), unit(Chip::Nv43));
    load(&mut unit, 0, "MOV o0, v0\nMOV o3, v1\nMOV o5, v2");
    unit.set(Register::Execution, 0x111);
    for slot in 0..3 {
        vector(&mut unit, Type::Vab, slot, [u32::from(slot) + 10, 20, 30, 40]);
    }
    let mut write = |unit: &mut XfUnit, method: u32, value: u32| {
        methods.write(method, value, &mut |item| _ = unit.play(&item)).expect("FE takes it");
    };
    // Colour 0 is o3, fog o5.z; the second clip distance is o5.w, and off.
    write(&mut unit, 0x1fc4, 0x0016_0003);
    write(&mut unit, 0x1fd0, 0x17 << 8);
    write(&mut unit, 0x1ff4, 1 | 1 << 4);
    unit.vertex();
    let map = unit.output_map();
    let got = registers(&mut unit, 16);
    let there: Vec<usize> = (0..16).filter(|&register| got[0][register].is_some()).collect();
    assert_eq!(there, [0, 3, 5]);
    let value = |attribute| map.value(attribute, |register| got[0][usize::from(register)]);
    assert_eq!(value(VertexAttribute::Colour0), [11, 20, 30, 40]);
    assert_eq!(value(VertexAttribute::Fog), [30, 0, 0, ONE]);
    assert_eq!(value(VertexAttribute::Clip1), DEFAULT);
    // With it on nothing else is computed.
    write(&mut unit, 0x1ff4, 1 | 1 << 4 | 1 << 7);
    unit.vertex();
    assert_eq!(registers(&mut unit, 16), got);
    assert_eq!(
        unit.output_map().value(VertexAttribute::Clip1, |at| got[0][usize::from(at)]),
        [40, 0, 0, ONE]
    );
}

/// Arrays that the input mask leaves out are not fetched: the attribute is what VAB holds.
#[test]
fn the_input_mask_leaves_out_arrays() {
    use xfjit::runtime::batch::{Attribute, Inputs};
    let mut unit = unit(Chip::Nv43);
    load(&mut unit, 0, "MOV o0, v0\nMOV o1, v1");
    unit.set(Register::Execution, 0x111);
    vector(&mut unit, Type::Vab, 1, [7, 7, 7, 7]);
    unit.set(Register::InputMask, 1);
    let data = [[1, 2, 3, 4], [5, 6, 7, 8]];
    let inputs = Inputs::new(2).with(0, Attribute::rows(&data)).with(1, Attribute::rows(&data));
    unit.draw(inputs, 3).expect("they hold the vertices");
    let got = registers(&mut unit, 2);
    assert_eq!(got, [[Some(data[0]), Some([7; 4])], [Some(data[1]), Some([7; 4])]]);
}

/// TXL looks at the textures that the unit has, until they are taken away; those of a draw's own come before them.
#[test]
fn programs_look_at_the_textures_of_the_unit() {
    use xfjit::runtime::batch::Inputs;
    use xfjit::runtime::texture::{Texel, Texture, Textures};
    let bytes = |words: &[u32]| -> Vec<u8> { words.iter().flat_map(|word| word.to_ne_bytes()).collect() };
    // Two rows of two texels of four, with something between the rows; a texture of one component.
    let four = bytes(&[1, 2, 3, 4, 5, 6, 7, 8, 99, 9, 10, 11, 12, 13, 14, 15, 16]);
    let four = Texture::new(&four, Texel::Four, 2, 2, 36).expect("it is all there");
    let one = bytes(&[70, 80]);
    let one = Texture::new(&one, Texel::One, 2, 1, 8).expect("it is all there");
    for chip in [Chip::Nv40, Chip::Nv43] {
        let mut unit = unit(chip);
        load(&mut unit, 0, "TXL r1, v0, tex1\nTXL r2, v0, tex3\nMOV o0, r1\nMOV o1, r2");
        unit.set(Register::Execution, 0x111);
        unit.set(Register::Outputs, 3);
        let look = |unit: &mut XfUnit| {
            vector(unit, Type::Vab, 0, [ONE, ONE, 0, 0]);
            unit.vertex();
            rows(unit)
        };
        assert_eq!(look(&mut unit), [DEFAULT, DEFAULT]);
        unit.vertex();
        // What is pending has the textures of its time.
        unit.set_texture(1, Some(&four)).unwrap();
        unit.set_texture(3, Some(&one)).unwrap();
        unit.set_texture(4, Some(&one)).unwrap();
        assert_eq!(look(&mut unit), [DEFAULT, DEFAULT, [13, 14, 15, 16], [80, 0, 0, ONE]]);
        let own = Textures::Units([None, Some(one), None, None]);
        unit.draw(Inputs::new(1).textured(own), 0).expect("there are no arrays");
        assert_eq!(rows(&mut unit), [[80, 0, 0, ONE], DEFAULT]);
        let state = unit.save();
        unit.restore(&state).expect("it is a state");
        assert_eq!(look(&mut unit), [[13, 14, 15, 16], [80, 0, 0, ONE]]);
        unit.set_texture(1, None).unwrap();
        assert_eq!(look(&mut unit), [DEFAULT, [80, 0, 0, ONE]]);
    }
}

/// States of before the output map or the fixed function were known are taken: the registers of these are as after reset.
#[test]
fn states_without_the_map_are_taken() {
    let mut old = copying(Chip::Nv43);
    let mut bytes = old.save();
    let map = [0x0614_4321u32, 0xedcb_a987, 0x6f, 0x0017_1615, 0x001b_1a19, 0x003f_ffff, 0xffff];
    let map: Vec<u8> = map.into_iter().flat_map(u32::to_le_bytes).collect();
    let at = bytes.windows(map.len()).position(|window| window == map).expect("they are registers");
    // The fixed function's seven words come behind the map.
    bytes.drain(at + map.len()..at + map.len() + 28);
    bytes[8] = 3;
    let mut unit = crate::unit(Chip::Nv43);
    unit.restore(&bytes).expect("it is a state");
    assert_eq!(unit.save(), old.save());
    bytes.drain(at..at + map.len());
    bytes[8] = 2;
    unit.set(Register::OutputMask, 5);
    unit.restore(&bytes).expect("it is a state");
    assert_eq!((unit.get(Register::OutputMask), unit.save()), (0x3f_ffff, old.save()));
    assert!(unit.restore(&bytes[..bytes.len() - 4]).is_err());
}
