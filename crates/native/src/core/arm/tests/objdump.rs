//! Rows say what binutils say of the same words.

use super::super::{Does, Immediate, Insn, ROWS};
use super::{PROGRAMS, compiled};
use std::fs;
use std::io::Write;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use xfjit_testing::Choices;

const OBJDUMP: &str = "aarch64-linux-gnu-objdump";

/// Random words of each row.
const WORDS: usize = 60;

/// An instruction as both texts have it: mnemonic, registers, and numbers.
#[derive(PartialEq, Eq, Debug)]
pub(in super::super::super::super) struct Read {
    pub(in super::super::super::super) mnemonic: String,
    pub(in super::super::super::super) registers: Vec<String>,
    pub(in super::super::super::super) numbers: Vec<i128>,
}

impl Read {
    fn of(text: &str) -> Read {
        let (mnemonic, operands) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let parts = operands.split(|letter: char| !letter.is_alphanumeric() && !"-+#.".contains(letter));
        let (mut registers, mut numbers) = (Vec::new(), Vec::new());
        for part in parts.filter(|part| !part.is_empty()) {
            match number(part) {
                Some(number) => numbers.push(number),
                None if ["lsl", "msl", "uxtw"].contains(&part) => {}
                None => registers.push(part.to_owned()),
            }
        }
        Read { mnemonic: mnemonic.to_owned(), registers, numbers }
    }
}

/// A number, behind a sign or not; of a float its bits.
fn number(text: &str) -> Option<i128> {
    let plain = text.strip_prefix('#').unwrap_or(text);
    let is_float =
        plain.contains('.') && plain.starts_with(|letter: char| letter.is_ascii_digit() || letter == '-');
    if is_float {
        return plain.parse::<f32>().ok().map(|float| float.to_bits().into());
    }
    match plain.strip_prefix("0x") {
        Some(digits) => i128::from_str_radix(digits, 16).ok(),
        None => plain.parse().ok(),
    }
}

/// What binutils say, as rows say it.
fn as_row(insn: &Insn, text: &str) -> Read {
    let mut read = Read::of(text.split("//").next().unwrap_or(text).trim());
    let numbers = read.numbers.clone();
    let shifted =
        |numbers: &[i128]| numbers.first().copied().unwrap_or(0) << numbers.get(1).copied().unwrap_or(0);
    match insn.does() {
        Does::Load(..) | Does::Store(..) if numbers.is_empty() => read.numbers.push(0),
        Does::Or if insn.n() == insn.m() => {
            assert_eq!(read.mnemonic, "mov");
            read.mnemonic = "orr".to_owned();
            read.registers.push(read.registers[1].clone());
        }
        Does::Literally(immediate) => {
            let ones = (1i128 << numbers.get(1).copied().unwrap_or(0)) - 1;
            read.numbers = vec![match immediate {
                Immediate::Shifted => shifted(&numbers),
                Immediate::ShiftedInverted => shifted(&numbers) ^ 0xffff_ffff,
                Immediate::Ones => shifted(&numbers) | ones,
                Immediate::OnesInverted => (shifted(&numbers) | ones) ^ 0xffff_ffff,
                Immediate::Halves => shifted(&numbers) * 0x1_0001,
                Immediate::Bytes => numbers[0] * 0x101_0101,
                Immediate::Masks | Immediate::Float => numbers[0],
            }];
        }
        // Of what two instructions write, binutils call one `mov`.
        Does::Wide { .. } if ["movz", "movn"].contains(&&*read.mnemonic) => {
            let ones = if insn.word >> 31 == 1 { u64::MAX.into() } else { i128::from(u32::MAX) };
            let value = shifted(&numbers);
            read.numbers = vec![if read.mnemonic == "movn" { value ^ ones } else { value }];
            read.mnemonic = "mov".to_owned();
        }
        Does::Repeated { .. } if read.mnemonic == "orr" => {
            read.mnemonic = "mov".to_owned();
            read.registers.truncate(1);
        }
        _ => {}
    }
    read
}

/// What a row's text leaves out.
fn own(insn: &Insn) -> Read {
    let mut read = Read::of(&insn.to_string());
    if matches!(insn.does(), Does::Load(..) | Does::Store(..)) && read.numbers.is_empty() {
        read.numbers.push(0);
    }
    read
}

/// What binutils say of words that rows have, as rows say it, and where they stand; nothing without binutils.
pub(in super::super::super::super) fn texts(words: &[u32]) -> Option<Vec<(u32, Read)>> {
    /// A test has words of its own, and a file.
    static FILES: AtomicUsize = AtomicUsize::new(0);
    if Command::new(OBJDUMP).arg("--version").output().is_err() {
        assert!(std::env::var_os("XFJIT_REQUIRE_AARCH64").is_none(), "{OBJDUMP} is not installed");
        let note = format!(
            "SKIPPED: rows for AArch64 were compared with nothing, since {OBJDUMP} is not installed\n"
        );
        std::io::stderr().write_all(note.as_bytes()).expect("standard error is there");
        return None;
    }
    let number = FILES.fetch_add(1, Ordering::Relaxed);
    let path = std::env::temp_dir().join(format!("xfjit-rows-{}-{number}.bin", std::process::id()));
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    fs::write(&path, &bytes).expect("it is written");
    let output =
        Command::new(OBJDUMP).args(["-D", "-z", "-b", "binary", "-m", "aarch64"]).arg(&path).output();
    let _ = fs::remove_file(&path);
    let output = String::from_utf8(output.expect("it runs").stdout).expect("it is text");
    let mut read = Vec::new();
    for line in output.lines() {
        let fields: Vec<&str> = line.splitn(3, '\t').collect();
        let [at, word, text] = fields[..] else { continue };
        let at = u32::from_str_radix(at.trim().trim_end_matches(':'), 16).expect("it is an address");
        let word = u32::from_str_radix(word.trim(), 16).expect("it is a word");
        let insn = Insn::of(at, word).expect("a row has it");
        read.push((at, as_row(&insn, &text.replace('\t', " "))));
    }
    assert_eq!(read.len(), words.len());
    Some(read)
}

#[test]
fn rows_are_what_binutils_say() {
    let mut choices = Choices::seed(5);
    let mut words: Vec<u32> = Vec::new();
    for row in ROWS {
        let mut found = 0;
        for _ in 0..20 * WORDS {
            let any = choices.below(1 << 16) << 16 | choices.below(1 << 16);
            let word = any & !row.mask | row.bits;
            if found < WORDS && Insn::of(0, word).is_some_and(|insn| insn.row.text == row.text) {
                words.push(word);
                found += 1;
            }
        }
        assert!(found > 0, "{}", row.text);
    }
    words.extend(compiled(PROGRAMS).iter().flat_map(|made| made.insns()).map(|insn| insn.word));
    for ((at, text), &word) in texts(&words).unwrap_or_default().iter().zip(&words) {
        let insn = Insn::of(*at, word).expect("a row has it");
        assert_eq!(own(&insn), *text, "{word:08x}");
    }
}
