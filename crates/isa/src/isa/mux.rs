//! The multiplexer before a source: two bits that name its bank, as in all generations (kelvin.md 1.2, rankine_curie.md 1.1 and 1.2).

use super::insn::Bank;

pub(super) const TEMP: u16 = 1;
pub(super) const INPUT: u16 = 2;
pub(super) const CONSTANT: u16 = 3;

/// What selects a bank, and the number of its temporary.
pub(super) fn of(bank: Bank) -> (u16, u16) {
    match bank {
        Bank::None => (0, 0),
        Bank::Temp(reg) => (TEMP, reg.into()),
        Bank::Input => (INPUT, 0),
        Bank::Constant => (CONSTANT, 0),
    }
}
