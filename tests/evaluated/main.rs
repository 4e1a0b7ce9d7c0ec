//! Wide code that is evaluated instead of executed: every width on every host, and the evaluator against the processor.
#![cfg(all(target_arch = "x86_64", feature = "wide"))]

use xfjit::backend::{Backend, Interp};
use xfjit::native::wide::{Width, codes};
use xfjit::testing::case::Refusal;
use xfjit::testing::check::difference;
use xfjit::testing::{Case, Choices, Limits, x86};
use xfjit::{Generation, Worker};

/// Runs a case on a backend and compares it with the reference; whether it was run. What is too large may be refused.
fn agrees(backend: &dyn Backend, case: &Case, worker: &mut Worker) -> bool {
    let want = case.run(&Interp::Single, worker).expect("the reference runs every case");
    let got = match case.run(backend, worker) {
        Err(Refusal::Compile(error)) if error.is_limit() => return false,
        result => result.unwrap_or_else(|refusal| panic!("{}: {refusal}\n{case}", backend.name())),
    };
    if let Some((what, _)) = difference(&case.placement(), &want, &got) {
        panic!("{}: {what}\n{case}", backend.name());
    }
    assert_eq!(case.stray_write(&got.output), None, "{}\n{case}", backend.name());
    true
}

/// As many random programs of each generation as `XFJIT_EVALUATED` says, from seed `XFJIT_SEED` on.
fn random_programs_match_the_reference(width: Width) {
    let variable = |name| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let first = variable("XFJIT_SEED").unwrap_or(0);
    let count = variable("XFJIT_EVALUATED").unwrap_or(60);
    let backend = x86::evaluated(width).expect("a code generator");
    let mut worker = Worker::new();
    let mut ran = 0;
    for seed in first..first + count {
        for &generation in Generation::ALL {
            let mut c = Choices::seed(seed);
            let limits = Limits::choose(&mut c, generation);
            ran += u64::from(agrees(&backend, &Case::within(&mut c, limits), &mut worker));
        }
    }
    assert!(ran * 10 >= count * 3 * 9, "{ran} of {} programs ran", count * 3);
    // If everything fell back to other code, nothing would have been evaluated.
    let vectors = if width == Width::Sixteen { "zmm" } else { "ymm" };
    let of_width = || codes().filter(|code| format!("{code:?}").contains(vectors));
    let never: Vec<_> = of_width().filter(|&code| !x86::was_executed(code)).collect();
    println!("{}: never executed {never:?}", backend.name());
    assert!(never.len() * 4 < of_width().count(), "{never:?}");
}

#[test]
fn wide8_matches_the_reference() {
    random_programs_match_the_reference(Width::Eight);
}

#[test]
fn wide8e_matches_the_reference() {
    random_programs_match_the_reference(Width::EightEvex);
}

#[test]
fn wide16_matches_the_reference() {
    random_programs_match_the_reference(Width::Sixteen);
}

/// Every row of the emitter's table on registers and memory full of odd numbers, in both environments.
#[test]
fn every_instruction_does_what_the_processor_does() {
    let (mut native, mut faults) = (0, Vec::new());
    for code in codes() {
        native += usize::from(x86::is_here(code));
        faults.extend((0..400).filter_map(|seed| x86::compare_with_processor(code, seed).err()).take(2));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(native > 70, "the processor has {native} of them");
}
