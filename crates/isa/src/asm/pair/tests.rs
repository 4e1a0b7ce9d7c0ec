//! What shares a slot and what does not: an example for each rule of [`super::merge`].

use super::*;
use crate::asm::{parse_with_reading, print_as};
use crate::isa::PairedScalar;

/// Pairs alone: everything else stays as it is written.
const PAIRS: Passes = Passes { pair: true, ..Passes::NONE };

fn shortened(generation: Generation, text: &str, passes: Passes) -> Vec<String> {
    let (program, reading) = parse_with_reading(generation, Reading::default(), text)
        .unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
    let Paired { program, .. } = pair(generation, reading, &program, passes);
    print_as(generation, reading, &program).lines().map(str::to_owned).collect()
}

/// What becomes of programs, or that they stay as they are where nothing is expected. A slash ends a line.
fn check_passes(passes: Passes, generation: Generation, cases: &[(&str, &str)]) {
    for &(text, expected) in cases {
        let [text, expected] =
            [text, if expected.is_empty() { text } else { expected }].map(|text| text.replace(" / ", "\n"));
        let expected = shortened(generation, &expected, Passes::NONE);
        assert_eq!(shortened(generation, &text, passes), expected, "{text}");
    }
}

/// What shares slots.
fn check(generation: Generation, cases: &[(&str, &str)]) {
    check_passes(PAIRS, generation, cases);
}

const KELVIN: Generation = Generation::Kelvin;
const RANKINE: Generation = Generation::Rankine;
const CURIE: Generation = Generation::Curie;

#[test]
fn units() {
    check(
        KELVIN,
        &[
            ("MUL oD0, v0, c[0] / RCP r1.x, v0.w", "MUL oD0, v0, c[0] + RCP r1.x, v0.w"),
            ("RCP r1.x, v0.w / MUL oD0, v0, c[0]", "MUL oD0, v0, c[0] + RCP r1.x, v0.w"),
            // A MOV goes to the unit that is free.
            ("MUL r0, v0, c[0] / MOV oD0, v0", "MUL r0, v0, c[0] + MOV oD0, v0"),
            ("MOV oD0, v0 / RCP r1.x, v0.w", "MOV oD0, v0 + RCP r1.x, v0.w"),
            ("MOV oD0, v0 / MOV r1, -v0.wzyx", "MOV oD0, v0 + MOV r1, -v0.wzyx"),
            ("IMV r1, c[2] / MUL oD0, v0, v0", "MUL oD0, v0, v0 + MOV r1, c[2]"),
            ("MUL r0, v0, c[0] / ADD r2, v0, c[0]", ""),
            ("RCP r1.x, v0.w / RSQ r1.y, v0.w", ""),
            // What is paired already stays so.
            ("MUL r0, v0, c[0] + RCP r1.x, v0.w / MOV oD0, v0", ""),
        ],
    );
}

#[test]
fn results_are_there_in_the_next_slot() {
    check(
        KELVIN,
        &[
            ("DP3 r0.w, v0, v0 / RSQ r1.w, r0.w", ""),
            ("RSQ r1.w, v0.w / MUL oD0, v0, r1.w", ""),
            // Other components are no result of it.
            ("DP3 r0.w, v0, v0 / RSQ r1.w, r0.x", "DP3 r0.w, v0, v0 + RSQ r1.w, r0.x"),
            // Both units read before either writes.
            ("MUL oD0, r1, c[0] / RCP r1.x, v0.w", "MUL oD0, r1, c[0] + RCP r1.x, v0.w"),
            ("RCP r1.x, r2.w / MUL r2, v0, c[0]", "MUL r2, v0, c[0] + RCP r1.x, r2.w"),
            ("MUL oPos, v0, c[0] / RCP r1.x, r12.w", ""),
            ("RCP r1.x, r12.w / MUL oPos, v0, c[0]", "MUL oPos, v0, c[0] + RCP r1.x, r12.w"),
            ("ARL a0.x, v0.x / IMV oD0, c[a0 + 2]", ""),
            ("IMV oD0, c[a0 + 2] / ARL a0.x, v0.x", "ARL a0.x, v0.x + MOV oD0, c[a0 + 2]"),
            ("MUL c[3], v0, c[3] / RCP r1.x, c[3].w", ""),
            ("RCP r1.x, c[3].w / MUL c[3], v0, c[3]", "MUL c[3], v0, c[3] + RCP r1.x, c[3].w"),
            ("MUL c[3], v0, v0 / IMV r1, c[a0 + 7]", ""),
            ("MUL c[3], v0, v0 / IMV r1, c[4]", "MUL c[3], v0, v0 + MOV r1, c[4]"),
        ],
    );
}

