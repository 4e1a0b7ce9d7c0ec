//! Options that would do nothing beside another option, or with the input that is given: each is an error that names
//! both. What clap can refuse by itself, it does; the rest is one table, [`RULES`].

use crate::fail::Failure;
use clap::parser::ValueSource;
use clap::{ArgMatches, Command};
use std::collections::BTreeMap;

/// What an input turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A test file, or a directory of them.
    Test,
    /// A test file alone.
    OneTest,
    /// Anything but a directory of test files.
    NoDirectory,
    /// A command stream.
    Trace,
    /// A command stream of Flipper, in whatever form.
    Flipper,
    /// Programs and the batches that they ran on.
    Calls,
    /// Assembler text of the chip.
    Native,
    /// Assembler text of OpenGL.
    OpenGl,
    /// Microcode as text.
    Microcode,
    /// Microcode as raw words.
    RawMicrocode,
    /// A mesh.
    Mesh,
    /// A table of vertices.
    Table,
    /// Raw vertices.
    RawVertices,
    /// Neither program nor vertices are raw words.
    NothingRaw,
}

/// When an option does nothing.
#[derive(Clone, Copy, Debug)]
enum When {
    /// Whatever else is given.
    Always,
    /// Beside another option.
    With(&'static str),
    /// Beside an option with one of these values.
    Is(&'static str, &'static [&'static str]),
    /// Beside an option without one of these values.
    IsNot(&'static str, &'static [&'static str]),
    /// With an input of one of these kinds.
    Input(&'static [Kind]),
}

/// An option of a command that does nothing in some case.
struct Rule {
    command: &'static str,
    option: &'static str,
    /// Only these values of it; empty for all.
    values: &'static [&'static str],
    when: When,
    /// Beside this option it does something nevertheless.
    unless: Option<&'static str>,
    /// Names both sides, and what helps.
    message: &'static str,
}

const fn rule(command: &'static str, option: &'static str, when: When, message: &'static str) -> Rule {
    Rule { command, option, values: &[], when, unless: None, message }
}

const START: &str = "--start is for microcode; assembler text sets its start itself, as in `.start 2`";
const FIXED_GEN: &str = "--gen has no effect with --fixed, which names the chip";
const FIXED_START: &str = "--start has no effect with --fixed, which has no slots";
const FIXED_ORDER: &str = "--byte-order has no effect with --fixed, which reads no file";
const ORDER: &str = "--byte-order is for raw words; the input is something else";
const TEXT: &[Kind] = &[Kind::Native, Kind::OpenGl];
const NOT_RAW: &[Kind] = &[Kind::Native, Kind::OpenGl, Kind::Microcode];

const CAPTURE_GEN: &str = "--gen has no effect with a capture, whose programs name their chips";
const CAPTURE_START: &str = "--start has no effect with a capture, whose programs say where they start";
const CALLS_MODEL: &str = "--model has no effect with a capture of calls, whose programs name their models";
const PROGRAM: &str = "--program is for captures; other files hold one program";
const NAMES: &str = "--names is for captures; other files do not contain the hash of their program";
const PROGRAMS: &[Kind] = &[Kind::Native, Kind::OpenGl, Kind::Microcode, Kind::RawMicrocode];
const CAPTURES: &[Kind] = &[Kind::Trace, Kind::Flipper, Kind::Calls];
const NO_PAIR: &str = "--no-pair is for OpenGL programs; other programs are not changed without --pair";
const FIXED_PAIR: &str = "--pair has no effect with --fixed, which has no slots";
const FIXED_NO_PAIR: &str = "--no-pair has no effect with --fixed, which has no slots";
const FLIPPER_PAIR: &str = "--pair has no effect with --flipper, which has no slots";
const FLIPPER_NO_PAIR: &str = "--no-pair has no effect with --flipper, which has no slots";
const NOT_OPENGL: &[Kind] =
    &[Kind::Native, Kind::Microcode, Kind::RawMicrocode, Kind::Trace, Kind::Flipper, Kind::Calls];

const NO_PROGRAM: &[Kind] = &[Kind::Test, Kind::Trace, Kind::Flipper, Kind::Calls];

/// All of them.
#[rustfmt::skip]
const RULES: &[Rule] = &[
    rule("asm", "binary", When::Is("format", &["json", "csv"]), "--format has no effect with --binary, which writes raw words"),
    rule("asm", "constants", When::Input(&[Kind::Native, Kind::Microcode, Kind::RawMicrocode]),
        "--constants is for OpenGL programs; this input does not name constant rows"),
    Rule { unless: Some("binary"), ..rule("asm", "byte-order", When::Input(NOT_RAW),
        "--byte-order is for raw words; the input is something else, and without --binary so is the output") },
    rule("dis", "gen", When::With("fixed"), FIXED_GEN),
    rule("dis", "as", When::With("fixed"), "--as has no effect with --fixed, which names the chip"),
    rule("dis", "start", When::With("fixed"), FIXED_START),
    rule("dis", "words", When::With("fixed"), "--words has no effect with --fixed, which prints the words anyway"),
    rule("dis", "words", When::Is("format", &["json", "csv"]), "--words has no effect with this --format, which always includes the words"),
    rule("dis", "byte-order", When::With("fixed"), FIXED_ORDER),
    rule("dis", "byte-order", When::Input(NOT_RAW), ORDER),
    rule("dis", "gen", When::Input(CAPTURES), CAPTURE_GEN),
    rule("dis", "start", When::Input(CAPTURES), CAPTURE_START),
    rule("dis", "byte-order", When::Input(CAPTURES), ORDER),
    rule("dis", "option", When::Input(CAPTURES), "--option has no effect with a capture, whose programs say how their words are read"),
    rule("dis", "program", When::Input(PROGRAMS), PROGRAM),
    rule("dis", "names", When::Input(PROGRAMS), NAMES),
    rule("dis", "model", When::Input(PROGRAMS), "--model is for captures of units; the text of microcode does not depend on it"),
    rule("dis", "model", When::Input(&[Kind::Calls]), CALLS_MODEL),
    rule("dump", "gen", When::Input(CAPTURES), CAPTURE_GEN),
    rule("dump", "start", When::Input(CAPTURES), CAPTURE_START),
    rule("dump", "byte-order", When::Input(CAPTURES), ORDER),
    rule("dump", "program", When::Input(PROGRAMS), PROGRAM),
    rule("dump", "names", When::Input(PROGRAMS), NAMES),
    rule("dump", "model", When::Input(&[Kind::Calls]), CALLS_MODEL),
    rule("explore", "gen", When::Input(CAPTURES), CAPTURE_GEN),
    rule("explore", "start", When::Input(CAPTURES), CAPTURE_START),
    rule("explore", "byte-order", When::Input(CAPTURES), ORDER),
    rule("explore", "program", When::Input(PROGRAMS), PROGRAM),
    rule("explore", "names", When::Input(PROGRAMS), NAMES),
    rule("explore", "model", When::Input(&[Kind::Calls]), CALLS_MODEL),
    rule("dump", "gen", When::With("fixed"), FIXED_GEN),
    rule("dump", "start", When::With("fixed"), FIXED_START),
    rule("dump", "start", When::Input(TEXT), START),
    rule("dump", "byte-order", When::With("fixed"), FIXED_ORDER),
    rule("dump", "byte-order", When::Input(NOT_RAW), ORDER),
    rule("dump", "target", When::IsNot("stage", &["host", "clif", "asm"]), "--target has no effect with this --stage: only host, clif and asm depend on it"),
    rule("dump", "model", When::Is("stage", &["decode"]), "--model has no effect with --stage decode, which computes nothing"),
    Rule { values: &["csv"], ..rule("dump", "format", When::Always, "--format csv cannot show --stage; use text or json") },
    rule("explore", "gen", When::With("fixed"), FIXED_GEN),
    rule("explore", "start", When::With("fixed"), FIXED_START),
    rule("explore", "start", When::Input(TEXT), START),
    rule("explore", "byte-order", When::With("fixed"), FIXED_ORDER),
    rule("explore", "byte-order", When::Input(NOT_RAW), ORDER),
    Rule { values: &["csv"], ..rule("explore", "format", When::Always, "--format csv cannot show stages; use text (the page) or json") },
    rule("explore", "out", When::Is("format", &["json"]), "--out is for the page; --format json writes the same contents to standard output"),
    rule("list", "matrices", When::Is("format", &["json", "csv"]), "--matrices has no effect with this --format: json always includes the numbers, and csv has no columns for them"),
    rule("list", "matrices", When::Input(&[Kind::Trace, Kind::Calls]), "--matrices is for Flipper recordings; programs define their own matrices"),
    rule("list", "names", When::Input(&[Kind::Trace, Kind::Flipper]), "--names is for captures of calls; other recordings are listed without hashes of programs (prof has them)"),
    rule("prof", "model", When::Input(&[Kind::Flipper]), "--model has no effect with a Flipper stream, because Flipper's arithmetic is fixed"),
    rule("prof", "dialect", When::Input(&[Kind::Trace, Kind::Calls]), "--dialect is for Flipper streams; the capture is of something else"),
    rule("prof", "quirk", When::Input(&[Kind::Trace, Kind::Calls]), "--quirk is for Flipper streams; the capture is of something else"),
    rule("prof", "top", When::With("diff"), "--top has no effect with --diff, which compares whole programs"),
    rule("prof", "top", When::Is("format", &["csv"]), "--top has no effect with --format csv, which lists only programs"),
    Rule { values: &["json", "csv"], ..rule("import", "format", When::Always, "--format has no effect with import, which prints nothing") },
    rule("chip", "start", When::Input(TEXT), START),
    rule("chip", "byte-order", When::Input(NOT_RAW), ORDER),
    rule("asm", "no-pair", When::Input(NOT_OPENGL), NO_PAIR),
    rule("dump", "no-pair", When::Input(NOT_OPENGL), NO_PAIR),
    rule("explore", "no-pair", When::Input(NOT_OPENGL), NO_PAIR),
    rule("chip", "no-pair", When::Input(NOT_OPENGL), NO_PAIR),
    rule("dump", "pair", When::With("fixed"), FIXED_PAIR),
    rule("dump", "no-pair", When::With("fixed"), FIXED_NO_PAIR),
    rule("dump", "pair", When::With("flipper"), FLIPPER_PAIR),
    rule("dump", "no-pair", When::With("flipper"), FLIPPER_NO_PAIR),
    rule("explore", "pair", When::With("fixed"), FIXED_PAIR),
    rule("explore", "no-pair", When::With("fixed"), FIXED_NO_PAIR),
    rule("explore", "pair", When::With("flipper"), FLIPPER_PAIR),
    rule("explore", "no-pair", When::With("flipper"), FLIPPER_NO_PAIR),
    rule("run", "gen", When::Input(&[Kind::Test]), "--gen has no effect with a test file, which names its chip"),
    rule("run", "model", When::Input(&[Kind::Test]), "--model has no effect with a test file, which names its models"),
    rule("run", "jobs", When::Input(&[Kind::OneTest]), "--jobs has no effect with one test file, which has only a few vertices"),
    rule("run", "shard", When::Input(&[Kind::NoDirectory]), "--shard is for directories of test files"),
    rule("run", "seconds", When::Input(&[Kind::NoDirectory]), "--seconds is for directories of test files"),
    rule("run", "resume", When::Input(&[Kind::NoDirectory]), "--resume is for directories of test files"),
    rule("run", "summary", When::Input(&[Kind::NoDirectory]), "--summary is for directories of test files"),
    rule("run", "backend", When::Input(&[Kind::Test]), "--backend has no effect with a test file, which runs on every backend"),
    rule("run", "target", When::Input(&[Kind::Test]), "--target has no effect with a test file, which runs on every backend"),
    rule("run", "target", When::IsNot("backend", &["jit", "lockstep"]), "--target is for native code, which this --backend does not use"),
    rule("run", "vertex-format", When::Input(NO_PROGRAM), "--vertex-format has no effect without --vertices"),
    rule("run", "map", When::Input(NO_PROGRAM), "--map has no effect without --vertices"),
    rule("run", "layout", When::Input(NO_PROGRAM), "--layout has no effect without --vertices"),
    rule("run", "count", When::Input(NO_PROGRAM), "--count has no effect without --vertices"),
    rule("run", "byte-order", When::Input(NO_PROGRAM), "--byte-order has no effect without --program and --vertices"),
    rule("run", "start", When::Input(&[Kind::Test]), "--start has no effect with a test file, whose program sets its start itself"),
    rule("run", "slot-limit", When::Input(&[Kind::Test]), "--slot-limit has no effect with a test file, which says how much its vertices may execute"),
    rule("run", "overtime", When::Input(&[Kind::Test]), "--overtime has no effect with a test file, which has only a few vertices"),
    rule("run", "slot-limit", When::Input(&[Kind::Flipper]), "--slot-limit has no effect with a Flipper stream, which has no programs"),
    rule("run", "overtime", When::Input(&[Kind::Flipper]), "--overtime has no effect with a Flipper stream, which has no programs"),
    rule("prof", "slot-limit", When::Input(&[Kind::Flipper]), "--slot-limit has no effect with a Flipper stream, which has no programs"),
    rule("prof", "overtime", When::Input(&[Kind::Flipper]), "--overtime has no effect with a Flipper stream, which has no programs"),
    rule("run", "hex", When::Input(&[Kind::Test]), "--hex has no effect with a test file, which prints no numbers"),
    rule("run", "verbose", When::Input(&[Kind::Test]), "--verbose has no effect with a test file"),
    Rule { values: &["json", "csv"], ..rule("run", "format", When::Input(&[Kind::OneTest]), "--format has no effect with a test file, whose result is one line of text") },
    rule("run", "gen", When::Input(&[Kind::Trace]), "--gen has no effect with --trace: the stream names its chip"),
    rule("run", "start", When::Input(&[Kind::Trace]), "--start has no effect with --trace: the stream says where programs start"),
    rule("run", "gen", When::Input(&[Kind::Flipper]), "--gen has no effect with a Flipper stream, which names its chip"),
    rule("run", "start", When::Input(&[Kind::Flipper]), "--start has no effect with a Flipper stream, which has no programs"),
    rule("run", "model", When::Input(&[Kind::Flipper]), "--model has no effect with a Flipper stream, whose arithmetic is IEEE's; --dialect selects the behaviour where sources differ"),
    rule("run", "gen", When::Input(&[Kind::Calls]), "--gen has no effect with a capture of calls, whose programs name their chips"),
    rule("run", "start", When::Input(&[Kind::Calls]), "--start has no effect with a capture of calls, whose programs say where they start"),
    rule("run", "model", When::Input(&[Kind::Calls]), CALLS_MODEL),
    rule("run", "option", When::Input(&[Kind::Calls]), "--option has no effect with a capture of calls, whose programs include their configurations"),
    rule("run", "dialect", When::Input(&[Kind::Calls]), "--dialect is for Flipper streams; --trace holds calls of programs"),
    rule("run", "quirk", When::Input(&[Kind::Calls]), "--quirk is for Flipper streams; --trace holds calls of programs"),
    rule("prof", "model", When::Input(&[Kind::Calls]), CALLS_MODEL),
    rule("run", "dialect", When::Input(&[Kind::Trace]), "--dialect is for Flipper streams; --trace is for another chip"),
    rule("run", "quirk", When::Input(&[Kind::Trace]), "--quirk is for Flipper streams; --trace is for another chip"),
    rule("run", "start", When::Input(TEXT), START),
    rule("run", "draw", When::Input(&[Kind::Trace, Kind::Calls]), "--draw with --trace is for Flipper recordings: the commands of other chips do not say which primitives the vertices form"),
    rule("run", "obj", When::Input(&[Kind::Trace, Kind::Calls]), "--obj with --trace is for Flipper recordings: the commands of other chips do not say which primitives the vertices form"),
    rule("run", "size", When::Input(&[Kind::Test]), "--size has no effect without --draw, which is for --program and --trace"),
    rule("run", "view", When::Input(&[Kind::Test]), "--view has no effect without --draw, which is for --program and --trace"),
    rule("run", "frame", When::Input(&[Kind::Test, Kind::Trace, Kind::Calls, Kind::Mesh, Kind::Table, Kind::RawVertices]), "--frame is for recordings for Dolphin's FIFO player; only they have frames"),
    rule("run", "hex", When::Is("format", &["json"]), "--hex has no effect with --format json, which always includes the bits"),
    rule("run", "report", When::IsNot("backend", &["lockstep"]), "--report needs --backend lockstep"),
    rule("run", "layout", When::Input(&[Kind::Mesh, Kind::Table]), "--layout is for raw vertices; use --map for a mesh; a table names its own columns"),
    rule("run", "map", When::Input(&[Kind::Table, Kind::RawVertices]), "--map is for meshes; a table names its own columns, and --layout describes raw vertices"),
    rule("run", "byte-order", When::Input(&[Kind::NothingRaw]), "--byte-order is for raw words; neither --program nor --vertices holds any"),
    Rule { values: &["json", "csv"], ..rule("run", "format", When::With("draw"), "--format has no effect with --draw, which prints nothing") },
    Rule { values: &["json", "csv"], ..rule("run", "format", When::With("obj"), "--format has no effect with --obj, which prints nothing") },
    rule("vectors", "target", When::IsNot("backend", &["all", "jit", "lockstep"]), "--target is for native code, which this --backend does not use"),
    Rule { values: &["json", "csv"], ..rule("bench", "format", When::With("from"), "--format has no effect with --from, which prints nothing") },
    rule("bench", "json", When::Is("format", &["csv"]), "--json means --format json, so it cannot go with --format csv"),
    rule("diff", "gen", When::With("fixed"), "--gen has no effect with --fixed, which names the family"),
    rule("coverage", "missing", When::Is("format", &["json", "csv"]), "--missing has no effect with this --format, which lists every row"),
    rule("demo", "out", When::With("no-picture"), "--out has no effect with --no-picture"),
];

/// The options of a command line.
#[derive(Clone, Debug, Default)]
pub struct Given {
    command: String,
    /// By long name: whether it was written, and its values.
    options: BTreeMap<String, (bool, Vec<String>)>,
}

impl Given {
    /// What `matches` of `command` hold.
    pub fn of(command: &Command, matches: &ArgMatches) -> Given {
        let Some((name, values)) = matches.subcommand() else { return Given::default() };
        let mut command = command.clone();
        command.build();
        let mut given = Given { command: name.to_owned(), ..Given::default() };
        for argument in command.find_subcommand(name).into_iter().flat_map(Command::get_arguments) {
            let (Some(long), id) = (argument.get_long(), argument.get_id().as_str()) else { continue };
            if let Ok(raw) = values.try_get_raw(id) {
                let raw = raw.into_iter().flatten().map(|value| value.to_string_lossy().into_owned());
                let is_written = values.value_source(id) == Some(ValueSource::CommandLine);
                given.options.insert(long.to_owned(), (is_written, raw.collect()));
            }
        }
        given
    }

    /// Whether an option was written.
    pub fn has(&self, option: &str) -> bool {
        self.options.get(option).is_some_and(|(is_written, _)| *is_written)
    }

    fn has_value(&self, option: &str, values: &[&str]) -> bool {
        let given = self.options.get(option);
        given.is_some_and(|(_, given)| given.iter().any(|value| values.contains(&value.as_str())))
    }

    /// Refuses options that exclude each other.
    pub fn check(&self) -> Result<(), Failure> {
        self.refuse(|when| match when {
            When::Always => true,
            When::With(option) => self.has(option),
            When::Is(option, values) => self.has_value(option, values),
            When::IsNot(option, values) => !self.has_value(option, values),
            When::Input(_) => false,
        })
    }

    /// Refuses options that do nothing with an input.
    pub fn input(&self, kind: Kind) -> Result<(), Failure> {
        self.refuse(|when| matches!(when, When::Input(kinds) if kinds.contains(&kind)))
    }

    fn refuse(&self, holds: impl Fn(When) -> bool) -> Result<(), Failure> {
        let applies = |rule: &&Rule| {
            rule.command == self.command
                && self.has(rule.option)
                && (rule.values.is_empty() || self.has_value(rule.option, rule.values))
                && !rule.unless.is_some_and(|option| self.has(option))
                && holds(rule.when)
        };
        match RULES.iter().find(applies) {
            Some(rule) => Err(Failure::Usage(rule.message.to_owned())),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Cli;
    use clap::CommandFactory;

    #[test]
    fn rules_are_about_options_that_exist_and_name_them() {
        let mut command = Cli::command();
        command.build();
        let has = |name: &str, option: &str| {
            let options = command.find_subcommand(name).into_iter().flat_map(Command::get_arguments);
            options.filter_map(clap::Arg::get_long).any(|long| long == option)
        };
        for rule in RULES {
            assert!(rule.message.contains(&format!("--{}", rule.option)), "{}", rule.message);
            let other = match rule.when {
                When::With(option) | When::Is(option, _) | When::IsNot(option, _) => Some(option),
                When::Always | When::Input(_) => None,
            };
            for option in [Some(rule.option), other, rule.unless].into_iter().flatten() {
                assert!(has(rule.command, option), "{} --{option}", rule.command);
            }
            if let Some(other) = other {
                assert!(rule.message.contains(&format!("--{other}")), "{}", rule.message);
            }
        }
    }
}
