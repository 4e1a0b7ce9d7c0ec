//! What the text of Rankine and Curie has and Kelvin's has not.

use Generation::{Curie, Rankine};

use super::*;
use crate::asm::print;
use crate::isa::{Unit, encode};

/// The text of `text` read and printed, without the last line end.
fn reprint(generation: Generation, text: &str) -> String {
    match parse(generation, text) {
        Ok(program) => print(generation, &program).trim_end().to_owned(),
        Err(errors) => panic!("{}", errors[0].render(text)),
    }
}

/// The one error of `text`.
fn error(generation: Generation, text: &str) -> String {
    match parse(generation, text) {
        Ok(program) => panic!("no error in {text}, read as {}", print(generation, &program)),
        Err(errors) => {
            assert_eq!(errors.len(), 1, "{errors:?}");
            errors[0].to_string()
        }
    }
}

#[test]
fn what_both_have_prints_as_it_is_written() {
    for generation in [Rankine, Curie] {
        for text in [
            "MOV oPos, v0",
            "MUL r0.xyz (GT.x), r1, |r2|",
            "ADD r0, -|v1.x|, r2",
            "MULC r0.xyz, r1, r2",
            "MOVC cc.xy, r0",
            "MOVC r0.xy (LT.yx), r1",
            "RCPC r0.w, r1.x",
            "SFL r0.x",
            "STR oD0.w (NE)",
            "ARL a0.xy, v0.yx",
            "ARRC a1 (EQ.x), -r3",
            "ARA a0.x, a1",
            "MOV r0, c[a1.w + 12]",
            "MOV r0, c[a0.x]",
            "ARA a1, a0 + RCP r1.x, c[a0.z + 3].x",
            "ADD r0, _, r1",
            "MUL r0, r1, r2 + RET (EQ.x)",
            "MUL r0 (EQ.x), r1, r2 + RET (EQ.x)",
            "BRAI a0.x",
            "CALI a1.y (GT.wzyx)",
            "BRA 7 (FL)",
            "MAD r0, r1, r2, r3 + BRA 27",
            "LG2 r1.x, |r2.w|",
        ] {
            assert_eq!(reprint(generation, text), text);
        }
    }
}

#[test]
fn what_only_one_has_prints_as_it_is_written() {
    for (generation, text) in [
        (Rankine, "MUL oClp5.x, r1.x, r2.x"),
        (Rankine, "MOV oT7, v15 + MOV r1, r2"),
        (Rankine, "MUL oD0.xyz, r1, r2 + RCP oD0.w, r3.x"),
        (Rankine, "MUL c[411], r1, r2"),
        (Rankine, "MULC r0.x, r1, r2 + MULC cc.xy, r1, r2"),
        (Rankine, "MOV r0, c[!500]"),
        (Curie, "MOV r0, c[!1000]"),
        (Curie, "MUL r47, r1, r2 + RSQ r46.x, r3.x"),
        (Curie, "MUL_SAT oT8, r1, r2 + MUL_SAT r5, r1, r2"),
        (Curie, "MULC1_SAT r0 (LE1.x), r1, r2"),
        (Curie, "MUL_SAT r0, r1, r2 + RCPC1_SAT r3.x, r4.x"),
        (Curie, "MOV o[a0.x + 2], v[a0.x + 1]"),
        (Curie, "MAD o[a1.y], v[a1.y + 1], c[a1.y + 2], v[a1.y + 1]"),
        (Curie, "TXL r0, v8, tex3"),
        (Curie, "BRB 7, !b31"),
        (Curie, "MOV r0 (GT.x), v1 + CLB 7, b0"),
        (Curie, "BRA 1023 (GE1)"),
        (Curie, "PUSHA a1"),
        (Curie, "POPA a0 (NE.x)"),
        (Curie, "POPA _ (FL)"),
        (Curie, "POPAC1 a1"),
        (Curie, "ARL a0, v0 + POPA _"),
    ] {
        assert_eq!(reprint(generation, text), text);
    }
}

