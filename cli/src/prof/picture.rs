//! What a draw looked like, as far as its vertices tell: where they are on the screen, and their first colour.

use crate::capture::Event;
use crate::drawing::{View, relief};
use crate::html::base64;
use crate::registers;
use crate::render::{self, Look, Scene};
use serde::Serialize;
use xfjit::Generation;
use xfjit::capture::Played;
use xfjit::chip::flipper::output;
use xfjit::flipper::Drawn;
use xfjit::front::Microcode;
use xfjit::runtime::state::Row;
use xfjit::shader::Shader;
use xfjit::xf::{Form, Vertices};

const WIDTH: usize = 220;
const HEIGHT: usize = 165;
/// Vertices that are drawn.
const MOST: usize = 1 << 16;
/// Half of the side of a point, in pixels.
const POINT: f32 = 1.4;
/// Light on dark, in both themes, as in a game's picture.
const GROUND: [f64; 3] = [0.09, 0.1, 0.13];
const PLAIN: [f32; 3] = [0.62, 0.74, 0.95];

/// A picture, with what there is to say of it.
#[derive(Serialize)]
pub(super) struct Picture {
    /// PNG, as an address.
    url: String,
    width: usize,
    height: usize,
    vertices: usize,
    /// Vertices that have no place: NaNs and infinities.
    lost: usize,
    /// What it is, in a sentence.
    note: String,
}

/// How positions are to be taken.
#[derive(Clone, Copy, PartialEq)]
enum Space {
    /// Pixels already.
    Window,
    /// Clip space.
    Clip,
    /// The capture does not say.
    Unknown,
}

/// The register of the first colour.
fn front(shader: &Shader) -> usize {
    let generation = shader.made_of::<Microcode>().map_or(Generation::Kelvin, |made| made.config.generation);
    let mut all = 0..generation.outputs();
    all.find(|&register| ["oD0", "oB0"].contains(&&*registers::output_name(generation, register)))
        .unwrap_or(usize::MAX)
}

/// What a draw has put out.
#[derive(Default)]
pub(super) struct Drawing {
    positions: Vec<[f64; 4]>,
    colours: Vec<[f32; 3]>,
    triangles: Option<Vec<[u32; 3]>>,
    space: Option<Space>,
    left_out: usize,
}

impl Drawing {
    /// Adds what a program has put out.
    pub(super) fn add(&mut self, event: &Event<'_>, shader: &Shader) {
        match event {
            Event::Vertices(vertices) => self.add_vertices(vertices, front(shader)),
            Event::Drawn(drawn) => self.add_drawn(drawn),
            Event::Called(played) => self.add_called(played, front(shader)),
            Event::Begin(_) | Event::End => {}
        }
    }

    /// Adds vertices of one of NVIDIA's units.
    fn add_vertices(&mut self, vertices: &Vertices<'_>, colour: usize) {
        let colour = u8::try_from(colour).unwrap_or(u8::MAX);
        for at in 0..self.room(vertices.count) {
            let (position, shade, space) = match vertices.form {
                Form::Celsius => {
                    let words: &[u32] = vertices.vertex(at);
                    (words.get(12..16).and_then(|words| Row::try_from(words).ok()), None, Space::Window)
                }
                Form::Fixed(_) => (
                    vertices.register(at, 0),
                    vertices.register(at, colour).map(|row| [0, 1, 2].map(|i| row[i] as f32 / 255.0)),
                    Space::Window,
                ),
                Form::Registers(_) => (
                    vertices.register(at, 0),
                    vertices.register(at, colour).map(|row| [0, 1, 2].map(|i| f32::from_bits(row[i]))),
                    Space::Unknown,
                ),
            };
            let Some(position) = position else { continue };
            self.positions.push(position.map(|word| f32::from_bits(word).into()));
            self.colours.extend(shade);
            self.space = Some(space);
        }
    }

    /// Adds a draw of Flipper's.
    fn add_drawn(&mut self, drawn: &Drawn<'_>) {
        let vertices = &drawn.vertices;
        let first = self.positions.len();
        for at in 0..self.room(vertices.count) {
            let Some(position) = vertices.register(at, output::CLIP as u8) else { continue };
            self.positions.push(position.map(|word| f32::from_bits(word).into()));
            let shade = vertices.register(at, output::COLOUR as u8);
            self.colours.extend(shade.map(|row| [0, 1, 2].map(|i| row[i] as f32 / 255.0)));
        }
        let all =
            drawn.triangles().filter(|triangle| !triangle.is_rejected).map(|triangle| triangle.vertices);
        let all = all.map(|corners| corners.map(|at| (first + at) as u32));
        if drawn.triangles().len() > 0 {
            self.triangles.get_or_insert_default().extend(all);
        }
        self.space = Some(Space::Clip);
    }

    /// Adds a call: its outputs are those of a program.
    fn add_called(&mut self, played: &Played<'_>, colour: usize) {
        let Some(positions) = played.rows(0) else { return };
        let room = self.room(played.count());
        self.positions.extend(positions.take(room).map(|row| row.map(|word| f32::from_bits(word).into())));
        let shades = played.rows(colour).into_iter().flatten().take(room);
        self.colours.extend(shades.map(|row| [0, 1, 2].map(|i| f32::from_bits(row[i]))));
        self.space = Some(Space::Unknown);
    }

    fn room(&mut self, count: usize) -> usize {
        let room = MOST.saturating_sub(self.positions.len()).min(count);
        self.left_out += count - room;
        room
    }

