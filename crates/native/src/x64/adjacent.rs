//! Short attributes that are adjacent in an array of vertices: one load for a vertex, instead of one for each word of it.
//!
//! Where arrays are is not known before code runs. Most often the attributes of a vertex follow each other in the order of their
//! registers, each at a multiple of four bytes. Where that would make them adjacent, code asks in each group whether they are,
//! and if not loads them one by one, behind the function. Bytes between them are read, which are of the same vertex; none behind
//! the last one.

use super::super::fetch::Fetch;
use super::asm::{Arg, Label, Source};
use super::emit::{Emitter, IO};
use super::open_streams::Open;
use super::packed::{WORD, is_short};
use super::rows::Rows;
use super::table::Insn;
use super::width::Width;
use crate::ir::func::Value as Ir;
use iced_x86::MemoryOperand;
use xfjit_runtime::batch::registers;
use xfjit_runtime::format::InputLayout;
use xfjit_runtime::state::{Io, Row, Stream};

/// An attribute, and at which byte it is expected behind the first one of those that are adjacent.
#[derive(Clone, Copy)]
pub(super) struct Adjacent {
    register: usize,
    at: usize,
}

/// Words from which on one load is better than several. (With fewer, addresses would be compared for little.)
const FEWEST: usize = 3;

/// Those of these attributes that are expected to be adjacent, as far as one load reaches.
pub(super) fn adjacent_attributes(layout: &InputLayout, attributes: u16, width: Width) -> Vec<Vec<Adjacent>> {
    let mut all: Vec<Vec<Adjacent>> = Vec::new();
    if !width.facts().loads_adjacent {
        return all;
    }
    let mut end = 0;
    for register in registers(attributes) {
        let bytes = layout.format(register).bytes();
        match all.last_mut() {
            Some(last) if end + bytes <= size_of::<Row>() => last.push(Adjacent { register, at: end }),
            _ => {
                end = 0;
                all.push(vec![Adjacent { register, at: end }]);
            }
        }
        end = (end + bytes).next_multiple_of(WORD);
    }
    all.retain(|some| some.len() > 1 && some.iter().all(|one| is_short(layout.format(one.register).bytes())));
    all
}

/// An attribute, and the registers of its words.
type Words = (usize, [Option<u8>; 2]);

/// Neighbours that turn out not to be: code that is still to be made for them.
pub(super) struct Apart {
    /// Where it begins, by how many rows' addresses have become differences from the first one.
    starts: Vec<Label>,
    end: Label,
    words: Vec<Words>,
    opens: Vec<Open>,
    /// The registers of all words, wanted or not, and others.
    taken: [u8; 7],
    /// The operation that it is for.
    value: Ir,
}

