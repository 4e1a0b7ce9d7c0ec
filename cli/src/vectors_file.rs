//! Files of golden vectors as the command opens them; what is in them is told by [`xfjit_testing::golden::files`].

mod unpack;

use crate::fail::Failure;
use crate::files;
use crate::sort::{self, Wanted};
use crate::text;
use std::path::Path;
pub use xfjit_testing::golden::files::{FileFlaw, VectorFile};

/// Opens a file of golden vectors.
pub fn open(path: &Path) -> Result<VectorFile, Failure> {
    recognise(files::name(path), sort::read(path, Wanted::Vectors)?)
}

/// Recognises golden vectors by their content; unpacks xz.
pub fn recognise(name: String, bytes: Vec<u8>) -> Result<VectorFile, Failure> {
    let bytes = unpack::unpack(bytes).map_err(|flaw| Failure::input(&name, flaw))?;
    let text = text::decode(&bytes).map_err(|flaw| Failure::input(&name, flaw))?.into_owned();
    Ok(xfjit_testing::golden::files::recognise(name, text)?)
}

impl From<FileFlaw> for Failure {
    fn from(FileFlaw { file, flaw }: FileFlaw) -> Failure {
        Failure::input(file, flaw)
    }
}

#[cfg(test)]
mod tests;
