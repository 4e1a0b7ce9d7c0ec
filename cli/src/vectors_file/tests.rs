use super::*;
use proptest::prelude::*;
use xfjit::chip::Pipeline;
use xfjit::config::Arithmetic;
use xfjit::{Generation, Model};
use xfjit_testing::golden::ops::{OpRules, OpUnit};
use xfjit_testing::golden::programs::Header;
use xfjit_testing::golden::uses::Choice;

fn open_text(text: &str) -> Result<VectorFile, Failure> {
    recognise("file".to_string(), text.as_bytes().to_vec())
}

fn message(failure: Failure) -> String {
    match failure {
        Failure::Input { file, flaws } => format!("{file}: {}", flaws[0]),
        other => panic!("{other:?}"),
    }
}

/// Reads all cases; the error of the first bad one.
fn read(file: VectorFile) -> Result<usize, Failure> {
    fn count<T>(cases: impl Iterator<Item = Result<T, FileFlaw>>) -> Result<usize, Failure> {
        Ok(cases.map(|case| case.map(|_| 1)).sum::<Result<usize, FileFlaw>>()?)
    }
    match file {
        VectorFile::Ops(cases) => count(cases),
        VectorFile::Programs(cases) => count(cases),
        VectorFile::Emulated(cases) => count(cases),
        VectorFile::CelsiusOps(cases) => count(cases),
        VectorFile::Fixed(cases) => count(cases),
        VectorFile::FlipperFetch(cases) => count(cases),
        VectorFile::Flipper(cases) => count(cases),
    }
}

fn error(text: &str) -> String {
    message(open_text(text).and_then(read).unwrap_err())
}

const OP: &str = "kelvin vec MUL 3f800000 00000000 00000000 00000000 40000000 00000000 00000000 00000000 \
                  00000000 00000000 00000000 00000000 = 40000000 00000000 00000000 00000000\n";

fn programs() -> String {
    let words = |n: usize| " 3f800000".repeat(n);
    format!(
        "# curie programs, model hw, arith modern\nbank 0{}\nvertex 0{}\nvertex 1{}\n\
         program 0 401f9c6c 0040000d 8106c083 6041ff81\nbools 0000000f\n\
         expect 0 0 o0:f:3f800000:00000000:00000000:3f800000 o1:8:bf800000:00000000:00000000:00000000\n\
         expect 0 1\n\
         program 1{}\nexpect 0 1 o15:1:00000000:00000000:00000000:00000001\n",
        words(8),
        words(64),
        words(64),
        words(8)
    )
}

fn fixed() -> String {
    let words = |n: usize| " 3f800000".repeat(n);
    format!(
        "case 7 chip nv15\nmode 02000000 0000c000\nxfctx{}\nltctx{}\nltc0{}\nltc1{}\nltc2{}\nltc3{}\nvab{}\n\
         out pos 431f0000 43b2e000 471b0f41 3eab8d00 txc1 00000001 00000002 00000003 psize 000fe000 col0 ff51280d col1 123456\n",
        words(240),
        words(144),
        words(3),
        words(19),
        words(12),
        words(12),
        words(28)
    )
}

const EMULATED: &str = "# emulator mame release 0.289 (vertex_program_simulator)\n\
                        case MUL ordinary 0\n\
                        program kelvin words 00000000 0040001b 08361b90 2000f801 start 0\n\
                        c[0] = 40000000 40000000 40000000 40000000\n\
                        vertex 0\nv 0 = 3f800000 00000000 bf800000 40400000\n\
                        before o1 = 00000001 00000002 00000003 00000004\n\
                        out oPos = 40000000 00000000 c0000000 40c00000\nrows 3 = 00000000 00000000 00000000 00000000\n";

#[test]
fn emulators_figures_are_read() {
    assert_eq!(open_text(EMULATED).and_then(read).expect("it is one"), 1);
    for (from, to) in [
        ("emulator mame", "emulator nobody"),
        ("rows 3", "rows 192"),
        ("v 0", "v 16"),
        ("start 0", "start 1"),
    ] {
        assert!(error(&EMULATED.replace(from, to)).starts_with("file: line "), "{to}");
    }
}

#[test]
fn operations_are_read() {
    let Ok(VectorFile::Ops(mut ops)) = open_text(OP) else { panic!("not recognised") };
    let case = ops.next().unwrap().unwrap();
    assert_eq!((case.line, case.rules, case.unit, &case.op[..]), (1, OpRules::Kelvin, OpUnit::Vec, "MUL"));
    assert_eq!((case.sources[1][0], case.result[0]), (0x4000_0000, 0x4000_0000));
    assert!(ops.next().is_none());
}

