//! Files of golden vectors in pieces that threads take one by one: a few cases of a file.

use super::{Check, Hands, celsius, emulated, fixed, flipper, flipper_fetch, ops, programs, those_for};
use crate::args::Campaign;
use crate::campaign::{Finding, Outcome, Work};
use crate::fail::{Failure, note};
use crate::files;
use crate::text::Flaw;
use crate::vectors_file::{self, FileFlaw, VectorFile};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use xfjit::Model;
use xfjit::backend::Backend;
use xfjit::emulators::Emulator;
use xfjit_testing::golden::cases::FixedCase;
use xfjit_testing::golden::celsius::CelsiusOp;
use xfjit_testing::golden::emulators::EmulatedCase;
use xfjit_testing::golden::flipper::FlipperGolden;
use xfjit_testing::golden::flipper_fetch::FetchCase;
use xfjit_testing::golden::ops::OpCase;
use xfjit_testing::golden::programs::{ProgramCase, Programs};

/// The cases of a file. Banks and vertices of programs are those of the whole file.
enum Cases {
    /// Each operation by itself, in pieces.
    Ops(Vec<Vec<OpCase>>),
    Programs(Box<Programs>, Vec<ProgramCase>),
    Emulated(Emulator, Vec<EmulatedCase>),
    CelsiusOps(Vec<CelsiusOp>),
    Fixed(Vec<FixedCase>),
    FlipperFetch(Vec<FetchCase>),
    Flipper(Vec<FlipperGolden>),
}

/// An opened file.
pub(super) struct File {
    name: String,
    digest: String,
    cases: Cases,
}

/// Files that were opened, and why others that are fine are not known to this version or to the chosen backends.
pub(super) struct Opened {
    pub(super) files: Vec<File>,
    pub(super) stopped: Vec<Failure>,
}

/// Opens files, and all golden vectors in directories.
///
/// # Errors
/// The first file that is wrong.
pub(super) fn open(
    paths: &[PathBuf],
    backends: &[Arc<dyn Backend>],
    campaign: &Campaign,
) -> Result<Opened, Failure> {
    let mut all = Vec::new();
    for path in paths {
        let is_directory = path.is_dir();
        all.extend(files::tree(path)?.into_iter().map(|path| (path, is_directory)));
    }
    let mut opened = Opened { files: Vec::new(), stopped: Vec::new() };
    for ((path, _), file) in all.iter().zip(read_all(&all, backends, campaign.threads())) {
        match file {
            Ok(Some(file)) => opened.files.push(file),
            Ok(None) => note(format_args!("{} holds no golden vectors", files::name(path))),
            // What this version does not know does not keep it from the files that it does.
            Err(Failure::Unsupported(message)) => {
                let message = format!("{}: {message}", files::name(path));
                opened.stopped.push(Failure::Unsupported(message));
            }
            Err(failure) => return Err(failure),
        }
    }
    match paths.first() {
        Some(path) if opened.files.is_empty() && opened.stopped.is_empty() => {
            let flaw = Flaw::new("is a directory without golden vectors").help(files::DIRECTORY);
            Err(Failure::input(files::name(path), flaw))
        }
        _ => Ok(opened),
    }
}

/// Reads all files, on several threads.
fn read_all(
    paths: &[(PathBuf, bool)],
    backends: &[Arc<dyn Backend>],
    threads: usize,
) -> Vec<Result<Option<File>, Failure>> {
    let next = AtomicUsize::new(0);
    let take = || {
        let mut taken = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some((path, is_found)) = paths.get(index) else { return taken };
            taken.push((index, File::open(path, *is_found, backends)));
        }
    };
    let mut read = thread::scope(|scope| {
        let others: Vec<_> = (1..threads.min(paths.len())).map(|_| scope.spawn(take)).collect();
        let mut read = take();
        for other in others {
            // What panics there panics here.
            read.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        read
    });
    read.sort_by_key(|(index, _)| *index);
    read.into_iter().map(|(_, file)| file).collect()
}

