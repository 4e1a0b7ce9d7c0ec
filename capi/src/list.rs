//! Lists of programs to warm.

use crate::engine::xfjit_engine;
use crate::export::functions;
use crate::handle::handle;
use crate::status::{Failure, XFJIT_E_FILE, call, count, xfjit_status};
use crate::tiers::{Warmed, xfjit_warmed};
use std::ffi::{c_char, c_void};
use std::sync::{Mutex, MutexGuard, PoisonError};
use xfjit::engine::ProgramList;

handle! { LIST =
    /// A list of programs, and of how many vertices each has run. A file keeps it from one session to the next. It holds microcode and
    /// counters, never machine code. Any number of threads may use it at the same time.
    Owned xfjit_list(b"xfjitlst", "list") { list: Mutex<ProgramList> }
}

impl xfjit_list {
    fn get(&self) -> MutexGuard<'_, ProgramList> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A copy, so that others may use the list while it is warmed.
    #[inline(never)]
    fn copy(&self) -> ProgramList {
        self.get().clone()
    }
}

fn file(error: std::io::Error) -> Failure {
    Failure::new(XFJIT_E_FILE, error)
}

functions! {
    FUNCTIONS;
    /// Creates a list from a file (path is UTF-8). The list is empty if the file does not exist or path is null. Damaged entries of the
    /// file are skipped. Any thread.
    fn xfjit_list_load(path: *const c_char, list: *mut *mut xfjit_list) -> xfjit_status {
        call(|| {
            let list = list.out("list")?;
            let loaded = match path.is_null() {
                true => ProgramList::default(),
                false => ProgramList::load(path.path("path")?).map_err(file)?,
            };
            list.give(xfjit_list::new(Mutex::new(loaded)));
            Ok(())
        })
    }
    /// Destroys a list. A null pointer has no effect. One thread, while no other uses the handle.
    fn xfjit_list_destroy(list: *mut xfjit_list) -> xfjit_status {
        call(|| list.end())
    }
    /// Writes a list to a file. Readers of the file see the whole old list or the whole new one. Any thread.
    fn xfjit_list_save(list: *const xfjit_list, path: *const c_char) -> xfjit_status {
        call(|| {
            let (list, path) = (list.handle()?, path.path("path")?);
            let list = list.get().clone();
            list.save(path).map_err(file)
        })
    }
    /// Returns the number of programs in a list, or 0 on an error. Any thread.
    fn xfjit_list_count(list: *const xfjit_list) -> usize {
        count(|| Ok(list.handle()?.get().programs().len()))
    }
    /// Adds the vertices that the engine's programs have run to their counts in a list. Call this once, at the end of a session; otherwise
    /// vertices are counted twice. Any thread.
    fn xfjit_list_add(list: *mut xfjit_list, engine: *const xfjit_engine) -> xfjit_status {
        call(|| {
            let (list, engine) = (list.handle()?, engine.handle()?.get());
            let counted = engine.list();
            list.get().merge(&counted);
            Ok(())
        })
    }
    /// Compiles the programs of a list ahead of time, as xfjit_engine_warm does, beginning with those that have run the most vertices. The
    /// engine keeps as many as fit into its cache. Any thread.
    fn xfjit_engine_warm_list(engine: *mut xfjit_engine, list: *const xfjit_list, wait: i32) -> xfjit_status {
        call(|| {
            let (engine, list) = (engine.handle()?.get(), list.handle()?);
            engine.warm_list(&list.copy(), wait != 0);
            Ok(())
        })
    }
    /// Compiles the programs of a list on this many threads: this one, and others that end before the call returns. 0: as many as the system
    /// has for the process. warmed may be null; user is passed to it. The engine keeps as many programs as fit into its cache. If warmed ends
    /// it, the interpreter runs the other programs until they are asked for again. Any thread.
    fn xfjit_engine_warm_list_with(engine: *mut xfjit_engine, list: *const xfjit_list, threads: u32, warmed: xfjit_warmed, user: *mut c_void) -> xfjit_status {
        call(|| {
            let (engine, list) = (engine.handle()?.get(), list.handle()?);
            let list = list.copy();
            let warmed = Warmed { call: warmed, user: user.as_ptr() };
            engine.warm_list_with(&list, threads as usize, &mut move |ready, of| warmed.tell(ready, of));
            Ok(())
        })
    }
}
