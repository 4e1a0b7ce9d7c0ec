//! Pages that describe the tree are compared with it: files with unsafe code, back ends, and words that comments do not begin with.

mod tree;

use std::collections::BTreeSet;
use std::fs;
use tree::{files, read, root};

/// Folders of the project that hold its sources.
const SOURCES: [&str; 9] = ["src", "crates", "runtime", "capi", "cli", "python", "fuzz", "tests", "benches"];

/// Folders in them that hold what is shipped.
const SHIPPED: [&str; 5] = ["src", "crates", "runtime/src", "capi/src", "python/src"];

/// A line without what stands behind `//`.
fn without_comment(line: &str) -> &str {
    line.split("//").next().unwrap_or(line)
}

/// Whether a source has unsafe code outside of its comments and strings.
fn is_unsafe(text: &str) -> bool {
    let is_word =
        |rest: &str| !rest.starts_with(|next: char| next.is_alphanumeric() || "_(\"-".contains(next));
    text.lines().map(without_comment).any(|line| {
        line.match_indices("unsafe").any(|(at, word)| {
            let before = line[..at].chars().next_back();
            !before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '"')
                && is_word(&line[at + word.len()..])
        })
    })
}

/// Whether a page names a file, or a folder that it lies in.
fn is_named(page: &str, file: &str) -> bool {
    let ends =
        file.match_indices('/').map(|(at, _)| at + 1).filter(|&end| file[..end].matches('/').count() > 1);
    page.contains(&format!("`{file}`"))
        || ends.into_iter().any(|end| page.contains(&format!("`{}`", &file[..end])))
}

#[test]
fn security_names_every_file_with_unsafe_code() {
    let page = read("SECURITY.md");
    let of_tests = |file: &str| file.contains("/tests") || file.starts_with("crates/testing/");
    let found: Vec<String> = files(&SHIPPED, &[".rs"])
        .into_iter()
        .filter(|file| !of_tests(file) && is_unsafe(&read(file)))
        .collect();
    assert!(found.iter().any(|file| file.ends_with("fpenv.rs")), "files with unsafe code have been found");
    let missing: Vec<&String> = found.iter().filter(|file| !is_named(&page, file)).collect();
    assert!(missing.is_empty(), "SECURITY.md does not name {missing:#?}");
}

/// The folders of `crates/native/src` that hold a back end, and the core that they share.
#[test]
fn security_and_the_walk_of_the_design_name_every_back_end() {
    let native = root().join("crates/native/src");
    let folders: BTreeSet<String> = fs::read_dir(&native)
        .expect("the sources of native code")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.is_dir() && path.join("mod.rs").exists())
        .map(|path| path.file_name().expect("a name").to_string_lossy().into_owned())
        .filter(|name| !["driver", "check", "budget"].contains(&name.as_str()))
        .collect();
    assert!(folders.contains("cranelift") && folders.len() > 1, "back ends have been found: {folders:?}");
    let design = read("docs/DESIGN.md");
    let walk = design.split("\n## 1. ").nth(1).and_then(|rest| rest.split("\n## ").next()).expect("the walk");
    let security = read("SECURITY.md");
    for folder in folders {
        assert!(walk.contains(&format!("native::{folder}")), "the walk does not name `{folder}`");
        assert!(
            security.contains(&format!("crates/native/src/{folder}")),
            "SECURITY.md does not name `{folder}`"
        );
    }
}

#[test]
fn design_is_a_description_of_at_most_500_lines() {
    let lines = read("docs/DESIGN.md").lines().count();
    assert!(
        lines <= 500,
        "docs/DESIGN.md has {lines} lines; what was tried and counted belongs to docs/JOURNAL.md"
    );
}

/// A comment that begins so can be read only with the one before it, which others move away from it.
#[test]
fn comments_stand_alone() {
    let marks = ["///", "//!", "//", "/*", " *", "#"];
    let mut found = Vec::new();
    for file in files(&SOURCES, &[".rs", ".h", ".hpp", ".c", ".py", ".sh"]) {
        if file == "tests/pages.rs" {
            continue;
        }
        let text = read(&file);
        let mut is_begun = false;
        for (number, line) in text.lines().enumerate() {
            let line = line.trim_start();
            let comment = marks.iter().find_map(|mark| line.strip_prefix(mark.trim_start()));
            if comment.is_some_and(|comment| !is_begun && comment.trim_start().starts_with("The same")) {
                found.push(format!("{file}:{}", number + 1));
            }
            // Within a comment a line may begin in the middle of a sentence.
            is_begun = comment.is_some_and(|comment| !comment.trim().is_empty());
        }
    }
    assert!(found.is_empty(), "comments that begin with \"The same\":\n{}", found.join("\n"));
}
