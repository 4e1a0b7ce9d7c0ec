//! One primitive of the chip at a time: the recipe that it is legalised into, as the evaluator and as machine code run
//! it, on rows of operands. Reaches rules and primitives that no program of this build names.

use super::choices::Choices;
use crate::ir::func::{Func, Inst, Level};
use crate::ir::imm::Element;
use crate::ir::ops::{Function, Kind};
use crate::ir::{Builder, Op, eval};
use crate::machine::Machine;
use crate::opt;
use xfjit_ir::legalize::{self, Path};
use xfjit_runtime::fpenv::FpEnv;
use xfjit_runtime::num::bits::{ONE, SIGN};
use xfjit_runtime::num::{self, Model, Numerics, Rules};
use xfjit_runtime::state::{Context, Row};

/// A primitive of up to four operands, made of the components of attribute 0, as a host-level function.
#[derive(Debug)]
pub struct Recipe {
    op: Op,
    shape: Shape,
    /// For this machine, and for one with all operations that recipes may use.
    funcs: [Func; 2],
    context: Context,
    /// Machine code of each backend that this host has, by its name.
    #[cfg(feature = "jit")]
    codes: Vec<(&'static str, crate::native::Compiled)>,
}

/// How the operands of a primitive come about: what a recipe leaves undone for those who read its result, and what is
/// known of a result, shows in the next one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// The components of the attribute.
    Given,
    /// The first is the product of components 0 and 1.
    Product,
    /// Each is the square of a component.
    Squares,
    /// Each is the sum of a component and the next.
    Sums,
    /// The first is the sum of components 0 and 1, the others are zero.
    Lone,
    /// The first is the sum of components 0 and 1, the others are one.
    Ones,
    /// Of sums: each is 1.0 where a component is at least the next, else 0.0.
    Truths,
    /// Of sums: the first is component 0, the second this, 0, or either negated.
    Part,
    /// Of sums: each is the greater of a component and 0.
    Positive,
}

impl Shape {
    /// Every shape.
    pub const ALL: [Shape; 9] = [
        Shape::Given,
        Shape::Product,
        Shape::Squares,
        Shape::Sums,
        Shape::Lone,
        Shape::Ones,
        Shape::Truths,
        Shape::Part,
        Shape::Positive,
    ];

    /// The name in texts.
    pub const fn name(self) -> &'static str {
        match self {
            Shape::Given => "given",
            Shape::Product => "product",
            Shape::Squares => "squares",
            Shape::Sums => "sums",
            Shape::Lone => "lone",
            Shape::Ones => "ones",
            Shape::Truths => "truths",
            Shape::Part => "part",
            Shape::Positive => "positive",
        }
    }

    /// Whether operands of a primitive come about so, under these rules.
    pub fn applies(self, op: Op, rules: Rules) -> bool {
        let has_comparisons = matches!(op, Op::Sum2 | Op::Sum3 | Op::Sum4) && rules != Rules::Celsius;
        match self {
            Shape::Given | Shape::Product | Shape::Squares | Shape::Sums | Shape::Lone | Shape::Ones => true,
            Shape::Truths => has_comparisons,
            Shape::Part | Shape::Positive => has_comparisons && op == Op::Sum2,
        }
    }

    /// The shape of a name.
    pub fn from_name(name: &str) -> Option<Shape> {
        Shape::ALL.into_iter().find(|shape| shape.name() == name)
    }

    /// The operands, of values or of their bits alike.
    fn operands<T: Copy>(
        self,
        op: Op,
        given: [T; 4],
        [zero, one]: [T; 2],
        mut apply: impl FnMut(Op, &[T]) -> T,
    ) -> [T; 4] {
        let [product, sum] = if op.is_short() { [Op::LtMul, Op::LtAdd] } else { [Op::Mul, Op::Sum2] };
        let [x, y, z, w] = given;
        let pairs = [[x, y], [y, z], [z, w], [w, x]];
        match self {
            Shape::Given => given,
            Shape::Product => [apply(product, &[x, y]), y, z, w],
            Shape::Squares => given.map(|x| apply(product, &[x, x])),
            Shape::Sums => pairs.map(|pair| apply(sum, &pair)),
            Shape::Lone => [apply(sum, &[x, y]), zero, zero, zero],
            Shape::Ones => [apply(sum, &[x, y]), one, one, one],
            Shape::Truths => pairs.map(|pair| apply(Op::Sge, &pair)),
            Shape::Part => {
                let sign = apply(Op::Ssg, &[y]);
                [x, apply(product, &[x, sign]), z, w]
            }
            Shape::Positive => given.map(|x| apply(Op::Max, &[x, zero])),
        }
    }
}

