//! VAB: what writes do, and what a vertex trigger takes.

use crate::{ONE, THREE, TWO, copying, rows, seen, unit, word};
use std::sync::Arc;
use xfjit::chip::memory::EyeDirection;
use xfjit::runtime::batch::{Attribute, Inputs};
use xfjit::runtime::format::{ByteOrder, Encoding, Format};
use xfjit::runtime::indices::Indices;
use xfjit::xf::{Chip, Command, Type, XfUnit, celsius, initial_constants};
use xfjit::{Engine, Options};

const OLD: u32 = 0x1111_1111;

/// A unit whose attribute slots all hold [`OLD`].
fn old(chip: Chip) -> XfUnit {
    let mut unit = unit(chip);
    for slot in 0..17 {
        unit.command(Command::pair(Type::Vab, slot, 0, [OLD; 2]));
        unit.command(Command::pair(Type::Vab, slot, 2, [OLD; 2]));
    }
    unit
}

/// What writing one word makes of a slot.
fn written(chip: Chip, slot: u16, at: u8) -> [u32; 4] {
    let mut unit = old(chip);
    word(&mut unit, Type::Vab, slot, at, TWO);
    unit.attribute(slot.into())
}

const FILLED: [u16; 4] = [celsius::OPOS, celsius::COL0, celsius::TXC0, celsius::TXC1];
const UNFILLED: [u16; 3] = [celsius::COL1F, celsius::NRML, celsius::WGHT];

#[test]
fn nv10_writing_x_or_y_of_position_colour_and_texture_sets_z_to_0_and_w_to_1() {
    for slot in FILLED {
        assert_eq!(written(Chip::Nv10, slot, 0), [TWO, OLD, 0, ONE]);
        assert_eq!(written(Chip::Nv10, slot, 1), [OLD, TWO, 0, ONE]);
    }
}

#[test]
fn nv15_writing_x_of_them_sets_y_to_0_as_well() {
    for slot in FILLED {
        assert_eq!(written(Chip::Nv15, slot, 0), [TWO, 0, 0, ONE]);
        assert_eq!(written(Chip::Nv15, slot, 1), [OLD, TWO, 0, ONE]);
    }
}

#[test]
fn celsius_writing_z_or_w_fills_nothing() {
    for chip in [Chip::Nv10, Chip::Nv15] {
        for slot in FILLED {
            assert_eq!(written(chip, slot, 2), [OLD, OLD, TWO, OLD]);
            assert_eq!(written(chip, slot, 3), [OLD, OLD, OLD, TWO]);
        }
    }
}

#[test]
fn celsius_secondary_colour_normal_and_weight_are_never_filled() {
    for chip in [Chip::Nv10, Chip::Nv15] {
        for slot in UNFILLED {
            for at in 0..4u8 {
                let mut want = [OLD; 4];
                want[usize::from(at)] = TWO;
                assert_eq!(written(chip, slot, at), want);
            }
        }
    }
}

#[test]
fn celsius_a_pair_fills_before_it_is_stored() {
    for chip in [Chip::Nv10, Chip::Nv15] {
        let mut unit = old(chip);
        unit.command(Command::pair(Type::Vab, celsius::OPOS, 0, [TWO, THREE]));
        assert_eq!(unit.attribute(0), [TWO, THREE, 0, ONE]);
        unit.command(Command::pair(Type::Vab, celsius::OPOS, 2, [TWO, THREE]));
        assert_eq!(unit.attribute(0), [TWO, THREE, TWO, THREE]);
    }
}

#[test]
fn kelvin_and_up_writing_x_of_any_attribute_sets_y_and_z_to_0_and_w_to_1() {
    for chip in crate::PROGRAMMABLE {
        for slot in 0..16 {
            assert_eq!(written(chip, slot, 0), [TWO, 0, 0, ONE]);
            assert_eq!(written(chip, slot, 1), [OLD, TWO, OLD, OLD]);
            assert_eq!(written(chip, slot, 2), [OLD, OLD, TWO, OLD]);
            assert_eq!(written(chip, slot, 3), [OLD, OLD, OLD, TWO]);
        }
        let mut unit = old(chip);
        unit.command(Command::pair(Type::Vab, 4, 0, [TWO, THREE]));
        assert_eq!(unit.attribute(4), [TWO, THREE, 0, ONE]);
    }
}

