//! The mesh as pixels: z-buffered triangles, smoothly shaded. What a program puts out is taken for clip space (-w <= x, y <= w, y up)
//! and colours.
//!
//! Nothing in the input can make it panic or go on for long: triangles with a NaN, an infinity, or a corner behind the eye are left
//! out, and so are those for which there are too many pixels to draw.

/// Sides of a picture at most.
pub const MOST_SIDE: usize = 1024;

/// Pixels that are drawn at most, over each other: some twenty times those of the page's picture.
const MOST_PIXELS: usize = 6 << 20;

/// Red, green, blue and opacity of each pixel, row by row from the top.
pub struct Picture {
    /// Pixels in a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Four bytes each.
    pub pixels: Vec<u8>,
}

/// A vertex on the screen.
#[derive(Clone, Copy)]
struct Corner {
    x: f32,
    y: f32,
    z: f32,
    color: [f32; 3],
}

/// Depth of each pixel beside its colour.
struct Canvas {
    picture: Picture,
    depth: Vec<f32>,
    /// Pixels that may still be drawn.
    left: usize,
}

/// Draws triangles on nothing: pixels without one are transparent. Also tells how many triangles were left out.
pub fn draw(
    (width, height): (usize, usize),
    positions: &[[u32; 4]],
    colors: &[[f32; 3]],
    triangles: &[[u32; 3]],
) -> (Picture, usize) {
    let (width, height) = (width.clamp(1, MOST_SIDE), height.clamp(1, MOST_SIDE));
    let picture = Picture { width, height, pixels: vec![0; 4 * width * height] };
    let mut canvas = Canvas { picture, depth: vec![f32::INFINITY; width * height], left: MOST_PIXELS };
    let corners: Vec<Option<Corner>> =
        positions.iter().zip(colors).map(|(position, &color)| canvas.corner(*position, color)).collect();
    let mut left_out = 0;
    for triangle in triangles {
        match triangle.map(|vertex| corners.get(vertex as usize).copied().flatten()) {
            [Some(a), Some(b), Some(c)] if canvas.triangle([a, b, c]) => {}
            _ => left_out += 1,
        }
    }
    (canvas.picture, left_out)
}

impl Canvas {
    fn corner(&self, position: [u32; 4], color: [f32; 3]) -> Option<Corner> {
        let [x, y, z, w] = position.map(f32::from_bits);
        let place = Corner {
            x: (x / w + 1.0) * 0.5 * self.picture.width as f32,
            y: (1.0 - y / w) * 0.5 * self.picture.height as f32,
            z: z / w,
            color: color.map(|part| if part.is_nan() { 1.0 } else { part.clamp(0.0, 1.0) }),
        };
        let is_seen = w > 0.0 && [place.x, place.y, place.z].iter().all(|value| value.is_finite());
        is_seen.then_some(place)
    }

    /// Draws a triangle, unless the pixels that may still be drawn do not suffice for it; whether they did.
    fn triangle(&mut self, [a, mut b, mut c]: [Corner; 3]) -> bool {
        let mut area = edge(&a, &b, c.x, c.y);
        if area < 0.0 {
            std::mem::swap(&mut b, &mut c);
            area = -area;
        }
        if area == 0.0 || !area.is_finite() {
            return true;
        }
        let Picture { width, height, .. } = self.picture;
        let low = a.y.min(b.y).min(c.y) - 0.5;
        let high = a.y.max(b.y).max(c.y) + 0.5;
        // Conversions saturate: the rows stay within the picture, whatever the values are.
        for y in (low as usize).min(height)..(high.ceil() as usize).min(height) {
            let py = y as f32 + 0.5;
            let columns = columns(&[[&a, &b], [&b, &c], [&c, &a]], py, width);
            if columns.len() > self.left {
                return false;
            }
            self.left -= columns.len();
            for x in columns {
                let px = x as f32 + 0.5;
                let [u, v] = [edge(&b, &c, px, py) / area, edge(&c, &a, px, py) / area];
                let t = 1.0 - u - v;
                let z = u * a.z + v * b.z + t * c.z;
                let pixel = y * width + x;
                if z < self.depth[pixel] {
                    self.depth[pixel] = z;
                    let color = |i: usize| u * a.color[i] + v * b.color[i] + t * c.color[i];
                    let bytes = [0, 1, 2].map(|i| (color(i) * 255.0 + 0.5) as u8);
                    self.picture.pixels[4 * pixel..][..4]
                        .copy_from_slice(&[bytes[0], bytes[1], bytes[2], 255]);
                }
            }
        }
        true
    }
}

