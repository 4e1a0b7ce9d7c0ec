//! What a console has returned: a text.
//!
//! ```text
//! xfjit-kit-results 1
//! console nv2a                    # which one; behind the mark is room for its version
//! experiment write-order          # runs of one experiment may follow each other
//! c[10] 3e800000 3e800000 40c00000 41000000
//! ```
//! Pixels and depths (`pixel 0 ff0080`, `depth 0 00ffff`) have six digits. The file is somebody else's: each line is checked.

use super::experiment::{Console, Experiment};
use super::reading::Reading;
use super::{predict::Outcome, shelf};
use crate::text::{self, Flaw, Line, Word, clip};

/// The first word.
pub const NAME: &str = "xfjit-kit-results";
/// The first line: the word, and the version of the form.
pub const HEAD: &str = "xfjit-kit-results 1";
/// Runs that are read at most: more than anybody sends, and judged in a second.
const MOST_RUNS: usize = 4096;

/// One run of an experiment.
#[derive(Debug)]
pub struct Run<'a> {
    /// The experiment.
    pub experiment: &'a Experiment,
    /// The words of all of its readings, in its order.
    pub seen: Outcome,
}

/// A run that is being read: the line that it begins in, and what has been read.
struct Open<'a, 't> {
    line: Line<'t>,
    experiment: &'a Experiment,
    words: Vec<Option<Vec<u32>>>,
}

impl<'a> Open<'a, '_> {
    fn close(self) -> Result<Run<'a>, Flaw> {
        let mut seen = Outcome::new();
        for (words, reading) in self.words.into_iter().zip(&self.experiment.readings) {
            let missing = || Flaw::line(&self.line, format!("this run lacks a line `{reading}`"));
            seen.extend(words.ok_or_else(missing)?);
        }
        Ok(Run { experiment: self.experiment, seen })
    }
}

