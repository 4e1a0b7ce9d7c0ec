//! Whose Flipper: the choices of all its quirks by one name.

use super::quirks::{Depth, FlipperQuirks, HalfAngle, ProcessorQuirks, ToInteger};
use crate::chip::flipper::format::Component;

macro_rules! dialects {
    ($($(#[$doc:meta])* $name:ident = $text:literal;)*) => {
        /// Whose reading of Flipper where sources differ. All but `Spec` are Dolphin's, for comparing with it: its two kinds of loaders decode
        /// vertices differently. As a field of [`ProcessorQuirks`] it decides about vertices alone.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
        pub enum Dialect {
            $($(#[$doc])* $name,)*
        }

        impl Dialect {
            /// Every one.
            pub const ALL: [Dialect; [$($text),*].len()] = [$(Dialect::$name),*];

            /// The name in texts.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Dialect::$name => $text,)*
                }
            }
        }
    };
}

dialects! {
    /// What registers are documented to do (flipper.md 3.9): ByteDequant decides about the fractions of bytes alone, matrix
    /// indices have six bits.
    #[default]
    Spec = "spec";
    /// Dolphin's software renderer. ByteDequant does not count: fractions always do.
    DolphinSw = "dolphin-sw";
    /// Dolphin's compiled loaders; the transform unit is as `Spec`. ByteDequant decides about fractions of bytes and shorts; matrix
    /// indices of texture coordinates have eight bits.
    DolphinJit = "dolphin-jit";
    /// Dolphin's software renderer as it is by default: its vertices are those of the compiled loaders.
    Dolphin = "dolphin";
}

impl Dialect {
    /// The one of this name.
    pub fn named(name: &str) -> Option<Dialect> {
        Dialect::ALL.into_iter().find(|dialect| dialect.name() == name)
    }

    /// Whether vertices are those of Dolphin's compiled loaders.
    pub const fn is_compiled(self) -> bool {
        matches!(self, Dialect::DolphinJit | Dialect::Dolphin)
    }

    /// What its transform unit computes.
    pub const fn transform(self) -> FlipperQuirks {
        match self {
            Dialect::Spec | Dialect::DolphinJit => FlipperQuirks::SPEC,
            Dialect::DolphinSw | Dialect::Dolphin => FlipperQuirks::DOLPHIN_SW,
        }
    }

    /// How its command processor behaves.
    pub const fn processor(self) -> ProcessorQuirks {
        ProcessorQuirks { dialect: self, ..ProcessorQuirks::SPEC }
    }

    /// Bits of fraction of a position or a texture coordinate, of what the table of formats says.
    pub const fn shift(self, component: Component, shift: u32, byte_dequant: bool) -> u32 {
        let counts = match (component, self) {
            (Component::F32, _) => false,
            (_, Dialect::DolphinSw) | (Component::U16 | Component::S16, Dialect::Spec) => true,
            (_, Dialect::Spec | Dialect::DolphinJit | Dialect::Dolphin) => byte_dequant,
        };
        if counts { shift } else { 0 }
    }

    /// The bits of a matrix index that count: of the position (0), or of a texture coordinate.
    pub const fn matrix_mask(self, number: usize) -> u8 {
        if self.is_compiled() && number > 0 { 0xff } else { 0x3f }
    }
}

impl FlipperQuirks {
    /// What Dolphin's software renderer computes.
    pub const DOLPHIN_SW: FlipperQuirks = FlipperQuirks {
        depth: Depth::Lessened,
        half_angle: HalfAngle::Normalised,
        to_integer: ToInteger::X86,
        ..FlipperQuirks::SPEC
    };
}
