//! How a command ends: the one error type of the command line, its exit codes and its looks.

use crate::text::{self, Flaw, Place};
use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::ops::Range;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

/// Why a command did not succeed.
#[derive(Debug)]
pub enum Failure {
    /// A check found a difference; it has been reported already. Exit code 1.
    Mismatch,
    /// The command line asks for something that makes no sense. Exit code 2.
    Usage(String),
    /// A file is missing, unreadable or wrong. Exit code 3.
    Input {
        /// Its name as the user gave it, or `<stdin>`.
        file: String,
        /// What is wrong with it.
        flaws: Vec<Flaw>,
    },
    /// The input is fine, but nothing that this version knows. Exit code 3.
    Unsupported(String),
    /// Nobody reads our output any more, which is no error. Exit code 0.
    ReaderGone,
    /// Our output could not be written. Exit code 3.
    Unwritable(String),
    /// We broke a promise of our own. Exit code 4.
    Internal(String),
}

impl Failure {
    /// The flaw of a file.
    pub fn input(file: impl Into<String>, flaw: Flaw) -> Failure {
        Failure::Input { file: file.into(), flaws: vec![flaw] }
    }

    /// A file that could not be opened or read.
    pub fn unreadable(file: impl Into<String>, error: &io::Error) -> Failure {
        Failure::input(file, Flaw::new(format!("cannot be read: {error}")))
    }

    /// The exit code of the process.
    pub fn code(&self) -> u8 {
        match self {
            Failure::ReaderGone => 0,
            Failure::Mismatch => 1,
            Failure::Usage(_) => 2,
            Failure::Input { .. } | Failure::Unsupported(_) | Failure::Unwritable(_) => 3,
            Failure::Internal(_) => 4,
        }
    }

    /// Tells the user, and gives the exit code. `colour` is the answer to `--color`; None decides by the terminal.
    pub fn report(&self, colour: Option<bool>) -> ExitCode {
        let looks = Looks::of_stderr(colour);
        let mut text = match self {
            Failure::Mismatch | Failure::ReaderGone => String::new(),
            Failure::Usage(message) => {
                format!("error: {}\n\nFor more information, try '--help'.\n", short(message))
            }
            Failure::Internal(message) | Failure::Unsupported(message) | Failure::Unwritable(message) => {
                format!("error: {}\n", short(message))
            }
            Failure::Input { file, flaws } => {
                let shown = flaws.iter().take(SHOWN).map(|flaw| render(file, flaw, looks));
                let more = flaws.len().saturating_sub(SHOWN);
                shown.chain((more > 0).then(|| format!("... and {more} more errors\n"))).collect()
            }
        };
        if looks == Looks::Colour {
            text = text.replace("error: ", "\u{1b}[31;1merror:\u{1b}[0m ");
        }
        // If stderr is gone as well, the exit code has to do.
        let _ = io::stderr().write_all(text.as_bytes());
        ExitCode::from(self.code())
    }
}

/// Errors of one file that are shown.
const SHOWN: usize = 20;
/// Characters of one message.
const LONGEST: usize = 600;

/// A message, whatever a file's name or content has put into it: no control characters, and not too long.
fn short(message: &str) -> String {
    text::cut(&text::plain(message), LONGEST)
}

/// Set by `--quiet`.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Whether notes are wanted.
pub fn set_quiet(quiet: bool) {
    QUIET.store(quiet, Ordering::Relaxed);
}

/// What was asked for, on standard error; if nobody hears it, so be it.
pub fn remark(text: impl fmt::Display) {
    let _ = writeln!(io::stderr(), "{}", text::plain(&text.to_string()));
}

/// What nobody asked for but should know, on standard error unless `--quiet`.
pub fn note(text: impl fmt::Display) {
    if !QUIET.load(Ordering::Relaxed) {
        remark(format_args!("note: {}", short(&text.to_string())));
    }
}

/// A note on a result that may not be what is wanted.
pub fn warning(text: impl fmt::Display) {
    if !QUIET.load(Ordering::Relaxed) {
        remark(format_args!("warning: {}", short(&text.to_string())));
    }
}

impl From<io::Error> for Failure {
    /// Errors of writing; errors of reading become [`Failure::unreadable`].
    fn from(error: io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::ReaderGone,
            _ if is_pipe_without_end(&error) => Failure::ReaderGone,
            _ => Failure::Unwritable(format!("cannot write output: {error}")),
        }
    }
}

/// Whether Windows says that nobody is at the other end of a pipe in words that Rust has no kind for (`ERROR_PIPE_NOT_CONNECTED`); wine says
/// so of each pipe whose reader has gone.
fn is_pipe_without_end(error: &io::Error) -> bool {
    cfg!(windows) && error.raw_os_error() == Some(233)
}

/// How errors are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Looks {
    Colour,
    Lines,
    Ascii,
}

impl Looks {
    fn of_stderr(colour: Option<bool>) -> Looks {
        let terminal = io::stderr().is_terminal();
        let wanted = terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        match (colour.unwrap_or(wanted), terminal) {
            (true, _) => Looks::Colour,
            (false, true) => Looks::Lines,
            (false, false) => Looks::Ascii,
        }
    }
}

