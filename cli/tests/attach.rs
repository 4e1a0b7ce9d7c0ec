//! `xfjit prof --attach` on a process of its own, of which is known what it has done.
#![cfg(unix)]

use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};
use xfjit::attach::layout::{self, header};
use xfjit::runtime::batch::{Attribute, Inputs, Outputs};
use xfjit::runtime::constants::Constants;
use xfjit::{Config, Engine, Generation, Options, Worker, asm};

/// The programs of the host: one instruction, some that raise guards at NaNs, and many.
fn programs() -> [String; 3] {
    let many: Vec<String> =
        (0..40).map(|n| format!("MAD r{}, v0, c[{n}], r{}", n % 8, (n + 7) % 8)).collect();
    [
        "MOV oPos, v0".to_owned(),
        "DP4 r0, v0, c[1]\nRSQ r1, r0.x\nMUL oPos, v0, r1.x".to_owned(),
        format!("{}\nADD oPos, r0, r1", many.join("\n")),
    ]
}

/// The host: for each line that it reads, `PROGRAM BATCHES VERTICES NANS`, it runs a program, and says so. It ends behind the last line.
#[test]
#[ignore = "is started by the others, as a process of its own"]
fn host() {
    let engine = Engine::new(Options::default());
    let programs = programs().map(|text| {
        let program = asm::parse(Generation::Kelvin, &text).expect("it parses");
        engine.decoded(program, &Config::new(Generation::Kelvin).live_outputs(1))
    });
    programs[2].set_label("the dear one").expect("a label");
    let (mut worker, rows) = (Worker::new(), vec![[0x3f80_0000; 4]; 192]);
    println!("ready");
    for line in std::io::stdin().lines().map_while(Result::ok) {
        let numbers: Vec<usize> = line.split(' ').map(|word| word.parse().expect("a number")).collect();
        let [program, batches, vertices, nans] = numbers[..] else { panic!("{line}") };
        let mut given = vec![[0x3f80_0000; 4]; vertices];
        given.iter_mut().take(nans).for_each(|row| *row = [0x7fc0_0000; 4]);
        let mut words = vec![0; 4 * vertices];
        for _ in 0..batches {
            let inputs = Inputs::new(vertices).with(0, Attribute::rows(&given));
            let outputs = Outputs::interleaved(&mut words, &[0]);
            programs[program]
                .run_on(&mut worker, &mut Constants::read_only(&rows), &inputs, &outputs)
                .expect("it runs");
        }
        println!("done");
    }
}

/// A directory of a test's own, emptied.
fn directory(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("attach-{name}"));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("a directory for the test");
    path
}

struct Host {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    directory: PathBuf,
}

impl Host {
    fn start(directory: PathBuf) -> Host {
        let mut child = Command::new(std::env::current_exe().expect("this test"))
            .args(["host", "--exact", "--ignored", "--nocapture"])
            .env("XFJIT_ATTACH", "1")
            .env("XFJIT_ATTACH_DIR", &directory)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().expect("it is piped")));
        let mut host = Host { child, input, output, directory };
        host.wait_for("ready");
        host
    }

    /// Reads lines up to one.
    fn wait_for(&mut self, wanted: &str) {
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).expect("it can be read") > 0, "the host has ended");
            // What runs tests begins the line.
            if line.trim_end().ends_with(wanted) {
                return;
            }
        }
    }

    fn run(&mut self, program: usize, batches: usize, vertices: usize, nans: usize) {
        let input = self.input.as_mut().expect("it lives");
        writeln!(input, "{program} {batches} {vertices} {nans}").expect("it reads");
        self.wait_for("done");
    }

    fn end(&mut self) {
        self.input = None;
        assert!(self.child.wait().expect("it ends").success());
    }

    fn file(&self) -> PathBuf {
        self.directory.join(format!("xfjit-{}.attach", self.child.id()))
    }

    /// Attaches to the host; returns when that is done.
    fn attach(&self, arguments: &[&str]) -> Reader {
        let mut child = Command::new(env!("CARGO_BIN_EXE_xfjit"))
            .args(["prof", "--attach", &self.child.id().to_string(), "--format", "json"])
            .args(arguments)
            .env("XFJIT_ATTACH_DIR", &self.directory)
            .current_dir(&self.directory)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut errors = BufReader::new(child.stderr.take().expect("it is piped"));
        let mut line = String::new();
        errors.read_line(&mut line).expect("it can be read");
        assert!(line.starts_with("attached to "), "{line}");
        Reader { child, errors }
    }
}

struct Reader {
    child: Child,
    errors: BufReader<std::process::ChildStderr>,
}

