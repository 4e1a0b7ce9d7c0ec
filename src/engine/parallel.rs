//! One batch on several threads.
//!
//! A batch is bound once and cut into pieces, which threads take one after the other: so a thread that comes late, or is interrupted,
//! does less, and the others do more. Who runs a piece cannot be seen. What a piece is made of is the runtime's matter (`Bound::cut`);
//! here is which batches are cut, and how what was counted in pieces becomes what one thread would have counted. A batch that is timed takes
//! as long as its call; of what the interpreter takes, only the part of the calling thread's worker is timed.
//!
//! Threads are the caller's: this file starts none, and `Program::run_parallel` asks rayon for them.

use super::Program;
use super::program::Turn;
use std::any::Any;
use std::fmt;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use xfjit_core::backend::{Outcome, Routine, Worker};
use xfjit_core::front::Microcode;
use xfjit_core::shader::Slots;
use xfjit_runtime::batch::{Inputs, Outputs, StreamError};
use xfjit_runtime::bound::{Bound, Cut, Proof};
use xfjit_runtime::constants::Constants;
use xfjit_runtime::staging::BLOCK;
#[cfg(feature = "parallel")]
use {std::sync::OnceLock, xfjit_runtime::state::Context};

/// The least work of a part, in slots and registers of all its vertices: 15 to 100 us of native code of the widest vectors. To wake a thread
/// takes 5 to 50 us.
const LEAST_WORK: u64 = 1 << 19;

/// What the interpreter takes for a slot, where native code takes 1.
const INTERPRETED: u64 = 16;

/// What a vertex of a configuration takes in place of slots, about.
const CONFIGURATION: u64 = 64;

/// The most slots that a vertex of a program with branches may take to be cut. What takes longer may run in native code in vain, and how
/// often it has is counted in the order of vertices.
const MOST_SLOTS: u64 = 512;

/// Pieces of a part, of which each thread takes the next: the last of them to end is late by one of these.
const PIECES: usize = 16;

/// The most parts.
const MOST_PARTS: usize = 256;

/// Workers for the other threads of a batch, which a worker holds.
#[derive(Default)]
struct Others(Vec<Mutex<Worker>>);

/// Memory of a worker in which pieces are bound.
#[derive(Default)]
struct Binding(Option<Box<Proof>>);

/// What the parts of a batch have come to.
#[derive(Default)]
struct Sum {
    outcome: Outcome,
    panic: Option<Box<dyn Any + Send>>,
    /// The last vertex group that native code has left to the interpreter.
    left: Option<usize>,
    ran: usize,
    refused: usize,
}

/// The parts of a batch, one for each thread that is to run it: see [`Program::run_in_parts`].
pub struct Parts<'a> {
    count: usize,
    routine: &'a dyn Routine,
    constants: Constants<'a>,
    cut: Cut<'a>,
    /// The worker of part 0, and those of the others.
    first: Mutex<&'a mut Worker>,
    others: &'a [Mutex<Worker>],
    begun: [AtomicU64; MOST_PARTS / u64::BITS as usize],
    sum: Mutex<Sum>,
}

impl fmt::Debug for Parts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parts").field("count", &self.count).finish_non_exhaustive()
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Parts<'_> {
    /// The number of parts: 2 to 256.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Runs a part, 0 to [`Parts::count`] - 1, on this thread. Returns when all vertices of the batch have begun; it is unspecified which
    /// of them a part runs. A part that has begun before, or that does not exist, does nothing, and [`Program::run_in_parts`] returns an
    /// error. A panic in a part ends only this part; `run_in_parts` resumes the panic when the others are done.
    #[inline(never)]
    pub fn run(&self, number: usize) {
        let bits = u64::BITS as usize;
        let has_begun = number >= self.count
            || self.begun[number / bits].fetch_or(1 << (number % bits), Ordering::Relaxed) >> (number % bits)
                & 1
                != 0;
        if has_begun {
            locked(&self.sum).refused += 1;
            return;
        }
        let ran = catch_unwind(AssertUnwindSafe(|| match number.checked_sub(1) {
            None => self.take_pieces(&mut locked(&self.first)),
            Some(other) => self.take_pieces(&mut locked(&self.others[other])),
        }));
        let mut sum = locked(&self.sum);
        sum.ran += 1;
        if let Err(panic) = ran {
            sum.panic = Some(panic);
        }
    }

    /// Runs one piece after the other.
    #[expect(unsafe_code, reason = "what routines store is theirs to say")]
    fn take_pieces(&self, worker: &mut Worker) {
        loop {
            let mut memory = worker.memory::<Binding>().0.take();
            let run = |bound: &mut Bound<'_>, piece: Range<usize>| {
                self.routine.run_bound(worker, &mut self.constants.to_read(), bound, piece)
            };
            // SAFETY: `Program::run_cut` has found a routine that runs beside itself, which promises this.
            let ran = unsafe { self.cut.take(&mut memory, run) };
            worker.memory::<Binding>().0 = memory;
            let Some(ran) = ran else { return };
            let mut sum = locked(&self.sum);
            // What one thread refuses has been refused before anything ran.
            let Ok(outcome) = ran else {
                sum.refused += 1;
                return;
            };
            sum.outcome.add(&outcome);
            if outcome.deopt_groups > 0 {
                sum.left = sum.left.max(worker.left());
            }
        }
    }
}

