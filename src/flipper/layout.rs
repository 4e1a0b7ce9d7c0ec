//! Vertices in memory of a host, in a layout that the host declares.

use super::memory::Memory;
use super::place::Place;
use crate::xf::Vertices as Sent;
use std::fmt;
use xfjit_isa::chip::flipper::vcd::MATRICES;
use xfjit_isa::chip::flipper::{input, output};

/// What a vertex has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Source {
    /// An attribute as it is fetched, by its register ([`input`]); matrix indices are [`Source::Matrix`].
    Attribute(u8),
    /// A matrix index: of the position (0), of texture coordinates (1 to 8). That of the command processor's registers if the vertex has
    /// none of its own. It is the first component; the others are zeros.
    Matrix(u8),
    /// What leaves the transform unit, by its register ([`output`]).
    Output(u8),
}

/// What components are stored as, in the byte order of the host.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Stored {
    /// Floats of 32 bits; of integers and colours their numbers.
    F32,
    /// Bytes. Of whole numbers alone; what is greater than 255 is 255.
    U8,
    /// Integers of 32 bits. Of whole numbers alone.
    U32,
}

impl Stored {
    /// Bytes of a component.
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
    /// What is stored.
    pub source: Source,
    /// As what.
    pub stored: Stored,
    /// Components, 1 to 4.
    pub components: u8,
    /// Bytes before that of the first vertex.
    pub offset: usize,
    /// Bytes from one vertex to the next.
    pub stride: usize,
}

/// Why there is no such layout, or vertices cannot be stored in one.
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
    /// What is no whole number is to be stored as one.
    NotWhole {
        /// Which element.
        element: usize,
    },
    /// A vertex that has only been fetched has no outputs, and what leaves the transform unit has no attributes.
    Elsewhere {
        /// Which element.
        element: usize,
    },
    /// A unit would have to keep more than [`Layout::MOST_KEPT`] bytes for a draw of 65,535 vertices.
    Wide {
        /// Bytes that these take, if there can be so many.
        bytes: Option<usize>,
    },
    /// The vertices do not end in the memory.
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

/// Where and as what each attribute of vertices is stored. Where elements lie over each other the later one stays.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Layout {
    elements: Vec<Element>,
}

impl Layout {
    /// Bytes that a unit keeps for a draw at most: 4,096 for each of 65,536 vertices.
    pub const MOST_KEPT: usize = 1 << 28;

    /// One of these elements, all of which are of vertices that are fetched, or of what leaves the transform unit.
    ///
    /// # Errors
    /// An element that means nothing.
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

    /// Bytes of memory that so many vertices take, if there can be so many.
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

/// A drawing command by itself, as a host has it.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The command's byte: primitive, and number of the table of formats.
    pub opcode: u8,
    /// Vertices.
    pub count: u16,
    /// Their bytes; more may follow.
    pub bytes: &'a [u8],
    /// What their indices are of.
    pub memory: Memory<'a>,
}
