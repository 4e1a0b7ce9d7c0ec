//! The chips that have a fixed function.

use crate::isa::Generation;

/// Whose fixed function; NV25 and NV2A are as NV20, NV34 is as NV30 (fixed_function.md 5, 6).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Chip {
    /// Celsius, first revision.
    Nv10,
    /// Celsius, second revision.
    Nv15,
    /// Kelvin.
    Nv20,
    /// Rankine.
    Nv30,
}

/// What chips have in common.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Family {
    /// NV10, NV15.
    Celsius,
    /// NV20, NV25, NV2A.
    Kelvin,
    /// NV30, NV34.
    Rankine,
}

impl Family {
    /// Whose programs have the same attributes and output registers; Celsius, which has no programs, is given Kelvin's.
    pub const fn registers(self) -> Generation {
        match self {
            Family::Celsius | Family::Kelvin => Generation::Kelvin,
            Family::Rankine => Generation::Rankine,
        }
    }
}

impl Chip {
    /// Every chip.
    pub const ALL: [Chip; 4] = [Chip::Nv10, Chip::Nv15, Chip::Nv20, Chip::Nv30];

    /// Its family.
    pub const fn family(self) -> Family {
        match self {
            Chip::Nv10 | Chip::Nv15 => Family::Celsius,
            Chip::Nv20 => Family::Kelvin,
            Chip::Nv30 => Family::Rankine,
        }
    }

    /// Words of its XFMODE.
    pub const fn words(self) -> usize {
        match self.family() {
            Family::Celsius => 2,
            Family::Kelvin => 4,
            Family::Rankine => 7,
        }
    }

    /// Texture units.
    pub const fn units(self) -> usize {
        match self.family() {
            Family::Celsius => 2,
            Family::Kelvin => 4,
            Family::Rankine => 8,
        }
    }

    /// Its name, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Chip::Nv10 => "nv10",
            Chip::Nv15 => "nv15",
            Chip::Nv20 => "nv20",
            Chip::Nv30 => "nv30",
        }
    }

    /// The chip of a name: its own, that of a chip that is as it, or that of its family, which stands for the later
    /// revision.
    pub fn from_name(name: &str) -> Option<Chip> {
        match name {
            "celsius" => Some(Chip::Nv15),
            "kelvin" | "nv2a" | "nv25" => Some(Chip::Nv20),
            "rankine" | "nv34" | "nv35" => Some(Chip::Nv30),
            _ => Chip::ALL.into_iter().find(|chip| chip.name() == name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chips_that_are_alike_have_one_fixed_function() {
        for chip in Chip::ALL {
            assert_eq!(Chip::from_name(chip.name()), Some(chip));
        }
        assert_eq!(["nv2a", "nv25", "kelvin"].map(Chip::from_name), [Some(Chip::Nv20); 3]);
        assert_eq!(["nv34", "nv35", "rankine"].map(Chip::from_name), [Some(Chip::Nv30); 3]);
        assert_eq!(["nv40", "nv2", ""].map(Chip::from_name), [None; 3]);
    }
}
