//! The seeds of the fuzz targets, and a test file with index lists, reach every row of the decoders', the recipes' and the emitter's tables that can be reached.
//!
//! `XFJIT_BLESS=1` looks for random inputs that reach rows which no seed reaches, and writes them to `fuzz/seeds`.

use std::fs;
use std::path::PathBuf;
use xfjit_testing::Choices;
use xfjit_testing::coverage::{Corpus, Coverage, Rows};

const LIGHTING: &str = "under ieee the lighting engine computes as IEEE does, with operations of every chip";

/// Rows that no input can reach, and why.
#[rustfmt::skip]
const UNREACHABLE: &[(&str, &str, &str)] = &[
    ("fields of rankine", "unknown", "nobody knows what it says, so that instructions are encoded without it"),
    ("recipes of hw", "canonical", "the chip has more than one NaN"),
    ("recipes of hw", "ltc_load", "commands load LTC, and programs and configurations read it"),
    ("recipes of ieee", "ltc_load", "the same"),
    ("recipes of ieee", "lt_add", LIGHTING),
    ("recipes of ieee", "lt_add3", LIGHTING),
    ("recipes of ieee", "lt_clamp", LIGHTING),
    ("recipes of ieee", "lt_mul", LIGHTING),
    ("recipes of ieee", "lt_rcp", LIGHTING),
    ("recipes of ieee", "lt_rsq", LIGHTING),
    ("recipes of ieee", "lts_add", LIGHTING),
    ("recipes of ieee", "lts_mul", LIGHTING),
    ("recipes of ieee", "xf_to_lt", LIGHTING),
];

/// Index lists are in no input of these targets.
const INDEX_LISTS: &[u8] = include_bytes!("filetests/run/index_lists.xf");

/// The seeds of the fuzz targets that compile programs or configurations.
fn seeds() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds")
}

const TARGETS: [&str; 6] = ["asm", "decode", "fixed", "ir", "program", "transform"];

fn of_seeds() -> Coverage {
    let mut coverage = Coverage::new();
    for target in TARGETS {
        let corpus = Corpus::named(target).expect("it is a corpus");
        let mut files: Vec<_> = fs::read_dir(seeds().join(target)).expect("there are seeds").collect();
        files.sort_by_key(|file| file.as_ref().ok().map(fs::DirEntry::path));
        for file in files {
            let bytes = fs::read(file.expect("an entry").path()).expect("a seed");
            // Some seeds are texts with errors.
            _ = coverage.input(corpus, &bytes);
        }
    }
    coverage.input(Corpus::Test, INDEX_LISTS).expect("it is a test file");
    coverage
}

fn reached(coverage: &Coverage) -> usize {
    coverage.tables.values().flat_map(Rows::values).filter(|count| **count > 0).count()
}

/// Looks for inputs that reach something new, and writes them as seeds.
fn grow(coverage: &mut Coverage, target: &str, tries: u64, longest: u32) {
    let corpus = Corpus::named(target).expect("it is a corpus");
    for seed in 0..tries {
        let mut c = Choices::seed(seed);
        let length = 1 + c.below(longest);
        let bytes: Vec<u8> = (0..length).map(|_| c.word() as u8).collect();
        let before = reached(coverage);
        let mut with = coverage.clone();
        if with.input(corpus, &bytes).is_ok() && reached(&with) > before {
            fs::write(seeds().join(target).join(format!("rows-{seed}")), bytes).expect("a seed is written");
            *coverage = with;
        }
    }
}

#[test]
fn seeds_reach_every_row_that_can_be_reached() {
    let mut coverage = of_seeds();
    if std::env::var_os("XFJIT_BLESS").is_some() {
        for (target, tries, longest) in [("program", 3000, 400), ("fixed", 300, 300), ("transform", 100, 300)]
        {
            grow(&mut coverage, target, tries, longest);
        }
    }
    let is_known =
        |(table, row): &(&str, &str)| UNREACHABLE.iter().any(|(of, name, _)| of == table && name == row);
    let missing: Vec<_> = coverage.missing().filter(|row| !is_known(row)).collect();
    assert!(missing.is_empty(), "no seed reaches {missing:#?}");
    for (table, row, _) in UNREACHABLE {
        assert_eq!(coverage.tables[*table].get(*row), Some(&0), "{table}: {row} is reached, or no row");
    }
}