    /// Most programs' positions are those of clip space, in which what is seen has -w <= x, y <= w; where few are so, they are taken
    /// for pixels.
    fn view(&self) -> View {
        let is_inside = |p: &&[f64; 4]| p[0].abs() <= p[3] && p[1].abs() <= p[3];
        match self.space {
            Some(Space::Window) => View::Window,
            Some(Space::Clip) => View::Fit,
            Some(Space::Unknown) | None => {
                let inside = self.positions.iter().filter(is_inside).count();
                if 4 * inside >= self.positions.len() { View::Fit } else { View::Window }
            }
        }
    }

    /// The picture; none if nothing has come out.
    pub(super) fn picture(self) -> Option<Picture> {
        if self.positions.is_empty() {
            return None;
        }
        let view = self.view();
        let positions = view.positions(&self.positions, WIDTH as f64 / HEIGHT as f64);
        let lost = positions.iter().filter(|p| !p.iter().all(|c| c.is_finite())).count();
        let has_colours = self.colours.len() == positions.len();
        let look = Look { width: WIDTH, height: HEIGHT, cull: false, background: [GROUND; 2] };
        let drawn = match &self.triangles {
            Some(triangles) => {
                let colors = if has_colours { self.colours } else { relief(&positions, triangles) };
                render::draw(&Scene { positions: &positions, colors: &colors, triangles }, &look)
            }
            None => {
                let colors = if has_colours { self.colours } else { vec![PLAIN; positions.len()] };
                let (positions, colors, triangles) = points(&positions, &colors);
                render::draw(&Scene { positions: &positions, colors: &colors, triangles: &triangles }, &look)
            }
        };
        let mut png = Vec::new();
        render::write_png(&mut png, &drawn).ok()?;
        let shape = match (&self.triangles, self.space) {
            (Some(_), _) => "Triangles as the draw makes them",
            (None, Some(Space::Clip)) => "Vertices as points, because the draw makes no triangles",
            (None, _) => "Vertices as points, because the capture does not say which primitives they form",
        };
        let space = match (view, self.space) {
            (View::Window, Some(Space::Window)) => "where they are on the screen",
            (View::Window, _) => "with positions read as pixels",
            (_, Some(Space::Clip)) => "in clip space",
            _ => "with positions read as clip space",
        };
        let shade = match (has_colours, &self.triangles) {
            (true, _) => "in their first colour",
            (false, Some(_)) => "shaded by their direction",
            (false, None) => "without a colour",
        };
        let mut note =
            format!("{shape}, {space}, {shade}; fitted to the picture. No textures, no pixel shader.");
        if self.left_out > 0 {
            note += &format!(" {} further vertices are not drawn.", self.left_out);
        }
        Some(Picture {
            url: format!("data:image/png;base64,{}", base64(&png)),
            width: WIDTH,
            height: HEIGHT,
            vertices: positions.len(),
            lost,
            note,
        })
    }
}

type Mesh = (Vec<[f32; 4]>, Vec<[f32; 3]>, Vec<[u32; 3]>);

/// A little square for each vertex that has a place.
fn points(positions: &[[f32; 4]], colours: &[[f32; 3]]) -> Mesh {
    let mut mesh = Mesh::default();
    let [wide, high] = [WIDTH, HEIGHT].map(|side| 2.0 * POINT / side as f32);
    for (&[x, y, z, w], &colour) in positions.iter().zip(colours) {
        let first = mesh.0.len() as u32;
        for [right, up] in [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]] {
            mesh.0.push([x + right * wide * w, y + up * high * w, z, w]);
            mesh.1.push(colour);
        }
        mesh.2.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
    }
    mesh
}

impl Picture {
    /// Of the address.
    pub(super) fn bytes(&self) -> usize {
        self.url.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(positions: &[[f32; 4]]) -> Picture {
        let words: Vec<u32> = positions.iter().flat_map(|row| row.map(f32::to_bits)).collect();
        let mut drawing = Drawing::default();
        drawing
            .add_vertices(&Vertices { form: Form::Registers(1), count: positions.len(), words: &words }, 3);
        drawing.picture().expect("a picture")
    }

    #[test]
    fn vertices_without_a_place_are_counted_and_not_drawn() {
        let all = unit(&[[0.5, 0.5, 0.1, 1.0], [-0.5, -0.5, 0.2, 1.0], [f32::NAN, 0.0, 0.0, 1.0]]);
        assert_eq!((all.vertices, all.lost), (3, 1));
        let without = unit(&[[0.5, 0.5, 0.1, 1.0], [-0.5, -0.5, 0.2, 1.0]]);
        assert_eq!((without.lost, &without.url), (0, &all.url));
        assert!(all.note.contains("clip space"), "{}", all.note);
        assert!(all.url.len() < 20_000);
        // Nothing has a place: a picture of nothing, and no panic.
        assert_eq!(unit(&[[f32::INFINITY; 4], [f32::NAN; 4]]).lost, 2);
        assert!(Drawing::default().picture().is_none());
    }

    #[test]
    fn positions_outside_of_clip_space_are_taken_for_pixels() {
        let picture = unit(&[[10.0, 20.0, 0.1, 1.0], [600.0, 400.0, 0.2, 2.0], [300.0, 20.0, 0.2, 1.0]]);
        assert!(picture.note.contains("pixels"), "{}", picture.note);
    }
}
