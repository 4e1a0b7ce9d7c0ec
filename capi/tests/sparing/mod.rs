//! An allocator that refuses some large allocations of a thread, for tests. It is the one of any binary that has this module.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ptr::null_mut;

/// What is not larger is not what a caller or a guest has chosen, but once and for all.
pub(crate) const LARGE: usize = 64 << 10;

/// What is asked for before a compilation is larger.
pub(crate) const ROOM: usize = 48 << 20;

/// What the allocator does on this thread.
#[derive(Clone, Copy)]
pub(crate) struct Rule {
    /// Large allocations so far.
    pub(crate) seen: usize,
    /// Those that are refused.
    pub(crate) from: usize,
    pub(crate) until: usize,
    /// How large one has to be to count.
    pub(crate) large: usize,
    pub(crate) live: isize,
    pub(crate) peak: isize,
    pub(crate) greatest: usize,
}

pub(crate) const LAX: Rule =
    Rule { seen: 0, from: usize::MAX, until: usize::MAX, large: LARGE, live: 0, peak: 0, greatest: 0 };

thread_local! {
    pub(crate) static RULE: Cell<Rule> = const { Cell::new(LAX) };
}

struct Sparing;

impl Sparing {
    /// Whether an allocation of this size in place of another one is refused.
    fn refuses(old: usize, new: usize) -> bool {
        let refuses = RULE.try_with(|cell| {
            let mut rule = cell.get();
            rule.greatest = rule.greatest.max(new);
            let is_large = new >= rule.large && new > old;
            let refuses = is_large && (rule.from..rule.until).contains(&rule.seen);
            rule.seen += usize::from(is_large);
            // A compilation that has begun needs all its memory.
            if new >= ROOM && !refuses {
                rule.from = usize::MAX;
            }
            // What is asked for before a compilation is given back before it begins.
            if !refuses && old.max(new) < ROOM {
                rule.live += new as isize - old as isize;
                rule.peak = rule.peak.max(rule.live);
            }
            cell.set(rule);
            refuses
        });
        refuses.unwrap_or(false)
    }
}

// SAFETY: it is the system's allocator, or refuses.
unsafe impl GlobalAlloc for Sparing {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller says.
        if Self::refuses(0, layout.size()) { null_mut() } else { unsafe { System.alloc(layout) } }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller says.
        if Self::refuses(0, layout.size()) { null_mut() } else { unsafe { System.alloc_zeroed(layout) } }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        match Self::refuses(layout.size(), size) {
            true => null_mut(),
            // SAFETY: as the caller says.
            false => unsafe { System.realloc(pointer, layout, size) },
        }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        Self::refuses(layout.size(), 0);
        // SAFETY: as the caller says.
        unsafe { System.dealloc(pointer, layout) };
    }
}

#[global_allocator]
static ALLOCATOR: Sparing = Sparing;

/// Calls while a rule holds; what came of it.
pub(crate) fn under<R>(rule: Rule, call: impl FnOnce() -> R) -> (R, Rule) {
    RULE.set(rule);
    let result = call();
    (result, RULE.replace(LAX))
}
