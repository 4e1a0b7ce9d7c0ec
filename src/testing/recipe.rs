//! One primitive of the chip at a time: the recipe that it is legalised into, as the evaluator and as machine code run
//! it, on rows of operands. Reaches rules and primitives that no program of this build names.

use crate::backend::to_host;
use crate::ir::func::{Func, Inst, Level};
use crate::ir::{Builder, Op, eval};
use xfjit_runtime::num::{self, Numerics};
use xfjit_runtime::state::{Context, Row};

/// A primitive of up to four operands, the components of attribute 0, as a host-level function.
#[derive(Debug)]
pub struct Recipe {
    op: Op,
    /// What the first operand is the product of components 0 and 1 by, if it is one.
    product: Option<Op>,
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

/// How an output register takes a result: it holds floats, and guards NaNs.
enum Seen {
    Float,
    Integer,
    Mask,
}

fn seen_as(op: Op) -> Seen {
    match op {
        Op::Arl | Op::Arr => Seen::Integer,
        Op::IsLess | Op::IsEqual | Op::IsGreater | Op::IsNegative => Seen::Mask,
        _ => Seen::Float,
    }
}

impl Recipe {
    /// Legalises a primitive, and compiles it if this build and this host can.
    ///
    /// # Panics
    /// If the code generator refuses.
    pub fn new(op: Op, numerics: Numerics) -> Self {
        Self::of_product(op, numerics, None)
    }

    /// The same with the product of components 0 and 1, by the primitive `product`, in place of the first operand:
    /// what a recipe leaves undone for those who read the result shows there.
    ///
    /// # Panics
    /// If the code generator refuses.
    pub fn of_product(op: Op, numerics: Numerics, product: Option<Op>) -> Self {
        let mut f = Builder::plain(Func::new(Level::Xf, numerics, 0..1));
        let mut components = [0, 1, 2, 3].map(|component| f.push(Inst::new(Op::Input, component, &[])));
        if let Some(product) = product {
            components[0] = f.push(Inst::new(product, 0, &components[..2]));
        }
        let result = f.push(Inst::new(op, 0, &components[..op.operands()]));
        let seen = match seen_as(op) {
            Seen::Integer => result,
            Seen::Float => f.canonical(result),
            Seen::Mask => {
                let one = f.bits(1);
                f.and(result, one)
            }
        };
        f.push(Inst::new(Op::Output, 0, &[seen; 4]));
        let func = to_host(f.finish());
        Recipe {
            op,
            product,
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
    pub fn golden(&self, mut operands: Row) -> u32 {
        let n = self.func.numerics;
        if let Some(product) = self.product {
            operands[0] = product.evaluate(n, self.func.env(), 0, operands).expect("it is a primitive");
        }
        let result = self.op.evaluate(n, self.func.env(), 0, operands).expect("it is a primitive");
        match seen_as(self.op) {
            Seen::Integer => result,
            Seen::Float => num::canonical(n, result),
            Seen::Mask => result & 1,
        }
    }

    /// What the evaluator makes of them; nothing if a guard is raised.
    pub fn evaluate(&self, operands: Row) -> Option<u32> {
        let outcome = eval::run(&self.func, &self.context, |_| operands);
        (!outcome.guarded).then_some(outcome.outputs[0][0])
    }

    /// Without native code there is nothing to run.
    #[cfg(not(feature = "jit"))]
    pub fn run(&mut self, _: &[Row], _: &mut [u32], _: &mut Vec<usize>) -> bool {
        false
    }

    /// Runs machine code on whole groups, if there is any; results are the first `operands.len()` words. `guarded` gets
    /// the vertices in groups that raised a guard.
    ///
    /// # Panics
    /// If `results` has not room for four words for each row.
    #[cfg(feature = "jit")]
    pub fn run(&mut self, operands: &[Row], results: &mut [u32], guarded: &mut Vec<usize>) -> bool {
        use xfjit_runtime::abi::{ALL_GUARDED, LANES};
        use xfjit_runtime::batch::{Attribute, Inputs, Outputs};
        use xfjit_runtime::bound::Bound;
        use xfjit_runtime::fpenv::FpGuard;
        use xfjit_runtime::state::{Io, Scratch};
        let Some(compiled) = &self.compiled else { return false };
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
        true
    }
}
