//! Every citation resolves inside the repository: the page that a comment or a document names exists, and so do the
//! section, the step and the quoted heading. `docs/spec/README.md` has the rules for names. The files and tests that
//! documents name exist, too.

mod scan;

use scan::{Report, flow, normal, number, strip, tree};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Where citations are looked for, beside the pages in the root.
const ROOTS: [&str; 10] =
    ["src", "crates", "runtime", "capi/patches", "cli", "tests", "docs", "benches", "fuzz", "programs"];

/// These files, whose samples are wrong on purpose.
const SELF: &str = "tests/citations/";

/// Fewer than these mean that the scan is broken: pages named, and sections, steps or headings of them.
const FEWEST: (usize, usize) = (400, 330);

/// The text files of the tree by their path.
fn files() -> BTreeMap<String, String> {
    files_below(&ROOTS)
}

/// The text files in some directories, and the pages in the root.
fn files_below(roots: &[&str]) -> BTreeMap<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pending: Vec<PathBuf> = roots.iter().map(|directory| root.join(directory)).collect();
    let mut files: Vec<PathBuf> = Vec::new();
    let here = fs::read_dir(root).expect("the root").map(|entry| entry.expect("an entry").path());
    files.extend(
        here.filter(|path| {
            path.extension().is_some_and(|extension| extension == "md" || extension == "toml")
        }),
    );
    while let Some(directory) = pending.pop() {
        for path in
            fs::read_dir(&directory).expect("a directory").map(|entry| entry.expect("an entry").path())
        {
            let made = ["target", "corpus", "artifacts"].iter().any(|name| path.ends_with(name));
            match path.is_dir() {
                true if !made => pending.push(path),
                true => {}
                false => files.push(path),
            }
        }
    }
    let texts = files.into_iter().filter_map(|path| {
        let text = fs::read_to_string(&path).ok()?;
        Some((normal(path.strip_prefix(root).expect("it is below")), text))
    });
    texts.collect()
}

#[test]
fn every_citation_resolves() {
    let files = files();
    let tree = tree(files.iter().map(|(path, text)| (&**path, &**text)));
    let mut report = Report::default();
    for (file, text) in files.iter().filter(|(file, _)| !file.starts_with(SELF)) {
        tree.check(file, text, &mut report);
    }
    assert!(report.wrong.is_empty(), "{}", report.wrong.join("\n"));
    let found = (report.pages, report.places);
    assert!(found.0 >= FEWEST.0 && found.1 >= FEWEST.1, "{found:?}: the scan misses citations");
}

/// Invariants are cited by the numbers of DESIGN.md's table.
#[test]
fn every_invariant_stands_in_the_table() {
    let files = files();
    let design = &files["docs/DESIGN.md"];
    let mut count = 0;
    for (file, text) in files.iter().filter(|(file, _)| !file.starts_with(SELF) && *file != "docs/DESIGN.md")
    {
        let text = flow(text);
        for at in text.match_indices("invariant").map(|(at, word)| at + word.len()) {
            let mut rest = text[at..].trim_start_matches('s');
            while let Some((cited, following)) = strip(rest, &[" I", ", I", " and I"]).and_then(number) {
                assert!(design.contains(&format!("| I{cited} |")), "{file}: there is no invariant I{cited}");
                (rest, count) = (following, count + 1);
            }
        }
    }
    assert!(count >= 10, "{count}: the scan misses citations");
}

/// What the scan makes of a text, in a tree of three pages.
fn scan(file: &str, text: &str) -> (usize, usize, Vec<String>) {
    let pages = [
        (
            "docs/spec/kelvin.md",
            "# K\n## 1. A\n### 1.1 B\n## 3. C\n1. x\n2. y\n10. z\n### 3.12 D\nsome words",
        ),
        ("docs/spec/arithmetic.md", "# A\n## Small rules\n**exp_core**(p) and **P**"),
        ("docs/isa/kelvin.md", "# Kelvin\n## Sizes"),
        ("docs/XF.md", "# XF"),
    ];
    let mut report = Report::default();
    tree(pages).check(file, text, &mut report);
    (report.pages, report.places, report.wrong)
}

