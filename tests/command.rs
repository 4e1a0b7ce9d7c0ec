//! The command where it writes files: what snapshots of its text (`cli.rs`) cannot see.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A directory of a test's own, emptied.
fn directory(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("a directory for the test");
    path
}

/// Runs the command in `tests/cmd`, where the files of the snapshots are.
fn xfjit(arguments: &[&str]) -> Output {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd");
    let mut command = Command::new(env!("CARGO_BIN_EXE_xfjit"));
    command.current_dir(directory).args(arguments).output().expect("the command runs")
}

/// The same, which must succeed and say nothing.
#[track_caller]
fn quietly(arguments: &[&str]) -> String {
    let output = xfjit(arguments);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && stderr.is_empty(), "{arguments:?}: {stderr}");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn manual_pages_are_written_into_a_directory() {
    let directory = directory("man").join("new");
    assert_eq!(quietly(&["man", "--out", &directory.display().to_string()]), "");
    let page = std::fs::read_to_string(directory.join("xfjit-run.1")).expect("it has a page");
    assert_eq!(page, quietly(&["man", "run"]));
    assert!(page.contains(".SH OPTIONS") && page.contains("\\-\\-backend"), "{page}");
    assert!(directory.join("xfjit.1").exists());
}
