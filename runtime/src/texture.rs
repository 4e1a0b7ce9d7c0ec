//! Vertex textures: what TXL reads (rankine_curie.md 2.8).
//!
//! A [`Texture`] describes memory of the caller, and is checked when it is made. Reading a texel allocates nothing, takes no lock, and is
//! defined for every coordinate.

use crate::format::{ByteOrder, Format};
use crate::registers::{DEFAULT_ROW, Row};
use std::fmt;

/// Texture units.
pub const UNITS: usize = 4;

/// The textures of a batch.
#[derive(Clone, Copy)]
pub enum Textures<'a> {
    /// The texture of each unit. UNKNOWN: what TXL gives without one; here (0, 0, 0, 1).
    Units([Option<Texture<'a>>; UNITS]),
    /// A function of the host looks up texels. It receives the unit (below [`UNITS`]) and all four components of the coordinate, and
    /// returns the texel. It is called in the default floating-point environment, also for writes that a condition masks; how often, and
    /// for which vertex first, is unspecified.
    Host(&'a (dyn Fn(u8, Row) -> Row + Sync)),
}

impl Textures<'static> {
    /// No textures.
    pub const NONE: Textures<'static> = Textures::Units([None; UNITS]);
}

impl Textures<'_> {
    /// Whether no unit has a texture, and there is no function of the host.
    pub fn is_none(&self) -> bool {
        matches!(self, Textures::Units(units) if units.iter().all(Option::is_none))
    }
}

impl fmt::Debug for Textures<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Textures::Units(units) => f.debug_tuple("Units").field(units).finish(),
            Textures::Host(_) => f.debug_tuple("Host").finish_non_exhaustive(),
        }
    }
}

impl Textures<'_> {
    /// Returns the texel of a unit at a coordinate.
    #[inline]
    pub fn fetch(&self, unit: u8, coordinate: Row) -> Row {
        match self {
            Textures::Host(_) if usize::from(unit) >= UNITS => DEFAULT_ROW,
            Textures::Host(look) => look(unit, coordinate),
            Textures::Units(units) => match units.get(usize::from(unit)) {
                Some(Some(texture)) => texture.fetch(coordinate),
                Some(None) | None => DEFAULT_ROW,
            },
        }
    }
}

/// The components of a texel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Texel {
    /// One number (format 0x1c). UNKNOWN: the other components; here (x, 0, 0, 1), as for attributes.
    One,
    /// Four numbers (format 0x1b).
    Four,
}

impl Texel {
    /// How one lies in memory.
    const fn format(self) -> Format {
        match self {
            Texel::One => Format::words(1, ByteOrder::Host),
            Texel::Four => Format::ROW,
        }
    }

    const fn bytes(self) -> usize {
        self.format().bytes()
    }
}

/// The texel for coordinates outside the texture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wrap {
    /// The nearest texel.
    Clamp,
    /// The texel of the texture repeated without end.
    Repeat,
}

/// The unit of coordinates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Coordinates {
    /// Texels.
    Texels,
    /// Whole textures: 1.0 is the width, or the height.
    Textures,
}

/// One level of floats in linear memory. UNKNOWN: filtering and the level of detail (w) on silicon; here TXL reads the texel of this one
/// level that contains the coordinate. A NaN coordinate counts as 0.
#[derive(Clone, Copy, Debug)]
pub struct Texture<'a> {
    data: &'a [u8],
    texel: Texel,
    size: [usize; 2],
    pitch: usize,
    wrap: Wrap,
    coordinates: Coordinates,
}

