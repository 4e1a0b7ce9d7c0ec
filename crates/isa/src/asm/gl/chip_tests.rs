//! Which chip a program goes to, and what the extensions' grammars allow.

use super::super::print;
use super::*;

/// Every operation in a slot of its own.
fn assemble(generation: Option<Generation>, text: &str) -> Result<Assembled, ParseErrors> {
    super::assemble(generation, text, Passes::NONE)
}

fn text(program: &str) -> String {
    match assemble(None, program) {
        Ok(assembled) => print(assembled.generation, &assembled.program),
        Err(errors) => panic!("{}", errors.iter().map(|error| error.render(program)).collect::<String>()),
    }
}

/// All errors, with their lines.
fn errors(program: &str) -> Vec<String> {
    let errors = assemble(None, program).expect_err(program);
    errors.iter().map(|error| format!("{}: {}", error.line, error.message)).collect()
}

#[test]
fn a_program_goes_to_the_first_chip_that_holds_it() {
    let [kelvin, rankine, curie] = [Generation::Kelvin, Generation::Rankine, Generation::Curie];
    let chip = |text: &str| assemble(None, text).map(|assembled| assembled.generation);
    let moves = |count: usize| format!("!!VP1.0 {} END", "MOV o[HPOS], v[0];".repeat(count));
    let [first, second, last] = [kelvin, rankine, curie].map(Generation::slots);
    let fits = [(first, kelvin), (first + 1, rankine), (second, rankine), (second + 1, curie), (last, curie)];
    for (slots, generation) in fits {
        assert_eq!(chip(&moves(slots)), Ok(generation), "{slots}");
    }
    let error = |slots: usize| format!("1: the program has more than the {slots} slots of XFPR");
    assert_eq!(errors(&moves(last + 1)), [error(last)]);
    let rows = |count: usize| {
        let items = "1, ".repeat(count);
        format!("!!ARBvp1.0 PARAM p[] = {{ {items}0 }}; MOV result.position, p[0]; END")
    };
    for (items, generation) in [(95, kelvin), (96, rankine), (256, curie)] {
        assert_eq!(chip(&rows(items)), Ok(generation), "{items}");
    }
    assert_eq!(errors(&rows(468)), ["1: the program needs more than the 468 constants that curie has"]);
    let temps = |count: usize| {
        let names: Vec<String> = (0..count).map(|n| format!("t{n}")).collect();
        let moves: String = names.iter().map(|name| format!("MOV {name}, vertex.normal;")).collect();
        let adds: String = names.iter().map(|name| format!("ADD result.color, {name}, t0;")).collect();
        format!("!!ARBvp1.0 TEMP {}; {moves} {adds} END", names.join(", "))
    };
    for (temporaries, generation) in [(12, kelvin), (13, rankine), (17, curie)] {
        assert_eq!(chip(&temps(temporaries)), Ok(generation), "{temporaries}");
    }
    for program in [
        "!!VP1.0 MOV o[TEX4], v[0]; END",
        "!!ARBvp1.0 MOV result.texcoord[7], vertex.position; END",
        "!!ARBvp1.0 ADDRESS a, b; ARL b.x, vertex.position.x; END",
    ] {
        assert_eq!(chip(program), Ok(rankine), "{program}");
    }
    // Whoever names a chip means it.
    assert!(assemble(Some(kelvin), "!!VP1.0 MOV o[TEX4], v[0]; END").is_err());
    // A vertex state program writes constants, which Curie cannot.
    let state = |count: usize| format!("!!VSP1.0 {} END", "MOV c[0], v[0];".repeat(count));
    assert_eq!(chip(&state(first + 1)), Ok(rankine));
    assert_eq!(errors(&state(second + 1)), [error(second)]);
}

#[test]
fn what_a_later_chip_has_is_no_error_beside_others() {
    assert_eq!(errors("!!VP1.0\nMOV o[TEX4], v[0];\nMUV R0, v[0];\nEND"), ["3: `MUV` is not an instruction"]);
    let option = "!!ARBvp1.0 OPTION NV_vertex_program3;\nMOV result.texcoord[4], r;\nMUV r, r;\nEND";
    assert_eq!(errors(option), ["2: `r` is not declared", "3: `MUV` is not an instruction"]);
    assert_eq!(
        errors("!!ARBvp1.0\nPARAM p = state.matrix.palette[0].row[0];\nEND"),
        ["2: curie has no palette of matrices"]
    );
}

