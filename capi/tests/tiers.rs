//! Who compiles, what callers hear of it, and lists of programs, as C has them.
#![cfg(feature = "jit")]

mod session;

use session::{Session, options};
use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr::{null, null_mut};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use xfjit_capi::*;

/// Runs vertices, whose results must be right.
fn run(session: &Session, vertices: usize) {
    assert_eq!(session.run(vertices), (XFJIT_OK, [4.0; 4]));
}

fn is_native(session: &Session) -> bool {
    // SAFETY: numbers alone.
    let mut info: xfjit_info = unsafe { std::mem::zeroed() };
    info.size = size_of::<xfjit_info>() as u32;
    // SAFETY: everything is there.
    assert_eq!(unsafe { xfjit_program_info(session.program, &raw mut info) }, XFJIT_OK);
    info.native == 1
}

/// Of no vertices nothing has to be there, however often such a batch is repeated.
#[test]
fn a_batch_of_no_vertices_is_repeated() {
    let mut constants = [[0u32; 4]; 192];
    // SAFETY: the structures are numbers and null pointers.
    let (mut attributes, outputs, mut batch): ([xfjit_attribute; 16], [xfjit_output; 16], xfjit_batch) =
        unsafe { std::mem::zeroed() };
    for attribute in &mut attributes {
        (attribute.stride, attribute.format, attribute.components) = (16, XFJIT_FORMAT_F32, 4);
    }
    batch.size = size_of::<xfjit_batch>() as u32;
    (batch.constants, batch.constant_rows) = (constants.as_mut_ptr().cast(), 192);
    (batch.attributes, batch.attribute_count) = (attributes.as_ptr(), 16);
    (batch.outputs, batch.output_count) = (outputs.as_ptr(), 16);
    batch.attribute_size = size_of::<xfjit_attribute>() as u32;
    batch.output_size = size_of::<xfjit_output>() as u32;
    for backend in [XFJIT_BACKEND_BEST, XFJIT_BACKEND_INTERPRETER] {
        let session = Session::new(&xfjit_options { backend, ..options() });
        for _ in 0..4 {
            // SAFETY: everything is there but vertices, of which there are none.
            let status = unsafe { xfjit_run(session.program, session.worker, &raw const batch, null_mut()) };
            assert_eq!(status, XFJIT_OK);
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
fn a_profile_is_json() {
    let session = Session::new(&options());
    run(&session, 20);
    run(&session, 1);
    // SAFETY: nothing is written.
    let length = unsafe { xfjit_engine_profile(session.engine, null_mut(), 0) };
    let mut text = vec![0x7f; length + 1];
    // SAFETY: there is so much room.
    let again = unsafe { xfjit_engine_profile(session.engine, text.as_mut_ptr(), text.len()) };
    assert_eq!(again, length);
    // SAFETY: it has been written, with a zero behind it.
    let text = unsafe { CStr::from_ptr(text.as_ptr()) }.to_str().unwrap();
    assert!(text.starts_with("{\"schema\":\"xfjit.profile.1\",\"target\":\""), "{text}");
    assert!(text.contains("jit "), "{text}");
    assert!(text.contains("\"tier\":\"native\"") && text.ends_with("}]}"), "{text}");
    assert!(text.contains("\"batches\":2,\"vertices\":21"), "{text}");
    // SAFETY: a null pointer is refused.
    assert_eq!(unsafe { xfjit_engine_profile(null(), null_mut(), 0) }, 0);
}

#[cfg(target_os = "linux")]
#[test]
fn perf_is_told_of_code() {
    let directory = std::env::temp_dir().join(format!("xfjit-capi-perf-{}", std::process::id()));
    let path = CString::new(directory.to_str().unwrap()).unwrap();
    let mut options = options();
    options.perf = XFJIT_PERF_JITDUMP;
    let mut engine = null_mut();
    let refused = |options: &xfjit_options, status| {
        let mut none = null_mut();
        // SAFETY: everything is there.
        assert_eq!(unsafe { xfjit_engine_create(options, &raw mut none) }, status);
    };
    refused(&options, XFJIT_E_ARGUMENT);
    options.perf_directory = path.as_ptr();
    // SAFETY: everything is there.
    assert_eq!(unsafe { xfjit_engine_create(&raw const options, &raw mut engine) }, XFJIT_OK);
    let dump = directory.join(format!("jit-{}.dump", std::process::id()));
    assert_eq!(std::fs::read(&dump).unwrap().len(), 40);
    refused(&options, XFJIT_E_FILE);
    options.perf = 3;
    refused(&options, XFJIT_E_ARGUMENT);
    // SAFETY: nobody uses it.
    assert_eq!(unsafe { xfjit_engine_destroy(engine) }, XFJIT_OK);
    std::fs::remove_dir_all(directory).unwrap();
}

#[cfg(target_os = "linux")]
#[test]
fn others_attach_to_an_engine() {
    let mut options = options();
    let create = |options: &xfjit_options| {
        let mut engine = null_mut();
        // SAFETY: everything is there.
        (unsafe { xfjit_engine_create(options, &raw mut engine) }, engine)
    };
    options.attach = 2;
    assert_eq!(create(&options).0, XFJIT_E_ARGUMENT);
    (options.attach, options.reserved) = (1, 1);
    assert_eq!(create(&options).0, XFJIT_E_ARGUMENT);
    (options.reserved, options.log_level) = (0, 5);
    assert_eq!(create(&options).0, XFJIT_E_ARGUMENT);
    options.log_level = 0;
    let (status, engine) = create(&options);
    assert_eq!(status, XFJIT_OK);
    let file = xfjit::attach::directory().join(format!("xfjit-{}.attach", std::process::id()));
    assert_eq!(xfjit::attach::Reader::open(&file).unwrap().header().process, std::process::id());
    // SAFETY: nobody uses it.
    assert_eq!(unsafe { xfjit_engine_destroy(engine) }, XFJIT_OK);
    assert!(!file.exists());
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
    run(&session, 20);
    run(&session, 1);
    let jobs = std::mem::take(&mut *ears.jobs.lock().unwrap());
    let &[job] = &jobs[..] else { panic!("{} jobs", jobs.len()) };
    assert!(!is_native(&session));
    // SAFETY: the job is this test's.
    std::thread::spawn(move || unsafe { assert_eq!(xfjit_job_run(job as *mut _), XFJIT_OK) }).join().unwrap();
    assert!(is_native(&session));
    assert_eq!(ears.compiled.load(Ordering::Relaxed), 1);
    run(&session, 20);

    let other = Session::new(&options);
    run(&other, 20);
    let job = ears.jobs.lock().unwrap().pop().expect("it is hot") as *mut xfjit_job;
    // SAFETY: the job is this test's.
    unsafe {
        assert_eq!(xfjit_job_drop(job), XFJIT_OK);
        assert_eq!(xfjit_job_drop(null_mut()), XFJIT_OK);
        assert_eq!(xfjit_engine_warm(other.engine, &raw const other.program, 1, 1), XFJIT_OK);
    }
    assert!(is_native(&other));
}

/// Levels and lines.
#[derive(Default)]
struct Log(Mutex<Vec<(u32, String)>>);

unsafe extern "C" fn log(user: *mut c_void, level: u32, text: *const c_char) {
    // SAFETY: they are what the options say, and the text ends with a zero.
    let (log, text) = unsafe { (&*user.cast::<Log>(), CStr::from_ptr(text)) };
    log.0.lock().unwrap().push((level, text.to_str().expect("it is UTF-8").to_owned()));
}

/// Two engines have two logs, each of the level asked for.
#[test]
fn events_are_told_in_words() {
    let logs = [Log::default(), Log::default()];
    for (ears, level) in logs.iter().zip([0, XFJIT_LOG_DEBUG]) {
        let mut options = options();
        (options.compile_after, options.compile_by) = (10, XFJIT_COMPILE_JOB);
        options.hot = Some(drop_job);
        options.log = Some(log);
        options.log_level = level;
        options.user = (&raw const *ears).cast_mut().cast();
        let session = Session::new(&options);
        run(&session, 20);
        assert!(!is_native(&session));
        options.compile_by = XFJIT_COMPILE_INLINE;
        options.hot = None;
        run(&Session::new(&options), 20);
    }
    let [plain, detailed] = logs.map(|log| log.0.into_inner().unwrap());
    let levels = |log: &[(u32, String)]| log.iter().map(|(level, _)| *level).collect::<Vec<_>>();
    assert_eq!(levels(&plain), [XFJIT_LOG_INFO]);
    assert_eq!(levels(&detailed), [XFJIT_LOG_DEBUG, XFJIT_LOG_INFO]);
    assert!(
        detailed[0].1.contains("program of 5 slots from slot 0") && detailed[0].1.contains("hot after 20")
    );
    assert!(detailed[1].1.contains("has native code: ") && !detailed[1].1.contains('\n'));
}

unsafe extern "C" fn drop_job(_: *mut c_void, job: *mut xfjit_job) {
    // SAFETY: the job is this function's.
    assert_eq!(unsafe { xfjit_job_drop(job) }, XFJIT_OK);
}

#[test]
fn compilation_inline_and_compared() {
    let mut options = options();
    (options.compile_after, options.compile_by) = (15, XFJIT_COMPILE_INLINE);
    options.verify_every = 2;
    let session = Session::new(&options);
    run(&session, 10);
    assert!(!is_native(&session));
    run(&session, 10);
    assert!(is_native(&session));
    (0..5).for_each(|_| run(&session, 10));
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
    run(&first, 30);
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
    assert!(!is_native(&second));
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
    assert!(is_native(&second), "the engine knows the program by its words");
    std::fs::remove_file(path).expect("it has been written");
}
