//! A small picture of a mesh: clipped, z-buffered, smoothly shaded, antialiased.
//!
//! Takes what a vertex program puts out: clip-space positions (-w <= x, y <= w, 0 <= z <= w; y up) and colours. All
//! arithmetic is plain f64, so equal input gives equal bytes on every host. Nothing in the input can make it panic:
//! triangles with a NaN, an infinity or a missing vertex are left out, NaN colours are white as on the hardware.

mod clip;

use clip::{Vertex, clip};
use std::io::{self, Write};

/// What to draw.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'a> {
    /// Clip-space positions.
    pub positions: &'a [[f32; 4]],
    /// Colours, red green blue in 0..=1.
    pub colors: &'a [[f32; 3]],
    /// Three vertices each.
    pub triangles: &'a [[u32; 3]],
}

/// How to draw it.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// Pixels.
    pub width: usize,
    /// Pixels.
    pub height: usize,
    /// Leave out triangles that appear clockwise.
    pub cull: bool,
    /// Background at the top and at the bottom.
    pub background: [[f64; 3]; 2],
}

/// Red green blue bytes, row by row from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Pixels.
    pub width: usize,
    /// Pixels.
    pub height: usize,
    /// Three bytes a pixel.
    pub pixels: Vec<u8>,
}

/// Samples along each side of a pixel.
const SAMPLES: usize = 2;

/// Draws a scene.
pub fn draw(scene: &Scene<'_>, look: &Look) -> Picture {
    let (width, height) = (look.width.clamp(1, 8192), look.height.clamp(1, 8192));
    let mut target = Target::new(width * SAMPLES, height * SAMPLES, look.background);
    for indices in scene.triangles {
        let corners = indices.map(|index| corner(scene, index as usize));
        if let [Some(a), Some(b), Some(c)] = corners {
            let polygon = clip([a, b, c]);
            for i in 2..polygon.len() {
                target.triangle([&polygon[0], &polygon[i - 1], &polygon[i]], look.cull);
            }
        }
    }
    target.resolve(width, height)
}

/// Writes a picture as PNG.
pub fn write_png(out: impl Write, picture: &Picture) -> io::Result<()> {
    let (width, height) = (picture.width as u32, picture.height as u32);
    let mut encoder = png::Encoder::new(out, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&picture.pixels)?;
    Ok(writer.finish()?)
}

fn corner(scene: &Scene<'_>, index: usize) -> Option<Vertex> {
    let position = scene.positions.get(index)?.map(f64::from);
    let color = scene.colors.get(index)?.map(|c| if c.is_nan() { 1.0 } else { f64::from(c.clamp(0.0, 1.0)) });
    position.iter().all(|value| value.is_finite()).then_some(Vertex { position, color })
}

/// Colour and depth of every sample.
struct Target {
    width: usize,
    height: usize,
    depth: Vec<f64>,
    color: Vec<[f64; 3]>,
}

/// A corner on the screen: x, y in samples, depth, 1 / w, colour / w.
struct Point {
    x: f64,
    y: f64,
    z: f64,
    inverse_w: f64,
    color: [f64; 3],
}

impl Target {
    fn new(width: usize, height: usize, [top, bottom]: [[f64; 3]; 2]) -> Target {
        let row = |y: usize| {
            let t = (y as f64 + 0.5) / height as f64;
            let color: [f64; 3] = std::array::from_fn(|i| top[i] + (bottom[i] - top[i]) * t);
            std::iter::repeat_n(color, width)
        };
        Target {
            width,
            height,
            depth: vec![f64::INFINITY; width * height],
            color: (0..height).flat_map(row).collect(),
        }
    }

    fn point(&self, vertex: &Vertex) -> Point {
        let [x, y, z, w] = vertex.position;
        Point {
            x: (x / w + 1.0) * 0.5 * self.width as f64,
            y: (1.0 - y / w) * 0.5 * self.height as f64,
            z: z / w,
            inverse_w: 1.0 / w,
            color: vertex.color.map(|c| c / w),
        }
    }

    /// Draws a triangle that lies inside of the view volume.
    fn triangle(&mut self, corners: [&Vertex; 3], cull: bool) {
        let [a, mut b, mut c] = corners.map(|corner| self.point(corner));
        let mut area = edge(&a, &b, c.x, c.y);
        // y points down on the screen, so an area below zero is counter-clockwise for the viewer.
        if area > 0.0 && cull {
            return;
        }
        if area < 0.0 {
            std::mem::swap(&mut b, &mut c);
            area = -area;
        }
        if area.is_nan() || area <= 0.0 {
            return;
        }
        let range = |values: [f64; 3], limit: usize| {
            let low = values.iter().fold(f64::INFINITY, |m, &v| m.min(v)) - 0.5;
            let high = values.iter().fold(f64::NEG_INFINITY, |m, &v| m.max(v)) + 0.5;
            // Casts saturate: the range stays inside of the target whatever the values are.
            (low.floor() as usize).min(limit)..(high.ceil() as usize).min(limit)
        };
        for y in range([a.y, b.y, c.y], self.height) {
            for x in range([a.x, b.x, c.x], self.width) {
                let (px, py) = (x as f64 + 0.5, y as f64 + 0.5);
                let weights = [edge(&b, &c, px, py), edge(&c, &a, px, py), edge(&a, &b, px, py)];
                if weights.iter().any(|&weight| weight < 0.0) {
                    continue;
                }
                let [u, v, t] = weights.map(|weight| weight / area);
                let z = u * a.z + v * b.z + t * c.z;
                let sample = y * self.width + x;
                if z < self.depth[sample] {
                    let w = 1.0 / (u * a.inverse_w + v * b.inverse_w + t * c.inverse_w);
                    self.depth[sample] = z;
                    self.color[sample] =
                        std::array::from_fn(|i| (u * a.color[i] + v * b.color[i] + t * c.color[i]) * w);
                }
            }
        }
    }

    /// Averages the samples of each pixel.
    fn resolve(&self, width: usize, height: usize) -> Picture {
        let mut pixels = Vec::with_capacity(width * height * 3);
        for y in 0..height {
            for x in 0..width {
                for channel in 0..3 {
                    let mut sum = 0.0;
                    for sample in 0..SAMPLES * SAMPLES {
                        let (sx, sy) = (x * SAMPLES + sample % SAMPLES, y * SAMPLES + sample / SAMPLES);
                        sum += self.color[sy * self.width + sx][channel];
                    }
                    let mean = sum / (SAMPLES * SAMPLES) as f64;
                    pixels.push((mean.clamp(0.0, 1.0) * 255.0 + 0.5) as u8);
                }
            }
        }
        Picture { width, height, pixels }
    }
}

/// Twice the area of the triangle a, b, (x, y): above zero if it runs clockwise on the screen.
fn edge(a: &Point, b: &Point, x: f64, y: f64) -> f64 {
    (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x)
}

#[cfg(test)]
mod tests;
