//! What docs/spec/timing.md and docs/NUMERICS.md say of the chip's time is the table of its parameters and what the model makes of it.
//! `XFJIT_BLESS=1 cargo test --test timing` writes it anew; read the difference before committing it.

use std::fmt::Write as _;
use std::fs;
use std::path::Path as File;
use xfjit::asm::{Passes, gl};
use xfjit::chip::Family;
use xfjit::isa::Reading;
use xfjit_isa::timing::flipper::{Cost, MHZ, Work};
use xfjit_isa::timing::{Grade, PARAMETERS, Parameter, Path, Pipeline, Report, Timing, Values, influence};

/// A table of a page by its head, which ends with the line under the names.
struct Table {
    page: &'static str,
    head: &'static str,
    rows: String,
}

impl Table {
    /// Whether the page has it so; with XFJIT_BLESS it is written there.
    fn check(&self) {
        let path = File::new(env!("CARGO_MANIFEST_DIR")).join(self.page);
        let page = fs::read_to_string(&path).expect("there is a page");
        let start =
            page.find(self.head).unwrap_or_else(|| panic!("{} has no table {}", self.page, self.head));
        let end = page[start..].find("\n\n").map_or(page.len(), |end| start + end + 1);
        let new = format!("{}{}{}{}", &page[..start], self.head, self.rows, &page[end..]);
        if std::env::var_os("XFJIT_BLESS").is_some() {
            fs::write(&path, &new).expect("the page can be written");
            return;
        }
        assert!(page == new, "{} has other figures; XFJIT_BLESS=1 writes it anew:\n{}", self.page, self.rows);
    }
}

/// A row for each value of each parameter.
fn rows(parameters: &[Parameter]) -> String {
    let mut rows = String::new();
    for parameter in parameters {
        for choice in parameter.choices {
            let families: Vec<&str> = choice.families.iter().map(|family| family.name()).collect();
            let of = if families.len() == 3 || families.is_empty() {
                String::new()
            } else {
                format!(" ({})", families.join(", "))
            };
            let texts = [choice.source, choice.why];
            let from: Vec<&str> = texts.into_iter().filter(|text| !text.is_empty()).collect();
            let (least, most) = (parameter.plausible.start(), parameter.plausible.end());
            let plausible =
                if choice.grade == Grade::Documented { String::new() } else { format!("{least} to {most}") };
            let _ = writeln!(
                rows,
                "| `{}`{of} | {} | {} {} | {} | {} | {plausible} |",
                parameter.name,
                choice.value,
                parameter.unit,
                parameter.meaning,
                choice.grade.mark(),
                from.join("; "),
            );
        }
    }
    rows
}

#[test]
fn the_page_has_the_parameters() {
    let page = "docs/spec/timing.md";
    let head = "| parameter | value | what it is | | from | plausible |\n|---|---|---|---|---|---|\n";
    Table { page, head, rows: rows(PARAMETERS) }.check();
    let head = "| of Flipper | value | what it is | | from | plausible |\n|---|---|---|---|---|---|\n";
    Table { page, head, rows: rows(xfjit_isa::timing::flipper::FLIPPER_PARAMETERS) }.check();
}

/// What nobody knows is a choice, and stands with the others.
#[test]
fn numerics_has_the_choices() {
    let mut rows = String::new();
    let all = PARAMETERS.iter().chain(xfjit_isa::timing::flipper::FLIPPER_PARAMETERS);
    for grade in [Grade::Emulated, Grade::Hypothesised, Grade::Unknown] {
        for parameter in all.clone() {
            for choice in parameter.choices.iter().filter(|choice| choice.grade == grade) {
                let whose = match choice.families {
                    [] => "Flipper: ".to_owned(),
                    [Family::Curie] => "Curie: ".to_owned(),
                    _ => String::new(),
                };
                let Parameter { name, unit, meaning, .. } = parameter;
                let _ = writeln!(
                    rows,
                    "| {whose}`{name}`: {unit} {meaning} | {} | {} |",
                    choice.value,
                    grade.mark()
                );
            }
        }
    }
    let head = "| question of time | choice | evidence |\n|---|---|---|\n";
    Table { page: "docs/NUMERICS.md", head, rows }.check();
}

/// A program of the lecture as it prints it, for its chip.
fn lecture(name: &str) -> Path {
    let file = File::new(env!("CARGO_MANIFEST_DIR")).join("tests/opengl").join(name);
    let text = fs::read_to_string(file).expect("a text");
    let program = gl::assemble(None, &text, Passes::NONE).expect("a program");
    Path::straight(program.generation, Reading::default(), &program.program)
}

fn clocks(timing: &Timing, path: &Path) -> f64 {
    Report::clocks_of(&Pipeline::new(timing.clone()), std::slice::from_ref(path))
}

