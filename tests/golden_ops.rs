//! Every line of the hardware model's vectors for single operations, on the golden functions.

use xfjit_testing::golden::files::{VectorFile, recognise};
use xfjit_testing::golden::ops::{OpCase, OpRules};

#[test]
fn golden_functions_compute_what_celsius_does() {
    let text = include_str!("../runtime/tests/data/celsius_op_vectors.csv").to_owned();
    let Ok(VectorFile::CelsiusOps(ops)) = recognise("celsius".to_owned(), text) else {
        panic!("the file holds no operations")
    };
    let cases: Vec<_> = ops.collect::<Result<_, _>>().unwrap_or_else(|flaw| panic!("{flaw}"));
    let wrong = cases.iter().filter(|case| case.golden() != Some(case.result));
    let wrong: Vec<String> =
        wrong.map(|case| format!("line {}: {case:08x?}\n  got {:08x?}", case.line, case.golden())).collect();
    let shown = wrong.iter().take(20).map(String::as_str).collect::<Vec<_>>().join("\n");
    assert!(wrong.is_empty(), "{} of {} rows fail:\n{shown}", wrong.len(), cases.len());
    assert_eq!(cases.len(), 19 * 120, "the file has lost rows");
}

fn cases() -> Vec<OpCase> {
    let mut packed: &[u8] = include_bytes!("../runtime/tests/data/ops_hw.txt.xz");
    let mut bytes = Vec::new();
    lzma_rs::xz_decompress(&mut packed, &mut bytes).expect("the vectors are an xz file");
    let text = String::from_utf8(bytes).expect("the vectors are text");
    let Ok(VectorFile::Ops(ops)) = recognise("ops_hw".to_owned(), text) else {
        panic!("the file holds no operations")
    };
    ops.collect::<Result<_, _>>().unwrap_or_else(|flaw| panic!("{flaw}"))
}

/// Runs every line; fails with the first twenty wrong ones in full.
#[test]
fn golden_functions_compute_what_the_hardware_model_does() {
    let cases = cases();
    for (rules, count) in
        [(OpRules::Kelvin, 4_750), (OpRules::RankineLegacy, 8_000), (OpRules::RankineModern, 8_000)]
    {
        let of_rules: Vec<&OpCase> = cases.iter().filter(|case| case.rules == rules).collect();
        let failures: Vec<String> = of_rules
            .iter()
            .filter(|case| case.golden() != Some(case.result))
            .map(|case| format!("line {}: {case:08x?}\n  got {:08x?}", case.line, case.golden()))
            .collect();
        let shown = failures.iter().take(20).map(String::as_str).collect::<Vec<_>>().join("\n");
        assert!(failures.is_empty(), "{} of {} lines fail:\n{shown}", failures.len(), of_rules.len());
        assert_eq!(of_rules.len(), count, "the file has lost lines");
    }
}
