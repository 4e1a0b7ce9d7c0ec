//! Cg's binary programs for the RSX (`.vpo`), as the toolkit's header `cgBinary.h` lays them out. Numbers are 32 bits, big-endian as
//! consoles have them, or little-endian; the profile, which comes first, tells.
//!
//! ```text
//! header     00 profile: 7003 vertex, 7004 fragment | 04 revision | 08 bytes in all | 0c parameters | 10 their offset
//!            14 offset of the program | 18 bytes of microcode | 1c its offset
//! program    00 instructions | 04 slot they are loaded to | 08 registers | 0c attributes read | 10 outputs written | 14 clip planes
//! parameter  00 type | 04 resource | 08 variability | 0c number of the resource | 10 name: offset | 14 default: offset, or 0
//!            18 embedded constants | 1c semantic: offset | 20 direction | 24 number | 28 referenced | 2c shared
//! ```
//! A parameter has 48 bytes. The reader ignores what does not belong to vertex programs, and defaults of matrices, whose rows are
//! parameters of their own.

use super::{ImportError, MOST_SLOTS, Slot};

/// Profiles: `CG_PROFILE_SCE_VP_RSX`, and that of fragment programs.
const VERTEX: u32 = 7003;
const FRAGMENT: u32 = 7004;
const HEADER: usize = 32;
const PROGRAM: usize = 24;
const PARAMETER: usize = 48;
/// `CG_C`: a row of constants.
const CONSTANT: u32 = 2178;
/// `CG_FLOAT` to `CG_FLOAT4`.
const FLOATS: std::ops::RangeInclusive<u32> = 1045..=1048;
/// Longer names are cut.
const LONGEST_NAME: usize = 64;

/// A program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Vpo {
    /// The version of the format that it names.
    pub revision: u32,
    /// Microcode.
    pub slots: Vec<Slot>,
    /// The slot where it is loaded.
    pub first: usize,
    /// Attributes that it reads, as a mask.
    pub inputs: u32,
    /// Outputs that it writes, as the RSX's register has them.
    pub outputs: u32,
    /// Rows of constants that have a name.
    pub constants: Vec<Constant>,
}

/// A row of constants.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Constant {
    /// The number of the row.
    pub row: u16,
    /// The parameter's name, in printable ASCII; `?` replaces everything else.
    pub name: String,
    /// Its default: bits of floats.
    pub value: Option<[u32; 4]>,
}

/// Whether a file begins as one of Cg's does: big-endian if so, or little.
fn is_big(bytes: &[u8]) -> Option<bool> {
    let first = bytes.first_chunk()?;
    let is = |profile| matches!(profile, VERTEX | FRAGMENT);
    match (is(u32::from_be_bytes(*first)), is(u32::from_le_bytes(*first))) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    }
}

/// Whether a file begins as one of Cg's does.
pub fn is_one(bytes: &[u8]) -> bool {
    is_big(bytes).is_some()
}

struct File<'a> {
    bytes: &'a [u8],
    is_big: bool,
}

impl File<'_> {
    /// A part, whose bounds have to be in the file.
    fn part(&self, what: &str, at: usize, offset: usize, size: usize) -> Result<&[u8], ImportError> {
        let part = offset.checked_add(size).and_then(|end| self.bytes.get(offset..end));
        part.ok_or_else(|| {
            ImportError::byte(
                at,
                format!("{what}: {size} bytes from {offset:#x} on are beyond the end of the file"),
            )
        })
    }

    fn word(&self, bytes: &[u8], at: usize) -> u32 {
        let word = bytes.get(at..).and_then(|bytes| bytes.first_chunk()).copied().unwrap_or_default();
        if self.is_big { u32::from_be_bytes(word) } else { u32::from_le_bytes(word) }
    }

    /// A name, up to its zero.
    fn name(&self, at: usize, offset: usize) -> Result<String, ImportError> {
        let rest = self.part("a name", at, offset, 0)?;
        debug_assert!(rest.is_empty());
        let bytes = self.bytes[offset..].iter().take(LONGEST_NAME).take_while(|&&byte| byte != 0);
        Ok(bytes.map(|&byte| if byte.is_ascii_graphic() { char::from(byte) } else { '?' }).collect())
    }
}

