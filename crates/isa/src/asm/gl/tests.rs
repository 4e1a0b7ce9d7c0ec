use super::super::print;
use super::*;
use crate::isa::{Generation, Unit};
use crate::text::MAX_ERRORS;
use crate::text::ParseError;

const KELVIN: Option<Generation> = Some(Generation::Kelvin);
const RANKINE: Option<Generation> = Some(Generation::Rankine);
const CURIE: Option<Generation> = Some(Generation::Curie);

/// Every operation in a slot of its own.
fn assemble(generation: Option<Generation>, text: &str) -> Result<Assembled, ParseErrors> {
    super::assemble(generation, text, Passes::NONE)
}

fn text(generation: Option<Generation>, text: &str) -> String {
    match assemble(generation, text) {
        Ok(assembled) => print(assembled.generation, &assembled.program),
        Err(errors) => panic!("{}", errors.iter().map(|error| error.render(text)).collect::<String>()),
    }
}

/// The first error, with its place.
fn error(generation: Option<Generation>, text: &str) -> String {
    let errors = assemble(generation, text).expect_err(text);
    let ParseError { line, column, message, help, .. } = &errors[0];
    let help = help.as_ref().map_or(String::new(), |help| format!(" ({help})"));
    format!("{line}:{column}: {message}{help}")
}

#[test]
fn the_header_chooses_the_first_generation_that_can_run_the_program() {
    let generation =
        |text: &str| assemble(None, text).map(|assembled| (assembled.generation, assembled.language));
    let [kelvin, rankine, curie] = [Generation::Kelvin, Generation::Rankine, Generation::Curie];
    assert_eq!(generation("!!VP1.0 MOV o[HPOS], v[0]; END"), Ok((kelvin, Language::Vp10)));
    assert_eq!(generation("!!VP2.0 MOV o[HPOS], v[0]; END"), Ok((rankine, Language::Vp20)));
    assert_eq!(generation("!!VP3.0 MOV o[HPOS], v[0]; END"), Ok((curie, Language::Vp30)));
    let arb =
        |option: &str| generation(&format!("!!ARBvp1.0 {option} MOV result.position, vertex.position; END"));
    assert_eq!(arb(""), Ok((kelvin, Language::Arb10)));
    assert_eq!(arb("OPTION NV_vertex_program2;"), Ok((rankine, Language::Arb10)));
    assert_eq!(arb("OPTION NV_vertex_program3;"), Ok((curie, Language::Arb10)));
}

