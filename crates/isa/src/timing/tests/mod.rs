//! The examples that a description of the GeForce 3 draws, and what follows from the rules of docs/spec/timing.md.

mod buffers;
mod parameters;
mod properties;
mod units;

use super::*;
use crate::asm;
use crate::chip::Family;
use crate::isa::{Generation, Program, Reading};

fn program(text: &str) -> Program {
    asm::parse(Generation::Kelvin, text).unwrap()
}

fn path(text: &str) -> Path {
    Path::straight(Generation::Kelvin, Reading::default(), &program(text))
}

/// A unit with other values than those of its chip.
fn unit(values: &[(&str, u16)]) -> Pipeline {
    of(Family::Kelvin, values)
}

fn of(family: Family, values: &[(&str, u16)]) -> Pipeline {
    let mut timing = Timing::of(family);
    for &(name, value) in values {
        timing.set(name, value).unwrap_or_else(|refused| panic!("{name}: {refused:?}"));
    }
    Pipeline::new(timing)
}

/// So many vertices at a time.
fn threads(count: u16) -> Pipeline {
    Pipeline::new(Timing::of(Family::Kelvin).with_vertices(count))
}

fn clocks(pipeline: &Pipeline, text: &str) -> f64 {
    Report::new(pipeline, &[path(text)]).clocks_per_vertex()
}

/// What an instruction needs of the one before it.
const PAIR: &str = "ADD R1, c[2], v3\nMUL oD0, R1, c[5]";

fn diagram(count: u16) -> String {
    let program = program(PAIR);
    let text = |slot: usize| asm::print_insn(Generation::Kelvin, &program.insns[slot]);
    Diagram::new(&threads(count), &[path(PAIR)], count.into(), 14, text).to_string()
}

#[test]
fn one_thread_waits_two_clocks_for_the_instruction_before() {
    let expected = "\
# clock               0  1  2  3  4  5  6  7  8  9  10 11 12 13
t0: ADD r1, c[2], v3  RR SN E1 E2 WB
t0: MUL oD0, r1, c[5]    RR ----> SN E1 E2 WB
";
    assert_eq!(diagram(1), expected);
}

#[test]
fn five_threads_do_not_wait() {
    let expected = "\
# clock               0  1  2  3  4  5  6  7  8  9  10 11 12 13
t0: ADD r1, c[2], v3  RR SN E1 E2 WB
t1: ADD r1, c[2], v3     RR SN E1 E2 WB
t2: ADD r1, c[2], v3        RR SN E1 E2 WB
t3: ADD r1, c[2], v3           RR SN E1 E2 WB
t4: ADD r1, c[2], v3              RR SN E1 E2 WB
t0: MUL oD0, r1, c[5]                RR SN E1 E2 WB
t1: MUL oD0, r1, c[5]                   RR SN E1 E2 WB
t2: MUL oD0, r1, c[5]                      RR SN E1 E2 WB
t3: MUL oD0, r1, c[5]                         RR SN E1 E2 WB
t4: MUL oD0, r1, c[5]                            RR SN E1 E2 WB
";
    assert_eq!(diagram(5), expected);
}

#[test]
fn what_is_cut_off_is_told() {
    let cut = |clocks| {
        let diagram = Diagram::new(&threads(1), &[path(PAIR)], 1, clocks, |slot| slot.to_string());
        (diagram.cut, diagram.cut_note(), diagram.to_string().lines().count())
    };
    // A line of clocks, two instructions, and the note.
    let note = |clock, more| Some(format!("cut behind clock {clock}: {more}, and all take 8 clocks"));
    assert_eq!(cut(8), (None, None, 3));
    let one = |instructions| Some(Cut { instructions, clocks: 8 });
    assert_eq!(cut(7), (one(0), note(6, "no instruction begins behind it"), 4));
    assert_eq!(cut(1), (one(1), note(0, "1 more instruction begins behind it"), 3));
    let many = Diagram::new(&threads(5), &[path(PAIR)], 5, 2, |slot| slot.to_string()).cut_note();
    assert_eq!(
        many,
        Some("cut behind clock 1: 8 more instructions begin behind it, and all take 14 clocks".to_owned())
    );
}

