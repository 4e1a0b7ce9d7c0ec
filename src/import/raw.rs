//! Programs as bare words, which is how RPCS3 keeps them (`shaders_cache/raw/*.vp`): four words a slot, little-endian as on the host, from
//! the first slot of the program on. Targets of branches are relative to that slot.

use super::{ImportError, MOST_SLOTS, Slot};

/// Reads a file.
///
/// # Errors
/// It does not hold whole slots, or it holds more than any chip has.
pub fn read(bytes: &[u8]) -> Result<Vec<Slot>, ImportError> {
    let (slots, rest) = bytes.as_chunks::<16>();
    if !rest.is_empty() {
        let at = bytes.len() - rest.len();
        return Err(ImportError::byte(at, format!("slot {} has {} bytes, not 16", slots.len(), rest.len())));
    }
    if slots.is_empty() {
        return Err(ImportError::byte(0, "the file is empty"));
    }
    if slots.len() > MOST_SLOTS {
        let message = format!("there are {} slots; the RSX has {MOST_SLOTS}", slots.len());
        return Err(ImportError::byte(16 * MOST_SLOTS, message));
    }
    let word = |slot: &[u8; 16], at: usize| {
        u32::from_le_bytes([slot[4 * at], slot[4 * at + 1], slot[4 * at + 2], slot[4 * at + 3]])
    };
    Ok(slots.iter().map(|slot| std::array::from_fn(|at| word(slot, at))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_little_endian_and_slots_whole() {
        let bytes: Vec<u8> = (0..32).collect();
        let slots = read(&bytes).expect("they are whole");
        assert_eq!(slots[1], [0x1312_1110, 0x1716_1514, 0x1b1a_1918, 0x1f1e_1d1c]);
        let error = |bytes: &[u8]| read(bytes).expect_err("it is none").to_string();
        assert_eq!(error(&bytes[..17]), "byte 0x10: slot 1 has 1 bytes, not 16");
        assert_eq!(error(&[]), "byte 0x0: the file is empty");
        assert!(error(&[0; 16 * (MOST_SLOTS + 1)]).starts_with("byte 0x2200: there are 545 slots"));
    }
}
