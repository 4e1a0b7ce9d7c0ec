//! Rows of vertices that are found through index lists: what a test runs if its program is prepared for them.

use std::array;
use xfjit_runtime::batch::{Attribute, Inputs};
use xfjit_runtime::indices::{IndexLayout, IndexWidth, Indexing, Indices, Numbering};
use xfjit_runtime::state::{ATTRIBUTES, Row};
use xfjit_runtime::texture::Textures;

/// A batch in memory of its own. Attributes that are found through a list lie there from the last vertex to the first, so that
/// who does not look at the list runs other vertices.
#[derive(Clone, Debug)]
pub struct Indexed {
    layout: IndexLayout,
    attributes: [Vec<Row>; ATTRIBUTES],
    halves: Vec<u16>,
    words: Vec<u32>,
}

impl Indexed {
    /// Of attributes with a row for each vertex.
    ///
    /// # Errors
    /// More vertices than 16 bits number.
    pub fn new(layout: IndexLayout, mut attributes: [Vec<Row>; ATTRIBUTES]) -> Result<Self, String> {
        let count = attributes.iter().map(Vec::len).min().unwrap_or_default();
        for (register, rows) in attributes.iter_mut().enumerate() {
            rows.truncate(count);
            if layout.of(register) != Indexing::Position {
                rows.reverse();
            }
        }
        let halves: Option<Vec<u16>> = (0..count).rev().map(|number| u16::try_from(number).ok()).collect();
        let halves = halves.ok_or_else(|| format!("{count} vertices are too many for an index list"))?;
        let words = halves.iter().map(|&half| half.into()).collect();
        Ok(Indexed { layout, attributes, halves, words })
    }

    /// Calls with the batch.
    pub fn with<R>(&self, textures: Textures<'_>, call: impl FnOnce(&Inputs<'_>) -> R) -> R {
        let list = |width| match width {
            IndexWidth::Half => Indices::from(&self.halves),
            IndexWidth::Word => Indices::from(&self.words),
        };
        let shared = self.layout.width();
        let numbering = |register| match self.layout.of(register) {
            Indexing::Own(width) => Some((register, Numbering::List(list(width)))),
            Indexing::Position => shared.map(|_| (register, Numbering::Position)),
            Indexing::Shared(_) => None,
        };
        let numberings: Vec<(usize, Numbering<'_>)> = (0..ATTRIBUTES).filter_map(numbering).collect();
        let mut inputs = Inputs::new(self.halves.len());
        inputs.attributes = array::from_fn(|register| Attribute::rows(&self.attributes[register]));
        inputs.indices = shared.map(list);
        call(&inputs.numbered(&numberings).textured(textures))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_find_a_vertex_finds_it() {
        let layout = IndexLayout::shared(IndexWidth::Half).with(1, None).with(2, Some(IndexWidth::Word));
        let rows: [Vec<Row>; ATTRIBUTES] =
            array::from_fn(|register| (0..5).map(|vertex| [vertex, register as u32, 0, 0]).collect());
        for layout in [layout, IndexLayout::NONE, IndexLayout::NONE.with(3, Some(IndexWidth::Half))] {
            let indexed = Indexed::new(layout, rows.clone()).expect("there are few");
            indexed.with(Textures::NONE, |inputs| {
                assert_eq!(inputs.check(u16::MAX), Ok(()));
                assert_eq!(inputs.layout(u16::MAX).indices().width(), layout.width());
                for (register, rows) in rows.iter().enumerate() {
                    for (position, row) in rows.iter().enumerate() {
                        assert_eq!(inputs.fetch(register, position), *row);
                    }
                }
            });
        }
        let many = array::from_fn(|_| vec![[0; 4]; 65_537]);
        assert!(Indexed::new(layout, many).is_err());
    }
}