#[test]
fn the_passthrough_slot_is_7_on_celsius_and_16_on_kelvin_and_is_never_filled() {
    for (chip, slot) in [(Chip::Nv10, 7), (Chip::Nv15, 7), (Chip::Nv20, 16), (Chip::Nv30, 16)] {
        let mut unit = old(chip);
        assert_eq!(unit.pass(), [OLD; 4]);
        word(&mut unit, Type::Vab, slot, 0, TWO);
        assert_eq!(unit.pass(), [TWO, OLD, OLD, OLD], "{chip:?}");
    }
}

#[test]
fn curie_has_no_passthrough_slot_in_vab() {
    assert_eq!(old(Chip::Nv40).pass(), [0; 4]);
}

#[test]
fn writes_to_slots_that_do_not_exist_are_dropped() {
    for &chip in Chip::ALL {
        let mut unit = unit(chip);
        let before = unit.save();
        word(&mut unit, Type::Vab, 33, 0, TWO);
        assert_eq!(unit.save(), before, "{chip:?}");
    }
}

#[test]
fn vab_keeps_the_last_value_of_every_attribute() {
    for chip in crate::PROGRAMMABLE {
        let mut unit = copying(chip);
        word(&mut unit, Type::Vab, 0, 0, TWO);
        unit.vertex();
        word(&mut unit, Type::Vab, 0, 1, THREE);
        unit.vertex();
        unit.vertex();
        let (first, then) = ([TWO, 0, 0, ONE], [TWO, THREE, 0, ONE]);
        assert_eq!(rows(&mut unit), [first, then, then], "{chip:?}");
    }
}

#[test]
fn a_vertex_is_what_vab_holds_when_it_is_triggered() {
    for chip in crate::PROGRAMMABLE {
        let mut unit = copying(chip);
        word(&mut unit, Type::Vab, 0, 0, TWO);
        unit.vertex();
        // The next vertex is assembled while this one is under way.
        word(&mut unit, Type::Vab, 0, 0, THREE);
        assert_eq!(rows(&mut unit), [[TWO, 0, 0, ONE]], "{chip:?}");
        unit.vertex();
        assert_eq!(rows(&mut unit), [[THREE, 0, 0, ONE]], "{chip:?}");
    }
}

#[test]
fn the_passthrough_slot_is_not_copied_to_a_vertex() {
    let mut unit = copying(Chip::Nv2a);
    word(&mut unit, Type::Vab, 0, 0, TWO);
    word(&mut unit, Type::Vab, 16, 0, THREE);
    word(&mut unit, Type::Nop, 0, 0, THREE);
    unit.vertex();
    assert_eq!(rows(&mut unit), [[TWO, 0, 0, ONE]]);
}

#[test]
fn an_attribute_that_changes_late_keeps_its_value_for_earlier_vertices() {
    let mut unit = crate::unit(Chip::Nv2a);
    crate::load(&mut unit, 0, "MOV r0, v3\nADD oPos, v0, r0");
    crate::run_programs(&mut unit, false);
    unit.set(xfjit::xf::Register::Outputs, 1);
    word(&mut unit, Type::Vab, 3, 0, ONE);
    for _ in 0..5 {
        word(&mut unit, Type::Vab, 0, 0, ONE);
        unit.vertex();
    }
    word(&mut unit, Type::Vab, 3, 0, TWO);
    unit.vertex();
    let sums: Vec<u32> = rows(&mut unit).iter().map(|row| row[0]).collect();
    assert_eq!(sums, [TWO, TWO, TWO, TWO, TWO, THREE]);
}

#[test]
fn a_draw_is_the_commands_that_idx_would_send() {
    let positions: Vec<[u32; 4]> = (0..700u32).map(|i| [(i as f32).to_bits(), i, 3 * i, ONE]).collect();
    let words = positions.as_flattened();
    let indices: Vec<u32> = (0..700).rev().step_by(3).collect();
    for &chip in Chip::ALL {
        for components in 1..=4 {
            let stream = Attribute::Stream { data: bytes(words), stride: 16, components };
            let inputs =
                Inputs::new(0).indexed(&indices).with(0, stream).with(2, Attribute::Constant([5; 4]));
            let prepare = || if chip.family().microcode().is_some() { copying(chip) } else { old(chip) };
            let (mut whole, mut single) = (prepare(), prepare());
            whole.record();
            whole.draw(inputs, 1 | 1 << 2).expect("the arrays are long enough");
            for &index in &indices {
                let [x, y, z, w] = positions[index as usize];
                for (at, value) in (0..components).zip([x, y, z, w]) {
                    word(&mut single, Type::Vab, 0, at, value);
                }
                single.command(Command::pair(Type::Vab, 2, 0, [5; 2]));
                single.command(Command::pair(Type::Vab, 2, 2, [5; 2]));
                single.vertex();
            }
            let trace = whole.recorded().expect("it was recording");
            let want = rows(&mut single);
            assert_eq!(rows(&mut whole), want, "{chip:?}");
            assert_eq!(whole.save(), single.save(), "{chip:?}");
            let mut replayed = crate::unit(chip);
            trace
                .items
                .iter()
                .for_each(|item| assert_eq!(replayed.play(item), xfjit::xf::trace::Reply::None));
            assert_eq!(rows(&mut replayed), want, "{chip:?}");
        }
    }
}