/// How a batch is cut.
#[derive(Clone, Copy)]
enum Cutting {
    /// In at most so many parts, of as much work as they are worth.
    Worth(usize),
    /// In so many parts, and pieces of so many vertices.
    Pieces(usize, usize),
}

/// What runs the parts of a batch, and how that is cut.
pub(super) struct Pool<'e> {
    cutting: Cutting,
    each: &'e mut (dyn FnMut(&Parts<'_>) + Send),
}

impl Program {
    /// Runs a batch on the threads of rayon's current pool: on all of them if `threads` is 0, else on at most `threads` of them. All
    /// results are those of [`Program::run`]: outputs, the outcome, counters. These batches run on one thread:
    ///
    /// - small ones: less than some 50 us of work for each thread is not worth waking it;
    /// - those of programs that write constants, since later vertices see what earlier ones wrote;
    /// - those of programs with loops, calls or branches to a register, and those that a slot budget or a [`Cancel`](crate::shader::Cancel)
    ///   of the worker may end: the limits of a call are counted in the order of its vertices (a limit of overtime alone ends no other
    ///   batches);
    /// - those that two back ends run ([`Options::verify`](super::Options::verify), [`Lockstep`](super::Lockstep)), and those of back ends of
    ///   the embedder;
    /// - those whose outputs lie in cells that others may see ([`Output::shared`](xfjit_runtime::batch::Output::shared)), or in which a byte
    ///   belongs to two vertices, or registers of different strides lie in each other's gaps.
    ///
    /// In a process that was forked from one that had called this, all batches run on one thread, because the pool's threads are missing.
    ///
    /// The worker holds memory for the other threads; the first batch allocates it. Unlike [`Program::run`], this allocates memory: for
    /// rayon's tasks.
    ///
    /// # Errors
    /// Those of [`Program::run`]. On an error, nothing has been written.
    ///
    /// # Panics
    /// If a part panics, as a texture of the host may; the other parts have run then.
    #[cfg(feature = "parallel")]
    pub fn run_parallel(
        &self,
        worker: &mut Worker,
        threads: usize,
        context: &mut Context,
        inputs: &Inputs<'_>,
        outputs: &mut Outputs<'_>,
    ) -> Result<Outcome, StreamError> {
        static PROCESS: OnceLock<u32> = OnceLock::new();
        let threads = match threads {
            // The threads of the pool stay behind when a process is forked, and nobody would wake.
            _ if *PROCESS.get_or_init(std::process::id) != std::process::id() => 1,
            0 => rayon::current_num_threads(),
            _ => threads,
        };
        self.run_in_parts(worker, threads, &mut context.constants(), inputs, outputs, &mut |parts| {
            rayon::in_place_scope(|scope| {
                (1..parts.count()).for_each(|number| scope.spawn(move |_| parts.run(number)));
                parts.run(0);
            });
        })
    }

