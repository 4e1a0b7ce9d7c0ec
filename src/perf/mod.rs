//! Reports generated code to Linux's `perf`: names of programs, and lines of their microcode.
//!
//! ```text
//! map.rs       /tmp/perf-PID.map: a line for each routine, which `perf report` reads by itself
//! jitdump.rs   jit-PID.dump: code, names and lines as records, for `perf record -k mono` and `perf inject --jit`
//! source.rs    the text that lines are numbers of: a file for each program beside the dump
//! system.rs    what only the system can do: the mark by which perf finds the dump, its clock
//! ```
//! Files are written only if the caller requests them here; the environment has no effect. An existing file is reused only if nobody but
//! this process can have written it.

mod jitdump;
mod map;
mod source;
mod system;

#[cfg(test)]
mod tests;

use jitdump::JitDump;
use map::Map;
use source::Source;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use xfjit_core::backend::Routine;
use xfjit_core::shader::Shader;

/// After so many bytes in its files nothing is added.
const MOST_BYTES: u64 = 256 << 20;

/// Reports to Linux's `perf` the code of all engines that have it in their [`Options`](crate::Options). Copies write to the same files,
/// which are closed with the last copy.
#[derive(Clone, Debug)]
pub struct Perf(Arc<Mutex<Sink>>);

#[derive(Debug)]
enum Sink {
    Map(Map),
    JitDump(JitDump),
}

impl Perf {
    /// Names of programs in `/tmp/perf-PID.map`, where `perf report` looks for them. Names stay when their code is evicted, so `perf` may
    /// name the wrong program if the cache is too small.
    ///
    /// # Errors
    /// The file cannot be written, or there is a file that somebody else may have written; [`io::ErrorKind::Unsupported`] on systems
    /// without `perf`.
    pub fn map() -> io::Result<Perf> {
        Perf::map_in(Path::new("/tmp"))
    }

    fn map_in(directory: &Path) -> io::Result<Perf> {
        Ok(Perf::new(Sink::Map(Map::create(directory)?)))
    }

    /// Code, names and lines in `DIRECTORY/jit-PID.dump`, and next to it a listing of each program; line numbers refer to that listing. Use
    /// `perf record -k mono`, then `perf inject --jit`; perf finds the file by itself. The directory is created if necessary.
    ///
    /// # Errors
    /// As for [`Perf::map`]; also if another `Perf` of this process has such a file there.
    pub fn jitdump(directory: &Path) -> io::Result<Perf> {
        Ok(Perf::new(Sink::JitDump(JitDump::create(directory)?)))
    }

    fn new(sink: Sink) -> Perf {
        Perf(Arc::new(Mutex::new(sink)))
    }

    /// Tells of the code of a program. What cannot be written is left out: a profile is no reason to stop a game.
    #[doc(hidden)]
    pub fn add(&self, name: &str, shader: &Shader, routine: &dyn Routine) {
        let codes = routine.machine_code();
        let origins = codes.iter().flat_map(|code| code.lines).map(|&(_, origin)| origin);
        let source = Source::new(name.to_owned(), shader, origins);
        let mut sink = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for code in codes {
            let name = format!("xfjit:{name}:{}", code.lanes);
            let _ = match &mut *sink {
                Sink::Map(map) => map.add(&name, code.bytes),
                Sink::JitDump(dump) => dump.add(&name, &source, &code),
            };
        }
    }

    /// Whether it makes use of lines.
    #[doc(hidden)]
    pub fn wants_lines(&self) -> bool {
        matches!(*self.0.lock().unwrap_or_else(PoisonError::into_inner), Sink::JitDump(_))
    }
}
