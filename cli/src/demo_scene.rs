//! The scene of `xfjit demo`: which mesh, which program, where the camera and the lights are.
//!
//! All numbers come from +, -, *, / and square roots, which are the same on every host.

use crate::demo_view::{DISTANCE, LENS, View, rows};
use crate::obj::Mesh;
use crate::render::Look;
use std::collections::BTreeSet;

/// The mesh, as Wavefront OBJ.
pub const MESH: &[u8] = include_bytes!("../assets/knot.obj");

/// The vertex program, as assembler text for Kelvin.
pub const PROGRAM: &str = include_str!("../assets/lit.vsh");

/// The picture.
pub const LOOK: Look =
    Look { width: 960, height: 720, cull: true, background: [[0.035, 0.045, 0.075], [0.16, 0.17, 0.21]] };

/// Rotation about z, then about x, as (cosine, sine).
const TURN: [(f64, f64); 2] = [(12.0 / 13.0, 5.0 / 13.0), (0.8, -0.6)];

/// How far the object is moved up, so that it looks centred from above.
const LIFT: f64 = 0.3;

/// Constant rows that the program reads, with their numbers.
pub fn constants() -> Vec<(usize, [u32; 4])> {
    let aspect = LOOK.width as f64 / LOOK.height as f64;
    let rows = rows(View { turn: TURN, lift: LIFT, aspect });
    rows.iter().enumerate().map(|(i, row)| (96 + i, row.map(|v| (v as f32).to_bits()))).collect()
}

/// Moves and scales a mesh of any size to where the camera looks: the sphere around it fills the view. Lights and camera
/// stay, so that is the same as fitting them to the mesh.
pub fn place(mesh: &mut Mesh) {
    // The sphere that touches the top and the bottom of the view, and room around it.
    let radius = 0.92 * DISTANCE / (1.0 + LENS * LENS).sqrt();
    let point = |&[x, y, z, w]: &[f32; 4]| [x, y, z].map(|v| f64::from(v) / f64::from(w));
    let seen: BTreeSet<u32> = mesh.triangles.iter().flatten().copied().collect();
    let points = seen.iter().map(|&vertex| point(&mesh.positions[vertex as usize]));
    let points: Vec<[f64; 3]> = points.filter(|point| point.iter().all(|v| v.is_finite())).collect();
    let extreme =
        |axis: usize, pick: fn(f64, f64) -> f64| points.iter().map(|p| p[axis]).reduce(pick).unwrap_or(0.0);
    let center: [f64; 3] =
        std::array::from_fn(|axis| (extreme(axis, f64::min) + extreme(axis, f64::max)) / 2.0);
    let distance = |p: &[f64; 3]| (0..3).map(|axis| (p[axis] - center[axis]).powi(2)).sum::<f64>().sqrt();
    let size = points.iter().map(distance).fold(0.0, f64::max);
    let scale = if size > 0.0 { radius / size } else { 1.0 };
    for position in &mut mesh.positions {
        let w = f64::from(position[3]);
        for axis in 0..3 {
            position[axis] = ((f64::from(position[axis]) - center[axis] * w) * scale) as f32;
        }
    }
}

/// The colour of a vertex from the program's oD0 and oD1: clamped, then added.
pub fn color(diffuse: [u32; 4], specular: [u32; 4]) -> [f32; 3] {
    let clamped = |bits: u32| {
        let value = f32::from_bits(bits);
        if value.is_nan() { 1.0 } else { value.clamp(0.0, 1.0) }
    };
    std::array::from_fn(|i| clamped(diffuse[i]) + clamped(specular[i]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mesh_has_thousands_of_vertices_inside_of_the_view() {
        let mesh = crate::obj::parse(MESH).unwrap();
        assert!((5_000..20_000).contains(&mesh.positions.len()));
        let rows: Vec<[f32; 4]> = constants()[..4].iter().map(|(_, row)| row.map(f32::from_bits)).collect();
        for position in &mesh.positions {
            let clip: Vec<f32> = rows.iter().map(|row| (0..4).map(|i| row[i] * position[i]).sum()).collect();
            let w = clip[3];
            assert!(clip[0].abs() < w && clip[1].abs() < w && (0.0..w).contains(&clip[2]), "{position:?}");
        }
    }

    #[test]
    fn meshes_of_any_size_and_place_fill_the_view() {
        let rows: Vec<[f64; 4]> =
            constants()[..4].iter().map(|(_, row)| row.map(|bits| f64::from(f32::from_bits(bits)))).collect();
        for (size, at, w) in [(1e-12, 0.0, 1), (1e9, 0.0, 1), (30.0, -70_000.0, 1), (2.0, 5.0, 4)] {
            let mut text = String::new();
            for corner in 0..8 {
                let at = |bit: u32| (at + size * f64::from(corner >> bit & 1)) * f64::from(w);
                text += &format!("v {} {} {} {w}\n", at(0), at(1), at(2));
            }
            // A point that no face uses does not count.
            text += "v 1e30 1e30 1e30\nf 1 2 4 3\nf 5 6 8 7\n";
            let mut mesh = crate::obj::parse(text.as_bytes()).unwrap();
            place(&mut mesh);
            let mut reach = 0f64;
            for position in &mesh.positions[..8] {
                let clip: Vec<f64> =
                    rows.iter().map(|row| (0..4).map(|i| row[i] * f64::from(position[i])).sum()).collect();
                assert!(clip[3] > 0.0 && (0.0..clip[3]).contains(&clip[2]), "{size}: {clip:?}");
                reach = reach.max(clip[0].abs().max(clip[1].abs()) / clip[3]);
            }
            assert!((0.5..1.0).contains(&reach), "{size} at {at}: {reach}");
        }
    }

    #[test]
    fn the_normals_of_the_mesh_fit_its_faces() {
        let text = String::from_utf8(MESH.to_vec()).unwrap();
        let given = crate::obj::parse(MESH).unwrap();
        // A mesh without `vn`: the reader makes normals of its own.
        let bare: String =
            text.lines().filter(|line| !line.starts_with("vn")).fold(String::new(), |text, line| {
                let corner = |word: &str| {
                    word.rsplit_once('/').map_or(word.to_string(), |(corner, _)| corner.to_string())
                };
                text + &line.split(' ').map(corner).collect::<Vec<_>>().join(" ") + "\n"
            });
        let made = crate::obj::parse(bare.as_bytes()).unwrap();
        assert_eq!(given.triangles, made.triangles);
        for (a, b) in given.normals.iter().zip(&made.normals) {
            assert!(a[0] * b[0] + a[1] * b[1] + a[2] * b[2] > 0.97, "{a:?} {b:?}");
        }
    }

    #[test]
    fn the_program_names_only_constants_that_are_set() {
        let set: Vec<usize> = constants().iter().map(|(row, _)| *row).collect();
        let code = PROGRAM.lines().map(|line| line.split(';').next().unwrap_or_default());
        for name in code.flat_map(|line| line.split("c[").skip(1)) {
            let row = name.split(']').next().unwrap().parse().unwrap();
            assert!(set.contains(&row), "c[{row}]");
        }
    }
}
