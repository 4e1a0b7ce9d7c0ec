//! Dialects of Flipper: the choices of all its quirks under one name.

use super::quirks::{Depth, FlipperQuirks, HalfAngle, ProcessorQuirks, ToInteger};
use crate::chip::flipper::format::Component;

macro_rules! dialects {
    ($($(#[$doc:meta])* $name:ident = $text:literal;)*) => {
        /// The source to follow where sources about Flipper differ. All except `Spec` are Dolphin's, for comparison with it: its two kinds
        /// of loaders decode vertices differently. As a field of [`ProcessorQuirks`] it affects only vertices.
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
    /// The documented effect of registers (flipper.md 3.9): ByteDequant affects only the fractions of bytes, and matrix indices have six
    /// bits.
    #[default]
    Spec = "spec";
    /// Dolphin's software renderer. ByteDequant has no effect: fractions always apply.
    DolphinSw = "dolphin-sw";
    /// Dolphin's compiled loaders; the transform unit is as `Spec`. ByteDequant affects the fractions of bytes and shorts; matrix indices
    /// of texture coordinates have eight bits.
    DolphinJit = "dolphin-jit";
    /// Dolphin's software renderer with its default settings: its vertices are those of the compiled loaders.
    Dolphin = "dolphin";
}

impl Dialect {
    /// The dialect with this name.
    pub fn named(name: &str) -> Option<Dialect> {
        Dialect::ALL.into_iter().find(|dialect| dialect.name() == name)
    }

    /// Whether vertices are those of Dolphin's compiled loaders.
    pub const fn is_compiled(self) -> bool {
        matches!(self, Dialect::DolphinJit | Dialect::Dolphin)
    }

    /// The choices for its transform unit.
    pub const fn transform(self) -> FlipperQuirks {
        match self {
            Dialect::Spec | Dialect::DolphinJit => FlipperQuirks::SPEC,
            Dialect::DolphinSw | Dialect::Dolphin => FlipperQuirks::DOLPHIN_SW,
        }
    }

    /// The choices for its command processor.
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
