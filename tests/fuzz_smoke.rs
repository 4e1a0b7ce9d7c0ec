//! The bodies of the fuzz targets, on the seeds in `fuzz/seeds` and on random bytes: what the fuzzer would do, without a
//! fuzzer. The inputs of a target are always the same and as many, about a second's on an idle machine, so that what they
//! cover is the same however fast the machine is. `XFJIT_SMOKE_SECONDS=120 cargo test --test fuzz_smoke` goes on for
//! longer.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};
use xfjit_ir::ir::ops::{At, Imm, Op};
use xfjit_testing::flipper_streams::{random_memory, random_stream};
use xfjit_testing::{
    Choices, Stats, StreamCase, fuzz_asm, fuzz_capture, fuzz_commands, fuzz_decode, fuzz_fixed, fuzz_import,
    fuzz_ir, fuzz_program, fuzz_stream, fuzz_transform,
};

/// Files of a target's seed directory.
fn seeds(target: &str) -> Vec<Vec<u8>> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds").join(target);
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("a directory entry").path()).collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).expect("a seed")).collect()
}

/// Runs a body on seeds, and on so many damaged seeds and bytes from `random`.
fn smoke(
    target: &str,
    inputs: u64,
    mut body: impl FnMut(&[u8]),
    random: impl Fn(&mut Choices<'_>) -> Vec<u8>,
) {
    let seeds = seeds(target);
    assert!(!seeds.is_empty(), "{target} has no seeds");
    seeds.iter().for_each(|seed| body(seed));
    let seconds = std::env::var("XFJIT_SMOKE_SECONDS").ok().and_then(|seconds| seconds.parse().ok());
    let (start, time) = (Instant::now(), Duration::from_secs(seconds.unwrap_or(0)));
    let mut c = Choices::seed(1);
    let mut done = 0;
    while done < inputs || start.elapsed() < time {
        let mut bytes = random(&mut c);
        if !seeds.is_empty() && c.chance(30) {
            bytes = seeds[c.below(seeds.len() as u32) as usize].clone();
            for _ in 0..1 + c.below(8) {
                let at = c.below(bytes.len() as u32) as usize;
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = c.word() as u8;
                }
            }
        }
        body(&bytes);
        done += 1;
    }
    println!("{target}: {done} inputs in {:?}", start.elapsed());
}

fn bytes(c: &mut Choices<'_>, limit: u32) -> Vec<u8> {
    (0..c.below(limit)).map(|_| c.word() as u8).collect()
}

#[test]
fn decode() {
    let mut programs = 0;
    let body = |bytes: &[u8]| programs += fuzz_decode(bytes);
    smoke("decode", 4_000, body, |c| {
        let mut bytes = bytes(c, 600);
        // Slots that are cut short are refused at once: not only those.
        bytes.truncate(1 + bytes.len() / 16 * 16);
        bytes
    });
    println!("{programs} programs");
    assert!(programs > 2_000);
}

