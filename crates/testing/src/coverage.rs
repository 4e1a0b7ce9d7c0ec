//! Which rows of the project's tables the inputs of a corpus reach.
//!
//! | table | a row is reached by |
//! |---|---|
//! | operations of a generation | a decoded instruction that has the operation, in one of the two units |
//! | fields of a generation | a slot in whose words the field is not 0 |
//! | recipes of a model | a function with the primitive, as it is before it is legalised |
//! | encodings | machine code for one of the widths, by either path, in which control can reach such an instruction |
//!
//! Nothing of the compiler counts anything: rows are read off what comes out of each stage.

mod code;
mod corpus;
mod ir;

pub use corpus::{Corpus, NotRead};

use crate::front::Microcode;
use crate::ir::Op;
use crate::ir::ops::At;
use crate::isa::op::{ScaOp, VecOp};
use crate::isa::{self, Generation};
use crate::opt;
use crate::shader::Shader;
use std::collections::BTreeMap;
use xfjit_runtime::fpenv::FpEnv;
use xfjit_runtime::num::Model;

/// A table: its rows, and how many inputs have reached each.
pub type Rows = BTreeMap<String, u64>;

/// All tables by name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Coverage {
    /// The tables.
    pub tables: BTreeMap<String, Rows>,
    /// Programs, configurations and functions that were compiled.
    pub inputs: u64,
}

impl Default for Coverage {
    fn default() -> Self {
        Coverage::new()
    }
}

fn operations(generation: Generation) -> String {
    format!("operations of {}", generation.name())
}

fn fields(generation: Generation) -> String {
    format!("fields of {}", generation.name())
}

fn recipes(model: Model) -> String {
    format!("recipes of {}", model.name())
}

const VEC: &str = "vec";
const SCA: &str = "sca";

impl Coverage {
    /// All rows of all tables, and nothing that reaches them.
    pub fn new() -> Coverage {
        let mut coverage = Coverage { tables: BTreeMap::new(), inputs: 0 };
        for &generation in Generation::ALL {
            let vec = VecOp::ALL.iter().filter(|op| op.since() <= generation).map(|op| (VEC, op.mnemonic()));
            let sca = ScaOp::ALL.iter().filter(|op| op.since() <= generation).map(|op| (SCA, op.mnemonic()));
            coverage
                .table(operations(generation), vec.chain(sca).map(|(unit, name)| format!("{unit} {name}")));
            let names =
                isa::raw_fields(generation, [0; isa::WORDS_PER_SLOT]).map(|(name, _)| name.to_owned());
            coverage.table(fields(generation), names);
        }
        for &model in Model::ALL {
            let primitives = Op::ALL.iter().filter(|op| op.at() == At::Xf).map(|op| op.text().to_owned());
            coverage.table(recipes(model), primitives);
        }
        coverage.table(code::TABLE.to_owned(), code::rows());
        coverage
    }

    fn table(&mut self, name: String, rows: impl Iterator<Item = String>) {
        self.tables.insert(name, rows.map(|row| (row, 0)).collect());
    }

    /// Counts a row. What is no row of the table is not what the table is about.
    fn reach(&mut self, table: &str, row: &str) {
        if let Some(count) = self.tables.get_mut(table).and_then(|rows| rows.get_mut(row)) {
            *count += 1;
        }
    }

    /// The rows that nothing has reached, with their tables.
    pub fn missing(&self) -> impl Iterator<Item = (&str, &str)> {
        let all = self.tables.iter().flat_map(|(table, rows)| rows.iter().map(move |row| (table, row)));
        let missing = all.filter(|(_, (_, count))| **count == 0);
        missing.map(|(table, (row, _))| (table.as_str(), row.as_str()))
    }

    /// Adds what a program or a configuration reaches.
    pub fn add(&mut self, shader: &Shader) {
        self.inputs += 1;
        if let Some(Microcode { program, config }) = shader.made_of() {
            let generation = config.generation;
            for insn in &program.insns {
                self.reach(&operations(generation), &format!("{VEC} {}", insn.vec.mnemonic()));
                self.reach(&operations(generation), &format!("{SCA} {}", insn.sca.mnemonic()));
            }
            let words = isa::encode_as(generation, config.reading(), program);
            for slot in words.as_chunks::<{ isa::WORDS_PER_SLOT }>().0 {
                for (field, _) in isa::raw_fields(generation, *slot).filter(|(_, value)| *value != 0) {
                    self.reach(&fields(generation), field);
                }
            }
        }
        FpEnv::Default.within(|| {
            let simple = opt::simplify(shader.lower());
            let model = recipes(simple.numerics.model);
            for value in simple.order() {
                self.reach(&model, simple.inst(value).op.text());
            }
            for row in code::reached(&simple, shader.layout()) {
                self.reach(code::TABLE, &row);
            }
        });
    }
}
