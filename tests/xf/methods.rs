//! FE3D methods as commands.

use crate::{ONE, PROGRAMMABLE, THREE, TWO, generation, rows, unit, word};
use xfjit::asm;
use xfjit::isa;
use xfjit::xf::methods::{MethodError, Methods};
use xfjit::xf::trace::Item;
use xfjit::xf::{Chip, Register, Type, XfUnit};

/// A unit behind FE.
struct Machine {
    methods: Methods,
    unit: XfUnit,
}

impl Machine {
    fn new(chip: Chip) -> Self {
        Machine { methods: Methods::new(chip), unit: unit(chip) }
    }

    fn try_method(&mut self, method: u32, value: u32) -> Result<(), MethodError> {
        let unit = &mut self.unit;
        self.methods.write(method, value, &mut |item: Item| {
            unit.play(&item);
        })
    }

    #[track_caller]
    fn method(&mut self, method: u32, value: u32) {
        self.try_method(method, value).expect("a method that FE accepts");
    }
}

/// Methods that differ between Kelvin and later: program window, constant pointer, constant window.
fn windows(chip: Chip) -> (u32, u32, u32) {
    if chip == Chip::Nv2a { (0xb00, 0x1ea4, 0xb80) } else { (0xb80, 0x1efc, 0x1f00) }
}

#[test]
fn a_program_loaded_and_started_by_methods_runs() {
    for chip in PROGRAMMABLE {
        let mut machine = Machine::new(chip);
        let (program, pointer, constants) = windows(chip);
        machine.method(0x1e9c, 5);
        let text = "ADD o0, v0, c[100]\nMOV o3, v0";
        let code = isa::encode(generation(chip), &asm::parse(generation(chip), text).expect("it assembles"));
        for (at, &dword) in code.iter().enumerate() {
            machine.method(program + 4 * (at as u32 % 4), dword);
        }
        machine.method(0x1ea0, 5);
        machine.method(pointer, 100);
        for component in 0..4 {
            machine.method(constants + 4 * component, ONE);
        }
        let mode = match chip {
            Chip::Nv2a => 6,
            Chip::Nv30 => 0x117,
            _ => 0x111,
        };
        machine.method(0x1e94, mode);
        let unit = &mut machine.unit;
        unit.set(Register::Outputs, 9);
        word(unit, Type::Vab, 0, 0, TWO);
        unit.vertex();
        assert_eq!(rows(unit), [[THREE, ONE, ONE, TWO], [TWO, 0, 0, ONE]], "{chip:?}");
    }
}

#[test]
fn load_pointers_advance_after_the_fourth_word() {
    for chip in PROGRAMMABLE {
        let mut machine = Machine::new(chip);
        let (program, pointer, constants) = windows(chip);
        machine.method(0x1e9c, 7);
        machine.method(pointer, 100);
        for at in 0..8 {
            machine.method(program + 4 * (at % 4), at);
            machine.method(constants + 4 * (at % 4), at);
        }
        assert_eq!(machine.unit.xfpr(7)[3], 3);
        assert_eq!(machine.unit.xfpr(8)[3], 7);
        assert_eq!([machine.unit.xfctx(100), machine.unit.xfctx(101)], [[0, 1, 2, 3], [4, 5, 6, 7]]);
    }
}

#[test]
fn loading_behind_the_last_slot_is_an_error_and_does_not_advance() {
    for chip in PROGRAMMABLE {
        let mut machine = Machine::new(chip);
        let (program, pointer, constants) = windows(chip);
        let sizes = chip.sizes();
        machine.method(0x1e9c, sizes.xfpr as u32 - 1);
        machine.method(pointer, sizes.xfctx as u32 - 1);
        for at in 0..4 {
            machine.method(program + 4 * at, 1);
            machine.method(constants + 4 * at, 1);
        }
        for method in [program, constants] {
            for _ in 0..2 {
                assert_eq!(machine.try_method(method, 1), Err(MethodError::Full { method }));
            }
        }
        for (method, limit) in
            [(0x1e9c, sizes.xfpr), (0x1ea0, sizes.xfpr), (pointer, sizes.xfctx), (0x1e90, sizes.xfpr)]
        {
            let value = limit as u32;
            assert_eq!(machine.try_method(method, value), Err(MethodError::Value { method, value }));
        }
    }
}

