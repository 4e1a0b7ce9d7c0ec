//! The chips with an XF unit.

use super::{Family, Generation, Pipeline};

/// A list macro: one line per chip, in the order of their age.
macro_rules! chips {
    ($($chip:ident $name:literal $family:ident, $doc:literal;)*) => {
        /// A chip with an XF unit.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
        pub enum Chip { $(#[doc = $doc] $chip),* }

        impl Chip {
            /// Every chip, oldest first.
            pub const ALL: &[Chip] = &[$(Chip::$chip),*];

            /// The name, in lower case.
            pub const fn name(self) -> &'static str {
                match self { $(Chip::$chip => $name),* }
            }

            /// The chip that has this name.
            pub fn from_name(name: &str) -> Option<Chip> {
                match name { $($name => Some(Chip::$chip),)* _ => None }
            }

            /// The family that the chip belongs to.
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
    Nv40 "nv40" Curie, "The first one without LT. It runs programs of Rankine, too.";
    Nv41 "nv41" Curie, "Curie's programs alone, without XTRA; NV42 is taken for it.";
    Nv43 "nv43" Curie, "With a shorter XFCTX; so is every later one, and the PlayStation 3's RSX.";
}

impl Chip {
    /// The fixed function that the chip has, if it has one.
    pub const fn pipeline(self) -> Option<Pipeline> {
        match self {
            Chip::Nv10 => Some(Pipeline::NV10),
            Chip::Nv40 => Some(Pipeline::Curie),
            chip => chip.family().pipeline(),
        }
    }

    /// The layout of the chip's XFMODE, which is that of its fixed function. From NV40 on there is none: bundles of the pipeline hold
    /// the unit's switches (XF overview).
    pub const fn xfmode(self) -> Option<Pipeline> {
        match self.family() {
            Family::Curie => None,
            Family::Celsius | Family::Kelvin | Family::Rankine => self.pipeline(),
        }
    }

    /// Whether the chip runs programs of a generation. NV40 runs Rankine's programs in a compatibility mode, which NV41 lacks (XF
    /// overview). Rankine translates Kelvin's programs when they are loaded.
    pub fn runs(self, generation: Generation) -> bool {
        self.family().microcode() == Some(generation)
            || (self, generation) == (Chip::Nv40, Generation::Rankine)
    }

    /// Whether writing X of an attribute clears Y on Celsius (fixed_function.md 7: NV15 and later).
    pub const fn clears_y(self) -> bool {
        !matches!(self, Chip::Nv10)
    }

    /// Whether XFMODE's alternate attenuation of lights does something (XF overview: removed in version 6).
    pub(crate) const fn has_raw_attenuation(self) -> bool {
        !matches!(self, Chip::Nv34)
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
    fn nv40_alone_runs_programs_of_two_generations() {
        for &chip in Chip::ALL {
            let runs = Generation::ALL.iter().filter(|&&generation| chip.runs(generation)).count();
            let want = match chip {
                Chip::Nv40 => 2,
                chip => usize::from(chip.family() != Family::Celsius),
            };
            assert_eq!(runs, want, "{chip:?}");
        }
    }
}
