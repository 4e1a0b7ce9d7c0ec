//! Words of the table are what the checkers' decoder and binutils say of them.

use super::super::super::core::arm_tests::{Known, texts};
use super::{ALL, Access, Field, Insn, made_at_once};
use xfjit_testing::Choices;

/// Random words of each row.
const WORDS: usize = 40;

/// Values of a field, among them the first and the last one.
fn values(field: Field, choices: &mut Choices) -> u32 {
    let (first, count, unit) = match field {
        // Register 31 is another one in some places.
        Field::D | Field::Nn | Field::M | Field::A => (0, 31, 1),
        Field::Scaled(log) => (0, 1 << 12, 1 << log),
        Field::Pair(log) => (0, 1 << 6, 1 << log),
        Field::Twelve => (0, 1 << 12, 1),
        Field::Sixteen => (0, 1 << 16, 1),
        Field::By => (1, 31, 1),
        Field::RightInteger => (1, 63, 1),
        Field::Left32 => (0, 32, 1),
        Field::Right32 => (1, 32, 1),
        Field::Right64 => (1, 64, 1),
        Field::OfWords => (0, 4, 1),
        Field::OfPairs => (0, 2, 1),
        Field::Eight => (0, 256, 1),
        Field::Form => (0, 4, 2),
        Field::Near | Field::Far => (0, 1 << 12, 1),
        Field::Condition => (0, 14, 1),
    };
    let value = match choices.below(8) {
        0 => 0,
        1 => count - 1,
        _ => choices.below(count),
    };
    (first + value) * unit
}

/// The numbers that a row's text shows of an operand.
fn shown(insn: Insn, operands: &[u32]) -> Vec<i128> {
    let mut numbers = Vec::new();
    let fields = insn.row().fields;
    for (field, &value) in fields.iter().zip(operands) {
        match field {
            Field::D | Field::Nn | Field::M | Field::A | Field::Condition => {}
            // Both say which word it is.
            Field::Form | Field::Eight => {}
            Field::Near | Field::Far => numbers.push(4 * i128::from(value)),
            _ => numbers.push(value.into()),
        }
    }
    if let (Insn::Movi | Insn::Mvni, &[_, form, bits]) = (insn, operands) {
        let word = bits << (4 * form);
        numbers.push(if insn == Insn::Movi { word } else { !word }.into());
    }
    if insn == Insn::AddPage {
        numbers.push(12);
    }
    if insn == Insn::Not {
        numbers = numbers.into_iter().map(|number| i128::from(!(number as u64))).collect();
    }
    numbers
}

