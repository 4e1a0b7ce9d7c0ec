//! The side of whoever attaches. Nothing in the file is trusted: it is read, not mapped, so that a file that is cut short is an error and no
//! signal; places follow from the layout alone; texts are bounded, and have no characters that control a terminal.
//!
//! A record, or the described part of an entry, is read twice. If both readings are equal and their sequence is even and as expected, no
//! writer has been at it in between: a writer makes the sequence odd before it touches anything else, and greater afterwards.

use super::layout::{self, Field, cause, flag, header, kind, program, record};
use super::place;
use super::seen::{
    Cause, Counts, Happening, Header, LeftOut, Record, RoutineKind, Run, SeenProgram, SeenTier,
};
use crate::engine::{Operand, Why, misleads};
use crate::repro::listed;
use std::error::Error;
use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Duration;
use xfjit_core::shader::Shader;

/// Polls in which a record may be missing before it counts as lost: its writer may be about to write it.
const PATIENCE: u8 = 2;
/// Bytes of the text of a program, at most.
const MOST_TEXT: u64 = 1 << 17;

/// Why a file cannot be attached to, or not any longer.
#[derive(Debug)]
#[non_exhaustive]
pub enum AttachError {
    /// It cannot be read.
    Io(io::Error),
    /// It has so many bytes, and not as many as the layout says: it is no such file, or was cut short.
    Size(u64),
    /// It does not begin as such files do.
    Foreign,
    /// A machine of another byte order has written it.
    ByteOrder,
    /// It is of this version of the layout, which this reader does not know.
    Version(u64),
    /// Its header contradicts itself, or has changed.
    Damaged(&'static str),
}

impl fmt::Display for AttachError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AttachError::Io(error) => write!(f, "cannot be read: {error}"),
            AttachError::Size(bytes) => {
                write!(f, "has {bytes} bytes, not {} as a file to attach to", layout::BYTES)
            }
            AttachError::Foreign => write!(f, "is not a file that xfjit writes to attach to"),
            AttachError::ByteOrder => write!(f, "was written on a machine of another byte order"),
            AttachError::Version(version) => {
                let which = if *version > layout::VERSION { "a later" } else { "an earlier" };
                write!(
                    f,
                    "has the layout {version} of {which} xfjit; this one reads the layout {}",
                    layout::VERSION
                )
            }
            AttachError::Damaged(what) => write!(f, "is damaged: {what}"),
        }
    }
}

impl Error for AttachError {}

impl From<io::Error> for AttachError {
    fn from(error: io::Error) -> Self {
        AttachError::Io(error)
    }
}

/// A file that another process writes.
#[derive(Debug)]
pub struct Reader {
    file: File,
    path: PathBuf,
    header: Header,
    programs: Vec<SeenProgram>,
    left_out: LeftOut,
    /// The record that is next.
    next: u64,
    /// Polls in which it was missing.
    waited: u8,
    lost: u64,
    damaged: u64,
}

/// Words that have been read.
struct Block(Vec<u64>);

impl Block {
    fn word(&self, base: usize, field: Field) -> u64 {
        self.0.get(base + field.at).copied().unwrap_or(0)
    }

