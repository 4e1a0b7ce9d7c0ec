//! Unpacking of xz.

use crate::text::Flaw;
use std::io::{self, Write};

const MAGIC: &[u8] = b"\xfd7zXZ\0";
/// Golden vectors are far smaller; a bomb is not.
const LARGEST: usize = 1 << 28;

/// The bytes themselves, or what is in them if they are an xz file.
pub fn unpack(bytes: Vec<u8>) -> Result<Vec<u8>, Flaw> {
    if !bytes.starts_with(MAGIC) {
        return Ok(bytes);
    }
    // The footer holds the size of the index in units of four bytes, less one. Looking first keeps the decoder from
    // computing with nonsense, and names the usual fault of a file that was not copied to its end.
    let footer: Option<[u8; 12]> = bytes.last_chunk().copied();
    let index = footer.filter(|footer| footer.ends_with(b"YZ"));
    let index = index.map(|f| u32::from_le_bytes([f[4], f[5], f[6], f[7]]) as usize);
    if index.is_none_or(|index| index >= bytes.len() / 4) {
        return Err(Flaw::new("is a truncated xz file"));
    }
    let mut out = Limited(Vec::new());
    match lzma_rs::xz_decompress(&mut &bytes[..], &mut out) {
        Ok(()) => Ok(out.0),
        Err(error) => Err(Flaw::new(format!("is a damaged xz file: {error:?}"))),
    }
}

struct Limited(Vec<u8>);

impl Write for Limited {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > LARGEST {
            return Err(io::Error::other("its unpacked contents are too large"));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