#[test]
fn words_are_what_others_say() {
    let mut choices = Choices::seed(7);
    let (mut words, mut wanted) = (Vec::new(), Vec::new());
    for &insn in ALL {
        let row = insn.row();
        assert_eq!(row.fields.len(), row.accesses.len(), "{}", row.text);
        for _ in 0..WORDS {
            let mut operands: Vec<u32> =
                row.fields.iter().map(|&field| values(field, &mut choices)).collect();
            if matches!(insn, Insn::LdpX | Insn::LdpD) {
                operands[1] = (operands[0] + 1) % 31;
            }
            let word = row.encode(&operands).unwrap_or_else(|| panic!("{} {operands:?}", row.text));
            let known = Known::of(word).unwrap_or_else(|| panic!("{word:08x}, {} {operands:?}", row.text));
            // A shift by nothing, and a register that is combined with itself, have names of their own.
            assert_eq!(known.text, row.text, "{word:08x} {operands:?}");
            for (field, &value) in row.fields.iter().zip(&operands) {
                let own = match field {
                    Field::D => known.registers[0],
                    Field::Nn => known.registers[1],
                    Field::M => known.registers[2],
                    Field::A => known.registers[3],
                    _ => continue,
                };
                assert_eq!(own, value as usize, "{word:08x} {field:?}");
            }
            let is_read = known.accumulates;
            let first = row.fields.iter().zip(row.accesses).find(|(field, _)| **field == Field::D);
            if let Some((_, access)) = first {
                assert_eq!(*access == Access::RW, is_read, "{}", row.text);
                assert_eq!(*access == Access::R, row.text.starts_with("st"), "{}", row.text);
            }
            words.push(word);
            wanted.push((insn, operands));
        }
    }
    let Some(texts) = texts(&words) else { return };
    for ((at, text), (insn, operands)) in texts.iter().zip(&wanted) {
        // Places of jumps are counted from where they stand.
        let here = match insn {
            Insn::B | Insn::BCond | Insn::LdrQPc => i128::from(*at),
            _ => 0,
        };
        let row = insn.row();
        let mnemonic = row.text.split(' ').next().unwrap_or_default();
        let found = text.mnemonic.as_str();
        let is_same = found == mnemonic
            || mnemonic == "b.c" && found.starts_with("b.")
            || (mnemonic, found) == ("orr", "mov")
            || mnemonic == "movi" && found == "fmov";
        assert!(is_same, "{} is {text:?}", row.text);
        let mut numbers: Vec<i128> = shown(*insn, operands).iter().map(|number| number + here).collect();
        // Texts of accesses have a distance.
        if numbers.is_empty() && row.text.contains('[') {
            numbers.push(0);
        }
        assert_eq!(text.numbers, numbers, "{} {operands:?}", row.text);
        // Registers in the order of the text.
        let places = row.text.split(|letter: char| !letter.is_ascii_alphanumeric());
        let field_of = |part: &str| {
            let field = match part.get(1..2) {
                Some("d") => Field::D,
                Some("n" | "s") => Field::Nn,
                Some("m") => Field::M,
                Some("a") => Field::A,
                _ => return None,
            };
            let is_register = part.len() == 2 && part.starts_with(|letter: char| letter.is_ascii_uppercase());
            let number = row.fields.iter().position(|&own| own == field).filter(|_| is_register)?;
            Some(operands[number].to_string())
        };
        let wanted: Vec<String> = places.filter_map(field_of).collect();
        let own = |register: &String| {
            let digits: String = register.chars().filter(char::is_ascii_digit).collect();
            let is_register = register.len() > 1 && register[1..].starts_with(|c: char| c.is_ascii_digit());
            let end = register.find('.').unwrap_or(register.len());
            (is_register && !digits.is_empty()).then(|| register[1..end].to_owned())
        };
        let found: Vec<String> = text.registers.iter().filter_map(own).collect();
        let is_copy = found.len() + 1 == wanted.len() && *insn == Insn::Orr;
        assert!(found == wanted || is_copy, "{} {operands:?}: {text:?}", row.text);
    }
}

/// What is made by one instruction is that word.
#[test]
fn literals_are_made_of_what_they_are() {
    let mut choices = Choices::seed(11);
    let mut count = 0;
    let random = (0..4000).map(|_| {
        let byte = choices.below(256);
        match choices.below(8) {
            0 => byte << (8 * choices.below(4)),
            1 => !(byte << (8 * choices.below(4))),
            2 => byte << 8 | 0xff,
            3 => byte << 16 | 0xffff,
            4 => !(byte << 16 | 0xffff),
            5 => (byte << (8 * choices.below(2))) * 0x1_0001,
            6 => byte * 0x101_0101,
            _ => choices.below(1 << 13) << 19,
        }
    });
    for word in random.chain([0, 1, u32::MAX, 0x3f80_0000, 0xbf80_0000, 0x7f80_0000, 0x7fff_ffff, 1 << 31]) {
        let Some((insn, form, bits)) = made_at_once(word) else { continue };
        let encoded = insn.row().encode(&[3, form, bits]).expect("it has an encoding");
        let known = Known::of(encoded).expect("it is on the list");
        assert_eq!(known.word, Some(word), "{word:08x} as {}", known.text);
        count += 1;
    }
    assert!(count > 3000, "{count}");
    for word in [0x1234_5678, 0x3f80_0001, 0x00ff_00fe] {
        assert_eq!(made_at_once(word), None);
    }
    assert!([1.0f32, -1.0, 0.5, 31.0, 0.125].iter().all(|float| made_at_once(float.to_bits()).is_some()));
}
