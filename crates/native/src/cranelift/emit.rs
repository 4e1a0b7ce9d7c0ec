//! The layout of a function around its operations.
//!
//! ```text
//! entry(context, io, first, end):
//!     prologue of the IR; values that the loop reads are stored in scratch memory, the same in all lanes
//!     a guard raised here               -> return ALL_GUARDED
//! group(v, pointer of each stream):
//!     body of the IR, for four vertices from v on; outputs are stored as they become ready
//!     (if it has blocks: in order, those at which a lane waits; the place of each lane is in scratch memory)
//!     a guard raised here               -> say in which lanes, return v   (the interpreter overwrites what was stored)
//!     constants are written
//!     v + 8 <= end                      -> group(v + 4, pointers + four vertices)
//!     v + 4 < end                       -> group(end - 4, pointers there)
//!     return v + 4
//! ```
//! So the last group ends with the last vertex, and may have vertices of the one before it. The lanes of a call of fewer than four
//! share its vertices, as [`Io::share`] says: every lane is a stride or none (`near`) and two strides, one or none (`far`) from the first.
//!
//! The order of the IR is kept: Cranelift runs without its optimiser, which would reschedule (docs/DESIGN.md).

use super::super::budget::Allocator;
use super::super::core::alloc::{Allocation, Pressure};
use super::super::fetch::Fetch;
use super::clif::{Arithmetic, LANES, Vector, own_memory};
use super::target::Target;
use crate::ir::func::{Func, Inst, Value as Ir};
use crate::ir::ops::{Double, Kind, Op};
use crate::machine::Machine;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{AbiParam, Block, BlockArg, Function, InstBuilder, Signature, SourceLoc, Value};
use cranelift_codegen::isa::CallConv;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use rustc_hash::FxHashMap;
use target_lexicon::Architecture;
use xfjit_runtime::abi::ALL_GUARDED;
use xfjit_runtime::batch::Layout;
use xfjit_runtime::indices::SHARED;
use xfjit_runtime::state::{ATTRIBUTES, Io, OUTPUTS, Scratch};

mod blocks;
mod columns;
mod effects;
mod groups;
mod loads;
mod values;

/// Bytes of a vertex in a plane.
const WORD: i64 = size_of::<u32>() as i64;

/// The signature of [`xfjit_runtime::abi::Entry`].
fn signature(convention: CallConv) -> Signature {
    let mut signature = Signature::new(convention);
    signature.params.extend([AbiParam::new(I64); 4]);
    signature.returns.push(AbiParam::new(I64));
    signature
}

/// Fills `clif` with the code of a host-level function, which says of each instruction what it is for.
pub(super) fn emit(
    func: &Func,
    layout: Layout,
    target: &Target,
    allocator: Allocator,
    (clif, pool): (&mut Function, &mut FunctionBuilderContext),
) {
    let isa = &*target.isa;
    // Locations are kept as distances from the first one, of which one means that there is none.
    clif.params.ensure_base_srcloc(SourceLoc::new(0));
    clif.signature = signature(target.convention());
    let operations = func.prologue.len() + func.body.len();
    let host = isa.triple().architecture;
    let making = Making { machine: *target.machine(), host, allocator, operations };
    let mut emitter = Emitter::new(func, layout, making, FunctionBuilder::new(clif, pool));
    emitter.function();
    emitter.b.seal_all_blocks();
    emitter.b.finalize(isa.frontend_config());
}

/// A stream in the loop: the address of the current group, and the distances from its first vertex (or plane) to the second, and
/// to the third; the latter only if it may be less than twice the former.
#[derive(Clone, Copy)]
struct Cursor {
    pointer: Value,
    stride: Value,
    far: Option<Value>,
}

/// How many vertices the second lane is behind the first, and the third; in words of a plane or numbers of an index list.
#[derive(Clone, Copy)]
struct Sharing {
    near: Value,
    far: Value,
}

/// The target and options of code generation.
#[derive(Clone, Copy)]
struct Making {
    machine: Machine,
    host: Architecture,
    allocator: Allocator,
    /// The length of the function.
    operations: usize,
}

