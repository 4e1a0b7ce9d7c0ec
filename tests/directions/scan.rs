//! Finds what the modules of the library import, by the paths in their sources. Modules for tests are left out.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The module that may use everything.
const TESTING: &str = "testing";

/// A module that imports another one.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Arrow {
    /// A module of the crate's root.
    pub from: String,
    /// The one that it imports.
    pub to: String,
    /// Where.
    pub file: String,
}

/// The sources of the library.
pub(crate) struct Sources {
    /// Files under src but lib.rs, by their path there, without comments and modules for tests.
    files: BTreeMap<PathBuf, String>,
    /// The modules of the root.
    modules: BTreeSet<String>,
    /// What lib.rs exports again, and of which module it is; and macros, which live at the root.
    names: BTreeMap<String, String>,
}

impl Sources {
    pub(crate) fn read() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut files = BTreeMap::new();
        collect(&root, &root, &mut files);
        let lib = files.remove(Path::new("lib.rs")).expect("the crate has a root");
        let mut tests = Vec::new();
        for (path, text) in &files {
            for module in test_modules(text) {
                tests.push(children(path).join(&module));
            }
        }
        files.retain(|path, _| !tests.iter().any(|test| path.with_extension("").starts_with(test)));
        let modules: BTreeSet<String> = statements(&lib, "pub mod ").map(str::to_owned).collect();
        let mut names = BTreeMap::new();
        for statement in statements(&lib, "pub use ") {
            let (module, _) = statement.split_once("::").unwrap_or((statement, ""));
            if modules.contains(module) {
                let last = statement.rsplit("::").next().unwrap_or(statement);
                for name in last.trim_matches(['{', '}']).split(',') {
                    names.insert(name.trim().to_owned(), module.to_owned());
                }
            }
        }
        let mut sources = Sources { files: BTreeMap::new(), modules, names };
        for (path, text) in files {
            let exported = text.split("#[macro_export]").skip(1);
            for rest in exported.filter_map(|rest| rest.split_once("macro_rules! ")) {
                sources.names.insert(identifier(rest.1).to_owned(), module(&path));
            }
            sources.files.insert(path, without_tests(&text));
        }
        sources
    }

    pub(crate) fn modules(&self) -> impl Iterator<Item = &String> {
        self.modules.iter()
    }

    /// Every import of one module by another, once for each file.
    pub(crate) fn arrows(&self) -> BTreeSet<Arrow> {
        let mut arrows = BTreeSet::new();
        for (path, text) in &self.files {
            let from = module(path);
            for name in root_names(path, text) {
                let to = self.names.get(name).map_or(name, String::as_str);
                if to != from && self.modules.contains(to) {
                    arrows.insert(Arrow { from: from.clone(), to: to.to_owned(), file: shown(path) });
                }
            }
        }
        arrows
    }

    /// Paths to what lib.rs exports again, in modules that ship.
    pub(crate) fn re_exports_used(&self) -> Vec<String> {
        let mut found = Vec::new();
        for (path, text) in self.files.iter().filter(|(path, _)| module(path) != TESTING) {
            for name in root_names(path, text).filter(|name| !name.starts_with("for_each_")) {
                if self.names.contains_key(name) && !self.modules.contains(name) {
                    found.push(format!("{}: crate::{name}", shown(path)));
                }
            }
        }
        found
    }
}

fn shown(path: &Path) -> String {
    format!("src/{}", path.display())
}

fn collect(root: &Path, folder: &Path, files: &mut BTreeMap<PathBuf, String>) {
    for entry in fs::read_dir(folder).expect("a folder of sources").flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(root, &path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).expect("a source file");
            let relative = path.strip_prefix(root).expect("it is below the root").to_owned();
            files.insert(relative, without_comments(&text));
        }
    }
}

/// The module of the root that a file belongs to.
fn module(path: &Path) -> String {
    let first = path.iter().next().expect("a file has a name");
    Path::new(first).with_extension("").display().to_string()
}

/// The folder of a module's children.
fn children(path: &Path) -> PathBuf {
    if path.ends_with("mod.rs") { path.with_file_name("") } else { path.with_extension("") }
}

