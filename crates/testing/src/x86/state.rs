//! What code works on.

use super::cpu::Cpu;
use super::memory::Memory;

/// Registers and memory.
#[derive(Debug)]
pub struct State<'a> {
    /// Registers.
    pub cpu: &'a mut Cpu,
    /// Memory.
    pub memory: &'a mut Memory<'a>,
}
