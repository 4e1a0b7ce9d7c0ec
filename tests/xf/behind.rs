//! What stands behind a program (console_facts.md).

use crate::{ONE, THREE, TWO, engine, load, rows, run_programs, unit, vector, word};
use xfjit::runtime::num::bits::HALF;
use xfjit::runtime::state::{DEFAULT_ROW, Row};
use xfjit::xf::{Behind, Chip, Choices, Register, Type, Unwritten, XfUnit};

const QUARTER: u32 = 0x3e80_0000;
const POSITION: u32 = 1 << 0;
const FOG: u32 = 1 << 5;

/// XFMODE of Kelvin's programs, with further bits of B and A.
fn mode(unit: &mut XfUnit, b: u32, a: u32) {
    vector(unit, Type::Mode, 0, [2 << 30 | 1 << 18 | b, a, 0, 0]);
}

/// A unit whose program at slot 0 writes position and fog, that at slot 8 the position alone.
fn two_programs(choices: Choices) -> XfUnit {
    let mut unit = XfUnit::new(engine(), Chip::Nv2a).with_choices(choices);
    load(&mut unit, 0, "MOV oPos, v0\nMOV oFog, v1");
    load(&mut unit, 8, "MOV oPos, v0");
    mode(&mut unit, 0, 0);
    unit.set(Register::Outputs, POSITION | FOG);
    unit
}

/// Fog of vertices of both programs.
fn fog_of_both(unit: &mut XfUnit) -> Vec<Row> {
    for x in [HALF, QUARTER] {
        vector(unit, Type::Vab, 1, [x, 0, 0, ONE]);
        unit.vertex();
    }
    unit.set(Register::Start, 8);
    unit.vertex();
    unit.vertex();
    rows(unit).into_iter().skip(1).step_by(2).collect()
}

#[test]
fn registers_that_a_program_does_not_write_hold_what_the_last_vertex_left() {
    let [half, quarter] = [HALF, QUARTER].map(|x| [x, 0, 0, ONE]);
    let mut unit = two_programs(Choices::default());
    assert_eq!(unit.tbuf(5), DEFAULT_ROW);
    assert_eq!(fog_of_both(&mut unit), [half, quarter, quarter, quarter]);
    assert_eq!(unit.tbuf(5), quarter);
    let choices = Choices::default().unwritten(Unwritten::Default);
    assert_eq!(fog_of_both(&mut two_programs(choices)), [half, quarter, DEFAULT_ROW, DEFAULT_ROW]);
    for chip in [Chip::Nv30, Chip::Nv40] {
        let mut unit = crate::unit(chip);
        load(&mut unit, 0, "MOV o0, v0\nMOV o5, v1");
        load(&mut unit, 8, "MOV o0, v0");
        run_programs(&mut unit, false);
        unit.set(Register::Outputs, POSITION | FOG);
        assert_eq!(fog_of_both(&mut unit), [half, quarter, quarter, quarter], "{chip:?}");
    }
}

#[test]
fn what_the_fixed_function_leaves_is_held_as_a_program_would_write_it() {
    let mut unit = two_programs(Choices::default());
    unit.set(Register::Outputs, POSITION | 1 << 3 | 1 << 6);
    // Unlit, with a point size of 2.125 pixels.
    word(&mut unit, Type::Ltc3, 1, 0, 0x4008_0000);
    vector(&mut unit, Type::Vab, 3, [ONE, HALF, 0, TWO]);
    vector(&mut unit, Type::Mode, 0, [1 << 25, 0, 0, 0]);
    unit.vertex();
    mode(&mut unit, 0, 0);
    unit.vertex();
    let all = rows(&mut unit);
    assert_eq!((all[1], all[2][0]), ([255, 128, 0, 255], 17));
    let half = (128.0f32 / 255.0).to_bits();
    assert_eq!((all[4], all[5]), ([ONE, half, 0, ONE], [0x4008_0000, 0, 0, ONE]));
}

#[test]
fn what_is_held_is_saved_and_recorded() {
    let mut unit = two_programs(Choices::default());
    let fresh = unit.save();
    fog_of_both(&mut unit);
    let state = unit.save();
    let mut other = crate::unit(Chip::Nv2a);
    other.restore(&state).expect("the same chip");
    unit.record();
    unit.vertex();
    let trace = unit.recorded().expect("it records");
    let text = trace.to_string();
    assert!(text.contains("tbuf 5 0x3e800000 0x00000000 0x00000000 0x3f800000\n"), "{text}");
    let trace = xfjit::xf::Trace::parse(&text).unwrap_or_else(|errors| panic!("{errors:?}"));
    let mut played = crate::unit(Chip::Nv2a);
    for item in &trace.items {
        played.play(item);
    }
    other.vertex();
    let want = rows(&mut unit);
    assert_eq!(want[1], [QUARTER, 0, 0, ONE]);
    assert_eq!((rows(&mut played), rows(&mut other)), (want.clone(), want));
    assert_eq!(played.save(), unit.save());
    unit.restore(&fresh).expect("the same chip");
    assert_eq!(unit.tbuf(5), DEFAULT_ROW);
    unit.set_tbuf(99, [ONE; 4]);
    assert_eq!(unit.save(), fresh);
}

