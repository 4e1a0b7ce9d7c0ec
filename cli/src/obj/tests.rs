use super::*;
use proptest::prelude::*;

fn mesh(text: &str) -> Mesh {
    parse(text.as_bytes()).unwrap()
}

fn error(text: &str) -> String {
    parse(text.as_bytes()).unwrap_err().to_string()
}

const SQUARE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

#[test]
fn a_polygon_becomes_a_fan() {
    let mesh = mesh(&format!("{SQUARE}f 1 2 3 4\n"));
    assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(mesh.positions[2], [1.0, 1.0, 0.0, 1.0]);
}

#[test]
fn corners_with_equal_indices_share_a_vertex() {
    let text = format!(
        "{SQUARE}vt 0 0\nvt 1 1\nvn 0 0 1\nf 1/1/1 2/1/1 3/1/1\nf 1/1/1 3/1/1 4/2/1\nf 1/2/1 2/1/1 3/1/1\n"
    );
    let mesh = mesh(&text);
    assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3], [4, 1, 2]]);
    assert_eq!(mesh.texcoords[4], [1.0, 1.0, 0.0, 1.0]);
    assert_eq!(mesh.positions[4], mesh.positions[0]);
}

#[test]
fn vertices_keep_the_numbers_of_the_file() {
    // Faces use the points backwards, one point not at all, and one with two normals.
    let text = format!("{SQUARE}v 9 9 9\nvn 0 0 1\nvn 0 0 -1\nf 4//1 3//1 2//1\nf 4//2 2//2 1//2\n");
    let mesh = mesh(&text);
    let given = [[0., 0., 0., 1.], [1., 0., 0., 1.], [1., 1., 0., 1.], [0., 1., 0., 1.], [9., 9., 9., 1.]];
    assert_eq!(mesh.positions[..5], given);
    assert_eq!(mesh.sources, [0, 1, 2, 3, 4, 3, 1]);
    assert_eq!(mesh.triangles, [[3, 2, 1], [5, 6, 0]]);
    assert_eq!([mesh.normals[3], mesh.normals[5]], [[0., 0., 1., 1.], [0., 0., -1., 1.]]);
    assert!(mesh.sources.iter().zip(&mesh.positions).all(|(&v, position)| *position == given[v as usize]));
}

#[test]
fn negative_indices_count_back_from_where_they_stand() {
    let mesh = mesh(&format!("{SQUARE}f -4 -3 -2\nv 9 9 9\nf 1//  2 3\n").replace("1//", "1"));
    assert_eq!(mesh.triangles, [[0, 1, 2], [0, 1, 2]]);
}

#[test]
fn missing_normals_are_smooth() {
    // Two triangles that meet at a right angle along the edge 1-2.
    let mesh = mesh("v 0 0 0\nv 0 0 1\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 2 1 4\n");
    let h = 0.5f32.sqrt();
    assert_eq!(mesh.normals[0], [h, h, 0.0, 1.0]);
    assert_eq!(mesh.normals[2], [0.0, 1.0, 0.0, 1.0]);
}

#[test]
fn points_carry_w_and_colours() {
    let mesh = mesh("v 1 2 3 4\nv 1 2 3 .1 .2 .3\nv 1 2 3 4 .1 .2 .3\nf 1 2 3\n");
    assert_eq!(mesh.positions, [[1., 2., 3., 4.], [1., 2., 3., 1.], [1., 2., 3., 4.]]);
    assert_eq!(mesh.colors, [[1.; 4], [0.1, 0.2, 0.3, 1.], [0.1, 0.2, 0.3, 1.]]);
}

#[test]
fn other_statements_comments_and_continued_lines_are_fine() {
    let text = "# \u{e9}t\u{e9}\r\nmtllib a.mtl\r\no x\r\ns off\r\nv 0 0 \\\r\n 0\r\nv 1 0 0 # one\r\nv 0 1 0\r\nf 1 \\\r\n2 3";
    assert_eq!(mesh(text).triangles, [[0, 1, 2]]);
    let latin1 = b"# caf\xe9\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    assert_eq!(parse(latin1).unwrap().positions.len(), 3);
}

#[test]
fn faces_may_come_before_their_points() {
    assert_eq!(mesh(&format!("f 1 2 3\n{SQUARE}")).triangles, [[0, 1, 2]]);
}

#[test]
fn errors_name_line_and_column() {
    for (text, expected) in [
        ("v 0 0\n", "line 1, column 1: `v` needs 3 numbers, has 2"),
        ("v 0 zero 0\n", "line 1, column 5: `zero` is not a finite number"),
        ("v 0 nan 0\n", "line 1, column 5: `nan` is not a finite number"),
        ("\nvn 0 0 1e99\n", "line 2, column 8: `1e99` is not a finite number"),
        ("f 0 1 2\n", "line 1, column 3: index 0 does not exist"),
        ("v 0 0 0\nf 1 1 2\n", "line 2, column 7: v index 2 is out of range: the file has 1"),
        ("v 0 0 0\nf 1 1/7 1\n", "line 2, column 7: vt index 7 is out of range: the file has 0"),
        ("v 0 0 0\nf 1 1//-1 1\n", "line 2, column 8: vn index -1 is out of range: only 0 come before it"),
        ("v 0 0 0\nf 1 -2 1\n", "line 2, column 5: v index -2 is out of range: only 1 come before it"),
        ("f 1 4294967297 1\n", "line 1, column 5: v index 4294967297 is out of range"),
        ("f 1 99999999999999999999 1\n", "line 1, column 5: `99999999999999999999` is not an index"),
        ("v 0 0 0\nf 1/1/1/1 1 1\n", "line 2, column 3: `1/1/1/1` has more than three indices"),
        ("v 0 0 0\nf /1 1 1\n", "line 2, column 3: `/1` names no vertex"),
        ("v 0 0 0\nf 1 x 1\n", "line 2, column 5: `x` is not an index"),
        ("v 0 0 0\nf 1 1\n", "line 2, column 1: a face needs at least 3 corners, but this one has 2"),
        ("f\n", "line 1, column 1: a face needs at least 3 corners, but this one has none"),
        ("v 0 0 0\n", "has no faces"),
        ("", "has no faces"),
    ] {
        assert_eq!(error(text), expected, "{text:?}");
    }
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = parse(&bytes);
    }

    #[test]
    fn arbitrary_statements_never_panic(text in "((v|vn|vt|f)( (-?[0-9]{1,2}|/|[0-9]//?-?[0-9]|\\\\)){0,5}\n){0,12}") {
        if let Ok(mesh) = parse(text.as_bytes()) {
            let count = mesh.positions.len();
            prop_assert!(mesh.triangles.iter().flatten().all(|&i| (i as usize) < count));
            prop_assert_eq!([mesh.normals.len(), mesh.texcoords.len(), mesh.colors.len(), mesh.sources.len()], [count; 4]);
        }
    }
}
