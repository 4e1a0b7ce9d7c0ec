//! States saved and restored.

use crate::{ONE, TWO, copying, rows, unit, vector, word};
use xfjit::xf::{Chip, RestoreError, Type};

#[test]
fn a_state_holds_every_memory() {
    for &chip in Chip::ALL {
        let fresh = unit(chip).save();
        let sizes = chip.sizes();
        let memories = [
            (Type::Vab, sizes.attributes),
            (Type::Nop, 1),
            (Type::Xfpr, sizes.xfpr),
            (Type::Xfctx, sizes.xfctx),
            (Type::Ltctx, sizes.ltctx),
            (Type::Ltc0, sizes.ltc[0]),
            (Type::Ltc1, sizes.ltc[1]),
            (Type::Ltc2, sizes.ltc[2]),
            (Type::Ltc3, sizes.ltc[3]),
            (Type::Mode, sizes.mode),
            (Type::Xtra, sizes.xtra),
        ];
        for (kind, slots) in memories {
            for slot in [0, 1, slots.wrapping_sub(1)].into_iter().filter(|&slot| slot < slots) {
                let mut unit = unit(chip);
                vector(&mut unit, kind, slot as u16, [TWO, ONE, TWO, ONE]);
                if kind != Type::Nop {
                    vector(&mut unit, Type::Nop, 0, [0; 4]);
                }
                let state = unit.save();
                let wired = chip.family() == xfjit::xf::Family::Celsius
                    && slot == 0
                    && [Type::Ltc0, Type::Ltc1, Type::Ltc2, Type::Ltc3].contains(&kind);
                assert_eq!(state == fresh, wired, "{chip:?} {kind:?} {slot}");
                let mut other = crate::unit(chip);
                other.restore(&state).expect("the same chip");
                assert_eq!(other.save(), state);
            }
        }
    }
}

#[test]
fn pending_vertices_run_before_a_state_is_saved_or_replaced() {
    let mut unit = copying(Chip::Nv2a);
    let state = crate::unit(Chip::Nv2a).save();
    word(&mut unit, Type::Vab, 0, 0, TWO);
    unit.vertex();
    unit.restore(&state).expect("the same chip");
    assert_eq!(rows(&mut unit), [[TWO, 0, 0, ONE]]);
    assert_eq!(unit.save(), state);
}

#[test]
fn bytes_that_are_no_state_are_refused_and_change_nothing() {
    let mut unit = copying(Chip::Nv2a);
    let state = unit.save();
    let needed = state.len();
    assert_eq!(unit.restore(&[]), Err(RestoreError::NotAState));
    assert_eq!(unit.restore(&state[..15]), Err(RestoreError::NotAState));
    let short = unit.restore(&state[..needed - 1]);
    assert_eq!(short, Err(RestoreError::Length { got: needed - 1, needed }));
    let mut other = state.clone();
    other[8] = 9;
    assert_eq!(unit.restore(&other), Err(RestoreError::Version { version: 9 }));
    assert_eq!(unit.restore(&crate::unit(Chip::Nv20).save()), Err(RestoreError::OtherChip));
    assert_eq!(unit.save(), state);
}

#[test]
fn any_words_are_a_state_and_become_what_loads_make_of_them() {
    for &chip in Chip::ALL {
        let mut unit = unit(chip);
        let mut state = unit.save();
        state[20..].fill(0xff);
        unit.restore(&state).expect("the right length");
        let normal = unit.save();
        unit.restore(&normal).expect("its own state");
        assert_eq!(unit.save(), normal, "{chip:?}");
        unit.vertex();
        unit.discard();
    }
}

#[test]
fn a_state_begins_as_documented() {
    let mut unit = unit(Chip::Nv10);
    word(&mut unit, Type::Vab, 0, 0, TWO);
    let state = unit.save();
    assert_eq!(&state[..8], b"xfjit XF");
    assert_eq!(state[8..12], 4u32.to_le_bytes());
    assert_eq!(&state[12..20], b"nv10\0\0\0\0");
    assert_eq!(state[20..24], TWO.to_le_bytes());
}
