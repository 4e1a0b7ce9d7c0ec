//! The kit for consoles from end to end: the devices of the library are the console. Under each hypothesis in turn a device takes the bytes that `kit
//! build` has written, what it leaves is read through the door that a console has, and `kit judge` finds the hypothesis.

mod xbox;

use serde_json::Value;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use xbox::Xbox;
use xfjit::backend::Interp;
use xfjit::chip::{Chip, flipper::output};
use xfjit::config::{FixedQuirks, FlipperQuirks, QuirkSet};
use xfjit::flipper::dff::{Played, Player, Recording};
use xfjit::flipper::{self, Budget, FlipperUnit, Quirks};
use xfjit::repro::options;
use xfjit::xf::methods::Methods;
use xfjit::xf::trace::Reply;
use xfjit::xf::{self, Command as XfCommand, Type, XfUnit};
use xfjit::{Config, Engine, Generation, Model, Options};

/// A directory of a test's own, emptied.
fn directory(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("kit-{name}"));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("a directory for the test");
    path
}

fn xfjit(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_xfjit")).args(arguments).output().expect("the command runs")
}

/// What a command prints as JSON; it may end with this code.
fn json(arguments: &[&str], code: i32) -> Value {
    let output = xfjit(&[arguments, &["--format", "json"]].concat());
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {errors}");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

/// The experiments of a console, as `kit list` has them.
fn experiments(console: &str) -> Vec<Value> {
    let listed = json(&["kit", "list", "--console", console], 0);
    list(&listed["experiments"]).to_vec()
}

/// Builds the files of a console.
fn build(console: &str, test: &str) -> PathBuf {
    let out = directory(test);
    let output =
        xfjit(&["kit", "build", "--console", console, "--out", &out.display().to_string(), "--quiet"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    out
}

fn read(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// What the form of a console asks for, by experiment.
fn readings(directory: &Path, experiment: &str) -> Vec<String> {
    let form = String::from_utf8(read(&directory.join("results.txt"))).expect("text");
    let lines = form.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    let mut lines = lines.skip_while(|line| *line != format!("experiment {experiment}")).skip(1);
    let own = lines.by_ref().take_while(|line| !line.is_empty() && !line.starts_with("experiment"));
    own.map(|line| line.trim_end_matches([' ', '?']).to_owned()).collect()
}

fn engine() -> Arc<Engine> {
    Arc::new(Engine::new(Options::default().with(|options| options.backend = Arc::new(Interp::Batched))))
}

/// The configuration of a device under a hypothesis.
fn config(hypothesis: &Value, generation: Generation) -> Config {
    let model = if hypothesis["model"] == "hw" { Model::Hw } else { Model::Ieee };
    let mut config = Config::new(generation).model(model);
    let (option, value) = (text(&hypothesis["option"]), text(&hypothesis["value"]));
    if option != "model" && FixedQuirks::row(option).is_none() {
        options::set(&mut config, &[option, value]).expect("an option");
    }
    config
}

/// A push buffer as methods and their values, read as a graphics unit fetches it.
fn methods(bytes: &[u8], word: fn([u8; 4]) -> u32) -> Vec<(u32, u32)> {
    let (words, rest) = bytes.as_chunks();
    assert!(rest.is_empty());
    of_words(words.iter().map(|&bytes| word(bytes)))
}

fn of_words(mut words: impl Iterator<Item = u32>) -> Vec<(u32, u32)> {
    let mut methods = Vec::new();
    while let Some(header) = words.next() {
        assert_eq!(header & 0xe003_e003, 0, "a header that increments, of subchannel 0: {header:08x}");
        for at in 0..header >> 18 & 0x7ff {
            methods.push(((header & 0x1ffc) + 4 * at, words.next().expect("a value")));
        }
    }
    methods
}

/// The words of a reading.
fn line(reading: &str, words: &[u32]) -> String {
    let digits = if reading.starts_with("c[") { 8 } else { 6 };
    let words: Vec<String> = words.iter().map(|word| format!("{word:0digits$x}")).collect();
    format!("{reading} {}\n", words.join(" "))
}

/// Lets `kit judge` judge results that hold a run for each hypothesis of each experiment, in their order: the hypothesis of each must survive, and no
/// other but those that predict the same words.
fn judge(console: &str, experiments: &[Value], results: &str, directory: &Path) {
    let file = directory.join("seen.txt");
    std::fs::write(&file, results).expect("a file for the test");
    let judged = json(&["kit", "judge", &file.display().to_string()], 0);
    assert_eq!(text(&judged["console"]), console);
    let mut runs = list(&judged["runs"]).iter();
    for experiment in experiments {
        let name = text(&experiment["name"]);
        let shown = json(&["kit", "show", name], 0);
        let predictions = list(&shown["predictions"]);
        for (at, prediction) in predictions.iter().enumerate() {
            let run = runs.next().expect("a run for each hypothesis");
            assert_eq!((text(&run["experiment"]), &run["run"]), (name, &Value::from(at + 1)));
            let survivors: Vec<&str> = list(&run["verdicts"])
                .iter()
                .filter(|verdict| verdict["survives"] == true)
                .map(|verdict| text(&verdict["hypothesis"]))
                .collect();
            let expected: Vec<&str> = predictions
                .iter()
                .filter(|other| other["words"] == prediction["words"])
                .map(|other| text(&other["hypothesis"]))
                .collect();
            assert!(expected.contains(&text(&prediction["hypothesis"])));
            assert_eq!(survivors, expected, "{name}, run {}: {run}", at + 1);
        }
    }
    assert!(runs.next().is_none());
}

#[test]
fn an_xbox_answers_through_push_buffers_and_rdi() {
    let out = build("nv2a", "nv2a");
    let experiments = experiments("nv2a");
    let mut results = "xfjit-kit-results 1\nconsole nv2a\n".to_owned();
    for experiment in &experiments {
        let name = text(&experiment["name"]);
        let buffer = methods(&read(&out.join(format!("{name}.push"))), u32::from_le_bytes);
        for hypothesis in list(&experiment["hypotheses"]) {
            let mut xbox = Xbox::new(hypothesis);
            buffer.iter().for_each(|&(method, value)| xbox.method(method, value));
            let _ = writeln!(results, "experiment {name}");
            let points = xbox.points();
            for reading in readings(&out, name) {
                if let Some(at) = reading.strip_prefix("pixel ") {
                    let at: usize = at.parse().expect("a number");
                    assert_eq!(points[at].0, [8.5 + 16.0 * at as f32, 8.5], "{name}");
                    results += &line(&reading, &[points[at].1]);
                    continue;
                }
                let row = reading.trim_matches(['c', '[', ']']).parse::<u32>().expect("a row");
                let words = [12, 8, 4, 0].map(|at| xbox.rdi(0x17_0000 + 16 * row + at));
                results += &line(&reading, &words);
            }
        }
    }
    judge("nv2a", &experiments, &results, &out);
}

/// Compiles the C file as nxdk would, but against functions of the test; with those that draw, or without.
fn compile(out: &Path, draws: bool) -> Option<PathBuf> {
    let kit = Path::new(env!("CARGO_MANIFEST_DIR"));
    let program = out.join("kit");
    let mut compiler = Command::new("cc");
    compiler.args(draws.then_some("-DXFJIT_KIT_DRAW"));
    compiler.args(["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-DXFJIT_KIT_HOST"]);
    compiler
        .arg("-I")
        .arg(kit.join("kit/nxdk"))
        .arg(out.join("xfjit_kit.c"))
        .arg(kit.join("tests/kit/mock.c"));
    match compiler.arg("-o").arg(&program).output() {
        Ok(made) => {
            assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
            Some(program)
        }
        Err(_) => {
            eprintln!("skipped: there is no C compiler");
            None
        }
    }
}

/// Runs the program on an Xbox; the words that pbkit was given.
fn run_program(program: &Path, out: &Path, xbox: &mut Xbox) -> Vec<u32> {
    let mut command = Command::new(program);
    command.current_dir(out).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("it runs");
    let mut answers = child.stdin.take().expect("a pipe");
    let (mut words, mut block, mut index) = (Vec::new(), Vec::new(), 0);
    let mut picture = Vec::new();
    for line in BufReader::new(child.stdout.take().expect("a pipe")).lines() {
        let line = line.expect("text");
        let (verb, rest) = line.split_once(' ').unwrap_or((&line, ""));
        let numbers: Vec<u32> =
            rest.split_whitespace().map(|digits| u32::from_str_radix(digits, 16).expect("a word")).collect();
        match (verb, &numbers[..]) {
            ("push", &[word]) => block.push(word),
            ("wait", []) => {
                words.extend(&block);
                let methods = of_words(block.drain(..));
                methods.into_iter().for_each(|(method, value)| xbox.method(method, value));
            }
            ("write", &[0x40_0750, value]) => index = value,
            ("read", &[0x40_0754]) => {
                // Only what nothing waits for can be read.
                assert!(block.is_empty());
                writeln!(answers, "{:x}", xbox.rdi(index)).expect("it waits");
                index += 4;
            }
            ("prepare", []) => picture.clear(),
            ("pixel", &[x, y]) => {
                assert!(block.is_empty());
                picture.extend(xbox.points());
                let is_there = |point: &&([f32; 2], u32)| point.0.map(|at| at as u32) == [x, y];
                writeln!(answers, "{:x}", picture.iter().find(is_there).expect("a point").1)
                    .expect("it waits");
            }
            _ => panic!("{line}"),
        }
    }
    assert!(child.wait().expect("it ends").success());
    words
}

#[test]
fn the_c_file_runs_on_an_xbox_and_writes_the_results_itself() {
    for draws in [false, true] {
        runs_itself(draws);
    }
}

fn runs_itself(draws: bool) {
    let out = build("nv2a", &format!("nxdk-{draws}"));
    let Some(program) = compile(&out, draws) else { return };
    let is_drawn = |it: &Value| readings(&out, text(&it["name"])).iter().any(|it| it.starts_with("pixel"));
    let mut experiments = experiments("nv2a");
    experiments.retain(|experiment| draws || !is_drawn(experiment));
    let buffers: Vec<u8> =
        experiments.iter().flat_map(|it| read(&out.join(format!("{}.push", text(&it["name"]))))).collect();
    let expected: Vec<u32> = buffers.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
    let most = experiments.iter().map(|it| list(&it["hypotheses"]).len()).max().expect("experiments");
    // In each round the Xbox has the next hypothesis about each question; here all of one option at a time.
    for at in 0..most {
        for asked in experiments.iter().filter(|it| list(&it["hypotheses"]).len() > at) {
            let hypothesis = &list(&asked["hypotheses"])[at];
            let mut xbox = Xbox::new(hypothesis);
            let words = run_program(&program, &out, &mut xbox);
            assert!(words == expected, "the file has the words of the push buffers");
            let judged = xfjit(&[
                "kit",
                "judge",
                &out.join("xfjit_kit.txt").display().to_string(),
                "--format",
                "json",
            ]);
            let judged: Value = serde_json::from_slice(&judged.stdout).expect("JSON");
            let run = list(&judged["runs"]).iter().find(|run| run["experiment"] == asked["name"]);
            let name = format!("{}={}", text(&hypothesis["option"]), text(&hypothesis["value"]));
            let verdicts = list(&run.expect("it was run")["verdicts"]);
            let own = verdicts.iter().find(|verdict| text(&verdict["hypothesis"]) == name);
            assert_eq!(own.expect("it was judged")["survives"], true, "{name}");
        }
    }
}

/// The methods of the primitive, and of attributes.
const BEGIN_END: u32 = 0x1808;
const ATTRIBUTE: u32 = 0x1c00;

#[test]
fn a_playstation_answers_in_the_colours_of_points() {
    let out = build("rsx", "rsx");
    let experiments = experiments("rsx");
    let mut results = "xfjit-kit-results 1\nconsole rsx\n".to_owned();
    for experiment in &experiments {
        let name = text(&experiment["name"]);
        let buffer = methods(&read(&out.join(format!("{name}.push"))), u32::from_be_bytes);
        let listed = String::from_utf8(read(&out.join(format!("{name}.methods")))).expect("text");
        let text_of = |(method, value): &(u32, u32)| format!("{method:04x} {value:08x}\n");
        assert_eq!(buffer.iter().map(text_of).collect::<String>(), listed, "{name}");
        for hypothesis in list(&experiment["hypotheses"]) {
            let config = config(hypothesis, Generation::Curie);
            let mut unit = XfUnit::new(engine(), Chip::Nv43).with_config(config);
            let points = points(&mut unit, &buffer);
            let _ = writeln!(results, "experiment {name}");
            for reading in readings(&out, name) {
                let at: usize = reading.strip_prefix("pixel ").expect("a pixel").parse().expect("a number");
                let ([x, y], colour) = points[at];
                assert_eq!([x, y], [8.5 + 16.0 * at as f32, 8.5], "{name}");
                results += &line(&reading, &[colour]);
            }
        }
    }
    judge("rsx", &experiments, &results, &out);
}

/// What a unit makes of methods: the places of points, and their colours.
fn points(unit: &mut XfUnit, buffer: &[(u32, u32)]) -> Vec<([f32; 2], u32)> {
    let mut methods = Methods::new(Chip::Nv43);
    let mut drawing = false;
    for &(method, value) in buffer {
        match method {
            BEGIN_END => {
                assert_eq!(drawing, value == 0, "points, and the end of them");
                drawing = value == 1;
            }
            ATTRIBUTE..0x1d00 => {
                assert!(drawing);
                let (slot, word) = (((method - ATTRIBUTE) / 16) as u16, (method / 4 % 4) as u8);
                unit.command(XfCommand::word(Type::Vab, slot, word, value));
                if (slot, word) == (0, 3) {
                    unit.vertex();
                }
            }
            _ => {
                let written =
                    methods.write(method, value, &mut |item| assert_eq!(unit.play(&item), Reply::None));
                written.unwrap_or_else(|error| panic!("{error}"));
            }
        }
    }
    let mut points = Vec::new();
    unit.drain(|left| {
        let xf::Output::Vertices(vertices) = left else { panic!("{left:?}") };
        points.extend((0..vertices.count).map(|at| {
            let row = |register| vertices.register(at, register).expect("it is sent").map(f32::from_bits);
            let [x, y, ..] = row(0);
            // A frame buffer that cuts off instead of rounding.
            let [red, green, blue, _] = row(1).map(|component| (component.clamp(0.0, 1.0) * 255.0) as u32);
            ([x, y], red << 16 | green << 8 | blue)
        }));
    });
    points
}

#[test]
fn a_gamecube_answers_in_colours_and_depths() {
    let out = build("flipper", "flipper");
    let experiments = experiments("flipper");
    let mut results = "xfjit-kit-results 1\nconsole flipper\n".to_owned();
    for experiment in &experiments {
        let name = text(&experiment["name"]);
        let [recording, bytes] =
            ["dff", "fifo"].map(|extension| read(&out.join(format!("{name}.{extension}"))));
        let recording = Recording::read(&recording).expect("a recording");
        for hypothesis in list(&experiment["hypotheses"]) {
            let (option, value) = (text(&hypothesis["option"]), text(&hypothesis["value"]));
            let (mut processor, mut transform) = (Quirks::default(), FlipperQuirks::SPEC);
            assert!(processor.choose(option, value) || transform.choose(option, value), "{option}={value}");
            let mut unit = FlipperUnit::new(engine(), processor, transform);
            let (mut pixels, mut other) = (Vec::new(), Vec::new());
            let mut player = Player::new(&recording, &mut unit);
            while player.frame(&mut unit, Budget::NONE, |left| pixels.extend(drawn(&left))) == Played::Frame {
            }
            let mut unit = FlipperUnit::new(engine(), processor, transform);
            unit.run(&bytes, &[], Budget::NONE, |left| other.extend(drawn(&left)));
            assert_eq!(pixels, other, "{name}: the recording and the bytes");
            let _ = writeln!(results, "experiment {name}");
            for reading in readings(&out, name) {
                let (what, at) = reading.split_once(' ').expect("a pixel or a depth");
                let (colour, depth) = pixels[at.parse::<usize>().expect("a number")];
                results += &line(&reading, &[if what == "pixel" { colour } else { depth }]);
            }
        }
    }
    judge("flipper", &experiments, &results, &out);
}

/// The colour and the depth of each point.
fn drawn(left: &flipper::Output<'_>) -> Vec<(u32, u32)> {
    let flipper::Output::Drawn(drawn) = left else { return Vec::new() };
    let point = |at: usize| {
        let row = |register: usize| drawn.vertices.register(at, register as u8).expect("it is sent");
        let [red, green, blue, _] = row(output::COLOUR);
        let depth = f32::from_bits(row(output::SCREEN)[2]).clamp(0.0, 16_777_215.0);
        (red << 16 | green << 8 | blue, depth as u32)
    };
    (0..drawn.vertices.count).map(point).collect()
}

#[test]
fn a_console_that_no_hypothesis_foresees_is_told_plainly() {
    let out = directory("none");
    let file = out.join("seen.txt");
    let seen = "xfjit-kit-results 1\nconsole nv2a\nexperiment write-order\nc[10] 3e800000 40800000 40c00000 41000000\n";
    std::fs::write(&file, seen).expect("a file for the test");
    let name = file.display().to_string();
    let output = xfjit(&["kit", "judge", &name]);
    let printed = String::from_utf8(output.stdout).expect("text");
    assert_eq!(output.status.code(), Some(1));
    assert!(printed.contains("write-order, run 1: no hypothesis survives."), "{printed}");
    let beside =
        printed.lines().find(|line| line.contains("write_order=vector_wins") && line.contains("c[10].x"));
    assert!(printed.lines().filter(|line| line.contains("c[10]")).count() >= 6, "{printed}");
    let words: Vec<&str> = beside.expect("its line").split_whitespace().collect();
    assert!(words.contains(&"40000000,") || words.contains(&"40000000"), "{words:?}");
    assert!(json(&["kit", "judge", &name], 1)["runs"][0]["verdicts"][0]["survives"] == false);
    // The form itself, and files that are something else.
    let form = build("nv2a", "form").join("results.txt").display().to_string();
    for (file, expected) in
        [(form.as_str(), "c[10] has not been filled in"), ("Cargo.toml", "results begin with")]
    {
        let output = xfjit(&["kit", "judge", file]);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(3), "{message}");
        assert!(message.contains(expected) && message.contains(&format!("{file}:")), "{message}");
    }
}

#[test]
fn wrong_names_and_options_are_refused() {
    for (line, expected) in [
        ("kit show nothing", "there is no experiment `nothing`"),
        ("kit build nothing --console nv2a --out x", "there is no experiment `nothing`"),
        ("kit build depth --console nv2a --out x", "--console nv2a: depth is an experiment for flipper"),
        ("kit build --console nv2a --out x --format json", "--format has no effect with kit build"),
        ("kit build --console dreamcast --out x", "--console"),
        ("kit list --left --console rsx", "--left"),
    ] {
        let output = xfjit(&line.split(' ').collect::<Vec<_>>());
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{line}: {message}");
        assert!(message.contains(expected), "{line}: {message}");
        assert!(!Path::new("x").exists(), "{line}");
    }
}

#[test]
fn results_are_not_built_over() {
    let out = build("rsx", "results");
    let again =
        || xfjit(&["kit", "build", "--console", "rsx", "--out", &out.display().to_string(), "--quiet"]);
    assert!(again().status.success(), "a form that nobody has filled in is made again");
    let form = out.join("results.txt");
    let filled = [read(&form), b"my measured result\n".to_vec()].concat();
    std::fs::write(&form, &filled).expect("it can be written");
    let output = again();
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(read(&form), filled);
}
