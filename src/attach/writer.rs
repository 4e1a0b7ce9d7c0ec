//! The side of the process that runs programs.
//!
//! One ring serves all threads: a writer takes the next number by an atomic addition, and then the record's place by a compare-exchange of
//! its sequence. A ring for each thread would need no second step, but emulators make workers as they like, and a reader would have to put
//! rings in order. Whoever finds another thread still at its place gives its record up, and counts it; so no record is ever made of two.
//! Totals stand in the entries of programs, where nothing is lost.

use super::layout::{self, Field, cause, flag, header, kind, program, record};
use super::map::Words;
use super::place;
use crate::engine::{Batch, Found, Operand, Which, Why};
use crate::repro::listed;
use std::collections::HashMap;
use std::fmt;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering, fence};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};
use xfjit_core::backend::Routine;
use xfjit_core::shader::Shader;

/// What has been written so far, for those that write entries: one at a time.
#[derive(Default)]
struct Table {
    places: HashMap<String, u32>,
    text_bytes: usize,
}

/// A file that others attach to. It goes with the last handle.
pub(crate) struct Ring {
    words: Words,
    /// Its lock tells readers that this process lives.
    _file: File,
    path: PathBuf,
    process: u32,
    start: Instant,
    table: Mutex<Table>,
}

impl fmt::Debug for Ring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ring").field("path", &self.path).finish_non_exhaustive()
    }
}

