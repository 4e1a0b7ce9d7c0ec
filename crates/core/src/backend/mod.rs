//! Ways to run a program, behind one trait.
//!
//! A [`Backend`] prepares shaders; a [`Routine`] is a prepared shader. All back ends agree on every bit (invariant I6).

mod error;
mod eval;
mod host;
mod interp;
mod source;

pub use crate::interp::Interp;
pub use crate::shader::Worker;
pub use error::CompileError;
pub use source::Source;
pub use {eval::Eval, host::to_host, interp::Interpreted};

use crate::ir::origin::Origin;
use crate::shader::{Faults, Rows, Shader};
use std::fmt::Debug;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;
use xfjit_runtime::batch::{Inputs, Outputs, StreamError};
use xfjit_runtime::bound::{Bound, Needs, Proof, Repeat};
use xfjit_runtime::constants::Constants;
use xfjit_runtime::state::{Context, Row};

/// The outcome of a run.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Outcome {
    /// Groups of vertices that native code left because a guard was raised, or because too many vertices before them had run out of time.
    pub deopt_groups: u64,
    /// The vertices of these groups that ran again, on the slow path or in the interpreter: those in which a guard was raised, or all.
    pub deopt_vertices: u64,
    /// Vertices that the slow path (native code for any operand) has run: those with a guard, and others of their groups.
    pub slow_vertices: u64,
    /// Vertices whose program ended with a fault.
    pub faults: Faults,
    /// Batches that differed, if two back ends run in lockstep.
    pub mismatches: u64,
    /// Set if the call was out of time ([`Worker::set_slot_budget`], [`Worker::set_overtime`]), or was cancelled: the number of vertices
    /// that are done, in the order of the batch, or of the part that was to run. The vertices after them have done nothing: their outputs
    /// are unchanged.
    pub out_of_time: Option<usize>,
    /// Another thread has ended the call ([`Worker::set_cancel`]) before all vertices were done.
    pub cancelled: bool,
    /// Vertices that native code ran for long, and then left to the interpreter.
    #[doc(hidden)]
    pub in_vain: u64,
}

impl Outcome {
    /// Adds the outcome of another part of the vertices, except which vertices are done.
    pub fn add(&mut self, part: &Outcome) {
        self.deopt_groups += part.deopt_groups;
        self.deopt_vertices += part.deopt_vertices;
        self.slow_vertices += part.slow_vertices;
        self.faults += part.faults;
        self.mismatches += part.mismatches;
        self.cancelled |= part.cancelled;
        self.in_vain += part.in_vain;
    }
}

/// What came of a batch that was to run once more ([`Routine::run_repeat`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Repeated {
    /// It did not run to its end. Outputs may have been written, and [`Routine::run_bound`] writes them again.
    Undone,
    /// It ran, and no guard was raised.
    Plainly,
    /// It ran. Guards were raised, and the slow path has run all vertices that code had left: what an [`Outcome`] says then, in few bytes.
    Slowly {
        /// See [`Outcome::deopt_groups`].
        deopt_groups: u32,
        /// See [`Outcome::deopt_vertices`].
        deopt_vertices: u32,
        /// See [`Outcome::slow_vertices`].
        slow_vertices: u32,
    },
}

impl Repeated {
    /// The outcome of the run, if it ran.
    #[inline]
    pub fn outcome(self) -> Option<Outcome> {
        match self {
            Repeated::Undone => None,
            Repeated::Plainly => Some(Outcome::default()),
            Repeated::Slowly { deopt_groups, deopt_vertices, slow_vertices } => {
                let [deopt_groups, deopt_vertices, slow_vertices] =
                    [deopt_groups, deopt_vertices, slow_vertices].map(u64::from);
                Some(Outcome { deopt_groups, deopt_vertices, slow_vertices, ..Outcome::default() })
            }
        }
    }
}

/// The cost of a prepared program.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Cost {
    /// Bytes of machine code.
    pub code_bytes: usize,
    /// Bytes of memory held besides the decoded program.
    pub memory_bytes: usize,
    /// Bytes of its caller's stack that machine code uses.
    pub stack_bytes: usize,
    /// Time from decoded instructions to code.
    pub compile_time: Duration,
    /// Its parts.
    pub stages: Stages,
}

/// The parts of a compilation's time; the rest goes into the fallback, and into making code callable.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Stages {
    /// Lowering of instructions to primitives of the chip.
    pub lower: Duration,
    /// Value numbering of primitives, with folding.
    pub simplify: Duration,
    /// Expansion of primitives to operations of the host.
    pub legalize: Duration,
    /// Value numbering, schedule and uniform values of host operations.
    pub optimize: Duration,
    /// Generation of machine code.
    pub generate: Duration,
}

impl std::ops::AddAssign for Stages {
    fn add_assign(&mut self, other: Self) {
        self.lower += other.lower;
        self.simplify += other.simplify;
        self.legalize += other.legalize;
        self.optimize += other.optimize;
        self.generate += other.generate;
    }
}

