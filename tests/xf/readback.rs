//! Readback of Celsius.

use crate::{ONE, THREE, TWO, unit, vector, word};
use xfjit::xf::{Chip, ReadError, Type};

#[test]
fn vab_xfctx_ltctx_and_ltc_are_readable() {
    let mut unit = unit(Chip::Nv15);
    vector(&mut unit, Type::Vab, 2, [ONE, TWO, THREE, ONE]);
    vector(&mut unit, Type::Xfctx, 0x3b, [1, 2, 3, 4]);
    vector(&mut unit, Type::Ltctx, 0x2f, [ONE, TWO, THREE, 0]);
    word(&mut unit, Type::Ltc2, 0xb, 0, TWO);
    assert_eq!(unit.read(Type::Vab, 2, 2), Ok(THREE));
    assert_eq!([0, 1, 2, 3].map(|word| unit.read(Type::Xfctx, 0x3b, word)), [Ok(1), Ok(2), Ok(3), Ok(4)]);
    assert_eq!([0, 1, 2].map(|word| unit.read(Type::Ltctx, 0x2f, word)), [Ok(ONE), Ok(TWO), Ok(THREE)]);
    assert_eq!(unit.read(Type::Ltc2, 0xb, 0), Ok(TWO));
}

#[test]
fn an_invalid_read_is_an_error_and_not_a_hang() {
    let mut unit = unit(Chip::Nv10);
    for kind in
        [Type::Nop, Type::Xfpr, Type::Param, Type::Passthru, Type::Run, Type::Mode, Type::Xtra, Type::Sync]
    {
        assert_eq!(unit.read(kind, 0, 0), Err(ReadError::NotReadable { kind, slot: 0, word: 0 }));
    }
    // Behind the readable sizes: 0x1c words of VAB, so not the passthrough slot; 0x3c, 0x30, 3, 0x13, 0xc, 0xc slots.
    for (kind, slots) in [
        (Type::Vab, 7),
        (Type::Xfctx, 0x3c),
        (Type::Ltctx, 0x30),
        (Type::Ltc0, 3),
        (Type::Ltc1, 0x13),
        (Type::Ltc2, 0xc),
        (Type::Ltc3, 0xc),
    ] {
        assert!(unit.read(kind, slots - 1, 0).is_ok(), "{kind:?}");
        assert_eq!(unit.read(kind, slots, 0), Err(ReadError::NotReadable { kind, slot: slots, word: 0 }));
    }
    assert!(unit.read(Type::Ltctx, 0, 3).is_err() && unit.read(Type::Ltc1, 0, 1).is_err());
}

#[test]
fn only_celsius_has_read_commands() {
    for chip in crate::PROGRAMMABLE {
        assert_eq!(unit(chip).read(Type::Xfctx, 0, 0), Err(ReadError::NotCelsius));
        assert_eq!(unit(chip).pipe_read(0x6400), Err(ReadError::NotCelsius));
    }
}

#[test]
fn pipe_windows_read_words() {
    let mut unit = unit(Chip::Nv15);
    vector(&mut unit, Type::Xfctx, 4, [1, 2, 3, 4]);
    assert_eq!(unit.pipe_read(0x6400 + 0x48), Ok(3));
    assert_eq!(unit.pipe_read(0x2400), Err(ReadError::NotForXf { address: 0x2400 }));
    assert!(unit.pipe_read(0x4000).is_err());
}

#[test]
fn a_context_read_back_and_written_again_is_the_same() {
    let mut unit = unit(Chip::Nv15);
    for slot in 0..0x30u16 {
        vector(&mut unit, Type::Xfctx, slot, [u32::from(slot).wrapping_mul(0x1234_5677); 4]);
        let number = u32::from(slot).wrapping_mul(0x3171_f9a1);
        vector(&mut unit, Type::Ltctx, slot, [number, !number, number ^ 0x5555, 0]);
        word(&mut unit, Type::Ltc1, slot % 0x13, 0, number);
    }
    let mut other = crate::unit(Chip::Nv15);
    for slot in 0..0x3c {
        let row = [0, 1, 2, 3].map(|word| unit.read(Type::Xfctx, slot, word).expect("readable"));
        vector(&mut other, Type::Xfctx, slot, row);
    }
    for slot in 0..0x30 {
        let row = [0, 1, 2].map(|word| unit.read(Type::Ltctx, slot, word).expect("readable"));
        vector(&mut other, Type::Ltctx, slot, [row[0], row[1], row[2], 0]);
    }
    for slot in 0..0x13 {
        word(&mut other, Type::Ltc1, slot, 0, unit.read(Type::Ltc1, slot, 0).expect("readable"));
    }
    vector(&mut unit, Type::Nop, 0, [0; 4]);
    vector(&mut other, Type::Nop, 0, [0; 4]);
    assert_eq!(unit.save(), other.save());
}
