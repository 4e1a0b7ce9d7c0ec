//! Which chip a unit is of, and how large its memories are.

use crate::front::fixed;
use crate::isa::Generation;

/// A family of chips whose XF units have the same commands and memories.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Family {
    /// Fixed function only.
    Celsius,
    /// Fixed function and programs.
    Kelvin,
    /// Fixed function and programs with branches.
    Rankine,
    /// Programs only.
    Curie,
}

impl Family {
    /// Whose microcode it runs.
    pub const fn microcode(self) -> Option<Generation> {
        match self {
            Family::Celsius => None,
            Family::Kelvin => Some(Generation::Kelvin),
            Family::Rankine => Some(Generation::Rankine),
            Family::Curie => Some(Generation::Curie),
        }
    }

    /// Bits of a command's address that select the vector (fixed_function.md 7).
    pub const fn slot_bits(self) -> u32 {
        match self {
            Family::Celsius => 6,
            Family::Kelvin => 8,
            Family::Rankine => 9,
            Family::Curie => 10,
        }
    }
}

/// A list macro: one line per chip, in the order of their age.
macro_rules! chips {
    ($($chip:ident $name:literal $family:ident, $doc:literal;)*) => {
        /// A chip with an XF unit.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Chip { $(#[doc = $doc] $chip),* }

        impl Chip {
            /// Every chip, oldest first.
            pub const ALL: &[Chip] = &[$(Chip::$chip),*];

            /// The name, in lower case.
            pub const fn name(self) -> &'static str {
                match self { $(Chip::$chip => $name),* }
            }

            /// The chip of a name.
            pub fn from_name(name: &str) -> Option<Chip> {
                match name { $($name => Some(Chip::$chip),)* _ => None }
            }

            /// Its family.
            pub const fn family(self) -> Family {
                match self { $(Chip::$chip => Family::$family),* }
            }
        }
    };
}

chips! {
    // chip name  family
    Nv10 "nv10" Celsius, "The first one.";
    Nv15 "nv15" Celsius, "Its bugfix version; all later Celsius chips are taken for it.";
    Nv20 "nv20" Kelvin, "The first one with programs.";
    Nv2a "nv2a" Kelvin, "The Xbox's; taken for NV20 in everything.";
    Nv25 "nv25" Kelvin, "Two units; LTCTX is split into two memories.";
    Nv30 "nv30" Rankine, "The first one with branches.";
    Nv35 "nv35" Rankine, "Taken for NV30.";
    Nv34 "nv34" Rankine, "Without the alternate attenuation of lights.";
    Nv40 "nv40" Curie, "The first one without fixed function; NV41 and NV42 are taken for it, without XTRA.";
    Nv43 "nv43" Curie, "With a shorter XFCTX; so is every later one, and the PlayStation 3's RSX.";
}

/// Slots of a chip's memories; 0 where it has no such memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sizes {
    /// Vertex attributes in VAB; the passthrough slot comes behind them.
    pub attributes: usize,
    /// Vectors of XFMODE.
    pub mode: usize,
    /// Instructions of XFPR.
    pub xfpr: usize,
    /// Rows of XFCTX.
    pub xfctx: usize,
    /// Rows of LTCTX.
    pub ltctx: usize,
    /// Words of LTC0 to LTC3.
    pub ltc: [usize; 4],
    /// Vectors of XTRA.
    pub xtra: usize,
}

impl Chip {
    /// Whose fixed function it has.
    pub const fn fixed(self) -> Option<fixed::Chip> {
        match self {
            Chip::Nv10 => Some(fixed::Chip::Nv10),
            Chip::Nv15 => Some(fixed::Chip::Nv15),
            Chip::Nv20 | Chip::Nv2a | Chip::Nv25 => Some(fixed::Chip::Nv20),
            Chip::Nv30 | Chip::Nv34 | Chip::Nv35 => Some(fixed::Chip::Nv30),
            Chip::Nv40 | Chip::Nv43 => None,
        }
    }

    /// The sizes of its memories (fixed_function.md 2.1, 5.3, 6 and 7; rankine_curie.md 3).
    pub const fn sizes(self) -> Sizes {
        match self {
            Chip::Nv10 | Chip::Nv15 => Sizes {
                attributes: 7,
                mode: 1,
                xfpr: 0,
                xfctx: 0x3c,
                ltctx: 0x30,
                ltc: [0x3, 0x13, 0xc, 0xc],
                xtra: 0,
            },
            Chip::Nv20 | Chip::Nv2a => Sizes {
                attributes: 16,
                mode: 1,
                xfpr: 0x88,
                xfctx: 0xc0,
                ltctx: 0x4a,
                ltc: [0x4, 0x14, 0xf, 0xe],
                xtra: 0,
            },
            Chip::Nv25 => Sizes { ltctx: 0x4c, ..Chip::Nv20.sizes() },
            Chip::Nv30 | Chip::Nv34 | Chip::Nv35 => Sizes {
                attributes: 16,
                mode: 2,
                xfpr: 0x118,
                xfctx: 0x19c,
                ltctx: 0x38,
                ltc: [0, 0x15, 0xd, 0xf],
                xtra: 3,
            },
            // UNKNOWN: from NV41 on there is no XTRA command; a write to it sets the timeout here, as on NV40.
            Chip::Nv40 => {
                Sizes { attributes: 16, mode: 0, xfpr: 0x220, xfctx: 0x220, ltctx: 0, ltc: [0; 4], xtra: 3 }
            }
            Chip::Nv43 => Sizes { xfctx: 0x1d4, ..Chip::Nv40.sizes() },
        }
    }

    /// Whether writing X of an attribute clears Y on Celsius (fixed_function.md 7: NV15 and later).
    pub(super) const fn clears_y(self) -> bool {
        !matches!(self, Chip::Nv10)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_chip_is_found_by_its_name() {
        for &chip in Chip::ALL {
            assert_eq!(Chip::from_name(chip.name()), Some(chip));
        }
        assert_eq!(Chip::from_name("nv1"), None);
    }

    #[test]
    fn memories_of_programs_are_as_large_as_their_instruction_set_says() {
        for &chip in Chip::ALL {
            let Some(generation) = chip.family().microcode() else { continue };
            assert_eq!(chip.sizes().xfpr, generation.slots(), "{chip:?}");
            assert!(chip.sizes().xfctx <= generation.constants(), "{chip:?}");
        }
    }

    #[test]
    fn every_slot_has_an_address() {
        for &chip in Chip::ALL {
            let sizes = chip.sizes();
            let slots = [sizes.attributes + 1, sizes.mode, sizes.xfpr, sizes.xfctx, sizes.ltctx, sizes.xtra];
            let largest = slots.into_iter().chain(sizes.ltc).max();
            assert!(largest <= Some(1 << chip.family().slot_bits()), "{chip:?}");
        }
    }
}
