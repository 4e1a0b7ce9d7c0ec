//! Registers: their numbers, their contents, and masks of them.

/// Input registers (IBUF).
pub const ATTRIBUTES: usize = 16;
/// Output registers (TBUF) that a program can name; Rankine has 23, the others 16 (rankine_curie.md 2.6).
pub const OUTPUTS: usize = 24;
/// Constant rows of the largest generation (Curie: 0x220).
pub const MAX_ROWS: usize = 0x220;
/// The most vertices that any routine works on at once: one 32-bit component of each fills its widest vector. How many it
/// is (the *lanes* of a *group*) is a property of the routine; memory that routines share is made for the widest.
pub const MOST_LANES: usize = 16;

/// A float4 as bits: x, y, z, w.
pub type Row = [u32; 4];
/// The default value of attributes and outputs: (0, 0, 0, 1) (kelvin.md 3).
pub const DEFAULT_ROW: Row = [0, 0, 0, 0x3f80_0000];

/// The register numbers in a mask, lowest first.
#[inline]
pub fn registers(mask: impl Into<u32>) -> impl Iterator<Item = usize> {
    let mut mask = mask.into();
    std::iter::from_fn(move || {
        // So, rather than by the 32 zeros of an empty mask: one instruction counts then.
        if mask == 0 {
            return None;
        }
        let register = mask.trailing_zeros() as usize;
        mask &= mask - 1;
        Some(register)
    })
}

/// Four words at a byte offset.
#[inline]
pub(crate) fn read_row(data: &[u8], at: usize) -> Row {
    let bytes: &[u8; 16] = data[at..at + 16].try_into().expect("16 bytes");
    bytemuck::cast(*bytes)
}

const _: () = assert!(size_of::<Row>() == 16);
const _: () = assert!(ATTRIBUTES <= 16 && OUTPUTS <= 32, "masks hold them");
