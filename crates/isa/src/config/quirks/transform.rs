//! Hypotheses about Flipper's transform unit. What each does stands in `front/flipper/` and, a second time, in `interp/flipper/`.

/// Depth under a perspective projection (flipper.md 3.3).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Depth {
    /// As the projection has it.
    Plain,
    /// Times the second float below 1.0, as Dolphin has it for the sake of some games.
    Lessened,
}

/// Coefficients of the distance where a light is weakened by the half angle (flipper.md 3.5).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum HalfAngle {
    /// As they are: the console.
    Plain,
    /// As a unit vector, unless the angle to the normal does not count: Dolphin.
    Normalised,
}

/// What becomes of lit colours that no byte can hold (flipper.md 3.5).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ToInteger {
    /// The nearest that it can; of NaN 0.
    Saturates,
    /// 0 from 2^31 on as well, as conversions of x86 have it.
    X86,
}

/// How many bits the memories of normal matrices and lights hold. UNKNOWN on the console (flipper.md 3.8).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Storage {
    /// All.
    Full,
    /// The upper 20, but of colours all.
    Upper20,
}

/// How lights are added up. UNKNOWN on the console (flipper.md 3.5).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Accumulation {
    /// In floats, made an integer once.
    Float,
    /// As integers, each light rounded to nearest, halves to even. UNKNOWN: what is beyond 2^16 counts as that much.
    Integer,
}
