//! The file that a process is attached to by.

use crate::fail::Failure;
use crate::files;
use crate::text::Flaw;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use xfjit::attach::{self, AttachError, Reader};

/// Opens the file of a process: of a number, of an executable's name, or the file itself.
pub(super) fn open(wanted: &str) -> Result<Reader, Failure> {
    let as_file = Path::new(wanted);
    let is_number = !wanted.is_empty() && wanted.bytes().all(|byte| byte.is_ascii_digit());
    let names_file = as_file.components().count() > 1 || as_file.extension() == Some(OsStr::new("attach"));
    if !is_number && (names_file || as_file.is_file()) {
        return Reader::open(as_file).map_err(|error| flaw(as_file, &error));
    }
    let directory = attach::directory();
    let all =
        attach::files(&directory).map_err(|error| Failure::unreadable(files::name(&directory), &error))?;
    if is_number {
        let process: Option<u32> = wanted.parse().ok();
        let of: Vec<&PathBuf> =
            all.iter().filter(|(of, _)| Some(*of) == process).map(|(_, path)| path).collect();
        return match of[..] {
            [path] => Reader::open(path).map_err(|error| flaw(path, &error)),
            [] => Err(nothing(&format!("process {wanted} has no file to attach to"), &directory, &all)),
            _ => Err(several(wanted, &of)),
        };
    }
    let is_it = |reader: &Reader| {
        let executable = &reader.header().executable;
        executable == wanted || Path::new(executable).file_stem() == Some(OsStr::new(wanted))
    };
    // What cannot be read is another one's.
    let mut of: Vec<Reader> =
        all.iter().filter_map(|(_, path)| Reader::open(path).ok()).filter(is_it).collect();
    if of.len() > 1 {
        let paths: Vec<&Path> = of.iter().map(Reader::path).collect();
        return Err(several(wanted, &paths));
    }
    let none = || format!("no process of the name `{wanted}` has a file to attach to");
    of.pop().ok_or_else(|| nothing(&none(), &directory, &all))
}

fn flaw(path: &Path, error: &AttachError) -> Failure {
    Failure::input(files::name(path), Flaw::new(error.to_string()))
}

/// Names the files of which one has to be chosen.
fn several<P: AsRef<Path>>(wanted: &str, of: &[P]) -> Failure {
    let names: Vec<String> = of.iter().map(|path| files::name(path.as_ref())).collect();
    Failure::Usage(format!("--attach {wanted} could be any of {}; name the file", names.join(", ")))
}

/// Says what there is instead.
fn nothing(what: &str, directory: &Path, all: &[(u32, PathBuf)]) -> Failure {
    let described = |(process, path): &(u32, PathBuf)| match Reader::open(path) {
        Ok(mut reader) => {
            let ended = if reader.is_over() { ", ended" } else { "" };
            format!("{process} ({}{ended})", reader.header().executable)
        }
        Err(error) => format!("{process} ({error})"),
    };
    let there: Vec<String> = all.iter().map(described).collect();
    let there = match there.is_empty() {
        true => "there is none".to_owned(),
        false => format!("there are {}", there.join(", ")),
    };
    let help =
        "a process writes one if it runs with XFJIT_ATTACH=1, or sets the option `attach` of the library";
    Failure::input(files::name(directory), Flaw::new(format!("{what}; {there}")).help(help))
}
