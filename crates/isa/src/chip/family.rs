//! The four families of the unit, and what several of them share: microcode and the fixed function.

use super::{Chip, Sizes};

/// A family of chips whose XF units have the same commands and memories, oldest first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Family {
    /// Fixed function only.
    Celsius,
    /// Fixed function and programs.
    Kelvin,
    /// Fixed function and programs with branches.
    Rankine,
    /// Programs only, except for its first chip.
    Curie,
}

/// A generation of microcode: a family that runs programs, oldest first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, PartialOrd, Ord)]
pub enum Generation {
    /// NV20, NV25 and the Xbox's NV2A.
    #[default]
    Kelvin,
    /// NV30 and NV35.
    Rankine,
    /// NV40 and the PlayStation 3's RSX.
    Curie,
}

/// A version of the fixed function. NV25 and NV2A have NV20's, and NV34 has NV30's (fixed_function.md 5, 6).
/// In the family Curie, only NV40 has one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Pipeline {
    /// NV10, NV15 and later.
    Celsius(Revision),
    /// NV20, NV25, NV2A.
    Kelvin,
    /// NV30, NV34, NV35.
    Rankine,
    /// NV40: Rankine's fixed function. XF computes all of it, because NV40 has no LT (XF overview). UNKNOWN:
    /// how; docs/isa/fixed.md names each choice.
    Curie,
}

/// The unit that lights vertices, which also decides the number format.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Lights {
    /// LT, which has numbers of 22 bits and its own memories.
    Lt,
    /// XF, with the same numbers as for transforms. Rows of XFCTX hold what LT's memories held.
    Xf,
}

/// A revision of Celsius.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Revision {
    /// NV10.
    First,
    /// NV15, and every later one.
    Second,
}

impl Family {
    /// Every family, oldest first.
    pub const ALL: &[Family] = &[Family::Celsius, Family::Kelvin, Family::Rankine, Family::Curie];

