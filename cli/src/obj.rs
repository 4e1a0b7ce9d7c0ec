//! Wavefront OBJ meshes.
//!
//! Read are `v` (3 numbers, 4 with w, 6 or more with a colour), `vn`, `vt` and `f` with every form of corner
//! (`v`, `v/t`, `v//n`, `v/t/n`), negative indices, polygons (cut into a fan) and `\` at a line's end; every other
//! statement is passed over. Vertices keep the numbers of their `v` statements, those that no face uses too: the first
//! corner at a `v` gives that vertex its texture coordinate and its normal, and each other corner there becomes a vertex of
//! its own behind them all, in the order of first use. Corners without a normal get a smooth one: the sum of the
//! triangles' normals around their position, each as long as its area.

use crate::table;
use crate::text::{self, Flaw, Word, clip};
use std::collections::HashMap;

/// A mesh as vertex programs take it. All attributes are equally long.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Position; w is 1 unless given.
    pub positions: Vec<[f32; 4]>,
    /// Normal; w is 1.
    pub normals: Vec<[f32; 4]>,
    /// Texture coordinate; (0, 0, 0, 1) unless given.
    pub texcoords: Vec<[f32; 4]>,
    /// Colour; white unless given.
    pub colors: Vec<[f32; 4]>,
    /// The `v` statement that each vertex comes from, from 0: its own number, but for the corners behind the last `v`.
    pub sources: Vec<u32>,
    /// Three vertices each.
    pub triangles: Vec<[u32; 3]>,
}

/// Reads a mesh.
pub fn parse(bytes: &[u8]) -> Result<Mesh, Flaw> {
    let text = text::decode(bytes)?;
    let mut reader = Reader::default();
    let mut statement: Vec<Word<'_>> = Vec::new();
    for line in text::lines(&text) {
        statement.extend(text::words(line, &[], &["#"]));
        // A statement goes on if the last word of its line ends with a backslash.
        if let Some(last) = statement.last_mut()
            && let Some(rest) = last.text.strip_suffix('\\')
        {
            last.text = rest;
            if rest.is_empty() {
                statement.pop();
            }
            continue;
        }
        reader.statement(&statement)?;
        statement.clear();
    }
    reader.statement(&statement)?;
    reader.finish()
}

/// One corner of a face: zero-based positions in the lists of `v`, `vt` and `vn`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Corner {
    v: u32,
    vt: Option<u32>,
    vn: Option<u32>,
}

