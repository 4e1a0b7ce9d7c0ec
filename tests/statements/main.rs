//! What five documents say of the hardware, statement by statement, each with the test that fails where it does not hold, or with
//! what xfjit does otherwise by name. `docs/DEPARTURES.md` lists the latter; `XFJIT_BLESS=1 cargo test --test statements` writes it anew.
//!
//! `000.txt` to `004.txt` are the tables, a file for each document (`table.rs` has their form), `departures.txt` the departures and gaps
//! (`departures.rs`). Documents are cited by their lines and told in words of our own; nothing of them is needed to run the tests.

mod departures;
mod page;
mod table;
mod timing;
#[path = "../tree/mod.rs"]
mod tree;

use departures::Departure;
use std::collections::BTreeMap;
use std::fs;
use table::{Evidence, Table};
use tree::{files, read, root};

/// How long each document is, and how many statements of it there are at least.
const DOCUMENTS: [(&str, usize, usize); 5] =
    [("000", 513, 225), ("001", 296, 225), ("002", 321, 170), ("003", 318, 170), ("004", 760, 155)];

const FOLDER: &str = "tests/statements";

fn tables() -> Vec<Table> {
    let read = |(document, ..): &(&str, usize, usize)| {
        let path = format!("{FOLDER}/{document}.txt");
        Table::parse(&read(&path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    };
    DOCUMENTS.iter().map(read).collect()
}

fn departures() -> Vec<Departure> {
    Departure::parse(&read(&format!("{FOLDER}/departures.txt"))).unwrap_or_else(|error| panic!("{error}"))
}

/// Files that were read once.
#[derive(Default)]
struct Sources(BTreeMap<String, Option<String>>);

impl Sources {
    fn text(&mut self, file: &str) -> Option<&str> {
        let read = || fs::read_to_string(root().join(file)).ok();
        self.0.entry(file.to_owned()).or_insert_with(read).as_deref()
    }

    /// Whether there is a test: `file::name` is a function marked as one, a file below `tests/filetests` is one itself, and so is a page of
    /// calls below `cli/tests/cmd`, which is named without its ending.
    fn has(&mut self, test: &str) -> bool {
        match test.split_once("::") {
            Some((file, name)) => self.text(file).is_some_and(|text| has_test(text, name)),
            None if test.starts_with("tests/filetests/") && test.ends_with(".xf") => {
                self.text(test).is_some_and(|text| text.lines().any(|line| line.starts_with("; run: ")))
            }
            None if test.starts_with("cli/tests/cmd/") => {
                let text = self.text(&format!("{test}.md"));
                text.is_some_and(|text| text.contains("```console\n$ xfjit "))
            }
            None => false,
        }
    }
}

/// Whether a source has a function of a name that is marked as a test.
fn has_test(source: &str, name: &str) -> bool {
    source.match_indices(&format!("fn {name}(")).any(|(at, _)| {
        let before = &source[..at];
        let marked = before.rfind("#[test]").map(|mark| &before[mark..]);
        marked.is_some_and(|between| !between.contains("fn ") && !between.contains("#[ignore"))
    })
}

/// What is wrong with the evidence of statements: tests that are not there, departures that nobody explains, or that nothing has.
fn flaws(tables: &[Table], departures: &[Departure], sources: &mut Sources) -> Vec<String> {
    let mut flaws = Vec::new();
    for table in tables {
        for statement in &table.statements {
            let place = format!("{}:{}", table.document, statement.lines);
            match &statement.evidence {
                Evidence::Tests(tests) => {
                    let missing = tests.iter().filter(|test| !sources.has(test));
                    flaws.extend(missing.map(|test| format!("{place}: there is no test {test}")));
                }
                Evidence::Departs(name) | Evidence::Gap(name) => {
                    let is_gap = matches!(statement.evidence, Evidence::Gap(_));
                    if !departures.iter().any(|one| one.name == *name && one.is_gap == is_gap) {
                        flaws.push(format!("{place}: nothing explains {name}"));
                    }
                }
            }
        }
    }
    for (number, Departure { name, is_gap, .. }) in departures.iter().enumerate() {
        if !tables.iter().any(|table| table.named(*is_gap).any(|(named, _)| named == name)) {
            flaws.push(format!("no statement has {name}"));
        }
        if departures[..number].iter().any(|other| other.name == *name) {
            flaws.push(format!("{name} is explained twice"));
        }
    }
    flaws
}

#[test]
fn every_line_makes_a_statement_or_is_left_out() {
    for (table, (document, lines, fewest)) in tables().iter().zip(DOCUMENTS) {
        assert_eq!((&*table.document, table.lines), (document, lines));
        let flaws = table.flaws();
        assert!(flaws.is_empty(), "{}", flaws.join("\n"));
        let count = table.statements.len();
        assert!(count >= fewest, "{document} has {count} statements, fewer than {fewest}");
    }
    let found = files(&[FOLDER], &[".txt"]);
    assert_eq!(found.len(), DOCUMENTS.len() + 1, "a table that no test reads: {found:?}");
}

#[test]
fn every_statement_has_a_test_or_a_departure() {
    let flaws = flaws(&tables(), &departures(), &mut Sources::default());
    assert!(flaws.is_empty(), "{}", flaws.join("\n"));
}

#[test]
fn the_page_is_the_tables() {
    let path = root().join("docs/DEPARTURES.md");
    let page = page::page(&tables(), &departures());
    if std::env::var_os("XFJIT_BLESS").is_some() {
        fs::write(&path, &page).expect("the page can be written");
    }
    let written = fs::read_to_string(&path).expect("there is a page");
    assert!(written == page, "docs/DEPARTURES.md is not the tables; XFJIT_BLESS=1 writes it anew");
    for Departure { name, .. } in departures() {
        assert!(page.contains(&format!("\n| `{name}` | ")), "{name}");
    }
}

const SAMPLE: &str = "document 9\ntitle none\nlines 6\nleft 1: title\nempty 3\n2 | a | gap g\n4-5 | b | departs d\n6 | c | tests/a.rs::t";
const DEPARTURES: &str =
    "departure d\nsays: a\ndoes: b\n    c\nwhy: d\n\ngap g\nweight: timing\nsays: a\ndoes: b\nwhy: c\n";

/// The sample's sources.
fn sources() -> Sources {
    let text = "#[test]\nfn t() {}\n\nfn no_test() {}\n\n#[test]\n#[ignore]\nfn ignored() {}\n";
    Sources(BTreeMap::from([("tests/a.rs".to_owned(), Some(text.to_owned()))]))
}

#[test]
fn lines_are_checked() {
    let flaws = |from: &str, to: &str| {
        assert!(SAMPLE.contains(from), "{from}");
        Table::parse(&SAMPLE.replace(from, to)).expect("it is a table").flaws()
    };
    assert_eq!(flaws("title", "title"), [] as [String; 0]);
    for (from, to, want) in [
        ("lines 6", "lines 7", "9:7: neither a statement nor left out"),
        ("left 1: title", "", "9:1: neither a statement nor left out"),
        ("left 1: title", "left 1-7: title", "9:1-7: the document has no such lines"),
        ("empty 3", "empty 3 3", "9:3: lines are left out twice"),
        ("6 | c", "0-6 | c", "9:0-6: the document has no such lines"),
        ("6 | c", "6-5 | c", "9:6-5: the document has no such lines"),
        ("4-5 | b", "3-5 | b", "9:3-5: a statement has a line that is left out"),
        ("6 | c", "6 | c | gap g\n6 | c", "9:6: a statement stands there twice"),
        ("2 | a", "6 | z | gap g\n2 | a", "9:2: statements stand in the order of their first lines"),
    ] {
        assert!(flaws(from, to).contains(&want.to_owned()), "{to}: {:?}", flaws(from, to));
    }
    let long = Table::parse("document 9\nlines 20\n1-19 | a | gap g\n20 | b | gap g").expect("a table");
    assert_eq!(long.flaws()[0], "9:1-19: so many lines make several statements");
    for line in
        ["nothing", "1 | a", "a | b | gap g", "1 | a | gap g | b", "1 |  | gap g", "left 1", "empty x"]
    {
        assert!(Table::parse(line).is_err(), "{line}");
    }
}

#[test]
fn evidence_is_checked() {
    let flaws = |from: &str, to: &str| {
        assert!(SAMPLE.contains(from) || DEPARTURES.contains(from), "{from}");
        let table = Table::parse(&SAMPLE.replace(from, to)).expect("it is a table");
        let departures = Departure::parse(&DEPARTURES.replace(from, to)).expect("they are departures");
        flaws(&[table], &departures, &mut sources())
    };
    assert_eq!(flaws("title", "title"), [] as [String; 0]);
    for (from, to, want) in [
        ("::t", "::u", "9:6: there is no test tests/a.rs::u"),
        ("::t", "::no_test", "9:6: there is no test tests/a.rs::no_test"),
        ("::t", "::ignored", "9:6: there is no test tests/a.rs::ignored"),
        ("a.rs::t", "b.rs::t", "9:6: there is no test tests/b.rs::t"),
        ("tests/a.rs::t", "tests/filetests/none.xf", "9:6: there is no test tests/filetests/none.xf"),
        ("tests/a.rs::t", "tests/a.rs::t, soon", "9:6: there is no test soon"),
        ("departs d", "departs g", "9:4-5: nothing explains g"),
        ("departs d", "departs e", "no statement has d"),
        ("gap g\nweight", "gap d\nweight", "d is explained twice"),
    ] {
        assert!(flaws(from, to).contains(&want.to_owned()), "{to}: {:?}", flaws(from, to));
    }
    for (from, to) in [
        ("weight: timing\n", ""),
        ("timing", "much"),
        ("why: c", ""),
        ("gap g", "crack g"),
        ("departure d\n", ""),
        ("does: b\n    c", "does: b\nweight: timing"),
    ] {
        assert!(Departure::parse(&DEPARTURES.replace(from, to)).is_err(), "{to}");
    }
    let parsed = Departure::parse(DEPARTURES).expect("they are departures");
    assert_eq!((&*parsed[0].does, parsed[1].is_gap), ("b c", true));
}
