//! The memories of the unit: sizes by chip, and what a load makes of the words it is given.

use super::command::{Command, Type};
use xfjit_isa::chip::memory::{EyeDirection, Ram as Memory, constants, place};
use xfjit_isa::chip::{Chip, Family, Generation, Sizes};
use xfjit_isa::isa::{WORDS_PER_SLOT, kelvin, rankine};
use xfjit_runtime::constants::Constants;
use xfjit_runtime::num::convert::{ltc_load, xf_to_lt};
use xfjit_runtime::state::{Context, Row};

/// Bits that a number of LT has (fixed_function.md 1.1).
pub(super) const LT_BITS: u32 = !0x3ff;
/// The 16 bits of XTRA's timeout.
const TIMEOUT_BITS: u32 = 0xffff;
/// The timeout after a reset: what drivers set (rankine_curie.md 1.5).
const NO_TIMEOUT: u32 = 0xffff;
/// XTRA's vector of the timeout.
pub(super) const XTRA_TIMEOUT: usize = 2;

/// All memories of a unit but VAB.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Ram {
    pub(super) chip: Chip,
    pub(super) sizes: Sizes,
    /// XFMODE as written: per vector words 0 to 3.
    pub(super) mode: [Row; 2],
    /// XTRA as written.
    pub(super) xtra: [Row; 3],
    /// XFPR, four dwords a slot, bits that are not stored cleared.
    pub(super) xfpr: Vec<u32>,
    /// XFCTX. It has as many rows as programs of the generation can name; those that the chip lacks stay 0.
    pub(super) xfctx: Box<Context>,
    /// A byte for each row of XFCTX, which becomes 1 when it is written.
    pub(super) written: Vec<u8>,
    /// LTCTX in LT's format, left-aligned; on NV25 with the rows more that only RDI reaches.
    pub(super) ltctx: Vec<[u32; 3]>,
    /// LTC0 to LTC3 in LT's format, left-aligned.
    pub(super) ltc: [Vec<u32>; 4],
    /// Entries of XFCTX, LTCTX and LTC that have changed since the fixed function has taken them: a bit each.
    dirty: [u64; DIRTY_WORDS],
}

/// Rows of the largest XFCTX.
const ROWS: usize = Generation::Curie.constants();

/// Where the bits of the memories begin: each has room for the largest chip with a fixed function.
const FIRST: [(Memory, usize); 6] = [
    (Memory::Xfctx, 0),
    (Memory::Ltctx, ROWS),
    (Memory::Ltc(0), ROWS + 96),
    (Memory::Ltc(1), ROWS + 128),
    (Memory::Ltc(2), ROWS + 160),
    (Memory::Ltc(3), ROWS + 192),
];

/// Words of [`Ram::dirty`].
const DIRTY_WORDS: usize = 12;

impl Ram {
    /// All zero, but for what is wired and the timeout. UNKNOWN: what the memories hold after a reset.
    pub(super) fn new(chip: Chip) -> Self {
        let sizes = chip.sizes();
        let rows = chip.family().microcode().map_or(sizes.xfctx, |generation| generation.constants());
        let mut ram = Ram {
            chip,
            sizes,
            mode: [[0; 4]; 2],
            xtra: [[0; 4]; 3],
            xfpr: vec![0; sizes.xfpr * WORDS_PER_SLOT],
            xfctx: Box::new(Context::new(rows)),
            written: vec![0; rows],
            ltctx: vec![[0; 3]; sizes.ltctx + sizes.ltctx_spare],
            ltc: sizes.ltc.map(|words| vec![0; words]),
            dirty: [u64::MAX; DIRTY_WORDS],
        };
        ram.xtra[XTRA_TIMEOUT][0] = NO_TIMEOUT;
        for number in 0..4 {
            if let Some(wired) = ram.wired(number, 0) {
                ram.ltc[number][0] = wired;
            }
        }
        ram
    }

