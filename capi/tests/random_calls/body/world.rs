//! What a host may be like around a call: any floating-point environment, memory that it watches, a process that has been forked,
//! no memory for compiling. Nothing of it may be seen in what the call does, and the environment comes back as it was.

use super::lent::{Lent, Source};

/// The world around a call.
#[derive(Clone, Copy, Debug)]
pub(super) enum World {
    /// Nothing is odd.
    Plain,
    /// The caller's floating-point environment: rounding, flushing, sticky flags, and exceptions that end the process.
    Environment(u32),
    /// Whoever touches memory that is lent raises a signal first, as in hosts that watch the memory of their guest.
    Watched,
    /// The call is made in a child of the process as well, which leaves the same.
    Forked,
}

impl World {
    pub(super) fn choose(source: &mut Source<'_>) -> Self {
        match source.below(64) {
            0..24 => World::Plain,
            24..44 => World::Environment(source.word()),
            44..63 => World::Watched,
            _ => World::Forked,
        }
    }

    /// Its number, for counting.
    pub(super) const fn number(self) -> usize {
        match self {
            World::Plain => 0,
            World::Environment(_) => 1,
            World::Watched => 2,
            World::Forked => 3,
        }
    }

    /// Makes a call in this world. What it says and leaves in memory is compared as text and words.
    pub(super) fn around<R: std::fmt::Debug>(
        self,
        memory: &mut [&mut Lent],
        mut call: impl FnMut() -> R,
    ) -> R {
        match self {
            World::Plain => call(),
            World::Environment(word) => environment::within(word, call),
            World::Watched => watched::while_watched(memory, call),
            World::Forked => {
                let child = forked::in_child(memory, &mut call);
                let result = call();
                if let Some(child) = child {
                    assert_eq!(child, forked::sum(memory, &result), "after a fork it does something else");
                }
                result
            }
        }
    }
}

/// How often somebody has touched watched memory; nothing where no memory is watched.
pub(super) fn faults() -> Option<usize> {
    #[cfg(target_os = "linux")]
    return Some(watched::FAULTS.load(std::sync::atomic::Ordering::Relaxed));
    #[cfg(not(target_os = "linux"))]
    None
}

#[cfg(target_arch = "x86_64")]
mod environment {
    use std::arch::asm;

    fn read() -> u32 {
        let mut state = 0;
        // SAFETY: stores MXCSR into a live local.
        unsafe { asm!("stmxcsr [{}]", in(reg) &mut state, options(nostack, preserves_flags)) };
        state
    }

    fn set(state: u32) {
        // SAFETY: no reserved bit is set, and whoever sets it puts the state back before anything else computes.
        unsafe { asm!("ldmxcsr [{}]", in(reg) &state, options(nostack)) };
    }

