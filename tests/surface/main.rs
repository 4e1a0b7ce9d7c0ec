//! What users can name, and are shown, stands in `items.txt`, a path on each line, so that
//! nothing becomes public, or is so no more, by accident.
//!
//! `XFJIT_BLESS=1 cargo test --test surface` writes the list anew. It is read off the sources: modules and what they
//! define or export again, but neither methods nor what macros make in place.

mod scan;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The packages, and where their sources are.
const PACKAGES: [(&str, &str); 2] = [("xfjit", "src"), ("xfjit_runtime", "runtime/src")];

fn items() -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    PACKAGES.iter().flat_map(|(name, sources)| scan::items(name, &root.join(sources))).collect()
}

#[test]
fn nothing_is_public_by_accident() {
    let list = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/surface/items.txt");
    let found = items();
    if std::env::var_os("XFJIT_BLESS").is_some() {
        let text: String = found.iter().map(|path| format!("{path}\n")).collect();
        fs::write(&list, text).expect("the list can be written");
    }
    let text = fs::read_to_string(&list).expect("there is a list");
    let listed: BTreeSet<String> = text.lines().map(str::to_owned).collect();
    let lines = |paths: Vec<&String>| paths.iter().map(|path| format!("\n  {path}")).collect::<String>();
    let (new, gone) =
        (lines(found.difference(&listed).collect()), lines(listed.difference(&found).collect()));
    assert!(new.is_empty() && gone.is_empty(), "public, and not listed:{new}\nlisted, and not public:{gone}");
    assert!(
        found.contains("xfjit::asm::gl::assemble") && found.contains("xfjit::isa::VecOp"),
        "nested ones are found"
    );
}
