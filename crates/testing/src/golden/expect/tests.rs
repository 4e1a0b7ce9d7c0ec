use super::*;

const KELVIN: Pipeline = Pipeline::Kelvin;

/// Whether a line holds of a vertex in which every register is `row`.
fn holds(pipeline: Pipeline, line: &str, row: Row) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    let expected = parse(pipeline, &words).unwrap_or_else(|(word, message)| panic!("{word}: {message}"));
    expected.iter().all(|expectation| expectation.wrong(&|_| Some(row)).is_none())
}

#[test]
fn words_are_compared_bit_for_bit() {
    assert!(holds(
        KELVIN,
        "pos 00000001 00000002 00000003 00000004 txc3 00000001 00000002 00000003 00000004",
        [1, 2, 3, 4]
    ));
    assert!(!holds(KELVIN, "pos 00000001 00000002 00000003 00000005", [1, 2, 3, 4]));
    assert!(holds(Pipeline::NV10, "txc1 00000001 00000002 00000004", [1, 2, 3, 4]));
    assert!(!holds(Pipeline::Rankine, "clip5 00000002", [1, 2, 3, 4]));
}

#[test]
fn colours_have_masks_and_tolerances() {
    let row = [0x10, 0x20, 0x30, 0x40];
    assert!(holds(KELVIN, "col0 40302010", row) && !holds(KELVIN, "col1 40302011", row));
    assert!(holds(KELVIN, "bfc1 00302010 00ffffff", row) && !holds(KELVIN, "bfc0 00302013 00ffffff 2", row));
    assert!(holds(KELVIN, "col0 00322212 00ffffff 2", row));
    assert!(holds(KELVIN, "sum ff604020 00ffffff", row) && holds(KELVIN, "sum 80604020", row));
    assert!(holds(Pipeline::Rankine, "near0 42322212 nearb1 40302010", row));
    assert!(!holds(Pipeline::Rankine, "near0 43302010", row));
}

#[test]
fn colours_are_blended_over_one_of_the_greys() {
    // Alpha 51 is a fifth: 100 over 50 gives 60.
    let row = [100, 100, 100, 51];
    assert!(holds(KELVIN, "over_col0 003c3c3c 00ffffff ff,32 0", row));
    assert!(!holds(KELVIN, "over_col0 003c3c3d 00ffffff ff,32 0", row));
    assert!(holds(KELVIN, "over_col0 003c3c3d 00ffffff 32 1", row));
    assert!(!holds(KELVIN, "over_col0 003c3c3c 00ffffff 33,2a 0", row));
}

#[test]
fn positions_are_seen_as_depths_and_edges() {
    let row = [1.0625f32, -2.5, 194.284, 1.0].map(f32::to_bits);
    assert!(holds(KELVIN, "depthf16 e849 depth24 c2 depth16 0c2", row));
    assert!(holds(KELVIN, "x16 00000011 00000011 y16 ffffffd8 ffffffd9", row));
    assert!(!holds(KELVIN, "x16 00000012 00000014", row) && !holds(KELVIN, "y16 00000000 00000001", row));
    assert!(!holds(KELVIN, "x16 00000000 00000001", [(1.0f32 / 32.0 + 1.0).to_bits(); 4]));
    let beyond = [0, 0, 1e9f32.to_bits(), 0];
    assert!(holds(KELVIN, "depth24 ffffff depth16 ffff depthf16 ffff", beyond));
    assert!(holds(KELVIN, "depth24 0 depthf16 0", [0, 0, (-5.0f32).to_bits(), 0]));
}

#[test]
fn coordinates_are_seen_projected() {
    let row = [1.0f32, 3.0, 0.0, 2.0].map(f32::to_bits);
    assert!(holds(KELVIN, "proj0 3f000000 3f000000 3f800000 40000000", row));
    assert!(!holds(KELVIN, "proj0 3f000000 3f000000 3f800000 3fa00000", row));
    assert!(!holds(KELVIN, "proj0 3f000001 3f800000 3f800000 40000000", row));
    assert!(holds(KELVIN, "proj0 3f000000 7f800000 3f800000 7f800000", [0; 4]));
}

#[test]
fn point_sizes_are_eighths() {
    assert!(holds(KELVIN, "psize8 080 087", [0x87; 4]) && !holds(KELVIN, "psize8 080 087", [0x88; 4]));
    assert!(holds(KELVIN, "pslt 40000000", [17; 4]) && !holds(KELVIN, "pslt 40000000", [18; 4]));
    assert!(holds(KELVIN, "pslt 44000000", [511; 4]) && holds(Pipeline::NV10, "psize 00010000", [0x10; 4]));
}

#[test]
fn fog_is_what_lt_passes() {
    for (distance, fog) in
        [("80000001", 0), ("ff800000", 0x7f80_0000), ("ffc00000", 0x7fff_fc00), ("3f800a00", 0x3f80_0c00)]
    {
        assert!(holds(KELVIN, &format!("fogd {distance}"), [fog, 0, 0, 0]), "{distance}");
    }
}

#[test]
fn what_cannot_be_read_is_named() {
    let error =
        |pipeline, line: &str| parse(pipeline, &line.split_whitespace().collect::<Vec<_>>()).unwrap_err();
    assert_eq!(error(KELVIN, "psize 00000000").1, "`psize` is not known here");
    assert_eq!(error(KELVIN, "pos 00000000").1, "`pos` needs 4 words: is the file cut short?");
    assert_eq!(error(KELVIN, "col0 0000000g").0, 1);
    assert_eq!(
        error(Pipeline::NV10, "col1 00000000").1,
        "`00000000` is not a colour of six hexadecimal digits"
    );
    assert_eq!(error(KELVIN, "txc4 00000000").0, 0);
    assert_eq!(error(KELVIN, "").0, 0);
}