#[test]
fn one_attribute_and_one_row() {
    check(
        KELVIN,
        &[
            ("MUL oD0, v1, r0 / RCP r1.x, v2.x", ""),
            ("MUL oD0, c[1], r0 / RCP r1.x, c[2].x", ""),
            ("MUL oD0, c[a0 + 1], r0 / RCP r1.x, c[1].x", ""),
            (
                "MUL oD0, c[a0 + 1], r0 / RCP r1.x, c[a0 + 1].x",
                "MUL oD0, c[a0 + 1], r0 + RCP r1.x, c[a0 + 1].x",
            ),
            ("MUL oD0, v1, r0 / RCP r1.x, c[2].x", "MUL oD0, v1, r0 + RCP r1.x, c[2].x"),
        ],
    );
    check(
        CURIE,
        &[
            ("MUL oD0, v[a0.x + 1], r0 / RCP r1.x, v1.x", ""),
            ("MUL oD0, c[a0.x + 1], r0 / RCP r1.x, v[a0.y + 1].x", ""),
            ("MUL oD0, c[a0.x + 1], r0 / RCP r1.x, v[a1.x + 1].x", ""),
            (
                "MUL oD0, c[a0.x + 1], r0 / RCP r1.x, v[a0.x + 1].x",
                "MUL oD0, c[a0.x + 1], r0 + RCP r1.x, v[a0.x + 1].x",
            ),
            ("MUL o[a0.x + 1], v0, r0 / RCP r1.x, c[a0.y].x", ""),
            ("ARA a0, a1 / RCP r1.x, c[a0.x].x", ""),
        ],
    );
}

#[test]
fn source_c_is_for_both() {
    check(
        KELVIN,
        &[
            ("ADD r0, v0, r2 / RCP r1.x, r3.x", ""),
            ("MAD r0, v0, v0, r2 / RCP r1.x, -r2.x", ""),
            ("MAD r0, v0, v0, r2.y / RCP r1.x, r2.z", ""),
            ("MAD r0.yz, v0, v0, r2.y / RCP r1.x, r2.z", "MAD r0.yz, v0, v0, r2.zy + RCP r1.x, r2.z"),
            ("ADD r0, v0, r2 / RCP r1.x, r2.x", "ADD r0, v0, r2 + RCP r1.x, r2.x"),
            ("MUL r0, v0, r2 / RCP r1.x, r3.x", "MUL r0, v0, r2 + RCP r1.x, r3.x"),
        ],
    );
    check(RANKINE, &[("ADD r0, v0, r2 / RCP r1.x, |r2.x|", "")]);
    check(RANKINE, &[("MUL r0, v0, r2 / RCP r1.x, |r3.x|", "MUL r0, v0, r2 + RCP r1.x, |r3.x|")]);
}

#[test]
fn one_output() {
    check(
        KELVIN,
        &[
            ("MUL oD0, v0, v0 / IMV oD1, v0", ""),
            ("MUL oD0.xyz, v0, v0 / IMV oD0.w, v0", ""),
            ("MUL c[1], v0, v0 / IMV oD1, v0", ""),
            ("MUL c[1], v0, v0 / IMV r1, v0", "MUL c[1], v0, v0 + MOV r1, v0"),
        ],
    );
    // Rankine has a mask for each unit.
    check(
        RANKINE,
        &[
            ("MUL oD0.xyz, v0, v0 / IMV oD0.w, v0", "MUL oD0.xyz, v0, v0 + MOV oD0.w, v0"),
            ("MUL oD0.xyz, v0, v0 / IMV oD0.zw, v0", ""),
            ("MUL oD0.xyz, v0, v0 / IMV oD1.w, v0", ""),
            ("MUL c[1].x, v0, v0 / IMV c[1].w, v0", "MUL c[1].x, v0, v0 + MOV c[1].w, v0"),
        ],
    );
    check(
        CURIE,
        &[
            ("MUL oD0.xyz, v0, v0 / IMV oD0.w, v0", ""),
            ("MUL oD0.xyz, v0, v0 / RCP r7.w, v0.x", "MUL oD0.xyz, v0, v0 + RCP r7.w, v0.x"),
        ],
    );
}

