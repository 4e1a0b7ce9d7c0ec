//! The handle of a program, and its runs.

mod promotion;
mod told;

use super::Shared;
use super::counters::{Done, LONG, Times};
use super::fold::Folding;
use super::guards::Guards;
use super::key::Key;
use super::parallel::Pool;
use super::tier::Event;
use super::verify::Verified;
use super::watch::{self, Batch, Watch};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, Weak};
use std::time::Instant;
use xfjit_core::backend::{CompileError, Interp, Interpreted, Outcome, Repeated, Routine, Worker, bind};
use xfjit_core::shader::{Faults, Shader};
use xfjit_runtime::batch::{Inputs, Outputs, StreamError};
use xfjit_runtime::bound::{Bound, Needs, Repeat};
use xfjit_runtime::constants::Constants;
use xfjit_runtime::fpenv::FpEnv;
use xfjit_runtime::state::Context;

/// What programs tell their engine; seldom, so that they may share it.
#[derive(Default, Debug)]
pub(super) struct Totals {
    pub(super) timeouts: AtomicU64,
    pub(super) overtime: AtomicU64,
    pub(super) given_up: AtomicU64,
    pub(super) verified: AtomicU64,
    pub(super) barred: AtomicU64,
    /// Routines with constants as literals, and the bytes of those that live.
    pub(super) folded: AtomicU64,
    pub(super) folded_bytes: AtomicU64,
}

/// Vertices that native code runs in vain before it is given up, if they are this share of all.
const IN_VAIN: u64 = 64;
const IN_VAIN_SHARE: u64 = 4;

/// Native code.
#[derive(Debug)]
pub(super) struct Native {
    pub(super) routine: Arc<dyn Routine>,
    /// In a place of its own: it is seldom there, and every program has room for this one.
    pub(super) verified: Option<Box<Verified>>,
    /// Its routines with constants as literals.
    pub(super) folding: Folding,
    /// Its slow path, if there is one by now.
    pub(super) slow: OnceLock<Arc<dyn Routine>>,
}

impl Native {
    /// Gives a slow path to all of its routines.
    pub(super) fn back_with(&self, slow: Arc<dyn Routine>) {
        self.routine.back_with(Arc::clone(&slow));
        // One that comes meanwhile takes it from here.
        let slow = self.slow.get_or_init(|| slow);
        self.folding.routines().for_each(|folded| folded.routine.back_with(Arc::clone(slow)));
    }
}

/// How long batches took that were timed, and what native code has left to run again.
#[derive(Default, Debug)]
struct Seldom {
    native_times: Times,
    interpreted_times: Times,
    deopt_batches: AtomicU64,
    deopt_groups: AtomicU64,
    deopt_vertices: AtomicU64,
    slow_vertices: AtomicU64,
    guards: Guards,
    label: Mutex<Option<Arc<str>>>,
}

/// What runs a batch.
struct Chosen<'a> {
    routine: &'a dyn Routine,
    /// That routine beside the interpreter, if it is its turn to be compared.
    verified: Option<&'a dyn Routine>,
    /// Nothing if it is the interpreter.
    native: Option<&'a Native>,
    /// With constants as literals.
    folding: Option<&'a Folding>,
}

impl<'a> Chosen<'a> {
    #[inline]
    fn choose(&mut self, routine: &'a Arc<dyn Routine>, verified: &'a Option<Box<Verified>>) {
        self.routine = &**routine;
        self.verified = verified.as_deref().and_then(Verified::turn);
    }
}

/// Vertices of a batch, and who runs them.
pub(super) struct Turn<'a, 'c, 'b> {
    pub(super) routine: &'a dyn Routine,
    pub(super) is_interpreted: bool,
    pub(super) worker: &'a mut Worker,
    pub(super) constants: &'a mut Constants<'c>,
    pub(super) bound: &'a mut Bound<'b>,
    pub(super) part: Range<usize>,
}

