use super::*;
use crate::args::{Campaign, Cli, Color, Command, Extent, Format};
use crate::campaign::{Record, Shard};
use crate::conflicts::Given;
use clap::Parser;
use std::path::{Path, PathBuf};
use xfjit::backend::{Interp, Runs};
use xfjit::shader::Shader;
use xfjit_core::backend::{CompileError, Routine};
use xfjit_isa::isa::op::VecOp;
use xfjit_testing::Mistaken;
use xfjit_testing::filetest::{Bless, CheckFileTest, FileTest, check_text};

/// Takes MAX for MIN, the fixed function without what it normalises, Flipper's coordinates once instead of twice.
const MISTAKEN: Mistaken = Mistaken {
    insn: |insn| {
        if insn.vec == VecOp::Max {
            insn.vec = VecOp::Min;
        }
    },
    fixed: |setup| setup.mode.set(xfjit::chip::mode::Name::Normalize, 0),
    flipper: |setup| setup.transform.dual = false,
};

fn global() -> Global {
    Global { format: Format::Text, color: Color::Never, quiet: true, given: Given::default() }
}

fn directory(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("xfjit-diff-{name}-{}", std::process::id()));
    _ = std::fs::remove_dir_all(&path);
    path
}

fn campaign(jobs: u16, extent: Extent) -> Campaign {
    Campaign { jobs, extent }
}

/// The options of a line.
fn options(line: &str) -> Diff {
    let cli = Cli::try_parse_from(["xfjit", "diff"].into_iter().chain(line.split_whitespace())).unwrap();
    let Command::Diff(args) = cli.command else { panic!("{line}") };
    args
}

/// What comes of comparing a backend with the reference.
fn record<K: Kind>(kind: K, backend: Arc<dyn Backend>, args: &Diff, campaign: &Campaign) -> Record {
    let comparison = Comparison::new(kind, &[Arc::new(Interp::Single), backend], args.seed);
    let words = Words { doing: "", units: "", differing: "", shown: 0 };
    let options = (campaign, args.findings.as_deref());
    campaign::conduct(&comparison, Question::new("diff", []), args.programs, &words, options, &global())
        .unwrap()
}

/// The record of a line, whichever kind it is of.
fn of_line(args: &Diff, campaign: &Campaign) -> Record {
    let mistaken = || Arc::new(MISTAKEN);
    match (args.fixed.as_deref().and_then(Pipeline::from_name), args.flipper) {
        (Some(pipeline), _) => record(fixed::Fixed::new(args, pipeline.family()), mistaken(), args, campaign),
        (None, true) => record(flipper::Flipper::new(args), mistaken(), args, campaign),
        (None, false) => record(programs::Programs::new(args), mistaken(), args, campaign),
    }
}

const LINES: [&str; 3] = [
    "--gen curie --programs 40 --vertices 9",
    "--fixed kelvin --programs 16 --vertices 5",
    "--flipper --programs 16 --vertices 5",
];

#[test]
fn threads_parts_and_interruptions_cannot_be_seen() {
    let directory = directory("same");
    std::fs::create_dir_all(&directory).unwrap();
    for line in LINES {
        let args = options(line);
        let whole = of_line(&args, &campaign(1, Extent::default()));
        assert!(whole.failed > 1 && !whole.findings.is_empty(), "{line}: {whole:?}");
        let threads = of_line(&args, &campaign(3, Extent::default()));
        assert_eq!(threads, whole, "{line}");

        let part = |of: &str| {
            of_line(&args, &campaign(2, Extent { shard: Shard::parse(of).unwrap(), ..Extent::default() }))
        };
        let mut sum = part("1/3");
        sum.add(part("2/3")).unwrap();
        sum.add(part("3/3")).unwrap();
        let sum = sum.joined();
        assert_eq!(sum, whole, "{line}");

        let file = directory.join("record.json");
        _ = std::fs::remove_file(&file);
        let campaign = campaign(2, Extent { resume: Some(file), ..Extent::default() });
        of_line(&Diff { programs: Some(7), ..options(line) }, &campaign);
        assert_eq!(of_line(&args, &campaign), whole, "{line}");
    }
    std::fs::remove_dir_all(directory).unwrap();
}

/// The texts of a directory, by their names.
fn texts(directory: &Path) -> Vec<(String, String)> {
    let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap());
    let text = |entry: std::fs::DirEntry| {
        (entry.file_name().into_string().unwrap(), std::fs::read_to_string(entry.path()).unwrap())
    };
    let mut texts: Vec<_> = entries.map(text).collect();
    texts.sort();
    texts
}

#[test]
fn findings_are_tests_of_ten_lines_at_most() {
    for line in LINES {
        let directory = directory("found");
        let args = Diff { findings: Some(directory.clone()), ..options(line) };
        let record = of_line(&args, &campaign(2, Extent::default()));
        let texts = texts(&directory);
        assert_eq!(texts.len(), record.findings.len(), "{line}");
        for (name, text) in texts {
            assert!(text.lines().count() <= 10, "{name}:\n{text}");
            if name.ends_with(".xf") {
                assert_eq!(check_text(&text, Bless::No), Ok(None), "{name}:\n{text}");
                let test: FileTest = text.parse().unwrap();
                assert!(test.check_runs(&MISTAKEN, test.models[0]).is_err(), "{name}:\n{text}");
            }
        }
        // What it says finds it again, and nothing else.
        let command = record.findings[0].reproduce.clone().unwrap();
        let again = options(command.strip_prefix("xfjit diff ").unwrap());
        assert_eq!(of_line(&again, &campaign(1, Extent::default())).differences, 1, "{command}");
        std::fs::remove_dir_all(directory).unwrap();
    }
}

/// Panics in every program that has a MAX.
#[derive(Debug)]
struct Panics;

impl Backend for Panics {
    fn name(&self) -> &'static str {
        "panics"
    }

    fn runs(&self) -> Runs {
        Runs::Instructions
    }

    fn prepare(&self, shader: &Shader) -> Result<Arc<dyn Routine>, CompileError> {
        let made_of = shader.made_of::<xfjit_core::front::Microcode>();
        let has_max =
            made_of.is_some_and(|made_of| made_of.program.insns.iter().any(|insn| insn.vec == VecOp::Max));
        assert!(!has_max, "this one is not known");
        Interp::Batched.prepare(shader)
    }
}

#[test]
fn a_panic_is_a_finding_and_not_the_end() {
    let args = options("--gen kelvin --model hw --programs 30 --vertices 3");
    let record =
        record(programs::Programs::new(&args), Arc::new(Panics), &args, &campaign(2, Extent::default()));
    let (compared, panicked) =
        (record.counts.of("hw", "panics", "compared"), record.counts.of("hw", "panics", "mismatches"));
    assert_eq!((record.units(), compared), (30, 30));
    assert!((1..30).contains(&panicked), "{panicked}");
    assert!(
        record.findings[0].what[0].ends_with("panics: panicked: this one is not known"),
        "{:?}",
        record.findings[0]
    );
}

#[test]
fn a_question_names_the_generator_of_its_cases() {
    let digest = |line: &str| {
        let args = options(line);
        Comparison::new(programs::Programs::new(&args), &[Arc::new(Interp::Single)], args.seed).digest()
    };
    assert_eq!(digest("--gen kelvin --jobs 4"), digest("--gen kelvin"));
    assert_ne!(digest("--gen curie"), digest("--gen kelvin"));
    assert_ne!(digest("--seed 2"), digest("--seed 1"));
}