/// The primitives that have operands and nothing else.
pub fn primitives() -> impl Iterator<Item = Op> {
    use crate::ir::ops::{At, Imm};
    Op::ALL.iter().copied().filter(|op| op.at() == At::Xf && op.imm() == Imm::None && op.operands() > 0)
}

/// Whether programs of these rules have the operations that came with Rankine.
fn is_rankine(rules: Rules) -> bool {
    matches!(rules, Rules::RankineLegacy | Rules::RankineModern)
}

/// Whether the primitive exists in this model, under these rules.
pub fn applies(op: Op, Numerics { model, rules }: Numerics) -> bool {
    match op {
        // An address, being no float, cannot be seen in the model ieee.
        Op::Arl => model == Model::Hw,
        Op::Arr => model == Model::Hw && is_rankine(rules),
        Op::Flr | Op::Frc | Op::Saturate | Op::Lg2 | Op::Ex2 | Op::Sin | Op::Cos => is_rankine(rules),
        // What leaves the unit is converted alike in both models, and under all rules.
        _ if leaves_the_unit(op) => rules == Rules::Kelvin,
        // LT knows one model; it ends with Rankine. Its arithmetic has no rules, but what recipes know of operands has.
        _ if is_lighting(op) => model == Model::Hw && matches!(rules, Rules::Celsius | Rules::RankineLegacy),
        // Celsius has the fixed function only.
        _ => rules != Rules::Celsius || is_arithmetic(op),
    }
}

fn is_arithmetic(op: Op) -> bool {
    matches!(op, Op::Mul | Op::Sum2 | Op::Sum3 | Op::Sum4 | Op::Rcp | Op::Rcc | Op::Rsq)
}

fn is_lighting(op: Op) -> bool {
    op.is_short() || matches!(op, Op::XfToLt | Op::LtcLoad) || leaves_the_unit(op)
}

fn leaves_the_unit(op: Op) -> bool {
    use Op::{ClampW, ClampedW, Colour, Depth, Fog, InverseW, PointEighths, PointSize, Squash, Window};
    matches!(op, Fog | Window | Squash | Colour | PointSize | PointEighths)
        || matches!(op, Depth | InverseW | ClampedW | ClampW)
}

/// How an output register takes a result: it holds floats, and guards NaNs.
enum Seen {
    Float,
    Integer,
    Mask,
}

fn seen_as(op: Op) -> Seen {
    let Kind::Function(function) = op.kind() else { return Seen::Float };
    match function {
        Function::Arl | Function::Arr => Seen::Integer,
        Function::IsLess | Function::IsEqual | Function::IsGreater | Function::IsNegative => Seen::Mask,
        Function::Saturate | Function::ExpX | Function::ExpY | Function::ExpZ => Seen::Float,
        Function::LogX | Function::LogY | Function::LogZ | Function::LitY | Function::LitZ => Seen::Float,
        Function::Lg2 | Function::Ex2 | Function::Sin | Function::Cos => Seen::Float,
    }
}

