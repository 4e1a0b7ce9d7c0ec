//! No option is silently ignored: every option of every command is tried with every kind of input, and either changes
//! what comes out or is refused by an error that names it. Also: outputs that cannot be written, which snapshots cannot
//! show.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use xfjit_testing::in_parallel;

/// Kinds of input, and the command with one. An option has to show in one of the lines of a command and a kind.
#[rustfmt::skip]
const INPUTS: &[(&str, &str)] = &[
    ("assembler text", "asm files/scale.vsh"),
    ("OpenGL", "asm files/state.vp"),
    ("assembler text", "asm files/pairs.vsh"),
    ("microcode", "asm files/light.hex"),
    ("microcode", "asm files/long.hex"),
    ("raw microcode", "asm files/big.bin"),
    ("microcode", "dis files/two.hex"),
    ("raw microcode", "dis files/big.bin"),
    ("fixed function", "dis --fixed nv10 00000000 00000000"),
    ("Flipper", "dis --flipper files/flipper.txt"),
    ("assembler text", "dump --stage asm files/scale.vsh"),
    ("assembler text", "dump --stage decode files/scale.vsh"),
    ("OpenGL", "dump --stage clif files/state.vp"),
    ("OpenGL", "dump --stage decode files/state.vp"),
    ("assembler text", "dump --stage decode files/pairs.vsh"),
    ("microcode", "dump --stage ir files/two.hex"),
    ("microcode", "dump --stage decode files/light.hex"),
    ("raw microcode", "dump --stage decode files/big.bin"),
    ("fixed function", "dump --stage host --fixed nv10 00000000 00000000"),
    ("Flipper", "dump --stage host --flipper files/flipper.txt"),
    ("test file", "run files/add.xf"),
    ("test files", "run files"),
    ("trace", "run --trace files/stream.trace"),
    ("Flipper", "run --trace files/flipper.trace"),
    ("Flipper, FIFO", "run --fifo files/flipper.fifo --memory files/flipper.mem@0x40"),
    ("Flipper, recording", "run --trace files/flipper.dff"),
    ("assembler text, table", "run --program files/scale.vsh --vertices files/vertices.txt"),
    ("assembler text, mesh", "run --program files/scale.vsh --vertices files/triangle.obj"),
    ("assembler text, raw vertices", "run --program files/scale.vsh --constants files/constants.txt --vertices files/floats.bin --layout v0:2"),
    ("OpenGL, mesh", "run --program files/state.vp --vertices files/triangle.obj"),
    ("microcode, table", "run --program files/two.hex --vertices files/vertices.txt"),
    ("raw microcode, table", "run --program files/big.bin --vertices files/vertices.txt"),
    ("assembler text", "explore --out - files/scale.vsh"),
    ("assembler text", "explore --out - files/pairs.vsh"),
    ("microcode", "explore --out - files/two.hex"),
    ("microcode", "explore --out - files/light.hex"),
    ("raw microcode", "explore --out - files/big.bin"),
    ("fixed function", "explore --out - --fixed nv10 00000000 00000000"),
    ("Flipper", "explore --out - --flipper files/flipper.txt"),
    ("assembler text", "chip files/pair.vsh"),
    ("assembler text", "chip files/pairs.vsh"),
    ("microcode", "chip files/light.hex"),
    ("raw microcode", "chip files/big.bin"),
    ("microcode", "chip files/two.hex"),
    ("Flipper", "chip --flipper files/flipper.txt"),
    ("branches", "chip --gen curie --vertices files/vertices.txt --constants files/constants.txt files/branch.vsh"),
    ("trace", "list files/stream.trace"),
    ("Flipper", "list files/flipper.trace"),
    ("Flipper, recording", "list files/flipper.dff"),
    ("calls", "list files/calls.capture"),
    ("calls", "list files/named.capture"),
    ("calls", "dis files/named.capture --program transform"),
    ("trace", "dis files/stream.trace"),
    ("calls", "dump --stage decode files/named.capture --program transform"),
    ("trace", "dump --stage decode files/stream.trace"),
    ("trace", "dump --stage host files/stream.trace"),
    ("calls", "dump --stage decode files/calls.capture --program kelvin-28d9"),
    ("trace", "dump --stage decode ../../../programs/demo.capture --program 41b0"),
    ("calls", "explore --out - files/calls.capture --program kelvin-28d9"),
    ("trace", "explore --out - ../../../programs/demo.capture --program 41b0"),
    ("calls", "explore --out - files/named.capture --program transform"),
    ("trace", "explore --out - files/stream.trace"),
    ("Flipper, picture", "run --draw - --trace files/flipper.trace"),
    ("Flipper, recording, mesh", "run --obj - --trace files/flipper.dff"),
    ("Flipper, FIFO, mesh", "run --obj - --fifo files/flipper.fifo --memory files/flipper.mem@0x40 --memory files/positions.mem@32"),
    ("trace", "prof --sampled 20 files/stream.trace"),
    ("Flipper", "prof --sampled 20 files/flipper.trace"),
    ("Flipper, recording", "prof --sampled 20 files/flipper.dff"),
    ("trace", "run --trace ../../../programs/demo.capture"),
    ("calls", "run --trace files/calls.capture"),
    ("calls", "prof --sampled 20 files/calls.capture"),
    ("microcode", "import files/two.hex --output -"),
    ("vectors", "vectors files/program.vectors"),
    ("record", "summary files/part1.json"),
    ("corpus", "coverage files/add.xf"),
    ("programs", "diff --programs 2"),
    ("fixed function", "diff --programs 2 --fixed kelvin"),
    ("Flipper", "diff --programs 2 --flipper"),
    ("no picture", "demo --no-picture --model ieee --mesh files/triangle.obj"),
    ("Flipper", "demo --no-picture --flipper"),
    ("JSON", "bench --program P1 --batch 3 --samples 1 --model ieee --format csv"),
];