/// What a program that copies attributes leaves in one register.
fn seen(choices: Choices, register: u16, state: impl Fn(&mut XfUnit)) -> Row {
    let mut unit = XfUnit::new(engine(), Chip::Nv2a).with_choices(choices);
    load(&mut unit, 0, &format!("MOV oPos, v0\nMOV o{register}, v1"));
    unit.set(Register::Outputs, 1 << register);
    for row in 0..4u16 {
        let mut identity = [0; 4];
        identity[usize::from(row)] = ONE;
        vector(&mut unit, Type::Xfctx, 8 + row, identity);
    }
    vector(&mut unit, Type::Ltctx, 0x49, [0, ONE, 0, 0]);
    vector(&mut unit, Type::Vab, 0, [0, 0, THREE, ONE]);
    vector(&mut unit, Type::Vab, 1, [QUARTER, HALF, ONE, TWO]);
    state(&mut unit);
    unit.vertex();
    rows(&mut unit)[0]
}

const WRITTEN: Row = [QUARTER, HALF, ONE, TWO];
fn shown() -> Choices {
    Choices::default().unwritten(Unwritten::Held).behind(Behind::Shown)
}

fn nothing() -> Choices {
    Choices::default().unwritten(Unwritten::Held).behind(Behind::Nothing)
}

#[test]
fn the_secondary_colour_passes_its_gates() {
    let of = |choices, register, a| seen(choices, register, |unit| mode(unit, 0, a));
    let choices = Choices::default();
    assert_eq!(of(choices, 4, 0), DEFAULT_ROW);
    assert_eq!(of(choices, 4, 1 << 17), DEFAULT_ROW);
    assert_eq!(of(choices, 4, 1 << 16), [QUARTER, HALF, ONE, ONE]);
    assert_eq!(of(choices, 4, 3 << 16), WRITTEN);
    for register in [3, 7, 8] {
        assert_eq!(of(choices, register, 0), WRITTEN);
    }
    assert_eq!((of(shown(), 4, 0), of(nothing(), 4, 0)), (DEFAULT_ROW, WRITTEN));
}

#[test]
fn the_fixed_function_lights_vertices_of_programs() {
    let lit = |choices, register| {
        seen(choices, register, |unit| {
            vector(unit, Type::Ltctx, 0x41, [HALF, ONE, 0, 0]);
            word(unit, Type::Ltc3, 0xc, 0, HALF);
            // Two sides, so that the back is lit, too; its scene is black, its alpha 0.
            mode(unit, 0, 1 << 31 | 1 << 29 | 3 << 16);
        })
    };
    let half = (128.0f32 / 255.0).to_bits();
    assert_eq!(lit(Choices::default(), 3), [half, ONE, 0, half]);
    assert_eq!(lit(Choices::default(), 7), [0; 4]);
    assert_eq!(lit(Choices::default(), 10), WRITTEN);
    assert_eq!((lit(shown(), 3), lit(nothing(), 3)), ([half, ONE, 0, half], WRITTEN));
}

#[test]
fn point_parameters_act_behind_programs() {
    let size = |choices, b| {
        seen(choices, 6, |unit| {
            word(unit, Type::Ltc3, 1, 0, 0x4180_0000);
            mode(unit, b, 0);
        })
    };
    assert_eq!(size(Choices::default(), 1 << 25), [0x4180_0000, 0, 0, ONE]);
    assert_eq!(size(Choices::default(), 0), WRITTEN);
    assert_eq!([shown(), nothing()].map(|choices| size(choices, 1 << 25)), [WRITTEN; 2]);
}

#[test]
fn radial_fog_does_not_look_at_what_a_program_writes() {
    let fog = |choices, coord: u32| seen(choices, 5, |unit| mode(unit, 1 << 19 | coord << 22, 0));
    let fixed = seen(Choices::default(), 5, |unit| {
        vector(unit, Type::Mode, 0, [1 << 19 | 1 << 22, 0, 0, 0]);
    });
    assert!((f32::from_bits(fixed[0]) - 3.0).abs() < 0.01);
    assert_eq!(fog(Choices::default(), 1), fixed);
    for coord in [0, 2, 3, 4] {
        assert_eq!(fog(Choices::default(), coord), WRITTEN);
    }
    assert_eq!([shown(), nothing()].map(|choices| fog(choices, 1)), [WRITTEN; 2]);
}

#[test]
fn great_window_coordinates_are_squashed() {
    let great = [0x7f80_0000, 0xff00_0001, 0x7f80_0000, 0xff80_0000];
    let position = |choices| {
        seen(choices, 0, |unit| {
            vector(unit, Type::Vab, 1, great);
            mode(unit, 0, 0);
        })
    };
    assert_eq!(position(Choices::default()), [0x7f00_0000, 0xff00_0000, great[2], great[3]]);
    assert_eq!(position(nothing()), great);
}

#[test]
fn the_fixed_function_reads_what_a_program_has_written_for_the_vertex_before() {
    let run = |batched: bool| {
        let mut unit = unit(Chip::Nv2a);
        // The eye moves away with each vertex.
        load(&mut unit, 0, "ADD c[56].z, c[56], v1\nMOV oPos, v0\nMOV oFog, v0");
        unit.set(Register::Outputs, POSITION | FOG);
        vector(&mut unit, Type::Ltctx, 0x49, [0, ONE, 0, 0]);
        vector(&mut unit, Type::Xfctx, 11, [0, 0, 0, ONE]);
        mode(&mut unit, 1 << 29 | 1 << 19 | 1 << 22, 0);
        vector(&mut unit, Type::Vab, 0, [0, 0, 0, ONE]);
        vector(&mut unit, Type::Vab, 1, [ONE; 4]);
        for _ in 0..5 {
            unit.vertex();
            if !batched {
                unit.flush();
            }
        }
        rows(&mut unit).into_iter().skip(1).step_by(2).map(|row| f32::from_bits(row[0])).collect::<Vec<_>>()
    };
    let distances = run(true);
    assert_eq!(distances, run(false));
    assert!(distances.windows(2).skip(1).all(|pair| pair[1] > pair[0] + 0.9), "{distances:?}");
}
