//! Registers of outputs.

/// Position in clip space: x, y, z, w.
pub const CLIP: usize = 0;
/// Position on the screen: x, y, z, 1/w. 342 has not been taken off.
pub const SCREEN: usize = 1;
/// Position in eye space: x, y, z, 1.
pub const EYE: usize = 2;
/// Unit normal: x, y, z, 0.
pub const NORMAL: usize = 3;
/// Transformed tangent, as long as the matrix makes it: x, y, z, 0.
pub const TANGENT: usize = 4;
/// Transformed binormal, as long as the matrix makes it: x, y, z, 0.
pub const BINORMAL: usize = 5;
/// Channels 0 and 1: red, green, blue and alpha as integers, 0..=255. Both are computed, no matter how many
/// the unit outputs.
pub const COLOUR: usize = 6;
/// Texture coordinates 0 to 7: s, t, q, 0.
pub const TEXCOORD: usize = 8;
/// Clip mask: an integer, then zeros. See [`OUTSIDE`](super::transform::OUTSIDE).
pub const FLAGS: usize = 16;
/// How many registers there are.
pub const COUNT: usize = 17;

/// The names of all registers in texts.
pub const NAMES: [&str; COUNT] = [
    "clip", "screen", "eye", "normal", "tangent", "binormal", "colour0", "colour1", "tex0", "tex1", "tex2",
    "tex3", "tex4", "tex5", "tex6", "tex7", "mask",
];
