//! Every line of the hardware model's vectors for whole instructions, on the golden functions.
//!
//! `data/ops_hw.txt.xz` holds one case per line: `MODE UNIT OP a.xyzw b.xyzw c.xyzw = r.xyzw`, hexadecimal words.
//! The instruction model below is the smallest one that can read them: no swizzles, no masks.

use xfjit_runtime::num::bits::ONE;
use xfjit_runtime::num::{self, Model, Numerics, Rules};

type Vector = [u32; 4];

/// One line of the file.
struct Case<'a> {
    n: Numerics,
    unit: &'a str,
    op: &'a str,
    sources: [Vector; 3],
    expected: Vector,
}

impl<'a> Case<'a> {
    fn parse(line: &'a str) -> Self {
        let mut words = line.split_whitespace().filter(|&word| word != "=");
        let mut word = || words.next().expect("a case has 19 words");
        let rules = match word() {
            "kelvin" => Rules::Kelvin,
            "rankine_legacy" => Rules::RankineLegacy,
            "rankine_modern" => Rules::RankineModern,
            other => panic!("unknown mode {other}"),
        };
        let (unit, op) = (word(), word());
        let mut vector = || [(); 4].map(|()| u32::from_str_radix(word(), 16).expect("a hexadecimal word"));
        let sources = [vector(), vector(), vector()];
        Self { n: Numerics { model: Model::Hw, rules }, unit, op, sources, expected: vector() }
    }

    fn run(&self) -> Vector {
        let [a, b, c] = self.sources;
        match self.unit {
            "vec" => vector_unit(self.n, self.op, a, b, c),
            "sca" => scalar_unit(self.n, self.op, c),
            other => panic!("unknown unit {other}"),
        }
    }
}

fn map1(n: Numerics, f: fn(Numerics, u32) -> u32, a: Vector) -> Vector {
    a.map(|a| f(n, a))
}

fn map2(n: Numerics, f: fn(Numerics, u32, u32) -> u32, a: Vector, b: Vector) -> Vector {
    [0, 1, 2, 3].map(|i| f(n, a[i], b[i]))
}

fn vector_unit(n: Numerics, op: &str, a: Vector, b: Vector, c: Vector) -> Vector {
    let products = |a: Vector| map2(n, num::mul, a, b);
    let sum4 = |[x, y, z, w]: Vector| [num::sum4(n, x, y, z, w); 4];
    match op {
        "MOV" => a,
        "MUL" => products(a),
        "ADD" => map2(n, num::sum2, a, c),
        "MAD" => map2(n, num::sum2, products(a), c),
        "DP3" => {
            let [x, y, z, _] = products(a);
            [num::sum3(n, x, y, z); 4]
        }
        "DPH" => sum4(products([a[0], a[1], a[2], ONE])),
        "DP4" => sum4(products(a)),
        "DST" => [ONE, num::mul(n, a[1], b[1]), a[2], b[3]],
        "MIN" => map2(n, num::min, a, b),
        "MAX" => map2(n, num::max, a, b),
        "SLT" => map2(n, num::slt, a, b),
        "SGE" => map2(n, num::sge, a, b),
        "SEQ" => map2(n, num::seq, a, b),
        "SGT" => map2(n, num::sgt, a, b),
        "SLE" => map2(n, num::sle, a, b),
        "SNE" => map2(n, num::sne, a, b),
        "SSG" => map1(n, num::ssg, a),
        "FLR" => map1(n, num::flr, a),
        "FRC" => map1(n, num::frc, a),
        "SFL" => [0; 4],
        "STR" => [ONE; 4],
        other => panic!("unknown vector operation {other}"),
    }
}

fn scalar_unit(n: Numerics, op: &str, c: Vector) -> Vector {
    let [x, y, _, w] = c;
    match op {
        "MOV" => c,
        "RCP" => [num::rcp(n, x); 4],
        "RCC" => [num::rcc(n, x); 4],
        "RSQ" => [num::rsq(n, x); 4],
        "EXP" => [num::exp_x(n, x), num::exp_y(n, x), num::exp_z(n, x), ONE],
        "LOG" => [num::log_x(n, x), num::log_y(n, x), num::log_z(n, x), ONE],
        "LIT" => [ONE, num::lit_y(n, x), num::lit_z(n, x, y, w), ONE],
        "LG2" => [num::lg2(n, x); 4],
        "EX2" => [num::ex2(n, x); 4],
        "SIN" => [num::sin(n, x); 4],
        "COS" => [num::cos(n, x); 4],
        other => panic!("unknown scalar operation {other}"),
    }
}

fn decompressed(mut xz: &[u8]) -> String {
    let mut bytes = Vec::new();
    lzma_rs::xz_decompress(&mut xz, &mut bytes).expect("the vectors are an xz file");
    String::from_utf8(bytes).expect("the vectors are text")
}

/// Runs every line of one mode; fails with the first twenty wrong ones in full.
fn check_mode(mode: &str, count: usize) {
    let text = decompressed(include_bytes!("data/ops_hw.txt.xz"));
    let lines: Vec<&str> = text.lines().filter(|line| line.split(' ').next() == Some(mode)).collect();
    let failures: Vec<String> = lines
        .iter()
        .filter_map(|line| {
            let case = Case::parse(line);
            let got = case.run();
            (got != case.expected).then(|| format!("{line}\n  got {got:08x?}"))
        })
        .collect();
    let shown = failures.iter().take(20).map(String::as_str).collect::<Vec<_>>().join("\n");
    assert!(failures.is_empty(), "{} of {} lines fail:\n{shown}", failures.len(), lines.len());
    assert_eq!(lines.len(), count, "the file has lost lines");
}

#[test]
fn kelvin_vectors_pass() {
    check_mode("kelvin", 4_750);
}

#[test]
fn rankine_legacy_vectors_pass() {
    check_mode("rankine_legacy", 8_000);
}

#[test]
fn rankine_modern_vectors_pass() {
    check_mode("rankine_modern", 8_000);
}