#[test]
fn asm() {
    const PIECES: &[&str] = &[
        "MOV ",
        "MUL ",
        "MAD ",
        "DP4 ",
        "RCP ",
        "LIT ",
        "ARL ",
        "END",
        "r0",
        "r1",
        "r12",
        "v0",
        "v1",
        "c[",
        "]",
        "a0",
        "oPos",
        "oFog",
        ".x",
        ".xyz",
        ", ",
        ", ",
        " + ",
        "-",
        "12",
        "99999999999",
        "_",
        "\n",
        "\n",
        ";",
        "é",
        ".start ",
        ".noend",
        "L1:",
        "BRA ",
        "CAL ",
        "RET",
        "BRB ",
        "BRAI ",
        "PUSHA ",
        "POPA ",
        "ARA ",
        "TXL ",
        "MOVC",
        "_SAT",
        "cc",
        "a1",
        "L1",
        " (GT.x)",
        "(EQ1)",
        "|",
        "o[a0.x + 1]",
        "v[a1.w]",
        ", !b3",
        "tex2",
        "\0",
    ];
    const HEADERS: &[&str] = &[
        "!!VP1.0",
        "!!VP1.1",
        "!!VSP1.0",
        "!!VP2.0",
        "!!VP3.0",
        "!!ARBvp1.0",
        "!!ARBvp1.0 OPTION NV_vertex_program3;",
    ];
    #[rustfmt::skip]
    const WORDS: &[&str] = &[
        "MOV", "MULC", "MAD", "SWZ", "XPD", "POW", "EX2", "FRC", "TXP", "ARL", "ARA", "BRA", "CAL", "RET", "PUSHA",
        "SFL", "SLTC1_SAT", "PARAM", "TEMP", "ATTRIB", "ADDRESS", "OUTPUT", "ALIAS", "OPTION", "END", "t", "u", "R0",
        "R11", "A0", "CC", "v[", "c[", "o[HPOS]", "o[CLP2]", "vertex.attrib[", "vertex.position", "result.position",
        "result.texcoord[", "program.env[", "state.matrix.mvp", "state.light[1].half", "texture[0]", "2D", ".x",
        ".xyz", ".wzyx", "(GT.x)", "{", "}", "[", "]", "=", ",", ",", ";", ";", ";", "|", "-", "+", "..", "1", "0.5",
        "3", ":", "é", "#", "\n",
    ];
    let mut programs = 0;
    smoke(
        "asm",
        2_000,
        |bytes| programs += fuzz_asm(bytes),
        |c| match c.below(3) {
            0 => bytes(c, 60),
            1 => (0..c.below(50)).flat_map(|_| c.pick(PIECES).bytes()).collect(),
            _ => {
                let header = c.pick(HEADERS).bytes();
                header
                    .chain((0..c.below(60)).flat_map(|_| [" ", c.pick(WORDS)]).flat_map(str::bytes))
                    .collect()
            }
        },
    );
    println!("{programs} programs");
    assert!(programs > 30);
}

#[test]
fn program() {
    let mut stats = Stats::default();
    smoke("program", 400, |bytes| stats += fuzz_program(bytes), |c| bytes(c, 600));
    println!("{stats}");
    assert!(stats.refused * 20 <= stats.cases);
    assert!(stats.native_vertices > 500);
}

#[test]
fn commands() {
    let mut vertices = 0;
    smoke("commands", 80, |bytes| vertices += fuzz_commands(bytes).vertices, |c| bytes(c, 900));
    println!("{vertices} vertices");
    assert!(vertices > 900);
}

#[test]
fn stream() {
    let mut vertices = 0;
    let body = |bytes: &[u8]| vertices += fuzz_stream(bytes);
    smoke("stream", 60, body, |c| {
        if c.chance(30) {
            return bytes(c, 900);
        }
        let (memory, commands) = (random_memory(c), random_stream(c, 16, 0x800));
        StreamCase::bytes(&memory, &commands.0, [c.word() as u8, c.word() as u8, c.word() as u8])
    });
    println!("{vertices} vertices");
    assert!(vertices > 1_000);
}

#[test]
fn capture() {
    let mut parts = 0;
    smoke("capture", 20_000, |bytes| parts += fuzz_capture(bytes), |c| bytes(c, 600));
    println!("{parts} parts");
    assert!(parts > 10_000);
}

#[test]
fn import() {
    let mut read = 0;
    smoke("import", 100_000, |bytes| read += fuzz_import(bytes), |c| bytes(c, 400));
    println!("{read} slots and items");
    assert!(read > 1_000);
}

#[test]
fn fixed() {
    let mut stats = Stats::default();
    smoke("fixed", 72, |bytes| stats += fuzz_fixed(bytes), |c| bytes(c, 300));
    println!("{stats}");
    assert!(stats.refused == 0 && stats.native_vertices > 80);
    // Groups of four: most are not left to the evaluator.
    assert!(stats.deopt_groups * 2 < stats.native_vertices / 4);
}

#[test]
fn transform() {
    let mut stats = Stats::default();
    smoke("transform", 60, |bytes| stats += fuzz_transform(bytes), |c| bytes(c, 300));
    println!("{stats}");
    assert!(stats.refused == 0 && stats.native_vertices > 80);
    // Cases of fewer than four vertices are a group as well; most are not left to the fallback.
    assert!(stats.deopt_groups < stats.native_vertices / 4);
}

