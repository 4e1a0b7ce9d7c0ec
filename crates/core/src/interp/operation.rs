//! One operation by itself.

use super::alu::with_arithmetic_of_programs;
use super::forms;
use super::stepper::{quad, row};
use super::texels;
use crate::config::Config;
use crate::isa::op::{ScaOp, VecOp};
use xfjit_runtime::fpenv::FpEnv;
use xfjit_runtime::num::{Model, Rules};
use xfjit_runtime::state::Row;
use xfjit_runtime::texture::Textures;

/// Computes an operation of the vector unit on operands A, B and C. The operands are already swizzled and negated, the result is neither
/// masked nor saturated, and there are no textures. `None` if the operation has no result of four components. The caller's floating-point
/// environment has no influence and is restored.
pub fn vector_operation(config: &Config, op: VecOp, operands: &[Row; 3]) -> Option<Row> {
    if op == VecOp::Txl {
        return Some(row(texels(0, &quad(operands[0]), &Textures::NONE)));
    }
    let source = |slot: usize| quad(operands[slot]);
    with_arithmetic_of_programs!(config, A => FpEnv::Default.within(|| forms::vector::<A, 1>(config, op, source)))
        .map(row)
}

/// Computes an operation of the scalar unit on its operand, which is the last of the three, as for [`vector_operation`].
pub fn scalar_operation(config: &Config, op: ScaOp, operands: &[Row; 3]) -> Option<Row> {
    let source = |slot: usize| quad(operands[slot]);
    with_arithmetic_of_programs!(config, A => FpEnv::Default.within(|| forms::scalar::<A, 1>(config, op, source)))
        .map(row)
}
