//! How a program comes to native code: who compiles it, and when.

use super::super::Shared;
use super::super::tier::{Compile, Event, Job};
use super::{Native, Program};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use xfjit_core::backend::CompileError;

/// Whose compilation of a program it is: no other thread begins one.
pub(in super::super) struct Claim<'a>(Option<&'a Program>);

impl Claim<'_> {
    /// Publishes the result.
    pub(in super::super) fn settle(mut self, native: Result<Native, CompileError>) {
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

impl Program {
    /// Tells whoever listens to the engine, as long as that lives.
    #[cold]
    pub(super) fn tell(&self, event: impl FnOnce(&Arc<Program>) -> Event<'_>) {
        if let (Some(engine), Some(this)) = (self.engine.upgrade(), self.this.upgrade()) {
            engine.tell(event(&this));
        }
    }

    /// Whether whoever compiles it has been told that it is hot.
    #[inline]
    pub(super) fn is_handed(&self) -> bool {
        self.handed.load(Ordering::Relaxed)
    }

    /// Has it compiled, by whoever does so.
    #[cold]
    pub(in super::super) fn promote(&self) {
        let was_handed = self.handed.swap(true, Ordering::Relaxed);
        let Some(engine) = self.engine.upgrade() else { return };
        // One job is enough. A thread is woken each time, since it may have looked before the program waited.
        if !(was_handed && matches!(engine.compile, Compile::Handed { .. })) {
            self.promote_in(&engine);
        }
    }

    fn promote_in(&self, engine: &Arc<Shared>) {
        let Some(this) = self.this.upgrade() else { return };
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
                let job = Job { shared: Arc::clone(engine), program: this };
                engine.tell(Event::Hot(job));
            }
            Compile::Inline { .. } => engine.prepare(&this),
        }
    }

    /// Has its slow path compiled, or a routine with constants as literals, by whoever compiles.
    #[cold]
    pub(super) fn promote_again(&self) {
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
    pub(in super::super) fn claim_slow(&self) -> Option<&Native> {
        let native = self.compiled()?;
        let is_first =
            self.slow_wanted.load(Ordering::Relaxed) && !self.slow_claimed.swap(true, Ordering::Relaxed);
        is_first.then_some(native)
    }

    /// Its native code, if there is some by now.
    pub(in super::super) fn compiled(&self) -> Option<&Native> {
        self.native.get()?.as_ref().ok()
    }

    /// Batches that have run.
    pub(in super::super) fn batches(&self) -> u64 {
        self.done.batches()
    }

    /// Asks for its code though it is not hot, of its own engine, or of this one if that is gone.
    pub(in super::super) fn hasten(&self, engine: &Arc<Shared>) {
        self.wanted.store(true, Ordering::Relaxed);
        // Whoever was told before: a job may have been dropped.
        self.handed.store(true, Ordering::Relaxed);
        if self.native.get().is_some() {
            let is_claimed = self.slow_claimed.load(Ordering::Relaxed);
            let wants_literals = self.compiled().is_some_and(|native| native.folding.is_wanted());
            if self.slow_wanted.load(Ordering::Relaxed) && !is_claimed || wants_literals {
                self.promote_again();
            }
            return;
        }
        match (self.engine.upgrade(), self.this.upgrade()) {
            (Some(own), _) => self.promote_in(&own),
            (None, Some(this)) => {
                if let (Compile::Background { .. }, false) = (engine.compile, engine.is_forked()) {
                    engine.waiting().push(&this);
                }
                self.promote_in(engine);
            }
            (None, None) => {}
        }
    }

    /// Whether it has run often enough to be compiled, or is to be compiled anyway.
    pub(in super::super) fn is_hot(&self) -> bool {
        let is_wanted = self.wanted.load(Ordering::Relaxed) || self.slow_wanted.load(Ordering::Relaxed);
        let wants_literals = || self.compiled().is_some_and(|native| native.folding.is_wanted());
        is_wanted || self.done.vertices() >= self.threshold || wants_literals()
    }

    /// The right to compile it, which only one thread gets.
    pub(in super::super) fn claim(&self) -> Option<Claim<'_>> {
        (!self.claimed.swap(true, Ordering::Relaxed)).then(|| Claim(Some(self)))
    }

    /// Whether it has native code, or never will have.
    #[inline]
    pub(in super::super) fn is_settled(&self) -> bool {
        self.native.get().is_some()
    }

    /// Waits for the thread that has claimed it.
    pub(in super::super) fn wait(&self) {
        self.native.wait();
    }
}
