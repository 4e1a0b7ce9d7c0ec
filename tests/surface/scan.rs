//! Reads the public items of a package off its sources.

use std::fs;
use std::path::{Path, PathBuf};

/// Words before the name of a public item that a file defines.
const KINDS: [&str; 10] =
    ["const fn ", "unsafe fn ", "fn ", "struct ", "enum ", "trait ", "type ", "const ", "static ", "union "];

/// The paths of what is public without a feature, and shown.
pub(crate) fn items(package: &str, sources: &Path) -> Vec<String> {
    let mut found = Vec::new();
    module(package, &sources.join("lib.rs"), sources, &mut found);
    found
}

/// Adds the items of a module and of those in it; theirs are in `folder`.
fn module(path: &str, file: &Path, folder: &Path, found: &mut Vec<String>) {
    let text = fs::read_to_string(file).expect("a source file");
    items_of(&text, path, file, folder, found);
}

/// Adds the items in a text, which is a file or a module that stands in one.
fn items_of(text: &str, path: &str, file: &Path, folder: &Path, found: &mut Vec<String>) {
    for item in public(text) {
        if let Some((name, text)) = item.strip_prefix("mod ").and_then(|rest| rest.split_once(" {\n")) {
            let inner = format!("{path}::{name}");
            items_of(text, &inner, file, folder, found);
            found.push(inner);
        } else if let Some(name) = item.strip_prefix("mod ").and_then(|rest| rest.strip_suffix(';')) {
            let inner = format!("{path}::{name}");
            let file = source(folder, name);
            found.push(inner.clone());
            module(&inner, &file, &folder.join(name), found);
        } else if let Some(tree) = item.strip_prefix("use ").and_then(|rest| rest.strip_suffix(';')) {
            for name in names(tree) {
                let inner = format!("{path}::{name}");
                // A module of another package, under the name that it has there.
                if let Some(folder) = exporter(tree).filter(|folder| has_module(folder, &name)) {
                    module(&inner, &source(&folder, &name), &folder.join(&name), found);
                }
                found.push(inner);
            }
        } else if let Some(rest) = KINDS.iter().find_map(|kind| item.strip_prefix(kind)) {
            found.push(format!("{path}::{}", identifier(rest)));
        } else {
            panic!("{}: this test does not know `pub {item}`", file.display());
        }
    }
}

/// The folder of the module that a tree of paths begins with, if it is in a package of the project.
fn exporter(tree: &str) -> Option<PathBuf> {
    let path = tree.split_once("::{").map_or_else(|| tree.rsplit_once("::"), Some)?.0;
    let mut names = path.strip_prefix("xfjit_")?.split("::");
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates").join(names.next()?).join("src");
    package.exists().then(|| names.fold(package, |folder, name| folder.join(name)))
}

/// Whether the module in a folder has a public one of a name.
fn has_module(folder: &Path, name: &str) -> bool {
    let files = [folder.join("lib.rs"), folder.join("mod.rs"), folder.with_extension("rs")];
    let text = files.iter().find_map(|file| fs::read_to_string(file).ok()).unwrap_or_default();
    public(&text).iter().any(|item| *item == format!("mod {name};"))
}

/// The file of a module in a folder.
fn source(folder: &Path, name: &str) -> PathBuf {
    let file = folder.join(name).with_extension("rs");
    if file.exists() { file } else { folder.join(name).join("mod.rs") }
}

/// What stands behind `pub` at the start of lines, up to the end of its statement or line, unless an attribute says that
/// there is a condition to it or that it is not shown.
fn public(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut hidden = false;
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.starts_with("#[") {
            hidden |= line.contains("feature = \"testing\"") || line.contains("doc(hidden)");
        } else if let Some(item) = line.strip_prefix("pub ") {
            let mut item = item.to_owned();
            while item.starts_with("use ") && !item.ends_with(';') {
                item.push_str(lines.next().expect("a statement ends").trim());
            }
            if item.starts_with("mod ") && item.ends_with('{') {
                let inside = lines.by_ref().take_while(|line| *line != "}");
                for line in inside {
                    item.push('\n');
                    item.push_str(line.strip_prefix("    ").unwrap_or(line));
                }
            }
            if !hidden {
                found.push(item);
            }
            hidden = false;
        } else if !line.starts_with("///") {
            hidden = false;
        }
    }
    found
}

/// The names that a tree of paths brings.
fn names(tree: &str) -> Vec<String> {
    let Some((_, group)) = tree.split_once('{') else {
        let last = tree.rsplit(" as ").next().unwrap_or(tree);
        return vec![last.rsplit("::").next().unwrap_or(last).trim().to_owned()];
    };
    let group = group.strip_suffix('}').expect("a group ends");
    let (mut parts, mut depth) = (vec![String::new()], 0);
    for c in group.chars() {
        match c {
            ',' if depth == 0 => parts.push(String::new()),
            c => {
                depth += i32::from(c == '{') - i32::from(c == '}');
                parts.last_mut().expect("there is a first part").push(c);
            }
        }
    }
    parts.iter().filter(|part| !part.trim().is_empty()).flat_map(|part| names(part.trim())).collect()
}

fn identifier(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    &text[..end]
}

#[test]
fn what_is_public_is_found() {
    let text = "\
pub use a::{B, c::{D, E as F}};
#[doc(hidden)]
pub use g::H;
pub(crate) use g::I;
#[derive(Clone)]
pub struct J {
    pub k: u32,
}
/// Text.
#[doc(hidden)]
#[must_use]
pub fn l() {}
#[cfg(feature = \"jit\")]
pub use m::N;
pub mod o {
    pub use p::{
        Q,
        R,
    };
}
";
    let found = public(text);
    let inside = "mod o {\npub use p::{\n    Q,\n    R,\n};";
    assert_eq!(found, ["use a::{B, c::{D, E as F}};", "struct J {", "use m::N;", inside]);
    let (file, mut paths) = (Path::new("lib.rs"), Vec::new());
    items_of(
        "pub mod o {\n    pub use p::{\n        Q,\n        R,\n    };\n}\n",
        "x",
        file,
        file,
        &mut paths,
    );
    assert_eq!(paths, ["x::o::Q", "x::o::R", "x::o"]);
    assert_eq!(names("a::{B, c::{D, E as F}}"), ["B", "D", "F"]);
    assert_eq!(names("xfjit_runtime as runtime"), ["runtime"]);
}