#[test]
fn a_full_pipeline_takes_one_clock_an_instruction() {
    let report = Report::new(&Pipeline::of(Family::Kelvin), &[path(PAIR)]);
    assert_eq!((report.clocks_per_vertex(), report.waits_per_vertex()), (2.0, 0.0));
    // Without company: two instructions, two clocks of waiting, and the rest of the pipeline.
    assert_eq!(report.latency, 8);
    assert_eq!(report.vertices_needed, 3);
    let alone = Report::new(&threads(1), &[path(PAIR)]);
    assert_eq!((alone.clocks_per_vertex(), alone.waits_per_vertex()), (4.0, 2.0));
    assert_eq!(alone.slots[&1].waits, Waits { results: 2 * alone.slots[&1].runs, ..Waits::default() });
    assert_eq!(alone.slots[&0].waits, Waits::default());
}

#[test]
fn later_results_need_more_vertices() {
    let needed = |delay| Report::new(&unit(&[("delay", delay)]), &[path(PAIR)]).vertices_needed;
    assert_eq!([0, 1, 2].map(needed), [3, 4, 5]);
}

#[test]
fn what_is_taken_from_an_earlier_instruction() {
    let needs = |text: &str| path(text).steps.last().unwrap().needs.components[0];
    // Components that are not read, or not written, do not count.
    assert_eq!(needs("MOV R0.x, v0\nMOV oPos, R0.y"), None);
    assert_eq!(needs("MOV R0.x, v0\nMOV R0.y, v1\nMOV oPos, R0.x"), Some(0));
    assert_eq!(needs("MOV R0.x, v0\nMOV R0.y, v1\nDP3 oPos.x, R0, R0"), Some(1));
    // The index, constants that are written, and oPos that is read back.
    assert_eq!(needs("ARL A0.x, v0.x\nMOV oPos, c[A0.x]"), Some(0));
    assert_eq!(needs("MOV c[3], v0\nMOV oPos, c[3]"), Some(0));
    assert_eq!(needs("MOV c[3], v0\nMOV oPos, c[4]"), None);
    assert_eq!(needs("MOV c[3], v0\nMOV oPos, c[A0.x+4]"), Some(0));
    assert_eq!(needs("MOV oPos, v0\nMUL oPos.xyz, R12, c[58]"), Some(0));
    assert_eq!(needs("MOV oD0, v0\nMUL oPos.xyz, R12, c[58]"), None);
    // A scalar operation beside a vector operation goes to R1.
    assert_eq!(needs("MUL R2, v0, c[0] + RCP R1.w, v0.w\nMUL oPos, R1.w, v0"), Some(0));
}

#[test]
fn branches_hold_up_their_own_thread_alone() {
    let text = "BRA 1\nMOV o[0], v[0]";
    let program = asm::parse(Generation::Rankine, text).unwrap();
    let path = Path::new(Generation::Rankine, Reading::default(), &program, [0, 1]);
    let report = |vertices, early| {
        let timing = Timing::of(Family::Rankine).with_vertices(vertices).with("branch", early);
        Report::new(&Pipeline::new(timing), std::slice::from_ref(&path))
    };
    assert_eq!(report(5, 0).clocks_per_vertex(), 2.0);
    // Four clocks from the branch's first stage to its last one.
    assert_eq!(report(1, 0).clocks_per_vertex(), 5.0);
    let behind = report(1, 0).slots[&1];
    assert_eq!(behind.waits, Waits { branches: 3 * behind.runs, ..Waits::default() });
    // In the second stage nothing is lost; two stages behind it two clocks are.
    assert_eq!([report(1, 3), report(1, 1)].map(|report| report.clocks_per_vertex()), [2.0, 4.0]);
}

