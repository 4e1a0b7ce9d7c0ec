//! Every file below `tests/filetests`, one test each; `XFJIT_BLESS=1` rewrites their golden text. Of the programs in `run` there is a share where
//! `XFJIT_ONE_IN` asks for one.

use libtest_mimic::{Arguments, Failed, Trial};
use std::fs;
use std::path::{Path, PathBuf};
use xfjit_testing::filetest::{Bless, check_text};
use xfjit_testing::is_in_share;

fn main() {
    let mut arguments = Arguments::from_args();
    // Files are many and small.
    arguments.test_threads.get_or_insert(2);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/filetests");
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    assert!(!files.is_empty(), "there are no test files");
    let runs = root.join("run");
    let chosen = files.into_iter().enumerate();
    let chosen = chosen.filter(|(number, path)| !path.starts_with(&runs) || is_in_share("", *number as u64));
    let trials = chosen.map(|(_, path)| {
        let name = path.strip_prefix(&root).unwrap_or(&path).with_extension("");
        Trial::test(name.display().to_string(), move || check(&path))
    });
    libtest_mimic::run(&arguments, trials.collect()).exit();
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(directory).unwrap_or_else(|error| panic!("{}: {error}", directory.display()));
    for path in entries.map(|entry| entry.expect("a directory entry").path()) {
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "xf") {
            files.push(path);
        }
    }
}

fn check(path: &Path) -> Result<(), Failed> {
    let text = fs::read_to_string(path)?;
    let bless = if std::env::var_os("XFJIT_BLESS").is_some() { Bless::Yes } else { Bless::No };
    if !text.starts_with("; ") {
        return Err("the first line does not say why the file exists".into());
    }
    if let Some(blessed) = check_text(&text, bless)? {
        fs::write(path, blessed)?;
    }
    Ok(())
}
