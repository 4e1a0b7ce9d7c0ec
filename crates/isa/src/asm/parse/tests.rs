use super::*;
use crate::asm::{print, print_insn, words};
use crate::isa::{OutTarget, Unit, decode, encode};
use crate::text::ParseError;

const GEN: Generation = Generation::Kelvin;

/// The text of `text` read and printed, without the last line end.
fn reprint(text: &str) -> String {
    match parse(GEN, text) {
        Ok(program) => print(GEN, &program).trim_end().to_owned(),
        Err(errors) => panic!("{}", errors[0].render(text)),
    }
}

fn errors(text: &str) -> Vec<String> {
    match parse(GEN, text) {
        Ok(program) => panic!("no error in {text}, read as {}", print(GEN, &program)),
        Err(errors) => errors.iter().map(ParseError::to_string).collect(),
    }
}

/// The one error of `text`.
fn error(text: &str) -> String {
    let errors = errors(text);
    assert_eq!(errors.len(), 1, "{errors:?}");
    errors.into_iter().next().unwrap_or_default()
}

fn help(text: &str) -> String {
    parse(GEN, text).unwrap_err()[0].help.clone().unwrap_or_default()
}

/// Every test text is also one that the printer would choose, or has the form on the right.
#[test]
fn printed_text_is_the_customary_one() {
    for text in [
        "NOP",
        "MOV oPos, v0",
        "MOV oT0.zw, v0",
        "MOV oT0.xy, v0.zw",
        "MUL r0.xyz, r1, r2.w",
        "MAD oPos.xyz, r12, r1.x, c[59]",
        "MUL r2.xyz, r1, c[12] + RSQ r1.x, r2.x",
        "DP4 oPos.z, r6, c[98] + DP4 r0.x, r6, c[98]",
        "DP4 oPos.x, r6, c[96] + DP4 r0.y, r6, c[96] + RCC r1.x, r12.w",
        "MUL r2, r1, c[0] + MOV oD1, v4",
        "MOV oD0, v3 + RCP r1.x, r2.x",
        "MOV oD0, v3 + MOV r1, v3.wzyx",
        "MOV oD0, v3 + IMV r1, v3",
        "IMV r5, v3",
        "IMV oD0.xw, -v3 + IMV r5, -v3",
        "ARL a0.x, v5.y",
        "ARL a0.x, v5.y + LIT r1.yz, r3",
        "ADD r0.xy, c[a0 + 121].zw, -c[a0 + 121]",
        "MOV r0, c[a0]",
        "DPH c[15].xy, v4, c[10]",
        "MOV r0, c[!200]",
        "MOV r0, c[a0 + 200]",
        "ADD r0, r1, _",
        "RCP r0.x, -_",
        "MOV o1, v0",
        "EXP o15.w, r3.z",
        "SLT r0.xz, r1.xxy, r2",
        ".start 12\nMOV oPos, v0\nNOP",
        "MOV oPos, v0\n.noend",
    ] {
        assert_eq!(reprint(text), text);
    }
}

#[test]
fn other_spellings_are_read() {
    for (text, printed) in [
        ("mov OPOS , V0", "MOV oPos, v0"),
        ("DP4 oHPOS.x,c0,v0;", "DP4 oPos.x, c[0], v0"),
        ("MOV oCOL0, R0", "MOV oD0, r0"),
        ("MOV oFOGC.x, iFog.x", "MOV oFog.x, v5.x"),
        ("MOV o4, iTex3", "MOV oD1, v12"),
        ("ARL A0, v5", "ARL a0.x, v5.x"),
        ("MOV r0, c[A0+20]", "MOV r0, c[a0 + 20]"),
        ("MOV r0, c[ 23 + a0.x - 3 ]", "MOV r0, c[a0 + 20]"),
        ("MOV r0, c[0x10]", "MOV r0, c[16]"),
        ("MOV r0.x, r1", "MOV r0.x, r1.x"),
        ("MOV r0, r1.xy", "MOV r0, r1.xy"),
        ("MOV r0, r1.xyyy", "MOV r0, r1.xy"),
        ("MOV r0.xyzw, r1.xyzw", "MOV r0, r1"),
        ("RCP r0.x, r1", "RCP r0.x, r1.x"),
        ("RCP r0.x, r1.yzw", "RCP r0.x, r1.y"),
        ("SUB r0, r1, r2", "ADD r0, r1, -r2"),
        ("SUB r0, r1, -r2", "ADD r0, r1, r2"),
        ("ABS r0.y, R0", "MAX r0.y, r0.y, -r0.y"),
        ("ABS r0, -r1", "MAX r0, -r1, r1"),
        ("RSQ r1.x, r2.x + MUL r2.xyz, r1, c12", "MUL r2.xyz, r1, c[12] + RSQ r1.x, r2.x"),
        ("MUL r0, r1, r2\n\n ; and\n + RSQ r1.x, r2.x", "MUL r0, r1, r2 + RSQ r1.x, r2.x"),
        ("MUL r0, r1, r2 +\nRSQ r1.x, r2.x", "MUL r0, r1, r2 + RSQ r1.x, r2.x"),
        ("MOV oD1, v4 + MUL r2, r1, c0", "MUL r2, r1, c[0] + MOV oD1, v4"),
        ("MOV r0, v1 + MOV r1, v1", "MOV r0, v1 + IMV r1, v1"),
        ("MOV r0, v1 + MOV oPos, v1 + MOV r1, v1", "MOV oPos, v1 + MOV r0, v1 + IMV r1, v1"),
        ("MOV r0, v3 + MOV oD0, v3", "MOV oD0, v3 + MOV r0, v3"),
        ("NOP + RCP r5.x, r6.x", "RCP r5.x, r6.x"),
        ("MAD r0.x, r1, r2, r3.y + RCP r1.x, r3.yz", "MAD r0.x, r1.x, r2.x, r3.y + RCP r1.x, r3.y"),
        ("MAD r0.y, r1, r2, r3 + RCP r1.x, r3.w", "MAD r0.y, r1.y, r2.y, r3.wy + RCP r1.x, r3.w"),
        ("# only\n\nMOV r0, v0 // this\nEND\n; that", "MOV r0, v0"),
    ] {
        assert_eq!(reprint(text), printed);
        assert_eq!(reprint(printed), printed);
    }
}