#[test]
fn vertices_of_different_paths_cost_their_mean() {
    let program = asm::parse(Generation::Rankine, "BRA 2 (LT.x)\nMOV oD0, v1\nMOV oPos, v0").unwrap();
    let path =
        |slots: &[usize]| Path::new(Generation::Rankine, Reading::default(), &program, slots.iter().copied());
    let report = Report::new(&Pipeline::of(Family::Rankine), &[path(&[0, 1, 2]), path(&[0, 2])]);
    assert_eq!((report.clocks_per_vertex(), report.waits_per_vertex()), (2.5, 0.0));
}

#[test]
fn more_vertices_than_are_useful_change_nothing() {
    let text = "MOV R0, v[0]\nBRA 2\nADD R1, R0, R0\nMUL o[0], R1, R0";
    let program = asm::parse(Generation::Rankine, text).unwrap();
    let path =
        |slots: &[usize]| Path::new(Generation::Rankine, Reading::default(), &program, slots.iter().copied());
    let paths = [path(&[0, 1, 2, 3]), path(&[0, 1, 3])];
    for (stages, delay) in [(2, 0), (3, 0), (5, 0), (5, 3), (9, 1)] {
        let pipeline = of(Family::Rankine, &[("stages", stages), ("delay", delay)]);
        let most = pipeline.most_useful_vertices();
        for vertices in [most, most + 1, 2 * most + 1] {
            let timing = pipeline.timing.clone().with_vertices(2 * vertices as u16);
            let timing = timing.with("vertices", vertices as u16);
            let (mut free, mut counted) = (0, 0);
            let clocks = Pipeline::new(timing).run(&paths, 6 * most, |issue| {
                // The first one waits for its attributes, and the last vertices have no company.
                if counted > 0 && issue.vertex < 2 * most {
                    assert_eq!(issue.leaves, free + 1, "{vertices} vertices, {pipeline:?}");
                }
                counted += 1;
                free = issue.leaves;
            });
            assert!(clocks >= counted);
        }
    }
}

#[test]
fn long_paths_are_run_a_few_times() {
    let program = asm::parse(Generation::Rankine, "MOV R0, v[0]\nMUL o[0], R0, R0").unwrap();
    let path = |steps: usize| {
        Path::new(Generation::Rankine, Reading::default(), &program, (0..steps).map(|step| step % 2))
    };
    let paths: Vec<Path> = (0..64).map(|at| path(20_000 + at)).collect();
    let steps: usize = paths.iter().map(|path| path.steps.len()).sum();
    let report = Report::new(&Pipeline::of(Family::Rankine), &paths);
    assert!(report.instructions <= 2 * steps as u64, "{} of {steps}", report.instructions);
    assert_eq!(report.waits_per_vertex(), 0.0);
    assert!((report.clocks_per_vertex() - 20_031.5).abs() < 1.0, "{}", report.clocks_per_vertex());
}

#[test]
fn hostile_parameters_are_defined() {
    let empty = Path { steps: Vec::new(), attributes: 3, outputs: 2 };
    let all = [vec![], vec![empty.clone()], vec![empty, path(PAIR)], vec![path(PAIR)]];
    for parameter in PARAMETERS.iter().filter(|parameter| parameter.choice(Some(Family::Kelvin)).is_some()) {
        for value in [*parameter.allowed.start(), *parameter.allowed.end()] {
            let pipeline = unit(&[(parameter.name, value)]);
            for paths in &all {
                let report = Report::new(&pipeline, paths);
                assert!(report.clocks >= report.instructions, "{} {value}", parameter.name);
                let text = Diagram::new(&pipeline, paths, 9, 20, |slot| slot.to_string()).to_string();
                assert!(text.starts_with("# clock"));
            }
        }
    }
}