/// Values to try. Of several, one has to have an effect; `OUT` is a file that does not exist yet.
#[rustfmt::skip]
const VALUES: &[(&str, &[&str])] = &[
    ("as", &["rankine"]),
    // With a capture it is refused; what it does by itself is tested in attach.rs.
    ("attach", &["1"]),
    ("backend", &["interp"]),
    ("binary", &[""]),
    ("bool", &["b0"]),
    ("byte-order", &["big", "little"]),
    ("camera", &[""]),
    ("clocks", &["3"]),
    ("constants", &["OUT", "files/constants.txt", "files/named.txt"]),
    ("count", &["1"]),
    ("delay", &["3"]),
    ("dialect", &["dolphin-sw", "nv"]),
    ("diff", &["files/stream.trace"]),
    ("draw", &["OUT"]),
    ("draws", &[""]),
    ("explain", &[""]),
    ("fifo", &["files/flipper.fifo"]),
    ("findings", &["OUT"]),
    ("fixed", &["nv20", "kelvin"]),
    ("flipper", &[""]),
    ("folded", &["OUT"]),
    ("literals", &[""]),
    ("speedscope", &["OUT"]),
    ("pprof", &["OUT"]),
    ("perfetto", &["OUT"]),
    ("frame", &["1"]),
    ("format", &["json", "csv"]),
    ("from", &["files/bench.json"]),
    ("gen", &["curie"]),
    ("glsl", &[""]),
    ("hex", &[""]),
    // Any number gives the results of one thread.
    ("jobs", &["many"]),
    ("json", &[""]),
    ("layout", &["v0:2,_:2"]),
    ("map", &["v0=normal"]),
    ("matrices", &[""]),
    ("memory", &["files/positions.mem@32"]),
    ("mesh", &["files/bad.obj"]),
    ("missing", &[""]),
    ("model", &["ieee"]),
    ("names", &["files/names.txt"]),
    ("no-pair", &[""]),
    ("no-picture", &[""]),
    ("obj", &["OUT"]),
    ("option", &["access=user"]),
    ("out", &["OUT"]),
    ("output", &["OUT"]),
    ("outputs", &["oPos"]),
    ("pair", &["", "=rename"]),
    ("plain", &[""]),
    ("plot", &["OUT"]),
    ("preset", &["mame"]),
    ("primitive", &["points", "strip"]),
    ("program", &["files/light.vsh", "P2"]),
    ("programs", &["3"]),
    ("quirk", &["half_angle=normalised"]),
    ("report", &["OUT"]),
    ("resume", &["OUT"]),
    ("samples", &["0"]),
    ("sampling", &["none"]),
    // As long as the work takes is no effect.
    ("seconds", &["many"]),
    ("seed", &["2"]),
    ("set", &["copy=9", "stages=2", "light=9"]),
    ("shard", &["1/2", "2/2"]),
    ("size", &["64x64"]),
    ("stage", &["opt"]),
    ("stages", &["RR,WB"]),
    ("start", &["1"]),
    ("summary", &["OUT"]),
    ("svg", &["OUT"]),
    ("target", &["aarch64", "x86-64-v4"]),
    ("texture", &["0=files/heights.f32,2x2x1"]),
    ("threads", &["1"]),
    ("times", &["3"]),
    ("top", &["0"]),
    ("trace", &["files/stream.trace"]),
    ("verbose", &[""]),
    ("vertex-format", &["obj", "text"]),
    ("vertices", &["files/triangle.obj", "5"]),
    ("view", &["clip"]),
    ("whole", &[""]),
    ("words", &[""]),
];

