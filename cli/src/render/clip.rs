//! Clipping against the view volume.

/// A corner in clip space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vertex {
    /// Finite.
    pub position: [f64; 4],
    /// Red green blue.
    pub color: [f64; 3],
}

/// w stays above this, so that dividing by it stays finite.
const LEAST_W: f64 = 1e-6;

/// How far inside of each plane a position is; below zero is outside.
const PLANES: [fn(&[f64; 4]) -> f64; 7] = [
    |p| p[3] - LEAST_W,
    |p| p[2],
    |p| p[3] - p[2],
    |p| p[3] + p[0],
    |p| p[3] - p[0],
    |p| p[3] + p[1],
    |p| p[3] - p[1],
];

/// The part of a triangle inside of the view volume, as a polygon; empty if there is none.
pub fn clip(triangle: [Vertex; 3]) -> Vec<Vertex> {
    let mut polygon = triangle.to_vec();
    for plane in PLANES {
        if polygon.iter().all(|vertex| plane(&vertex.position) >= 0.0) {
            continue;
        }
        let mut inside = Vec::with_capacity(polygon.len() + 1);
        for (i, to) in polygon.iter().enumerate() {
            let from = &polygon[(i + polygon.len() - 1) % polygon.len()];
            let (a, b) = (plane(&from.position), plane(&to.position));
            if (a >= 0.0) != (b >= 0.0) {
                inside.push(between(from, to, a / (a - b)));
            }
            if b >= 0.0 {
                inside.push(*to);
            }
        }
        polygon = inside;
    }
    polygon
}

fn between(from: &Vertex, to: &Vertex, t: f64) -> Vertex {
    Vertex {
        position: std::array::from_fn(|i| from.position[i] + (to.position[i] - from.position[i]) * t),
        color: std::array::from_fn(|i| from.color[i] + (to.color[i] - from.color[i]) * t),
    }
}