#[test]
fn errors_have_a_place_and_say_what_is_wrong() {
    let vp10 = |body: &str| error(KELVIN, &format!("!!VP1.0\n{body}\nEND"));
    for (body, expected) in [
        ("MUV R0, v[0];", "2:1: `MUV` is not an instruction (did you mean MOV?)"),
        ("MOV R12, v[0];", "2:5: temporaries of !!VP1.0 are R0 to R11"),
        ("MOV R0, c[96];", "2:11: a parameter must be 0 to 95"),
        ("MOV R0, v[16];", "2:11: an attribute must be 0 to 15"),
        ("MOV R0, v[NORM];", "2:11: `NORM` is not an attribute (did you mean NRML?)"),
        ("MOV R0, o[HPOS];", "2:9: an output cannot be read"),
        ("MOV R0, A0;", "2:9: an address register cannot be read"),
        ("MOV v[0], R0;", "2:5: attributes cannot be written"),
        ("MOV c[0], R0;", "2:5: only vertex state programs write parameters"),
        ("MOV o[HPUS], R0;", "2:7: `HPUS` is not an output (did you mean HPOS?)"),
        ("MOV o[TEX4], R0;", "2:7: kelvin has no output TEX4"),
        ("MOV o[CLP0], R0;", "2:7: kelvin has no clip distances"),
        (
            "MOV R0.yx, v[0];",
            "2:8: `yx` is not a write mask (name the components to write in the order xyzw, each once)",
        ),
        ("MOV R0, v[0].xy;", "2:9: a swizzle names one component or four"),
        ("MOV R0, v[0].rgba;", "2:14: `rgba` names no components (components are x, y, z and w)"),
        ("RCP R0, R1;", "2:9: RCP reads one component (name it, as in R0.x)"),
        (
            "ADD R0, v[0], v[1];",
            "2:15: an instruction can read only one input, but this one reads v0 and v1 (copy one of them to a temporary first)",
        ),
        (
            "ADD R0, c[0], c[1];",
            "2:15: an instruction can read only one constant row, but this one reads rows 96 and 97 (copy one of them to a temporary first)",
        ),
        ("ARL A0, R0.x;", "2:5: an address register is written as in ARL A0.x"),
        ("ARL R0.x, R0.x;", "2:5: an address register is written here"),
        ("MOV A0.x, R0;", "2:5: only ARL, ARR and ARA write an address register"),
        ("MOV R0, c[A0.y];", "2:11: an index names one component, as in A0.x"),
        ("ABS R0, R1;", "2:1: !!VP1.0 has no ABS (!!VP1.1 has it)"),
        ("SIN R0, R1.x;", "2:1: !!VP1.0 has no SIN (!!VP2.0 has it)"),
        ("POW R0, R1.x, R2.x;", "2:1: !!VP1.0 has no POW (!!ARBvp1.0 has it)"),
        ("MOVC R0, R1;", "2:1: !!VP1.0 has no condition codes"),
        ("MOV_SAT R0, R1;", "2:1: !!VP1.0 cannot saturate results"),
        ("MOV R0 (GT), R1;", "2:8: !!VP1.0 has no conditions"),
        ("MOV R0, |R1|;", "2:9: sources of !!VP1.0 have no absolute value"),
        (
            "OPTION NV_position_invariant;",
            "2:8: !!VP1.0 has no option NV_position_invariant (!!VP1.1 introduced options)",
        ),
        ("MOV R0, v[0]", "3:1: expected `;`, found `END`"),
        ("MOV R0 v[0];", "2:8: expected `,`, found `v`"),
        ("here: MOV R0, v[0];", "2:1: `here` is not an instruction"),
        ("", "3:1: the program has no instruction"),
    ] {
        assert_eq!(vp10(body), expected, "{body}");
    }
}

#[test]
fn errors_of_later_languages() {
    for (header, body, expected) in [
        (
            "!!VP1.1 OPTION NV_position_invariant;",
            "MOV o[HPOS], R0;",
            "2:6: a position-invariant program does not write the position",
        ),
        ("!!VSP1.0", "MOV o[HPOS], R0;", "2:5: a vertex state program writes parameters, not outputs"),
        ("!!VSP1.0", "MOV c[0], v[1];", "2:13: a vertex state program reads only v[0]"),
        ("!!VP2.0", "MOV R16, v[0];", "2:5: temporaries of !!VP2.0 are R0 to R15"),
        ("!!VP2.0", "MOVC1 R0, v[0];", "2:1: !!VP2.0 has one condition register"),
        ("!!VP2.0", "MOV CC, v[0];", "2:5: use the suffix C to write condition codes: MOVC"),
        ("!!VP2.0", "MOV R0 (GT1), R1;", "2:9: !!VP2.0 has one condition register"),
        (
            "!!VP2.0",
            "MOV R0 (GX), R1;",
            "2:9: expected a test (LT, EQ, LE, GT, NE, GE, TR or FL), found `GX`",
        ),
        ("!!VP2.0", "BRA nowhere;", "2:5: there is no label nowhere"),
        ("!!VP2.0", "a: MOV R0, R1; a: END", "2:16: the label a is already defined"),
        ("!!VP2.0", "RETC;", "2:1: RET has no result that a suffix could apply to"),
        ("!!VP2.0", "MOV R0, v[A0.x];", "2:11: !!VP2.0 cannot index attributes"),
        ("!!VP2.0", "ARA A0, A1.x;", "2:9: name the whole address register"),
        ("!!VP2.0", "TXL R0, R1, TEX0, 2D;", "2:1: !!VP2.0 has no TXL (!!VP3.0 has it)"),
        ("!!VP3.0", "TEX R0, R1, TEX4, 2D;", "2:13: expected a vertex texture, TEX0 to TEX3, found `TEX4`"),
        ("!!VP3.0", "TEX R0, R1, TEX0, CUBE;", "2:19: vertex textures of curie are 1D or 2D"),
        ("!!VP3.0", "MOVC0 CC1, R0;", "2:7: the suffix names condition register 0"),
        (
            "!!VP3.0",
            "ADDC o[CLP0] (GT), R0, R1;",
            "2:6: this output cannot be written under a condition that the same instruction updates",
        ),
        ("!!VP3.0", "ARL_SAT A0, R0;", "2:1: addresses cannot be saturated"),
        ("!!VP3.0", "MOV o[FOGC + A0.x], R0;", "2:7: FOGC cannot be indexed"),
    ] {
        assert_eq!(error(None, &format!("{header}\n{body}\nEND")), expected, "{body}");
    }
}