impl File {
    /// Reads a file. Of a directory's files those that hold something else are left out.
    fn open(path: &Path, is_found: bool, backends: &[Arc<dyn Backend>]) -> Result<Option<File>, Failure> {
        let opened = match is_found {
            true => vectors_file::open_if_one(path)?,
            false => Some(vectors_file::open(path)?),
        };
        let Some((digest, file)) = opened else { return Ok(None) };
        let file = File { name: files::name(path), digest, cases: Cases::read(file)? };
        if let Some(model) = file.cases.model() {
            those_for(backends, model)?;
        }
        Ok(Some(file))
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn digest(&self) -> &str {
        &self.digest
    }
}

impl Cases {
    fn read(file: VectorFile) -> Result<Cases, FileFlaw> {
        Ok(match file {
            VectorFile::Ops(cases) => Cases::Ops(ops::pieces(cases)?),
            VectorFile::Programs(mut programs) => {
                let cases = programs.by_ref().collect::<Result<_, _>>()?;
                Cases::Programs(Box::new(programs), cases)
            }
            VectorFile::Emulated(cases) => {
                Cases::Emulated(cases.emulator(), cases.collect::<Result<_, _>>()?)
            }
            VectorFile::CelsiusOps(cases) => Cases::CelsiusOps(cases.collect::<Result<_, _>>()?),
            VectorFile::Fixed(cases) => Cases::Fixed(cases.collect::<Result<_, _>>()?),
            VectorFile::FlipperFetch(cases) => Cases::FlipperFetch(cases.collect::<Result<_, _>>()?),
            VectorFile::Flipper(cases) => Cases::Flipper(cases.collect::<Result<_, _>>()?),
        })
    }

    /// The model that backends must know; none if no backend is asked.
    fn model(&self) -> Option<Model> {
        match self {
            Cases::Ops(_) | Cases::Fixed(_) => Some(Model::Hw),
            Cases::Programs(programs, _) => Some(programs.header().model),
            Cases::Emulated(..) | Cases::Flipper(_) => Some(Model::Ieee),
            Cases::CelsiusOps(_) | Cases::FlipperFetch(_) => None,
        }
    }

    /// Cases, and how many of them are a piece: about a tenth of a second's work.
    fn sizes(&self) -> (usize, usize) {
        match self {
            Cases::Ops(pieces) => (pieces.len(), 1),
            Cases::Programs(_, cases) => (cases.len(), 4),
            Cases::Emulated(_, cases) => (cases.len(), 16),
            Cases::CelsiusOps(cases) => (cases.len(), 4096),
            Cases::Fixed(cases) => (cases.len(), 16),
            Cases::FlipperFetch(cases) => (cases.len(), 256),
            Cases::Flipper(cases) => (cases.len(), 16),
        }
    }

    fn pieces(&self) -> u64 {
        let (cases, size) = self.sizes();
        cases.div_ceil(size) as u64
    }
}

/// All pieces of all files, in their order.
pub(super) struct Pieces {
    /// Each file behind the number of its first piece.
    files: Vec<(u64, File)>,
    pieces: u64,
    backends: Vec<Arc<dyn Backend>>,
}

impl Pieces {
    pub(super) fn new(files: Vec<File>, backends: Vec<Arc<dyn Backend>>) -> Self {
        let mut pieces = 0;
        let numbered = files.into_iter().map(|file| {
            let first = pieces;
            pieces += file.cases.pieces();
            (first, file)
        });
        let files = numbered.collect();
        Pieces { files, pieces, backends }
    }

    pub(super) fn len(&self) -> u64 {
        self.pieces
    }
}

/// Those of some cases that are in a piece.
fn of<C>(cases: &[C], piece: usize, size: usize) -> &[C] {
    cases.chunks(size).nth(piece).unwrap_or(&[])
}

impl Work for Pieces {
    type Hands = Hands;
    type Difference = String;

    fn hands(&self) -> Hands {
        Hands::default()
    }

    fn unit(&self, unit: u64, hands: &mut Hands) -> Result<Outcome<String>, Failure> {
        let mut check = Check::new(&self.backends, hands);
        let behind = self.files.partition_point(|(first, _)| *first <= unit);
        if let Some((first, File { name, cases, .. })) = self.files[..behind].last() {
            let (piece, (_, size)) = ((unit - first) as usize, cases.sizes());
            match cases {
                Cases::Ops(pieces) => {
                    pieces.get(piece).map_or(Ok(()), |cases| ops::check(name, cases, &mut check))?;
                }
                Cases::Programs(all, cases) => programs::check(all, of(cases, piece, size), &mut check)?,
                Cases::Emulated(emulator, cases) => {
                    emulated::check(name, *emulator, of(cases, piece, size), &mut check)?;
                }
                Cases::CelsiusOps(cases) => celsius::check(name, of(cases, piece, size), &mut check)?,
                Cases::Fixed(cases) => fixed::check(name, of(cases, piece, size), &mut check)?,
                Cases::FlipperFetch(cases) => flipper_fetch::check(name, of(cases, piece, size), &mut check),
                Cases::Flipper(cases) => flipper::check(name, of(cases, piece, size), &mut check)?,
            }
        }
        Ok(check.outcome())
    }

    fn finding(&self, unit: u64, difference: String, _: &mut Hands) -> Finding {
        Finding { unit, what: vec![difference], exhibit: None, reproduce: None }
    }
}
