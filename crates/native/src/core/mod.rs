//! What both back ends stand on: a register allocator, what code promises of memory and registers, and who checks that it does.

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod address;
pub(super) mod alloc;
#[cfg(any(target_arch = "aarch64", feature = "cross"))]
mod arm;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod check;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod contract;
#[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), any(feature = "cross", feature = "wide")))]
pub(super) mod facts;
#[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), any(feature = "cross", feature = "wide")))]
pub(super) mod flow;
#[cfg(all(test, any(target_arch = "x86_64", target_arch = "aarch64")))]
mod made;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod places;
#[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), any(feature = "cross", feature = "wide")))]
pub(super) mod reads;
#[cfg(all(test, target_arch = "x86_64"))]
mod rewrite;
pub(super) mod shape;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod steps;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod value;
#[cfg(target_arch = "x86_64")]
mod x86;

/// For the test of the emitter's table.
#[cfg(all(test, any(target_arch = "aarch64", feature = "cross")))]
pub(super) mod arm_tests {
    pub(in super::super) use super::arm::tests::Known;
    pub(in super::super) use super::arm::tests::objdump::texts;
}
#[cfg(all(feature = "testing", any(target_arch = "aarch64", feature = "cross")))]
pub(super) use arm::texts as arm_texts;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) use check::{check, decodes};
#[cfg(target_arch = "x86_64")]
pub(super) use x86::make_tables;
