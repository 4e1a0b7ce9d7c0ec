//! Registers of attributes, as fetch fills them.

/// Position: x, y, z.
pub const POSITION: usize = 0;
/// Normal. If vertices have none, they use the last one that a vertex had, as a constant of the batch. This
/// also holds for the next two.
pub const NORMAL: usize = 1;
/// Tangent, the "binormal T" of the documents.
pub const TANGENT: usize = 2;
/// Binormal, the "binormal B" of the documents.
pub const BINORMAL: usize = 3;
/// Colours 0 and 1: red, green, blue, alpha as numbers from 0.0 to 255.0.
pub const COLOUR: usize = 4;
/// Texture coordinates 0 to 7: s, t.
pub const TEXCOORD: usize = 6;
/// Matrix indices: the bytes that the vertex has, in the order of the stream, four in a word from its lowest byte on. Bits
/// above the sixth of a byte do not count.
pub const MATRICES: usize = 14;
