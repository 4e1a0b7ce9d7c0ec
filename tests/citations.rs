//! Every citation resolves inside the repository: the page that a comment or a document names exists, and so do the
//! section, the step and the quoted heading. `docs/spec/README.md` has the rules for names.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Where citations are looked for, beside the pages in the root.
const ROOTS: [&str; 8] = ["src", "runtime", "tests", "docs", "benches", "examples", "fuzz", "programs"];

/// This file, whose samples are wrong on purpose.
const SELF: &str = "tests/citations.rs";

/// What no reader of the repository has.
const ELSEWHERE: [&str; 8] = [
    "architecture.md",
    " (architecture",
    "architecture, \"",
    "tables/c",
    "seed 00",
    "seeds/00",
    "/work/",
    "../shared",
];

/// Fewer than these mean that the scan is broken: pages named, and sections, steps or headings of them.
const FEWEST: (usize, usize) = (400, 330);

/// A page, and the numbers that its sections go by.
struct Page {
    text: String,
    sections: BTreeSet<String>,
}

impl Page {
    /// Sections are numbered headings, and items of a numbered list by the section that they stand in.
    fn new(text: &str) -> Self {
        let (mut sections, mut current) = (BTreeSet::new(), String::new());
        for line in text.lines() {
            if let Some(heading) =
                line.strip_prefix('#').map(|rest| rest.trim_start_matches('#').trim_start())
            {
                current = number(heading).map(|(number, _)| number.to_owned()).unwrap_or_default();
                sections.insert(current.clone());
            } else if let Some((item, rest)) = number(line)
                && rest.starts_with(". ")
                && !current.is_empty()
            {
                sections.insert(format!("{current}.{item}"));
            }
        }
        sections.remove("");
        Page { text: text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase(), sections }
    }
}

/// A number of a section at the start of a text, such as 2 or 4.1, and what follows.
fn number(text: &str) -> Option<(&str, &str)> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let mut end = digits(text);
    while end > 0 && text[end..].starts_with('.') && digits(&text[end + 1..]) > 0 {
        end += 1 + digits(&text[end + 1..]);
    }
    let (number, rest) = text.split_at(end);
    let ends = !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    (!number.is_empty() && ends).then_some((number, rest))
}

/// The words of a file without the marks of comments, so that a citation may go over the end of a line.
fn flow(text: &str) -> String {
    let marks: &[_] = &["//!", "///", "//", ";", "#!"];
    let lines = text.lines().map(|line| {
        let line = line.trim();
        marks.iter().find_map(|mark| line.strip_prefix(mark)).unwrap_or(line).trim()
    });
    lines.collect::<Vec<_>>().join(" ")
}

/// What was found, and what does not resolve.
#[derive(Default)]
struct Report {
    pages: usize,
    places: usize,
    wrong: Vec<String>,
}

struct Tree {
    pages: BTreeMap<String, Page>,
}

impl Tree {
    /// The page that a citation in a file means.
    fn resolve(&self, file: &str, cited: &str, numbered: bool) -> Result<&Page, String> {
        let parent = Path::new(file).parent().unwrap_or(Path::new(""));
        let beside = normal(&parent.join(cited));
        let found = |path: &str| self.pages.get(path);
        if cited.contains('/') {
            let places = [beside, cited.to_owned(), format!("docs/{cited}")];
            return places.iter().find_map(|path| found(path)).ok_or_else(|| format!("there is no {cited}"));
        }
        let (spec, isa) = (format!("docs/spec/{cited}"), format!("docs/isa/{cited}"));
        if found(&spec).is_some() && found(&isa).is_some() {
            let in_isa = file.starts_with("docs/isa/");
            return match (numbered, file.starts_with("docs/spec/") || in_isa) {
                (true, false) => found(&spec),
                (true, true) if !in_isa => found(&spec),
                (false, true) => found(&beside),
                _ => None,
            }
            .ok_or_else(|| format!("{cited} may be {spec} or {isa}"));
        }
        let places = [spec, beside, format!("docs/{cited}"), isa, cited.to_owned()];
        places.iter().find_map(|path| found(path)).ok_or_else(|| format!("there is no {cited}"))
    }