/// Whole nanoseconds; what does not fit is some 584 years.
fn ns(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// Two counts in a word, each as great as half of it can say.
fn halves(low: u64, high: u64) -> u64 {
    let half = |count: u64| count.min(u64::from(u32::MAX));
    half(low) | half(high) << 32
}

impl Ring {
    pub(super) fn create(directory: &Path) -> io::Result<Ring> {
        let named =
            |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", directory.display()));
        let (file, draft, path) = place::create(directory).map_err(named)?;
        let words = Words::new(&file).map_err(named);
        let ring = words.map(|words| Ring {
            words,
            _file: file,
            path,
            process: std::process::id(),
            start: Instant::now(),
            table: Mutex::default(),
        });
        let done = ring.and_then(|ring| {
            ring.begin();
            fs::rename(&draft, &ring.path).map_err(named)?;
            Ok(ring)
        });
        if done.is_err() {
            let _ = fs::remove_file(&draft);
        }
        done
    }

    /// Writes the header.
    fn begin(&self) {
        let started = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let executable = std::env::current_exe().unwrap_or_default();
        let name = executable.file_name().unwrap_or_default().to_string_lossy();
        self.set(0, header::BYTES, layout::BYTES as u64);
        self.set(0, header::PROCESS, self.process.into());
        self.set(0, header::STARTED, ns(started));
        self.set(0, header::STATE, 1);
        let bytes = self.text(0, header::EXECUTABLE, &name);
        self.set(0, header::EXECUTABLE_BYTES, bytes);
        self.text(0, header::LIBRARY, env!("CARGO_PKG_VERSION"));
        self.set(0, header::MAGIC, layout::MAGIC);
        self.word(0, header::VERSION).store(layout::VERSION, Ordering::Release);
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether this process is a copy of the one that has made the file, whose it stays.
    pub(crate) fn is_forked(&self) -> bool {
        self.process != std::process::id()
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A word of a part of the file that begins with a word.
    fn word(&self, base: usize, field: Field) -> &AtomicU64 {
        &self.words.all()[base + field.at]
    }

    fn set(&self, base: usize, field: Field, value: u64) {
        self.word(base, field).store(value, Ordering::Relaxed);
    }

    fn add(&self, base: usize, field: Field, value: u64) {
        if value > 0 {
            self.word(base, field).fetch_add(value, Ordering::Relaxed);
        }
    }

    /// Writes a text, as much of it as there is room for, and zeros behind it. How many bytes it has.
    fn text(&self, base: usize, field: Field, text: &str) -> u64 {
        let text = &text[..text.floor_char_boundary(8 * field.words)];
        let words = &self.words.all()[base + field.at..][..field.words];
        for (at, word) in words.iter().enumerate() {
            word.store(eight(text.as_bytes(), 8 * at), Ordering::Relaxed);
        }
        text.len() as u64
    }

    /// Writes fields of an entry that readers want all of or nothing.
    fn describe(&self, place: u32, write: impl FnOnce(usize)) {
        if place == layout::NO_PROGRAM || self.is_forked() {
            return;
        }
        let entry = layout::entry(place as usize);
        // One at a time, so that the sequence tells.
        let _table = self.table();
        let sequence = self.word(entry, program::SEQUENCE);
        let before = sequence.load(Ordering::Relaxed) & !1;
        sequence.store(before | 1, Ordering::Relaxed);
        fence(Ordering::Release);
        write(entry);
        sequence.store(before.wrapping_add(2), Ordering::Release);
    }

    /// Writes a record.
    fn put(&self, place: u32, kind_and_flags: (u64, u64), at: Duration, rest: [u64; 5]) {
        let number = self.word(0, header::HEAD).fetch_add(1, Ordering::Relaxed);
        let base = layout::record_at(number);
        let sequence = self.word(base, record::SEQUENCE);
        let (writing, written) =
            (number.wrapping_mul(2).wrapping_add(1), number.wrapping_mul(2).wrapping_add(2));
        let before = sequence.load(Ordering::Relaxed);
        let is_free = before.is_multiple_of(2) && before < writing;
        let took = is_free
            && sequence.compare_exchange(before, writing, Ordering::Acquire, Ordering::Relaxed).is_ok();
        if !took {
            self.add(0, header::DROPPED, 1);
            return;
        }
        fence(Ordering::Release);
        let (kind, flags) = kind_and_flags;
        self.set(base, record::KIND, kind | flags << 8 | u64::from(place) << 32);
        self.set(base, record::AT, ns(at));
        let fields = [record::NS, record::AMOUNT, record::GUARDED, record::FALLBACK_NS, record::WORKER];
        for (field, value) in fields.into_iter().zip(rest) {
            self.set(base, field, value);
        }
        sequence.store(written, Ordering::Release);
    }

    /// What code of this process is made for; the first engine says so.
    pub(crate) fn target(&self, target: &str) {
        let _table = self.table();
        if !self.is_forked() && self.word(0, header::TARGET_BYTES).load(Ordering::Relaxed) == 0 {
            let bytes = self.text(0, header::TARGET, target);
            self.word(0, header::TARGET_BYTES).store(bytes, Ordering::Release);
        }
    }

    /// The place of a program, by its name: equal programs of several engines share one.
    pub(crate) fn program(&self, name: &str, shader: &Shader) -> u32 {
        if self.is_forked() {
            return layout::NO_PROGRAM;
        }
        let mut table = self.table();
        if let Some(&place) = table.places.get(name) {
            return place;
        }
        if table.places.len() == layout::MOST_PROGRAMS {
            self.add(0, header::LEFT_PROGRAMS, 1);
            return layout::NO_PROGRAM;
        }
        let place = table.places.len() as u32;
        let entry = layout::entry(place as usize);
        let text = listed::lines(shader).unwrap_or_default();
        let begin = table.text_bytes;
        if text.len() <= layout::TEXT_BYTES - begin {
            let words = &self.words.all()[layout::TEXTS + begin / 8..];
            for (at, word) in words.iter().enumerate().take(text.len().div_ceil(8)) {
                word.store(eight(text.as_bytes(), 8 * at), Ordering::Relaxed);
            }
            table.text_bytes += text.len().next_multiple_of(8);
            self.set(entry, program::TEXT, begin as u64);
            self.set(entry, program::TEXT_CRC, crc32fast::hash(text.as_bytes()).into());
            self.set(entry, program::TEXT_BYTES, text.len() as u64);
        } else {
            self.add(0, header::LEFT_TEXTS, 1);
        }
        let now = self.start.elapsed();
        self.set(entry, program::MADE, ns(now));
        self.set(entry, program::LANES, 1);
        let bytes = self.text(entry, program::NAME, name);
        self.set(entry, program::NAME_BYTES, bytes);
        self.set(entry, program::SEQUENCE, 2);
        self.word(entry, program::STATE).store(1, Ordering::Release);
        self.word(0, header::PROGRAMS).store(u64::from(place) + 1, Ordering::Release);
        table.places.insert(name.to_owned(), place);
        drop(table);
        self.put(place, (kind::MADE, 0), now, [0; 5]);
        place
    }

    /// A routine of a program has been made.
    pub(crate) fn made(&self, place: u32, which: Which, routine: &dyn Routine) {
        if self.is_forked() {
            return;
        }
        let (cost, lanes) = (routine.cost(), routine.lanes() as u64);
        let time = ns(cost.compile_time);
        self.describe(place, |entry| {
            let sum = |field: Field, more: u64| {
                self.set(entry, field, self.word(entry, field).load(Ordering::Relaxed).wrapping_add(more));
            };
            sum(program::COMPILE_NS, time);
            match which {
                Which::Native => {
                    self.set(entry, program::TIER, 1);
                    self.set(entry, program::LANES, lanes);
                    self.set(entry, program::CODE_BYTES, cost.code_bytes as u64);
                    self.set(entry, program::MEMORY_BYTES, cost.memory_bytes as u64);
                }
                Which::Literals => sum(program::ROUTINES, 1),
                Which::Slow => sum(program::ROUTINES, 1 << 32),
            }
        });
        let rest = [time, cost.code_bytes as u64, lanes, 0, 0];
        self.put(place, (kind::COMPILED, which as u64), self.start.elapsed(), rest);
    }

    /// The back end has refused a program.
    pub(crate) fn refused(&self, place: u32, why: &str) {
        self.describe(place, |entry| {
            self.set(entry, program::TIER, 2);
            let bytes = self.text(entry, program::REFUSAL, why);
            self.set(entry, program::REFUSAL_BYTES, bytes);
        });
        self.event(place, kind::REFUSED);
    }

    /// Native code of a program was given up.
    pub(crate) fn retired(&self, place: u32) {
        self.describe(place, |entry| self.set(entry, program::TIER, 3));
        self.event(place, kind::RETIRED);
    }

    fn event(&self, place: u32, kind: u64) {
        if !self.is_forked() {
            self.put(place, (kind, 0), self.start.elapsed(), [0; 5]);
        }
    }

    /// The host calls a program so.
    pub(crate) fn label(&self, place: u32, label: &str) {
        self.describe(place, |entry| {
            let bytes = self.text(entry, program::LABEL, label);
            self.set(entry, program::LABEL_BYTES, bytes);
        });
    }

    /// What a second look at groups has found that native code had left.
    pub(crate) fn looked(&self, place: u32, found: &Found) {
        self.describe(place, |entry| {
            self.set(entry, program::LOOKED_GROUPS, found.groups);
            self.set(entry, program::LOOKED_VERTICES, found.vertices);
            let causes = found.guards.iter().take(layout::MOST_CAUSES);
            self.set(entry, program::GUARDS, causes.len() as u64);
            for (number, guard) in causes.enumerate() {
                let base = entry + program::CAUSE.at + number * layout::CAUSE_WORDS;
                self.text(base, cause::PLACE, &guard.place);
                self.text(base, cause::OPERATION, guard.operation);
                let why = match guard.why {
                    Why::Nan => 0,
                    Why::Large => 1,
                    Why::Small => 2,
                    Why::Operand => 3,
                };
                self.set(base, cause::WHY, why);
                self.set(base, cause::VERTICES, guard.vertices);
                self.set(base, cause::EXAMPLE, guard.example.vertex as u64);
                let (operand, bits) = match guard.example.operand {
                    None => (0, 0),
                    Some(Operand { is_constant, row, component, bits }) => {
                        let kind = 1 + u64::from(is_constant);
                        (kind | (component as u64 & 3) << 8 | (row as u64) << 32, bits)
                    }
                };
                self.set(base, cause::OPERAND, operand);
                self.set(base, cause::BITS, bits.into());
            }
        });
        self.event(place, kind::LOOKED);
    }

    /// A batch has run.
    pub(crate) fn ran(&self, place: u32, batch: &Batch<'_>) {
        if self.is_forked() {
            return;
        }
        let outcome = batch.outcome;
        let at = batch.begin.saturating_duration_since(self.start);
        let time = batch.time.map_or(0, ns);
        let mut flags = 0;
        if place == layout::NO_PROGRAM {
            self.add(0, header::LEFT_BATCHES, 1);
            self.add(0, header::LEFT_VERTICES, batch.vertices);
            self.add(0, header::LEFT_NS, time);
        } else {
            let entry = layout::entry(place as usize);
            let since = ns(at).saturating_add(1);
            let first = self.word(entry, program::FIRST_RUN);
            if first.load(Ordering::Relaxed) == 0
                && first.compare_exchange(0, since, Ordering::Relaxed, Ordering::Relaxed).is_ok()
            {
                flags |= flag::FIRST;
            }
            self.word(entry, program::LAST_RUN).fetch_max(since, Ordering::Relaxed);
            self.add(entry, program::BATCHES, 1);
            self.add(entry, program::VERTICES, batch.vertices);
            self.add(entry, program::NS, time);
            if batch.time.is_some() {
                self.add(entry, program::TIMED_VERTICES, batch.vertices);
            }
            if batch.is_interpreted {
                self.add(entry, program::INTERPRETED_BATCHES, 1);
                self.add(entry, program::INTERPRETED_VERTICES, batch.vertices);
                self.add(entry, program::INTERPRETED_NS, time);
            }
            if batch.has_literals {
                self.add(entry, program::LITERAL_VERTICES, batch.vertices);
            }
            self.add(entry, program::GUARDED_BATCHES, u64::from(outcome.deopt_groups > 0));
            self.add(entry, program::GUARDED_GROUPS, outcome.deopt_groups);
            self.add(entry, program::GUARDED_VERTICES, outcome.deopt_vertices);
            self.add(entry, program::SLOW_VERTICES, outcome.slow_vertices);
            if batch.time.is_some() {
                self.add(entry, program::FALLBACK_NS, ns(batch.fallback));
            }
        }
        let set = [
            (batch.is_interpreted, flag::INTERPRETED),
            (batch.has_literals, flag::LITERALS),
            (batch.time.is_none(), flag::UNTIMED),
        ];
        flags |= set.into_iter().filter(|(is_set, _)| *is_set).map(|(_, flag)| flag).sum::<u64>();
        let guarded = halves(outcome.deopt_groups, outcome.deopt_vertices);
        self.put(
            place,
            (kind::RUN, flags),
            at,
            [time, batch.vertices, guarded, ns(batch.fallback), batch.worker],
        );
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        // The copy of a process that was forked has no say.
        if !self.is_forked() {
            self.word(0, header::STATE).store(2, Ordering::Release);
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Eight bytes of a text as they lie in memory, zeros behind its end.
fn eight(text: &[u8], at: usize) -> u64 {
    let rest = text.get(at..).unwrap_or_default();
    let mut bytes = [0; 8];
    let count = rest.len().min(8);
    bytes[..count].copy_from_slice(&rest[..count]);
    u64::from_ne_bytes(bytes)
}
