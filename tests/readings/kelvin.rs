//! Kelvin's decoder, field by field.

use crate::assert_none;
use crate::figures::{Reading, reading};
use crate::lines::{case, words};
use crate::printed::{agrees, components, printed};
use std::collections::{BTreeSet, HashMap};
use xfjit::Generation;
use xfjit::isa::{self, Insn, Mask};

const READING: Reading = reading!("kelvin", 20_000);

fn decoded(line: &str) -> Insn {
    isa::decode_insn(Generation::Kelvin, isa::Reading::default(), words(case(line).0))
}

#[test]
fn every_slot_means_what_the_reading_says() {
    READING.check(|text| {
        let wrong: Vec<String> = text
            .lines()
            .filter_map(|line| {
                let (words, reading) = case(line);
                let printed = printed(&decoded(line), reading);
                (!agrees(reading, &printed))
                    .then(|| format!("{words}\n  read:    {reading}\n  decoded: {printed}"))
            })
            .collect();
        assert_none("kelvin", READING.count, &wrong);
    });
}

/// Nothing else of the instruction may tell two slots apart, and every difference that the reading sees must.
#[test]
fn slots_are_equal_if_and_only_if_their_readings_are() {
    READING.check(|text| {
        let (mut by_reading, mut by_insn) = (HashMap::new(), HashMap::new());
        let mut wrong = Vec::new();
        for line in text.lines() {
            let (insn, reading) = (decoded(line), case(line).1);
            let (same_reading, same_insn) =
                (*by_reading.entry(reading).or_insert(insn), *by_insn.entry(insn).or_insert(reading));
            if same_reading != insn || same_insn != reading {
                wrong.push(format!("{line}\n  {insn:?}\n  {same_reading:?}\n  {same_insn}"));
            }
        }
        assert_none("kelvin", READING.count, &wrong);
    });
}

/// The figures are no evidence of what does not occur in them.
#[test]
fn everything_occurs_in_the_figures() {
    let text = READING.committed();
    let fields: BTreeSet<&str> = text.lines().flat_map(|line| case(line).1.split(' ')).collect();
    let occurs =
        |part: &str| assert!(fields.iter().any(|field| field.contains(part)), "{part} does not occur");
    for op in "NOP MOV MUL ADD MAD DP3 DPH DP4 DST MIN MAX SLT SGE ARL".split(' ') {
        occurs(&format!("mac={op}"));
    }
    for op in "NOP MOV RCP RCC RSQ EXP LOG LIT".split(' ') {
        occurs(&format!("ilu={op}"));
    }
    for (source, bank) in
        ["a", "b", "c"].into_iter().flat_map(|source| ["r", "v", "c["].map(|bank| (source, bank)))
    {
        for sign in ['+', '-'] {
            occurs(&format!("{source}={sign}{bank}"));
        }
        occurs(&format!("{source}=+c[a0+"));
        (0..13).for_each(|number| occurs(&format!("{source}=+r{number}.")));
        (0..16).for_each(|number| occurs(&format!("{source}=+v{number}.")));
    }
    occurs("c=+unknown.");
    let letters = ['x', 'y', 'z', 'w'];
    for at in 0..4 {
        for letter in letters {
            let has = |field: &&str| {
                field.starts_with("a=") && field.as_bytes()[field.len() - 4 + at] == letter as u8
            };
            assert!(fields.iter().any(has), "component {at} never takes {letter}");
        }
    }
    for mask in 1..16 {
        let mask = components(Mask(mask));
        for target in ["mac>r5.", "ilu>r1.", "out>mac:o0.", "out>ilu:o0."] {
            assert!(fields.contains(format!("{target}{mask}").as_str()), "{target}{mask} does not occur");
        }
    }
    (0..12).for_each(|number| ["mac", "ilu"].iter().for_each(|unit| occurs(&format!("{unit}>r{number}."))));
    (0..16)
        .for_each(|number| ["mac", "ilu"].iter().for_each(|unit| occurs(&format!("out>{unit}:o{number}."))));
    ["out>mac:c[", "out>ilu:c[", "mac>a0.x", "end=0", "end=1"].into_iter().for_each(occurs);
    for row in [0, 95, 96, 191] {
        occurs(&format!("c[{row}]"));
    }
}