#[test]
fn errors_of_declarations_and_bindings() {
    for (body, expected) in [
        ("MOV r, vertex.position;", "2:5: `r` is not declared"),
        ("TEMP r, r;", "2:9: r is already declared"),
        ("TEMP MOV;", "2:6: MOV cannot be a name"),
        ("TEMP state;", "2:6: state cannot be a name"),
        ("ALIAS a = b;", "2:11: `b` is not declared"),
        ("ADDRESS a, b;", "2:12: kelvin has 1 address register"),
        (
            "PARAM p = state.matrix.mvp;",
            "2:23: a matrix has four rows (name one, as in .row[0], or declare an array)",
        ),
        ("PARAM p = program.env[0..3];", "2:23: only arrays can have a range: PARAM name[] = { ... }"),
        ("PARAM p[] = { program.env[3..1] };", "2:27: a range must go upwards"),
        ("PARAM p[3] = { 1, 2 };", "2:9: the array has 2 items, not 3"),
        ("PARAM p = { 1, 2, 3, 4, 5 };", "2:11: a vector must have one to four components"),
        ("PARAM p = state.light[8].half;", "2:23: a light must be 0 to 7"),
        ("PARAM p = state.light[1].haif;", "2:26: `haif` is not a property of a light (did you mean half?)"),
        ("PARAM p = state.matrix.palette[0].row[0];", "2:23: kelvin has no palette of matrices"),
        (
            "PARAM p = program.global[0];",
            "2:19: `global` is not a kind of program parameter (did you mean local?)",
        ),
        ("ATTRIB a = vertex.weight[2];", "2:19: weights are in groups of four: weight[0]"),
        ("ATTRIB a = vertex.matrixindex[0];", "2:19: kelvin has no matrix indices"),
        (
            "ATTRIB a = vertex.normal; ATTRIB b = vertex.attrib[2];",
            "2:45: vertex.attrib[2] is also bound by its conventional name",
        ),
        ("OUTPUT o = result.texcoord[5];", "2:19: kelvin has no output TEX5"),
        (
            "OUTPUT o = result.clip[0];",
            "2:19: clip distances need an option (write OPTION NV_vertex_program2; in front)",
        ),
        ("MOV vertex.position, 1;", "2:5: an attribute cannot be written"),
        ("MOV state.fog.color, 1;", "2:5: a parameter cannot be written"),
        ("TEMP r; MOV r, result.position;", "2:16: a result cannot be read"),
        ("PARAM p[] = { 1, 2 }; MOV result.position, p;", "2:44: p is an array: name one of its items"),
        ("PARAM p[] = { 1, 2 }; MOV result.position, p[2];", "2:46: an item of this array must be 0 to 1"),
        ("TEMP r; SWZ r, -r, x, y, z, w;", "2:9: SWZ takes a register, its components follow"),
        ("TEMP r; SWZ r, r, x, 2, z, w;", "2:22: expected a component, 0 or 1, found `2`"),
        ("TEMP r; SIN r, r.x;", "2:9: !!ARBvp1.0 has no SIN (write OPTION NV_vertex_program2; in front)"),
        ("OPTION ARB_fog_exp;", "2:8: ARB_fog_exp is an option of fragment programs"),
        ("TEMP r; OPTION ARB_position_invariant;", "2:16: options must come first"),
    ] {
        assert_eq!(error(KELVIN, &format!("!!ARBvp1.0\n{body}\nEND")), expected, "{body}");
    }
}

