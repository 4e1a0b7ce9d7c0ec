//! The errors of a call.

use crate::encoding::Encoding;
use crate::format::{ByteOrder, Format};
use crate::registers::{ATTRIBUTES, OUTPUTS};
use std::collections::TryReserveError;
use std::fmt;

/// Streams that do not hold what a batch needs. This is the caller's fault.
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
    /// An attribute was set that does not exist.
    NoSuchInput {
        /// The register asked for.
        register: usize,
    },
    /// An output was set that does not exist.
    NoSuchOutput {
        /// The register asked for.
        register: u8,
    },
    /// The constants belong to another generation, or to another chip's fixed function.
    WrongContext {
        /// Rows that the code is for.
        needed: usize,
        /// Rows there are.
        got: usize,
    },
    /// The program writes constants, and the caller lent them read-only.
    ConstantsAreReadOnly,
    /// The caller did not give a byte for each row that may be written.
    TooFewDirtyBytes {
        /// Rows that the code is for.
        needed: usize,
        /// Bytes there are.
        got: usize,
    },
    /// The batch was bound for a program that needs something else.
    OtherNeeds,
    /// The requested part is not a part of the batch.
    NoSuchPart {
        /// Where the part ends, or begins if it ends before that.
        end: usize,
        /// Vertices of the batch.
        count: usize,
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
    /// The outputs have no place for a register that is one of the program's live outputs.
    NoPlace {
        /// TBUF register.
        register: usize,
    },
    /// The memory of an output ends before the last vertex.
    OutputTooShort {
        /// TBUF register.
        register: usize,
        /// Bytes needed from the output's base on.
        needed: usize,
        /// Bytes there are.
        got: usize,
    },
    /// The planes of an output overlap: their contents would depend on the order of writes.
    PlanesOverlap {
        /// TBUF register.
        register: usize,
        /// Bytes from plane to plane.
        stride: usize,
        /// Bytes that a plane takes.
        needed: usize,
    },
    /// The program writes constants, so the order of its vertices, and how often each runs, would be visible.
    OrderIsVisible,
    /// An attribute does not find its values through the index list of the draw.
    NotOfTheIndex {
        /// IBUF register.
        register: usize,
    },
    /// The least index of an attribute, plus its base, is less than 0.
    IndexBelowZero {
        /// IBUF register.
        register: usize,
        /// The sum.
        vertex: i64,
    },
    /// An attribute has components that the program was prepared to ignore, or it has a memory format that the program cannot read and that
    /// nothing converts.
    WrongInputLayout {
        /// IBUF register.
        register: usize,
        /// What the program was prepared for.
        expected: Format,
        /// What there is; none for a constant.
        got: Option<Format>,
    },
    /// The outputs have another layout than the one that the program was prepared for.
    WrongLayout,
    /// A batch was cut into parts, and its caller has not run each of them once. Some of the outputs may have been written.
    PartsNotRun {
        /// Parts of the batch.
        parts: usize,
        /// Those that ran.
        ran: usize,
        /// Calls for a part that had begun before, or that there is not.
        refused: usize,
    },
    /// The system lacks the memory for a list or a draw of this length.
    OutOfMemory,
}

impl From<TryReserveError> for StreamError {
    fn from(_: TryReserveError) -> Self {
        StreamError::OutOfMemory
    }
}

impl fmt::Display for StreamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            StreamError::InputTooShort { register, vertex, needed, got } => {
                write!(
                    f,
                    "attribute v{register} is too short: vertex {vertex} needs {needed} bytes, but it has {got}"
                )
            }
            StreamError::BadComponents { register, components } => {
                write!(
                    f,
                    "attribute v{register} has {components} components, which its encoding does not allow"
                )
            }
            StreamError::NoSuchInput { register } => {
                write!(f, "there is no attribute v{register}; the last one is v{}", ATTRIBUTES - 1)
            }
            StreamError::NoSuchOutput { register } => {
                write!(f, "there is no output o{register}; the last one is o{}", OUTPUTS - 1)
            }
            StreamError::WrongContext { needed, got } => {
                write!(f, "the code needs {needed} rows of constants; the context has {got}")
            }
            StreamError::ConstantsAreReadOnly => {
                write!(f, "the program writes constants, but they are read-only")
            }
            StreamError::TooFewDirtyBytes { needed, got } => {
                write!(f, "the program may write {needed} rows of constants; there are {got} dirty bytes")
            }
            StreamError::OtherNeeds => {
                write!(f, "the batch was bound for a program with other needs")
            }
            StreamError::NoSuchPart { end, count } => {
                write!(f, "the part ends at vertex {end}; the batch has {count}")
            }
            StreamError::TooManyVertices { count, limit } => {
                write!(f, "{count} vertices exceed the limit of {limit} in a draw")
            }
            StreamError::TooFewIndices { needed, got } => {
                write!(f, "the batch has {needed} vertices, but there are {got} indices")
            }
            StreamError::NoPlace { register } => {
                write!(f, "output o{register} is in live_outputs, but has no memory")
            }
            StreamError::OutputTooShort { register, needed, got } => {
                write!(f, "output o{register} needs {needed} bytes, but has {got}")
            }
            StreamError::PlanesOverlap { register, stride, needed } => {
                write!(f, "planes of output o{register} are {stride} bytes apart, but need {needed} bytes")
            }
            StreamError::OrderIsVisible => {
                write!(f, "the program writes constants, so its vertices must run in order, all of them")
            }
            StreamError::NotOfTheIndex { register } => {
                write!(f, "attribute v{register} is not read through the index list of the draw")
            }
            StreamError::IndexBelowZero { register, vertex } => {
                write!(f, "attribute v{register} is read at vertex {vertex}, before its first")
            }
            StreamError::WrongInputLayout { register, expected, got } => {
                let expected = Told(expected);
                match got {
                    Some(got) => write!(f, "attribute v{register} is {}", Told(got)),
                    None => write!(f, "attribute v{register} is a constant"),
                }?;
                write!(f, "; the program's input layout expects {expected}")
            }
            StreamError::WrongLayout => write!(f, "the program was compiled for another output layout"),
            StreamError::PartsNotRun { .. } => {
                f.write_str("each part of a batch must run once; not every part did")
            }
            StreamError::OutOfMemory => write!(f, "there is not enough memory for the vertices"),
        }
    }
}

impl std::error::Error for StreamError {}

/// A format in a sentence, with its byte order.
struct Told(Format);

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Format { encoding, components, order, .. } = self.0;
        match (encoding, components) {
            (Encoding::Float, 1) => f.write_str("1 float"),
            (Encoding::Float, _) => write!(f, "{components} floats"),
            _ => self.0.fmt(f),
        }?;
        f.write_str(if order == ByteOrder::Swapped { " of the other byte order" } else { "" })
    }
}
