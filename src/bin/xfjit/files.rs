//! Reading and writing files by name; `-` is standard input or output.

use crate::fail::Failure;
use crate::text::Flaw;
use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::Path;

/// Larger files are refused: nothing that the commands read comes near.
const LARGEST: u64 = 1 << 30;

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
    let fail = |error: io::Error| Failure::unreadable(name(path), &error);
    let mut bytes = Vec::new();
    let size = if is_dash(path) {
        io::stdin().lock().take(LARGEST + 1).read_to_end(&mut bytes)
    } else {
        File::open(path).map_err(fail)?.take(LARGEST + 1).read_to_end(&mut bytes)
    };
    match size.map_err(fail)? as u64 {
        ..=LARGEST => Ok(bytes),
        _ => Err(Failure::input(name(path), Flaw::new(format!("is larger than {LARGEST} bytes")))),
    }
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
    std::fs::write(path, bytes)
        .map_err(|error| Failure::Internal(format!("cannot write {}: {error}", path.display())))
}