#[test]
fn the_last_instruction_ends_the_program() {
    let program = parse(GEN, "MOV r0, v0\nMOV r1, v0\n").unwrap();
    assert_eq!(program.insns.iter().map(|insn| insn.end).collect::<Vec<_>>(), [false, true]);
    let program = parse(GEN, ".noend\nMOV r0, v0").unwrap();
    assert!(program.unterminated && !program.insns[0].end);
}

#[test]
fn a_second_mov_is_the_scalar_one() {
    let program = parse(GEN, "MOV oD0, v3 + MOV r1, c[2]").unwrap();
    assert_eq!(
        program.insns[0].out.map(|out| (out.target, out.mask(Unit::Sca).is_empty())),
        Some((OutTarget::Output(3), true))
    );
    assert_eq!(program.insns[0].sca_dst.reg, 1);
}

#[test]
fn limits_of_the_hardware_are_errors() {
    for (text, message) in [
        ("ADD r0, v0, v1", "1:13: an instruction can read only one input, but this one reads v0 and v1"),
        (
            "ADD r0, c[1], c[2]",
            "1:15: an instruction can read only one constant row, but this one reads rows 1 and 2",
        ),
        (
            "MUL r0, c[1], r2 + MOV oD0, c[2]",
            "1:29: an instruction can read only one constant row, but this one reads rows 1 and 2",
        ),
        ("ADD r0, c[1], c[a0 + 1]", "1:15: c[a0 + n] and c[n] cannot be read by the same instruction"),
        (
            "MUL r0, r1, r2 + RSQ r2.x, r3.x",
            "1:22: next to a vector operation, the scalar result can only go to r1, not r2",
        ),
        (
            "MUL oD0, r1, r2 + MOV oD1, r3",
            "1:23: an instruction can write only one output or constant, from only one unit",
        ),
        (
            "MUL oD0, r1, r2 + MUL oD1, r1, r2",
            "1:23: a result can be written to at most one temporary and one output or constant",
        ),
        (
            "MUL r0, r1, r2 + MUL r3, r1, r2",
            "1:22: a result can be written to at most one temporary and one output or constant",
        ),
        (
            "MUL r0, r1, r2 + ADD oD0, r1, r2",
            "1:18: the vector unit already has an operation in this instruction",
        ),
        (
            "MUL r0, r1, r2 + MUL oD0, r1, r3",
            "1:18: the vector unit already has an operation in this instruction",
        ),
        (
            "RCP r1.x, r2.x + RSQ oD0, r2.x",
            "1:18: the scalar unit already has an operation in this instruction",
        ),
        (
            "RCP r1.x, r2.x + MUL r0, r0, r0 + MOV oD0, v0",
            "1:35: the scalar unit already has an operation in this instruction",
        ),
        (
            "ADD r0, r1, r2 + RCP r1.x, r3.x",
            "1:28: the scalar operation and the last source of the vector operation must be the same operand",
        ),
        (
            "ADD r0, r1, r2 + RCP r1.x, r2.y",
            "1:28: the scalar operation and the last source of the vector operation must be the same operand",
        ),
        (
            "ADD r0, r1, r2 + RCP r1.x, -r2.x",
            "1:28: the scalar operation and the last source of the vector operation must be the same operand",
        ),
        ("MOV v0, r1", "1:5: v0 is an input, which cannot be written"),
        ("MOV r12, r1", "1:5: r12 cannot be written: it reads oPos back"),
        ("MOV c[a0 + 1], r1", "1:5: a constant cannot be written through a0"),
        ("MOV c[!200], r1", "1:5: row 200 does not exist; rows are 0 to 191"),
        ("MOV _, r1", "1:5: nothing can be written to `_`"),
        ("MOV a0, r1", "1:5: only ARL writes a0"),
        ("ARL r0, r1", "1:5: ARL writes only a0"),
        ("ARL a0.xy, r1", "1:8: a0 has only the component x"),
        ("MOV r0, a0", "1:9: a0 can only be used as an index, as in c[a0 + 12]"),
        ("MOV r0, oD0", "1:9: oD0 is an output, which cannot be read"),
        (
            "MUL r0, _, r1",
            "1:9: only the last source of ADD and MAD, and sources of scalar operations, can be `_`",
        ),
        ("MOV r0, c[192]", "1:11: row 192 does not exist; rows are 0 to 191"),
        ("MOV r0, c192", "1:9: c192 does not exist; constants are c[0] to c[191]"),
        ("MOV r0, c[a0 + 256]", "1:11: row 256 does not exist; rows are 0 to 191"),
        ("MOV r0, c[a0.x - 3]", "1:11: row -3 does not exist; rows are 0 to 191"),
        ("MOV r0, r13", "1:9: r13 does not exist; temporaries are r0 to r11, and r12 reads oPos back"),
        ("MOV r0, v16", "1:9: v16 does not exist; inputs are v0 to v15"),
        ("MOV o16, v0", "1:5: o16 does not exist; outputs are o0 to o15"),
    ] {
        assert_eq!(error(text), message, "{text}");
    }
}

