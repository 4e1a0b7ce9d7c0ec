//! Wide code that is evaluated instead of executed: every width on every host, and the evaluator against the processor.
#![cfg(all(target_arch = "x86_64", feature = "wide"))]

use xfjit::backend::{Backend, Interp};
use xfjit::runtime::fpenv::FpEnv;
use xfjit::{Generation, Worker};
use xfjit_native::x64::{Width, codes};
use xfjit_native::{Budget, Jit};
use xfjit_testing::case::{Ran, Refusal};
use xfjit_testing::check::difference;
use xfjit_testing::x86::Code;
use xfjit_testing::{
    Case, Choices, FixedCase, FlipperCase, Limits, RandomCase, RandomFixed, RandomFlipper, check_layouts_on,
    x86,
};

/// A width, evaluated, and executed if this machine has it.
struct Both {
    evaluated: Jit,
    executed: Option<Jit>,
    worker: Worker,
}

impl Both {
    fn of(width: Width) -> Self {
        let evaluated = x86::evaluated(width).expect("a code generator");
        let executed = Jit::cranelift().and_then(|jit| jit.budget(Budget::UNLIMITED).wide(width)).ok();
        assert_eq!(executed.is_some(), width.is_here());
        Both { evaluated, executed, worker: Worker::new() }
    }

    /// Runs a case and compares it with the reference, and with the code where that is executed: there also what has been left to the
    /// interpreter. Tells whether it was run; what is too large may be refused.
    fn agree(&mut self, case: &Case) -> bool {
        let want = case.run(&Interp::Single, &mut self.worker).expect("the reference runs every case");
        let Some(got) = run(&self.evaluated, case, &mut self.worker) else { return false };
        let name = self.evaluated.name();
        if let Some((what, _)) = difference(&case.placement(), &want, &got) {
            panic!("{name}: {what}\n{case}");
        }
        assert_eq!(case.stray_write(&got.output), None, "{name}\n{case}");
        if let Some(executed) = &self.executed {
            let native = run(executed, case, &mut self.worker).expect("both are of one function");
            assert_eq!(native.outcome, got.outcome, "{name}\n{case}");
            assert!(native.output == got.output, "{name}\n{case}");
        }
        true
    }
}

fn run(backend: &dyn Backend, case: &Case, worker: &mut Worker) -> Option<Ran> {
    match case.run(backend, worker) {
        Err(Refusal::Compile(error)) if error.is_limit() => None,
        result => Some(result.unwrap_or_else(|refusal| panic!("{}: {refusal}\n{case}", backend.name()))),
    }
}

/// As many random programs of each generation as `XFJIT_EVALUATED` says, from seed `XFJIT_SEED` on, on streams in all forms, and half
/// as many configurations of each family.
fn random_cases_match_the_reference(width: Width) {
    let variable = |name| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let first = variable("XFJIT_SEED").unwrap_or(0);
    let count = variable("XFJIT_EVALUATED").unwrap_or(40);
    let mut both = Both::of(width);
    let mut ran = 0;
    for seed in first..first + count {
        for &generation in Generation::ALL {
            let mut c = Choices::seed(seed);
            let limits = Limits::choose(&mut c, generation);
            let mut case = Case::within(&mut c, limits);
            ran += u64::from(both.agree(&case));
            check_layouts_on(&[&both.evaluated], &case, &mut c, &mut both.worker);
            case.config.constant_writes ^= seed % 4 == 0;
            both.agree(&case);
        }
    }
    assert!(ran * 10 >= count * 3 * 9, "{ran} of {} programs ran", count * 3);
    for seed in first..first + count / 2 {
        let vertices = 1 + seed as usize % 33;
        for family in xfjit_testing::FAMILIES {
            let case = FixedCase::choose(&mut Choices::seed(seed), family, None, vertices);
            let checked = case.check(&[&both.evaluated], &mut both.worker);
            checked.unwrap_or_else(|mismatch| panic!("seed {seed}: {mismatch}"));
        }
        let case = FlipperCase::choose_flipper(&mut Choices::seed(seed), vertices);
        let checked = case.check_flipper(&[&both.evaluated], &mut both.worker);
        checked.unwrap_or_else(|mismatch| panic!("seed {seed}: {mismatch}"));
    }
    // If everything fell back to other code, nothing would have been evaluated. Forms that read a word for all lanes are rare.
    let (prefix, vectors) = match width {
        Width::Eight => ("VEX", "ymm"),
        Width::EightEvex => ("EVEX", "ymm"),
        Width::Sixteen => ("EVEX", "zmm"),
    };
    let is_of_width = |name: String| name.starts_with(prefix) && name.contains(vectors);
    let of_width = || codes().filter(|code| is_of_width(format!("{code:?}")));
    let never: Vec<_> = of_width().filter(|&code| !x86::was_executed(code)).collect();
    println!(
        "{}: {} forms, of which it has not executed {never:?}",
        both.evaluated.name(),
        of_width().count()
    );
    assert!(never.len() * 2 < of_width().count(), "{never:?}");
}