    /// The text of a field, as many bytes as it is said to have, or as there are before a zero.
    fn text(&self, base: usize, field: Field, bytes: Option<u64>) -> String {
        let words = self.0.get(base + field.at..base + field.at + field.words).unwrap_or_default();
        let all: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let zero = || all.iter().position(|&byte| byte == 0).unwrap_or(all.len());
        let count = bytes.map_or_else(zero, |bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
        let text = String::from_utf8_lossy(&all[..count.min(all.len())]);
        text.chars().map(|c| if misleads(c) { char::REPLACEMENT_CHARACTER } else { c }).collect()
    }
}

impl Reader {
    /// Opens a file. Records that it has by now are the first that [`Reader::poll`] passes on.
    ///
    /// # Errors
    /// It cannot be read, or is no such file.
    pub fn open(path: &Path) -> Result<Reader, AttachError> {
        // Opening a pipe would wait for somebody to write to it.
        if !path.metadata()?.is_file() {
            return Err(AttachError::Foreign);
        }
        let mut file = File::open(path)?;
        let bytes = file.metadata()?.len();
        // What is no such file at all is told so first.
        if bytes >= 8 {
            let magic = read(&mut file, 0, 1)?.word(0, header::MAGIC);
            if magic == layout::MAGIC.swap_bytes() {
                return Err(AttachError::ByteOrder);
            }
            if magic != layout::MAGIC {
                return Err(AttachError::Foreign);
            }
        }
        if bytes >= 16 {
            let version = read(&mut file, 0, 2)?.word(0, header::VERSION);
            if version != layout::VERSION {
                return Err(AttachError::Version(version));
            }
        }
        if bytes != layout::BYTES as u64 {
            return Err(AttachError::Size(bytes));
        }
        let block = read(&mut file, 0, layout::PROGRAMS)?;
        let header = of_header(&block)?;
        let path = path.to_owned();
        let mut reader = Reader {
            file,
            path,
            header,
            programs: Vec::new(),
            left_out: LeftOut::default(),
            next: 0,
            waited: 0,
            lost: 0,
            damaged: 0,
        };
        reader.read_programs(&block)?;
        Ok(reader)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What does not change.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The programs, in the order in which they were made, with what they have done until the last poll.
    pub fn programs(&self) -> &[SeenProgram] {
        &self.programs
    }

    /// What programs have done for which the file has no room.
    pub fn left_out(&self) -> LeftOut {
        self.left_out
    }

    /// Records that were overwritten before they were read, or were never written.
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// Records and counters that make no sense.
    pub fn damaged(&self) -> u64 {
        self.damaged
    }

    /// Leaves out the records that there are by now.
    ///
    /// # Errors
    /// The file cannot be read any more.
    pub fn skip(&mut self) -> Result<(), AttachError> {
        let block = read(&mut self.file, 0, layout::PROGRAMS)?;
        self.next = block.word(0, header::HEAD);
        self.waited = 0;
        Ok(())
    }

    /// Whether the writer has closed the file, or its process has ended.
    pub fn is_over(&mut self) -> bool {
        let closed = read(&mut self.file, 0, layout::PROGRAMS);
        let is_closed = closed.is_ok_and(|block| block.word(0, header::STATE) != 1);
        is_closed || place::is_live(&self.file) == Some(false)
    }

    /// Reads what has changed: the programs, and the records since the last poll, in their order.
    ///
    /// # Errors
    /// The file cannot be read any more, or its header has changed. What was read before is still there.
    pub fn poll(&mut self, mut each: impl FnMut(&Record)) -> Result<(), AttachError> {
        let bytes = self.file.metadata()?.len();
        if bytes != layout::BYTES as u64 {
            return Err(AttachError::Size(bytes));
        }
        let block = read(&mut self.file, 0, layout::PROGRAMS)?;
        let header = of_header(&block)?;
        if header.process != self.header.process || header.started != self.header.started {
            return Err(AttachError::Damaged("it is another process's now"));
        }
        self.header = header;
        self.read_programs(&block)?;
        let head = block.word(0, header::HEAD);
        if head < self.next {
            // Somebody has written to it who should not.
            self.damaged = self.damaged.saturating_add(1);
            self.next = head;
            return Ok(());
        }
        let most = layout::MOST_RECORDS as u64;
        if head - self.next > most {
            self.lost = self.lost.saturating_add(head - self.next - most);
            self.next = head - most;
            self.waited = 0;
        }
        // Places that follow each other, up to the end of the ring.
        while self.next < head {
            let count = (head - self.next).min(most - self.next % most) as usize;
            let at = layout::record_at(self.next);
            let [first, second] = read_twice(&mut self.file, at, count * layout::RECORD_WORDS)?;
            for place in 0..count {
                if !self.take(&first, &second, place * layout::RECORD_WORDS, head, &mut each) {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Takes the next record. Whether to go on: not if it may still be written.
    fn take(
        &mut self,
        first: &Block,
        second: &Block,
        base: usize,
        head: u64,
        each: &mut impl FnMut(&Record),
    ) -> bool {
        let range = base..base + layout::RECORD_WORDS;
        let expected = self.next.wrapping_mul(2).wrapping_add(2);
        let sequence = second.word(base, record::SEQUENCE);
        if sequence == expected && first.0.get(range.clone()) == second.0.get(range) {
            match self.record(second, base) {
                Some(record) => each(&record),
                None => self.damaged = self.damaged.saturating_add(1),
            }
        } else if sequence < expected
            && self.waited < PATIENCE
            && head - self.next < layout::MOST_RECORDS as u64
        {
            self.waited += 1;
            return false;
        } else {
            self.lost = self.lost.saturating_add(1);
        }
        self.waited = 0;
        self.next += 1;
        true
    }

    /// What a record says; none if it makes no sense.
    fn record(&self, block: &Block, base: usize) -> Option<Record> {
        let word = |field| block.word(base, field);
        let first = word(record::KIND);
        let flags = first >> 8 & 0xff_ffff;
        let place = (first >> 32) as u32;
        let program = if place == layout::NO_PROGRAM { None } else { Some(place as usize) };
        if program.is_some_and(|place| place >= self.programs.len()) {
            return None;
        }
        let time = Duration::from_nanos(word(record::NS));
        let what = match first & 0xff {
            kind::MADE => Happening::Made,
            kind::COMPILED => Happening::Compiled {
                routine: match flags {
                    0 => RoutineKind::Native,
                    1 => RoutineKind::Slow,
                    2 => RoutineKind::Literals,
                    _ => return None,
                },
                time,
                bytes: word(record::AMOUNT),
            },
            kind::REFUSED => Happening::Refused,
            kind::RUN => Happening::Run(Run {
                time: (flags & flag::UNTIMED == 0).then_some(time),
                fallback: Duration::from_nanos(word(record::FALLBACK_NS)),
                vertices: word(record::AMOUNT),
                guarded_groups: word(record::GUARDED) as u32,
                guarded_vertices: (word(record::GUARDED) >> 32) as u32,
                is_first: flags & flag::FIRST != 0,
                is_interpreted: flags & flag::INTERPRETED != 0,
                has_literals: flags & flag::LITERALS != 0,
                worker: word(record::WORKER),
            }),
            kind::RETIRED => Happening::Retired,
            kind::LOOKED => Happening::Looked,
            _ => return None,
        };
        Some(Record { number: self.next, program, at: Duration::from_nanos(word(record::AT)), what })
    }

    /// Reads the entries in use.
    fn read_programs(&mut self, block: &Block) -> Result<(), AttachError> {
        self.left_out = LeftOut {
            programs: block.word(0, header::LEFT_PROGRAMS),
            batches: block.word(0, header::LEFT_BATCHES),
            vertices: block.word(0, header::LEFT_VERTICES),
            ns: block.word(0, header::LEFT_NS),
            texts: block.word(0, header::LEFT_TEXTS),
        };
        let used = block.word(0, header::PROGRAMS);
        if used > layout::MOST_PROGRAMS as u64 {
            return Err(AttachError::Damaged("it counts more programs than it has room for"));
        }
        let words = used as usize * layout::PROGRAM_WORDS;
        let [first, second] = read_twice(&mut self.file, layout::PROGRAMS, words)?;
        for place in 0..used as usize {
            let base = place * layout::PROGRAM_WORDS;
            let described = |block: &Block| -> Vec<u64> {
                let all = block.0.get(base..base + layout::PROGRAM_WORDS).unwrap_or_default();
                let counters = program::BATCHES.at..program::LOOKED_GROUPS.at;
                all.iter()
                    .enumerate()
                    .filter(|(at, _)| !counters.contains(at))
                    .map(|(_, &word)| word)
                    .collect()
            };
            let is_whole = second.word(base, program::SEQUENCE).is_multiple_of(2)
                && described(&first) == described(&second);
            let seen = match self.programs.get_mut(place) {
                // What it was a moment ago, with counters of now.
                Some(seen) if !is_whole => {
                    (seen.counts, seen.first_run) = counts(&second, base);
                    continue;
                }
                _ => program_of(&second, base),
            };
            match self.programs.get_mut(place) {
                Some(known) => *known = seen,
                None => self.programs.push(seen),
            }
        }
        Ok(())
    }

    /// What a program is made of, as far as the file has its text.
    pub fn shader(&mut self, place: usize) -> Option<Shader> {
        let (begin, bytes, sum) = self.programs.get(place)?.text;
        let end = begin.checked_add(bytes)?;
        if bytes == 0 || bytes > MOST_TEXT || end > layout::TEXT_BYTES as u64 {
            return None;
        }
        let mut text = vec![0; bytes as usize];
        self.file.seek(SeekFrom::Start(8 * layout::TEXTS as u64 + begin)).ok()?;
        self.file.read_exact(&mut text).ok()?;
        if u64::from(crc32fast::hash(&text)) != sum {
            return None;
        }
        listed::shader(std::str::from_utf8(&text).ok()?).ok()
    }
}

/// Reads words of a file.
fn read(file: &mut File, first: usize, words: usize) -> Result<Block, AttachError> {
    let mut bytes = vec![0; 8 * words];
    file.seek(SeekFrom::Start(8 * first as u64))?;
    file.read_exact(&mut bytes).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => {
            AttachError::Size(file.metadata().map_or(0, |metadata| metadata.len()))
        }
        _ => AttachError::Io(error),
    })?;
    let (words, _) = bytes.as_chunks::<8>();
    Ok(Block(words.iter().map(|word| u64::from_ne_bytes(*word)).collect()))
}

/// Reads words twice, one time after the other.
fn read_twice(file: &mut File, first: usize, words: usize) -> Result<[Block; 2], AttachError> {
    Ok([read(file, first, words)?, read(file, first, words)?])
}

fn of_header(block: &Block) -> Result<Header, AttachError> {
    let word = |field| block.word(0, field);
    if word(header::MAGIC) != layout::MAGIC {
        return Err(AttachError::Foreign);
    }
    if word(header::VERSION) != layout::VERSION {
        return Err(AttachError::Version(word(header::VERSION)));
    }
    if word(header::BYTES) != layout::BYTES as u64 {
        return Err(AttachError::Damaged("it says that it has another size"));
    }
    let process = u32::try_from(word(header::PROCESS));
    Ok(Header {
        process: process.map_err(|_| AttachError::Damaged("its process id is no number of a process"))?,
        started: Duration::from_nanos(word(header::STARTED)),
        executable: block.text(0, header::EXECUTABLE, Some(word(header::EXECUTABLE_BYTES))),
        library: block.text(0, header::LIBRARY, None),
        target: block.text(0, header::TARGET, Some(word(header::TARGET_BYTES))),
    })
}

fn counts(block: &Block, base: usize) -> (Counts, Option<Duration>) {
    let word = |field| block.word(base, field);
    let counts = Counts {
        batches: word(program::BATCHES),
        vertices: word(program::VERTICES),
        ns: word(program::NS),
        timed_vertices: word(program::TIMED_VERTICES),
        interpreted_batches: word(program::INTERPRETED_BATCHES),
        interpreted_vertices: word(program::INTERPRETED_VERTICES),
        interpreted_ns: word(program::INTERPRETED_NS),
        literal_vertices: word(program::LITERAL_VERTICES),
        guarded_batches: word(program::GUARDED_BATCHES),
        guarded_groups: word(program::GUARDED_GROUPS),
        guarded_vertices: word(program::GUARDED_VERTICES),
        slow_vertices: word(program::SLOW_VERTICES),
        fallback_ns: word(program::FALLBACK_NS),
    };
    (counts, word(program::FIRST_RUN).checked_sub(1).map(Duration::from_nanos))
}

fn program_of(block: &Block, base: usize) -> SeenProgram {
    let word = |field| block.word(base, field);
    let text = |field, bytes| block.text(base, field, Some(word(bytes)));
    let (counts, first_run) = counts(block, base);
    let label = text(program::LABEL, program::LABEL_BYTES);
    let causes = (word(program::GUARDS) as usize).min(layout::MOST_CAUSES);
    SeenProgram {
        name: text(program::NAME, program::NAME_BYTES),
        label: (!label.is_empty()).then_some(label),
        tier: match word(program::TIER) {
            1 => SeenTier::Native,
            2 => SeenTier::Refused,
            3 => SeenTier::Retired,
            _ => SeenTier::Waiting,
        },
        refusal: text(program::REFUSAL, program::REFUSAL_BYTES),
        // More than any vector has; what divides by it need not ask.
        lanes: word(program::LANES).clamp(1, 1024) as usize,
        code_bytes: word(program::CODE_BYTES),
        compile_ns: word(program::COMPILE_NS),
        literal_routines: word(program::ROUTINES) as u32,
        made: Duration::from_nanos(word(program::MADE)),
        first_run,
        counts,
        looked: (word(program::LOOKED_GROUPS), word(program::LOOKED_VERTICES)),
        causes: (0..causes)
            .map(|number| cause_of(block, base + program::CAUSE.at + number * layout::CAUSE_WORDS))
            .collect(),
        text: (word(program::TEXT), word(program::TEXT_BYTES), word(program::TEXT_CRC)),
    }
}

fn cause_of(block: &Block, base: usize) -> Cause {
    let word = |field| block.word(base, field);
    let operand = word(cause::OPERAND);
    Cause {
        place: block.text(base, cause::PLACE, None),
        operation: block.text(base, cause::OPERATION, None),
        why: match word(cause::WHY) {
            0 => Why::Nan,
            1 => Why::Large,
            2 => Why::Small,
            _ => Why::Operand,
        },
        vertices: word(cause::VERTICES),
        example: word(cause::EXAMPLE),
        operand: matches!(operand & 0xff, 1 | 2).then_some(Operand {
            is_constant: operand & 0xff == 2,
            row: (operand >> 32) as usize,
            component: (operand >> 8 & 3) as usize,
            bits: word(cause::BITS) as u32,
        }),
    }
}
