//! Who compiles, what callers hear of it, and lists of programs, as C has them.
#![cfg(feature = "jit")]

use std::ffi::{CString, c_void};
use std::ptr::{null, null_mut};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use xfjit_capi::*;

/// `oPos = v0 . c[0], ...; oD0 = v3 * c[4]`, see `tests/c/check.h`.
const TRANSFORM: [[u32; 4]; 5] = [
    [0, 0x00e0_001b, 0x0836_186c, 0x2070_8800],
    [0, 0x00e0_201b, 0x0836_186c, 0x2070_4800],
    [0, 0x00e0_401b, 0x0836_186c, 0x2070_2800],
    [0, 0x00e0_601b, 0x0836_186c, 0x2070_1800],
    [0, 0x0040_861b, 0x0836_186c, 0x2070_f819],
];

fn options() -> xfjit_options {
    // SAFETY: numbers, null pointers and no functions.
    let mut options: xfjit_options = unsafe { std::mem::zeroed() };
    options.size = size_of::<xfjit_options>() as u32;
    options
}

/// An engine with a worker and the program.
struct Session {
    engine: *mut xfjit_engine,
    worker: *mut xfjit_worker,
    program: *const xfjit_program,
}

impl Session {
    fn new(options: &xfjit_options) -> Self {
        let (mut engine, mut worker, mut program) = (null_mut(), null_mut(), null());
        // SAFETY: everything is there.
        unsafe {
            assert_eq!(xfjit_engine_create(options, &raw mut engine), XFJIT_OK);
            assert_eq!(xfjit_worker_create(engine, &raw mut worker), XFJIT_OK);
            let mut config: xfjit_config = std::mem::zeroed();
            config.size = size_of::<xfjit_config>() as u32;
            assert_eq!(xfjit_config_init(&raw mut config, XFJIT_KELVIN), XFJIT_OK);
            config.live_outputs = 9;
            let slots = TRANSFORM.as_ptr().cast();
            let status = xfjit_program_get(engine, slots, 16, 5, 0, &raw const config, &raw mut program);
            assert_eq!(status, XFJIT_OK);
        }
        Session { engine, worker, program }
    }

    fn run(&self, vertices: usize) {
        let one = 1.0f32.to_bits();
        let mut constants = vec![[one; 4]; 192];
        let input = vec![[[one; 4]; 16]; vertices];
        let mut output = vec![[[0u32; 4]; 16]; vertices];
        // SAFETY: everything is there.
        let status = unsafe {
            let (rows, from, to) =
                (constants.as_mut_ptr().cast(), input.as_ptr().cast(), output.as_mut_ptr().cast());
            xfjit_run_rows(self.program, self.worker, rows, 192, null_mut(), from, to, vertices)
        };
        assert_eq!((status, output[vertices - 1][0]), (XFJIT_OK, [4.0f32.to_bits(); 4]));
    }

    fn is_native(&self) -> bool {
        // SAFETY: numbers alone.
        let mut info: xfjit_info = unsafe { std::mem::zeroed() };
        info.size = size_of::<xfjit_info>() as u32;
        // SAFETY: everything is there.
        assert_eq!(unsafe { xfjit_program_info(self.program, &raw mut info) }, XFJIT_OK);
        info.native == 1
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // SAFETY: the handles are this test's.
        unsafe {
            assert_eq!(xfjit_program_unref(self.program), XFJIT_OK);
            assert_eq!(xfjit_worker_destroy(self.worker), XFJIT_OK);
            assert_eq!(xfjit_engine_destroy(self.engine), XFJIT_OK);
        }
    }
}

#[derive(Default)]
struct Heard {
    jobs: Mutex<Vec<usize>>,
    compiled: AtomicU32,
}

unsafe extern "C" fn hot(user: *mut c_void, job: *mut xfjit_job) {
    // SAFETY: it is what the options say.
    let heard = unsafe { &*user.cast::<Heard>() };
    heard.jobs.lock().unwrap().push(job as usize);
}

unsafe extern "C" fn heard(user: *mut c_void, event: u32, program: *const xfjit_program) {
    // SAFETY: it is what the options say.
    let heard = unsafe { &*user.cast::<Heard>() };
    assert_eq!(event, XFJIT_EVENT_COMPILED);
    assert!(!program.is_null());
    heard.compiled.fetch_add(1, Ordering::Relaxed);
}

