//! Vertices in the memory of a host, in a layout that the host declares.

use super::memory::Memory;
use super::place::Place;
use crate::xf::Vertices as Sent;
use std::fmt;
use xfjit_isa::chip::flipper::vcd::MATRICES;
use xfjit_isa::chip::flipper::{input, output};

/// A part of a vertex.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Source {
    /// A fetched attribute, by its register ([`input`]); matrix indices are [`Source::Matrix`].
    Attribute(u8),
    /// A matrix index: of the position (0), or of texture coordinates (1 to 8). If the vertex has none of its own, the command processor's
    /// registers give it. It is the first component; the others are zeros.
    Matrix(u8),
    /// An output of the transform unit, by its register ([`output`]).
    Output(u8),
}

/// How components are stored, in the byte order of the host.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Stored {
    /// Floats of 32 bits; integers and colours are converted to floats.
    F32,
    /// Bytes, only for whole numbers; numbers greater than 255 become 255.
    U8,
    /// Integers of 32 bits, only for whole numbers.
    U32,
}

impl Stored {
    /// The size of a component in bytes.
    pub const fn bytes(self) -> usize {
        match self {
            Stored::F32 | Stored::U32 => 4,
            Stored::U8 => 1,
        }
    }
}

/// How the words of a source are numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// Floats.
    Float,
    /// Floats that are whole numbers from 0 to 255.
    Whole,
    /// Integers.
    Integer,
}

impl Source {
    pub(super) fn kind(self) -> Option<Kind> {
        const LAST: usize = output::COUNT - 1;
        Some(match self {
            Source::Attribute(register) => match usize::from(register) {
                input::COLOUR..input::TEXCOORD => Kind::Whole,
                ..input::MATRICES => Kind::Float,
                _ => return None,
            },
            Source::Matrix(number) if usize::from(number) < MATRICES => Kind::Integer,
            Source::Matrix(_) => return None,
            Source::Output(register) => match usize::from(register) {
                output::COLOUR..output::TEXCOORD | output::FLAGS => Kind::Integer,
                ..=LAST => Kind::Float,
                _ => return None,
            },
        })
    }
}

/// One attribute of a layout.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Element {
    /// The part of the vertex.
    pub source: Source,
    /// How it is stored.
    pub stored: Stored,
    /// The number of components, 1 to 4.
    pub components: u8,
    /// The byte offset of the first vertex's value.
    pub offset: usize,
    /// Bytes from one vertex to the next.
    pub stride: usize,
}

/// Why a layout is invalid, or vertices cannot be stored in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum LayoutError {
    /// An element's source does not exist.
    NoSource {
        /// Which element.
        element: usize,
    },
    /// An element has no components, or more than four.
    Components {
        /// Which element.
        element: usize,
    },
    /// A number that is not whole is to be stored as a whole number.
    NotWhole {
        /// Which element.
        element: usize,
    },
    /// A fetched vertex has no outputs, and an output of the transform unit has no attributes.
    Elsewhere {
        /// Which element.
        element: usize,
    },
    /// For a draw of 65,535 vertices, a unit would have to keep more than [`Layout::MOST_KEPT`] bytes.
    Wide {
        /// Bytes that these take, if there can be so many.
        bytes: Option<usize>,
    },
    /// The vertices do not fit into the memory.
    Memory {
        /// Bytes that there are.
        got: usize,
        /// Bytes that there should be, if so many can be.
        needed: Option<usize>,
    },
    /// The command has fewer bytes than its vertices.
    Incomplete {
        /// Bytes that its vertices have.
        needed: usize,
    },
}

impl fmt::Display for LayoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LayoutError::NoSource { element } => write!(f, "element {element}: there is no such source"),
            LayoutError::Components { element } => {
                write!(f, "element {element}: there must be 1 to 4 components")
            }
            LayoutError::NotWhole { element } => {
                write!(f, "element {element}: floats can be stored only as floats")
            }
            LayoutError::Elsewhere { element } => {
                write!(
                    f,
                    "element {element}: inputs are allowed only when fetching, outputs only when transforming"
                )
            }
            LayoutError::Wide { bytes } => {
                write!(f, "a draw of {} vertices would take ", u16::MAX)?;
                match bytes {
                    Some(bytes) => write!(f, "{bytes} bytes")?,
                    None => write!(f, "more than all memory")?,
                }
                write!(f, "; {} is the most", Layout::MOST_KEPT)
            }
            LayoutError::Memory { got, needed: Some(needed) } => {
                write!(f, "the vertices need {needed} bytes, but there are {got}")
            }
            LayoutError::Memory { needed: None, .. } => write!(f, "the vertices exceed the address space"),
            LayoutError::Incomplete { needed } => write!(f, "the vertices need {needed} bytes"),
        }
    }
}