/// Text of a function, most of which the verifier accepts.
fn function(c: &mut Choices<'_>) -> String {
    let (level, foreign) = c.pick(&[("host", At::Xf), ("xf", At::Host)]);
    let (model, rules) = (c.pick(&["hw", "ieee"]), c.pick(&["celsius", "kelvin", "rankine_modern"]));
    let mut text =
        format!("func {level} {model} {rules} window {} {{\nbody:\n", c.pick(&["0..192", "0..544", "7..9"]));
    // Values that are words, and those that are doubles.
    let (mut words, mut doubles): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let blocks = if c.chance(30) { 1 + c.below(4) } else { 0 };
    let mut block = 0;
    for number in 0..2 + c.below(40) {
        if block < blocks && c.chance(15) {
            block += 1;
            text += &format!("%b{block} = block b{block}\n");
            (words, doubles) = (vec![format!("%b{block}")], Vec::new());
        }
        let op = c.pick(Op::ALL);
        let is_flow = matches!(op, Op::Get | Op::Set | Op::Goto);
        let at_end = matches!(op, Op::Output | Op::Store | Op::RowCopy | Op::RowGuard);
        if op.at() == foreign || op == Op::Block || is_flow && block == blocks || at_end && block < blocks {
            continue;
        }
        if matches!(op, Op::Gather | Op::Table) && !words.is_empty() {
            let row = c.pick(&words.iter().map(String::as_str).collect::<Vec<_>>()).to_owned();
            let most = c.pick(&["00000007", "0000001f", "0000003f"]);
            text += &format!("%m{number} = const {most}\n%r{number} = and {row}, %m{number}\n");
            words.push(format!("%r{number}"));
        }
        let names = if op.takes_doubles() { &doubles } else { &words };
        if names.is_empty() && op.operands() > 0 {
            continue;
        }
        let component = c.pick(&["x", "y", "z", "w"]);
        let immediate = match op.imm() {
            Imm::None => None,
            Imm::Bits => {
                Some(format!("{:08x}", c.pick(&[0, 1, 0x3f80_0000, 0xffff_fc00, 0x8000_0000, u32::MAX])))
            }
            Imm::Shift => Some(c.below(32).to_string()),
            Imm::Input => Some(format!("v{}.{component}", c.below(16))),
            Imm::Ctx => Some(format!("c[{}].{component}", c.below(9))),
            Imm::Component => Some(format!(".{component}")),
            Imm::Table => Some(format!("{}.{component}", c.pick(&["exp", "rsq_v2", "lg2", "inv_tau"]))),
            Imm::Output => Some(format!("o{}", c.below(24))),
            Imm::Row => Some(format!("c[{}]", c.below(9))),
            Imm::Copy => Some(format!("o{}, v{}", c.below(24), c.below(16))),
            Imm::Register => Some(format!("v{}", c.below(16))),
            Imm::Block => Some(format!("b{}", block + 1)),
            Imm::Cell => Some(format!("s{}", c.below(4))),
        };
        let operands = (0..op.operands()).map(|operand| match (op, operand) {
            (Op::Gather | Op::Table, 0) => names[names.len() - 1].clone(),
            _ => names[c.below(names.len() as u32) as usize].clone(),
        });
        let operands: Vec<String> = immediate.into_iter().chain(operands).collect();
        let name = if op.has_effect() { String::new() } else { format!("%{number} = ") };
        text += &format!("{name}{} {}\n", op.text(), operands.join(", "));
        if !op.has_effect() {
            let kind = if op.makes_double() { &mut doubles } else { &mut words };
            kind.push(format!("%{number}"));
        }
    }
    for number in block + 1..=blocks {
        text += &format!("%b{number} = block b{number}\n");
    }
    text + "}\n"
}

#[test]
fn ir() {
    let mut functions = 0;
    smoke("ir", 1_500, |bytes| functions += fuzz_ir(bytes), |c| function(c).into_bytes());
    println!("{functions} functions");
    assert!(functions > 300);
}
