//! The passthrough slot: which writes gather, which commit, and stale words.

use crate::{ONE, Seen, THREE, TWO, copying, load, run_programs, seen, unit, vector, word};
use xfjit::xf::{Chip, Command, Payload, Type};

const WORDS: [u32; 4] = [0x11, 0x22, 0x33, 0x44];

#[test]
fn nop_stores_its_payload_in_the_slot_and_does_nothing_else() {
    for &chip in Chip::ALL {
        let mut unit = unit(chip);
        unit.record();
        vector(&mut unit, Type::Nop, 3, WORDS);
        assert_eq!(unit.pass(), WORDS);
        let mut other = crate::unit(chip);
        vector(&mut other, Type::Nop, 0, WORDS);
        assert_eq!(unit.save(), other.save());
        assert_eq!(seen(&mut unit), []);
    }
}

#[test]
fn sync_stores_its_payload_in_the_slot() {
    for &chip in Chip::ALL {
        let mut unit = unit(chip);
        // As FE sends it: both words of the upper pair.
        unit.command(Command::pair(Type::Sync, 0, 2, [7, 7]));
        assert_eq!(unit.pass(), [0, 0, 7, 7]);
    }
}

#[test]
fn param_gathers_and_sends_nothing() {
    for chip in crate::PROGRAMMABLE {
        let mut unit = copying(chip);
        vector(&mut unit, Type::Param, 0, WORDS);
        assert_eq!(unit.pass(), WORDS);
        assert_eq!(seen(&mut unit), []);
    }
}

#[test]
fn words_0_to_2_merely_gather_and_word_3_sends_the_vector_to_xfctx() {
    for &chip in Chip::ALL {
        let mut unit = unit(chip);
        for at in 0..3 {
            word(&mut unit, Type::Xfctx, 5, at, WORDS[usize::from(at)]);
            assert_eq!(unit.xfctx(5), [0; 4]);
        }
        word(&mut unit, Type::Xfctx, 5, 3, WORDS[3]);
        assert_eq!(unit.xfctx(5), WORDS);
    }
}

#[test]
fn a_pair_that_begins_at_word_2_sends_the_vector_to_xfctx() {
    for &chip in Chip::ALL {
        let mut unit = unit(chip);
        unit.command(Command::pair(Type::Xfctx, 5, 0, [1, 2]));
        assert_eq!(unit.xfctx(5), [0; 4]);
        unit.command(Command::pair(Type::Xfctx, 5, 2, [3, 4]));
        assert_eq!(unit.xfctx(5), [1, 2, 3, 4]);
    }
}

#[test]
fn a_short_upload_takes_its_other_words_from_whatever_the_slot_held() {
    for &chip in Chip::ALL {
        let mut unit = unit(chip);
        vector(&mut unit, Type::Nop, 0, WORDS);
        word(&mut unit, Type::Xfctx, 6, 3, 9);
        assert_eq!(unit.xfctx(6), [0x11, 0x22, 0x33, 9]);
        // Also from an upload to somewhere else.
        word(&mut unit, Type::Xfctx, 7, 1, 8);
        word(&mut unit, Type::Xfctx, 8, 3, 10);
        assert_eq!(unit.xfctx(8), [0x11, 8, 0x33, 10]);
    }
}

#[test]
fn ltctx_commits_on_word_2_and_takes_three_words() {
    for chip in [Chip::Nv10, Chip::Nv20, Chip::Nv25, Chip::Nv30] {
        let mut unit = unit(chip);
        word(&mut unit, Type::Ltctx, 5, 0, ONE);
        word(&mut unit, Type::Ltctx, 5, 1, TWO);
        word(&mut unit, Type::Ltctx, 5, 3, THREE);
        assert_eq!(unit.ltctx(5), [0; 3]);
        word(&mut unit, Type::Ltctx, 5, 2, THREE);
        assert_eq!(unit.ltctx(5), [ONE, TWO, THREE]);
        unit.command(Command::pair(Type::Ltctx, 6, 2, [ONE, ONE]));
        assert_eq!(unit.ltctx(6), [ONE, TWO, ONE]);
    }
}

#[test]
fn ltc_commits_on_any_word_and_takes_word_0() {
    for at in 0..4 {
        let mut unit = unit(Chip::Nv15);
        word(&mut unit, Type::Nop, 0, 0, TWO);
        word(&mut unit, Type::Ltc1, 3, at, THREE);
        let want = if at == 0 { THREE } else { TWO };
        assert_eq!(unit.ltc(1, 3), want, "word {at}");
    }
}

#[test]
fn xfpr_stores_the_whole_slot_with_every_word() {
    let mut unit = unit(Chip::Nv30);
    word(&mut unit, Type::Xfpr, 9, 0, 0x11);
    assert_eq!(unit.xfpr(9), [0x11, 0, 0, 0]);
    word(&mut unit, Type::Xfpr, 9, 3, 0x44);
    assert_eq!(unit.xfpr(9), [0x11, 0, 0, 0x44]);
    // A partly uploaded instruction is visible, made of stale words.
    word(&mut unit, Type::Xfpr, 10, 1, 0x22);
    assert_eq!(unit.xfpr(10), [0x11, 0x22, 0, 0x44]);
}

