//! Every command that reads files, with every kind of file that there is: each says what the file is and who takes it, or takes it.

use std::path::{Path, PathBuf};
use std::process::Command;

/// What a command line reads at its end, and the kinds of file that it takes, by the names below.
#[rustfmt::skip]
const READERS: &[(&str, &[&str])] = &[
    ("asm", &["light.vsh", "loop.vp", "two.hex", "big.bin"]),
    ("dis", &["two.hex", "big.bin", "calls.capture", "stream.trace"]),
    ("dis --flipper", &["flipper.txt"]),
    ("dump --stage decode", &["light.vsh", "loop.vp", "two.hex", "big.bin", "calls.capture", "stream.trace"]),
    ("dump --stage decode --flipper", &["flipper.txt"]),
    ("explore --format json", &["light.vsh", "loop.vp", "two.hex", "big.bin", "calls.capture", "stream.trace"]),
    ("chip", &["light.vsh", "loop.vp", "two.hex", "big.bin"]),
    ("prof --times 1 --sampling none", &["calls.capture", "flipper.dff", "stream.trace", "report.json", "bench.json"]),
    ("prof --times 1 --sampling none --diff files/report.json", &["calls.capture", "flipper.dff", "stream.trace", "report.json", "bench.json"]),
    ("list", &["calls.capture", "flipper.dff", "stream.trace"]),
    ("run", &["add.xf"]),
    ("run --trace", &["calls.capture", "flipper.dff", "stream.trace"]),
    ("run --vertices files/vertices.txt --program", &["light.vsh", "loop.vp", "two.hex", "big.bin"]),
    ("run --program files/light.vsh --vertex-format obj --vertices", &["triangle.obj"]),
    ("run --program files/light.vsh --vertex-format text --vertices", &["vertices.txt"]),
    ("run --program files/light.vsh --vertices files/vertices.txt --constants", &["constants.txt", "two.hex"]),
    ("import --output -", &["flipper.dff", "stream.trace", "two.hex", "big.bin"]),
    ("kit judge", &["results.txt"]),
    ("vectors --backend interp", &["ops.vectors"]),
    ("demo --no-picture --mesh", &["triangle.obj"]),
    ("demo --no-picture --program", &["light.vsh", "loop.vp", "two.hex", "big.bin"]),
    ("bench --plot - --from", &["bench.json", "report.json"]),
];

/// A file of each kind, and what it is called; those without a name are no kind.
#[rustfmt::skip]
const KINDS: &[(&str, &str)] = &[
    ("light.vsh", "is assembler text"),
    ("loop.vp", "is an OpenGL program"),
    ("two.hex", "is microcode"),
    ("big.bin", "is raw binary data"),
    ("calls.capture", "is a capture of calls"),
    ("flipper.dff", "is a recording for Dolphin's FIFO player (.dff)"),
    ("stream.trace", "is a command stream as text"),
    ("report.json", "is a report of `xfjit prof`"),
    ("bench.json", "is results of `xfjit bench`"),
    ("add.xf", "is a test file"),
    ("flipper.txt", "is a configuration of Flipper"),
    ("results.txt", "is results of experiments on a console"),
    ("triangle.obj", "is a mesh (.obj)"),
    ("vertices.txt", "is a table of vertices"),
    ("constants.txt", "is rows of constants"),
    ("names.txt", "is names of programs"),
    ("ops.vectors", "is golden vectors"),
];

fn xfjit(line: &str, file: &str) -> (Option<i32>, String) {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd");
    let mut command = Command::new(env!("CARGO_BIN_EXE_xfjit"));
    let output = command.current_dir(directory).args(line.split(' ')).arg(file).output();
    let output = output.expect("the command runs");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn a_file_of_another_kind_is_named_with_the_command_that_takes_it() {
    for (line, takes) in READERS {
        for (file, name) in KINDS.iter().filter(|(file, _)| !takes.contains(file)) {
            let (code, message) = xfjit(line, &format!("files/{file}"));
            // (A capture need not be imported, which that command says in its own words.)
            let said = if line.starts_with("import") && *file == "calls.capture" {
                "is already a capture"
            } else {
                name
            };
            assert_eq!(code, Some(3), "{line} {file}: {message}");
            let first = message.lines().next().unwrap_or_default();
            assert!(first.starts_with(&format!("error: files/{file}: {said}")), "{line} {file}: {message}");
            assert!(message.contains("`xfjit "), "{line} {file}: {message}");
        }
    }
}

/// What is taken may be wrong for other reasons, but not for its kind.
#[test]
fn a_file_of_the_kind_that_is_wanted_is_read() {
    for (line, takes) in READERS {
        // (A loop that is drawn takes seconds.)
        for file in takes.iter().filter(|file| !(line.starts_with("demo") && **file == "loop.vp")) {
            let (code, message) = xfjit(line, &format!("files/{file}"));
            let (_, name) = KINDS.iter().find(|(kind, _)| kind == file).expect("it is named");
            assert!(matches!(code, Some(0..=3)), "{line} {file}: {message}");
            assert!(!message.contains(&format!("{name}, not")), "{line} {file}: {message}");
        }
    }
}

/// Nothing, a directory, bytes of no kind, the beginning of each kind: an error that names the file, never an internal one.
#[test]
fn what_is_no_file_of_any_kind_is_an_error_of_that_file() {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("sorts");
    std::fs::create_dir_all(&directory).expect("a directory for the test");
    let path = |name: &str| directory.join(name).display().to_string();
    let write = |name: &str, bytes: &[u8]| std::fs::write(path(name), bytes).expect("a file for the test");
    write("empty", b"");
    let garbage: Vec<u8> = (0..999_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    write("garbage", &garbage);
    write("words", b"nobody knows what this is\n");
    for (line, _) in READERS {
        for name in ["empty", "garbage", "words", ""] {
            let (code, message) = xfjit(line, &path(name));
            // Vertices may be none.
            assert_eq!(code, Some(3), "{line} `{name}`: {message}");
            assert!(message.contains(&path(name)), "{line} `{name}`: {message}");
            if name.is_empty() && !line.starts_with("import") {
                assert!(
                    message.contains("is a directory") && message.contains("`xfjit import`"),
                    "{line}: {message}"
                );
            }
        }
    }
}
