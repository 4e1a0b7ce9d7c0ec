//! Temporary registers: those of one operation, which are handed out and come back.
//!
//! Whoever needs a register for a while holds a [`Temporary`], which nobody else has until it is dropped. It cannot be copied; its
//! number is for instructions.

use std::cell::Cell;
use std::rc::Rc;

/// How many there are.
pub(super) const TEMPORARIES: u8 = 3;

/// Which of them are held, as a mask.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Held(u8);

/// The last registers of a machine, of which values have none.
pub(super) struct Temporaries {
    /// The first of them; the others stand before it.
    first: u8,
    held: Rc<Cell<Held>>,
}

impl Temporaries {
    /// Of a machine with so many vector registers.
    pub(super) fn new(registers: u8) -> Self {
        Temporaries { first: registers - 1, held: Rc::default() }
    }

    /// Hands out the first that is free.
    #[inline]
    pub(super) fn take(&self) -> Temporary {
        let Held(held) = self.held.get();
        self.take_numbered(held.trailing_ones())
    }

    /// Hands out the last that is free: one that is kept while others come and go, or that others keep.
    #[inline]
    pub(super) fn take_last(&self) -> Temporary {
        let Held(held) = self.held.get();
        let free = !held & ((1 << TEMPORARIES) - 1);
        self.take_numbered(u8::BITS - 1 - free.leading_zeros().min(u8::BITS - 1))
    }

    #[inline]
    fn take_numbered(&self, number: u32) -> Temporary {
        let Held(held) = self.held.get();
        assert!(
            number < u32::from(TEMPORARIES) && held >> number & 1 == 0,
            "all temporary registers are held"
        );
        self.held.set(Held(held | 1 << number));
        Temporary { register: self.first - number as u8, mask: 1 << number, held: Rc::clone(&self.held) }
    }

    /// Which are held here.
    pub(super) fn held(&self) -> Held {
        self.held.get()
    }

    /// Takes those that were held at another place. None is held here.
    pub(super) fn take_again(&self, there: Held) -> Again {
        assert_eq!(self.held.replace(there), Held::default(), "temporary registers are held");
        Again(Rc::clone(&self.held))
    }
}

/// Registers of another place of the code, which are held once more as long as this is there.
#[must_use]
pub(super) struct Again(Rc<Cell<Held>>);

impl Drop for Again {
    fn drop(&mut self) {
        self.0.take();
    }
}

/// A register that nobody else has as long as this is there.
#[must_use]
pub(super) struct Temporary {
    register: u8,
    mask: u8,
    held: Rc<Cell<Held>>,
}

impl Temporary {
    /// Its number.
    #[inline]
    pub(super) fn register(&self) -> u8 {
        self.register
    }
}

impl Drop for Temporary {
    #[inline]
    fn drop(&mut self) {
        let Held(held) = self.held.get();
        debug_assert!(held & self.mask != 0, "it has been given back already");
        self.held.set(Held(held & !self.mask));
    }
}

#[cfg(test)]
mod tests {
    use super::{Held, TEMPORARIES, Temporaries};

    #[test]
    fn no_register_is_handed_out_twice() {
        let all = Temporaries::new(16);
        let (first, last) = (all.take(), all.take_last());
        assert_eq!((first.register(), last.register()), (15, 16 - TEMPORARIES));
        let second = all.take();
        assert_eq!(second.register(), 14);
        drop(first);
        assert_eq!(all.take().register(), 15, "it has come back");
        drop((second, last));
        assert_eq!(all.held(), Held::default());
    }

    #[test]
    #[should_panic(expected = "all temporary registers are held")]
    fn there_are_no_more() {
        let all = Temporaries::new(32);
        let _held: Vec<_> = (0..=TEMPORARIES).map(|_| all.take()).collect();
    }

    #[test]
    fn what_was_held_elsewhere_is_held_again() {
        let all = Temporaries::new(16);
        let there = {
            let _held = all.take();
            all.held()
        };
        let again = all.take_again(there);
        assert_eq!(all.take().register(), 14);
        drop(again);
        assert_eq!(all.take().register(), 15);
    }
}
