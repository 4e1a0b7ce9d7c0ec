//! Both checks of the code of a function, on one decoding of its bytes.

use super::contract::Contract;
use super::decode::{Fault, decode};
use super::shape::Shape;
use super::{address, value};
use crate::ir::func::Func;
use crate::lines::Lines;
use xfjit_runtime::batch::Layout;

/// Checks the code of a function, literals behind it: that it keeps to its contract, and that it computes on the values
/// of the function. `lines` has the operation that each piece is for.
pub(in super::super) fn check(
    bytes: &[u8],
    lines: &Lines,
    func: &Func,
    layout: Layout,
    shape: Shape,
) -> Result<(), Fault> {
    let contract = Contract::new(func, layout, shape);
    let code = decode(bytes, shape.clears_upper_halves)?;
    let places = address::check(&code, bytes, &contract)?;
    value::check(&code, bytes, &places, lines, func, &contract)
}