/// A text without its line comments. (Two slashes in a literal end its line, too; paths do not come behind them.)
fn without_comments(text: &str) -> String {
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or(line).trim_end());
    lines.collect::<Vec<_>>().join("\n")
}

/// What follows a phrase at the start of lines, up to the semicolon.
fn statements<'a>(text: &'a str, phrase: &'a str) -> impl Iterator<Item = &'a str> {
    let starts = text.match_indices(phrase).map(|(at, _)| at);
    let starts = starts.filter(|&at| at == 0 || text[..at].ends_with('\n'));
    starts.filter_map(|at| text[at + phrase.len()..].split(';').next())
}

const TESTS: &str = "#[cfg(test)]\nmod ";

/// The modules for tests that a file declares in files of their own.
fn test_modules(text: &str) -> Vec<String> {
    let declared = text.split(TESTS).skip(1);
    declared.filter_map(|rest| rest.lines().next()?.strip_suffix(';')).map(str::to_owned).collect()
}

/// A text without the modules for tests that stand in it; their last brace is the first at the start of a line.
fn without_tests(text: &str) -> String {
    let mut parts = text.split(TESTS);
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let inline = part.lines().next().is_some_and(|line| line.ends_with('{'));
        let rest = if inline { part.split_once("\n}").map_or("", |(_, rest)| rest) } else { part };
        kept.push_str(rest);
    }
    kept
}

fn identifier(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    &text[..end]
}

/// The first names of a path or of a group of paths in braces.
fn first_names(text: &str) -> Vec<&str> {
    let Some(group) = text.strip_prefix('{') else { return vec![identifier(text)] };
    let (mut names, mut depth, mut next) = (Vec::new(), 0, true);
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => next = true,
            c if next && !c.is_whitespace() => {
                names.push(identifier(&group[at..]));
                next = false;
            }
            _ => {}
        }
    }
    names
}

/// The names at the root of the crate that a file's paths begin with: `crate::name`, and `super::name` where that leads
/// there.
fn root_names<'a>(path: &Path, text: &'a str) -> impl Iterator<Item = &'a str> {
    let depth = path.iter().count() - usize::from(path.ends_with("mod.rs"));
    let from_root = text.split("crate::").skip(1).flat_map(first_names);
    let up = "super::".repeat(depth);
    let starts = text.match_indices("super::").map(|(at, _)| at);
    let chains = starts.filter(move |&at| !text[..at].ends_with("super::") && text[at..].starts_with(&up));
    let from_super = chains.flat_map(move |at| first_names(&text[at + 7 * depth..]));
    from_root.chain(from_super)
}

#[test]
fn paths_are_found() {
    let names = |path: &str, text| root_names(Path::new(path), text).collect::<Vec<_>>();
    let text =
        "use crate::ir::{eval, func};\nuse crate::{opt, front::{a, b}, xf};\nlet x = crate::isa::Insn;";
    assert_eq!(names("a/b.rs", text), ["ir", "opt", "front", "xf", "isa"]);
    assert_eq!(names("a.rs", "use super::b::c;"), ["b"]);
    assert_eq!(names("a/mod.rs", "use super::{b, c::d};"), ["b", "c"]);
    assert_eq!(names("a/b.rs", "use super::b;\nuse super::super::{c, d};"), ["c", "d"]);
    assert_eq!(module(Path::new("a/b.rs")), "a");
    assert_eq!(module(Path::new("a.rs")), "a");
}

#[test]
fn modules_for_tests_are_left_out() {
    let text = "use crate::a;\n#[cfg(test)]\nmod x;\n#[cfg(test)]\nmod tests {\n    use crate::b;\n}\nuse crate::c;\n";
    assert_eq!(test_modules(text), ["x"]);
    let kept = without_tests(text);
    assert!(kept.contains("crate::a") && kept.contains("crate::c") && !kept.contains("crate::b"));
    assert_eq!(without_comments("a // crate::b\n/// crate::c\nd"), "a\n\nd");
    let lib = "pub mod a;\npub use b::{C,\n    D};\npub use e::F;";
    assert_eq!(statements(lib, "pub use ").collect::<Vec<_>>(), ["b::{C,\n    D}", "e::F"]);
}