    /// The name, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Family::Celsius => "celsius",
            Family::Kelvin => "kelvin",
            Family::Rankine => "rankine",
            Family::Curie => "curie",
        }
    }

    /// The family that has this name.
    pub fn from_name(name: &str) -> Option<Family> {
        Family::ALL.iter().copied().find(|family| family.name() == name)
    }

    /// The generation of microcode that the family runs; none for Celsius.
    pub const fn microcode(self) -> Option<Generation> {
        match self {
            Family::Celsius => None,
            Family::Kelvin => Some(Generation::Kelvin),
            Family::Rankine => Some(Generation::Rankine),
            Family::Curie => Some(Generation::Curie),
        }
    }

    /// The fixed function that the family has; if there are several revisions, the last one.
    pub const fn pipeline(self) -> Option<Pipeline> {
        match self {
            Family::Celsius => Some(Pipeline::NV15),
            Family::Kelvin => Some(Pipeline::Kelvin),
            Family::Rankine => Some(Pipeline::Rankine),
            Family::Curie => None,
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

impl Generation {
    /// Every generation, oldest first.
    pub const ALL: &[Generation] = &[Generation::Kelvin, Generation::Rankine, Generation::Curie];

    /// The family that it belongs to.
    pub const fn family(self) -> Family {
        match self {
            Generation::Kelvin => Family::Kelvin,
            Generation::Rankine => Family::Rankine,
            Generation::Curie => Family::Curie,
        }
    }

    /// The name, in lower case. It is the family's name.
    pub const fn name(self) -> &'static str {
        self.family().name()
    }

    /// The generation that has this name.
    pub fn from_name(name: &str) -> Option<Generation> {
        Family::from_name(name)?.microcode()
    }

    /// The sizes that its words can address: those of its first chip, because no later chip has more.
    const fn sizes(self) -> Sizes {
        match self {
            Generation::Kelvin => Chip::Nv20,
            Generation::Rankine => Chip::Nv30,
            Generation::Curie => Chip::Nv40,
        }
        .sizes()
    }

    /// Instruction slots of XFPR.
    pub const fn slots(self) -> usize {
        self.sizes().xfpr
    }

    /// Rows of XFCTX. Some chips have fewer ([`Chip::sizes`]).
    pub const fn constants(self) -> usize {
        self.sizes().xfctx
    }

    /// Temporary registers, without Kelvin's read-back of oPos.
    pub const fn temps(self) -> usize {
        self.sizes().temps
    }

    /// Vertex attributes.
    pub const fn inputs(self) -> usize {
        self.sizes().attributes
    }

    /// Output registers.
    pub const fn outputs(self) -> usize {
        self.sizes().outputs
    }
}

impl Pipeline {
    /// The first revision of Celsius.
    pub const NV10: Pipeline = Pipeline::Celsius(Revision::First);
    /// The second revision of Celsius.
    pub const NV15: Pipeline = Pipeline::Celsius(Revision::Second);
    /// Every fixed function, oldest first.
    pub const ALL: [Pipeline; 5] =
        [Pipeline::NV10, Pipeline::NV15, Pipeline::Kelvin, Pipeline::Rankine, Pipeline::Curie];

    /// The family that it belongs to.
    pub const fn family(self) -> Family {
        match self {
            Pipeline::Celsius(_) => Family::Celsius,
            Pipeline::Kelvin => Family::Kelvin,
            Pipeline::Rankine => Family::Rankine,
            Pipeline::Curie => Family::Curie,
        }
    }

    /// The unit that lights vertices. NV40 has no LT, and computes the whole fixed function in XF (XF
    /// overview).
    pub const fn lights(self) -> Lights {
        match self {
            Pipeline::Celsius(_) | Pipeline::Kelvin | Pipeline::Rankine => Lights::Lt,
            Pipeline::Curie => Lights::Xf,
        }
    }

    /// The generation whose programs have the same attributes and output registers. Celsius has no programs, and gets
    /// Kelvin's. UNKNOWN: NV40's registers; here they are Rankine's, as for the Rankine programs that it runs.
    pub const fn registers(self) -> Generation {
        match self {
            Pipeline::Celsius(_) | Pipeline::Kelvin => Generation::Kelvin,
            Pipeline::Rankine | Pipeline::Curie => Generation::Rankine,
        }
    }

    /// The first chip that has this fixed function.
    pub const fn first(self) -> Chip {
        match self {
            Pipeline::NV10 => Chip::Nv10,
            Pipeline::NV15 => Chip::Nv15,
            Pipeline::Kelvin => Chip::Nv20,
            Pipeline::Rankine => Chip::Nv30,
            Pipeline::Curie => Chip::Nv40,
        }
    }

    /// The sizes of its memories: those of the chip that has the most, which for Kelvin is NV25. On NV40 they are parts of XFCTX
    /// that are as large as Rankine's memories ([`memory`](super::memory)).
    pub const fn sizes(self) -> Sizes {
        match self {
            Pipeline::Kelvin => Chip::Nv25,
            Pipeline::Celsius(_) | Pipeline::Rankine => self.first(),
            Pipeline::Curie => Chip::Nv30,
        }
        .sizes()
    }

    /// How many words its XFMODE has.
    pub const fn words(self) -> usize {
        match self {
            Pipeline::Celsius(_) => 2,
            Pipeline::Kelvin => 4,
            Pipeline::Rankine | Pipeline::Curie => 7,
        }
    }

    /// How many texture units it has.
    pub const fn units(self) -> usize {
        match self {
            Pipeline::Celsius(_) => 2,
            Pipeline::Kelvin => 4,
            Pipeline::Rankine | Pipeline::Curie => 8,
        }
    }

    /// Its name, which is the name of the first chip that has it.
    pub const fn name(self) -> &'static str {
        self.first().name()
    }

    /// The fixed function of the chip or family that has this name. For a family, this is its last revision.
    pub fn from_name(name: &str) -> Option<Pipeline> {
        match Chip::from_name(name) {
            Some(chip) => chip.pipeline(),
            None => Family::from_name(name)?.pipeline(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_generation_is_a_family_with_microcode() {
        let generations: Vec<_> = Family::ALL.iter().filter_map(|family| family.microcode()).collect();
        assert_eq!(generations, Generation::ALL);
        for &generation in Generation::ALL {
            assert_eq!(generation.family().microcode(), Some(generation));
            assert_eq!(Generation::from_name(generation.name()), Some(generation));
        }
        assert_eq!(["celsius", "nv20", ""].map(Generation::from_name), [None; 3]);
    }

    #[test]
    fn chips_that_are_alike_have_one_fixed_function() {
        for pipeline in Pipeline::ALL {
            assert_eq!(Pipeline::from_name(pipeline.name()), Some(pipeline));
            assert_eq!(pipeline.first().pipeline(), Some(pipeline));
        }
        assert_eq!(Pipeline::from_name("celsius"), Some(Pipeline::NV15));
        assert_eq!(["nv2a", "nv25", "kelvin"].map(Pipeline::from_name), [Some(Pipeline::Kelvin); 3]);
        assert_eq!(["nv34", "nv35", "rankine"].map(Pipeline::from_name), [Some(Pipeline::Rankine); 3]);
        assert_eq!(["nv41", "curie", "nv2", ""].map(Pipeline::from_name), [None; 4]);
        assert_eq!(Pipeline::from_name("nv40"), Some(Pipeline::Curie));
    }

    #[test]
    fn chips_from_nv41_on_have_no_fixed_function() {
        assert_eq!((Chip::Nv43.pipeline(), Pipeline::from_name("nv43")), (None, None));
        let is_behind = |chip: &&Chip| **chip >= Chip::Nv41;
        assert!(Chip::ALL.iter().filter(is_behind).all(|chip| chip.pipeline().is_none()));
    }

    #[test]
    fn no_chip_has_more_than_its_generation_or_its_pipeline_says() {
        for &chip in Chip::ALL {
            let sizes = chip.sizes();
            if let Some(generation) = chip.family().microcode() {
                assert_eq!(sizes.xfpr, generation.slots(), "{chip:?}");
                assert!(sizes.xfctx <= generation.constants(), "{chip:?}");
            }
            if let Some(pipeline) = chip.xfmode() {
                let most = pipeline.sizes();
                assert_eq!(
                    (sizes.xfctx, sizes.ltc, sizes.mode),
                    (most.xfctx, most.ltc, most.mode),
                    "{chip:?}"
                );
                assert!(sizes.ltctx <= most.ltctx, "{chip:?}");
            }
        }
    }
}
