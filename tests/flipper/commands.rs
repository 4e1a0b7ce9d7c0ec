//! Commands, streams that end anywhere, and streams that mean harm.

use xfjit::chip::flipper::opcode::{Decoding, Primitive};
use xfjit::chip::flipper::vat::{Field, TEXCOORDS, Vat};
use xfjit::flipper::{
    Budget, Command, Commands, Dialect, Draw, Memory, Processor, Quirks, Registers, Sink, vertex,
};
use xfjit_testing::Choices;

/// What comes out, as text.
#[derive(Default)]
struct Out(Vec<String>);

impl Sink for Out {
    fn load_xf(&mut self, address: u16, words: &[u32]) {
        self.0.push(format!("xf {address:x} {words:x?}"));
    }

    fn load_bp(&mut self, register: u8, value: u32) {
        self.0.push(format!("bp {register:x} {value:x}"));
    }

    fn call(&mut self, address: u32, bytes: u32) {
        self.0.push(format!("call {address:x} {bytes:x}"));
    }

    fn invalidate_vertices(&mut self) {
        self.0.push("invalidate".to_owned());
    }

    fn unknown(&mut self, byte: u8) {
        self.0.push(format!("unknown {byte:x}"));
    }

    fn draw(&mut self, _: &Registers, draw: &Draw<'_>, _: Memory<'_>) {
        self.0.push(format!("draw {:?} {} {} {:x?}", draw.primitive(), draw.vat(), draw.count, draw.bytes));
    }
}

fn run(stream: &[u8], memory: &[u8], quirks: Quirks) -> (Vec<String>, usize) {
    let mut out = Out::default();
    let used = Processor::new(quirks).run(stream, memory, &mut out, Budget::NONE);
    (out.0, used)
}

/// One of each.
const STREAM: &[u8] = &[
    0x00, 0x00, 0x08, 0x50, 0x00, 0x00, 0x02, 0x00, // position direct
    0x08, 0x7f, 0x00, 0x00, 0x00, 0x01, // table 7 by its other number: three bytes
    0x08, 0xae, 0xfc, 0x00, 0x00, 0x10, 0x08, 0xbe, 0xff, 0xff, 0xff,
    0x04, // array 14 at 0x10, stride 4
    0x10, 0xff, 0xf1, 0x0f, 0xff, 1, 2, 3, 4, 5, 6, 7, 8, // two words, from a number on
    0x30, 0x00, 0x02, 0x1f, 0xff, // array 14, element 2, two words at 0xfff
    0x61, 0x45, 0x01, 0x02, 0x03, 0x48, 0x44, // and one that is not known
    0x9f, 0x00, 0x02, 1, 2, 3, 4, 5, 6, // a strip of two vertices
    0x40, 0xfc, 0x00, 0x00, 0x3f, 0x00, 0x00, 0x00, 0x3f, // a list: at 0x20, a block
    0x3f, 0x01,
];

fn memory() -> Vec<u8> {
    let mut memory: Vec<u8> = (0..64).collect();
    // The list: a table, a list that is not read, and half a command.
    memory[32..].copy_from_slice(&[
        0x61, 0xfe, 0, 0, 9, 0x40, 0, 0, 0, 0x20, 0, 0, 0, 0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0x61, 1, 1,
    ]);
    memory
}

const WANT: [&str; 9] = [
    "xf fff [1020304, 5060708]",
    "xf fff [18191a1b, 1c1d1e1f]",
    "bp 45 10203",
    "invalidate",
    "draw TriangleStrip 7 2 [1, 2, 3, 4, 5, 6]",
    "call 20 20",
    "bp fe 9",
    "unknown 3f",
    "unknown 1",
];

#[test]
fn every_command_does_what_it_is_for() {
    let (out, used) = run(STREAM, &memory(), Quirks::default());
    assert_eq!((out, used), (WANT.map(str::to_owned).to_vec(), STREAM.len()));
}

