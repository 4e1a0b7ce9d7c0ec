//! Vertex streams: where a batch reads its attributes and writes its outputs.
//!
//! The caller describes its own memory ([`Inputs`], [`Outputs`]). Generated code reads it in place where it can. Attributes that have
//! another memory format than the code was compiled for ([`crate::format`]), or another kind of indexing ([`crate::indices`]), are copied
//! through a [`Staging`](crate::staging::Staging) area, one block of vertices at a time.

use crate::encoding::{Encoding, Encodings};
pub use crate::error::StreamError;
use crate::format::{ByteOrder, Format, InputLayout};
use crate::indexing::{IndexLayout, Indexing};
use crate::indices::{Indices, Numbering};
pub use crate::outputs::{Layout, Output, Outputs, Place};
pub use crate::registers::registers;
use crate::registers::{ATTRIBUTES, DEFAULT_ROW, Row};
use crate::state::Stream;
use crate::texture::Textures;

/// One vertex attribute in the caller's memory.
#[derive(Clone, Copy, Debug)]
pub enum Attribute<'a> {
    /// Every vertex has these four words.
    Constant(Row),
    /// `components` consecutive 32-bit words at byte `vertex * stride`, in host byte order unless [`Inputs::swapped`] says otherwise, and
    /// floats unless [`Inputs::encoded`] names another encoding. Missing components read as (0, 0, 0, 1) (kelvin.md 3).
    Stream {
        /// The memory; the first vertex is at its beginning.
        data: &'a [u8],
        /// Bytes from one vertex to the next; 0 gives every vertex the same value.
        stride: usize,
        /// 1 to 4; at most [`Encoding::most`].
        components: u8,
    },
}

impl<'a> Attribute<'a> {
    /// The value of an attribute without data.
    pub const DEFAULT: Attribute<'static> = Attribute::Constant(DEFAULT_ROW);

    /// Float4 rows, densely packed.
    pub fn rows(rows: &'a [Row]) -> Self {
        Attribute::Stream { data: bytemuck::cast_slice(rows), stride: size_of::<Row>(), components: 4 }
    }

    /// Words of an interleaved vertex: the attribute has `components` words, 1 to 4, from word `first` on of each vertex of
    /// `words_per_vertex` words. A position of three words, then a normal of three:
    ///
    /// ```
    /// # use xfjit_runtime::batch::{Attribute, Inputs};
    /// let words = [1f32, 2., 3., 0., 0., 1.].map(f32::to_bits);
    /// let inputs = Inputs::new(1)
    ///     .with(0, Attribute::interleaved(&words, 0, 3, 6))
    ///     .with(2, Attribute::interleaved(&words, 3, 3, 6));
    /// assert_eq!(inputs.fetch(0, 0), [1f32, 2., 3., 1.].map(f32::to_bits));
    /// assert_eq!(inputs.fetch(2, 0), [0f32, 0., 1., 1.].map(f32::to_bits));
    /// ```
    #[inline(always)]
    pub fn interleaved(words: &'a [u32], first: usize, components: u8, words_per_vertex: usize) -> Self {
        let data = bytemuck::cast_slice(words.get(first..).unwrap_or(&[]));
        // A stride beyond all memory is refused when the batch is checked.
        Attribute::Stream { data, stride: words_per_vertex.saturating_mul(4), components }
    }

    /// The value for one vertex, which the stream is known to hold.
    #[inline]
    fn fetch(&self, vertex: usize, encodings: Encodings, register: usize, order: ByteOrder) -> Row {
        match *self {
            Attribute::Constant(row) => row,
            Attribute::Stream { data, stride, components } => {
                let (encoding, fraction) = (encodings.of(register), encodings.fraction(register));
                Format { encoding, components, order, fraction }.read(&data[vertex * stride..])
            }
        }
    }
}

/// The attributes of a batch, and everything else that its vertices read.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a> {
    /// IBUF registers.
    pub attributes: [Attribute<'a>; ATTRIBUTES],
    /// The number of vertices to run; with `indices`, at most the number of indices.
    pub count: usize,
    /// Vertex numbers in the order in which they run; without them, vertices 0, 1, 2, ...
    pub indices: Option<Indices<'a>>,
    /// Attributes that find their vertices in another way; of two entries for one the first counts.
    numberings: &'a [(usize, Numbering<'a>)],
    instance: u32,
    /// The textures that TXL reads.
    pub textures: Textures<'a>,
    /// Attributes whose streams hold words of the other byte order than the host's, as a mask.
    swapped: u16,
    /// What the codes of streams mean.
    encodings: Encodings,
    /// A register that was named and does not exist: the batch is refused.
    absent: Option<usize>,
}

