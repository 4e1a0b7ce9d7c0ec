//! How much stack things take, and what happens where less is left: nothing reaches beyond the page that guards the
//! stack's end, and a compilation finds stack enough wherever it is asked for.
#![cfg(target_os = "linux")]

use std::hint::black_box;
use std::ptr;
use std::sync::Arc;
use xfjit::backend::{Backend, Interp, Routine};
use xfjit::front::Microcode;
use xfjit::{Generation, Model, Worker};
use xfjit_testing::RandomCase;
use xfjit_testing::operand::Temper;
use xfjit_testing::program::Shape;
use xfjit_testing::{Case, Choices, Limits};

const PAGE: usize = 4096;
/// What running a program takes at most, as `xfjit_native::RUNNING` says; it holds of the interpreter alone, too.
const RUNNING: usize = 64 << 10;
/// More than any frame, so that code which steps over the guard lands in it.
const CANARY: usize = 256 << 10;
const PAINT: u8 = 0xa5;

/// A stack with a page before its end that nothing may touch, and memory of somebody else behind that. Children see what
/// their parent sees.
struct Stack {
    memory: *mut u8,
    bytes: usize,
    /// What a body finds: all of it, but where the system refuses threads with so little (glibc takes 128 KiB on AArch64).
    left: usize,
}

/// The least stack that the system gives a thread.
fn least() -> usize {
    // SAFETY: it asks for a number alone.
    let least = unsafe { libc::sysconf(libc::_SC_THREAD_STACK_MIN) };
    usize::try_from(least).expect("Linux has it").next_multiple_of(PAGE)
}

impl Stack {
    fn new(left: usize) -> Self {
        let bytes = left.max(least());
        let whole = CANARY + PAGE + bytes;
        let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_ANONYMOUS);
        // SAFETY: a new mapping; the page made inaccessible lies inside, and nothing refers to it.
        let memory = unsafe {
            let memory = libc::mmap(ptr::null_mut(), whole, access, kind, -1, 0);
            assert_ne!(memory, libc::MAP_FAILED);
            assert_eq!(libc::mprotect(memory.byte_add(CANARY), PAGE, libc::PROT_NONE), 0);
            memory.cast::<u8>()
        };
        let stack = Stack { memory, bytes, left };
        // SAFETY: both ranges are mapped, writable, and not in use.
        unsafe {
            ptr::write_bytes(memory, PAINT, CANARY);
            ptr::write_bytes(stack.low(), PAINT, bytes);
        }
        stack
    }

    fn low(&self) -> *mut u8 {
        self.memory.wrapping_add(CANARY + PAGE)
    }

    /// Runs something on it, on a thread of the system that knows its size.
    fn run<R: Send>(&self, body: impl FnOnce() -> R + Send) -> R {
        struct Job<F, R>(Option<F>, Option<R>);
        extern "C" fn start<R, F: FnOnce() -> R>(job: *mut libc::c_void) -> *mut libc::c_void {
            // SAFETY: it is the job below, which nobody else touches before the thread has been joined.
            let job = unsafe { &mut *job.cast::<Job<F, R>>() };
            job.1 = job.0.take().map(|body| body());
            ptr::null_mut()
        }
        fn entry<R, F: FnOnce() -> R>(
            _: &Job<F, R>,
        ) -> extern "C" fn(*mut libc::c_void) -> *mut libc::c_void {
            start::<R, F>
        }
        let (low, left, is_whole) = (self.low().addr(), self.left, self.left == self.bytes);
        let body = move || {
            if is_whole {
                return body();
            }
            let (mut body, mut result) = (Some(body), None);
            descend(low, left, &mut || result = body.take().map(|body| body()));
            result.expect("it has run")
        };
        let mut job = Job(Some(body), None);
        let start = entry(&job);
        // SAFETY: the attributes are initialised before they are used; the stack is this one, which lives as long as the
        // thread, and nothing else runs on it; so does the job.
        unsafe {
            let mut attributes = std::mem::MaybeUninit::uninit();
            assert_eq!(libc::pthread_attr_init(attributes.as_mut_ptr()), 0);
            let mut attributes = attributes.assume_init();
            assert_eq!(libc::pthread_attr_setstack(&raw mut attributes, self.low().cast(), self.bytes), 0);
            let mut thread = std::mem::zeroed();
            assert_eq!(libc::pthread_create(&raw mut thread, &attributes, start, (&raw mut job).cast()), 0);
            assert_eq!(libc::pthread_join(thread, ptr::null_mut()), 0);
            libc::pthread_attr_destroy(&raw mut attributes);
        }
        job.1.expect("the thread has ended")
    }

    fn is_painted(&self, at: usize) -> bool {
        // SAFETY: callers stay inside the mapping, off the guard; children that write there have ended.
        unsafe { self.memory.add(at).read_volatile() == PAINT }
    }

    fn canary_is_whole(&self) -> bool {
        (0..CANARY).all(|at| self.is_painted(at))
    }

    /// Bytes that have been written to, of those that a body finds.
    fn used(&self) -> usize {
        self.left - (0..self.left).take_while(|at| self.is_painted(CANARY + PAGE + at)).count()
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        // SAFETY: the mapping is this one's, and its threads have ended.
        unsafe { libc::munmap(self.memory.cast(), CANARY + PAGE + self.bytes) };
    }
}

