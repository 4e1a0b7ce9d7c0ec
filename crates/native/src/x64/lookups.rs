//! Look-ups of sixteen lanes by permutes, for tables that registers hold.

use super::asm::{Arg, Source};
use super::emit::Emitter;
use super::masks::OF_ONE;
use super::table::Insn;
use super::temporaries::Temporary;
use crate::ir::func::Value as Ir;
use xfjit_runtime::lookup::Table;

/// How a table is looked up without loading its rows.
#[derive(Clone, Copy)]
pub(super) enum Permutes {
    /// A column is 32 words, which two registers hold.
    Words,
    /// Columns are computed from these seeds, all of which two registers hold.
    Seeds(&'static [u8; 128]),
}

impl Emitter<'_> {
    /// Looks up columns of a table; returns their registers, which the instruction has taken.
    pub(super) fn permuted(
        &mut self,
        permutes: Permutes,
        table: Table,
        row: Ir,
        wanted: [bool; 4],
    ) -> [Option<u8>; 4] {
        let columns = std::array::from_fn(|column| wanted[column].then(|| self.take()));
        let index = self.find(row, 0);
        let by = self.temporary();
        let index = self.in_register(index, by.register());
        match permutes {
            Permutes::Words => {
                for (column, to) in columns.into_iter().enumerate() {
                    if let Some(to) = to {
                        let words = table.rows().iter().flat_map(|row| row[column].to_le_bytes());
                        self.permute(Insn::Vpermt2ps, to, index, words.collect());
                    }
                }
            }
            Permutes::Seeds(seeds) => {
                let seed = self.seeds(seeds, index);
                drop(by);
                self.columns_of_seeds(seed, columns);
            }
        }
        columns
    }

    /// Looks up elements of a table of 128 bytes.
    fn permute(&mut self, insn: Insn, to: u8, index: u8, table: Vec<u8>) {
        let (lower, upper) = table.split_at(64);
        let [lower, upper] = [lower, upper].map(|part| Source::Constant(self.asm.constant(part.to_vec()), 0));
        self.load(to, lower);
        self.instruction2(insn, to, Source::Register(index), upper);
    }

    /// Looks up seeds, to the last temporary register: two of them are a word, the upper one that of an odd number.
    fn seeds(&mut self, seeds: &[u8; 128], index: u8) -> Temporary {
        let held = [self.temporary(), self.temporaries.take_last()];
        let [pair, seed] = held.each_ref().map(Temporary::register);
        let [index_arg, pair_arg, seed_arg] = [index, pair, seed].map(|register| self.vector(register));
        let shift = Insn::Vpsrld;
        self.op(shift, &[pair_arg, index_arg, Arg::Immediate(1)]);
        self.permute(Insn::Vpermt2w, seed, pair, seeds.to_vec());
        let one = self.word(1);
        let args = [Arg::Register(OF_ONE), index_arg, self.operand(one)];
        self.op(Insn::Vptestmd, &args);
        self.op_masked(shift, &[seed_arg, seed_arg, Arg::Immediate(8)], OF_ONE);
        let byte = self.word(0xff);
        self.instruction2(Insn::Vpand, seed, Source::Register(seed), byte);
        let [_, seed] = held;
        seed
    }

    /// Computes what [`xfjit_runtime::lookup::rsq_row`] says of the seeds in the last temporary register, which are there. All
    /// products are exact.
    fn columns_of_seeds(&mut self, seed: Temporary, columns: [Option<u8>; 4]) {
        let held = [self.temporary(), self.temporary(), seed];
        let [square, float, seed] = held.each_ref().map(Temporary::register);
        let multiply = Insn::Vmulps;
        if let Some(to) = columns[2] {
            let args = [self.vector(to), self.vector(seed), Arg::Immediate(17)];
            self.op(Insn::Vpslld, &args);
            let fraction = self.word(0x7f_ffff);
            self.instruction2(Insn::Vpand, to, Source::Register(to), fraction);
        }
        let args = [self.vector(float), self.vector(seed)];
        self.op(Insn::Vcvtdq2ps, &args);
        let float = Source::Register(float);
        if let Some(to) = columns[0] {
            let factor = self.word(96f32.to_bits());
            self.instruction2(multiply, to, float, factor);
        }
        if let Some(to) = columns[1] {
            let factor = self.word(128f32.to_bits());
            self.instruction2(multiply, square, float, float);
            self.instruction2(multiply, to, float, factor);
            self.instruction2(multiply, to, Source::Register(to), Source::Register(square));
        }
    }
}
