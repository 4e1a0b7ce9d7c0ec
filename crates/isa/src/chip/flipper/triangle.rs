//! Which vertices make triangles (flipper.md 1.1), and what the unit decides of three (3.3).

use super::opcode::Primitive;
use xfjit_runtime::state::Row;

/// How many triangles `vertices` make; none for lines and points. Vertices left over are dropped, except three vertices of a quad,
/// which make a triangle (as in one emulator, for a game).
pub const fn count(primitive: Primitive, vertices: usize) -> usize {
    match primitive {
        Primitive::Quads | Primitive::Quads2 => vertices / 4 * 2 + (vertices % 4 == 3) as usize,
        Primitive::Triangles => vertices / 3,
        Primitive::TriangleStrip | Primitive::TriangleFan => vertices.saturating_sub(2),
        Primitive::Lines | Primitive::LineStrip | Primitive::Points => 0,
    }
}

/// The vertices of a triangle, by its number in the primitive. All triangles of a strip wind the same way, because odd ones have
/// their last two vertices exchanged. The emulator whose arithmetic [`is_back`] uses exchanges these two, and the choice affects
/// how its sums are rounded.
pub const fn vertices(primitive: Primitive, number: usize) -> [usize; 3] {
    match primitive {
        Primitive::Quads | Primitive::Quads2 => {
            let (first, second) = (number / 2 * 4, number % 2);
            [first, first + 1 + second, first + 2 + second]
        }
        Primitive::TriangleStrip if number % 2 == 1 => [number, number + 2, number + 1],
        Primitive::TriangleStrip => [number, number + 1, number + 2],
        Primitive::TriangleFan => [0, number + 1, number + 2],
        Primitive::Triangles | Primitive::Lines | Primitive::LineStrip | Primitive::Points => {
            [3 * number, 3 * number + 1, 3 * number + 2]
        }
    }
}

/// Whether a triangle with these clip positions shows its back. `scale` is the viewport's scale of y, as a word. The
/// function expects the default floating-point environment.
pub fn is_back(clip: [Row; 3], scale: u32) -> bool {
    let [[x0, y0, _, w0], [x1, y1, _, w1], [x2, y2, _, w2]] = clip.map(|row| row.map(f32::from_bits));
    let area = (x0 * w2 - x2 * w0) * y1 + (x2 * y0 - x0 * y2) * w1 + (y2 * w0 - y0 * w2) * x1;
    let is_back = area <= 0.0;
    if f32::from_bits(scale) > 0.0 { !is_back } else { is_back }
}

/// Whether a triangle with these clip masks is rejected because all of it is outside one plane.
pub const fn is_rejected(masks: [u32; 3]) -> bool {
    masks[0] & masks[1] & masks[2] != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two equal vertices leave an area of what rounding leaves, so that the order of the three counts.
    #[test]
    fn the_order_of_an_odd_triangle_decides_what_rounding_leaves() {
        let clip = |x: f32, y: f32, w: f32| [x, y, 0.0, w].map(f32::to_bits);
        let (one, other) = (clip(1.1, 0.8, 1.2), clip(1.2, 1.2, 1.0));
        let strip = [other, one, other, one];
        let area = |order: [usize; 3]| is_back(order.map(|at| strip[at]), 0.0f32.to_bits());
        assert!(area([1, 3, 2]) != area([2, 1, 3]), "the vertices tell the orders apart");
        let odd = vertices(Primitive::TriangleStrip, 1);
        assert_eq!((odd, area(odd)), ([1, 3, 2], true));
    }

    #[test]
    fn primitives_make_triangles() {
        let all = |primitive: Primitive, of: usize| -> Vec<[usize; 3]> {
            (0..count(primitive, of)).map(|number| vertices(primitive, number)).collect()
        };
        for quads in [Primitive::Quads, Primitive::Quads2] {
            assert_eq!(all(quads, 9), [[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]]);
            assert_eq!(all(quads, 7), [[0, 1, 2], [0, 2, 3], [4, 5, 6]]);
            assert_eq!((all(quads, 6).len(), all(quads, 3), all(quads, 2).len()), (2, vec![[0, 1, 2]], 0));
        }
        assert_eq!(all(Primitive::Triangles, 8), [[0, 1, 2], [3, 4, 5]]);
        assert_eq!(all(Primitive::TriangleStrip, 5), [[0, 1, 2], [1, 3, 2], [2, 3, 4]]);
        assert_eq!(all(Primitive::TriangleFan, 5), [[0, 1, 2], [0, 2, 3], [0, 3, 4]]);
        for primitive in Primitive::ALL {
            let three = usize::from(!matches!(
                primitive,
                Primitive::Lines | Primitive::LineStrip | Primitive::Points
            ));
            assert_eq!([0, 1, 2, 3].map(|of| count(primitive, of)), [0, 0, 0, three], "{primitive:?}");
            for of in 0..40 {
                assert!(all(primitive, of).iter().flatten().all(|&vertex| vertex < of), "{primitive:?} {of}");
            }
        }
    }
}
