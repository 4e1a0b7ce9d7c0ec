//! The registers of a processor.

use super::vector::Vector;
use iced_x86::Register;
use xfjit_runtime::fpenv::FpEnv;

/// What instructions read and write beside memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cpu {
    /// Registers of addresses and numbers: RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8 to R15.
    pub general: [u64; 16],
    /// Vector registers; shorter ones are the beginning of these.
    pub vectors: [Vector; 32],
    /// Registers of masks.
    pub masks: [u64; 8],
    /// The arithmetic flags, where RFLAGS has them.
    pub flags: u64,
    /// Rounding, and what becomes of denormals: the fields of MXCSR that code depends on.
    pub env: FpEnv,
    /// The address of the next instruction.
    pub next: u64,
}

impl Cpu {
    /// All registers 0.
    pub fn new(env: FpEnv) -> Self {
        Cpu { general: [0; 16], vectors: [Vector::ZERO; 32], masks: [0; 8], flags: 0, env, next: 0 }
    }

    /// With numbers in all registers that mean nothing, so that code does not find zeros where it has put none.
    pub(super) fn full(env: FpEnv) -> Self {
        let mut state = 0x9e37_79b9_7f4a_7c15u64;
        let mut junk = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        Cpu {
            general: std::array::from_fn(|_| junk()),
            vectors: std::array::from_fn(|_| Vector::of_quads(std::array::from_fn(|_| junk()))),
            masks: std::array::from_fn(|_| junk()),
            flags: 0,
            env,
            next: 0,
        }
    }

    /// What is in a register of addresses, or in the lower half or quarter of one.
    pub(super) fn general(&self, register: Register) -> Option<u64> {
        let value = |register: Register| self.general[register.number()];
        match register {
            register if register.is_gpr64() => Some(value(register)),
            register if register.is_gpr32() => Some(u64::from(value(register) as u32)),
            register if register.is_gpr16() => Some(u64::from(value(register) as u16)),
            _ => None,
        }
    }

    /// Writes a register of addresses, or the lower half of one, which has zeros above it then.
    pub(super) fn set_general(&mut self, register: Register, value: u64) -> Option<()> {
        let value = match register {
            register if register.is_gpr64() => value,
            register if register.is_gpr32() => u64::from(value as u32),
            _ => return None,
        };
        self.general[register.number()] = value;
        Some(())
    }
}
