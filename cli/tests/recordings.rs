//! What `xfjit run` draws of recordings: pictures and meshes, compared with what is printed of the same.

use std::path::{Path, PathBuf};
use std::process::Command;

fn directory(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("recordings-{name}"));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("a directory for the test");
    path
}

fn xfjit(line: &str) -> (Option<i32>, String, String) {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd");
    let mut command = Command::new(env!("CARGO_BIN_EXE_xfjit"));
    let output = command.current_dir(directory).args(line.split(' ')).output().expect("the command runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// A picture: its width, and its pixels row by row.
fn picture(path: &Path) -> (usize, Vec<[u8; 3]>) {
    let file = std::io::BufReader::new(std::fs::File::open(path).expect("it was written"));
    let mut reader = png::Decoder::new(file).read_info().expect("a PNG");
    let mut bytes = vec![0; reader.output_buffer_size().expect("it fits")];
    let info = reader.next_frame(&mut bytes).expect("a picture");
    (info.width as usize, bytes.chunks_exact(3).map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect())
}

/// Triangles that are the same from a trace, through a ring, and from bytes of the FIFO.
const SAME: [&str; 3] = [
    "run --trace files/flipper.trace",
    "run --trace files/ring.trace",
    "run --fifo files/flipper.fifo --memory files/flipper.mem@0x40 --memory files/positions.mem@32 --quiet",
];

/// The square of the trace has its vertices at (0, 0), (1, 0), (0, 1) and (1, 1), of red, green, blue and white.
#[test]
fn a_picture_has_the_colours_where_the_vertices_are() {
    let out = directory("picture").join("p.png");
    for view in ["fit", "clip", "window"] {
        let mut pictures = Vec::new();
        for line in SAME {
            let line = format!("{line} --draw {} --size 64x64 --view {view}", out.display());
            let (code, printed, errors) = xfjit(&line);
            assert_eq!((code, &*printed), (Some(0), ""), "{line}: {errors}");
            pictures.push(picture(&out));
        }
        assert!(pictures[0] == pictures[1] && pictures[0] == pictures[2], "{view}");
        let (width, pixels) = &pictures[0];
        assert_eq!((*width, pixels.len()), (64, 64 * 64));
        // Where the corners are: of clip space it is the upper right quarter, whose far corner is halfway.
        // Of the screen, whose pixels are square, it is wider than high.
        let [left, right, low, high] = match view {
            "clip" => [34, 46, 29, 17],
            "window" => [6, 57, 51, 13],
            _ => [6, 57, 57, 6],
        };
        let strongest = |x: usize, y: usize| {
            let [r, g, b] = pixels[y * width + x];
            [r > 120, g > 120, b > 120]
        };
        assert_eq!(strongest(left, low), [true, false, false], "{view}: red");
        assert_eq!(strongest(right, low), [false, true, false], "{view}: green");
        assert_eq!(strongest(left, high), [false, false, true], "{view}: blue");
        assert_eq!(strongest(right, high), [true, true, true], "{view}: white");
    }
}

/// Numbers of a mesh are those that are printed.
#[test]
fn a_mesh_has_the_numbers_that_are_printed() {
    for line in SAME {
        let (code, mesh, errors) = xfjit(&format!("{line} --obj -"));
        assert_eq!(code, Some(0), "{errors}");
        let printed = xfjit(&format!("{line} --format json")).1;
        let printed: serde_json::Value = serde_json::from_str(&printed).expect("it is JSON");
        let outputs = printed["outputs"].as_array().expect("a list").iter();
        let draw = outputs.map(|output| &output["draw"]).find(|draw| !draw.is_null()).expect("a draw");
        let places: Vec<Vec<f64>> = mesh
            .lines()
            .filter_map(|line| line.strip_prefix("v "))
            .map(|line| line.split(' ').map(|number| number.parse().expect("a number")).collect())
            .collect();
        let vertices = draw["vertices"].as_array().expect("a list");
        assert_eq!(places.len(), vertices.len());
        for (place, vertex) in places.iter().zip(vertices) {
            let row = |name: &str| -> Vec<f64> {
                let registers = vertex.as_array().expect("a list").iter();
                let values = &registers.clone().find(|register| register["name"] == name).expect("it leaves")
                    ["values"];
                values
                    .as_array()
                    .expect("a list")
                    .iter()
                    .map(|value| value.as_f64().expect("a number"))
                    .collect()
            };
            assert_eq!(place[..3], row("eye")[..3]);
            let colour: Vec<f64> = row("colour0")[..3].iter().map(|channel| channel / 255.0).collect();
            assert!(
                place[3..].iter().zip(&colour).all(|(a, b)| (a - b).abs() < 1e-6),
                "{place:?} {colour:?}"
            );
        }
        let faces: Vec<&str> = mesh.lines().filter(|line| line.starts_with("f ")).collect();
        assert_eq!(faces.len(), draw["triangles"].as_array().expect("a list").len());
    }
}

/// Every primitive, with normals and coordinates, and vertices that no mesh can hold.
#[test]
fn each_primitive_has_its_faces_and_its_attributes() {
    let directory = directory("primitives");
    let path = directory.join("all.trace");
    // Positions, normals and coordinates of one byte each component, direct; coordinates and normals leave.
    let mut text =
        "chip flipper\ncp 0x50 0xa00\ncp 0x60 0x1\ncp 0x70 0x40000403\nxf 0x0 1.0 0 0 0\nxf 0x4 0 1.0 0 0\n\
        xf 0x8 0 0 1.0 0\nxf 0x400 1.0 0 0 0 1.0 0 0 0 1.0\nxf 0x101a 320.0 -240.0 1.0 320.0 240.0 1.0\n\
        xf 0x1020 0.5 0 0.5 0 0.5 -0.5\nxf 0x1026 0x1\nxf 0x103f 0x1\nxf 0x1040 0x280\nxf 0x1018 0x7c0\n\
        xf 0x7c 1.0 0 0 0\nxf 0x80 0 1.0 0 0\n"
            .to_owned();
    for primitive in 0..8 {
        let opcode = 0x80 | primitive << 3;
        text += &format!(
            "draw {opcode:#x} 5 00000040000005 01000040000006 00010040000007 01010040000008 02020040000009\n"
        );
    }
    std::fs::write(&path, text).expect("a file for the test");
    let (code, mesh, errors) = xfjit(&format!("run --trace {} --obj -", path.display()));
    assert_eq!(code, Some(0), "{errors}");
    let count = |start: &str| mesh.lines().filter(|line| line.starts_with(start)).count();
    assert_eq!((count("g "), count("v "), count("vn "), count("vt ")), (8, 40, 40, 40), "{mesh}");
    // Two quads, a triangle, three of a strip, three of a fan; two lines and a strip of them, five points.
    assert_eq!((count("f "), count("l "), count("p ")), (2 + 1 + 3 + 3, 2 + 1, 5), "{mesh}");
    assert!(mesh.contains("\nf 1/1/1 2/2/2 3/3/3 4/4/4\n"), "{mesh}");
    assert!(mesh.contains("\nl 31 32 33 34 35\n") && mesh.contains("\np 40\n"), "{mesh}");
    assert!(mesh.contains("\ng draw6_line_strip\n"), "{mesh}");
    let out = directory.join("p.png");
    let (code, _, errors) = xfjit(&format!("run --trace {} --draw {}", path.display(), out.display()));
    assert!(code == Some(0) && errors.contains("3 of 8 draws are lines or points"), "{errors}");
    // A matrix of no number: what hangs on it is left out, and told.
    let text =
        std::fs::read_to_string(&path).expect("it was written").replace("xf 0x0 1.0", "xf 0x0 0x7fc00000");
    std::fs::write(&path, text).expect("a file for the test");
    let (code, mesh, errors) = xfjit(&format!("run --trace {} --obj -", path.display()));
    assert_eq!(code, Some(0), "{errors}");
    assert!(errors.contains("faces are left out") && !mesh.contains("NaN"), "{errors} {mesh}");
    // Without anything drawn there is nothing to be written.
    std::fs::write(&path, "chip flipper\ncp 0x50 0x200\n").expect("a file for the test");
    let (code, _, errors) = xfjit(&format!("run --trace {} --obj -", path.display()));
    assert!(code == Some(3) && errors.contains("nothing is drawn"), "{errors}");
}