impl Emitter<'_> {
    /// Loads an attribute and those that are adjacent to it; returns them with the registers of their words. Nothing if it has none that this part
    /// reads, or too few words to be worth it.
    pub(super) fn load_adjacent(&mut self, register: usize) -> Option<Vec<Words>> {
        let all =
            self.streams.adjacent.iter().find(|all| all.iter().any(|one| one.register == register))?.clone();
        let opens =
            all.iter().map(|one| self.streams.find(Io::input(one.register))).collect::<Option<_>>()?;
        let mut wanted = [None; 4];
        for (number, one) in all.iter().enumerate() {
            for &(_, word) in self.reads.of(Fetch::Attribute(one.register))? {
                wanted[one.at / WORD + word] = Some((number, word));
            }
        }
        if wanted.iter().flatten().count() < FEWEST {
            return None;
        }
        // All of them now: what leaves a register for them leaves it on either way.
        let taken = std::array::from_fn(|_| self.take());
        let mut words: Vec<Words> = all.iter().map(|one| (one.register, [None; 2])).collect();
        for (&register, place) in taken.iter().zip(wanted) {
            if let Some((number, word)) = place {
                words[number].1[word] = Some(register);
            }
        }
        let starts = all.iter().map(|_| self.asm.label()).collect();
        let apart =
            Apart { starts, end: self.asm.label(), words: words.clone(), opens, taken, value: self.running };
        self.open_rows(Io::input(all[0].register));
        self.unless_adjacent(&all, &apart);
        self.load_together(&all, &apart);
        self.asm.bind(apart.end);
        self.cold.apart.push(apart);
        Some(words)
    }

    /// Goes elsewhere if attributes do not lie where they are expected. Their rows' addresses become differences.
    fn unless_adjacent(&mut self, all: &[Adjacent], Apart { starts, opens, .. }: &Apart) {
        let others = || all.iter().zip(opens).skip(1);
        for (one, open) in others() {
            let at = Io::input(one.register) + Stream::STRIDE;
            let at = Arg::Memory(MemoryOperand::with_base_displ(IO, at as i64));
            self.asm.op(Insn::Cmp, &[Arg::Register(open.stride), at]);
            self.asm.jump(Insn::Jne, starts[0]);
        }
        for ((one, open), &start) in others().zip(&starts[1..]) {
            self.asm.op(Insn::Sub, &[open.row, opens[0].row].map(Arg::Register));
            self.asm.op(Insn::CmpByte, &[Arg::Register(open.row), Arg::Immediate(one.at as u32)]);
            self.asm.jump(Insn::Jne, start);
        }
    }

    /// Loads what is adjacent, and moves the streams on.
    fn load_together(&mut self, all: &[Adjacent], Apart { words, opens, taken, .. }: &Apart) {
        let bytes_of = |one: &Adjacent| self.func.inputs.format(one.register).bytes();
        let ends: Vec<usize> = all.iter().map(|one| one.at + bytes_of(one)).collect();
        let end = ends.last().copied().unwrap_or_default();
        let &[x, y, z, w, e, f, g] = taken;
        let ([a, b, c], _held) = self.several();
        self.load_in_order(Rows::Stream(end, opens[0]), [y, w, a, b], [c, e, f, g], x);
        self.move_streams(&opens[..1], 4);
        for (one, open) in all.iter().zip(opens).skip(1) {
            let row = MemoryOperand::with_base_displ(opens[0].row, one.at as i64);
            self.asm.op(Insn::Lea, &[Arg::Register(open.row), Arg::Memory(row)]);
        }
        self.interleave(false, false, [c, y, w]);
        self.interleave(false, true, [w, y, w]);
        self.interleave(false, false, [y, a, b]);
        self.interleave(false, true, [a, a, b]);
        for ([even, odd], [lower, upper]) in [([x, y], [c, y]), ([z, w], [w, a])] {
            self.interleave(true, false, [even, lower, upper]);
            self.interleave(true, true, [odd, lower, upper]);
        }
        // Behind an element are zeros, as they are behind the last one already.
        for ((one, own_end), &(_, words)) in all.iter().zip(ends).zip(words) {
            let bytes = own_end - one.at;
            if own_end < end
                && !bytes.is_multiple_of(WORD)
                && let Some(register) = words[bytes / WORD]
            {
                let mask = self.word(u32::MAX >> (8 * (WORD - bytes % WORD)));
                let word = Source::Register(register);
                self.instruction2(Insn::Vpand, register, word, mask);
            }
        }
    }

    /// Emits what is done with attributes that are not adjacent.
    pub(super) fn apart(&mut self) {
        for apart in std::mem::take(&mut self.cold.apart) {
            let Apart { starts, end, words, opens, taken, value } = apart;
            self.locate(Some(value));
            for (open, &start) in opens.iter().zip(&starts).skip(1).rev() {
                self.asm.bind(start);
                self.asm.op(Insn::Add, &[open.row, opens[0].row].map(Arg::Register));
            }
            self.asm.bind(starts[0]);
            // What the other way has written, this one has, too.
            let (registers, held) = self.several::<3>();
            for register in taken.into_iter().chain(registers) {
                self.clear(register);
            }
            drop(held);
            let [.., e, f, _] = taken;
            for (register, words) in words {
                let rows = self.open_attribute(register);
                self.load_words(rows, words, [e, f]);
            }
            self.asm.jump(Insn::Jmp, end);
        }
    }
}
