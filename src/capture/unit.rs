//! Items of a unit as words: a head, and what it is about.
//!
//! ```text
//! bits 28-31  0 command of a word | 1 of a pair | 2 vertex | 3 register | 4 output register | 5 read | 6 RDI read | 7 RDI write
//! command, read   bits 0-1 word, 2-11 vector, 12-15 type | the words
//! register        bits 0-7 number, as registers follow each other in the format | the value
//! output register bits 0-7 number | four words
//! RDI             the space, the address | the word
//! ```
//! All other bits are 0.

use super::bytes::Bytes;
use super::error::CaptureError;
use crate::xf::trace::Item;
use crate::xf::{Command, Payload, Register, Type};
use xfjit_isa::chip::Chip;
use xfjit_runtime::state::OUTPUTS;

const WORD: u32 = 0;
const PAIR: u32 = 1;
const VERTEX: u32 = 2;
const REGISTER: u32 = 3;
const OUTPUT: u32 = 4;
const READ: u32 = 5;
const RDI_READ: u32 = 6;
const RDI_WRITE: u32 = 7;

/// Registers by number: part of the format, so not to be reordered.
const REGISTERS: [Register; 21] = [
    Register::Outputs,
    Register::Start,
    Register::Execution,
    Register::Timeout,
    Register::BranchBits,
    Register::DepthClamp,
    Register::Class,
    Register::OutputMap0,
    Register::OutputMap1,
    Register::OutputMap2,
    Register::OutputMap3,
    Register::OutputMap4,
    Register::OutputMask,
    Register::InputMask,
    Register::FixedC,
    Register::FixedB,
    Register::FixedA,
    Register::FixedT3,
    Register::FixedT2,
    Register::FixedT1,
    Register::FixedT0,
];

/// An item as a reader takes it; none if it changes nothing, since the chip has no such address or register.
pub(super) fn wired(chip: Chip, item: &Item) -> Option<Item> {
    let family = chip.family();
    match *item {
        Item::Command(command) => Some(Item::Command(command.wired(family))),
        Item::Set(register, _) if !register.matters(chip) => None,
        Item::Tbuf(register, _) if usize::from(register) >= OUTPUTS => None,
        Item::Read { slot, .. } if u32::from(slot) >> family.slot_bits() != 0 => None,
        item => Some(item),
    }
}

/// How many times it runs programs.
pub(super) fn vertices(item: &Item) -> u64 {
    match item {
        Item::Vertex | Item::Command(Command { kind: Type::Run, .. }) => 1,
        _ => 0,
    }
}

/// Adds an item to a block.
pub(super) fn write(item: &Item, to: &mut Vec<u8>) {
    let mut put = |words: &[u32]| words.iter().for_each(|word| to.extend(word.to_le_bytes()));
    let place = |kind: Type, slot: u16, word: u8| {
        (kind as u32) << 12 | (u32::from(slot) & 0x3ff) << 2 | u32::from(word & 3)
    };
    match *item {
        Item::Command(Command { kind, word, slot, payload }) => match payload {
            Payload::Word(value) => put(&[WORD << 28 | place(kind, slot, word), value]),
            Payload::Pair([a, b]) => put(&[PAIR << 28 | place(kind, slot, word & 2), a, b]),
        },
        Item::Vertex => put(&[VERTEX << 28]),
        Item::Set(register, value) => {
            let number = REGISTERS.iter().position(|&one| one == register).unwrap_or_default();
            put(&[REGISTER << 28 | number as u32, value]);
        }
        Item::Tbuf(register, [x, y, z, w]) => put(&[OUTPUT << 28 | u32::from(register), x, y, z, w]),
        Item::Read { kind, slot, word } => put(&[READ << 28 | place(kind, slot, word)]),
        Item::RdiRead { space, address } => put(&[RDI_READ << 28, space, address]),
        Item::RdiWrite { space, address, value } => put(&[RDI_WRITE << 28, space, address, value]),
    }
}

/// Takes an item of a block.
pub(super) fn read(chip: Chip, from: &mut Bytes) -> Result<Item, CaptureError> {
    let at = from.at();
    let head = from.u32()?;
    let (kind, rest) = (head >> 28, head & 0xfff_ffff);
    let bits = match kind {
        WORD | PAIR | READ => 0xffff,
        REGISTER | OUTPUT => 0xff,
        _ => 0,
    };
    if rest & !bits != 0 {
        return from.nonsense(at, format!("{head:#010x} begins no item"));
    }
    let (word, slot, number) = ((rest & 3) as u8, (rest >> 2 & 0x3ff) as u16, rest as usize);
    if bits == 0xffff && u32::from(slot) >> chip.family().slot_bits() != 0 {
        return from.nonsense(at, format!("{} has no slot {slot:#x}", chip.name()));
    }
    let type_of = Type::from_code(rest >> 12);
    Ok(match kind {
        WORD => Item::Command(Command::word(type_of, slot, word, from.u32()?)),
        PAIR if word & 1 != 0 => return from.nonsense(at, "a pair begins with word 0 or 2"),
        PAIR => Item::Command(Command::pair(type_of, slot, word, [from.u32()?, from.u32()?])),
        VERTEX => Item::Vertex,
        REGISTER => match REGISTERS.get(number) {
            Some(&register) if register.matters(chip) => Item::Set(register, from.u32()?),
            _ => return from.nonsense(at, format!("{} has no register {number}", chip.name())),
        },
        OUTPUT if number >= OUTPUTS => return from.nonsense(at, format!("no output register {number}")),
        OUTPUT => Item::Tbuf(number as u8, from.row()?),
        READ => Item::Read { kind: type_of, slot, word },
        RDI_READ => Item::RdiRead { space: from.u32()?, address: from.u32()? },
        RDI_WRITE => Item::RdiWrite { space: from.u32()?, address: from.u32()?, value: from.u32()? },
        _ => return from.nonsense(at, format!("{head:#010x} begins no item")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_register_has_a_number_that_stays() {
        for &register in Register::ALL {
            assert!(REGISTERS.contains(&register), "{register:?}");
        }
        assert_eq!(REGISTERS.len(), Register::ALL.len());
    }
}