#[derive(Default)]
struct Reader<'a> {
    v: Vec<([f32; 4], [f32; 4])>,
    vt: Vec<[f32; 4]>,
    vn: Vec<[f32; 4]>,
    triangles: Vec<[Corner; 3]>,
    /// The largest index into each list so far with its word: files may define after use, so it is checked at the end.
    largest: [Option<(u32, Word<'a>)>; 3],
}

const NAMES: [&str; 3] = ["v", "vt", "vn"];

impl<'a> Reader<'a> {
    fn statement(&mut self, words: &[Word<'a>]) -> Result<(), Flaw> {
        let Some((keyword, rest)) = words.split_first() else { return Ok(()) };
        match keyword.text {
            "v" => {
                let n = numbers::<7>(keyword, rest, 3)?;
                let w = if n.count == 4 || n.count == 7 { n.values[3] } else { 1.0 };
                let c = if n.count == 7 { 4 } else { 3 };
                let color = match n.count {
                    6.. => [n.values[c], n.values[c + 1], n.values[c + 2], 1.0],
                    _ => [1.0; 4],
                };
                self.v.push(([n.values[0], n.values[1], n.values[2], w], color));
            }
            "vn" => {
                let n = numbers::<3>(keyword, rest, 3)?;
                self.vn.push([n.values[0], n.values[1], n.values[2], 1.0]);
            }
            "vt" => {
                let n = numbers::<3>(keyword, rest, 1)?;
                self.vt.push([n.values[0], n.values[1], n.values[2], 1.0]);
            }
            "f" => self.face(keyword, rest)?,
            _ => {}
        }
        Ok(())
    }

    fn face(&mut self, keyword: &Word<'a>, words: &[Word<'a>]) -> Result<(), Flaw> {
        let corners = words.iter().map(|word| self.corner(word)).collect::<Result<Vec<_>, _>>()?;
        let [first, rest @ ..] = &corners[..] else {
            return Err(Flaw::word(keyword, "a face needs at least 3 corners, but this one has none"));
        };
        if rest.len() < 2 {
            let message = format!("a face needs at least 3 corners, but this one has {}", corners.len());
            return Err(Flaw::word(keyword, message));
        }
        self.triangles.extend(rest.windows(2).map(|pair| [*first, pair[0], pair[1]]));
        Ok(())
    }

    fn corner(&mut self, word: &Word<'a>) -> Result<Corner, Flaw> {
        let mut indices = [None; 3];
        let mut start = 0;
        for (i, part) in word.text.split('/').enumerate() {
            let place = word.part(start, start + part.len());
            start += part.len() + 1;
            let Some(slot) = indices.get_mut(i) else {
                let message = format!("`{}` has more than three indices", clip(word.text));
                return Err(Flaw::word(word, message).help("a corner is v, v/t, v//n or v/t/n"));
            };
            match (part, i) {
                ("", 1..) => {}
                ("", _) => {
                    return Err(Flaw::word(word, format!("`{}` names no vertex", clip(word.text)))
                        .help("a corner is v, v/t, v//n or v/t/n"));
                }
                _ => *slot = Some(self.index(&place, i)?),
            }
        }
        let [Some(v), vt, vn] = indices else {
            return Err(Flaw::word(word, "a corner needs a vertex index"));
        };
        Ok(Corner { v, vt, vn })
    }

    /// An index into list `list` of [`NAMES`]; positive ones are checked at the end.
    fn index(&mut self, word: &Word<'a>, list: usize) -> Result<u32, Flaw> {
        let length = [self.v.len(), self.vt.len(), self.vn.len()][list];
        let name = NAMES[list];
        let bad = |message: String| Err(Flaw::word(word, message));
        match word.text.parse::<i64>() {
            Err(_) => bad(format!("`{}` is not an index", clip(word.text))),
            Ok(0) => {
                Err(Flaw::word(word, "index 0 does not exist").help("indices count from 1, or back from -1"))
            }
            Ok(i @ 1..) => match u32::try_from(i - 1) {
                Err(_) => bad(format!("{name} index {i} is out of range")),
                Ok(index) => {
                    let largest = &mut self.largest[list];
                    if largest.is_none_or(|(known, _)| known < index) {
                        *largest = Some((index, *word));
                    }
                    Ok(index)
                }
            },
            Ok(back) => {
                let index = i64::try_from(length).unwrap_or(i64::MAX).saturating_add(back);
                match u32::try_from(index) {
                    Ok(index) => Ok(index),
                    Err(_) => {
                        bad(format!("{name} index {back} is out of range: only {length} come before it"))
                    }
                }
            }
        }
    }

    fn finish(self) -> Result<Mesh, Flaw> {
        let lengths = [self.v.len(), self.vt.len(), self.vn.len()];
        for ((largest, length), name) in self.largest.iter().zip(lengths).zip(NAMES) {
            if let Some((index, word)) = largest
                && *index as usize >= length
            {
                let message =
                    format!("{name} index {} is out of range: the file has {length}", u64::from(*index) + 1);
                return Err(Flaw::word(word, message));
            }
        }
        if self.triangles.is_empty() {
            return Err(Flaw::new("has no faces").help("a mesh needs `v` and `f` statements"));
        }
        let corners = || self.triangles.iter().flatten();
        let mut is_used = vec![false; self.v.len()];
        corners().for_each(|corner| is_used[corner.v as usize] = true);
        let lacks_normals = is_used.contains(&false) || corners().any(|corner| corner.vn.is_none());
        let smooth = if lacks_normals { self.smooth_normals() } else { Vec::new() };
        // The corners in the order of their vertices.
        let mut vertices: Vec<Corner> =
            (0..self.v.len()).map(|v| Corner { v: v as u32, vt: None, vn: None }).collect();
        let mut is_taken = vec![false; self.v.len()];
        let mut known: HashMap<Corner, u32> = HashMap::new();
        let mut mesh = Mesh::default();
        for triangle in &self.triangles {
            mesh.triangles.push(triangle.map(|corner| {
                *known.entry(corner).or_insert_with(|| {
                    if std::mem::replace(&mut is_taken[corner.v as usize], true) {
                        vertices.push(corner);
                        return (vertices.len() - 1) as u32;
                    }
                    vertices[corner.v as usize] = corner;
                    corner.v
                })
            }));
        }
        for corner in vertices {
            let (position, color) = self.v[corner.v as usize];
            mesh.positions.push(position);
            mesh.colors.push(color);
            mesh.normals.push(match corner.vn {
                Some(vn) => self.vn[vn as usize],
                None => smooth[corner.v as usize],
            });
            mesh.texcoords.push(corner.vt.map_or([0.0, 0.0, 0.0, 1.0], |vt| self.vt[vt as usize]));
            mesh.sources.push(corner.v);
        }
        Ok(mesh)
    }

    fn smooth_normals(&self) -> Vec<[f32; 4]> {
        let mut sums = vec![[0f64; 3]; self.v.len()];
        for triangle in &self.triangles {
            let [a, b, c] = triangle.map(|corner| self.v[corner.v as usize].0.map(f64::from));
            let (u, v) = ([b[0] - a[0], b[1] - a[1], b[2] - a[2]], [c[0] - a[0], c[1] - a[1], c[2] - a[2]]);
            let n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
            for corner in triangle {
                for (sum, n) in sums[corner.v as usize].iter_mut().zip(n) {
                    *sum += n;
                }
            }
        }
        sums.into_iter()
            .map(|n| {
                let length = (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]).sqrt();
                if length > 0.0 && length.is_finite() {
                    [(n[0] / length) as f32, (n[1] / length) as f32, (n[2] / length) as f32, 1.0]
                } else {
                    [0.0, 0.0, 1.0, 1.0]
                }
            })
            .collect()
    }
}

struct Numbers<const N: usize> {
    values: [f32; N],
    count: usize,
}

/// The numbers of a statement: at least `least`, those past `N` are not used (but must be numbers).
fn numbers<const N: usize>(keyword: &Word<'_>, words: &[Word<'_>], least: usize) -> Result<Numbers<N>, Flaw> {
    if words.len() < least {
        let message =
            format!("`{}` needs {}, has {}", keyword.text, table::count(least, "number"), words.len());
        return Err(Flaw::word(keyword, message));
    }
    let mut values = [0.0; N];
    for (i, word) in words.iter().enumerate() {
        let value = word.text.parse::<f32>().ok().filter(|value| value.is_finite());
        let Some(value) = value else {
            return Err(Flaw::word(word, format!("`{}` is not a finite number", clip(word.text))));
        };
        if let Some(slot) = values.get_mut(i) {
            *slot = value;
        }
    }
    Ok(Numbers { values, count: words.len().min(N) })
}

#[cfg(test)]
mod tests;