#[test]
fn texts_that_are_no_programs() {
    let headers = "(headers are !!VP1.0, !!VP1.1, !!VSP1.0, !!VP2.0, !!VP3.0, !!ARBvp1.0)";
    assert_eq!(
        error(None, "!!FP1.0 END"),
        format!("1:1: `!!FP1.0` is not a header of a vertex program {headers}")
    );
    assert_eq!(error(None, ""), format!("1:1: `` is not a header of a vertex program {headers}"));
    assert_eq!(error(None, "!!VP1.0 MOV R0, v[0];"), "1:22: the program has no END");
    assert_eq!(error(None, "!!VP1.0 MOV R0, v[0]; END MOV"), "1:27: nothing can follow END");
    assert_eq!(error(KELVIN, "!!VP2.0 END"), "1:1: kelvin cannot run !!VP2.0, which needs rankine");
    let option = "!!ARBvp1.0 OPTION NV_vertex_program3; ARA A0, A1; END";
    assert_eq!(error(RANKINE, option), "1:19: rankine cannot run NV_vertex_program3, which needs curie");
    let many = "!!VP1.0 ".to_owned() + &"FOO;".repeat(100);
    assert_eq!(assemble(None, &many).map_err(|errors| errors.len()), Err(MAX_ERRORS));
}

#[test]
fn the_limits_of_a_generation_are_errors() {
    let program = |count: usize| format!("!!VP1.0 {} END", "MOV o[HPOS], v[0];".repeat(count));
    for &generation in Generation::ALL {
        let slots = generation.slots();
        assert!(assemble(Some(generation), &program(slots)).is_ok());
        let message = error(Some(generation), &program(slots + 1));
        assert!(
            message.ends_with(&format!("the program has more than the {slots} slots of XFPR")),
            "{message}"
        );
    }
    let constants = "!!ARBvp1.0\nPARAM p[] = { program.env[0..95], 1 }; MOV result.position, p[0]; END";
    let message = "2:7: the program needs more than the 96 constants that kelvin has";
    assert_eq!(error(KELVIN, constants), message);
    assert!(assemble(RANKINE, constants).is_ok());
    // Thirteen that are all in use at the end.
    let names: Vec<String> = (0..13).map(|n| format!("t{n}")).collect();
    let moves: String = names.iter().map(|name| format!("MOV {name}, vertex.normal;\n")).collect();
    let adds: String = names.iter().map(|name| format!("ADD result.color, {name}, t0;\n")).collect();
    let temps = format!("!!ARBvp1.0 TEMP {};\n{moves}{adds}END", names.join(", "));
    let message = "14:1: the program needs more than the 12 temporaries that kelvin has";
    assert_eq!(error(KELVIN, &temps), message);
    assert!(assemble(CURIE, &temps).is_ok());
}

#[test]
fn a_program_ends_in_a_slot_of_its_own_where_it_must() {
    let end = "!!VP2.0 MOV R0, v[0]; BRA done (GT.x); MOV R0, v[1]; done: END";
    assert_eq!(text(RANKINE, end), "MOV r0, v0\nBRA L3 (GT.x)\nMOV r0, v1\nL3:\nNOP\n");
    let call = "!!VP2.0 BRA main; sub: MOV o[HPOS], v[0]; RET; main: CAL sub; END";
    assert_eq!(text(RANKINE, call), "BRA L3\nL1:\nMOV oPos, v0\nRET\nL3:\nCAL L1\nNOP\n");
    let ret = "!!VP2.0 CAL sub; BRA end; sub: MOV o[HPOS], v[0]; RET; end: MOV R0, R0; END";
    assert_eq!(text(RANKINE, ret), "CAL L2\nBRA L4\nL2:\nMOV oPos, v0\nRET\nL4:\nMOV r0, r0\n");
}

#[test]
fn indices_may_count_from_before_the_first_parameter() {
    let indexed = "!!VP1.0 ARL A0.x, v[0].x; MOV o[HPOS], c[A0.x - 5]; MOV o[COL0], c[1]; END";
    let assembled = assemble(CURIE, indexed).expect("a program");
    assert_eq!(
        print(Generation::Curie, &assembled.program),
        "ARL a0.x, v0.x\nMOV oPos, c[a0.x]\nMOV oD0, c[6]\n"
    );
    assert_eq!(assembled.rows.len(), 96);
    assert_eq!(assembled.rows[0], Row { row: 5, binding: Binding::Parameter(0) });
    let array = "!!ARBvp1.0 PARAM p[] = { program.env[0..3] }; ADDRESS a; ARL a.x, 1; MOV result.position, p[a.x - 2]; END";
    let assembled = assemble(CURIE, array).expect("a program");
    assert_eq!(assembled.rows[0], Row { row: 2, binding: Binding::Env(0) });
}

