//! `docs/QUIRKS.md` is the table of quirks. `XFJIT_BLESS=1 cargo test --test quirks` writes it anew.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use xfjit::config::{FixedQuirks, FlipperQuirks, Forms, ProcessorQuirks, Quirk, QuirkSet, Quirks};
use xfjit::flipper::Dialect;
use xfjit::{Model, chip::Pipeline};

const HEAD: &str = "\
# Quirks

A *quirk* is a question that nobody has settled on silicon, or that emulators answer differently. Each possible answer is one of its values, and
the first value is the default. `tests/quirks.rs` makes this page from the table in the sources (`crates/isa/src/config/quirks/table.rs`). That table documents
the values, and so do [isa/kelvin.md](isa/kelvin.md), [isa/rankine.md](isa/rankine.md), [isa/curie.md](isa/curie.md),
[isa/fixed.md](isa/fixed.md) and [isa/flipper.md](isa/flipper.md). Where emulators compute differently from the model `ieee`, this is a *form*, documented in [NUMERICS.md](NUMERICS.md).

| where | programs | fixed function | Flipper |
|---|---|---|---|
| command line | `--option NAME=VALUE` | the same, with `--trace` | `--quirk NAME=VALUE`; it overrides `--dialect` |
| Rust | `config.quirk(..)`, `Quirk::named`; `config.forms` | `setup.quirk(..)`, `unit.with_fixed_quirks(..)` | `FlipperUnit::new(engine, processor, transform)` |
| C | members of `xfjit_config` with these names; `forms` for forms | none | members of `xfjit_flipper_options` with these names |
| Python | `options={\"NAME\": \"VALUE\"}` | none | `quirks={\"NAME\": \"VALUE\"}` |
| test files | `option NAME VALUE` | `option NAME VALUE` | none: streams cannot name quirks |
";

/// The rows of a record; `others` tells what its quirks matter to that are not about programs.
fn table<S: QuirkSet>(page: &mut String, others: impl Fn(&Quirk<S>) -> String) {
    let whose = |quirk: &Quirk<S>| {
        let names: Vec<&str> = quirk.generations.iter().map(|generation| generation.name()).collect();
        if names.is_empty() { others(quirk) } else { names.join(", ") }
    };
    let _ =
        writeln!(page, "\n## {}\n\n| quirk | values | matters to | evidence |\n|---|---|---|---|", S::ABOUT);
    for quirk in S::TABLE {
        let values: Vec<String> = quirk.values.iter().map(|value| format!("`{value}`")).collect();
        let (name, values, whose) = (quirk.name, values.join(", "), whose(quirk));
        let _ = writeln!(page, "| `{name}` | {values} | {whose} | {} |", quirk.evidence);
    }
}

/// The families whose fixed function a quirk matters to.
fn families(quirk: &Quirk<FixedQuirks>) -> String {
    let of = |model| {
        let matters = |pipeline: &&Pipeline| FixedQuirks::matters(quirk.name, **pipeline, model);
        let mut names: Vec<&str> =
            Pipeline::ALL.iter().filter(matters).map(|it| it.family().name()).collect();
        names.dedup();
        names.join(", ")
    };
    if of(Model::Ieee).is_empty() { format!("{}, under `hw`", of(Model::Hw)) } else { of(Model::Hw) }
}

fn page() -> String {
    let mut page = HEAD.to_owned();
    table::<Quirks>(&mut page, |_| String::new());
    table::<Forms>(&mut page, |_| String::new());
    table::<FixedQuirks>(&mut page, families);
    table::<FlipperQuirks>(&mut page, |_| "Flipper".to_owned());
    table::<ProcessorQuirks>(&mut page, |_| "Flipper".to_owned());
    let _ = write!(
        page,
        "\n## Flipper's dialects\n\n| dialect | choices that are not the default |\n|---|---|\n"
    );
    for dialect in Dialect::ALL {
        let mut choices = changed(&dialect.processor());
        choices.extend(changed(&dialect.transform()));
        let choices = if choices.is_empty() { "none".to_owned() } else { choices.join(", ") };
        let _ = writeln!(page, "| `{}` | {choices} |", dialect.name());
    }
    page
}

/// Choices that are not the default.
fn changed<S: QuirkSet>(quirks: &S) -> Vec<String> {
    let other = |quirk: &&Quirk<S>| (quirk.get)(quirks) != quirk.values[0];
    S::TABLE.iter().filter(other).map(|quirk| format!("`{}={}`", quirk.name, (quirk.get)(quirks))).collect()
}

#[test]
fn the_page_is_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/QUIRKS.md");
    let page = page();
    if std::env::var_os("XFJIT_BLESS").is_some() {
        fs::write(&path, &page).expect("the page can be written");
    }
    let written = fs::read_to_string(&path).expect("there is a page");
    assert!(written == page, "docs/QUIRKS.md is not the table; XFJIT_BLESS=1 writes it anew");
    assert!(page.contains("| `dolphin-sw` | `dialect=dolphin-sw`, `depth=lessened`"), "{page}");
}
