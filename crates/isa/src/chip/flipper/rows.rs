//! Rows of constants: where code finds matrices, lights, colours and indices.

use super::memory::Memory;
use super::registers::{self, MATRIX_INDICES};
use super::{input, output};
use std::ops::Range;
use xfjit_runtime::state::{ATTRIBUTES, MAX_ROWS, OUTPUTS, Row};

const _: () = assert!(output::COUNT <= OUTPUTS && input::MATRICES < ATTRIBUTES);

/// The rows of a light.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Light {
    /// Colour: red, green, blue, alpha as numbers from 0.0 to 255.0.
    Colour,
    /// Coefficients of the angle: a0, a1, a2.
    Angle,
    /// Coefficients of the distance: k0, k1, k2.
    Distance,
    /// Position.
    Position,
    /// Direction, or half angle.
    Direction,
}

/// Rows of a light.
const LIGHT_ROWS: usize = 5;

/// The rows of position and texture matrices.
pub const POSITION_MATRICES: Range<usize> = 0..64;
/// The rows of post matrices.
pub const POST_MATRICES: Range<usize> = 64..128;
/// The rows of normal matrices: three words, then 0.
pub const NORMAL_MATRICES: Range<usize> = 128..160;
/// The rows of lights.
pub const LIGHTS: Range<usize> = 160..160 + 8 * LIGHT_ROWS;
/// Ambient colours as numbers from 0.0 to 255.0; a row for each channel.
pub const AMBIENT: usize = LIGHTS.end;
/// Material colours as numbers from 0.0 to 255.0; a row for each channel.
pub const MATERIAL: usize = AMBIENT + 2;
/// sx, sy, sz, then 0.
pub const VIEWPORT_SCALE: usize = MATERIAL + 2;
/// ox, oy, oz, then 0.
pub const VIEWPORT_OFFSET: usize = VIEWPORT_SCALE + 1;
/// p0 to p3.
pub const PROJECTION: usize = VIEWPORT_OFFSET + 1;
/// p4, p5, then zeros.
pub const PROJECTION_DEPTH: usize = PROJECTION + 1;
/// First rows of matrices as integers, four in a row: for the position, then for texture coordinates 0 to 7.
pub const INDICES: usize = PROJECTION_DEPTH + 1;
/// First rows of post matrices as integers, for texture coordinates 0 to 7.
pub const POST_INDICES: usize = INDICES + 3;
/// How many rows there are.
pub const ROWS: usize = POST_INDICES + 2;

const _: () = assert!(ROWS <= MAX_ROWS);

impl Light {
    /// The row of a light, 0..=7.
    pub const fn row(self, light: usize) -> usize {
        LIGHTS.start + LIGHT_ROWS * light + self as usize
    }
}

/// A colour register's components as numbers from 0.0 to 255.0.
pub fn colour(word: u32) -> Row {
    word.to_be_bytes().map(|byte| f32::from(byte).to_bits())
}

/// Writes all rows, [`ROWS`] of them at least, from the words of the unit.
///
/// # Panics
/// If there are fewer rows.
pub fn fill(memory: &Memory, rows: &mut [Row]) {
    update(memory, rows, 0..registers::END);
}

/// Writes the rows that depend on some changed words. If registers are among these words, it writes all rows
/// of registers.
///
/// # Panics
/// If there are fewer rows.
pub fn update(memory: &Memory, rows: &mut [Row], changed: Range<u16>) {
    let words = |address: u16| memory.row::<4>(address);
    let three = |address: u16| {
        let [x, y, z] = memory.row::<3>(address);
        [x, y, z, 0]
    };
    for row in touched(&changed, registers::POSITION_MATRICES, 4) {
        rows[POSITION_MATRICES.start + row] = words(registers::POSITION_MATRICES.start + 4 * row as u16);
    }
    for row in touched(&changed, registers::POST_MATRICES, 4) {
        rows[POST_MATRICES.start + row] = words(registers::POST_MATRICES.start + 4 * row as u16);
    }
    for row in touched(&changed, registers::NORMAL_MATRICES, 3) {
        rows[NORMAL_MATRICES.start + row] = three(registers::NORMAL_MATRICES.start + 3 * row as u16);
    }
    for light in touched(&changed, registers::LIGHTS, registers::LIGHT_WORDS) {
        let at = registers::LIGHTS.start + registers::LIGHT_WORDS * light as u16;
        rows[Light::Colour.row(light)] = colour(memory.word(at + registers::LIGHT_COLOUR));
        rows[Light::Angle.row(light)] = three(at + registers::LIGHT_ANGLE);
        rows[Light::Distance.row(light)] = three(at + registers::LIGHT_DISTANCE);
        rows[Light::Position.row(light)] = three(at + registers::LIGHT_POSITION);
        rows[Light::Direction.row(light)] = three(at + registers::LIGHT_DIRECTION);
    }
    if changed.end <= registers::REGISTERS {
        return;
    }
    for channel in 0..2 {
        rows[AMBIENT + channel] = colour(memory.word(registers::AMBIENT + channel as u16));
        rows[MATERIAL + channel] = colour(memory.word(registers::MATERIAL + channel as u16));
    }
    rows[VIEWPORT_SCALE] = three(registers::VIEWPORT);
    rows[VIEWPORT_OFFSET] = three(registers::VIEWPORT + 3);
    rows[PROJECTION] = words(registers::PROJECTION);
    let [p4, p5] = memory.row::<2>(registers::PROJECTION + 4);
    rows[PROJECTION_DEPTH] = [p4, p5, 0, 0];
    rows[INDICES..ROWS].fill([0; 4]);
    for (number, (register, field)) in MATRIX_INDICES.into_iter().enumerate() {
        rows[INDICES + number / 4][number % 4] = field.of(memory.word(register));
    }
    for number in 0..8 {
        let word = memory.word(registers::POST + number as u16);
        rows[POST_INDICES + number / 4][number % 4] = registers::POST_INDEX.of(word);
    }
}

/// Which parts of a range, of so many words each, changed words are in.
fn touched(changed: &Range<u16>, range: Range<u16>, words: u16) -> Range<usize> {
    let (start, end) = (changed.start.max(range.start), changed.end.min(range.end));
    if start >= end {
        return 0..0;
    }
    let [first, behind] = [(start - range.start) / words, (end - range.start).div_ceil(words)];
    first.into()..behind.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Word by word as all at once.
    #[test]
    fn what_changes_is_written() {
        let mut memory = Memory::new();
        let mut rows = vec![[0; 4]; ROWS];
        let word = |address: u16| u32::from(address).wrapping_mul(0x9e37_79b9) ^ 0x55;
        for address in 0..registers::END {
            memory.write(address, &[word(address)]);
            update(&memory, &mut rows, address..address + 1);
        }
        let mut want = vec![[1; 4]; ROWS];
        fill(&memory, &mut want);
        assert_eq!(rows, want);
        // Across the borders of parts.
        let words: Vec<u32> = (0..16).map(|at| !word(at)).collect();
        for address in (0..registers::END).step_by(7) {
            memory.write(address, &words);
            update(&memory, &mut rows, address..registers::END.min(address + 16));
        }
        fill(&memory, &mut want);
        assert_eq!(rows, want);
    }
}
