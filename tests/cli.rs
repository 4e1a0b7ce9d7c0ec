//! What the command line prints, exit codes included: every `console` block in `cmd/`.
//!
//! `TRYCMD=overwrite cargo test --test cli` writes what it prints now; read the difference before committing it.

#[test]
fn snapshots() {
    trycmd::TestCases::new().case("tests/cmd/*.md");
}