    /// Looks at every citation of a file.
    fn check(&self, file: &str, text: &str, report: &mut Report) {
        let text = format!(" {}", flow(text));
        for elsewhere in ELSEWHERE {
            if text.contains(elsewhere) {
                report.wrong.push(format!("{file}: {elsewhere}: no reader has that"));
            }
        }
        let mut from = 0;
        while let Some(at) = text[from..].find(".md").map(|at| from + at) {
            from = at + 3;
            let is_path = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
            let start = text[..at].rfind(|c| !is_path(c)).map_or(0, |at| at + 1);
            let (cited, rest) = (&text[start..from], &text[from..]);
            let elsewhere = text[..start].ends_with(':') && cited.starts_with("//");
            if elsewhere || at == start || rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_') {
                continue;
            }
            report.pages += 1;
            // A link has its page twice; the section stands behind it.
            let rest = if text[..start].ends_with("](") { &rest[rest.len().min(1)..] } else { rest };
            let rest = rest.trim_start_matches(['`', '*']);
            let first = rest.strip_prefix(' ').unwrap_or("");
            let page = match self.resolve(file, cited, number(first).is_some()) {
                Ok(page) => page,
                Err(error) => {
                    report.wrong.push(format!("{file}: {error}"));
                    continue;
                }
            };
            let mut wrong = |what: String| report.wrong.push(format!("{file}: {cited} has no {what}"));
            report.places += sections(page, first, &mut wrong) + heading(page, cited, rest, &mut wrong);
        }
    }
}

/// Checks the list of sections at the start of a text, "2.3, 5.1 and 6" or "3, steps 1 to 3; 5.2", and counts them.
fn sections(page: &Page, mut text: &str, wrong: &mut impl FnMut(String)) -> usize {
    let (mut count, mut section, mut in_steps) = (0, "", false);
    loop {
        if let Some(rest) = strip(text, &["step ", "steps "]) {
            (text, in_steps) = (rest, true);
        }
        let Some((cited, rest)) = number(text) else { return count };
        in_steps &= !cited.contains('.');
        let place = if in_steps { format!("{section}.{cited}") } else { cited.to_owned() };
        if !in_steps {
            section = cited;
        }
        if !page.sections.contains(&place) {
            wrong(format!("section {place}"));
        }
        count += 1;
        in_steps &= !rest.starts_with("; ");
        let Some(following) = strip(rest, &[", ", "; ", " and ", " to ", " "]) else { return count };
        if rest.starts_with(' ')
            && !following.starts_with("step")
            && strip(rest, &[" and ", " to "]).is_none()
        {
            return count;
        }
        text = following;
    }
}

/// What follows the first of several beginnings.
fn strip<'a>(text: &'a str, beginnings: &[&str]) -> Option<&'a str> {
    beginnings.iter().find_map(|beginning| text.strip_prefix(beginning))
}

/// Checks a heading or name that is cited: `"in quotes"`, or of arithmetic.md as it is.
fn heading(page: &Page, cited: &str, rest: &str, wrong: &mut impl FnMut(String)) -> usize {
    let quoted = strip(rest, &[", \"", ": \"", " (\"", " \""]).and_then(|rest| rest.split('"').next());
    let bare = || {
        let rest = strip(rest, &[", ", ": "]).filter(|_| cited.ends_with("arithmetic.md"))?;
        let name = rest
            .split([')', ';', ':', ',', '.', '|'])
            .next()
            .filter(|name| !name.contains(['*', '`', '[']))?;
        (!rest[name.len()..].starts_with(".md")).then_some(name)
    };
    let Some(name) = quoted.or_else(bare) else { return 0 };
    let name = name.trim().to_lowercase();
    if name.is_empty()
        || !page.text.contains(&if name.len() > 2 { name.clone() } else { format!("**{name}**") })
    {
        wrong(format!("\"{name}\""));
    }
    1
}

/// A path without `.` and `..`.
fn normal(path: &Path) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.iter().filter_map(|part| part.to_str()) {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

/// The text files of the tree by their path.
fn files() -> BTreeMap<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pending: Vec<PathBuf> = ROOTS.iter().map(|directory| root.join(directory)).collect();
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

/// A tree of pages out of texts.
fn tree<'a>(texts: impl IntoIterator<Item = (&'a str, &'a str)>) -> Tree {
    let pages = texts.into_iter().filter(|(path, _)| path.ends_with(".md"));
    Tree { pages: pages.map(|(path, text)| (path.to_owned(), Page::new(text))).collect() }
}

#[test]
fn every_citation_resolves() {
    let files = files();
    let tree = tree(files.iter().map(|(path, text)| (&**path, &**text)));
    let mut report = Report::default();
    for (file, text) in files.iter().filter(|(file, _)| *file != SELF) {
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
    for (file, text) in files.iter().filter(|(file, _)| *file != SELF && *file != "docs/DESIGN.md") {
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
