//! A configuration of Flipper as a [`Shader`].

use super::{Setup, lower::lower};
use crate::chip::flipper::rows;
use crate::interp::fixed::Plan;
use crate::interp::flipper::Unit;
use crate::interp::gradual::{Gradual, Quick};
use crate::ir::func::Func;
use crate::ir::imm::Element;
use crate::ir::ops::Op;
use crate::opt;
use crate::shader::{Fallback, FrontEnd, ProgramInfo, Rows, Shader};
use std::sync::Arc;
use xfjit_runtime::batch::Layout;

impl From<Setup> for Shader {
    fn from(setup: Setup) -> Self {
        Shader::new(setup)
    }
}

impl Quick for Unit {
    const VERTICES: usize = 256;

    fn form(&self) -> &dyn Fallback {
        self
    }

    fn plan(&self) -> Plan {
        let &Unit { transform, quirks, live_outputs, .. } = self;
        Plan::new(&opt::simplify(lower(&Setup { transform, quirks, live_outputs, layout: Layout::Rows })))
    }
}

impl Setup {
    /// The configuration as it runs vertex by vertex.
    pub(super) fn unit(&self) -> Unit {
        Unit {
            transform: self.transform,
            quirks: self.quirks,
            live_outputs: self.live_outputs & self.outputs(),
            live_inputs: self.live_inputs(),
        }
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

    fn reference(&self) -> Arc<dyn Fallback> {
        Arc::new(self.unit())
    }

    fn fallback(&self, lowered: Option<Func>) -> Arc<dyn Fallback> {
        match lowered {
            Some(func) => Arc::new(Plan::new(&opt::simplify(func))),
            None => Arc::new(Gradual::new(self.unit())),
        }
    }

    fn live_inputs(&self) -> u16 {
        Setup::live_inputs(self)
    }

    fn layout(&self) -> Layout {
        self.layout
    }

    fn rows(&self) -> usize {
        rows::ROWS
    }

    fn live_outputs(&self) -> u32 {
        self.live_outputs & self.outputs()
    }

    fn written_outputs(&self) -> u32 {
        self.outputs()
    }

    /// Inputs and constants are those of the live outputs: others are not lowered.
    fn info(&self) -> ProgramInfo {
        let func = opt::simplify(lower(self));
        let mut info =
            ProgramInfo { inputs: func.live_inputs(), outputs: self.written(), ..ProgramInfo::NOTHING };
        for inst in func.insts.iter() {
            if inst.op == Op::Ctx {
                info.constants_read.insert(inst.immediate::<Element>().row);
            } else if inst.op == Op::CtxRel {
                // A matrix: which, is known when it runs.
                info.constants_read = Rows::first(rows::ROWS);
            }
        }
        info
    }

    fn name(&self) -> &'static str {
        "flipper"
    }
}
