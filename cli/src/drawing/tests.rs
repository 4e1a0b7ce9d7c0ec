use super::*;
use crate::streams::Attribute;

fn vertices(count: usize) -> Vertices {
    Vertices { count, ..Vertices::default() }
}

fn with(primitive: Primitive) -> Drawing {
    Drawing { primitive: Some(primitive), ..Drawing::default() }
}

#[test]
fn vertices_become_triangles() {
    assert_eq!(Drawing::default().triangles(&vertices(6)).unwrap(), [[0, 1, 2], [3, 4, 5]]);
    assert_eq!(with(Primitive::Strip).triangles(&vertices(5)).unwrap(), [[0, 1, 2], [2, 1, 3], [2, 3, 4]]);
    assert_eq!(with(Primitive::Fan).triangles(&vertices(4)).unwrap(), [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(with(Primitive::Quads).triangles(&vertices(4)).unwrap(), [[0, 1, 2], [0, 2, 3]]);
    for (drawing, count) in [
        (Drawing::default(), 4),
        (Drawing::default(), 0),
        (with(Primitive::Quads), 6),
        (with(Primitive::Fan), 2),
    ] {
        assert!(matches!(drawing.triangles(&vertices(count)), Err(Failure::Usage(_))), "{count}");
    }
    let mesh = Vertices { triangles: vec![[2, 1, 0]], ..vertices(3) };
    assert_eq!(Drawing::default().triangles(&mesh).unwrap(), [[2, 1, 0]]);
    assert!(matches!(with(Primitive::Fan).triangles(&mesh), Err(Failure::Usage(_))));
}

#[test]
fn a_fit_shows_everything_whatever_the_numbers_are() {
    let square =
        [[100.0, 0.0, 5.0, 1.0], [300.0, 0.0, 5.0, 1.0], [300.0, -8.0, 9.0, 1.0], [200.0, 4.0, 7.0, 2.0]];
    for view in [View::Fit, View::Window] {
        for [x, y, z, w] in view.positions(&square, 1.5) {
            let quotients = [x / w, y / w, z / w];
            assert!(
                quotients[..2].iter().all(|c| c.abs() <= 0.91) && (0.0..=1.0).contains(&quotients[2]),
                "{quotients:?}"
            );
        }
    }
    // Pixels grow downwards and are square; clip space stays where it is.
    let corners = [[0.0, 0.0, 0.0, 1.0], [640.0, 480.0, 1.0, 0.0]];
    let [[left, top, ..], [right, bottom, ..]] = View::Window.positions(&corners, 2.0)[..] else { panic!() };
    assert!(left < right && top > bottom && ((top - bottom) / (right - left) - 1.5).abs() < 1e-6);
    let [x, y, _, w] = View::Clip.positions(&[[0.5, -0.25, 0.0, 2.0]], 2.0)[0];
    assert_eq!([x, y, w], [0.5, -0.25, 2.0]);
}

#[test]
fn odd_positions_are_no_trouble() {
    let odd = [
        [f64::NAN; 4],
        [f64::INFINITY, 0.0, 0.0, 1.0],
        [0.0; 4],
        [1.0, 1.0, 1.0, -1.0],
        [3.4e38, -3.4e38, 0.0, 1e-45],
    ];
    for view in [View::Fit, View::Clip, View::Window] {
        for count in 0..odd.len() {
            let positions = view.positions(&odd[..count], 1.0);
            let triangles = [[0, 1, 2], [2, 3, 4], [7, 0, 0]];
            assert_eq!(relief(&positions, &triangles[..count / 5]).len(), count);
        }
    }
}

#[test]
fn sizes_are_two_numbers() {
    assert_eq!(size("640x480"), Ok(Pixels { width: 640, height: 480 }));
    for wrong in ["", "640", "640x", "0x4", "4097x1", "1x-1", "1x1x1"] {
        assert!(size(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn the_camera_fits_the_positions_that_a_file_gives() {
    let words: Vec<u32> = [10f32, 20., 30., 14., 26., 30.].iter().map(|c| c.to_bits()).collect();
    let mut vertices = vertices(2);
    vertices.attributes[0] = Some(Attribute { words, components: 3 });
    let camera = Drawing::default().camera(&vertices);
    let expected = Camera::fitting([[10.0, 20.0, 30.0], [14.0, 26.0, 30.0]].into_iter(), 4.0 / 3.0);
    assert_eq!(camera, expected);
}