/// Reads a file.
///
/// # Errors
/// It is not a vertex program of Cg's, or a part of it is missing.
pub fn read(bytes: &[u8]) -> Result<Vpo, ImportError> {
    let Some(is_big) = is_big(bytes) else {
        return Err(ImportError::byte(0, "this is not a binary Cg program for the RSX"));
    };
    let file = File { bytes, is_big };
    let header = file.part("the header", 0, 0, HEADER)?;
    let field = |at: usize| file.word(header, at);
    if field(0) == FRAGMENT {
        return Err(ImportError::byte(0, "this is a fragment program; only vertex programs are supported"));
    }
    if field(8) as usize > bytes.len() {
        let message = format!("the file has {} bytes instead of {}", bytes.len(), field(8));
        return Err(ImportError::byte(8, message));
    }
    let program = file.part("the program", 0x14, field(0x14) as usize, PROGRAM)?;
    let size = field(0x18) as usize;
    if size == 0 || !size.is_multiple_of(16) || size / 16 > MOST_SLOTS {
        return Err(ImportError::byte(
            0x18,
            format!("{size} bytes of microcode: a slot has 16, and a program has at most {MOST_SLOTS} slots"),
        ));
    }
    let code = file.part("microcode", 0x1c, field(0x1c) as usize, size)?;
    let first = file.word(program, 4) as usize;
    if first > MOST_SLOTS - size / 16 {
        return Err(ImportError::byte(
            field(0x14) as usize + 4,
            format!("slot {first} is too late for this program"),
        ));
    }
    let slots = code.as_chunks::<16>().0.iter().map(|slot| std::array::from_fn(|at| file.word(slot, 4 * at)));
    let (count, list) = (field(0x0c) as usize, field(0x10) as usize);
    let all = file.part("parameters", 0x10, list, count.saturating_mul(PARAMETER))?;
    let mut constants = Vec::new();
    for (at, parameter) in (list..).step_by(PARAMETER).zip(all.as_chunks::<PARAMETER>().0) {
        let field = |at: usize| file.word(parameter, at);
        let row = u16::try_from(field(0x0c)).ok().filter(|&row| usize::from(row) < MOST_ROWS);
        let (Some(row), CONSTANT) = (row, field(4)) else { continue };
        let value = match (field(0), field(0x14) as usize) {
            (kind, offset) if offset != 0 && FLOATS.contains(&kind) => {
                let size = 4 * (kind - FLOATS.start() + 1) as usize;
                let floats = file.part("a default", at + 0x14, offset, size)?;
                Some(std::array::from_fn(|component| file.word(floats, 4 * component)))
            }
            _ => None,
        };
        constants.push(Constant { row, name: file.name(at + 0x10, field(0x10) as usize)?, value });
    }
    let slots = slots.collect();
    let (inputs, outputs) = (file.word(program, 0x0c), file.word(program, 0x10));
    Ok(Vpo { revision: field(4), slots, first, inputs, outputs, constants })
}

/// Rows of constants of the RSX.
const MOST_ROWS: usize = xfjit_isa::isa::Generation::Curie.constants();

#[cfg(test)]
mod tests {
    use super::*;