#[test]
fn nothing_is_paired_without_being_asked_for() {
    let source = "!!VP1.0 MOV o[HPOS], v[0]; RCP R1.x, v[0].w; MOV R2, R3; END";
    let assembled = assemble(KELVIN, source).expect("a program");
    let units = |insn: &crate::isa::Insn| {
        [Unit::Vec, Unit::Sca].iter().filter(|&&unit| !insn.written(unit).is_empty()).count()
    };
    assert!(assembled.program.insns.iter().all(|insn| units(insn) == 1));
}

/// As many lines as there are, of a vector operation and a scalar one each.
fn halves(pairs: usize) -> String {
    format!("!!VP1.0\n{}END", "MUL o[COL0], v[0], c[0];\nRCP R1.x, v[0].w;\n".repeat(pairs))
}

#[test]
fn what_fits_only_in_pairs_is_a_program() {
    let slots = Generation::Kelvin.slots();
    let pairs = Passes { pair: true, ..Passes::NONE };
    let alone = "the program has more than the 136 slots of XFPR";
    assert_eq!(error(KELVIN, &halves(slots)), format!("138:1: {alone}"));
    let assembled = super::assemble(KELVIN, &halves(slots), pairs).expect("a program");
    assert_eq!(assembled.program.insns.len(), slots);
    assert!(
        assembled
            .program
            .insns
            .iter()
            .all(|insn| !insn.written(Unit::Vec).is_empty() && !insn.written(Unit::Sca).is_empty())
    );
    // One too many is where it stands in the text.
    let errors = super::assemble(KELVIN, &halves(slots + 1), pairs).expect_err("a slot too many");
    assert_eq!((errors[0].line, errors[0].message.as_str()), (2 + 2 * slots, alone));
    // The chip is chosen by what becomes of the program.
    let chip = |passes| super::assemble(None, &halves(slots), passes).map(|assembled| assembled.generation);
    assert_eq!(chip(Passes::NONE), Ok(Generation::Rankine));
    assert_eq!(chip(pairs), Ok(Generation::Kelvin));
    assert_eq!(chip(Passes::ALL), Ok(Generation::Kelvin));
    // However long, a text is a program or an error soon.
    let errors = super::assemble(KELVIN, &halves(40 * slots), Passes::ALL).expect_err("far too many");
    assert_eq!((errors[0].line, errors[0].message.as_str()), (138, alone));
}

#[test]
fn what_fits_only_in_other_temporaries_is_a_program() {
    let names: Vec<String> = (0..13).map(|n| format!("t{n}")).collect();
    let moves: String =
        names.iter().map(|name| format!("MUL {name}, vertex.normal, vertex.normal;\n")).collect();
    let adds: String = names.iter().map(|name| format!("MAX result.color, {name}, t0;\n")).collect();
    let text = format!("!!ARBvp1.0 TEMP {};\n{moves}{adds}END", names.join(", "));
    assert!(error(KELVIN, &text).contains("more than the 12 temporaries"));
    let rename = Passes { order: true, rename: true, ..Passes::NONE };
    let assembled = super::assemble(KELVIN, &text, rename).expect("a program");
    assert!(assembled.program.insns.iter().all(|insn| insn.vec_dst.reg < 12));
    // All of them are read twice, in turns.
    let sums: String = names.iter().map(|name| format!("MAD s, s, {name}, {name};\n")).collect();
    let text = format!(
        "!!ARBvp1.0 TEMP s, {};\nMOV s, vertex.position;\n{moves}{sums}{sums}MOV result.color, s;\nEND",
        names.join(", ")
    );
    let errors = super::assemble(KELVIN, &text, Passes::ALL).expect_err("too many temporaries");
    let message = "the program needs more than the 12 temporaries that kelvin has";
    assert_eq!((errors[0].line, errors[0].message.as_str()), (14, message));
    assert!(super::assemble(RANKINE, &text, Passes::ALL).is_ok());
}

