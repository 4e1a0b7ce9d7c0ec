//! The mesh: a tube with spiral ridges along a (2, 3) torus knot, the one of `xfjit demo` with fewer vertices.
//!
//! All angles are multiples of two, whose cosine and sine stand here; the rest is +, -, * and square roots. So every host makes
//! the same mesh, to the bit.

use crate::scene::{Vec3, add, cross, normalise, scale};
use xfjit::runtime::state::{DEFAULT_ROW, Row};

/// Steps along the knot, and around the tube.
const ALONG: usize = 168;
const AROUND: usize = 20;

/// Cosine and sine of a turn through the number of steps.
const STEP_ALONG: [f64; 2] = [0.999_300_704_788_398_5, 0.037_391_194_276_325_625];
const STEP_AROUND: [f64; 2] = [0.951_056_516_295_153_5, 0.309_016_994_374_947_4];

/// Vertices: those where the knot and the tube close are there twice, with other texture coordinates.
pub const VERTICES: usize = (ALONG + 1) * (AROUND + 1);

/// Attributes by vertex, and triangles.
pub struct Mesh {
    /// Positions; w is 1.
    pub positions: Vec<Row>,
    /// Normals of unit length.
    pub normals: Vec<Row>,
    /// A colour that changes along the knot.
    pub colors: Vec<Row>,
    /// Once around the knot, and once around the tube.
    pub texture: Vec<Row>,
    /// Counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

impl Mesh {
    /// Makes it.
    pub fn new() -> Mesh {
        let (along, around) = (circle(ALONG, STEP_ALONG), circle(AROUND, STEP_AROUND));
        let mut mesh = Mesh {
            positions: Vec::with_capacity(VERTICES),
            normals: Vec::with_capacity(VERTICES),
            colors: Vec::with_capacity(VERTICES),
            texture: Vec::with_capacity(VERTICES),
            triangles: Vec::with_capacity(2 * ALONG * AROUND),
        };
        for i in 0..=ALONG {
            let ring = Ring::new(|times| along[times * i % ALONG]);
            for j in 0..=AROUND {
                let (position, normal) = ring.point(|times| around[times * j % AROUND]);
                let [cosine, sine] = along[i % ALONG];
                mesh.positions.push(row(position, 1.0));
                mesh.normals.push(row(normal, 0.0));
                mesh.colors.push(row([0.5 + 0.5 * cosine, 0.5 + 0.5 * sine, 0.5 - 0.5 * cosine], 1.0));
                mesh.texture.push(row([i as f64 / ALONG as f64, j as f64 / AROUND as f64, 0.0], 1.0));
            }
        }
        let point = |i: usize, j: usize| (i * (AROUND + 1) + j) as u32;
        for i in 0..ALONG {
            for j in 0..AROUND {
                let [a, b, c, d] = [point(i, j), point(i + 1, j), point(i + 1, j + 1), point(i, j + 1)];
                mesh.triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
        mesh
    }

    /// The attributes of a vertex, the default where the mesh has none.
    pub fn attributes(&self, vertex: usize) -> [Row; 16] {
        std::array::from_fn(|register| {
            let stream = self.stream(register).and_then(|rows| rows.get(vertex));
            stream.copied().unwrap_or(DEFAULT_ROW)
        })
    }

    /// What an attribute holds by custom; Kelvin has texture coordinates from v9 on, the later ones from v8 on.
    pub fn stream(&self, register: usize) -> Option<&[Row]> {
        match register {
            0 => Some(&self.positions),
            2 => Some(&self.normals),
            3 => Some(&self.colors),
            8..=12 => Some(&self.texture),
            _ => None,
        }
    }
}

/// The powers of a complex number of magnitude one, whose power of that many is one.
fn circle(steps: usize, [cosine, sine]: [f64; 2]) -> Vec<[f64; 2]> {
    let mut now = [1.0, 0.0];
    let mut all = Vec::with_capacity(steps);
    for _ in 0..steps {
        all.push(now);
        now = turned(now, [cosine, sine]);
    }
    all
}

/// The sum of two angles.
fn turned([a, b]: [f64; 2], [c, d]: [f64; 2]) -> [f64; 2] {
    [a * c - b * d, a * d + b * c]
}

/// The tube at one place of the knot.
struct Ring {
    middle: Vec3,
    up: Vec3,
    side: Vec3,
    /// Nine times the angle along the knot: what turns the ridges.
    ridges: [f64; 2],
}

impl Ring {
    /// From cosine and sine of multiples of the angle along the knot.
    fn new(of: impl Fn(usize) -> [f64; 2]) -> Ring {
        let ([c2, s2], [c3, s3]) = (of(2), of(3));
        let (outward, forward) = ([c2, s2, 0.0], [-s2, c2, 0.0]);
        let out = add(scale(outward, c3), [0.0, 0.0, s3]);
        let middle = add(scale(outward, 2.1), scale(out, 0.95));
        // The derivative of the middle.
        let along = add(
            scale(forward, 2.0 * 2.1 + 0.95 * 2.0 * c3),
            add(scale(outward, -3.0 * 0.95 * s3), [0.0, 0.0, 3.0 * 0.95 * c3]),
        );
        let forward = normalise(along);
        let side = normalise(cross(out, forward));
        Ring { middle, up: cross(forward, side), side, ridges: of(9) }
    }

    /// A point of it, and the normal there, from cosine and sine of multiples of the angle around the tube.
    fn point(&self, of: impl Fn(usize) -> [f64; 2]) -> (Vec3, Vec3) {
        let [cosine, sine] = of(1);
        let [ridge, slope] = turned(of(4), self.ridges);
        let radius = 0.50 + 0.045 * ridge;
        let outward = add(scale(self.up, cosine), scale(self.side, sine));
        let around = add(scale(self.up, -sine), scale(self.side, cosine));
        let normal = add(scale(outward, radius), scale(around, 4.0 * 0.045 * slope));
        (add(self.middle, scale(outward, radius)), normalise(normal))
    }
}

fn row([x, y, z]: Vec3, w: f64) -> Row {
    [x, y, z, w].map(|value| (value as f32).to_bits())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn circles_close() {
        for (steps, step) in [(ALONG, STEP_ALONG), (AROUND, STEP_AROUND)] {
            let angle = std::f64::consts::TAU / steps as f64;
            assert!((step[0] - angle.cos()).abs() < 1e-15 && (step[1] - angle.sin()).abs() < 1e-15);
            let last = turned(circle(steps, step)[steps - 1], step);
            assert!((last[0] - 1.0).abs() < 1e-12 && last[1].abs() < 1e-12, "{last:?}");
        }
    }

    #[test]
    fn normals_fit_the_triangles() {
        let mesh = Mesh::new();
        assert_eq!(mesh.positions.len(), VERTICES);
        let point = |rows: &[Row], vertex: u32| -> Vec3 {
            std::array::from_fn(|i| f64::from(f32::from_bits(rows[vertex as usize][i])))
        };
        for &[a, b, c] in &mesh.triangles {
            let [pa, pb, pc] = [a, b, c].map(|vertex| point(&mesh.positions, vertex));
            let face = normalise(cross(add(pb, scale(pa, -1.0)), add(pc, scale(pa, -1.0))));
            let normal = point(&mesh.normals, a);
            let dot: f64 = (0..3).map(|i| face[i] * normal[i]).sum();
            assert!(dot > 0.8, "{dot}: {face:?} {normal:?}");
        }
    }
}