    /// What a committed vector would change, if anything: nothing where the slot does not exist, or holds the same
    /// already.
    #[inline]
    pub(super) fn change(&self, kind: Type, slot: u16, pass: &Row) -> Option<Change> {
        let slot = usize::from(slot);
        match kind {
            Type::Mode => {
                let old = self.mode.get(slot).filter(|_| slot < self.sizes.mode)?;
                (old != pass).then_some(Change::Mode(slot, *pass))
            }
            Type::Xtra => {
                let new = self.as_xtra(slot, *pass);
                let old = self.xtra.get(slot).filter(|_| slot < self.sizes.xtra)?;
                (*old != new).then_some(Change::Xtra(slot, new))
            }
            Type::Xfpr => {
                let new = self.as_xfpr(*pass);
                let old = self.xfpr.get(slot * WORDS_PER_SLOT..(slot + 1) * WORDS_PER_SLOT)?;
                (old != new).then_some(Change::Xfpr(slot, new))
            }
            Type::Xfctx if slot < self.sizes.xfctx => {
                (self.xfctx.row(slot) != *pass).then_some(Change::Xfctx(slot, *pass))
            }
            Type::Ltctx if slot < self.sizes.ltctx => {
                let new = [pass[0], pass[1], pass[2]].map(xf_to_lt);
                (self.ltctx[slot] != new).then_some(Change::Ltctx(slot, new))
            }
            Type::Ltc0 | Type::Ltc1 | Type::Ltc2 | Type::Ltc3 => {
                let ram = kind as usize - Type::Ltc0 as usize;
                let new = self.as_ltc(pass[0]);
                let old = *self.ltc[ram].get(slot)?;
                (old != new && self.wired(ram, slot).is_none()).then_some(Change::Ltc(ram, slot, new))
            }
            Type::Nop | Type::Vab | Type::Unused | Type::Param | Type::Passthru | Type::Run | Type::Sync => {
                None
            }
            Type::Xfctx | Type::Ltctx => None,
        }
    }

    /// Makes a change.
    #[inline]
    pub(super) fn apply(&mut self, change: &Change) {
        match *change {
            Change::Mode(slot, row) => self.mode[slot] = row,
            Change::Xtra(slot, row) => self.xtra[slot] = row,
            Change::Xfpr(slot, words) => {
                self.xfpr[slot * WORDS_PER_SLOT..(slot + 1) * WORDS_PER_SLOT].copy_from_slice(&words);
            }
            Change::Xfctx(slot, row) => {
                self.xfctx.set_row(slot, row);
                self.note(slot);
                self.touch(0, slot);
            }
            Change::Ltctx(slot, row) => {
                self.ltctx[slot] = row;
                self.touch(1, slot);
            }
            Change::Ltc(ram, slot, value) => {
                self.ltc[ram][slot] = value;
                self.touch(2 + ram, slot);
            }
        }
    }

    /// Notes that a row of XFCTX is written.
    #[inline]
    fn note(&mut self, slot: usize) {
        if let Some(written) = self.written.get_mut(slot) {
            *written = 1;
        }
    }

