//! The memories: sizes, and what a load makes of its words.

use crate::{ONE, TWO, unit, vector, word};
use xfjit::chip::Lights;
use xfjit::chip::memory::{EyeDirection, Ram, context, rows};
use xfjit::runtime::num::convert::{ltc_load, xf_to_lt};
use xfjit::xf::{Chip, Type, XfUnit, initial_constants};

/// Numbers on which loads differ: carries that stop, denormals, infinities, NaNs.
const NUMBERS: [u32; 10] = [
    0x3f80_0200,
    0x3f83_fe00,
    0x0000_0001,
    0x007f_ffff,
    0x7f80_0000,
    0xff80_0000,
    0x7f80_0100,
    0x7f80_0200,
    0xffff_ffff,
    0xbf80_01ff,
];

fn takes(unit: &mut XfUnit, kind: Type, slot: u16) -> bool {
    let before = unit.save();
    vector(unit, kind, slot, [TWO; 4]);
    let mut other = crate::unit(unit.chip());
    other.restore(&before).expect("the same chip");
    vector(&mut other, Type::Nop, 0, [TWO; 4]);
    unit.save() != other.save()
}

#[test]
fn writes_behind_the_last_slot_are_ignored() {
    for &chip in Chip::ALL {
        let sizes = chip.sizes();
        let memories = [
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
            assert!(!takes(&mut unit(chip), kind, slots as u16), "{chip:?} {kind:?}");
            let wired = chip.family() == xfjit::xf::Family::Celsius && slots == 1;
            if slots > 0 && !wired {
                assert!(takes(&mut unit(chip), kind, slots as u16 - 1), "{chip:?} {kind:?}");
            }
        }
    }
}

#[test]
fn memories_have_the_sizes_of_the_documents() {
    let [nv10, nv20, nv25, nv30, nv40, nv41, nv43] =
        [Chip::Nv10, Chip::Nv20, Chip::Nv25, Chip::Nv30, Chip::Nv40, Chip::Nv41, Chip::Nv43].map(Chip::sizes);
    assert_eq!((nv10.xfctx, nv10.ltctx, nv10.ltc), (0x3c, 0x30, [3, 0x13, 0xc, 0xc]));
    assert_eq!((nv20.xfpr, nv20.xfctx, nv20.ltctx), (0x88, 0xc0, 0x4a));
    assert_eq!((nv25.ltctx, nv20.ltc.iter().sum::<usize>()), (0x4c, 0x35));
    assert_eq!((nv30.xfpr, nv30.xfctx, nv30.ltc.iter().sum::<usize>()), (0x118, 0x19c, 0x31));
    assert_eq!((nv40.xfpr, nv40.xfctx, nv43.xfctx), (0x220, 0x220, 0x1d4));
    assert_eq!([nv10, nv20, nv30, nv40].map(|sizes| sizes.attributes), [7, 16, 16, 16]);
    assert_eq!((nv41.xfpr, nv41.xfctx), (0x220, 0x220));
    assert_eq!([nv20, nv30, nv40, nv41, nv43].map(|sizes| sizes.xtra), [0, 3, 3, 0, 0]);
}

