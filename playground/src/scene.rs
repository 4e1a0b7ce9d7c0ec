//! What constants hold where nobody says otherwise: the camera, the lights and the material of `xfjit demo`, from row 0 and from the
//! first row of the user's on. All numbers come from +, -, *, / and square roots, which are the same on every host.

use crate::demo_view::{self, DISTANCE, FAR, LENS, NEAR, View};
use crate::float;
use crate::program::{Read, error};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use xfjit::asm::gl::{Binding, State};
use xfjit::runtime::state::{Context, Row};

/// Three numbers.
pub type Vec3 = [f64; 3];

/// What the rows hold.
pub const NAMES: [&str; 18] = [
    "clip space, x",
    "clip space, y",
    "clip space, z",
    "clip space, w",
    "world, x",
    "world, y",
    "world, z",
    "viewer",
    "key light, direction",
    "key light, colour; w: exponent",
    "ambient colour",
    "fill light, direction",
    "fill light, colour",
    "0, 1, 4, bands of colour",
    "rim light, colour",
    "highlight, colour",
    "material, colour",
    "material, second colour less the first",
];

/// Width of the picture over its height.
const ASPECT: f64 = 4.0 / 3.0;
/// How far the object is moved up.
const LIFT: f64 = 0.0;
/// Rotation about x, as cosine and sine.
const TILT: (f64, f64) = (0.8, -0.6);

/// What the page says of constants.
#[derive(Deserialize, Clone, Default)]
pub struct Asked {
    /// Rotation of the object in degrees.
    #[serde(default)]
    pub turn: f64,
    /// Rows that somebody has changed, by number: four numbers as text.
    #[serde(default)]
    pub constants: BTreeMap<String, [String; 4]>,
}

/// All constants of a program.
pub struct Constants {
    /// The rows.
    pub context: Context,
    /// What those hold that the program reads: row, bits, what it is.
    pub read: Vec<(usize, Row, String)>,
}

/// The rotation by some degrees about z, as cosine and sine: quarters, and within a quarter the half angle's tangent, which a line
/// comes close enough to.
fn rotation(degrees: f64) -> [f64; 2] {
    let degrees = if degrees.is_finite() { degrees.rem_euclid(360.0) } else { 0.0 };
    let quarter = (degrees / 90.0) as usize % 4;
    // From -45 to 45 degrees: the tangent of half of it, by its series.
    let half = (degrees - 90.0 * quarter as f64 - 45.0) * 0.008_726_646_259_971_648;
    let square = half * half;
    let tangent = half * (1.0 + square * (1.0 / 3.0 + square * (2.0 / 15.0 + square * (17.0 / 315.0))));
    let [cosine, sine] =
        [(1.0 - tangent * tangent) / (1.0 + tangent * tangent), 2.0 * tangent / (1.0 + tangent * tangent)];
    // And 45 degrees more.
    let root = 0.5f64.sqrt();
    let (c, s) = (root * (cosine - sine), root * (sine + cosine));
    [[c, s], [-s, c], [-c, -s], [s, -c]][quarter]
}

/// The rows of the scene.
fn rows(turn: f64) -> [[f64; 4]; NAMES.len()] {
    demo_view::rows(View { turn: [rotation(turn).into(), TILT], lift: LIFT, aspect: ASPECT })
}

fn bits(row: [f64; 4]) -> Row {
    row.map(|value| (value as f32).to_bits())
}

/// OpenGL's state in the scene: its matrices, as far as programs are bound to them.
fn state(turn: f64) -> State {
    let rows = rows(turn);
    let mut state = State::new();
    let mut set = |name: &str, matrix: [[f64; 4]; 4]| {
        // The names are those of two matrices, and the numbers are sixteen.
        let _ = state.set(name, bits_of(&matrix).as_flattened());
    };
    let [right, up, back] = [rows[4], rows[5], rows[6]];
    set(
        "matrix.modelview[0]",
        [right, up, [back[0], back[1], back[2], back[3] - DISTANCE], [0.0, 0.0, 0.0, 1.0]],
    );
    let stretch = FAR / (FAR - NEAR);
    set(
        "matrix.projection",
        [
            [LENS / ASPECT, 0.0, 0.0, 0.0],
            [0.0, LENS, 0.0, 0.0],
            [0.0, 0.0, -stretch, -NEAR * stretch],
            [0.0, 0.0, -1.0, 0.0],
        ],
    );
    state
}

fn bits_of(matrix: &[[f64; 4]; 4]) -> [Row; 4] {
    matrix.map(bits)
}

