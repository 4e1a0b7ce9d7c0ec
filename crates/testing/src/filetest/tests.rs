use super::*;
use crate::RandomFixed;
use crate::chip::Pipeline;
use crate::isa::OutTarget;
use crate::{Choices, FixedCase};
use proptest::prelude::*;
use xfjit_runtime::num::Model;

/// A file of the fixed function whose lines are all well.
const FIXED: &str = "; Why.
test run
fixed nv15 00000000 00000005
model hw

; with: XFCTX[0x08].x=3f800000
; run: v0=(1 2 3 4) -> oPos=(1 2 3 4)
; then: v0=(1 2 3 4) -> oT0.xy=(1 2)
";

fn error(text: &str) -> (usize, String) {
    let error = text.parse::<FileTest>().expect_err(text);
    (error.line, error.message)
}

/// The file with a line in the place of another.
fn with(number: usize, line: &str) -> String {
    let lines = FIXED.lines().enumerate();
    lines.map(|(at, old)| format!("{}\n", if at + 1 == number { line } else { old })).collect()
}

#[test]
fn what_is_wrong_is_told_with_its_line() {
    assert!(FIXED.parse::<FileTest>().is_ok());
    for (number, line, message) in [
        (2, "test run, frobnicate", "`frobnicate` is not something that can be tested"),
        (3, "fixed", "`fixed` needs a chip and the words of its XFMODE"),
        (3, "fixed nv41 0 0", "`nv41` is not a chip with a fixed function: nv10, nv15, nv20, nv30, nv40"),
        (3, "fixed nv15 0", "XFMODE of nv15 has 2 words (B A), not 1"),
        (3, "fixed nv15 0 0 0", "XFMODE of nv15 has 2 words (B A), not 3"),
        (3, "fixed nv15 0 5g", "`5g` is not a word of one to eight hexadecimal digits"),
        (3, "fixed nv15 0 123456789", "`123456789` is not a word of one to eight hexadecimal digits"),
        (4, "model hw sw", "`sw` is not a model"),
        (5, "gen kelvin", "`gen` must come before options and runs, and only once"),
        (5, "fixed nv15 0 0", "`fixed` must come before options and runs, and only once"),
        (5, "texels host", "the fixed function does not read texels"),
        (5, "option access user", "`access user` is not an option of the fixed function"),
        (5, "option layout", "`layout` is not an option of the fixed function"),
        (5, "option layout columns", "`layout columns` is not an option of the fixed function"),
        (5, "option live_outputs oPos oFog", "`oFog` is not an output of the unit in this mode"),
        (5, "option live_outputs oPos oClp0", "`oClp0` is not an output"),
        (5, "run", "`run` is not a line of a header, and the fixed function has no program"),
        (
            5,
            "MOV oPos, v0",
            "`MOV oPos, v0` is not a line of a header, and the fixed function has no program",
        ),
        (6, "; with: XFCTX[0x3c]=(0 0 0 0)", "`XFCTX[0x3c]`: XFCTX of nv15 has 0x3c slots"),
        (6, "; with: XFCTX[99999999999999999999]=0", "XFCTX of nv15 has 0x3c slots"),
        (6, "; with: LTC1[19]=0", "`LTC1[19]`: LTC1 of nv15 has 0x13 slots"),
        (6, "; with: LTC4[0]=0", "`LTC4[0]` is not a slot of a memory"),
        (6, "; with: XFCTX[]=0", "`XFCTX[]` is not a slot of a memory"),
        (6, "; with: XFCTX[0x]=0", "`XFCTX[0x]` is not a slot of a memory"),
        (6, "; with: XFCTX[1a]=0", "`XFCTX[1a]` is not a slot of a memory"),
        (6, "; with: XFCTX[+1]=0", "`XFCTX[+1]` is not a slot of a memory"),
        (6, "; with: XFCTX[1=0", "`XFCTX[1` is not a slot of a memory"),
        (6, "; with: XFCTX[1]x=0", "`XFCTX[1]x` is not a slot of a memory"),
        (6, "; with: XFCTX[1].=0", "`XFCTX[1].` names no component"),
        (6, "; with: XFCTX[1].yx=(0 0)", "components are some of xyzw, in this order"),
        (6, "; with: LTCTX[1].w=0", "`LTCTX[1].w`: components are some of xyz, in this order"),
        (6, "; with: LTC2[1].y=0", "`LTC2[1].y`: components are some of x, in this order"),
        (6, "; with: LTCTX[1]=(0 0 0 0)", "`LTCTX[1]` names 3 components, but there are 4 words"),
        (6, "; with: XFCTX[1]=0", "`XFCTX[1]` names 4 components, but there are 1 words"),
        (6, "; with: XFCTX[1]", "`XFCTX[1]` has no `=`"),
        (6, "; with: XFCTX[1]=(0 0", "`(0 0` has no `)`"),
        (6, "; with: v0=(0 0 0 0)", "`v0` is not a constant"),
        (6, "; with: c[0]=(0 0 0 0)", "`c[0]` is not a slot of a memory"),
        (6, "; then: v0.x=0 -> oPos.x=0", "there is no run before this"),
        (7, "; run: v0.x=0", "a run needs `->` before its expected outputs"),
        (7, "; run: v7.x=0 -> oPos.x=0", "`v7.x` is neither an attribute of nv15 (v0 to v6)"),
        (7, "; run: v+1.x=0 -> oPos.x=0", "`v+1.x` is neither an attribute of nv15"),
        (7, "; run: iWeight.x=0 -> oPos.x=0", "`iWeight.x` is neither an attribute of nv15"),
        (7, "; run: v0.xx=(0 0) -> oPos.x=0", "`v0.xx`: components are some of xyzw, in this order"),
        (7, "; run: v0.x=0 -> oFog.x=0", "`oFog.x` is not an output of the unit in this mode"),
        (7, "; run: v0.x=0 -> oWeather=0", "`oWeather` is not an output"),
        (7, "; run: v0.x=0 -> XFCTX[0].x=0", "`XFCTX[0].x` is not an output"),
        (7, "; run: v0.x=0 -> c[0].x=0", "`c[0].x` is not an output"),
        (7, "; run: v0.x=0 -> timeout=1", "`timeout` is not an output"),
        (7, "; run: v0.x=0 -> oPos.xy=0", "`oPos.xy` names 2 components, but there are 1 words"),
        (8, "; then: XFCTX[0].x=0 -> oPos.x=0", "constants can be set only at the start of a batch"),
    ] {
        let (at, got) = error(&with(number, line));
        assert!(got.contains(message), "{line}: {got}");
        assert_eq!(at, number, "{line}: {got}");
    }
    // What is missing is missed at the end.
    assert_eq!(error(&with(2, "")), (8, "there is no line `test`".to_owned()));
    assert_eq!(error(&with(4, "")), (8, "there is no line `model hw` or `model ieee`".to_owned()));
}

