//! The examples that a description of the GeForce 3 draws, and what follows from the rules of docs/spec/timing.md.

use super::*;
use crate::asm;
use crate::isa::{Generation, Program, Reading};

fn program(text: &str) -> Program {
    asm::parse(Generation::Kelvin, text).unwrap()
}

fn path(text: &str) -> Path {
    Path::straight(Generation::Kelvin, Reading::default(), &program(text))
}

/// What an instruction needs of the one before it.
const PAIR: &str = "ADD R1, c[2], v3\nMUL oD0, R1, c[5]";

fn diagram(threads: usize) -> String {
    let program = program(PAIR);
    let text = |slot: usize| asm::print_insn(Generation::Kelvin, &program.insns[slot]);
    let pipeline = Pipeline { threads, ..Pipeline::default() };
    Diagram::new(&pipeline, &[path(PAIR)], threads, 14, text).to_string()
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
fn a_full_pipeline_takes_one_clock_an_instruction() {
    let report = Report::new(&Pipeline::default(), &[path(PAIR)]);
    assert_eq!((report.clocks_per_vertex(), report.waits_per_vertex()), (2.0, 0.0));
    // Without company: two instructions, two clocks of waiting, and the rest of the pipeline.
    assert_eq!(report.latency, 8);
    assert_eq!(report.threads_needed, 3);
    let alone = Report::new(&Pipeline { threads: 1, ..Pipeline::default() }, &[path(PAIR)]);
    assert_eq!((alone.clocks_per_vertex(), alone.waits_per_vertex()), (4.0, 2.0));
    assert_eq!(alone.slots[&1].waits, 2 * alone.slots[&1].runs);
    assert_eq!(alone.slots[&0].waits, 0);
}

#[test]
fn later_results_need_more_threads() {
    let needed =
        |delay| Report::new(&Pipeline { delay, ..Pipeline::default() }, &[path(PAIR)]).threads_needed;
    assert_eq!([0, 1, 2].map(needed), [3, 4, 5]);
}

#[test]
fn what_is_taken_from_an_earlier_instruction() {
    let needs = |text: &str| path(text).steps.last().unwrap().needs;
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
    let clocks = |threads| {
        let pipeline = Pipeline { threads, ..Pipeline::default() };
        Report::new(&pipeline, std::slice::from_ref(&path)).clocks_per_vertex()
    };
    assert_eq!(clocks(5), 2.0);
    // Four clocks from the branch's first stage to its last one.
    assert_eq!(clocks(1), 5.0);
    let pipeline = Pipeline { threads: 1, ..Pipeline::default() };
    assert_eq!(Report::new(&pipeline, std::slice::from_ref(&path)).slots[&1].unknown % 3, 0);
}

#[test]
fn vertices_of_different_paths_cost_their_mean() {
    let program = asm::parse(Generation::Rankine, "BRA 2 (LT.x)\nMOV oD0, v1\nMOV oPos, v0").unwrap();
    let path =
        |slots: &[usize]| Path::new(Generation::Rankine, Reading::default(), &program, slots.iter().copied());
    let report = Report::new(&Pipeline::default(), &[path(&[0, 1, 2]), path(&[0, 2])]);
    assert_eq!((report.clocks_per_vertex(), report.waits_per_vertex()), (2.5, 0.0));
}

#[test]
fn more_threads_than_are_useful_change_nothing() {
    let text = "MOV R0, v[0]\nBRA 2\nADD R1, R0, R0\nMUL o[0], R1, R0";
    let program = asm::parse(Generation::Rankine, text).unwrap();
    let path =
        |slots: &[usize]| Path::new(Generation::Rankine, Reading::default(), &program, slots.iter().copied());
    let paths = [path(&[0, 1, 2, 3]), path(&[0, 1, 3])];
    for (stages, delay) in [(2, 0), (3, 0), (5, 0), (5, 3), (9, 1)] {
        let stages: Vec<String> = (0..stages).map(|at| format!("S{at}")).collect();
        let pipeline = Pipeline { stages, threads: 1, delay };
        let most = pipeline.most_useful_threads();
        for threads in [most, most + 1, 2 * most + 1] {
            let (mut free, mut counted) = (0, 0);
            let clocks = Pipeline { threads, ..pipeline.clone() }.run(&paths, 6 * most, |issue| {
                // The last vertices have no company.
                if issue.vertex < 2 * most {
                    assert_eq!(issue.leaves, free + 1, "{threads} threads, {pipeline:?}");
                    counted += 1;
                }
                free = issue.leaves;
            });
            assert!(clocks > counted);
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
    let report = Report::new(&Pipeline { threads: 256, ..Pipeline::default() }, &paths);
    assert!(report.instructions <= 2 * steps as u64, "{} of {steps}", report.instructions);
    assert_eq!(report.waits_per_vertex(), 0.0);
    assert!((report.clocks_per_vertex() - 20_031.5).abs() < 1.0, "{}", report.clocks_per_vertex());
}

#[test]
fn hostile_parameters_are_defined() {
    let empty = Path { steps: Vec::new() };
    for stages in [2, 3, 40] {
        for threads in [0, 1, 3, 100] {
            let stages: Vec<String> = (0..stages).map(|at| format!("S{at}")).collect();
            let pipeline = Pipeline { stages, threads, delay: 7 };
            for paths in [vec![], vec![empty.clone()], vec![empty.clone(), path(PAIR)], vec![path(PAIR)]] {
                let report = Report::new(&pipeline, &paths);
                assert!(report.clocks >= report.instructions);
                let text = Diagram::new(&pipeline, &paths, 9, 20, |slot| slot.to_string()).to_string();
                assert!(text.starts_with("# clock"));
            }
        }
    }
}
