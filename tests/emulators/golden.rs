//! The figures of emulators' own code in `tests/data/emulators`: presets with the emulator's `library` give them; no other form and no other
//! position of a switch does; and docs/NUMERICS.md has how many cases differ with the chip's tables, which presets have, and by how much.
//!
//! `XFJIT_BLESS=1 cargo test --test emulators` writes the tables anew.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use xfjit::config::{Arithmetic, Forms, Library, Quirk, QuirkSet, Quirks};
use xfjit::runtime::num::Model;
use xfjit::runtime::state::Row;
use xfjit::{Config, Emulator, Generation};
use xfjit_testing::golden::emulators::{
    EmulatedCase, EmulatedCases, has_functions, is_same, outputs_of, preset,
};

/// Two files of an emulator and a chip.
struct Figures {
    /// What the page calls them.
    heading: &'static str,
    operations: &'static [u8],
    programs: &'static [u8],
    emulator: Emulator,
    generation: Generation,
    /// Other positions of switches, and other forms, that these cases cannot tell from the preset's.
    unseen: &'static [&'static str],
}

macro_rules! figures {
    ($heading:literal, $name:literal, $emulator:ident, $generation:ident, $unseen:expr) => {
        Figures {
            heading: $heading,
            operations: include_bytes!(concat!("../data/emulators/", $name, "_ops.txt.xz")),
            programs: include_bytes!(concat!("../data/emulators/", $name, "_programs.txt.xz")),
            emulator: Emulator::$emulator,
            generation: Generation::$generation,
            unseen: $unseen,
        }
    };
}

/// What the files cannot tell: in no case do both units write one temporary (`both_units_write_r1` has some) or does Bochs write a constant; it has no
/// branches, condition codes and saturation; the others read none of the rows that they lack, Bochs none beyond 512 (whose own rule hides `out_of_range`), none is asked for the address NaN, and nv2a_vsh_cpu, whose ARL writes nothing, begins
/// with the caller's oPos in r12.
const ALL: [Figures; 5] = [
    figures!(
        "Bochs, kelvin",
        "bochs_kelvin",
        Bochs,
        Kelvin,
        &[
            "write_order=vector_wins",
            "write_order=vector_dropped",
            "address_nan=least",
            "out_of_range=wraps",
            "constant_results=there",
            "constant_results=scalar_elsewhere",
            "constant_writes"
        ]
    ),
    figures!(
        "Bochs, rankine",
        "bochs_rankine",
        Bochs,
        Rankine,
        &[
            "write_order=vector_wins",
            "write_order=vector_dropped",
            "branch_test=enabled",
            "end_on_branch=continues",
            "indirect=slot",
            "address_nan=least",
            "address_codes=no",
            "out_of_range=wraps",
            "clip_outputs=no",
            "constant_results=there",
            "constant_results=scalar_elsewhere",
            "constant_writes",
        ]
    ),
    figures!(
        "Bochs, curie",
        "bochs_curie",
        Bochs,
        Curie,
        &[
            "write_order=vector_wins",
            "write_order=vector_dropped",
            "branch_test=enabled",
            "end_on_branch=continues",
            "indirect=slot",
            "address_nan=least",
            "address_codes=no",
            "saturate_nan=zero",
            "out_of_range=wraps",
            "rows=chip",
            "constant_writes",
        ]
    ),
    figures!(
        "MAME",
        "mame",
        Mame,
        Kelvin,
        &[
            "write_order=vector_wins",
            "write_order=vector_dropped",
            "address_nan=least",
            "out_of_range=wraps",
            "rows=512"
        ]
    ),
    figures!(
        "nv2a_vsh_cpu",
        "nv2a_vsh_cpu",
        Nv2aVshCpu,
        Kelvin,
        &[
            "write_order=vector_wins",
            "write_order=vector_dropped",
            "address_bias=none",
            "address_nan=least",
            "out_of_range=wraps",
            "read_back=whole",
            "read_back=output",
            "rows=512"
        ]
    ),
];

