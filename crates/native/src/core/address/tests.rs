//! Code of both back ends passes the checker; code that has been damaged does not.

mod bytes;
mod cranelift;
mod transfer;
#[cfg(feature = "wide")]
mod x64;

use super::super::contract::Contract;
use super::super::shape::{Ends, Processor, RowNumbers, Shape};
use super::super::steps::Fault;
use super::super::x86::decode;
use crate::ir::func::Func;
use crate::ir::parse::parse;
use xfjit_runtime::batch::Layout;

/// The shape of code by hand: four lanes, whole groups.
const BY_HAND: Shape = Shape {
    processor: Processor::X86_64,
    lanes: 4,
    ends: Ends::Whole,
    stack_bytes: 16,
    row_numbers: RowNumbers::Followed,
    clears_upper_halves: false,
};

fn function(text: &str) -> Func {
    parse(text).expect("it is a function")
}

/// A function that does nothing, with a row of constants.
fn nothing() -> Func {
    function("func host hw kelvin window 0..1 {\nbody:\n}")
}

fn by_hand(shape: Shape) -> Contract {
    Contract::new(&nothing(), Layout::Rows, shape)
}

/// `mov rax, rdx; ret`: the first group has been left undone.
const LEAVE: [u8; 4] = [0x48, 0x89, 0xd0, 0xc3];

/// Checks the addresses of code.
fn check(bytes: &[u8], contract: &Contract) -> Result<(), Fault> {
    decode(bytes, contract.shape.clears_upper_halves)
        .and_then(|code| super::check(&code, bytes, contract))
        .map(drop)
}
