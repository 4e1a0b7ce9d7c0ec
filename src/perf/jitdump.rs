//! The jitdump format, version 1 (`tools/perf/Documentation/jitdump-specification.txt` of Linux).
//!
//! ```text
//! header        magic, version, bytes, machine, 0, process, time, flags
//! record        kind, bytes, time
//!   DEBUG_INFO  address of the code, number of entries, then for each: address, line, 0, name of the file
//!   CODE_LOAD   process, thread, address, address, bytes, number, name, 0, code
//!   CLOSE
//! ```
//! Everything is in the byte order of the host. Lines of code come before the code. Times are the system's monotonic clock, so that
//! code that later lies at the address of other code is told from it.

use super::source::Source;
use super::{MOST_BYTES, system};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use system::Mark;
use xfjit_core::backend::MachineCode;

const MAGIC: u32 = 0x4a69_5444;
const VERSION: u32 = 1;
const HEADER_BYTES: u32 = 40;
const PREFIX_BYTES: u32 = 16;
const CODE_LOAD: u32 = 0;
const DEBUG_INFO: u32 = 2;
const CLOSE: u32 = 3;

/// The machine, as ELF numbers it.
pub(super) const MACHINE: u32 = if cfg!(target_arch = "aarch64") { 183 } else { 62 };

#[derive(Debug)]
pub(super) struct JitDump {
    file: File,
    /// The process that writes it: a copy of it, forked, has the same file.
    process: u32,
    /// Its name without the end, for the files beside it.
    stem: PathBuf,
    _mark: Mark,
    bytes: u64,
    number: u64,
}

/// A record being made.
#[derive(Default)]
struct Record(Vec<u8>);

impl Record {
    fn word(&mut self, word: u32) {
        self.0.extend_from_slice(&word.to_ne_bytes());
    }

    fn long(&mut self, long: u64) {
        self.0.extend_from_slice(&long.to_ne_bytes());
    }

    fn text(&mut self, text: &[u8]) {
        self.0.extend(text.iter().map(|&byte| if byte == 0 { b'?' } else { byte }));
        self.0.push(0);
    }

    /// The record, with its prefix.
    fn finish(self, kind: u32) -> Vec<u8> {
        let mut all = Record::default();
        all.word(kind);
        all.word(PREFIX_BYTES + self.0.len() as u32);
        all.long(system::now());
        all.0.extend(self.0);
        all.0
    }
}

impl JitDump {
    pub(super) fn create(directory: &Path) -> io::Result<JitDump> {
        fs::create_dir_all(directory)?;
        // perf opens it by the name that it was mapped by.
        let directory = directory.canonicalize()?;
        let stem = directory.join(format!("jit-{}", std::process::id()));
        let mut file = system::own_file(&stem.with_extension("dump"), false)?;
        let mut header = Record::default();
        for word in [MAGIC, VERSION, HEADER_BYTES, MACHINE, 0, std::process::id()] {
            header.word(word);
        }
        header.long(system::now());
        header.long(0);
        file.write_all(&header.0)?;
        let _mark = Mark::new(&file)?;
        let process = std::process::id();
        Ok(JitDump { file, process, stem, _mark, bytes: u64::from(HEADER_BYTES), number: 0 })
    }

    pub(super) fn add(&mut self, name: &str, source: &Source, code: &MachineCode<'_>) -> io::Result<()> {
        let start = code.bytes.as_ptr().addr() as u64;
        let mut path = self.stem.clone().into_os_string();
        path.push(format!("-{}.txt", source.name()));
        let path = PathBuf::from(path);
        let mut lines = Record::default();
        lines.long(start);
        lines.long(code.lines.len() as u64);
        for &(offset, origin) in code.lines {
            lines.long(start + u64::from(offset));
            lines.word(source.line(origin));
            lines.word(0);
            lines.text(path.as_os_str().as_encoded_bytes());
        }
        let mut load = Record::default();
        load.word(std::process::id());
        load.word(system::thread());
        load.long(start);
        load.long(start);
        load.long(code.bytes.len() as u64);
        load.long(self.number);
        load.text(name.as_bytes());
        load.0.extend_from_slice(code.bytes);
        let mut records = Vec::new();
        if !code.lines.is_empty() {
            records = lines.finish(DEBUG_INFO);
        }
        records.extend(load.finish(CODE_LOAD));
        self.bytes += (records.len() + source.text().len()) as u64;
        if self.bytes > MOST_BYTES {
            return Ok(());
        }
        self.number += 1;
        if !code.lines.is_empty() {
            match system::new_file(&path) {
                Ok(mut file) => file.write_all(source.text().as_bytes())?,
                // The routine for small batches of the same program.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        self.file.write_all(&records)
    }
}

impl Drop for JitDump {
    fn drop(&mut self) {
        if self.process == std::process::id() {
            let _ = self.file.write_all(&Record::default().finish(CLOSE));
        }
    }
}