impl<'a> Texture<'a> {
    /// `height` rows of `width` texels in host byte order, `pitch` bytes from row to row; rows may overlap.
    /// Coordinates count texels (rankine_curie.md 2.8: the "normalised" bit is clear) and are clamped (UNKNOWN).
    ///
    /// # Errors
    /// A texture without texels, or one that does not fit into `data`.
    pub fn new(
        data: &'a [u8],
        texel: Texel,
        width: usize,
        height: usize,
        pitch: usize,
    ) -> Result<Self, TextureError> {
        let (Some(last), Some(_)) = (height.checked_sub(1), width.checked_sub(1)) else {
            return Err(TextureError::Empty);
        };
        let row = width.checked_mul(texel.bytes());
        let needed = row.and_then(|row| last.checked_mul(pitch)?.checked_add(row)).unwrap_or(usize::MAX);
        if needed > data.len() {
            return Err(TextureError::TooShort { needed, got: data.len() });
        }
        Ok(Texture {
            data,
            texel,
            size: [width, height],
            pitch,
            wrap: Wrap::Clamp,
            coordinates: Coordinates::Texels,
        })
    }

    /// Sets another rule for coordinates outside the texture.
    #[must_use]
    pub fn wrap(mut self, wrap: Wrap) -> Self {
        self.wrap = wrap;
        self
    }

    /// Sets another unit of coordinates.
    #[must_use]
    pub fn coordinates(mut self, coordinates: Coordinates) -> Self {
        self.coordinates = coordinates;
        self
    }

    /// Returns a copy with memory of its own, which can outlive the caller's memory. It holds the bytes up to the last texel as they are:
    /// rows that overlap do so in the copy, which is never longer than the caller's memory.
    ///
    /// # Errors
    /// [`TextureError::Memory`].
    pub fn copied(&self) -> Result<Copied, TextureError> {
        let &Texture { texel, size, pitch, wrap, coordinates, .. } = self;
        let bytes = (size[1] - 1) * pitch + size[0] * texel.bytes();
        let mut data = Vec::new();
        data.try_reserve_exact(bytes).map_err(|_| TextureError::Memory)?;
        data.extend_from_slice(&self.data[..bytes]);
        Ok(Copied { data, texel, size, pitch, wrap, coordinates })
    }

    /// Returns the texel that contains a coordinate.
    #[inline]
    pub fn fetch(&self, [s, t, ..]: Row) -> Row {
        let at = self.index(t, self.size[1]) * self.pitch + self.index(s, self.size[0]) * self.texel.bytes();
        self.texel.format().read(&self.data[at..])
    }

    /// The column or row of a coordinate, below `size`.
    #[inline]
    fn index(&self, coordinate: u32, size: usize) -> usize {
        let scale = match self.coordinates {
            Coordinates::Texels => 1.0,
            Coordinates::Textures => size as f64,
        };
        let size = i64::try_from(size).unwrap_or(i64::MAX);
        // The conversion saturates, and makes 0 of NaN.
        let texel = (f64::from(f32::from_bits(coordinate)) * scale).floor() as i64;
        let inside = match self.wrap {
            Wrap::Clamp => texel.clamp(0, size - 1),
            Wrap::Repeat => texel.rem_euclid(size),
        };
        inside as usize
    }
}

/// A texture with memory of its own.
#[derive(Clone, Debug)]
pub struct Copied {
    data: Vec<u8>,
    texel: Texel,
    size: [usize; 2],
    pitch: usize,
    wrap: Wrap,
    coordinates: Coordinates,
}

impl Copied {
    /// The texture.
    pub fn texture(&self) -> Texture<'_> {
        let &Copied { ref data, texel, size, pitch, wrap, coordinates } = self;
        Texture { data, texel, size, pitch, wrap, coordinates }
    }
}

/// Why memory is not a texture. This is the caller's fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum TextureError {
    /// It has no texels.
    Empty,
    /// The memory ends before the last texel.
    TooShort {
        /// Bytes needed.
        needed: usize,
        /// Bytes there are.
        got: usize,
    },
    /// There is no memory for a copy.
    Memory,
}

impl fmt::Display for TextureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TextureError::Empty => write!(f, "the texture has no texels"),
            TextureError::TooShort { needed, got } => {
                write!(f, "the texture needs {needed} bytes, but has {got}")
            }
            TextureError::Memory => write!(f, "there is no memory for a copy of the texture"),
        }
    }
}

