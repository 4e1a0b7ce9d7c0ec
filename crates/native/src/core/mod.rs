//! What both back ends stand on: a register allocator, what code promises of memory and registers, and who checks that it does.

#[cfg(target_arch = "x86_64")]
mod address;
pub(super) mod alloc;
#[cfg(target_arch = "x86_64")]
mod check;
#[cfg(target_arch = "x86_64")]
mod contract;
#[cfg(target_arch = "x86_64")]
mod decode;
#[cfg(target_arch = "x86_64")]
mod places;
#[cfg(all(test, target_arch = "x86_64"))]
mod rewrite;
pub(super) mod shape;
#[cfg(target_arch = "x86_64")]
mod value;

#[cfg(target_arch = "x86_64")]
pub(super) use check::check;
