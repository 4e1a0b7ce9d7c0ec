//! Second readings: what front ends and slots mean, against figures of a reader who saw the documents alone and not this project's
//! decoder. The readings are the Python programs beside this file; `tests/data/readings` holds what they print for seed 1.
//!
//! `XFJIT_READINGS=SEED` generates the figures afresh with that seed, which takes `python3`, and compares them as well.

mod figures;
mod kelvin;
mod lines;
mod nv40;
mod printed;
mod slots;

/// Fails with the first lines that differ, and how many do.
fn assert_none(name: &str, cases: usize, wrong: &[String]) {
    let shown = wrong.iter().take(10).map(String::as_str).collect::<Vec<_>>().join("\n");
    assert!(wrong.is_empty(), "{name}: {} of {cases} cases differ from the reading:\n{shown}", wrong.len());
}
