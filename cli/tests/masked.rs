//! The command on machines with less: `XFJIT_INSTRUCTIONS` hides what the processor has more.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use xfjit::InstructionSet;

/// Runs the command where the widest instruction set is one of this name; what it has printed, and said.
fn xfjit(bound: &str, arguments: &[&str]) -> (String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xfjit"));
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd");
    let output = command.current_dir(directory).env(InstructionSet::VARIABLE, bound).args(arguments).output();
    let output = output.expect("the command runs");
    [output.stdout, output.stderr].map(|text| String::from_utf8(text).expect("text")).into()
}

/// What `doctor` says of each check.
fn diagnosed(bound: &str) -> BTreeMap<String, String> {
    let (report, _) = xfjit(bound, &["doctor", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&report).expect("it is JSON");
    assert_eq!(report["failed"], 0, "{bound}: {report}");
    let text = |value: &serde_json::Value| value.as_str().expect("a text").to_owned();
    let rows = report["checks"].as_array().expect("checks").iter();
    rows.map(|row| (text(&row["check"]), text(&row["text"]))).collect()
}

/// The features that Cranelift is told of, too: else code for lesser machines would be something else there.
#[test]
#[cfg(target_arch = "x86_64")]
fn what_is_hidden_is_not_there() {
    for (bound, hidden) in
        [("x86-64-v2", &["avx", "fma", "bmi", "x86-64-v3"][..]), ("x86-64-v3", &["avx512", "x86-64-v4"])]
    {
        let told = diagnosed(bound);
        for check in ["cpu features", "native code"] {
            assert!(!hidden.iter().any(|name| told[check].contains(name)), "{bound}: {}", told[check]);
        }
        let sets = &told["instruction sets"];
        assert!(
            sets.starts_with("x86-64-v2") && sets.contains("x86-64-v4: XFJIT_INSTRUCTIONS hides it"),
            "{sets}"
        );
    }
}

/// What was not compared stands beside what was, and nowhere else: not before an error, and not among the results.
#[test]
#[cfg(target_arch = "x86_64")]
fn notes_are_told_beside_results() {
    let note =
        "note: not compared: this host does not support native code: x86-64-v4: XFJIT_INSTRUCTIONS hides it";
    let (printed, said) = xfjit("x86-64-v3", &["vectors", "files/ops.vectors"]);
    assert!(said.contains(note) && !printed.contains("note"), "{printed}{said}");
    let (printed, said) = xfjit("x86-64-v3", &["run", "files/add.xf"]);
    assert!(
        said.contains(note) && printed == "files/add.xf: as expected on every back end\n",
        "{printed}{said}"
    );
    let (printed, said) = xfjit("x86-64-v3", &["vectors", "files/cut.vectors"]);
    assert!(printed.is_empty() && said.starts_with("error: files/cut.vectors:5:"), "{printed}{said}");
    let (_, said) = xfjit("x86-64-v3", &["vectors", "files/ops.vectors", "--quiet"]);
    assert_eq!(said, "");
}

/// A name that nobody knows is not as good as none: there is no native code, and it is said why.
#[test]
fn a_name_of_no_set_is_told() {
    let told = &diagnosed("avx")["native code"];
    assert!(told.contains("XFJIT_INSTRUCTIONS is \"avx\", which is no instruction set"), "{told}");
}
