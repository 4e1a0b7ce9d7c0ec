//! Lists of programs to warm.

use crate::engine::xfjit_engine;
use crate::export::functions;
use crate::handle::handle;
use crate::status::{Failure, XFJIT_E_FILE, call, count, xfjit_status};
use std::ffi::c_char;
use std::sync::{Mutex, MutexGuard, PoisonError};
use xfjit::engine::ProgramList;

handle! { LIST =
    /// Programs with the vertices that they have run, kept in a file from one session to the next: microcode and counters, never
    /// machine code. All threads may use one at the same time.
    Owned xfjit_list(b"xfjitlst", "list") { list: Mutex<ProgramList> }
}

impl xfjit_list {
    fn get(&self) -> MutexGuard<'_, ProgramList> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn file(error: std::io::Error) -> Failure {
    Failure::new(XFJIT_E_FILE, error)
}

functions! {
    FUNCTIONS;
    /// Makes a list: of a file (`path` is UTF-8), or an empty one, if there is no such file or `path` is null. What is damaged in
    /// the file is left out, the rest is there. Any thread.
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
    /// Ends a list; a null pointer is none. One thread, while no other uses the handle.
    fn xfjit_list_destroy(list: *mut xfjit_list) -> xfjit_status {
        call(|| list.end())
    }
    /// Writes a list to a file: whoever reads it finds all of the old one or all of the new one. Any thread.
    fn xfjit_list_save(list: *const xfjit_list, path: *const c_char) -> xfjit_status {
        call(|| {
            let (list, path) = (list.handle()?, path.path("path")?);
            let list = list.get().clone();
            list.save(path).map_err(file)
        })
    }
    /// The number of programs in a list; 0 if something is wrong. Any thread.
    fn xfjit_list_count(list: *const xfjit_list) -> usize {
        count(|| Ok(list.handle()?.get().programs().len()))
    }
    /// Adds what the programs that the engine holds have run to their counts in a list. Once in a session, at its end, so that nothing
    /// is counted twice. Any thread.
    fn xfjit_list_add(list: *mut xfjit_list, engine: *const xfjit_engine) -> xfjit_status {
        call(|| {
            let (list, engine) = (list.handle()?, engine.handle()?.get());
            let counted = engine.list();
            list.get().merge(&counted);
            Ok(())
        })
    }
    /// Has the programs of a list compiled before they are asked for, those that have run most first: as xfjit_engine_warm. The
    /// engine holds as many as its cache has room for. Any thread.
    fn xfjit_engine_warm_list(engine: *mut xfjit_engine, list: *const xfjit_list, wait: i32) -> xfjit_status {
        call(|| {
            let (engine, list) = (engine.handle()?.get(), list.handle()?);
            let list = list.get().clone();
            engine.warm_list(&list, wait != 0);
            Ok(())
        })
    }
}