#[test]
fn programs_are_read_with_their_banks_and_vertices() {
    let Ok(VectorFile::Programs(mut programs)) = open_text(&programs()) else { panic!("not recognised") };
    let header = Header {
        generation: Generation::Curie,
        model: Model::Hw,
        arithmetic: Arithmetic::Modern,
        from_console: false,
    };
    assert_eq!(programs.header(), header);
    let first = programs.next().unwrap().unwrap();
    assert_eq!((first.line, first.number, first.words.len(), first.bools), (5, 0, 1, 15));
    assert_eq!(first.expectations.len(), 2);
    let output = first.expectations[0].outputs[1];
    assert_eq!((output.register, output.mask, output.words[0]), (1, 8, 0xbf80_0000));
    assert_eq!((programs.bank(0).len(), programs.vertex(1)[15]), (2, [0x3f80_0000; 4]));
    let second = programs.next().unwrap().unwrap();
    assert_eq!((second.number, second.words.len(), second.bools), (1, 2, 0));
    assert!(programs.next().is_none());
}

fn pictures() -> String {
    let words = |n: usize| " 3f800000".repeat(n);
    format!(
        "# kelvin programs, model hw, from pictures of a console\nbank 0{}\nvertex 0{}\n# source A_suite/a_picture\n\
         program 0{}\nbytes 0 0 o5:8:3e40:0001:0001:0001\nover 0 0 o3:20:00545499:01 o3:00:00444498:01\n\
         words 0 0 o0:c:00000000-3f000000|80000000:ff800000:0:0\nxfctx 0 0 bc 1 0 0 0 c2cca8f5\n",
        words(8),
        words(64),
        words(4)
    )
}

#[test]
fn pictures_are_read() {
    let Ok(VectorFile::Programs(mut programs)) = open_text(&pictures()) else { panic!("not recognised") };
    assert!(programs.header().from_console);
    let case = programs.next().unwrap().unwrap();
    assert_eq!((case.expectations.len(), case.pictures.len(), case.pictures[1].claims.len()), (0, 4, 2));
    let claim = |picture: usize| &case.pictures[picture].claims[0];
    let [zero, one, half] = [0u32, 0x3f80_0000, 0x3e80_0000];
    // A quarter of 255 is 63.75.
    assert!(claim(0).holds([half, one, one, one]) && !claim(0).holds([one; 4]));
    // 99, 54, 54 over a grey of 20: opaque, transparent, and four fifths of another colour.
    let byte = |byte: u8| (f32::from(byte) / 255.0).to_bits();
    let [red, other] = [byte(0x99), byte(0x54)];
    assert!(claim(1).holds([red, other, other, one]) && !claim(1).holds([red, other, other, zero]));
    assert!(claim(1).holds([byte(183), byte(97), byte(97), byte(204)]));
    assert!(claim(2).holds([0x8000_0000, 0xff80_0000, 7, 7]) && !claim(2).holds([one, 0xff80_0000, 7, 7]));
    assert_eq!(
        (case.pictures[3].line, claim(3).holds([1, 2, 3, 0xc2cc_a8f5]), claim(3).holds([0; 4])),
        (9, true, false)
    );
    assert!(programs.next().is_none());
}

#[test]
fn choices_belong_to_the_next_program() {
    let text = programs().replace("program 1", "# uses arl_nan out7\nprogram 1");
    let Ok(VectorFile::Programs(programs)) = open_text(&text) else { panic!("not recognised") };
    let uses: Vec<Vec<Choice>> = programs.map(|case| case.unwrap().uses).collect();
    assert_eq!(uses, [vec![], vec![Choice::AddressNan, Choice::Output7]]);
}

#[test]
fn celsius_operations_are_read() {
    let text = "op,a_hex,b_hex,c_hex,d_hex,result_hex\nlt_mul,eeb90000,3a8c3400,,,e9caa000\n";
    let Ok(VectorFile::CelsiusOps(mut ops)) = open_text(text) else { panic!("not recognised") };
    let case = ops.next().unwrap().unwrap();
    assert_eq!((case.line, &case.op[..], case.result), (2, "lt_mul", 0xe9ca_a000));
    assert_eq!(case.operands, [Some(0xeeb9_0000), Some(0x3a8c_3400), None, None]);
}

