//! `run --draw`: a picture of what any program puts out.
//!
//! Positions are clip space, or pixels where the program itself goes to the screen. The picture shows the part of the
//! screen in which they are, unless it is told to show clip space as it is.

use crate::camera::Camera;
use crate::fail::{Failure, warning};
use crate::render::{self, Look, Scene};
use crate::rows::UseCamera;
use crate::streams::Vertices;
use crate::text::clip;
use crate::{demo_scene, files, obj_out, outputs, registers};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};
use xfjit::Generation;

/// The options.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Pictures and meshes")]
pub struct Drawing {
    /// Draw the output as a PNG picture instead of printing it.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["test", "hex"])]
    pub draw: Option<PathBuf>,
    /// Size of the picture in pixels [default: 960x720].
    #[arg(long, value_name = "WIDTHxHEIGHT", value_parser = size, requires = "draw")]
    pub size: Option<Pixels>,
    /// Part of the screen that the picture shows [default: fit].
    #[arg(long, value_enum, requires = "draw")]
    pub view: Option<View>,
    /// How to make triangles from vertices without a mesh [default: triangles].
    #[arg(long, value_enum, conflicts_with_all = ["test", "trace", "fifo"])]
    pub primitive: Option<Primitive>,
    /// Set the modelview and projection matrices to a camera that shows all of v0. --draw does this by itself if the program needs a camera
    /// and --constants has none.
    #[arg(long, conflicts_with_all = ["test", "trace", "fifo"])]
    pub camera: bool,
    /// Write the output as a Wavefront OBJ mesh instead of printing it.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["test", "hex"])]
    pub obj: Option<PathBuf>,
    /// Frame of a recording to draw with --draw or --obj, counted from 0. Default: the first frame that draws something.
    #[arg(long, value_name = "N")]
    pub frame: Option<usize>,
}

/// The size of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pixels {
    width: usize,
    height: usize,
}

/// Which part of the screen a picture shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum View {
    /// Everything in front of the viewer, scaled to fit.
    #[default]
    Fit,
    /// Clip space: x and y from -w to w.
    Clip,
    /// All positions; they are in pixels already, with y down.
    Window,
}

/// How vertices become triangles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Primitive {
    /// Three vertices for each triangle.
    #[default]
    Triangles,
    /// Each vertex makes a triangle with the two before it.
    Strip,
    /// Each vertex makes a triangle with the one before it and the first.
    Fan,
    /// Four vertices make two triangles.
    Quads,
}

const DEFAULT: Pixels = Pixels { width: 960, height: 720 };
const LARGEST: usize = 4096;
/// The part of the picture that is filled.
const FILLED: f64 = 0.9;
/// Of programs that put out no colour: what faces the viewer, and what does not.
const BRIGHT: f64 = 0.85;
const DARK: f64 = 0.25;

fn size(text: &str) -> Result<Pixels, String> {
    let number = |text: &str| text.parse().ok().filter(|number| (1..=LARGEST).contains(number));
    let pixels = text
        .split_once('x')
        .and_then(|(width, height)| Some(Pixels { width: number(width)?, height: number(height)? }));
    pixels.ok_or_else(|| {
        format!("`{}` is not a size of a picture, as in 640x480, at most {LARGEST}x{LARGEST}", clip(text))
    })
}

impl Drawing {
    /// Whether something is made of triangles.
    pub fn wants_triangles(&self) -> bool {
        self.draw.is_some() || self.obj.is_some()
    }

    /// Refuses what makes no sense together, or with the files that are read.
    pub fn check(&self, inputs: &[&Path]) -> Result<(), Failure> {
        outputs::Files::apart([("--draw", self.draw.as_deref()), ("--obj", self.obj.as_deref())], inputs)?;
        if self.frame.is_some() && !self.wants_triangles() {
            return Err(Failure::Usage("--frame has no effect without --draw or --obj".to_owned()));
        }
        match (self.primitive, self.wants_triangles()) {
            (Some(_), false) => {
                Err(Failure::Usage("--primitive has no effect without --draw or --obj".to_owned()))
            }
            _ => Ok(()),
        }
    }

