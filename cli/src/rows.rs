//! The rows of constants of a run: what a file gives, what a program of OpenGL binds, what a camera is.

use crate::camera::Camera;
use crate::fail::Failure;
use crate::streams::Constants;
use crate::text::Flaw;
use xfjit::asm::gl::{Binding, Matrix, Row};
use xfjit::runtime::state::Context;

/// Whether a camera may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UseCamera {
    /// No.
    Never,
    /// If something names its matrices and no file gives them.
    IfMissing,
    /// Yes, and it is an error if that is not possible.
    Always,
}

/// Constants before a run.
#[derive(Debug)]
pub struct Rows {
    pub context: Context,
    /// Which rows have been given a value.
    pub given: Vec<bool>,
}

/// The matrices of a camera.
const MATRICES: [&str; 3] = ["state.matrix.modelview[0]", "state.matrix.projection", "state.matrix.mvp"];

/// Fills the rows: those of the file first, then what the program binds and the file does not give itself. `name` is the
/// file's, for messages.
pub fn fill(
    bound: &[Row],
    constants: Constants,
    name: &str,
    use_camera: UseCamera,
    camera: impl FnOnce() -> Camera,
) -> Result<Rows, Failure> {
    let Constants { rows, mut given, mut state, named } = constants;
    let bindings = || named.iter().map(|row| &row.binding).chain(bound.iter().map(|row| &row.binding));
    let of_camera =
        |binding: &&Binding| MATRICES.iter().any(|matrix| binding.to_string().starts_with(matrix));
    let is_needed = bindings().any(|binding| of_camera(&binding));
    let given_matrix = MATRICES.into_iter().find(|matrix| {
        let mut rows = (0..4).map(|row| Binding::State(format!("{matrix}.row[{row}]")));
        rows.any(|row| state.is_set(&row))
    });
    let wanted = match (use_camera, given_matrix) {
        (UseCamera::Always, Some(matrix)) => {
            return Err(Failure::Usage(format!(
                "--camera does not go with --constants {name}, which gives {matrix}"
            )));
        }
        (UseCamera::Always, None) if !is_needed => {
            let message = "--camera has no effect: neither the program nor --constants names modelview, projection or mvp";
            return Err(Failure::Usage(message.to_owned()));
        }
        (UseCamera::Always, None) => true,
        (UseCamera::IfMissing, None) => is_needed,
        (UseCamera::IfMissing, Some(_)) | (UseCamera::Never, _) => false,
    };
    if wanted {
        let Camera { modelview, projection } = camera();
        for (name, matrix) in [("modelview", modelview), ("projection", projection)] {
            state
                .set(name, &bits(&matrix))
                .map_err(|error| Failure::Internal(format!("the camera's {name}: {error}")))?;
        }
    }
    let mut context = Context::new(rows.len());
    context.rows_mut().copy_from_slice(&rows);
    let explicit = given.clone();
    // What the file names itself comes first, and what the program binds does not change it.
    let all = named.iter().map(|row| (row, true)).chain(bound.iter().map(|row| (row, false)));
    for (Row { row, binding }, is_named) in all {
        let row = usize::from(*row);
        let is_literal = matches!(binding, Binding::Literal(_));
        if !is_named && !is_literal && explicit.get(row) == Some(&true) {
            continue;
        }
        let value = state
            .value(binding)
            .map_err(|error| Failure::input(name, Flaw::new(format!("{binding}: {error}"))))?;
        if let (Some(value), Some(is_given)) = (value, given.get_mut(row)) {
            context.set_row(row, value);
            *is_given = true;
        }
    }
    Ok(Rows { context, given })
}

