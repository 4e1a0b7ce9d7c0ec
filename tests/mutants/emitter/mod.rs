//! Faults of the emitter for wide vectors, made on purpose: each is found before code runs, or by the first comparison of bits.
//!
//! `xfjit_native::x64::mutants` changes all instructions of one row of the table in one way. Code of each faulty emitter is made for
//! the corpus and evaluated (`xfjit_testing::x86`), in all widths, until something finds the fault: the encoder, the checkers of
//! addresses and of values, the evaluator, which knows each byte that a call may touch, or a comparison with the reference. What
//! nothing finds has a reason in `emitter.txt`, and each reason has such a mutant.

mod corpus;

use crate::tally;
use corpus::Work;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use xfjit::Worker;
use xfjit::backend::CompileError;
use xfjit_native::Jit;
use xfjit_native::x64::Width;
use xfjit_native::x64::mutants::{self, Mutant, Rows};
use xfjit_testing::case::{Ran, Refusal};
use xfjit_testing::x86;

/// More instructions than a call of the corpus has. Code with a fault may not end.
const MOST: u64 = 1 << 24;

/// One of so many faults is tried, unless `XFJIT_LONG` is set: all of them take a quarter of an hour.
const ONE_IN: usize = 48;

/// What has found a fault.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Finder {
    /// There is no such instruction, or its bytes are another one.
    Encoder,
    /// The checkers of addresses and of values, before the code may run.
    Checkers,
    /// The evaluator: memory that no call lends, or registers that are lost.
    Evaluator,
    /// A vertex, a constant or a dirty byte differs from the reference's.
    Bits,
    /// Other vertices have been left to the interpreter.
    Guards,
    /// Nothing, though instructions have been changed.
    Nothing,
}

/// A piece of the corpus in one width: what it should do, and what its code is made of.
struct Piece {
    width: Width,
    work: usize,
    want: Option<Ran>,
    rows: Rows,
}

/// Back ends, and what they work in, of one thread.
struct Bench {
    backends: Vec<(Width, Jit)>,
    worker: Worker,
}

impl Bench {
    fn new() -> Self {
        let backend = |&width| (width, x86::evaluated_within(width, MOST).expect("there is code for x86-64"));
        Bench { backends: Width::ALL.iter().map(backend).collect(), worker: Worker::new() }
    }

    fn run(&mut self, width: Width, work: &Work) -> Result<Option<Ran>, Refusal> {
        let (_, backend) = self.backends.iter().find(|(of, _)| *of == width).expect("all are there");
        work.run(backend, &mut self.worker)
    }

    /// What finds a fault in a piece of the corpus; nothing if none of its instructions are changed.
    fn finder(&mut self, mutant: Mutant, piece: &Piece, work: &Work) -> Option<Finder> {
        let run = || mutants::with(mutant, || self.run(piece.width, work));
        let found = match catch_unwind(AssertUnwindSafe(run)) {
            Ok(Ok(ran)) => compared(piece.want.as_ref(), ran.as_ref()),
            Ok(Err(Refusal::Compile(CompileError::Codegen(why)))) => told(&why),
            Ok(Err(refusal)) => panic!("{mutant}: {refusal}"),
            Err(panic) => {
                // What a worker holds when it is interrupted is of no use.
                *self = Bench::new();
                let text = panic.downcast_ref::<String>().map(String::as_str);
                told(text.or(panic.downcast_ref::<&str>().copied()).unwrap_or_default())
            }
        };
        (mutants::changed() > 0).then_some(found)
    }
}

/// What has found a fault, by the words of the error.
fn told(why: &str) -> Finder {
    if why.contains("has no encoding") || why.contains("was encoded as") {
        Finder::Encoder
    } else if why.contains("machine code at") {
        Finder::Checkers
    } else if why.contains("evaluated, ") {
        Finder::Bits
    } else {
        assert!(why.contains("evaluated: "), "who has said this? {why}");
        Finder::Evaluator
    }
}

fn compared(want: Option<&Ran>, got: Option<&Ran>) -> Finder {
    let (Some(want), Some(got)) = (want, got) else { return Finder::Nothing };
    let of = |ran: &Ran| (ran.output.clone(), ran.context.clone(), ran.written.clone());
    if of(want) != of(got) {
        Finder::Bits
    } else if want.outcome != got.outcome {
        Finder::Guards
    } else {
        Finder::Nothing
    }
}

/// The corpus in each width, with what its code does if nothing is wrong with it: what the reference does.
fn pieces(corpus: &[Work]) -> Vec<Piece> {
    let mut bench = Bench::new();
    let mut pieces = Vec::new();
    for &width in Width::ALL {
        for (number, work) in corpus.iter().enumerate() {
            let (ran, rows) = mutants::rows_of(|| bench.run(width, work));
            let want = ran.unwrap_or_else(|refusal| panic!("{refusal}\n{work}"));
            if let (Some(reference), Some(want)) = (work.reference(&mut bench.worker), &want) {
                assert_eq!(reference.output, want.output, "{width:?}\n{work}");
            }
            pieces.push(Piece { width, work: number, want, rows });
        }
    }
    // Vectors that are full, and one that is not, before others; code of few rows is short.
    pieces.sort_by_key(|piece| {
        let fills = corpus[piece.work].count() > piece.width.lanes();
        (!fills, piece.rows.count(), piece.work)
    });
    pieces
}

#[test]
fn every_fault_of_the_emitter_is_found() {
    let corpus = corpus::corpus();
    let pieces = pieces(&corpus);
    let all: Vec<Mutant> = Mutant::all().collect();
    // What panics is told, and there are hundreds of them.
    // Tests run beside this one, on threads that have names.
    let hook = Arc::new(std::panic::take_hook());
    let told = Arc::clone(&hook);
    std::panic::set_hook(Box::new(move |info| {
        if std::thread::current().name().is_some() {
            told(info);
        }
    }));
    let find = |bench: &mut Bench, &mutant: &Mutant| {
        let with_row = pieces.iter().filter(|piece| mutant.is_among(&piece.rows));
        let mut found = with_row.filter_map(|piece| bench.finder(mutant, piece, &corpus[piece.work]));
        let first = found.next()?;
        let of_any = std::iter::once(first).chain(found).find(|&finder| finder != Finder::Nothing);
        Some(of_any.unwrap_or(Finder::Nothing))
    };
    let results = tally::found(&all, ONE_IN, Mutant::to_string, Bench::new, find);
    std::panic::set_hook(Box::new(move |info| hook(info)));
    let results = results.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    let enough = 500 / tally::one_in(ONE_IN);
    assert!(results.len() >= enough || !tally::chosen().is_empty(), "{}", results.len());
    tally::judge(&results, ONE_IN, Finder::Nothing, &tally::reasons("emitter.txt"));
}
