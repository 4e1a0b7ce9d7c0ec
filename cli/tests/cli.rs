//! What the command line prints, exit codes included: every `console` block in `cmd/`.
//!
//! `TRYCMD=overwrite cargo test --test cli` writes what it prints now; read the difference before committing it.

#[test]
fn snapshots() {
    // The commands name files beside their pages.
    std::env::set_current_dir("tests/cmd").expect("tests run in the package's directory");
    trycmd::TestCases::new().case("*.md");
}
