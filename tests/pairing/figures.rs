//! The table of docs/isa/pairing.md: what the passes make of the benchmark set and of the texts in `tests/opengl`.
//!
//! `XFJIT_BLESS=1 cargo test --test pairing` writes it anew; read the difference before committing it.

use std::fmt::Write as _;
use std::fs;
use std::path::Path as File;
use xfjit::asm::{self, Passes, gl};
use xfjit::interp::{Stepper, VertexState};
use xfjit::isa::{Bank, Insn, Program, Reading};
use xfjit::runtime::constants::Constants;
use xfjit::runtime::num::Model;
use xfjit::runtime::state::{DEFAULT_ROW, Row};
use xfjit::runtime::texture::Textures;
use xfjit::{Config, Generation};
use xfjit_isa::chip::boards::BOARDS;
use xfjit_isa::timing::{Path, Pipeline, Report};
use xfjit_testing::programs;

/// Vertices whose paths are followed, of programs that branch.
const VERTICES: usize = 64;
/// The board whose vertices are counted, by generation.
const BOARD: [(Generation, &str); 2] = [(Generation::Kelvin, "Xbox"), (Generation::Curie, "PlayStation 3")];

const HEAD: &str = "\
| program | chip | slots | temporaries | clocks | alone | M vertices/s |
|---|---|---|---|---|---|---|
";

/// A program and what it runs on.
struct Subject {
    name: String,
    config: Config,
    constants: Vec<Row>,
    vertices: Vec<[Row; 16]>,
    before: Program,
    after: Program,
}

/// What a program costs the chip.
struct Cost {
    slots: usize,
    temporaries: usize,
    /// Clocks of a vertex, and of one alone; none if it never ends.
    clocks: Option<(f64, u64)>,
    /// Millions of vertices a second.
    rate: Option<f64>,
}

fn temporaries(insns: &[Insn], back: bool) -> usize {
    let is_read = |register: u8| !(back && register == 12);
    let used = |insn: &Insn| {
        let read = insn.src.map(|source| match source.bank {
            Bank::Temp(register) if is_read(register) => 1u64 << register,
            Bank::Temp(_) | Bank::None | Bank::Input | Bank::Constant => 0,
        });
        let written = [insn.vec_dst, insn.sca_dst].map(|write| match write.mask.is_empty() {
            true => 0,
            false => 1 << write.reg,
        });
        read.iter().chain(&written).fold(0, |all, one| all | one)
    };
    insns.iter().fold(0, |all, insn| all | used(insn)).count_ones() as usize
}

impl Subject {
    /// The ways of the vertices; none if one of them never ends.
    fn paths(&self, program: &Program) -> Option<Vec<Path>> {
        let generation = self.config.generation;
        if !program.insns.iter().any(|insn| insn.sca.is_branch()) {
            return Some(vec![Path::straight(generation, Reading::default(), program)]);
        }
        let path = |inputs: &[Row; 16]| {
            let state = VertexState::new(program, &self.config, *inputs);
            let mut stepper = Stepper::new(program, &self.config, &state);
            let mut words = self.constants.clone();
            let mut constants = Constants::new(&mut words);
            let mut slots = vec![stepper.slot()];
            while stepper.step(&mut constants, &Textures::NONE).is_none() {
                slots.push(stepper.slot());
            }
            let ends = slots.len() < usize::from(self.config.timeout);
            ends.then(|| Path::new(generation, Reading::default(), program, slots))
        };
        self.vertices.iter().map(path).collect()
    }

    fn cost(&self, program: &Program) -> Cost {
        let generation = self.config.generation;
        let report = self.paths(program).map(|paths| Report::new(&Pipeline::of(generation.family()), &paths));
        let board = BOARD.iter().find(|(of, _)| *of == generation).map(|(_, name)| *name);
        let board = BOARDS.iter().find(|found| Some(found.name) == board);
        let rate = board.and_then(|board| Some(f64::from(board.mhz) * f64::from(board.units?)));
        Cost {
            slots: program.insns.len(),
            temporaries: temporaries(&program.insns, generation == Generation::Kelvin),
            rate: report.as_ref().and_then(|report| Some(rate? / report.clocks_per_vertex())),
            clocks: report.map(|report| (report.clocks_per_vertex(), report.latency)),
        }
    }