/// Machine code of a routine.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct MachineCode<'a> {
    /// The code, at the address where it is executed.
    pub bytes: &'a [u8],
    /// The number of vertices in a group.
    pub lanes: usize,
    /// The offsets at which other parts of the program begin; empty if they were not requested.
    pub lines: &'a [(u32, Origin)],
}

/// A prepared program.
pub trait Routine: Send + Sync + Debug {
    /// What it needs from a batch and from constants.
    fn needs(&self) -> &Needs;

    /// Runs some vertices of a batch that has been bound for these needs, or for equal needs of another program.
    ///
    /// # Errors
    /// A batch that is bound for other needs, vertices beyond the batch, constants that do not meet the needs. On an error, nothing has
    /// been written.
    fn run_bound(
        &self,
        worker: &mut Worker,
        constants: &mut Constants<'_>,
        bound: &mut Bound<'_>,
        part: Range<usize>,
    ) -> Result<Outcome, StreamError>;

    /// Binds a batch and runs all of it.
    ///
    /// # Errors
    /// Streams that do not hold what the program reads and writes, registers that were set and do not exist, constants of another
    /// generation. On an error, nothing has been written.
    fn run_on(
        &self,
        worker: &mut Worker,
        constants: &mut Constants<'_>,
        inputs: &Inputs<'_>,
        outputs: &Outputs<'_>,
    ) -> Result<Outcome, StreamError> {
        bind(worker, self.needs(), constants, inputs, outputs, |worker, constants, bound| {
            self.run_bound(worker, constants, bound, 0..inputs.count)
        })
    }

    /// Runs a batch with constants in a `Context`.
    ///
    /// # Errors
    /// As [`Routine::run_on`].
    fn run(
        &self,
        worker: &mut Worker,
        context: &mut Context,
        inputs: &Inputs<'_>,
        outputs: &mut Outputs<'_>,
    ) -> Result<Outcome, StreamError> {
        self.run_on(worker, &mut context.constants(), inputs, outputs)
    }

    /// Runs all of a batch that it has run before, with as many constants as then, if this needs only calls of code.
    fn run_repeat(
        &self,
        worker: &mut Worker,
        constants: &mut Constants<'_>,
        batch: &mut Repeat<'_>,
    ) -> Repeated {
        let _ = (worker, constants, batch);
        Repeated::Undone
    }

    /// Runs some vertices of a batch that needs no check by one call of code on the caller's own streams, in the floating-point environment of
    /// the function, which the caller has set. Returns whether it has run all of them. If not, outputs of these vertices may have been
    /// written.
    #[doc(hidden)]
    fn run_in_place(
        &self,
        worker: &mut Worker,
        constants: &mut Constants<'_>,
        batch: &mut Repeat<'_>,
        part: Range<usize>,
    ) -> bool {
        let _ = (worker, constants, batch, part);
        false
    }

    /// The number of vertices in a group: if a vertex cannot run like the others, this many are left to the interpreter. 1 if there are no
    /// groups.
    fn lanes(&self) -> usize {
        1
    }

    /// The rows of constants that its code reads by their numbers, and that could become literals ([`Backend::prepare_folded`]).
    #[doc(hidden)]
    fn rows_read(&self) -> Rows {
        Rows::NONE
    }

    /// The number of operations of its code in a call with a few groups of vertices: a measure to compare routines of one shader.
    #[doc(hidden)]
    fn operations(&self) -> usize {
        0
    }

    /// Takes native code that runs groups again in which a guard was raised ([`Backend::prepare_slow`]). If it is called several times, the
    /// first code stays.
    #[doc(hidden)]
    fn back_with(&self, slow: Arc<dyn Routine>) {
        let _ = slow;
    }

    /// Whether threads may run different parts of a batch at the same time, each with a worker of its own: [`Routine::run_bound`] stores
    /// only outputs of the vertices of its part, reads none, and keeps nothing of the batch. A routine that says so wrongly breaks memory
    /// safety.
    #[doc(hidden)]
    fn runs_beside_itself(&self) -> bool {
        false
    }

    /// Lets the worker allocate the memory that runs need; otherwise the first batch allocates it.
    fn settle(&self, worker: &mut Worker) {
        let _ = worker;
    }

    /// The attributes that it reads, as a mask; the others may be anything.
    fn live_inputs(&self) -> u16 {
        self.needs().inputs
    }

    /// The machine code that it runs, if any.
    #[doc(hidden)]
    fn machine_code(&self) -> Vec<MachineCode<'_>> {
        Vec::new()
    }

    /// Its cost.
    fn cost(&self) -> Cost {
        Cost::default()
    }
}

/// Memory in which batches are bound for one run.
#[derive(Default)]
struct Binding(Option<Box<Proof>>);

