//! What code reads: attributes, constants and tables.

use super::super::core::alloc::Part;
use super::super::fetch::Fetch;
use super::emit::{Emitter, INTEGERS, ROWS};
use super::streams::Rows;
use super::table::Insn;
use crate::ir::backend::HostLoads;
use crate::ir::func::Value as Ir;
use crate::ir::imm::{Column, Element};
use xfjit_runtime::state::{Io, Row, row_offset};

/// Bytes of a word.
const WORD: usize = size_of::<u32>();

/// So many bytes of a word at all vertices, from one of its bytes on; or two words.
#[derive(Clone, Copy)]
struct Piece {
    word: usize,
    from: usize,
    bytes: usize,
}

impl Piece {
    /// What is loaded for the wanted words of elements of so many bytes, and nothing behind them.
    fn of(bytes: usize, wanted: [bool; 4]) -> Vec<Piece> {
        let mut pieces = Vec::new();
        for pair in [0, 2] {
            let there = bytes.saturating_sub(WORD * pair);
            if wanted[pair] && wanted[pair + 1] && there >= 2 * WORD {
                pieces.push(Piece { word: pair, from: 0, bytes: 2 * WORD });
                continue;
            }
            for word in [pair, pair + 1].into_iter().filter(|&word| wanted[word]) {
                match bytes.saturating_sub(WORD * word).min(WORD) {
                    0 => {}
                    3 => pieces.extend([(0, 2), (2, 1)].map(|(from, bytes)| Piece { word, from, bytes })),
                    bytes => pieces.push(Piece { word, from: 0, bytes }),
                }
            }
        }
        pieces
    }
}

impl Emitter<'_> {
    /// Loads so many bytes to the beginning of a register, and clears the others.
    fn load_bytes(&mut self, to: u8, (base, index): (u32, Option<u32>), (from, bytes): (usize, usize)) {
        let insn = match bytes {
            1 => Insn::LdrB,
            2 => Insn::LdrH,
            4 => Insn::LdrS,
            8 => Insn::LdrD,
            _ => Insn::LdrQ,
        };
        match index {
            Some(index) => self.asm.op(Insn::LdrQAt, [to.into(), base, index]),
            None => self.asm.op(insn, [to.into(), base, from as u32]),
        }
    }

    /// Loads whole rows.
    pub(super) fn load_rows(&mut self, rows: Rows, registers: [u8; 4]) {
        for (number, register) in registers.into_iter().enumerate() {
            let at = self.lane(rows, number, false);
            self.load_bytes(register, at, (0, size_of::<Row>()));
        }
    }

    /// Puts together the wanted columns of rows, which are lost; returns registers that the instruction has taken.
    pub(super) fn columns_of(&mut self, rows: [u8; 4], wanted: [bool; 4]) -> [Option<u8>; 4] {
        let [a, b, c, d] = rows;
        let [x, y, z, w] = wanted;
        let columns: [Option<u8>; 4] = std::array::from_fn(|number| wanted[number].then(|| self.take()));
        if (x || y) && (z || w) {
            // The lower pairs in `a` and `c`, the upper ones in `b` and a column.
            let upper = columns[2].or(columns[3]).unwrap_or(b);
            self.asm.vectors(Insn::Zip2, [upper, a, b]);
            self.asm.vectors(Insn::Zip1, [a, a, b]);
            self.asm.vectors(Insn::Zip2, [b, c, d]);
            self.asm.vectors(Insn::Zip1, [c, c, d]);
            self.halves(columns[0], columns[1], a, c);
            self.halves(columns[2], columns[3], upper, b);
        } else {
            let insn = if x || y { Insn::Zip1 } else { Insn::Zip2 };
            self.asm.vectors(insn, [a, a, b]);
            self.asm.vectors(insn, [c, c, d]);
            let first = if x || y { 0 } else { 2 };
            self.halves(columns[first], columns[first + 1], a, c);
        }
        columns
    }

    /// The lower halves of two registers, and the upper ones. Neither may be lost before the other is there.
    fn halves(&mut self, low: Option<u8>, high: Option<u8>, a: u8, b: u8) {
        let [(first, insn), (second, other)] = match low {
            // It may be in the place of an operand.
            Some(low) if low == a => [(high, Insn::High), (Some(low), Insn::Low)],
            _ => [(low, Insn::Low), (high, Insn::High)],
        };
        for (to, insn) in [(first, insn), (second, other)] {
            if let Some(to) = to {
                self.asm.vectors(insn, [to, a, b]);
            }
        }
    }

    /// The wanted words of an attribute.
    pub(super) fn columns(&mut self, register: usize, wanted: [bool; 4]) -> [Option<u8>; 4] {
        let bytes = self.func.inputs.format(register).bytes();
        if bytes == size_of::<Row>() {
            let rows = self.attribute(register);
            let registers = [(); 4].map(|()| self.temporary());
            self.load_rows(rows, registers);
            return self.columns_of(registers, wanted);
        }
        let pieces = Piece::of(bytes, wanted);
        let mut words = [None; 4];
        for two in pieces.chunks(2) {
            let rows = self.attribute(register);
            let lanes: Vec<[u8; 4]> = two.iter().map(|_| [(); 4].map(|()| self.temporary())).collect();
            for lane in 0..4 {
                let at = self.lane(rows, lane, true);
                for (piece, lanes) in two.iter().zip(&lanes) {
                    self.load_bytes(lanes[lane], at, (WORD * piece.word + piece.from, piece.bytes));
                }
            }
            for (piece, lanes) in two.iter().zip(lanes) {
                self.join(*piece, lanes, &mut words);
            }
            self.give_back();
        }
        words
    }

    /// Puts together the lanes of a piece of words.
    fn join(&mut self, piece: Piece, [a, b, c, d]: [u8; 4], words: &mut [Option<u8>; 4]) {
        if piece.bytes == 2 * WORD {
            self.asm.vectors(Insn::Low, [a, a, b]);
            self.asm.vectors(Insn::Low, [c, c, d]);
            for (word, insn) in [Insn::Uzp1, Insn::Uzp2].into_iter().enumerate() {
                let to = self.take();
                self.asm.vectors(insn, [to, a, c]);
                words[piece.word + word] = Some(to);
            }
            return;
        }
        self.asm.vectors(Insn::Zip1, [a, a, b]);
        self.asm.vectors(Insn::Zip1, [c, c, d]);
        match words[piece.word] {
            None => {
                let to = self.take();
                self.asm.vectors(Insn::Low, [to, a, c]);
                words[piece.word] = Some(to);
            }
            // The last byte of three.
            Some(to) => {
                self.asm.vectors(Insn::Low, [a, a, c]);
                self.asm.op(Insn::Shl, [a.into(), a.into(), 8 * piece.from as u32]);
                self.asm.vectors(Insn::Orr, [to, to, a]);
            }
        }
    }

    /// Fetches all components of a row that the part reads.
    fn fetched(&mut self, fetch: Fetch) {
        let Some(values) = self.reads.take(fetch) else { return };
        let wanted = std::array::from_fn(|number| values.iter().any(|&(_, component)| component == number));
        let columns = match fetch {
            Fetch::Attribute(register) => self.columns(register, wanted),
            Fetch::Constant(row) => self.looked_up(None, row, wanted),
            Fetch::Table(table, row) => self.looked_up(Some(table.offset() as u32), row, wanted),
        };
        let mut is_bound = [false; 4];
        for (value, component) in values {
            let Some(register) = columns[component] else { continue };
            if let Some(kept) = self.registers.kept(value) {
                self.copy(kept, register);
                continue;
            }
            let own = if std::mem::replace(&mut is_bound[component], true) {
                let copy = self.take();
                self.copy(copy, register);
                copy
            } else {
                register
            };
            self.bind(Part { value, half: 0 }, own);
            self.store_if_uniform(value);
        }
    }

    /// The wanted columns of rows whose numbers have been verified: of constants, or of a table.
    fn looked_up(&mut self, table: Option<u32>, row: Ir, wanted: [bool; 4]) -> [Option<u8>; 4] {
        /// The logarithm of the bytes of a row.
        const SHIFT: u32 = size_of::<Row>().ilog2();
        /// Bits of a number of twelve.
        const TWELVE: u32 = 12;
        let [low, high, base, ..] = INTEGERS;
        let row = self.find(row, 0);
        let registers = [(); 4].map(|()| self.temporary());
        let offsets = registers[3];
        self.asm.op(Insn::Shl, [offsets.into(), row.into(), SHIFT]);
        let base = match table {
            None => ROWS,
            Some(offset) => {
                self.load_pointer(base, Io::LOOKUP);
                if offset >> TWELVE != 0 {
                    self.asm.op(Insn::AddPage, [base, base, offset >> TWELVE]);
                }
                if offset & ((1 << TWELVE) - 1) != 0 {
                    self.asm.op(Insn::AddI, [base, base, offset & ((1 << TWELVE) - 1)]);
                }
                base
            }
        };
        self.asm.op(Insn::ToX, [low, offsets.into(), 0]);
        self.asm.op(Insn::ToX, [high, offsets.into(), 1]);
        for (two, pair) in registers.chunks(2).zip([low, high]) {
            self.asm.op(Insn::LdrQAtW, [two[0].into(), base, pair]);
            self.asm.op(Insn::Lsr, [pair, pair, u32::BITS]);
            self.asm.op(Insn::LdrQAt, [two[1].into(), base, pair]);
        }
        self.columns_of(registers, wanted)
    }
}