/// A program that is ready to run. Threads share it; each brings its own [`Worker`].
#[derive(Debug)]
pub struct Program {
    pub(super) shader: Shader,
    pub(super) interpreted: Interpreted,
    native: OnceLock<Result<Native, CompileError>>,
    /// Whether somebody compiles it, or has.
    claimed: AtomicBool,
    /// Whether its slow path is wanted, and whether somebody compiles that, or has.
    slow_wanted: AtomicBool,
    slow_claimed: AtomicBool,
    /// Whether whoever compiles it has been told that it is hot.
    handed: AtomicBool,
    /// Whether it is to be compiled, however little it has run.
    wanted: AtomicBool,
    this: Weak<Program>,
    /// Whoever compiles it, as long as that lives.
    engine: Weak<Shared>,
    threshold: u64,
    /// So many vertices raise guards before its slow path is compiled.
    slow_path_after: u64,
    /// What a vertex may execute beyond what every vertex may: then calls have a limit.
    overtime: u64,
    done: Done,
    /// Of these, what ran in the interpreter.
    interpreted_done: Done,
    time_one_in: u32,
    /// A batch of so many vertices is timed each time; of a program that is watched each is.
    timed_from: usize,
    /// Whoever is attached to the process sees what it does.
    pub(super) watch: Option<Watch>,
    /// What is seldom counted, and not at all of most programs: a guest may have thousands that run a few times.
    seldom: OnceLock<Box<Seldom>>,
    /// Look-ups that found it in the cache.
    pub(super) hits: AtomicU64,
    /// Groups that are noted for a second look.
    most_looks: usize,
    timeouts: AtomicU64,
    /// Vertices that ran out of time, or that native code ran for long and left to the interpreter.
    in_vain: AtomicU64,
    stack_faults: AtomicU64,
    given_up: AtomicBool,
    barred: AtomicBool,
    /// Whether it is given up or barred.
    is_retired: AtomicBool,
    totals: Arc<Totals>,
}

impl Program {
    pub(super) fn new(key: &Key, engine: &Arc<Shared>) -> Arc<Self> {
        let shader = key.shader().clone();
        let interpreted = Interpreted::new(&shader, Interp::Batched);
        #[cfg(feature = "jit")]
        let watch = engine.attach.as_ref().map(|attach| Watch::new(attach, &told::name(&shader), &shader));
        #[cfg(not(feature = "jit"))]
        let watch: Option<Watch> = None;
        Arc::new_cyclic(|this| Program {
            overtime: interpreted.overtime(),
            interpreted,
            shader,
            native: OnceLock::new(),
            claimed: AtomicBool::new(false),
            slow_wanted: AtomicBool::new(false),
            slow_claimed: AtomicBool::new(false),
            handed: AtomicBool::new(false),
            wanted: AtomicBool::new(false),
            this: Weak::clone(this),
            engine: Arc::downgrade(engine),
            threshold: engine.compile.threshold(),
            slow_path_after: engine.slow_path_after,
            done: Done::default(),
            interpreted_done: Done::default(),
            time_one_in: engine.time_one_in,
            timed_from: if watch.is_some() { 0 } else { LONG },
            watch,
            seldom: OnceLock::new(),
            hits: AtomicU64::new(0),
            most_looks: engine.guard_looks,
            timeouts: AtomicU64::new(0),
            in_vain: AtomicU64::new(0),
            stack_faults: AtomicU64::new(0),
            given_up: AtomicBool::new(false),
            barred: AtomicBool::new(false),
            is_retired: AtomicBool::new(false),
            totals: Arc::clone(&engine.totals),
        })
    }

    /// The program's needs of a batch and of constants.
    pub fn needs(&self) -> &Needs {
        self.interpreted.needs()
    }

