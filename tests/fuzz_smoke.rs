//! The bodies of the fuzz targets, for about a second each, on the seeds in `fuzz/seeds` and on random bytes: what the
//! fuzzer would do, without a fuzzer.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};
use xfjit::testing::{Choices, Stats, fuzz_asm, fuzz_decode, fuzz_program};

/// Files of a target's seed directory.
fn seeds(target: &str) -> Vec<Vec<u8>> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds").join(target);
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("a directory entry").path()).collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).expect("a seed")).collect()
}

/// Runs a body on seeds, on damaged seeds, and on bytes from `random`.
fn smoke(target: &str, mut body: impl FnMut(&[u8]), random: impl Fn(&mut Choices<'_>) -> Vec<u8>) {
    let seeds = seeds(target);
    seeds.iter().for_each(|seed| body(seed));
    let start = Instant::now();
    let mut c = Choices::seed(1);
    let mut inputs = 0u64;
    while start.elapsed() < Duration::from_secs(1) {
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
        inputs += 1;
    }
    println!("{target}: {inputs} inputs");
    assert!(inputs > 10);
}

fn bytes(c: &mut Choices<'_>, limit: u32) -> Vec<u8> {
    (0..c.below(limit)).map(|_| c.word() as u8).collect()
}

#[test]
fn decode() {
    smoke("decode", fuzz_decode, |c| {
        let mut bytes = bytes(c, 600);
        // Slots that are cut short are refused at once: not only those.
        bytes.truncate(1 + bytes.len() / 16 * 16);
        bytes
    });
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
    smoke("asm", fuzz_asm, |c| match c.below(2) {
        0 => bytes(c, 60),
        _ => (0..c.below(50)).flat_map(|_| c.pick(PIECES).bytes()).collect(),
    });
}

#[test]
fn program() {
    let mut stats = Stats::default();
    smoke("program", |bytes| stats += fuzz_program(bytes), |c| bytes(c, 600));
    println!("{stats}");
    assert!(stats.refused * 20 <= stats.cases);
}