impl Figures {
    fn cases(&self, packed: &[u8]) -> Vec<EmulatedCase> {
        let mut text = Vec::new();
        lzma_rs::xz_decompress(&mut &packed[..], &mut text).expect("the file is whole");
        let text = String::from_utf8(text).expect("the file is text");
        let cases = EmulatedCases::new(self.heading.to_owned(), text).unwrap_or_else(|flaw| panic!("{flaw}"));
        assert_eq!(cases.emulator(), self.emulator);
        let cases: Vec<_> = cases.map(|case| case.unwrap_or_else(|flaw| panic!("{flaw}"))).collect();
        assert!(cases.len() >= 500 && cases.iter().all(|case| case.generation == self.generation));
        cases
    }

    fn preset(&self) -> Config {
        preset(self.emulator, self.generation).expect("the emulator runs such programs")
    }

    fn differs(&self, case: &EmulatedCase, config: &Config) -> bool {
        case.compare(self.emulator, config).differing > 0
    }
}

/// The configuration with one of its switches in another position, or another form, and what that is called.
fn flipped(config: &Config) -> Vec<(String, Config)> {
    let mut all = Vec::new();
    let mut flip =
        |name: String, change: &dyn Fn(&mut Config)| all.push((name, config.clone().with(|c| change(c))));
    for row in Quirks::TABLE.iter().filter(|row: &&Quirk| row.matters(config.generation)) {
        for value in row.values.iter().filter(|&&value| value != (row.get)(&config.quirks)) {
            flip(format!("{}={value}", row.name), &|config| assert!((row.set)(&mut config.quirks, value)));
        }
    }
    for row in Forms::TABLE.iter().filter(|row| row.matters(config.generation)) {
        for value in row.values.iter().filter(|&&value| value != (row.get)(&config.forms)) {
            flip(format!("{}={value}", row.name), &|config| assert!((row.set)(&mut config.forms, value)));
        }
    }
    flip("constant_writes".to_owned(), &|config| config.constant_writes = !config.constant_writes);
    flip("model".to_owned(), &|config| config.model = Model::Hw);
    if config.generation != Generation::Kelvin {
        flip("arithmetic".to_owned(), &|config| config.arithmetic = Arithmetic::Modern);
    }
    all
}

#[test]
fn presets_give_the_figures_and_no_other_form_or_switch_does() {
    let (mut all_unseen, mut expected) = (Vec::new(), Vec::new());
    for figures in ALL {
        let config = figures.preset();
        let mut cases = figures.cases(figures.operations);
        cases.extend(figures.cases(figures.programs));
        assert!(cases.len() > 8_400, "{}", cases.len());
        for case in &cases {
            assert!(!figures.differs(case, &config), "{}: case {}", figures.heading, case.name);
        }
        let unseen: Vec<String> = flipped(&config)
            .into_iter()
            .filter(|(_, other)| !cases.iter().any(|case| figures.differs(case, other)))
            .map(|(name, _)| name)
            .collect();
        all_unseen.push((figures.heading, unseen));
        expected.push((figures.heading, figures.unseen.iter().map(|&name| name.to_owned()).collect()));
    }
    assert_eq!(all_unseen, expected);
}

/// How far results are from an emulator's.
#[derive(Clone, Copy, Default)]
struct Distance {
    cases: u32,
    /// Cases that differ: of ordinary operands, and of others.
    differing: [u32; 2],
    /// The greatest distance between two numbers of one sign, of ordinary operands, in units of the last place.
    units: u32,
    /// Cases of ordinary operands in which they have not one sign, or one is no finite number.
    apart: u32,
}

impl Distance {
    /// Takes a case whose words are these.
    fn take(&mut self, is_ordinary: bool, pairs: impl Iterator<Item = (u32, u32)>) {
        self.cases += 1;
        let (mut differs, mut apart) = (false, false);
        for (got, wanted) in pairs.filter(|&(got, wanted)| !is_same(got, wanted)) {
            differs = true;
            let finite = [got, wanted].iter().all(|&bits| f32::from_bits(bits).is_finite());
            let is_near = finite && (got ^ wanted) >> 31 == 0;
            apart |= !is_near;
            if is_near && is_ordinary {
                self.units = self.units.max(got.abs_diff(wanted));
            }
        }
        self.differing[usize::from(!is_ordinary)] += u32::from(differs);
        self.apart += u32::from(apart && is_ordinary);
    }

