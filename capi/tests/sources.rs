//! What the sources of the C interface must not have: lifetimes longer than what is borrowed, files that import each other, and promises
//! that nobody has made.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The files of `src`, by name without `.rs`.
fn sources() -> BTreeMap<String, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let entries = std::fs::read_dir(folder)
        .expect("the folder can be read")
        .map(|entry| entry.expect("it can be read").path());
    let files = entries.filter(|path| path.extension().is_some_and(|extension| extension == "rs"));
    let name = |path: &Path| path.file_stem().expect("a file has a name").to_string_lossy().into_owned();
    let all: BTreeMap<_, _> =
        files.map(|path| (name(&path), std::fs::read_to_string(&path).expect("it can be read"))).collect();
    assert!(all.len() > 30, "{} files", all.len());
    all
}

/// Without comments.
fn code(line: &str) -> &str {
    line.split("//").next().unwrap_or_default()
}

/// Types of constants, and the one value that is kept with a lifetime of its own, since nothing was borrowed for it.
const LASTING: [&str; 6] = [
    "&'static str",
    "&'static [",
    "&'static std::ffi::CStr",
    "&'static Quirk",
    "&'static Function",
    "inputs: Inputs<'static>,",
];

/// A lifetime is extended by `transmute`, or by naming one that lasts where something is borrowed.
#[test]
fn no_lifetime_is_extended() {
    for (name, text) in sources() {
        for (number, line) in (1..).zip(text.lines()) {
            let code = LASTING.iter().fold(code(line).to_owned(), |code, lasting| code.replace(lasting, ""));
            let is_extended =
                ["transmute", "'static", "Box::leak", ".leak()"].iter().any(|word| code.contains(word));
            assert!(!is_extended, "{name}.rs, line {number}: {line}");
        }
    }
}

/// A SAFETY line says what makes something sound. That somebody has said so is known from the contract of a function.
#[test]
fn safety_is_not_a_callers_word() {
    let mut seen = 0;
    for (name, text) in sources() {
        for (number, line) in (1..).zip(text.lines()) {
            seen += usize::from(line.contains("SAFETY:"));
            assert!(!line.contains("as the caller "), "{name}.rs, line {number}: {line}");
        }
    }
    assert!(seen > 40, "{seen} lines");
}

/// The files that a file imports.
fn imports(text: &str, files: &BTreeMap<String, String>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for line in text.lines() {
        for (at, word) in code(line).match_indices("crate::") {
            let rest = &code(line)[at + word.len()..];
            let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            if files.contains_key(&name) {
                found.insert(name);
            }
        }
    }
    found
}

/// The table at the head of `lib.rs` has the files from the bottom up: each imports only what stands above it.
#[test]
fn files_import_what_stands_above_them() {
    let files = sources();
    let rows = files["lib.rs".trim_end_matches(".rs")]
        .lines()
        .filter_map(|line| line.strip_prefix("//! | `"))
        .map(|row| {
            let (name, _) = row.split_once(".rs`").expect("a row begins with the name of a file");
            name.to_owned()
        });
    let rows: Vec<String> = rows.collect();
    let listed: BTreeSet<&String> = rows.iter().collect();
    let there: BTreeSet<&String> = files.keys().filter(|name| *name != "lib").collect();
    assert_eq!(listed, there);
    for (at, name) in rows.iter().enumerate() {
        for import in imports(&files[name], &files) {
            let stands = rows.iter().position(|row| *row == import);
            assert!(
                stands.is_some_and(|stands| stands <= at),
                "{name}.rs imports {import}.rs, which stands below it"
            );
        }
    }
}