/// 16 numbers, row by row.
fn bits(matrix: &Matrix) -> Vec<u32> {
    matrix.0.iter().flatten().map(|&element| (element as f32).to_bits()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Pairing;
    use crate::{load, streams};
    use xfjit::Generation;

    const PROGRAM: &str =
        "!!ARBvp1.0 PARAM m[4] = { state.matrix.mvp }; PARAM e = program.env[2]; PARAM two = 2;
        DP4 result.position.x, m[0], vertex.position; DP4 result.position.y, m[1], vertex.position;
        DP4 result.position.z, m[2], vertex.position; DP4 result.position.w, m[3], vertex.position;
        MUL result.color, e, two; END";

    fn camera() -> Camera {
        Camera::fitting([[1.0, 2.0, 3.0], [5.0, 5.0, 5.0]].into_iter(), 1.0)
    }

    /// The rows from 96 on, and which of them are given.
    fn of(
        program: &str,
        constants: &str,
        use_camera: UseCamera,
    ) -> Result<(Vec<[f32; 4]>, Vec<bool>), Failure> {
        let rows = load::assemble("test", program, None, Pairing::default())?.rows;
        let limit = Generation::Kelvin.constants();
        let constants = match constants {
            "" => Constants::none(limit),
            _ => streams::parse_constants(constants.as_bytes(), limit).unwrap(),
        };
        let Rows { context, given } = fill(&rows, constants, "file", use_camera, camera)?;
        Ok((context.rows()[96..].iter().map(|row| row.map(f32::from_bits)).collect(), given[96..].to_vec()))
    }

    #[test]
    fn what_a_program_binds_is_computed() {
        let modelview = "modelview = 1 0 0 5  0 1 0 6  0 0 1 7  0 0 0 1\n";
        let (rows, given) =
            of(PROGRAM, &format!("{modelview}program.env[2] = 1 2 3 4\n"), UseCamera::IfMissing).unwrap();
        assert_eq!(rows[..4], [[1., 0., 0., 5.], [0., 1., 0., 6.], [0., 0., 1., 7.], [0., 0., 0., 1.]]);
        assert_eq!(rows[4..6], [[1., 2., 3., 4.], [2.; 4]]);
        assert_eq!(given[..7], [true, true, true, true, true, true, false]);
        // Identity, and a parameter that nobody gives.
        let (rows, given) = of(PROGRAM, "", UseCamera::Never).unwrap();
        assert_eq!((rows[1], rows[4], &given[3..6]), ([0., 1., 0., 0.], [0.; 4], &[true, false, true][..]));
    }

    #[test]
    fn rows_of_the_file_may_name_what_they_hold() {
        let text = "c[100] = mvp\nc[104] = light[0].half\nc[105] = 9 9 9 9\nprojection = 2 0 0 0 0 2 0 0 0 0 2 0 0 0 0 1\n";
        let (rows, given) = of("MOV oPos, v0", text, UseCamera::Never).unwrap();
        assert_eq!(
            rows[4..10],
            [
                [2., 0., 0., 0.],
                [0., 2., 0., 0.],
                [0., 0., 2., 0.],
                [0., 0., 0., 1.],
                [0., 0., 1., 1.],
                [9.; 4]
            ]
        );
        assert_eq!((given[3], given[4], given[8], given[10]), (false, true, true, false));
    }

    #[test]
    fn rows_that_the_file_gives_by_number_stay() {
        let (rows, _) = of(PROGRAM, "c[97] = 7 7 7 7\n", UseCamera::Always).unwrap();
        assert_eq!(rows[1], [7.0; 4]);
        let camera = camera();
        let expected = camera.projection.after(&camera.modelview).0[0];
        for (got, expected) in rows[0].iter().zip(expected) {
            assert!((f64::from(*got) - expected).abs() < 1e-5, "{rows:?}");
        }
    }

    #[test]
    fn a_camera_that_does_nothing_is_refused() {
        for (program, constants, expected) in [
            ("MOV oPos, v0", "", "--camera has no effect"),
            (PROGRAM, "mvp = 1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1\n", "--camera does not go with --constants"),
        ] {
            match of(program, constants, UseCamera::Always) {
                Err(Failure::Usage(message)) => assert!(message.starts_with(expected), "{message}"),
                other => panic!("{other:?}"),
            }
        }
        assert!(of("MOV oPos, v0", "", UseCamera::IfMissing).is_ok());
    }

    #[test]
    fn a_matrix_without_inverse_is_an_error_where_it_is_read() {
        let zero = format!("modelview = {}\nc[96] = modelview.inverse\n", "0 ".repeat(16));
        assert!(matches!(of("MOV oPos, v0", &zero, UseCamera::Never), Err(Failure::Input { .. })));
    }
}
