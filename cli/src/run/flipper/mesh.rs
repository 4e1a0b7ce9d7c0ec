//! What a stream of Flipper's has drawn, as a picture and as a mesh.
//!
//! Pictures have what is drawn as the screen has it: rejected triangles are left out, backs are not, since culling is behind the unit.
//! Meshes have what is drawn where it is in eye space, since normals are there, and nothing is left out of them. Textures are neither's.

use crate::args::Run;
use crate::drawing::View;
use crate::fail::{Failure, warning};
use crate::files;
use std::fmt::Write;
use xfjit::chip::flipper::opcode::Primitive;
use xfjit::chip::flipper::output;
use xfjit::flipper::{Drawn, Output};

/// Vertices that are kept.
const MOST: usize = 1 << 22;
/// What the screen's positions have too much (flipper.md 3.3).
const SCREEN_OFFSET: f64 = 342.0;

/// One draw.
struct Draw {
    primitive: Primitive,
    /// Its first vertex among all, and how many it has.
    first: usize,
    count: usize,
    has_normals: bool,
    has_texcoords: bool,
}

/// All that has been drawn in one frame.
#[derive(Default)]
pub(super) struct Mesh {
    draws: Vec<Draw>,
    clip: Vec<[f32; 4]>,
    screen: Vec<[f32; 4]>,
    eye: Vec<[f32; 4]>,
    normals: Vec<[f32; 4]>,
    /// Of vertices that have one.
    colours: Vec<Option<[f32; 3]>>,
    texcoords: Vec<[f32; 4]>,
    /// Triangles that are not rejected.
    triangles: Vec<[u32; 3]>,
    too_many: bool,
}

impl Mesh {
    /// Keeps what leaves, if it is drawn.
    pub(super) fn take(&mut self, output: &Output<'_>) {
        let Output::Drawn(drawn) = output else { return };
        let count = drawn.vertices.count;
        if self.clip.len() + count > MOST {
            self.too_many = true;
            return;
        }
        let first = self.clip.len();
        self.draws.push(Draw {
            primitive: drawn.primitive,
            first,
            count,
            has_normals: count > 0 && (0..count).all(|at| is_normal(drawn, at)),
            has_texcoords: count > 0 && drawn.vertices.register(0, output::TEXCOORD as u8).is_some(),
        });
        (0..count).for_each(|at| self.vertex(drawn, at));
        let seen = drawn.triangles().filter(|triangle| !triangle.is_rejected);
        self.triangles.extend(seen.map(|triangle| triangle.vertices.map(|at| (first + at) as u32)));
    }

    fn vertex(&mut self, drawn: &Drawn<'_>, at: usize) {
        let row = |register: usize| drawn.vertices.register(at, register as u8);
        let floats = |register: usize| row(register).unwrap_or_default().map(f32::from_bits);
        self.clip.push(floats(output::CLIP));
        self.screen.push(floats(output::SCREEN));
        self.eye.push(floats(output::EYE));
        self.normals.push(floats(output::NORMAL));
        self.texcoords.push(floats(output::TEXCOORD));
        let colour = row(output::COLOUR).map(|[r, g, b, _]| [r, g, b].map(|c| c.min(255) as f32 / 255.0));
        self.colours.push(colour);
    }

    /// Whether nothing has been drawn.
    pub(super) fn is_empty(&self) -> bool {
        self.clip.is_empty()
    }

    /// Writes the picture and the mesh that are asked for.
    pub(super) fn finish(&self, args: &Run) -> Result<(), Failure> {
        if self.too_many {
            return Err(Failure::Unsupported(format!("there are more than {MOST} vertices")));
        }
        if self.is_empty() {
            return Err(Failure::Unsupported("nothing is drawn, so there is no picture or mesh".to_owned()));
        }
        self.picture(args)?;
        if let Some(path) = &args.drawing.obj {
            files::write(path, self.text().as_bytes())?;
        }
        Ok(())
    }

    fn picture(&self, args: &Run) -> Result<(), Failure> {
        if args.drawing.draw.is_none() {
            return Ok(());
        }
        let flat = self.draws.iter().filter(|draw| is_flat(draw.primitive) && draw.count > 0).count();
        if flat > 0 {
            let count = self.draws.len();
            warning(format_args!("{flat} of {count} draws are lines or points; the picture leaves them out"));
        }
        let outputs: Vec<[f64; 4]> = match args.drawing.view.unwrap_or_default() {
            View::Window => {
                let places = self.screen.iter().map(|row| row.map(f64::from));
                places.map(|[x, y, z, w]| [x - SCREEN_OFFSET, y - SCREEN_OFFSET, z, w]).collect()
            }
            // The unit's depth is from -w to 0.
            View::Fit | View::Clip => {
                let places = self.clip.iter().map(|row| row.map(f64::from));
                places.map(|[x, y, z, w]| [x, y, z + w, w]).collect()
            }
        };
        // Without a channel a draw is white; without any the picture shows what faces it.
        let has_colours = self.colours.iter().any(Option::is_some);
        let colours = has_colours.then(|| self.colours.iter().map(|c| c.unwrap_or([1.0; 3])).collect());
        args.drawing.paint(&outputs, colours, &self.triangles)
    }

