//! Code for AArch64 passes both checkers; code that has been damaged does not.

mod bytes;
pub(in super::super::super) mod objdump;

use super::super::made::Made;
use super::super::steps::Insn as _;
use super::{Access, Bank, Does, Insn, Moved, ROWS, decode};
use crate::Target;
use crate::ir::func::Func;
use crate::ir::parse::parse;
use crate::machine::Machine;
use crate::samples::functions;
use xfjit_runtime::batch::Layout;

/// As many programs as make functions of every kind.
const PROGRAMS: u64 = 24;

/// What the decoder knows of a word, for the test of the emitter's table.
pub(in super::super::super) struct Known {
    /// The row's text.
    pub(in super::super::super) text: &'static str,
    /// Registers: the first, those at bits 5, 16 and 10.
    pub(in super::super::super) registers: [usize; 4],
    /// Whether it reads the register that it writes.
    pub(in super::super::super) accumulates: bool,
    /// The word that it puts into all lanes.
    pub(in super::super::super) word: Option<u32>,
}

impl Known {
    pub(in super::super::super) fn of(word: u32) -> Option<Known> {
        let insn = Insn::of(0, word)?;
        let word = match insn.does() {
            Does::Literally(immediate) => Some(insn.words(immediate)).filter(|[even, odd]| even == odd),
            _ => None,
        };
        Some(Known {
            text: insn.row.text,
            registers: [insn.d(), insn.n(), insn.m(), insn.a()],
            accumulates: insn.does() == Does::Three,
            word: word.map(|[even, _]| even),
        })
    }
}

impl Made {
    /// The instructions that control reaches, in their order.
    fn insns(&self) -> Vec<Insn> {
        decode(&self.bytes).expect("it is code").steps.iter().map(|step| step.insn).collect()
    }

    /// Checks the code with another word in the place of an instruction.
    fn check_with(&self, insn: &Insn, word: u32) -> Result<(), String> {
        let mut bytes = self.bytes.clone();
        let at = insn.at as usize;
        bytes[at..at + size_of::<u32>()].copy_from_slice(&word.to_le_bytes());
        self.check(&bytes)
    }
}

/// Code for functions of every kind: by both of Cranelift's register allocators, and of our own emitter.
fn compiled(programs: u64) -> Vec<Made> {
    let target = Target::named("aarch64").expect("it has native code");
    let functions: Vec<(Func, Layout)> = functions(programs, &Machine::AARCH64).collect();
    let mut all = Made::of_cranelift(&target, &functions);
    all.extend(Made::of_a64(&functions));
    all
}

#[test]
fn what_is_compiled_passes() {
    let all = compiled(60);
    assert!(all.len() > 40, "{}", all.len());
    let start = std::time::Instant::now();
    for made in &all {
        assert_eq!(made.check(&made.bytes), Ok(()), "{}", made.func);
    }
    let count: usize = all.iter().map(|made| made.insns().len()).sum();
    println!("{count} instructions in {:?}", start.elapsed());
}

/// The OR of a value and itself is a move, so it is no code of its own for whoever reads both. (A fuzzer has found it.)
#[test]
fn an_operation_that_moves_is_read_through_its_operand() {
    let lines = [
        "func host ieee rankine_modern window 0..192 {",
        "body:",
        "  %0 = ctx c[8].y",
        "  %1 = promote %0",
        "  %2 = or %0, %0",
        "  %3 = fmul %0, %2",
        "  %4 = feq %3, %3",
        "}",
    ];
    let text = lines.join("\n") + "\n";
    let func = parse(&text).expect("it is a function");
    let made = Made::of_a64(&[(func, Layout::Rows)]);
    assert_eq!(made.len(), 1);
    assert_eq!(made[0].check(&made[0].bytes), Ok(()));
}

/// Rows are no more than what code has.
#[test]
fn code_has_most_rows() {
    let all = compiled(60);
    let mut known: Vec<&str> = Vec::new();
    for insn in all.iter().flat_map(Made::insns) {
        if !known.contains(&insn.row.text) {
            known.push(insn.row.text);
        }
    }
    let unknown: Vec<&str> = ROWS.iter().map(|row| row.text).filter(|text| !known.contains(text)).collect();
    println!("not there: {unknown:?}");
    assert!(unknown.len() < 30, "{unknown:?}");
}