    fn cell(self) -> String {
        let Distance { cases, differing: [ordinary, edge], units, apart } = self;
        if cases == 0 {
            return "-".to_owned();
        }
        if ordinary + edge == 0 {
            return "0".to_owned();
        }
        let units = if units == 0 { String::new() } else { format!(", {units} ulp") };
        let apart = if apart == 0 { String::new() } else { format!(", {apart} apart") };
        format!("{ordinary} + {edge}{units}{apart}")
    }
}

/// The components of operations for which emulators call a library.
const FUNCTIONS: [(&str, &str, usize); 11] = [
    ("EXP.x", "EXP", 0),
    ("EXP.y", "EXP", 1),
    ("EXP.z", "EXP", 2),
    ("LOG.x", "LOG", 0),
    ("LOG.y", "LOG", 1),
    ("LOG.z", "LOG", 2),
    ("LIT.y", "LIT", 1),
    ("LIT.z", "LIT", 2),
    ("LG2", "LG2", 0),
    ("EX2", "EX2", 0),
    ("all others", "", 4),
];

/// The output that the case's operation writes: that of its first vertex, as it is here and there.
fn written(figures: &Figures, case: &EmulatedCase, config: &Config) -> Vec<(Row, Row)> {
    let (got, _) = case.results(figures.emulator, config).swap_remove(0);
    got.into_iter().zip(case.vertices[0].outputs).take(outputs_of(figures.emulator)).collect()
}

/// The tables of docs/NUMERICS.md.
fn tables() -> String {
    let mut columns: Vec<BTreeMap<usize, Distance>> = Vec::new();
    let mut programs: Vec<[(usize, usize); 2]> = Vec::new();
    // Cases with functions, of operations and of programs, as they are with the library.
    let mut of_library: Vec<[(usize, usize); 2]> = Vec::new();
    for figures in ALL {
        let with_library = figures.preset();
        let config = with_library.clone().with(|config| config.forms.library = Library::Chip);
        let mut column = BTreeMap::<usize, Distance>::new();
        for case in figures.cases(figures.operations) {
            let mut words = case.name.split(' ');
            let (name, class) = (words.next().unwrap_or_default(), words.next());
            let is_ordinary = class == Some("ordinary");
            let pairs = written(&figures, &case, &config);
            let of_name = |&(_, (_, operation, _)): &(usize, &(&str, &str, usize))| *operation == name;
            let rows: Vec<_> = FUNCTIONS.iter().enumerate().filter(of_name).collect();
            for &(row, (_, _, component)) in &rows {
                let words = pairs.iter().map(|(got, wanted)| (got[*component], wanted[*component]));
                column.entry(row).or_default().take(is_ordinary, words);
            }
            if rows.is_empty() {
                let words = pairs.iter().flat_map(|(got, wanted)| got.iter().copied().zip(*wanted));
                column.entry(FUNCTIONS.len() - 1).or_default().take(is_ordinary, words);
            }
        }
        columns.push(column);
        let mut counts = [(0, 0); 2];
        let count = |(differing, all): &mut (usize, usize), case: &EmulatedCase, config: &Config| {
            *all += 1;
            *differing += usize::from(figures.differs(case, config));
        };
        for case in figures.cases(figures.programs) {
            count(&mut counts[usize::from(has_functions(&case.program(&config)))], &case, &config);
        }
        programs.push(counts);
        of_library.push([figures.operations, figures.programs].map(|packed| {
            let mut counted = (0, 0);
            for case in figures.cases(packed).iter().filter(|case| has_functions(&case.program(&config))) {
                count(&mut counted, case, &with_library);
            }
            counted
        }));
    }
    let headings: Vec<&str> = ALL.iter().map(|figures| figures.heading).collect();
    let mut page = format!("| result | {} |\n|---|{}\n", headings.join(" | "), "---|".repeat(ALL.len()));
    for (row, (name, ..)) in FUNCTIONS.iter().enumerate() {
        let cells: Vec<String> =
            columns.iter().map(|column| column.get(&row).copied().unwrap_or_default().cell()).collect();
        let _ = writeln!(page, "| {name} | {} |", cells.join(" | "));
    }
    for (with, name) in [(0, "programs without these"), (1, "programs with them")] {
        let cells: Vec<String> =
            programs.iter().map(|counts| format!("{} of {}", counts[with].0, counts[with].1)).collect();
        let _ = writeln!(page, "| {name} | {} |", cells.join(" | "));
    }
    for (which, name) in [(0, "all of these with `library`"), (1, "programs with them, with `library`")] {
        let cells: Vec<String> =
            of_library.iter().map(|counts| format!("{} of {}", counts[which].0, counts[which].1)).collect();
        let _ = writeln!(page, "| {name} | {} |", cells.join(" | "));
    }
    page.push_str("\n| form |");
    for figures in &ALL {
        let _ = write!(page, " {} |", figures.heading);
    }
    let _ = write!(page, "\n|---|{}\n", "---|".repeat(ALL.len()));
    for row in Forms::TABLE {
        let cells: Vec<String> = ALL
            .iter()
            .map(|figures| {
                let forms = figures.emulator.forms(figures.generation);
                if row.matters(figures.generation) {
                    format!("`{}`", (row.get)(&forms))
                } else {
                    "-".to_owned()
                }
            })
            .collect();
        let _ = writeln!(page, "| `{}` | {} |", row.name, cells.join(" | "));
    }
    page
}

