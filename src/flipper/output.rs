//! The output of the unit, in the order of the commands that made it.

use super::registers::Registers;
use crate::xf::Vertices;
use xfjit_isa::chip::flipper::memory::Memory as Words;
use xfjit_isa::chip::flipper::opcode::Primitive;
use xfjit_isa::chip::flipper::registers as xf;
use xfjit_isa::chip::flipper::vcd::{Attribute, Source};
use xfjit_isa::chip::flipper::{output, triangle};
use xfjit_runtime::fpenv::FpEnv;
use xfjit_runtime::state::Row;

/// One output of the unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Output<'a> {
    /// The vertices of a drawing command.
    Drawn(Drawn<'a>),
    /// A register after the transform unit, and the loaded value of 24 bits.
    LoadBp(u8, u32),
    /// The unit begins to read a list: its address, and its size in bytes.
    Call(u32, u32),
    /// The vertex cache is emptied.
    InvalidateVertices,
    /// A byte that begins no command.
    Unknown(u8),
}

/// A setting in which the command processor and the transform unit disagree. The console hangs in these cases, except for matrix indices.
/// Here the command processor decides what vertices have, and matrices are those of the transform unit.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Disagreement {
    /// The number of colours.
    pub colours: bool,
    /// The number of normals: none, one, three.
    pub normals: bool,
    /// The number of texture coordinates.
    pub texcoords: bool,
    /// Matrix indices of vertices that have none of their own.
    pub matrices: bool,
    /// Vertices have no position, so the transform unit has nothing to transform. UNKNOWN: what the console does; here positions are zeros.
    pub positions: bool,
}

impl Disagreement {
    /// Of vertices of a table of formats (flipper.md 2, INVTXSPEC; 1.2).
    pub fn new(registers: &Registers, vat: usize, words: &Words) -> Disagreement {
        let has = |attribute: Attribute| registers.vcd.source(attribute) != Source::Absent;
        let count = |attributes: &[Attribute]| attributes.iter().filter(|&&a| has(a)).count() as u32;
        let normals = match has(Attribute::Normal) {
            false => 0,
            true if registers.vats[vat % registers.vats.len()].has_tangents() => 2,
            true => 1,
        };
        let spec = words.word(xf::VERTEX_SPEC);
        let indices = [xf::MATRIX_INDEX_A, xf::MATRIX_INDEX_B].map(|register| words.word(register));
        let differ = |number: usize| {
            // Their fields are those of the registers of the same names.
            let (register, field) = xf::MATRIX_INDICES[number];
            let at = usize::from(register != xf::MATRIX_INDEX_A);
            !registers.vcd.has_matrix(number) && field.of(indices[at]) != field.of(registers.matrices[at])
        };
        Disagreement {
            colours: xf::SPEC_COLOURS.of(spec) != count(&Attribute::ALL[2..4]),
            // 3 is as 2: a console showed it.
            normals: xf::SPEC_NORMALS.of(spec).min(2) != normals,
            texcoords: xf::SPEC_TEXCOORDS.of(spec) != count(&Attribute::ALL[4..]),
            matrices: (0..xf::MATRIX_INDICES.len()).any(differ),
            positions: !has(Attribute::Position),
        }
    }

    /// Whether it is one.
    pub fn is_any(self) -> bool {
        self.colours || self.normals || self.texcoords || self.matrices || self.positions
    }
}

/// A triangle of a draw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Triangle {
    /// Its vertices, by their positions among the drawn ones.
    pub vertices: [usize; 3],
    /// Whether it shows its back face.
    pub is_back: bool,
    /// Whether all of it is outside of one clip plane, so it is not drawn.
    pub is_rejected: bool,
}

/// The output of a drawing command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Drawn<'a> {
    /// The primitive that the vertices form.
    pub primitive: Primitive,
    /// The number of vertices in the command, including those whose position was left out.
    pub given: u16,
    /// The vertices, in order: registers of [`xfjit_isa::chip::flipper::output`]. They do not include channels and texture coordinates that
    /// the unit does not output, or outputs that were not requested; they do include clip position and clip mask.
    pub vertices: Vertices<'a>,
    /// The settings in which the command processor and the transform unit disagree.
    pub disagreement: Disagreement,
    /// The vertices in the layout that the host has declared ([`FlipperUnit::set_layout`](super::FlipperUnit::set_layout)); empty if memory
    /// was missing.
    pub stored: Option<&'a [u8]>,
    /// The viewport's scale of y, which decides what is a back.
    pub(super) scale: u32,
    /// UNKNOWN, but for what documents call it: whether triangles that lie outside are drawn all the same.
    pub(super) keeps_rejected: bool,
}

impl Drawn<'_> {
    /// The triangles that the vertices form; lines and points form none.
    pub fn triangles(&self) -> impl ExactSizeIterator<Item = Triangle> {
        (0..triangle::count(self.primitive, self.vertices.count)).map(|number| self.triangle(number))
    }

    fn triangle(&self, number: usize) -> Triangle {
        let vertices = triangle::vertices(self.primitive, number);
        let register = |register: usize| -> [Row; 3] {
            vertices.map(|at| self.vertices.register(at, register as u8).unwrap_or_default())
        };
        let masks = register(output::FLAGS).map(|[mask, ..]| mask);
        let clip = register(output::CLIP);
        Triangle {
            vertices,
            is_back: FpEnv::Default.within(|| triangle::is_back(clip, self.scale)),
            is_rejected: !self.keeps_rejected && triangle::is_rejected(masks),
        }
    }
}
