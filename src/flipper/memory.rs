//! The memory that commands name addresses of.

/// A guest's physical memory from address 0 on. Nothing outside the slice is read, whatever commands say.
#[derive(Clone, Copy, Debug)]
pub struct Memory<'a>(pub &'a [u8]);

impl<'a> Memory<'a> {
    /// Behind every byte that commands can name.
    pub const END: u32 = 1 << 27;

    /// The bytes at an address. UNKNOWN: what a read of no memory gives; here zeros.
    pub fn read<const N: usize>(self, address: u32, count: usize) -> [u8; N] {
        let mut bytes = [0; N];
        let from = &self.0[self.0.len().min(address as usize)..];
        let count = count.min(N).min(from.len());
        bytes[..count].copy_from_slice(&from[..count]);
        bytes
    }

    /// A part, as far as it is there.
    pub fn part(self, address: u32, end: u32) -> &'a [u8] {
        let length = self.0.len();
        let (start, end) = (length.min(address as usize), length.min(end as usize));
        self.0.get(start..end).unwrap_or_default()
    }
}