#[test]
fn mode_commits_on_the_last_word() {
    let mut unit = unit(Chip::Nv20);
    word(&mut unit, Type::Mode, 0, 0, 1);
    word(&mut unit, Type::Mode, 0, 1, 2);
    word(&mut unit, Type::Mode, 0, 2, 3);
    assert_eq!(unit.xfmode(0), [0; 4]);
    word(&mut unit, Type::Mode, 0, 3, 4);
    assert_eq!(unit.xfmode(0), [1, 2, 3, 4]);
}

#[test]
fn mode_has_two_vectors_on_rankine_and_none_on_curie() {
    let mut rankine = unit(Chip::Nv30);
    vector(&mut rankine, Type::Mode, 1, WORDS);
    assert_eq!((rankine.xfmode(0), rankine.xfmode(1)), ([0; 4], WORDS));
    let mut curie = unit(Chip::Nv40);
    vector(&mut curie, Type::Mode, 0, WORDS);
    assert_eq!(curie.xfmode(0), [0; 4]);
}

#[test]
fn xtra_commits_on_any_word() {
    let mut unit = unit(Chip::Nv30);
    word(&mut unit, Type::Xtra, 0, 1, 0x22);
    assert_eq!(unit.xtra(0), [0, 0x22, 0, 0]);
    // The timeout is the lower 16 bits of word 0 of vector 2.
    word(&mut unit, Type::Xtra, 2, 0, 0x5_0003);
    assert_eq!(unit.xtra(2), [3, 0, 0, 0]);
}

#[test]
fn passthru_passes_words_0_and_1_in_order_with_vertices() {
    for chip in crate::PROGRAMMABLE {
        let mut unit = copying(chip);
        word(&mut unit, Type::Vab, 0, 0, TWO);
        unit.vertex();
        unit.command(Command::pair(Type::Passthru, 0, 0, [0x40, 0x1234]));
        word(&mut unit, Type::Vab, 0, 0, THREE);
        unit.vertex();
        unit.command(Command::pair(Type::Passthru, 0, 0, [0x44, 0x5678]));
        let want = [
            Seen::Row([TWO, 0, 0, ONE]),
            Seen::Bundle([0x40, 0x1234]),
            Seen::Row([THREE, 0, 0, ONE]),
            Seen::Bundle([0x44, 0x5678]),
        ];
        assert_eq!(seen(&mut unit), want, "{chip:?}");
        assert_eq!(unit.pass()[..2], [0x44, 0x5678]);
    }
}

#[test]
fn passthru_commits_on_word_1() {
    let mut unit = unit(Chip::Nv10);
    word(&mut unit, Type::Passthru, 0, 0, 0x40);
    assert_eq!(seen(&mut unit), []);
    word(&mut unit, Type::Passthru, 0, 1, 5);
    assert_eq!(seen(&mut unit), [Seen::Bundle([0x40, 5])]);
}

#[test]
fn run_reads_the_slot_and_leaves_it_alone() {
    for chip in crate::WRITING {
        let mut unit = unit(chip);
        load(&mut unit, 4, "MOV c[100], v0");
        vector(&mut unit, Type::Param, 0, WORDS);
        unit.command(Command { kind: Type::Run, slot: 0, word: 0, payload: Payload::Word(4) });
        assert_eq!(unit.pass(), WORDS);
        assert_eq!(unit.xfctx(100), WORDS, "{chip:?}");
    }
}

#[test]
fn types_that_a_family_lacks_only_gather() {
    for (chip, kind) in [
        (Chip::Nv10, Type::Xfpr),
        (Chip::Nv10, Type::Param),
        (Chip::Nv10, Type::Run),
        (Chip::Nv10, Type::Xtra),
        (Chip::Nv20, Type::Xtra),
        (Chip::Nv20, Type::Unused),
        (Chip::Nv30, Type::Ltc0),
        (Chip::Nv40, Type::Mode),
        (Chip::Nv40, Type::Ltctx),
        (Chip::Nv40, Type::Ltc3),
    ] {
        let (mut one, mut other) = (unit(chip), unit(chip));
        vector(&mut one, kind, 0, WORDS);
        vector(&mut other, Type::Nop, 0, WORDS);
        assert_eq!(one.save(), other.save(), "{chip:?} {kind:?}");
    }
}

#[test]
fn sync_waits_for_all_vertices() {
    let mut unit = copying(Chip::Nv2a);
    word(&mut unit, Type::Vab, 0, 0, TWO);
    unit.vertex();
    assert_eq!(unit.stats().vertices, 0);
    unit.command(Command::pair(Type::Sync, 0, 2, [0, 0]));
    assert_eq!(unit.stats().vertices, 1);
    run_programs(&mut unit, false);
    assert_eq!(seen(&mut unit), [Seen::Row([TWO, 0, 0, ONE])]);
}