#[test]
fn wide8_matches_the_reference() {
    random_cases_match_the_reference(Width::Eight);
}

#[test]
fn wide8e_matches_the_reference() {
    random_cases_match_the_reference(Width::EightEvex);
}

#[test]
fn wide16_matches_the_reference() {
    random_cases_match_the_reference(Width::Sixteen);
}

/// Batches that are split between code of two widths.
#[test]
fn wide16_with_wide8e_for_few_vertices_matches_the_reference() {
    let (mut worker, mut ran) = (Worker::new(), 0);
    let backend = x86::evaluated_of_two().expect("a code generator");
    for seed in 0..60 {
        let mut c = Choices::seed(seed);
        let limits = Limits::choose(&mut c, Generation::ALL[seed as usize % 3]);
        let mut case = Case::within(&mut c, limits);
        case.config.constant_writes = seed % 5 == 0;
        let want = case.run(&Interp::Single, &mut worker).expect("the reference runs every case");
        let Some(got) = run(&backend, &case, &mut worker) else { continue };
        ran += 1;
        if let Some((what, _)) = difference(&case.placement(), &want, &got) {
            panic!("{what}\n{case}");
        }
    }
    assert!(ran > 50, "{ran}");
}

/// Code that reads a byte behind what is lent, writes what is lent to be read, or leaves itself, is stopped.
#[test]
fn code_touches_nothing_but_what_it_is_lent() {
    let memory = [7, 0, 0, 0, 0, 0, 0, 0];
    let run = |code: &[u8], distance: usize| {
        let mut cpu = x86::Cpu::new(FpEnv::Default);
        cpu.general[7] = memory.as_ptr().expose_provenance().wrapping_add(distance) as u64;
        let mut memory = x86::Memory::new(&[&memory], &mut []);
        x86::run(&mut x86::State { cpu: &mut cpu, memory: &mut memory }, code)
    };
    // mov rax, [rdi] and ret
    let load = [0x48, 0x8b, 0x07, 0xc3];
    assert_eq!(run(&load, 0), Ok(7));
    for distance in [1, 8, usize::MAX] {
        let error = run(&load, distance).expect_err("one byte of it is not lent");
        assert!(error.contains("mov rax") && error.contains("it reads 8 bytes"), "{error}");
    }
    // mov [rdi], rax
    let error = run(&[0x48, 0x89, 0x07, 0xc3], 0).expect_err("it is lent to be read");
    assert!(error.contains("it writes 8 bytes"), "{error}");
    // mov rax, [rdi] alone, and a jump to before the code
    for code in [&load[..3], &[0xe9, 0, 0, 0, 0x80]] {
        let error = run(code, 0).expect_err("nothing returns");
        assert!(error.contains("outside of the code"), "{error}");
    }
}

/// Instructions of the same operands are told from each other.
#[test]
fn what_another_instruction_does_is_a_difference() {
    let pairs = [
        (Code::Add_r64_rm64, Code::Sub_r64_rm64),
        (Code::Add_rm64_imm8, Code::Cmp_rm64_imm8),
        (Code::Cmp_r64_rm64, Code::Sub_r64_rm64),
        (Code::Shl_rm64_imm8, Code::Shr_rm64_imm8),
        (Code::Ja_rel32_64, Code::Jb_rel32_64),
        (Code::Je_rel32_64, Code::Jne_rel32_64),
        (Code::VEX_Vaddps_ymm_ymm_ymmm256, Code::VEX_Vsubps_ymm_ymm_ymmm256),
        (Code::VEX_Vmulps_ymm_ymm_ymmm256, Code::VEX_Vdivps_ymm_ymm_ymmm256),
        (Code::VEX_Vmaxps_ymm_ymm_ymmm256, Code::VEX_Vminps_ymm_ymm_ymmm256),
        (Code::VEX_Vfmadd231ps_ymm_ymm_ymmm256, Code::VEX_Vaddps_ymm_ymm_ymmm256),
        (Code::VEX_Vmulpd_ymm_ymm_ymmm256, Code::VEX_Vfmadd231pd_ymm_ymm_ymmm256),
        (Code::VEX_Vpcmpeqd_ymm_ymm_ymmm256, Code::VEX_Vpcmpgtd_ymm_ymm_ymmm256),
        (Code::VEX_Vpor_xmm_xmm_xmmm128, Code::VEX_Vpxor_xmm_xmm_xmmm128),
        (Code::VEX_Vunpcklps_ymm_ymm_ymmm256, Code::VEX_Vunpcklpd_ymm_ymm_ymmm256),
        (Code::VEX_Vmovups_xmmm128_xmm, Code::VEX_Vmovss_m32_xmm),
    ];
    for (code, other) in pairs.into_iter().filter(|&(code, _)| x86::is_here(code)) {
        let is_told = (0..100).any(|seed| x86::compare_with_another(code, other, seed).is_err());
        assert!(is_told, "{code:?} is taken for {other:?}");
    }
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
