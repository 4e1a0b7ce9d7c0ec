//! Files that have been cut off, damaged, or were never captures.

use xfjit::capture::{
    Content, FlipperWriter, MAGIC, MOST_BLOCK, MOST_VERTICES_IN_ALL, Part, Problem, Reader, UnitWriter,
    VERSION,
};
use xfjit::flipper::trace::Item as FlipperItem;
use xfjit::xf::trace::Item;
use xfjit::xf::{Chip, Command, Register, Type};
use xfjit_testing::captures;

fn unit_file() -> Vec<u8> {
    let mut writer = UnitWriter::new(Vec::new(), Chip::Nv2a).expect("memory");
    writer.note("some").expect("memory");
    for slot in 0..40 {
        let item = Item::Command(Command::pair(Type::Vab, slot % 16, 2, [0x3f80_0000, slot.into()]));
        writer.item(&item).expect("memory");
        writer.item(&Item::Vertex).expect("memory");
    }
    writer.flush().expect("memory");
    writer.item(&Item::Set(Register::Outputs, 1)).expect("memory");
    writer.finish().expect("memory")
}

fn flipper_file() -> Vec<u8> {
    let mut writer = FlipperWriter::new(Vec::new()).expect("memory");
    let items = [
        FlipperItem::LoadCp(0x50, 0x200),
        FlipperItem::LoadCp(0x70, 1),
        FlipperItem::LoadXf(0, vec![1, 2, 3]),
        FlipperItem::LoadBp(3, 0x12_3456),
        FlipperItem::Normal(2, None),
        FlipperItem::Normal(1, Some([1, 2, 3])),
        FlipperItem::Memory(0x40, vec![7; 33]),
        FlipperItem::InvalidateVertices,
        FlipperItem::Draw { opcode: 0x90, count: 3, bytes: (0..9).collect() },
    ];
    items.iter().for_each(|item| writer.item(item).expect("memory"));
    writer.finish().expect("memory")
}

fn files() -> [Vec<u8>; 3] {
    [unit_file(), flipper_file(), captures::calls()]
}

/// Where it has been cut off, if so; or where what is wrong.
type End = Result<Option<u64>, (u64, Problem)>;

/// What of a file is good, and how it ends.
fn read(bytes: &[u8]) -> (Vec<Part>, End) {
    let mut parts = Vec::new();
    let mut reader = match Reader::new(bytes) {
        Ok(reader) => reader,
        Err(error) => return (parts, Err((error.offset, error.problem))),
    };
    loop {
        match reader.part() {
            Ok(Some(part)) => parts.push(part),
            Ok(None) => return (parts, Ok(reader.cut())),
            Err(error) => {
                assert!(error.to_string().contains("0x"), "{error}");
                assert_eq!(reader.part(), Err(error.clone()), "it does not go on");
                return (parts, Err((error.offset, error.problem)));
            }
        }
    }
}

#[test]
fn a_file_that_is_cut_off_is_good_up_to_its_last_whole_block() {
    for file in files() {
        let (whole, end) = read(&file);
        assert_eq!(end, Ok(None));
        let mut seen = 0;
        for length in 0..file.len() {
            let (parts, end) = read(&file[..length]);
            assert_eq!(parts[..], whole[..parts.len()]);
            assert!(parts.len() >= seen, "the more there is, the more is read");
            seen = parts.len();
            match end {
                Ok(Some(offset)) => assert!(offset <= length as u64 && offset >= 20),
                Err((0, Problem::NoCapture)) => assert_eq!(length, 0),
                Err((offset, problem)) => {
                    assert_eq!((offset <= length as u64, problem), (true, Problem::TooShort), "{length}");
                    assert!(parts.is_empty());
                }
                Ok(None) => panic!("{length} bytes of {} are no whole file", file.len()),
            }
        }
        assert_eq!(seen, whole.len(), "but for the last block nothing is lost");
    }
}

#[test]
fn no_bit_can_be_wrong() {
    for file in files() {
        let whole = read(&file).0;
        for bit in 0..8 * file.len() {
            let mut damaged = file.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            let (parts, end) = read(&damaged);
            let (offset, _) = end.expect_err("it is damaged");
            assert!(offset <= (bit / 8) as u64, "bit {bit}: {offset}");
            assert_eq!(parts[..], whole[..parts.len()], "bit {bit}: what came before is good");
        }
    }
}

