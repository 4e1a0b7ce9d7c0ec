//! How much of what there is a test runs: all of it, or a share where processors are emulated.

/// Of so many cases one is run: what `XFJIT_ONE_IN` says, or 1.
///
/// # Panics
/// If the variable is not a number above zero.
pub fn one_in() -> u64 {
    let Some(text) = std::env::var_os("XFJIT_ONE_IN") else { return 1 };
    let number = text.to_str().and_then(|text| text.parse().ok()).filter(|&number| number > 0);
    number.unwrap_or_else(|| panic!("XFJIT_ONE_IN is no number above zero: {}", text.display()))
}

/// The share of so many cases.
pub fn share(cases: u64) -> u64 {
    cases.div_ceil(one_in())
}

/// Whether the case of a number belongs to the share of a name. Names of a test that runs the same cases on many backends have shares of their
/// own, so that together they run more of them.
pub fn is_in_share(name: &str, number: u64) -> bool {
    let sum: u64 = name.bytes().map(u64::from).sum();
    (sum + number).is_multiple_of(one_in())
}
