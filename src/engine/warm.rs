//! Programs that are compiled before they run.

use super::{Compile, Engine, Program, ProgramList};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The most threads that compile.
#[cfg(feature = "backends")]
const MOST_THREADS: usize = 256;

impl Engine {
    /// Compiles programs that have no native code yet, however little they have run. With `wait`, this call compiles them; otherwise
    /// [`Options::compile`](super::Options::compile) says which thread does. Programs that the back end has rejected stay unchanged.
    pub fn warm(&self, programs: &[Arc<Program>], wait: bool) {
        for program in programs {
            match self.shared.compile {
                Compile::Background { .. } | Compile::Handed { .. } if !wait => {
                    program.hasten(&self.shared);
                }
                _ => self.shared.prepare(program),
            }
        }
        if wait && !self.shared.is_forked() {
            // What another thread was compiling meanwhile.
            programs.iter().for_each(|program| program.wait());
        }
    }

    /// Compiles programs as [`Engine::warm`] does with `wait`, on this many threads, including this one; 0: on as many as the system has
    /// for this process. After each program, `progress` receives how many are ready, and of how many. It is called on any of the threads,
    /// by one at a time. If it returns false, no further compilation begins. Returns how many programs are ready.
    ///
    /// Programs and results are the same as with one thread.
    ///
    /// # Panics
    /// If a back end of the embedder panics, or `progress`. The threads end first.
    #[inline(never)]
    pub fn warm_with(
        &self,
        programs: &[Arc<Program>],
        threads: usize,
        progress: &mut (dyn FnMut(usize, usize) -> bool + Send),
    ) -> usize {
        let (next, stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
        let told = Mutex::new((0, progress));
        let compile = || {
            while !stopped.load(Ordering::Relaxed) {
                let Some(program) = programs.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
                self.shared.prepare(program);
                if !self.shared.is_forked() {
                    program.wait();
                }
                let (ready, progress) = &mut *told.lock().unwrap_or_else(PoisonError::into_inner);
                *ready += 1;
                if !stopped.load(Ordering::Relaxed) && !progress(*ready, programs.len()) {
                    stopped.store(true, Ordering::Relaxed);
                }
            }
        };
        on_threads(threads, programs.len(), &compile);
        told.into_inner().unwrap_or_else(PoisonError::into_inner).0
    }

    /// Compiles the programs of a list as [`Engine::warm_with`] does, beginning with those that have run the most vertices. Returns all of
    /// them. If `progress` has returned false, some are not compiled: the interpreter runs them until they are requested again, or warmed.
    #[inline(never)]
    pub fn warm_list_with(
        &self,
        list: &ProgramList,
        threads: usize,
        progress: &mut (dyn FnMut(usize, usize) -> bool + Send),
    ) -> Vec<Arc<Program>> {
        // In this order in the cache, whichever is compiled first.
        let shaders = list.programs().into_iter();
        let programs: Vec<_> = shaders.map(|(shader, _)| self.handle(shader, false)).collect();
        self.warm_with(&programs, threads, progress);
        programs
    }
}

/// Calls a function on so many threads, this one among them, but on no more than there are programs, or than the system gives.
#[cfg(feature = "backends")]
fn on_threads(threads: usize, programs: usize, run: &(dyn Fn() + Sync)) {
    use std::{panic, thread};

    let available = || thread::available_parallelism().map_or(1, usize::from);
    let threads = if threads == 0 { available() } else { threads };
    let panics = thread::scope(|scope| {
        let start = |_| thread::Builder::new().name("xfjit-warm".to_owned()).spawn_scoped(scope, run).ok();
        let others: Vec<_> = (1..threads.min(programs).min(MOST_THREADS)).map_while(start).collect();
        run();
        others.into_iter().filter_map(|other| other.join().err()).next()
    });
    if let Some(panic) = panics {
        panic::resume_unwind(panic);
    }
}

/// Without back ends that compile there is nothing to share.
#[cfg(not(feature = "backends"))]
fn on_threads(_: usize, _: usize, run: &(dyn Fn() + Sync)) {
    run();
}
