//! Both checks of the code of a function, on one decoding of its bytes.

use super::contract::Contract;
use super::shape::{Processor, Shape};
use super::steps::{Decoded, Fault};
use super::{address, value};
use crate::ir::func::Func;
use crate::lines::Lines;
use xfjit_runtime::batch::Layout;

/// Whether this build has a decoder for code of a processor.
pub(in super::super) const fn decodes(processor: Processor) -> bool {
    match processor {
        Processor::X86_64 => cfg!(target_arch = "x86_64"),
        Processor::Aarch64 => cfg!(any(target_arch = "aarch64", feature = "cross")),
    }
}

/// Checks the code of a function, literals behind it: that it keeps to its contract, and that it computes on the values
/// of the function. `lines` has the operation that each piece is for. What this build has no decoder for is refused.
pub(in super::super) fn check(
    bytes: &[u8],
    lines: &Lines,
    func: &Func,
    layout: Layout,
    shape: Shape,
) -> Result<(), Fault> {
    let contract = Contract::new(func, layout, shape);
    match shape.processor {
        #[cfg(target_arch = "x86_64")]
        Processor::X86_64 => {
            both(&super::x86::decode(bytes, shape.clears_upper_halves)?, bytes, lines, func, &contract)
        }
        #[cfg(any(target_arch = "aarch64", feature = "cross"))]
        Processor::Aarch64 => both(&super::arm::decode(bytes)?, bytes, lines, func, &contract),
        #[cfg(not(all(target_arch = "x86_64", feature = "cross")))]
        _ => Err(Fault::new(0, "code for another processor")),
    }
}

fn both<I: address::Transfer + value::Acts>(
    code: &Decoded<I>,
    bytes: &[u8],
    lines: &Lines,
    func: &Func,
    contract: &Contract,
) -> Result<(), Fault> {
    let places = address::check(code, bytes, contract)?;
    value::check(code, bytes, &places, lines, func, contract)
}