/// Checks constants, binds a batch in memory of the worker, and runs it.
pub fn bind<R>(
    worker: &mut Worker,
    needs: &Needs,
    constants: &mut Constants<'_>,
    inputs: &Inputs<'_>,
    outputs: &Outputs<'_>,
    run: impl FnOnce(&mut Worker, &mut Constants<'_>, &mut Bound<'_>) -> Result<R, StreamError>,
) -> Result<R, StreamError> {
    constants.check(needs.rows, needs.writes_constants)?;
    let mut memory = worker.memory::<Binding>().0.take();
    let result = Bound::with_memory(&mut memory, needs, inputs, outputs).and_then(|mut bound| {
        let result = run(worker, constants, &mut bound);
        memory = Some(bound.into_proof());
        result
    });
    worker.memory::<Binding>().0 = memory;
    result
}

/// What the routines of a back end run: the later in this list, the more of the compiler has worked on it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Runs {
    /// Decoded instructions, or what a front end has in their place.
    Instructions,
    /// Primitives of the chip: IR as lowered.
    Primitives,
    /// Operations of a host: legalised IR, evaluated.
    Operations,
    /// Machine code.
    Native,
}

impl Runs {
    /// Whether it depends on recipes, which not every model must have.
    pub fn is_legalised(self) -> bool {
        self >= Runs::Operations
    }
}

/// A way to run programs.
pub trait Backend: Send + Sync + Debug {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// Everything of the host that its routines depend on; part of cache keys.
    fn target(&self) -> String {
        self.name().to_owned()
    }

    /// What its routines run, for code that chooses among back ends.
    fn runs(&self) -> Runs;

    /// Prepares a shader.
    ///
    /// # Errors
    /// If it cannot prepare the shader; then the caller uses [`Interp`].
    fn prepare(&self, shader: &Shader) -> Result<Arc<dyn Routine>, CompileError>;

    /// Returns this back end in a form whose routines know which part of a program each piece of their code is for
    /// ([`Routine::machine_code`]); `None` if there is no such form.
    #[doc(hidden)]
    fn with_lines(&self) -> Option<Arc<dyn Backend>> {
        None
    }

    /// Prepares a shader for a caller that has the form in which it runs without native code. The routine may share that form, and then
    /// does not count it in its [`Cost`].
    ///
    /// # Errors
    /// As [`Backend::prepare`].
    fn prepare_beside(
        &self,
        shader: &Shader,
        interpreted: &Interpreted,
    ) -> Result<Arc<dyn Routine>, CompileError> {
        let _ = interpreted;
        self.prepare(shader)
    }

    /// Prepares the slow path of a shader: native code that is right for any operand, and so raises hardly any guard. It takes longer than
    /// the code of [`Backend::prepare`], and serves the groups in which that code raises a guard ([`Routine::back_with`]). `None` if there
    /// is no slow path.
    #[doc(hidden)]
    fn prepare_slow(&self, shader: &Shader, interpreted: &Interpreted) -> Option<Arc<dyn Routine>> {
        let _ = (shader, interpreted);
        None
    }

    /// Prepares a routine for constants in which these rows, in ascending order, have these words: code with literals in their place. It
    /// may run only while they do. It computes what the routine of [`Backend::prepare`] computes. `None` if there is no such routine;
    /// programs that write constants never have one.
    #[doc(hidden)]
    fn prepare_folded(
        &self,
        shader: &Shader,
        interpreted: &Interpreted,
        literals: &[(usize, Row)],
    ) -> Option<Arc<dyn Routine>> {
        let _ = (shader, interpreted, literals);
        None
    }
}

/// A backend shared by several users.
impl<T: Backend + ?Sized> Backend for Arc<T> {
    fn name(&self) -> &'static str {
        (**self).name()
    }

    fn target(&self) -> String {
        (**self).target()
    }

    fn runs(&self) -> Runs {
        (**self).runs()
    }

    fn prepare(&self, shader: &Shader) -> Result<Arc<dyn Routine>, CompileError> {
        (**self).prepare(shader)
    }

    fn with_lines(&self) -> Option<Arc<dyn Backend>> {
        (**self).with_lines()
    }

    fn prepare_beside(
        &self,
        shader: &Shader,
        interpreted: &Interpreted,
    ) -> Result<Arc<dyn Routine>, CompileError> {
        (**self).prepare_beside(shader, interpreted)
    }

    fn prepare_slow(&self, shader: &Shader, interpreted: &Interpreted) -> Option<Arc<dyn Routine>> {
        (**self).prepare_slow(shader, interpreted)
    }

    fn prepare_folded(
        &self,
        shader: &Shader,
        interpreted: &Interpreted,
        literals: &[(usize, Row)],
    ) -> Option<Arc<dyn Routine>> {
        (**self).prepare_folded(shader, interpreted, literals)
    }
}
