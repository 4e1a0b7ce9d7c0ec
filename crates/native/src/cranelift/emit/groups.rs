//! The loop over groups, and what streams are in it.

use super::super::super::budget::Allocator;
use super::super::clif::{LANES, own_memory};
use super::{Cursor, Emitter, Sharing, WORD, slot_offset};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{Block, BlockArg, InstBuilder, Value};
use std::collections::BTreeMap;
use xfjit_runtime::batch::{Layout, registers};
use xfjit_runtime::indices::{IndexWidth, Indexing};
use xfjit_runtime::state::{Io, Stream};

impl Emitter<'_> {
    /// Emits the loop over groups.
    pub(super) fn groups(&mut self, first: Value, end: Value) {
        let [group, last, back, exit] = std::array::from_fn(|_| self.b.create_block());
        let vertex = self.b.append_block_param(group, I64);
        let left_off = self.b.append_block_param(exit, I64);
        let mut load = |at: usize| self.b.ins().load(I64, own_memory(), self.io, at as i32);
        self.sharing = Sharing { near: load(Io::NEAR), far: load(Io::FAR) };
        let inputs = self.open(self.sequential().into(), Io::input, true, group, first);
        let outputs =
            self.open(self.func.live_outputs(), Io::output, self.layout == Layout::Rows, group, first);
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
            self.lists[list.number] = Some((list.pointer, list.sharing));
        }
        if self.func.has_blocks() {
            self.blocks();
        } else {
            self.part(&self.func.body);
        }

        if let Some(flags) = self.flags.take() {
            let (clear, raised) = (self.b.create_block(), self.b.create_block());
            self.branch_if_any(flags, raised, &[], clear);
            self.b.set_cold_block(raised);
            self.b.switch_to_block(raised);
            self.b.seal_block(raised);
            // At the beginning of scratch memory, which nothing reads any more.
            self.b.ins().store(own_memory(), flags, self.scratch, slot_offset(0));
            self.jump(exit, &[vertex]);
            self.b.switch_to_block(clear);
            self.b.seal_block(clear);
        }
        self.write_constants();
        let lanes = LANES as i64;
        // What is read behind this is of the next group alone, so that registers stay those of this one.
        let next = self.b.ins().iadd_imm_s(vertex, lanes);
        let mut advanced = vec![next];
        for OpenStream { cursor: Cursor { pointer, far, .. }, .. } in inputs.iter().chain(&outputs) {
            advanced.push(match far {
                Some(far) => {
                    let distance = self.b.ins().ishl_imm_u(*far, 1);
                    self.b.ins().iadd(*pointer, distance)
                }
                None => self.b.ins().iadd_imm_s(*pointer, WORD * lanes),
            });
        }
        for list in &lists {
            let bytes = lanes * list.width.bytes() as i64;
            advanced.push(self.b.ins().iadd_imm_s(list.pointer, bytes));
        }
        let behind = self.b.ins().iadd_imm_s(next, lanes);
        let is_whole = self.b.ins().icmp(IntCC::UnsignedLessThanOrEqual, behind, end);
        let arguments: Vec<BlockArg> = advanced.iter().map(|&value| BlockArg::Value(value)).collect();
        self.b.ins().brif(is_whole, group, &arguments, last, &[]);
        self.b.seal_block(last);
        self.b.switch_to_block(last);
        let is_more = self.b.ins().icmp(IntCC::UnsignedLessThan, next, end);
        self.b.ins().brif(is_more, back, &[], exit, &[BlockArg::Value(next)]);
        self.b.seal_block(back);
        self.b.seal_block(exit);

        self.b.set_cold_block(back);
        self.b.switch_to_block(back);
        let start = self.b.ins().iadd_imm_s(end, -lanes);
        let ahead = self.b.ins().isub(start, next);
        let mut arguments = vec![start];
        let mut pointers = advanced.into_iter().skip(1);
        for (OpenStream { cursor, .. }, pointer) in inputs.iter().chain(&outputs).zip(&mut pointers) {
            let distance = match cursor.far {
                Some(_) => self.b.ins().imul(ahead, cursor.stride),
                None => self.b.ins().imul_imm_s(ahead, WORD),
            };
            arguments.push(self.b.ins().iadd(pointer, distance));
        }
        for (list, pointer) in lists.iter().zip(pointers) {
            let distance = self.b.ins().imul_imm_s(ahead, list.width.bytes() as i64);
            arguments.push(self.b.ins().iadd(pointer, distance));
        }
        self.jump(group, &arguments);
        self.b.seal_block(group);
        self.b.switch_to_block(exit);
        self.b.ins().return_(&[left_off]);
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
            self.inputs[register] = Some(Cursor { pointer, stride, far: None });
        }
        let mut of_width = BTreeMap::new();
        let lists = self.index_lists().into_iter();
        lists
            .map(|(number, width)| {
                let list = self.b.ins().load(I64, own_memory(), self.io, Io::index(number) as i32);
                let bytes = width.bytes() as i64;
                let distance = self.b.ins().imul_imm_s(first, bytes);
                let start = self.b.ins().iadd(list, distance);
                let pointer = self.b.append_block_param(group, I64);
                let sharing = *of_width.entry(width).or_insert_with(|| self.shared(bytes));
                OpenList { number, width, start, pointer, sharing }
            })
            .collect()
    }

    /// How lanes share vertices, in bytes of which each vertex has so many.
    pub(super) fn shared(&mut self, bytes: i64) -> Sharing {
        let Sharing { near, far } = self.sharing;
        let [near, far] = [near, far].map(|vertices| self.b.ins().imul_imm_s(vertices, bytes));
        Sharing { near, far }
    }

    /// Loads base and stride of streams, which are rows or planes, and computes the addresses of the vertex `first`.
    fn open(
        &mut self,
        live: u32,
        offset: impl Fn(usize) -> usize,
        are_rows: bool,
        group: Block,
        first: Value,
    ) -> Vec<OpenStream> {
        let (b, sharing) = (&mut self.b, self.sharing);
        registers(live)
            .map(|register| {
                let at = offset(register);
                let base = b.ins().load(I64, own_memory(), self.io, (at + Stream::BASE) as i32);
                let stride = b.ins().load(I64, own_memory(), self.io, (at + Stream::STRIDE) as i32);
                let pointer = b.append_block_param(group, I64);
                let (distance, cursor) = if are_rows {
                    let distance = b.ins().imul(first, stride);
                    let [near, far] = [sharing.near, sharing.far].map(|count| b.ins().imul(count, stride));
                    (distance, Cursor { pointer, stride: near, far: Some(far) })
                } else {
                    (b.ins().imul_imm_s(first, WORD), Cursor { pointer, stride, far: None })
                };
                let start = b.ins().iadd(base, distance);
                OpenStream { register, start, cursor }
            })
            .collect()
    }
}

/// An index list in the loop over groups.
struct OpenList {
    /// That of [`Io::index`].
    number: usize,
    width: IndexWidth,
    start: Value,
    pointer: Value,
    sharing: Sharing,
}

/// A stream in the loop over groups.
struct OpenStream {
    register: usize,
    start: Value,
    cursor: Cursor,
}
