//! The handle of a program.

use super::Shared;
use super::counters::{Done, LONG, TierTime, Times};
use super::fold::Folding;
use super::guards::Guards;
use super::key::Key;
use super::label::{LabelError, check_label};
use super::parallel::Pool;
use super::profile::{ProgramProfile, Tier};
use super::stats::ProgramStats;
use super::tier::{Compile, Event, Job};
use super::verify::Verified;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::Instant;
use xfjit_core::backend::{CompileError, Interp, Interpreted, Outcome, Routine, Worker, bind};
use xfjit_core::shader::Faults;
use xfjit_core::shader::{ProgramInfo, Shader};
use xfjit_runtime::batch::{Inputs, Outputs, StreamError};
use xfjit_runtime::bound::{Bound, Needs, Repeat};
use xfjit_runtime::constants::Constants;
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

/// Whose compilation of a program it is: no other thread begins one.
pub(super) struct Claim<'a>(Option<&'a Program>);

impl Claim<'_> {
    /// Publishes the result.
    pub(super) fn settle(mut self, native: Result<Native, CompileError>) {
        if let Some(program) = self.0.take() {
            let _ = program.native.set(native);
        }
    }
}

impl Drop for Claim<'_> {
    /// Whoever waits for it must not wait for a thread that has panicked.
    fn drop(&mut self) {
        if let Some(program) = self.0.take() {
            let _ = program.native.set(Err(CompileError::Codegen("the compiler panicked".to_owned())));
        }
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
    /// Whether it has been handed out to be compiled.
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
    /// The same as for [`Program::run`].
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
        let is_due = count >= LONG || worker.counts_down();
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
            let start = start.filter(|_| verified.is_none());
            self.count_tier(worker, done, start, is_interpreted, folding);
        }
        if let Some(folding) = folding {
            folding.count(worker.number(), done, &outcome);
        }
        if outcome.deopt_groups > 0 {
            self.count_guarded(&outcome, routine.lanes(), (worker, constants, bound));
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
        if is_interpreted && before <= self.threshold && self.native.get().is_none() && self.is_hot() {
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

    /// Runs a whole batch that has run before, with as many constants as then, if this needs only a call of native code: no timing, no
    /// budget, no vertex for the interpreter. Returns whether it ran. If it did not, nothing has been counted, and [`Program::run_bound`]
    /// does the whole run.
    #[inline]
    #[doc(hidden)]
    pub fn run_repeat(
        &self,
        worker: &mut Worker,
        constants: &mut Constants<'_>,
        batch: &mut Repeat<'_>,
    ) -> bool {
        let Some(Ok(Native { routine, verified: None, folding, .. })) = self.native.get() else {
            return false;
        };
        let count = batch.count();
        let is_plain = !self.is_retired.load(Ordering::Relaxed) && !worker.is_limited() && self.overtime == 0;
        if !is_plain || count >= LONG || worker.is_due() {
            return false;
        }
        if folding.is_live()
            && let Some(folded) = folding.of(constants)
        {
            if !folded.routine.run_repeat(worker, constants, batch) {
                return false;
            }
            folding.count(worker.number(), count as u64, &Outcome::default());
        } else if !routine.run_repeat(worker, constants, batch) {
            return false;
        }
        worker.counts_down();
        self.done.count(worker.number(), count as u64);
        true
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
        let is_timed = match count {
            LONG.. => self.time_one_in > 0,
            _ => worker.is_timed(self.time_one_in),
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
        vertices: u64,
        start: Option<Instant>,
        is_interpreted: bool,
        folding: Option<&Folding>,
    ) {
        let time = start.map(|start| start.elapsed());
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
    }

    #[cold]
    fn count_guarded(
        &self,
        outcome: &Outcome,
        lanes: usize,
        (worker, constants, bound): (&Worker, &Constants<'_>, &Bound<'_>),
    ) {
        let seldom = self.seldom();
        seldom.deopt_batches.fetch_add(1, Ordering::Relaxed);
        seldom.deopt_groups.fetch_add(outcome.deopt_groups, Ordering::Relaxed);
        let before = seldom.deopt_vertices.fetch_add(outcome.deopt_vertices, Ordering::Relaxed);
        seldom.slow_vertices.fetch_add(outcome.slow_vertices, Ordering::Relaxed);
        let is_often = before + outcome.deopt_vertices >= self.slow_path_after;
        if is_often && !self.slow_wanted.swap(true, Ordering::Relaxed) {
            self.promote_again();
        }
        if self.most_looks > 0
            && let Some(first) = worker.left()
        {
            seldom.guards.note(self.most_looks, self.needs(), constants, bound, first, lanes);
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
            self.tell(|this| Event::GivenUp(this));
        }
    }

    #[cold]
    fn count_verified(&self, mismatches: u64) {
        self.totals.verified.fetch_add(1, Ordering::Relaxed);
        if mismatches > 0 && !self.barred.swap(true, Ordering::Relaxed) {
            self.is_retired.store(true, Ordering::Relaxed);
            self.totals.barred.fetch_add(1, Ordering::Relaxed);
            self.tell(|this| Event::Mismatch(this));
        }
    }

    /// Tells whoever listens to the engine, as long as that lives.
    #[cold]
    fn tell(&self, event: impl FnOnce(&Arc<Program>) -> Event<'_>) {
        if let (Some(engine), Some(this)) = (self.engine.upgrade(), self.this.upgrade()) {
            engine.tell(event(&this));
        }
    }

    /// Has it compiled, by whoever does so.
    #[cold]
    pub(super) fn promote(&self) {
        let (Some(engine), Some(this)) = (self.engine.upgrade(), self.this.upgrade()) else { return };
        // A thread that is not here may have had the locks that this takes.
        if engine.is_forked() {
            return;
        }
        match engine.compile {
            Compile::Now => {}
            Compile::Background { .. } => {
                if let Some(thread) = engine.thread.get() {
                    thread.unpark();
                }
            }
            Compile::Handed { .. } => {
                if !self.handed.swap(true, Ordering::Relaxed) {
                    let job = Job { shared: Arc::clone(&engine), program: this };
                    engine.tell(Event::Hot(job));
                }
            }
            Compile::Inline { .. } => engine.prepare(&this),
        }
    }

    /// Has its slow path compiled, or a routine with constants as literals, by whoever compiles.
    #[cold]
    fn promote_again(&self) {
        let (Some(engine), Some(this)) = (self.engine.upgrade(), self.this.upgrade()) else { return };
        if engine.is_forked() {
            return;
        }
        match engine.compile {
            Compile::Now | Compile::Inline { .. } => {
                engine.prepare_slow(&this);
                engine.prepare_folded(&this);
            }
            Compile::Background { .. } => {
                engine.waiting().push(&this);
                if let Some(thread) = engine.thread.get() {
                    thread.unpark();
                }
            }
            Compile::Handed { .. } => {
                let job = Job { shared: Arc::clone(&engine), program: this };
                engine.tell(Event::Hot(job));
            }
        }
    }

    /// The native code that is to have a slow path, for the one thread that compiles it.
    pub(super) fn claim_slow(&self) -> Option<&Native> {
        let native = self.native.get()?.as_ref().ok()?;
        let is_first =
            self.slow_wanted.load(Ordering::Relaxed) && !self.slow_claimed.swap(true, Ordering::Relaxed);
        is_first.then_some(native)
    }

    /// The native code that is to have a routine with constants as literals, if some are wanted.
    pub(super) fn folding(&self) -> Option<(&Native, &Folding)> {
        let native = self.native.get()?.as_ref().ok()?;
        Some((native, &native.folding))
    }

    /// Batches that have run.
    pub(super) fn batches(&self) -> u64 {
        self.done.batches()
    }

    /// Asks for its code though it is not hot.
    pub(super) fn hasten(&self) {
        self.wanted.store(true, Ordering::Relaxed);
        // A job may have been dropped.
        self.handed.store(false, Ordering::Relaxed);
        if self.native.get().is_none() {
            self.promote();
        }
    }

    /// Whether it has run often enough to be compiled, or is to be compiled anyway.
    pub(super) fn is_hot(&self) -> bool {
        let is_wanted = self.wanted.load(Ordering::Relaxed) || self.slow_wanted.load(Ordering::Relaxed);
        is_wanted || self.done.vertices() >= self.threshold || self.wants_folding()
    }

    fn wants_folding(&self) -> bool {
        self.folding().is_some_and(|(_, folding)| folding.is_wanted())
    }

    /// The right to compile it, which only one thread gets.
    pub(super) fn claim(&self) -> Option<Claim<'_>> {
        (!self.claimed.swap(true, Ordering::Relaxed)).then(|| Claim(Some(self)))
    }

    /// Whether it has native code, or never will have.
    #[inline]
    pub(super) fn is_settled(&self) -> bool {
        self.native.get().is_some()
    }

    /// Waits for the thread that has claimed it.
    pub(super) fn wait(&self) {
        self.native.wait();
    }

    /// The attributes that the program reads, as a mask. The others need not be fetched.
    pub fn live_inputs(&self) -> u16 {
        self.interpreted.live_inputs()
    }

    /// The shader of this handle.
    pub fn shader(&self) -> &Shader {
        &self.shader
    }

    /// What the program reads and writes, and whether its native code is ready.
    pub fn info(&self) -> ProgramInfo {
        let native = self.routine().is_some();
        ProgramInfo { native, ..self.shader.info() }
    }

    /// Whether a batch runs in native code.
    pub(crate) fn is_native(&self) -> bool {
        !self.is_retired.load(Ordering::Relaxed) && self.routine().is_some()
    }

    /// Its native code, if there is some by now. A program that is retired keeps it.
    #[doc(hidden)]
    pub fn routine(&self) -> Option<&dyn Routine> {
        Some(&*self.native.get()?.as_ref().ok()?.routine)
    }

    /// Why the program runs in the interpreter, if the back end has rejected it.
    pub fn refusal(&self) -> Option<&CompileError> {
        self.native.get().and_then(|result| result.as_ref().err())
    }

    /// The counters of the program.
    pub fn stats(&self) -> ProgramStats {
        let routine = self.routine();
        ProgramStats {
            batches: self.done.batches(),
            vertices: self.done.vertices(),
            deopt_groups: self.seldom().deopt_groups.load(Ordering::Relaxed),
            deopt_vertices: self.seldom().deopt_vertices.load(Ordering::Relaxed),
            slow_vertices: self.seldom().slow_vertices.load(Ordering::Relaxed),
            faults: Faults {
                timeouts: self.timeouts.load(Ordering::Relaxed),
                stack: self.stack_faults.load(Ordering::Relaxed),
            },
            native: routine.is_some(),
            given_up: self.given_up.load(Ordering::Relaxed),
            barred: self.barred.load(Ordering::Relaxed),
            folded_routines: self.folding().map_or(0, |(_, folding)| folding.routines().count() as u64),
            folded_vertices: self.folded().vertices,
            cost: routine.map(|routine| routine.cost()).unwrap_or_default(),
        }
    }

    /// The work and the time of the program: in the interpreter, and in native code including what that left to run again.
    pub fn times(&self) -> [TierTime; 2] {
        let [interpreted, unfolded, folded] = self.tiers();
        [interpreted, unfolded.and(folded)]
    }

    /// The work and the time of its native code with constants as literals ([`Options::fold_after`](super::Options::fold_after)), which is
    /// a part of what [`Program::times`] tells of native code.
    pub fn folded(&self) -> TierTime {
        let [.., folded] = self.tiers();
        folded
    }

    /// In the interpreter, in native code that reads constants, and in native code with literals.
    fn tiers(&self) -> [TierTime; 3] {
        let folded = self.folding().map(|(_, folding)| folding.done()).unwrap_or(Times::default().of(0, 0));
        let done = [self.done.batches(), self.done.vertices()];
        let interpreted = [self.interpreted_done.batches(), self.interpreted_done.vertices()];
        let others = [interpreted[0] + folded.batches, interpreted[1] + folded.vertices];
        // Counters are read one after the other while others may run.
        let native = [0, 1].map(|which| done[which].saturating_sub(others[which]));
        let [interpreted, native] =
            [(&self.seldom().interpreted_times, interpreted), (&self.seldom().native_times, native)]
                .map(|(times, [batches, vertices])| times.of(batches, vertices));
        [interpreted, native, folded]
    }

    /// A profile of the program. It runs vertex groups again in which native code has raised a guard. This takes about as long as
    /// compiling the program.
    pub fn profile(&self) -> ProgramProfile {
        let stats = self.stats();
        let [interpreted, unfolded, folded] = self.tiers();
        let native = unfolded.and(folded);
        ProgramProfile {
            folded,
            name: self.name(),
            label: self.label().map(|label| label.to_string()),
            tier: match self.native.get() {
                _ if self.is_retired.load(Ordering::Relaxed) => Tier::Retired,
                None => Tier::Waiting,
                Some(Ok(_)) => Tier::Native,
                Some(Err(error)) => Tier::Refused(error.to_string()),
            },
            lanes: self.routine().map_or(1, Routine::lanes),
            interpreted,
            native,
            hits: self.hits.load(Ordering::Relaxed),
            guarded_batches: self.seldom().deopt_batches.load(Ordering::Relaxed),
            guarded_vertices: stats.deopt_vertices,
            found: self.seldom().guards.look(&self.shader, self.needs()),
            stats,
        }
    }

    /// The program's name in profiles and files: its kind, and a hash of everything that decides what it computes. All back ends use the
    /// same name, so profiles can be compared.
    pub fn name(&self) -> String {
        format!("{}-{:016x}", self.shader.name(), FxBuildHasher.hash_one(&self.shader))
    }

    /// The label that the host has given the program ([`Program::set_label`]).
    pub fn label(&self) -> Option<Arc<str>> {
        let label = &self.seldom.get()?.label;
        label.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Labels the program for people: profiles and recordings contain the label beside the program's [name](Program::name). An empty label
    /// removes the one that there is. A label changes nothing that is computed, and is no part of what tells programs apart: whoever asks
    /// the engine for an equal program gets this handle with its label. Any thread may set it at any time. The engine forgets it with the
    /// program.
    ///
    /// ```
    /// use xfjit::{Config, Engine, Generation, Options, asm};
    ///
    /// let engine = Engine::new(Options::default());
    /// let program = asm::parse(Generation::Kelvin, "MOV oPos, v0").unwrap();
    /// let program = engine.decoded(program, &Config::new(Generation::Kelvin));
    /// program.set_label("skinning")?;
    /// assert_eq!(program.label().as_deref(), Some("skinning"));
    /// # Ok::<(), xfjit::engine::LabelError>(())
    /// ```
    ///
    /// # Errors
    /// A label of more than [`MOST_LABEL`](super::MOST_LABEL) bytes, or with a character that would not stay within a line of text. The
    /// program keeps the label that it had.
    pub fn set_label(&self, label: &str) -> Result<(), LabelError> {
        check_label(label)?;
        if label.is_empty() && self.seldom.get().is_none() {
            return Ok(());
        }
        let label = (!label.is_empty()).then(|| Arc::from(label));
        *self.seldom().label.lock().unwrap_or_else(PoisonError::into_inner) = label;
        Ok(())
    }

    /// Memory held, for the cache.
    pub(super) fn bytes(&self) -> usize {
        // A program that will be compiled later is counted as one page of code.
        let code = match self.native.get() {
            Some(Ok(native)) => native.routine.cost().memory_bytes + native.folding.bytes(),
            Some(Err(_)) => 0,
            None => 4096,
        };
        size_of::<Self>() + self.shader.bytes() + self.interpreted.bytes() + code
    }
}