/// Whether an instruction leaves a vector in its first register, and is none that gives registers back.
fn writes_vector(insn: &Insn) -> bool {
    match insn.does() {
        Does::Load(Bank::Vector, _, access) => {
            !matches!(access, Access::Pair | Access::Pop | Access::PopPair)
        }
        Does::Move(moved) => moved != Moved::ToInteger,
        does => is_of_vectors(insn) || matches!(does, Does::Literally(_)),
    }
}

/// On leaving early a register may have been left alone, but not on all ways.
#[test]
fn callee_saved_registers_come_back() {
    let mut count = 0;
    for made in compiled(PROGRAMS).iter().step_by(3) {
        let is_pop = |insn: &Insn| match insn.does() {
            Does::Load(_, _, Access::Pop | Access::PopPair) => true,
            // Those of scratch memory are what our own emitter has saved there.
            Does::Load(_, _, Access::Pair) => insn.n() == 4,
            _ => false,
        };
        let insns = made.insns();
        // Registers that are saved for values may find none.
        let is_in_use = |insn: &Insn| match insn.does() {
            Does::Load(Bank::Vector, _, Access::Pair) => {
                insns.iter().any(|other| writes_vector(other) && other.d() == insn.d())
            }
            _ => true,
        };
        for register in 0..32 {
            let mut bytes = made.bytes.clone();
            for insn in insns.iter().filter(|insn| is_pop(insn) && insn.d() == register && is_in_use(insn)) {
                // Of another register that code may change.
                let wrong = insn.word & !31 | 3;
                bytes[insn.at as usize..][..size_of::<u32>()].copy_from_slice(&wrong.to_le_bytes());
            }
            if bytes != made.bytes {
                assert!(made.check(&bytes).is_err(), "register {register}\n{}", made.func);
                count += 1;
            }
        }
    }
    assert!(count > 50, "{count}");
}

/// A change of an instruction: another word, if it changes anything.
type Change = fn(&Insn) -> Option<u32>;

/// Whether an instruction accesses memory at a register and a distance of scaled bytes.
fn is_scaled(insn: &Insn) -> bool {
    matches!(insn.does(), Does::Load(_, _, Access::Scaled) | Does::Store(_, _, Access::Scaled))
}

/// Changes that lead out of the memory that code may use, out of the code, or behind the last group.
const DAMAGE: &[(&str, Change)] = &[
    ("a distance that is too great", |insn| is_scaled(insn).then_some(insn.word | 0xfff << 10)),
    ("another base", |insn| {
        let has_base = match insn.does() {
            Does::Load(_, _, access) => access != Access::Literal,
            does => matches!(does, Does::Store(..)),
        };
        let is_access = has_base && insn.n() != 31;
        // A register of which nothing is known, since code has no use for it.
        is_access.then_some(insn.word & !(31 << 5) | 18 << 5)
    }),
    ("a jump out of the code", |insn| match insn.does() {
        Does::Jump => Some(insn.word & !0x3ff_ffff | 0x1ff_fff0),
        Does::Branch => Some(insn.word & !(0x7_ffff << 5) | 0x3_fff0 << 5),
        _ => None,
    }),
    ("groups behind the last one", |insn| {
        let goes_on = insn.does() == Does::Branch && matches!(insn.condition(), 2 | 3 | 8 | 9);
        goes_on.then_some(insn.word ^ 1)
    }),
    ("a callee-saved register that another one is given", |insn| match insn.does() {
        Does::Load(_, _, Access::Pop | Access::PopPair) => Some(insn.word ^ 1),
        _ => None,
    }),
    ("one that another one is given from scratch memory", |insn| match insn.does() {
        Does::Load(_, _, Access::Pair) if insn.n() == 4 => Some(insn.word ^ 1),
        _ => None,
    }),
    ("one that is given back from another place", |insn| match insn.does() {
        Does::Load(_, _, Access::Pair) if insn.n() == 4 => Some(insn.word ^ 1 << 16),
        _ => None,
    }),
    ("one that is not saved", |insn| match insn.does() {
        Does::Store(_, _, Access::Pair) => Some(insn.word ^ 1),
        _ => None,
    }),
    ("a stack pointer that is not level", |insn| match insn.does() {
        Does::Level { .. } => Some(insn.word ^ 1 << 14),
        _ => None,
    }),
    ("another environment", |insn| {
        // msr fpcr, x0
        matches!(insn.does(), Does::Two(_)).then_some(0xd51b_4400)
    }),
];