/// What is not tried, and why.
#[rustfmt::skip]
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    ("prof", "dialect", "a choice that these streams do not depend on changes nothing, as it should be"),
    ("prof", "quirk", "a choice that these streams do not depend on changes nothing, as it should be"),
    ("run", "quirk", "a choice that these streams do not depend on changes nothing, as it should be"),
    ("prof", "sampled", "how long is sampled shows in nothing but how exact the shares of slots are"),
    ("prof", "slot-limit", "a limit that no vertex reaches changes nothing, as it should be"),
    ("prof", "overtime", "the same"),
    ("run", "slot-limit", "the same"),
    ("run", "overtime", "the same"),
    ("run", "option", "a choice that this program does not depend on changes nothing, as it should be"),
    ("run", "bool", "the same"),
    ("run", "preset", "the same"),
    ("run", "texture", "the same"),
    ("run", "camera", "the same: constants that a program does not read"),
    ("run", "primitive", "the same: what is not drawn has no triangles"),
];

/// Runs the command in `cli/tests/cmd`, where the files are.
fn xfjit(arguments: &[&str]) -> Output {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd");
    let mut command = Command::new(env!("CARGO_BIN_EXE_xfjit"));
    command.current_dir(directory).args(arguments).stdin(Stdio::null()).output().expect("the command runs")
}

/// A directory of a test's own, emptied.
fn directory(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("a directory for the test");
    path
}

/// The long options of a command, without the global ones that do not touch data.
fn options(command: &str) -> BTreeSet<String> {
    let help = String::from_utf8(xfjit(&[command, "--help"]).stdout).expect("text");
    let lines = help.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
    let names = lines.filter_map(|line| line.split_once("--")?.1.split([' ', ',', '<', '[']).next());
    names.filter(|name| !["help", "version", "color", "quiet"].contains(name)).map(str::to_owned).collect()
}

/// A text without its figures, which differ from run to run, their units and the widths of their columns.
fn unmeasured(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || ",:{}[]%".contains(c));
    let is_figure = |word: &str| word.parse::<f64>().is_ok() || word.bytes().all(|byte| byte == b'-');
    let units = ["ns", "us", "ms", "s", "k", "M", "G"];
    words.filter(|word| !is_figure(word) && !units.contains(word)).collect::<Vec<_>>().join(" ")
}

/// What a run leaves: its exit code, what it prints on both streams, and whether there is the file.
type Outcome = (Option<i32>, String, String, bool);

