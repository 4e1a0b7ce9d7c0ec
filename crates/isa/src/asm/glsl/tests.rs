//! Texts of small programs, and of any words.

use super::{Glsl, glsl};
use crate::asm;
use crate::isa::{Generation, Reading, decode};
use proptest::prelude::*;

fn said(generation: Generation, text: &str) -> Glsl {
    let program = asm::parse(generation, text).expect("it is a program");
    glsl(generation, Reading::default(), &program)
}

/// The lines of the function, without what begins and ends it.
fn lines(generation: Generation, text: &str) -> Vec<String> {
    let body = said(generation, text).body;
    let (_, function) = body.split_once("void program() {\n").expect("it has the function");
    function.strip_suffix("}\n").expect("it ends").lines().map(|line| line.trim_end().to_owned()).collect()
}

#[test]
fn an_operation_is_a_line() {
    let all = [
        ("MAD r0.xy, v0, -c[3].x, r1.wzyx", "r0.xy = v0.xy * -c[3].xx + r1.wz;"),
        ("DP4 oPos.x, v0, c[0]", "oPos.x = dot(v0, c[0]);"),
        ("DP3 r0, v0, r1", "r0 = vec4(dot(v0.xyz, r1.xyz));"),
        ("SLT r0.w, v0, r1", "r0.w = float(v0.w < r1.w);"),
        ("SGE r0.zw, v0, r1", "r0.zw = vec2(greaterThanEqual(v0.zw, r1.zw));"),
        ("ARL a0.x, v1.y", "a0.x = int(floor(v1.y));"),
        ("RSQ r1.w, r0.x", "r1.w = inversesqrt(abs(r0.x));"),
        ("LIT r3.yz, r2", "r3.yz = lit(r2).yz;"),
        ("MOV r0, c[a0 + 5]", "r0 = row(a0.x + 5);"),
    ];
    for (text, want) in all {
        assert_eq!(lines(Generation::Kelvin, text), [format!("    {want} // 0")], "{text}");
    }
    let later = [
        ("MOV_SAT r0.x, |v0|", "r0.x = clamp(abs(v0.x), 0.0, 1.0);"),
        ("RSQ r1.w, r0.x", "r1.w = inversesqrt(r0.x);"),
        ("MOV r0.x (GT.y), v0", "if (cc0.y > 0.0) r0.x = v0.x;"),
        ("MOV r0.xy (NE), v0", "r0.xy = mix(r0.xy, v0.xy, notEqual(cc0.xy, vec2(0.0)));"),
        ("ARR a1.xz, v0", "a1.xz = ivec2(roundEven(v0.xz));"),
    ];
    for (text, want) in later {
        assert_eq!(lines(Generation::Curie, text), [format!("    {want} // 0")], "{text}");
    }
}

/// Where no order of lines has the effect of both units at once, results have names first.
#[test]
fn units_that_read_each_other_s_destinations_read_first() {
    let got = lines(Generation::Curie, "MUL r0.x, r1, r2 + RCP r1.x, r0.x");
    let want = [
        "    { // 0",
        "        vec4 mac = r1.xxxx * r2.xxxx;",
        "        vec4 ilu = vec4(1.0 / r0.x);",
        "        r0.x = mac.x;",
        "        r1.x = ilu.x;",
        "    }",
    ];
    assert_eq!(got, want);
    // Of one order that has it, that one.
    let got = lines(Generation::Curie, "MUL r0.x, r1, r2 + RCP r3.x, r0.x");
    assert_eq!(got, ["    r3.x = 1.0 / r0.x; // 0", "    r0.x = r1.x * r2.x;"]);
}

#[test]
fn fog_takes_x_and_positions_are_read_back() {
    assert_eq!(lines(Generation::Kelvin, "MOV oFog.y, v0"), ["    oFog.xy = v0.xy; // 0"]);
    assert_eq!(lines(Generation::Rankine, "MOV oFog.y, v0"), ["    oFog.y = v0.y; // 0"]);
    let got = lines(Generation::Kelvin, "MOV oPos.x, v0\nADD oD0, r12, v0");
    assert_eq!(got[2..4], ["        oPos.x = mac.x;", "        r12.x = mac.x;"], "{got:?}");
    assert_eq!(got.last().map(String::as_str), Some("    oD0 = r12 + v0; // 1"));
}

#[test]
fn branches_forward_are_conditions_and_others_a_loop() {
    let got = lines(Generation::Curie, "MOVC r0.x, v0\nBRA end (LT.x)\nMOV r1, v1\nend:\nMOV oPos, r1");
    let want = [
        "    r0.x = v0.x; // 0",
        "    cc0.x = r0.x;",
        "    if (!(cc0.x < 0.0)) { // 1: to 3",
        "        r1 = v1; // 2",
        "    }",
        "    oPos = r1; // 3",
    ];
    assert_eq!(got, want);
    // A branch looks at the register as it was before the instruction.
    let got = lines(Generation::Curie, "MOVC r0.x, v0 + BRA end (LT.x)\nMOV r1, v1\nend:\nMOV oPos, r1");
    assert_eq!(got[..2], ["    bool taken0 = cc0.x < 0.0;", "    r0.x = v0.x; // 0"], "{got:?}");
    let got =
        lines(Generation::Curie, "again:\nADDC r0.x, r0, v0\nBRA again (LT.x)\nMOV oPos, r0").join("\n");
    assert!(got.contains("switch (slot) {") && got.contains("if (taken1) { slot = 0; break; }"), "{got}");
    let got = lines(Generation::Curie, "CAL sub\nMOV oPos, r0 + END\nsub:\nMOV r0, v0\nRET").join("\n");
    assert!(got.contains("stack[depth++] = ivec4(1); slot = 2; break;"), "{got}");
    assert!(got.contains("if (depth == 0) return; slot = stack[--depth].x; break;"), "{got}");
}

#[test]
fn the_shader_declares_what_the_program_names() {
    let said = said(Generation::Kelvin, "MUL oPos, v0, c[96]\nMOV oD0, v3");
    let want = "layout(location = 0) in vec4 v0; // iPos\nlayout(location = 3) in vec4 v3; // iDiffuse\n\
                uniform vec4 c[192];\nout vec4 out3; // oD0\n";
    assert_eq!(said.interface, want);
    assert_eq!(said.main, "void main() {\n    program();\n    gl_Position = oPos;\n    out3 = oD0;\n}\n");
    assert!(said.shader().starts_with("#version 450\nlayout"));
}

proptest! {
    /// Every program has a text, whose braces close.
    #[test]
    fn all_words_have_a_text(which in 0..3usize, words in prop::collection::vec(any::<[u32; 4]>(), 1..12)) {
        let generation = Generation::ALL[which];
        if let Ok(program) = decode(generation, &words.concat(), 0) {
            let body = glsl(generation, Reading::default(), &program).body;
            let count = |letter| body.matches(letter).count();
            prop_assert_eq!(count('{'), count('}'));
            prop_assert_eq!(count('('), count(')'));
        }
    }
}