    /// XFCTX, lent to a program of a generation: its first rows, as many as that has.
    pub(super) fn constants(&mut self, generation: Generation) -> Constants<'_> {
        let rows = generation.constants();
        let constants = match rows < self.xfctx.rows().len() {
            true => Constants::new(&mut self.xfctx.rows_mut()[..rows]),
            false => self.xfctx.constants(),
        };
        constants.noting(&mut self.written)
    }

    /// Marks an entry for the fixed function.
    #[inline]
    fn touch(&mut self, memory: usize, slot: usize) {
        let bit = FIRST[memory].1 + slot;
        if let Some(word) = self.dirty.get_mut(bit / 64) {
            *word |= 1 << (bit % 64);
        }
    }

    /// Marks all entries: something else than a command has written.
    pub(super) fn touch_all(&mut self) {
        self.dirty = [u64::MAX; DIRTY_WORDS];
    }

    /// Hands out the entries that have changed since the last time.
    pub(super) fn take_dirty(&mut self, mut take: impl FnMut(Memory, usize, Row)) {
        for index in 0..DIRTY_WORDS {
            let mut word = std::mem::take(&mut self.dirty[index]);
            while word != 0 {
                let bit = 64 * index + word.trailing_zeros() as usize;
                word &= word - 1;
                let at = FIRST.partition_point(|&(_, first)| first <= bit) - 1;
                let (memory, first) = FIRST[at];
                let slot = bit - first;
                let row = match memory {
                    Memory::Xfctx => self.xfctx.rows().get(slot).copied(),
                    Memory::Ltctx => self.ltctx.get(slot).map(|&[x, y, z]| [x, y, z, 0]),
                    Memory::Ltc(number) => {
                        self.ltc[usize::from(number)].get(slot).map(|&word| [word, 0, 0, 0])
                    }
                };
                if let Some(row) = row {
                    take(memory, slot, row);
                }
            }
        }
    }

    /// The bits of an instruction that the memory keeps.
    pub(super) fn as_xfpr(&self, words: Row) -> Row {
        match self.chip.family() {
            Family::Celsius | Family::Kelvin => kelvin::slot_words(kelvin::slot_bits(words)),
            Family::Rankine => rankine::slot_words(rankine::slot_bits(words)),
            Family::Curie => words,
        }
    }

    /// A word as LTC keeps it: on Celsius special numbers become +0, NaN or +infinity (fixed_function.md 1.8).
    pub(super) fn as_ltc(&self, word: u32) -> u32 {
        match self.chip.family() {
            Family::Celsius => ltc_load(word),
            Family::Kelvin | Family::Rankine | Family::Curie => xf_to_lt(word),
        }
    }

    fn as_xtra(&self, slot: usize, row: Row) -> Row {
        if slot == XTRA_TIMEOUT { [row[0] & TIMEOUT_BITS, 0, 0, 0] } else { row }
    }

    /// What an entry of LTC holds that cannot be written.
    pub(super) fn wired(&self, ltc: usize, slot: usize) -> Option<u32> {
        Memory::Ltc(ltc as u8).wired(self.chip.pipeline()?, slot)
    }

    /// A program has written XFCTX. Rows behind the chip's last one are cleared again; UNKNOWN: what such a write does.
    pub(super) fn written_by_program(&mut self) {
        self.touch_all();
        let first = self.sizes.xfctx;
        if let Some(missing) = self.xfctx.rows_mut().get_mut(first..) {
            missing.fill([0; 4]);
            self.written[first..].fill(0);
        }
    }
}

/// A change of one entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Change {
    Mode(usize, Row),
    Xtra(usize, Row),
    Xfpr(usize, Row),
    Xfctx(usize, Row),
    Ltctx(usize, [u32; 3]),
    Ltc(usize, usize, u32),
}

/// Returns the commands with which the vendor's driver sets the constants that no method reaches ([`xfjit_isa::chip::memory::constants`]);
/// the fixed function reads them. Use them in emulators that do not run the driver's initialisation. Chips from NV41 on have none.
pub fn initial_constants(chip: Chip, eye: EyeDirection) -> Vec<Command> {
    let Some(pipeline) = chip.pipeline() else { return Vec::new() };
    let mut commands = Vec::new();
    let constants = constants(pipeline, eye);
    // What is wired needs no command.
    for (ram, slot, [x, y, z, w]) in
        constants.into_iter().filter(|&(ram, slot, _)| ram.wired(pipeline, slot).is_none())
    {
        let Some((ram, slot)) = place(pipeline, ram, slot) else { continue };
        let (kind, slot) = (Type::from(ram), slot as u16);
        match ram.components() {
            1 => commands.push(Command::word(kind, slot, 0, x)),
            components => {
                commands.push(Command::pair(kind, slot, 0, [x, y]));
                commands.push(if components == 3 {
                    Command::word(kind, slot, 2, z)
                } else {
                    Command::pair(kind, slot, 2, [z, w])
                });
            }
        }
    }
    commands
}
