//! Where an element of a layout lies in the memory of a host, of one vertex after the other.

use super::four;
use super::layout::{Element, Kind, Source, Stored};
use xfjit_runtime::state::Row;

/// What takes the values of an attribute, vertex after vertex.
pub(super) trait Put {
    /// Takes those of the next vertices. Iterators and places are values of one function, so that a loop has them in registers.
    fn put(&mut self, rows: impl Iterator<Item = Row>);
}

/// The values of all vertices, as something that can be put anywhere. It is compiled for each place by itself.
pub(super) trait Fill {
    /// Puts them.
    fn fill(self, to: &mut impl Put);
}

impl<Values: Iterator<Item = Row>> Fill for Values {
    #[inline(always)]
    fn fill(self, to: &mut impl Put) {
        to.put(self);
    }
}

impl Put for std::slice::IterMut<'_, Row> {
    #[inline(always)]
    fn put(&mut self, rows: impl Iterator<Item = Row>) {
        let mut places = std::mem::take(self);
        for row in rows {
            let Some(to) = places.next() else { break };
            *to = row;
        }
        *self = places;
    }
}

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

    /// Whether it is a list of so many floats of each vertex, with nothing between them.
    pub(super) fn is_list(&self, components: usize) -> bool {
        let Element { stored, stride, components: own, .. } = self.element;
        (stored, stride, usize::from(own)) == (Stored::F32, components * stored.bytes(), components)
            && self.kind != Kind::Integer
    }

    /// Of a list: so many elements of four floats, and behind these elements of one.
    pub(super) fn in_fours(self, fours: usize) -> [Place<'a>; 2] {
        let of = |components: u8, to| {
            let stride = usize::from(components) * self.element.stored.bytes();
            let element = Element { components, stride, ..self.element };
            Place { to, element, kind: self.kind, fourth: u32::MAX }
        };
        let (fours, ones) = self.to.split_at_mut((fours * size_of::<Row>()).min(self.to.len()));
        [of(4, fours), of(1, ones)]
    }

    /// Stores values. Which bytes a row becomes is looked at once.
    pub(super) fn fill(self, values: impl Fill) {
        let Element { stored, components, .. } = self.element;
        let are_words = match stored {
            Stored::F32 => self.kind != Kind::Integer,
            Stored::U32 => self.kind == Kind::Integer,
            Stored::U8 => false,
        };
        let fourth = self.fourth;
        match (components, self.kind) {
            (1, _) if are_words => values.fill(&mut Each::of(self, bytes::<4>)),
            (2, _) if are_words => values.fill(&mut Each::of(self, bytes::<8>)),
            (3, _) if are_words => values.fill(&mut Each::of(self, bytes::<12>)),
            (4, _) if are_words => {
                values.fill(&mut Each::of(self, |[x, y, z, w]: Row| bytes::<16>([x, y, z, w & fourth])))
            }
            (4, Kind::Whole) if stored == Stored::U8 => {
                values.fill(&mut Each::of(self, |row| four::whole(&row)))
            }
            (4, Kind::Integer) if stored == Stored::U8 => {
                values.fill(&mut Each::of(self, |row: Row| row.map(|number| number.min(255) as u8)));
            }
            _ => values.fill(&mut One(self)),
        }
    }
}

/// The first bytes of a row.
#[inline(always)]
fn bytes<const BYTES: usize>(row: Row) -> [u8; BYTES] {
    let mut bytes = [0; BYTES];
    let to = bytes.as_chunks_mut().0.iter_mut();
    to.zip(row).for_each(|(to, word)| *to = word.to_ne_bytes());
    bytes
}

/// A word as an integer.
fn whole(kind: Kind, word: u32) -> u32 {
    if kind == Kind::Integer { word } else { f32::from_bits(word) as u32 }
}

/// Bytes of each vertex, as a function makes them of a row.
struct Each<'a, Make> {
    to: &'a mut [u8],
    stride: usize,
    make: Make,
}

impl<'a, Make> Each<'a, Make> {
    fn of(place: Place<'a>, make: Make) -> Each<'a, Make> {
        Each { to: place.to, stride: place.element.stride, make }
    }
}

impl<Make: Copy + Fn(Row) -> [u8; BYTES], const BYTES: usize> Put for Each<'_, Make> {
    #[inline(always)]
    fn put(&mut self, rows: impl Iterator<Item = Row>) {
        let Each { stride, make, .. } = *self;
        let mut places = std::mem::take(&mut self.to);
        for row in rows {
            let Some(to) = places.first_chunk_mut() else { break };
            *to = make(row);
            places = std::mem::take(&mut places).get_mut(stride..).unwrap_or_default();
        }
        self.to = places;
    }
}

/// What is seldom stored: it is looked at anew for each vertex.
struct One<'a>(Place<'a>);

impl Put for One<'_> {
    fn put(&mut self, rows: impl Iterator<Item = Row>) {
        let Place { to, element: Element { stored, components, stride, .. }, kind, fourth } = &mut self.0;
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
