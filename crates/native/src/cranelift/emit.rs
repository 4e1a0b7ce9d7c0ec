//! The layout of a function around its operations.
//!
//! ```text
//! entry(context, io, first, end):
//!     prologue of the IR; values that the loop reads are stored in scratch memory, the same in all lanes
//!     a guard raised here               -> return ALL_GUARDED
//! group(i, pointer of each stream):
//!     body of the IR, for four vertices; outputs are stored as they become ready
//!     (if a group has several vectors: the same for each of them)
//!     (if it has blocks: in order, those at which a lane waits; the place of each lane is in scratch memory)
//!     a guard raised here               -> say in which lanes, return i   (the interpreter overwrites what was stored)
//!     constants are written
//!     i + 1 < end                       -> group(i + 1, pointers + a group of vertices)
//!     return end
//! ```
//! The order of the IR is kept: Cranelift runs without its optimiser, which would reschedule (docs/DESIGN.md).

use super::super::budget::Allocator;
use super::super::core::alloc::{Allocation, Pressure};
use super::super::fetch::Fetch;
use super::super::spill::checker::{Part, Step, Trace};
use super::clif::{Arithmetic, LANES, Vector, own_memory};
use super::target::Target;
use crate::ir::func::{Func, Inst, Value as Ir};
use crate::ir::ops::{Double, Kind, Op};
use crate::machine::Machine;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{AbiParam, Block, BlockArg, Function, InstBuilder, Signature, SourceLoc, Value};
use cranelift_codegen::isa::CallConv;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use target_lexicon::Architecture;
use xfjit_runtime::abi::ALL_GUARDED;
use xfjit_runtime::batch::{Layout, registers};
use xfjit_runtime::indices::{IndexWidth, Indexing, SHARED};
use xfjit_runtime::state::{ATTRIBUTES, Io, OUTPUTS, Scratch, Stream};

mod blocks;
mod columns;
mod effects;
mod loads;
mod values;

/// The signature of [`xfjit_runtime::abi::Entry`].
fn signature(convention: CallConv) -> Signature {
    let mut signature = Signature::new(convention);
    signature.params.extend([AbiParam::new(I64); 4]);
    signature.returns.push(AbiParam::new(I64));
    signature
}

/// Fills `clif` with the code of a host-level function, and `trace` with the locations of its values.
pub(super) fn emit(
    func: &Func,
    layout: Layout,
    target: &Target,
    allocator: Allocator,
    trace: &mut Trace,
    has_lines: bool,
    (clif, pool): (&mut Function, &mut FunctionBuilderContext),
) {
    let isa = &*target.isa;
    if has_lines {
        // Locations are kept as distances from the first one, of which one means that there is none.
        clif.params.ensure_base_srcloc(SourceLoc::new(0));
    }
    clif.signature = signature(isa.default_call_conv());
    let operations = func.prologue.len() + func.body.len() * target.machine().vectors();
    let host = isa.triple().architecture;
    let making = Making { machine: *target.machine(), host, allocator, operations, has_lines };
    let mut emitter = Emitter::new(func, layout, making, trace, FunctionBuilder::new(clif, pool));
    emitter.function();
    emitter.b.seal_all_blocks();
    emitter.b.finalize(isa.frontend_config());
}

/// A stream in the loop: the address of the current group, and the distance between its vertices (or planes).
#[derive(Clone, Copy)]
struct Cursor {
    pointer: Value,
    stride: Value,
}

/// The target and options of code generation.
#[derive(Clone, Copy)]
struct Making {
    machine: Machine,
    host: Architecture,
    allocator: Allocator,
    /// The length of the function.
    operations: usize,
    /// Whether CLIF instructions say which value they compute.
    has_lines: bool,
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

    /// Byte offset of a vector of the group within a slot of scratch memory.
    fn offset(self, slot: usize, vector: usize) -> i32 {
        Scratch::offset(slot, self.machine.lanes) + (4 * LANES * vector) as i32
    }
}

struct Emitter<'a> {
    func: &'a Func,
    layout: Layout,
    making: Making,
    /// Words of the frame ([`Func::frame`]).
    frame: usize,
    /// The vector of the group for which code is emitted; `None` in the prologue, which is for all.
    vector_number: Option<usize>,
    /// The current instruction.
    running: Ir,
    trace: &'a mut Trace,
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
    /// The current vector in index lists.
    lists: [Option<Value>; SHARED + 1],
    outputs: [Option<Cursor>; OUTPUTS],
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
}