/// How a child ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    Well,
    /// Of an access that was refused.
    Refused,
    Otherwise(i32),
}

/// Runs something in a copy of this process.
fn in_child(body: impl FnOnce()) -> End {
    // SAFETY: the child runs `body` and ends, without going back into the test harness; what it allocates the C library
    // keeps usable in a copy.
    let child = unsafe { libc::fork() };
    assert!(child >= 0, "{}", std::io::Error::last_os_error());
    if child == 0 {
        // SAFETY: no handler of the harness should run in the copy, and it must not live for ever.
        unsafe {
            libc::signal(libc::SIGSEGV, libc::SIG_DFL);
            libc::signal(libc::SIGBUS, libc::SIG_DFL);
            libc::alarm(60);
        }
        let is_well = std::panic::catch_unwind(std::panic::AssertUnwindSafe(body)).is_ok();
        // SAFETY: ends the process without running what belongs to the parent.
        unsafe { libc::_exit(i32::from(!is_well)) }
    }
    let mut status = 0;
    // SAFETY: the child is ours and has not been waited for.
    assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
    match status {
        0 => End::Well,
        _ if libc::WIFSIGNALED(status) && libc::WTERMSIG(status) == libc::SIGSEGV => End::Refused,
        _ => End::Otherwise(status),
    }
}

/// Runs `body` with about so many bytes left of the stack that ends at `low`.
#[inline(never)]
fn descend(low: usize, left: usize, body: &mut dyn FnMut()) {
    let here = black_box([0u8; 256]);
    if here.as_ptr().addr() - low > left + 512 {
        descend(low, left, body);
    } else {
        body();
    }
    black_box(&here);
}

/// A program of a case, ready to run.
struct Ready {
    case: Case,
    routine: Arc<dyn Routine>,
}

impl Ready {
    fn new(case: Case, backend: &dyn Backend) -> Option<Self> {
        let program = case.program().expect("it decodes");
        let routine = backend.prepare(&Microcode::shader(&program, &case.config)).ok()?;
        Some(Ready { case, routine })
    }

    fn run(&self, worker: &mut Worker) -> Vec<u8> {
        let mut output = self.case.fresh_output();
        let mut context = self.case.context();
        self.routine
            .run(worker, &mut context, &self.case.inputs(), &mut self.case.outputs(&mut output))
            .expect("the streams hold it");
        output
    }
}

fn case(seed: u64, slots: u32, model: Option<Model>) -> Case {
    let generation = Generation::ALL[seed as usize % 3];
    let shape = Shape { slots, rare: 10, raw: 0, idioms: 30 };
    let tempers = [Temper::Ordinary, Temper::Mixed, Temper::Wild];
    let limits = Limits { generation, shape, temper: tempers[seed as usize / 3 % 3], vertices: 20, model };
    Case::within(&mut Choices::seed(seed), limits)
}

