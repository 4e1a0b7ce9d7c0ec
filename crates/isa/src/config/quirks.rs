//! What nobody has verified on silicon: each choice has a name, and so have the hypotheses that it chooses from.
//!
//! `quirks!` is the one table of them. A row is all that configurations, test files, the command line, the key of
//! compiled code and random cases need to know of a quirk; what it does stands in `src/front/micro.rs` and, a second
//! time, in `src/interp/`.

use crate::isa::{BranchTest, Generation, Insn, PairedScalar, Unit};

/// Which unit's write stays where both units of one instruction write the same component (UNKNOWN on silicon:
/// kelvin.md 2, R1; rankine_curie.md 8.2).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum WriteOrder {
    /// Both write; the scalar unit wins where the masks meet.
    ScalarWins,
    /// Both write; the vector unit wins where the masks meet.
    VectorWins,
    /// Where both write the same temporary, the vector unit's write is dropped; elsewhere the scalar unit wins.
    VectorDropped,
}

impl WriteOrder {
    /// The units in the order in which they write.
    pub(crate) const fn units(self) -> [Unit; 2] {
        match self {
            WriteOrder::VectorWins => [Unit::Sca, Unit::Vec],
            WriteOrder::ScalarWins | WriteOrder::VectorDropped => [Unit::Vec, Unit::Sca],
        }
    }

    /// Whether a unit's write to a temporary is dropped.
    pub(crate) fn drops(self, insn: &Insn, unit: Unit) -> bool {
        self == WriteOrder::VectorDropped
            && unit == Unit::Vec
            && !insn.sca_dst.mask.is_empty()
            && insn.sca_dst.reg == insn.vec_dst.reg
    }
}

/// What a masked write to oFog leaves in its x component, which is the fog value (kelvin.md 3).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum FogWrite {
    /// The result's x, whatever the mask, unless it is empty: what captures of the console show.
    AnyComponent,
    /// Like any register: x only if the mask names it.
    Masked,
}

/// What is added to the operand of ARL before the floor (kelvin.md 2, ARL); ARR takes its operand as it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum AddressBias {
    /// Nothing: the chip.
    None,
    /// 0.001: what several emulators do to make up for host rounding; wrong for some programs.
    Milli,
}

/// What END does on a branch that is taken (rankine_curie.md 2.5; UNKNOWN on silicon, 8.2).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum EndOnBranch {
    /// The branch is taken: what the GL specification says.
    Continues,
    /// The program ends after the instruction: the branch does nothing, a call pushes nothing.
    Ends,
}

/// Where BRA and CAL with a register operand go (SCA 0x08 and 0x0a; UNKNOWN on silicon, rankine_curie.md 8.3). The
/// register is read before the instruction writes any.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Indirect {
    /// To the entry of [`Config::branch_table`](super::Config::branch_table) that the address register names, clamped
    /// to 0..=15.
    Table,
    /// To the slot that the address register names; a negative one ends the program like a slot past the end.
    Slot,
}

/// What ARL (after [`AddressBias`]) and ARR make of NaN (UNKNOWN on silicon, rankine_curie.md 8.5). Infinities
/// saturate.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum AddressNan {
    /// 0.
    Zero,
    /// The least address, as conversions of most hosts have it.
    Least,
}

/// What saturate makes of NaN (UNKNOWN on silicon, rankine_curie.md 8.1). Addresses are not saturated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum SaturateNan {
    /// It passes: the pseudo-code of the GL specification.
    Passes,
    /// +0.
    Zero,
}

/// What an indexed read of constants outside the rows that may be read gives (UNKNOWN, rankine_curie.md 8.4).
///
/// Indexed inputs and outputs have no choice. UNKNOWN: the specification leaves them undefined (rankine_curie.md 2.4);
/// here an input register that does not exist reads (0, 0, 0, 0), and a write to an output register that does not
/// exist is dropped.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum OutOfRange {
    /// (0, 0, 0, 0): what the GL specification says.
    Zero,
    /// The row number wraps at 512 (Rankine) or 1024 (Curie); a row that does not exist or may not be read is 0.
    Wraps,
}

/// One of [`Quirks`] as a row of the table: its name, its hypotheses, and whose programs it can matter to.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Quirk {
    /// The name of the field, which is that of the option.
    pub name: &'static str,
    /// Whose programs it can change.
    pub generations: &'static [Generation],
    /// The names of its hypotheses; the default comes first.
    pub values: &'static [&'static str],
    /// How often random cases have each of them.
    pub weights: &'static [u32],
    /// Chooses the hypothesis of this name; whether there is one.
    pub set: fn(&mut Quirks, &str) -> bool,
    /// The name of the hypothesis that is chosen.
    pub get: fn(&Quirks) -> &'static str,
}

