//! The book: every page is in `docs/SUMMARY.md`, every relative link leads to a file and a heading that exist, and the README is short
//! and shows nothing that is not tested elsewhere.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

/// The pages in the root that are checked beside the book.
const ROOT_PAGES: [&str; 5] =
    ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "capi/patches/README.md"];

/// What a stranger reads.
const README_LINES: usize = 150;
/// Of a line of the README; tables and all.
const README_WIDTH: usize = 120;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(page: &str) -> String {
    fs::read_to_string(root().join(page)).unwrap_or_else(|error| panic!("{page}: {error}"))
}

/// The pages of a directory and those below it, by their path from the root.
fn pages_below(directory: &str) -> Vec<String> {
    let mut pages = Vec::new();
    for entry in fs::read_dir(root().join(directory)).expect("a directory") {
        let entry = entry.expect("an entry");
        let path = format!("{directory}/{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            pages.extend(pages_below(&path));
        } else if path.ends_with(".md") {
            pages.push(path);
        }
    }
    pages.sort();
    pages
}

/// The lines of a page with their numbers, without those of fenced blocks, and without what is quoted as code.
fn prose(page: &str) -> Vec<(usize, String)> {
    let mut lines = Vec::new();
    let mut is_code = false;
    for (number, line) in page.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        } else if !is_code {
            let kept = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
            lines.push((number + 1, kept));
        }
    }
    lines
}

/// The names that headings are reached by, as mdBook and the hosts of repositories make them.
fn anchors(page: &str) -> BTreeSet<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut anchors = BTreeSet::new();
    let mut is_code = false;
    for line in page.lines() {
        is_code ^= line.trim_start().starts_with("```");
        let Some(heading) = line.strip_prefix('#').filter(|_| !is_code) else { continue };
        let name = anchor(heading.trim_start_matches('#').trim());
        let count = counts.entry(name.clone()).or_default();
        anchors.insert(if *count == 0 { name } else { format!("{name}-{count}") });
        *count += 1;
    }
    anchors
}

fn anchor(heading: &str) -> String {
    heading
        .chars()
        .filter_map(|c| match c {
            ' ' => Some('-'),
            '-' | '_' => Some(c),
            c if c.is_alphanumeric() => Some(c.to_ascii_lowercase()),
            _ => None,
        })
        .collect()
}

/// The targets of links and pictures in a line.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    line.match_indices("](").filter_map(|(at, mark)| {
        let rest = &line[at + mark.len()..];
        rest.find(')').map(|end| &rest[..end])
    })
}

/// A path without `.` and `..`; `None` if it leaves the repository.
fn normal(path: &Path) -> Option<PathBuf> {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                if !normal.pop() {
                    return None;
                }
            }
            part => normal.push(part),
        }
    }
    Some(normal)
}

/// What is wrong with a link of a page; `None` if it leads somewhere.
fn fault(page: &str, target: &str) -> Option<String> {
    if ["http://", "https://", "mailto:"].iter().any(|scheme| target.starts_with(scheme)) {
        return None;
    }
    let (file, heading) = target.split_once('#').unwrap_or((target, ""));
    let beside = Path::new(page).parent().expect("a page lies in a directory");
    let Some(path) = normal(&beside.join(file)).filter(|_| !file.starts_with('/')) else {
        return Some(format!("{target} leaves the repository"));
    };
    let path = if file.is_empty() { PathBuf::from(page) } else { path };
    if !root().join(&path).exists() {
        return Some(format!("{target}: no such file"));
    }
    // A book has no pages for directories.
    if page.starts_with("docs/") && root().join(&path).is_dir() {
        return Some(format!("{target} is a directory"));
    }
    let is_page = path.extension().is_some_and(|extension| extension == "md");
    if !heading.is_empty() && is_page {
        let text = fs::read_to_string(root().join(&path)).expect("it exists");
        if !anchors(&text).contains(heading) {
            return Some(format!("{target}: no such heading"));
        }
    }
    None
}