/// Whatever runs programs without native code, on programs of every kind.
#[test]
fn interpreting_takes_less_than_64_kib() {
    let stack = Stack::new(RUNNING);
    for backend in [Interp::Single, Interp::Batched] {
        for seed in 0..60 {
            let ready = Ready::new(case(seed, 64, None), &backend).expect("the interpreter refuses nothing");
            let end = in_child(|| {
                stack.run(|| drop(ready.run(&mut Worker::new())));
            });
            assert_eq!(end, End::Well, "{}, seed {seed}", backend.name());
        }
    }
    assert!(stack.canary_is_whole());
    println!("{} bytes of stack", stack.used());
}

#[cfg(feature = "jit")]
mod native {
    use super::*;
    use std::num::NonZeroU64;
    use std::sync::OnceLock;
    use xfjit::chip::Chip;
    use xfjit::engine::Verify;
    use xfjit::{Config, Engine, Options, XfUnit};
    use xfjit_native::{Budget, Compiler, Jit, MOST_FRAME, Target};

    /// Large functions, all of whose registers the quick allocator assigns: its frames are the largest.
    const BUDGET: Budget = Budget { thorough: 2048, ..Budget::PATIENT };

    fn jit(budget: Budget) -> Jit {
        Jit::cranelift().expect("this host has native code").budget(budget)
    }

    fn frame(ready: &Ready) -> usize {
        ready.routine.cost().stack_bytes
    }

