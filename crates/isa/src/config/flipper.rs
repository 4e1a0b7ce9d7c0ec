//! What nobody has verified of Flipper's transform unit, and where emulators differ: each choice has a name, and so have
//! the hypotheses that it chooses from.

/// Depth under a perspective projection (flipper.md 3.3).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Depth {
    /// As the projection has it.
    Plain,
    /// Times the second float below 1.0, as Dolphin has it for the sake of some games.
    Lessened,
}

/// Coefficients of the distance where a light is weakened by the half angle (flipper.md 3.5).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum HalfAngle {
    /// As they are: the console.
    Plain,
    /// As a unit vector, unless the angle to the normal does not count: Dolphin.
    Normalised,
}

/// What becomes of lit colours that no byte can hold (flipper.md 3.5).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum ToInteger {
    /// The nearest that it can; of NaN 0.
    Saturates,
    /// 0 from 2^31 on as well, as conversions of x86 have it.
    X86,
}

/// How many bits the memories of normal matrices and lights hold. UNKNOWN on the console (flipper.md 3.8).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Storage {
    /// All.
    Full,
    /// The upper 20, but of colours all.
    Upper20,
}

/// How lights are added up. UNKNOWN on the console (flipper.md 3.5).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Accumulation {
    /// In floats, made an integer once.
    Float,
    /// As integers, each light rounded to nearest, halves to even. UNKNOWN: what is beyond 2^16 counts as that much.
    Integer,
}

/// The table. A row is the field with what it decides, its type, the hypotheses with their names, the default first; of each
/// Dolphin's software renderer has the one behind `dolphin`.
macro_rules! quirks {
    ($($(#[$doc:meta])* $field:ident: $type:ty, dolphin $dolphin:path; $($name:literal => $value:path;)+)*) => {
        /// A hypothesis for each thing. The default is the dialect `spec`.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[non_exhaustive]
        pub struct FlipperQuirks {
            $($(#[$doc])* pub $field: $type,)*
        }

        impl FlipperQuirks {
            /// The dialect `spec`: the primary one (flipper.md 3.9).
            pub const SPEC: FlipperQuirks = FlipperQuirks { $($field: [$($value),+][0],)* };

            /// The dialect `dolphin-sw`: Dolphin's software renderer.
            pub const DOLPHIN_SW: FlipperQuirks = FlipperQuirks { $($field: $dolphin,)* };

            /// The names of the fields, and of each the names of its hypotheses, the default first.
            pub const NAMES: &[(&str, &[&str])] = &[$((stringify!($field), &[$($name),+])),*];

            /// Chooses the hypothesis of a field by their names; whether there is one.
            pub fn set(&mut self, field: &str, name: &str) -> bool {
                match field {
                    $(stringify!($field) => {
                        self.$field = match name {
                            $($name => $value,)+
                            _ => return false,
                        };
                        true
                    })*
                    _ => false,
                }
            }

            /// The names of the hypotheses that are chosen, in the order of [`FlipperQuirks::NAMES`].
            pub fn names(&self) -> Vec<&'static str> {
                vec![$(match self.$field {
                    $($value => $name,)+
                }),*]
            }
        }
    };
}

quirks! {
    /// Depth.
    depth: Depth, dolphin Depth::Lessened;
    "plain" => Depth::Plain;
    "lessened" => Depth::Lessened;

    /// Coefficients beside the half angle.
    half_angle: HalfAngle, dolphin HalfAngle::Normalised;
    "plain" => HalfAngle::Plain;
    "normalised" => HalfAngle::Normalised;

    /// Colours as bytes.
    to_integer: ToInteger, dolphin ToInteger::X86;
    "saturates" => ToInteger::Saturates;
    "x86" => ToInteger::X86;

    /// Memories of normal matrices and lights.
    storage: Storage, dolphin Storage::Full;
    "full" => Storage::Full;
    "upper20" => Storage::Upper20;

    /// Sums of lights.
    accumulation: Accumulation, dolphin Accumulation::Float;
    "float" => Accumulation::Float;
    "integer" => Accumulation::Integer;
}

impl Default for FlipperQuirks {
    fn default() -> Self {
        FlipperQuirks::SPEC
    }
}

impl FlipperQuirks {
    /// The dialects with names.
    pub const DIALECTS: &[(&str, FlipperQuirks)] =
        &[("spec", FlipperQuirks::SPEC), ("dolphin-sw", FlipperQuirks::DOLPHIN_SW)];

    /// The dialect of a name.
    pub fn dialect(name: &str) -> Option<FlipperQuirks> {
        FlipperQuirks::DIALECTS.iter().find(|(dialect, _)| *dialect == name).map(|&(_, quirks)| quirks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hypotheses_are_chosen_by_name() {
        for (at, (field, names)) in FlipperQuirks::NAMES.iter().enumerate() {
            assert_eq!(FlipperQuirks::SPEC.names()[at], names[0]);
            for name in *names {
                let mut quirks = FlipperQuirks::SPEC;
                assert!(quirks.set(field, name) && !quirks.set(field, "no such"));
                assert_eq!(quirks.names()[at], *name);
            }
        }
        assert!(!FlipperQuirks::SPEC.clone().set("no such", "spec"));
        assert_eq!(FlipperQuirks::dialect("spec"), Some(FlipperQuirks::default()));
        let dolphin = FlipperQuirks::dialect("dolphin-sw").expect("it has a name");
        assert_eq!(dolphin.names(), ["lessened", "normalised", "x86", "full", "float"]);
    }
}