    /// Makes a call under an MXCSR: all bits that are not reserved are the word's.
    pub(super) fn within<R>(word: u32, mut call: impl FnMut() -> R) -> R {
        let (before, state) = (read(), word & 0xffff);
        set(state);
        let result = call();
        let after = read();
        set(before);
        assert_eq!(after, state, "the caller's environment is another one");
        result
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod environment {
    pub(super) fn within<R>(_: u32, mut call: impl FnMut() -> R) -> R {
        call()
    }
}

#[cfg(target_os = "linux")]
mod watched {
    use super::Lent;
    use region::{Protection, page};
    use std::ffi::{c_int, c_void};
    use std::mem::{MaybeUninit, zeroed};
    use std::ops::Range;
    use std::ptr;
    use std::sync::Once;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Memory of one call at most.
    const MOST: usize = 64;

    /// The addresses of pages that are watched, one range after the other.
    static WATCHED: [[AtomicUsize; 2]; MOST] = [const { [const { AtomicUsize::new(0) }; 2] }; MOST];

    /// Pages that have been given back.
    pub(super) static FAULTS: AtomicUsize = AtomicUsize::new(0);

    fn is_watched(address: usize) -> bool {
        WATCHED.iter().any(|[start, end]| {
            (start.load(Ordering::Relaxed)..end.load(Ordering::Relaxed)).contains(&address)
        })
    }

    fn protect(pages: Range<usize>, protection: Protection) {
        // SAFETY: the pages are those of memory that is lent, which nothing else uses meanwhile.
        let done = unsafe {
            region::protect(ptr::with_exposed_provenance::<u8>(pages.start), pages.len(), protection)
        };
        done.expect("pages can be protected");
    }

    static mut OTHERS: MaybeUninit<libc::sigaction> = MaybeUninit::uninit();

    extern "C" fn on_signal(_: c_int, info: *mut libc::siginfo_t, _: *mut c_void) {
        // SAFETY: the system hands over what it knows of the fault.
        let address = unsafe { (*info).si_addr() }.addr();
        if is_watched(address) {
            let start = address / page::size() * page::size();
            protect(start..start + page::size(), Protection::READ_WRITE);
            FAULTS.fetch_add(1, Ordering::Relaxed);
        } else {
            // SAFETY: it has been filled in before this handler was there. The instruction faults again, in the handler before.
            unsafe { libc::sigaction(libc::SIGSEGV, (&raw const OTHERS).cast(), ptr::null_mut()) };
        }
    }

    fn install() {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            let handler: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) = on_signal;
            // SAFETY: a structure of numbers, for which zeros are values; the handler calls nothing but the system.
            unsafe {
                let mut action: libc::sigaction = zeroed();
                action.sa_sigaction = handler as *const () as usize;
                action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
                assert_eq!(libc::sigaction(libc::SIGSEGV, &raw const action, (&raw mut OTHERS).cast()), 0);
            }
        });
    }

    /// Makes a call while memory is watched.
    pub(super) fn while_watched<R>(memory: &[&mut Lent], mut call: impl FnMut() -> R) -> R {
        install();
        let all: Vec<Range<usize>> = memory.iter().map(|lent| lent.pages()).take(MOST).collect();
        for ([start, end], pages) in WATCHED.iter().zip(&all) {
            start.store(pages.start, Ordering::Relaxed);
            end.store(pages.end, Ordering::Relaxed);
            protect(pages.clone(), Protection::NONE);
        }
        let result = call();
        for ([_, end], pages) in WATCHED.iter().zip(all) {
            end.store(0, Ordering::Relaxed);
            protect(pages, Protection::READ_WRITE);
        }
        result
    }
}

#[cfg(not(target_os = "linux"))]
mod watched {
    use super::Lent;

    pub(super) fn while_watched<R>(_: &[&mut Lent], mut call: impl FnMut() -> R) -> R {
        call()
    }
}

mod forked {
    use super::Lent;
    use std::fmt::Debug;
    use std::hash::{DefaultHasher, Hash, Hasher};

    /// What a call has said and left, as a number.
    pub(super) fn sum<R: Debug>(memory: &[&mut Lent], result: &R) -> u64 {
        let mut hasher = DefaultHasher::new();
        memory.iter().for_each(|lent| lent.words.hash(&mut hasher));
        format!("{result:?}").hash(&mut hasher);
        hasher.finish()
    }

    /// Makes a call in a child, and returns its sum; nothing where processes are not forked.
    #[cfg(target_os = "linux")]
    pub(super) fn in_child<R: Debug>(memory: &[&mut Lent], call: &mut impl FnMut() -> R) -> Option<u64> {
        let mut pipe = [0; 2];
        // SAFETY: two numbers are there. The child has all that this thread has, uses handles as the C interface allows after a fork, and
        // leaves without running anything else of the process.
        unsafe {
            assert_eq!(libc::pipe(pipe.as_mut_ptr()), 0);
            let child = libc::fork();
            assert!(child >= 0, "a process can be forked");
            if child == 0 {
                // Whoever waits for a thread that is not there waits no longer than this.
                libc::alarm(60);
                let bytes = sum(memory, &call()).to_ne_bytes();
                let written = libc::write(pipe[1], bytes.as_ptr().cast(), bytes.len());
                libc::_exit(i32::from(written != bytes.len() as isize));
            }
            let (mut bytes, mut status) = ([0; 8], 0);
            libc::close(pipe[1]);
            let count = libc::read(pipe[0], bytes.as_mut_ptr().cast(), bytes.len());
            libc::close(pipe[0]);
            assert_eq!(libc::waitpid(child, &raw mut status, 0), child);
            assert_eq!((count, status), (8, 0), "after a fork a call does not end as it should");
            Some(u64::from_ne_bytes(bytes))
        }
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn in_child<R: Debug>(_: &[&mut Lent], _: &mut impl FnMut() -> R) -> Option<u64> {
        None
    }
}
