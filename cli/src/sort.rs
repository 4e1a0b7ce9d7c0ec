//! What sort of file there is, by its content: a command that is given one of another sort says which, and who takes it.
//!
//! Every file that a command reads comes through [`read`] with what is [wanted](Wanted) of it. Files that are no known sort are
//! left to whoever reads them: that one knows best what is wrong with them.

use crate::fail::Failure;
use crate::files;
use crate::kit::results;
use crate::names::Hash;
use crate::text::{self, Flaw};
use std::borrow::Cow;
use std::path::Path;
use xfjit::Generation;
use xfjit::asm::{self, gl};
use xfjit::capture::{self, Content, Reader};
use xfjit::flipper::dff::Recording;
use xfjit::import::{log, vpo};
use xfjit_testing::golden;

/// Lines of a text that are looked at: what is no instruction may be damaged, or a branch to a label further on.
const LOOKED_AT: usize = 32;
/// Bytes of a text in which those lines are looked for.
const SEARCHED: usize = 1 << 16;

/// Every sort: its name, and who takes it.
macro_rules! sorts { ($($(#[doc = $doc:literal])* $name:ident = $text:literal, $takes:literal;)*) => {
    /// A sort of file.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum Sort { $($(#[doc = $doc])* $name),* }

    impl Sort {
        /// Every sort.
        #[cfg(test)]
        const ALL: &[Sort] = &[$(Sort::$name),*];

        /// What such a file is.
        pub const fn text(self) -> &'static str {
            match self { $(Sort::$name => $text),* }
        }

        /// The commands that take it.
        pub const fn takes(self) -> &'static str {
            match self { $(Sort::$name => $takes),* }
        }
    }
} }
sorts! {
    /// Assembler text of the chips.
    Assembler = "assembler text", "use it with `xfjit run --program`, `asm`, `dump`, `explore` or `chip`";
    /// Assembler text of OpenGL.
    OpenGl = "an OpenGL program", "use it with `xfjit run --program`, `asm`, `dump`, `explore` or `chip`";
    /// Microcode as text.
    Microcode = "microcode", "use it with `xfjit run --program`, `dis`, `dump`, `explore` or `chip`";
    /// A capture.
    Capture = "a capture", "use it with `xfjit run --trace`, `list`, `prof`, `dis`, `dump` or `explore`";
    /// A recording of Dolphin's FIFO player.
    Recording = "a recording for Dolphin's FIFO player (.dff)", "use it with `xfjit run --trace`, `list`, `prof` or `import`";
    /// A command stream as text.
    Trace = "a command stream as text", "use it with `xfjit run --trace`, `list`, `prof`, `dis`, `dump`, `explore` or `import`";
    /// A log of methods.
    Log = "a log of Xbox methods", "convert it with `xfjit import`";
    /// A binary program of Cg.
    Vpo = "a binary Cg program (.vpo)", "convert it with `xfjit import`";
    /// A report of `prof`.
    Report = "a report of `xfjit prof`", "use it with `xfjit prof --diff`";
    /// Figures of `bench`.
    Figures = "results of `xfjit bench`", "use it with `xfjit bench --plot FILE.svg --from`";
    /// A test file.
    Test = "a test file", "use it with `xfjit run FILE`";
    /// What a console has returned.
    Results = "results of experiments on a console", "use it with `xfjit kit judge`";
    /// Writes to the registers of Flipper.
    Registers = "a configuration of Flipper", "use it with `xfjit dis`, `dump` or `explore`, and --flipper";
    /// A mesh.
    Mesh = "a mesh (.obj)", "use it with `xfjit run --vertices` or `xfjit demo --mesh`";
    /// A table of vertices.
    Table = "a table of vertices", "use it with `xfjit run --vertices`";
    /// Rows of constants.
    Constants = "rows of constants", "use it with `xfjit run --constants`";
    /// Names of programs.
    Names = "names of programs", "use it with `xfjit prof --names`, `list` or `dis`";
    /// Golden vectors.
    Vectors = "golden vectors", "use it with `xfjit vectors`";
    /// What is no text, and does not tell what it is.
    Raw = "raw binary data", "if it is microcode, use it with `xfjit dis` or `run --program`; if it is vertices, with `run --vertices` and --layout";
    /// A picture.
    Picture = "a picture (PNG)", "use it with `xfjit run --texture`";
}

