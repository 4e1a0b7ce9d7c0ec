//! What both back ends stand on: a register allocator, what code promises of memory and registers, and who checks that it does.

#[cfg(target_arch = "x86_64")]
pub(super) mod address;
pub(super) mod alloc;
#[cfg(target_arch = "x86_64")]
pub(super) mod contract;
pub(super) mod note;
pub(super) mod shape;
#[cfg(target_arch = "x86_64")]
#[allow(
    clippy::wildcard_enum_match_arm,
    reason = "instructions and operations that are not listed are like most others"
)]
pub(super) mod value;
