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
//!     a guard raised here               -> return i   (the interpreter overwrites what was stored)
//!     constants are written
//!     i + 1 < end                       -> group(i + 1, pointers + a group of vertices)
//!     return end
//! ```
//! The order of the IR is kept: Cranelift runs without its optimiser, which would reschedule (docs/DESIGN.md).

use super::super::budget::Allocator;
use super::super::spill::Registers;
use super::super::spill::checker::{Part, Step, Trace};
use super::clif::{Arithmetic, LANES, Vector, caller_memory, literal, own_memory, transpose};
use super::target::Target;
use crate::ir::backend::{HostEffects, HostLoads, HostOps};
use crate::ir::func::{Func, Inst, Value as Ir};
use crate::ir::host;
use crate::ir::imm::{Column, Element, Passed};
use crate::ir::ops::{Double, Kind, Load, Op};
use crate::machine::Machine;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::immediates::Offset32;
use cranelift_codegen::ir::types::{F32, F32X4, F64, F64X2, I32, I64, I64X2};
use cranelift_codegen::ir::{
    AbiParam, Block, BlockArg, Function, InstBuilder, MemFlagsData, Signature, Value,
};
use cranelift_codegen::isa::CallConv;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use rustc_hash::FxHashMap;
use std::mem::offset_of;
use target_lexicon::Architecture;
use xfjit_runtime::abi::ALL_GUARDED;
use xfjit_runtime::batch::{Layout, registers};
use xfjit_runtime::lookup::Table;
use xfjit_runtime::state::{Io, OUTPUTS, Scratch, Stream, row_offset};

mod blocks;
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
    (clif, pool): (&mut Function, &mut FunctionBuilderContext),
) {
    let isa = &*target.isa;
    clif.signature = signature(isa.default_call_conv());
    let operations = func.prologue.len() + func.body.len() * target.machine().vectors();
    let host = isa.triple().architecture;
    let making = Making { machine: *target.machine(), host, allocator, operations };
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

/// Rows that are fetched and transposed together.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Fetch {
    Attribute(usize),
    Constant(Ir),
    Table(Table, Ir),
}

impl Fetch {
    /// The row of which an instruction reads a component, and the component.
    fn of(inst: &Inst) -> Option<(Self, usize)> {
        let Kind::Load(load) = inst.op.kind() else { return None };
        match load {
            Load::Input => {
                let at: Element = inst.immediate();
                Some((Fetch::Attribute(at.row), at.component))
            }
            Load::Gather => Some((Fetch::Constant(inst.args[0]), inst.immediate())),
            Load::Table => {
                let at: Column = inst.immediate();
                Some((Fetch::Table(at.table, inst.args[0]), at.column))
            }
            Load::Const | Load::Ctx | Load::Block | Load::Get => None,
        }
    }
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

    /// Byte offset of a vector of the group within a slot of scratch memory.
    fn offset(self, slot: usize, vector: usize) -> i32 {
        Scratch::offset(slot, self.machine.lanes) + (4 * LANES * vector) as i32
    }
}

