//! Where an element of a layout lies in the memory of a host, of one vertex after the other.

use super::four;
use super::layout::{Element, Kind, Source, Stored};
use xfjit_runtime::state::Row;

/// Where an element is stored, of one vertex after the other.
#[derive(Debug)]
pub(super) struct Place<'a> {
    to: &'a mut [u8],
    element: Element,
    kind: Kind,
    /// Bits of the fourth component that count: floats that are fetched have three.
    fourth: u32,
}

impl<'a> Place<'a> {
    /// In memory that holds all vertices.
    pub(super) fn new(element: Element, to: &'a mut [u8]) -> Place<'a> {
        let to = to.get_mut(element.offset..).unwrap_or_default();
        let kind = element.source.kind().unwrap_or(Kind::Float);
        let has_three = kind == Kind::Float && matches!(element.source, Source::Attribute(_));
        Place { to, element, kind, fourth: if has_three { 0 } else { u32::MAX } }
    }

    /// Its memory, if it is a list of so many floats of each vertex, with nothing between them.
    pub(super) fn as_list(&mut self, components: usize) -> Option<&mut [u8]> {
        let Element { stored, stride, components: own, .. } = self.element;
        let is_list =
            (stored, stride, usize::from(own)) == (Stored::F32, components * stored.bytes(), components);
        (is_list && self.kind != Kind::Integer).then_some(&mut *self.to)
    }

    /// Stores the values of the next vertices. Which bytes a row becomes is looked at once.
    pub(super) fn store(&mut self, rows: impl ExactSizeIterator<Item = Row>) {
        let Element { stored, components, .. } = self.element;
        let are_words = match stored {
            Stored::F32 => self.kind != Kind::Integer,
            Stored::U32 => self.kind == Kind::Integer,
            Stored::U8 => false,
        };
        let fourth = self.fourth;
        match (components, self.kind) {
            (1, _) if are_words => self.each(rows, bytes::<4>),
            (2, _) if are_words => self.each(rows, bytes::<8>),
            (3, _) if are_words => self.each(rows, bytes::<12>),
            (4, _) if are_words => self.each(rows, |[x, y, z, w]| bytes::<16>([x, y, z, w & fourth])),
            (4, Kind::Whole) if stored == Stored::U8 => self.each(rows, |row| four::whole(&row)),
            (4, Kind::Integer) if stored == Stored::U8 => {
                self.each(rows, |row| row.map(|number| number.min(255) as u8));
            }
            _ => self.one_by_one(rows),
        }
    }

    /// Stores bytes of each vertex, as a function makes them of a row.
    #[inline(always)]
    fn each<const BYTES: usize>(
        &mut self,
        rows: impl ExactSizeIterator<Item = Row>,
        make: impl Fn(Row) -> [u8; BYTES],
    ) {
        let stride = self.element.stride;
        let to = std::mem::take(&mut self.to);
        if stride < BYTES {
            // Places that lie over each other: the later one stays.
            let mut places = to;
            for row in rows {
                let Some(to) = places.first_chunk_mut() else { break };
                *to = make(row);
                places = std::mem::take(&mut places).get_mut(stride..).unwrap_or_default();
            }
            self.to = places;
            return;
        }
        let (places, rest) = to.split_at_mut(stride.saturating_mul(rows.len()).min(to.len()));
        for (place, row) in places.chunks_mut(stride).zip(rows) {
            if let Some(to) = place.first_chunk_mut() {
                *to = make(row);
            }
        }
        self.to = rest;
    }

    /// What is seldom stored: it is looked at anew for each vertex.
    fn one_by_one(&mut self, rows: impl Iterator<Item = Row>) {
        let Place { to, element: Element { stored, components, stride, .. }, kind, fourth } = self;
        for [x, y, z, w] in rows {
            let row = [x, y, z, w & *fourth].map(|word| match (*stored, *kind) {
                (Stored::F32, Kind::Integer) => (word as f32).to_ne_bytes(),
                (Stored::F32, _) => word.to_ne_bytes(),
                (Stored::U32, kind) => whole(kind, word).to_ne_bytes(),
                (Stored::U8, kind) => [whole(kind, word).min(255) as u8; 4],
            });
            let bytes = to.chunks_mut(stored.bytes()).zip(row).take((*components).into());
            bytes.for_each(|(to, number)| to.copy_from_slice(&number[..to.len()]));
            *to = std::mem::take(to).get_mut(*stride..).unwrap_or_default();
        }
    }
}

/// The first bytes of a row.
#[inline(always)]
pub(super) fn bytes<const BYTES: usize>(row: Row) -> [u8; BYTES] {
    let mut bytes = [0; BYTES];
    let to = bytes.as_chunks_mut().0.iter_mut();
    to.zip(row).for_each(|(to, word)| *to = word.to_ne_bytes());
    bytes
}

/// A word as an integer.
fn whole(kind: Kind, word: u32) -> u32 {
    if kind == Kind::Integer { word } else { f32::from_bits(word) as u32 }
}