impl Asked {
    /// The constants that a program runs with.
    ///
    /// # Errors
    /// A row that is none, or a number that is none.
    pub fn constants(&self, read: &Read) -> Result<Constants, Value> {
        let config = &read.config;
        let generation = read.generation();
        let first = usize::from(generation.user_rows().start);
        let mut context = Context::new(config.rows());
        let mut said: BTreeMap<usize, String> = BTreeMap::new();
        let scene = rows(self.turn);
        for (number, (row, name)) in scene.iter().zip(NAMES).enumerate() {
            // Where OpenGL's parameters begin, and at 0, where other programs count from.
            for place in [number, first + number] {
                context.set_row(place, bits(*row));
                said.insert(place, name.to_owned());
            }
        }
        let state = state(self.turn);
        for row in &read.rows {
            let number = usize::from(row.row);
            let value = match &row.binding {
                Binding::Parameter(n) | Binding::Env(n) | Binding::Local(n) => {
                    scene.get(usize::from(*n)).copied().map(bits).unwrap_or_default()
                }
                binding => state.value(binding).ok().flatten().unwrap_or_default(),
            };
            context.set_row(number, value);
            let name = match &row.binding {
                Binding::Parameter(n) | Binding::Env(n) | Binding::Local(n) => {
                    NAMES.get(usize::from(*n)).copied()
                }
                Binding::Literal(_) | Binding::State(_) => None,
            };
            said.insert(
                number,
                name.map_or(row.binding.to_string(), |name| format!("{}: {name}", row.binding)),
            );
        }
        for (number, row) in &self.constants {
            let wrong = |what: &str| error(format!("constant row {}: {what}", number.escape_debug()));
            let number: usize = number.parse().map_err(|_| wrong("it is no number"))?;
            if number >= config.rows() {
                return Err(wrong(&format!("the chip has {} rows", config.rows())));
            }
            let mut bits = Row::default();
            for (to, text) in bits.iter_mut().zip(row) {
                *to = float::parse(text).map_err(|flaw| wrong(&flaw))?;
            }
            context.set_row(number, bits);
        }
        let info = xfjit::front::Microcode::shader(&read.program, config).info();
        let is_indexed =
            read.program.insns.iter().any(|insn| insn.indexed && insn.reads_bank(xfjit::isa::Bank::Constant));
        let wanted = |row: &usize| match is_indexed {
            // All of them may be read; those that hold something are shown.
            true => said.contains_key(row) || context.row(*row) != Row::default(),
            false => info.constants_read.iter().any(|read| read == *row),
        };
        let read = (0..config.rows()).filter(wanted);
        let read =
            read.map(|row| (row, context.row(row), said.get(&row).cloned().unwrap_or_default())).collect();
        Ok(Constants { context, read })
    }
}

impl Constants {
    /// The rows that the program reads, as the page has them.
    pub fn shown(&self) -> Value {
        let row = |(number, bits, name): &(usize, Row, String)| json!({ "row": number, "name": name, "bits": bits.map(float::hex), "text": bits.map(float::text) });
        self.read.iter().map(row).collect()
    }
}

/// The sum of two vectors.
pub fn add(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// A multiple of a vector.
pub fn scale(a: Vec3, by: f64) -> Vec3 {
    [a[0] * by, a[1] * by, a[2] * by]
}

/// The vector at a right angle to two.
pub fn cross(a: Vec3, b: Vec3) -> Vec3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The vector of unit length.
pub fn normalise(a: Vec3) -> Vec3 {
    scale(a, 1.0 / (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rotations_go_once_around() {
        for degrees in -10..730 {
            let [cosine, sine] = rotation(f64::from(degrees));
            let angle = f64::from(degrees).to_radians();
            assert!((cosine - angle.cos()).abs() < 1e-3 && (sine - angle.sin()).abs() < 1e-3, "{degrees}");
            assert!((cosine * cosine + sine * sine - 1.0).abs() < 1e-12);
        }
        assert!(rotation(f64::NAN).iter().all(|value| value.is_finite()));
    }

    #[test]
    fn state_of_opengl_is_the_scene() {
        for turn in [0.0, 33.0, 250.0] {
            let rows = rows(turn);
            for (row, wanted) in rows[..4].iter().enumerate() {
                let binding = Binding::State(format!("state.matrix.mvp.row[{row}]"));
                let value = state(turn).value(&binding).unwrap().unwrap().map(f32::from_bits);
                for (got, wanted) in value.iter().zip(wanted) {
                    assert!((f64::from(*got) - wanted).abs() < 1e-5, "{row}: {value:?}");
                }
            }
        }
    }
}
