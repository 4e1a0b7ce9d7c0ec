//! Tables of statements as text, and what is wrong with one.
//!
//! ```text
//! document 000                      which one
//! title "XF overview"               what it is called
//! lines 513                         how long it is
//! left 1-11: title, contents        lines that make no statement of the hardware, and why
//! empty 12 18 20-21                 lines without words
//! 25 | what it says | where::test   a statement: its lines, itself, a test that fails where it does not hold, or several
//! 43 | what it says | departs ID    .. or what xfjit does else
//! 44 | what it says | gap ID        .. or what it does not do, or does not test
//! ```
//!
//! Lines that begin with `#` are comments.

use std::collections::BTreeSet;
use std::fmt;

/// Lines of a document, first and last, from 1 on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Lines(pub(crate) usize, pub(crate) usize);

/// The most lines of a statement: more make several.
const LONGEST: usize = 18;

impl Lines {
    pub(crate) fn parse(text: &str) -> Option<Lines> {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        Some(Lines(first.parse().ok()?, last.parse().ok()?))
    }
}

impl fmt::Display for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Lines(first, last) if first == last => write!(f, "{first}"),
            Lines(first, last) => write!(f, "{first}-{last}"),
        }
    }
}

/// What a statement rests on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Evidence {
    /// Tests, as `file::name`, or files that are tests.
    Tests(Vec<String>),
    /// A departure, by its name.
    Departs(String),
    /// A gap, by its name.
    Gap(String),
}

/// A statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Statement {
    pub(crate) lines: Lines,
    pub(crate) text: String,
    pub(crate) evidence: Evidence,
}

/// The statements of a document.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Table {
    pub(crate) document: String,
    pub(crate) title: String,
    pub(crate) lines: usize,
    /// What is left out, and why; lines without words have no reason.
    pub(crate) left: Vec<(Lines, String)>,
    pub(crate) statements: Vec<Statement>,
}

impl Table {
    /// Reads a table.
    ///
    /// # Errors
    /// The first line that is none.
    pub(crate) fn parse(text: &str) -> Result<Table, String> {
        let mut table = Table::default();
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if !line.is_empty() && !line.starts_with('#') && table.read(line).is_none() {
                return Err(format!("line {}: `{line}` is not a line of a table", number + 1));
            }
        }
        Ok(table)
    }

    fn read(&mut self, line: &str) -> Option<()> {
        let (word, rest) = line.split_once(' ')?;
        match word {
            "document" => rest.clone_into(&mut self.document),
            "title" => rest.clone_into(&mut self.title),
            "lines" => self.lines = rest.parse().ok()?,
            "left" => {
                let (lines, why) = rest.split_once(": ")?;
                self.left.push((Lines::parse(lines)?, why.to_owned()));
            }
            "empty" => {
                for lines in rest.split(' ') {
                    self.left.push((Lines::parse(lines)?, String::new()));
                }
            }
            _ => self.statements.push(statement(line)?),
        }
        Some(())
    }

    /// What is wrong with its lines: those that nothing covers, statements of lines that are left out, lines behind the end.
    pub(crate) fn flaws(&self) -> Vec<String> {
        let (mut flaws, mut left, mut stated) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
        let mut flaw = |lines: Lines, what: &str| flaws.push(format!("{}:{lines}: {what}", self.document));
        let is_within = |Lines(first, last): Lines| 1 <= first && first <= last && last <= self.lines;
        for &(lines, _) in &self.left {
            if !is_within(lines) {
                flaw(lines, "the document has no such lines");
            } else if (lines.0..=lines.1).any(|line| !left.insert(line)) {
                flaw(lines, "lines are left out twice");
            }
        }
        for (number, Statement { lines, text, .. }) in self.statements.iter().enumerate() {
            if !is_within(*lines) {
                flaw(*lines, "the document has no such lines");
            } else if lines.1 - lines.0 >= LONGEST {
                flaw(*lines, "so many lines make several statements");
            } else if (lines.0..=lines.1).any(|line| left.contains(&line)) {
                flaw(*lines, "a statement has a line that is left out");
            } else {
                stated.extend(lines.0..=lines.1);
            }
            let before = &self.statements[..number];
            if before.iter().any(|other| other.lines == *lines && other.text == *text) {
                flaw(*lines, "a statement stands there twice");
            }
            if before.last().is_some_and(|other| other.lines.0 > lines.0) {
                flaw(*lines, "statements stand in the order of their first lines");
            }
        }
        for line in (1..=self.lines).filter(|line| !left.contains(line) && !stated.contains(line)) {
            flaw(Lines(line, line), "neither a statement nor left out");
        }
        flaws
    }

    /// The names of departures and gaps, each with the statement that has it.
    pub(crate) fn named(&self, is_gap: bool) -> impl Iterator<Item = (&str, &Statement)> {
        self.statements.iter().filter_map(move |statement| match &statement.evidence {
            Evidence::Departs(name) if !is_gap => Some((&**name, statement)),
            Evidence::Gap(name) if is_gap => Some((&**name, statement)),
            Evidence::Tests(_) | Evidence::Departs(_) | Evidence::Gap(_) => None,
        })
    }
}

fn statement(line: &str) -> Option<Statement> {
    let mut parts = line.split(" | ");
    let (lines, text, evidence) = (parts.next()?, parts.next()?, parts.next()?);
    let evidence = match evidence.split_once(' ') {
        Some(("departs", name)) => Evidence::Departs(name.to_owned()),
        Some(("gap", name)) => Evidence::Gap(name.to_owned()),
        _ => Evidence::Tests(evidence.split(", ").map(str::to_owned).collect()),
    };
    let is_whole = parts.next().is_none() && !text.is_empty();
    is_whole.then_some(Statement { lines: Lines::parse(lines)?, text: text.to_owned(), evidence })
}
