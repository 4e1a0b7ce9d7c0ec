//! RDI: index spaces, word order, packing.

use crate::{ONE, THREE, TWO, unit, vector, word};
use xfjit::xf::{Chip, RdiError, Type, XfUnit};

const WORDS: [u32; 4] = [0x11, 0x22, 0x33, 0x44];
const WITH_RDI: [Chip; 6] = [Chip::Nv20, Chip::Nv2a, Chip::Nv25, Chip::Nv30, Chip::Nv34, Chip::Nv35];

fn read(unit: &mut XfUnit, space: u32, index: u32) -> [u32; 4] {
    [0, 4, 8, 12].map(|at| unit.rdi_read(space, 16 * index + at).expect("it exists"))
}

fn write(unit: &mut XfUnit, space: u32, index: u32, words: [u32; 4]) {
    for (at, word) in (0..).step_by(4).zip(words) {
        unit.rdi_write(space, 16 * index + at, word).expect("it exists");
    }
}

#[test]
fn vab_is_space_15_with_w_at_the_lowest_address() {
    for chip in WITH_RDI {
        let mut unit = unit(chip);
        vector(&mut unit, Type::Vab, 3, WORDS);
        assert_eq!(read(&mut unit, 0x15, 3), [0x44, 0x33, 0x22, 0x11]);
        write(&mut unit, 0x15, 4, WORDS);
        assert_eq!(unit.attribute(4), [0x44, 0x33, 0x22, 0x11]);
    }
}

#[test]
fn vab_has_17_vectors_and_the_last_is_the_passthrough_slot() {
    for chip in WITH_RDI {
        let mut unit = unit(chip);
        vector(&mut unit, Type::Nop, 0, WORDS);
        assert_eq!(read(&mut unit, 0x15, 16), [0x44, 0x33, 0x22, 0x11]);
        write(&mut unit, 0x15, 16, [1, 2, 3, 4]);
        assert_eq!(unit.pass(), [4, 3, 2, 1]);
        let error = unit.rdi_read(0x15, 17 * 16);
        assert_eq!(error, Err(RdiError::OutOfRange { space: 0x15, address: 17 * 16 }));
    }
}

#[test]
fn xfctx_is_space_17_in_the_same_order() {
    for chip in WITH_RDI {
        let mut unit = unit(chip);
        vector(&mut unit, Type::Xfctx, 9, WORDS);
        assert_eq!(read(&mut unit, 0x17, 9), [0x44, 0x33, 0x22, 0x11]);
        let last = chip.sizes().xfctx as u32 - 1;
        write(&mut unit, 0x17, last, WORDS);
        assert_eq!(unit.xfctx(last as usize), [0x44, 0x33, 0x22, 0x11]);
        assert!(unit.rdi_write(0x17, 16 * (last + 1), 0).is_err());
    }
}

/// The vectors of XTRA lie behind XFPR, and what is written there counts: the timeout, and the slots of indirect branches.
#[test]
fn xtra_lies_behind_xfpr() {
    let mut unit = crate::copying(Chip::Nv30);
    vector(&mut unit, Type::Xtra, 1, WORDS);
    assert_eq!(read(&mut unit, 0x10, 0x119), [0x44, 0x33, 0x22, 0x11]);
    crate::load(&mut unit, 0, "MOV o0.x, v0\nMOV o0.y, v0.x\nMOV o0.z, v0.x");
    write(&mut unit, 0x10, 0x11a, [0, 0, 0, 2]);
    assert_eq!(unit.xtra(2), [2, 0, 0, 0]);
    word(&mut unit, Type::Vab, 0, 0, TWO);
    unit.vertex();
    assert_eq!(crate::rows(&mut unit), [[TWO, TWO, 0, ONE]]);
    assert_eq!(unit.stats().faults.timeouts, 1);
    // The first entry of the table is the lower half of its first word.
    crate::load(&mut unit, 0, "BRAI a0.x\nNOP\nMOV o0, v0");
    write(&mut unit, 0x10, 0x11a, [0, 0, 0, 0xffff]);
    write(&mut unit, 0x10, 0x118, [0, 0, 0, 2]);
    word(&mut unit, Type::Vab, 0, 0, THREE);
    unit.vertex();
    assert_eq!(crate::rows(&mut unit)[0][0], THREE);
    assert!(unit.rdi_read(0x10, 16 * 0x11b).is_err());
}

#[test]
fn xfpr_is_space_10_with_dword_3_at_the_lowest_address() {
    for chip in WITH_RDI {
        let mut unit = unit(chip);
        crate::load(&mut unit, 0, "MOV o0, v0");
        let image = read(&mut unit, 0x10, 0);
        let [d0, d1, d2, d3] = unit.xfpr(0);
        assert_eq!(image, [d3, d2, d1, d0]);
        // What is written through RDI runs.
        write(&mut unit, 0x10, 7, image);
        crate::run_programs(&mut unit, false);
        unit.set(xfjit::xf::Register::Outputs, 1);
        unit.set(xfjit::xf::Register::Start, 7);
        word(&mut unit, Type::Vab, 0, 0, TWO);
        unit.vertex();
        assert_eq!(crate::rows(&mut unit), [[TWO, 0, 0, ONE]]);
    }
}

