//! A camera that fits what it is to show.

use xfjit::asm::gl::Matrix;

/// One over the tangent of half of the angle of view, along the shorter edges of the picture.
const LENS: f64 = 2.7;
/// Rotation about y, then about x, as (cosine, sine): the camera looks from the right and from above.
const TURN: [(f64, f64); 2] = [(12.0 / 13.0, -5.0 / 13.0), (0.96, 0.28)];
/// Room around the sphere that holds everything.
const MARGIN: f64 = 1.1;

/// What OpenGL's matrices are for a picture.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Camera {
    /// From the object to the eye, which looks down the negative z axis.
    pub modelview: Matrix,
    /// From the eye to clip space, -w <= x, y, z <= w.
    pub projection: Matrix,
}

impl Camera {
    /// The camera that has all finite `positions` in its picture, which is `aspect` times as wide as high.
    pub fn fitting(positions: impl Iterator<Item = [f64; 3]>, aspect: f64) -> Camera {
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for position in positions.filter(|position| position.iter().all(|c| c.is_finite())) {
            low = std::array::from_fn(|i| low[i].min(position[i]));
            high = std::array::from_fn(|i| high[i].max(position[i]));
        }
        let sizes: [f64; 3] = std::array::from_fn(|i| (high[i] - low[i]).max(0.0));
        let diagonal = (sizes[0] * sizes[0] + sizes[1] * sizes[1] + sizes[2] * sizes[2]).sqrt();
        // Of a single point, or none, the picture shows the unit sphere around it.
        let radius = if diagonal > 0.0 { MARGIN * diagonal / 2.0 } else { 1.0 };
        let centre = std::array::from_fn(|i| if low[i] <= high[i] { low[i] + sizes[i] / 2.0 } else { 0.0 });
        // The sphere touches the rays of the narrower angle of view.
        let distance = radius * (1.0 + LENS * LENS).sqrt();
        let (near, far) = (distance - radius, distance + radius);

        let [(cy, sy), (cx, sx)] = TURN;
        let [x, y, z, w] = Matrix::IDENTITY.0;
        let about_y = Matrix([[cy, 0.0, sy, 0.0], y, [-sy, 0.0, cy, 0.0], w]);
        let about_x = Matrix([x, [0.0, cx, -sx, 0.0], [0.0, sx, cx, 0.0], w]);
        let moved = |[dx, dy, dz]: [f64; 3]| {
            Matrix([[x[0], 0.0, 0.0, dx], [0.0, y[1], 0.0, dy], [0.0, 0.0, z[2], dz], w])
        };
        let turned = about_x.after(&about_y).after(&moved(centre.map(|c: f64| -c)));
        Camera {
            modelview: moved([0.0, 0.0, -distance]).after(&turned),
            projection: Matrix([
                [LENS / aspect.max(1.0), 0.0, 0.0, 0.0],
                [0.0, LENS * aspect.min(1.0), 0.0, 0.0],
                [0.0, 0.0, -(far + near) / (far - near), -2.0 * far * near / (far - near)],
                [0.0, 0.0, -1.0, 0.0],
            ]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Where a camera puts a position: x, y, z divided by w, and w.
    fn seen(camera: &Camera, [x, y, z]: [f64; 3]) -> [f64; 4] {
        let rows = camera.projection.after(&camera.modelview).0;
        let [x, y, z, w] = rows.map(|row| row[0] * x + row[1] * y + row[2] * z + row[3]);
        [x / w, y / w, z / w, w]
    }

    proptest! {
        #[test]
        fn everything_is_in_the_picture_and_fills_it(
            points in proptest::collection::vec(proptest::array::uniform3(-1e6f64..1e6), 1..20),
            scale in -20i32..20,
            aspect in 0.25f64..4.0,
        ) {
            let points: Vec<[f64; 3]> = points.iter().map(|p| p.map(|c| c * 2f64.powi(scale))).collect();
            let camera = Camera::fitting(points.iter().copied(), aspect);
            for &point in &points {
                let [x, y, z, w] = seen(&camera, point);
                prop_assert!(x.abs() <= 1.0 && y.abs() <= 1.0 && z.abs() <= 1.0 && w > 0.0, "{x} {y} {z} {w}");
            }
        }
    }

    #[test]
    fn a_cube_is_neither_cut_nor_small() {
        let corner = |i: usize| [i & 1, i >> 1 & 1, i >> 2].map(|c| 7.0 + 3.0 * c as f64);
        let camera = Camera::fitting((0..8).map(corner), 4.0 / 3.0);
        let high = (0..8).map(|i| seen(&camera, corner(i))[1].abs()).fold(0.0, f64::max);
        assert!((0.6..1.0).contains(&high), "{high}");
    }

    #[test]
    fn nothing_and_points_without_place_are_no_trouble() {
        for points in
            [vec![], vec![[f64::NAN, 0.0, 0.0]], vec![[3.0, 4.0, 5.0]], vec![[f64::INFINITY; 3], [1.0; 3]]]
        {
            let camera = Camera::fitting(points.into_iter(), 1.0);
            assert!(camera.modelview.0.iter().flatten().all(|element| element.is_finite()));
            assert!(camera.projection.inverse().is_some());
        }
    }
}
