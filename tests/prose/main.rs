//! The wording of documents: pages, headers, help texts, and the documentation of what is public first of all. `wording.txt` lists words
//! that stop a reader, and what to write instead; nothing that is read here may have them. A table counts what is left, and the counts may
//! only fall.

use std::fs;
use std::path::Path;

const WORDING: &str = include_str!("wording.txt");

/// Directories whose pages are read, and single files.
const READ: [&str; 5] = ["docs", "capi/include", "capi/patches", "fuzz/README.md", "python/xfjit"];
/// Sources of which the documentation is read: of the command's options, and what a user of the library reads first.
const DOCUMENTED: [&str; 9] = [
    "cli/src/args",
    "cli/src/args.rs",
    "cli/src/configuration.rs",
    "cli/src/drawing.rs",
    "src/lib.rs",
    "src/engine/mod.rs",
    "src/engine/tier.rs",
    "src/xf/mod.rs",
    "runtime/src/lib.rs",
];
/// And these, of the root.
const ROOT_PAGES: [&str; 3] = ["README.md", "CONTRIBUTING.md", "SECURITY.md"];

/// Not read while it is being rewritten.
const REWRITTEN: &str = "docs/spec/timing.md";

/// What is left, file by file, and why it is left.
const LEFT: [(&str, usize, &str); 1] = [("docs/JOURNAL.md", 13, "entries stay as they were written")];

/// Words in this order, and what to write instead.
struct Pattern {
    words: Vec<&'static str>,
    better: &'static str,
}

fn patterns() -> Vec<Pattern> {
    WORDING
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .map(|line| {
            let (words, better) = line.split_once('|').expect("a line has a pattern and better wording");
            let words: Vec<&str> = words.split_whitespace().collect();
            assert!(!words.is_empty() && !better.trim().is_empty(), "{line}");
            // `^Who` is short for `^ Who`.
            let (start, first) = words[0].split_at(usize::from(words[0].starts_with('^')));
            let start = (!start.is_empty()).then_some(start);
            Pattern {
                words: start.into_iter().chain([first]).chain(words[1..].iter().copied()).collect(),
                better: better.trim(),
            }
        })
        .collect()
}

/// The lines of one paragraph, item or cell, with their numbers.
type Paragraph = Vec<(usize, String)>;

fn paragraphs_of_a_page(text: &str) -> Vec<Paragraph> {
    let (mut all, mut current) = (Vec::new(), Paragraph::new());
    let mut is_code = false;
    for (number, line) in text.lines().enumerate().map(|(index, line)| (index + 1, line.trim())) {
        let is_fence = line.starts_with("```");
        is_code ^= is_fence;
        if is_code || is_fence || line.is_empty() || line.starts_with('#') {
            all.push(std::mem::take(&mut current));
        } else if line.starts_with('|') {
            all.push(std::mem::take(&mut current));
            all.extend(line.trim_matches('|').split('|').map(|cell| vec![(number, cell.to_owned())]));
        } else if let Some(item) = item(line) {
            all.push(std::mem::take(&mut current));
            current.push((number, item.to_owned()));
        } else {
            current.push((number, line.to_owned()));
        }
    }
    all.push(current);
    all
}

/// The text of an item of a list.
fn item(line: &str) -> Option<&str> {
    let bullet = line.strip_prefix("- ").or_else(|| line.strip_prefix("* "));
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    bullet.or_else(|| line[digits..].strip_prefix(". ").filter(|_| digits > 0))
}

/// The documentation of a source of Rust.
fn paragraphs_of_documentation(text: &str) -> Vec<Paragraph> {
    let said = |line: &str| {
        let line = line.trim();
        let said = line.strip_prefix("///").or_else(|| line.strip_prefix("//!")).unwrap_or_default();
        said.to_owned() + "\n"
    };
    paragraphs_of_a_page(&text.lines().map(said).collect::<String>())
}

/// The comments of a header, or the lines of a module of Python: what a person reads of it.
fn paragraphs_of_a_source(text: &str, is_c: bool) -> Vec<Paragraph> {
    let (mut all, mut current) = (Vec::new(), Paragraph::new());
    let mut is_comment = !is_c;
    for (number, line) in text.lines().enumerate().map(|(index, line)| (index + 1, line.trim())) {
        let (mut rest, mut words) = (line, String::new());
        if let Some(comment) = line.strip_prefix("//").filter(|_| is_c && !is_comment) {
            match comment.trim() {
                "" => all.push(std::mem::take(&mut current)),
                comment => current.push((number, comment.to_owned())),
            }
            continue;
        }
        loop {
            if is_comment && is_c {
                let (comment, after) =
                    rest.split_once("*/").map_or((rest, None), |(comment, after)| (comment, Some(after)));
                words.push_str(comment.trim_start_matches('*').trim());
                let Some(after) = after else { break };
                (rest, is_comment) = (after, false);
                current.push((number, std::mem::take(&mut words)));
                all.push(std::mem::take(&mut current));
            } else if is_comment {
                words.push_str(rest);
                break;
            } else {
                let Some((_, comment)) = rest.split_once("/*") else { break };
                (rest, is_comment) = (comment, true);
            }
        }
        match words.is_empty() {
            true => all.push(std::mem::take(&mut current)),
            false => current.push((number, words)),
        }
    }
    all.push(current);
    all
}

