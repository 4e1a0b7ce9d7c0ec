//! Batches on threads of the host's pool: the bits of one thread, and a defined end whatever the pool does.

mod session;

use session::{Session, options};
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::Mutex;
use std::sync::mpsc::channel;
use std::thread;
use xfjit_capi::*;

const COUNT: usize = 250_000;

/// What a pool does with the parts of a batch.
type How<'a> = dyn Fn(Worker, u32) + 'a;

/// What a batch has that the plainest has not.
type Change = dyn Fn(&mut xfjit_batch, &Guest);

/// A worker's handle, for any thread.
#[derive(Clone, Copy)]
struct Worker(*mut xfjit_worker);

// SAFETY: handles may go from thread to thread.
unsafe impl Send for Worker {}

impl Worker {
    fn part(self, number: u32) -> xfjit_status {
        // SAFETY: the worker lives as long as the session.
        unsafe { xfjit_run_part(self.0, number) }
    }
}

unsafe extern "C" fn each(user: *mut c_void, worker: *mut xfjit_worker, count: u32) {
    // SAFETY: what `parallel` has handed over.
    let how: &&How<'_> = unsafe { &*user.cast() };
    how(Worker(worker), count);
}

/// A part on each of so many threads.
fn on_threads(worker: Worker, count: u32) {
    thread::scope(|scope| {
        for number in 0..count {
            scope.spawn(move || assert_eq!({ worker }.part(number), XFJIT_OK));
        }
    });
}

struct Guest {
    constants: Vec<[u32; 4]>,
    rows: Vec<[u32; 4]>,
    indices: Vec<u32>,
    out: Vec<[u32; 4]>,
}

impl Guest {
    fn new() -> Self {
        let row = |i: usize| {
            [i, 7 * i, 3, 1].map(|word| if i % 1000 == 17 { 0x7fc0_0000 } else { word as u32 + 0x3f80_0000 })
        };
        Guest {
            constants: (0..192).map(row).collect(),
            rows: (0..COUNT).map(row).collect(),
            indices: (0..COUNT).map(|i| (i * 7 % COUNT) as u32).collect(),
            out: Vec::new(),
        }
    }

