//! The words of the transform unit, as commands write them (flipper.md 2, "Write semantics").

use super::registers::END;

/// Memory and registers of the unit, all 0 at first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Memory {
    words: Box<[u32]>,
}

impl Default for Memory {
    fn default() -> Self {
        Self::new()
    }
}

impl Memory {
    /// All words 0.
    pub fn new() -> Self {
        Memory { words: vec![0; usize::from(END)].into() }
    }

    /// The word at an address; 0 where there is none.
    #[inline]
    pub fn word(&self, address: u16) -> u32 {
        self.words.get(usize::from(address)).copied().unwrap_or(0)
    }

    /// Words that follow each other.
    #[inline]
    pub(super) fn row<const N: usize>(&self, address: u16) -> [u32; N] {
        let words = self.words.get(usize::from(address)..).and_then(<[u32]>::first_chunk);
        words.copied().unwrap_or_else(|| std::array::from_fn(|word| self.word(address + word as u16)))
    }

    /// Writes words from an address on. Words at [`END`] and above are dropped. Returns whether a word has
    /// changed.
    pub fn write(&mut self, address: u16, words: &[u32]) -> bool {
        let room = self.words.get_mut(usize::from(address)..).unwrap_or_default();
        let mut changed = false;
        for (word, &value) in room.iter_mut().zip(words) {
            changed |= std::mem::replace(word, value) != value;
        }
        changed
    }

    /// All words, from address 0 on.
    pub fn words(&self) -> &[u32] {
        &self.words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_behind_the_end_is_dropped() {
        let mut memory = Memory::new();
        assert!(memory.write(END - 1, &[1, 2]));
        assert!(!memory.write(END - 1, &[1, 3]));
        assert!(!memory.write(END, &[2]) && !memory.write(u16::MAX, &[2, 3]));
        assert_eq!((memory.word(END - 1), memory.word(END), memory.words().len()), (1, 0, END.into()));
        assert!(memory.write(0xfff, &[4, 5]));
        assert_eq!((memory.word(0xfff), memory.word(0x1000)), (4, 5));
    }
}