#[test]
fn other_spellings_are_read() {
    for (text, printed) in [
        ("mulc0_sat R0 (gt0.x), R1, R2", "MULC_SAT r0 (GT.x), r1, r2"),
        ("MOV r0 (TR.x), v0", "MOV r0, v0"),
        ("MOV r0 (FL), v0", "NOP"),
        ("ABS r0, -r1", "MOV r0, |r1|"),
        ("MOV o[3], v[2]", "MOV oB0, v2"),
        ("MOV r0, c[a0 + 3]", "MOV r0, c[a0.x + 3]"),
        ("RCP_SAT r3.x, r4.x + MUL_SAT r0, r1, r2", "MUL_SAT r0, r1, r2 + RCP_SAT r3.x, r4.x"),
        ("MOV oTEX8, v0", "MOV oT8, v0"),
    ] {
        assert_eq!(reprint(Curie, text), printed);
    }
}

#[test]
fn labels_name_slots() {
    let text = "
        .start main
        double:                         ; a subroutine before the program
            ADD r0, r0, r0
            RET
        main: MOV r0, v0
        loop: CAL double
            ADDC r1.x, r1.x, -c[0].x
            BRA loop (GT.x)
            BRB out, b2
            SFL r0
        out:
            MOV oPos, r0 + END
        ";
    let program = parse(Curie, text).unwrap_or_else(|errors| panic!("{}", errors[0].render(text)));
    assert_eq!((program.first, program.start, program.unterminated), (0, 2, false));
    let printed = "\
.first 0
.start 2
L0:
ADD r0, r0, r0
RET
MOV r0, v0
L3:
CAL L0
ADDC r1.x, r1.x, -c[0].x
BRA L3 (GT.x)
BRB L8, b2
SFL r0
L8:
MOV oPos, r0
";
    assert_eq!(print(Curie, &program), printed);
    assert_eq!(parse(Curie, printed).as_ref(), Ok(&program));
    assert_eq!(parse(Rankine, ".start 5\nhere: BRA here").unwrap().insns[0].branch.target, 5);
}

#[test]
fn end_may_come_before_the_last_slot() {
    let text = "CAL L2\nMOV oPos, r0 + END\nL2:\nMOV r0, v0\nRET\n.noend";
    assert_eq!(reprint(Rankine, text), text);
    let program = parse(Rankine, text).unwrap();
    assert_eq!(program.insns.iter().map(|insn| insn.end).collect::<Vec<_>>(), [false, true, false, false]);
    assert!(program.unterminated);
}

#[test]
fn the_suffix_updates_all_components_that_are_written() {
    let code = |generation, text| {
        let code = parse(generation, text).unwrap().insns[0].code.unwrap();
        (code.reg, code.mask.0, code.from)
    };
    assert_eq!(code(Rankine, "MULC oPos.x, r0, r1 + MULC r2.w, r0, r1"), (0, 9, Unit::Vec));
    assert_eq!(code(Curie, "MUL r0, r1, r2 + RCPC1 r3.yz, r4.x"), (1, 6, Unit::Sca));
    assert_eq!(code(Rankine, "ARLC a0.y, r1"), (0, 4, Unit::Vec));
}

