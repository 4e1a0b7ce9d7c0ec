//! The body of the fuzz target for programs and logs in formats of others, and for traces as text.

use crate::import::{self, ImportError, Place};
use crate::{chip::Chip, isa::Generation, xf};
use xfjit::flipper;
use xfjit_isa::text::ParseErrors;

/// Any bytes are a file of each format, or an error in it that names a place. The first byte says which format; what is read
/// keeps its bounds, and what can be printed reads back. Returns how many slots, or items, have been read.
pub fn fuzz_import(bytes: &[u8]) -> usize {
    let Some((&how, file)) = bytes.split_first() else { return 0 };
    let text = &*String::from_utf8_lossy(file);
    let most = Generation::Curie.slots();
    let slots = match how % 6 {
        0 => read(&import::hex::read(text), text).map_or(0, |slots| slots.len()),
        1 => read(&import::raw::read(file), file).map_or(0, |slots| slots.len()),
        2 => read(&import::vpo::read(file), file).map_or(0, |vpo| {
            assert!(vpo.first + vpo.slots.len() <= most, "{vpo:?}");
            assert!(vpo.constants.iter().all(|constant| constant.name.len() <= 64), "{vpo:?}");
            vpo.slots.len()
        }),
        3 => return log(text),
        4 => {
            let read = xf::Trace::parse(text);
            errors(read.as_ref().err(), text);
            return read.map_or(0, |trace| {
                assert_eq!(xf::Trace::parse(&trace.to_string()).as_ref(), Ok(&trace), "{trace}");
                trace.items.len()
            });
        }
        _ => {
            let read = flipper::Trace::parse(text);
            errors(read.as_ref().err(), text);
            return read.map_or(0, |trace| {
                assert_eq!(flipper::Trace::parse(&trace.to_string()).as_ref(), Ok(&trace), "{trace}");
                trace.items.len()
            });
        }
    };
    assert!(slots <= most, "{slots} slots");
    slots
}

/// What has been read, if it has; an error is in the file.
fn read<'a, T>(read: &'a Result<T, ImportError>, file: &(impl AsRef<[u8]> + ?Sized)) -> Option<&'a T> {
    let bytes = file.as_ref();
    match read {
        Ok(read) => Some(read),
        Err(error) => {
            let lines = 1 + bytes.iter().filter(|&&byte| byte == b'\n').count();
            let is_there = match error.place {
                Place::Byte(at) => at <= bytes.len(),
                Place::Line(number) => (1..=lines).contains(&number),
            };
            assert!(is_there, "{error}");
            None
        }
    }
}

/// What a log says, as a trace.
fn log(text: &str) -> usize {
    let mut trace = xf::Trace { chip: Chip::Nv2a, items: Vec::new() };
    let summary = import::log::read(text, |item| trace.items.push(*item));
    let count = trace.items.len();
    if let Some(summary) = read(&summary, text) {
        assert_eq!(summary.items, count as u64);
    }
    assert_eq!(xf::Trace::parse(&trace.to_string()).as_ref(), Ok(&trace), "{trace}");
    count
}

/// Errors are in the text.
fn errors(errors: Option<&ParseErrors>, text: &str) {
    for error in errors.into_iter().flatten() {
        assert!(error.span.end <= text.len() && text.get(error.span.clone()).is_some(), "{error:?}");
    }
}
