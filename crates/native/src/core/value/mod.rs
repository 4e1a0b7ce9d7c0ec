//! The checker of values. It follows values through the decoded instructions of a function. Of how the code was made it knows only which
//! operation each piece is for ([`Lines`]). So it finds, without running the code and for any data: a register that is overwritten while its
//! value is live, a spill to a slot in use, a read before the definition, and one component in the place of another.
//!
//! **Lattice.** Each word of a vector register or of memory, each mask and each integer register has a name ([`tags::Tag`]). It is the name of the
//! value that is there, of a word of an attribute, of a component of a constant or of a row that was looked up, of a literal, or of a cell. The top is
//! *nothing*. A [`state::State`] is the product of registers, scratch memory and stack; a register whose words have one name has it once
//! ([`held::Held`]).
//!
//! **Meet.** Where paths come together, a name stays that both have ([`state::State::meet`]).
//!
//! **Transfer** ([`step`]). An instruction that moves words moves their names ([`patterns`]). An instruction that computes gives its result the name of its
//! operation. It may read only operands of that operation ([`tags::Names::may_read`]) and what the operation has computed before. A code generator may
//! join operations; so an operand that has no code of its own stands for its own operands. Memory of the contract has its names from the contract: a
//! byte of an attribute that of its word, a row of constants those of its components. What is stored to an output, to a row of constants or to a
//! cell must have the name of the operand.
//!
//! **Paths** ([`paths`]). Blocks are visited once, in an order in which a block comes behind those that lead to it. Where a loop begins, what is
//! written in it is taken to be nothing. If that guess knows too much or too little, blocks are followed until states no longer change, and then
//! visited once more. At the end each operation must have read all of its operands ([`tags::Names::lacks`]).
//!
//! **What it does not see.** It does not follow which lane a word belongs to, the order of an operation's operands, the intermediate results of one
//! operation, accumulators of guards, and the places of lanes that part. Whether instructions compute the right thing is for the
//! comparison of bits.

mod actions;
#[cfg(any(target_arch = "aarch64", feature = "cross"))]
mod arm;
mod held;
mod paths;
mod patterns;
mod state;
mod step;
mod tags;
#[cfg(target_arch = "x86_64")]
mod x86;

use super::contract::Contract;
use super::places::Place;
use super::steps::{Decoded, Fault};
use crate::ir::func::{Func, Value};
use crate::lines::Lines;
pub(super) use actions::Acts;
use actions::{Action, Deed, deeds};
use paths::Paths;
use step::Check;
use tags::Names;
#[cfg(test)]
pub(super) use tags::computes;

/// Checks the values of a function's code, whose memory operands are at `places`.
pub(super) fn check<I: Acts>(
    code: &Decoded<I>,
    bytes: &[u8],
    places: &[Place],
    lines: &Lines,
    func: &Func,
    contract: &Contract,
) -> Result<(), Fault> {
    let deeds = deeds(code, bytes, places, lines, func);
    let computes = |deed: &Deed| deed.piece.filter(|_| matches!(deed.action, Action::Compute { .. }));
    let names = Names::new(func, deeds.iter().filter_map(computes));
    let mut check = Check::new(bytes, &deeds, &names, contract)?;
    let paths = Paths::new(code, &deeds);
    if paths.visit_once(&mut check) && names.lacks(&check.seen).is_none() {
        return Ok(());
    }
    paths.follow(&mut check)?;
    match names.lacks(&check.seen) {
        Some((value, operand)) => {
            let [reader, operand] = [value, operand].map(|value| names.number(value));
            Err(Fault::new(at(lines, value), &format!("{reader} does not read {operand}")))
        }
        None => Ok(()),
    }
}

/// Where the first piece for an operation is.
fn at(lines: &Lines, value: Value) -> u64 {
    let first = lines.pieces().iter().find(|&&(_, own)| own == Some(value));
    first.map_or(0, |&(at, _)| at.into())
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests;