    /// Runs a batch, as far as the worker's limits allow ([`Worker::set_slot_budget`], [`Worker::set_overtime`], [`Worker::set_cancel`]).
    ///
    /// # Errors
    /// Streams that are too small for what the program reads and writes, or constants of another generation. On an
    /// error, nothing has been written.
    pub fn run(
        &self,
        worker: &mut Worker,
        context: &mut Context,
        inputs: &Inputs<'_>,
        outputs: &mut Outputs<'_>,
    ) -> Result<Outcome, StreamError> {
        self.run_on(worker, &mut context.constants(), inputs, outputs)
    }

    /// Runs a batch with the caller's own constants.
    ///
    /// # Errors
    /// The errors of [`Program::run`].
    pub fn run_on(
        &self,
        worker: &mut Worker,
        constants: &mut Constants<'_>,
        inputs: &Inputs<'_>,
        outputs: &Outputs<'_>,
    ) -> Result<Outcome, StreamError> {
        self.run_whole(worker, constants, inputs, outputs, None)
    }

    /// Runs a batch, on the threads of a pool if there is one.
    pub(super) fn run_whole(
        &self,
        worker: &mut Worker,
        constants: &mut Constants<'_>,
        inputs: &Inputs<'_>,
        outputs: &Outputs<'_>,
        pool: Option<Pool<'_>>,
    ) -> Result<Outcome, StreamError> {
        bind(worker, self.needs(), constants, inputs, outputs, |worker, constants, bound| {
            self.run_turn(worker, constants, bound, 0..inputs.count, |turn| match pool {
                None => self.run_alone(turn),
                Some(pool) => self.run_cut(turn, pool),
            })
        })
    }

    /// Runs some vertices of a batch that has been bound for the needs of this program ([`Program::needs`]), or for equal needs of another
    /// program. This is the only check.
    ///
    /// ```
    /// use xfjit::{Config, Engine, Generation, Options, Worker, asm};
    /// use xfjit::runtime::{batch::{Attribute, Inputs, Outputs}, bound::Bound, constants::Constants};
    ///
    /// let engine = Engine::new(Options::default());
    /// let program = asm::parse(Generation::Kelvin, "MUL oPos, v0, c[0]").unwrap();
    /// let program = engine.decoded(program, &Config::new(Generation::Kelvin).live_outputs(1));
    ///
    /// let (mut worker, mut rows) = (Worker::new(), vec![[0; 4]; 192]);
    /// let positions = [[1.0f32, 2.0, 3.0, 1.0].map(f32::to_bits); 6];
    /// let mut words = [0; 24];
    /// {
    ///     let inputs = Inputs::new(6).with(0, Attribute::rows(&positions));
    ///     let outputs = Outputs::interleaved(&mut words, &[0]);
    ///     let mut bound = Bound::new(program.needs(), &inputs, &outputs)?;
    ///     for (part, scale) in [(0..3, 2.0f32), (3..6, 4.0)] {
    ///         rows[0] = [scale.to_bits(); 4];
    ///         program.run_bound(&mut worker, &mut Constants::read_only(&rows), &mut bound, part)?;
    ///     }
    /// }
    /// assert_eq!([words[1], words[13]].map(f32::from_bits), [4.0, 8.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// A batch that was bound for other needs, vertices beyond the batch, or constants that do not meet the needs. On an
    /// error, nothing has been written.
    #[inline]
    pub fn run_bound(
        &self,
        worker: &mut Worker,
        constants: &mut Constants<'_>,
        bound: &mut Bound<'_>,
        part: Range<usize>,
    ) -> Result<Outcome, StreamError> {
        self.run_turn(worker, constants, bound, part, |turn| self.run_alone(turn))
    }