impl Making {
    /// The number of vectors that the code may have in registers. The quick allocator gives values with long live ranges
    /// stack slots that it does not reuse, so that frames grow with the function: 65 KB at 18,000 operations. With these
    /// limits it is 13 KB, in code a seventh longer.
    fn vectors(self) -> usize {
        match self.allocator {
            Allocator::Quick if self.operations <= 16_384 => 3,
            Allocator::Quick if self.operations <= 32_768 => 2,
            Allocator::Quick => 1,
            Allocator::Thorough => self.machine.registers,
        }
    }

    /// Whether what is in memory is loaded once and then read from a register, since no instruction computes on memory.
    fn loads_once(self) -> bool {
        self.allocator == Allocator::Thorough && matches!(self.host, Architecture::Aarch64(_))
    }
}

/// Byte offset of a slot of scratch memory.
fn slot_offset(slot: usize) -> i32 {
    Scratch::offset(slot, LANES)
}

struct Emitter<'a> {
    func: &'a Func,
    layout: Layout,
    making: Making,
    /// Words of the frame ([`Func::frame`]).
    frame: usize,
    /// The current instruction.
    running: Ir,
    b: FunctionBuilder<'a>,
    context: Value,
    io: Value,
    scratch: Value,
    lookup: Value,
    /// The location of each IR value in the current part.
    vectors: Vec<Option<Vector>>,
    /// Scratch slot of each value that the body reads from the prologue.
    slots: FxHashMap<Ir, usize>,
    attributes: FxHashMap<usize, [Vector; 4]>,
    /// Where attributes are; of one that has an index list, what number 0 of that means.
    inputs: [Option<Cursor>; ATTRIBUTES],
    /// The current group in index lists, and its lanes.
    lists: [Option<(Value, Sharing)>; SHARED + 1],
    outputs: [Option<Cursor>; OUTPUTS],
    /// How lanes share vertices.
    sharing: Sharing,
    flags: Option<Value>,
    /// The greatest operand of a [`Op::BigGuard`] in this part, and the least operand of a [`Op::SmallGuard`].
    most: Option<Value>,
    least: Option<Value>,
    /// Constants to be written: the instruction, the row, and the locations of its operands.
    stores: Vec<(Ir, usize, [Vector; 4])>,
    /// For each row that this part reads, the values and their components, in order.
    together: FxHashMap<Fetch, Vec<(Ir, usize)>>,
    /// Values that were fetched together with the last result.
    beside: Vec<(Ir, Option<Vector>)>,
    registers: Allocation<Pressure>,
    /// The number of uses of each value.
    uses: Vec<u32>,
    /// Values with more than one use that are not block parameters yet, see [`Emitter::shield`].
    exposed: Vec<Ir>,
    /// Values that this part alone has in registers, beside their slots.
    lent: Vec<Ir>,
}

impl<'a> Emitter<'a> {
    fn new(func: &'a Func, layout: Layout, making: Making, mut b: FunctionBuilder<'a>) -> Self {
        let entry = b.create_block();
        b.append_block_params_for_function_params(entry);
        b.switch_to_block(entry);
        b.seal_block(entry);
        let &[context, io, ..] = b.block_params(entry) else {
            unreachable!("the signature has four parameters")
        };
        let mut emitter = Emitter {
            func,
            layout,
            making,
            frame: func.frame(),
            running: Ir::NONE,
            b,
            context,
            io,
            scratch: io,
            lookup: io,
            vectors: vec![None; func.insts.len()],
            slots: FxHashMap::default(),
            attributes: FxHashMap::default(),
            inputs: [None; ATTRIBUTES],
            lists: [None; SHARED + 1],
            outputs: [None; OUTPUTS],
            sharing: Sharing { near: io, far: io },
            flags: None,
            most: None,
            least: None,
            stores: Vec::new(),
            together: FxHashMap::default(),
            beside: Vec::new(),
            registers: Allocation::default(),
            uses: values::uses(func),
            exposed: Vec::new(),
            lent: Vec::new(),
        };
        emitter.bases();
        emitter
    }

