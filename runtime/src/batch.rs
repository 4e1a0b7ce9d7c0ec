//! Vertex streams: where a batch reads its attributes and writes its outputs.
//!
//! The caller describes its own memory ([`Inputs`], [`Outputs`]); nothing is copied where generated code can read it
//! in place. What it cannot (indexed draws, attributes of fewer than four components, the last group of a batch that
//! is not full) goes through a [`Staging`] area, a block of vertices at a time. A group that is not full is padded
//! with copies of its last real vertex: zeros would make NaNs and take the slow path.

use crate::abi::MOST_LANES;
use crate::state::{ATTRIBUTES, DEFAULT_ROW, OUTPUTS, Row};
use crate::texture::Textures;
use std::fmt;
use std::ops::Range;

/// Vertices that the staging area holds: whole groups of any number of lanes that is a power of two.
pub const BLOCK: usize = 64;
const _: () = assert!(BLOCK.is_multiple_of(MOST_LANES) && MOST_LANES.is_power_of_two());

/// One vertex attribute as the caller holds it.
#[derive(Clone, Copy, Debug)]
pub enum Attribute<'a> {
    /// The same four words for every vertex.
    Constant(Row),
    /// `components` consecutive 32-bit words (host byte order) at byte `vertex * stride`; components that are
    /// missing read as (0, 0, 0, 1) (kelvin.md 3).
    Stream {
        /// The memory; the first vertex is at its beginning.
        data: &'a [u8],
        /// Bytes from one vertex to the next; 0 gives every vertex the same value.
        stride: usize,
        /// 1 to 4.
        components: u8,
    },
}

impl<'a> Attribute<'a> {
    /// What an attribute without data reads as.
    pub const DEFAULT: Attribute<'static> = Attribute::Constant(DEFAULT_ROW);

    /// Float4 rows, densely packed.
    pub fn rows(rows: &'a [Row]) -> Self {
        Attribute::Stream { data: bytemuck::cast_slice(rows), stride: size_of::<Row>(), components: 4 }
    }

    /// Words of an interleaved vertex: the attribute's four words start at word `first` of each vertex of
    /// `words_per_vertex` words.
    #[inline(always)]
    pub fn interleaved(words: &'a [u32], first: usize, words_per_vertex: usize) -> Self {
        let data = bytemuck::cast_slice(words.get(first..).unwrap_or(&[]));
        // A stride beyond all memory is refused when the batch is checked.
        Attribute::Stream { data, stride: words_per_vertex.saturating_mul(4), components: 4 }
    }

    /// The value for one vertex; the stream has been checked to hold it.
    #[inline]
    fn fetch(&self, vertex: usize) -> Row {
        match *self {
            Attribute::Constant(row) => row,
            Attribute::Stream { data, stride, components } => {
                let at = vertex * stride;
                if components == 4 {
                    return read_row(data, at);
                }
                let mut row = DEFAULT_ROW;
                for (word, bytes) in row.iter_mut().zip(data[at..].chunks_exact(4)).take(components as usize)
                {
                    *word = u32::from_ne_bytes(bytes.try_into().expect("4 bytes"));
                }
                row
            }
        }
    }
}

/// The attributes of a batch, and what else its vertices read.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a> {
    /// IBUF registers.
    pub attributes: [Attribute<'a>; ATTRIBUTES],
    /// Vertices to run; with `indices`, at most as many as there are indices.
    pub count: usize,
    /// Vertex numbers in the order in which they are run; without, vertices 0, 1, 2, ...
    pub indices: Option<&'a [u32]>,
    /// What TXL reads.
    pub textures: Textures<'a>,
    /// A register that was named and does not exist: the batch is refused.
    absent: Option<usize>,
}

impl<'a> Inputs<'a> {
    /// `count` vertices with every attribute at its default.
    #[inline(always)]
    pub fn new(count: usize) -> Self {
        Inputs {
            attributes: [Attribute::DEFAULT; ATTRIBUTES],
            count,
            indices: None,
            textures: Textures::NONE,
            absent: None,
        }
    }

    /// With one attribute set. A register that does not exist makes [`Inputs::check`] fail, and so the run.
    #[must_use]
    pub fn with(mut self, register: usize, attribute: Attribute<'a>) -> Self {
        match self.attributes.get_mut(register) {
            Some(slot) => *slot = attribute,
            None => self.absent = Some(register),
        }
        self
    }

    /// With an index list; `count` becomes its length.
    #[must_use]
    pub fn indexed(mut self, indices: &'a [u32]) -> Self {
        (self.indices, self.count) = (Some(indices), indices.len());
        self
    }

