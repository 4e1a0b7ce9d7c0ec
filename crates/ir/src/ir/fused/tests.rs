//! The processor's own instruction is the judge, where there is one; what is known of a few operands holds everywhere.

use super::{double, remainder, single};

/// Numbers that depend on nothing (xorshift, Marsaglia 2003).
struct Words(u64);

impl Words {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Bits of which one end, or the middle, may be all zeros or ones: sums of such are near halves.
    fn bits(&mut self) -> u64 {
        let (word, how) = (self.next(), self.next());
        let shift = how >> 8 & 63;
        match how & 7 {
            0 => word >> shift << shift,
            1 => word | u64::MAX >> shift,
            2 => word & !(u64::MAX >> shift) | 1,
            3 => word & !(u64::MAX >> shift) | 1 << (how >> 16 & 63),
            _ => word,
        }
    }

    /// A double whose exponent is near to some.
    fn near(&mut self, exponent: u64, spread: u64) -> f64 {
        let field = exponent.wrapping_sub(spread / 2).wrapping_add(self.next() % spread);
        let field = if field > u64::MAX / 2 { 0 } else { field.min(0x7fe) };
        f64::from_bits(self.bits() & !(0x7ff << 52) | field << 52)
    }
}

/// What the processor computes; nothing if this one has no such instruction.
mod processor {
    /// The sums of doubles and of floats.
    type Fused = fn([f64; 3], [f32; 3]) -> (f64, f32);

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "fma")]
    fn fused(doubles: [f64; 3], floats: [f32; 3]) -> (f64, f32) {
        (doubles[0].mul_add(doubles[1], doubles[2]), floats[0].mul_add(floats[1], floats[2]))
    }

    #[cfg(target_arch = "x86_64")]
    #[expect(unsafe_code, reason = "the compiler takes no instruction for granted that is only looked for")]
    pub(super) fn of() -> Option<Fused> {
        // SAFETY: it is there.
        std::arch::is_x86_feature_detected!("fma")
            .then_some(|doubles, floats| unsafe { fused(doubles, floats) })
    }

    #[cfg(target_arch = "aarch64")]
    pub(super) fn of() -> Option<Fused> {
        Some(|[a, b, c], [x, y, z]| (a.mul_add(b, c), x.mul_add(y, z)))
    }

    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    pub(super) fn of() -> Option<Fused> {
        None
    }
}

#[track_caller]
fn compare(doubles: [f64; 3], floats: [f32; 3]) {
    let Some(fused) = processor::of() else { return };
    let (wanted, wanted_single) = fused(doubles, floats);
    let ([a, b, c], [x, y, z]) = (doubles, floats);
    let (found, found_single) = (double(a, b, c), single(x, y, z));
    // Which NaN comes is the host's business.
    let is_same = found.to_bits() == wanted.to_bits() || found.is_nan() && wanted.is_nan();
    assert!(is_same, "{a:e} * {b:e} + {c:e} ({:016x?}): {found:e} is {wanted:e}", doubles.map(f64::to_bits));
    let is_same =
        found_single.to_bits() == wanted_single.to_bits() || found_single.is_nan() && wanted_single.is_nan();
    assert!(
        is_same,
        "{x:e} * {y:e} + {z:e} ({:08x?}): {found_single:e} is {wanted_single:e}",
        floats.map(f32::to_bits)
    );
}

/// The ends of each range, and what lies beside them.
#[test]
fn hostile_operands_give_what_the_processor_gives() {
    let (mut doubles, mut floats) = (Vec::new(), Vec::new());
    let fields = [
        (0, 0),
        (1, 1),
        (2, 2),
        (53, 24),
        (511, 63),
        (970, 100),
        (1021, 125),
        (1022, 126),
        (1023, 127),
        (1024, 128),
        (1075, 150),
        (2045, 253),
        (2046, 254),
        (2047, 255),
    ];
    for (field, short) in fields {
        for fraction in [0, 1, 2, (1 << 52) - 1, 1 << 51, (1 << 51) - 1, 1 << 26, 0x5_5555_5555_5555] {
            for sign in [0, 1 << 63] {
                doubles.push(f64::from_bits(sign | field << 52 | fraction));
                floats.push(f32::from_bits(
                    (sign >> 32) as u32 | short << 23 | (fraction >> 29 | fraction & 3) as u32,
                ));
            }
        }
    }
    let mut words = Words(0x9e37_79b9_7f4a_7c15);
    for a in 0..doubles.len() {
        for b in 0..doubles.len() {
            for _ in 0..12 {
                let c = words.next() as usize % doubles.len();
                compare([a, b, c].map(|number| doubles[number]), [a, b, c].map(|number| floats[number]));
            }
        }
    }
}