#[test]
fn limits_of_the_hardware_are_errors() {
    for (generation, text, message) in [
        (Rankine, "TXL r0, v0, tex0", "1:1: rankine has no TXL; it came with curie"),
        (Rankine, "MUL_SAT r0, r1, r2", "1:1: rankine cannot saturate results"),
        (Rankine, "MULC1 r0, r1, r2", "1:1: rankine has one condition register"),
        (Rankine, "MUL r0 (GT1), r1, r2", "1:9: rankine has one condition register"),
        (Curie, "BRAC 3", "1:1: only results update condition codes"),
        (Curie, "ARL_SAT a0, v0", "1:1: only results can be saturated"),
        (Rankine, "MOV r16, v0", "1:5: r16 does not exist; temporaries are r0 to r15"),
        (Curie, "MOV r48, v0", "1:5: r48 does not exist; temporaries are r0 to r47"),
        (Rankine, "MOV o23, v0", "1:5: o23 does not exist; outputs are o0 to o22"),
        (Rankine, "MOV r0, c[412]", "1:11: row 412 does not exist; rows are 0 to 411"),
        (Rankine, "MOV r0, c[a0.x + 512]", "1:11: row 512 does not exist; rows are 0 to 411"),
        (Rankine, "MOV r0, c[a2]", "1:11: expected a row number or a0, found `a2`"),
        (Rankine, "ARL a2, v0", "1:5: a2 does not exist; the address registers are a0 and a1"),
        (Rankine, "MOV r0, v[a0.x + 1]", "1:11: rankine cannot index inputs"),
        (Rankine, "MOV o[a0.x + 1], v0", "1:7: rankine cannot index outputs"),
        (Curie, "MOV r0, v[16]", "1:11: inputs are 0 to 15"),
        (Curie, "MOV c[0], v0", "1:5: curie cannot write constants"),
        (Curie, "MOV r0, c[a0.xy]", "1:14: an index must be one component"),
        (
            Curie,
            "MUL r0, c[a0.x], v[a1.x]",
            "1:18: an instruction can use only one component of one address register",
        ),
        (
            Curie,
            "MUL r0, c[a0.x], v[a0.y]",
            "1:18: an instruction can use only one component of one address register",
        ),
        (
            Curie,
            "ARA a0, a1 + MOV r0, c[a0.x]",
            "1:22: an instruction can use only one component of one address register",
        ),
        (
            Curie,
            "MUL r0, v[a0.x + 1], v1",
            "1:22: v[a0.x + n] and v[n] cannot be read by the same instruction",
        ),
        (
            Rankine,
            "MUL r0, r1, r2 + RSQ r2.x, r3.x",
            "1:22: next to a vector operation, the scalar result can only go to r1, not r2",
        ),
        (
            Rankine,
            "MUL oD0, r1, r2 + RSQ oD1.x, r3.x",
            "1:23: an instruction can write only one output or constant",
        ),
        (
            Curie,
            "MUL oD0.xyz, r1, r2 + RSQ oD0.w, r3.x",
            "1:27: an instruction can write only one output or constant, from only one unit",
        ),
        (
            Curie,
            "MUL oD0.x, r1, r2 + MUL r0.y, r1, r2",
            "1:1: this combination of operations has no encoding",
        ),
        (
            Curie,
            "MULC oD0.x, r1, r2 + MULC r0.y, r1, r2",
            "1:1: all destinations of a result must have the same components",
        ),
        (
            Rankine,
            "MUL r0, r1, r2 + RSQC r1.x, r3.x",
            "1:18: next to a vector operation, only its result updates the condition codes",
        ),
        (
            Curie,
            "MULC r0, r1, r2 + RSQC r1.x, r3.x",
            "1:19: only one unit's result can update the condition codes",
        ),
        (
            Curie,
            "MULC r0, r1, r2 + MUL oD0, r1, r2",
            "1:19: all destinations of a result must have the same suffix",
        ),
        (
            Curie,
            "MUL_SAT r0, r1, r2 + RCP r1.x, r3.x",
            "1:22: both units must saturate their results, or neither",
        ),
        (
            Curie,
            "MUL r0 (GT.x), r1, r2 + RCP r1.x, r3.x",
            "1:25: all writes of an instruction must have the same condition",
        ),
        (
            Curie,
            "MUL r0 (GT.x), r1, r2 + BRA 3 (GT.y)",
            "1:25: a branch must have the same condition as the writes next to it",
        ),
        (
            Curie,
            "MULC1 r0 (GT.x), r1, r2",
            "1:1: an instruction must test and update the same condition register",
        ),
        (Curie, "MUL cc, r1, r2", "1:5: use the suffix C to write condition codes: MULC"),
        (Curie, "MUL a1, r1, r2", "1:5: only ARL, ARR, ARA and POPA write a1"),
        (Curie, "ARR r1, r2", "1:5: ARR writes only an address register"),
        (
            Curie,
            "ARL a0, v0 + POPA a1",
            "1:19: an instruction can write one address register; write `POPA _`",
        ),
        (Curie, "POPA a0.x", "1:6: POPA writes all components"),
        (Curie, "POPA _", "1:1: POPA writes an address register, unless the paired operation does"),
        (
            Curie,
            "ADD r0, r1, r2.yxzw + BRA 3",
            "1:1: the branch target uses the bits of the last source's swizzle in ADD and MAD",
        ),
        (Rankine, "BRA 512", "1:5: branches go to slots 0 to 511"),
        (Curie, "BRA 1024", "1:5: branches go to slots 0 to 1023"),
        (Curie, ".start 544\nNOP", "1:8: slot 544 does not exist; slots are 0 to 543"),
    ] {
        assert_eq!(error(generation, text), message, "{text}");
    }
}

