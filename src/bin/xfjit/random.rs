//! Random programs with constants and vertices.

use xfjit::isa::{self, Program};
use xfjit::{Config, Generation};

/// A program and what it runs on.
pub struct Case {
    /// The program.
    pub program: Program,
    /// Constant rows from row 0.
    pub constants: Vec<[u32; 4]>,
    /// Sixteen attributes for each vertex.
    pub vertices: Vec<[[u32; 4]; 16]>,
}

/// The case of a seed; it does not depend on anything else.
pub fn case(generation: Generation, seed: u64, vertices: usize) -> Option<Case> {
    let mut random = Random(seed);
    // Some cases see ordinary numbers alone, so that native code runs to its end.
    let wild = random.below(4) == 0;
    let longest = if random.below(8) == 0 { 100 } else { 24 };
    let length = 1 + random.below(longest) as usize;
    let mut words: Vec<u32> =
        (0..length * generation.words_per_slot()).map(|_| random.next() as u32).collect();
    for word in words.iter_mut().skip(3).step_by(4) {
        // END only where the program is long enough, and relative addresses now and then.
        *word &= !1;
        if random.below(8) != 0 {
            *word &= !2;
        }
    }
    if let Some(last) = words.last_mut() {
        *last |= 1;
    }
    let program = isa::decode(generation, &words, 0).ok()?;
    let mut row = |wild| std::array::from_fn(|_| random.float(wild));
    let constants = (0..generation.constants()).map(|_| row(wild)).collect();
    let vertices = (0..vertices).map(|_| std::array::from_fn(|_| row(wild))).collect();
    Some(Case { program, constants, vertices })
}

/// What the program runs with.
pub fn config(generation: Generation, model: xfjit::Model) -> Config {
    Config::new(generation).model(model)
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    fn float(&mut self, wild: bool) -> u32 {
        let bits = self.next() as u32;
        match self.below(if wild { 8 } else { 64 }) {
            0 => [0, 0x8000_0000, 0x3f80_0000, 0xbf80_0000][(bits & 3) as usize],
            1 if wild => bits,
            2 if wild => [0x7f80_0000, 0xff80_0000, 0x7fc0_0000, 1, 0x007f_ffff][(bits % 5) as usize],
            // Of magnitude 2^-8 to 2^8.
            _ => bits & 0x807f_ffff | (119 + (bits >> 23 & 15)) << 23,
        }
    }
}
