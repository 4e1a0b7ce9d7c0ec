//! Where random cases take their decisions from.

/// A stream of decisions: endless from a seed, or read from bytes, where missing ones count as zero. Nothing is ever
/// rejected, so that a fuzzer's bytes, a shrinking test's bytes and a seed all name a case. Zero is the plainest
/// decision everywhere: bytes that are cut short name small cases.
#[derive(Clone, Debug)]
pub struct Choices<'a>(Source<'a>);

#[derive(Clone, Debug)]
enum Source<'a> {
    Seed(u64),
    Bytes(&'a [u8]),
}

impl<'a> Choices<'a> {
    /// The decisions that a number stands for, the same on every host.
    pub fn seed(seed: u64) -> Self {
        Choices(Source::Seed(seed))
    }

    /// The decisions that bytes spell out.
    pub fn bytes(bytes: &'a [u8]) -> Self {
        Choices(Source::Bytes(bytes))
    }

    /// Decisions of their own, as many as wanted, that one decision of this stream stands for.
    pub fn fork(&mut self) -> Choices<'static> {
        let (high, low) = (self.word(), self.word());
        Choices::seed(u64::from(high) << 32 | u64::from(low))
    }

    /// Any word.
    pub fn word(&mut self) -> u32 {
        match &mut self.0 {
            // Splitmix64.
            Source::Seed(state) => {
                *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
                let mut z = *state;
                z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
                ((z ^ (z >> 31)) >> 32) as u32
            }
            Source::Bytes(_) => self.taken(4),
        }
    }

    /// A number below `limit` (0 if that is 0).
    pub fn below(&mut self, limit: u32) -> u32 {
        match self.0 {
            Source::Seed(_) => ((u64::from(self.word()) * u64::from(limit)) >> 32) as u32,
            Source::Bytes(_) => {
                let width = if limit <= 1 << 8 {
                    1
                } else if limit <= 1 << 16 {
                    2
                } else {
                    4
                };
                self.taken(width).checked_rem(limit).unwrap_or(0)
            }
        }
    }

    /// True in `percent` of a hundred cases; false for a zero decision, unless it is always true.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.below(100) + percent >= 100
    }

    /// One of several values.
    ///
    /// # Panics
    /// If there are none.
    pub fn pick<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len() as u32) as usize]
    }

    /// One of several values by weight; the first one for a zero decision. Weights must not all be 0.
    pub fn weighted<T: Copy>(&mut self, values: &[(u32, T)]) -> T {
        let mut at = self.below(values.iter().map(|(weight, _)| weight).sum());
        for &(weight, value) in values {
            if at < weight {
                return value;
            }
            at -= weight;
        }
        values[0].1
    }

    fn taken(&mut self, count: usize) -> u32 {
        let Source::Bytes(bytes) = &mut self.0 else { return 0 };
        let (taken, rest) = bytes.split_at(count.min(bytes.len()));
        *bytes = rest;
        taken.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_bytes_read_as_zero() {
        let mut c = Choices::bytes(&[1, 2, 3]);
        assert_eq!((c.word(), c.word(), c.below(7)), (0x0003_0201, 0, 0));
        assert!(!c.chance(99) && c.chance(100));
    }

    #[test]
    fn a_seed_names_the_same_stream_everywhere() {
        let mut c = Choices::seed(1);
        assert_eq!([c.word(), c.word()], [0x910a_2dec, 0xbeeb_8da1]);
    }

    #[test]
    fn chances_come_as_often_as_they_say() {
        let mut c = Choices::seed(2);
        let hits = (0..10_000).filter(|_| c.chance(30)).count();
        assert!((2_800..3_200).contains(&hits), "{hits}");
        assert_eq!((0..1_000).filter(|_| c.chance(0)).count(), 0);
    }
}