/// Runs a line with an option.
fn outcome(line: &str, option: Option<(&str, &str)>, out: &Path) -> Outcome {
    let path = out.display().to_string();
    let value = option.map(|(_, value)| value.replace("OUT", &path));
    // Some take no value but behind `=`.
    let (name, value) = match (option, value) {
        (Some((name, _)), Some(value)) if value.starts_with('=') => (Some(format!("--{name}{value}")), None),
        (option, value) => (option.map(|(name, _)| format!("--{name}")), value),
    };
    let mut arguments: Vec<&str> = line.split(' ').collect();
    arguments.extend(name.as_deref());
    arguments.extend(value.as_deref().filter(|value| !value.is_empty()));
    let output = xfjit(&arguments);
    let is_measured = ["demo", "bench", "prof"].contains(&arguments[0]);
    let text = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        if is_measured { unmeasured(&text) } else { text.into_owned() }
    };
    let exists = out.exists();
    let _ = std::fs::remove_file(out).or_else(|_| std::fs::remove_dir_all(out));
    (output.status.code(), text(&output.stdout), text(&output.stderr), exists)
}

/// Whether an option shows in what a line leaves, or is refused by name.
fn has_effect(line: &str, plain: &Outcome, option: &str, out: &Path) -> bool {
    let values = VALUES.iter().find(|(name, _)| *name == option);
    let (_, values) = values.unwrap_or_else(|| panic!("no value to try --{option} with: {line}"));
    values.iter().any(|value| {
        let with = outcome(line, Some((option, value)), out);
        let (code, _, stderr, _) = &with;
        assert!(code.is_some_and(|code| code < 4), "{line} --{option} {value}: {with:?}");
        if *code != Some(2) {
            // That a file is opened is no effect yet.
            return with != *plain && !stderr.contains("cannot be read");
        }
        // Refused: it, or another one because of it; the last line names --help.
        let message = stderr.split("\n\n").next().unwrap_or_default();
        assert!(message.contains("--"), "{line} --{option} {value}: {stderr}");
        true
    })
}

#[test]
fn every_option_changes_something_or_is_refused() {
    let directory = directory("options");
    let tried = in_parallel(INPUTS.len(), |number| {
        let (kind, line) = INPUTS[number];
        let out = directory.join(format!("out-{number}"));
        let (mut left, mut shown) = (BTreeSet::new(), BTreeSet::new());
        let command = line.split(' ').next().expect("a command");
        // What some options do is seen in one form of output only.
        for line in [line.to_owned(), format!("{line} --format json")] {
            let plain = outcome(&line, None, &out);
            for option in options(command) {
                let is_exception = EXCEPTIONS.iter().any(|&(of, name, _)| (of, name) == (command, &option));
                let is_given = line.split(' ').any(|word| word.strip_prefix("--") == Some(&option));
                let case = (command, kind, option);
                if is_exception || is_given || shown.contains(&case) {
                    continue;
                }
                if has_effect(&line, &plain, &case.2, &out) {
                    left.remove(&case);
                    shown.insert(case);
                } else {
                    left.insert(case);
                }
            }
        }
        (left, shown)
    });
    let (left, shown): (Vec<_>, Vec<_>) = tried.into_iter().unzip();
    let shown: BTreeSet<_> = shown.into_iter().flatten().collect();
    // What one input does not show another one of its kind may.
    let left: Vec<_> = left.into_iter().flatten().filter(|case| !shown.contains(case)).collect();
    assert!(left.is_empty(), "options that do nothing: {left:#?}");
    // The commands that have options are all here.
    for command in [
        "asm", "dis", "dump", "run", "list", "chip", "explore", "prof", "import", "vectors", "bench", "diff",
        "demo", "summary", "coverage",
    ] {
        assert!(shown.iter().any(|(of, ..)| *of == command), "{command}");
    }
}