#[test]
fn text_of_the_wrong_shape_is_an_error() {
    for (text, message) in [
        ("", "1:1: the program has no instruction"),
        ("; nothing\nEND", "2:4: the program has no instruction"),
        ("MOVE r0, v0", "1:1: `MOVE` is not a mnemonic"),
        ("MOV r0", "1:1: MOV takes 1 source, not 0"),
        ("mul r0, v0", "1:1: mul takes 2 sources, not 1"),
        ("MOV r0, v0, v0", "1:1: MOV takes 1 source, not 2"),
        ("MOV r0 v0", "1:8: expected `,`, found `v0`"),
        ("MOV r0,", "1:8: expected a source register, but the text ends"),
        ("MUL r0, v0 v1", "1:12: expected `,`, found `v1`"),
        ("MOV r0, v0 v1", "1:12: expected the end of the line, found `v1`"),
        ("MOV r0, v0 +", "1:13: expected a mnemonic, but the text ends"),
        ("MOV r0, v0 + END", "1:14: END must be on a line of its own"),
        ("MOV r0, v0\nEND\nMOV r0, v0", "3:1: nothing can follow END"),
        ("MOV r0, v0\nEND 3", "2:5: expected the end of the line, found `3`"),
        ("MOV r0.zx, v0", "1:8: `zx` is not a write mask"),
        ("MOV r0.xx, v0", "1:8: `xx` is not a write mask"),
        ("MOV r0.q, v0", "1:8: `q` names no components"),
        ("MOV r0, v0.xyzwx", "1:12: a swizzle names one to four components"),
        ("MOV r0, v0.", "1:12: expected components, but the text ends"),
        ("MOV r0, foo", "1:9: `foo` is not a register"),
        ("MOV r0, |v0|", "1:9: sources have no absolute value"),
        ("MOV r0, 1.0", "1:9: expected a source register, found `1`"),
        ("MOV r0, c", "1:10: expected `[` or a row number, but the text ends"),
        ("MOV r0, c[]", "1:11: expected a row number or a0, found `]`"),
        ("MOV r0, c[1", "1:12: expected `]`, but the text ends"),
        ("MOV r0, c[a0 + a0]", "1:16: a0 can only be added, and once"),
        ("MOV r0, c[99999]", "1:11: 99999 is too large"),
        ("MOV r0, c[1x]", "1:11: `1x` is not a number"),
        (".stat 1\nNOP", "1:2: `.stat` is not a directive"),
        (".start 136\nNOP", "1:8: slot 136 does not exist; slots are 0 to 135"),
        ("NOP\n.start 1", "2:1: .start must come before the first instruction"),
        ("NOP\n.noend\nEND", "2:1: a program with END cannot have .noend"),
        ("MOV é, v0", "1:5: expected a destination register, found `é`"),
    ] {
        assert_eq!(error(text), message, "{text}");
    }
}

