//! When programs are compiled, what compiles them, and the events that an embedder receives.

use super::{Program, Shared};
use std::fmt;
use std::sync::Arc;

/// When programs are compiled. Until then they run in the interpreter. Results are identical before and after compilation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Compile {
    /// When the handle is made.
    Now,
    /// A thread of the engine compiles a program after it has run this many vertices in the interpreter.
    Background {
        /// Vertices.
        threshold: u64,
    },
    /// The embedder chooses the thread: after a program has run this many vertices, the engine passes on a [`Job`] ([`Event::Hot`]). The
    /// engine starts no thread.
    Handed {
        /// Vertices.
        threshold: u64,
    },
    /// The run in which a program reaches this many vertices compiles it at its end, on the same thread. The time of compilation then
    /// depends only on the guest, never on the clock.
    Inline {
        /// Vertices.
        threshold: u64,
    },
}

impl Compile {
    /// Vertices that a program runs in the interpreter; none that can be reached if it never does.
    pub(super) fn threshold(self) -> u64 {
        match self {
            Compile::Now => u64::MAX,
            Compile::Background { threshold }
            | Compile::Handed { threshold }
            | Compile::Inline { threshold } => threshold,
        }
    }
}

/// An event that an engine reports to its embedder, on the thread where it happens.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A program has become hot, or enough of its vertices have raised guards to compile its slow path, or its constants have stayed for
    /// long enough to become literals ([`Compile::Handed`]). The job compiles it, on the thread that runs the job.
    Hot(Job),
    /// The native code of a program is ready.
    Compiled(&'a Arc<Program>),
    /// The back end has rejected a program, which stays in the interpreter: [`Program::refusal`].
    Refused(&'a Arc<Program>),
    /// A batch in native code differed from the interpreter ([`Options::verify`](super::Options::verify)). The run returned the
    /// interpreter's results. From now on, the interpreter runs the program.
    Mismatch(&'a Arc<Program>),
    /// The native code of a program was dropped, because a quarter of its vertices run out of time
    /// ([`ProgramStats::given_up`](super::ProgramStats::given_up)).
    GivenUp(&'a Arc<Program>),
}

/// A function that receives events. It is called while no lock is held, so it may use the engine. On a thread that runs a program it should
/// return quickly.
#[derive(Clone)]
pub struct Hook(Arc<dyn Fn(Event<'_>) + Send + Sync>);

impl Hook {
    /// Makes a hook that calls a function.
    pub fn new(call: impl Fn(Event<'_>) + Send + Sync + 'static) -> Self {
        Hook(Arc::new(call))
    }

    pub(super) fn call(&self, event: Event<'_>) {
        (self.0)(event);
    }
}

impl fmt::Debug for Hook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hook")
    }
}

/// The compilation of one program, for a thread of the embedder. If a job is dropped, the program stays in the interpreter, or without its
/// further routine, until [`Engine::warm`](super::Engine::warm).
#[must_use = "a job that is dropped compiles nothing"]
pub struct Job {
    pub(super) shared: Arc<Shared>,
    pub(super) program: Arc<Program>,
}

impl Job {
    /// The program.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// Compiles it.
    pub fn run(self) {
        self.shared.prepare_all(&self.program);
    }
}

impl fmt::Debug for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Job").field("program", &self.program).finish_non_exhaustive()
    }
}
