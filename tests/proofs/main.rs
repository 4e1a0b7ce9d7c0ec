//! The ledger of proofs names every recipe that there is, and no other (docs/PROOFS.md). No solver runs here: `.ci/proofs` proves, and
//! writes the ledger. Operands on which a recipe was wrong, or would be without a guard, are rows of `operands.txt`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use xfjit_testing::proofs::{Example, fingerprint, recipes};

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The lines of the ledger: what stands before the first colon, and behind it.
fn ledger() -> Vec<(String, String)> {
    let text = read(&file("tests/proofs/ledger.txt"));
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let parts = lines.map(|line| line.split_once(": ").unwrap_or_else(|| panic!("{line:?} has no colon")));
    parts.map(|(left, right)| (left.to_owned(), right.to_owned())).collect()
}

fn value(name: &str) -> String {
    let found = ledger().into_iter().find(|(left, _)| left == name);
    found.unwrap_or_else(|| panic!("the ledger has no line {name}")).1
}

/// Every recipe by its line in the ledger.
fn rows() -> BTreeMap<String, String> {
    ledger().into_iter().filter(|(left, _)| left.contains(' ')).collect()
}

#[test]
fn the_ledger_names_every_recipe_and_no_other() {
    let mut rows = rows();
    let names = recipes().into_iter().map(|entry| format!("{:016x} {}", entry.fingerprint(), entry.name()));
    let new: Vec<String> = names.filter(|name| rows.remove(name).is_none()).collect();
    let gone: Vec<String> = rows.into_keys().collect();
    assert!(
        new.is_empty() && gone.is_empty(),
        "recipes have changed: run `.ci/proofs --changed` (docs/PROOFS.md)\nnot in the ledger: {new:#?}\nno longer there: {gone:#?}"
    );
}

#[test]
fn every_status_is_one_that_the_page_describes() {
    for (name, status) in rows() {
        let word = status.split([' ', ':']).next().unwrap_or_default();
        assert!(matches!(word, "proved" | "composed" | "exhaustive" | "gap"), "{name}: {status}");
        if let Some(test) = status.strip_prefix("exhaustive ") {
            let (path, function) = test.split_once(' ').unwrap_or_else(|| panic!("{name}: {status}"));
            assert!(read(&file(path)).contains(&format!("fn {function}()")), "{name}: there is no {test}");
        }
    }
}

/// A recipe of given operands holds what is composed of it.
#[test]
fn what_is_composed_is_composed_of_what_is_proved() {
    let rows = rows();
    let mut counted = 0;
    for (name, status) in &rows {
        let Some(rest) = status.strip_prefix("composed of ") else { continue };
        let base = rest.split(' ').next().unwrap_or_default();
        let (given, held) = rows.iter().find(|(line, _)| line.starts_with(base)).expect("the ledger has it");
        assert!(given.contains(" given "), "{name} is composed of {given}");
        assert!(held.starts_with("proved ") || held.starts_with("exhaustive "), "{name}: {given}: {held}");
        counted += 1;
    }
    assert!(counted > 100, "{counted}");
}

/// As `arithmetic` of tests/proofs/prover/ledger.py: comments and tests do not count, nor does who may call them.
#[test]
fn the_golden_functions_are_those_that_were_proved() {
    let directory = fs::read_dir(file("runtime/src/num")).expect("it is a directory");
    let mut paths: Vec<PathBuf> = directory.map(|entry| entry.expect("it can be read").path()).collect();
    paths.sort();
    let mut text = String::new();
    for path in paths {
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
        let source = read(&path);
        let code = source.split("#[cfg(test)]").next().unwrap_or_default();
        let does_not_count = |line: &&str| {
            line.is_empty()
                || ["//", "#[doc(hidden)]", "pub use "].iter().any(|start| line.starts_with(start))
        };
        let lines = code.lines().map(str::trim).filter(|line| !does_not_count(line));
        let lines = lines.map(|line| line.strip_prefix("pub ").unwrap_or(line));
        let lines: Vec<&str> = [name].into_iter().chain(lines).collect();
        text.push_str(&lines.join("\n"));
        text.push('\n');
    }
    let now = format!("{:016x}", fingerprint(&text));
    assert_eq!(
        value("arithmetic"),
        now,
        "the golden functions have changed: run `.ci/proofs` (docs/PROOFS.md)"
    );
}

#[test]
fn recipes_are_right_on_operands_that_were_found() {
    let text = read(&file("tests/proofs/operands.txt"));
    let rows: Vec<&str> = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    assert!(rows.len() >= 10, "{} rows", rows.len());
    for row in rows {
        let example = Example::parse(row).unwrap_or_else(|message| panic!("{row}: {message}"));
        assert_eq!(example.wrong(), None, "{row}");
    }
}