#[test]
fn the_header_comes_before_what_depends_on_it() {
    let text = "; with: c[0].x=0\nfixed nv15 0 0\n";
    assert_eq!(error(text), (2, "`fixed` must come before options and runs, and only once".to_owned()));
    let text = "texels host\nfixed nv15 0 0\n";
    assert_eq!(error(text), (2, "the fixed function does not read texels".to_owned()));
    let text = "fixed nv20 0 0 0 0\n; run: c[0].x=0 -> oPos.x=0\n";
    assert_eq!(
        error(text),
        (2, "`c[0].x` is not a slot of a memory, such as XFCTX[0x3a] or LTC1[2]".to_owned())
    );
}

#[test]
fn a_wrong_expectation_fails_on_every_backend() {
    let error =
        FIXED.parse::<FileTest>().map(|test| test.check()).expect("it is a test").expect_err("it is wrong");
    assert!(error.starts_with("interp, Hw: line 7: vertex 0 of 2: o0: expected"), "{error}");
    let mut test: FileTest = FIXED.parse().expect("it is a test");
    for backend in crate::backends(Model::Hw) {
        assert!(test.check_runs(&*backend, Model::Hw).is_err(), "{}", backend.name());
    }
    // What is left without expectations passes.
    test.batches[0].vertices.iter_mut().for_each(|vertex| vertex.expected.clear());
    assert_eq!(test.check(), Ok(()));
}

/// Without the lines at which batches stood.
fn without_lines(mut test: FileTest) -> FileTest {
    test.batches.iter_mut().for_each(|batch| batch.line = 0);
    test
}

fn case(seed: u64, vertices: usize) -> FixedCase {
    let mut choices = Choices::seed(seed);
    let family = choices.pick(&crate::fixed::FAMILIES);
    FixedCase::choose(&mut choices, family, None, vertices)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn what_is_written_for_a_configuration_is_read_as_the_same(seed in any::<u64>(), vertices in 1usize..5) {
        let case = case(seed, vertices);
        let test = FileTest::of_fixed(&case, vec!["Why.".to_owned()], 0..vertices).expect("it runs");
        let text = test.to_string();
        let read: FileTest = text.parse().map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        prop_assert_eq!(read.to_string(), text);
        prop_assert_eq!(without_lines(read), test);
    }

    #[test]
    fn any_text_is_a_test_or_an_error_in_one_of_its_lines(
        number in 1usize..9,
        pieces in prop::collection::vec(
            prop::sample::select(vec![
                "; with: ", "; run: ", "; then: ", "fixed ", "nv20 ", "option ", "XFCTX[", "LTC1[", "]", "0x", "3", ".",
                "xyzw", "=", "(", ")", " ", "->", "v", "oPos", "oClp0", "live_outputs ", "é", "ffffffff", "c[",
            ]),
            0..14,
        ),
    ) {
        let text = with(number, &pieces.concat());
        if let Err(error) = text.parse::<FileTest>() {
            prop_assert!((1..=8).contains(&error.line), "{}\n{}", error, text);
        }
    }
}

/// What a report leaves out does not matter: the rest of the memories, of the attributes, and of the vertices.
#[test]
fn what_is_written_for_a_configuration_passes() {
    let mut pipelines = Vec::new();
    for seed in 0..60 {
        let case = case(seed, 3);
        let test = FileTest::of_fixed(&case, vec!["Why.".to_owned()], 1..2).expect("it runs");
        assert_eq!(test.batches[0].vertices.len(), 1);
        let want = case.run(&crate::backend::Eval::Xf, &mut crate::backend::Worker::new()).expect("it runs");
        for expected in &test.batches[0].vertices[0].expected {
            let OutTarget::Output(register) = expected.target else { panic!("{expected:?}") };
            let row = case.placement().row(&want.output, usize::from(register), 1);
            assert_eq!(row, Some(expected.row), "seed {seed}");
        }
        assert_eq!(check_text(&test.to_string(), Bless::No), Ok(None), "seed {seed}:\n{test}");
        pipelines.push(case.setup.mode.pipeline());
    }
    assert!(Pipeline::ALL.iter().all(|pipeline| pipelines.contains(pipeline)));
}
