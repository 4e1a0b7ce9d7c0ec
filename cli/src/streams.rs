//! Vertex streams and constants that users bring to `run`.
//!
//! Vertices: a Wavefront OBJ mesh, a table in text (spaces, tabs, commas or semicolons between the columns) or raw
//! floats. Attributes keep the number of components that the file gives: what is missing up to four is
//! filled with (., 0, 0, 1) where they are used, as the hardware does. Numbers in text follow [`text::bits`].

mod constants;
mod layout;
mod table;

use crate::args::ByteOrder;
use crate::conflicts::Kind;
use crate::fail::Failure;
use crate::files;
use crate::obj::Mesh;
use crate::sort::{self, Wanted};
use crate::text::Flaw;
#[cfg(test)]
pub use constants::parse as parse_constants;
pub use constants::{Constants, constants};
pub use layout::{Binding, Field, MeshAttribute};
use std::path::Path;

/// Input registers.
pub const INPUTS: usize = 16;

/// One attribute of all vertices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attribute {
    /// Vertex after vertex, `components` words each.
    pub words: Vec<u32>,
    /// 1 to 4.
    pub components: usize,
}

/// The input of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vertices {
    /// By input register; None is never given a value by the file.
    pub attributes: [Option<Attribute>; INPUTS],
    /// Vertices in the file.
    pub count: usize,
    /// Three vertices each; empty unless the file is a mesh.
    pub triangles: Vec<[u32; 3]>,
    /// Of a mesh, the `v` statement that each vertex comes from, from 0; otherwise empty.
    pub sources: Vec<u32>,
}

/// What a vertex file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// A Wavefront OBJ mesh.
    Obj,
    /// A table whose first line names the columns: `v0.x v0.y v3`, separated by spaces, commas or semicolons.
    #[value(alias = "csv")]
    Text,
    /// Raw 32-bit floats. --layout describes them; they are little-endian unless --byte-order is given.
    Bin,
}

/// How to read a vertex file.
#[derive(Clone, Debug)]
pub struct Options {
    /// None: go by the extension.
    pub format: Option<Format>,
    /// Where the attributes of a mesh go; empty: [`Binding::DEFAULT`].
    pub map: Vec<Binding>,
    /// What a vertex of a raw file consists of.
    pub layout: Vec<Field>,
    /// How many vertices are wanted; None: all.
    pub count: Option<usize>,
    /// Order of the bytes in a raw file.
    pub order: ByteOrder,
}

impl Default for Options {
    fn default() -> Options {
        Options { format: None, map: Vec::new(), layout: Vec::new(), count: None, order: ByteOrder::Little }
    }
}

impl Options {
    /// What a file holds: as asked for, else by its name.
    pub fn format(&self, path: &Path) -> Result<Format, Failure> {
        self.format.map_or_else(|| format_of(path), Ok)
    }
}

impl Format {
    /// The format as an input of the command.
    pub fn kind(self) -> Kind {
        match self {
            Format::Obj => Kind::Mesh,
            Format::Text => Kind::Table,
            Format::Bin => Kind::RawVertices,
        }
    }
}

/// Reads a vertex file.
pub fn vertices(path: &Path, options: &Options) -> Result<Vertices, Failure> {
    let format = options.format(path)?;
    let mapped = options.map.iter().map(|binding| ("--map", binding.register));
    let laid_out = options.layout.iter().filter_map(|field| Some(("--layout", field.register?)));
    let mut known = Vec::new();
    for named in mapped.chain(laid_out) {
        if known.contains(&named) {
            let (option, register) = named;
            return Err(Failure::Usage(format!("{option} names v{register} twice")));
        }
        known.push(named);
    }
    if format == Format::Bin && options.layout.is_empty() {
        let message = "raw vertices need --layout, for example --layout v0:3,v2:3,v9:2";
        return Err(Failure::Usage(message.to_string()));
    }
    let bytes = sort::read(
        path,
        match format {
            Format::Obj => Wanted::Mesh,
            Format::Text => Wanted::Table,
            Format::Bin => Wanted::Bytes,
        },
    )?;
    parse(&bytes, format, options).map_err(|flaw| Failure::input(files::name(path), flaw))
}

/// Reads vertices from bytes.
pub fn parse(bytes: &[u8], format: Format, options: &Options) -> Result<Vertices, Flaw> {
    let mut vertices = match format {
        Format::Obj => {
            let map = if options.map.is_empty() { Binding::DEFAULT } else { &options.map };
            bind(crate::obj::parse(bytes)?, map)
        }
        Format::Text => table::parse(bytes)?,
        Format::Bin => layout::parse(bytes, &options.layout, options.order)?,
    };
    if let Some(wanted) = options.count {
        if wanted > vertices.count {
            let message = format!("has {} vertices, but --count is {wanted}", vertices.count);
            return Err(Flaw::new(message).help("--count must not be larger than the stream"));
        }
        vertices.count = wanted;
        for attribute in vertices.attributes.iter_mut().flatten() {
            attribute.words.truncate(wanted * attribute.components);
        }
        vertices.sources.truncate(wanted);
        vertices.triangles.retain(|triangle| triangle.iter().all(|&index| (index as usize) < wanted));
    }
    Ok(vertices)
}

/// Spreads a mesh over input registers.
pub fn bind(mesh: Mesh, map: &[Binding]) -> Vertices {
    let mut vertices = Vertices { count: mesh.positions.len(), ..Vertices::default() };
    for binding in map {
        let source = match binding.from {
            MeshAttribute::Position => &mesh.positions,
            MeshAttribute::Normal => &mesh.normals,
            MeshAttribute::Texcoord => &mesh.texcoords,
            MeshAttribute::Color => &mesh.colors,
        };
        let words = source.iter().flatten().map(|value| value.to_bits()).collect();
        vertices.attributes[binding.register % INPUTS] = Some(Attribute { words, components: 4 });
    }
    (vertices.triangles, vertices.sources) = (mesh.triangles, mesh.sources);
    vertices
}

fn format_of(path: &Path) -> Result<Format, Failure> {
    match files::extension(path).as_str() {
        "obj" => Ok(Format::Obj),
        "csv" | "tsv" | "txt" | "vtx" => Ok(Format::Text),
        "bin" | "raw" | "f32" => Ok(Format::Bin),
        "" if files::is_dash(path) => Ok(Format::Text),
        // What is no file has no format either.
        _ if path.is_dir() || !path.exists() => Err(files::read(path).expect_err("it is no file")),
        _ => Err(Failure::Usage(format!(
            "the name of {} does not show its format, as .obj, .txt and .bin do (or --vertex-format of `xfjit run`)",
            path.display()
        ))),
    }
}

#[cfg(test)]
mod tests;
