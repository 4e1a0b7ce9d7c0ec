//! Reading and writing files by name; `-` is standard input or output.

use crate::fail::Failure;
use crate::text::Flaw;
use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use xfjit::replace::replace;

/// Larger files are refused: nothing that the commands read comes near.
const LARGEST: u64 = 1 << 30;

/// Who takes a directory.
pub const DIRECTORY: &str = "`xfjit import` takes directories of raw programs (.vp), `xfjit vectors` those of golden vectors, \
                         `xfjit run` those of test files (.xf), `xfjit coverage` corpora, all other commands take files";
/// Directories within each other at most: deeper ones are links that lead back.
const DEEPEST: usize = 32;

/// The name of a file in messages.
pub fn name(path: &Path) -> String {
    if is_dash(path) { "<stdin>".to_string() } else { path.display().to_string() }
}

/// Whether the path stands for standard input or output.
pub fn is_dash(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The whole of a file.
pub fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    // Which Windows says in other words, when it is opened.
    let fail = |error: io::Error| match path.is_dir() && !is_dash(path) {
        true => Failure::input(name(path), Flaw::new("is a directory").help(DIRECTORY)),
        false => Failure::unreadable(name(path), &error),
    };
    let mut bytes = Vec::new();
    let size = if is_dash(path) {
        io::stdin().lock().take(LARGEST + 1).read_to_end(&mut bytes)
    } else {
        File::open(path).map_err(fail)?.take(LARGEST + 1).read_to_end(&mut bytes)
    };
    match size.map_err(fail)? as u64 {
        ..=LARGEST => Ok(bytes),
        _ => {
            Err(Failure::input(name(path), Flaw::new(format!("is too large; the limit is {LARGEST} bytes"))))
        }
    }
}

/// The files that a path stands for: itself, or all files in the directory, in the order of their names. Hidden ones are left out.
pub fn tree(path: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    if is_dash(path) || !path.is_dir() {
        files.push(path.to_path_buf());
    } else {
        add_tree(path, DEEPEST, &mut files)?;
    }
    Ok(files)
}

fn add_tree(directory: &Path, deeper: usize, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let fail = |error: io::Error| Failure::unreadable(name(directory), &error);
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(directory).map_err(fail)? {
        entries.push(entry.map_err(fail)?);
    }
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries.iter().filter(|entry| !entry.file_name().as_encoded_bytes().starts_with(b".")) {
        match entry.path() {
            path if !path.is_dir() => files.push(path),
            path if deeper > 0 => add_tree(&path, deeper - 1, files)?,
            path => return Err(Failure::input(name(&path), Flaw::new("is too deep in directories"))),
        }
    }
    Ok(())
}

/// The extension of a file name in lower case, or nothing.
pub fn extension(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_lowercase()
}

/// A buffered writer to standard output. Flush it at the end: errors on drop are lost.
pub fn stdout() -> BufWriter<io::StdoutLock<'static>> {
    BufWriter::with_capacity(1 << 16, io::stdout().lock())
}

/// Writes a whole file, or standard output.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    if is_dash(path) {
        let mut out = stdout();
        out.write_all(bytes)?;
        return Ok(out.flush()?);
    }
    replace(path, |file| file.write_all(bytes)).map_err(|error| unwritable(path, &error))
}

/// Sees whether a file can be written, as far as that can be seen without writing.
pub fn can_be_written(path: &Path) -> Result<(), Failure> {
    let tried = match std::fs::metadata(path) {
        _ if is_dash(path) => Ok(()),
        Ok(there) if there.is_file() => File::options().write(true).open(path).map(drop),
        Ok(there) if there.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        // A pipe waits for its reader when it is opened.
        Ok(_) => Ok(()),
        Err(_) => match path.parent() {
            Some(directory) if directory != Path::new("") => std::fs::metadata(directory).map(drop),
            _ => Ok(()),
        },
    };
    tried.map_err(|error| unwritable(path, &error))
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::Unwritable(format!("cannot write {}: {error}", path.display()))
}

/// Makes a directory if there is none, and sees whether files can be written to it.
pub fn writable(directory: &Path) -> Result<(), Failure> {
    let probe = directory.join(format!(".{}.tmp", std::process::id()));
    let made = std::fs::create_dir_all(directory).and_then(|()| File::create(&probe));
    let tried = made.and_then(|_| std::fs::remove_file(&probe));
    tried.map_err(|error| Failure::Unwritable(format!("cannot write to {}: {error}", directory.display())))
}

/// Why a file is not written.
enum Unwritten {
    Content(Failure),
    File(io::Error),
}

impl From<io::Error> for Unwritten {
    fn from(error: io::Error) -> Self {
        Unwritten::File(error)
    }
}

/// Writes a whole file, or standard output, piece by piece; if that fails, what was there stays.
pub fn write_with<T>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<T, Failure>,
) -> Result<T, Failure> {
    if is_dash(path) {
        let mut out = stdout();
        let made = write(&mut out)?;
        out.flush()?;
        return Ok(made);
    }
    let written = replace(path, |file| {
        let mut out = BufWriter::with_capacity(1 << 16, file);
        let made = write(&mut out).map_err(Unwritten::Content)?;
        out.flush()?;
        Ok(made)
    });
    written.map_err(|unwritten| match unwritten {
        Unwritten::Content(failure) => failure,
        Unwritten::File(error) => unwritable(path, &error),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_replaced_as_a_whole() {
        let directory = std::env::temp_dir().join(format!("xfjit-files-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let path = directory.join("out");
        write(&path, b"one").unwrap();
        write(&path, b"two").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"two");
        // No directory, and a directory where a file should be: nothing is left behind.
        for bad in [directory.join("absent/out"), directory.clone()] {
            assert_eq!(write(&bad, b"x").unwrap_err().code(), 3);
        }
        assert_eq!(std::fs::read_dir(&directory).unwrap().count(), 1);
        std::fs::remove_dir_all(&directory).unwrap();
    }

    #[cfg(windows)]
    #[test]
    fn devices_stay_devices() {
        for path in ["NUL", "nul"] {
            write(Path::new(path), b"gone").unwrap();
        }
        let names = std::fs::read_dir(".").unwrap().map(|entry| entry.unwrap().file_name());
        let beside = |name: &std::ffi::OsString| name.as_encoded_bytes().starts_with(b".xfjit-");
        assert!(!names.into_iter().any(|name| beside(&name)));
    }

    #[cfg(unix)]
    #[test]
    fn links_stay_links_and_devices_stay_devices() {
        let directory = std::env::temp_dir().join(format!("xfjit-links-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let (file, link) = (directory.join("file"), directory.join("link"));
        std::fs::write(&file, b"old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write(&link, b"new").unwrap();
        assert!(link.is_symlink());
        assert_eq!(std::fs::read(&file).unwrap(), b"new");
        write(Path::new("/dev/null"), b"gone").unwrap();
        assert!(!std::fs::metadata("/dev/null").unwrap().is_file());
        std::fs::remove_dir_all(&directory).unwrap();
    }
}
