//! Counted by hand from registers.

use super::*;
use crate::chip::flipper::memory::Memory;
use crate::chip::flipper::transform::Vertices;
use crate::timing::{Grade, Refused};

fn memory(words: &[(u16, u32)]) -> Memory {
    let mut memory = Memory::new();
    for &(address, word) in words {
        memory.write(address, &[word]);
    }
    memory
}

fn work(words: &[(u16, u32)]) -> Work {
    Work::new(&memory(words), Vertices::default())
}

#[test]
fn work_is_counted_by_registers() {
    let position = Work { position: 3, ..Work::default() };
    assert_eq!(work(&[]), position);
    // Normals: one, three; 3 is as 2 (flipper.md 2).
    let normals = |count: u32| work(&[(0x1008, count << 2)]).normals;
    assert_eq!([0, 1, 2, 3].map(normals), [0, 3, 9, 9]);
    // Two texture coordinates of two and three rows, then with a second transformation.
    let texgens = [(0x103f, 2), (0x1040, 5 << 7), (0x1041, 6 << 7 | 2)];
    assert_eq!(work(&texgens), Work { texcoords: 5, ..position });
    assert_eq!(work(&[&texgens[..], &[(0x1012, 1)]].concat()).texcoords, 5 + 6);
    // Embossing, colours.
    assert_eq!(work(&[(0x103f, 2), (0x1040, 1 << 4), (0x1041, 2 << 4)]).texcoords, 2);
    // Lights 0 and 7 in colour, 0 and 1 in alpha, of the one channel that leaves; then of both; none where lighting is off.
    let lit = |lights: u32| 2 | (lights & 15) << 2 | (lights >> 4) << 11;
    let channels = [(0x100e, lit(0x81)), (0x100f, lit(0x02)), (0x1010, lit(0x03)), (0x1011, 1 << 2)];
    let lights = |count: u32| work(&[&channels[..], &[(0x1009, count)]].concat()).lights;
    assert_eq!([0, 1, 2, 3].map(lights), [0, 3, 4, 4]);
}

#[test]
fn the_slowest_engine_decides() {
    let values = Values::of_flipper();
    let clocks = |values: &Values, position, normals, texcoords, lights| {
        Cost::new(values, &Work { position, normals, texcoords, lights }).clocks
    };
    assert_eq!(clocks(&values, 3, 0, 0, 0), 4);
    assert_eq!(clocks(&values, 3, 3, 0, 1), 6);
    assert_eq!(clocks(&values, 3, 3, 2, 2), 8);
    assert_eq!(clocks(&values, 3, 3, 2, 8), 32);
    let one_after_the_other = values.clone().with("beside", 0);
    assert_eq!(clocks(&one_after_the_other, 3, 3, 2, 2), 16);
    let free = values.with("row", 0).with("light", 1).with("vertex", 2);
    assert_eq!([clocks(&free, 3, 3, 2, 1), clocks(&free, 3, 3, 2, 8)], [2, 8]);
}

#[test]
fn no_rate_of_it_is_documented() {
    assert!(Values::of_flipper().all().all(|(_, choice, _)| choice.grade != Grade::Documented));
    assert!(Values::of_flipper().all().all(|(parameter, choice, value)| {
        choice.value == value && parameter.plausible.contains(&value) && !choice.why.is_empty()
    }));
    assert_eq!(Values::of_flipper().set("ilu", 2), Err(Refused::Name));
}

#[test]
fn a_target_is_seven_bits() {
    assert_eq!(target(&memory(&[])), None);
    assert_eq!(target(&memory(&[(0x1007, 0xffff_ff08)])), Some(8));
    assert_eq!(target(&memory(&[(0x1007, 0x80)])), None);
}