/// The first chip with each command, and the first later one without it, of the XF overview's list.
#[test]
fn commands_exist_on_the_chips_of_the_documents() {
    let ranges = [
        (Type::Xfpr, Chip::Nv20, None),
        (Type::Param, Chip::Nv20, Some(Chip::Nv41)),
        (Type::Run, Chip::Nv20, Some(Chip::Nv41)),
        (Type::Mode, Chip::Nv10, Some(Chip::Nv40)),
        (Type::Xtra, Chip::Nv30, Some(Chip::Nv41)),
        (Type::Ltctx, Chip::Nv10, Some(Chip::Nv40)),
        (Type::Ltc0, Chip::Nv10, Some(Chip::Nv30)),
        (Type::Ltc1, Chip::Nv10, Some(Chip::Nv40)),
        (Type::Xfctx, Chip::Nv10, None),
        (Type::Sync, Chip::Nv10, None),
    ];
    for (kind, first, behind) in ranges {
        for &chip in Chip::ALL {
            let is_there = chip >= first && behind.is_none_or(|behind| chip < behind);
            assert_eq!(kind.exists(chip), is_there, "{kind:?} {chip:?}");
        }
    }
    // A command that is none stays in the passthrough slot: nothing runs, and the timeout is as it was.
    let mut unit = unit(Chip::Nv43);
    let before = unit.xtra(2);
    vector(&mut unit, Type::Xtra, 2, [1, 0, 0, 0]);
    word(&mut unit, Type::Run, 0, 0, 0);
    assert_eq!((unit.xtra(2), unit.stats().state_programs), (before, 0));
}

#[test]
fn nv34_has_no_alternate_attenuation() {
    use xfjit::chip::Pipeline;
    use xfjit::chip::mode::{Mode, Name};
    let mode = Mode::new(Pipeline::Rankine, &[0; 7]).with(Name::RawAttenuation, 1);
    for (chip, want) in [(Chip::Nv30, 1), (Chip::Nv35, 1), (Chip::Nv34, 0)] {
        assert_eq!(mode.on(chip).get(Name::RawAttenuation), want, "{chip:?}");
    }
}

#[test]
fn kelvin_keeps_92_bits_of_an_instruction_and_rankine_121() {
    for (chip, want) in [
        (Chip::Nv20, [0, 0x0fff_ffff, u32::MAX, u32::MAX]),
        (Chip::Nv30, [0x01ff_ffff, u32::MAX, u32::MAX, u32::MAX]),
        (Chip::Nv40, [u32::MAX; 4]),
        (Chip::Nv43, [u32::MAX; 4]),
    ] {
        let mut unit = unit(chip);
        vector(&mut unit, Type::Xfpr, 1, [u32::MAX; 4]);
        assert_eq!(unit.xfpr(1), want);
    }
}

#[test]
fn ltctx_is_rounded_to_22_bits_when_it_is_loaded() {
    for chip in [Chip::Nv10, Chip::Nv20, Chip::Nv30] {
        for number in NUMBERS {
            let mut unit = unit(chip);
            vector(&mut unit, Type::Ltctx, 2, [number, 0, number, 0]);
            assert_eq!(unit.ltctx(2), [xf_to_lt(number), 0, xf_to_lt(number)]);
        }
    }
}

#[test]
fn ltc_is_rounded_when_it_is_loaded_and_on_celsius_made_plain() {
    for number in NUMBERS {
        let (mut celsius, mut kelvin, mut rankine) = (unit(Chip::Nv15), unit(Chip::Nv20), unit(Chip::Nv30));
        for (memory, kind) in [Type::Ltc0, Type::Ltc1, Type::Ltc2, Type::Ltc3].into_iter().enumerate() {
            word(&mut celsius, kind, 2, 0, number);
            assert_eq!(celsius.ltc(memory, 2), ltc_load(number));
            word(&mut kelvin, kind, 2, 0, number);
            assert_eq!(kelvin.ltc(memory, 2), xf_to_lt(number));
            word(&mut rankine, kind, 2, 0, number);
            assert_eq!(rankine.ltc(memory, 2), if memory == 0 { 0 } else { xf_to_lt(number) });
        }
    }
}

#[test]
fn celsius_has_wired_constants_at_slot_0_of_ltc() {
    let mut unit = unit(Chip::Nv10);
    for (memory, kind) in [Type::Ltc0, Type::Ltc1, Type::Ltc2, Type::Ltc3].into_iter().enumerate() {
        word(&mut unit, kind, 0, 0, TWO);
        assert_eq!(unit.ltc(memory, 0), [ONE, 0, ONE, 0][memory]);
    }
}