#[test]
fn only_the_x_of_fog_and_point_size_is_written() {
    let fog = "!!VP2.0 MOV o[FOGC].yz, v[0]; ADDC o[PSIZ].yw, v[0], R1; MOV o[FOGC], v[0]; END";
    assert_eq!(text(CURIE, fog), "ADDC cc.yw, v0, r1\nMOV oFog.x, v0.x\n");
}

/// The programs that `tests/opengl.rs` runs.
const SAMPLES: &[&str] = &[
    include_str!("../../../../../tests/opengl/vp10.vp"),
    include_str!("../../../../../tests/opengl/vp11.vp"),
    include_str!("../../../../../tests/opengl/vsp10.vp"),
    include_str!("../../../../../tests/opengl/vp20.vp"),
    include_str!("../../../../../tests/opengl/vp30.vp"),
    include_str!("../../../../../tests/opengl/arb.vp"),
    include_str!("../../../../../tests/opengl/arb_option2.vp"),
    include_str!("../../../../../tests/opengl/arb_option3.vp"),
];

#[test]
fn the_samples_have_every_opcode_in_both_notations() {
    let words = |arb: bool| {
        let samples = SAMPLES.iter().filter(move |sample| sample.starts_with("!!ARB") == arb);
        let lines = samples.flat_map(|sample| sample.lines());
        lines.filter_map(|line| ops::find(line.split_whitespace().next()?)).map(|(opcode, _)| opcode.name)
    };
    for opcode in ops::OPCODES {
        let sets = opcode.sets;
        if sets != language::ARB {
            assert!(words(false).any(|name| name == opcode.name), "{}", opcode.name);
        }
        // What the options add to ARB_vertex_program is the same code: arb_option2 and 3 have the most of it.
        if sets & language::ARB != 0 {
            assert!(words(true).any(|name| name == opcode.name), "{}", opcode.name);
        }
    }
}

#[test]
fn bindings_are_spelt_out() {
    let binding = |text: &str| {
        let program = format!("!!ARBvp1.0 MOV result.color, {text}; END");
        let rows = assemble(KELVIN, &program).unwrap_or_else(|errors| panic!("{text}: {errors:?}")).rows;
        assert_eq!(rows.len(), 1);
        rows[0].binding.to_string()
    };
    for (text, expected) in [
        ("program.env[95]", "program.env[95]"),
        ("program.local[0]", "program.local[0]"),
        ("state.material.ambient", "state.material.front.ambient"),
        ("state.material.back.shininess", "state.material.back.shininess"),
        ("state.light[7].attenuation", "state.light[7].attenuation"),
        ("state.light[0].spot.direction", "state.light[0].spot.direction"),
        ("state.lightmodel.ambient", "state.lightmodel.ambient"),
        ("state.lightmodel.scenecolor", "state.lightmodel.front.scenecolor"),
        ("state.lightmodel.back.scenecolor", "state.lightmodel.back.scenecolor"),
        ("state.lightprod[2].specular", "state.lightprod[2].front.specular"),
        ("state.texgen.eye.s", "state.texgen[0].eye.s"),
        ("state.texgen[3].object.q", "state.texgen[3].object.q"),
        ("state.fog.color", "state.fog.color"),
        ("state.clip[0].plane", "state.clip[0].plane"),
        ("state.point.size", "state.point.size"),
        ("state.matrix.modelview.row[1]", "state.matrix.modelview[0].row[1]"),
        ("state.matrix.modelview[1].inverse.row[3]", "state.matrix.modelview[1].inverse.row[3]"),
        ("state.matrix.projection.transpose.row[0]", "state.matrix.projection.transpose.row[0]"),
        ("state.matrix.mvp.invtrans.row[2]", "state.matrix.mvp.invtrans.row[2]"),
        ("state.matrix.texture.row[0]", "state.matrix.texture[0].row[0]"),
        ("state.matrix.program[7].row[0]", "state.matrix.program[7].row[0]"),
        ("2", "{ 2.0, 2.0, 2.0, 2.0 }"),
        ("-2.5e-1", "{ 0.25, 0.25, 0.25, 0.25 }"),
        ("{ -1 }", "{ -1.0, 0.0, 0.0, 1.0 }"),
        ("{ .5, +2., 3e2 }", "{ 0.5, 2.0, 300.0, 1.0 }"),
    ] {
        assert_eq!(binding(text), expected, "{text}");
    }
}