impl<'a> Inputs<'a> {
    /// `count` vertices with every attribute at its default.
    #[inline(always)]
    pub fn new(count: usize) -> Self {
        // A constant: it is copied from where it is, not from the words that have just been stored for it, which a copy has to wait
        // for.
        const DEFAULTS: [Attribute<'static>; ATTRIBUTES] = [Attribute::DEFAULT; ATTRIBUTES];
        Inputs {
            attributes: DEFAULTS,
            count,
            indices: None,
            numberings: &[],
            instance: 0,
            textures: Textures::NONE,
            swapped: 0,
            encodings: Encodings::FLOATS,
            absent: None,
        }
    }

    /// Sets one attribute. A register that does not exist makes [`Inputs::check`], and so the run, fail.
    #[must_use]
    pub fn with(mut self, register: usize, attribute: Attribute<'a>) -> Self {
        match self.attributes.get_mut(register) {
            Some(slot) => *slot = attribute,
            None => self.absent = Some(register),
        }
        self
    }

    /// Sets an index list; `count` becomes its length.
    #[must_use]
    pub fn indexed(mut self, indices: impl Into<Indices<'a>>) -> Self {
        let indices = indices.into();
        (self.indices, self.count) = (Some(indices), indices.len());
        self
    }

    /// Makes attributes find their vertices in another way than the batch. A register that does not exist makes [`Inputs::check`] fail.
    #[must_use]
    #[inline]
    pub fn numbered(mut self, numberings: &'a [(usize, Numbering<'a>)]) -> Self {
        self.numberings = numberings;
        self.absent =
            numberings.iter().map(|&(register, _)| register).find(|&r| r >= ATTRIBUTES).or(self.absent);
        self
    }

    /// Sets the number of this instance of a draw, which [`Numbering::Instance`] divides.
    #[must_use]
    pub fn instance(self, instance: u32) -> Self {
        Inputs { instance, ..self }
    }

    /// How an attribute finds its vertices, if not as the batch does.
    #[inline]
    pub(crate) fn own_numbering(&self, register: usize) -> Option<Numbering<'a>> {
        self.numberings.iter().find(|(number, _)| *number == register).map(|&(_, numbering)| numbering)
    }

    /// How an attribute finds the vertex at a position.
    #[inline]
    fn numbering(&self, register: usize) -> Numbering<'a> {
        let as_the_batch = || self.indices.map_or(Numbering::Position, Numbering::List);
        self.own_numbering(register).unwrap_or_else(as_the_batch)
    }

    /// Whether an attribute of the vertex at a position is at a stride from the one before.
    #[inline]
    pub(crate) fn is_sequential(&self, register: usize) -> bool {
        matches!(self.numbering(register), Numbering::Position)
    }

    /// The vertex of an attribute at a position, which has been checked.
    #[inline]
    fn vertex(&self, register: usize, position: usize) -> usize {
        match self.numbering(register) {
            Numbering::Position => position,
            Numbering::List(indices) => indices.vertex(position) as usize,
            Numbering::Instance(divisor) => (self.instance / divisor) as usize,
        }
    }

    /// The address of number 0 of an attribute, bytes from one number to the next, and the address of the list in which the
    /// numbers stand, for code that finds it so; nothing if it is found in another way.
    #[inline]
    pub(crate) fn located(&self, register: usize, indexing: Indexing) -> Option<(Stream, usize)> {
        let own = self.own_numbering(register);
        let list = match (indexing, own) {
            (Indexing::Position, _) => None,
            (Indexing::Shared(width), _) => Some(self.indices.filter(|list| list.width() == width)?),
            (Indexing::Own(width), Some(Numbering::List(list))) if list.width() == width => Some(list),
            (Indexing::Own(_), _) => return None,
        };
        let address = list.map_or(0, |list| list.address());
        let (data, stride) = match &self.attributes[register] {
            Attribute::Constant(row) => {
                return Some((Stream { base: row.as_ptr().expose_provenance(), stride: 0 }, address));
            }
            Attribute::Stream { data, stride, .. } => (data.as_ptr().expose_provenance(), *stride),
        };
        // Wrapping: with the numbers of the list, which the check has added, the sum is inside of the stream.
        let at = |vertex: i64| data.wrapping_add((vertex as usize).wrapping_mul(stride));
        let stream = match (own, list) {
            (Some(Numbering::Instance(divisor)), _) => {
                Stream { base: at((self.instance / divisor).into()), stride: 0 }
            }
            (Some(Numbering::Position), None) => Stream { base: data, stride },
            (None, None) if self.indices.is_none() => Stream { base: data, stride },
            (Some(Numbering::List(_)), Some(list)) if matches!(indexing, Indexing::Own(_)) => {
                Stream { base: at(list.base()), stride }
            }
            (None, Some(list)) => Stream { base: at(list.base()), stride },
            _ => return None,
        };
        Some((stream, address))
    }

    /// Declares that an attribute's stream holds words in the opposite byte order of the host's. (This does not affect a constant.)
    #[must_use]
    pub fn swapped(mut self, register: usize) -> Self {
        match register {
            0..ATTRIBUTES => self.swapped |= 1 << register,
            _ => self.absent = Some(register),
        }
        self
    }

    /// Declares that an attribute's stream holds codes of another encoding than floats. (This does not affect a constant.)
    #[must_use]
    pub fn encoded(mut self, register: usize, encoding: Encoding) -> Self {
        match register {
            0..ATTRIBUTES => self.encodings = self.encodings.with(register, encoding, 0),
            _ => self.absent = Some(register),
        }
        self
    }

    /// Sets an attribute in a memory format: the stream, with the format's number of components.
    #[must_use]
    pub fn formatted(mut self, register: usize, data: &'a [u8], stride: usize, format: Format) -> Self {
        self.place(register, data, stride, format);
        self
    }

    /// Sets an attribute in a memory format, as [`Inputs::formatted`] does, without moving the inputs.
    #[inline]
    pub fn place(&mut self, register: usize, data: &'a [u8], stride: usize, format: Format) {
        let Format { encoding, components, order, fraction } = format.canonical();
        let Some(slot) = self.attributes.get_mut(register) else {
            self.absent = Some(register);
            return;
        };
        *slot = Attribute::Stream { data, stride, components };
        self.encodings = self.encodings.with(register, encoding, fraction);
        self.swapped = self.swapped & !(1 << register) | u16::from(order == ByteOrder::Swapped) << register;
    }

    /// The memory format of an attribute's stream, which has this number of components.
    #[inline]
    #[doc(hidden)]
    pub fn format(&self, register: usize, components: u8) -> Format {
        let (encoding, fraction) = (self.encodings.of(register), self.encodings.fraction(register));
        Format { encoding, components, order: self.order(register), fraction }.canonical()
    }

    /// Whether an attribute's stream holds words of the host.
    #[inline]
    pub(crate) fn is_plain(&self, register: usize) -> bool {
        self.encodings.of(register) == Encoding::Float && self.order(register) == ByteOrder::Host
    }

    /// Whether the attributes in a mask are words of the host, one vertex after the other.
    #[inline]
    pub(crate) fn are_rows(&self, live: u16) -> bool {
        self.indices.is_none()
            && self.numberings.is_empty()
            && self.swapped & live == 0
            && self.encodings.are_floats()
    }

    /// Whether each attribute in a mask is four words of the host, one vertex after the other, and all of the batch is there: what most
    /// batches are. So much is [checked](Inputs::check) in a fraction of the time.
    #[inline]
    pub(crate) fn hold_rows(&self, live: u16) -> bool {
        let Some(last) = self.count.checked_sub(1) else { return false };
        let holds = |register: usize| match &self.attributes[register] {
            Attribute::Constant(_) => true,
            Attribute::Stream { data, stride, components } => {
                let needed = last.checked_mul(*stride).and_then(|at| at.checked_add(size_of::<Row>()));
                *components == 4 && needed.is_some_and(|needed| needed <= data.len())
            }
        };
        self.absent.is_none() && self.are_rows(live) && registers(live).all(holds)
    }

    /// The byte order of an attribute's stream.
    #[inline]
    pub(crate) fn order(&self, register: usize) -> ByteOrder {
        if self.swapped >> register & 1 != 0 { ByteOrder::Swapped } else { ByteOrder::Host }
    }

    /// Whether generated code for a format can read an attribute where it is.
    #[inline]
    pub(crate) fn is_in_place(&self, register: usize, format: Format) -> bool {
        match self.attributes[register] {
            Attribute::Constant(_) => format.encoding == Encoding::Float && format.order == ByteOrder::Host,
            Attribute::Stream { components, .. } => self.format(register, components) == format,
        }
    }

    /// Checks whether code for a layout sees the right values of the attributes in the mask `live`; that code ignores components that the
    /// layout lacks. If the layout has floats, any encoding is converted to floats. Another encoding accepts only attributes that are
    /// already in it.
    ///
    /// # Errors
    /// The first attribute that has more components than the layout, or another encoding where the layout does not have floats.
    #[inline]
    #[doc(hidden)]
    pub fn check_layout(&self, live: u16, layout: &InputLayout) -> Result<(), StreamError> {
        if layout.is_rows() {
            return Ok(());
        }
        let fits = |register: &usize| match self.attributes[*register] {
            Attribute::Constant(row) => layout.keeps(*register, row),
            Attribute::Stream { components, .. } => match layout.format(*register) {
                Format { encoding: Encoding::Float, components: read, .. } => {
                    self.format(*register, components).floats() <= read
                }
                format => self.format(*register, components) == format,
            },
        };
        match registers(live).find(|register| !fits(register)) {
            None => Ok(()),
            Some(register) => Err(self.other_layout(register, layout)),
        }
    }

    #[cold]
    fn other_layout(&self, register: usize, layout: &InputLayout) -> StreamError {
        let got = match self.attributes[register] {
            Attribute::Constant(_) => None,
            Attribute::Stream { components, .. } => Some(self.format(register, components)),
        };
        StreamError::WrongInputLayout { register, expected: layout.format(register), got }
    }

    /// The layout of code that reads these attributes in place. [`Inputs::check`] must have accepted them. The code does not use the own
    /// lists of attributes, since these may change while they are read.
    ///
    /// # Panics
    /// If [`Inputs::check`] has not accepted them.
    #[doc(hidden)]
    pub fn layout(&self, live: u16) -> InputLayout {
        let shared = self.indices.map(|list| list.width());
        let mut indices = shared.map_or(IndexLayout::NONE, IndexLayout::shared);
        let mut layout = InputLayout::ROWS;
        for register in registers(live) {
            if let Attribute::Stream { components, .. } = self.attributes[register] {
                layout = layout.with(register, self.format(register, components));
            }
            if let Some(Numbering::Position) = self.own_numbering(register) {
                indices = indices.with(register, None);
            }
        }
        layout.indexed(indices)
    }

    /// Sets textures.
    #[must_use]
    pub fn textured(mut self, textures: Textures<'a>) -> Self {
        self.textures = textures;
        self
    }

    /// Returns one attribute of the vertex at `position` of the batch, which [`Inputs::check`] has accepted.
    ///
    /// # Panics
    /// If it has not accepted the batch: the register does not exist, or the stream does not hold the vertex.
    #[inline]
    #[doc(hidden)]
    pub fn fetch(&self, register: usize, position: usize) -> Row {
        let vertex = self.vertex(register, position);
        self.attributes[register].fetch(vertex, self.encodings, register, self.order(register))
    }

    /// Returns one attribute as code for a layout, which [`Inputs::check_layout`] has accepted, finds it in memory: words in the layout's
    /// byte order, or the words of an element.
    ///
    /// # Panics
    /// As [`Inputs::fetch`].
    #[inline]
    pub fn fetch_stored(&self, register: usize, position: usize, layout: &InputLayout) -> Row {
        let format = layout.format(register);
        match self.attributes[register] {
            Attribute::Stream { data, stride, .. } if format.encoding != Encoding::Float => {
                let vertex = self.vertex(register, position);
                format.element(&data[vertex * stride..])
            }
            _ => layout.stored(register, self.fetch(register, position)),
        }
    }

    /// Proves that every vertex of the batch lies inside the streams of the attributes in the mask `live`.
    ///
    /// # Errors
    /// The first attribute that is too short, with the bytes it needs; an index list shorter than `count`; an attribute that was set and
    /// does not exist.
    #[inline]
    #[doc(hidden)]
    pub fn check(&self, live: u16) -> Result<(), StreamError> {
        if let Some(register) = self.absent {
            return Err(StreamError::NoSuchInput { register });
        }
        // The list of the batch is looked through once for all attributes.
        let shared = match self.indices {
            None => None,
            Some(indices) => Some(indices.ends(self.count)?),
        };
        let Some(last) = self.count.checked_sub(1) else { return Ok(()) };
        for register in registers(live) {
            let Attribute::Stream { data, stride, components } = self.attributes[register] else { continue };
            let format = self.format(register, components);
            if !format.exists() {
                return Err(StreamError::BadComponents { register, components });
            }
            let ends = match (self.own_numbering(register), shared) {
                (None, None) | (Some(Numbering::Position), _) => None,
                (None, Some(ends)) => Some(ends),
                (Some(Numbering::List(indices)), _) => Some(indices.ends(self.count)?),
                (Some(Numbering::Instance(divisor)), _) => Some((0, (self.instance / divisor).into())),
            };
            let last = match ends {
                None => last,
                Some((vertex @ ..0, _)) => return Err(StreamError::IndexBelowZero { register, vertex }),
                Some((_, last)) => usize::try_from(last).unwrap_or(usize::MAX),
            };
            let needed = last.checked_mul(stride).and_then(|at| at.checked_add(format.bytes()));
            if needed.is_none_or(|needed| needed > data.len()) {
                let needed = needed.unwrap_or(usize::MAX);
                return Err(StreamError::InputTooShort { register, vertex: last, needed, got: data.len() });
            }
        }
        Ok(())
    }
}
