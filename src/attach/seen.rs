//! What a reader has seen.

#[cfg(doc)]
use super::Reader;
use crate::engine::{Operand, Why};
use std::time::Duration;

/// What does not change in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Header {
    /// The process id of the writer.
    pub process: u32,
    /// When the file was made, since 1970.
    pub started: Duration,
    /// The file name of its executable.
    pub executable: String,
    /// The version of its library.
    pub library: String,
    /// What its code is made for; empty until there is an engine.
    pub target: String,
}

/// What runs a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SeenTier {
    /// The interpreter, until it is compiled.
    Waiting,
    /// Native code.
    Native,
    /// The interpreter, since native code was refused.
    Refused,
    /// The interpreter, since native code was given up.
    Retired,
}

/// What a program has done in all.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Counts {
    /// Batches.
    pub batches: u64,
    /// Vertices.
    pub vertices: u64,
    /// Nanoseconds of the batches that were timed.
    pub ns: u64,
    /// Vertices of these.
    pub timed_vertices: u64,
    /// Batches of the interpreter.
    pub interpreted_batches: u64,
    /// Vertices of these.
    pub interpreted_vertices: u64,
    /// Nanoseconds of these.
    pub interpreted_ns: u64,
    /// Vertices of routines with constants as literals.
    pub literal_vertices: u64,
    /// Batches in which native code has left a group.
    pub guarded_batches: u64,
    /// Such groups.
    pub guarded_groups: u64,
    /// Vertices of these that have run again.
    pub guarded_vertices: u64,
    /// Of these, those of the slow path.
    pub slow_vertices: u64,
    /// Of `ns`, what running vertices again took.
    pub fallback_ns: u64,
}

impl Counts {
    /// What has come since an earlier time. Nothing is less than nothing, whatever a file says.
    #[must_use]
    pub fn since(&self, before: &Counts) -> Counts {
        Counts {
            batches: self.batches.saturating_sub(before.batches),
            vertices: self.vertices.saturating_sub(before.vertices),
            ns: self.ns.saturating_sub(before.ns),
            timed_vertices: self.timed_vertices.saturating_sub(before.timed_vertices),
            interpreted_batches: self.interpreted_batches.saturating_sub(before.interpreted_batches),
            interpreted_vertices: self.interpreted_vertices.saturating_sub(before.interpreted_vertices),
            interpreted_ns: self.interpreted_ns.saturating_sub(before.interpreted_ns),
            literal_vertices: self.literal_vertices.saturating_sub(before.literal_vertices),
            guarded_batches: self.guarded_batches.saturating_sub(before.guarded_batches),
            guarded_groups: self.guarded_groups.saturating_sub(before.guarded_groups),
            guarded_vertices: self.guarded_vertices.saturating_sub(before.guarded_vertices),
            slow_vertices: self.slow_vertices.saturating_sub(before.slow_vertices),
            fallback_ns: self.fallback_ns.saturating_sub(before.fallback_ns),
        }
    }
}

/// A guard that vertices have raised.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Cause {
    /// Where: `slot 4`.
    pub place: String,
    /// The primitive whose recipe has it.
    pub operation: String,
    /// Why.
    pub why: Why,
    /// Vertices that raise it, of those looked at.
    pub vertices: u64,
    /// One of them, by its place in its batch.
    pub example: u64,
    /// What may be the reason.
    pub operand: Option<Operand>,
}

/// A program, as its entry describes it.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct SeenProgram {
    /// Its name: the kind, and a hash.
    pub name: String,
    /// What the host calls it.
    pub label: Option<String>,
    /// What runs it.
    pub tier: SeenTier,
    /// Why native code was refused.
    pub refusal: String,
    /// Vertices of a group of native code.
    pub lanes: usize,
    /// Bytes of machine code.
    pub code_bytes: u64,
    /// What compiling took, in nanoseconds.
    pub compile_ns: u64,
    /// Routines with constants as literals.
    pub literal_routines: u32,
    /// When its handle was made, since the file was.
    pub made: Duration,
    /// When its first batch began, if one has.
    pub first_run: Option<Duration>,
    /// What it has done.
    pub counts: Counts,
    /// Groups that were looked at for causes, and their vertices that raise a guard.
    pub looked: (u64, u64),
    /// The causes.
    pub causes: Vec<Cause>,
    /// Where its text is: first byte, bytes, checksum.
    pub(super) text: (u64, u64, u64),
}

/// What programs have done for which the file has no room.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct LeftOut {
    /// Such programs.
    pub programs: u64,
    /// Their batches.
    pub batches: u64,
    /// Their vertices.
    pub vertices: u64,
    /// What these took, in nanoseconds.
    pub ns: u64,
    /// Programs that have an entry, and no text.
    pub texts: u64,
}

/// Which routine of a program has been made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum RoutineKind {
    /// Its native code.
    Native,
    /// Its slow path.
    Slow,
    /// One with constants as literals.
    Literals,
}

/// A batch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Run {
    /// What it took; none if it was not timed.
    pub time: Option<Duration>,
    /// Of that, what running vertices again took.
    pub fallback: Duration,
    /// Its vertices.
    pub vertices: u64,
    /// Groups that native code has left.
    pub guarded_groups: u32,
    /// Vertices of these that have run again.
    pub guarded_vertices: u32,
    /// Whether it is the program's first.
    pub is_first: bool,
    /// Whether the interpreter has run it.
    pub is_interpreted: bool,
    /// Whether a routine with constants as literals has run it.
    pub has_literals: bool,
    /// The worker.
    pub worker: u64,
}

/// What has happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Happening {
    /// A handle was made.
    Made,
    /// Code was made.
    Compiled {
        /// Which.
        routine: RoutineKind,
        /// How long that took, before the time of the record.
        time: Duration,
        /// Bytes of it.
        bytes: u64,
    },
    /// The back end has refused a program.
    Refused,
    /// A batch has run.
    Run(Run),
    /// Native code was given up.
    Retired,
    /// Groups that native code has left were looked at.
    Looked,
}

/// A record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Record {
    /// Its number, from 0.
    pub number: u64,
    /// The place of its program among [`Reader::programs`]; none if the file has no room for it.
    pub program: Option<usize>,
    /// When it began, or happened, since the file was made.
    pub at: Duration,
    /// What.
    pub what: Happening,
}