/// A block with checksums that fit.
fn block(kind: &[u8; 4], number: u32, flags: u32, plain: u32, stored: &[u8]) -> Vec<u8> {
    let mut bytes = kind.to_vec();
    for word in [number, flags, stored.len() as u32, plain] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    bytes.extend(stored);
    bytes.extend(crc32fast::hash(stored).to_le_bytes());
    bytes
}

fn plain(kind: &[u8; 4], number: u32, content: &[u8]) -> Vec<u8> {
    block(kind, number, 0, content.len() as u32, content)
}

fn head(version: u32, flags: u32) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(version.to_le_bytes());
    bytes.extend(flags.to_le_bytes());
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    bytes
}

#[track_caller]
fn problem(blocks: &[Vec<u8>]) -> (u64, Problem) {
    read(&[head(VERSION, 0), blocks.concat()].concat()).1.expect_err("it is wrong")
}

/// A file that is written by hand, as docs/CAPTURES.md has it.
#[test]
fn the_format_is_what_the_document_says() {
    let vertex = [0x0000_1000u32, 0x3f80_0000, 0x2000_0000].map(u32::to_le_bytes).concat();
    let file = [
        head(1, 0),
        plain(b"CHIP", 0, b"nv2a"),
        plain(b"what", 1, b"is not known, and need not be"),
        plain(b"UNIT", 2, &vertex),
        plain(b"END ", 3, &2u64.to_le_bytes()),
    ]
    .concat();
    assert_eq!(Reader::new(&file[..]).expect("it is one").content(), Content::Unit(Chip::Nv2a));
    let (parts, end) = read(&file);
    let command = Command::word(Type::Vab, 0, 0, 0x3f80_0000);
    assert_eq!(parts, [Part::Unit(Item::Command(command)), Part::Unit(Item::Vertex)]);
    assert_eq!(end, Ok(None));
}

#[test]
fn what_is_not_known_is_refused_where_it_is() {
    let chip = || plain(b"CHIP", 0, b"nv2a");
    let at = 20 + 28 + 4;
    assert_eq!(read(&head(2, 0)).1, Err((0, Problem::Version(2))));
    assert_eq!(read(&head(1, 4)).1, Err((0, Problem::Flags(4))));
    assert_eq!(read(b"chip nv2a\n and more than a header").1, Err((0, Problem::NoCapture)));
    assert_eq!(problem(&[plain(b"UNIT", 0, &[])]), (20, Problem::Place(*b"UNIT")));
    assert!(matches!(problem(&[plain(b"CHIP", 0, b"nv1")]), (20, Problem::Content(_))));
    assert_eq!(problem(&[chip(), plain(b"CHIP", 1, b"nv2a")]), (at, Problem::Place(*b"CHIP")));
    assert_eq!(problem(&[chip(), plain(b"FLIP", 1, &[6])]), (at, Problem::Place(*b"FLIP")));
    assert_eq!(problem(&[chip(), plain(b"PROG", 1, &[6])]), (at, Problem::Place(*b"PROG")));
    assert_eq!(problem(&[chip(), plain(b"name", 1, &[0; 5])]), (at, Problem::Place(*b"name")));
    assert_eq!(problem(&[chip(), plain(b"Unit", 1, &[])]), (at, Problem::Block(*b"Unit")));
    assert_eq!(problem(&[chip(), plain(b"UNIT", 2, &[])]), (at, Problem::Number { got: 2, expected: 1 }));
    assert_eq!(problem(&[chip(), block(b"UNIT", 1, 2, 0, &[])]), (at, Problem::Flags(2)));
    let large = MOST_BLOCK as u32 + 1;
    assert_eq!(problem(&[chip(), block(b"UNIT", 1, 1, large, &[])]), (at, Problem::Large(large)));
    // Compressed: not at all, and to more than there should be.
    assert_eq!(problem(&[chip(), block(b"UNIT", 1, 1, 4, &[7])]), (at, Problem::Packed));
    // A stored block of deflate with four bytes.
    let four = [1, 4, 0, 0xfb, 0xff, 0, 0, 0, 0x20];
    assert_eq!(problem(&[chip(), block(b"UNIT", 1, 1, 3, &four)]), (at, Problem::Packed));
    assert_eq!(problem(&[chip(), block(b"UNIT", 1, 1, 5, &four)]), (at, Problem::Packed));
    assert_eq!(problem(&[chip(), block(b"UNIT", 1, 0, 5, &four)]), (at, Problem::Packed));
    // Nothing is behind the stream.
    let more = [&four[..], b"more"].concat();
    assert_eq!(problem(&[chip(), block(b"UNIT", 1, 1, 4, &more)]), (at, Problem::Packed));
    let good = [head(VERSION, 0), chip(), block(b"UNIT", 1, 1, 4, &four)].concat();
    assert_eq!(read(&good), (vec![Part::Unit(Item::Vertex)], Ok(Some(good.len() as u64))));
    // The end tells how many there were, and nothing is behind it.
    let end = |count: u64| plain(b"END ", 1, &count.to_le_bytes());
    assert_eq!(problem(&[chip(), end(3)]), (at, Problem::Count { got: 0, expected: 3 }));
    assert_eq!(problem(&[chip(), end(0), vec![0]]), (at, Problem::Behind));
    assert_eq!(problem(&[chip(), plain(b"END ", 1, &[0; 9])]), (at, Problem::Behind));
    assert_eq!(problem(&[chip(), plain(b"END ", 1, &[0; 7])]), (at, Problem::Item));
}