#[test]
fn slips_are_recognised() {
    assert_eq!(help("MOVE r0, v0"), "did you mean MOV?");
    assert_eq!(help("DP5 r0, v0, v0"), "did you mean DP3?");
    assert_eq!(help("MOV oDiffuse, v0"), "did you mean iDiffuse?");
    assert_eq!(help("MOV oT4, v0"), "did you mean oT0?");
    assert_eq!(help("MOV r0, c[-3]"), "rows count from the first one, which is c[-96] in Direct3D");
    assert_eq!(help("FROBNICATE r0"), "");
    // Registers without a customary use have no name, which is as near to a letter as another letter.
    assert_eq!(help("MOV r0, k[0]"), "");
}

#[test]
fn a_program_fills_at_most_xfpr() {
    assert_eq!(parse(GEN, &"NOP\n".repeat(136)).unwrap().insns.len(), 136);
    assert_eq!(error(&"NOP\n".repeat(200)), "137:1: the program has more than the 136 slots of XFPR");
    assert_eq!(error(".start 135\nNOP\nNOP"), "3:1: the program has more than the 136 slots of XFPR");
}

#[test]
fn several_errors_are_reported() {
    let text = "MOV r0, v0\nMOV r13, v0\n + RCP r1.x, zz\nMUL r0,\nADD r0, v0, v1\nMOV r1, v0\nfoo";
    assert_eq!(
        errors(text),
        [
            "2:5: r13 does not exist; temporaries are r0 to r11, and r12 reads oPos back",
            "4:8: expected a source register, but the line ends",
            "5:13: an instruction can read only one input, but this one reads v0 and v1",
            "7:1: `foo` is not a mnemonic",
        ]
    );
    assert_eq!(errors(&"foo\n".repeat(100)).len(), MAX_ERRORS);
}

#[test]
fn the_benchmark_programs_assemble_to_their_microcode() {
    macro_rules! program {
        ($name:literal) => {
            (
                $name,
                include_str!(concat!("../../../../testing/programs/", $name, ".asm")),
                include_str!(concat!("../../../../testing/programs/", $name, ".nv20.hex")),
            )
        };
    }
    for (name, text, hex) in [
        program!("P1_mvp"),
        program!("P2_lit"),
        program!("P3_lit8"),
        program!("P4_skin"),
        program!("P5_seed35"),
    ] {
        let program = parse(GEN, text).unwrap();
        let words = words::parse_hex(GEN, hex).unwrap();
        let (slots, _) = words.as_chunks::<4>();
        let canonical: Vec<u32> = slots.iter().copied().flat_map(crate::isa::kelvin::canonical).collect();
        assert_eq!(encode(GEN, &program), canonical, "{name}");
        assert_eq!(decode(Generation::Kelvin, &words, 0).unwrap(), program, "{name}");
    }
}

#[test]
fn one_instruction_prints_without_a_line_end() {
    assert_eq!(print_insn(GEN, &crate::isa::Insn::NOP), "NOP");
}

#[test]
fn only_what_the_passes_make_of_a_text_must_fit() {
    use super::super::{Passes, parse_with_passes};
    let pairs = Passes { pair: true, ..Passes::NONE };
    let slots = GEN.slots();
    let text = |pairs: usize| "MUL oD0, v0, c[0]\nRCP r1.x, v0.w\n".repeat(pairs);
    let parsed = |count, passes| parse_with_passes(GEN, Reading::default(), &text(count), passes);
    assert_eq!(parsed(slots, pairs).map(|(program, _)| program.insns.len()), Ok(slots));
    let errors = parsed(slots, Passes::NONE).unwrap_err();
    assert_eq!(
        (errors[0].line, errors[0].message.as_str()),
        (137, "the program has more than the 136 slots of XFPR")
    );
    let errors = parsed(slots + 1, pairs).unwrap_err();
    assert_eq!(
        (errors[0].line, errors[0].message.as_str()),
        (2 * slots + 1, "the program has more than the 136 slots of XFPR")
    );
    // Branches go to slots that the text has and the chip does not.
    let far = format!(
        ".first 200\nBRA end (GT)\n{}end: MOV oPos, v0\n",
        "MUL oD0, v0, c[0]\nRCP r1.x, v0.w\n".repeat(70)
    );
    let parsed =
        parse_with_passes(Generation::Rankine, Reading::default(), &far, pairs).map(|(program, _)| program);
    assert_eq!(parsed.map(|program| (program.insns.len(), program.insns[0].branch.target)), Ok((72, 271)));
}
