//! What both back ends stand on: a register allocator, what code promises of memory and registers, and who checks that it does.

#[cfg(target_arch = "x86_64")]
pub(super) mod address;
pub(super) mod alloc;
#[cfg(target_arch = "x86_64")]
pub(super) mod contract;
pub(super) mod shape;