#[test]
fn text_of_the_wrong_shape_is_an_error() {
    for (text, message) in [
        ("BRA", "1:4: expected a slot number or a label, but the text ends"),
        ("BRA nowhere", "1:5: there is no label nowhere"),
        ("BRB 3", "1:6: expected `,`, but the text ends"),
        ("BRB 3, b32", "1:8: expected a boolean constant, b0 to b31, found `b32`"),
        ("TXL r0, v0", "1:11: expected `,`, but the text ends"),
        ("TXL r0, v0, tex4", "1:13: expected a texture, tex0 to tex3, found `tex4`"),
        ("PUSHA r0", "1:7: expected an address register, found `r0`"),
        ("MOV r0 (XX), v0", "1:9: expected a test (LT, EQ, LE, GT, NE, GE, TR or FL), found `XX`"),
        ("MOV r0 (GT.x, v0", "1:13: expected `)`, found `,`"),
        ("MOV r0, |r1", "1:12: expected `|`, but the text ends"),
        ("MOV r0, cc", "1:9: condition codes can only be tested"),
        ("RET + END NOP", "1:11: expected the end of the line, found `NOP`"),
        ("here: NOP\nhere: NOP", "2:1: the label here is already defined"),
        ("NOP + END\nMOV r0, v0", "2:1: nothing branches to this instruction"),
        (".first 3\n.start 2\nNOP", "3:1: the program has no slot 2 to start from"),
        ("NOP\n.first 1", "2:1: .first must come before the first instruction"),
    ] {
        assert_eq!(error(Curie, text), message, "{text}");
    }
}

#[test]
fn kelvin_has_none_of_this() {
    for (text, message) in [
        ("FRC r0, r1", "1:1: kelvin has no FRC; it came with rankine"),
        ("MULC r0, r1, r2", "1:1: kelvin has no condition codes"),
        ("MOV r0 (GT.x), r1", "1:8: kelvin has no conditions"),
        ("MOV cc, r1", "1:5: `cc` is not a register"),
        ("MOV r0, c[a1]", "1:11: expected a row number or a0, found `a1`"),
        ("MOV r0, v[1]", "1:9: `v` is not a register"),
    ] {
        assert_eq!(error(Generation::Kelvin, text), message, "{text}");
    }
}

#[test]
fn a_program_fills_at_most_xfpr() {
    for generation in [Rankine, Curie] {
        let slots = generation.slots();
        let program = parse(generation, &"NOP\n".repeat(slots)).unwrap();
        assert_eq!(encode(generation, &program).len(), slots * 4);
        let message = format!("{}:1: the program has more than the {slots} slots of XFPR", slots + 1);
        assert_eq!(error(generation, &"NOP\n".repeat(slots + 1)), message);
    }
}
