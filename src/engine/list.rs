//! A list of programs to warm an engine with, kept between sessions of an emulator: microcode and counters, never machine
//! code.
//!
//! ```text
//! xfjit programs 1
//! program 5d41402a vertices 48213
//! gen kelvin
//! ...
//! ```
//! Each program has a checksum (CRC-32) of the lines below its own. A reader skips damaged programs, and those that only a later version
//! understands, and keeps the rest. The list has a size limit; the programs that have run least are left out.

use super::{Engine, Program};
use crate::replace::replace;
use crate::repro::listed;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;
use xfjit_core::shader::Shader;

/// The first line.
const HEADER: &str = "xfjit programs 1";
/// The most programs of a list.
const MOST: usize = 4096;
/// The most bytes of a file that are read: 4096 programs of 512 slots take some 75 MB, those of games a hundredth.
const MOST_BYTES: u64 = 128 << 20;

/// Programs with the vertices that they have run. See [`Engine::list`].
#[derive(Clone, Default, Debug)]
pub struct ProgramList {
    programs: HashMap<Shader, u64>,
    damaged: usize,
}

impl ProgramList {
    /// Adds what a program has run.
    pub fn add(&mut self, program: &Program) {
        self.count(program.shader(), program.stats().vertices);
    }

    /// Adds the counts of another list.
    pub fn merge(&mut self, other: &ProgramList) {
        other.programs.iter().for_each(|(shader, vertices)| self.count(shader, *vertices));
    }

    fn count(&mut self, shader: &Shader, vertices: u64) {
        let sum = self.programs.entry(shader.canonical()).or_default();
        *sum = sum.saturating_add(vertices);
    }

    /// The programs with the numbers of their vertices, in descending order; at most 4096.
    pub fn programs(&self) -> Vec<(&Shader, u64)> {
        let mut programs: Vec<_> =
            self.programs.iter().map(|(shader, vertices)| (shader, *vertices)).collect();
        programs.sort_by_key(|&(_, vertices)| Reverse(vertices));
        programs.truncate(MOST);
        programs
    }

    /// The number of entries that were left out because they were damaged or not understood.
    pub fn damaged(&self) -> usize {
        self.damaged
    }

    /// Returns the list as text. Programs that text cannot express are left out: some that were never words.
    pub fn to_text(&self) -> String {
        let mut text = format!("{HEADER}\n");
        for (shader, vertices) in self.programs() {
            if let Some(lines) = listed::lines(shader) {
                let sum = crc32fast::hash(lines.as_bytes());
                text += &format!("program {sum:08x} vertices {vertices}\n{lines}");
            }
        }
        text
    }

    /// Reads a list from text, as far as the text can be understood.
    pub fn from_text(text: &str) -> Self {
        let mut list = ProgramList::default();
        let Some(rest) = text.strip_prefix(HEADER) else {
            list.damaged = usize::from(!text.is_empty());
            return list;
        };
        for entry in rest.split("\nprogram ").skip(1).take(MOST) {
            let entry = entry.strip_suffix('\n').unwrap_or(entry);
            match read_entry(entry) {
                Some((shader, vertices)) => list.count(&shader, vertices),
                None => list.damaged += 1,
            }
        }
        list
    }

    /// Reads a list from a file. If the file does not exist, the list is empty.
    ///
    /// # Errors
    /// A file that cannot be read. A damaged file is not an error: see [`ProgramList::damaged`].
    pub fn load(path: &Path) -> io::Result<Self> {
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(ProgramList::default()),
            Err(error) => return Err(error),
        };
        let mut bytes = Vec::new();
        file.take(MOST_BYTES).read_to_end(&mut bytes)?;
        Ok(Self::from_text(&String::from_utf8_lossy(&bytes)))
    }

    /// Writes the list to a temporary file next to the target, which then replaces the target: a reader finds the whole old list or the
    /// whole new one, whoever else saves one there. A link stays a link, and the file keeps its permissions.
    ///
    /// # Errors
    /// A file that cannot be written; the old file is unchanged.
    pub fn save(&self, path: &Path) -> io::Result<()> {
        replace(path, |file| {
            file.write_all(self.to_text().as_bytes())?;
            file.sync_all()
        })
    }
}

/// A program from behind the word `program`.
fn read_entry(entry: &str) -> Option<(Shader, u64)> {
    let (head, lines) = entry.split_once('\n')?;
    let (sum, vertices) = head.split_once(" vertices ")?;
    let lines = format!("{lines}\n");
    if u32::from_str_radix(sum, 16).ok()? != crc32fast::hash(lines.as_bytes()) {
        return None;
    }
    Some((listed::shader(&lines).ok()?, vertices.parse().ok()?))
}

impl Engine {
    /// Returns the programs in the cache with the numbers of vertices that they have run, to be saved.
    pub fn list(&self) -> ProgramList {
        let mut list = ProgramList::default();
        self.programs().iter().for_each(|program| list.add(program));
        list
    }

    /// Compiles the programs of a list before they run, beginning with those that have run the most vertices ([`Engine::warm`]). The cache
    /// holds them; keep the returned handles if none may be evicted.
    pub fn warm_list(&self, list: &ProgramList, wait: bool) -> Vec<Arc<Program>> {
        let programs: Vec<_> = list.programs().into_iter().map(|(shader, _)| self.shader(shader)).collect();
        self.warm(&programs, wait);
        programs
    }
}
