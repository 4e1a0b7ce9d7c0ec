//! The tutorials print what they say: every `console` block in `docs/tutorials`, run in the root of the sources.
//!
//! `TRYCMD=overwrite cargo test -p xfjit-cli --test tutorials` writes what the commands print now.

#[test]
fn tutorials() {
    // Readers are in the root of a clone.
    std::env::set_current_dir("..").expect("tests run in the package's directory");
    trycmd::TestCases::new().case("docs/getting_started.md").case("docs/tutorials/*.md");
}
