//! The values that programs bind their constants to: a state of OpenGL, and state that follows from it.
//!
//! The meanings are those of ARB_vertex_program (table X.4 and its text) and of OpenGL 1.3, whose initial state is also
//! the initial state here. The texts do not define alpha in some places. There, alpha follows drivers of the time
//! (Mesa's and NVIDIA's, by piglit's test of these bindings): it is the diffuse material's alpha for scene colours, and
//! the material's own for light products.

use super::matrix::Matrix;
use super::rows::Binding;
use std::collections::BTreeMap;
use std::fmt;

const ZERO: [f32; 4] = [0.0; 4];
const BLACK: [f32; 4] = [0.0, 0.0, 0.0, 1.0];

/// The largest point that the chips draw: 511 eighths of a pixel.
const LARGEST_POINT: f32 = 63.875;

/// A state of OpenGL, and the parameters of programs.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// By the text of their binding; no rows of matrices.
    rows: BTreeMap<String, [u32; 4]>,
    /// By name: `modelview[0]`.
    matrices: BTreeMap<String, Matrix>,
}

/// Why a name cannot be set, or has no value.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum StateError {
    /// It is not a valid binding. The text says what is wrong with it.
    Name(String),
    /// It takes a different count of numbers. The fields are the least and the greatest count.
    Count(usize, usize),
    /// It follows from another matrix.
    Derived(String),
    /// The inverse of a matrix that has none.
    Singular(String),
}

impl fmt::Display for StateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StateError::Name(message) => f.write_str(message),
            StateError::Count(least, most) if least == most => write!(f, "it needs {most} numbers"),
            StateError::Count(least, most) => write!(f, "it needs {least} to {most} numbers"),
            StateError::Derived(name) => write!(f, "it is computed from {name}; set that instead"),
            StateError::Singular(name) => write!(f, "{name} has no inverse"),
        }
    }
}

impl std::error::Error for StateError {}

impl State {
    /// OpenGL's initial state, without parameters.
    pub fn new() -> State {
        State::default()
    }

    /// Sets the value that `name` binds. A row takes one to four numbers; missing ones are 0, 0 and 1. (For a spot's
    /// direction the missing cosine is -1, and for the fog's parameters missing numbers follow from the others.) A matrix
    /// takes 16 numbers, row by row, and a range takes four for each of its rows. `name` is a binding of ARB_vertex_program
    /// without modifier. You may leave out `state.` and `state.matrix.`.
    ///
    /// # Errors
    /// The name binds nothing or follows from others, or the count of numbers is wrong.
    pub fn set(&mut self, name: &str, bits: &[u32]) -> Result<(), StateError> {
        let bindings = self::bindings(name)?;
        if let [Binding::State(first), ..] = &bindings[..]
            && let Some(part) = Part::of(first)
        {
            if part.modifier.is_some() {
                return Err(StateError::Derived(format!("state.matrix.{}", part.matrix)));
            }
            let numbers: Vec<f64> = bits.iter().map(|&word| f32::from_bits(word).into()).collect();
            let (rows, rest) = numbers.as_chunks::<4>();
            if rows.len() != bindings.len() || !rest.is_empty() {
                return Err(StateError::Count(4 * bindings.len(), 4 * bindings.len()));
            }
            let mut matrix = self.matrix(part.matrix);
            matrix.0[part.row..part.row + rows.len()].copy_from_slice(rows);
            self.matrices.insert(part.matrix.to_owned(), matrix);
            return Ok(());
        }
        let [binding] = &bindings[..] else {
            let (rows, rest) = bits.as_chunks::<4>();
            if rows.len() != bindings.len() || !rest.is_empty() {
                return Err(StateError::Count(4 * bindings.len(), 4 * bindings.len()));
            }
            self.rows.extend(bindings.iter().map(Binding::to_string).zip(rows.iter().copied()));
            return Ok(());
        };
        let name = binding.to_string();
        if !(1..=4).contains(&bits.len()) {
            return Err(StateError::Count(1, 4));
        }
        let mut row = BLACK.map(f32::to_bits);
        row[..bits.len()].copy_from_slice(bits);
        if bits.len() == 3 {
            row[3] = match name.as_str() {
                "state.fog.params" => (1.0 / (f32::from_bits(row[2]) - f32::from_bits(row[1]))).to_bits(),
                spot if spot.ends_with(".spot.direction") => (-1f32).to_bits(),
                _ => row[3],
            };
        }
        self.rows.insert(name, row);
        Ok(())
    }

    /// Whether [`State::set`] has set the binding itself. A value that follows from other state does not
    /// count.
    pub fn is_set(&self, binding: &Binding) -> bool {
        let name = binding.to_string();
        match Part::of(&name) {
            Some(part) => part.modifier.is_none() && self.matrices.contains_key(part.matrix),
            None => self.rows.contains_key(&name),
        }
    }

    /// The value of a binding; `None` for program parameters that have not been set.
    ///
    /// # Errors
    /// The binding needs the inverse of a matrix that has none.
    pub fn value(&self, binding: &Binding) -> Result<Option<[u32; 4]>, StateError> {
        match binding {
            Binding::Literal(words) => Ok(Some(*words)),
            Binding::Parameter(_) | Binding::Env(_) | Binding::Local(_) => {
                Ok(self.rows.get(&binding.to_string()).copied())
            }
            Binding::State(name) => self.state(name).map(Some),
        }
    }