#[test]
fn every_link_leads_somewhere() {
    let mut pages = pages_below("docs");
    pages.extend(ROOT_PAGES.map(str::to_owned));
    let (mut count, mut wrong) = (0, Vec::new());
    for page in &pages {
        for (number, line) in prose(&read(page)) {
            for target in targets(&line) {
                count += 1;
                wrong.extend(fault(page, target).map(|fault| format!("{page}:{number}: {fault}")));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 200, "{count}: the scan misses links");
}

#[test]
fn every_page_is_in_the_summary_once() {
    let summary = read("docs/SUMMARY.md");
    let mut listed: Vec<String> =
        summary.lines().flat_map(targets).map(|target| format!("docs/{target}")).collect();
    listed.sort();
    let pages: Vec<String> =
        pages_below("docs").into_iter().filter(|page| page != "docs/SUMMARY.md").collect();
    assert_eq!(listed, pages);
}

#[test]
fn the_readme_is_short() {
    let readme = read("README.md");
    let lines = readme.lines().count();
    assert!(lines <= README_LINES, "README.md has {lines} lines; what is more belongs to a page of docs");
    for (number, line) in readme.lines().enumerate() {
        let width = line.chars().count();
        assert!(width <= README_WIDTH, "README.md:{}: {width} characters", number + 1);
    }
}

/// Its lines are those of examples that tests run: of the engine's documentation, and of the page on Python. `capi/tests/book.rs`
/// compiles those of C.
#[test]
fn what_the_readme_shows_is_tested() {
    let readme = read("README.md");
    for (language, source) in [("rust", "src/engine/mod.rs"), ("python", "docs/PYTHON.md")] {
        let block = readme
            .split(&format!("```{language}\n"))
            .nth(1)
            .and_then(|rest| rest.split("```").next())
            .unwrap_or_else(|| panic!("README.md has no example in {language}"));
        let source = read(source);
        let shown: BTreeSet<&str> =
            source.lines().map(|line| line.trim_start_matches(['/', '!', '>', ' ']).trim_end()).collect();
        for line in block.lines().filter(|line| !line.is_empty()) {
            assert!(shown.contains(line.trim_end()), "no test has this line of README.md: {line}");
        }
    }
}

/// Files that a tutorial shows are those that its commands run on.
#[test]
fn tutorials_quote_their_files() {
    for (page, files) in [
        ("docs/getting_started.md", ["first.vsh", "first.constants", "first.txt"]),
        ("docs/tutorials/unknown.md", ["both.vsh", "state.trace", "both.xf"]),
    ] {
        let text = read(page);
        for file in files {
            let quoted = format!("```text\n{}```", read(&format!("docs/tutorials/files/{file}")));
            assert!(text.contains(&quoted), "{page} shows another {file}");
        }
    }
}

#[test]
fn links_are_judged() {
    for (page, target) in [
        ("docs/XF.md", "#methods"),
        ("docs/XF.md", "isa/fixed.md"),
        ("docs/isa/opengl.md", "../speed.svg"),
        ("docs/isa/opengl.md", "fixed.md#words-and-memories"),
        ("docs/XF.md", "../Cargo.toml"),
        ("docs/XF.md", "https://example.org/nowhere"),
        ("README.md", "docs"),
    ] {
        assert_eq!(fault(page, target), None);
    }
    for (page, target) in [
        ("docs/XF.md", "#nowhere"),
        ("docs/XF.md", "nowhere.png"),
        ("docs/XF.md", "isa"),
        ("docs/XF.md", "../../elsewhere"),
        ("docs/isa/opengl.md", "fixed.md#nowhere"),
    ] {
        assert!(fault(page, target).is_some(), "{target}");
    }
    assert_eq!(anchor("Cxbx-Reloaded and nv2a_vsh_cpu"), "cxbx-reloaded-and-nv2a_vsh_cpu");
    assert_eq!(anchor("EXP, LOG, LIT — `exp_x..z`"), "exp-log-lit--exp_xz");
    let lines = prose("a `[b](c)` [d](e)\n```text\n[f](g)\n```\n![h](i)");
    let found: Vec<&str> = lines.iter().flat_map(|(_, line)| targets(line)).collect();
    assert_eq!(found, ["e", "i"]);
}
