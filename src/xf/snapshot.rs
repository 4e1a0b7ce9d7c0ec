//! The whole state of a unit: as bytes, for saved states of emulators, and as a trace that brings a fresh unit there.
//!
//! Bytes, all numbers little-endian 32-bit words:
//!
//! ```text
//! "xfjit XF" | format version 4 | name of the chip, 8 bytes, padded with zeros | words of the state, then
//! VAB rows | passthrough slot | XFMODE vectors | XTRA vectors | XFPR slots | XFCTX rows | LTCTX rows, 3 words each |
//! LTC0 | LTC1 | LTC2 | LTC3 | registers in the order of Register::ALL | words staged by RDI | output registers
//! ```
//! Sizes are those of the chip; numbers of LT are left-aligned; NV25 has two rows of LTCTX more (see `rdi`). Pending vertices run before a
//! state is saved. The state does not include output that waits to be drained.

use super::XfUnit;
use super::after_program::kept;
use super::command::{Command, Payload, Type};
use super::item::Item;
use super::mode;
use super::ram::{Change, LT_BITS, Ram};
use super::register::{Register, Registers};
use super::vab::Vab;
use std::fmt;
use xfjit_isa::chip::{Chip, Family};
use xfjit_isa::isa::WORDS_PER_SLOT;
use xfjit_runtime::state::{DEFAULT_ROW, Row};

const MAGIC: &[u8; 8] = b"xfjit XF";
const VERSION: u32 = 4;
/// Versions before, which have fewer registers: which version, and how many.
const BEFORE: [(u32, usize); 2] = [
    // Without the output map and what came behind it,
    (2, 7),
    // without NV40's fixed function.
    (3, 14),
];
/// Magic, version and chip.
const HEADER: usize = 20;

/// Why bytes are not a state of this unit. This is the fault of the program that kept them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum RestoreError {
    /// They do not begin like a state.
    NotAState,
    /// They have another version of the format.
    Version {
        /// Which one.
        version: u32,
    },
    /// They are a state of another chip.
    OtherChip,
    /// There are too few bytes or too many.
    Length {
        /// Bytes given.
        got: usize,
        /// Bytes of a state of the chip.
        needed: usize,
    },
}

impl fmt::Display for RestoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RestoreError::NotAState => write!(f, "this is not a state of an XF unit"),
            RestoreError::Version { version } => write!(f, "states of format {version} are not supported"),
            RestoreError::OtherChip => write!(f, "this is a state of another chip"),
            RestoreError::Length { got, needed } => {
                write!(f, "the state needs {needed} bytes, but there are {got}")
            }
        }
    }
}

impl std::error::Error for RestoreError {}

