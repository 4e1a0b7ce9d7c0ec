//! Finds citations in a text and looks them up.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What no reader of the repository has.
const ELSEWHERE: [&str; 6] =
    ["architecture.md", " (architecture", "architecture, \"", "tables/c", "seed 00", "seeds/00"];

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
pub(crate) fn number(text: &str) -> Option<(&str, &str)> {
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
pub(crate) fn flow(text: &str) -> String {
    let marks: &[_] = &["//!", "///", "//", ";", "#!"];
    let lines = text.lines().map(|line| {
        let line = line.trim();
        marks.iter().find_map(|mark| line.strip_prefix(mark)).unwrap_or(line).trim()
    });
    lines.collect::<Vec<_>>().join(" ")
}

/// What was found, and what does not resolve.
#[derive(Default)]
pub(crate) struct Report {
    pub(crate) pages: usize,
    pub(crate) places: usize,
    pub(crate) wrong: Vec<String>,
}

pub(crate) struct Tree {
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
    pub(crate) fn check(&self, file: &str, text: &str, report: &mut Report) {
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
pub(crate) fn strip<'a>(text: &'a str, beginnings: &[&str]) -> Option<&'a str> {
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
pub(crate) fn normal(path: &Path) -> String {
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

/// A tree of pages out of texts.
pub(crate) fn tree<'a>(texts: impl IntoIterator<Item = (&'a str, &'a str)>) -> Tree {
    let pages = texts.into_iter().filter(|(path, _)| path.ends_with(".md"));
    Tree { pages: pages.map(|(path, text)| (path.to_owned(), Page::new(text))).collect() }
}
