//! Content of a block, number by number.

use super::error::{CaptureError, Problem};

/// Bytes of a block that have not been taken.
#[derive(Debug, Default)]
pub(super) struct Bytes {
    content: Vec<u8>,
    at: usize,
    /// Where the block begins in the file.
    offset: u64,
}

impl Bytes {
    pub(super) fn new(content: Vec<u8>, offset: u64) -> Bytes {
        Bytes { content, at: 0, offset }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.at == self.content.len()
    }

    /// Where it stands.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// An error at a byte of the content.
    pub(super) fn wrong_at(&self, at: usize, problem: Problem) -> CaptureError {
        CaptureError { offset: self.offset, inside: Some(at), problem }
    }

    /// What is there means nothing.
    pub(super) fn nonsense<T>(&self, at: usize, message: impl Into<String>) -> Result<T, CaptureError> {
        Err(self.wrong_at(at, Problem::Content(message.into())))
    }

    pub(super) fn take(&mut self, count: usize) -> Result<&[u8], CaptureError> {
        let end = self.at.checked_add(count).filter(|&end| end <= self.content.len());
        let Some(end) = end else { return Err(self.wrong_at(self.content.len(), Problem::Item)) };
        let taken = &self.content[self.at..end];
        self.at = end;
        Ok(taken)
    }

    /// All that is left.
    pub(super) fn rest(&mut self) -> &[u8] {
        let rest = &self.content[self.at..];
        self.at = self.content.len();
        rest
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], CaptureError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    pub(super) fn u8(&mut self) -> Result<u8, CaptureError> {
        Ok(self.array::<1>()?[0])
    }

    pub(super) fn u16(&mut self) -> Result<u16, CaptureError> {
        self.array().map(u16::from_le_bytes)
    }

    pub(super) fn u32(&mut self) -> Result<u32, CaptureError> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Result<u64, CaptureError> {
        self.array().map(u64::from_le_bytes)
    }

    /// Words, for each of which there are four bytes before memory is taken.
    pub(super) fn words(&mut self, count: usize) -> Result<Vec<u32>, CaptureError> {
        let bytes = self.take(count.saturating_mul(4))?;
        Ok(bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect())
    }

    pub(super) fn row(&mut self) -> Result<[u32; 4], CaptureError> {
        Ok([self.u32()?, self.u32()?, self.u32()?, self.u32()?])
    }
}
