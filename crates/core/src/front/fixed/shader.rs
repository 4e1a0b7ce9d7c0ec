//! A configuration of the fixed function as a [`Shader`].

use super::{Setup, lower};
use crate::chip::memory;
use crate::interp::Evaluator;
use crate::interp::fixed::Plan;
use crate::interp::gradual::{Gradual, Quick};
use crate::ir::func::Func;
use crate::ir::imm::Element;
use crate::ir::ops::Op;
use crate::opt;
use crate::shader::{Fallback, FrontEnd, ProgramInfo, Shader};
use std::sync::Arc;
use xfjit_runtime::batch::Layout;
use xfjit_runtime::fpenv::FpEnv;

impl From<Setup> for Shader {
    fn from(setup: Setup) -> Self {
        Shader::new(setup)
    }
}

/// The plan of the function as lowering makes it, without what is dead. It runs longer than that of a simplified one, and is made in
/// half of the time.
#[derive(Debug)]
struct Rough {
    setup: Setup,
    plan: Plan,
}

impl Rough {
    fn new(setup: &Setup) -> Self {
        let func = FpEnv::Default.within(|| opt::dce::run(lower(setup)));
        Rough { setup: *setup, plan: Plan::new(&func) }
    }
}

impl Quick for Rough {
    const VERTICES: usize = 256;

    fn form(&self) -> &dyn Fallback {
        &self.plan
    }

    fn plan(&self) -> Plan {
        Plan::new(&opt::simplify(lower(&self.setup)))
    }
}

impl Setup {
    /// The function of the reference: simplified IR without dead instructions.
    fn evaluated(&self) -> Func {
        // Rebuilding the function drops dead instructions.
        opt::gvn::run(opt::simplify(lower(self)))
    }
}

impl FrontEnd for Setup {
    fn canonical(&self) -> Arc<dyn FrontEnd> {
        Arc::new(Setup::canonical(self))
    }

    /// The function of a configuration is never long.
    fn lower_within(&self, _: usize) -> Option<Func> {
        Some(lower(self))
    }

    /// The evaluated IR: there are no instructions to interpret.
    fn reference(&self) -> Arc<dyn Fallback> {
        Arc::new(Evaluator::new(self.evaluated()))
    }

    fn fallback(&self, lowered: Option<Func>) -> Arc<dyn Fallback> {
        match lowered {
            Some(func) => Arc::new(Plan::new(&opt::simplify(func))),
            None => Arc::new(Gradual::new(Rough::new(self))),
        }
    }

    /// Which they are is only known of the function.
    fn live_inputs(&self) -> u16 {
        u16::MAX
    }

    fn layout(&self) -> Layout {
        self.layout
    }

    fn rows(&self) -> usize {
        memory::rows(self.mode.pipeline())
    }

    fn live_outputs(&self) -> u32 {
        self.live_outputs & self.outputs()
    }

    fn written_outputs(&self) -> u32 {
        self.outputs()
    }

    /// Inputs and constants are those of the live outputs: others are not lowered.
    fn info(&self) -> ProgramInfo {
        let func = self.evaluated();
        let (inputs, outputs) = (func.live_inputs(), self.written());
        let mut info = ProgramInfo { inputs, outputs, ..ProgramInfo::NOTHING };
        for inst in func.insts.iter().filter(|inst| inst.op == Op::Ctx) {
            info.constants_read.insert(inst.immediate::<Element>().row);
        }
        info
    }

    fn name(&self) -> &'static str {
        self.mode.pipeline().name()
    }
}