#[test]
fn random_operands_give_what_the_processor_gives() {
    let mut words = Words(0x2545_f491_4f6c_dd1d);
    for round in 0..2_000_000 {
        // Sums that cancel more or less, products beyond the range, and any bits.
        let doubles = match round % 4 {
            0 => [1023, 1023, 1023].map(|exponent| words.near(exponent, 4)),
            1 => [1023, 1023, 1023].map(|exponent| words.near(exponent, 120)),
            2 => {
                let [a, b] = [words.near(1023, 2046), words.near(1023, 2046)];
                let product = (a * b).to_bits() >> 52 & 0x7ff;
                [a, b, words.near(product, 110)]
            }
            _ => [words.bits(), words.bits(), words.bits()].map(f64::from_bits),
        };
        let mut floats = doubles.map(|x| x as f32);
        if round % 8 >= 4 {
            // The product itself, as near as it comes.
            floats[2] = -floats[0] * floats[1];
        } else if round % 8 == 3 {
            floats = [words.bits(), words.bits(), words.bits()].map(|bits| f32::from_bits(bits as u32));
        }
        compare(doubles, floats);
    }
}

#[test]
fn quotients_and_roots_leave_what_a_fused_product_says() {
    let mut words = Words(0xda94_2042_e4dd_58b5);
    for _ in 0..1_000_000 {
        // Any floats, denormals among them.
        let [x, y] = [words.bits(), words.bits()].map(|bits| f64::from(f32::from_bits(bits as u32)));
        let (quotient, root) = (x / y, x.sqrt());
        let is_there = |results: [f64; 3]| results.iter().all(|x| x.is_finite());
        for [x, y, z] in [[x, quotient, y], [x, root, root]].into_iter().filter(|&numbers| is_there(numbers))
        {
            let (found, wanted) = (remainder(x, y, z), double(-y, z, x));
            assert_eq!(found, wanted, "{x:e} - {y:e} * {z:e}");
        }
    }
}

/// Sums that lie at halves between two numbers, and beside them by less than anything that two roundings would keep.
#[test]
fn halves_are_rounded_once() {
    // (1 + 2^-52) (1 + 2^-1) = 1.5 + 2^-52 + 2^-53: half way. A bit below or above decides, else the even one.
    let (x, y) = (1.0 + f64::EPSILON, 1.5);
    let half = 1.5 + f64::EPSILON;
    let tiny = f64::from_bits(1);
    assert_eq!(double(x, y, tiny), half + f64::EPSILON);
    assert_eq!(double(x, y, -tiny), half);
    assert_eq!(double(x, y, 0.0), half + f64::EPSILON);
    // 97 * 172961 = 2^24 + 1 is half way between floats. A sum that is rounded to a double first loses what lies beside it.
    let least = f32::from_bits(1);
    let sums = [-least, 0.0, least].map(|beside| single(97.0, 172_961.0, beside));
    assert_eq!(sums, [16_777_216.0, 16_777_216.0, 16_777_218.0]);
    // Zeros have the sign that IEEE gives them: of a sum that is nothing a plus, of a product that is too small its own.
    let signs =
        [double(1.0, 1.0, -1.0), double(-1.0, 0.0, 0.0), double(-1.0, 0.0, -0.0), double(tiny, -0.25, 0.0)];
    assert_eq!(signs.map(f64::to_bits), [0, 0, 1 << 63, 1 << 63]);
    let signs =
        [single(1.0, 1.0, -1.0), single(-1.0, 0.0, 0.0), single(-1.0, 0.0, -0.0), single(least, -0.25, 0.0)];
    assert_eq!(signs.map(f32::to_bits), [0, 0, 1 << 31, 1 << 31]);
}