impl std::error::Error for LayoutError {}

/// Where and how each attribute of vertices is stored. If elements overlap, the later one wins.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Layout {
    elements: Vec<Element>,
}

impl Layout {
    /// The most bytes that a unit keeps for a draw: 4,096 for each of 65,536 vertices.
    pub const MOST_KEPT: usize = 1 << 28;

    /// Creates a layout of these elements: all of them are attributes of fetched vertices, or all are outputs of the transform unit.
    ///
    /// # Errors
    /// An invalid element.
    pub fn new(elements: &[Element]) -> Result<Layout, LayoutError> {
        for (number, element) in elements.iter().enumerate() {
            let kind = element.source.kind().ok_or(LayoutError::NoSource { element: number })?;
            if !(1..=4).contains(&element.components) {
                return Err(LayoutError::Components { element: number });
            }
            if kind == Kind::Float && element.stored != Stored::F32 {
                return Err(LayoutError::NotWhole { element: number });
            }
        }
        Ok(Layout { elements: elements.to_vec() })
    }

    /// Its elements.
    pub fn elements(&self) -> &[Element] {
        &self.elements
    }

    /// The registers of the outputs that it has, as a mask.
    pub fn outputs(&self) -> u32 {
        self.elements.iter().fold(0, |mask, element| match element.source {
            Source::Output(register) => mask | 1 << register,
            Source::Attribute(_) | Source::Matrix(_) => mask,
        })
    }

    /// The bytes of memory that this many vertices take, if that is possible.
    pub fn bytes(&self, count: usize) -> Option<usize> {
        let Some(last) = count.checked_sub(1) else { return Some(0) };
        self.elements.iter().try_fold(0, |most: usize, element| {
            let own = usize::from(element.components) * element.stored.bytes();
            let end = last.checked_mul(element.stride)?.checked_add(element.offset)?.checked_add(own)?;
            Some(most.max(end))
        })
    }

    /// That memory holds so many vertices.
    pub(super) fn check(&self, count: usize, memory: &[u8]) -> Result<(), LayoutError> {
        let needed = self.bytes(count);
        match needed.is_some_and(|needed| needed <= memory.len()) {
            true => Ok(()),
            false => Err(LayoutError::Memory { got: memory.len(), needed }),
        }
    }

    /// That memory for any draw is not too much to be kept.
    pub(super) fn check_width(&self) -> Result<(), LayoutError> {
        match self.bytes(u16::MAX.into()) {
            Some(..=Layout::MOST_KEPT) => Ok(()),
            bytes => Err(LayoutError::Wide { bytes }),
        }
    }

    /// That all elements are of outputs, or none is.
    pub(super) fn check_sources(&self, are_outputs: bool) -> Result<(), LayoutError> {
        let is_output = |element: &Element| matches!(element.source, Source::Output(_));
        match self.elements.iter().position(|element| is_output(element) != are_outputs) {
            Some(element) => Err(LayoutError::Elsewhere { element }),
            None => Ok(()),
        }
    }

    /// Bytes from one vertex to the next, if all elements of a vertex lie within as many.
    pub(super) fn stride(&self) -> Option<usize> {
        let stride = self.elements.first()?.stride;
        let is_within = |element: &Element| {
            let own = usize::from(element.components) * element.stored.bytes();
            element.stride == stride && element.offset.checked_add(own).is_some_and(|end| end <= stride)
        };
        self.elements.iter().all(is_within).then_some(stride)
    }

    /// Stores what leaves the transform unit, in memory that holds it. What is not sent is zeros.
    pub(super) fn store_outputs(&self, sent: &Sent<'_>, to: &mut [u8]) {
        self.store(to, |source, mut place| match source {
            Source::Output(register) => match sent.column(register) {
                Some(rows) => place.store(rows),
                None => place.store(std::iter::repeat_n([0; 4], sent.count)),
            },
            Source::Attribute(_) | Source::Matrix(_) => {}
        });
    }

    /// Stores vertices element by element: each source fills its place, of as many vertices as memory holds.
    pub(super) fn store(&self, to: &mut [u8], mut fill: impl FnMut(Source, Place<'_>)) {
        for &element in &self.elements {
            fill(element.source, Place::new(element, to));
        }
    }
}

/// A single drawing command of a host.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The command's byte: the primitive, and the number of the table of formats.
    pub opcode: u8,
    /// The number of vertices.
    pub count: u16,
    /// The bytes of the vertices; more may follow.
    pub bytes: &'a [u8],
    /// The memory that their indices refer to.
    pub memory: Memory<'a>,
}
