//! Memory that the host has taken away comes back while code is at it: a handler of the embedder gives it back, as emulators do that watch
//! the memory of their guest, and the code goes on as if nothing had been. So an exception inside of the code does no harm to what
//! it holds, neither in registers nor on the stack.
#![cfg(all(feature = "jit", any(target_os = "linux", windows)))]

use region::{Allocation, Protection, page};
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use xfjit::Worker;
use xfjit::backend::{Backend, Interp, Routine, Runs};
use xfjit::front::Microcode;
use xfjit::runtime::batch::Outputs;
use xfjit::runtime::constants::Constants;
use xfjit::runtime::num::Model;
use xfjit_testing::backends;
use xfjit_testing::programs::{self, Fixed};

/// What may be given back: the addresses of whole pages.
static START: AtomicUsize = AtomicUsize::new(0);
static END: AtomicUsize = AtomicUsize::new(0);
/// How many pages have been.
static FAULTS: AtomicUsize = AtomicUsize::new(0);

/// Gives the page of an address back; tells whether that may be.
fn give_back(address: usize) -> bool {
    let is_lent = (START.load(Ordering::Relaxed)..END.load(Ordering::Relaxed)).contains(&address);
    // SAFETY: the page belongs to the allocation of the test that is running, which may be accessed as it was before.
    let opens = || unsafe {
        region::protect(ptr::with_exposed_provenance::<u8>(address), 1, Protection::READ_WRITE).is_ok()
    };
    let gives = is_lent && opens();
    FAULTS.fetch_add(gives.into(), Ordering::Relaxed);
    gives
}

#[cfg(windows)]
mod handler {
    use std::ffi::c_void;

    /// `EXCEPTION_RECORD` of 64 bits.
    #[repr(C)]
    struct Record {
        code: u32,
        flags: u32,
        inner: *const Record,
        at: *const c_void,
        count: u32,
        information: [usize; 15],
    }

    #[repr(C)]
    struct Pointers {
        record: *const Record,
        registers: *mut c_void,
    }

    const ACCESS_VIOLATION: u32 = 0xc000_0005;
    const GOES_ON: i32 = -1;
    const IS_ANOTHERS: i32 = 0;

    #[link(name = "kernel32")]
    unsafe extern "system" {
        fn AddVectoredExceptionHandler(
            first: u32,
            handler: unsafe extern "system" fn(*const Pointers) -> i32,
        ) -> *mut c_void;
    }

    unsafe extern "system" fn on_exception(pointers: *const Pointers) -> i32 {
        // SAFETY: the system hands over a record, which lives as long as the handler runs.
        let record = unsafe { &*(*pointers).record };
        let is_given = record.code == ACCESS_VIOLATION && super::give_back(record.information[1]);
        if is_given { GOES_ON } else { IS_ANOTHERS }
    }

    pub(super) fn install() {
        // SAFETY: the handler does what a handler may.
        assert!(!unsafe { AddVectoredExceptionHandler(1, on_exception) }.is_null());
    }
}

#[cfg(target_os = "linux")]
mod handler {
    use std::ffi::{c_int, c_void};
    use std::mem::zeroed;
    use std::ptr;

    extern "C" fn on_signal(_: c_int, info: *mut libc::siginfo_t, _: *mut c_void) {
        // SAFETY: the system hands over what it knows of the fault.
        let address = unsafe { (*info).si_addr() }.addr();
        if !super::give_back(address) {
            // SAFETY: from now on the fault ends the process, as it would have.
            unsafe { libc::signal(libc::SIGSEGV, libc::SIG_DFL) };
        }
    }

    pub(super) fn install() {
        let handler: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) = on_signal;
        // SAFETY: a structure of numbers, for which zeros are values; the handler calls nothing but the system.
        unsafe {
            let mut action: libc::sigaction = zeroed();
            action.sa_sigaction = handler as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO;
            assert_eq!(libc::sigaction(libc::SIGSEGV, &raw const action, ptr::null_mut()), 0);
        }
    }
}

/// Pages that are taken away and come back.
struct Lent(Allocation);

impl Lent {
    fn new(bytes: usize) -> Self {
        let memory = region::alloc(bytes, Protection::READ_WRITE).expect("memory");
        memory.as_ptr::<u8>().expose_provenance();
        Lent(memory)
    }

    /// The words, in two parts of whole pages.
    fn words(&mut self, first: usize) -> (&mut [u32], &mut [u32]) {
        let words = self.0.len() / 4;
        // SAFETY: the allocation is zeros or numbers, aligned to pages, and mutably borrowed. Where it cannot be accessed, the handler sees to it.
        unsafe { std::slice::from_raw_parts_mut(self.0.as_mut_ptr::<u32>(), words) }.split_at_mut(first / 4)
    }

    /// Takes all of it away, until it is accessed.
    fn take_away(&mut self) {
        let (start, bytes) = (self.0.as_ptr::<u8>(), self.0.len());
        START.store(start.addr(), Ordering::Relaxed);
        END.store(start.addr() + bytes, Ordering::Relaxed);
        // SAFETY: whoever accesses it gets it back.
        unsafe { region::protect(start, bytes, Protection::NONE) }.expect("whole pages of it");
    }
}

fn run(fixed: &Fixed, routine: &dyn Routine, count: usize, input: &[u32], output: &mut [u32]) {
    let inputs = fixed.inputs(input, count);
    let outputs = Outputs::interleaved(output, fixed.outputs);
    let context = fixed.context();
    let mut constants = Constants::read_only(context.rows());
    routine
        .run_on(&mut Worker::new(), &mut constants, &inputs, &outputs)
        .expect("the streams are long enough");
}

#[test]
fn code_goes_on_when_memory_comes_back() {
    const COUNT: usize = 1000;
    handler::install();
    let mut native = 0;
    for (fixed, model) in
        programs::ALL.iter().flat_map(|fixed| Model::ALL.iter().map(move |&model| (fixed, model)))
    {
        let shader = Microcode::shader(&Arc::new(fixed.program()), &fixed.config(model));
        let prepare = |backend: &dyn Backend| backend.prepare(&shader).ok();
        let (vertices, mut wanted) = (fixed.vertices(COUNT), vec![0; COUNT * fixed.output_words()]);
        let interpreted = prepare(&Interp::Single).expect("it runs every program");
        run(fixed, &*interpreted, COUNT, &vertices, &mut wanted);
        let [input_bytes, output_bytes] =
            [vertices.len(), wanted.len()].map(|words| (4 * words).next_multiple_of(page::size()));
        for backend in backends(model) {
            let Some(routine) = prepare(&*backend) else { continue };
            let mut lent = Lent::new(input_bytes + output_bytes);
            lent.words(input_bytes).0[..vertices.len()].copy_from_slice(&vertices);
            FAULTS.store(0, Ordering::Relaxed);
            lent.take_away();
            let (input, output) = lent.words(input_bytes);
            run(fixed, &*routine, COUNT, &input[..vertices.len()], &mut output[..wanted.len()]);
            let name = backend.name();
            assert!(output[..wanted.len()] == wanted, "{} by {name}", fixed.name);
            let faults = FAULTS.load(Ordering::Relaxed);
            assert_eq!(faults, (input_bytes + output_bytes) / page::size(), "{} by {name}", fixed.name);
            native += usize::from(backend.runs() == Runs::Native);
        }
    }
    assert!(native >= programs::ALL.len(), "{native} runs of native code");
}
