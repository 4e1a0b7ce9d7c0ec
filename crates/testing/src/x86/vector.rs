//! The bits of a vector register, as elements of every size.

/// Bytes of the longest vectors.
pub(super) const BYTES: usize = 64;

/// A vector register: words, the lowest first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub struct Vector(pub [u32; 16]);

impl Vector {
    /// All bits 0.
    pub const ZERO: Vector = Vector([0; 16]);

    /// A vector that begins with these bytes; those behind them are 0.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        let mut all = [0; BYTES];
        all[..bytes.len()].copy_from_slice(bytes);
        let (words, _) = all.as_chunks();
        Vector(std::array::from_fn(|word| u32::from_le_bytes(words[word])))
    }

    /// A vector that has these bytes again and again; their number divides that of a vector's.
    pub(super) fn repeat(bytes: &[u8]) -> Self {
        Vector::of_bytes(&bytes.repeat(BYTES / bytes.len()))
    }

    /// Its bytes.
    pub fn bytes(&self) -> [u8; BYTES] {
        std::array::from_fn(|byte| self.0[byte / 4].to_le_bytes()[byte % 4])
    }

    /// Its halves of words.
    pub(super) fn halves(&self) -> [u16; 32] {
        std::array::from_fn(|half| (self.0[half / 2] >> (16 * (half % 2))) as u16)
    }

    /// A vector of halves of words.
    pub(super) fn of_halves(halves: [u16; 32]) -> Self {
        Vector(std::array::from_fn(|word| {
            u32::from(halves[2 * word]) | u32::from(halves[2 * word + 1]) << 16
        }))
    }

    /// Its pairs of words.
    pub(super) fn quads(&self) -> [u64; 8] {
        std::array::from_fn(|quad| u64::from(self.0[2 * quad]) | u64::from(self.0[2 * quad + 1]) << 32)
    }

    /// A vector of pairs of words.
    pub(super) fn of_quads(quads: [u64; 8]) -> Self {
        Vector(std::array::from_fn(|word| (quads[word / 2] >> (32 * (word % 2))) as u32))
    }

    /// Its parts of 128 bits.
    pub(super) fn parts(&self) -> [[u32; 4]; 4] {
        std::array::from_fn(|part| std::array::from_fn(|word| self.0[4 * part + word]))
    }

    /// A vector of parts of 128 bits.
    pub(super) fn of_parts(parts: [[u32; 4]; 4]) -> Self {
        Vector(std::array::from_fn(|word| parts[word / 4][word % 4]))
    }

    /// A word from those at the same place of others.
    pub(super) fn zip(a: Vector, b: Vector, f: impl Fn(u32, u32) -> u32) -> Self {
        Vector(std::array::from_fn(|word| f(a.0[word], b.0[word])))
    }

    /// Pairs of words, likewise.
    pub(super) fn zip_quads(a: Vector, b: Vector, f: impl Fn(u64, u64) -> u64) -> Self {
        let (a, b) = (a.quads(), b.quads());
        Vector::of_quads(std::array::from_fn(|quad| f(a[quad], b[quad])))
    }

    /// A word from each.
    pub(super) fn map(self, f: impl Fn(u32) -> u32) -> Self {
        Vector(self.0.map(f))
    }
}
