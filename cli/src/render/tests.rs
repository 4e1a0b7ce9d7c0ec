use super::*;
use proptest::prelude::*;

const LOOK: Look = Look { width: 8, height: 8, cull: false, background: [[0.0; 3]; 2] };
const RED: [f32; 3] = [1.0, 0.0, 0.0];
const BLUE: [f32; 3] = [0.0, 0.0, 1.0];

fn pixel(picture: &Picture, x: usize, y: usize) -> [u8; 3] {
    let start = 3 * (y * picture.width + x);
    [picture.pixels[start], picture.pixels[start + 1], picture.pixels[start + 2]]
}

fn render(positions: &[[f32; 4]], color: &[[f32; 3]], look: &Look) -> Picture {
    let triangles: Vec<[u32; 3]> =
        (0..positions.len() as u32 / 3).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    let colors: Vec<[f32; 3]> = (0..positions.len()).map(|i| color[i / 3 % color.len()]).collect();
    draw(&Scene { positions, colors: &colors, triangles: &triangles }, look)
}

/// Counter-clockwise for the viewer; covers the lower left half and more.
fn big(z: f32) -> [[f32; 4]; 3] {
    [[-1.0, -1.0, z, 1.0], [3.0, -1.0, z, 1.0], [-1.0, 3.0, z, 1.0]]
}

#[test]
fn a_triangle_larger_than_the_screen_fills_it() {
    let picture = render(&big(0.5), &[RED], &LOOK);
    assert!(picture.pixels.chunks(3).all(|pixel| pixel == [255, 0, 0]));
}

#[test]
fn y_points_up() {
    let corner = [[-1.0, 1.0, 0.5, 1.0], [-1.0, 0.0, 0.5, 1.0], [0.0, 1.0, 0.5, 1.0]];
    let picture = render(&corner, &[RED], &LOOK);
    assert_eq!((pixel(&picture, 0, 0), pixel(&picture, 0, 7)), ([255, 0, 0], [0, 0, 0]));
}

#[test]
fn the_nearer_triangle_wins_in_any_order() {
    for (first, second) in [(0.2, 0.8), (0.8, 0.2)] {
        let colors = if first < second { [RED, BLUE] } else { [BLUE, RED] };
        let picture = render(&[big(first), big(second)].concat(), &colors, &LOOK);
        assert_eq!(pixel(&picture, 4, 4), [255, 0, 0]);
    }
}

#[test]
fn culling_leaves_out_clockwise_triangles() {
    let [a, b, c] = big(0.5);
    let look = Look { cull: true, ..LOOK };
    assert_eq!(pixel(&render(&[a, b, c], &[RED], &look), 1, 6), [255, 0, 0]);
    assert_eq!(pixel(&render(&[a, c, b], &[RED], &look), 1, 6), [0, 0, 0]);
}

#[test]
fn what_is_behind_the_viewer_is_cut_off() {
    // The third corner is behind; without clipping its division by w would mirror it.
    let positions = [[-1.0, -1.0, 0.5, 1.0], [1.0, -1.0, 0.5, 1.0], [0.0, -1.0, -0.5, -1.0]];
    let picture = render(&positions, &[RED], &LOOK);
    assert_eq!(pixel(&picture, 4, 0), [0, 0, 0]);
}

#[test]
fn colours_are_perspective_correct() {
    // A floor from w = 1 to w = 9: halfway up the screen is a tenth of the way, not half of it.
    let positions = [
        [-1., -1., 0., 1.],
        [1., -1., 0., 1.],
        [9., 9., 0., 9.],
        [-1., -1., 0., 1.],
        [9., 9., 0., 9.],
        [-9., 9., 0., 9.],
    ];
    let colors = [[0.0; 3], [0.0; 3], [1.0; 3], [0.0; 3], [1.0; 3], [1.0; 3]];
    let triangles = [[0, 1, 2], [3, 4, 5]];
    let picture = draw(&Scene { positions: &positions, colors: &colors, triangles: &triangles }, &LOOK);
    let middle = pixel(&picture, 4, 4)[0];
    assert!((15..40).contains(&middle), "{middle}");
}

#[test]
fn the_file_is_a_png() {
    let mut bytes = Vec::new();
    let picture = render(&big(0.5), &[BLUE], &LOOK);
    write_png(&mut bytes, &picture).unwrap();
    let mut reader = png::Decoder::new(io::Cursor::new(bytes)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut pixels).unwrap();
    assert_eq!(pixels, picture.pixels);
}

proptest! {
    #[test]
    fn any_bits_can_be_drawn(words in proptest::collection::vec(any::<[u32; 7]>(), 0..12), indices in proptest::collection::vec(any::<[u8; 3]>(), 0..12), cull: bool) {
        let positions: Vec<[f32; 4]> = words.iter().map(|w| [w[0], w[1], w[2], w[3]].map(f32::from_bits)).collect();
        let colors: Vec<[f32; 3]> = words.iter().map(|w| [w[4], w[5], w[6]].map(f32::from_bits)).collect();
        let triangles: Vec<[u32; 3]> = indices.iter().map(|i| i.map(|i| u32::from(i % 13))).collect();
        let picture = draw(&Scene { positions: &positions, colors: &colors, triangles: &triangles }, &Look { cull, ..LOOK });
        prop_assert_eq!(picture.pixels.len(), 8 * 8 * 3);
    }

    #[test]
    fn ordinary_triangles_can_be_drawn(values in proptest::collection::vec(proptest::array::uniform4(-4f32..4.0), 3..12)) {
        let positions: Vec<[f32; 4]> = values;
        render(&positions, &[RED, BLUE], &LOOK);
    }
}
