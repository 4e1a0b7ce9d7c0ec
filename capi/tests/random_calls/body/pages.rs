//! Memory with a page on each side that nobody can touch.

use region::{Allocation, Protection, page};
use std::cell::RefCell;
use std::ops::{Deref, DerefMut, Range};

/// Words that begin behind a page that nobody can touch, or end before one.
pub(super) struct Pages {
    /// The two pages, and what is between them.
    memory: Option<Allocation>,
    words: usize,
    is_at_end: bool,
}

thread_local! {
    /// Memory that nobody has any more, for whoever wants as much.
    static FREE: RefCell<Vec<Allocation>> = const { RefCell::new(Vec::new()) };
}

/// A word that nobody has written.
const UNTOUCHED: u32 = 0xa5a5_a5a5;

impl Pages {
    /// So many words, each with the pattern of what nobody has written.
    pub(super) fn new(words: usize, is_at_end: bool) -> Self {
        let bytes = (4 * words.max(1)).next_multiple_of(page::size());
        let length = bytes + 2 * page::size();
        let known = FREE.with_borrow_mut(|free| {
            let place = free.iter().position(|memory| memory.len() == length)?;
            Some(free.swap_remove(place))
        });
        let memory = known.unwrap_or_else(|| {
            let memory = region::alloc(length, Protection::NONE).expect("there is memory");
            let between = memory.as_ptr::<u8>().wrapping_add(page::size());
            // SAFETY: the pages are the allocation's own, which nobody else knows of.
            unsafe { region::protect(between, bytes, Protection::READ_WRITE) }.expect("it can be opened");
            between.expose_provenance();
            memory
        });
        let mut pages = Pages { memory: Some(memory), words, is_at_end };
        pages.fill(UNTOUCHED);
        pages
    }

    fn memory(&self) -> &Allocation {
        self.memory.as_ref().expect("it is taken when it is dropped")
    }

    /// The addresses of the pages between the two.
    pub(super) fn between(&self) -> Range<usize> {
        let start = self.memory().as_ptr::<u8>().addr();
        start + page::size()..start + self.memory().len() - page::size()
    }

    fn first(&self) -> *const u32 {
        let Range { start, end } = self.between();
        let offset = if self.is_at_end { end - start - 4 * self.words } else { 0 };
        self.memory().as_ptr::<u8>().wrapping_add(page::size() + offset).cast()
    }
}

impl Deref for Pages {
    type Target = [u32];

    fn deref(&self) -> &[u32] {
        // SAFETY: so many words are between the two pages, and have been written.
        unsafe { std::slice::from_raw_parts(self.first(), self.words) }
    }
}

impl DerefMut for Pages {
    fn deref_mut(&mut self) -> &mut [u32] {
        // SAFETY: as above; they are this value's alone.
        unsafe { std::slice::from_raw_parts_mut(self.first().cast_mut(), self.words) }
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // The thread may have ended.
        let _ = FREE.try_with(|free| free.borrow_mut().extend(self.memory.take()));
    }
}
