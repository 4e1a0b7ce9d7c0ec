//! What programs are called by people: a file says so (`--names`), or the host that has recorded them.

use crate::fail::Failure;
use crate::files;
use crate::sort::{self, Wanted};
use crate::text::{self, Flaw, Line, Word, clip};
use std::collections::BTreeMap;
use std::path::Path;
use xfjit::engine::check_label;

/// What a hash looks like.
const HASH: &str = "a hash is as `xfjit prof` prints it, such as kelvin-41b0b92d3b6c4f9f or 41b0b92d3b6c4f9f, or the beginning of one";
/// Digits of a whole hash.
const DIGITS: usize = 16;

/// The beginning of a hash: the kind of the program, if it is given, and digits.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Hash {
    kind: Option<String>,
    digits: String,
}

impl Hash {
    /// What a text says; none if it is no hash.
    pub fn parse(text: &str) -> Option<Hash> {
        let (kind, digits) = match text.rsplit_once('-') {
            Some((kind, digits)) => (Some(kind.to_owned()), digits),
            None => (None, text),
        };
        let is_kind =
            |kind: &str| !kind.is_empty() && kind.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        let is_hash = (1..=DIGITS).contains(&digits.len())
            && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
            && kind.as_deref().is_none_or(is_kind);
        is_hash.then(|| Hash { kind, digits: digits.to_ascii_lowercase() })
    }

    /// Whether it has all digits.
    pub fn is_whole(&self) -> bool {
        self.digits.len() == DIGITS
    }

    /// Whether it is the hash of a program, or the beginning.
    pub fn is_of(&self, id: &str) -> bool {
        let Some((kind, digits)) = id.rsplit_once('-') else { return false };
        self.kind.as_deref().is_none_or(|known| known == kind) && digits.starts_with(&self.digits)
    }
}

/// A line of a file.
#[derive(Debug)]
struct Entry {
    line: usize,
    /// For the error of this line.
    text: String,
    column: usize,
    written: String,
    hash: Hash,
    name: String,
}

impl Entry {
    fn flaw(&self, message: String) -> Flaw {
        let line = Line { number: self.line, text: &self.text };
        Flaw::word(&Word { line, start: self.column, text: &self.written }, message)
    }
}

/// The names of a file; none without a file.
#[derive(Debug, Default)]
pub struct Names {
    file: String,
    entries: Vec<Entry>,
}

/// Where the comment of a line begins: a name may contain the mark, but no word of it begins so.
fn end(line: &str) -> usize {
    let is_mark = |&(at, _): &(usize, &str)| line[..at].chars().next_back().is_none_or(char::is_whitespace);
    line.match_indices('#').find(is_mark).map_or(line.len(), |(at, _)| at)
}

fn parse(text: &str) -> Result<Vec<Entry>, Vec<Flaw>> {
    let (mut entries, mut flaws) = (Vec::<Entry>::new(), Vec::new());
    for line in text::lines(text) {
        let code = Line { text: &line.text[..end(line.text)], ..line };
        let Some(word) = text::words(code, &[], &[]).next() else { continue };
        // What is shown is the line as it stands there.
        let word = Word { line, ..word };
        let Some(hash) = Hash::parse(word.text) else {
            let message = format!("`{}` is not the hash of a program", clip(word.text));
            flaws.push(Flaw::word(&word, message).help(HASH));
            continue;
        };
        let behind = word.start + word.text.len();
        let name = code.text[behind..].trim();
        if name.is_empty() {
            flaws.push(
                Flaw::word(&word, "this hash has no name").help("a line is a hash, a blank and a name"),
            );
            continue;
        }
        if let Err(error) = check_label(name) {
            flaws.push(Flaw::line(&line, error.to_string()));
            continue;
        }
        let entry = Entry {
            line: line.number,
            text: line.text.to_owned(),
            column: word.start,
            written: word.text.to_owned(),
            hash,
            name: name.to_owned(),
        };
        match entries.iter().find(|known| known.hash == entry.hash) {
            Some(known) => flaws.push(entry.flaw(format!("line {} has named this hash already", known.line))),
            None => entries.push(entry),
        }
    }
    if flaws.is_empty() { Ok(entries) } else { Err(flaws) }
}

impl Names {
    /// Reads a file, if there is one.
    pub fn read(path: Option<&Path>) -> Result<Names, Failure> {
        let Some(path) = path else { return Ok(Names::default()) };
        let file = files::name(path);
        let text = sort::read_text(path, Wanted::Names)?;
        match parse(&text) {
            Ok(entries) => Ok(Names { file, entries }),
            Err(flaws) => Err(Failure::Input { file, flaws }),
        }
    }