impl HostLoads for Emitter<'_> {
    type Operand = Ir;
    type Result = ();

    /// Literals are made where they are used.
    fn bits(&mut self, _: u32) {}

    fn input(&mut self, at: Element) {
        self.fetched(Fetch::Attribute(at.row));
    }

    /// All components of the row that the part reads.
    fn ctx(&mut self, at: Element) {
        let Some(values) = self.constants.remove(&at.row) else { return };
        let row = self.temporary().into();
        let offset = row_offset(at.row) as u32;
        let is_one = values.len() == 1;
        if is_one {
            self.asm.op(Insn::LdrS, [row, ROWS, offset + (WORD * at.component) as u32]);
        } else {
            self.asm.op(Insn::LdrQ, [row, ROWS, offset]);
        }
        for (value, component) in values {
            let to = match self.registers.kept(value) {
                Some(kept) => kept,
                // What only the body reads needs a register no longer than until it is stored.
                None if self.file.is_read(value) => self.take(),
                None => self.temporary(),
            };
            let component = if is_one { 0 } else { component as u32 };
            self.asm.op(Insn::DupS, [to.into(), row, component]);
            if self.registers.kept(value).is_some() {
                continue;
            }
            if self.file.is_read(value) {
                self.bind(Part { value, half: 0 }, to);
            }
            self.store_uniform(value, to);
            if !self.file.is_read(value) {
                self.temporaries -= 1;
            }
        }
    }

    fn gather(&mut self, row: Ir, _: usize) {
        self.fetched(Fetch::Constant(row));
    }

    fn table(&mut self, row: Ir, at: Column) {
        self.fetched(Fetch::Table(at.table, row));
    }

    fn block(&mut self, _: usize) {
        self.running_lanes();
    }

    fn get(&mut self, cell: usize) {
        self.read_cell(cell);
    }
}
