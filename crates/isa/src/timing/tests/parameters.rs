//! The table, and what the values of it do.

use super::*;
use std::collections::BTreeSet;

/// Chips that run programs.
const FAMILIES: [Family; 3] = [Family::Kelvin, Family::Rankine, Family::Curie];

#[test]
fn every_row_is_whole() {
    let names: BTreeSet<&str> = PARAMETERS.iter().map(|parameter| parameter.name).collect();
    assert_eq!(names.len(), PARAMETERS.len());
    for parameter in PARAMETERS {
        let name = parameter.name;
        let (least, greatest) = (parameter.plausible.start(), parameter.plausible.end());
        assert!(
            least < greatest && parameter.allowed.contains(least) && parameter.allowed.contains(greatest),
            "{name}"
        );
        assert!(!parameter.choices.is_empty(), "{name}");
        for choice in parameter.choices {
            assert!(parameter.plausible.contains(&choice.value), "{name}");
            let is_documented = choice.grade == Grade::Documented;
            assert_eq!(is_documented, choice.why.is_empty(), "{name}: what is no fact has a reason");
            assert!(!is_documented || !choice.source.is_empty(), "{name}");
        }
        for (at, family) in FAMILIES.iter().enumerate() {
            let of = parameter.choices.iter().filter(|choice| choice.families.contains(family)).count();
            assert!(of <= 1, "{name} {at}");
        }
    }
}

#[test]
fn defaults_are_those_of_the_documents() {
    for family in FAMILIES {
        let timing = Timing::of(family);
        let of = |names: &[&str]| names.iter().map(|name| timing.get(name)).collect::<Vec<_>>();
        // Three vertices, each with registers; six sets of buffers, of which Curie's number is taken from the others.
        assert_eq!(of(&["vertices", "registers", "ibuf", "tbuf"]), [Some(3), Some(3), Some(6), Some(6)]);
        let six = |has: bool| has.then_some(6);
        let (kelvin, rankine) = (family == Family::Kelvin, family == Family::Rankine);
        assert_eq!(of(&["wbuf", "vbuf", "ubuf"]), [six(kelvin), six(kelvin), six(rankine)]);
        // An instruction in each clock, and of these a reciprocal in every second one.
        assert_eq!(of(&["issue", "mlu", "alu", "ilu"]), [Some(1), Some(1), Some(1), Some(2)]);
        let grade = |name: &str| timing.all().find(|row| row.0.name == name).map(|row| row.1.grade);
        let buffers = if family == Family::Curie { Grade::Unknown } else { Grade::Documented };
        assert_eq!(
            [grade("vertices"), grade("ilu"), grade("ibuf")],
            [Grade::Documented, Grade::Documented, buffers].map(Some)
        );
    }
}

#[test]
fn values_are_checked() {
    let mut timing = Timing::of(Family::Kelvin);
    assert_eq!(timing.set("ilu", 0), Err(Refused::Range(1..=64)));
    assert_eq!(timing.set("ubuf", 3), Err(Refused::Chip));
    assert_eq!(timing.set("clock", 3), Err(Refused::Name));
    assert_eq!((timing.set("ilu", 7), timing.get("ilu"), timing.get("ubuf")), (Ok(()), Some(7), None));
    let untouched = Timing::of(Family::Kelvin);
    assert!(untouched.all().all(|(_, choice, value)| choice.value == value));
    assert_eq!(timing.all().filter(|(_, choice, value)| choice.value != *value).count(), 1);
}

/// Programs among which there is one for each parameter that shows it.
fn programs(family: Family) -> Vec<Vec<Path>> {
    let generation = family.microcode().unwrap();
    let shared = [
        "MUL r0, v[0], c[0]\nMUL o[0], r0, c[1]",
        "MOV r0.x, v[0]\nMOV o[0], r0.y",
        "RCP r1.x, v[0].x\nRSQ r1.y, v[0].y\nADD o[0], v[0], v[0]",
        "EXP r1.x, v[0].x\nEXP o[0].y, v[0].y",
    ];
    let newer = ["SIN r1.x, v[0].x\nSIN o[0].y, v[0].y", "BRA 1\nMOV o[0], v[0]"];
    let newest = ["TXL r0, v[0], tex0\nMOV o[0], r0"];
    let mut texts = shared.to_vec();
    if family >= Family::Rankine {
        texts.extend(newer);
    }
    if family == Family::Curie {
        texts.extend(newest);
    }
    let path = |text: &str| {
        let text = if family == Family::Kelvin {
            text.replace("o[0]", "oPos").replace("v[0]", "v0")
        } else {
            text.to_owned()
        };
        let program = asm::parse(generation, &text).unwrap_or_else(|error| panic!("{text}: {error}"));
        vec![Path::straight(generation, Reading::default(), &program)]
    };
    texts.into_iter().map(path).collect()
}

#[test]
fn every_parameter_has_an_influence_on_some_program() {
    for family in FAMILIES {
        let programs = programs(family);
        for (parameter, _, _) in Timing::of(family).all() {
            let shows = [1, 3].into_iter().any(|vertices| {
                programs.iter().any(|paths| {
                    let cost = |value| {
                        let timing = Timing::of(family).with_vertices(vertices).with(parameter.name, value);
                        Report::clocks_of(&Pipeline::new(timing), paths)
                    };
                    let least = cost(*parameter.plausible.start());
                    parameter.plausible.clone().any(|value| cost(value) != least)
                })
            });
            assert!(shows, "{} of {family:?}", parameter.name);
        }
    }
}

#[test]
fn influence_is_of_what_no_document_has() {
    let paths = [path("RCP R1.x, v0.x\nMOV oPos, v0\nMOV oD0, v0\nMOV oT0, v0")];
    let timing = Timing::of(Family::Kelvin);
    let cost = |timing: &Timing| Report::clocks_of(&Pipeline::new(timing.clone()), &paths);
    let all = influence(&timing, cost);
    assert!(all.iter().all(|one| one.choice.grade != Grade::Documented));
    let open = timing.all().filter(|(_, choice, _)| choice.grade != Grade::Documented).count();
    assert_eq!(all.len(), open);
    let of = |name: &str| all.iter().find(|one| one.parameter.name == name).map(|one| (one.value, one.ends));
    assert_eq!(of("hold"), Some((1, [(0, 4.0), (1, 14.0 / 3.0)])));
    assert_eq!(of("copy"), Some((1, [(0, 14.0 / 3.0), (4, 4.0)])));
    assert_eq!(of("ilu"), None);
}

#[test]
fn grades_have_marks_of_their_own() {
    let names: BTreeSet<&str> = Grade::ALL.iter().flat_map(|grade| [grade.name(), grade.mark()]).collect();
    assert_eq!(names.len(), 2 * Grade::ALL.len());
}