#[test]
fn fixed_function_cases_are_read() {
    let Ok(VectorFile::Fixed(mut cases)) = open_text(&fixed()) else { panic!("not recognised") };
    let case = cases.next().unwrap().unwrap();
    let fixed = &case.golden.case;
    assert_eq!((case.line, case.golden.number, fixed.setup.mode.pipeline()), (1, 7, Pipeline::NV15));
    assert_eq!(fixed.setup.mode.words(), [0x0200_0000, 0xc000]);
    assert_eq!(fixed.context.row(0), [0x3f80_0000; 4]);
    assert_eq!(fixed.attributes[6], [[0x3f80_0000; 4]]);
    assert_eq!(case.golden.expected.len(), 5);
    assert!(cases.next().is_none());
}

#[test]
fn cases_from_pictures_are_read_behind_their_comments() {
    let words = |n: usize| " 3f800000".repeat(n);
    let text = format!(
        "# from pictures\n# source A/B\ncase 1 chip nv2a\nmode{}\nxfctx{}\nltctx{}\nltc0{}\nltc1{}\nltc2{}\nltc3{}\n\
         vab{}\nout x16 fffffff0 00000010\nout depth24 1\ncase 2 chip nv2a\n",
        words(4),
        words(384),
        words(222),
        words(4),
        words(20),
        words(15),
        words(14),
        words(52)
    );
    let Ok(VectorFile::Fixed(mut cases)) = open_text(&text) else { panic!("not recognised") };
    let case = cases.next().unwrap().unwrap();
    assert_eq!((case.line, case.golden.number, case.golden.expected.len()), (3, 1, 2));
    let error = "file: ends inside a case, where `mode` is expected: the file was cut short";
    assert_eq!(cases.next().unwrap().unwrap_err().to_string(), error);
    assert_eq!(
        self::error(&text.replace("depth24 1", "depth24 x")),
        "file: line 13, column 13: `x` is not a hexadecimal number"
    );
}

#[test]
fn wrong_files_name_the_line() {
    let cut = |text: String, at: usize| text[..text.len() - at].to_string();
    let before = |text: String, mark: &str| text.split_once(mark).unwrap().0.to_string();
    for (text, expected) in [
        (String::new(), "file: is empty"),
        ("hello\n".to_string(), "file: line 1: is not the start of a known file of golden vectors"),
        ("# kelvin programs, model fast\n".to_string(), "file: line 1, column 26: `fast` is not known here"),
        ("# kelvin programs, arith legacy\n".to_string(), "file: line 1: names no model (hw, ieee)"),
        (
            format!("{OP}{OP}kelvin vec\n"),
            "file: line 3: needs rules, unit and operation: is the file cut short?",
        ),
        (OP.replace("vec", "abc"), "file: line 1, column 8: `abc` is not a unit (vec, sca)"),
        (
            OP.replacen("3f800000", "3f80000", 1),
            "file: line 1, column 16: `3f80000` is not a word of eight hexadecimal digits",
        ),
        (cut(OP.to_string(), 10), "file: line 1: needs 4 words, has 3: is the file cut short?"),
        (OP.replace('=', "-"), "file: line 1, column 124: expected `=` after 12 words"),
        (
            cut(programs(), 3),
            "file: line 10, column 12: `o15:1:00000000:00000000:00000000:000000` is not an expected output",
        ),
        (
            before(programs(), "expect 0 1 o15"),
            "file: program 1 on line 9 has no expectation: is the file cut short?",
        ),
        (programs().replace("expect 0 1\n", "expect 4 1\n"), "file: line 8, column 8: bank 4 does not exist"),
        (
            programs().replace("expect 0 1\n", "expect 0 x\n"),
            "file: line 8, column 10: `x` is not a number below 65536",
        ),
        (
            programs().replace("vertex 1 3f800000", "vertex 1"),
            "file: line 4: needs 64 words, has 63: is the file cut short?",
        ),
        (programs().replace("program 1", "progam 1"), "file: line 9, column 1: `progam` is not known here"),
        (
            programs().replace("o0:f", "o0:g"),
            "file: line 7, column 12: `o0:g:3f800000:00000000:00000000:3f800000` is not an expected output",
        ),
        (
            cut(fixed(), 12),
            "file: line 10: has the registers 449, but the mode outputs 459: is the file truncated?",
        ),
        (
            programs().replace("program 1", "# uses arl_nan fast\nprogram 1"),
            "file: line 9, column 16: `fast` is not a known choice",
        ),
        (
            pictures().replace("o5:8", "o5:18"),
            "file: line 6, column 11: `o5:18:3e40:0001:0001:0001` is not a register that a picture shows",
        ),
        (
            pictures().replace("xfctx 0 0 bc 1 0 0 0", "xfctx 0"),
            "file: line 9, column 9: `c2cca8f5` is not a number below 65536",
        ),
        (pictures().replace(" of a console", ""), "file: line 1, column 30: `from` is not known here"),
        (before(fixed(), "out"), "file: ends inside a case, where `out` is expected: the file was cut short"),
        (fixed().replace("ltc2", "ltc9"), "file: line 7, column 1: expected `ltc2`, found `ltc9`"),
        ("op,a\nlt_mul,eeb90000\n".to_string(), "file: line 2: needs 6 cells, has 2: is the file cut short?"),
    ] {
        assert_eq!(error(&text), expected);
    }
}