#[test]
fn the_scan_finds_what_there_is() {
    for (file, text, pages, places) in [
        ("src/a.rs", "//! As (kelvin.md 1.1, 3).", 1, 2),
        ("src/a.rs", "/// See (kelvin.md 3, steps 1, 2 and 10; 3.12; kelvin.md\n/// 1).", 2, 6),
        ("src/a.rs", "/// (kelvin.md 3 step 10, 1.1: why); kelvin.md 3.2, 0x3a and 7th", 2, 4),
        ("src/a.rs", "// kelvin.md 1, step by step; docs/isa/kelvin.md, docs/XF.md", 3, 1),
        ("tests/x/a.xf", "; spec/kelvin.md 1 to 3. Then 5 more", 1, 2),
        ("docs/isa/rankine.md", "[kelvin.md](kelvin.md) and [spec/kelvin.md](../spec/kelvin.md) 1.1", 4, 1),
        ("docs/spec/arithmetic.md", "[kelvin.md](kelvin.md) 3.12, kelvin.md 1", 3, 2),
        (
            "src/a.rs",
            "(arithmetic.md, Small\n/// rules), (arithmetic.md: P), arithmetic.md, exp_core: A; arithmetic.md",
            4,
            3,
        ),
        ("src/a.rs", "kelvin.md (\"some words\") https://example.org/x.md *.md", 1, 1),
    ] {
        let (found, places_found, wrong) = scan(file, text);
        // A bare name without a section is ambiguous where two pages have it, a quoted heading does not settle it.
        let ambiguous = text.starts_with("kelvin.md (");
        assert_eq!(wrong.is_empty(), !ambiguous, "{text}: {wrong:?}");
        assert_eq!((found, places_found), (pages, if ambiguous { 0 } else { places }), "{text}");
    }
}

#[test]
fn the_scan_fails_where_it_should() {
    for (file, text) in [
        ("src/a.rs", "// kelvin.md 2"),
        ("src/a.rs", "// kelvin.md 1.1 and 1.2"),
        ("src/a.rs", "// kelvin.md 3, step 3"),
        ("src/a.rs", "// kelvin.md\n// 4.1"),
        ("src/a.rs", "// kelvin.md"),
        ("src/a.rs", "// wide.md 3"),
        ("src/a.rs", "// docs/spec/XF.md"),
        ("src/a.rs", "// spec/kelvin.md (\"other words\")"),
        ("src/a.rs", "// arithmetic.md, Great rules"),
        ("src/a.rs", "// arithmetic.md: Q"),
        ("src/a.rs", "// XF.md 1"),
        ("src/a.rs", "// (architecture: two models)"),
        ("src/a.rs", "// seed 004"),
        ("docs/isa/rankine.md", "spec kelvin.md 1.1"),
    ] {
        assert_eq!(scan(file, text).2.len(), 1, "{file}: {text}");
    }
}

/// What stands in a text between backquotes.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(|line| line.split('`').skip(1).step_by(2))
}

/// Paths below the root, but those with a place to fill in, such as `src/NAME/`.
#[test]
fn every_file_that_is_named_exists() {
    let (files, mut count) = (files(), 0);
    let is_path = |name: &str| {
        ROOTS.iter().any(|root| name.strip_prefix(root).is_some_and(|rest| rest.starts_with('/')))
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-./".contains(&byte))
            && !name
                .split(['/', '.'])
                .any(|part| part.len() > 1 && part.bytes().all(|b| b.is_ascii_uppercase()))
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let named = files.iter().filter(|(file, _)| file.ends_with(".md") || file.ends_with(".rs"));
    for (file, text) in
        named.filter(|(file, _)| !file.starts_with(SELF) && !file.starts_with("cli/tests/cmd/"))
    {
        for name in quoted(text).filter(|name| is_path(name)) {
            let directory = root.join(name).parent().map(|parent| parent.read_dir());
            // Several files may be named by what their names begin with.
            let begins = directory.and_then(Result::ok).is_some_and(|mut entries| {
                let last = name.rsplit('/').next().unwrap_or_default();
                entries.any(|entry| {
                    entry.is_ok_and(|entry| entry.file_name().to_string_lossy().starts_with(last))
                })
            });
            assert!(root.join(name).exists() || begins, "{file}: there is no {name}");
            count += 1;
        }
    }
    assert!(count >= 150, "{count}: the scan misses names");
}

/// Tests go by sentences, and so do functions of C: a name of four words or more in a document is one, but in what is known of the
/// chips.
#[test]
fn every_test_that_is_named_exists() {
    let (files, mut count) = (files_below(&[&ROOTS[..], &["capi"]].concat()), 0);
    let sources: Vec<&str> =
        files.iter().filter(|(file, _)| file.ends_with(".rs")).map(|(_, text)| &**text).collect();
    for (file, text) in
        files.iter().filter(|(file, _)| file.ends_with(".md") && !file.starts_with("docs/spec/"))
    {
        let is_sentence = |name: &&str| {
            name.matches('_').count() > 2 && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
        };
        for name in quoted(text).filter(is_sentence) {
            let function = format!("fn {name}(");
            assert!(sources.iter().any(|source| source.contains(&function)), "{file}: there is no {name}");
            count += 1;
        }
    }
    assert!(count >= 10, "{count}: the scan misses names");
}
