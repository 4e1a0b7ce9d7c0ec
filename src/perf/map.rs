//! The perf map: `START SIZE NAME` in hexadecimal, a line for each routine.

use super::{MOST_BYTES, system};
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

#[derive(Debug)]
pub(super) struct Map {
    file: File,
    bytes: u64,
}

impl Map {
    /// The file of this process; what another code generator of it has written stays.
    pub(super) fn create(directory: &Path) -> io::Result<Map> {
        let path = directory.join(format!("perf-{}.map", std::process::id()));
        Ok(Map { file: system::own_file(&path, true)?, bytes: 0 })
    }

    pub(super) fn add(&mut self, name: &str, code: &[u8]) -> io::Result<()> {
        let line = format!("{:x} {:x} {name}\n", code.as_ptr().addr(), code.len());
        self.bytes += line.len() as u64;
        if self.bytes > MOST_BYTES {
            return Ok(());
        }
        // One call: others append to the file, too.
        self.file.write_all(line.as_bytes())
    }
}
