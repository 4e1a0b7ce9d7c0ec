//! What both back ends stand on.

pub(super) mod note;
#[cfg(all(target_arch = "x86_64", any(feature = "checks", feature = "wide")))]
#[allow(
    clippy::wildcard_enum_match_arm,
    reason = "instructions and operations that are not listed are like most others"
)]
pub(super) mod value;