/// `error: FILE:LINE:COLUMN: message`, then the line with the word marked, then the advice.
fn render(file: &str, flaw: &Flaw, looks: Looks) -> String {
    let file = &short(file);
    let mut text = format!("error: {file}");
    match &flaw.place {
        Some(place) if place.length > 0 => text += &format!(":{}:{}", place.line, place.column),
        Some(place) => text += &format!(":{}", place.line),
        None => {}
    }
    text += &format!(": {}\n", short(&flaw.message));
    let help = flaw.help.as_deref().map(short);
    let Some(place) = flaw.place.as_ref().filter(|place| place.length > 0) else {
        return match help {
            Some(help) => text + &format!("  help: {help}\n"),
            None => text,
        };
    };
    let renderer = match looks {
        Looks::Colour => Renderer::styled().decor_style(DecorStyle::Unicode),
        Looks::Lines => Renderer::plain().decor_style(DecorStyle::Unicode),
        Looks::Ascii => Renderer::plain(),
    };
    let (excerpt, mark) = excerpt(place);
    let marked =
        Snippet::source(excerpt).line_start(place.line).annotation(AnnotationKind::Primary.span(mark));
    let group = Group::with_level(Level::ERROR).element(marked);
    let group = group.elements(help.map(|help| Level::HELP.message(help)));
    text + &renderer.render(&[group]) + "\n"
}

/// Characters of a long line that are shown before and after what is marked.
const AROUND: usize = 60;

/// The line of a place, or the part of a long one around it, and the bytes to be marked.
fn excerpt(place: &Place) -> (String, Range<usize>) {
    let start = place.column.saturating_sub(1);
    let skipped = start.saturating_sub(AROUND);
    let shown = AROUND.min(start) + place.length.min(AROUND) + AROUND;
    // Control characters would upset the terminal and the columns.
    let plain = |c: char| if text::is_hidden(c) { ' ' } else { c };
    let text: String = place.text.chars().skip(skipped).take(shown).map(plain).collect();
    let bytes = |characters: usize| text.chars().take(characters).map(char::len_utf8).sum::<usize>();
    let from = bytes(start - skipped);
    let to = bytes(start - skipped + place.length.min(AROUND));
    (text, from..to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Line, bits, words};

    fn flaw(number: usize, text: &str, nth: usize) -> Flaw {
        bits(&words(Line { number, text }, &[], &[]).nth(nth).unwrap()).unwrap_err()
    }

    #[test]
    fn an_error_names_file_line_and_column_and_marks_the_word() {
        let text = render("knot.obj", &flaw(12, "v 1 two 3", 2), Looks::Ascii);
        assert!(text.starts_with("error: knot.obj:12:5: `two` is not a number\n"), "{text}");
        assert!(text.contains("12 | v 1 two 3"), "{text}");
        assert!(text.contains("help: write a decimal number"), "{text}");
        assert!(text.is_ascii(), "{text}");
    }

    #[test]
    fn long_lines_are_cut_around_the_word() {
        let long = format!("{}nope {}", "1.0 ".repeat(500), "2.0 ".repeat(500));
        let text = render("big", &flaw(3, &long, 500), Looks::Lines);
        assert!(text.starts_with("error: big:3:2001: `nope`"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() < 200), "{text}");
    }

    #[test]
    fn hostile_text_is_drawn_without_harm() {
        for given in ["\u{1b}[31m", "a\tb\u{0}\u{301}\u{1f600}", "\u{fffd}\u{202e}x"] {
            for looks in [Looks::Colour, Looks::Lines, Looks::Ascii] {
                let place = Place { line: 1, column: 3, length: 9, text: given.to_string() };
                let flaw = Flaw { place: Some(place), ..Flaw::new("bad") };
                let drawn = render("f", &flaw, looks);
                assert!(drawn.starts_with("error: f:1:3: bad\n"));
                assert!(
                    looks == Looks::Colour || !drawn.contains(|c| c != '\n' && text::is_hidden(c)),
                    "{drawn:?}"
                );
            }
        }
        let flaw = Flaw::new(format!("\u{1b}]0;title\u{7}{}", "x".repeat(9999))).help("\r\u{9b}1m");
        let drawn = render("evil\u{1b}[2J.obj", &flaw, Looks::Ascii);
        assert!(!drawn.contains(|c| c != '\n' && text::is_hidden(c)), "{drawn:?}");
        assert!(drawn.len() < 1000 && drawn.contains("x..."), "{drawn}");
    }

    #[test]
    fn a_closed_pipe_is_not_an_error() {
        assert_eq!(Failure::from(io::Error::from(io::ErrorKind::BrokenPipe)).code(), 0);
        assert_eq!(Failure::from(io::Error::from(io::ErrorKind::StorageFull)).code(), 3);
        assert_eq!(
            Failure::from(io::Error::from_raw_os_error(233)).code(),
            if cfg!(windows) { 0 } else { 3 }
        );
    }
}