    /// The triangles of what is drawn.
    pub fn triangles(&self, vertices: &Vertices) -> Result<Vec<[u32; 3]>, Failure> {
        let usage = |message: String| Err(Failure::Usage(message));
        if !vertices.triangles.is_empty() {
            return match self.primitive {
                Some(_) => usage(
                    "--primitive has no effect with a mesh, whose faces define the triangles".to_owned(),
                ),
                None => Ok(vertices.triangles.clone()),
            };
        }
        let count = vertices.count as u32;
        let primitive = self.primitive.unwrap_or_default();
        let multiple = match primitive {
            Primitive::Triangles => 3,
            Primitive::Quads => 4,
            Primitive::Strip | Primitive::Fan => 1,
        };
        if !count.is_multiple_of(multiple) || count < 3 {
            let name = primitive.to_possible_value();
            let name = name.as_ref().map_or("", |value| value.get_name());
            return usage(format!("{count} vertices do not form a triangle with --primitive {name}"));
        }
        Ok(match primitive {
            Primitive::Triangles => (0..count / 3).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect(),
            // Every other one runs the other way round.
            Primitive::Strip => {
                (2..count).map(|i| if i % 2 == 0 { [i - 2, i - 1, i] } else { [i - 1, i - 2, i] }).collect()
            }
            Primitive::Fan => (2..count).map(|i| [0, i - 1, i]).collect(),
            Primitive::Quads => (0..count / 4)
                .flat_map(|i| [[4 * i, 4 * i + 1, 4 * i + 2], [4 * i, 4 * i + 2, 4 * i + 3]])
                .collect(),
        })
    }

    /// A camera that shows what v0 holds, which is what programs make the position of.
    pub fn camera(&self, vertices: &Vertices) -> Camera {
        let Pixels { width, height } = self.size.unwrap_or(DEFAULT);
        let positions = vertices.attributes[0].iter().flat_map(|attribute| {
            attribute.words.chunks_exact(attribute.components.max(1)).map(|words| {
                std::array::from_fn(|i| words.get(i).map_or(0.0, |&word| f64::from(f32::from_bits(word))))
            })
        });
        Camera::fitting(positions, width as f64 / height as f64)
    }

    /// Whether constants get the camera.
    pub fn use_camera(&self) -> UseCamera {
        match (self.camera, &self.draw) {
            (true, _) => UseCamera::Always,
            (false, Some(_)) => UseCamera::IfMissing,
            (false, None) => UseCamera::Never,
        }
    }

    /// Draws what a program put out: `words` have a row for each of `registers`, vertex after vertex.
    pub fn picture(
        &self,
        generation: Generation,
        registers: &[u8],
        words: &[u32],
        triangles: &[[u32; 3]],
    ) -> Result<(), Failure> {
        if self.draw.is_none() {
            return Ok(());
        }
        let place = |name: &str| {
            registers
                .iter()
                .position(|&register| registers::output_name(generation, usize::from(register)) == name)
        };
        let Some(position) = place("oPos") else {
            return Err(Failure::Usage("a picture needs oPos, which is not among the outputs".to_owned()));
        };
        let row = |vertex: &[u32], at: usize| -> [u32; 4] { std::array::from_fn(|c| vertex[4 * at + c]) };
        let vertices = || words.chunks_exact(4 * registers.len().max(1));
        let outputs: Vec<[f64; 4]> =
            vertices().map(|vertex| row(vertex, position).map(|word| f32::from_bits(word).into())).collect();
        let specular = place("oD1");
        let color = |vertex: &[u32], diffuse: usize| {
            demo_scene::color(row(vertex, diffuse), specular.map_or([0; 4], |at| row(vertex, at)))
        };
        let colors = place("oD0").or_else(|| place("oB0"));
        let colors = colors.map(|diffuse| vertices().map(|vertex| color(vertex, diffuse)).collect());
        self.paint(&outputs, colors, triangles)
    }

    /// Draws vertices at these places, which are clip space, or pixels, and of these colours; without them what faces the viewer is bright.
    pub fn paint(
        &self,
        outputs: &[[f64; 4]],
        colors: Option<Vec<[f32; 3]>>,
        triangles: &[[u32; 3]],
    ) -> Result<(), Failure> {
        let Some(path) = &self.draw else { return Ok(()) };
        let Pixels { width, height } = self.size.unwrap_or(DEFAULT);
        let positions = self.view.unwrap_or_default().positions(outputs, width as f64 / height as f64);
        let colors = colors.unwrap_or_else(|| relief(&positions, triangles));
        let look = Look { width, height, cull: false, ..demo_scene::LOOK };
        let scene = Scene { positions: &positions, colors: &colors, triangles };
        let mut png = Vec::new();
        render::write_png(&mut png, &render::draw(&scene, &look))
            .map_err(|error| Failure::Internal(format!("cannot encode the picture: {error}")))?;
        files::write(path, &png)?;
        let has_place =
            |&index: &u32| positions.get(index as usize).is_some_and(|p| p.iter().all(|c| c.is_finite()));
        let lost = triangles.iter().filter(|triangle| !triangle.iter().all(has_place)).count();
        if lost > 0 {
            let count = triangles.len();
            warning(format_args!("{lost} of {count} triangles are left out: a position is infinite or NaN"));
        }
        Ok(())
    }

