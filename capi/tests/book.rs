//! What the documents show of C: the emulator of the tutorial compiles and prints what the tutorial says, and the lines of the
//! front page compile.
#![cfg(target_os = "linux")]

use std::path::{Path, PathBuf};
use std::process::Command;

const STRICT: [&str; 5] = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror"];
/// What the static library needs of the system.
const SYSTEM: [&str; 6] = ["-lgcc_s", "-lutil", "-lrt", "-lpthread", "-lm", "-ldl"];

/// What the lines of the front page take for granted.
const DECLARED: &str = "\
#include \"xfjit.h\"
void lines(void *words, void *constants, void *in, void *out, size_t slots, size_t start, size_t vertices);
void lines(void *words, void *constants, void *in, void *out, size_t slots, size_t start, size_t vertices) {
    xfjit_engine *engine;
    xfjit_worker *worker;
    xfjit_config config;
    const xfjit_program *program;
";

fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(page: &str) -> String {
    std::fs::read_to_string(package().join("..").join(page)).expect("the page can be read")
}

/// The first fenced block of a kind with something in it.
fn block<'a>(page: &'a str, kind: &str, content: &str) -> &'a str {
    let start = format!("```{kind}\n");
    page.split(&start)
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .find(|block| block.contains(content))
        .expect("the page has the block")
}

/// A source of this run.
fn source(name: &str, text: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("book-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a directory can be made");
    let path = directory.join(name);
    std::fs::write(&path, text).expect("a source can be written");
    path
}

/// Runs a command, which must end well; returns what it has printed.
fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}\n{errors}", output.status);
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn compiler() -> Command {
    let mut command = Command::new("cc");
    command.args(STRICT).arg("-I").arg(package().join("include"));
    command
}

#[test]
fn the_emulator_of_the_tutorial_prints_what_the_tutorial_says() {
    let page = read("docs/tutorials/embed.md");
    let path = source("embed.c", block(&page, "c", "int main"));
    let program = path.with_extension("");
    let here = std::env::current_exe().expect("the test runs from a file");
    let archive = here.with_file_name("libxfjit_capi.a");
    run(compiler().arg(&path).arg("-o").arg(&program).arg(archive).args(SYSTEM));
    assert_eq!(run(&mut Command::new(&program)), block(&page, "text", "position"));
}

#[test]
fn the_lines_of_the_front_page_compile() {
    let page = read("README.md");
    let path = source("front.c", &format!("{DECLARED}{}}}\n", block(&page, "c", "xfjit_engine_create")));
    run(compiler().arg("-fsyntax-only").arg(path));
}
