use super::*;
use crate::args::{Color, Format};
use crate::conflicts::Given;
use std::path::Path;

/// A file of the tests of the command.
fn file(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd/files").join(name);
    std::fs::read(&path).expect("a file of the tests")
}

/// What is listed of bytes, and how it ends.
fn listed(bytes: &[u8], format: Format, draws: bool) -> (String, Result<(), Failure>) {
    let args = List { file: "file".into(), draws, matrices: true, names: None };
    let global = Global { format, color: Color::Never, quiet: true, given: Given::default() };
    let mut out = Vec::new();
    let ended = list(&args, bytes, &global, &mut out);
    (String::from_utf8(out).expect("text"), ended)
}

/// Whatever is missing at a file's end: what is there is listed, or the file is said to be wrong.
#[test]
fn files_that_end_anywhere_are_listed_or_refused() {
    crate::fail::set_quiet(true);
    for name in
        ["flipper.dff", "flipper.trace", "ring.trace", "stream.trace", "colours.trace", "calls.capture"]
    {
        let bytes = file(name);
        let mut ends = [0, 0];
        for length in 0..bytes.len() {
            let (text, ended) = listed(&bytes[..length], Format::Text, false);
            match ended {
                Ok(()) => ends[0] += 1,
                Err(Failure::Input { file, flaws }) => {
                    assert!(
                        file == "file" && !flaws.is_empty() && text.is_empty(),
                        "{name}, {length}: {text}"
                    );
                    ends[1] += 1;
                }
                Err(other) => panic!("{name}, {length}: {other:?}"),
            }
        }
        assert!(ends[1] > 0, "{name}: some are refused");
        listed(&bytes, Format::Text, false).1.unwrap_or_else(|error| panic!("{name}: {error:?}"));
    }
}

/// One byte is another: never our fault.
#[test]
fn damaged_files_are_listed_or_refused() {
    crate::fail::set_quiet(true);
    for name in ["flipper.dff", "flipper.trace", "ring.trace", "stream.trace", "calls.capture"] {
        let bytes = file(name);
        for at in 0..bytes.len() {
            for flip in [0x01, 0xff] {
                let mut damaged = bytes.clone();
                damaged[at] ^= flip;
                match listed(&damaged, Format::Csv, false).1 {
                    Ok(()) | Err(Failure::Input { .. }) => {}
                    Err(other) => panic!("{name}, {at}, {flip:x}: {other:?}"),
                }
            }
        }
    }
}

/// In every form the same draws.
#[test]
fn every_form_has_every_draw() {
    for (name, draws) in [
        ("flipper.dff", 2),
        ("flipper.trace", 1),
        ("ring.trace", 1),
        ("stream.trace", 2),
        ("calls.capture", 7),
    ] {
        let bytes = file(name);
        let (text, ended) = listed(&bytes, Format::Text, true);
        assert!(ended.is_ok());
        let begin = |line: &&str| line.trim_start().starts_with("draw ");
        assert_eq!(text.lines().filter(begin).count(), draws, "{name}: {text}");
        let (csv, _) = listed(&bytes, Format::Csv, true);
        assert_eq!(csv.lines().count(), draws + 1, "{name}: {csv}");
        let (json, _) = listed(&bytes, Format::Json, true);
        let json: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
        assert_eq!(json["commands"].as_array().map(Vec::len), Some(draws), "{name}: {json}");
        let (all, _) = listed(&bytes, Format::Json, false);
        let all: serde_json::Value = serde_json::from_str(&all).expect("it is JSON");
        let drawn = all["commands"].as_array().into_iter().flatten().filter(|entry| !entry["draw"].is_null());
        assert_eq!(drawn.count(), draws, "{name}");
    }
}