    /// What the file calls some programs, by their ids. A line that names several of them is an error, and so is a program that several
    /// lines name. Lines of other programs have no effect: a file may serve several captures.
    pub fn of<'a>(
        &self,
        ids: impl IntoIterator<Item = &'a str>,
    ) -> Result<BTreeMap<String, String>, Failure> {
        let ids: std::collections::BTreeSet<&str> = ids.into_iter().collect();
        let (mut named, mut flaws) = (BTreeMap::<String, &Entry>::new(), Vec::new());
        for entry in &self.entries {
            let found: Vec<&str> = ids.iter().copied().filter(|id| entry.hash.is_of(id)).collect();
            if found.len() > 1 {
                let message = format!("{} programs begin like this: {}", found.len(), some(&found));
                flaws.push(entry.flaw(message).help("write more digits of the hash"));
                continue;
            }
            let Some(&id) = found.first() else { continue };
            match named.get(id) {
                Some(known) => {
                    flaws.push(entry.flaw(format!("line {} has named {id} already", known.line)));
                }
                None => _ = named.insert(id.to_owned(), entry),
            }
        }
        match flaws.is_empty() {
            true => Ok(named.into_iter().map(|(id, entry)| (id, entry.name.clone())).collect()),
            false => Err(Failure::Input { file: self.file.clone(), flaws }),
        }
    }
}

/// Things in a message, but not more than one can read.
pub fn some(things: &[&str]) -> String {
    const SHOWN: usize = 6;
    let shown = things.iter().take(SHOWN).copied().collect::<Vec<_>>().join(", ");
    if things.len() > SHOWN { format!("{shown} and {} more", things.len() - SHOWN) } else { shown }
}

/// A program as it is shown: what it is called, if it is called something, and its id.
pub fn shown(id: &str, label: Option<&str>) -> String {
    label.map_or_else(|| id.to_owned(), |label| format!("{label} ({id})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDS: [&str; 3] =
        ["kelvin-41b0b92d3b6c4f9f", "kelvin-41b7000000000000", "rankine-fixed-0000000000000001"];

    fn names(text: &str) -> Names {
        Names { file: "names".to_owned(), entries: parse(text).expect("it is good") }
    }

    fn flaws(text: &str) -> Vec<String> {
        let entries = match parse(text) {
            Err(flaws) => return flaws.iter().map(ToString::to_string).collect(),
            Ok(entries) => entries,
        };
        match (Names { file: String::new(), entries }).of(IDS) {
            Err(Failure::Input { flaws, .. }) => flaws.iter().map(ToString::to_string).collect(),
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn a_line_is_a_hash_and_a_name() {
        let text = "# programs\r\n\n 41b0  skinning of the hero   # not the horse\nKELVIN-41B7 light#2\n\
                    rankine-fixed-0000000000000001\tfog; \u{f6}\nffff nothing here\n";
        // Kinds are written in small letters; digits in any.
        let text = text.replace("KELVIN", "kelvin");
        let named = names(&text).of(IDS).expect("each is named once");
        let want = [(IDS[0], "skinning of the hero"), (IDS[1], "light#2"), (IDS[2], "fog; \u{f6}")];
        assert_eq!(named, want.map(|(id, name)| (id.to_owned(), name.to_owned())).into());
        assert_eq!(Names::default().of(IDS).expect("there is no file"), BTreeMap::new());
        assert_eq!(names("").of(IDS).expect("there is no line"), BTreeMap::new());
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        for (text, message) in [
            ("41b0 a\nskinning 41b0", "line 2, column 1: `skinning` is not the hash of a program"),
            ("-41b0 a", "line 1, column 1: `-41b0` is not the hash of a program"),
            ("kelvin- a", "line 1, column 1: `kelvin-` is not the hash of a program"),
            ("41b0b92d3b6c4f9f0 a", "line 1, column 1: `41b0b92d3b6c4f9f0` is not the hash of a program"),
            ("\n  41b0 # a", "line 2, column 3: this hash has no name"),
            ("41b0 a\u{7}b", "line 1: a label contains U+0007, which no line of text may contain"),
            ("41b0 a\n# b\n41B0 b", "line 3, column 1: line 1 has named this hash already"),
            ("41b0 a\n 41b0b a", "line 2, column 2: line 1 has named kelvin-41b0b92d3b6c4f9f already"),
            (
                "41b a",
                "line 1, column 1: 2 programs begin like this: kelvin-41b0b92d3b6c4f9f, kelvin-41b7000000000000",
            ),
        ] {
            assert_eq!(flaws(text), [message], "{text:?}");
        }
        let long = format!("41b0 {}", "x".repeat(256));
        assert_eq!(flaws(&long), ["line 1: a label of 256 bytes, more than 255"]);
        assert_eq!(flaws("x a\ny b").len(), 2, "all are told");
    }
}
