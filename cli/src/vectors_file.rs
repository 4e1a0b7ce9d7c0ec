//! Files of golden vectors as the command opens them; what is in them is told by [`xfjit_testing::golden::files`].

mod unpack;

use crate::campaign::digest;
use crate::fail::Failure;
use crate::files;
use crate::sort::{self, Wanted};
use crate::text;
use std::path::Path;
use xfjit_testing::golden::files as golden;
pub use xfjit_testing::golden::files::{FileFlaw, VectorFile};

/// Opens a file of golden vectors; its digest comes first.
pub fn open(path: &Path) -> Result<(String, VectorFile), Failure> {
    let bytes = sort::read(path, Wanted::Vectors)?;
    Ok((digest(&bytes), recognise(files::name(path), bytes)?))
}

/// Opens a file of golden vectors, its digest first; None if the file holds something else.
pub fn open_if_one(path: &Path) -> Result<Option<(String, VectorFile)>, Failure> {
    let (name, bytes) = (files::name(path), files::read(path)?);
    let digest = digest(&bytes);
    let bytes = unpack::unpack(bytes).map_err(|flaw| Failure::input(&name, flaw))?;
    match text::decode(&bytes) {
        Ok(text) if golden::is_one(&text) => Ok(Some((digest, golden::recognise(name, text.into_owned())?))),
        Ok(_) | Err(_) => Ok(None),
    }
}

/// Recognises golden vectors by their content; unpacks xz.
pub fn recognise(name: String, bytes: Vec<u8>) -> Result<VectorFile, Failure> {
    let bytes = unpack::unpack(bytes).map_err(|flaw| Failure::input(&name, flaw))?;
    let text = text::decode(&bytes).map_err(|flaw| Failure::input(&name, flaw))?.into_owned();
    Ok(golden::recognise(name, text)?)
}

impl From<FileFlaw> for Failure {
    fn from(FileFlaw { file, flaw }: FileFlaw) -> Failure {
        Failure::input(file, flaw)
    }
}

#[cfg(test)]
mod tests;
