//! The benchmark programs written by hand in SIMD, ahead of time: the bar that compiled programs are measured against.
//!
//! What an able programmer would write who knows the program and nothing of its inputs: 128-bit vectors, four vertices
//! at a time, any constants, interleaved float4s in and out, and every bit as the `ieee` model has it. As compiled
//! programs do, the code speculates: it does the plain IEEE operations (no fused ones), looks once per group whether a
//! NaN shows where it would be seen, and leaves such a group to its caller's slow path. A program computes the model's
//! bits unless a NaN arises, since only then the zero rule and the one bit pattern of a NaN matter, and a NaN never
//! vanishes on its way to where it is looked for: outputs, and operands of LIT and of comparisons.
//!
//! ```text
//! lanes     loads, stores, transposes, sums, the loop over groups    lit    the tables of LIT
//! p1 .. p5  one program each                                         batch  partial groups, the slow path
//! ```

#![cfg_attr(
    target_arch = "x86_64",
    expect(
        unsafe_code,
        reason = "functions for a CPU feature are called after it was detected; vector loads and stores"
    )
)]

#[cfg(target_arch = "x86_64")]
mod batch;
#[cfg(target_arch = "x86_64")]
mod lanes;
#[cfg(target_arch = "x86_64")]
mod lit;
#[cfg(target_arch = "x86_64")]
mod p1;
#[cfg(target_arch = "x86_64")]
mod p2;
#[cfg(target_arch = "x86_64")]
mod p3;
#[cfg(target_arch = "x86_64")]
mod p4;
#[cfg(target_arch = "x86_64")]
mod p5;
#[cfg(all(test, target_arch = "x86_64"))]
mod scalar;
#[cfg(all(test, target_arch = "x86_64"))]
mod tests;

#[cfg(target_arch = "x86_64")]
use xfjit::InstructionSet;
pub(crate) use xfjit_testing::programs::Constants;

/// Settles vertices that a kernel leaves: the first one's number, how many (at most four), and their outputs, all of
/// which it writes.
pub(crate) type Slow<'a> = dyn FnMut(usize, usize, &mut [u32]) + 'a;

/// One program over `count` vertices: constants, inputs, outputs (both interleaved float4s as bits), `count`, slow path.
/// Panics where a stream is too short.
pub(crate) type Kernel = fn(&Constants, &[u32], &mut [u32], usize, &mut Slow<'_>);

/// The kernels that this host can run, by the names of the programs; `P1 lanes` is another form of P1.
pub(crate) fn kernels() -> &'static [(&'static str, Kernel)] {
    #[cfg(target_arch = "x86_64")]
    if InstructionSet::X86_64V3.present().any(|feature| feature == "avx") {
        return &batch::KERNELS;
    }
    &[]
}

/// The kernel of that name, if there is one and this host can run it.
pub(crate) fn kernel(name: &str) -> Option<Kernel> {
    kernels().iter().find(|(of, _)| *of == name).map(|&(_, kernel)| kernel)
}