impl Reader {
    /// What it reports in the end, and what it says beside that.
    fn end(mut self) -> (Value, String) {
        let mut errors = String::new();
        std::io::Read::read_to_string(&mut self.errors, &mut errors).expect("it can be read");
        let output = self.child.wait_with_output().expect("it ends");
        assert!(output.status.success(), "{errors}");
        (serde_json::from_slice(&output.stdout).expect("JSON"), errors)
    }
}

/// Batches, vertices and vertices that ran again of each program with its slots, in the order of the report.
fn counts(report: &Value) -> Vec<(f64, f64, f64)> {
    let number = |value: &Value| value.as_f64().expect("a number");
    let programs = report["programs"].as_array().expect("programs").iter();
    programs
        .map(|p| (number(&p["batches"]), number(&p["vertices"]), number(&p["guarded_vertices"])))
        .collect()
}

#[test]
fn what_a_process_does_is_reported() {
    let mut host = Host::start(directory("whole"));
    host.run(0, 3, 2, 0);
    host.run(1, 5, 16, 4);
    host.run(2, 10, 64_000, 0);
    // One sees all of it, the other what comes after.
    let whole = host.attach(&[
        "--whole",
        "--out",
        "page.html",
        "--pprof",
        "p.pb",
        "--perfetto",
        "p.json",
        "--folded",
        "f.txt",
        "--speedscope",
        "s.json",
    ]);
    let since = host.attach(&[]);
    host.run(1, 2, 16, 1);
    host.run(0, 1, 3, 0);
    let directory = host.directory.clone();
    host.end();
    let (report, errors) = whole.end();
    assert!(errors.contains("vertices/s"), "{errors}");
    // That of 41 instructions and 640,000 vertices is dearest by far.
    let programs = report["programs"].as_array().expect("programs");
    assert_eq!(programs[0]["label"], "the dear one");
    assert!(programs[0]["share"].as_f64().is_some_and(|share| share > 0.9), "{report}");
    let mut all = counts(&report);
    assert_eq!(all.remove(0), (10.0, 640_000.0, 0.0));
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let is_native = programs
        .iter()
        .all(|program| program["tier"].as_str().is_some_and(|tier| tier.starts_with("native")));
    let guarded = if is_native { 22.0 } else { 0.0 };
    assert_eq!(all, [(4.0, 9.0, 0.0), (7.0, 112.0, guarded)], "{report}");
    let attached = &report["attached"];
    assert_eq!(
        (&attached["lost"], &attached["damaged"], &attached["has_ended"]),
        (&0.into(), &0.into(), &true.into())
    );
    // Made, compiled if there is native code, and looked at after the first batch with guards.
    let records = 21 + 3 + if is_native { 3 + 1 } else { 0 };
    assert!(attached["records"].as_u64().is_some_and(|read| read >= records), "{attached}");
    let dear = &programs[0]["slots"];
    assert_eq!(dear.as_array().map(Vec::len), Some(41));
    if is_native {
        let guarded =
            programs.iter().find(|program| program["guarded"].as_f64() > Some(0.0)).expect("it is there");
        let text = guarded["guards"][0]["text"].as_str().expect("a text");
        assert!(text.contains("a NaN in v0.x"), "{text}");
    }
    // The other outputs have the same batches.
    let trace: Value =
        serde_json::from_slice(&std::fs::read(directory.join("p.json")).expect("it is written"))
            .expect("JSON");
    let events = trace["traceEvents"].as_array().expect("events");
    let batches: Vec<&Value> =
        events.iter().filter(|event| event["ph"] == "X" && event["cat"] == "program").collect();
    assert_eq!(batches.len(), 21);
    assert_eq!(
        batches.iter().map(|batch| batch["args"]["vertices"].as_u64().expect("a number")).sum::<u64>(),
        640_121
    );
    assert_eq!(
        events
            .iter()
            .filter(|event| event["ph"] == "i"
                && event["name"].as_str().is_some_and(|name| name.ends_with("first batch")))
            .count(),
        3
    );
    let page = std::fs::read_to_string(directory.join("page.html")).expect("it is written");
    assert!(page.contains("the dear one") && page.contains("\"attached\""));
    for file in ["p.pb", "f.txt", "s.json"] {
        assert!(std::fs::metadata(directory.join(file)).expect("it is written").len() > 0, "{file}");
    }
    let folded = std::fs::read_to_string(directory.join("f.txt")).expect("text");
    assert!(
        folded.lines().any(|line| line.contains("the dear one") && line.contains("slot 20 ")),
        "{folded}"
    );
    let (report, _) = since.end();
    let mut all = counts(&report);
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    assert_eq!(all, [(1.0, 3.0, 0.0), (2.0, 32.0, guarded / 11.0)]);
}

