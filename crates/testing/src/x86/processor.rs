//! Wide code that is evaluated, as a back end.

use super::cpu::Cpu;
use super::memory::Memory;
use super::state::State;
use super::step::{MOST, run_within};
use crate::backend::Backend;
use crate::native::x64::Width;
use crate::native::{Budget, CodeCall, Jit, Processor};
use std::sync::Arc;
use xfjit_runtime::fpenv::FpEnv;

/// Executes code by evaluating its instructions.
#[derive(Debug)]
struct Evaluator {
    name: &'static str,
    /// Instructions of a call at most.
    most: u64,
}

/// Registers that a function gives back as they were: RBX, RSP, RBP, R12 to R15.
const CALLEE_SAVED: [usize; 7] = [3, 4, 5, 12, 13, 14, 15];

impl Processor for Evaluator {
    fn name(&self) -> &'static str {
        self.name
    }

    fn call(&self, mut call: CodeCall<'_, '_, '_>) -> u64 {
        let (code, arguments) =
            (call.code, [call.vertices.start, call.vertices.end].map(|vertex| vertex as u64));
        let mut cpu = Cpu::full(call.env);
        let address = |pointer: usize| pointer as u64;
        cpu.general[7] = address(call.constants.base().expose_provenance());
        cpu.general[6] = address(call.streams.io(call.vertices.len()).expose_provenance());
        [cpu.general[2], cpu.general[1]] = arguments;
        let before = cpu.general;
        let mut memory = Memory::of_call(&mut call);
        let mut state = State { cpu: &mut cpu, memory: &mut memory };
        let result = FpEnv::Default.within(|| run_within(&mut state, code, self.most));
        let result = result.unwrap_or_else(|error| panic!("{}: {error}", self.name()));
        for register in CALLEE_SAVED {
            assert_eq!(
                cpu.general[register],
                before[register],
                "{}: register {register} is lost",
                self.name()
            );
        }
        result
    }
}

/// Wide code of a width, evaluated whether this machine has it or not; what it refuses is Cranelift's. Nothing on a machine for which
/// there is no native code.
pub fn evaluated(width: Width) -> Option<Jit> {
    evaluated_within(width, MOST)
}

/// Likewise, for code that may not end: a call panics that has not returned after so many instructions.
pub fn evaluated_within(width: Width, most: u64) -> Option<Jit> {
    let jit = Jit::cranelift().ok()?.budget(Budget::UNLIMITED);
    let name = match width {
        Width::Eight => "wide8 evaluated",
        Width::EightEvex => "wide8e evaluated",
        Width::Sixteen => "wide16 evaluated",
    };
    Some(jit.wide_on(width, Some(1), Arc::new(Evaluator { name, most })))
}

/// What machines with the longest vectors run by default: code for these, and for vectors of half the length where batches would not fill
/// them. Evaluated, likewise.
pub fn evaluated_of_two() -> Option<Jit> {
    let jit = Jit::cranelift().ok()?.budget(Budget::UNLIMITED);
    Some(jit.wide_on(
        Width::Sixteen,
        None,
        Arc::new(Evaluator { name: "wide16 and wide8e evaluated", most: MOST }),
    ))
}

/// Wide code of the widths that this machine lacks.
pub fn evaluated_wide() -> Vec<Arc<dyn Backend>> {
    let widths = Width::ALL.iter().filter(|width| !width.is_here());
    widths.filter_map(|&width| Some(Arc::new(evaluated(width)?) as Arc<dyn Backend>)).collect()
}