#[test]
fn a_paired_scalar_result_goes_to_r1() {
    let far = ("MUL oD0, v0, v0 / RCP r2.x, v0.w", "");
    check(KELVIN, &[far, ("MUL r1.xyz, v0, v0 / RCP r1.w, v0.w", "")]);
    check(RANKINE, &[far]);
    check(
        CURIE,
        &[
            ("MUL oD0, v0, v0 / RCP r2.x, v0.w", "MUL oD0, v0, v0 + RCP r2.x, v0.w"),
            // What comes of two writes of one register is not known.
            ("MUL r2.xyz, v0, v0 / RCP r2.w, v0.w", ""),
        ],
    );
    // Where the scalar result shares the vector result's register there is no room for two.
    let shared = Reading { paired: PairedScalar::Shared, ..Reading::default() };
    let text = ".paired shared\nMUL r2, v0, v0\nRCP r1.x, v0.w\nMUL oD0, v0, v0\nRCP r3.x, v0.w";
    let (program, reading) = parse_with_reading(RANKINE, Reading::default(), text).expect("a program");
    assert_eq!(reading, shared);
    let Paired { program, from } = pair(RANKINE, reading, &program, PAIRS);
    let expected = ".paired shared\nMUL r2, v0, v0\nMUL oD0, v0, v0 + RCP r1.x, v0.w\nRCP r3.x, v0.w\n";
    assert_eq!(print_as(RANKINE, reading, &program), expected);
    assert_eq!(from, [[Some(0), None], [Some(2), Some(1)], [None, Some(3)]]);
}

#[test]
fn one_condition_and_one_update() {
    check(
        RANKINE,
        &[
            ("MUL r0 (GT), v0, v0 / RCP r1.x, v0.w", ""),
            ("MUL r0 (GT), v0, v0 / RCP r1.x (LT), v0.w", ""),
            (
                "MUL r0 (GT.x), v0, v0 / RCP r1.x (GT.x), v0.w",
                "MUL r0 (GT.x), v0, v0 + RCP r1.x (GT.x), v0.w",
            ),
            ("MULC r0, v0, v0 / RCP r1.x, v0.w", "MULC r0, v0, v0 + RCP r1.x, v0.w"),
            ("MULC r0, v0, v0 / RCPC r1.x, v0.w", ""),
            // Beside a vector operation the scalar result updates nothing on Rankine.
            ("MUL r0, v0, v0 / RCPC r1.x, v0.w", ""),
            ("MULC r0, v0, v0 / RCP r1.x (GT), v0.w", ""),
            ("RCP r1.x (GT), v0.w / MULC r0, v0, v0", ""),
        ],
    );
    check(
        CURIE,
        &[
            ("MUL r0, v0, v0 / RCPC r1.x, v0.w", "MUL r0, v0, v0 + RCPC r1.x, v0.w"),
            ("MULC1 r0 (GT1), v0, v0 / RCP r1.x (GT1), v0.w", ""),
            ("MUL_SAT r0, v0, v0 / RCP r1.x, v0.w", ""),
            ("MUL_SAT r0, v0, v0 / RCP_SAT r1.x, v0.w", "MUL_SAT r0, v0, v0 + RCP_SAT r1.x, v0.w"),
            // Addresses are not saturated.
            ("ARL a0.x, v0 / RCP_SAT r1.x, v0.w", "ARL a0.x, v0.x + RCP_SAT r1.x, v0.w"),
            ("TXL r3, r4, tex2 / RCP r5.x, r6.x", "TXL r3, r4, tex2 + RCP r5.x, r6.x"),
        ],
    );
}