/// Lists of either width with a base, arrays of several formats, programs and the fixed function: what comes out is what the
/// commands that send the same vertices make, and code is made for lists of that width.
#[test]
fn an_indexed_draw_reads_its_arrays_where_they_are() {
    let memory: Vec<u8> = (0..9000u32).map(|at| (((at * at) >> 3) ^ at) as u8).collect();
    let halves: Vec<u16> = (0..200).map(|at| (at * 7 % 150) + 40).collect();
    let words: Vec<u32> = halves.iter().map(|&half| half.into()).collect();
    let lists = [Indices::from(&halves).with_base(-40), Indices::from(&words).with_base(-30)];
    let formats = [
        Format::words(4, ByteOrder::Host),
        Format::words(3, ByteOrder::Swapped),
        Format::host(Encoding::S1, 2),
        Format::host(Encoding::UbD3d, 4),
    ];
    for (chip, fixed) in [(Chip::Nv2a, false), (Chip::Nv2a, true), (Chip::Nv30, false), (Chip::Nv40, false)] {
        let engine = Arc::new(Engine::new(Options::default()));
        let unit = || {
            let mut unit = XfUnit::new(Arc::clone(&engine), chip);
            crate::load(&mut unit, 0, "MOV r0, v0\nADD o0, r0, v3\nMOV o3, v7");
            if fixed {
                initial_constants(chip, EyeDirection::PlusZ)
                    .into_iter()
                    .for_each(|command| unit.command(command));
            } else {
                crate::run_programs(&mut unit, false);
            }
            unit.set(xfjit::xf::Register::Outputs, 9);
            unit
        };
        let (mut whole, mut single) = (unit(), unit());
        for list in lists {
            for format in formats {
                let inputs = Inputs::new(0)
                    .formatted(0, &memory, 40, format)
                    .formatted(3, &memory[5..], 32, Format::float4())
                    .indexed(list);
                whole.draw(inputs, 1 | 1 << 3).expect("the arrays are long enough");
                for position in 0..200 {
                    for register in [0, 3] {
                        crate::vector(
                            &mut single,
                            Type::Vab,
                            register,
                            inputs.fetch(register.into(), position),
                        );
                    }
                    single.vertex();
                }
                assert_eq!(seen(&mut whole), seen(&mut single), "{chip:?}, {format:?}");
                assert_eq!(whole.save(), single.save());
                let is_for = |program: &Arc<xfjit::Program>| {
                    let inputs = program.shader().inputs();
                    inputs.indices().width() == Some(list.width()) && inputs.format(0) == format.canonical()
                };
                let mut programs = engine.programs();
                programs.retain(|program| program.live_inputs() & 1 != 0);
                assert!(programs.iter().any(is_for), "{chip:?}, {format:?}, {list:?}");
            }
        }
    }
}

#[test]
fn a_draw_whose_arrays_are_too_short_does_nothing() {
    let mut unit = copying(Chip::Nv2a);
    let before = unit.save();
    let row = [[ONE; 4]; 3];
    let inputs = Inputs::new(4).with(0, Attribute::rows(&row));
    assert!(unit.draw(inputs, 1).is_err());
    // Attributes that are not fetched may be anything.
    assert!(unit.draw(inputs, 2).is_ok());
    assert_eq!(rows(&mut unit).len(), 4);
    assert_ne!(unit.save(), before);
}

fn bytes(words: &[u32]) -> &[u8] {
    match Attribute::interleaved(words, 0, 4, 4) {
        Attribute::Stream { data, .. } => data,
        Attribute::Constant(_) => &[],
    }
}
