//! The floating-point environment: set for a batch or a compilation, and restored afterwards.
//!
//! Rounding, flushing and exception masks are the caller's property (MXCSR on x86-64, FPCR and FPSR on AArch64); code
//! that computes XF results must neither depend on them nor leave a trace in them, sticky flags included. That holds
//! for whatever folds literals, too, and for a code generator that weighs with floats: with exceptions unmasked, any of
//! its operations could end the process. So every entry that prepares or runs code sets its environment itself.
#![cfg_attr(
    any(target_arch = "x86_64", target_arch = "aarch64"),
    expect(unsafe_code, reason = "control registers can only be reached by machine instructions")
)]

/// An environment that arithmetic needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FpEnv {
    /// Round to nearest even, denormals kept, exceptions masked: what Rust assumes, and the model `ieee`.
    Default,
    /// Round toward zero, denormal results and operands are zero, exceptions masked: the model `hw`
    /// (kelvin.md 4.3).
    Truncate,
}

impl FpEnv {
    /// Runs `body` in this environment; the caller's is back when it returns or panics.
    #[inline]
    pub fn within<R>(self, body: impl FnOnce() -> R) -> R {
        let _guard = FpGuard::enter(self);
        apart(body)
    }
}

/// A call of its own: the compiler takes float operations for free of side effects, and may move them across what sets
/// the environment, but not out of a function.
#[inline(never)]
fn apart<R>(body: impl FnOnce() -> R) -> R {
    body()
}

/// Holds the caller's environment while another one is set; dropping it puts the caller's back.
#[derive(Debug)]
pub struct FpGuard {
    saved: host::State,
    set: host::State,
}

impl FpGuard {
    /// Saves the current environment and sets `env`, unless it is set. Sticky flags, on which nothing depends, stay as they are: to read
    /// the register after one of them has changed takes as long as a hundred operations.
    #[inline]
    pub fn enter(env: FpEnv) -> Self {
        let saved = host::read();
        let set = host::state_for(env, saved);
        if set != saved {
            host::write(set);
        }
        FpGuard { saved, set }
    }

    /// Runs `body` in another environment, then sets this guard's again.
    #[inline]
    pub fn suspend<R>(&self, env: FpEnv, body: impl FnOnce() -> R) -> R {
        let other = host::state_for(env, self.saved);
        if other == self.set {
            return apart(body);
        }
        host::write(other);
        let result = apart(body);
        host::write(self.set);
        result
    }
}

impl Drop for FpGuard {
    /// Where a flag has probably been raised, the register is not read before it is written.
    #[inline]
    fn drop(&mut self) {
        if self.set != self.saved || !host::is_inexact(self.saved) || host::read() != self.saved {
            host::write(self.saved);
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod host {
    //! MXCSR: flags in bits 0..5, DAZ 6, masks 7..12, rounding 13..14, FTZ 15.
    use super::FpEnv;
    use std::arch::asm;

    pub(super) type State = u32;

    /// The state of an environment, with the flags of another state.
    #[inline]
    pub(super) const fn state_for(env: FpEnv, flags: State) -> State {
        let control = match env {
            FpEnv::Default => 0x1f80,
            FpEnv::Truncate => 0x1f80 | 3 << 13 | 1 << 15 | 1 << 6,
        };
        control | flags & 0x3f
    }

    /// Whether the flag is raised that most operations raise.
    #[inline]
    pub(super) fn is_inexact(state: State) -> bool {
        state & 0x20 != 0
    }

    #[inline]
    pub(super) fn read() -> State {
        let mut state = 0u32;
        // SAFETY: stores MXCSR into a live local.
        unsafe { asm!("stmxcsr [{}]", in(reg) &mut state, options(nostack, preserves_flags)) };
        state
    }

    #[inline]
    pub(super) fn write(state: State) {
        // SAFETY: every value written is one of `state_for` (no reserved bits) or one read from MXCSR before; the
        // guard restores the caller's value before any code that relies on it runs.
        unsafe { asm!("ldmxcsr [{}]", in(reg) &state, options(nostack, preserves_flags)) };
    }
}

/// AArch64's register of an environment, known on every host: code for it is tested from others.
pub mod aarch64 {
    use super::FpEnv;

    /// FPCR: RMode in bits 22 and 23 (3 = toward zero), FZ 24; trap enables (8 to 12 and 15), DN (25) and all others
    /// are clear.
    pub const fn fpcr(env: FpEnv) -> u64 {
        match env {
            FpEnv::Default => 0,
            FpEnv::Truncate => 1 << 24 | 3 << 22,
        }
    }
}

#[cfg(target_arch = "aarch64")]
mod host {
    //! FPCR ([`super::aarch64`]); FPSR: cumulative flags.
    use super::FpEnv;
    use std::arch::asm;

    /// FPCR and FPSR.
    pub(super) type State = (u64, u64);

    /// The state of an environment, with the flags of another state.
    #[inline]
    pub(super) const fn state_for(env: FpEnv, (_, flags): State) -> State {
        (super::aarch64::fpcr(env), flags)
    }

    /// Whether the flag is raised that most operations raise.
    #[inline]
    pub(super) fn is_inexact((_, flags): State) -> bool {
        flags & 1 << 4 != 0
    }

    #[inline]
    pub(super) fn read() -> State {
        let (control, status): (u64, u64);
        // SAFETY: reads two system registers that user code may read.
        unsafe {
            asm!("mrs {}, fpcr", "mrs {}, fpsr", out(reg) control, out(reg) status, options(nostack, nomem))
        };
        (control, status)
    }

    #[inline]
    pub(super) fn write(state: State) {
        // SAFETY: every value written is one of `state_for` or one read before; the guard restores the caller's
        // value before any code that relies on it runs.
        unsafe { asm!("msr fpcr, {}", "msr fpsr, {}", in(reg) state.0, in(reg) state.1, options(nostack)) };
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod host {
    //! No native code on this host: the environment stays as it is.
    use super::FpEnv;

    pub(super) type State = ();

    pub(super) const fn state_for(_: FpEnv, (): State) -> State {}

    pub(super) fn is_inexact((): State) -> bool {
        true
    }

    pub(super) fn read() -> State {}

    pub(super) fn write((): State) {}
}