impl XfUnit {
    /// Runs the pending vertices, and returns the state as bytes.
    pub fn save(&mut self) -> Vec<u8> {
        self.flush();
        let mut bytes = Vec::with_capacity(HEADER);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&chip_name(self.ram.chip));
        self.each_word(&mut |word| bytes.extend_from_slice(&word.to_le_bytes()));
        bytes
    }

    /// Loads a saved state. Pending vertices run first, in the old state. Words that a memory cannot hold are reduced as a load would
    /// reduce them.
    ///
    /// # Errors
    /// The bytes are not a state of this chip. On an error, nothing has changed.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), RestoreError> {
        if !bytes.starts_with(MAGIC) || bytes.len() < HEADER {
            return Err(RestoreError::NotAState);
        }
        let version = bytes[8..12].iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte));
        let known = match BEFORE.iter().find(|(before, _)| *before == version) {
            Some(&(_, known)) => known,
            None if version == VERSION => Register::ALL.len(),
            None => return Err(RestoreError::Version { version }),
        };
        if bytes[12..HEADER] != chip_name(self.ram.chip) {
            return Err(RestoreError::OtherChip);
        }
        let mut words = 0;
        self.each_word(&mut |_| words += 1);
        let needed = HEADER + 4 * (words - (Register::ALL.len() - known));
        if bytes.len() != needed {
            return Err(RestoreError::Length { got: bytes.len(), needed });
        }
        self.flush();
        let mut words = bytes[HEADER..].as_chunks::<4>().0.iter().map(|&word| u32::from_le_bytes(word));
        self.take_words(known, &mut || words.next().unwrap_or(0));
        self.executor.program_changed();
        self.mode_changed();
        if self.recording.is_some() {
            let items = self.items(None);
            self.recording.get_or_insert_default().extend(items);
        }
        Ok(())
    }

    /// The words of the state, in order.
    fn each_word(&self, take: &mut impl FnMut(u32)) {
        let sizes = self.ram.sizes;
        let mut rows = |rows: &[Row]| rows.iter().flatten().for_each(|&word| take(word));
        rows(&self.vab.rows[..sizes.attributes]);
        rows(&[self.pass]);
        rows(&self.ram.mode[..sizes.mode]);
        rows(&self.ram.xtra[..sizes.xtra]);
        rows(self.ram.xfpr.as_chunks::<WORDS_PER_SLOT>().0);
        rows(&self.ram.xfctx.rows()[..sizes.xfctx]);
        self.ram.ltctx.iter().flatten().for_each(|&word| take(word));
        self.ram.ltc.iter().flatten().for_each(|&word| take(word));
        Register::ALL.iter().for_each(|&register| take(self.registers.get(register)));
        self.rdi.0.iter().for_each(|&word| take(word));
        self.executor.tbuf.0[..kept(self.ram.chip)].iter().flatten().for_each(|&word| take(word));
    }

    /// The reverse of [`XfUnit::each_word`], with so many registers; the others are as after reset.
    fn take_words(&mut self, known: usize, word: &mut impl FnMut() -> u32) {
        let (chip, sizes) = (self.ram.chip, self.ram.sizes);
        let mut row = || -> Row { std::array::from_fn(|_| word()) };
        self.vab.rows[..sizes.attributes].fill_with(&mut row);
        self.pass = row();
        self.ram.mode[..sizes.mode].fill_with(&mut row);
        for slot in 0..sizes.xtra {
            self.load(Type::Xtra, slot, row());
        }
        for slot in 0..sizes.xfpr {
            let words = self.ram.as_xfpr(row());
            self.ram.apply(&Change::Xfpr(slot, words));
        }
        for slot in 0..sizes.xfctx {
            self.ram.apply(&Change::Xfctx(slot, row()));
        }
        self.ram.ltctx.fill_with(|| std::array::from_fn(|_| word() & LT_BITS));
        for (memory, kind) in [Type::Ltc0, Type::Ltc1, Type::Ltc2, Type::Ltc3].into_iter().enumerate() {
            for slot in 0..sizes.ltc[memory] {
                self.load(kind, slot, [word() & LT_BITS, 0, 0, 0]);
            }
        }
        for (number, &register) in Register::ALL.iter().enumerate() {
            let value = if number < known { word() } else { register.reset() };
            if register.exists(chip) {
                self.registers.set(register, value & register.bits(chip));
            }
        }
        let start = mode::start_bits(chip, self.registers.get(Register::Start));
        self.registers.set(Register::Start, start);
        self.rdi.0 = std::array::from_fn(|_| word());
        let rows = &mut self.executor.tbuf.0[..kept(chip)];
        rows.fill_with(|| std::array::from_fn(|_| word()));
        self.ram.touch_all();
    }

    /// Loads a vector as a command would.
    fn load(&mut self, kind: Type, slot: usize, row: Row) {
        if let Some(change) = self.ram.change(kind, slot as u16, &row) {
            self.ram.apply(&change);
        }
    }

    /// What brings a unit after reset into this state.
    pub(super) fn as_items(&self) -> Vec<Item> {
        let chip = self.ram.chip;
        self.items(Some(&(Ram::new(chip), Registers::new(chip), Vab::new(chip))))
    }

    /// What brings a unit into this state; entries that are as in `from` are left out.
    fn items(&self, from: Option<&(Ram, Registers, Vab)>) -> Vec<Item> {
        let (chip, sizes) = (self.ram.chip, self.ram.sizes);
        let mut items = Vec::new();
        let is_known = |same: &dyn Fn(&(Ram, Registers, Vab)) -> bool| from.is_some_and(same);
        let vector = |items: &mut Vec<Item>, kind: Type, slot: usize, [x, y, z, w]: Row| {
            items.push(Item::Command(Command::pair(kind, slot as u16, 0, [x, y])));
            items.push(Item::Command(Command::pair(kind, slot as u16, 2, [z, w])));
        };
        // Instructions are stored already as they are to be.
        if !is_known(&|(_, registers, _)| registers.get(Register::Class) == 0) && Register::Class.exists(chip)
        {
            items.push(Item::Set(Register::Class, 0));
        }
        for slot in 0..sizes.xfpr {
            let row = self.xfpr(slot);
            if !is_known(&|(ram, ..)| ram.xfpr.as_chunks::<4>().0[slot] == row) {
                vector(&mut items, Type::Xfpr, slot, row);
            }
        }
        for slot in 0..sizes.mode {
            if !is_known(&|(ram, ..)| ram.mode[slot] == self.ram.mode[slot]) {
                vector(&mut items, Type::Mode, slot, self.ram.mode[slot]);
            }
        }
        for slot in 0..sizes.xtra {
            if !is_known(&|(ram, ..)| ram.xtra[slot] == self.ram.xtra[slot]) {
                vector(&mut items, Type::Xtra, slot, self.ram.xtra[slot]);
            }
        }
        for slot in 0..sizes.xfctx {
            let row = self.ram.xfctx.row(slot);
            if !is_known(&|(ram, ..)| ram.xfctx.row(slot) == row) {
                vector(&mut items, Type::Xfctx, slot, row);
            }
        }
        for slot in 0..sizes.ltctx {
            let [x, y, z] = self.ram.ltctx[slot];
            if !is_known(&|(ram, ..)| ram.ltctx[slot] == [x, y, z]) {
                items.push(Item::Command(Command::pair(Type::Ltctx, slot as u16, 0, [x, y])));
                items.push(Item::Command(Command::word(Type::Ltctx, slot as u16, 2, z)));
            }
        }
        for (memory, kind) in [Type::Ltc0, Type::Ltc1, Type::Ltc2, Type::Ltc3].into_iter().enumerate() {
            for slot in 0..sizes.ltc[memory] {
                let value = self.ram.ltc[memory][slot];
                if !is_known(&|(ram, ..)| ram.ltc[memory][slot] == value)
                    && self.ram.wired(memory, slot).is_none()
                {
                    items.push(Item::Command(Command {
                        kind,
                        word: 0,
                        slot: slot as u16,
                        payload: Payload::Word(value),
                    }));
                }
            }
        }
        if matches!(chip.family(), Family::Kelvin | Family::Rankine) {
            self.rdi_items(&mut items, from.is_none());
        }
        for slot in 0..sizes.attributes {
            if !is_known(&|(.., vab)| vab.rows[slot] == self.vab.rows[slot]) {
                vector(&mut items, Type::Vab, slot, self.vab.rows[slot]);
            }
        }
        for &register in Register::ALL.iter().filter(|register| register.matters(chip)) {
            let value = self.get(register);
            let reset = |(ram, registers, _): &(Ram, Registers, Vab)| match register {
                Register::Start => mode::start(ram, registers) as u32 == value,
                register => registers.get(register) == value,
            };
            if !is_known(&reset) {
                items.push(Item::Set(register, value));
            }
        }
        for (register, &row) in (0..).zip(&self.executor.tbuf.0[..kept(chip)]) {
            if from.is_none() || row != DEFAULT_ROW {
                items.push(Item::Tbuf(register, row));
            }
        }
        if !items.is_empty() || self.pass != [0; 4] {
            vector(&mut items, Type::Nop, 0, self.pass);
        }
        items
    }

    /// What only RDI reaches: the rows of NV25's LTCTX that no command names, and the words that RDI has staged, which
    /// go through the passthrough slot.
    fn rdi_items(&self, items: &mut Vec<Item>, all: bool) {
        let mut staged = [0; 4];
        let mut quad = |space: u32, index: usize, quad: [u32; 4]| {
            for (word, value) in (0..).zip(quad) {
                items.push(Item::RdiWrite { space, address: 16 * index as u32 + 4 * word, value });
            }
        };
        if self.ram.chip == Chip::Nv25 {
            for (space, index, row) in self.spare_rows() {
                if all || row != [0; 4] {
                    quad(space, index, row);
                    staged = row;
                }
            }
        }
        if all || staged != self.rdi.0 {
            quad(0x15, self.ram.sizes.attributes, self.rdi.0);
        }
    }
}

/// A chip's name in the header.
fn chip_name(chip: Chip) -> [u8; 8] {
    let mut name = [0; 8];
    for (byte, letter) in name.iter_mut().zip(chip.name().bytes()) {
        *byte = letter;
    }
    name
}