    /// Programs with frames of more than two pages. Their generator makes one of a few dozen so large; with three pages there would be
    /// too few where the processor has no AVX, for which frames are smaller.
    fn large_frames() -> &'static [Ready] {
        static FOUND: OnceLock<Vec<Ready>> = OnceLock::new();
        FOUND.get_or_init(|| {
            let jit = jit(BUDGET);
            // The longest programs of Curie, in both models.
            let cases = (0..200)
                .map(|seed| case(2 + 3 * seed, 512, Some([Model::Hw, Model::Ieee][seed as usize % 2])));
            let long = cases.filter(|case| {
                case.count > 0 && case.program().is_ok_and(|program| program.insns.len() > 400)
            });
            let ready = long.filter_map(|case| Ready::new(case, &jit));
            ready.filter(|ready| frame(ready) > 2 * PAGE).take(4).collect()
        })
    }

    #[test]
    fn frames_do_not_step_over_the_guard_of_a_stack() {
        assert_eq!(xfjit_native::RUNNING, RUNNING);
        let found = large_frames();
        let frames: Vec<usize> = found.iter().map(frame).collect();
        println!("frames of {frames:?} bytes");
        assert!(frames.len() == 4 && frames.iter().all(|&bytes| bytes <= MOST_FRAME), "{frames:?}");
        let stack = Stack::new(RUNNING + 8 * PAGE);
        for ready in found {
            let mut worker = Worker::new();
            let want = ready.run(&mut worker);
            let (mut ends, low) = (Vec::new(), stack.low().addr());
            // An odd step, so that the frame's ends come to lie anywhere in a page.
            for left in (1 << 10..RUNNING).step_by(1800) {
                let end = in_child(|| {
                    stack.run(|| {
                        let mut run = || assert!(ready.run(&mut worker) == want);
                        descend(low, left, &mut run);
                    });
                });
                assert!(matches!(end, End::Well | End::Refused), "{end:?} with {left} bytes left");
                assert!(stack.canary_is_whole(), "a frame of {} with {left} bytes left", frame(ready));
                ends.push(end);
            }
            // Where there is enough nothing ends early, and where there is not, nothing goes well.
            assert_eq!((ends.first(), ends.last()), (Some(&End::Refused), Some(&End::Well)));
            let refused = ends.iter().filter(|&&end| end == End::Refused).count();
            assert!(1800 * refused > frame(ready) - 1800, "{refused} of {} were refused", ends.len());
        }
    }

    /// With AVX the quick allocator alone would need more than is allowed for them.
    #[test]
    fn programs_of_the_largest_frames_are_compiled() {
        let jit = jit(Budget { thorough: 0, ..Budget::UNLIMITED });
        let mut worker = Worker::new();
        for seed in [506, 518] {
            let case = || case(seed, 512, Some(Model::Ieee));
            let ready = Ready::new(case(), &jit).expect("it is not refused");
            assert!(frame(&ready) <= MOST_FRAME, "{} bytes", frame(&ready));
            let reference = Ready::new(case(), &Interp::Single).expect("the interpreter refuses nothing");
            assert!(ready.run(&mut worker) == reference.run(&mut worker), "{}", ready.case);
        }
    }

    #[test]
    fn running_native_code_takes_less_than_64_kib() {
        let stack = Stack::new(RUNNING);
        let jit = jit(BUDGET);
        let others: Vec<Ready> = (0..60).filter_map(|seed| Ready::new(case(seed, 32, None), &jit)).collect();
        for ready in large_frames()[..2].iter().chain(&others) {
            let end = in_child(|| {
                stack.run(|| drop(ready.run(&mut Worker::new())));
            });
            assert_eq!(end, End::Well, "{}", ready.case);
        }
        assert!(stack.canary_is_whole());
        println!("{} bytes of stack", stack.used());
    }

    /// Where each batch runs in both tiers, and units, which hold all memories of a chip.
    #[test]
    fn verified_runs_and_units_take_less_than_64_kib() {
        let stack = Stack::new(RUNNING);
        let verify = Verify { every: NonZeroU64::MIN, directory: None };
        let engine = Arc::new(Engine::new(Options::default().with(|options| options.verify = Some(verify))));
        for seed in 0..30 {
            let case = case(seed, 64, None);
            let program =
                engine.shader(&Microcode::shader(&case.program().expect("it decodes"), &case.config));
            let end = in_child(|| {
                stack.run(|| {
                    let mut output = case.fresh_output();
                    let (mut worker, mut context) = (Worker::new(), case.context());
                    program
                        .run(&mut worker, &mut context, &case.inputs(), &mut case.outputs(&mut output))
                        .expect("the streams hold it");
                });
            });
            assert_eq!(end, End::Well, "seed {seed}");
        }
        for &chip in Chip::ALL {
            let end = in_child(|| {
                stack.run(|| {
                    let unit = Box::new(XfUnit::new(Arc::clone(&engine), chip));
                    drop(unit.with_config(Config::new(Generation::Kelvin)));
                });
            });
            assert_eq!(end, End::Well, "{}", chip.name());
        }
        assert!(stack.canary_is_whole());
        println!("{} bytes of stack", stack.used());
    }

    /// On a stack on which no compilation could run, in all shapes that an embedder may ask for one.
    #[test]
    fn a_compilation_finds_stack_enough() {
        let stack = Stack::new(RUNNING);
        let large = &large_frames()[0];
        let end = in_child(|| {
            stack.run(|| {
                let engine =
                    Engine::new(Options::default().with(|options| options.backend = Arc::new(jit(BUDGET))));
                let code = Microcode::shader(&large.case.program().expect("it decodes"), &large.case.config);
                let program = engine.shader(&code);
                assert_eq!(program.refusal(), None);
                assert_eq!(program.stats().cost.code_bytes, large.routine.cost().code_bytes);
                let setup = xfjit_testing::setups::FixedSetup::find("F3").expect("it is of the set");
                let setup = xfjit::front::fixed::Setup::new(setup.mode()).model(Model::Hw);
                assert_eq!(engine.fixed(&setup).refusal(), None);
            });
        });
        assert_eq!(end, End::Well);
        assert!(stack.canary_is_whole());
    }

    /// Half of what is set aside for it (`crates/native/src/stack.rs`).
    #[test]
    fn compiling_takes_less_than_256_kib() {
        let stack = Stack::new(1 << 20);
        let found = &large_frames()[..2];
        stack.run(|| {
            for ready in found {
                let program = ready.case.program().expect("it decodes");
                let code = Microcode::shader(&program, &ready.case.config);
                for budget in [BUDGET, Budget::PATIENT] {
                    jit(budget).prepare(&code).expect("it has been compiled before");
                    let func = xfjit_core::backend::to_host(code.lower(), &xfjit_ir::machine::Machine::HOST);
                    let target = Target::host().expect("this host has native code");
                    Compiler::new(target).budget(budget).compile(&func, code.layout()).expect("it compiles");
                }
            }
        });
        println!("{} bytes of stack", stack.used());
        assert!(stack.used() > PAGE && stack.used() <= 256 << 10, "{} bytes", stack.used());
    }
}