    /// With textures.
    #[must_use]
    pub fn textured(mut self, textures: Textures<'a>) -> Self {
        self.textures = textures;
        self
    }

    /// One attribute of the vertex at `position` of the batch, which [`Inputs::check`] has accepted.
    ///
    /// # Panics
    /// If it has not: the register does not exist, or the stream does not hold the vertex.
    #[inline]
    pub fn fetch(&self, register: usize, position: usize) -> Row {
        let vertex = self.indices.map_or(position, |indices| indices[position] as usize);
        self.attributes[register].fetch(vertex)
    }

    /// Proves that every vertex of the batch lies inside the streams of the attributes in the mask `live`.
    ///
    /// # Errors
    /// The first attribute that is too short, with the bytes it needs; an index list shorter than `count`; an attribute
    /// that was named and does not exist.
    #[inline]
    pub fn check(&self, live: u16) -> Result<(), StreamError> {
        if let Some(register) = self.absent {
            return Err(StreamError::NoSuchInput { register });
        }
        let last = match self.indices {
            None => self.count.checked_sub(1),
            Some(indices) if indices.len() < self.count => {
                return Err(StreamError::TooFewIndices { needed: self.count, got: indices.len() });
            }
            Some(indices) => indices[..self.count].iter().max().map(|&index| index as usize),
        };
        let Some(last) = last else { return Ok(()) };
        for register in registers(live) {
            let Attribute::Stream { data, stride, components } = self.attributes[register] else { continue };
            if !(1..=4).contains(&components) {
                return Err(StreamError::BadComponents { register, components });
            }
            let needed = last.checked_mul(stride).and_then(|at| at.checked_add(4 * components as usize));
            if needed.is_none_or(|needed| needed > data.len()) {
                let needed = needed.unwrap_or(usize::MAX);
                return Err(StreamError::InputTooShort { register, vertex: last, needed, got: data.len() });
            }
        }
        Ok(())
    }
}

/// How outputs lie in memory. Part of the compiled code.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Layout {
    /// A float4 per vertex at `offset + vertex * stride` (array of structures).
    Rows,
    /// Component `c` of all vertices in a plane at `offset + c * stride` (structure of arrays).
    Planes,
}

/// Where one output register goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// Byte offset of vertex 0 (rows) or of plane x (planes).
    pub offset: usize,
    /// Bytes from vertex to vertex (rows), or from plane to plane (planes).
    pub stride: usize,
}

/// The memory that a batch writes. Places must not overlap: which register would win is unspecified.
#[derive(Debug)]
pub struct Outputs<'a> {
    /// The memory of all output registers.
    pub data: &'a mut [u8],
    /// How each place is laid out.
    pub layout: Layout,
    /// Where each TBUF register goes; registers without a place are not stored.
    pub places: [Option<Place>; OUTPUTS],
    /// A register that was named and does not exist: the batch is refused.
    absent: Option<u8>,
}

impl<'a> Outputs<'a> {
    /// Places of the caller's choice in some memory.
    #[inline]
    pub fn new(data: &'a mut [u8], layout: Layout, places: [Option<Place>; OUTPUTS]) -> Self {
        Outputs { data, layout, places, absent: None }
    }

    /// Interleaved rows: the given registers, 16 bytes each, in this order, vertex after vertex. A register that does not
    /// exist makes [`Outputs::check`] fail, and so the run.
    #[inline(always)]
    pub fn interleaved(words: &'a mut [u32], registers: &[u8]) -> Self {
        let mut outputs = Outputs::new(bytemuck::cast_slice_mut(words), Layout::Rows, [None; OUTPUTS]);
        for (i, &register) in registers.iter().enumerate() {
            outputs.put(register, Place { offset: 16 * i, stride: 16 * registers.len() });
        }
        outputs
    }

    /// Planes: for each of the given registers four planes of `capacity` words. A register that does not exist makes
    /// [`Outputs::check`] fail, and so the run.
    pub fn planes(words: &'a mut [u32], registers: &[u8], capacity: usize) -> Self {
        let mut outputs = Outputs::new(bytemuck::cast_slice_mut(words), Layout::Planes, [None; OUTPUTS]);
        for (i, &register) in registers.iter().enumerate() {
            // Planes beyond all memory are refused when the batch is checked.
            let offset = (16 * i).saturating_mul(capacity);
            outputs.put(register, Place { offset, stride: capacity.saturating_mul(4) });
        }
        outputs
    }

    #[inline(always)]
    fn put(&mut self, register: u8, place: Place) {
        match self.places.get_mut(usize::from(register)) {
            Some(slot) => *slot = Some(place),
            None => self.absent = Some(register),
        }
    }

