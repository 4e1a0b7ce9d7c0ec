//! What sources of Flipper's command processor do not agree about, by name. The default is the first of each.

use crate::chip::flipper::format::Component;
use crate::chip::flipper::opcode::Decoding;

/// Whose decoding of vertices. They differ where emulators do; all but `Spec` are those of Dolphin's two loaders, for comparing
/// with it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Dialect {
    /// What registers are documented to do (flipper.md 3.9): ByteDequant decides about the fractions of bytes alone, matrix
    /// indices have six bits.
    #[default]
    Spec,
    /// ByteDequant does not count: fractions always do.
    DolphinSw,
    /// ByteDequant decides about fractions of bytes and shorts; matrix indices of texture coordinates have eight bits.
    DolphinJit,
}

impl Dialect {
    /// Every one.
    pub const ALL: [Dialect; 3] = [Dialect::Spec, Dialect::DolphinSw, Dialect::DolphinJit];

    /// The name in texts.
    pub const fn name(self) -> &'static str {
        ["spec", "dolphin-sw", "dolphin-jit"][self as usize]
    }

    /// The one of this name.
    pub fn named(name: &str) -> Option<Dialect> {
        Dialect::ALL.into_iter().find(|dialect| dialect.name() == name)
    }

    /// Bits of fraction of a position or a texture coordinate, of what the table of formats says.
    pub const fn shift(self, component: Component, shift: u32, byte_dequant: bool) -> u32 {
        let counts = match (component, self) {
            (Component::F32, _) => false,
            (_, Dialect::DolphinSw) | (Component::U16 | Component::S16, Dialect::Spec) => true,
            (_, Dialect::DolphinJit | Dialect::Spec) => byte_dequant,
        };
        if counts { shift } else { 0 }
    }

    /// The bits of a matrix index that count: of the position (0), or of a texture coordinate.
    pub const fn matrix_mask(self, number: usize) -> u8 {
        match self {
            Dialect::DolphinJit if number > 0 => 0xff,
            Dialect::Spec | Dialect::DolphinSw | Dialect::DolphinJit => 0x3f,
        }
    }
}

/// When a ring's pointer returns to its beginning.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Ring {
    /// Behind the block at the top, which is used: what the console's own library counts on.
    #[default]
    Inclusive,
    /// As it reaches the top, where no block is.
    Exclusive,
}

/// What holds an interrupt of the command processor up.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Interrupt {
    /// That its cause lasts.
    #[default]
    Level,
    /// That it was raised while enabled: an overflow or underflow until it is cleared, a break until it is disabled.
    Latched,
}

/// What clears the flag that the write pointer of the processor's interface has come round.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Wrap {
    /// The next block.
    #[default]
    NextBlock,
    /// A write of the pointer.
    PointerWrite,
}

/// Whether watermarks stop the reader.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Watermarks {
    /// Never: what counts on them is software.
    #[default]
    Signal,
    /// While an interrupt of theirs is up.
    Stop,
}

/// A hypothesis for each of them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Quirks {
    /// Vertices.
    pub dialect: Dialect,
    /// Commands (UNKNOWN: emulators that run games take exact bytes, other documents the upper bits).
    pub decoding: Decoding,
    /// Pointers (UNKNOWN, as documents have the other one).
    pub ring: Ring,
    /// Interrupts (UNKNOWN).
    pub interrupt: Interrupt,
    /// WRAP (UNKNOWN).
    pub wrap: Wrap,
    /// The reader (UNKNOWN).
    pub watermarks: Watermarks,
}

impl Default for Quirks {
    fn default() -> Quirks {
        Quirks {
            dialect: Dialect::Spec,
            decoding: Decoding::Exact,
            ring: Ring::Inclusive,
            interrupt: Interrupt::Level,
            wrap: Wrap::NextBlock,
            watermarks: Watermarks::Signal,
        }
    }
}