struct Emitter<'a> {
    func: &'a Func,
    layout: Layout,
    making: Making,
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
    inputs: [Option<Cursor>; 16],
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
    registers: Registers,
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
            inputs: [None; 16],
            outputs: [None; OUTPUTS],
            flags: None,
            most: None,
            least: None,
            stores: Vec::new(),
            together: FxHashMap::default(),
            beside: Vec::new(),
            registers: Registers::default(),
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
        (self.scratch, self.lookup) = (load(offset_of!(Io, scratch)), load(offset_of!(Io, lookup)));
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
        let inputs = self.open(self.func.live_inputs().into(), Io::input, None, group, first);
        let outputs = self.open(self.func.live_outputs(), Io::output, step, group, first);
        let mut arguments = vec![first];
        arguments.extend(inputs.iter().chain(&outputs).map(|stream| stream.start));
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
            let clear = self.b.create_block();
            self.branch_if_any(flags, exit, &[number], clear);
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
        self.b.ins().brif(more, group, &arguments, exit, &[BlockArg::Value(next)]);
        self.b.seal_block(group);
        self.b.switch_to_block(exit);
        self.b.seal_block(exit);
        self.b.ins().return_(&[left_off]);
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
        for register in 0..self.inputs.len() {
            let Some(cursor) = self.inputs[register] else { continue };
            let pointer = self.beyond(cursor, LANES);
            self.inputs[register] = Some(Cursor { pointer, ..cursor });
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
                let base = b.ins().load(I64, own_memory(), self.io, (at + offset_of!(Stream, base)) as i32);
                let stride =
                    b.ins().load(I64, own_memory(), self.io, (at + offset_of!(Stream, stride)) as i32);
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

    /// Fetches all components of a row that the part reads; returns the first. [`Emitter::part`] defines the others.
    fn fetched(&mut self, fetch: Fetch) -> Option<Vector> {
        let values = self.together.remove(&fetch)?;
        let wanted = std::array::from_fn(|number| values.iter().any(|&(_, component)| component == number));
        let vectors = self.fetch(fetch, wanted);
        let mut fetched = values.into_iter().map(|(value, component)| (value, vectors[component]));
        let (_, first) = fetched.next()?;
        self.beside.extend(fetched);
        first
    }

    fn raise(&mut self, mask: Vector) {
        let mask = mask.as_integer(&mut self.b);
        let flags = self.flags.map_or(mask, |flags| self.b.ins().bor(flags, mask));
        self.flags = Some(flags);
    }

    /// Raises the guards of exponent fields in this part.
    fn raise_exponents(&mut self) {
        if let Some(most) = self.most.take() {
            let limit = literal(&mut self.b, host::greatest_exponent(self.func.numerics));
            let limit = limit.as_integer(&mut self.b);
            let above = self.b.ins().icmp(IntCC::SignedGreaterThan, most, limit);
            self.raise(Vector::integer(above));
        }
        if let Some(least) = self.least.take() {
            let limit = literal(&mut self.b, host::LEAST_SUMMED - 1).as_integer(&mut self.b);
            let below = self.b.ins().icmp(IntCC::UnsignedLessThan, least, limit);
            self.raise(Vector::integer(below));
        }
    }

    /// The rows of an attribute, loaded once for each group.
    fn attribute(&mut self, register: usize) -> [Vector; 4] {
        if let Some(&rows) = self.attributes.get(&register) {
            return rows;
        }
        let cursor = self.inputs[register].expect("a live input has a stream");
        let components = self.func.inputs.format(register).components;
        let rows = self.rows(cursor).map(|at| self.row(at, components));
        self.attributes.insert(register, rows);
        rows
    }

    /// Loads a row with this number of components, and no memory behind them.
    fn row(&mut self, at: Value, components: u8) -> Vector {
        let load =
            |b: &mut FunctionBuilder<'_>, kind, offset| b.ins().load(kind, caller_memory(), at, offset);
        let b = &mut self.b;
        let row = match components {
            1 => {
                let x = load(b, F32, 0);
                b.ins().scalar_to_vector(F32X4, x)
            }
            2 | 3 => {
                let xy = load(b, F64, 0);
                let row = b.ins().scalar_to_vector(F64X2, xy);
                Vector::double_pair(row).cast(b, F32X4)
            }
            _ => load(b, F32X4, 0),
        };
        if components != 3 {
            return Vector::float(row);
        }
        let z = load(b, F32, 8);
        Vector::float(b.ins().insertlane(row, z, 2))
    }

    /// The wanted components of rows that are read at lane-dependent addresses.
    fn fetch(&mut self, fetch: Fetch, wanted: [bool; 4]) -> [Option<Vector>; 4] {
        let rows = match fetch {
            Fetch::Attribute(register) => self.attribute(register),
            Fetch::Constant(row) => self.rows_of((self.context, row_offset(0)), caller_memory(), row),
            Fetch::Table(table, row) => self.rows_of((self.lookup, table.offset()), own_memory(), row),
        };
        transpose(&mut self.b, rows, wanted)
    }

    /// One 16-byte row for each lane, at row numbers that have been verified to lie inside.
    fn rows_of(&mut self, (base, offset): (Value, i32), flags: MemFlagsData, row: Ir) -> [Vector; 4] {
        let row = self.vector(row).as_integer(&mut self.b);
        let size = self.b.ins().iconst(I32, 4);
        let distances = Vector::integer(self.b.ins().ishl(row, size)).cast(&mut self.b, I64X2);
        let pairs = [0, 1].map(|half| self.b.ins().extractlane(distances, half));
        std::array::from_fn(|lane| {
            let pair = pairs[lane / 2];
            let distance = if lane % 2 == 1 {
                self.b.ins().ushr_imm_u(pair, 32)
            } else {
                let low = self.b.ins().ireduce(I32, pair);
                self.b.ins().uextend(I64, low)
            };
            let at = self.b.ins().iadd(base, distance);
            Vector::float(self.b.ins().load(F32X4, flags, at, offset))
        })
    }

    /// Stores an output register of the group.
    fn write(&mut self, cursor: Cursor, components: [Vector; 4]) {
        match self.layout {
            Layout::Planes => self.store_at_strides(cursor, components),
            Layout::Rows => {
                let rows = transpose(&mut self.b, components, [true; 4]);
                self.store_at_strides(cursor, rows.map(|row| row.expect("all rows are wanted")));
            }
        }
    }

    /// Stores rows of an attribute as an output register.
    fn copy(&mut self, cursor: Cursor, rows: [Vector; 4]) {
        match self.layout {
            Layout::Rows => self.store_at_strides(cursor, rows),
            Layout::Planes => {
                let planes = transpose(&mut self.b, rows, [true; 4]);
                self.store_at_strides(cursor, planes.map(|plane| plane.expect("all planes are wanted")));
            }
        }
    }

    fn store_at_strides(&mut self, cursor: Cursor, vectors: [Vector; 4]) {
        let addresses = self.rows(cursor);
        for (at, vector) in addresses.into_iter().zip(vectors) {
            let value = vector.as_float(&mut self.b);
            self.b.ins().store(caller_memory(), value, at, Offset32::new(0));
        }
    }

    /// Writes constants at the end of the vertex. Programs that write constants run vertex after vertex, all lanes of a
    /// group being the same one, so lane 0 is as good as any.
    fn write_constants(&mut self) {
        for (store, row, components) in std::mem::take(&mut self.stores) {
            for (&value, vector) in self.func.inst(store).operands().iter().zip(components) {
                self.trace.note(Step::Read { value, at: vector.place() });
            }
            self.trace.note(Step::Run(store));
            let rows = transpose(&mut self.b, components, [true, false, false, false]);
            let value = rows[0].expect("row 0 is wanted").as_float(&mut self.b);
            self.b.ins().store(caller_memory(), value, self.context, row_offset(row));
        }
    }
}

