use super::*;
use proptest::prelude::*;

fn state(lines: &[(&str, &[f32])]) -> State {
    let mut state = State::new();
    for (name, numbers) in lines {
        let bits: Vec<u32> = numbers.iter().map(|number| number.to_bits()).collect();
        state.set(name, &bits).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    state
}

/// The rows that a name binds.
fn rows(state: &State, name: &str) -> Vec<[f32; 4]> {
    let rows = bindings(name).unwrap_or_else(|error| panic!("{name}: {error}"));
    let row = |binding: &Binding| state.value(binding).unwrap().unwrap().map(f32::from_bits);
    rows.iter().map(row).collect()
}

#[track_caller]
fn row(state: &State, name: &str, expected: [f32; 4]) {
    assert_eq!(rows(state, name), [expected], "{name}");
}

const SHIFT: [f32; 16] = [1., 0., 0., 5., 0., 1., 0., 6., 0., 0., 1., 7., 0., 0., 0., 1.];
const SCALE: [f32; 16] = [2., 0., 0., 0., 0., 4., 0., 0., 0., 0., 8., 0., 0., 0., 0., 1.];

#[test]
fn the_product_of_matrices_and_its_forms_are_computed() {
    let state = state(&[("modelview", &SHIFT), ("state.matrix.projection", &SCALE)]);
    assert_eq!(
        rows(&state, "mvp"),
        [[2., 0., 0., 10.], [0., 4., 0., 24.], [0., 0., 8., 56.], [0., 0., 0., 1.]]
    );
    row(&state, "mvp.row[1]", [0., 4., 0., 24.]);
    row(&state, "mvp.transpose.row[3]", [10., 24., 56., 1.]);
    row(&state, "modelview[0].inverse.row[2]", [0., 0., 1., -7.]);
    row(&state, "modelview.invtrans.row[3]", [-5., -6., -7., 1.]);
    row(&state, "mvp.inverse.row[0]", [0.5, 0., 0., -5.]);
    row(&state, "texture[3].row[2]", [0., 0., 1., 0.]);
}

#[test]
fn a_matrix_that_is_given_is_not_computed() {
    let state = state(&[("mvp", &SHIFT), ("projection", &SCALE), ("modelview[1].row[0]", &[9., 8., 7., 6.])]);
    row(&state, "mvp.row[0]", [1., 0., 0., 5.]);
    assert_eq!(rows(&state, "modelview[1]")[..2], [[9., 8., 7., 6.], [0., 1., 0., 0.]]);
    let binding = |name| bindings(name).unwrap().remove(0);
    assert!(state.is_set(&binding("mvp.row[0]")) && !state.is_set(&binding("mvp.inverse.row[0]")));
    assert!(!state.is_set(&binding("modelview")) && !state.is_set(&binding("fog.color")));
}

#[test]
fn a_singular_matrix_has_rows_but_no_inverse() {
    let state = state(&[("projection", &[0.0; 16])]);
    row(&state, "projection.row[0]", [0.0; 4]);
    let inverse = &bindings("projection.inverse").unwrap()[0];
    assert_eq!(state.value(inverse).unwrap_err().to_string(), "state.matrix.projection has no inverse");
}

/// The relations that piglit's test of these bindings checks on drivers.
#[test]
fn derived_rows_follow_from_lights_and_materials() {
    let state = state(&[
        ("light[2].position", &[0.0, 3.0, 4.0, 0.0]),
        ("light[2].diffuse", &[0.5, 0.25, 2.0, 0.125]),
        ("state.light[2].spot.direction", &[1.0, 2.0, 3.0]),
        ("material.diffuse", &[0.5, 0.5, 0.25, 0.75]),
        ("material.back.ambient", &[1.0, 2.0, 3.0, 4.0]),
        ("material.back.emission", &[0.5, 0.5, 0.5, 0.5]),
        ("material.back.diffuse", &[0.0, 0.0, 0.0, 0.375]),
        ("lightmodel.ambient", &[0.5, 0.25, 0.125, 1.0]),
        ("fog.params", &[0.5, 2.0, 6.0]),
        ("material.shininess", &[20.0]),
    ]);
    row(&state, "lightprod[2].diffuse", [0.25, 0.125, 0.5, 0.75]);
    row(&state, "lightprod[2].back.diffuse", [0.0, 0.0, 0.0, 0.375]);
    row(&state, "lightmodel.back.scenecolor", [1.0, 1.0, 0.875, 0.375]);
    // 0.2 is not a number of 32 bits: 0.5 times it is.
    row(&state, "lightmodel.scenecolor", [0.5 * 0.2, 0.25 * 0.2, 0.125 * 0.2, 0.75]);
    row(&state, "fog.params", [0.5, 2.0, 6.0, 0.25]);
    row(&state, "light[2].spot.direction", [1.0, 2.0, 3.0, -1.0]);
    row(&state, "material.shininess", [20.0, 0.0, 0.0, 1.0]);
    // (0, 0.6, 0.8) + (0, 0, 1), of unit length.
    let [x, y, z, w] = rows(&state, "light[2].half")[0];
    assert_eq!([x, w], [0.0, 1.0]);
    assert!((y - 0.6 / 3.6f32.sqrt()).abs() < 1e-7 && (z - 1.8 / 3.6f32.sqrt()).abs() < 1e-7, "{y} {z}");
    row(&state, "light[0].half", [0.0, 0.0, 1.0, 1.0]);
}

#[test]
fn what_nobody_sets_is_opengls_initial_state() {
    let state = State::new();
    for (name, expected) in [
        ("material.ambient", [0.2, 0.2, 0.2, 1.0]),
        ("material.back.diffuse", [0.8, 0.8, 0.8, 1.0]),
        ("material.specular", [0.0, 0.0, 0.0, 1.0]),
        ("material.shininess", [0.0, 0.0, 0.0, 1.0]),
        ("light[0].diffuse", [1.0; 4]),
        ("light[1].diffuse", [0.0, 0.0, 0.0, 1.0]),
        ("light[1].position", [0.0, 0.0, 1.0, 0.0]),
        ("light[7].attenuation", [1.0, 0.0, 0.0, 0.0]),
        ("light[7].spot.direction", [0.0, 0.0, -1.0, -1.0]),
        ("point.attenuation", [1.0, 0.0, 0.0, 1.0]),
        ("texgen[1].eye.t", [0.0, 1.0, 0.0, 0.0]),
        ("texgen.object.q", [0.0; 4]),
        ("clip[5].plane", [0.0; 4]),
        ("fog.color", [0.0; 4]),
    ] {
        row(&state, name, expected);
    }
    assert_eq!(rows(&state, "mvp"), rows(&state, "texture"));
    for name in ["program.env[3]", "program.local[0]"] {
        assert_eq!(state.value(&bindings(name).unwrap()[0]), Ok(None), "{name}");
    }
}

#[test]
fn parameters_keep_their_bits() {
    let mut state = State::new();
    state.set("program.env[3]", &[0x7f80_0001, 2, 3, 4]).unwrap();
    state.set("program.env[7]", &[0x3f80_0000]).unwrap();
    assert_eq!(state.value(&Binding::Env(3)), Ok(Some([0x7f80_0001, 2, 3, 4])));
    assert_eq!(state.value(&Binding::Local(3)), Ok(None));
    state.set("program.local[4..5]", &[1, 2, 3, 4, 5, 6, 7, 8]).unwrap();
    assert_eq!(state.value(&Binding::Local(5)), Ok(Some([5, 6, 7, 8])));
    assert_eq!(state.value(&Binding::Env(7)), Ok(Some([0x3f80_0000, 0, 0, 0x3f80_0000])));
}

#[test]
fn wrong_names_and_numbers_are_errors() {
    for (name, count, expected) in [
        ("state.matrix.mvp.inverse", 16, "it is computed from state.matrix.mvp; set that instead"),
        ("mvp", 4, "it needs 16 numbers"),
        ("mvp", 17, "it needs 16 numbers"),
        ("mvp.row[1]", 3, "it needs 4 numbers"),
        ("program.env[1..2]", 4, "it needs 8 numbers"),
        ("fog.color", 5, "it needs 1 to 4 numbers"),
        ("fog.color", 0, "it needs 1 to 4 numbers"),
        ("state.fgo.color", 4, "`fgo` is not a state"),
        ("mvp[1]", 16, "expected the end, found `[`"),
        ("light[8].position", 4, "a light must be 0 to 7"),
    ] {
        let error = State::new().set(name, &vec![0; count]).unwrap_err().to_string();
        assert_eq!(error, expected, "{name}");
    }
    for name in ["", "c[0]", "1", "{1}", "state", "program", "vertex.position", "mvp mvp"] {
        assert!(matches!(State::new().set(name, &[0; 16]), Err(StateError::Name(_))), "{name}");
    }
}

proptest! {
    #[test]
    fn arbitrary_names_never_panic(name in "(state|program|mvp|light|c)?[.\\[\\]a-z0-9é]{0,20}") {
        let _ = State::new().set(&name, &[0; 4]);
        let _ = bindings(&name);
    }
}
