//! The fixed function: golden cases that this project did not compute, and random configurations.

use std::sync::OnceLock;
use xfjit::backend::{Backend, Code, Worker};
use xfjit::front::fixed::{Chip, Mode, Outputs, Ram, Setup, rows};
use xfjit::runtime::batch::{self, Attribute, Inputs, registers};
use xfjit::runtime::state::{Context, Row};

/// Attributes of Celsius.
const ATTRIBUTES: usize = 7;

/// A configuration, its state, a vertex, and what it comes out as: register, components that count, words.
struct Golden {
    name: String,
    setup: Setup,
    context: Context,
    vertex: [Row; ATTRIBUTES],
    expected: Vec<(u8, [bool; 4], Row)>,
}

/// Names of the lines of a case that hold state.
const STATE: [(&str, Ram, usize); 6] = [
    ("xfctx", Ram::Xfctx, 4),
    ("ltctx", Ram::Ltctx, 3),
    ("ltc0", Ram::Ltc(0), 1),
    ("ltc1", Ram::Ltc(1), 1),
    ("ltc2", Ram::Ltc(2), 1),
    ("ltc3", Ram::Ltc(3), 1),
];

fn golden() -> &'static [Golden] {
    static GOLDEN: OnceLock<Vec<Golden>> = OnceLock::new();
    GOLDEN.get_or_init(|| {
        let mut text = Vec::new();
        let packed: &[u8] = include_bytes!("../data/celsius_ff_hw.txt.xz");
        lzma_rs::xz_decompress(&mut &packed[..], &mut text).expect("the file is whole");
        let text = String::from_utf8(text).expect("the file is text");
        let lines: Vec<&str> = text.lines().collect();
        let starts = (0..lines.len()).filter(|&line| lines[line].starts_with("case "));
        let cases: Vec<usize> = starts.chain([lines.len()]).collect();
        cases.windows(2).map(|pair| read(&lines[pair[0]..pair[1]])).collect()
    })
}

fn hex(word: &str) -> u32 {
    u32::from_str_radix(word, 16).unwrap_or_else(|error| panic!("{word}: {error}"))
}

/// The words behind a keyword.
fn words(lines: &[&str], keyword: &str) -> Vec<u32> {
    let line = lines.iter().find_map(|line| line.strip_prefix(keyword)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("no line {keyword}")).split_whitespace().map(hex).collect()
}

fn read(lines: &[&str]) -> Golden {
    let chip = if lines[0].ends_with("nv10") { Chip::Nv10 } else { Chip::Nv15 };
    let mut context = Context::new(rows(chip));
    for (keyword, ram, width) in STATE {
        for (slot, value) in words(lines, keyword).chunks(width).enumerate() {
            let mut row = [0; 4];
            row[..width].copy_from_slice(value);
            context.set_row(ram.row(chip, slot).expect("the chip has the slot"), row);
        }
    }
    let setup = Setup::new(Mode::new(chip, &words(lines, "mode")));
    let vab = words(lines, "vab");
    let vertex = std::array::from_fn(|i| std::array::from_fn(|c| vab[4 * i + c]));
    let out = lines.last().and_then(|line| line.strip_prefix("out ")).expect("the last line is out");
    Golden { name: lines[0].to_owned(), setup, context, vertex, expected: expected(out) }
}

/// What a line `out` says.
fn expected(line: &str) -> Vec<(u8, [bool; 4], Row)> {
    let outputs = Outputs::of(Chip::Nv10.family());
    let mut rest: Vec<&str> = line.split_whitespace().rev().collect();
    let mut expected = Vec::new();
    let all = [true; 4];
    let x = [true, false, false, false];
    let bytes = |word: u32| word.to_le_bytes().map(u32::from);
    while let Some(name) = rest.pop() {
        let mut next = || hex(rest.pop().expect("another word"));
        expected.push(match name {
            "pos" => (outputs.position, all, [next(), next(), next(), next()]),
            "txc0" => (outputs.texture, [true, true, false, true], [next(), next(), 0, next()]),
            "txc1" => (outputs.texture + 1, [true, true, false, true], [next(), next(), 0, next()]),
            "psize" => (outputs.point_size, x, [next() >> 12, 0, 0, 0]),
            "fog" => (outputs.fog, x, [next(), 0, 0, 0]),
            "col0" => (outputs.front[0], all, bytes(next())),
            "col1" => (outputs.front[1], [true, true, true, false], bytes(next())),
            name => panic!("{name} is no output"),
        });
    }
    expected
}

/// Runs all golden cases, each as two groups and as one vertex.
pub(crate) fn check_golden(backend: &dyn Backend) {
    let golden = golden();
    assert_eq!(golden.len(), 500);
    let mut worker = Worker::new();
    for case in golden {
        let routine = backend.prepare_code(&Code::Fixed(case.setup)).expect("it compiles");
        let live: Vec<u8> = registers(case.setup.outputs()).map(|register| register as u8).collect();
        for count in [1, 8] {
            let data: Vec<Vec<Row>> = case.vertex.iter().map(|&row| vec![row; count]).collect();
            let mut inputs = Inputs::new(count);
            for (register, rows) in data.iter().enumerate() {
                inputs = inputs.with(register, Attribute::rows(rows));
            }
            let mut out = vec![0; 4 * live.len() * count];
            let mut context = case.context.clone();
            let mut outputs = batch::Outputs::interleaved(&mut out, &live);
            let outcome = routine.run(&mut worker, &mut context, &inputs, &mut outputs).expect("it runs");
            assert_eq!(outcome.mismatches, 0, "{}", case.name);
            assert_eq!(case.expected.len(), live.len(), "{}", case.name);
            for vertex in out.chunks(4 * live.len()) {
                for (register, counts, row) in &case.expected {
                    let at = live.iter().position(|other| other == register).expect("the mode puts it out");
                    let got = &vertex[4 * at..][..4];
                    let differs = (0..4).any(|c| counts[c] && got[c] != row[c]);
                    assert!(
                        !differs,
                        "{}, o{register}: expected {row:08x?}, got {got:08x?}\n{}",
                        case.name, case.setup.mode
                    );
                }
            }
        }
    }
}