    /// Loads the addresses of scratch memory and tables. The quick allocator would spill values that live across groups
    /// and load them at each use, so with it each group loads the addresses once.
    fn bases(&mut self) {
        let mut load = |at: usize| self.b.ins().load(I64, own_memory(), self.io, at as i32);
        (self.scratch, self.lookup) = (load(Io::SCRATCH), load(Io::LOOKUP));
    }

    fn function(&mut self) {
        let entry = self.b.current_block().expect("the entry block is open");
        let &[.., first, end] = self.b.block_params(entry) else {
            unreachable!("the signature has four parameters")
        };
        self.reserve();
        self.part(&self.func.prologue);
        self.vectors.fill(None);
        if let Some(flags) = self.flags.take() {
            let (guarded, next) = (self.b.create_block(), self.b.create_block());
            self.branch_if_any(flags, guarded, &[], next);
            self.b.switch_to_block(guarded);
            self.b.seal_block(guarded);
            let status = self.b.ins().iconst(I64, ALL_GUARDED as i64);
            self.b.ins().return_(&[status]);
            self.b.switch_to_block(next);
            self.b.seal_block(next);
        }
        self.groups(first, end);
    }

    fn jump(&mut self, block: Block, arguments: &[Value]) {
        let arguments: Vec<BlockArg> = arguments.iter().map(|&value| BlockArg::Value(value)).collect();
        self.b.ins().jump(block, &arguments);
    }

    /// Goes to `then` if any bit of `flags` is set, else to `otherwise`.
    fn branch_if_any(&mut self, flags: Value, then: Block, arguments: &[Value], otherwise: Block) {
        let arguments: Vec<BlockArg> = arguments.iter().map(|&value| BlockArg::Value(value)).collect();
        let any = self.b.ins().vany_true(flags);
        self.b.ins().brif(any, then, &arguments, otherwise, &[]);
    }

    /// The addresses of the rows (or planes) of a vector.
    fn rows(&mut self, cursor: Cursor) -> [Value; LANES] {
        let Cursor { pointer, stride, far } = cursor;
        let far = far.unwrap_or_else(|| self.b.ins().ishl_imm_u(stride, 1));
        self.lanes(pointer, Sharing { near: stride, far })
    }

    /// The addresses of lanes, the first of which is at an address.
    fn lanes(&mut self, first: Value, Sharing { near, far }: Sharing) -> [Value; LANES] {
        let second = self.b.ins().iadd(first, near);
        let third = self.b.ins().iadd(first, far);
        [first, second, third, self.b.ins().iadd(third, near)]
    }

    /// Emits an instruction; returns its result, unless it is a literal, which is made where it is read.
    fn instruction(&mut self, inst: &Inst) -> Option<Vector> {
        let of_literal = || self.func.inst(inst.args[0]).op == Op::Const;
        match inst.op.kind() {
            Kind::Load(load) => load.apply(self, inst.imm, inst.operands()),
            Kind::Effect(effect) => {
                effect.apply(self, inst.imm, inst.operands());
                None
            }
            Kind::Double(Double::Promote) if of_literal() => None,
            Kind::Double(op) => {
                let operands = self.operands(inst);
                Some(op.apply(&mut self.arithmetic(), inst.imm, &operands))
            }
            Kind::Pure(op) => {
                let operands = self.operands(inst);
                Some(op.apply(&mut self.arithmetic(), inst.imm, &operands))
            }
            Kind::Indexed(_)
            | Kind::Arithmetic(_)
            | Kind::Function(_)
            | Kind::Lighting(_)
            | Kind::Leaving(_) => unreachable!("{} is an operation of the chip", inst.op.text()),
        }
    }

    fn operands(&mut self, inst: &Inst) -> Vec<Vector> {
        inst.operands().iter().map(|&arg| self.vector(arg)).collect()
    }

    /// The emitter of machine operations, at the current position.
    fn arithmetic(&mut self) -> Arithmetic<'_, 'a> {
        Arithmetic { b: &mut self.b, host: self.making.host }
    }
}