#[test]
fn lost_records_are_reported_and_totals_are_whole() {
    let mut host = Host::start(directory("lost"));
    let batches = layout::MOST_RECORDS + 1000;
    host.run(0, batches, 1, 0);
    let reader = host.attach(&["--whole", "--seconds", "1000000"]);
    host.end();
    let (report, errors) = reader.end();
    assert_eq!(counts(&report), [(batches as f64, batches as f64, 0.0)]);
    let lost = report["attached"]["lost"].as_u64().expect("a number");
    assert!(lost >= 1000, "{lost}");
    assert!(errors.contains(&format!("{lost} records were overwritten")), "{errors}");
    let read = report["attached"]["records"].as_u64().expect("a number");
    assert_eq!(read, layout::MOST_RECORDS as u64);
}

/// A process that is killed says nothing any more.
#[test]
fn a_process_that_vanishes_ends_the_report() {
    let mut host = Host::start(directory("killed"));
    host.run(0, 3, 2, 0);
    let reader = host.attach(&["--whole"]);
    host.child.kill().expect("it lives");
    host.child.wait().expect("it ends");
    let (report, _) = reader.end();
    assert_eq!(counts(&report), [(3.0, 6.0, 0.0)]);
    assert_eq!(report["attached"]["has_ended"], true);
    // Its file is still there, and can be read as it is.
    let output = attach(&host.directory, &host.file().display().to_string());
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("it has ended"), "{text}");
}

fn attach(directory: &Path, wanted: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xfjit"));
    command.args(["prof", "--attach", wanted, "--seconds", "1"]).env("XFJIT_ATTACH_DIR", directory);
    command.output().expect("it runs")
}

#[test]
fn what_is_there_is_listed() {
    let host = Host::start(directory("listed"));
    let process = host.child.id().to_string();
    for wanted in ["1", "no-such-emulator", "99999999999999999999"] {
        let output = attach(&host.directory, wanted);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(3), "{message}");
        assert!(message.contains(&format!("there are {process} (attach-")), "{message}");
        assert!(message.contains("XFJIT_ATTACH=1"), "{message}");
    }
    let name = std::env::current_exe().expect("this test");
    let output = attach(&host.directory, &name.file_name().expect("a name").to_string_lossy());
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("No program has run while the process was watched."), "{text}");
    let nowhere = attach(&host.directory.join("absent"), "1");
    assert_eq!(nowhere.status.code(), Some(3), "{nowhere:?}");
    drop(host);
}

/// Whatever a file holds, the command says what is wrong with it, or what it holds.
#[test]
fn hostile_files_are_told_apart_from_others() {
    let directory = directory("hostile");
    let sound = {
        let mut host = Host::start(directory.clone());
        host.run(0, 3, 2, 0);
        host.run(1, 3, 16, 4);
        let bytes = std::fs::read(host.file()).expect("it is there");
        host.end();
        bytes
    };
    let file = directory.join("hostile.attach");
    let run = |bytes: &[u8]| {
        std::fs::write(&file, bytes).expect("a file for the test");
        let output = attach(&directory, &file.display().to_string());
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(matches!(output.status.code(), Some(0 | 3)), "{message}");
        assert!(!message.contains("panicked"), "{message}");
        (output.status.code(), message)
    };
    assert_eq!(run(&sound).0, Some(0));
    for (bytes, what) in [
        (&b""[..], "has 0 bytes"),
        (&b"anything else, but no file of this kind"[..], "is not a file"),
        (&sound[..sound.len() / 2], "bytes, not"),
    ] {
        let (code, message) = run(bytes);
        assert_eq!(code, Some(3));
        assert!(message.contains(what), "{message}");
    }
    let with = |at: usize, word: u64| {
        let mut bytes = sound.clone();
        bytes[8 * at..][..8].copy_from_slice(&word.to_ne_bytes());
        bytes
    };
    for (version, which) in [(0, "an earlier"), (9, "a later")] {
        let (code, message) = run(&with(header::VERSION.at, version));
        assert_eq!(code, Some(3));
        assert!(message.contains(&format!("the layout {version} of {which} xfjit")), "{message}");
    }
    for (_, field, _) in header::ALL {
        run(&with(field.at, u64::MAX));
        run(&with(field.at, 0x4142_4344_1b5b_324a));
    }
    // An entry of which all is wrong but that it is there, and records that are all alike.
    let mut bytes = sound.clone();
    let entry = layout::entry(0);
    bytes[8 * (entry + 2)..8 * (entry + layout::PROGRAM_WORDS)].fill(0xff);
    run(&bytes);
    let mut bytes = sound;
    bytes[8 * layout::RECORDS + 8..8 * layout::TEXTS].fill(0x1b);
    let (_, message) = run(&bytes);
    assert!(!message.contains('\u{1b}'), "{message:?}");
}