#[test]
fn damaged_code_is_refused() {
    let all: Vec<Made> = compiled(PROGRAMS).into_iter().step_by(3).collect();
    for (what, change) in DAMAGE {
        let mut count = 0;
        for made in &all {
            let insns: Vec<(Insn, u32)> =
                made.insns().iter().filter_map(|insn| Some((*insn, change(insn)?))).collect();
            let step = 1 + insns.len() / 30;
            for (insn, word) in insns.iter().step_by(step).filter(|(insn, word)| insn.word != *word) {
                assert!(made.check_with(insn, *word).is_err(), "{what}: {}\n{}", insn.text(), made.func);
                count += 1;
            }
        }
        assert!(count > 30, "{what}: {count}");
    }
}

/// Whether an instruction computes a vector or moves words of vectors, so that its fields are registers of these.
fn is_of_vectors(insn: &Insn) -> bool {
    matches!(insn.does(), Does::One(_) | Does::Two(_) | Does::Three | Does::Or)
}

fn is_spill(insn: &Insn) -> bool {
    matches!(
        insn.does(),
        Does::Load(Bank::Vector, 16, Access::Scaled) | Does::Store(Bank::Vector, 16, Access::Scaled)
    )
}

/// Changes of instructions that compute, and of how many in a hundred the checkers find that values are elsewhere then. The others are mostly
/// no faults: both registers hold the value, or what is lost is not read.
const ELSEWHERE: &[(&str, usize, Change)] = &[
    ("another register is read", 90, |insn| is_of_vectors(insn).then_some(insn.word ^ 1 << 5)),
    ("another second register is read", 90, |insn| {
        matches!(insn.does(), Does::Two(_) | Does::Three).then_some(insn.word ^ 1 << 16)
    }),
    ("another register is written", 90, |insn| is_of_vectors(insn).then_some(insn.word ^ 1)),
    ("a vector comes from another place", 75, |insn| {
        (is_spill(insn) && matches!(insn.does(), Does::Load(..))).then_some(insn.word ^ 1 << 10)
    }),
    ("a vector goes to another place", 90, |insn| {
        (is_spill(insn) && matches!(insn.does(), Does::Store(..))).then_some(insn.word ^ 1 << 10)
    }),
];

#[test]
fn values_that_are_elsewhere_are_found() {
    let all = compiled(PROGRAMS);
    for (what, share, change) in ELSEWHERE {
        let (mut count, mut found) = (0, 0);
        for made in &all {
            let insns: Vec<(Insn, u32)> = made
                .insns()
                .iter()
                .filter(|insn| made.computes(insn.at))
                .filter_map(|insn| Some((*insn, change(insn)?)))
                .collect();
            let step = 1 + insns.len() / 40;
            for (insn, word) in insns.iter().skip(count % step).step_by(step) {
                count += 1;
                found += usize::from(made.check_with(insn, *word).is_err());
            }
        }
        println!("{what}: {found} of {count}");
        assert!(count > 100 && found * 100 >= count * share, "{what}: {found} of {count}");
    }
}

/// Bits that are turned make no checker panic, and most of them are found.
#[test]
fn turned_bits_are_refused_or_not() {
    let (mut count, mut found) = (0usize, 0);
    for made in compiled(PROGRAMS).iter().step_by(5) {
        let insns = made.insns();
        let step = 1 + insns.len() / 12;
        for insn in insns.iter().skip(count % step).step_by(step) {
            for bit in 0..u32::BITS {
                count += 1;
                found += usize::from(made.check_with(insn, insn.word ^ 1 << bit).is_err());
            }
        }
    }
    println!("{found} of {count}");
    assert!(count > 2_000 && found * 100 >= count * 70, "{found} of {count}");
}