/// The console, and all runs.
///
/// # Errors
/// The first line that is wrong.
pub fn read<'a>(text: &str, shelf: &'a [Experiment]) -> Result<(Console, Vec<Run<'a>>), Flaw> {
    let mut lines = text::lines(text).map(|line| (line, words(line))).filter(|(_, words)| !words.is_empty());
    let is_head = |words: &[Word<'_>]| words.iter().map(|word| word.text).eq(HEAD.split(' '));
    match lines.next() {
        Some((_, words)) if is_head(&words) => {}
        Some((line, _)) => return Err(Flaw::line(&line, format!("results begin with a line `{HEAD}`"))),
        None => return Err(Flaw::new(format!("is empty; results begin with a line `{HEAD}`"))),
    }
    let console = match lines.next() {
        Some((line, words)) => console(&line, &words)?,
        None => return Err(Flaw::new("lacks a line `console`")),
    };
    let mut runs = Vec::new();
    let mut open: Option<Open<'_, '_>> = None;
    for (line, words) in lines {
        if words[0].text == "experiment" {
            runs.extend(open.take().map(Open::close).transpose()?);
            if runs.len() >= MOST_RUNS {
                return Err(Flaw::line(&line, format!("there are more than {MOST_RUNS} runs")));
            }
            open = Some(begin(line, &words, console, shelf)?);
        } else {
            let missing = || Flaw::word(&words[0], "a line `experiment` must come first");
            reading(&words, open.as_mut().ok_or_else(missing)?)?;
        }
    }
    runs.extend(open.map(Open::close).transpose()?);
    if runs.is_empty() {
        return Err(Flaw::new("holds no run of an experiment"));
    }
    Ok((console, runs))
}

fn words(line: Line<'_>) -> Vec<Word<'_>> {
    text::words(line, &[], &["#"]).collect()
}

fn console(line: &Line<'_>, words: &[Word<'_>]) -> Result<Console, Flaw> {
    let names = Console::ALL.map(Console::name).join(", ");
    match words {
        [verb, name] if verb.text == "console" => {
            let found = Console::ALL.into_iter().find(|console| console.name() == name.text);
            found.ok_or_else(|| Flaw::word(name, format!("`{}` is not a console: {names}", clip(name.text))))
        }
        _ => Err(Flaw::line(line, format!("expected `console NAME`, which is one of {names}"))),
    }
}

fn begin<'a, 't>(
    line: Line<'t>,
    words: &[Word<'_>],
    console: Console,
    shelf: &'a [Experiment],
) -> Result<Open<'a, 't>, Flaw> {
    let [_, name] = words else {
        return Err(Flaw::line(&line, "expected `experiment NAME`"));
    };
    let found = shelf.iter().find(|experiment| experiment.name == name.text);
    let Some(experiment) = found else {
        let message = format!("there is no experiment `{}`", clip(name.text));
        return Err(Flaw::word(name, message).help(shelf::ALL));
    };
    if experiment.console != console {
        let (of, console) = (experiment.console.name(), console.name());
        let message = format!("this experiment is for {of}, and the results are of {console}");
        return Err(Flaw::word(name, message));
    }
    Ok(Open { line, experiment, words: vec![None; experiment.readings.len()] })
}

/// A line with the words of one place.
fn reading(words: &[Word<'_>], open: &mut Open<'_, '_>) -> Result<(), Flaw> {
    // A name is one word, or two.
    let two = words.get(1).and_then(|second| Reading::named(&format!("{} {}", words[0].text, second.text)));
    let named = Reading::named(words[0].text).map(|reading| (reading, 1)).or(two.map(|reading| (reading, 2)));
    let at =
        named.and_then(|(named, _)| open.experiment.readings.iter().position(|reading| *reading == named));
    let (Some((named, length)), Some(at)) = (named, at) else {
        let all: Vec<String> = open.experiment.readings.iter().map(Reading::to_string).collect();
        let message = format!("`{}` is not something that this experiment reads", clip(words[0].text));
        return Err(Flaw::word(&words[0], message).help(format!("it reads {}", all.join(", "))));
    };
    if open.words[at].is_some() {
        return Err(Flaw::word(&words[0], format!("this run already has a line `{named}`")));
    }
    let values = &words[length..];
    if values.len() != named.words() {
        let count = named.words();
        return Err(Flaw::line(
            &words[0].line,
            format!("{named} has {count} words; here are {}", values.len()),
        ));
    }
    open.words[at] = Some(values.iter().map(|value| hexadecimal(value, named)).collect::<Result<_, _>>()?);
    Ok(())
}

fn hexadecimal(word: &Word<'_>, reading: Reading) -> Result<u32, Flaw> {
    let digits = reading.digits();
    if word.text == "?" {
        return Err(Flaw::word(word, format!("{reading} has not been filled in"))
            .help("remove the lines of experiments that have not been run"));
    }
    let is_hex = word.text.len() == digits && word.text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let value = if is_hex { u32::from_str_radix(word.text, 16).ok() } else { None };
    value.ok_or_else(|| Flaw::word(word, format!("`{}` is not {digits} hexadecimal digits", clip(word.text))))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "xfjit-kit-results 1\nconsole nv2a # 1.0\n\nexperiment write-order\n\
        c[10] 3e800000 3e800000 40C00000 41000000\n";

    fn refused(text: &str) -> String {
        let shelf = shelf::all().expect("the shelf is right");
        let error = read(text, &shelf).err().unwrap_or_else(|| panic!("{text}"));
        error.to_string()
    }

    #[test]
    fn runs_are_read() {
        let shelf = shelf::all().expect("the shelf is right");
        let (console, runs) = read(
            &format!("{GOOD}experiment write-order\nc[10] 0000000{}", "1 00000000 00000000 00000000"),
            &shelf,
        )
        .expect("it is right");
        let seen: Vec<&[u32]> = runs.iter().map(|run| &run.seen[..]).collect();
        assert_eq!(console, Console::Nv2a);
        assert_eq!(seen, [[0x3e80_0000, 0x3e80_0000, 0x40c0_0000, 0x4100_0000], [1, 0, 0, 0]]);
    }

    #[test]
    fn damaged_files_do_no_harm() {
        let shelf = shelf::all().expect("the shelf is right");
        for at in 0..GOOD.len() {
            let _ = read(&GOOD[..at], &shelf);
            for other in ["\u{e9}", "\n", " ", "[", "0", "#", ""] {
                let _ = read(&format!("{}{other}{}", &GOOD[..at], &GOOD[at + 1..]), &shelf);
            }
        }
        // A great number of pixels is a name of nothing, and so is a great row.
        assert!(
            refused(&GOOD.replace("c[10]", "c[4294967296]"))
                .contains("is not something that this experiment reads")
        );
    }

    #[test]
    fn wrong_lines_are_named() {
        for (from, to, expected) in [
            ("results 1", "results 2", "line 1: results begin with"),
            (GOOD, "# nothing", "is empty"),
            (GOOD, "xfjit-kit-results 1", "lacks a line `console`"),
            ("console nv2a", "console n64", "line 2, column 9: `n64` is not a console"),
            ("console nv2a", "console", "line 2: expected `console NAME`"),
            ("console nv2a", "console rsx", "line 4, column 12: this experiment is for nv2a"),
            ("experiment write-order\n", "", "line 4, column 1: a line `experiment` must come first"),
            ("write-order", "write-order 2", "line 4: expected `experiment NAME`"),
            ("write-order", "\u{1b}[2J", "line 4, column 12: there is no experiment `\\u{1b}[2J`"),
            ("c[10]", "c[11]", "line 5, column 1: `c[11]` is not something that this experiment reads"),
            ("c[10]", "pixel 10", "line 5, column 1: `pixel` is not something"),
            (" 41000000", "", "line 5: c[10] has 4 words; here are 3"),
            (" 41000000", " 41000000 0", "line 5: c[10] has 4 words; here are 5"),
            ("41000000", "4100000", "line 5, column 34: `4100000` is not 8 hexadecimal digits"),
            ("41000000", "+1000000", "line 5, column 34: `+1000000` is not 8 hexadecimal digits"),
            ("41000000", "?", "line 5, column 34: c[10] has not been filled in"),
            ("c[10] 3e800000 3e800000 40C00000 41000000\n", "", "line 4: this run lacks a line `c[10]`"),
            ("experiment write-order\nc[10] 3e800000 3e800000 40C00000 41000000\n", "", "holds no run"),
        ] {
            assert!(GOOD.contains(from), "{from}");
            let message = refused(&GOOD.replace(from, to));
            assert!(message.starts_with(expected), "{message}");
        }
        let twice = format!("{GOOD}c[10] 0 0 0 0\n");
        assert!(HEAD.starts_with(NAME));
        assert!(refused(&twice).contains("line 6, column 1: this run already has a line `c[10]`"));
        let many = format!("{GOOD}{}", &GOOD[GOOD.find("experiment").expect("a run")..].repeat(MOST_RUNS));
        assert!(refused(&many).contains("there are more than 4096 runs"));
    }
}