/// The two programs of the lecture beside what it says of rates: an instruction in each clock (004: 627) of 200 MHz (004: 629), so 4 and
/// 35 clocks for its 4 and 35 instructions (004: 491, 611).
#[test]
fn the_lectures_programs_take_the_clocks_that_it_says() {
    let chip = Timing::of(Family::Kelvin);
    let [transform, light] = ["mvp.vp", "seed35.vp"].map(lecture);
    assert_eq!([transform.steps.len(), light.steps.len()], [4, 35]);
    assert_eq!([clocks(&chip, &transform), clocks(&chip, &light)], [4.0, 35.0]);
    // Its five vertices wait for no result (004: 735), and one alone waits for two clocks wherever it needs the instruction before (004: 693).
    let five = chip.clone().with_vertices(5);
    let without = five.clone().with("ilu", 1);
    assert_eq!(
        [clocks(&five, &transform), clocks(&without, &light), clocks(&five, &light)],
        [4.0, 35.0, 35.2]
    );
    let one = chip.clone().with_vertices(1);
    assert_eq!(clocks(&one, &transform), 4.0 + 3.0 * 2.0);
    // In threes all three come to the one RSQ in a row, and the inverse unit takes two clocks for each (000: 188-189): clocks that the
    // lecture's rate does not know.
    let threes = chip.clone().with("launch", 3);
    assert_eq!([clocks(&threes, &transform), clocks(&threes, &light)], [4.0, 35.0 + 2.0 / 3.0]);
    assert_eq!(clocks(&threes.with("ilu", 1), &light), 35.0);
    // With more stages of execution, as the lecture says that there are (004: 695), three vertices are too few: for each three gaps of four
    // clocks, or seven, and one of three to the next vertex, in which three vertices are done.
    assert_eq!(
        [6, 9].map(|stages| clocks(&chip.clone().with("stages", stages), &transform)),
        [(3.0 * 4.0 + 3.0) / 3.0, (3.0 * 7.0 + 3.0) / 3.0]
    );
}

#[test]
fn the_page_has_the_lectures_programs() {
    let chip = Timing::of(Family::Kelvin);
    let mut rows = String::new();
    for (name, what) in
        [("mvp.vp", "transformation, 004: 479-487"), ("seed35.vp", "and lighting, 004: 541-608")]
    {
        let path = lecture(name);
        let says = path.steps.len();
        let of = |timing: &Timing| clocks(timing, &path);
        let five = chip.clone().with_vertices(5);
        let threes = chip.clone().with("launch", 3);
        let one = chip.clone().with_vertices(1);
        let alone = Report::new(&Pipeline::of(Family::Kelvin), std::slice::from_ref(&path)).latency;
        let rate = |clocks: f64| 200.0 / clocks;
        let _ = writeln!(
            rows,
            "| {what} | {says} clocks, {:.2} M/s | {:.2}, {:.2} M/s | {:.2} | {:.2} | {:.2} | {alone} |",
            rate(says as f64),
            of(&chip),
            rate(of(&chip)),
            of(&threes),
            of(&five),
            of(&one),
        );
    }
    let head = "| program | the lecture | xfjit | three begin together | five at a time | one at a time | alone |\n|---|---|---|---|---|---|---|\n";
    Table { page: "docs/spec/timing.md", head, rows }.check();
}

/// What of the lecture's second program depends on what is not documented.
#[test]
fn the_page_has_the_influence_of_what_is_not_known() {
    let light = lecture("seed35.vp");
    let mut rows = String::new();
    for one in influence(&Timing::of(Family::Kelvin), |timing| clocks(timing, &light)) {
        let [low, high] = one.ends.map(|(value, clocks)| format!("{value}: {clocks:.2}"));
        let _ = writeln!(rows, "| `{}` | {} | {low} | {high} |", one.parameter.name, one.value);
    }
    let head = "| parameter | value | clocks at the least | at the greatest |\n|---|---|---|---|\n";
    Table { page: "docs/spec/timing.md", head, rows }.check();
}

#[test]
fn the_page_has_flippers_clocks() {
    let values = Values::of_flipper();
    let counts = [0, 1, 2, 4, 8];
    let mut rows = String::new();
    for lights in counts {
        let _ = write!(rows, "| {lights} |");
        for texcoords in counts {
            let work = Work { position: 3, normals: 3, texcoords: 2 * texcoords, lights };
            let clocks = Cost::new(&values, &work).clocks;
            let _ = write!(rows, " {clocks}, {:.1} |", f64::from(MHZ) / clocks as f64);
        }
        rows.push('\n');
    }
    let head = "| lights, coordinates | 0 | 1 | 2 | 4 | 8 |\n|---|---|---|---|---|---|\n";
    Table { page: "docs/spec/timing.md", head, rows }.check();
}
