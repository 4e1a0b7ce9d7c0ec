//! RDI: the memories of Kelvin and Rankine as index spaces, as the hardware context switch sees them.
//!
//! ```text
//! spaces of vectors   16 bytes each, words W Z Y X from the lowest address: word 3 of IDX2XF first
//! LTCTX               of each 128 bits: z 0-21, y 22-43, x 44-65, as 22-bit numbers
//! LTC                 4 bytes each: a 22-bit number, right-aligned; LTC0 to LTC3 one behind the other
//! ```
//! (fixed_function.md 5.3 and 7.)

use super::XfUnit;
use super::command::Type;
use super::item::Item;
use super::ram::{Change, LT_BITS};
use std::fmt;
use xfjit_isa::chip::{Chip, Family};
use xfjit_runtime::state::Row;

/// Bits by which numbers of LT are shifted in these spaces.
const LT_SHIFT: u32 = 10;
/// Bits of a number of LT.
const LT_WIDTH: u32 = 22;

/// An index space.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Space {
    /// Microcode; on Rankine, XTRA follows its last slot, since its vectors are "extra XFPR RAM slots" (XF overview, XTRA). UNKNOWN: in
    /// which order; here in that of the command.
    Xfpr,
    /// Attributes; the passthrough slot is the last vector.
    Vab,
    /// Constants.
    Xfctx,
    /// Lighting vectors; on NV25, those of LTCTX_A.
    Ltctx,
    /// Lighting vectors of NV25's LTCTX_B.
    LtctxB,
    /// Lighting scalars.
    Ltc,
}

impl Space {
    /// Returns the space with a number on a chip.
    pub fn from_number(chip: Chip, number: u32) -> Option<Space> {
        let (lighting, second) = match chip.family() {
            Family::Celsius | Family::Curie => return None,
            Family::Kelvin if chip == Chip::Nv25 => (0x18, Some(0x16)),
            Family::Kelvin => (0x18, None),
            Family::Rankine => (0x16, None),
        };
        match number {
            0x10 => Some(Space::Xfpr),
            0x15 => Some(Space::Vab),
            0x17 => Some(Space::Xfctx),
            0x19 => Some(Space::Ltc),
            _ if number == lighting => Some(Space::Ltctx),
            _ => (second == Some(number)).then_some(Space::LtctxB),
        }
    }

    /// The number of vectors of the space, or of words of LTC.
    fn len(self, chip: Chip) -> usize {
        let sizes = chip.sizes();
        match self {
            Space::Xfpr => sizes.xfpr + sizes.xtra,
            Space::Vab => sizes.attributes + 1,
            Space::Xfctx => sizes.xfctx,
            Space::Ltctx if chip == Chip::Nv25 => 0x1a,
            // Rankine's last two rows are copies of viewport constants, which RDI does not reach.
            Space::Ltctx if chip.family() == Family::Rankine => 0x36,
            Space::Ltctx => sizes.ltctx,
            Space::LtctxB => 0x34,
            Space::Ltc => sizes.ltc.iter().sum(),
        }
    }

    /// Bytes of a vector.
    const fn stride(self) -> u32 {
        match self {
            Space::Ltc => 4,
            Space::Xfpr | Space::Vab | Space::Xfctx | Space::Ltctx | Space::LtctxB => 16,
        }
    }
}

/// Why an access reaches nothing. This is the fault of the caller or of the guest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum RdiError {
    /// XF has no such space on this chip.
    NoSpace {
        /// Its number.
        space: u32,
    },
    /// The space ends before the address.
    OutOfRange {
        /// Number of the space.
        space: u32,
        /// Byte address in it.
        address: u32,
    },
}

impl fmt::Display for RdiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            RdiError::NoSpace { space } => write!(f, "XF has no index space {space:#x} on this chip"),
            RdiError::OutOfRange { space, address } => {
                write!(f, "index space {space:#x} ends before address {address:#x}")
            }
        }
    }
}

impl std::error::Error for RdiError {}

