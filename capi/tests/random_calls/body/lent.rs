//! What calls are made of: choices, and memory that is lent.

use super::pages::Pages;

/// Bytes as a source of choices; zeros at their end.
pub(super) struct Source<'a>(pub(super) &'a [u8]);

impl Source<'_> {
    pub(super) fn byte(&mut self) -> u8 {
        let (&first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        first
    }

    pub(super) fn word(&mut self) -> u32 {
        u32::from_le_bytes(std::array::from_fn(|_| self.byte()))
    }

    /// A number below another one, of 256 at most.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        usize::from(self.byte()) % limit
    }

    /// One time in `of`.
    pub(super) fn one_in(&mut self, of: usize) -> bool {
        self.below(of) == of - 1
    }

    /// Mostly one of some numbers, sometimes any.
    pub(super) fn mostly(&mut self, numbers: &[u32]) -> u32 {
        if self.one_in(16) { self.word() } else { numbers[self.below(numbers.len())] }
    }
}

/// Memory that is lent. On one side is a page that nobody can touch, on the other one bytes that nobody may write.
pub(super) struct Lent {
    pub(super) words: Pages,
    pub(super) bytes: usize,
    /// Words before the one that it begins in.
    before: usize,
    /// Where it begins, in bytes behind an aligned address.
    shift: usize,
}

pub(super) const GUARD: usize = 16;
pub(super) const CANARY: u8 = 0xa5;

impl Lent {
    pub(super) fn new(source: &mut Source<'_>, bytes: usize, shift: usize) -> Self {
        let words = (bytes + shift).div_ceil(4);
        let is_at_end = source.byte() & 1 == 0;
        let before = if is_at_end { GUARD } else { 0 };
        let mut lent = Lent { words: Pages::new(words + GUARD, is_at_end), bytes, before, shift };
        let start = lent.start();
        for byte in lent.all().iter_mut().skip(start).take(bytes.min(512)) {
            *byte = source.byte();
        }
        lent
    }

    pub(super) fn start(&self) -> usize {
        4 * self.before + self.shift
    }

    pub(super) fn all(&mut self) -> &mut [u8] {
        // SAFETY: words are bytes.
        unsafe { std::slice::from_raw_parts_mut(self.words.as_mut_ptr().cast(), 4 * self.words.len()) }
    }

    pub(super) fn pointer(&mut self) -> *mut u8 {
        let start = self.start();
        self.all()[start..].as_mut_ptr()
    }

    /// The addresses of the pages that it is in, for who watches them.
    #[cfg(target_os = "linux")]
    pub(super) fn pages(&self) -> std::ops::Range<usize> {
        self.words.between()
    }

    /// Fills it with zeros.
    pub(super) fn clear(&mut self) {
        let (start, bytes) = (self.start(), self.bytes);
        self.all()[start..start + bytes].fill(0);
    }

    /// Bytes that are not 0.
    pub(super) fn count(&mut self) -> u32 {
        let (start, bytes) = (self.start(), self.bytes);
        self.all()[start..start + bytes].iter().map(|&byte| u32::from(byte != 0)).sum()
    }

    pub(super) fn check(&mut self) {
        let (start, end) = (self.start(), self.start() + self.bytes);
        let touched =
            self.all().iter().enumerate().any(|(at, &byte)| (at < start || at >= end) && byte != CANARY);
        assert!(!touched, "bytes beside the memory lent were written");
    }
}
