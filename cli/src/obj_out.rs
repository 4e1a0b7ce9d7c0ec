//! What a program put out as a Wavefront OBJ mesh.

use crate::demo_scene;
use crate::fail::Failure;
use std::fmt::Write;

/// The mesh: `v` has oPos (w and the colour only where they are not 1, or there), `vt` oT0, `f` the triangles. Vertices
/// keep their order; `sources` are the `v` statements of the mesh that they come from, named in comments where they are
/// not in order. Numbers are written so that they read back to the same bits.
pub fn text(
    names: &[String],
    words: &[u32],
    sources: &[u32],
    triangles: &[[u32; 3]],
) -> Result<String, Failure> {
    let place = |name: &str| names.iter().position(|known| known == name);
    let Some(position) = place("oPos") else {
        return Err(Failure::Usage(
            "--obj needs oPos, but the program or --outputs leaves it out".to_owned(),
        ));
    };
    let (diffuse, specular, texture) = (place("oD0"), place("oD1"), place("oT0"));
    let vertices = || words.chunks_exact(4 * names.len().max(1));
    let row = |vertex: &[u32], at: usize| -> [u32; 4] { std::array::from_fn(|c| vertex[4 * at + c]) };
    let floats = |vertex: &[u32], at: usize| row(vertex, at).map(f32::from_bits);
    let needs_w = vertices().any(|vertex| floats(vertex, position)[3] != 1.0);
    let mut text = "# positions are the program's oPos".to_owned();
    text += if texture.is_some() { ", texture coordinates oT0\n" } else { "\n" };
    for (index, vertex) in vertices().enumerate() {
        let [x, y, z, w] = floats(vertex, position);
        let coordinate = texture.map(|at| floats(vertex, at));
        let all = [x, y, z, w].into_iter().chain(coordinate.into_iter().flat_map(|[s, t, r, _]| [s, t, r]));
        if let Some(odd) = all.into_iter().find(|number| !number.is_finite()) {
            let message = format!("--obj: vertex {index} has {odd}, which no OBJ mesh can hold");
            return Err(Failure::Unsupported(message));
        }
        let _ = write!(text, "v {x} {y} {z}");
        if needs_w {
            let _ = write!(text, " {w}");
        }
        if let Some(diffuse) = diffuse {
            let [r, g, b] =
                demo_scene::color(row(vertex, diffuse), specular.map_or([0; 4], |at| row(vertex, at)));
            let _ = write!(text, " {r} {g} {b}");
        }
        match sources.get(index) {
            Some(&source) if source as usize != index => {
                let _ = writeln!(text, " # v {}", source + 1);
            }
            _ => text.push('\n'),
        }
        if let Some([s, t, r, _]) = coordinate {
            let _ = writeln!(text, "vt {s} {t} {r}");
        }
    }
    for corners in triangles {
        let [a, b, c] = corners.map(|index| match texture {
            Some(_) => format!("{0}/{0}", u64::from(index) + 1),
            None => (u64::from(index) + 1).to_string(),
        });
        let _ = writeln!(text, "f {a} {b} {c}");
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::obj;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn words(rows: &[[f32; 4]]) -> Vec<u32> {
        rows.iter().flatten().map(|number| number.to_bits()).collect()
    }

    #[test]
    fn what_is_written_reads_back_to_the_same_bits() {
        let third = 1.0 / 3.0;
        let positions = [[third, -1e-30, 1e30, 1.0], [0.0, 2.0, 3.0, third], [4.0, 5.0, 6.0, 2.0]];
        let (color, coordinate) = ([0.25, third, 0.5, 1.0], [third, 7.0, 0.1, 1.0]);
        let rows: Vec<[f32; 4]> =
            positions.iter().flat_map(|&position| [position, color, coordinate]).collect();
        let text = text(&names(&["oPos", "oD0", "oT0"]), &words(&rows), &[0, 1, 0], &[[0, 1, 2]]).unwrap();
        assert!(text.contains(" # v 1\n") && text.matches("# v").count() == 1, "{text}");
        let mesh = obj::parse(text.as_bytes()).unwrap();
        assert_eq!(
            (mesh.positions.as_slice(), mesh.triangles.as_slice()),
            (&positions[..], &[[0, 1, 2]][..])
        );
        assert_eq!((mesh.colors[2], mesh.texcoords[1]), ([0.25, third, 0.5, 1.0], [third, 7.0, 0.1, 1.0]));
    }

    #[test]
    fn plain_positions_are_three_numbers() {
        let rows = words(&[[0.0, 0.5, -1.0, 1.0], [1.0; 4], [2.0, 2.0, 2.0, 1.0]]);
        let text = text(&names(&["oPos"]), &rows, &[], &[[0, 1, 2]]).unwrap();
        assert_eq!(text, "# positions are the program's oPos\nv 0 0.5 -1\nv 1 1 1\nv 2 2 2\nf 1 2 3\n");
    }

    #[test]
    fn what_a_mesh_cannot_hold_is_refused() {
        let rows = words(&[[0.0, f32::NAN, 0.0, 1.0]]);
        assert!(matches!(text(&names(&["oPos"]), &rows, &[], &[]), Err(Failure::Unsupported(_))));
        assert!(matches!(text(&names(&["oD0"]), &rows, &[], &[]), Err(Failure::Usage(_))));
    }
}
