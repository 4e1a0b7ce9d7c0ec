//! From whole batches to the loops over groups, and back: partial groups, and groups that a loop leaves.

use std::slice;

use super::lanes::{Input, Output};
use super::{Constants, Kernel, Slow, p1, p2, p3, p4, p5};

/// All kernels. Private to the module above, which hands them out only where their CPU features were detected.
pub(super) static KERNELS: [(&str, Kernel); 6] = [
    ("P1", p1_rows),
    ("P1 lanes", p1_lanes),
    ("P2", p2_lit),
    ("P3", p3_lit8),
    ("P4", p4_skin),
    ("P5", p5_seed35),
];

macro_rules! kernels {
    ($($name:ident = $loop:path;)*) => { $(
        fn $name(constants: &Constants, inputs: &[u32], outputs: &mut [u32], count: usize, slow: &mut Slow) {
            batch(inputs, outputs, count, slow, |inputs, outputs| {
                // SAFETY: this function is reached through `super::kernels` alone, which has detected AVX and SSE4.1.
                unsafe { $loop(constants, inputs, outputs) }
            });
        }
    )* };
}

kernels! {
    p1_rows = p1::run;
    p1_lanes = p1::run_lanes;
    p2_lit = p2::run;
    p3_lit8 = p3::run;
    p4_skin = p4::run;
    p5_seed35 = p5::run;
}

/// Runs a loop over whole groups of four; a partial group is padded with copies of its last vertex (zeros would make
/// NaNs). The group at which the loop stops goes to `slow`, and the loop resumes after it.
#[inline]
fn batch<const ATTRIBUTES: usize>(
    inputs: &[u32],
    outputs: &mut [u32],
    count: usize,
    slow: &mut Slow,
    run: impl Fn(&[Input<ATTRIBUTES>], &mut [Output]) -> Option<usize>,
) {
    let inputs = &inputs.as_chunks().0.as_chunks().0[..count];
    let outputs = &mut outputs.as_chunks_mut().0.as_chunks_mut().0[..count];
    let (whole, rest) = inputs.as_chunks();
    let (whole_out, rest_out) = outputs.as_chunks_mut();
    let mut done = 0;
    while done < whole.len()
        && let Some(settled) = run(&whole[done..], &mut whole_out[done..])
    {
        done += settled;
        slow(4 * done, 4, whole_out[done].as_flattened_mut().as_flattened_mut());
        done += 1;
    }
    if let Some(last) = rest.len().checked_sub(1) {
        let input = [rest[0], rest[last.min(1)], rest[last], rest[last]];
        let mut output = [[[0; 4]; 3]; 4];
        let stopped = run(slice::from_ref(&input), slice::from_mut(&mut output)).is_some();
        for (to, from) in rest_out.iter_mut().zip(&output) {
            *to = *from;
        }
        if stopped {
            slow(4 * whole.len(), rest.len(), rest_out.as_flattened_mut().as_flattened_mut());
        }
    }
}
