//! The memory that commands address.

use xfjit_isa::chip::flipper::SECOND;

/// A guest's physical memory: the first from address 0 on, and the Wii's second one from `1000_0000` on. Nothing outside the slices is
/// read, whatever commands say.
///
/// An array or a list is in the memory that it begins in, and does not continue in the other.
#[derive(Clone, Copy, Default, Debug)]
pub struct Memory<'a> {
    first: &'a [u8],
    second: &'a [u8],
}

impl<'a> From<&'a [u8]> for Memory<'a> {
    fn from(first: &'a [u8]) -> Memory<'a> {
        Memory::new(first, &[])
    }
}

impl<'a> From<&'a Vec<u8>> for Memory<'a> {
    fn from(first: &'a Vec<u8>) -> Memory<'a> {
        Memory::new(first, &[])
    }
}

impl<'a, const N: usize> From<&'a [u8; N]> for Memory<'a> {
    fn from(first: &'a [u8; N]) -> Memory<'a> {
        Memory::new(first, &[])
    }
}

impl<'a> Memory<'a> {
    /// The end of the addresses that commands can name on the GameCube; no memory is larger.
    pub const END: u32 = 1 << 27;

    /// Both memories; the GameCube has no second one. Bytes after the first [`Memory::END`] of either are ignored.
    pub fn new(first: &'a [u8], second: &'a [u8]) -> Memory<'a> {
        let most = |bytes: &'a [u8]| &bytes[..bytes.len().min(Memory::END as usize)];
        Memory { first: most(first), second: most(second) }
    }

    /// Both memories, as far as they count.
    pub fn windows(self) -> [&'a [u8]; 2] {
        [self.first, self.second]
    }

    /// The memory that an address is in, and where in it.
    pub(super) fn window(self, address: u32) -> (&'a [u8], u32) {
        match address / SECOND {
            0 => (self.first, address),
            1 => (self.second, address - SECOND),
            _ => (&[], 0),
        }
    }

    /// The bytes at an address. UNKNOWN: what a read of no memory gives; here zeros.
    pub fn read<const N: usize>(self, address: u32, count: usize) -> [u8; N] {
        let (bytes, at) = self.window(address);
        read(bytes, at, count)
    }

    /// The bytes of an array's element so many bytes behind the array's first.
    pub(super) fn element<const N: usize>(self, base: u32, offset: u32, count: usize) -> [u8; N] {
        let (bytes, at) = self.window(base);
        read(bytes, at + offset, count)
    }

    /// A part, as far as it is there.
    pub fn part(self, address: u32, end: u32) -> &'a [u8] {
        let (bytes, start) = self.window(address);
        let length = bytes.len();
        let end = start.saturating_add(end.saturating_sub(address)) as usize;
        bytes.get(length.min(start as usize)..length.min(end)).unwrap_or_default()
    }
}

/// So many bytes from a place on; those that are not there are zeros.
pub(super) fn read<const N: usize>(from: &[u8], at: u32, count: usize) -> [u8; N] {
    let mut bytes = [0; N];
    let from = &from[from.len().min(at as usize)..];
    let count = count.min(N).min(from.len());
    bytes[..count].copy_from_slice(&from[..count]);
    bytes
}

/// Memory of a player's own, which grows to where it is written.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Ram {
    first: Vec<u8>,
    second: Vec<u8>,
}

impl Ram {
    /// Whether this many bytes can be at an address: each memory has at most [`Memory::END`] bytes.
    pub fn fits(address: u32, bytes: usize) -> bool {
        let end = u64::from(address % SECOND) + bytes as u64;
        address / SECOND < 2 && end <= u64::from(Memory::END)
    }

    /// Writes bytes, as far as there can be memory.
    pub fn write(&mut self, address: u32, bytes: &[u8]) {
        let memory = match address / SECOND {
            0 => &mut self.first,
            1 => &mut self.second,
            _ => return,
        };
        let start = (address % SECOND) as usize;
        let end = (start + bytes.len()).min(Memory::END as usize);
        if start >= end {
            return;
        }
        if memory.len() < end {
            memory.resize(end, 0);
        }
        memory[start..end].copy_from_slice(&bytes[..end - start]);
    }

    /// The first memory, which grows to an address, as far as there can be memory: what is stored goes there.
    pub fn first_to(&mut self, end: u32) -> &mut [u8] {
        let end = end.min(Memory::END) as usize;
        if self.first.len() < end {
            self.first.resize(end, 0);
        }
        &mut self.first
    }

    /// What it holds by now.
    pub fn memory(&self) -> Memory<'_> {
        Memory::new(&self.first, &self.second)
    }
}

impl<'a> From<&'a Ram> for Memory<'a> {
    fn from(ram: &'a Ram) -> Memory<'a> {
        ram.memory()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_memory_is_read_at_its_own_addresses() {
        let memory = Memory::new(&[1, 2, 3], &[4, 5, 6]);
        assert_eq!(memory.read(1, 4), [2, 3, 0, 0]);
        assert_eq!(memory.read(SECOND + 1, 4), [5, 6, 0, 0]);
        assert_eq!(memory.read(2 * SECOND + 1, 4), [0; 4]);
        assert_eq!(memory.part(SECOND + 1, SECOND + 9), [5, 6]);
        assert_eq!(memory.part(2, 9), [3]);
        // What goes on behind the first is not in the second.
        assert_eq!(memory.element(SECOND - 2, 3, 4), [0; 4]);
        assert_eq!(memory.part(SECOND - 2, SECOND + 2), [0; 0]);
        assert_eq!(memory.part(9, 3), [0; 0]);
    }

    #[test]
    fn own_memory_grows_to_where_it_is_written() {
        let mut ram = Ram::default();
        ram.write(2, &[7]);
        ram.write(SECOND + 1, &[8, 9]);
        ram.write(2 * SECOND, &[10]);
        ram.write(Memory::END, &[11]);
        assert_eq!((&ram.first[..], &ram.second[..]), (&[0, 0, 7][..], &[0, 8, 9][..]));
        assert!(Ram::fits(Memory::END - 1, 1) && !Ram::fits(Memory::END - 1, 2));
        assert!(Ram::fits(SECOND + Memory::END - 1, 1) && !Ram::fits(2 * SECOND, 0));
        ram.first_to(5)[4] = 3;
        assert_eq!(ram.first_to(2), [0, 0, 7, 0, 3]);
    }
}