/// A primitive of a shape as a function of the level of the chip: its operands are the components of attribute 0, its result is all
/// components of output register 0.
pub fn lowered(op: Op, numerics: Numerics, shape: Shape) -> Func {
    let mut f = Builder::plain(Func::new(Level::Xf, numerics, 0..1));
    let mut given = Element::of_row(0).map(|at| f.input(at));
    if op.is_short() {
        // The verifier wants to see that they are numbers of 22 bits.
        let bits = f.bits(SHORT);
        given = given.map(|component| f.and(component, bits));
    }
    let constants = [0, ONE].map(|bits| f.bits(bits));
    let components = shape.operands(op, given, constants, |op, args| f.push(Inst::new(op, 0, args)));
    let result = f.push(Inst::new(op, 0, &components[..op.operands()]));
    let seen = match seen_as(op) {
        Seen::Integer => result,
        Seen::Float => f.canonical(result),
        Seen::Mask => {
            let one = f.bits(1);
            f.and(result, one)
        }
    };
    f.output(0, [seen; 4]);
    f.finish()
}

/// An ordinary operand: not zero, magnitude 2^-20 .. 2^20, positive where the primitive has no result for others.
pub fn ordinary(op: Op, rules: Rules, c: &mut Choices<'_>) -> u32 {
    let modern = matches!(op, Op::Rsq | Op::LogX | Op::LogY | Op::LogZ) && rules.sees_signs();
    let signless = modern || matches!(op, Op::Lg2 | Op::LtRsq);
    let sign = if signless { 0 } else { c.word() & SIGN };
    sign | (107 + c.below(40)) << 23 | c.word() & 0x7f_ffff
}

/// What the golden function makes of the operands of a shape.
///
/// # Panics
/// If the operation is no primitive.
#[inline]
pub fn golden(op: Op, numerics: Numerics, shape: Shape, given: Row) -> u32 {
    let apply = |op: Op, args: &[u32]| {
        let mut operands = [0; 4];
        operands[..args.len()].copy_from_slice(args);
        op.evaluate(numerics, FpEnv::Default, 0, operands).expect("it is a primitive")
    };
    let given = if op.is_short() { given.map(|bits| bits & SHORT) } else { given };
    let operands = shape.operands(op, given, [0, ONE], apply);
    let result = apply(op, &operands[..op.operands()]);
    match seen_as(op) {
        Seen::Integer => result,
        Seen::Float => num::canonical(numerics, result),
        Seen::Mask => result & 1,
    }
}

/// The bits that numbers of the lighting engine have.
const SHORT: u32 = 0xffff_fc00;

impl Recipe {
    /// Legalises a primitive by the recipes of the quick path, and compiles it if this build and this host can.
    ///
    /// # Panics
    /// If the code generator refuses.
    pub fn new(op: Op, numerics: Numerics, shape: Shape) -> Self {
        Recipe::on(Path::Quick, op, numerics, shape).expect("every primitive has a quick path")
    }

    /// Legalises a primitive by the recipes of a path; nothing if it has none there.
    ///
    /// # Panics
    /// As [`Recipe::new`].
    pub fn on(path: Path, op: Op, numerics: Numerics, shape: Shape) -> Option<Self> {
        let simple = opt::simplify(lowered(op, numerics, shape));
        if path == Path::Slow && !legalize::has_slow_path(&simple) {
            return None;
        }
        let host = |machine: &Machine| {
            let func = legalize::run_within(&simple, machine, path, usize::MAX);
            opt::run(func.expect("without a limit nothing is over it"), machine)
        };
        Some(Recipe {
            op,
            shape,
            #[cfg(feature = "jit")]
            codes: codes(host),
            funcs: [Machine::HOST, Machine::X86_64_V4].map(|machine| host(&machine)),
            context: Context::new(1),
        })
    }

    /// A machine operation by itself, on the first components of the attribute, in the environment of a model.
    ///
    /// # Panics
    /// As [`Recipe::new`].
    pub fn of_machine(op: Op, imm: u32, model: Model) -> Self {
        let mut f = Builder::plain(Func::new(Level::Host, Numerics { model, rules: Rules::Kelvin }, 0..1));
        let given = Element::of_row(0).map(|at| f.input(at));
        let result = f.push(Inst::new(op, imm, &given[..op.operands()]));
        f.output(0, [result; 4]);
        let func = f.finish();
        Recipe {
            op,
            shape: Shape::Given,
            #[cfg(feature = "jit")]
            codes: codes(|_| func.clone()),
            funcs: [func.clone(), func],
            context: Context::new(1),
        }
    }

