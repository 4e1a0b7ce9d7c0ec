//! Which part of a file goes to which input register, and raw vertex data.

use super::{Attribute, INPUTS, Vertices};
use crate::args::ByteOrder;
use crate::text::{Flaw, clip};
use std::str::FromStr;
use xfjit::runtime::format::{self, Encoding, Format};

/// The number of an input register written `v9`.
pub fn register(text: &str) -> Option<usize> {
    let digits = text.strip_prefix('v').or_else(|| text.strip_prefix('V'))?;
    if !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok().filter(|&number| number < INPUTS)
}

/// An attribute of a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshAttribute {
    /// `v`
    Position,
    /// `vn`
    Normal,
    /// `vt`
    Texcoord,
    /// The colour behind the position.
    Color,
}

/// An input register and the mesh attribute it gets: `v9=texcoord`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Binding {
    /// Input register.
    pub register: usize,
    /// What it gets.
    pub from: MeshAttribute,
}

impl Binding {
    /// The registers that Direct3D gives these attributes.
    pub const DEFAULT: &[Binding] = &[
        Binding { register: 0, from: MeshAttribute::Position },
        Binding { register: 2, from: MeshAttribute::Normal },
        Binding { register: 9, from: MeshAttribute::Texcoord },
    ];
}

impl FromStr for Binding {
    type Err = String;

    fn from_str(text: &str) -> Result<Binding, String> {
        let (name, from) = text.split_once('=').ok_or("expected REGISTER=ATTRIBUTE, as in v9=texcoord")?;
        let register = register(name.trim()).ok_or_else(|| bad_register(name))?;
        let from = match from.trim() {
            "position" => MeshAttribute::Position,
            "normal" => MeshAttribute::Normal,
            "texcoord" => MeshAttribute::Texcoord,
            "color" | "colour" => MeshAttribute::Color,
            other => {
                return Err(format!(
                    "`{}` is not an attribute of a mesh (position, normal, texcoord, color)",
                    clip(other)
                ));
            }
        };
        Ok(Binding { register, from })
    }
}

/// The most components that are passed over at once.
const MOST_PASSED: usize = 1024;

/// A stretch of a raw vertex: `v2:3`, `v3:ub_d3d:4` in another format than floats, or `_:1` for what to pass over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Input register; None is passed over.
    pub register: Option<usize>,
    /// What the codes are.
    pub encoding: Encoding,
    /// As many as an element has; any number if passed over.
    pub components: usize,
}

impl Field {
    fn bytes(self) -> usize {
        match self.register {
            Some(_) => self.encoding.bytes(self.components as u8),
            // What could be an attribute is passed over as that; more are components that follow each other.
            None => match element(self.encoding, self.components) {
                Some(components) => self.encoding.bytes(components),
                None => self.encoding.bytes(1) * self.components,
            },
        }
    }
}

impl FromStr for Field {
    type Err = String;

    fn from_str(text: &str) -> Result<Field, String> {
        let (name, count) = text.split_once(':').ok_or("expected REGISTER:COMPONENTS, as in v0:3")?;
        let name = name.trim();
        let register = match name {
            "_" => None,
            _ => Some(register(name).ok_or_else(|| bad_register(name))?),
        };
        let (encoding, count) = match count.split_once(':') {
            None => (Encoding::Float, count),
            Some((name, count)) => {
                let encoding = Encoding::from_text(name.trim());
                (encoding.ok_or_else(|| no_format(name))?, count)
            }
        };
        let size: Option<usize> = count.trim().parse().ok();
        let follow = encoding.bytes(2) == 2 * encoding.bytes(1);
        let components = size.and_then(|size| match element(encoding, size) {
            Some(components) => Some(components.into()),
            None => {
                Some(size).filter(|size| register.is_none() && follow && (1..=MOST_PASSED).contains(size))
            }
        });
        let components = components.ok_or_else(|| {
            format!("`{}` is not a number of components of `{}`", clip(count), encoding.text())
        })?;
        Ok(Field { register, encoding, components })
    }
}

/// The components of an element that is said to have so many, if there is one.
fn element(encoding: Encoding, size: usize) -> Option<u8> {
    encoding.components(size.try_into().ok()?)
}

fn no_format(name: &str) -> String {
    let names: Vec<&str> = Encoding::ALL.iter().map(|encoding| encoding.text()).collect();
    format!("`{}` is not a format ({})", clip(name), names.join(", "))
}

fn bad_register(name: &str) -> String {
    format!("`{}` is not an input register (v0 to v15)", clip(name))
}

/// Vertices from raw memory.
pub fn parse(bytes: &[u8], layout: &[Field], order: ByteOrder) -> Result<Vertices, Flaw> {
    let order = match (order, cfg!(target_endian = "big")) {
        (ByteOrder::Little, false) | (ByteOrder::Big, true) => format::ByteOrder::Host,
        (ByteOrder::Little, true) | (ByteOrder::Big, false) => format::ByteOrder::Swapped,
    };
    let stride = layout.iter().map(|field| field.bytes()).sum::<usize>();
    if stride == 0 {
        return Err(Flaw::new("has no layout"));
    }
    let count = bytes.len() / stride;
    if !bytes.len().is_multiple_of(stride) {
        let message = format!(
            "ends inside vertex {count}: {} bytes are not a multiple of {stride}, the bytes of one vertex",
            bytes.len()
        );
        return Err(
            Flaw::new(message).help("check that --layout names everything in the file; `_:N` skips N floats")
        );
    }
    let mut vertices = Vertices { count, ..Vertices::default() };
    let mut offset = 0;
    for field in layout {
        if let Some(register) = field.register {
            let format = Format { order, ..Format::host(field.encoding, field.components as u8) };
            let values = bytes.chunks_exact(stride).map(|vertex| format.read(&vertex[offset..]));
            let words = values.flat_map(|row| row.into_iter().take(field.components)).collect();
            let slot = &mut vertices.attributes[register % INPUTS];
            if slot.is_some() {
                return Err(Flaw::new(format!("has v{register} twice in its layout")));
            }
            *slot = Some(Attribute { words, components: field.components });
        }
        offset += field.bytes();
    }
    Ok(vertices)
}