#[test]
fn the_page_has_how_far_presets_are_from_the_figures() {
    const BEGIN: &str = "<!-- made by tests/emulators -->\n";
    const END: &str = "<!-- to here -->";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/NUMERICS.md");
    let page = fs::read_to_string(&path).expect("there is a page");
    let (before, rest) = page.split_once(BEGIN).expect("the tables begin");
    let (written, behind) = rest.split_once(END).expect("the tables end");
    let tables = tables();
    if std::env::var_os("XFJIT_BLESS").is_some() {
        fs::write(&path, format!("{before}{BEGIN}{tables}{END}{behind}")).expect("the page can be written");
        return;
    }
    assert!(
        written == tables,
        "docs/NUMERICS.md has other tables; XFJIT_BLESS=1 writes them anew:\n{tables}"
    );
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
        ("# emulator mam 1".to_owned(), "figures: line 1, column 12: `mam` is not a known emulator"),
        (format!("{head}vertex 0"), "figures: line 2: is not the start of a case"),
        (format!("{head}case MOV edge 1"), "figures: case MOV edge 1 has no program: is the file cut short?"),
        (
            format!("{head}case 1\nprogram kelvin words 0 start 0"),
            "figures: line 3: is not a program: `program GENERATION words W.. start S`",
        ),
        (
            format!("{head}case 1\nprogram nv99 words {row} start 0"),
            "figures: line 3, column 9: `nv99` is not a generation",
        ),
        (
            format!("{head}case 1\nprogram kelvin words {row} start 1"),
            "figures: line 3, column 64: `1` is not a number below 1",
        ),
        (format!("{head}{case}"), "figures: case MOV edge 1 has no vertex: is the file cut short?"),
        (format!("{head}{case}v 0 = {row}"), "figures: line 4, column 1: `v` is not allowed here"),
        (format!("{head}{case}c[512] = {row}"), "figures: line 4, column 1: `c[512]` is not a row"),
        (
            format!("{head}{case}vertex 0\nv 16 = {row}"),
            "figures: line 5, column 3: `16` is not a number below 16",
        ),
        (
            format!("{head}{case}vertex 0\nout oT7 = {row}"),
            "figures: line 5, column 5: `oT7` is not an output",
        ),
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
