//! When programs are compiled, by whom, and what an embedder hears of it.

use super::{Program, Shared};
use std::fmt;
use std::sync::Arc;

/// When programs are compiled. Until then they run in the interpreter; since all tiers agree on every bit, nobody can see
/// when that changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Compile {
    /// When the handle is made.
    Now,
    /// By a thread of the engine, once a program has run this many vertices in the interpreter.
    Background {
        /// Vertices.
        threshold: u64,
    },
    /// By whom the embedder chooses: once a program has run this many vertices, the engine hands out a [`Job`]
    /// ([`Event::Hot`]). It starts no thread.
    Handed {
        /// Vertices.
        threshold: u64,
    },
    /// At the end of the run with which a program has run this many vertices, by the thread that ran it. What is compiled
    /// when depends on the guest alone then, never on time.
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

/// What an engine tells its embedder, on the thread on which it happens.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A program has become hot ([`Compile::Handed`]): the job compiles it, on whichever thread runs it.
    Hot(Job),
    /// A program has got its native code.
    Compiled(&'a Arc<Program>),
    /// The backend has refused a program, which stays in the interpreter: [`Program::refusal`].
    Refused(&'a Arc<Program>),
    /// A batch in native code differed from the interpreter's ([`Options::verify`](super::Options::verify)), whose results
    /// stand. The program stays in the interpreter from now on.
    Mismatch(&'a Arc<Program>),
    /// Native code of a program has been given up, since a quarter of its vertices run out of time
    /// ([`ProgramStats::given_up`](super::ProgramStats::given_up)).
    GivenUp(&'a Arc<Program>),
}

/// Who hears of events. It is called while no lock is held, so it may use the engine; on the thread that runs a program it
/// had better be quick.
#[derive(Clone)]
pub struct Hook(Arc<dyn Fn(Event<'_>) + Send + Sync>);

impl Hook {
    /// A hook that calls a function.
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

/// The compilation of one program, to be done on a thread of the embedder's. Dropped, it leaves the program in the
/// interpreter, from which only [`Engine::warm`](super::Engine::warm) takes it.
#[must_use = "a job that is dropped leaves its program in the interpreter"]
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
        self.shared.prepare(&self.program);
    }
}

impl fmt::Debug for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Job").field("program", &self.program).finish_non_exhaustive()
    }
}
