//! What TXL reads in tests.

use xfjit_runtime::state::Row;
use xfjit_runtime::texture::{Coordinates, Texel, Texture, Textures, Wrap};

/// The textures of a case.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Texels {
    /// The host's function [`rotated`] on all units.
    #[default]
    Host,
    /// Unit 0 has a texture of 3 by 2: component c of texel (s, t) is 100 t + 10 s + c. Unit 1 has the same numbers as
    /// a texture of 24 by 1 with one component, repeated. The others have none.
    Memory,
    /// No unit has any.
    None,
}

/// Four components of 3 by 2 texels: component c of texel (s, t) is 100 t + 10 s + c.
static TEXELS: [u8; 96] = {
    let mut bytes = [0; 96];
    let mut at = 0;
    while at < 24 {
        let (t, s, c) = (at / 12, at / 4 % 3, at % 4);
        let word = ((100 * t + 10 * s + c) as f32).to_bits().to_ne_bytes();
        let mut i = 0;
        while i < 4 {
            bytes[4 * at + i] = word[i];
            i += 1;
        }
        at += 1;
    }
    bytes
};

impl Texels {
    /// All of them.
    pub const ALL: &[Texels] = &[Texels::Host, Texels::Memory, Texels::None];

    /// The name in test files.
    pub fn name(self) -> &'static str {
        match self {
            Texels::Host => "host",
            Texels::Memory => "memory",
            Texels::None => "none",
        }
    }

    /// As a batch takes them.
    pub fn textures(self) -> Textures<'static> {
        let texture = |texel, width, height| Texture::new(&TEXELS, texel, width, height, 48).ok();
        match self {
            Texels::Host => Textures::Host(&rotated),
            Texels::Memory => {
                let one = texture(Texel::One, 24, 1);
                let one = one.map(|one| one.wrap(Wrap::Repeat).coordinates(Coordinates::Textures));
                Textures::Units([texture(Texel::Four, 3, 2), one, None, None])
            }
            Texels::None => Textures::NONE,
        }
    }
}

/// The coordinate, rotated to the left by one component more than the number of the unit.
pub fn rotated(unit: u8, coordinate: Row) -> Row {
    std::array::from_fn(|c| coordinate[(c + usize::from(unit) + 1) % 4])
}

#[cfg(test)]
mod tests {
    use super::*;
    use xfjit_runtime::state::DEFAULT_ROW;

    #[test]
    fn memory_has_two_textures() {
        let textures = Texels::Memory.textures();
        let floats = |row: Row| row.map(f32::from_bits);
        let at = |s: f32, t: f32| [s.to_bits(), t.to_bits(), 0, 0];
        assert_eq!(floats(textures.fetch(0, at(2.5, 1.0))), [120.0, 121.0, 122.0, 123.0]);
        assert_eq!(floats(textures.fetch(1, at(1.25, 0.0))), [12.0, 0.0, 0.0, 1.0]);
        assert_eq!(textures.fetch(2, at(0.0, 0.0)), DEFAULT_ROW);
    }
}
