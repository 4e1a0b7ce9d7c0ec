//! How commands are addressed.

use xfjit::xf::{Chip, Command, CommandError, Family, Payload, Type};

const FAMILIES: [Family; 4] = [Family::Celsius, Family::Kelvin, Family::Rankine, Family::Curie];

fn at(family: Family, address: u32) -> Command {
    Command::at(family, Type::Xfctx, address, Payload::Word(0))
}

#[test]
fn bits_0_and_1_of_an_address_are_always_zero() {
    for family in FAMILIES {
        for low in 0..4 {
            assert_eq!(at(family, 0x40 | low), at(family, 0x40));
        }
        assert_eq!(at(family, 0x47).address(family) & 3, 0);
    }
}

#[test]
fn bits_2_and_3_select_the_word_and_0_is_x() {
    for family in FAMILIES {
        for word in 0..4 {
            assert_eq!((at(family, 4 * word).word, at(family, 4 * word).slot), (word as u8, 0));
        }
    }
}

#[test]
fn the_slot_has_6_bits_on_celsius_8_on_kelvin_9_on_rankine_10_on_curie() {
    for (family, bits) in FAMILIES.into_iter().zip([6, 8, 9, 10]) {
        let last = (1u32 << bits) - 1;
        assert_eq!(at(family, last << 4).slot, last as u16);
        assert_eq!(at(family, (last + 1) << 4).slot, 0, "{family:?}");
    }
}

#[test]
fn a_command_writes_a_word_or_an_aligned_pair() {
    let pair = Command::at(Family::Kelvin, Type::Xfctx, 0x48, Payload::Pair([1, 2]));
    assert_eq!((pair.slot, pair.word), (4, 2));
    // In the middle of a pair: the pair that contains the word.
    let middle = Command::at(Family::Kelvin, Type::Xfctx, 0x4c, Payload::Pair([1, 2]));
    assert_eq!(middle, pair);
}

#[test]
fn types_have_the_numbers_of_the_documents() {
    let names = "NOP VAB XFPR T3 PARAM PASSTHRU RUN MODE XTRA XFCTX LTCTX LTC0 LTC1 LTC2 LTC3 SYNC";
    for (code, name) in names.split(' ').enumerate() {
        assert_eq!(Type::from_code(code as u32).name(), name);
        assert_eq!(Type::from_name(name), Some(Type::ALL[code]));
    }
}

#[test]
fn wrapped_on_celsius_the_address_has_10_bits_the_type_4_and_bit_14_is_set() {
    let command = Command::pair(Type::Ltctx, 0x2a, 2, [5, 6]);
    assert_eq!(command.wrap(Family::Celsius), 1 << 14 | 0xa << 10 | 0x2a8);
}

#[test]
fn wrapped_on_kelvin_the_address_has_12_bits_the_type_4_and_bit_16_is_set() {
    let command = Command::pair(Type::Xfctx, 0xbf, 2, [5, 6]);
    assert_eq!(command.wrap(Family::Kelvin), 1 << 16 | 9 << 12 | 0xbf8);
    assert_eq!(Command::word(Type::Passthru, 0, 0, 0).wrap(Family::Kelvin), 0x15000);
    assert_eq!(Command::word(Type::Run, 0, 0, 0).wrap(Family::Kelvin), 0x16000);
}

#[test]
fn wrapped_on_rankine_the_address_has_13_bits_the_type_4_and_bit_17_is_set() {
    let command = Command::pair(Type::Xfctx, 0x19b, 2, [5, 6]);
    assert_eq!(command.wrap(Family::Rankine), 1 << 17 | 9 << 13 | 0x19b8);
    assert_eq!(Command::word(Type::Passthru, 0, 0, 0).wrap(Family::Rankine), 0x2a000);
    assert_eq!(Command::word(Type::Run, 0, 0, 0).wrap(Family::Rankine), 0x2c000);
}

#[test]
fn wrapped_on_curie_the_address_has_14_bits_and_no_flag() {
    let command = Command::word(Type::Xfctx, 0x21f, 3, 5);
    assert_eq!(command.wrap(Family::Curie), 9 << 14 | 0x21fc);
}

#[test]
fn pipe_windows_of_celsius_are_wrapped_addresses() {
    let windows = [
        (Type::Vab, 0x4400),
        (Type::Xfctx, 0x6400),
        (Type::Ltctx, 0x6800),
        (Type::Ltc0, 0x6c00),
        (Type::Ltc1, 0x7000),
        (Type::Ltc2, 0x7400),
        (Type::Ltc3, 0x7800),
    ];
    for (kind, window) in windows {
        assert_eq!(Command::word(kind, 0, 0, 0).wrap(Family::Celsius), window);
    }
}

#[test]
fn every_command_survives_wrapping() {
    for family in FAMILIES {
        for kind in Type::ALL {
            for slot in [0, 1, (1 << family.slot_bits()) - 1] {
                for word in 0..4 {
                    let command = Command::word(kind, slot, word, 7);
                    let again = Command::wrapped(family, command.wrap(family), command.payload);
                    assert_eq!(again, Ok(command));
                }
            }
        }
    }
}

#[test]
fn an_address_without_the_flag_is_no_command() {
    for (family, address) in [
        (Family::Celsius, 0x2400),
        (Family::Kelvin, 0x5000),
        (Family::Rankine, 0x1_2000),
        (Family::Curie, 1 << 18),
    ] {
        let result = Command::wrapped(family, address, Payload::Word(0));
        assert_eq!(result, Err(CommandError::NotForXf { address }));
    }
    // Nor one with bits above it.
    assert!(Command::wrapped(Family::Kelvin, 0x3_5000, Payload::Word(0)).is_err());
    let mut unit = crate::unit(Chip::Nv2a);
    assert!(unit.wrapped(0x5000, Payload::Word(7)).is_err());
    assert_eq!(unit.pass(), [0; 4]);
}