#[test]
fn a_program_may_do_nothing_where_its_grammar_says_so() {
    for program in ["!!ARBvp1.0 END", "!!VP2.0 END", "!!VP3.0 END", "!!ARBvp1.0 TEMP r; PARAM p = 1; END"] {
        assert_eq!(text(program), "NOP\n", "{program}");
        let assembled = assemble(None, program).expect(program);
        assert!(
            assembled.program.insns.len() == 1 && assembled.program.insns[0].end && assembled.rows.is_empty()
        );
    }
    assert_eq!(text("!!VP2.0 done: END"), "NOP\n");
    for program in ["!!VP1.0 END", "!!VP1.1 OPTION NV_position_invariant; END", "!!VSP1.0 END"] {
        let empty = assemble(None, program).err().map(|errors| errors[0].message.clone());
        let expected = (!program.contains("OPTION")).then(|| "the program has no instruction".to_owned());
        assert_eq!(empty, expected, "{program}");
    }
}

#[test]
fn popa_takes_a_condition_and_whole_registers_are_named_alone() {
    let option = "!!ARBvp1.0 OPTION NV_vertex_program3; ADDRESS a, b; TEMP r; MOVC r, vertex.normal;";
    for (pop, printed) in [
        ("POPA a;", "POPA a0"),
        ("POPA a.xyzw;", "POPA a0"),
        ("POPA b (GT.y);", "POPA a1 (GT.y)"),
        ("POPA a.xyzw (NE1.wzyx);", "POPA a0 (NE1.wzyx)"),
    ] {
        assert!(text(&format!("{option} PUSHA a; {pop} END")).ends_with(&format!("{printed}\n")), "{pop}");
    }
    for wrong in [
        "POPA a.xyz;",
        "POPA a (GT.xy);",
        "PUSHA a.xyzw;",
        "PUSHA a.x;",
        "PUSHA a (GT);",
        "ARA a, b.xyzw;",
        "ARA a, b.wzyx;",
        "ARA a, b.x;",
    ] {
        assert_eq!(errors(&format!("{option} {wrong} END")).len(), 1, "{wrong}");
    }
    assert_eq!(errors(&format!("{option}\nARA a, b.xyzw; END")), ["2: name the whole address register"]);
    assert!(assemble(None, &format!("{option} ARA a.xz (LT.w), b; END")).is_ok());
}

#[test]
fn indexed_arrays_bind_a_parameter_once() {
    let program = |arrays: &str, reads: &str| {
        format!("!!ARBvp1.0\n{arrays}\nADDRESS a; ARL a.x, vertex.normal.x;\n{reads}\nEND")
    };
    let read = |name: &str| format!("MOV result.position, {name};");
    let twice = "PARAM p[] = { program.local[2..3], program.local[3] };";
    let error = "2: program.local[3] is bound more than once in indexed arrays";
    assert_eq!(errors(&program(twice, &read("p[a.x]"))), [error]);
    assert!(assemble(None, &program(twice, &read("p[2]"))).is_ok());
    let two = "PARAM p[] = { program.env[0..2] }; PARAM q[] = { program.env[2], program.env[5] };";
    let error = "2: program.env[2] is bound more than once in indexed arrays";
    let both = read("p[a.x]") + &read("q[a.x + 1]");
    assert_eq!(errors(&program(two, &both)), [error]);
    assert!(assemble(None, &program(two, &(read("p[a.x]") + &read("q[0]")))).is_ok());
    let state = "PARAM p[] = { state.matrix.mvp, state.matrix.mvp.row[1] };";
    let error = "2: state.matrix.mvp.row[1] is bound more than once in indexed arrays";
    assert_eq!(errors(&program(state, &read("p[a.x]"))), [error]);
    // Literals are no state.
    assert!(assemble(None, &program("PARAM p[] = { 1, 1, { 1, 1, 1, 1 } };", &read("p[a.x]"))).is_ok());
}