#[test]
fn a_state_program_is_launched_with_its_parameter() {
    for chip in crate::WRITING {
        let mut machine = Machine::new(chip);
        crate::load(&mut machine.unit, 9, "ADD c[110], v0, v0");
        for (component, value) in [ONE, 0, TWO, 0].into_iter().enumerate() {
            machine.method(0x1e80 + 4 * component as u32, value);
        }
        machine.method(0x1e90, 9);
        assert_eq!(machine.unit.xfctx(110), [TWO, 0, 0x4080_0000, 0], "{chip:?}");
    }
}

#[test]
fn the_execution_mode_lands_in_xfmode_b() {
    let mut kelvin = Machine::new(Chip::Nv2a);
    kelvin.method(0x1e94, 2);
    assert_eq!(kelvin.unit.xfmode(0), [2 << 30, 0, 0, 0]);
    kelvin.method(0x1e98, 1);
    kelvin.method(0x1e94, 4);
    kelvin.method(0x1ea0, 0x21);
    assert_eq!(kelvin.unit.xfmode(0), [1 << 29 | 1 << 18, 0x2100, 0, 0]);
    for value in [1, 3, 8] {
        assert_eq!(kelvin.try_method(0x1e94, value), Err(MethodError::Value { method: 0x1e94, value }));
    }
    let mut rankine = Machine::new(Chip::Nv30);
    rankine.method(0x1e94, 0x117);
    assert_eq!(rankine.unit.xfmode(0), [0, 0, 3 << 30 | 7 << 16, 0]);
    for value in [1, 8, 0x200] {
        assert!(rankine.try_method(0x1e94, value).is_err());
    }
    rankine.method(0x1ea0, 0x112);
    assert_eq!(rankine.unit.get(Register::Start), 0x112);
}

#[test]
fn words_of_xfmode_that_others_have_written_are_kept() {
    let mut machine = Machine::new(Chip::Nv2a);
    crate::vector(&mut machine.unit, Type::Mode, 0, [1, 2, 3, 4]);
    machine.methods.set_xfmode(0, machine.unit.xfmode(0));
    machine.method(0x1e94, 2);
    assert_eq!(machine.unit.xfmode(0), [2 << 30 | 1, 2, 3, 4]);
}

#[test]
fn xtra_and_timeout_are_loaded_by_methods() {
    let mut machine = Machine::new(Chip::Nv30);
    machine.method(0x1f94, 0x1_0002);
    assert_eq!(machine.unit.xtra(1), [0, 0x1_0002, 0, 0]);
    machine.method(0x1fa0, 77);
    assert_eq!(machine.unit.xtra(2)[0], 77);
    let mut curie = Machine::new(Chip::Nv40);
    curie.method(0x1ef8, 0x0030_ffff);
    curie.method(0x1ff8, 5);
    assert_eq!((curie.unit.get(Register::Timeout), curie.unit.get(Register::BranchBits)), (0xffff, 5));
}

#[test]
fn celsius_methods_load_the_slots_of_the_table() {
    // A sample of every kind, and of the lights the first and the last.
    for (method, words, kind, slot) in [
        (0x400, 16, Type::Xfctx, 0x00),
        (0x4c0, 16, Type::Xfctx, 0x10),
        (0x580, 16, Type::Xfctx, 0x20),
        (0x620, 4, Type::Xfctx, 0x16),
        (0x670, 4, Type::Xfctx, 0x1f),
        (0x68c, 4, Type::Xfctx, 0x38),
        (0x6e8, 4, Type::Xfctx, 0x39),
        (0x718, 4, Type::Xfctx, 0x34),
        (0x3a8, 3, Type::Ltctx, 0x2a),
        (0x704, 3, Type::Ltctx, 0x2e),
        (0x3b4, 1, Type::Ltc3, 0x0b),
        (0x6ac, 1, Type::Ltc0, 0x02),
        (0x800, 3, Type::Ltctx, 0x00),
        (0x80c, 3, Type::Ltctx, 0x01),
        (0xb98, 3, Type::Ltctx, 0x25),
        (0xba4, 1, Type::Ltc1, 0x0a),
        (0xba8, 3, Type::Ltctx, 0x26),
        (0xbb4, 3, Type::Ltctx, 0x27),
        (0xbc0, 1, Type::Ltc1, 0x12),
        (0xbc4, 1, Type::Ltc2, 0x0b),
        (0xbc8, 1, Type::Ltc3, 0x0a),
        (0xbcc, 4, Type::Xfctx, 0x33),
        (0xbe8, 3, Type::Ltctx, 0x26),
    ] {
        let mut machine = Machine::new(Chip::Nv15);
        let numbers: Vec<u32> = (0..words).map(|at| (at as f32 + 1.0).to_bits()).collect();
        for (at, &number) in (0..).zip(&numbers) {
            machine.method(method + 4 * at, number);
        }
        let got: Vec<u32> = match kind {
            Type::Xfctx => (0..words as usize / 4).flat_map(|row| machine.unit.xfctx(slot + row)).collect(),
            Type::Ltctx => machine.unit.ltctx(slot).to_vec(),
            _ => vec![machine.unit.ltc(kind as usize - Type::Ltc0 as usize, slot)],
        };
        assert_eq!(got, numbers, "method {method:#x}");
    }
}