/// The pixels of a row whose centres lie in a triangle, clockwise on the screen.
fn columns(edges: &[[&Corner; 2]; 3], y: f32, width: usize) -> std::ops::Range<usize> {
    let (mut low, mut high) = (0.0f32, width as f32);
    for [a, b] in edges {
        // Of the edge's function of x, which is not below zero inside.
        let (slope, start) = (a.y - b.y, edge(a, b, 0.0, y));
        let crossing = -start / slope;
        if slope > 0.0 {
            low = low.max(crossing);
        } else if slope < 0.0 {
            high = high.min(crossing);
        } else if start < 0.0 {
            return 0..0;
        }
    }
    let first = (low - 0.5).ceil().max(0.0) as usize;
    let end = ((high - 0.5).floor() + 1.0).max(0.0) as usize;
    first.min(width)..end.min(width).max(first.min(width))
}

/// Twice the area of the triangle of two corners and a point.
fn edge(a: &Corner, b: &Corner, x: f32, y: f32) -> f32 {
    (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_the_input_panics() {
        let values = [0, 0x8000_0000, 0x3f80_0000, 0xff80_0000, 0x7fff_ffff, 0x7f7f_ffff, 1, 0xbf80_0001];
        let at = |step: usize| std::array::from_fn(|i| values[(step >> (3 * i)) & 7]);
        let positions: Vec<[u32; 4]> = (0..4096).map(at).collect();
        let colors: Vec<[f32; 3]> =
            positions.iter().map(|row| [0, 1, 2].map(|i| f32::from_bits(row[i]))).collect();
        let triangles: Vec<[u32; 3]> = (0..4096).map(|i| [i, i * 7 % 4099, i * 13 % 4096]).collect();
        let (picture, left_out) = draw((40, usize::MAX), &positions, &colors, &triangles);
        assert_eq!((picture.pixels.len(), picture.height), (4 * 40 * MOST_SIDE, MOST_SIDE));
        assert!(left_out > 0);
    }

    #[test]
    fn the_nearer_triangle_is_seen() {
        let one = 1f32.to_bits();
        let triangle = |z: f32| {
            [[-1.0, -1.0], [3.0, -1.0], [-1.0, 3.0]]
                .map(|[x, y]: [f32; 2]| [x.to_bits(), y.to_bits(), z.to_bits(), one])
        };
        let positions = [triangle(0.5), triangle(0.25)].concat();
        let colors = [[[1.0, 0.0, 0.0]; 3], [[0.0, 1.0, 0.0]; 3]].concat();
        let (picture, _) = draw((3, 3), &positions, &colors, &[[3, 4, 5], [0, 1, 2]]);
        assert!(picture.pixels.chunks(4).all(|pixel| pixel == [0, 255, 0, 255]));
    }

    #[test]
    fn who_fills_the_picture_again_and_again_is_stopped() {
        let one = 1f32.to_bits();
        let corners = [[-1.0, -1.0], [3.0, -1.0], [-1.0, 3.0]]
            .map(|[x, y]: [f32; 2]| [x.to_bits(), y.to_bits(), one, one]);
        let triangles = vec![[0, 1, 2]; 10_000];
        let (picture, left_out) = draw((640, 480), &corners, &[[1.0; 3]; 3], &triangles);
        assert!(left_out > 9_000, "{left_out}");
        assert!(picture.pixels.iter().all(|&byte| byte == 255));
    }
}