    /// A program of two slots with three parameters, written by hand.
    fn file(is_big: bool) -> Vec<u8> {
        let mut words = vec![7003, 6, 0, 3, 56, 32, 32, 224];
        words.extend([2, 5, 1, 0b101, 0x4001, 0]);
        // Type, resource, variability, number, name, default; then what is not read.
        words.extend([1048, 2178, 4102, 467, 256, 208, 0, 0, 4097, 0, 1, 0]);
        words.extend([1046, 2178, 4102, 3, 261, 0, 0, 0, 4097, 1, 1, 0]);
        words.extend([1048, 2113, 4101, 0, 256, 0, 0, 0, 4097, 2, 1, 0]);
        // 56 + 3 * 48 is 200: two words between, the default, the code, the names.
        words.extend([0, 0, 0x3f80_0000, 0x4000_0000, 0, 0xbf80_0000]);
        words.extend([0x401f_9c6c, 0x0040_000d, 0x8106_c083, 0x6041_ff80]);
        words.extend([0x401f_9c6c, 0x0040_030d, 0x8106_c083, 0x6041_ff9d]);
        let bytes = |word: &u32| if is_big { word.to_be_bytes() } else { word.to_le_bytes() };
        let mut file: Vec<u8> = words.iter().flat_map(bytes).collect();
        file.extend(b"half\0a\x07b\0");
        let size = bytes(&(file.len() as u32));
        file[8..12].copy_from_slice(&size);
        file
    }

    #[test]
    fn programs_of_either_order_are_read() {
        let [big, little] = [true, false].map(|is_big| read(&file(is_big)).expect("it is one"));
        assert_eq!(big, little);
        assert_eq!((big.revision, big.first, big.inputs, big.outputs), (6, 5, 0b101, 0x4001));
        assert_eq!(big.slots[1], [0x401f_9c6c, 0x0040_030d, 0x8106_c083, 0x6041_ff9d]);
        let half = [0x3f80_0000, 0x4000_0000, 0, 0xbf80_0000];
        let constants = [
            Constant { row: 467, name: "half".to_owned(), value: Some(half) },
            Constant { row: 3, name: "a?b".to_owned(), value: None },
        ];
        assert_eq!(big.constants, constants);
    }

    #[test]
    fn what_is_outside_of_the_file_is_told_by_the_field() {
        let error = |at: usize, value: u32| {
            let mut file = file(true);
            file[at..at + 4].copy_from_slice(&value.to_be_bytes());
            read(&file).expect_err("it is wrong").to_string()
        };
        assert_eq!(error(0, 1), "byte 0x0: this is not a binary Cg program for the RSX");
        assert_eq!(
            error(0, 7004),
            "byte 0x0: this is a fragment program; only vertex programs are supported"
        );
        assert_eq!(error(8, 266), "byte 0x8: the file has 265 bytes instead of 266");
        assert_eq!(
            error(0x0c, 5),
            "byte 0x10: parameters: 240 bytes from 0x38 on are beyond the end of the file"
        );
        assert!(error(0x0c, u32::MAX).starts_with("byte 0x10: parameters"));
        assert_eq!(
            error(0x14, 250),
            "byte 0x14: the program: 24 bytes from 0xfa on are beyond the end of the file"
        );
        assert!(error(0x18, 24).starts_with("byte 0x18: 24 bytes of microcode"));
        assert!(error(0x18, 16 * 545).starts_with("byte 0x18"));
        assert_eq!(
            error(0x1c, u32::MAX),
            "byte 0x1c: microcode: 32 bytes from 0xffffffff on are beyond the end of the file"
        );
        assert_eq!(error(36, 543), "byte 0x24: slot 543 is too late for this program");
        // On hosts of 32 bits, too.
        assert_eq!(error(36, u32::MAX), "byte 0x24: slot 4294967295 is too late for this program");
        assert_eq!(
            error(56 + 0x14, 260),
            "byte 0x4c: a default: 16 bytes from 0x104 on are beyond the end of the file"
        );
        assert_eq!(
            error(56 + 0x10, 266),
            "byte 0x48: a name: 0 bytes from 0x10a on are beyond the end of the file"
        );
    }

    #[test]
    fn no_cut_and_no_bit_does_harm() {
        let file = file(false);
        for length in 0..file.len() {
            assert!(read(&file[..length]).is_err(), "{length}");
        }
        for bit in 0..8 * file.len() {
            let mut damaged = file.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            let _ = read(&damaged);
        }
    }
}
