//! Each fact of the chips stands in one place. This test looks for the numbers of facts that once stood in several.

mod tree;

use tree::{files, read};

/// A fact: what it is, the end of the path of the file that has it, and its numbers as sources write them.
struct Fact {
    what: &'static str,
    home: &'static str,
    numbers: &'static [&'static str],
    /// Files (ends of their paths) in which these numbers are something else.
    elsewhere: &'static [&'static str],
}

#[rustfmt::skip]
const FACTS: &[Fact] = &[
    Fact {
        what: "rows of the viewport", home: "chip/programs.rs", numbers: &["0x3a", "0x3b", "0x76", "0x77"],
        // Celsius has ones in such a row; a message has it as an example.
        elsewhere: &["chip/memory.rs", "front/fixed/eye.rs", "repro/names.rs"],
    },
    Fact { what: "the user's rows", home: "chip/programs.rs", numbers: &["0x60..0xc0", "0x9c", "0x19c", "412 - 156"], elsewhere: &[] },
    Fact {
        what: "the register that reads oPos back", home: "chip/programs.rs",
        numbers: &["READ_BACK: u8 = 12", "READ_BACK: usize = 12", "READ_BACK: u16 = 12", "MIRROR: u8 = 12"], elsewhere: &[],
    },
    Fact { what: "slots of Kelvin's program memory", home: "chip/sizes.rs", numbers: &["136"], elsewhere: &["asm/gl/tests.rs"] },
    Fact { what: "slots of Rankine's program memory", home: "chip/sizes.rs", numbers: &["280"], elsewhere: &[] },
    Fact { what: "slots and rows of Curie", home: "chip/sizes.rs", numbers: &["544"], elsewhere: &[] },
    Fact { what: "rows of Rankine's constants", home: "chip/sizes.rs", numbers: &["412"], elsewhere: &[] },
    Fact { what: "rows of Curie's constants on every chip", home: "chip/sizes.rs", numbers: &["468"], elsewhere: &[] },
];

/// Sources of the library's packages, but those of machine code and of tests.
fn sources() -> Vec<String> {
    let is_other = |path: &str| {
        let mut folders = path.split('/');
        let file = folders.next_back().unwrap_or(path);
        file.contains("test") || folders.any(|folder| ["native", "testing", "tests"].contains(&folder))
    };
    files(&["src", "crates"], &[".rs"]).into_iter().filter(|path| !is_other(path)).collect()
}

/// A source without its comments and the tests at its end.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(text);
    text.lines().map(|line| line.split("//").next().unwrap_or(line)).collect::<Vec<_>>().join("\n")
}

/// Whether a number stands in a text, not as a part of a longer one.
fn has(text: &str, number: &str) -> bool {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '.');
    text.match_indices(number).any(|(at, _)| {
        let behind = &text[at + number.len()..];
        !is_part(text[..at].chars().next_back()) && !is_part(behind.chars().next().filter(|&c| c != '.'))
    })
}

#[test]
fn each_fact_stands_once() {
    let sources: Vec<(String, String)> =
        sources().into_iter().map(|path| (path.clone(), code(&read(&path)))).collect();
    assert!(sources.len() > 150, "sources have been found: {}", sources.len());
    let mut twice = Vec::new();
    for fact in FACTS {
        let home = sources.iter().find(|(path, _)| path.ends_with(fact.home)).expect(fact.home);
        let at_home = fact.numbers.iter().filter(|number| has(&home.1, number)).count();
        assert!(at_home > 0 || fact.numbers[0].contains('='), "{} is not in {}", fact.what, fact.home);
        for (path, text) in &sources {
            let is_known =
                path.ends_with(fact.home) || fact.elsewhere.iter().any(|other| path.ends_with(other));
            for number in fact.numbers.iter().filter(|number| !is_known && has(text, number)) {
                twice.push(format!("{path}: {number}, {}, which stands in {}", fact.what, fact.home));
            }
        }
    }
    assert!(twice.is_empty(), "facts that stand twice:\n{}", twice.join("\n"));
}

#[test]
fn numbers_are_found_whole() {
    assert!(has("a[0x76]", "0x76") && has("0x76, 0x77", "0x77") && has("0x60..0xc0", "0x60"));
    assert!(!has("0x766", "0x76") && !has("10x76", "0x76") && !has("1.136", "136") && !has("x136", "136"));
    assert_eq!(code("let a = 1; // 0x76\n#[cfg(test)]\nmod tests {\n0x77"), "let a = 1; ");
}
