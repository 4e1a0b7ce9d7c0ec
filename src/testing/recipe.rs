//! One primitive of the chip at a time: the recipe that it is legalised into, as the evaluator and as machine code run
//! it, on rows of operands. Reaches rules and primitives that no program of this build names.

use crate::backend::to_host;
use crate::ir::func::{Func, Inst, Level};
use crate::ir::{Builder, Op, eval};
use xfjit_runtime::batch::{Attribute, Inputs, Outputs};
use xfjit_runtime::num::{self, Numerics};
use xfjit_runtime::state::{Context, Row};

/// A primitive of up to four operands, the components of attribute 0, as a host-level function.
#[derive(Debug)]
pub struct Recipe {
    op: Op,
    func: Func,
    context: Context,
    #[cfg(feature = "jit")]
    compiled: Option<crate::jit::Compiled>,
}

/// The primitives that have operands and nothing else.
pub fn primitives() -> impl Iterator<Item = Op> {
    use crate::ir::ops::{At, Imm};
    Op::ALL.iter().copied().filter(|op| op.at() == At::Xf && op.imm() == Imm::None && op.operands() > 0)
}

impl Recipe {
    /// Legalises a primitive, and compiles it if this build and this host can.
    ///
    /// # Panics
    /// If the code generator refuses.
    pub fn new(op: Op, numerics: Numerics) -> Self {
        let mut f = Builder::plain(Func::new(Level::Xf, numerics, 0..1));
        let components = [0, 1, 2, 3].map(|component| f.push(Inst::new(Op::Input, component, &[])));
        let result = f.push(Inst::new(op, 0, &components[..op.operands()]));
        // An address is no float.
        let seen = if matches!(op, Op::Arl | Op::Arr) { result } else { f.canonical(result) };
        f.push(Inst::new(Op::Output, 0, &[seen; 4]));
        let func = to_host(f.finish());
        Recipe {
            op,
            #[cfg(feature = "jit")]
            compiled: crate::jit::Target::host().ok().map(|target| {
                let mut compiler = crate::jit::Compiler::new(target);
                compiler.compile(&func, xfjit_runtime::batch::Layout::Planes).expect("it compiles")
            }),
            func,
            context: Context::new(1),
        }
    }

    /// What the golden function makes of the operands.
    ///
    /// # Panics
    /// If the operation is no primitive.
    #[inline]
    pub fn golden(&self, operands: Row) -> u32 {
        let n = self.func.numerics;
        let result = self.op.evaluate(n, self.func.env(), 0, operands).expect("it is a primitive");
        if matches!(self.op, Op::Arl | Op::Arr) { result } else { num::canonical(n, result) }
    }

    /// What the evaluator makes of them; nothing if a guard is raised.
    pub fn evaluate(&self, operands: Row) -> Option<u32> {
        let outcome = eval::run(&self.func, &self.context, |_| operands);
        (!outcome.guarded).then_some(outcome.outputs[0][0])
    }

    /// Whether there is machine code.
    pub fn is_native(&self) -> bool {
        #[cfg(feature = "jit")]
        return self.compiled.is_some();
        #[cfg(not(feature = "jit"))]
        false
    }

    /// Runs machine code on whole groups; results are the first `operands.len()` words. Returns the vertices that lie in
    /// groups which raised a guard.
    ///
    /// # Panics
    /// If there is no machine code, or `results` has not room for four words for each row.
    #[cfg(feature = "jit")]
    pub fn run(&mut self, operands: &[Row], results: &mut [u32], guarded: &mut Vec<usize>) {
        use xfjit_runtime::abi::{ALL_GUARDED, LANES};
        use xfjit_runtime::bound::Bound;
        use xfjit_runtime::fpenv::FpGuard;
        use xfjit_runtime::state::{Io, Scratch};
        let compiled = self.compiled.as_ref().expect("there is machine code");
        let count = operands.len();
        assert!(count.is_multiple_of(LANES), "whole groups");
        guarded.clear();
        let inputs = Inputs::new(count).with(0, Attribute::rows(operands));
        let mut outputs = Outputs::planes(results, &[0], count);
        let (live_inputs, live_outputs) = (self.func.live_inputs(), self.func.live_outputs());
        let mut scratch = Scratch::new();
        let mut io = Io::new();
        let mut bound =
            Bound::direct(&mut io, &mut scratch, &inputs, &mut outputs, live_inputs, live_outputs)
                .expect("the streams are long enough");
        let groups = count / LANES;
        let _env = FpGuard::enter(self.func.env());
        let mut next = 0;
        while next < groups {
            let status = compiled.run(&mut self.context, &mut bound, next..groups);
            assert_ne!(status, ALL_GUARDED, "nothing here is uniform");
            next = status as usize;
            if next < groups {
                guarded.extend(next * LANES..(next + 1) * LANES);
                next += 1;
            }
        }
    }
}