    fn row(&self) -> String {
        let [before, after] = [&self.before, &self.after].map(|program| self.cost(program));
        assert!(after.slots <= before.slots, "{}", self.name);
        let two = |before: Option<String>, after: Option<String>| match (before, after) {
            (Some(before), Some(after)) => format!("{before}, {after}"),
            _ => "-".to_owned(),
        };
        let of = |text: fn(&Cost) -> Option<String>| two(text(&before), text(&after));
        let cells = [
            self.name.clone(),
            self.config.generation.name().to_owned(),
            of(|cost| Some(cost.slots.to_string())),
            of(|cost| Some(cost.temporaries.to_string())),
            of(|cost| cost.clocks.map(|(clocks, _)| format!("{clocks:.1}"))),
            of(|cost| cost.clocks.map(|(_, alone)| alone.to_string())),
            of(|cost| cost.rate.map(|rate| format!("{rate:.1}"))),
        ];
        format!("| {} |\n", cells.join(" | "))
    }
}

fn benchmarks() -> impl Iterator<Item = Subject> {
    programs::ALL.iter().map(|fixed| {
        let config = fixed.config(Model::Hw);
        let before = fixed.program();
        let after = asm::pair(fixed.generation, config.reading(), &before, Passes::ALL).program;
        let words = fixed.vertices(VERTICES);
        let vertex = |words: &[u32]| {
            let mut rows = [DEFAULT_ROW; 16];
            for (&register, row) in fixed.attributes.iter().zip(words.as_chunks::<4>().0) {
                rows[usize::from(register)] = *row;
            }
            rows
        };
        let vertices = words.chunks(fixed.input_words()).map(vertex).collect();
        let constants = fixed.context().rows().to_vec();
        Subject { name: fixed.title.to_owned(), config, constants, vertices, before, after }
    })
}

/// Of each text the program for the first chip that can run it; those with branches go the way of a vertex of 0 0 0 1, with rows of zeros.
fn texts() -> impl Iterator<Item = Subject> {
    let directory = File::new(env!("CARGO_MANIFEST_DIR")).join("tests/opengl");
    let mut files: Vec<_> =
        fs::read_dir(directory).expect("the texts").map(|entry| entry.expect("a file").path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "vp"));
    files.sort();
    files.into_iter().map(|file| {
        let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).expect("a name");
        let text = fs::read_to_string(&file).expect("a text");
        let before = gl::assemble(None, &text, Passes::NONE).expect("a program");
        let generation = before.generation;
        let after = gl::assemble(Some(generation), &text, Passes::ALL).expect("a program");
        let constants = vec![[0; 4]; generation.constants()];
        let vertices = vec![[DEFAULT_ROW; 16]];
        let config = Config::new(generation).with(|config| config.constant_writes = true);
        Subject { name, config, constants, vertices, before: before.program, after: after.program }
    })
}

#[test]
fn the_page_has_the_figures() {
    let mut table = HEAD.to_owned();
    for subject in benchmarks().chain(texts()) {
        write!(table, "{}", subject.row()).expect("strings can be written");
    }
    let path = File::new(env!("CARGO_MANIFEST_DIR")).join("docs/isa/pairing.md");
    let page = fs::read_to_string(&path).expect("there is a page");
    let start = page.find(HEAD).expect("the page has a table");
    let end = page[start..].find("\n\n").map_or(page.len(), |end| start + end + 1);
    let new = format!("{}{table}{}", &page[..start], &page[end..]);
    if std::env::var_os("XFJIT_BLESS").is_some() {
        fs::write(&path, &new).expect("the page can be written");
        return;
    }
    assert!(page == new, "docs/isa/pairing.md has other figures; XFJIT_BLESS=1 writes it anew:\n{table}");
}