    /// Writes what a program put out as a mesh.
    pub fn mesh(
        &self,
        generation: Generation,
        registers: &[u8],
        words: &[u32],
        vertices: &Vertices,
        triangles: &[[u32; 3]],
    ) -> Result<(), Failure> {
        let Some(path) = &self.obj else { return Ok(()) };
        let names: Vec<String> = registers
            .iter()
            .map(|&register| registers::output_name(generation, usize::from(register)))
            .collect();
        let text = obj_out::text(&names, words, &vertices.sources, triangles)?;
        files::write(path, text.as_bytes())
    }
}

impl View {
    /// Positions as pictures take them, `aspect` times as wide as high: -w <= x, y <= w and 0 <= z <= w is seen.
    pub fn positions(self, outputs: &[[f64; 4]], aspect: f64) -> Vec<[f32; 4]> {
        // Each as a homogeneous position whose quotients are the places on the screen, y up.
        let homogeneous = |[x, y, z, w]: [f64; 4]| match self {
            View::Window => [x, -y, z, 1.0],
            View::Fit | View::Clip => [x, y, z, w],
        };
        let all: Vec<[f64; 4]> = outputs.iter().copied().map(homogeneous).collect();
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for [x, y, z, w] in all.iter().copied().filter(|p| p[3] > 0.0 && p.iter().all(|c| c.is_finite())) {
            for (i, quotient) in [x / w, y / w, z / w].into_iter().enumerate() {
                low[i] = low[i].min(quotient);
                high[i] = high[i].max(quotient);
            }
        }
        if self == View::Clip {
            (low[0], high[0], low[1], high[1]) = (-1.0, 1.0, -1.0, 1.0);
        }
        let middle: [f64; 3] = std::array::from_fn(|i| (low[i] + high[i]) / 2.0);
        let half = |i: usize| Some((high[i] - low[i]) / 2.0).filter(|half| *half > 0.0 && half.is_finite());
        let wide = half(0).unwrap_or(0.0);
        let high = half(1).unwrap_or(0.0);
        let filling = |half: f64| if half > 0.0 { FILLED / half } else { 1.0 };
        let scale = match self {
            View::Clip => [1.0, 1.0],
            // Clip space has the shape of the picture.
            View::Fit => [filling(wide.max(high)); 2],
            // Pixels are square.
            View::Window => {
                let scale = filling(high.max(wide / aspect));
                [scale / aspect, scale]
            }
        };
        let deep = half(2).map_or(1.0, |half| FILLED / (2.0 * half));
        let fitted = |[x, y, z, w]: [f64; 4]| {
            [
                (x - middle[0] * w) * scale[0],
                (y - middle[1] * w) * scale[1],
                (z - middle[2] * w) * deep + w / 2.0,
                w,
            ]
        };
        all.into_iter().map(|position| fitted(position).map(|c| c as f32)).collect()
    }
}

/// Grey by how much the surface faces the viewer: the sum of the normals of a vertex's triangles on the screen.
pub fn relief(positions: &[[f32; 4]], triangles: &[[u32; 3]]) -> Vec<[f32; 3]> {
    let place = |index: u32| {
        let [x, y, z, w] = positions.get(index as usize).map(|position| position.map(f64::from))?;
        Some([x / w, y / w, z / w])
    };
    let mut sums = vec![[0.0f64; 3]; positions.len()];
    for triangle in triangles {
        let [Some(a), Some(b), Some(c)] = triangle.map(place) else { continue };
        let (u, v) = ([b[0] - a[0], b[1] - a[1], b[2] - a[2]], [c[0] - a[0], c[1] - a[1], c[2] - a[2]]);
        let normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
        // The side that is seen: nothing is culled.
        let sign = if normal[2] < 0.0 { -1.0 } else { 1.0 };
        for &index in triangle {
            for (sum, n) in sums[index as usize].iter_mut().zip(normal) {
                *sum += sign * n;
            }
        }
    }
    let grey = |[x, y, z]: [f64; 3]| {
        let length = (x * x + y * y + z * z).sqrt();
        let facing = if length > 0.0 { z / length } else { 1.0 };
        [(DARK + (BRIGHT - DARK) * facing) as f32; 3]
    };
    sums.into_iter().map(grey).collect()
}

#[cfg(test)]
mod tests;
