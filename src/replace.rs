//! Replaces a file as a whole or not at all.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Writes a temporary file next to the target, which then replaces the target: a reader finds the whole old file or the whole new one, whoever
/// else writes it. A link stays a link, and the file keeps its permissions. A device or a pipe is written in place.
///
/// # Errors
/// What `write` returns, or a file that cannot be written; the old file is unchanged.
pub fn replace<T, E: From<io::Error>>(
    path: &Path,
    write: impl FnOnce(&mut File) -> Result<T, E>,
) -> Result<T, E> {
    let in_place = |path: &Path| File::options().write(true).open(path);
    if is_device(path) {
        return write(&mut in_place(path)?);
    }
    let target = fs::canonicalize(path).unwrap_or_else(|_| linked(path));
    let old = fs::metadata(&target).ok();
    if let Some(old) = &old {
        // A file that must not be written is not replaced either.
        let mut file = in_place(&target)?;
        if !old.is_file() {
            return write(&mut file);
        }
    }
    let (mut file, beside) = beside(&target)?;
    let written = (|| {
        let made = write(&mut file)?;
        if let Some(old) = &old {
            file.set_permissions(old.permissions())?;
        }
        drop(file);
        fs::rename(&beside, &target)?;
        Ok(made)
    })();
    if written.is_err() {
        // Whatever is left of it; the error that matters is the first.
        let _ = fs::remove_file(&beside);
    }
    written
}

/// Where a link leads whose file does not exist yet; any other path as it is.
fn linked(path: &Path) -> PathBuf {
    let mut target = path.to_path_buf();
    // No system follows more.
    for _ in 0..64 {
        match fs::read_link(&target) {
            Ok(next) => target = target.parent().unwrap_or(Path::new("")).join(next),
            Err(_) => break,
        }
    }
    target
}

/// A new file next to another one, which nobody else writes: not a thread of this process, nor another process, which may have the same
/// number if it has a system of its own.
fn beside(target: &Path) -> io::Result<(File, PathBuf)> {
    static NUMBERS: AtomicU64 = AtomicU64::new(0);
    target.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    loop {
        // Without the target's name, which may be as long as names can be.
        let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
        let path = target.with_file_name(format!(".xfjit-{}-{number}.tmp", std::process::id()));
        match File::create_new(&path) {
            Ok(file) => return Ok((file, path)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

/// Whether a path is one that Windows keeps for a device, in whichever directory, and tells nothing more of.
fn is_device(path: &Path) -> bool {
    let named = |device: &&str| path.file_name().is_some_and(|name| name.eq_ignore_ascii_case(device));
    cfg!(windows) && ["NUL", "CON"].iter().any(named)
}

#[cfg(test)]
mod tests {
    use super::replace;
    use std::fs;
    use std::io::{self, Write};

    #[test]
    fn what_a_process_of_the_same_number_left_is_in_nobodys_way() {
        let directory = std::env::temp_dir().join(format!("xfjit-replace-{}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        for number in 0..100 {
            fs::write(directory.join(format!(".xfjit-{}-{number}.tmp", std::process::id())), b"left")
                .unwrap();
        }
        let path = directory.join("out");
        for text in ["one", "two"] {
            replace(&path, |file| file.write_all(text.as_bytes())).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        replace(&path, |_| Err::<(), _>(io::Error::other("no"))).unwrap_err();
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(fs::read_dir(&directory).unwrap().count(), 101);
        fs::remove_dir_all(&directory).unwrap();
    }
}