#[test]
fn an_error_ends_the_iteration() {
    let Ok(VectorFile::Ops(ops)) = open_text(&format!("{OP}kelvin\n{OP}")) else { panic!("not recognised") };
    assert_eq!(ops.map(|case| case.is_ok()).collect::<Vec<_>>(), [true, false]);
}

fn packed() -> Vec<u8> {
    let mut bytes = Vec::new();
    lzma_rs::xz_compress(&mut OP.repeat(20).as_bytes(), &mut bytes).unwrap();
    bytes
}

#[test]
fn packed_files_are_unpacked() {
    assert_eq!(read(recognise("file".to_string(), packed()).unwrap()).unwrap(), 20);
}

#[test]
fn packed_files_that_end_early_are_refused() {
    let packed = packed();
    for length in 6..packed.len() {
        let failure = recognise("file".to_string(), packed[..length].to_vec()).unwrap_err();
        assert_eq!(message(failure), "file: is a truncated xz file");
    }
}

proptest! {
    #[test]
    fn damaged_packed_files_never_panic(changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4)) {
        let mut bytes = packed();
        for (place, value) in changes {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        let _ = recognise("file".to_string(), bytes).map(read);
    }

    #[test]
    fn arbitrary_bytes_never_panic(kind in 0..6usize, bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let console = "# kelvin programs, model hw, from pictures of a console\n";
        let start = ["", "# kelvin programs, model hw\n", console, "op,\n", "case 0 chip nv10\n", "kelvin vec "][kind];
        let bytes = [start.as_bytes(), &bytes].concat();
        let _ = recognise("file".to_string(), bytes).map(read);
    }

    #[test]
    fn files_with_damage_anywhere_never_panic(kind in 0..4usize, place: prop::sample::Index, byte in 32..127u8, cut: bool) {
        let mut text = [fixed(), programs(), pictures(), EMULATED.to_owned()][kind].clone().into_bytes();
        let place = place.index(text.len());
        text[place] = byte;
        if cut {
            text.truncate(place);
        }
        let _ = recognise("file".to_string(), text).map(read);
    }
}

/// A case of Flipper with one vertex.
const FLIPPER: &str = "# flipper xf, dialect spec\nreset\nxf 1009:00000001\ncase 0\ncache\nv p:3f800000:0:0 c0:11223344\n\
                       out e:0:0:0 c1:00000000\n";

#[test]
fn flipper_cases_are_read() {
    let Ok(VectorFile::Flipper(mut cases)) = open_text(FLIPPER) else { panic!("not recognised") };
    let case = cases.next().expect("there is one").expect("it is whole");
    assert_eq!((case.line, case.vertices.len(), case.vertices[0].expected.len()), (4, 1, 7));
    assert!(cases.next().is_none());
}

#[test]
fn what_is_wrong_with_flipper_cases_is_told_with_its_place() {
    for (from, to, line, message) in [
        ("reset", "rest", 2, "does not stand here"),
        ("1009:00000001", "1009:0000000g", 3, "hexadecimal words"),
        ("1009:", "10009:", 3, "no address"),
        ("case 0", "case x", 4, "names no number"),
        ("3f800000:0:0", "3f800000:0", 6, "needs 3 words"),
        ("c0:", "c2:", 6, "nothing that a vertex has"),
        ("c1:", "y1:", 7, "nothing that comes out"),
        ("e:0:0:0", "e:0:0", 7, "needs 3 words"),
        ("out e:0:0:0 c1:00000000\n", "", 4, "without what comes out"),
        ("out e", "back 1\nout e", 7, "needs `back B rej R`"),
        ("out e", "out e:0:0:0\nout e", 8, "behind no vertex"),
    ] {
        let text = FLIPPER.replacen(from, to, 1);
        let told = error(&text);
        assert!(told.contains(message) && told.contains(&format!("line {line}")), "{from}: {told}");
    }
}