#[test]
fn a_caller_compiles_on_its_own_thread() {
    let ears = Heard::default();
    let mut options = options();
    (options.compile_after, options.compile_by) = (10, XFJIT_COMPILE_JOB);
    options.hot = Some(hot);
    options.heard = Some(heard);
    options.user = (&raw const ears).cast_mut().cast();
    let session = Session::new(&options);
    session.run(20);
    session.run(1);
    let jobs = std::mem::take(&mut *ears.jobs.lock().unwrap());
    let &[job] = &jobs[..] else { panic!("{} jobs", jobs.len()) };
    assert!(!session.is_native());
    // SAFETY: the job is this test's.
    std::thread::spawn(move || unsafe { assert_eq!(xfjit_job_run(job as *mut _), XFJIT_OK) }).join().unwrap();
    assert!(session.is_native());
    assert_eq!(ears.compiled.load(Ordering::Relaxed), 1);
    session.run(20);

    let other = Session::new(&options);
    other.run(20);
    let job = ears.jobs.lock().unwrap().pop().expect("it is hot") as *mut xfjit_job;
    // SAFETY: the job is this test's.
    unsafe {
        assert_eq!(xfjit_job_drop(job), XFJIT_OK);
        assert_eq!(xfjit_job_drop(null_mut()), XFJIT_OK);
        assert_eq!(xfjit_engine_warm(other.engine, &raw const other.program, 1, 1), XFJIT_OK);
    }
    assert!(other.is_native());
}

#[test]
fn compilation_inline_and_compared() {
    let mut options = options();
    (options.compile_after, options.compile_by) = (15, XFJIT_COMPILE_INLINE);
    options.verify_every = 2;
    let session = Session::new(&options);
    session.run(10);
    assert!(!session.is_native());
    session.run(10);
    assert!(session.is_native());
    (0..5).for_each(|_| session.run(10));
}

#[test]
fn options_that_contradict_each_other_are_refused() {
    let refused = |change: &dyn Fn(&mut xfjit_options)| {
        let (mut options, mut engine) = (options(), null_mut());
        change(&mut options);
        // SAFETY: everything is there.
        let status = unsafe { xfjit_engine_create(&raw const options, &raw mut engine) };
        assert_eq!((status, engine.is_null()), (XFJIT_E_ARGUMENT, true));
    };
    refused(&|options| options.compile_by = XFJIT_COMPILE_INLINE);
    refused(&|options| options.hot = Some(hot));
    refused(&|options| (options.compile_after, options.compile_by) = (1, XFJIT_COMPILE_JOB));
    refused(&|options| (options.compile_after, options.compile_by) = (1, 3));
    refused(&|options| {
        options.compile_after = 1;
        options.hot = Some(hot);
    });
    refused(&|options| options.verify_directory = c"\xff".as_ptr());
}

#[test]
fn a_list_outlives_the_session() {
    let path = std::env::temp_dir().join(format!("xfjit-capi-{}.list", std::process::id()));
    let name = CString::new(path.to_str().expect("it is UTF-8")).expect("it has no zero");
    let mut options = options();
    options.compile_after = u64::MAX;
    let (first, mut list) = (Session::new(&options), null_mut());
    first.run(30);
    // SAFETY: everything is there, and handles are this test's.
    unsafe {
        assert_eq!(xfjit_list_load(name.as_ptr(), &raw mut list), XFJIT_OK);
        assert_eq!(xfjit_list_count(list), 0);
        assert_eq!(xfjit_list_add(list, first.engine), XFJIT_OK);
        assert_eq!(xfjit_list_count(list), 1);
        assert_eq!(xfjit_list_save(list, name.as_ptr()), XFJIT_OK);
        assert_eq!(xfjit_list_save(list, c"/nowhere/at/all".as_ptr()), XFJIT_E_FILE);
        assert_eq!(xfjit_list_destroy(list), XFJIT_OK);
    }
    let second = Session::new(&options);
    assert!(!second.is_native());
    // SAFETY: everything is there, and handles are this test's.
    unsafe {
        assert_eq!(xfjit_list_load(name.as_ptr(), &raw mut list), XFJIT_OK);
        assert_eq!(xfjit_engine_warm_list(second.engine, list, 1), XFJIT_OK);
        assert_eq!(xfjit_list_destroy(list), XFJIT_OK);
        assert_eq!(xfjit_list_load(null(), &raw mut list), XFJIT_OK);
        assert_eq!(xfjit_list_count(list), 0);
        assert_eq!(xfjit_list_destroy(list), XFJIT_OK);
        assert_eq!(xfjit_list_destroy(null_mut()), XFJIT_OK);
    }
    assert!(second.is_native(), "the engine knows the program by its words");
    std::fs::remove_file(path).expect("it has been written");
}
