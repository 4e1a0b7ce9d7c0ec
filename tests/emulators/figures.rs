//! The figures of emulators' own code in `tests/data`: presets give them, and no other setting of a switch does.

use xfjit::config::{Arithmetic, Quirk};
use xfjit::runtime::num::Model;
use xfjit::{Config, Emulator, Generation};
use xfjit_testing::golden::emulators::{Compared, EmulatedCase, EmulatedCases};

/// A file of `tests/data`.
struct File {
    packed: &'static [u8],
    generation: Generation,
    emulator: Emulator,
    /// The settings that its programs cannot tell from the preset's; all others give other figures.
    unseen: &'static [&'static str],
}

macro_rules! file {
    ($name:literal, $emulator:ident, $generation:ident, $unseen:expr) => {
        File {
            packed: include_bytes!(concat!("../data/emulator_", $name, ".txt.xz")),
            generation: Generation::$generation,
            emulator: Emulator::$emulator,
            unseen: $unseen,
        }
    };
}

/// In no program do both units write one temporary: `both_units_write_r1` has some.
const BOTH_UNITS: &[&str] = &["write_order=vector_wins", "write_order=vector_dropped"];

/// Files hold single operations, and random programs without constant writes (Bochs), branches, condition codes and
/// saturation (which it has not), and what the preset computes otherwise than the emulator (docs/NUMERICS.md).
const FILES: [File; 5] = [
    file!(
        "bochs_kelvin",
        Bochs,
        Kelvin,
        &["write_order=vector_wins", "write_order=vector_dropped", "constant_writes"]
    ),
    file!(
        "bochs_rankine",
        Bochs,
        Rankine,
        &[
            "write_order=vector_dropped",
            "branch_test=enabled",
            "end_on_branch=continues",
            "indirect=slot",
            // The least address wraps to the row of 0.
            "address_nan=least",
            "address_codes=no",
            "saturate_nan=zero",
            "clip_outputs=no",
            "constant_writes",
        ]
    ),
    file!(
        "bochs_curie",
        Bochs,
        Curie,
        &[
            "write_order=vector_wins",
            "write_order=vector_dropped",
            "branch_test=enabled",
            "end_on_branch=continues",
            "indirect=slot",
            "address_codes=no",
            "saturate_nan=zero",
            "out_of_range=wraps",
            "constant_writes",
        ]
    ),
    file!("mame", Mame, Kelvin, BOTH_UNITS),
    file!("nv2a_vsh_cpu", Nv2aVshCpu, Kelvin, BOTH_UNITS),
];

impl File {
    fn cases(&self) -> Vec<EmulatedCase> {
        let mut text = Vec::new();
        lzma_rs::xz_decompress(&mut &self.packed[..], &mut text).expect("the file is whole");
        let text = String::from_utf8(text).expect("the file is text");
        let cases =
            EmulatedCases::new(self.emulator.name().to_owned(), text).unwrap_or_else(|flaw| panic!("{flaw}"));
        assert_eq!(cases.emulator(), self.emulator);
        let cases: Vec<_> = cases.map(|case| case.unwrap_or_else(|flaw| panic!("{flaw}"))).collect();
        assert!(cases.len() >= 99 && cases.iter().all(|case| case.generation == self.generation));
        cases
    }

    fn preset(&self) -> Config {
        Config::like(self.emulator, self.generation).expect("the emulator runs such programs")
    }

    fn differing(&self, cases: &[EmulatedCase], config: &Config) -> usize {
        cases.iter().map(|case| case.compare(self.emulator, config).differing).sum()
    }
}