/// Arrays 12 to 15, of which each load has its own.
#[test]
fn loads_come_from_each_of_the_four_arrays() {
    let memory: Vec<u8> = (0..64).collect();
    for (array, opcode) in (0..4).zip([0b00100 << 3, 0b00101 << 3, 0b00110 << 3, 0b00111 << 3]) {
        let base = 0x10 * array;
        let mut stream = vec![0x08, 0xac + array, 0, 0, 0, base, 0x08, 0xbc + array, 0, 0, 0, 3];
        // Element 1, two words, to 0x123.
        stream.extend([opcode, 0x00, 0x01, 0x11, 0x23]);
        let word = |at: u8| u32::from_be_bytes([at, at + 1, at + 2, at + 3]);
        let want = format!("xf 123 {:x?}", [word(base + 3), word(base + 7)]);
        assert_eq!(run(&stream, &memory, Quirks::default()), (vec![want], stream.len()));
    }
}

/// Whatever is missing at its end, a stream is used up to a command, and the rest makes it whole.
#[test]
fn streams_end_anywhere() {
    let memory = memory();
    for first in 0..=STREAM.len() {
        let mut out = Out::default();
        let mut processor = Processor::new(Quirks::default());
        let used = processor.run(&STREAM[..first], &memory, &mut out, Budget::NONE);
        assert!(used <= first);
        let used = used + processor.run(&STREAM[used..], &memory, &mut out, Budget::NONE);
        assert_eq!((&out.0[..], used), (&WANT.map(str::to_owned)[..], STREAM.len()), "{first}");
    }
    // The iterator sees the same, and says what is missing.
    let mut commands = Commands::new(STREAM, Registers::default(), Decoding::Exact);
    let seen = commands.by_ref().count();
    assert_eq!((seen, commands.used(), commands.missing().map(|i| i.needed)), (14, STREAM.len(), Some(1)));
    assert_eq!(commands.registers().vats[7].0, [1, 0, 0]);
    let at = STREAM.iter().position(|&byte| byte == 0x9f).expect("it draws");
    for length in at..at + 9 {
        let mut commands = Commands::new(&STREAM[..length], Registers::default(), Decoding::Exact);
        _ = commands.by_ref().count();
        let needed = if length == at {
            1
        } else if length < at + 3 {
            3
        } else {
            9
        };
        assert_eq!((commands.used(), commands.missing().map(|i| i.needed)), (at, Some(needed)));
    }
}

#[test]
fn upper_bits_can_decide_alone() {
    let stream = [0x07, 0x0f, 0x50, 0, 0, 2, 0, 0x6e, 1, 2, 3, 4, 0x4f, 0x18];
    let quirks = Quirks { decoding: Decoding::UpperBits, ..Quirks::default() };
    let (out, used) = run(&stream, &[], quirks);
    assert_eq!((&out[..], used), (&["bp 1 20304", "invalidate", "unknown 18"].map(str::to_owned)[..], 14));
    // Otherwise they begin nothing.
    let (out, _) = run(&stream[..2], &[], Quirks::default());
    assert_eq!(out, ["unknown 7", "unknown f"]);
}

#[test]
fn words_behind_the_transform_unit_are_dropped() {
    let stream = |address: u16| {
        let mut stream = vec![0x10, 0, 2];
        stream.extend_from_slice(&address.to_be_bytes());
        stream.extend_from_slice(&[0; 12]);
        stream
    };
    for (address, want) in
        [(0x1056, Some("xf 1056 [0, 0]")), (0x1057, Some("xf 1057 [0]")), (0x1058, None), (0xffff, None)]
    {
        let (out, used) = run(&stream(address), &[], Quirks::default());
        assert_eq!((out.first().map(String::as_str), out.len(), used), (want, want.iter().len(), 17));
    }
}

#[test]
fn registers_have_the_bits_that_they_have() {
    let mut registers = Registers::default();
    for number in 0..=255 {
        registers.load(number, u32::MAX);
    }
    assert_eq!(
        (registers.vcd.lo, registers.vcd.hi, registers.matrices),
        (0x1_ffff, 0xffff, [0x3fff_ffff, 0xff_ffff])
    );
    for array in registers.arrays {
        assert_eq!((array.base, array.stride), (0x03ff_ffff, 255));
    }
    let mut registers = Registers::default();
    for number in [0x35, 0x4a, 0x57, 0x6f, 0x7b, 0x8c, 0x9d, 0xa6, 0xb5] {
        registers.load(number, number.into());
    }
    assert_eq!((registers.vcd.lo, registers.vcd.hi, registers.matrices), (0x57, 0x6f, [0x35, 0x4a]));
    assert_eq!(
        [registers.vats[3].0, registers.vats[4].0, registers.vats[5].0],
        [[0x7b, 0, 0], [0, 0x8c, 0], [0, 0, 0x9d]]
    );
    assert_eq!((registers.arrays[6].base, registers.arrays[5].stride), (0xa6, 0xb5));
}

