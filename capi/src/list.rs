//! Lists of programs to warm.

use crate::engine::{self, xfjit_engine};
use crate::memory::{self, Handle, Header};
use crate::status::{Failure, XFJIT_E_FILE, argument, call, count, xfjit_status};
use crate::table::{functions, opaque};
use std::ffi::{CStr, c_char};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use xfjit::engine::ProgramList;

/// A list of programs.
#[repr(C)]
#[allow(non_camel_case_types, reason = "the name is that of C")]
#[derive(Debug)]
pub struct xfjit_list {
    header: Header,
    list: Mutex<ProgramList>,
}

impl Handle for xfjit_list {
    const KIND: u64 = u64::from_le_bytes(*b"xfjitlst");
    const NAME: &'static str = "list";
}

const _: () = assert!(std::mem::offset_of!(xfjit_list, header) == 0);

impl xfjit_list {
    fn get(&self) -> MutexGuard<'_, ProgramList> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

opaque! { LIST =
    /// Programs with the vertices that they have run, kept in a file from one session to the next: microcode and counters, never
    /// machine code. All threads may use one at the same time.
    "xfjit_list"
}

/// A path as C gives it.
///
/// # Safety
/// It is null or text that ends with a zero.
pub(crate) unsafe fn path<'a>(path: *const c_char, name: &str) -> Result<&'a Path, Failure> {
    memory::check_pointer(path, name)?;
    // SAFETY: as the caller says.
    let text = unsafe { CStr::from_ptr(path) }.to_str();
    text.map(Path::new).map_err(|_| argument(format_args!("{name} is not UTF-8")))
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
            memory::check_pointer(list, "list")?;
            let loaded = match path.is_null() {
                true => ProgramList::default(),
                // SAFETY: as the caller says.
                false => ProgramList::load(unsafe { self::path(path, "path") }?).map_err(file)?,
            };
            let made = xfjit_list { header: Header::of::<xfjit_list>(), list: Mutex::new(loaded) };
            // SAFETY: as the caller says.
            unsafe { memory::give(made, list) }
        })
    }
    /// Ends a list; a null pointer is none. One thread, while no other uses the handle.
    fn xfjit_list_destroy(list: *mut xfjit_list) -> xfjit_status {
        // SAFETY: as the caller says.
        call(|| unsafe { memory::end(list) })
    }
    /// Writes a list to a file: whoever reads it finds all of the old one or all of the new one. Any thread.
    fn xfjit_list_save(list: *const xfjit_list, path: *const c_char) -> xfjit_status {
        call(|| {
            // SAFETY: as the caller says.
            let (list, path) = unsafe { (memory::handle(list)?, self::path(path, "path")?) };
            let list = list.get().clone();
            list.save(path).map_err(file)
        })
    }
    /// The number of programs in a list; 0 if something is wrong. Any thread.
    fn xfjit_list_count(list: *const xfjit_list) -> usize {
        // SAFETY: as the caller says.
        count(|| Ok(unsafe { memory::handle(list) }?.get().programs().len()))
    }
    /// Adds what the programs that the engine holds have run to their counts in a list. Once in a session, at its end, so that nothing
    /// is counted twice. Any thread.
    fn xfjit_list_add(list: *mut xfjit_list, engine: *const xfjit_engine) -> xfjit_status {
        call(|| {
            // SAFETY: as the caller says.
            let (list, engine) = unsafe { (memory::handle(list)?, engine::engine(engine)?) };
            let counted = engine.list();
            list.get().merge(&counted);
            Ok(())
        })
    }
    /// Has the programs of a list compiled before they are asked for, those that have run most first: as xfjit_engine_warm. The
    /// engine holds as many as its cache has room for. Any thread.
    fn xfjit_engine_warm_list(engine: *mut xfjit_engine, list: *const xfjit_list, wait: i32) -> xfjit_status {
        call(|| {
            // SAFETY: as the caller says.
            let (engine, list) = unsafe { (engine::engine(engine)?, memory::handle(list)?) };
            let list = list.get().clone();
            engine.warm_list(&list, wait != 0);
            Ok(())
        })
    }
}
