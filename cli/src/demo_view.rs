//! The rows of constants of the demo's scene: where the camera is, the lights and the material. The playground has the same scene.
//!
//! All numbers come from +, -, *, / and square roots, which are the same on every host.

/// Distance of the camera, which looks down the z axis, and of its clip planes from it.
pub const DISTANCE: f64 = 10.0;
/// The near clip plane.
pub const NEAR: f64 = 4.0;
/// The far clip plane.
pub const FAR: f64 = 20.0;
/// One over the tangent of half of the vertical field of view.
pub const LENS: f64 = 2.7;

/// How the object is seen.
#[derive(Clone, Copy)]
pub struct View {
    /// Rotation about z, then about x, as (cosine, sine).
    pub turn: [(f64, f64); 2],
    /// How far the object is moved up.
    pub lift: f64,
    /// Width of the picture over its height.
    pub aspect: f64,
}

/// The rows, from the first one that the program reads on.
pub fn rows(view: View) -> [[f64; 4]; 18] {
    let [(cz, sz), (cx, sx)] = view.turn;
    let world = [[cz, -sz, 0.0, 0.0], [cx * sz, cx * cz, -sx, view.lift], [sx * sz, sx * cz, cx, 0.0]];
    let [right, up, back] = world;
    // The camera stands at z = DISTANCE: w is the depth before it, z runs from 0 to w between the planes.
    let depth = [-back[0], -back[1], -back[2], DISTANCE - back[3]];
    let stretch = FAR / (FAR - NEAR);
    [
        right.map(|v| v * LENS / view.aspect),
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
    ]
}

fn unit(v: [f64; 3]) -> [f64; 4] {
    let length = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt();
    [v[0] / length, v[1] / length, v[2] / length, 0.0]
}