#[test]
fn branches_share_a_slot_with_the_last_operation_before_them() {
    check(
        RANKINE,
        &[
            (
                "MUL r0, v0, c[0] / BRA 3 / NOP / MOV oPos, r0",
                "MUL r0, v0, c[0] + BRA L1 / L1: / MOV oPos, r0",
            ),
            // The target lies over source C.
            (
                "ADD r0, v0, c[0] / BRA 3 / NOP / MOV oPos, r0",
                "ADD r0, v0, c[0] / BRA L2 / L2: / MOV oPos, r0",
            ),
            // A test without a condition of the write beside it is read in two ways.
            ("MUL r0, v0, c[0] / BRA 3 (GT.x) / MOV r0, v1 / MOV oPos, r0", ""),
            (
                "MUL r0 (GT.x), v0, c[0] / BRA 3 (GT.x) / MOV r0, v1 / MOV oPos, r0",
                "MUL r0 (GT.x), v0, c[0] + BRA L2 (GT.x) / MOV r0, v1 / L2: / MOV oPos, r0",
            ),
            ("MULC r0 (GT.x), v0, c[0] / BRA 3 (GT.x) / MOV r0, v1 / MOV oPos, r0", ""),
            (
                "CAL 3 / MOV oPos, r0 + END / NOP / MUL r0, v0, v0 / RET",
                "CAL L2 / MOV oPos, r0 + END / L2: / MUL r0, v0, v0 + RET",
            ),
        ],
    );
    check(
        CURIE,
        &[
            (
                "MUL r0, v0, c[0] / BRB 3, b1 / MOV r0, v1 / MOV oPos, r0",
                "MUL r0, v0, c[0] + BRB L2, b1 / MOV r0, v1 / L2: / MOV oPos, r0",
            ),
            ("ARL a0.x, v0 / PUSHA a0 / POPA a1 / MOV oPos, c[a1.x]", ""),
            ("MUL r0, v0, v0 / PUSHA a0 / POPA a1 / MOV oPos, r0", ""),
        ],
    );
}

#[test]
fn nothing_crosses_a_border() {
    check(
        RANKINE,
        &[
            // A label.
            ("BRA 2 (GT.x) / MUL r0, v0, v0 / RCP r1.x, v0.x", ""),
            // An END that is not the last slot.
            ("BRA 3 (GT.x) / MUL r0, v0, v0 / MOV oPos, r0 + END / RCP r1.x, v0.x", ""),
            // A branch to where an address register says may go anywhere.
            ("BRAI a0.x / MUL r0, v0, v0 / RCP r1.x, v0.x", ""),
        ],
    );
}

#[test]
fn dead_code() {
    let dead = Passes { dead: true, ..Passes::NONE };
    let cases: &[(Generation, &str, &str)] = &[
        (KELVIN, "MOV r0, v0 / MOV r1, v1 / MOV oPos, r0", "MOV r0, v0 / MOV oPos, r0"),
        (KELVIN, "MUL r0, v0, c[1] / MOV oD0.x, r0", "MUL r0.x, v0, c[1] / MOV oD0.x, r0"),
        (KELVIN, "MOV oD0, v0 / MOV oD0, v1", "MOV oD0, v1"),
        (KELVIN, "MOV oD0, v0 / MOV oD0.x, v1", "MOV oD0, v0 / MOV oD0.x, v1"),
        // oPos is read back, constants may be read by a later vertex.
        (KELVIN, "MOV oPos, v0 / MOV r0, r12 / MOV oPos, r0", ""),
        (KELVIN, "MOV c[1], v0 / MOV c[1], v1", ""),
        // Any write of oFog leaves the fog value, or none does but x.
        (KELVIN, "MOV oFog.y, v0 / MOV oFog, v1", "MOV oFog, v1"),
        (KELVIN, "MOV oFog, v0 / MOV oFog.yzw, v1", ""),
        (KELVIN, "MOV r0, v0 + RCP r1.x, v0.x / MOV oD0, r1.x", "RCP r1.x, v0.x / MOV oD0, r1.x"),
        (KELVIN, "ARL a0.x, v0.x / MOV oD0, c[3]", "MOV oD0, c[3]"),
        (KELVIN, "MOV r0, v0", "NOP"),
        (RANKINE, "MOV r0, v0 / MOV r0 (GT), v1 / MOV oPos, r0", ""),
        (RANKINE, "MOVC r0, v0 / MOV oPos (GT), v1", "MOVC cc, v0 / MOV oPos (GT), v1"),
        (RANKINE, "MOVC r0, v0 / MOV oPos, r0", "MOV r0, v0 / MOV oPos, r0"),
        (
            RANKINE,
            "MOV r0, v0 / BRA 3 (GT) / MOV r1, v1 / MOV oPos, r0",
            "MOV r0, v0 / BRA L2 (GT) / L2: / MOV oPos, r0",
        ),
        // A stack that is full ends the program with the outputs that there are.
        (RANKINE, "MOV oPos, v0 / CAL 3 / NOP + END / MOV oPos, v1 / RET", ""),
        (CURIE, "MOV oPos, v0 / MOV o[a0.x], v1 / MOV oPos, v2", "MOV o[a0.x], v1 / MOV oPos, v2"),
        (CURIE, "PUSHA a0 / POPA a1", ""),
        (CURIE, "MOV oPos, v1 + POPA a1 / MOV oPos, v0", ""),
    ];
    for &(generation, text, expected) in cases {
        check_passes(dead, generation, &[(text, expected)]);
    }
}