/// Words of a vector that is being written.
///
/// UNKNOWN: what "damaged" means where a vector is not written whole. Here the fourth word (address 0xc modulo 0x10)
/// stores the vector, with the words of the lower addresses as they were last written through RDI, to whichever vector.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Staging(pub(super) [u32; 4]);

impl XfUnit {
    /// Reads a word of an index space; the lower two bits of the address are ignored.
    ///
    /// # Errors
    /// The chip has no such space, or it ends before the address.
    pub fn rdi_read(&mut self, space: u32, address: u32) -> Result<u32, RdiError> {
        if let Some(items) = &mut self.recording {
            items.push(Item::RdiRead { space, address });
        }
        let (which, index) = self.locate(space, address)?;
        self.flush();
        Ok(match which {
            Space::Ltc => {
                let (memory, slot) = self.ltc_slot(index);
                self.ram.ltc[memory][slot] >> LT_SHIFT
            }
            Space::Xfpr | Space::Vab | Space::Xfctx | Space::Ltctx | Space::LtctxB => {
                self.quad(which, index)[(address >> 2 & 3) as usize]
            }
        })
    }

    /// Writes a word of an index space; a vector is written from the lowest address to the highest, all four words.
    ///
    /// # Errors
    /// The chip has no such space, or it ends before the address. On an error, nothing has happened.
    pub fn rdi_write(&mut self, space: u32, address: u32, value: u32) -> Result<(), RdiError> {
        if let Some(items) = &mut self.recording {
            items.push(Item::RdiWrite { space, address, value });
        }
        let (which, index) = self.locate(space, address)?;
        self.flush();
        if which == Space::Ltc {
            let (memory, slot) = self.ltc_slot(index);
            self.ram.apply(&Change::Ltc(memory, slot, value << LT_SHIFT));
            return Ok(());
        }
        let word = (address >> 2 & 3) as usize;
        self.rdi.0[word] = value;
        if word == 3 {
            self.set_quad(which, index, self.rdi.0);
        }
        Ok(())
    }

    /// The space and the vector in it.
    fn locate(&self, space: u32, address: u32) -> Result<(Space, usize), RdiError> {
        let chip = self.ram.chip;
        let which = Space::from_number(chip, space).ok_or(RdiError::NoSpace { space })?;
        let index = (address / which.stride()) as usize;
        if index >= which.len(chip) {
            return Err(RdiError::OutOfRange { space, address });
        }
        Ok((which, index))
    }

    /// Which of LTC0 to LTC3, and the word in it.
    fn ltc_slot(&self, mut index: usize) -> (usize, usize) {
        let mut memory = 0;
        while index >= self.ram.sizes.ltc[memory] {
            index -= self.ram.sizes.ltc[memory];
            memory += 1;
        }
        (memory, index)
    }

    /// The 128 bits of a vector, lowest word first.
    fn quad(&self, space: Space, index: usize) -> [u32; 4] {
        match space {
            Space::Xfpr => reversed(match index.checked_sub(self.ram.sizes.xfpr) {
                Some(vector) => self.xtra(vector),
                None => self.xfpr(index),
            }),
            Space::Vab if index == self.ram.sizes.attributes => reversed(self.pass),
            Space::Vab => reversed(self.vab.rows[index]),
            Space::Xfctx => reversed(self.ram.xfctx.row(index)),
            Space::Ltctx | Space::LtctxB => packed(self.ram.ltctx[ltctx_row(self.ram.chip, space, index)]),
            Space::Ltc => [0; 4],
        }
    }

    /// The vectors of NV25 that belong to no row known: space, index, content.
    pub(super) fn spare_rows(&self) -> [(u32, usize, [u32; 4]); 2] {
        let (a, b) = (Space::Ltctx.len(Chip::Nv25) - 1, Space::LtctxB.len(Chip::Nv25) - 1);
        [(0x18, a, self.quad(Space::Ltctx, a)), (0x16, b, self.quad(Space::LtctxB, b))]
    }