#[test]
fn options_that_exclude_each_other_are_refused_by_both_names() {
    for (line, names) in [
        ("asm files/scale.vsh --binary --format json", ["--binary", "--format"]),
        ("asm files/scale.vsh --constants new.txt", ["--constants", "OpenGL"]),
        ("asm files/scale.vsh --no-pair", ["--no-pair", "OpenGL"]),
        ("asm files/state.vp --no-pair --pair", ["--no-pair", "--pair"]),
        ("dis --fixed nv10 0 0 --start 1", ["--start", "--fixed"]),
        ("dis files/light.hex --words --format json", ["--words", "--format"]),
        ("dis files/light.hex --byte-order big", ["--byte-order", "raw"]),
        ("dis files/light.hex --program light", ["--program", "captures"]),
        ("dis files/light.hex --names files/names.txt", ["--names", "captures"]),
        ("dis files/light.hex --model ieee", ["--model", "captures"]),
        ("dis files/named.capture --program transform --gen curie", ["--gen", "capture"]),
        ("dis files/named.capture --program transform --model ieee", ["--model", "calls"]),
        ("dump --stage ir files/light.hex --names files/names.txt", ["--names", "captures"]),
        ("explore files/named.capture --program transform --no-pair", ["--no-pair", "OpenGL"]),
        ("list files/stream.trace --names files/names.txt", ["--names", "calls"]),
        ("dump --stage ir files/scale.vsh --format csv", ["--format csv", "--stage"]),
        ("dump --stage ir files/scale.vsh --target aarch64", ["--target", "--stage"]),
        ("run --trace files/stream.trace --count 1", ["--count", "--vertices"]),
        ("run --trace files/stream.trace --gen curie", ["--gen", "--trace"]),
        ("run --trace files/stream.trace --start 1", ["--start", "--trace"]),
        ("run --trace files/stream.trace --map v0=normal", ["--map", "--vertices"]),
        ("run --trace files/stream.trace --layout v0:1", ["--layout", "--vertices"]),
        ("run --trace files/stream.trace --report x", ["--report", "--backend"]),
        ("run --trace files/stream.trace --dialect spec", ["--dialect", "--trace"]),
        ("run --trace files/stream.trace --quirk ring=exclusive", ["--quirk", "--trace"]),
        ("run --trace files/flipper.dff --model ieee", ["--model", "--dialect"]),
        ("run --trace files/flipper.trace --gen curie", ["--gen", "Flipper"]),
        ("run --trace files/flipper.trace --memory files/flipper.mem", ["--memory", "--trace"]),
        ("run --trace files/flipper.trace --frame 0", ["--frame", "recordings"]),
        ("run --trace files/flipper.trace --draw - --frame 0", ["--frame", "frames"]),
        ("run --trace files/flipper.dff --draw - --frame 2", ["--frame 2", "2 frames"]),
        ("run --trace files/flipper.dff --draw - --obj -", ["--draw", "--obj"]),
        ("run --trace files/flipper.dff --draw - --format json", ["--draw", "--format"]),
        ("run --trace files/stream.trace --draw -", ["--draw", "Flipper"]),
        ("run --trace files/calls.capture --obj -", ["--obj", "Flipper"]),
        ("list files/stream.trace --matrices", ["--matrices", "Flipper"]),
        ("list files/flipper.trace --matrices --format csv", ["--matrices", "--format"]),
        ("run --fifo files/flipper.fifo --start 1", ["--start", "Flipper"]),
        ("run --program files/scale.vsh --vertices files/triangle.obj --layout v0:1", ["--layout", "--map"]),
        ("run --program files/scale.vsh --vertices files/vertices.txt --map v0=normal", ["--map", "table"]),
        (
            "run --program files/scale.vsh --vertices files/triangle.obj --map v0=normal,v0=position",
            ["--map", "v0 twice"],
        ),
        (
            "run --program files/scale.vsh --vertices files/floats.bin --layout v0:1,v0:1",
            ["--layout", "v0 twice"],
        ),
        ("run files/add.xf --backend interp", ["--backend", "test file"]),
        ("run files/add.xf --jobs 2", ["--jobs", "one test file"]),
        ("run files/add.xf --shard 1/2", ["--shard", "directories"]),
        ("run files/add.xf --format json", ["--format", "test file"]),
        ("run --trace files/stream.trace --resume x", ["--resume", "directories"]),
        ("prof files/stream.trace --dialect spec", ["--dialect", "Flipper"]),
        ("prof files/stream.trace --quirk ring=exclusive", ["--quirk", "Flipper"]),
        ("prof --diff files/stream.trace files/stream.trace --top 1", ["--top", "--diff"]),
        ("prof --diff files/stream.trace files/stream.trace --folded x", ["--folded", "--diff"]),
        ("prof files/stream.trace --attach 1", ["--attach", "[CAPTURE]"]),
        ("prof --attach 1 --times 3", ["--attach", "--times"]),
        ("prof --attach 1 --sampling none", ["--attach", "--sampling"]),
        ("prof --attach 1 --top 1 --format csv", ["--top", "--format"]),
        ("prof files/stream.trace --whole", ["--whole", "[CAPTURE]"]),
        ("prof files/report.json", ["report", "--diff"]),
        ("prof --diff files/report.json files/report.json --times 2", ["--times", "reports"]),
        ("bench --json --format csv", ["--json", "--format"]),
        ("bench --from files/bench.json", ["--from", "--plot"]),
        ("bench --from files/bench.json --plot - --samples 1", ["--from", "--samples"]),
        ("bench --from files/bench.json --plot - --format csv", ["--from", "--format"]),
        ("chip files/pair.vsh --start 1", ["--start", ".start"]),
        ("chip files/pair.vsh --flipper files/flipper.txt", ["--flipper", "[PROGRAM]"]),
        ("chip --flipper files/flipper.txt --svg -", ["--svg", "--flipper"]),
        ("chip files/pair.vsh --set stages=4 --stages RR,WB", ["--set stages", "--stages"]),
        ("chip files/pair.vsh --vertices files/vertices.txt", ["--vertices", "branches"]),
        ("diff --fixed kelvin --gen curie", ["--gen", "--fixed"]),
        ("coverage files/add.xf --missing --format csv", ["--missing", "--format"]),
        ("demo --no-picture --out x.png", ["--out", "--no-picture"]),
    ] {
        let output = xfjit(&line.split(' ').collect::<Vec<_>>());
        let message = String::from_utf8(output.stderr).expect("text");
        assert_eq!(output.status.code(), Some(2), "{line}: {message}");
        assert!(names.iter().all(|name| message.contains(name)), "{line}: {message}");
        assert!(output.stdout.is_empty(), "{line}");
    }
}