impl HostLoads for Emitter<'_> {
    type Operand = Ir;
    type Result = Option<Vector>;

    fn bits(&mut self, _: u32) -> Option<Vector> {
        None
    }

    fn input(&mut self, at: Element) -> Option<Vector> {
        self.fetched(Fetch::Attribute(at.row))
    }

    fn ctx(&mut self, at: Element) -> Option<Vector> {
        let offset = row_offset(at.row) + 4 * at.component as i32;
        let scalar = self.b.ins().load(F32, own_memory(), self.context, offset);
        Some(Vector::float(self.b.ins().splat(F32X4, scalar)))
    }

    fn gather(&mut self, row: Ir, _: usize) -> Option<Vector> {
        self.fetched(Fetch::Constant(row))
    }

    fn table(&mut self, row: Ir, at: Column) -> Option<Vector> {
        self.fetched(Fetch::Table(at.table, row))
    }

    /// The value of the marker, the mask of active lanes, is set where the block begins.
    fn block(&mut self, _: usize) -> Option<Vector> {
        None
    }

    fn get(&mut self, cell: usize) -> Option<Vector> {
        Some(self.read_frame(cell))
    }
}

impl HostEffects for Emitter<'_> {
    type Operand = Ir;

    fn output(&mut self, x: Ir, y: Ir, z: Ir, w: Ir, register: usize) {
        let components = [x, y, z, w].map(|component| self.vector(component));
        let cursor = self.outputs[register].expect("a live output has a stream");
        self.write(cursor, components);
    }

    fn store(&mut self, x: Ir, y: Ir, z: Ir, w: Ir, row: usize) {
        let components = [x, y, z, w].map(|component| self.find(component));
        self.stores.push((self.running, row, components));
    }

    /// Emitted at the end of the block.
    fn goto(&mut self, _: Ir, _: usize) {}

    fn set(&mut self, a: Ir, cell: usize) {
        let value = self.vector(a);
        self.write_frame(cell, value);
    }

    fn guard(&mut self, mask: Ir) {
        let mask = self.vector(mask);
        self.raise(mask);
    }

    fn big_guard(&mut self, exponent: Ir) {
        let exponent = self.vector(exponent).as_integer(&mut self.b);
        let most = self.most.map_or(exponent, |most| self.b.ins().smax(most, exponent));
        self.most = Some(most);
    }

    fn small_guard(&mut self, less: Ir) {
        let less = self.vector(less).as_integer(&mut self.b);
        let least = self.least.map_or(less, |least| self.b.ins().umin(least, less));
        self.least = Some(least);
    }

    fn row_guard(&mut self, attribute: usize) {
        let [r0, r1, r2, r3] = self.attribute(attribute);
        for (a, b) in [(r0, r1), (r2, r3)] {
            let unordered = self.arithmetic().funord(a, b);
            self.raise(unordered);
        }
    }

    fn row_copy(&mut self, passed: Passed) {
        let rows = self.attribute(passed.attribute);
        let cursor = self.outputs[passed.output].expect("a live output has a stream");
        self.copy(cursor, rows);
    }
}

/// A stream in the loop over groups.
struct OpenStream {
    register: usize,
    start: Value,
    /// Bytes from group to group, if that does not depend on the stride.
    step: Option<i64>,
    cursor: Cursor,
}