/// The words of a paragraph with their lines, without code; `^` where a sentence begins, `$` where one ends or pauses.
fn words(paragraph: &Paragraph) -> Vec<(usize, String)> {
    let mut words = Vec::new();
    let Some(&(first, _)) = paragraph.first() else { return words };
    let mark = |line: usize, mark: &str| (line, mark.to_owned());
    words.push(mark(first, "^"));
    for (number, line) in paragraph {
        let prose = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
        let mut word = String::new();
        let mut rest = prose.as_str();
        loop {
            let c = rest.chars().next();
            if c.is_some_and(|c| c.is_alphanumeric() || "_'`".contains(c)) {
                word.extend(c);
            } else {
                if !word.is_empty() {
                    words.push((*number, std::mem::take(&mut word)));
                }
                match c {
                    None => break,
                    Some('.' | '!' | '?' | ':') => words.extend([mark(*number, "$"), mark(*number, "^")]),
                    Some(',' | ';' | ')') => words.push(mark(*number, "$")),
                    Some(_) => {}
                }
                // The target of a link is no prose.
                if rest.starts_with("](") {
                    rest = rest.find(')').map_or("", |end| &rest[end..]);
                }
            }
            rest = rest.char_indices().nth(1).map_or("", |(at, _)| &rest[at..]);
        }
    }
    let last = words.last().map_or(first, |&(line, _)| line);
    words.push(mark(last, "$"));
    words
}

/// What a text has of the table: lines, the pattern and better wording.
fn found(patterns: &[Pattern], paragraphs: &[Paragraph]) -> Vec<(usize, String)> {
    let mut all = Vec::new();
    for words in paragraphs.iter().map(words) {
        for at in 0..words.len() {
            for pattern in patterns {
                let here = words[at..].iter().map(|(_, word)| word.as_str()).take(pattern.words.len());
                if here.eq(pattern.words.iter().copied()) {
                    all.push((
                        words[at].0,
                        format!("\"{}\": write {}", pattern.words.join(" "), pattern.better),
                    ));
                }
            }
        }
    }
    all
}

/// Files with their text, by their path from the root.
fn files() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pending: Vec<String> =
        READ.into_iter().chain(ROOT_PAGES).chain(DOCUMENTED).map(str::to_owned).collect();
    let mut files = Vec::new();
    while let Some(path) = pending.pop() {
        let full = root.join(&path);
        if full.is_dir() {
            let entries = fs::read_dir(&full).expect("a directory");
            pending.extend(
                entries.map(|entry| {
                    format!("{path}/{}", entry.expect("an entry").file_name().to_string_lossy())
                }),
            );
        } else if [".md", ".h", ".hpp", ".py", ".pyi", ".rs"].iter().any(|end| path.ends_with(end)) {
            let text = fs::read_to_string(&full).unwrap_or_else(|error| panic!("{path}: {error}"));
            files.push((path, text));
        }
    }
    files.sort();
    files
}

#[test]
fn documents_are_worded_as_readers_understand_them() {
    let patterns = patterns();
    let mut faults = Vec::new();
    let files = files();
    assert!(files.len() > 40, "the files have been found");
    for (path, text) in files.iter().filter(|(path, _)| path != REWRITTEN) {
        let paragraphs = match path.rsplit('.').next() {
            Some("md") => paragraphs_of_a_page(text),
            Some("rs") => paragraphs_of_documentation(text),
            ending => paragraphs_of_a_source(text, matches!(ending, Some("h" | "hpp"))),
        };
        let found = found(&patterns, &paragraphs);
        let (left, reason) = LEFT
            .iter()
            .find(|(file, ..)| file == path)
            .map_or((0, ""), |&(_, count, reason)| (count, reason));
        if found.len() < left {
            faults.push(format!(
                "{path}: {} are left of {left} ({reason}); lower the count in LEFT",
                found.len()
            ));
        } else if found.len() > left {
            faults.extend(found.iter().map(|(line, fault)| format!("{path}:{line}: {fault}")));
        }
    }
    assert!(faults.is_empty(), "wording (tests/prose/wording.txt):\n{}", faults.join("\n"));
}

#[test]
fn wording_is_found_where_it_is_prose() {
    let patterns = patterns();
    let count = |page: &str| found(&patterns, &paragraphs_of_a_page(page)).len();
    for page in [
        "Who wants that looks here.",
        "- Who wants that",
        "It does so. Who wants that",
        "What it does stands\nin [a page](a.html).",
        "| a | what it is after a model |",
        "The same, twice.",
        "a file that is there; another",
    ] {
        assert_eq!(count(page), 1, "{page}");
    }
    for page in [
        "See who wants that.",
        "# Who wants that",
        "```text\nWho wants that\n```",
        "`stands in` is code",
        "The same sources give the same bits.",
        "[a](stands_in.html)",
        "Is there a file?",
    ] {
        assert_eq!(count(page), 0, "{page}");
    }
    let header = "/* What it does\n * stands in a page. */\nint stands in; /* as with none */";
    let lines: Vec<usize> =
        found(&patterns, &paragraphs_of_a_source(header, true)).into_iter().map(|(line, _)| line).collect();
    assert_eq!(lines, [2, 3]);
    let of_cpp = "// What it does\n// stands in a page.\nint stands in; // as with none";
    assert_eq!(found(&patterns, &paragraphs_of_a_source(of_cpp, true)).len(), 1);
    let of_rust = "/// What it does\n/// stands in a page.\n///\n/// ```\n/// stands in\n/// ```\nstands in // as with none";
    assert_eq!(found(&patterns, &paragraphs_of_documentation(of_rust)).len(), 1);
    assert_eq!(found(&patterns, &paragraphs_of_a_source("\"\"\"Who wants that\"\"\"", false)).len(), 1);
}
