//! Hypotheses about Flipper's transform unit. `front/flipper/` implements them, and `interp/flipper/` does so a second time.

/// Depth under a perspective projection (flipper.md 3.3).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Depth {
    /// As the projection gives it.
    Plain,
    /// Multiplied by the second float below 1.0, as in Dolphin, for the sake of some games.
    Lessened,
}

/// Coefficients of the distance for lights that the half angle attenuates (flipper.md 3.5).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum HalfAngle {
    /// Unchanged, as on the console.
    Plain,
    /// As a unit vector, unless the angle to the normal has no effect, as in Dolphin.
    Normalised,
}

/// Conversion of lit colours that no byte can hold (flipper.md 3.5).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ToInteger {
    /// The nearest byte; 0 for NaN.
    Saturates,
    /// 0 also from 2^31 on, as x86 conversions give.
    X86,
}

/// The number of bits that the memories of normal matrices and lights hold. UNKNOWN on the console (flipper.md 3.8).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Storage {
    /// All.
    Full,
    /// The upper 20, except for colours, which have all.
    Upper20,
}

/// How lights are added up. UNKNOWN on the console (flipper.md 3.5).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Accumulation {
    /// As floats, and the sum is converted to an integer.
    Float,
    /// As integers, each light rounded to nearest, halves to even. UNKNOWN: magnitudes beyond 2^16 count as 2^16.
    Integer,
}