    /// Runs a batch in at most this many parts, each on a thread of the caller's own pool. The library calls `each` once, on this thread;
    /// `each` calls [`Parts::run`] once for each number, on any threads, at the same time or not. For a batch that runs on one thread, it
    /// is not called. [`Program::run_parallel`](Program#method.run_parallel) says which batches these are, and describes the rest.
    ///
    /// ```
    /// use xfjit::{Config, Engine, Generation, Options, Worker, asm};
    /// use xfjit::runtime::{batch::{Attribute, Inputs, Outputs}, constants::Constants};
    ///
    /// let engine = Engine::new(Options::default());
    /// let program = asm::parse(Generation::Kelvin, "MUL oPos, v0, c[0]").unwrap();
    /// let program = engine.decoded(program, &Config::new(Generation::Kelvin).live_outputs(1));
    /// let rows = vec![[2f32.to_bits(); 4]; 192];
    /// let positions = vec![[3f32.to_bits(); 4]; 600_000];
    /// let mut words = vec![0; 4 * positions.len()];
    ///
    /// let inputs = Inputs::new(positions.len()).with(0, Attribute::rows(&positions));
    /// let outputs = Outputs::interleaved(&mut words, &[0]);
    /// let constants = &mut Constants::read_only(&rows);
    /// program.run_in_parts(&mut Worker::new(), 4, constants, &inputs, &outputs, &mut |parts| {
    ///     std::thread::scope(|scope| {
    ///         for number in 0..parts.count() {
    ///             scope.spawn(move || parts.run(number));
    ///         }
    ///     });
    /// })?;
    /// assert!(words.iter().all(|&word| f32::from_bits(word) == 6.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Program::run`], after which nothing has been written. [`StreamError::PartsNotRun`] if `each` has not run each part once:
    /// then any of the outputs may have been written, and nothing has been counted.
    ///
    /// # Panics
    /// If a part panics; the other parts have run then.
    pub fn run_in_parts(
        &self,
        worker: &mut Worker,
        parts: usize,
        constants: &mut Constants<'_>,
        inputs: &Inputs<'_>,
        outputs: &Outputs<'_>,
        each: &mut (dyn FnMut(&Parts<'_>) + Send),
    ) -> Result<Outcome, StreamError> {
        let pool = Some(Pool { cutting: Cutting::Worth(parts), each });
        self.run_whole(worker, constants, inputs, outputs, pool)
    }

    /// As [`Program::run_in_parts`], in parts of any work and pieces of so many vertices, a multiple of 64: for tests, which have small batches.
    #[doc(hidden)]
    pub fn run_in_pieces(
        &self,
        worker: &mut Worker,
        (parts, piece): (usize, usize),
        constants: &mut Constants<'_>,
        inputs: &Inputs<'_>,
        outputs: &Outputs<'_>,
        each: &mut (dyn FnMut(&Parts<'_>) + Send),
    ) -> Result<Outcome, StreamError> {
        let pool = Some(Pool { cutting: Cutting::Pieces(parts, piece), each });
        self.run_whole(worker, constants, inputs, outputs, pool)
    }

    /// Runs a turn on the threads of a pool, if it can be cut.
    #[cold]
    pub(super) fn run_cut(
        &self,
        turn: &mut Turn<'_, '_, '_>,
        Pool { cutting, each }: Pool<'_>,
    ) -> Result<Outcome, StreamError> {
        if !turn.routine.runs_beside_itself() || !self.may_be_cut(turn.worker) {
            return self.run_alone(turn);
        }
        let count = turn.part.len();
        let (parts, piece) = match cutting {
            Cutting::Pieces(parts, piece) => (parts, piece),
            Cutting::Worth(most) => {
                let parts = self.worth(turn).min(most).min(MOST_PARTS);
                // Whole blocks of what is copied, which are whole groups of any code.
                (parts, count.div_ceil(parts.max(1) * PIECES).next_multiple_of(BLOCK))
            }
        };
        if parts < 2 { self.run_alone(turn) } else { self.run_turn_in_parts(turn, (parts, piece), each) }
    }

    /// Whether what a worker runs can be cut, as far as that depends on its limits and on the program.
    #[doc(hidden)]
    pub fn may_be_cut(&self, worker: &Worker) -> bool {
        // Nobody runs out of time whose program is shorter.
        let timeout = self.shader.made_of::<Microcode>().map_or(0, |code| code.config.timeout.into());
        let is_known = match self.shader.slots() {
            Slots::Exactly(_) => true,
            Slots::AtMost(slots) => slots <= MOST_SLOTS && slots < timeout,
        };
        is_known && !self.needs().writes_constants && self.is_unlimited(worker)
    }

    /// The parts that a turn is worth.
    fn worth(&self, turn: &Turn<'_, '_, '_>) -> usize {
        let (Slots::Exactly(slots) | Slots::AtMost(slots)) = self.shader.slots();
        let slots = if slots == 0 { CONFIGURATION } else { slots };
        let needs = self.needs();
        let registers = u64::from(needs.inputs.count_ones() + needs.outputs.count_ones());
        let each = (slots + registers) * if turn.is_interpreted { INTERPRETED } else { 1 };
        let work = (turn.part.len() as u64).saturating_mul(each);
        usize::try_from(work / LEAST_WORK).unwrap_or(usize::MAX)
    }

    fn run_turn_in_parts(
        &self,
        turn: &mut Turn<'_, '_, '_>,
        (parts, piece): (usize, usize),
        each: &mut (dyn FnMut(&Parts<'_>) + Send),
    ) -> Result<Outcome, StreamError> {
        let (routine, part) = (turn.routine, turn.part.clone());
        // What one thread would refuse is refused before anything is written.
        turn.constants.check(self.needs().rows, false)?;
        turn.bound.check(self.needs(), &part)?;
        let cut = turn.bound.cut(part, piece).filter(|cut| cut.pieces() > 1);
        let Some(cut) = cut else { return self.run_alone(turn) };
        let count = parts.min(cut.pieces());
        let mut others = std::mem::take(&mut turn.worker.memory::<Others>().0);
        while others.len() < count - 1 {
            others.push(Mutex::default());
        }
        let sum = {
            let parts = Parts {
                count,
                routine,
                constants: turn.constants.to_read(),
                cut,
                first: Mutex::new(turn.worker),
                others: &others,
                begun: Default::default(),
                sum: Mutex::default(),
            };
            each(&parts);
            parts.sum.into_inner().unwrap_or_else(PoisonError::into_inner)
        };
        turn.worker.memory::<Others>().0 = others;
        if let Some(panic) = sum.panic {
            resume_unwind(panic);
        }
        if sum.ran != count || sum.refused != 0 {
            return Err(StreamError::PartsNotRun { parts: count, ran: sum.ran, refused: sum.refused });
        }
        if let Some(left) = sum.left {
            turn.worker.leave(left);
        }
        Ok(sum.outcome)
    }
}
