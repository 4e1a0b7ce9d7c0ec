//! Where files lie that processes write for others to attach to.

use super::layout::BYTES;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// What the names of such files end with.
const EXTENSION: &str = "attach";

/// The directory of such files: `XFJIT_ATTACH_DIR`, or memory that processes share (`/dev/shm` on Linux), or else the system's temporary
/// directory.
pub fn directory() -> PathBuf {
    if let Some(given) = std::env::var_os("XFJIT_ATTACH_DIR").filter(|value| !value.is_empty()) {
        return given.into();
    }
    let shared = Path::new("/dev/shm");
    if cfg!(target_os = "linux") && shared.is_dir() { shared.to_owned() } else { std::env::temp_dir() }
}

/// The files in a directory, by their names, with the process ids that these tell.
///
/// # Errors
/// The directory cannot be read.
pub fn files(directory: &Path) -> io::Result<Vec<(u32, PathBuf)>> {
    let mut all = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if let Some(process) = process_of(&path) {
            all.push((process, path));
        }
    }
    all.sort();
    Ok(all)
}

/// The process id in a name such as `xfjit-4711.attach` or `xfjit-4711-2.attach`.
fn process_of(path: &Path) -> Option<u32> {
    if path.extension()? != EXTENSION {
        return None;
    }
    let rest = path.file_stem()?.to_str()?.strip_prefix("xfjit-")?;
    rest.split('-').next()?.parse().ok()
}

/// Files that this process has made.
static MADE: AtomicU32 = AtomicU32::new(0);

/// A file of zeros under a name of its own, locked as long as it is open, and the name that it is to get.
pub(super) fn create(directory: &Path) -> io::Result<(File, PathBuf, PathBuf)> {
    let process = std::process::id();
    let stem = match MADE.fetch_add(1, Ordering::Relaxed) {
        0 => format!("xfjit-{process}"),
        number => format!("xfjit-{process}-{}", number + 1),
    };
    let draft = directory.join(format!("{stem}.new"));
    // One that a process of this number has left, if it is ours to remove.
    let _ = fs::remove_file(&draft);
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&draft)?;
    let made = fill(&mut file).and_then(|()| lock(&file));
    if let Err(error) = made {
        let _ = fs::remove_file(&draft);
        return Err(error);
    }
    sweep(directory, &file);
    Ok((file, draft, directory.join(format!("{stem}.{EXTENSION}"))))
}

/// Writes zeros rather than making the file long: where there is no room for them this is an error, and not a signal later on.
fn fill(file: &mut File) -> io::Result<()> {
    let zeros = vec![0; 1 << 16];
    const { assert!(BYTES.is_multiple_of(1 << 12)) };
    let mut left = BYTES;
    while left > 0 {
        let now = left.min(zeros.len());
        file.write_all(&zeros[..now])?;
        left -= now;
    }
    Ok(())
}

/// A lock ends with its process, so readers learn from it whether the writer lives. On Windows it would keep them from reading.
fn lock(file: &File) -> io::Result<()> {
    if cfg!(windows) { Ok(()) } else { file.try_lock().map_err(Into::into) }
}

/// Whether a writer lives; none if the system does not say so.
pub(super) fn is_live(file: &File) -> Option<bool> {
    if cfg!(windows) {
        return None;
    }
    match file.try_lock_shared() {
        Ok(()) => {
            let _ = file.unlock();
            Some(false)
        }
        Err(fs::TryLockError::WouldBlock) => Some(true),
        Err(fs::TryLockError::Error(_)) => None,
    }
}

/// Removes what processes of this user have left that have not ended as they should.
fn sweep(directory: &Path, own: &File) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let Ok(user) = own.metadata().map(|own| own.uid()) else { return };
        for (_, path) in files(directory).unwrap_or_default() {
            let is_ours = |path: &Path| {
                fs::symlink_metadata(path).is_ok_and(|found| found.is_file() && found.uid() == user)
            };
            if is_ours(&path) && File::open(&path).is_ok_and(|file| is_live(&file) == Some(false)) {
                let _ = fs::remove_file(&path);
            }
        }
    }
    #[cfg(not(unix))]
    let _ = (directory, own);
}
