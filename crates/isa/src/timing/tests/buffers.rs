//! Vertices on their way in and out, counted by hand.

use super::*;

#[test]
fn six_buffers_are_enough_for_two_instructions() {
    // A vertex is under way for ten clocks: a clock until its attribute is there, the sum in the second stage in clock 2, the product in
    // clock 5, its result written in clock 8, and a clock until that has left. As many vertices as there are buffers fit into ten clocks, three
    // of them side by side.
    let with = |buffers| clocks(&unit(&[("ibuf", buffers)]), PAIR);
    assert_eq!([1, 2, 3, 4, 6, 7].map(with), [10.0, 5.0, 10.0 / 3.0, 2.5, 2.0, 2.0]);
}

#[test]
fn a_vertex_has_a_buffer_of_each_kind() {
    for name in ["ibuf", "tbuf", "wbuf", "vbuf"] {
        assert_eq!(clocks(&unit(&[(name, 1)]), PAIR), 10.0, "{name}");
    }
    // WBUF and VBUF went with Rankine, and LT with Curie.
    let has = |family: Family, name: &str| Timing::of(family).get(name);
    assert_eq!([has(Family::Rankine, "wbuf"), has(Family::Rankine, "ubuf")], [None, Some(6)]);
    assert_eq!(
        [has(Family::Curie, "vbuf"), has(Family::Curie, "ubuf"), has(Family::Kelvin, "ubuf")],
        [None; 3]
    );
    let rankine = of(Family::Rankine, &[("ubuf", 2)]);
    assert_eq!(rankine.vertices_at_a_time(), 2);
}

#[test]
fn three_vertices_at_a_time_have_three_files_of_registers() {
    assert_eq!(Pipeline::of(Family::Kelvin).vertices_at_a_time(), 3);
    let at_a_time = |values: &[(&str, u16)]| unit(values).vertices_at_a_time();
    assert_eq!([at_a_time(&[("vertices", 5)]), at_a_time(&[("registers", 2)])], [3, 2]);
    assert_eq!(threads(5).vertices_at_a_time(), 5);
    assert_eq!(threads(40).vertices_at_a_time(), 40);
}

#[test]
fn attributes_that_change_are_copied_one_behind_the_other() {
    let text = "MOV oPos, v0\nMUL R0, v1, v1\nADD oD0, R0, v1";
    let path = path(text);
    assert_eq!((path.attributes, path.outputs), (2, 2));
    let with = |path: &Path, copy, arrive| {
        Report::clocks_of(&unit(&[("copy", copy), ("arrive", arrive)]), std::slice::from_ref(path))
    };
    // Two of them, 4 clocks each; while the next ones arrive none can be copied.
    assert_eq!([with(&path, 1, 0), with(&path, 4, 0), with(&path, 1, 3)], [3.0, 8.0, 8.0]);
    // What does not change is not copied.
    let one = Path { attributes: 1, ..path.clone() };
    assert_eq!([with(&one, 4, 0), with(&Path { attributes: 16, ..path }, 1, 0)], [4.0, 16.0]);
}

#[test]
fn buffers_take_turns() {
    // The first of two vertices takes long, the second is soon done. The third has the buffers of the first, and waits for them.
    let long = path(&"MOV R0, R0\n".repeat(9));
    let paths = [Path { attributes: 0, outputs: 0, ..long }, path("MOV R0, R0")];
    let mut first = Vec::new();
    unit(&[("ibuf", 2)]).run(&paths, 4, |issue| {
        if issue.step == 0 {
            first.push((issue.vertex, issue.enters));
        }
    });
    // Nine instructions that wait for each other are done in clock 1 + 8 * 3 + 4; the second vertex was so in clock 6.
    assert_eq!(first, [(0, 0), (1, 1), (2, 29), (3, 30)]);
}

#[test]
fn outputs_leave_one_behind_the_other() {
    assert_eq!(clocks(&unit(&[("leave", 5)]), PAIR), 5.0);
    assert_eq!(clocks(&unit(&[("leave", 5)]), "MOV oPos, v0\nMOV oD0, v0"), 10.0);
    // Constants do not leave, and a register counts once.
    assert_eq!(path("MOV c[3], v0\nMOV oD0.x, v0\nMOV oD0.y, v1").outputs, 1);
}

#[test]
fn any_attribute_and_output_counts_where_an_index_chooses() {
    let program = asm::parse(Generation::Curie, "MOV o[A0.x+1], v[A0.x+2]").unwrap();
    let path = Path::straight(Generation::Curie, Reading::default(), &program);
    assert_eq!((path.attributes, usize::from(path.outputs)), (16, Generation::Curie.outputs()));
}

#[test]
fn vertices_that_begin_together_wait_for_each_other() {
    let with = |launch| clocks(&unit(&[("launch", launch)]), PAIR);
    // Two of three places are taken until both have begun their second instruction: five clocks for two vertices.
    assert_eq!([1, 2, 3].map(with), [2.0, 2.5, 2.0]);
    // More than there are places for is as many as there are.
    assert_eq!(with(256), 2.0);
    // All three attributes are there before the first instruction.
    let mut first = Vec::new();
    unit(&[("launch", 3), ("copy", 4)]).run(&[path(PAIR)], 3, |issue| first.push(issue.enters));
    assert_eq!(first[..3], [12, 13, 14]);
    let mut each = Vec::new();
    unit(&[("copy", 4)]).run(&[path(PAIR)], 3, |issue| each.push(issue.enters));
    assert_eq!(each[..2], [4, 5]);
}

#[test]
fn who_waits_for_a_vertex_waits_for_nothing_else() {
    let mut waits = Vec::new();
    unit(&[("ibuf", 1)]).run(&[path(PAIR)], 2, |issue| waits.push(issue.waits));
    let expected = [
        Waits { vertices: 1, ..Waits::default() },
        Waits { results: 2, ..Waits::default() },
        Waits { vertices: 6, ..Waits::default() },
        Waits { results: 2, ..Waits::default() },
    ];
    assert_eq!(waits, expected);
}