#[test]
fn the_fourth_word_of_a_lights_position_is_stale() {
    let mut machine = Machine::new(Chip::Nv15);
    let position = |machine: &mut Machine| {
        for at in 0..3 {
            machine.method(0x8dc + 4 * at, TWO);
        }
        machine.unit.xfctx(0x25)
    };
    machine.method(0x718 + 12, THREE);
    assert_eq!(position(&mut machine), [TWO, TWO, TWO, THREE]);
    // XFMODE is sent the same way: LOCAL_VIEWER.
    machine.method(0x294, 0x1_0000);
    assert_eq!(position(&mut machine), [TWO, TWO, TWO, 1 << 28]);
}

#[test]
fn celsius_modes_land_in_xfmode() {
    let mut machine = Machine::new(Chip::Nv15);
    machine.method(0x294, 0x1_0007);
    machine.method(0x298, 0xf);
    machine.method(0x2a0, 2);
    machine.method(0x3bc, 0b1101);
    machine.method(0x3e8, 7);
    let b = 7 << 18 | 15 << 21 | 2 << 16 | 0b1101 | 1 << 28;
    assert_eq!(machine.unit.xfmode(0), [0, 0, b, 1 << 28 | 1 << 2 | 1 << 16]);
    // A light that is off is followed by none.
    assert!(machine.try_method(0x3bc, 0b0100).is_err());
    assert!(machine.try_method(0x2a0, 4).is_err());
}

#[test]
fn other_methods_are_not_of_this_unit() {
    for &chip in Chip::ALL {
        let mut machine = Machine::new(chip);
        for method in [0, 0x17fc, 0x401, u32::MAX] {
            assert_eq!(machine.try_method(method, 0), Err(MethodError::Unknown { method }), "{chip:?}");
        }
    }
}

#[test]
fn kelvins_class_on_rankine_runs_kelvins_programs() {
    let text = "ADD oPos, v9, c[100]\nMOV oT0, v9";
    let code = isa::encode(
        isa::Generation::Kelvin,
        &asm::parse(isa::Generation::Kelvin, text).expect("it assembles"),
    );
    let mut machine = Machine::new(Chip::Nv30);
    let unit = &mut machine.unit;
    machine.methods.set_kelvin_class(true, &mut |item| {
        unit.play(&item);
    });
    for (at, &dword) in code.iter().enumerate() {
        machine.method(0xb00 + 4 * at as u32, dword);
    }
    machine.method(0x1ea4, 100);
    for component in 0..4 {
        machine.method(0xb80 + 4 * component, ONE);
    }
    machine.method(0x1e94, 6);
    assert!(machine.try_method(0x1e9c, 0x88).is_err());
    let unit = &mut machine.unit;
    // The constant is in the row behind Rankine's own, the attribute and the register have Rankine's numbers.
    assert_eq!(unit.xfctx(0x3c + 100), [ONE; 4]);
    // No viewport transform, which Kelvin's programs do themselves.
    let [a, b, c, d] = unit.xfmode(0);
    crate::vector(unit, Type::Mode, 0, [a, b, c | 1 << 16, d]);
    unit.set(Register::Outputs, 1 | 1 << 8);
    word(unit, Type::Vab, 8, 0, TWO);
    unit.vertex();
    assert_eq!(rows(unit), [[THREE, ONE, ONE, TWO], [TWO, 0, 0, ONE]]);
}

/// NV40 has left Kelvin's instructions behind: there are no methods that load them, and no other class changes that.
#[test]
fn no_class_of_kelvin_is_there_on_curie() {
    for chip in [Chip::Nv40, Chip::Nv43] {
        let mut machine = Machine::new(chip);
        machine.methods.set_kelvin_class(true, &mut |item| panic!("{item}"));
        for method in [0xb00, 0x1ea4] {
            assert_eq!(machine.try_method(method, 0), Err(MethodError::Unknown { method }), "{chip:?}");
        }
    }
}
