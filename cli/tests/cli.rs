//! What the command line prints, exit codes included: every `console` block in `cmd/`.
//!
//! `TRYCMD=overwrite cargo test --test cli` writes what it prints now; read the difference before committing it.

#[test]
fn snapshots() {
    // The commands name files beside their pages.
    std::env::set_current_dir("tests/cmd").expect("tests run in the package's directory");
    let cases = trycmd::TestCases::new();
    cases.case("*.md");
    if cfg!(not(target_arch = "x86_64")) {
        cases.skip("dump_x86_64.*");
    }
}