#[test]
fn temporaries_are_used_again() {
    let rename = Passes { rename: true, ..Passes::NONE };
    let cases: &[(Generation, &str, &str)] = &[
        (
            CURIE,
            "MOV r9, v0 / MUL oD0, r9, r9 / MOV r7, v1 / MUL oD1, r7, r7",
            "MOV r0, v0 / MUL oD0, r0, r0 / MOV r0, v1 / MUL oD1, r0, r0",
        ),
        // Components of one register are several values, if nobody reads them together.
        (
            CURIE,
            "DP3 r5.x, v0, v0 / DP3 r6.y, v0, v0 / MUL oD0, r5.x, c[0] / MUL oD1, r6.y, c[0]",
            "DP3 r0.x, v0, v0 / DP3 r0.y, v0, v0 / MUL oD0, r0.x, c[0] / MUL oD1, r0.y, c[0]",
        ),
        // What nothing has written reads as it did.
        (CURIE, "MOV r9, v0 / MUL oD0, r9, r0", "MOV r1, v0 / MUL oD0, r1, r0"),
        (CURIE, "MOV r9.x, v0 / MUL oD0, r9, v0", ""),
        (
            CURIE,
            "MOV r9, v0 / MOV r9.x (GT), v1 / MOV oD0, r9",
            "MOV r0, v0 / MOV r0.x (GT), v1 / MOV oD0, r0",
        ),
        // What another block reads stays where it is.
        (
            CURIE,
            "MOV r9, v0 / MOV r8, r9 / BRA 4 (GT) / MOV r8, v1 / MOV oD0, r8",
            "MOV r0, v0 / MOV r8, r0 / BRA L4 (GT) / MOV r8, v1 / L4: / MOV oD0, r8",
        ),
        // r1 is for scalar results.
        (
            KELVIN,
            "MOV r1, v0 / RCP r5.x, v0.x / MUL oD0, r1, r5.x",
            "MOV r0, v0 / RCP r1.x, v0.x / MUL oD0, r0, r1.x",
        ),
    ];
    for &(generation, text, expected) in cases {
        check_passes(rename, generation, &[(text, expected)]);
    }
}

#[test]
fn renaming_makes_room_for_pairs() {
    let text = "DP3 r0.w, v0, v0\nRSQ r0.w, r0.w\nMUL oT0, v0, c[1]\nMUL oD0, v0, r0.w";
    let both = Passes { rename: true, ..PAIRS };
    let expected = ["DP3 r0.w, v0, v0", "MUL oT0, v0, c[1] + RSQ r1.w, r0.w", "MUL oD0, v0, r1.w"];
    assert_eq!(shortened(KELVIN, text, both), expected);
    assert_eq!(shortened(KELVIN, text, PAIRS).len(), 4);
}

#[test]
fn long_ways_come_first() {
    let order = Passes { order: true, ..Passes::NONE };
    let text = "MOV oT0, v0\nMOV oT1, v1\nDP3 r0.w, v0, v0\nRSQ r0.w, r0.w\nMUL oD0, v0, r0.w";
    let expected = ["DP3 r0.w, v0, v0", "MOV oT0, v0", "MOV oT1, v1", "RSQ r0.w, r0.w", "MUL oD0, v0, r0.w"];
    let got = shortened(KELVIN, text, order);
    assert_eq!(got[0], expected[0]);
    assert_eq!(
        got.iter().collect::<std::collections::BTreeSet<_>>(),
        expected.map(str::to_owned).iter().collect()
    );
}

#[test]
fn passes_have_names() {
    let all = Passes::NAMES.iter().try_fold(Passes::NONE, |passes, name| passes.with(name));
    assert_eq!(all, Some(Passes::ALL));
    assert_eq!(Passes::NONE.with("pair"), Some(PAIRS));
    assert_eq!(Passes::NONE.with("pairs"), None);
}