/// A program that calls can be of, as the content of a block.
fn program() -> Vec<u8> {
    let text = b"gen kelvin\n";
    let head = [0, 0, text.len() as u32].map(u32::to_le_bytes).concat();
    // No operation, and END.
    let slot = [4, 0, 0, 0, 1].map(u32::to_le_bytes).concat();
    [&head[..], text, &slot].concat()
}

/// Names are for people, but whoever shows them trusts that they are short and stay on their line.
#[test]
fn names_that_are_none_are_refused_by_their_byte() {
    let begin = [head(VERSION, 0), plain(b"CHIP", 0, b"calls"), plain(b"PROG", 1, &program())].concat();
    let named = |program: u32, name: &[u8]| {
        let content = [&program.to_le_bytes()[..], name].concat();
        read(&[&begin[..], &plain(b"name", 2, &content), &plain(b"END ", 3, &1u64.to_le_bytes())].concat())
    };
    let most = "\u{f6}".repeat(127);
    for name in ["skinning", "", &most] {
        let (parts, end) = named(0, name.as_bytes());
        assert_eq!((parts.len(), &end), (2, &Ok(None)), "{name}");
        assert_eq!(parts[1], Part::Name { program: 0, name: name.to_owned() });
    }
    let wrong = |program: u32, name: &[u8]| named(program, name).1.expect_err("it is wrong").1.to_string();
    for (program, name, message) in [
        (1, &b"late"[..], "no program 1"),
        (u32::MAX, b"late", "no program 4294967295"),
        (0, b"\xff\xfe", "the name of a program is not UTF-8"),
        (0, b"two\nlines", "a label contains U+000A, which no line of text may contain"),
        (0, b"\x1b[2J", "a label contains U+001B, which no line of text may contain"),
        (0, "\u{202e}gnp".as_bytes(), "a label contains U+202E, which no line of text may contain"),
        (0, &[b'x'; 256], "a label of 256 bytes, more than 255"),
    ] {
        assert_eq!(wrong(program, name), message);
    }
    // A number that is not whole, and a name in front of its program.
    let short = [&begin[..], &plain(b"name", 2, &[0, 0, 0])].concat();
    assert_eq!(read(&short).1.expect_err("it is wrong").1, Problem::Item);
    let early = [head(VERSION, 0), plain(b"CHIP", 0, b"calls"), plain(b"name", 1, &[0; 4])].concat();
    assert_eq!(read(&early).1.expect_err("it is wrong").1, Problem::Content("no program 0".to_owned()));
}

/// A few bytes that ask for work without end are refused when they have got a good deal.
#[test]
fn vertices_of_a_capture_are_bounded() {
    let count_parts = |blocks: &[Vec<u8>]| {
        let file = [head(VERSION, 0), blocks.concat()].concat();
        let mut reader = Reader::new(&file[..]).expect("the beginning is good");
        let mut parts = 0u64;
        loop {
            match reader.part() {
                Ok(part) => assert!(part.is_some(), "too much is refused"),
                Err(error) => break (parts, error),
            }
            parts += 1;
        }
    };
    // Calls of a program, without a row.
    let file = captures::calls();
    let mut reader = Reader::new(&file[..]).expect("it is one");
    let program = loop {
        if let Part::Program(program) = reader.part().expect("it is good").expect("there is one") {
            break *program;
        }
    };
    let mut writer = xfjit::capture::CallWriter::new(Vec::new()).expect("memory");
    writer.program(&program).expect("memory");
    let begin = writer.finish().expect("memory");
    let begin = begin[20..begin.len() - 36].to_vec();
    let call = [0, 0x1_0000, 0, 0].map(u32::to_le_bytes).concat();
    let most = MOST_VERTICES_IN_ALL / 0x1_0000;
    let (parts, error) = count_parts(&[begin, plain(b"CALL", 2, &call.repeat(most as usize + 1))]);
    assert_eq!((parts, &error.problem), (1 + most, &Problem::Vertices));
    assert_eq!(error.inside, Some(16 * most as usize), "{error}");
    // Draws whose vertices have no bytes.
    let chip = plain(b"CHIP", 0, b"flipper");
    let draw = [7, 0x80, 0xff, 0xff, 0, 0, 0, 0];
    let most = MOST_VERTICES_IN_ALL / 0xffff;
    let (parts, error) = count_parts(&[chip.clone(), plain(b"FLIP", 1, &draw.repeat(most as usize + 1))]);
    assert_eq!((parts, error.problem), (most, Problem::Vertices));
}

