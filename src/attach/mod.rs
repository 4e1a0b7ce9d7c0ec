//! Attaching to a running process: the library writes what its programs do to a file in shared memory, and `xfjit prof --attach` reads it.
//!
//! ```text
//! layout.rs    what is where in the file, as tables
//! place.rs     where files lie, what they are called, whether their writers live
//! map.rs       the file as words that processes share
//! writer.rs    the side of the engine
//! reader.rs    the side of whoever attaches, and seen.rs what it finds
//! ```
//! An engine writes only if it is asked to, by [`Options::attach`](crate::Options::attach) or by the environment variable `XFJIT_ATTACH`. The
//! reader trusts nothing in the file: whatever is in it has a defined effect. docs/ATTACH.md is the reference of the file.

#[doc(hidden)]
pub mod layout;
mod map;
mod place;
mod reader;
mod seen;
mod writer;

pub use place::{directory, files};
pub use reader::{AttachError, Reader};
pub use seen::{Cause, Counts, Happening, Header, LeftOut, Record, RoutineKind, Run, SeenProgram, SeenTier};
pub(crate) use writer::Ring;

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// A file that others attach to. Engines that have it among their [`Options`](crate::Options) write what their programs do there. Copies
/// are of one file, which goes with the last of them and with the programs of these engines.
#[derive(Clone, Debug)]
pub struct Attach(Arc<Ring>);

/// Whether others can attach to an engine ([`Engine::attached`](crate::Engine::attached)).
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Attached<'a> {
    /// Nobody has asked for it.
    Off,
    /// By this file.
    File(&'a Path),
    /// The environment asks for it, but the file cannot be made: why.
    Failed(&'a str),
}

/// The file of this process, and the process, which may have been forked since.
static OF_PROCESS: Mutex<Option<(u32, Weak<Ring>)>> = Mutex::new(None);

impl Attach {
    /// The file of this process in the default directory ([`directory`]); all who ask share it.
    ///
    /// # Errors
    /// It cannot be made or mapped.
    pub fn new() -> io::Result<Attach> {
        let mut known = OF_PROCESS.lock().unwrap_or_else(PoisonError::into_inner);
        let process = std::process::id();
        let lives = known.as_ref().filter(|(of, _)| *of == process).and_then(|(_, ring)| ring.upgrade());
        if let Some(ring) = lives {
            return Ok(Attach(ring));
        }
        let made = Attach::in_directory(&directory())?;
        *known = Some((process, Arc::downgrade(&made.0)));
        Ok(made)
    }

    /// A file of its own in a directory.
    ///
    /// # Errors
    /// It cannot be made or mapped.
    pub fn in_directory(directory: &Path) -> io::Result<Attach> {
        Ok(Attach(Arc::new(Ring::create(directory)?)))
    }

    /// The file.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// What an engine writes to: what its options have, or what the environment asks for. An error of the latter keeps nobody from running.
    pub(crate) fn wanted(given: Option<Attach>) -> (Option<Attach>, Option<String>) {
        let is_asked =
            || std::env::var_os("XFJIT_ATTACH").is_some_and(|value| !value.is_empty() && value != "0");
        match given {
            None if is_asked() => match Attach::new() {
                Ok(attach) => (Some(attach), None),
                Err(error) => (None, Some(error.to_string())),
            },
            given => (given, None),
        }
    }

    /// What engines write to it by.
    pub(crate) fn ring(&self) -> &Ring {
        &self.0
    }
}