    fn state(&self, name: &str) -> Result<[u32; 4], StateError> {
        if let Some(part) = Part::of(name) {
            let matrix = self.matrix(part.matrix);
            let inverse = || {
                matrix.inverse().ok_or_else(|| StateError::Singular(format!("state.matrix.{}", part.matrix)))
            };
            let matrix = match part.modifier {
                Some("inverse") => inverse()?,
                Some("transpose") => matrix.transpose(),
                Some("invtrans") => inverse()?.transpose(),
                _ => matrix,
            };
            return Ok(matrix.0[part.row].map(|element| (element as f32).to_bits()));
        }
        match self.rows.get(name) {
            Some(row) => Ok(*row),
            None => Ok(self.derived(name).unwrap_or_else(|| initial(name)).map(f32::to_bits)),
        }
    }

    /// A matrix without modifier.
    fn matrix(&self, name: &str) -> Matrix {
        match self.matrices.get(name) {
            Some(matrix) => *matrix,
            None if name == "mvp" => self.matrix("projection").after(&self.matrix("modelview[0]")),
            None => Matrix::IDENTITY,
        }
    }

    /// A row that is set, or its initial value.
    fn row(&self, name: &str) -> [f32; 4] {
        self.rows.get(name).map_or_else(|| initial(name), |row| row.map(f32::from_bits))
    }

    /// What follows from other rows.
    fn derived(&self, name: &str) -> Option<[f32; 4]> {
        let name = name.strip_prefix("state.")?;
        if let Some(light) = name.strip_suffix(".half") {
            return Some(half(self.row(&format!("state.{light}.position"))));
        }
        let (product, property) = name.rsplit_once('.')?;
        let (owner, face) = product.rsplit_once('.')?;
        let material = |property: &str| self.row(&format!("state.material.{face}.{property}"));
        if owner == "lightmodel" && property == "scenecolor" {
            let (ambient, emission) = (material("ambient"), material("emission"));
            let scene = self.row("state.lightmodel.ambient");
            let [r, g, b, _] = std::array::from_fn(|i| sum_of_product(scene[i], ambient[i], emission[i]));
            return Some([r, g, b, material("diffuse")[3]]);
        }
        let light = owner.strip_prefix("lightprod")?;
        let (light, material) = (self.row(&format!("state.light{light}.{property}")), material(property));
        let [r, g, b, _] = std::array::from_fn(|i| light[i] * material[i]);
        Some([r, g, b, material[3]])
    }
}

/// a b + c, rounded once.
fn sum_of_product(a: f32, b: f32, c: f32) -> f32 {
    (f64::from(a) * f64::from(b) + f64::from(c)) as f32
}

/// Half way between the direction to a light and the viewer's, (0, 0, 1), of unit length; w is 1. The position counts as
/// a direction, whatever its w.
fn half([x, y, z, _]: [f32; 4]) -> [f32; 4] {
    let unit = |v: [f64; 3]| {
        let length = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt();
        if length > 0.0 { v.map(|c| c / length) } else { v }
    };
    let [x, y, z] = unit([x, y, z].map(f64::from));
    let [x, y, z] = unit([x, y, z + 1.0]).map(|c| c as f32);
    [x, y, z, 1.0]
}

/// OpenGL's initial value of a row of its state (OpenGL 1.3, tables 6.8 to 6.11 and 6.16).
fn initial(name: &str) -> [f32; 4] {
    let name = name.strip_prefix("state.").unwrap_or(name);
    let (owner, property) = name.rsplit_once('.').unwrap_or(("", name));
    match (owner, property) {
        ("lightmodel", "ambient") => [0.2, 0.2, 0.2, 1.0],
        ("fog", "color") => ZERO,
        ("fog", "params") => [1.0, 0.0, 1.0, 1.0],
        ("point", "size") => [1.0, 0.0, LARGEST_POINT, 1.0],
        ("point", "attenuation") => [1.0, 0.0, 0.0, 1.0],
        ("light[0]", "diffuse" | "specular") => [1.0; 4],
        (_, "direction") => [0.0, 0.0, -1.0, -1.0],
        (light, "position") if light.starts_with("light[") => [0.0, 0.0, 1.0, 0.0],
        (light, "attenuation") if light.starts_with("light[") => [1.0, 0.0, 0.0, 0.0],
        (material, "ambient") if material.starts_with("material") => [0.2, 0.2, 0.2, 1.0],
        (material, "diffuse") if material.starts_with("material") => [0.8, 0.8, 0.8, 1.0],
        (_, "s") => [1.0, 0.0, 0.0, 0.0],
        (_, "t") => [0.0, 1.0, 0.0, 0.0],
        (_, "r" | "q" | "plane") => ZERO,
        _ => BLACK,
    }
}

/// A row of a matrix, as a binding names it.
struct Part<'a> {
    /// `modelview[0]`
    matrix: &'a str,
    modifier: Option<&'a str>,
    row: usize,
}

impl<'a> Part<'a> {
    fn of(name: &'a str) -> Option<Part<'a>> {
        let (name, row) = name.strip_prefix("state.matrix.")?.strip_suffix(']')?.rsplit_once(".row[")?;
        let (matrix, modifier) = name.split_once('.').map_or((name, None), |(name, by)| (name, Some(by)));
        Some(Part { matrix, modifier, row: row.parse().ok().filter(|&row| row < 4)? })
    }
}

/// The bindings of a name as in [`State::set`]: one row, or the four rows of a matrix.
///
/// # Errors
/// The text is not the name of a binding.
pub fn bindings(name: &str) -> Result<Vec<Binding>, StateError> {
    const MATRICES: [&str; 4] = ["mvp", "modelview", "projection", "texture"];
    let begins = |word: &str| {
        let rest = name.strip_prefix(word);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    let full = match name {
        _ if begins("state") || begins("program") => name.to_owned(),
        _ if MATRICES.iter().any(|matrix| begins(matrix)) => format!("state.matrix.{name}"),
        _ => format!("state.{name}"),
    };
    super::parse::binding(&full).map_err(|problem| StateError::Name(problem.message))
}

#[cfg(test)]
mod tests;
