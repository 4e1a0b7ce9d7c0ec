//! The golden cases, which this project did not compute.

use xfjit::flipper::Dialect;
use xfjit_testing::golden::files::{VectorFile, recognise};
use xfjit_testing::golden::flipper_fetch::{FetchCase, GuestMemory, reference};

/// The cases of the file.
pub(crate) fn cases() -> Vec<FetchCase> {
    let mut text = Vec::new();
    let mut packed: &[u8] = include_bytes!("../data/flipper_fetch.txt.xz");
    lzma_rs::xz_decompress(&mut packed, &mut text).expect("the file is whole");
    let text = String::from_utf8(text).expect("the file is text");
    let Ok(VectorFile::FlipperFetch(cases)) = recognise("flipper_fetch".to_owned(), text) else {
        panic!("the file holds no vertices")
    };
    cases.collect::<Result<_, _>>().unwrap_or_else(|flaw| panic!("{flaw}"))
}

#[test]
fn the_reference_decodes_every_case() {
    let cases = cases();
    assert_eq!(cases.len(), 5_000, "the file has lost cases");
    let mut memory = GuestMemory::default();
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|case| {
            let difference = case.check(&mut memory, &mut reference(Dialect::Spec))?;
            Some(format!("case {}: {difference:?}", case.number))
        })
        .collect();
    let shown = wrong.iter().take(10).map(String::as_str).collect::<Vec<_>>().join("\n");
    assert!(wrong.is_empty(), "{} of {} cases fail:\n{shown}", wrong.len(), cases.len());
}