#[test]
fn ltctx_packs_z_y_x_from_the_lowest_bit_22_bits_each() {
    for (chip, space) in [(Chip::Nv20, 0x18), (Chip::Nv30, 0x16)] {
        let mut unit = unit(chip);
        vector(&mut unit, Type::Ltctx, 5, [ONE, TWO, THREE, 0]);
        let [x, y, z] = [ONE, TWO, THREE].map(|number| u128::from(number >> 10));
        let bits =
            read(&mut unit, space, 5).into_iter().rev().fold(0, |bits, word| bits << 32 | u128::from(word));
        assert_eq!(bits, x << 44 | y << 22 | z);
        write(&mut unit, space, 6, [u32::MAX, 0, 0, u32::MAX]);
        assert_eq!(unit.ltctx(6), [0, 0x3ff << 10, 0xffff_fc00]);
    }
}

#[test]
fn nv25_has_vectors_in_space_18_and_colours_in_space_16() {
    let mut unit = unit(Chip::Nv25);
    for row in 0..0x4c {
        vector(&mut unit, Type::Ltctx, row, [u32::from(row) << 10, 0, 0, 0]);
    }
    // x is in bits 44 to 65.
    let mut row = |space, index| read(&mut unit, space, index)[1] >> 12;
    // Light 2: half vector and direction; its six colours.
    assert_eq!([4, 5].map(|index| row(0x18, index)), [0x13, 0x14]);
    assert_eq!([12, 13, 14, 15, 16, 17].map(|index| row(0x16, index)), [0x10, 0x11, 0x12, 0x15, 0x16, 0x17]);
    assert_eq!([0x10, 0x17, 0x18].map(|index| row(0x18, index)), [0x40, 0x47, 0x49]);
    assert_eq!([0x30, 0x31, 0x32].map(|index| row(0x16, index)), [0x48, 0x4b, 0x4a]);
}

#[test]
fn spaces_end_where_the_documents_say() {
    for (chip, space, size) in [
        (Chip::Nv20, 0x18, 0x4a),
        (Chip::Nv25, 0x18, 0x1a),
        (Chip::Nv25, 0x16, 0x34),
        (Chip::Nv30, 0x16, 0x36),
        (Chip::Nv20, 0x10, 0x88),
        (Chip::Nv30, 0x10, 0x118 + 3),
        (Chip::Nv20, 0x17, 0xc0),
        (Chip::Nv30, 0x17, 0x19c),
    ] {
        let mut unit = unit(chip);
        assert!(unit.rdi_read(space, 16 * size - 4).is_ok(), "{chip:?} {space:#x}");
        assert!(unit.rdi_read(space, 16 * size).is_err(), "{chip:?} {space:#x}");
    }
}

#[test]
fn ltc_is_flat_with_a_stride_of_32_bits_and_22_bits_right_aligned() {
    for (chip, firsts, size) in
        [(Chip::Nv20, [0, 4, 0x18, 0x27], 0x35), (Chip::Nv30, [u32::MAX, 0, 0x15, 0x22], 0x31)]
    {
        for (memory, first) in firsts.into_iter().enumerate().filter(|&(_, first)| first != u32::MAX) {
            let mut unit = unit(chip);
            word(&mut unit, [Type::Ltc0, Type::Ltc1, Type::Ltc2, Type::Ltc3][memory], 2, 0, TWO);
            assert_eq!(unit.rdi_read(0x19, 4 * (first + 2)), Ok(TWO >> 10), "{chip:?} LTC{memory}");
            unit.rdi_write(0x19, 4 * (first + 1), u32::MAX).expect("it exists");
            assert_eq!(unit.ltc(memory, 1), 0xffff_fc00);
        }
        assert!(unit(chip).rdi_read(0x19, 4 * size - 4).is_ok());
        assert!(unit(chip).rdi_read(0x19, 4 * size).is_err());
    }
}

#[test]
fn a_vector_is_stored_with_its_last_word_and_damaged_if_words_are_missing() {
    let mut unit = unit(Chip::Nv20);
    write(&mut unit, 0x17, 1, WORDS);
    unit.rdi_write(0x17, 0x24, 0x99).expect("it exists");
    assert_eq!(unit.xfctx(2), [0; 4]);
    unit.rdi_write(0x17, 0x2c, 0x88).expect("it exists");
    // Words that were not written are those of the vector before.
    assert_eq!(unit.xfctx(2), [0x88, 0x33, 0x99, 0x11]);
}

#[test]
fn rdi_sees_what_pending_vertices_have_written() {
    let mut unit = crate::copying(Chip::Nv20);
    crate::run_programs(&mut unit, true);
    crate::load(&mut unit, 0, "MOV c[100], v0");
    word(&mut unit, Type::Vab, 0, 0, TWO);
    unit.vertex();
    assert_eq!(read(&mut unit, 0x17, 100), [ONE, 0, 0, TWO]);
}

#[test]
fn celsius_and_curie_have_no_spaces_and_numbers_of_others_are_errors() {
    for (chip, space) in [
        (Chip::Nv10, 0x15),
        (Chip::Nv40, 0x17),
        (Chip::Nv20, 0x16),
        (Chip::Nv30, 0x18),
        (Chip::Nv20, 0x11),
        (Chip::Nv20, u32::MAX),
    ] {
        assert_eq!(unit(chip).rdi_read(space, 0), Err(RdiError::NoSpace { space }));
        assert_eq!(unit(chip).rdi_write(space, 0, 0), Err(RdiError::NoSpace { space }));
    }
    assert!(unit(Chip::Nv20).rdi_read(0x17, u32::MAX).is_err());
}
