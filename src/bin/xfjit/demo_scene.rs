//! The scene of `xfjit demo`: which mesh, which program, where the camera and the lights are.
//!
//! All numbers come from +, -, *, / and square roots, which are the same on every host.

use crate::render::Look;

/// The mesh, as Wavefront OBJ.
pub const MESH: &[u8] = include_bytes!("../../../assets/knot.obj");

/// The vertex program, as assembler text for Kelvin.
pub const PROGRAM: &str = include_str!("../../../assets/lit.vsh");

/// The picture.
pub const LOOK: Look =
    Look { width: 960, height: 720, cull: true, background: [[0.035, 0.045, 0.075], [0.16, 0.17, 0.21]] };

/// Distance of the camera, which looks down the z axis, and of its clip planes from it.
const DISTANCE: f64 = 10.0;
const NEAR: f64 = 4.0;
const FAR: f64 = 20.0;
/// One over the tangent of half of the vertical field of view.
const LENS: f64 = 2.7;
/// Rotation about z, then about x, as (cosine, sine).
const TURN: [(f64, f64); 2] = [(12.0 / 13.0, 5.0 / 13.0), (0.8, -0.6)];

/// How far the object is moved up, so that it looks centred from above.
const LIFT: f64 = 0.3;

/// Constant rows that the program reads, with their numbers.
pub fn constants() -> Vec<(usize, [u32; 4])> {
    let [(cz, sz), (cx, sx)] = TURN;
    let world = [[cz, -sz, 0.0, 0.0], [cx * sz, cx * cz, -sx, LIFT], [sx * sz, sx * cz, cx, 0.0]];
    let [right, up, back] = world;
    let aspect = LOOK.width as f64 / LOOK.height as f64;
    // The camera stands at z = DISTANCE: w is the depth before it, z runs from 0 to w between the planes.
    let depth = [-back[0], -back[1], -back[2], DISTANCE - back[3]];
    let stretch = FAR / (FAR - NEAR);
    let rows = [
        right.map(|v| v * LENS / aspect),
        up.map(|v| v * LENS),
        [depth[0] * stretch, depth[1] * stretch, depth[2] * stretch, (depth[3] - NEAR) * stretch],
        depth,
        right,
        up,
        back,
        [0.0, 0.0, DISTANCE, 1.0],
        unit([-0.55, 0.75, 0.65]),
        [1.00, 0.92, 0.80, 20.0],
        [0.10, 0.11, 0.16, 0.0],
        unit([0.85, -0.25, 0.30]),
        [0.22, 0.30, 0.48, 0.0],
        [0.0, 1.0, 4.0, 6.0],
        [0.55, 0.62, 0.80, 0.0],
        [0.70, 0.66, 0.58, 0.0],
        [0.93, 0.36, 0.16, 0.0],
        [-0.79, 0.22, 0.46, 0.0],
    ];
    rows.iter().enumerate().map(|(i, row)| (96 + i, row.map(|v| (v as f32).to_bits()))).collect()
}

/// The colour of a vertex from the program's oD0 and oD1: clamped, then added.
pub fn color(diffuse: [u32; 4], specular: [u32; 4]) -> [f32; 3] {
    let clamped = |bits: u32| {
        let value = f32::from_bits(bits);
        if value.is_nan() { 1.0 } else { value.clamp(0.0, 1.0) }
    };
    std::array::from_fn(|i| clamped(diffuse[i]) + clamped(specular[i]))
}

fn unit(v: [f64; 3]) -> [f64; 4] {
    let length = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt();
    [v[0] / length, v[1] / length, v[2] / length, 0.0]
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
    fn the_normals_of_the_mesh_fit_its_faces() {
        let text = String::from_utf8(MESH.to_vec()).unwrap();
        let given = crate::obj::parse(MESH).unwrap();
        // The same mesh without `vn`: the reader makes its own.
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