/// What a command wants of a file: its name, and the sorts that it reads.
macro_rules! wants { ($($(#[doc = $doc:literal])* $name:ident = $text:literal, [$($sort:ident),*];)*) => {
    /// What a command wants of a file.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum Wanted { $($(#[doc = $doc])* $name),* }

    impl Wanted {
        /// All of them.
        #[cfg(test)]
        const ALL: &[Wanted] = &[$(Wanted::$name),*];

        /// What it is.
        const fn text(self) -> &'static str {
            match self { $(Wanted::$name => $text),* }
        }

        /// What is read as that.
        const fn sorts(self) -> &'static [Sort] {
            match self { $(Wanted::$name => &[$(Sort::$sort),*]),* }
        }
    }
} }
wants! {
    /// A program in whatever form.
    Program = "a program", [Assembler, OpenGl, Microcode, Raw];
    /// What is compiled: a program, or one of a capture.
    Subject = "a program", [Assembler, OpenGl, Microcode, Raw, Capture, Trace];
    /// What is disassembled.
    Words = "microcode", [Microcode, Raw, Capture, Trace];
    /// What is played.
    Capture = "a capture", [Capture, Recording, Trace];
    /// What is played, or what has come of that.
    Played = "a capture", [Capture, Recording, Trace, Report, Figures];
    /// What other tools have written. (Of captures it is told there that they need not be imported.)
    Foreign = "what `xfjit import` takes", [Capture, Recording, Trace, Log, Vpo, Microcode, Raw];
    /// A test file.
    Test = "a test file", [Test];
    /// What a console has returned.
    Results = "results of experiments on a console", [Results];
    /// Registers of Flipper.
    Registers = "a configuration of Flipper", [Registers];
    /// A mesh.
    Mesh = "a mesh", [Mesh];
    /// A table of vertices.
    Table = "a table of vertices", [Table];
    /// Bytes that may be anything: raw vertices, texels, memory, a FIFO's. Texts have been seen among them.
    Bytes = "raw bytes", [Raw, Picture, Assembler, OpenGl, Microcode, Trace, Log, Report, Figures, Test, Registers, Mesh, Table, Constants, Vectors];
    /// Rows of constants: numbers look like microcode.
    Constants = "rows of constants", [Constants, Microcode];
    /// Golden vectors.
    Vectors = "golden vectors", [Vectors];
    /// Figures of `bench`.
    Figures = "results of `xfjit bench`", [Figures, Report];
    /// Names of programs: a hash may look like a word of microcode, its beginning like a row of constants.
    Names = "names of programs", [Names, Microcode, Constants];
}

impl Sort {
    /// What a file is; none if it is empty, or no sort that is known.
    pub fn of(bytes: &[u8]) -> Option<Sort> {
        if capture::is_one(bytes) {
            return Some(Sort::Capture);
        }
        if Recording::is_one(bytes) {
            return Some(Sort::Recording);
        }
        if bytes.starts_with(b"\x89PNG") {
            return Some(Sort::Picture);
        }
        if bytes.starts_with(b"\xfd7zXZ\0") {
            return Some(Sort::Vectors);
        }
        if vpo::is_one(bytes) {
            return Some(Sort::Vpo);
        }
        if !text::is_text(bytes) {
            return Some(Sort::Raw);
        }
        if log::is_one(bytes) {
            return Some(Sort::Log);
        }
        Sort::of_text(&text::decode(&bytes[..bytes.len().min(SEARCHED)]).ok()?)
    }