impl<'a> Emitter<'a> {
    fn new(
        func: &'a Func,
        layout: Layout,
        making: Making,
        trace: &'a mut Trace,
        mut b: FunctionBuilder<'a>,
    ) -> Self {
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
            vector_number: None,
            running: Ir::NONE,
            trace,
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
            flags: None,
            most: None,
            least: None,
            stores: Vec::new(),
            together: FxHashMap::default(),
            beside: Vec::new(),
            registers: Allocation::default(),
            uses: values::uses(func),
            exposed: Vec::new(),
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
        self.trace.note(Step::Part(Part::Prologue));
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

    /// Emits the loop over groups.
    fn groups(&mut self, first: Value, end: Value) {
        let (group, exit) = (self.b.create_block(), self.b.create_block());
        let number = self.b.append_block_param(group, I64);
        let left_off = self.b.append_block_param(exit, I64);
        let lanes = self.making.machine.lanes;
        let step = if self.layout == Layout::Rows { None } else { Some(4 * lanes as i64) };
        let inputs = self.open(self.sequential().into(), Io::input, None, group, first);
        let outputs = self.open(self.func.live_outputs(), Io::output, step, group, first);
        let lists = self.open_lists(group, first);
        let mut arguments = vec![first];
        arguments.extend(inputs.iter().chain(&outputs).map(|stream| stream.start));
        arguments.extend(lists.iter().map(|list| list.start));
        self.jump(group, &arguments);

        self.b.switch_to_block(group);
        if self.making.allocator == Allocator::Quick {
            self.bases();
        }
        for stream in &inputs {
            self.inputs[stream.register] = Some(stream.cursor);
        }
        for stream in &outputs {
            self.outputs[stream.register] = Some(stream.cursor);
        }
        for list in &lists {
            self.lists[list.number] = Some(list.pointer);
        }
        for number in 0..self.making.machine.vectors() {
            self.begin_vector(number);
            if self.func.has_blocks() {
                self.blocks();
            } else {
                self.trace.note(Step::Part(Part::Block { number: 0, vector: number }));
                self.part(&self.func.body);
            }
        }

        if let Some(flags) = self.flags.take() {
            let (clear, raised) = (self.b.create_block(), self.b.create_block());
            self.branch_if_any(flags, raised, &[], clear);
            self.b.set_cold_block(raised);
            self.b.switch_to_block(raised);
            self.b.seal_block(raised);
            self.tell_lanes(flags);
            self.jump(exit, &[number]);
            self.b.switch_to_block(clear);
            self.b.seal_block(clear);
        }
        self.write_constants();
        let next = self.b.ins().iadd_imm_s(number, 1);
        let more = self.b.ins().icmp(IntCC::UnsignedLessThan, next, end);
        let mut arguments = vec![BlockArg::Value(next)];
        for stream in inputs.iter().chain(&outputs) {
            let advanced = match stream.step {
                Some(bytes) => self.b.ins().iadd_imm_s(stream.cursor.pointer, bytes),
                None => self.beyond(stream.cursor, lanes),
            };
            arguments.push(BlockArg::Value(advanced));
        }
        for list in &lists {
            let bytes = (lanes * list.width.bytes()) as i64;
            arguments.push(BlockArg::Value(self.b.ins().iadd_imm_s(list.pointer, bytes)));
        }
        self.b.ins().brif(more, group, &arguments, exit, &[BlockArg::Value(next)]);
        self.b.seal_block(group);
        self.b.switch_to_block(exit);
        self.b.seal_block(exit);
        self.b.ins().return_(&[left_off]);
    }

    /// Stores the lanes in which guards have been raised at the beginning of scratch memory, which nothing reads any more. Of
    /// several vectors each lane has the guards of all.
    fn tell_lanes(&mut self, flags: Value) {
        for vector in 0..self.making.machine.vectors() {
            let at = self.making.offset(0, vector);
            self.b.ins().store(own_memory(), flags, self.scratch, at);
        }
    }

    /// Begins the code of a vector of the group: no value is in a register, and streams point to the vector's vertices.
    fn begin_vector(&mut self, number: usize) {
        if self.vector_number.replace(number).is_none() {
            return;
        }
        self.vectors.fill(None);
        self.attributes.clear();
        // All lanes of a group that writes constants are the same vertex.
        self.stores.clear();
        for register in registers(self.sequential()) {
            let Some(cursor) = self.inputs[register] else { continue };
            let pointer = self.beyond(cursor, LANES);
            self.inputs[register] = Some(Cursor { pointer, ..cursor });
        }
        for (list, width) in self.index_lists() {
            self.lists[list] =
                self.lists[list].map(|at| self.b.ins().iadd_imm_s(at, (LANES * width.bytes()) as i64));
        }
        for register in 0..self.outputs.len() {
            let Some(cursor) = self.outputs[register] else { continue };
            let pointer = match self.layout {
                Layout::Rows => self.beyond(cursor, LANES),
                Layout::Planes => self.b.ins().iadd_imm_s(cursor.pointer, 4 * LANES as i64),
            };
            self.outputs[register] = Some(Cursor { pointer, ..cursor });
        }
    }

    /// Byte offset of the current vector in a slot of scratch memory.
    fn slot_offset(&self, slot: usize) -> i32 {
        self.making.offset(slot, self.vector_number.unwrap_or(0))
    }

    /// The attributes that are read and have no index list, as a mask.
    fn sequential(&self) -> u16 {
        let indices = self.func.inputs.indices();
        let live = self.func.live_inputs();
        registers(live)
            .filter(|&v| indices.of(v) != Indexing::Position)
            .fold(live, |mask, v| mask & !(1 << v))
    }

    /// The index lists of attributes that are read.
    fn index_lists(&self) -> BTreeMap<usize, IndexWidth> {
        let indices = self.func.inputs.indices();
        registers(self.func.live_inputs())
            .filter_map(|register| indices.of(register).list(register))
            .collect()
    }

    /// Loads the addresses of index lists, and where attributes are that are found through them; computes the addresses of
    /// what the lists have for group `first`.
    fn open_lists(&mut self, group: Block, first: Value) -> Vec<OpenList> {
        for register in registers(self.func.live_inputs() & !self.sequential()) {
            let mut load =
                |at: usize| self.b.ins().load(I64, own_memory(), self.io, (Io::input(register) + at) as i32);
            let (pointer, stride) = (load(Stream::BASE), load(Stream::STRIDE));
            self.inputs[register] = Some(Cursor { pointer, stride });
        }
        let lanes = self.making.machine.lanes;
        let lists = self.index_lists().into_iter();
        lists
            .map(|(number, width)| {
                let list = self.b.ins().load(I64, own_memory(), self.io, Io::index(number) as i32);
                let distance = self.b.ins().imul_imm_s(first, (lanes * width.bytes()) as i64);
                let start = self.b.ins().iadd(list, distance);
                let pointer = self.b.append_block_param(group, I64);
                OpenList { number, width, start, pointer }
            })
            .collect()
    }

    /// Loads base and stride of streams, and computes the addresses of group `first`.
    fn open(
        &mut self,
        live: u32,
        offset: impl Fn(usize) -> usize,
        step: Option<i64>,
        group: Block,
        first: Value,
    ) -> Vec<OpenStream> {
        let lanes = self.making.machine.lanes as i64;
        let b = &mut self.b;
        registers(live)
            .map(|register| {
                let at = offset(register);
                let base = b.ins().load(I64, own_memory(), self.io, (at + Stream::BASE) as i32);
                let stride = b.ins().load(I64, own_memory(), self.io, (at + Stream::STRIDE) as i32);
                let distance = match step {
                    Some(bytes) => b.ins().imul_imm_s(first, bytes),
                    None => {
                        let vertices = b.ins().imul_imm_s(first, lanes);
                        b.ins().imul(vertices, stride)
                    }
                };
                let start = b.ins().iadd(base, distance);
                let pointer = b.append_block_param(group, I64);
                OpenStream { register, start, step, cursor: Cursor { pointer, stride } }
            })
            .collect()
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

    /// The address `count` strides behind a cursor.
    fn beyond(&mut self, cursor: Cursor, count: usize) -> Value {
        match count {
            0 => cursor.pointer,
            1 => self.b.ins().iadd(cursor.pointer, cursor.stride),
            _ => {
                let distance = self.b.ins().ishl_imm_u(cursor.stride, count.ilog2() as i64);
                self.b.ins().iadd(cursor.pointer, distance)
            }
        }
    }

    /// The addresses of the rows of a vector.
    fn rows(&mut self, cursor: Cursor) -> [Value; LANES] {
        let third = Cursor { pointer: self.beyond(cursor, 2), ..cursor };
        [cursor.pointer, self.beyond(cursor, 1), third.pointer, self.beyond(third, 1)]
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

/// An index list in the loop over groups.
struct OpenList {
    /// That of [`Io::index`].
    number: usize,
    width: IndexWidth,
    start: Value,
    pointer: Value,
}

/// A stream in the loop over groups.
struct OpenStream {
    register: usize,
    start: Value,
    /// Bytes from group to group, if that does not depend on the stride.
    step: Option<i64>,
    cursor: Cursor,
}