/// The table. A row is the field with what it decides, its type, the generations that it can matter to, and the
/// hypotheses: the default first, each with its name and how often random cases have it.
macro_rules! quirks {
    ($($(#[$doc:meta])* $field:ident: $type:ty, $generations:expr; $($name:literal => $($value:tt)::+, $weight:literal;)+)*) => {
        /// A hypothesis for each thing that is not known of the chips. The default is the likeliest of each.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[non_exhaustive]
        pub struct Quirks {
            $($(#[$doc])* pub $field: $type,)*
        }

        impl Default for Quirks {
            fn default() -> Self {
                Quirks { $($field: [$($($value)::+),+][0],)* }
            }
        }

        impl Quirk {
            /// Every quirk.
            pub const ALL: &[Quirk] = &[$(Quirk {
                name: stringify!($field),
                generations: $generations,
                values: &[$($name),+],
                weights: &[$($weight),+],
                set: |quirks, name| {
                    quirks.$field = match name {
                        $($name => $($value)::+,)+
                        _ => return false,
                    };
                    true
                },
                get: |quirks| match quirks.$field {
                    $($($value)::+ => $name,)+
                },
            }),*];
        }
    };
}

/// Whose programs a quirk can matter to.
const ALL: &[Generation] = Generation::ALL;
const LATER: &[Generation] = &[Generation::Rankine, Generation::Curie];

quirks! {
    /// Both units write the same component.
    write_order: WriteOrder, ALL;
    "scalar_wins" => WriteOrder::ScalarWins, 4;
    "vector_wins" => WriteOrder::VectorWins, 1;
    "vector_dropped" => WriteOrder::VectorDropped, 1;

    /// Masked writes to oFog.
    fog_write: FogWrite, &[Generation::Kelvin];
    "any_component" => FogWrite::AnyComponent, 2;
    "masked" => FogWrite::Masked, 1;

    /// Operand of ARL.
    address_bias: AddressBias, ALL;
    "none" => AddressBias::None, 3;
    "milli" => AddressBias::Milli, 1;

    /// Scalar destination of paired operations.
    paired: PairedScalar, &[Generation::Rankine];
    "r1" => PairedScalar::R1, 4;
    "shared" => PairedScalar::Shared, 1;

    /// Tests of branches.
    branch_test: BranchTest, LATER;
    "field" => BranchTest::Field, 4;
    "enabled" => BranchTest::Enabled, 1;

    /// END on a branch.
    end_on_branch: EndOnBranch, LATER;
    "continues" => EndOnBranch::Continues, 2;
    "ends" => EndOnBranch::Ends, 1;

    /// Indirect branches.
    indirect: Indirect, LATER;
    "table" => Indirect::Table, 1;
    "slot" => Indirect::Slot, 1;

    /// NaN as an address.
    address_nan: AddressNan, LATER;
    "zero" => AddressNan::Zero, 1;
    "least" => AddressNan::Least, 1;

    /// Whether ARL, ARR and ARA update condition codes, by the sign of the integer (rankine_curie.md 2.3 and 8.5).
    /// UNKNOWN: whether POPA does; here never.
    address_codes: bool, LATER;
    "yes" => true, 7;
    "no" => false, 3;

    /// NaN saturated.
    saturate_nan: SaturateNan, LATER;
    "passes" => SaturateNan::Passes, 1;
    "zero" => SaturateNan::Zero, 1;

    /// Indexed reads of constants out of range.
    out_of_range: OutOfRange, LATER;
    "zero" => OutOfRange::Zero, 1;
    "wraps" => OutOfRange::Wraps, 1;

    /// Whether the output registers 17 to 22 of Rankine exist (UNKNOWN, rankine_curie.md 8.6); if not, writes to
    /// them are dropped.
    clip_outputs: bool, &[Generation::Rankine];
    "yes" => true, 4;
    "no" => false, 1;
}

impl Quirk {
    /// The one of this name.
    pub fn named(name: &str) -> Option<&'static Quirk> {
        Quirk::ALL.iter().find(|quirk| quirk.name == name)
    }

    /// Whether it can change anything for a generation's programs.
    pub fn matters(&self, generation: Generation) -> bool {
        self.generations.contains(&generation)
    }
}

impl Quirks {
    /// With the default of each quirk that cannot matter to a generation's programs.
    #[must_use]
    pub fn of(mut self, generation: Generation) -> Self {
        for quirk in Quirk::ALL.iter().filter(|quirk| !quirk.matters(generation)) {
            (quirk.set)(&mut self, quirk.values[0]);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is said of the chips, where each quirk has its sentence.
    const PAGES: [&str; 3] = [
        include_str!("../../../../docs/isa/kelvin.md"),
        include_str!("../../../../docs/isa/rankine.md"),
        include_str!("../../../../docs/isa/curie.md"),
    ];

    #[test]
    fn names_choose_what_they_name() {
        for quirk in Quirk::ALL {
            assert_eq!((quirk.get)(&Quirks::default()), quirk.values[0], "{}", quirk.name);
            assert!(quirk.values.len() > 1 && quirk.values.len() == quirk.weights.len(), "{}", quirk.name);
            let mut seen = Vec::new();
            for &value in quirk.values {
                let mut quirks = Quirks::default();
                assert!((quirk.set)(&mut quirks, value), "{} {value}", quirk.name);
                assert_eq!((quirk.get)(&quirks), value, "{}", quirk.name);
                assert!(!seen.contains(&quirks), "{} {value}", quirk.name);
                seen.push(quirks);
                // Nothing else has changed, and a generation that it matters to keeps it.
                let others = Quirk::ALL.iter().filter(|other| other.name != quirk.name);
                assert!(others.into_iter().all(|other| (other.get)(&quirks) == other.values[0]));
                for &generation in Generation::ALL {
                    let kept = (quirk.get)(&quirks.of(generation)) == value;
                    assert_eq!(kept, quirk.matters(generation) || value == quirk.values[0]);
                }
            }
            assert!(!(quirk.set)(&mut Quirks::default(), "neither"));
        }
    }

    #[test]
    fn every_quirk_is_documented() {
        for quirk in Quirk::ALL {
            let name = format!("`{}`", quirk.name);
            assert!(PAGES.iter().any(|page| page.contains(&name)), "no page of docs/isa names {name}");
        }
    }
}