    fn of_text(text: &str) -> Option<Sort> {
        if text.trim_start().starts_with('{') {
            return Some(match text {
                _ if text.contains("\"xfjit.prof.") => Sort::Report,
                _ if text.contains("\"xfjit.bench.") => Sort::Figures,
                _ if text.contains("\"slots\"") => Sort::Microcode,
                // JSON of somebody else's.
                _ => return None,
            });
        }
        if gl::is_opengl(text) {
            return Some(Sort::OpenGl);
        }
        if golden::files::is_one(text) {
            return Some(Sort::Vectors);
        }
        let code = |line: &str| {
            let marks = ["#", ";", "//"].iter().filter_map(|mark| line.find(mark));
            marks.min().unwrap_or(line.len())
        };
        let lines = text.lines().map(|line| line[..code(line)].trim());
        let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).take(LOOKED_AT).collect();
        let mut words = words(lines.first()?);
        let (first, second) = (words.next()?, words.next());
        let is_number = |word: &str| word.parse::<f64>().is_ok();
        let is_numbered = |name: &str, letter: char| {
            let digits = name.strip_prefix([letter, letter.to_ascii_uppercase()]);
            digits.is_some_and(|digits| {
                digits.trim_start_matches('[').starts_with(|c: char| c.is_ascii_digit())
            })
        };
        let code = lines.iter().find(|line| !line.starts_with('.')).and_then(|line| self::words(line).next());
        if code.is_some_and(|word| text::pattern(word).is_some()) {
            return Some(Sort::Microcode);
        }
        match (first, second) {
            ("test", Some(_)) => return Some(Sort::Test),
            (results::NAME, _) => return Some(Sort::Results),
            ("chip", _) => return Some(Sort::Trace),
            ("d0", Some("d1")) => return Some(Sort::Microcode),
            ("xf" | "cp", Some(word)) if word.contains(':') => return Some(Sort::Registers),
            ("v" | "vn" | "vt", Some(word)) if is_number(word) => return Some(Sort::Mesh),
            ("o" | "g" | "s" | "mtllib" | "usemtl", Some(_)) => return Some(Sort::Mesh),
            (hash, Some(_)) if Hash::parse(hash).is_some_and(|hash| hash.is_whole()) => {
                return Some(Sort::Names);
            }
            (_, Some("=")) => return Some(Sort::Constants),
            (name, Some(_)) if is_numbered(name, 'c') => return Some(Sort::Constants),
            (name, _) if is_numbered(name, 'v') && !name.contains(':') => return Some(Sort::Table),
            _ => {}
        }
        let is_code = |line: &&str| Generation::ALL.iter().any(|&chip| asm::parse(chip, line).is_ok());
        lines.iter().any(is_code).then_some(Sort::Assembler)
    }

    /// The name of the sort; of a capture with what is in it.
    fn named(self, bytes: &[u8]) -> String {
        let content = match self {
            Sort::Capture => Reader::new(bytes).ok().map(|reader| reader.content()),
            _ => None,
        };
        match content {
            Some(Content::Unit(_)) => "a capture of a unit".to_owned(),
            Some(Content::Flipper) => "a capture of Flipper".to_owned(),
            Some(Content::Calls) => "a capture of calls".to_owned(),
            _ => self.text().to_owned(),
        }
    }
}

/// The words of a line, which commas may part.
fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split([' ', '\t', ',']).filter(|word| !word.is_empty())
}

/// That a file is not of a sort that is known and not wanted.
pub fn check(bytes: &[u8], wanted: Wanted) -> Result<(), Flaw> {
    match Sort::of(bytes) {
        Some(sort) if !wanted.sorts().contains(&sort) => {
            let message = format!("is {}, not {}", sort.named(bytes), wanted.text());
            Err(Flaw::new(message).help(sort.takes()))
        }
        _ => Ok(()),
    }
}

/// The whole of a file, which is not known to be anything else than what is wanted.
pub fn read(path: &Path, wanted: Wanted) -> Result<Vec<u8>, Failure> {
    let bytes = files::read(path)?;
    check(&bytes, wanted).map_err(|flaw| Failure::input(files::name(path), flaw))?;
    Ok(bytes)
}

/// The whole of a text file, likewise.
pub fn read_text(path: &Path, wanted: Wanted) -> Result<String, Failure> {
    let bytes = read(path, wanted)?;
    text::decode(&bytes).map(Cow::into_owned).map_err(|flaw| Failure::input(files::name(path), flaw))
}

#[cfg(test)]
mod tests;