/// The configuration with one of its switches in another position, and what that is called.
fn flipped(config: &Config) -> Vec<(String, Config)> {
    let mut all = Vec::new();
    for quirk in Quirk::ALL.iter().filter(|quirk| quirk.matters(config.generation)) {
        for value in quirk.values.iter().filter(|&&value| value != (quirk.get)(&config.quirks)) {
            let mut other = config.clone();
            assert!((quirk.set)(&mut other.quirks, value));
            all.push((format!("{}={value}", quirk.name), other));
        }
    }
    let mut flip = |name: &str, change: fn(&mut Config)| {
        all.push((name.to_owned(), config.clone().with(change)));
    };
    flip("constant_writes", |config| config.constant_writes = !config.constant_writes);
    flip("model", |config| config.model = Model::Hw);
    if config.generation != Generation::Kelvin {
        flip("arithmetic", |config| config.arithmetic = Arithmetic::Legacy);
    }
    all
}

#[test]
fn presets_give_the_emulators_figures() {
    for file in FILES {
        let preset = file.preset();
        for case in file.cases() {
            let Compared { words, differing } = case.compare(file.emulator, &preset);
            assert!(words > 0);
            assert_eq!(differing, 0, "{} {:?}, case {}", file.emulator, file.generation, case.name);
        }
    }
}

#[test]
fn a_switch_in_another_position_gives_other_figures() {
    for file in FILES {
        let cases = file.cases();
        for (name, config) in flipped(&file.preset()) {
            let differing = file.differing(&cases, &config);
            let seen = !file.unseen.contains(&&*name);
            assert_eq!(differing > 0, seen, "{} {:?}, {name}", file.emulator, file.generation);
        }
        for unseen in file.unseen {
            assert!(flipped(&file.preset()).iter().any(|(name, _)| name == unseen), "{unseen} is no switch");
        }
    }
}

#[test]
fn what_is_no_file_of_figures_is_refused_with_its_place() {
    let head = "# emulator mame release 0.289\n";
    let case = "case MOV edge 1\nprogram kelvin words 00000000 0020001b 08361b90 2000f801 start 0\n";
    let row = "00000000 00000000 00000000 00000000";
    let error = |text: &str| {
        let cases = match EmulatedCases::new("figures".to_owned(), text.to_owned()) {
            Ok(cases) => cases,
            Err(flaw) => return flaw.to_string(),
        };
        cases.into_iter().find_map(Result::err).unwrap_or_else(|| panic!("{text} is accepted")).to_string()
    };
    for (text, expected) in [
        (String::new(), "figures: is empty"),
        ("case MOV".to_owned(), "figures: line 1: is not the start of a file of an emulator's figures"),
        ("# emulator mam 1".to_owned(), "figures: line 1, column 12: `mam` is no known emulator"),
        (format!("{head}vertex 0"), "figures: line 2: is not the start of a case"),
        (format!("{head}case MOV edge 1"), "figures: case MOV edge 1 has no program: is the file cut short?"),
        (
            format!("{head}case 1\nprogram kelvin words 0 start 0"),
            "figures: line 3: is no program: `program GENERATION words W.. start S`",
        ),
        (
            format!("{head}case 1\nprogram nv99 words {row} start 0"),
            "figures: line 3, column 9: `nv99` is no generation",
        ),
        (
            format!("{head}case 1\nprogram kelvin words {row} start 1"),
            "figures: line 3, column 64: `1` is not a number below 1",
        ),
        (format!("{head}{case}"), "figures: case MOV edge 1 has no vertex: is the file cut short?"),
        (format!("{head}{case}v 0 = {row}"), "figures: line 4, column 1: `v` does not belong here"),
        (format!("{head}{case}c[512] = {row}"), "figures: line 4, column 1: `c[512]` is no row"),
        (
            format!("{head}{case}vertex 0\nv 16 = {row}"),
            "figures: line 5, column 3: `16` is not a number below 16",
        ),
        (format!("{head}{case}vertex 0\nout oT7 = {row}"), "figures: line 5, column 5: `oT7` is no output"),
        (
            format!("{head}{case}vertex 0\nout oPos = 00000000"),
            "figures: line 5: needs 4 words, has 1: is the file cut short?",
        ),
        (
            format!("{head}{case}vertex 0\nrows 192 = {row}"),
            "figures: line 5, column 6: `192` is not a number below 192",
        ),
    ] {
        assert_eq!(error(&text), expected, "{text}");
    }
}