#[track_caller]
fn nonsense(chip: &str, kind: &[u8; 4], content: &[u8], inside: usize, message: &str) {
    let file = [head(VERSION, 0), plain(b"CHIP", 0, chip.as_bytes()), plain(kind, 1, content)].concat();
    let mut reader = Reader::new(&file[..]).expect("the beginning is good");
    let error = loop {
        match reader.part() {
            Ok(part) => assert!(part.is_some(), "nothing is wrong"),
            Err(error) => break error,
        }
    };
    assert_eq!(error.inside, Some(inside), "{error}");
    assert!(error.to_string().contains(message), "{error}");
}

#[test]
fn items_that_mean_nothing_are_refused_by_their_byte() {
    let words = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    let unit = |content: &[u32], inside, message: &str| {
        nonsense("nv2a", b"UNIT", &words(content), inside, message);
    };
    unit(&[0x2000_0000, 0x2000_0001], 4, "begins no item");
    unit(&[0x8000_0000], 0, "begins no item");
    unit(&[0x0001_0000], 0, "begins no item");
    unit(&[0x1000_1001, 0, 0], 0, "a pair begins with word 0 or 2");
    unit(&[0x0000_1c00, 0], 0, "nv2a has no slot 0x300");
    unit(&[0x3000_0003, 0], 0, "nv2a has no register 3");
    unit(&[0x4000_0018], 0, "no output register 24");
    unit(&[0x0000_1000], 4, "the block ends inside an item");
    let flipper =
        |content: &[u8], inside, message: &str| nonsense("flipper", b"FLIP", content, inside, message);
    flipper(&[6, 9], 1, "9 begins no item");
    flipper(&[2, 0x58, 0x10, 0, 0], 0, "no word 0x1058");
    flipper(&[2, 0, 0, 1, 0, 1, 2, 3], 8, "the block ends inside an item");
    flipper(&[3, 0, 0, 0, 0, 1], 0, "more than 24 bits");
    flipper(&[4, 3, 0], 0, "not a normal, tangent or binormal");
    flipper(&[5, 0xff, 0xff, 0xff, 7, 2, 0, 0, 0, 1, 2], 0, "there is none");
    flipper(&[5, 0, 0, 0, 0, 0xff, 0xff, 0xff, 7], 9, "the block ends inside an item");
    flipper(&[7, 0x40, 0, 0, 0, 0, 0, 0], 0, "0x40 draws nothing");
    flipper(&[7, 0x80, 1, 0, 1, 0, 0, 0, 1], 0, "the vertices need 0 bytes, but there are 1");
    let program = |text: &str, count: u32, code: &[u32]| {
        let head = [words(&[0, 0, text.len() as u32]), text.as_bytes().to_vec()].concat();
        [head, words(&[count]), words(code)].concat()
    };
    let calls = |content: &[u8], inside, message: &str| nonsense("calls", b"PROG", content, inside, message);
    let end = [0, 0, 0, 1];
    calls(&program("gen kelvin\n", 3, &end), 23, "a program of 3 words");
    calls(&program("gen kelvin\n", 400_000, &end), 23, "a program of 400000 words");
    calls(&program("gen kelvin\n", 8, &end), 43, "the block ends inside an item");
    calls(&program("gen hopper\n", 4, &end), 12, "`gen hopper` is not allowed there");
    calls(&program("model hw\n", 4, &end), 12, "`model hw` is not allowed there");
    calls(&program("", 4, &end), 12, "does not name its chip generation");
    calls(&program("gen kelvin\noption layout planes\n", 4, &end), 12, "is not allowed there");
    calls(&words(&[1]), 0, "program 1 is in the place of program 0");
    nonsense("calls", b"CALL", &words(&[0, 0, 0, 0]), 0, "no program 0");
}