    /// The mesh: a group for each draw, whose faces are those of its primitive.
    fn text(&self) -> String {
        let mut text =
            "# positions and normals are in eye space, texture coordinates are the first ones that are output\n".to_owned();
        let (mut normals, mut texcoords, mut lost) = (0, 0, 0);
        for (number, draw) in self.draws.iter().enumerate() {
            let _ = writeln!(text, "g draw{number}_{}", draw.primitive.name().replace(' ', "_"));
            let all = draw.first..draw.first + draw.count;
            for at in all.clone() {
                let [x, y, z, _] = self.eye[at];
                // A line has to be there for each, and infinities have no text in such a file.
                let [x, y, z] = if self.is_finite(draw, at) { [x, y, z] } else { [0.0; 3] };
                let _ = write!(text, "v {x} {y} {z}");
                if let Some([r, g, b]) = self.colours[at] {
                    let _ = write!(text, " {r} {g} {b}");
                }
                text.push('\n');
            }
            let finite = |at: usize, row: [f32; 4]| if self.is_finite(draw, at) { row } else { [0.0; 4] };
            if draw.has_normals {
                for at in all.clone() {
                    let [x, y, z, _] = finite(at, self.normals[at]);
                    let _ = writeln!(text, "vn {x} {y} {z}");
                }
            }
            if draw.has_texcoords {
                for at in all.clone() {
                    let [s, t, q, _] = finite(at, self.texcoords[at]);
                    let _ = writeln!(text, "vt {s} {t} {q}");
                }
            }
            let corner = |at: usize| {
                let vertex = draw.first + at + 1;
                match (draw.has_texcoords, draw.has_normals) {
                    (true, true) => format!("{vertex}/{}/{}", texcoords + at + 1, normals + at + 1),
                    (true, false) => format!("{vertex}/{}", texcoords + at + 1),
                    (false, true) => format!("{vertex}//{}", normals + at + 1),
                    (false, false) => vertex.to_string(),
                }
            };
            for (letter, face) in faces(draw.primitive, draw.count) {
                if !face.iter().all(|at| self.is_finite(draw, draw.first + at)) {
                    lost += 1;
                    continue;
                }
                // Lines and points have no normals there.
                let corners: Vec<String> = match letter {
                    'f' => face.iter().map(|&at| corner(at)).collect(),
                    _ => face.iter().map(|at| (draw.first + at + 1).to_string()).collect(),
                };
                let _ = writeln!(text, "{letter} {}", corners.join(" "));
            }
            normals += if draw.has_normals { draw.count } else { 0 };
            texcoords += if draw.has_texcoords { draw.count } else { 0 };
        }
        if lost > 0 {
            warning(format_args!("{lost} faces are left out: one of their numbers is infinite or NaN"));
        }
        text
    }

    /// Whether a mesh can hold the numbers of a vertex.
    fn is_finite(&self, draw: &Draw, at: usize) -> bool {
        let finite = |row: &[f32; 4]| row[..3].iter().all(|number| number.is_finite());
        finite(&self.eye[at])
            && (!draw.has_normals || finite(&self.normals[at]))
            && (!draw.has_texcoords || finite(&self.texcoords[at]))
    }
}

/// Whether a vertex has a normal: of those that lack it, and of one of no length, it is no number.
fn is_normal(drawn: &Drawn<'_>, at: usize) -> bool {
    let row = drawn.vertices.register(at, output::NORMAL as u8);
    row.is_some_and(|[x, y, z, _]| [x, y, z].iter().all(|&word| f32::from_bits(word).is_finite()))
}

/// Whether a primitive has no triangles.
fn is_flat(primitive: Primitive) -> bool {
    matches!(primitive, Primitive::Lines | Primitive::LineStrip | Primitive::Points)
}

/// The faces of so many vertices, as a mesh has them: polygons (f), lines (l), points (p).
fn faces(primitive: Primitive, count: usize) -> Vec<(char, Vec<usize>)> {
    use xfjit::chip::flipper::triangle;
    match primitive {
        Primitive::Quads | Primitive::Quads2 => {
            let four = (0..count / 4).map(|quad| ('f', (4 * quad..4 * quad + 4).collect()));
            // Three that are left over are a triangle.
            let three = (count % 4 == 3).then(|| ('f', (count - 3..count).collect()));
            four.chain(three).collect()
        }
        Primitive::Lines => (0..count / 2).map(|line| ('l', vec![2 * line, 2 * line + 1])).collect(),
        Primitive::LineStrip if count > 1 => vec![('l', (0..count).collect())],
        Primitive::LineStrip => Vec::new(),
        Primitive::Points => (0..count).map(|point| ('p', vec![point])).collect(),
        Primitive::Triangles | Primitive::TriangleStrip | Primitive::TriangleFan => {
            let triangles = 0..triangle::count(primitive, count);
            triangles.map(|number| ('f', triangle::vertices(primitive, number).to_vec())).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_primitive_has_its_faces() {
        let said = |primitive, count| -> String {
            let one = |(letter, face): (char, Vec<usize>)| {
                let places: Vec<String> = face.iter().map(usize::to_string).collect();
                format!("{letter}{}", places.join(" "))
            };
            faces(primitive, count).into_iter().map(one).collect::<Vec<_>>().join(", ")
        };
        assert_eq!(said(Primitive::Quads, 11), "f0 1 2 3, f4 5 6 7, f8 9 10");
        assert_eq!(said(Primitive::Quads2, 6), "f0 1 2 3");
        assert_eq!(said(Primitive::Triangles, 5), "f0 1 2");
        assert_eq!(said(Primitive::TriangleStrip, 4), "f0 1 2, f1 3 2");
        assert_eq!(said(Primitive::TriangleFan, 4), "f0 1 2, f0 2 3");
        assert_eq!(said(Primitive::Lines, 5), "l0 1, l2 3");
        assert_eq!(said(Primitive::LineStrip, 3), "l0 1 2");
        assert_eq!(said(Primitive::LineStrip, 1), "");
        assert_eq!(said(Primitive::Points, 2), "p0, p1");
    }
}