/// Lists without end, draws without bytes, bytes without sense: a limit holds, and nothing panics.
#[test]
fn streams_that_mean_harm_are_bounded() {
    let mut processor = Processor::new(Quirks::default());
    let mut out = Out::default();
    // 65,535 vertices without a byte.
    let draws = [0x80, 0xff, 0xff].repeat(1000);
    assert_eq!(processor.run(&draws, &[], &mut out, Budget(100_000)), 6);
    assert_eq!(out.0.len(), 2);
    // A list of all memory that there is not.
    let calls = [0x40, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff].repeat(1000);
    assert_eq!(processor.run(&calls, &[0x48; 100], &mut out, Budget::NONE), 9000);
    // One that calls itself.
    let memory = [0x40, 0, 0, 0, 0, 0, 0, 0xff, 0xe0, 0, 0, 0, 0, 0, 0, 0].repeat(4096);
    let used = processor.run(&memory[..9], &memory, &mut out, Budget(50));
    assert_eq!((used, processor.is_in_list()), (9, true));
    processor.run(&[], &memory, &mut out, Budget::NONE);
    assert!(!processor.is_in_list());
    let mut c = Choices::seed(3);
    for dialect in Dialect::ALL {
        for _ in 0..200 {
            let mut bytes: Vec<u8> = (0..600).map(|_| c.word() as u8).collect();
            // Of each kind some.
            for _ in 0..60 {
                let at = c.below(590) as usize;
                bytes[at] = [0x08, 0x10, 0x20, 0x28, 0x40, 0x48, 0x61, 0x90, 0x98][c.below(9) as usize];
                bytes[at + 1] = [0x50, 0x60, 0x70, 0x80, 0x90, 0xa1, 0xb1, 0, 0][c.below(9) as usize];
            }
            let mut processor = Processor::new(Quirks { dialect, ..Quirks::default() });
            let used = processor.run(&bytes, &bytes[..256], &mut Out::default(), Budget(1 << 20));
            assert!(used <= bytes.len());
        }
    }
}

#[test]
fn sizes_follow_the_formats() {
    let registers = |lo: u32, hi: u32, vat: [u32; 3]| {
        let mut registers = Registers::default();
        registers.load(0x50, lo);
        registers.load(0x60, hi);
        (0..3_u8).for_each(|word| registers.load(0x70 + 16 * word, vat[usize::from(word)]));
        registers
    };
    let size = |lo, hi, vat| {
        let registers = registers(lo, hi, vat);
        vertex::size(registers.vcd, registers.vats[0])
    };
    // Everything direct, in floats and four bytes of colour.
    let mut vat = Vat([0x01 | 4 << 1 | 1 << 9 | 4 << 10 | 5 << 14 | 5 << 18, 0, 0]);
    for [count, format, _] in TEXCOORDS {
        vat = vat.with(count, 1).with(format, 4);
    }
    assert_eq!(size(0xabff, 0x5555, vat.0), vertex::LONGEST);
    // Everything by shorts; with an index for each of three normals.
    assert_eq!(size(0x1_ffff, 0xffff, vat.0), 33);
    let three = vat.with(Field::NORMAL_INDEX3, 1);
    assert_eq!(size(0x1_ffff, 0xffff, three.0), 37);
    // By bytes: nine matrix indices, a position, three normals, two colours, eight coordinates.
    assert_eq!(size(0x1_55ff, 0xaaaa, three.0), 9 + 1 + 3 + 2 + 8);
    assert_eq!(size(0, 0, [u32::MAX; 3]), 0);
    // A normal without tangents has one index whatever the other bit says.
    let one = three.with(Field::NORMAL_COUNT, 0);
    assert_eq!(size(2 << 11, 0, one.0), 1);
    assert_eq!(Primitive::of(0x80), Primitive::Quads);
    let mut commands = Commands::new(&[0x80, 0, 0], Registers::default(), Decoding::Exact);
    let none = matches!(commands.next(), Some(Command::Draw(Draw { count: 0, size: 0, bytes: [], .. })));
    assert!(none, "no vertex is one, too");
}
