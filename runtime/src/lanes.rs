//! Loops over lanes, compiled twice on x86-64: for every processor, and for those with AVX2, whose vectors are twice as long and shift each lane by
//! a distance of its own.

/// A computation of loops over lanes. What it does is compiled again for each kind of processor, so [`Loops::run`] and all that it calls has to be
/// inlined.
pub trait Loops {
    /// What comes of it.
    type Output;

    /// Runs it.
    fn run(self) -> Self::Output;
}

/// Runs loops in the form for this machine. All forms have the same results.
#[inline]
pub fn run<L: Loops>(loops: L) -> L::Output {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2.
        #[expect(unsafe_code, reason = "the call of a function for some processors")]
        return unsafe { with_avx2(loops) };
    }
    loops.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn with_avx2<L: Loops>(loops: L) -> L::Output {
    loops.run()
}
