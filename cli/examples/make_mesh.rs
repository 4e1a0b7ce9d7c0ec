//! Writes the mesh of `xfjit demo`: a tube with spiral ridges along a (2, 3) torus knot, with smooth normals and
//! texture coordinates (s once around the knot, t once around the tube).
//!
//! ```text
//! cargo run --example make_mesh > cli/assets/knot.obj
//! ```

use std::f64::consts::TAU;
use std::fmt::Write as _;
use std::io::Write as _;

/// Steps along the knot and around the tube.
const ALONG: usize = 256;
const AROUND: usize = 36;

type Vec3 = [f64; 3];

fn main() -> std::io::Result<()> {
    std::io::stdout().lock().write_all(mesh().as_bytes())
}

/// The mesh as Wavefront OBJ.
pub fn mesh() -> String {
    let mut text =
        String::from("# Torus knot (2, 3) with spiral ridges, made by cli/examples/make_mesh.rs\no knot\n");
    let mut row = |name: &str, values: &[f64], decimals: usize| {
        text.push_str(name);
        for value in values {
            // Adding zero turns -0 into 0, so that no "-0.000" appears where the sign is an accident of rounding.
            let scale = 10f64.powi(decimals as i32);
            let value = (value * scale).round() / scale + 0.0;
            let _ = write!(text, " {value:.decimals$}");
        }
        text.push('\n');
    };
    for i in 0..ALONG {
        for j in 0..AROUND {
            row("v", &surface(angle(i, ALONG), angle(j, AROUND)), 5);
        }
    }
    for i in 0..ALONG {
        for j in 0..AROUND {
            row("vn", &normal(angle(i, ALONG), angle(j, AROUND)), 4);
        }
    }
    for i in 0..=ALONG {
        for j in 0..=AROUND {
            row("vt", &[i as f64 / ALONG as f64, j as f64 / AROUND as f64], 5);
        }
    }
    for i in 0..ALONG {
        for j in 0..AROUND {
            text.push('f');
            // Counter-clockwise seen from outside.
            for (i, j) in [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)] {
                let point = (i % ALONG) * AROUND + j % AROUND + 1;
                let texture = i * (AROUND + 1) + j + 1;
                let _ = write!(text, " {point}/{texture}/{point}");
            }
            text.push('\n');
        }
    }
    text
}

fn angle(step: usize, steps: usize) -> f64 {
    TAU * step as f64 / steps as f64
}

/// The middle of the tube: it runs twice around a ring, and three times around the ring's inside.
fn knot(t: f64) -> Vec3 {
    let (ring, out) = ring(t);
    add(ring, scale(out, 0.95))
}

/// The middle of the ring, and the direction from there to the knot.
fn ring(t: f64) -> (Vec3, Vec3) {
    let outward = [(2.0 * t).cos(), (2.0 * t).sin(), 0.0];
    let out = add(scale(outward, (3.0 * t).cos()), [0.0, 0.0, (3.0 * t).sin()]);
    (scale(outward, 2.1), out)
}

/// A point of the tube: `t` along the knot, `a` around the tube.
fn surface(t: f64, a: f64) -> Vec3 {
    const STEP: f64 = 1e-3;
    let forward = normalise(sub(knot(t + STEP), knot(t - STEP)));
    // The direction away from the ring turns with the knot and never lies along it: the frame does not flip.
    let side = normalise(cross(ring(t).1, forward));
    let up = cross(forward, side);
    let radius = 0.50 + 0.045 * (4.0 * a + 9.0 * t).cos();
    add(knot(t), add(scale(up, radius * a.cos()), scale(side, radius * a.sin())))
}

fn normal(t: f64, a: f64) -> Vec3 {
    const STEP: f64 = 1e-4;
    let along = sub(surface(t + STEP, a), surface(t - STEP, a));
    let around = sub(surface(t, a + STEP), surface(t, a - STEP));
    normalise(cross(along, around))
}

fn add(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

fn sub(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn scale(a: Vec3, by: f64) -> Vec3 {
    [a[0] * by, a[1] * by, a[2] * by]
}

fn cross(a: Vec3, b: Vec3) -> Vec3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn normalise(a: Vec3) -> Vec3 {
    scale(a, 1.0 / (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]).sqrt())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_shipped_mesh_is_what_this_makes() {
        let shipped = include_str!("../assets/knot.obj");
        assert!(super::mesh() == shipped, "run: cargo run --example make_mesh > cli/assets/knot.obj");
        assert!(shipped.len() < 1_500_000);
    }
}
