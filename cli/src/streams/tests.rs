use super::*;
use proptest::prelude::*;

fn text(text: &str) -> Result<Vertices, Flaw> {
    parse(text.as_bytes(), Format::Text, &Options::default())
}

fn words(vertices: &Vertices, register: usize) -> (&[u32], usize) {
    let attribute = vertices.attributes[register].as_ref().unwrap();
    (&attribute.words, attribute.components)
}

fn raw(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn layout(text: &str) -> Vec<Field> {
    text.split(',').map(|field| field.parse().unwrap()).collect()
}

#[test]
fn columns_may_be_whole_parts_or_single_components() {
    let vertices =
        text("# a comment\nv0.y, v0.x; v3\tv2.xyz\n\n1 2  3 4 5 0x3f800000  -1 0x0 1e2 // last\n").unwrap();
    assert_eq!(vertices.count, 1);
    assert_eq!(words(&vertices, 0), (&[2f32.to_bits(), 1f32.to_bits()][..], 2));
    assert_eq!(words(&vertices, 3), (&[3f32, 4., 5., 1.].map(f32::to_bits)[..], 4));
    assert_eq!(words(&vertices, 2), (&[-1f32, 0., 100.].map(f32::to_bits)[..], 3));
    assert_eq!(vertices.attributes[1], None);
}

#[test]
fn a_table_without_rows_has_no_vertices() {
    assert_eq!(text("v0").unwrap().count, 0);
}

#[test]
fn wrong_tables_name_the_place() {
    for (given, expected) in [
        ("", "is empty"),
        ("1 2 3 4\n", "line 1, column 1: `1` does not name columns"),
        ("v0 v16\n", "line 1, column 4: `v16` does not name columns"),
        ("v0.\n", "line 1, column 1: `v0.` does not name columns"),
        ("v0.x v0.xy\n", "line 1, column 6: v0.x is named twice"),
        ("v1.x v0.yz\n", "line 1: v0 has components after x, but no x"),
        ("v0.xy\n1 2\n1\n", "line 3: vertex 1 has 1 numbers, but the first line names 2"),
        ("v0.xy\n1 2 3\n", "line 2: vertex 0 has 3 numbers, but the first line names 2"),
        ("v0.xyz\n1,,3\n", "line 2, column 3: this cell is empty"),
        ("v0.x,,v0.y\n", "line 1, column 6: `` does not name columns"),
        ("v0.xy\n1 3f800000\n", "line 2, column 3: `3f800000` is not a decimal number"),
        ("v0.xy\n1 zwei\n", "line 2, column 3: `zwei` is not a number"),
    ] {
        assert_eq!(text(given).unwrap_err().to_string(), expected, "{given:?}");
    }
}

#[test]
fn raw_vertices_follow_the_layout() {
    let options = Options { layout: layout("v0:3,_:1,v9:2"), ..Options::default() };
    let bytes = raw(&[1., 2., 3., 9., 4., 5., 6., 7., 8., 9., 0., -0.]);
    let vertices = parse(&bytes, Format::Bin, &options).unwrap();
    assert_eq!(vertices.count, 2);
    assert_eq!(words(&vertices, 0), (&[1f32, 2., 3., 6., 7., 8.].map(f32::to_bits)[..], 3));
    assert_eq!(words(&vertices, 9), (&[4f32, 5., 0., -0.].map(f32::to_bits)[..], 2));
    let swapped: Vec<u8> = bytes.chunks(4).flat_map(|word| [word[3], word[2], word[1], word[0]]).collect();
    let big = Options { order: ByteOrder::Big, ..options.clone() };
    assert_eq!(parse(&swapped, Format::Bin, &big).unwrap(), vertices);
    let cut = parse(&bytes[..47], Format::Bin, &options).unwrap_err().to_string();
    assert_eq!(cut, "ends inside vertex 1: 47 bytes are not a multiple of 24, the bytes of one vertex");
}

#[test]
fn raw_vertices_may_be_packed() {
    let options = Options { layout: layout("v0:s32k:3,_:u16:1,v3:ub_d3d:4,v8:f16:2"), ..Options::default() };
    let bytes = [1, 0, 0xff, 0xff, 0, 0x80, 9, 9, 0, 255, 0, 255, 0, 0x3c, 0, 0xc0];
    let vertices = parse(&bytes, Format::Bin, &options).unwrap();
    assert_eq!(vertices.count, 1);
    assert_eq!(words(&vertices, 0), (&[1f32, -1., -32768.].map(f32::to_bits)[..], 3));
    assert_eq!(words(&vertices, 3), (&[0f32, 1., 0., 1.].map(f32::to_bits)[..], 4));
    assert_eq!(words(&vertices, 8), (&[1f32, -2.].map(f32::to_bits)[..], 2));
}

#[test]
fn a_stream_shorter_than_the_count_is_refused() {
    let short = Options { count: Some(3), ..Options::default() };
    let error = parse(b"v0.x\n1\n2\n", Format::Text, &short).unwrap_err();
    assert_eq!(error.to_string(), "has 2 vertices, but --count is 3");
    let first = Options { count: Some(1), ..Options::default() };
    assert_eq!(words(&parse(b"v0.x\n1\n2\n", Format::Text, &first).unwrap(), 0).0, [1f32.to_bits()]);
}

#[test]
fn meshes_go_to_the_registers_of_the_map() {
    let obj = b"v 1 2 3\nv 1 0 0\nv 0 1 0\nvt .5 .25\nf 1/1 2/1 3/1\n";
    let vertices = parse(obj, Format::Obj, &Options::default()).unwrap();
    assert_eq!(words(&vertices, 0).0[..4], [1f32, 2., 3., 1.].map(f32::to_bits));
    assert_eq!(words(&vertices, 9).0[..4], [0.5f32, 0.25, 0., 1.].map(f32::to_bits));
    assert_eq!((vertices.count, &vertices.triangles[..]), (3, &[[0, 1, 2]][..]));
    let map = vec!["v8=texcoord".parse().unwrap()];
    let vertices = parse(obj, Format::Obj, &Options { map, ..Options::default() }).unwrap();
    assert!(vertices.attributes[0].is_none() && vertices.attributes[8].is_some());
}

#[test]
fn maps_and_layouts_are_checked() {
    for bad in ["", "v0", "v16=normal", "v0=tangent", "0=normal", "v-1=normal", "v=normal"] {
        assert!(bad.parse::<Binding>().is_err(), "{bad}");
    }
    for bad in [
        "",
        "v0",
        "v0:",
        "v0:0",
        "v0:5",
        "v16:1",
        "_:0",
        "_:9999999999999999999999",
        "x:1",
        "v0:s1:5",
        "v0:cmp:2",
        "v0:cmp:4",
        "_:cmp:2",
        "_:ub_d3d:5",
        "_:1025",
        "v0:s1",
        "v0::1",
        "v0:1:s1",
    ] {
        assert!(bad.parse::<Field>().is_err(), "{bad}");
    }
}

#[test]
fn constants_come_in_every_form() {
    let given =
        "c[1] = 1 2 3 4\nc3: 0x3f800000, 0x2, -0, 1e-1 ; tail\n5 6 7 8\nc0 1 1 1 1\n0xc0000000 0 0 0\n";
    let given = given.replace(" ; tail", "");
    let rows = constants::parse(given.as_bytes(), 6).unwrap().rows;
    assert_eq!(rows[1], [0xc000_0000, 0, 0, 0]);
    assert_eq!(rows[3], [0x3f80_0000, 2, 0x8000_0000, 0.1f32.to_bits()]);
    assert_eq!(rows[4], [5f32, 6., 7., 8.].map(f32::to_bits));
    assert_eq!((rows[0], rows[2], rows[5]), ([0x3f80_0000; 4], [0; 4], [0; 4]));
    let two_rows = constants::parse(b"1 2 3 4 5 6 7 8", 2).unwrap().rows;
    assert_eq!(two_rows[1][0], 5f32.to_bits());
}

#[test]
fn wrong_constants_name_the_place() {
    for (given, expected) in [
        ("", "has no constants"),
        ("c[1] = 1 2 3\n", "line 1: a row has 4 numbers, but this line has 3"),
        ("c[1]\n", "line 1: a row has 4 numbers, but this line has 0"),
        ("\nc[6] = 1 2 3 4\n", "line 2, column 1: row 6 does not exist; there are 6 rows"),
        ("c[x] = 1 2 3 4\n", "line 1, column 1: `c[x]` is not a constant row"),
        ("c[-1] = 1 2 3 4\n", "line 1, column 1: `c[-1]` is not a constant row"),
        (
            "c99999999999999999999 = 1 2 3 4\n",
            "line 1, column 1: `c99999999999999999999` is not a constant row",
        ),
        (
            "c[18446744073709551615] = 1 2 3 4\n",
            "line 1, column 1: row 18446744073709551615 does not exist; there are 6 rows",
        ),
        ("c[1] = 1,,2,3,4\n", "line 1, column 10: this cell is empty"),
        ("c0000000 0 0 0\n", "line 1, column 1: `c0000000` is not a decimal number"),
        ("c[1] = 1 2 3 four\n", "line 1, column 14: `four` is not a number"),
    ] {
        assert_eq!(constants::parse(given.as_bytes(), 6).unwrap_err().to_string(), expected, "{given:?}");
    }
}

/// What an attribute takes, as much is passed over in its place; a size of 1 is all of CMP.
#[test]
fn packed_words_are_read_and_passed_over_whole() {
    let normal = (0x1ff_u32 << 22).to_le_bytes();
    let colour = [1, 2, 3, 4];
    let bytes: Vec<u8> = [normal, colour, normal].concat();
    for passed in ["ub_d3d:4", "rgba8:4", "cmp:1", "cmp:3", "rgb565:3,_:rgba4:4", "s8:4", "1"] {
        let options =
            Options { layout: layout(&format!("v2:cmp:1,_:{passed},v3:cmp:3")), ..Options::default() };
        let vertices = parse(&bytes, Format::Bin, &options).unwrap();
        let up = [0, 0, 1f32.to_bits()];
        assert_eq!([words(&vertices, 2), words(&vertices, 3)], [(&up[..], 3); 2], "{passed}");
    }
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let options = Options { layout: layout("v0:3,v15:4,_:2"), count: Some(3), ..Options::default() };
        for format in [Format::Obj, Format::Text, Format::Bin] {
            let _ = parse(&bytes, format, &options);
        }
        let _ = constants::parse(&bytes, 192);
    }

    #[test]
    fn arbitrary_tables_never_panic(given in "(v[0-9]{1,2}(\\.[xyzw]{1,4})?[ ,]){1,4}\n((-?[0-9a-f]{1,8}[ ,;]){0,8}\n){0,4}") {
        if let Ok(vertices) = text(&given) {
            for attribute in vertices.attributes.iter().flatten() {
                prop_assert_eq!(attribute.words.len(), attribute.components * vertices.count);
            }
        }
    }

    #[test]
    fn arbitrary_constants_never_panic(given in "((c\\[?[0-9]{1,3}\\]?[:=]? ?)?([0-9a-f.]{1,8} ){0,8}\n){0,4}") {
        let _ = constants::parse(given.as_bytes(), 96);
    }
}