    /// Runs vertices: on this thread, or by a pool. What the call says, what was done, the groups that native code left.
    fn run(
        &mut self,
        session: &Session,
        change: impl Fn(&mut xfjit_batch, &Guest),
        pool: Option<(u32, &How<'_>)>,
    ) -> (xfjit_status, [u64; 4]) {
        self.out = vec![[1; 4]; 2 * 2 * COUNT];
        // SAFETY: numbers and null pointers.
        let mut attributes: [xfjit_attribute; 4] = unsafe { std::mem::zeroed() };
        for register in [0, 3] {
            attributes[register].data = self.rows.as_ptr().cast();
            attributes[register].size_bytes = 16 * COUNT;
            (attributes[register].stride, attributes[register].format) = (16, XFJIT_FORMAT_F32);
            attributes[register].components = 4;
        }
        // SAFETY: as above.
        let mut outputs: [xfjit_output; 4] = unsafe { std::mem::zeroed() };
        for (register, at) in [(0, 0), (3, 1)] {
            outputs[register].data = self.out.as_mut_ptr().wrapping_add(at).cast();
            (outputs[register].size_bytes, outputs[register].stride) = (16 * self.out.len() - 16 * at, 32);
        }
        // SAFETY: as above.
        let (mut batch, mut outcome): (xfjit_batch, xfjit_outcome) = unsafe { std::mem::zeroed() };
        batch.size = size_of::<xfjit_batch>() as u32;
        outcome.size = size_of::<xfjit_outcome>() as u32;
        batch.count = COUNT as u32;
        (batch.attributes, batch.attribute_count) = (attributes.as_ptr(), 4);
        batch.attribute_size = size_of::<xfjit_attribute>() as u32;
        (batch.outputs, batch.output_count) = (outputs.as_ptr(), 4);
        batch.output_size = size_of::<xfjit_output>() as u32;
        (batch.constants, batch.constant_rows) = (self.constants.as_mut_ptr().cast(), 192);
        change(&mut batch, self);
        let Session { program, worker, .. } = *session;
        // SAFETY: everything is there.
        let status = unsafe {
            match pool {
                None => xfjit_run(program, worker, &raw const batch, &raw mut outcome),
                Some((threads, how)) => {
                    let user = (&raw const how).cast_mut().cast();
                    xfjit_run_parallel(
                        program,
                        worker,
                        &raw const batch,
                        &raw mut outcome,
                        threads,
                        Some(each),
                        user,
                    )
                }
            }
        };
        let xfjit_outcome { done, deopt_groups, vertices, timeouts, .. } = outcome;
        (status, [done.into(), deopt_groups, vertices, timeouts])
    }
}

#[test]
fn a_pool_gives_what_one_thread_gives() {
    let session = &Session::new(&options());
    let mut guest = Guest::new();
    let changes: [(&str, &Change); 4] = [
        ("vertices", &|_, _| {}),
        ("indices", &|batch, guest| {
            (batch.indices, batch.index_bytes) = (guest.indices.as_ptr().cast(), 4 * COUNT);
            batch.index_size = 4;
        }),
        ("distinct", &|batch, guest| {
            (batch.indices, batch.index_bytes) = (guest.indices.as_ptr().cast(), 4 * COUNT);
            (batch.index_size, batch.flags) = (4, XFJIT_BATCH_DISTINCT);
        }),
        ("instances", &|batch, _| batch.instance_count = 2),
    ];
    for (name, change) in changes {
        let alone = guest.run(session, change, None);
        assert_eq!(alone.0, XFJIT_OK);
        let want = std::mem::take(&mut guest.out);
        for threads in [0, 1, 2, 5, 8] {
            let calls = Mutex::new(0);
            let how = |worker: Worker, count: u32| {
                assert!((2..=threads).contains(&count));
                *calls.lock().expect("nobody panics") += 1;
                on_threads(worker, count);
            };
            assert_eq!(guest.run(session, change, Some((threads, &how))), alone, "{name}, {threads} threads");
            assert!(guest.out == want, "{name}, {threads} threads");
            let instances = if name == "instances" { 2 } else { 1 };
            assert_eq!(calls.into_inner().expect("nobody panics"), if threads < 2 { 0 } else { instances });
        }
    }
}

#[test]
fn a_pool_that_does_not_run_each_part_once_is_told() {
    let session = &Session::new(&options());
    let mut guest = Guest::new();
    let mut run = |how: &How<'_>| guest.run(session, |_, _| {}, Some((3, how))).0;
    assert_eq!(run(&on_threads), XFJIT_OK);
    assert_eq!(run(&|_, _| {}), XFJIT_E_ARGUMENT);
    assert_eq!(run(&|worker, _| assert_eq!(worker.part(1), XFJIT_OK)), XFJIT_E_ARGUMENT);
    assert_eq!(run(&|worker, _| (0..3).for_each(|_| assert_eq!(worker.part(2), XFJIT_OK))), XFJIT_E_ARGUMENT);
    assert_eq!(
        run(&|worker, count| {
            (0..count).for_each(|n| assert_eq!(worker.part(n), XFJIT_OK));
            assert_eq!(worker.part(count), XFJIT_E_ARGUMENT);
        }),
        XFJIT_E_ARGUMENT
    );
    // The worker is in a call, but for its parts.
    let busy = |worker: Worker, count: u32| {
        // SAFETY: the worker lives.
        assert_eq!(unsafe { xfjit_worker_set_overtime(worker.0, 1) }, XFJIT_E_BUSY);
        on_threads(worker, count);
    };
    assert_eq!(run(&busy), XFJIT_OK);
    assert_eq!(Worker(session.worker).part(0), XFJIT_E_ARGUMENT, "no call is waiting");
    // SAFETY: everything that is looked at is there.
    let status = unsafe {
        xfjit_run_parallel(session.program, session.worker, null(), null_mut(), 2, None, null_mut())
    };
    assert_eq!(status, XFJIT_E_ARGUMENT);
    assert_eq!(run(&on_threads), XFJIT_OK, "nothing is spoilt");
    assert_eq!(session.run(9), (XFJIT_OK, [4.0; 4]));
}

/// A pool may be late: what begins after the call does nothing, and the call waits for what has begun.
#[test]
fn parts_that_come_late_find_nobody() {
    let session = &Session::new(&options());
    let mut guest = Guest::new();
    let (begin, begun) = channel::<(Worker, u32)>();
    let late = thread::spawn(move || {
        let mut statuses = Vec::new();
        for (worker, number) in begun {
            statuses.push(worker.part(number));
        }
        statuses
    });
    for _ in 0..20 {
        let how = |worker: Worker, count: u32| {
            // Nobody waits for these.
            (0..count).for_each(|number| begin.send((worker, number)).expect("the pool lives"));
        };
        let status = guest.run(session, |_, _| {}, Some((4, &how))).0;
        assert!([XFJIT_OK, XFJIT_E_ARGUMENT].contains(&status), "{status}");
    }
    drop(begin);
    let statuses = late.join().expect("nothing panics");
    assert!(
        statuses.len() >= 40 && statuses.iter().all(|status| [XFJIT_OK, XFJIT_E_ARGUMENT].contains(status))
    );
    assert_eq!(guest.run(session, |_, _| {}, Some((4, &on_threads))).0, XFJIT_OK);
}

#[derive(Default)]
struct Heard {
    told: Mutex<Vec<(usize, usize)>>,
    most: usize,
}

unsafe extern "C" fn warmed(user: *mut c_void, ready: usize, of: usize) -> i32 {
    // SAFETY: what the test has handed over.
    let heard: &Heard = unsafe { &*user.cast() };
    let mut told = heard.told.lock().expect("nobody panics");
    told.push((ready, of));
    i32::from(told.len() >= heard.most)
}

#[test]
fn programs_are_made_ready_on_several_threads() {
    let session = Session::new(&options());
    let mut later = options();
    (later.compile_after, later.compile_by) = (1 << 40, XFJIT_COMPILE_INLINE);
    let path = c"/nowhere/at/all";
    // SAFETY: everything is there.
    unsafe {
        let mut list = null_mut();
        assert_eq!(xfjit_list_load(path.as_ptr(), &raw mut list), XFJIT_OK);
        assert_eq!(xfjit_list_add(list, session.engine), XFJIT_OK);
        for (threads, tells) in [(0, true), (1, false), (3, true)] {
            let other = Session::new(&later);
            let heard = Heard { most: usize::MAX, ..Heard::default() };
            let user = (&raw const heard).cast_mut().cast();
            let warmed: xfjit_warmed = tells.then_some(warmed as _);
            assert_eq!(xfjit_engine_warm_list_with(other.engine, list, threads, warmed, user), XFJIT_OK);
            let told = heard.told.into_inner().expect("nobody panics");
            assert_eq!(told, if tells { vec![(1, 1)] } else { Vec::new() });
            let mut info: xfjit_info = std::mem::zeroed();
            info.size = size_of::<xfjit_info>() as u32;
            assert_eq!(xfjit_program_info(other.program, &raw mut info), XFJIT_OK);
            assert_eq!(info.native, u32::from(cfg!(feature = "jit")));
        }
        assert_eq!(xfjit_list_destroy(list), XFJIT_OK);
    }
}