/// A full device is no fault of the command.
#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_exit_code_3() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd");
    for line in [
        "asm files/scale.vsh",
        "dis files/light.hex --format json",
        "run --trace files/stream.trace --format json",
    ] {
        let full = std::fs::File::options().write(true).open("/dev/full").expect("Linux has it");
        let mut command = Command::new(env!("CARGO_BIN_EXE_xfjit"));
        let output = command.current_dir(&directory).args(line.split(' ')).stdout(full).output();
        let output = output.expect("the command runs");
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(3), "{line}: {message}");
        assert!(message.starts_with("error: cannot write"), "{line}: {message}");
    }
}

#[test]
fn an_output_is_written_whole_or_not_at_all() {
    let directory = directory("whole");
    let path = directory.join("out.hex");
    std::fs::write(&path, "old").expect("a file for the test");
    let name = path.display().to_string();
    assert_eq!(xfjit(&["asm", "files/wrong.vsh", "--output", &name]).status.code(), Some(3));
    assert_eq!(std::fs::read_to_string(&path).expect("it is still there"), "old");
    assert_eq!(xfjit(&["asm", "files/scale.vsh", "--output", &name]).status.code(), Some(0));
    assert_eq!(std::fs::read_to_string(&path).expect("it is there").lines().count(), 2);
    let names = std::fs::read_dir(&directory).expect("a directory").count();
    assert_eq!(names, 1, "nothing else is left");
}