#[test]
fn xfctx_keeps_every_bit() {
    for &chip in Chip::ALL {
        let mut unit = unit(chip);
        for number in NUMBERS {
            vector(&mut unit, Type::Xfctx, 1, [number; 4]);
            assert_eq!(unit.xfctx(1), [number; 4]);
        }
    }
}

#[test]
fn the_vendors_constants_are_those_of_the_documents() {
    let mut celsius = unit(Chip::Nv10);
    initial_constants(Chip::Nv10, EyeDirection::Zero)
        .into_iter()
        .for_each(|command| celsius.command(command));
    assert_eq!(celsius.xfctx(0x35), [TWO; 4]);
    assert_eq!(celsius.xfctx(0x37), [0x3f00_0000, 0x3f00_0000, 0, 0]);
    assert_eq!(celsius.ltctx(0x28), [0, 0, ONE]);
    assert_eq!(
        (celsius.ltc(0, 1), celsius.ltc(1, 3), celsius.ltc(1, 10)),
        (0xbf80_0000, 0x7149_f400, 0x7149_f400)
    );
    assert_eq!(celsius.ltc(1, 11), 0);
    let mut kelvin = unit(Chip::Nv2a);
    initial_constants(Chip::Nv2a, EyeDirection::Zero).into_iter().for_each(|command| kelvin.command(command));
    assert_eq!(kelvin.xfctx(0x3c), [0, 0x3f00_0000, ONE, TWO]);
    assert_eq!(kelvin.ltctx(0x49), [0, ONE, 0]);
    assert_eq!((kelvin.ltc(1, 4), kelvin.ltc(1, 11)), (0x7149_f400, 0x7149_f400));
    assert_eq!(kelvin.ltctx(0x40), [0; 3]);
    initial_constants(Chip::Nv2a, EyeDirection::PlusZ)
        .into_iter()
        .for_each(|command| kelvin.command(command));
    assert_eq!(kelvin.ltctx(0x40), [0, 0, ONE]);
    let mut rankine = unit(Chip::Nv30);
    initial_constants(Chip::Nv30, EyeDirection::Zero)
        .into_iter()
        .for_each(|command| rankine.command(command));
    let rows = [0x38, 0x74, 0x75, 0x78, 0x79, 0x7a].map(|row| rankine.xfctx(row));
    let (half, minus_one) = (0x3f00_0000, 0xbf80_0000);
    assert_eq!(rows[..3], [[0, 0, ONE, 0], [0, 0, 0, ONE], [0, 0, ONE, 0]]);
    assert_eq!(rows[3..], [[0, half, ONE, TWO], [minus_one, 0, ONE, TWO], [0, 0, minus_one, 0]]);
    assert_eq!((rankine.ltc(1, 4), rankine.ltc(1, 5), rankine.ltc(1, 12)), (0, 0x7149_f400, 0x7149_f400));
}

#[test]
fn the_front_end_and_the_unit_know_the_same_constants() {
    for &chip in Chip::ALL {
        let Some(pipeline) = chip.pipeline() else { continue };
        let mut unit = unit(chip);
        initial_constants(chip, EyeDirection::default())
            .into_iter()
            .for_each(|command| unit.command(command));
        let context = context(pipeline);
        for (row, want) in context.rows().iter().enumerate().take(rows(pipeline)) {
            let got = match Ram::of_row(pipeline, row) {
                Some(_) if pipeline.lights() == Lights::Xf => unit.xfctx(row),
                Some((Ram::Xfctx, slot)) => unit.xfctx(slot),
                Some((Ram::Ltctx, slot)) => {
                    let [x, y, z] = unit.ltctx(slot);
                    [x, y, z, 0]
                }
                Some((Ram::Ltc(number), slot)) => [unit.ltc(usize::from(number), slot), 0, 0, 0],
                None => panic!("row {row} is of no memory"),
            };
            assert_eq!(got, *want, "{} row {row}", chip.name());
        }
    }
}
