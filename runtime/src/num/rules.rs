//! The rule sets as one table: the choice of each set where the chips differ.
//!
//! A column is a set of rules, and a row is a question. Golden functions, recipes and the interpreter use the rows by
//! name. None of them tests which chip it is.

/// The replacement for a finite result that is too large (rankine_curie.md 4: RZ against RZO).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Overflow {
    /// The greatest finite number of its sign.
    Saturates,
    /// The infinity of its sign.
    Infinite,
}

/// The order of MIN, MAX, the set-on-condition family and SSG.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// The order of sign and magnitude as integers. It is total: -0 is before +0, and NaNs are at both ends.
    Integers,
    /// The order of numbers: NaNs are unordered, and zeros and denormals are equal.
    Numbers,
}

/// The tables of seeds for reciprocals and reciprocal square roots.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Seeds {
    /// The tables of version 1 of the unit, rounded down.
    V1,
    /// The tables of later versions.
    V2,
}

use Order::{Integers, Numbers};
use Overflow::{Infinite, Saturates};
use Seeds::{V1, V2};

/// The value of the set of rules that `$rules` is; as many values as sets.
macro_rules! answer {
    ($rules:ident { $($name:ident $text:literal $summary:literal;)* } [$($value:expr),*]) => {
        answer!(@ $rules [] [$($name)*] [$($value),*])
    };
    (@ $rules:ident [$($arms:tt)*] [] []) => {
        match $rules { $($arms)* }
    };
    (@ $rules:ident [$($arms:tt)*] [$name:ident $($names:ident)*] [$value:expr $(, $values:expr)*]) => {
        answer!(@ $rules [$($arms)* Rules::$name => $value,] [$($names)*] [$($values),*])
    };
}

macro_rules! sets { ({ $($name:ident $text:literal $summary:literal;)* }) => {
    /// The revision of the arithmetic unit, and the rules that it is set to.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum Rules { $(#[doc = $summary] $name),* }

    impl Rules {
        /// Every set of rules.
        pub const ALL: [Rules; [$($text),*].len()] = [$(Rules::$name),*];

        /// Its name in texts.
        pub const fn name(self) -> &'static str {
            match self { $(Rules::$name => $text),* }
        }

        /// The rules that have this name.
        pub fn from_name(name: &str) -> Option<Rules> {
            Rules::ALL.into_iter().find(|rules| rules.name() == name)
        }
    }
} }

macro_rules! rules { (
    sets $sets:tt
    $($(#[doc = $doc:literal])* $property:ident: $type:ty = $values:tt;)*
) => {
    sets!($sets);

    impl Rules { $(
        $(#[doc = $doc])*
        #[inline]
        pub const fn $property(self) -> $type {
            let rules = self;
            answer!(rules $sets $values)
        }
    )* }
} }

rules! {
    sets {
        Celsius "celsius" "NV10, NV15 (version 1).";
        Kelvin "kelvin" "NV20, NV25, NV2A (version 2).";
        RankineLegacy "rankine_legacy" "NV30 and NV40 with `ARITH_RULES` = 0 (version 3, zero wins).";
        RankineModern "rankine_modern" "NV30 and NV40 with `ARITH_RULES` = 1 (version 3, IEEE-like zero rule).";
    }

    // One value for each of those: Celsius, Kelvin, Rankine legacy, Rankine modern.

    /// What becomes of a finite result that is too great.
    overflow: Overflow = [Saturates, Saturates, Infinite, Infinite];
    /// A product of zero and infinity is zero; else it is a NaN.
    zero_rule: bool = [true, true, true, false];
    /// A product of zero and NaN is a NaN; else zero wins.
    nan_wins: bool = [true, false, false, true];
    /// An infinite product has the sign of its factors; else it is positive (fixed_function.md 1.2).
    signed_infinities: bool = [false, true, true, true];
    /// The fractions of denormal addends leak into sums; else they are zeros.
    denormals_leak: bool = [true, true, false, false];
    /// How numbers compare.
    order: Order = [Integers, Integers, Integers, Numbers];
    /// RSQ and LOG see the sign of their operand; else they take its magnitude.
    sees_signs: bool = [false, false, false, true];
    /// LOG of a NaN is that NaN without its sign; else the canonical one.
    log_keeps_nans: bool = [true, true, false, false];
    /// The tables of seeds.
    seeds: Seeds = [V1, V2, V2, V2];
    /// RSQ of an even power of two is exact.
    exact_roots: bool = [false, false, true, true];
    /// RCC clamps the exponent alone; else a clamped result is a power of two.
    clamp_keeps_fraction: bool = [true, false, false, false];
    /// Least and greatest value of an address register.
    // UNKNOWN: what lies beyond the range is not observable on Kelvin (kelvin.md 2) and Curie's width is not documented
    // (rankine_curie.md 2.4): saturate, Curie as Rankine.
    address_range: (i32, i32) = [(-256, 255), (-256, 255), (-512, 511), (-512, 511)];
}