    fn set_quad(&mut self, space: Space, index: usize, quad: [u32; 4]) {
        match space {
            Space::Xfpr if index >= self.ram.sizes.xfpr => {
                let vector = (index - self.ram.sizes.xfpr) as u16;
                if let Some(change) = self.ram.change(Type::Xtra, vector, &reversed(quad)) {
                    self.ram.apply(&change);
                    self.mode_changed();
                }
            }
            Space::Xfpr => {
                let words = self.ram.as_xfpr(reversed(quad));
                self.ram.apply(&Change::Xfpr(index, words));
                self.executor.program_changed();
            }
            Space::Vab if index == self.ram.sizes.attributes => self.pass = reversed(quad),
            Space::Vab => self.vab.rows[index] = reversed(quad),
            Space::Xfctx => self.ram.apply(&Change::Xfctx(index, reversed(quad))),
            Space::Ltctx | Space::LtctxB => {
                let row = ltctx_row(self.ram.chip, space, index);
                self.ram.apply(&Change::Ltctx(row, unpacked(quad)));
            }
            Space::Ltc => {}
        }
    }
}

fn reversed([a, b, c, d]: [u32; 4]) -> Row {
    [d, c, b, a]
}

/// Three numbers of LT in 66 bits.
fn packed([x, y, z]: [u32; 3]) -> [u32; 4] {
    let [x, y, z] = [x, y, z].map(|number| u128::from(number >> LT_SHIFT));
    let bits = z | y << LT_WIDTH | x << (2 * LT_WIDTH);
    [0, 32, 64, 96].map(|shift| (bits >> shift) as u32)
}

fn unpacked(quad: [u32; 4]) -> [u32; 3] {
    let bits = quad.iter().rev().fold(0, |bits, &word| bits << 32 | u128::from(word));
    [2 * LT_WIDTH, LT_WIDTH, 0].map(|shift| ((bits >> shift) as u32) << LT_SHIFT & LT_BITS)
}

/// The row of LTCTX, as commands number it, behind a vector of RDI. NV25 keeps half vectors and directions in A, colours
/// in B; one vector of each belongs to no row known, and lies behind the last row.
fn ltctx_row(chip: Chip, space: Space, index: usize) -> usize {
    if chip != Chip::Nv25 {
        return index;
    }
    /// Rows of one light: three front colours, half vector or attenuation, direction, three back colours.
    const LIGHT: usize = 8;
    const COLOURS: [usize; 6] = [0, 1, 2, 5, 6, 7];
    let spare = chip.sizes().ltctx;
    match (space, index) {
        (Space::Ltctx, 0..0x10) => LIGHT * (index / 2) + 3 + index % 2,
        (Space::Ltctx, 0x10..0x18) => 0x40 + (index - 0x10),
        (Space::Ltctx, 0x18) => 0x49,
        (Space::Ltctx, _) => spare,
        (_, 0..0x30) => LIGHT * (index / 6) + COLOURS[index % 6],
        (_, 0x30) => 0x48,
        (_, 0x31) => 0x4b,
        (_, 0x32) => 0x4a,
        _ => spare + 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_nv25_is_in_one_of_the_two_spaces_once() {
        let chip = Chip::Nv25;
        let all = [Space::Ltctx, Space::LtctxB]
            .into_iter()
            .flat_map(|space| (0..space.len(chip)).map(move |index| ltctx_row(chip, space, index)));
        let mut rows: Vec<usize> = all.collect();
        rows.sort_unstable();
        assert_eq!(rows, (0..chip.sizes().ltctx + chip.sizes().ltctx_spare).collect::<Vec<_>>());
    }

    #[test]
    fn packing_keeps_22_bits_of_each_number() {
        let row = [0xffff_fc00, 0x1234_5400, 0x8000_0400];
        let quad = packed(row);
        assert_eq!(unpacked(quad), row);
        assert_eq!(quad[3], 0);
        assert_eq!(packed([0, 0, LT_BITS]), [0x003f_ffff, 0, 0, 0]);
        assert_eq!(packed([LT_BITS, 0, 0]), [0, 0xffff_f000, 3, 0]);
    }
}