    /// The names of the machine codes, as many as there are.
    pub fn codes(&self) -> Vec<&'static str> {
        #[cfg(feature = "jit")]
        return self.codes.iter().map(|&(name, _)| name).collect();
        #[cfg(not(feature = "jit"))]
        Vec::new()
    }

    /// What the golden function makes of the operands.
    ///
    /// # Panics
    /// If the operation is no primitive.
    #[inline]
    pub fn golden(&self, given: Row) -> u32 {
        golden(self.op, self.funcs[0].numerics, self.shape, given)
    }

    /// What the evaluator makes of them, by the recipe for this machine and by that for one with all operations; nothing if a guard
    /// is raised.
    pub fn evaluate(&self, operands: Row) -> [Option<u32>; 2] {
        self.funcs.each_ref().map(|func| {
            let outcome = eval::run(func, self.context.rows(), |_| operands);
            (!outcome.guarded).then_some(outcome.outputs[0][0])
        })
    }

    /// What the evaluator makes of rows by the recipe for this machine, whether a guard is raised or not.
    pub fn evaluated(&self, rows: &[Row]) -> Vec<u32> {
        let result = |&row: &Row| eval::run(&self.funcs[0], self.context.rows(), |_| row).outputs[0][0];
        rows.iter().map(result).collect()
    }

    /// Without native code there is nothing to run.
    #[cfg(not(feature = "jit"))]
    pub fn run(&mut self, _: usize, _: &[Row], _: &mut [u32], _: &mut Vec<usize>) {}

    /// Runs one of the [machine codes](Self::codes) on whole groups; results are the first `operands.len()` words. `guarded`
    /// gets the vertices in groups that raised a guard.
    ///
    /// # Panics
    /// If `results` has not room for four words for each row.
    #[cfg(feature = "jit")]
    pub fn run(&mut self, code: usize, operands: &[Row], results: &mut [u32], guarded: &mut Vec<usize>) {
        use xfjit_runtime::abi::ALL_GUARDED;
        use xfjit_runtime::batch::{Attribute, Inputs, Outputs};
        use xfjit_runtime::bound::Bound;
        use xfjit_runtime::fpenv::FpGuard;
        use xfjit_runtime::state::Scratch;
        let (_, compiled) = &self.codes[code];
        let (count, lanes) = (operands.len(), compiled.lanes());
        assert!(count.is_multiple_of(lanes), "whole groups");
        guarded.clear();
        let inputs = Inputs::new(count).with(0, Attribute::rows(operands));
        let outputs = Outputs::planes(results, &[0], count);
        let mut scratch = Scratch::new();
        let mut bound =
            Bound::new(&compiled.needs(), &inputs, &outputs).expect("the streams are long enough");
        let mut streams =
            bound.streams(&mut scratch, compiled.call()).expect("the attributes are read where they are");
        let _env = FpGuard::enter(self.funcs[0].env());
        let mut next = 0;
        while next < count {
            let status = compiled.run(&mut self.context.constants(), &mut streams, next..count);
            assert_ne!(status, ALL_GUARDED, "nothing here is uniform");
            next = status as usize;
            if next < count {
                guarded.extend(next..next + lanes);
                next += lanes;
            }
        }
    }
}

/// Machine code of a function as it is for a machine, of every backend that this host has; Cranelift's comes first.
#[cfg(feature = "jit")]
fn codes(func: impl Fn(&Machine) -> Func) -> Vec<(&'static str, crate::native::Compiled)> {
    use xfjit_runtime::batch::Layout::Planes;
    let mut codes = Vec::new();
    if let Ok(target) = crate::native::Target::host() {
        let func = func(target.machine());
        let compiled = crate::native::Compiler::new(target).compile(&func, Planes);
        codes.push(("jit", compiled.expect("it compiles")));
    }
    #[cfg(all(feature = "jit", any(target_arch = "x86_64", target_arch = "aarch64")))]
    for width in super::check::widths() {
        let func = func(&width.machine());
        let compiled = crate::native::emitter::compile(&func, Planes, width);
        codes.push((width.name(), compiled.expect("it compiles")));
    }
    codes
}