impl std::error::Error for TextureError {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texel (s, t) is 16 t + s; the last row is not padded.
    fn memory(width: u32, height: u32, pitch: usize) -> Vec<u8> {
        let mut data = vec![0xee; pitch * (height as usize - 1) + 4 * width as usize];
        for t in 0..height {
            for s in 0..width {
                let at = t as usize * pitch + 4 * s as usize;
                data[at..at + 4].copy_from_slice(&(16 * t + s).to_ne_bytes());
            }
        }
        data
    }

    fn at(texture: &Texture<'_>, s: f32, t: f32) -> u32 {
        let [x, y, z, w] = texture.fetch([s.to_bits(), t.to_bits(), 0x7fff_ffff, 0x7fff_ffff]);
        assert_eq!([y, z, w], [0, 0, 0x3f80_0000]);
        x
    }

    #[test]
    fn coordinates_lie_in_a_texel_or_are_clamped() {
        let data = memory(3, 2, 13);
        let texture = Texture::new(&data, Texel::One, 3, 2, 13).unwrap();
        assert_eq!([at(&texture, 0.0, 0.0), at(&texture, 2.99, 1.5), at(&texture, 1.0, 0.999)], [0, 18, 1]);
        let far = [-0.1, -1e30, f32::NEG_INFINITY, f32::NAN].map(|s| at(&texture, s, 1.0));
        assert_eq!(far, [16; 4]);
        assert_eq!([3.0, f32::INFINITY].map(|t| at(&texture, 0.0, t)), [16; 2]);
    }

    #[test]
    fn textures_repeat() {
        let data = memory(3, 2, 16);
        let texture = Texture::new(&data, Texel::One, 3, 2, 16).unwrap().wrap(Wrap::Repeat);
        assert_eq!([-1.0, -0.5, 3.0, 7.0].map(|s| at(&texture, s, -1.0)), [18, 18, 16, 17]);
        let whole = texture.coordinates(Coordinates::Textures);
        assert_eq!([0.0, 0.34, 0.99, 1.0, -0.1].map(|s| at(&whole, s, 0.5)), [16, 17, 18, 16, 18]);
        assert!([f32::MAX, f32::MIN, f32::INFINITY].iter().all(|&s| at(&whole, s, 0.0) < 3));
    }

    #[test]
    fn four_components_are_one_texel() {
        let data: Vec<u8> = (0..8u32).flat_map(u32::to_ne_bytes).collect();
        let texture = Texture::new(&data, Texel::Four, 2, 1, 0).unwrap();
        assert_eq!(texture.fetch([0x3f80_0000, 0, 0, 0]), [4, 5, 6, 7]);
    }

    #[test]
    fn what_does_not_fit_is_no_texture() {
        let data = [0; 64];
        let new = |width, height, pitch| Texture::new(&data, Texel::Four, width, height, pitch).err();
        assert_eq!([new(4, 1, 0), new(2, 2, 32), new(1, 4, 16), new(4, usize::MAX, 0)], [None; 4]);
        assert_eq!([new(0, 1, 0), new(1, 0, 0)], [Some(TextureError::Empty); 2]);
        assert_eq!(new(1, 5, 16), Some(TextureError::TooShort { needed: 80, got: 64 }));
        assert_eq!(new(usize::MAX, 1, 0), Some(TextureError::TooShort { needed: usize::MAX, got: 64 }));
        assert!(new(1, usize::MAX, usize::MAX).is_some());
    }

    #[test]
    fn a_host_may_look_itself() {
        let look = |unit: u8, [s, t, r, lod]: Row| [u32::from(unit), s ^ t, r, lod];
        assert_eq!(Textures::Host(&look).fetch(2, [3, 5, 7, 9]), [2, 6, 7, 9]);
        assert_eq!(Textures::Host(&look).fetch(UNITS as u8, [3, 5, 7, 9]), DEFAULT_ROW);
        assert_eq!([0, 3, 4, 255].map(|unit| Textures::NONE.fetch(unit, [0; 4])), [DEFAULT_ROW; 4]);
    }
}