    /// Runs some vertices of a batch by `run`, and counts what it did.
    #[inline]
    pub(super) fn run_turn(
        &self,
        worker: &mut Worker,
        constants: &mut Constants<'_>,
        bound: &mut Bound<'_>,
        part: Range<usize>,
        run: impl FnOnce(&mut Turn<'_, '_, '_>) -> Result<Outcome, StreamError>,
    ) -> Result<Outcome, StreamError> {
        let count = part.len();
        // What is rare is done elsewhere: of a few vertices every instruction shows.
        let is_due = count >= self.timed_from || worker.counts_down();
        let mut chosen = Chosen { routine: &self.interpreted, verified: None, native: None, folding: None };
        if let Some(Ok(native)) = self.native.get()
            && !self.is_retired.load(Ordering::Relaxed)
        {
            chosen.native = Some(native);
            let folding = &native.folding;
            if folding.is_live()
                && let Some(folded) = folding.of(constants)
            {
                chosen.folding = Some(folding);
                chosen.choose(&folded.routine, &folded.verified);
                return self.run_chosen(&chosen, is_due, worker, constants, bound, part, run);
            }
            chosen.choose(&native.routine, &native.verified);
            if is_due && folding.look(constants, self.done.batches()) {
                self.promote_again();
            }
        }
        self.run_chosen(&chosen, is_due, worker, constants, bound, part, run)
    }

    /// Runs some vertices of a batch by `run` and the routine that has been chosen for it, and counts what it did.
    // Twice in each caller: without and with literals.
    #[allow(clippy::too_many_arguments, reason = "what a run has, in parts that are borrowed by themselves")]
    #[inline(always)]
    fn run_chosen(
        &self,
        chosen: &Chosen<'_>,
        is_due: bool,
        worker: &mut Worker,
        constants: &mut Constants<'_>,
        bound: &mut Bound<'_>,
        part: Range<usize>,
        run: impl FnOnce(&mut Turn<'_, '_, '_>) -> Result<Outcome, StreamError>,
    ) -> Result<Outcome, StreamError> {
        let &Chosen { routine, verified, native, folding } = chosen;
        let (count, is_interpreted) = (part.len(), native.is_none());
        let routine = verified.unwrap_or(routine);
        let start = if is_due { self.start(routine, worker, count) } else { None };
        let mut turn = Turn { routine, is_interpreted, worker, constants, bound, part };
        let outcome = run(&mut turn)?;
        let Turn { worker, constants, bound, .. } = turn;
        let done = outcome.out_of_time.unwrap_or(count) as u64;
        let before = self.done.count(worker.number(), done);
        if is_interpreted || start.is_some() {
            let is_timed = verified.is_none();
            self.count_tier(worker, (done, &outcome), (start, is_timed), is_interpreted, folding);
        }
        if let Some(folding) = folding {
            folding.count(worker.number(), done, &outcome);
        }
        if outcome.deopt_groups > 0 {
            self.note_guarded(routine.lanes(), worker, constants, bound);
            self.count_guarded(&outcome);
            self.count_in_vain(outcome.in_vain, before + done);
        }
        if outcome.faults != Faults::default() {
            self.totals.timeouts.fetch_add(outcome.faults.timeouts, Ordering::Relaxed);
            self.timeouts.fetch_add(outcome.faults.timeouts, Ordering::Relaxed);
            self.count_in_vain(outcome.faults.timeouts, before + done);
            self.stack_faults.fetch_add(outcome.faults.stack, Ordering::Relaxed);
        }
        if verified.is_some() {
            self.count_verified(outcome.mismatches);
        }
        if is_interpreted && !self.is_handed() && self.native.get().is_none() && self.is_hot() {
            self.promote();
        }
        Ok(outcome)
    }

    /// Runs all of a turn on this thread.
    #[inline]
    pub(super) fn run_alone(&self, turn: &mut Turn<'_, '_, '_>) -> Result<Outcome, StreamError> {
        let Turn { routine, worker, constants, bound, part, .. } = turn;
        match self.is_unlimited(worker) {
            true => routine.run_bound(worker, constants, bound, part.clone()),
            false => self.run_limited(*routine, (worker, constants), bound, part.clone()),
        }
    }

    /// Whether nothing ends a call of this program before all its vertices are done.
    #[inline]
    pub(super) fn is_unlimited(&self, worker: &Worker) -> bool {
        self.overtime == 0 && !worker.is_limited()
    }

    /// Runs a whole batch that has run before, with as many constants as then, if this needs only calls of native code: no timing, no
    /// budget, no vertex for the interpreter. If it did not run, nothing has been counted, and [`Program::run_bound`] does the whole run.
    #[inline]
    #[doc(hidden)]
    pub fn run_repeat(
        &self,
        worker: &mut Worker,
        constants: &mut Constants<'_>,
        batch: &mut Repeat<'_>,
    ) -> Repeated {
        let Some(Ok(Native { routine, verified: None, folding, .. })) = self.native.get() else {
            return Repeated::Undone;
        };
        let count = batch.count();
        let is_plain = !self.is_retired.load(Ordering::Relaxed) && !worker.is_limited() && self.overtime == 0;
        if !is_plain || count >= self.timed_from || worker.is_due() {
            return Repeated::Undone;
        }
        let folded = if folding.is_live() { folding.of(constants) } else { None };
        let routine = folded.map_or(routine, |folded| &folded.routine);
        let repeated = routine.run_repeat(worker, constants, batch);
        // For a few vertices every instruction counts, so there is no outcome unless a guard is raised.
        if repeated != Repeated::Plainly && !self.count_repeat(repeated) {
            return Repeated::Undone;
        }
        if folded.is_some() {
            folding.count(worker.number(), count as u64, &repeated.outcome().unwrap_or_default());
        }
        worker.counts_down();
        self.done.count(worker.number(), count as u64);
        repeated
    }

    /// What is seldom counted; from now on there is room for it.
    fn seldom(&self) -> &Seldom {
        self.seldom.get_or_init(Box::default)
    }

    /// When a batch begins, if it is one to be timed.
    #[cold]
    fn start(&self, routine: &dyn Routine, worker: &mut Worker, count: usize) -> Option<Instant> {
        // What a worker makes once is not this program's time.
        routine.settle(worker);
        let is_timed = match count >= self.timed_from {
            true => self.time_one_in > 0 || self.watch.is_some(),
            false => worker.is_timed(self.time_one_in),
        };
        is_timed.then(|| {
            worker.time_fallback();
            Instant::now()
        })
    }

    #[cold]
    fn count_tier(
        &self,
        worker: &mut Worker,
        (vertices, outcome): (u64, &Outcome),
        (start, is_timed): (Option<Instant>, bool),
        is_interpreted: bool,
        folding: Option<&Folding>,
    ) {
        let time = start.map(|start| start.elapsed()).filter(|_| is_timed);
        let fallback = worker.end_fallback();
        if is_interpreted {
            self.interpreted_done.count(worker.number(), vertices);
        }
        if let Some(time) = time {
            match folding {
                Some(folding) => folding.time(vertices, time, fallback),
                None if is_interpreted => self.seldom().interpreted_times.add(vertices, time, fallback),
                None => self.seldom().native_times.add(vertices, time, fallback),
            }
        }
        if let (Some(watch), Some(begin)) = (&self.watch, start) {
            let (has_literals, worker) = (folding.is_some(), worker.number());
            watch.ran(&Batch {
                begin,
                time,
                fallback,
                vertices,
                outcome,
                is_interpreted,
                has_literals,
                worker,
            });
        }
    }

    /// Notes the last group in which guards were raised.
    #[cold]
    fn note_guarded(&self, lanes: usize, worker: &Worker, constants: &Constants<'_>, bound: &Bound<'_>) {
        if self.most_looks > 0
            && let Some(first) = worker.left()
        {
            self.seldom().guards.note(self.most_looks, self.needs(), constants, bound, first, lanes);
        }
    }

    /// Counts a batch that has run once more, if it has, and in which guards were raised. Not if one of its groups is to be noted, which is
    /// read from the arguments of a whole run.
    #[cold]
    fn count_repeat(&self, repeated: Repeated) -> bool {
        let Some(outcome) = repeated.outcome() else { return false };
        let is_counted = !self.seldom().guards.keep_next(self.most_looks);
        if is_counted {
            self.count_guarded(&outcome);
        }
        is_counted
    }

    /// Counts a batch in which guards were raised.
    #[cold]
    fn count_guarded(&self, outcome: &Outcome) {
        let seldom = self.seldom();
        let batches = seldom.deopt_batches.fetch_add(1, Ordering::Relaxed) + 1;
        seldom.deopt_groups.fetch_add(outcome.deopt_groups, Ordering::Relaxed);
        let before = seldom.deopt_vertices.fetch_add(outcome.deopt_vertices, Ordering::Relaxed);
        seldom.slow_vertices.fetch_add(outcome.slow_vertices, Ordering::Relaxed);
        let is_often = before + outcome.deopt_vertices >= self.slow_path_after;
        if is_often && !self.slow_wanted.swap(true, Ordering::Relaxed) {
            self.promote_again();
        }
        if let Some(watch) = self.watch.as_ref().filter(|_| watch::is_time_to_look(batches)) {
            self.look_for_guards(watch);
        }
    }

    /// Tells those that are attached which guards were raised. That takes as much stack as a compilation, which a thread has that is made for it.
    #[cold]
    fn look_for_guards(&self, watch: &Watch) {
        // A thread that is not here may be looking.
        if watch.is_forked() {
            return;
        }
        let look = || FpEnv::Default.within(|| self.seldom().guards.look(&self.shader, self.needs()));
        let found = std::thread::scope(|scope| {
            let builder = std::thread::Builder::new().name("xfjit guards".to_owned()).stack_size(1 << 20);
            builder.spawn_scoped(scope, look).ok()?.join().ok()
        });
        if let Some(found) = found {
            watch.looked(&found);
        }
    }

    /// Runs as much of a batch as the worker's limits admit.
    fn run_limited(
        &self,
        routine: &dyn Routine,
        (worker, constants): (&mut Worker, &mut Constants<'_>),
        bound: &mut Bound<'_>,
        part: Range<usize>,
    ) -> Result<Outcome, StreamError> {
        let before = worker.taken();
        let outcome = self.interpreted.run_within(routine, (worker, constants), bound, part)?;
        let overtime = worker.taken().since(&before).overtime;
        if overtime > 0 {
            self.totals.overtime.fetch_add(overtime, Ordering::Relaxed);
        }
        Ok(outcome)
    }

    /// Counts vertices that run out of time, or that native code runs for long and leaves to the interpreter.
    fn count_in_vain(&self, in_vain: u64, vertices: u64) {
        if in_vain == 0 {
            return;
        }
        let all = self.in_vain.fetch_add(in_vain, Ordering::Relaxed) + in_vain;
        if all >= IN_VAIN && all >= vertices / IN_VAIN_SHARE && !self.given_up.swap(true, Ordering::Relaxed) {
            self.is_retired.store(true, Ordering::Relaxed);
            self.totals.given_up.fetch_add(1, Ordering::Relaxed);
            self.watch.iter().for_each(Watch::retired);
            self.tell(|this| Event::GivenUp(this));
        }
    }

    #[cold]
    fn count_verified(&self, mismatches: u64) {
        self.totals.verified.fetch_add(1, Ordering::Relaxed);
        if mismatches > 0 && !self.barred.swap(true, Ordering::Relaxed) {
            self.is_retired.store(true, Ordering::Relaxed);
            self.totals.barred.fetch_add(1, Ordering::Relaxed);
            self.watch.iter().for_each(Watch::retired);
            self.tell(|this| Event::Mismatch(this));
        }
    }
}