    /// The registers that have a place, as a mask.
    #[inline]
    pub fn live(&self) -> u32 {
        (0..OUTPUTS).filter(|&r| self.places[r].is_some()).fold(0, |mask, r| mask | 1 << r)
    }

    /// Proves that `count` vertices of every register in the mask `live` fit.
    ///
    /// # Errors
    /// A register without a place, or one whose place reaches behind the memory; one that was named and does not exist.
    #[inline]
    pub fn check(&self, live: u32, count: usize) -> Result<(), StreamError> {
        if let Some(register) = self.absent {
            return Err(StreamError::NoSuchOutput { register });
        }
        let Some(last) = count.checked_sub(1) else { return Ok(()) };
        for register in registers(live) {
            let place =
                self.places.get(register).copied().flatten().ok_or(StreamError::NoPlace { register })?;
            let needed = match self.layout {
                Layout::Rows => last.checked_mul(place.stride).and_then(|at| at.checked_add(16)),
                Layout::Planes => {
                    let planes = place.stride.checked_mul(3);
                    planes.and_then(|at| at.checked_add(last.checked_mul(4)?.checked_add(4)?))
                }
            };
            let needed = needed.and_then(|bytes| bytes.checked_add(place.offset));
            if needed.is_none_or(|needed| needed > self.data.len()) {
                let needed = needed.unwrap_or(usize::MAX);
                return Err(StreamError::OutputTooShort { register, needed, got: self.data.len() });
            }
        }
        Ok(())
    }

    /// Stores one output of the vertex at `position`, which [`Outputs::check`] has accepted.
    ///
    /// # Panics
    /// If it has not: the register does not exist, or its place does not hold the vertex.
    #[inline]
    pub fn store(&mut self, register: usize, position: usize, row: Row) {
        let Some(place) = self.places[register] else { return };
        match self.layout {
            Layout::Rows => {
                let at = place.offset + position * place.stride;
                self.data[at..at + 16].copy_from_slice(bytemuck::bytes_of(&row));
            }
            Layout::Planes => {
                for (c, word) in row.iter().enumerate() {
                    let at = place.offset + c * place.stride + 4 * position;
                    self.data[at..at + 4].copy_from_slice(&word.to_ne_bytes());
                }
            }
        }
    }
}

/// The register numbers in a mask, lowest first.
#[inline]
pub fn registers(mask: impl Into<u32>) -> impl Iterator<Item = usize> {
    let mut mask = mask.into();
    std::iter::from_fn(move || {
        let register = mask.trailing_zeros() as usize;
        mask &= mask.wrapping_sub(1);
        (register < 32).then_some(register)
    })
}

/// A block of vertices copied out of the caller's streams, and room for as many outputs.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Staging {
    /// Per attribute, a float4 row per vertex.
    pub input: [[Row; BLOCK]; ATTRIBUTES],
    /// Per output register, a float4 row per vertex; or four planes of [`BLOCK`] words.
    pub output: [[Row; BLOCK]; OUTPUTS],
}

impl Staging {
    /// An empty area.
    pub fn new() -> Box<Self> {
        Box::new(Staging { input: [[[0; 4]; BLOCK]; ATTRIBUTES], output: [[[0; 4]; BLOCK]; OUTPUTS] })
    }

    /// Copies the attributes in the mask `live` of `count` vertices from `position` on, and pads to whole groups of
    /// `lanes` vertices with the last one.
    ///
    /// # Panics
    /// If the batch has not been checked, there is no vertex to copy, or the padded vertices are more than [`BLOCK`].
    #[inline]
    pub fn load(&mut self, inputs: &Inputs<'_>, live: u16, position: usize, count: usize, lanes: usize) {
        let padded = count.next_multiple_of(lanes);
        for register in registers(live) {
            let rows = &mut self.input[register][..padded];
            match (inputs.attributes[register], inputs.indices) {
                (Attribute::Constant(row), _) => rows.fill(row),
                (Attribute::Stream { data, stride, components: 4 }, None) => {
                    let mut at = position * stride;
                    let mut last = [0; 4];
                    for (i, row) in rows.iter_mut().enumerate() {
                        if i < count {
                            last = read_row(data, at);
                            at += stride;
                        }
                        *row = last;
                    }
                }
                _ => {
                    for (i, row) in rows.iter_mut().enumerate() {
                        *row = inputs.fetch(register, position + i.min(count - 1));
                    }
                }
            }
        }
    }

    /// Copies the outputs in the mask `live` of some of its vertices out; its vertex 0 stands at batch position
    /// `position`.
    ///
    /// # Panics
    /// If the batch has not been checked, or the area does not hold the vertices.
    #[inline]
    pub fn store(&self, outputs: &mut Outputs<'_>, live: u32, position: usize, vertices: Range<usize>) {
        for register in registers(live) {
            let Some(place) = outputs.places[register] else { continue };
            match outputs.layout {
                Layout::Rows => {
                    let mut at = place.offset + (position + vertices.start) * place.stride;
                    for row in &self.output[register][vertices.clone()] {
                        outputs.data[at..at + 16].copy_from_slice(bytemuck::bytes_of(row));
                        at += place.stride;
                    }
                }
                Layout::Planes => {
                    let planes: &[[u32; BLOCK]; 4] = bytemuck::cast_ref(&self.output[register]);
                    for (c, plane) in planes.iter().enumerate() {
                        let words = &plane[vertices.clone()];
                        let at = place.offset + c * place.stride + 4 * (position + vertices.start);
                        outputs.data[at..at + 4 * words.len()].copy_from_slice(bytemuck::cast_slice(words));
                    }
                }
            }
        }
    }
}

/// Four words at a byte offset.
#[inline]
pub(crate) fn read_row(data: &[u8], at: usize) -> Row {
    let bytes: &[u8; 16] = data[at..at + 16].try_into().expect("16 bytes");
    bytemuck::cast(*bytes)
}

/// Streams that do not hold what a batch needs. The caller's fault.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum StreamError {
    /// An attribute stream ends before the last vertex.
    InputTooShort {
        /// IBUF register.
        register: usize,
        /// Highest vertex number of the batch.
        vertex: usize,
        /// Bytes that this vertex needs.
        needed: usize,
        /// Bytes there are.
        got: usize,
    },
    /// An attribute claims fewer than 1 or more than 4 components.
    BadComponents {
        /// IBUF register.
        register: usize,
        /// The claim.
        components: u8,
    },
    /// An attribute was named that does not exist.
    NoSuchInput {
        /// The register asked for.
        register: usize,
    },
    /// An output was named that does not exist.
    NoSuchOutput {
        /// The register asked for.
        register: u8,
    },
    /// The constants are those of another generation, or of another chip's fixed function.
    WrongContext {
        /// Rows that the code is for.
        needed: usize,
        /// Rows there are.
        got: usize,
    },
    /// More vertices than a draw may have.
    TooManyVertices {
        /// Vertices asked for.
        count: usize,
        /// The most there may be.
        limit: usize,
    },
    /// The index list is shorter than the batch.
    TooFewIndices {
        /// Vertices of the batch.
        needed: usize,
        /// Indices there are.
        got: usize,
    },
    /// The program writes a register that the outputs have no place for.
    NoPlace {
        /// TBUF register.
        register: usize,
    },
    /// The place of a register reaches behind the output memory.
    OutputTooShort {
        /// TBUF register.
        register: usize,
        /// Bytes needed.
        needed: usize,
        /// Bytes there are.
        got: usize,
    },
    /// The outputs are laid out in another way than the program was prepared for.
    WrongLayout,
}

impl fmt::Display for StreamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            StreamError::InputTooShort { register, vertex, needed, got } => {
                write!(
                    f,
                    "attribute v{register} is too short: vertex {vertex} needs {needed} bytes, there are {got}"
                )
            }
            StreamError::BadComponents { register, components } => {
                write!(f, "attribute v{register} has {components} components, not 1 to 4")
            }
            StreamError::NoSuchInput { register } => {
                write!(f, "there is no attribute v{register}; the last one is v{}", ATTRIBUTES - 1)
            }
            StreamError::NoSuchOutput { register } => {
                write!(f, "there is no output o{register}; the last one is o{}", OUTPUTS - 1)
            }
            StreamError::WrongContext { needed, got } => {
                write!(f, "the code is for {needed} rows of constants, the context has {got}")
            }
            StreamError::TooManyVertices { count, limit } => {
                write!(f, "{count} vertices are more than the {limit} of a draw")
            }
            StreamError::TooFewIndices { needed, got } => {
                write!(f, "the batch has {needed} vertices, but there are {got} indices")
            }
            StreamError::NoPlace { register } => write!(f, "output o{register} is written but has no place"),
            StreamError::OutputTooShort { register, needed, got } => {
                write!(f, "output o{register} needs {needed} bytes, there are {got}")
            }
            StreamError::WrongLayout => write!(f, "the program was prepared for another output layout"),
        }
    }
}

impl std::error::Error for StreamError {}
