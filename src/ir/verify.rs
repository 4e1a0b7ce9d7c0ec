//! The contract of a function, checked after every pass in debug builds, and once before code is generated in all.
//!
//! - every operand is defined before its use, in the same block unless it is uniform; the prologue uses and contains
//!   nothing that varies (rules 1 and 3);
//! - blocks are numbered in order, nothing goes to the first, outputs and constants are written in the last alone; a
//!   block reads a cell before it writes it, and writes it once;
//! - operations stand at their level; immediates are in range;
//! - **no address leaves its table**: the operand of `gather` is provably at most the zero row, that of `table` below
//!   the table's length. This is what lets generated code load without a check of its own.

use super::func::{Func, Inst, Level, Value};
use super::ops::{At, Imm, Op};
use std::fmt;
use xfjit_runtime::lookup::Table;
use xfjit_runtime::state::{ATTRIBUTES, MAX_ROWS, OUTPUTS};

/// Blocks and cells that a function may have: what no microcode reaches.
const MAX_BLOCKS: usize = 1 << 16;
const MAX_CELLS: usize = 1 << 12;

/// A function that breaks the contract: a bug of ours.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum VerifyError {
    /// An operand is not defined before the instruction.
    UseBeforeDefinition(Value),
    /// An operand that varies is defined in another block.
    CrossesBlocks(Value),
    /// A marker out of order, a `goto` in the last block, an output or constant written in another one, or a cell read
    /// or written after it was written.
    BadBlock(Value),
    /// The prologue holds an instruction that is not uniform.
    VaryingPrologue(Value),
    /// The operation does not belong to the function's level.
    WrongLevel(Value),
    /// The immediate is out of range.
    BadImmediate(Value),
    /// The row number of a look-up is not provably in range.
    Unbounded(Value),
    /// The window of constants is larger than the memory for them.
    BadWindow,
    /// An operand is a double where a word is wanted, or the other way round; or a double crosses from the prologue
    /// to the body.
    WrongWidth(Value),
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            VerifyError::UseBeforeDefinition(v) => write!(f, "v{} uses a value before its definition", v.0),
            VerifyError::CrossesBlocks(v) => write!(f, "v{} uses a value of another block", v.0),
            VerifyError::BadBlock(v) => write!(f, "v{} does not belong into this block", v.0),
            VerifyError::VaryingPrologue(v) => write!(f, "v{} stands in the prologue but varies", v.0),
            VerifyError::WrongLevel(v) => write!(f, "v{} does not belong to this level", v.0),
            VerifyError::BadImmediate(v) => write!(f, "the immediate of v{} is out of range", v.0),
            VerifyError::BadWindow => write!(f, "the window of constants is too large"),
            VerifyError::WrongWidth(v) => write!(f, "v{} takes an operand of the wrong width", v.0),
            VerifyError::Unbounded(v) => write!(f, "the row number of v{} is not bounded", v.0),
        }
    }
}

impl std::error::Error for VerifyError {}

/// Checks the whole contract.
///
/// # Errors
/// The first instruction that breaks it.
pub fn verify(func: &Func) -> Result<(), VerifyError> {
    if usize::from(func.window.end) > MAX_ROWS {
        return Err(VerifyError::BadWindow);
    }
    let uniform = func.uniform();
    let mut flow = Flow::new(func);
    let mut defined = vec![false; func.insts.len()];
    let mut in_prologue = vec![false; func.insts.len()];
    for (position, value) in func.order().enumerate() {
        let inst = func.inst(value);
        if !inst.operands().iter().all(|arg| defined.get(arg.index()) == Some(&true)) {
            return Err(VerifyError::UseBeforeDefinition(value));
        }
        let here = position < func.prologue.len();
        if position < func.prologue.len() && !uniform[value.index()] {
            return Err(VerifyError::VaryingPrologue(value));
        }
        if matches!((inst.op.at(), func.level), (At::Xf, Level::Host) | (At::Host, Level::Xf)) {
            return Err(VerifyError::WrongLevel(value));
        }
        if !immediate_in_range(func, inst) {
            return Err(VerifyError::BadImmediate(value));
        }
        if !here {
            flow.step(func, value, &uniform)?;
        }
        if !look_up_bounded(func, inst) {
            return Err(VerifyError::Unbounded(value));
        }
        in_prologue[value.index()] = here;
        let fits = |arg: &Value| {
            let crosses = !here && in_prologue[arg.index()] && !func.is_literal(*arg);
            func.inst(*arg).op.is_wide() == inst.op.takes_wide() && !(inst.op.takes_wide() && crosses)
        };
        if !inst.operands().iter().all(fits) {
            return Err(VerifyError::WrongWidth(value));
        }
        defined[value.index()] = !inst.op.has_effect();
    }
    Ok(())
}

/// The walk over the blocks.
struct Flow {
    last: usize,
    block: usize,
    /// The block that defines each value.
    home: Vec<usize>,
    /// For each cell the last block that wrote it.
    written: Vec<Option<usize>>,
}

impl Flow {
    fn new(func: &Func) -> Self {
        let markers = func.body.iter().filter(|value| func.inst(**value).op == Op::Block).count();
        Flow {
            last: markers,
            block: 0,
            home: vec![0; func.insts.len()],
            written: vec![None; func.cells().min(MAX_CELLS)],
        }
    }

    fn step(&mut self, func: &Func, value: Value, uniform: &[bool]) -> Result<(), VerifyError> {
        let inst = func.inst(value);
        if inst.op == Op::Block {
            self.block += 1;
        }
        self.home[value.index()] = self.block;
        let cell = inst.imm as usize;
        let fits = match inst.op {
            Op::Block => cell == self.block,
            Op::Goto => self.block < self.last && (1..=self.last).contains(&cell),
            Op::Output | Op::Store | Op::RowCopy | Op::RowGuard => self.block == self.last,
            Op::Get => self.written[cell] != Some(self.block),
            Op::Set => self.written[cell].replace(self.block) != Some(self.block),
            _ => true,
        };
        if !fits {
            return Err(VerifyError::BadBlock(value));
        }
        let reaches = |arg: &Value| uniform[arg.index()] || self.home[arg.index()] == self.block;
        if inst.operands().iter().all(reaches) { Ok(()) } else { Err(VerifyError::CrossesBlocks(value)) }
    }
}

fn immediate_in_range(func: &Func, inst: &Inst) -> bool {
    let imm = inst.imm as usize;
    let rows = usize::from(func.window.end);
    match inst.op.imm() {
        Imm::None => imm == 0,
        Imm::Bits => true,
        Imm::Shift => imm < 32,
        Imm::Component => imm < 4,
        Imm::Input => imm < 4 * ATTRIBUTES,
        // The base of a relative read may lie anywhere in the 8 to 10 bits of its field.
        Imm::Ctx => imm < 4 * rows || inst.op == Op::CtxRel && imm < 4 * 1024,
        Imm::Table => imm < 4 * Table::ALL.len(),
        Imm::Output => imm < OUTPUTS,
        Imm::Row => imm < rows,
        Imm::Copy => imm >> 8 < OUTPUTS && imm & 255 < ATTRIBUTES,
        Imm::Register => imm < ATTRIBUTES,
        Imm::Block => imm <= MAX_BLOCKS,
        Imm::Cell => imm < MAX_CELLS,
    }
}

fn look_up_bounded(func: &Func, inst: &Inst) -> bool {
    match inst.op {
        Op::Gather => bound(func, inst.args[0]).is_some_and(|max| max <= u32::from(func.window.end)),
        Op::Table => {
            let rows = Table::ALL[inst.imm as usize / 4].rows().len() as u32;
            bound(func, inst.args[0]).is_some_and(|max| max < rows)
        }
        _ => true,
    }
}

/// An upper bound of a value as an unsigned integer, where its form gives one.
pub fn bound(func: &Func, value: Value) -> Option<u32> {
    let inst = func.inst(value);
    let [a, b, ..] = inst.args;
    match inst.op {
        Op::Const => Some(inst.imm),
        Op::And | Op::Umin => {
            let limits = [bound(func, a), bound(func, b)];
            limits.into_iter().flatten().min()
        }
        Op::Shr => Some(bound(func, a).unwrap_or(u32::MAX) >> inst.imm),
        Op::Iadd => bound(func, a)?.checked_add(bound(func, b)?),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::ir::parse::parse;

    /// What the verifier says of a function with this body.
    fn refusal(level: &str, parts: &str) -> String {
        let text = format!("func {level} hw kelvin window 0..192 {{\n{parts}\n}}");
        parse(&text).map_or_else(|error| error.message, |_| "accepted".to_owned())
    }

    #[test]
    fn a_prologue_that_varies_is_refused() {
        let parts = "prologue:\n%0 = input v0.x\nbody:\noutput o0, %0, %0, %0, %0";
        assert!(refusal("xf", parts).contains("varies"));
        assert_eq!(refusal("xf", &parts.replace("input v0.x", "ctx c[0].x")), "accepted");
    }

    #[test]
    fn operations_of_the_other_level_are_refused() {
        let parts = "body:\n%0 = input v0.x\n%1 = fmul %0, %0\noutput o0, %1, %1, %1, %1";
        assert!(refusal("xf", parts).contains("level"));
        assert_eq!(refusal("host", parts), "accepted");
    }

    #[test]
    fn rows_behind_the_generations_last_are_refused() {
        let parts = "body:\n%0 = ctx c[191].x\noutput o0, %0, %0, %0, %0";
        assert_eq!(refusal("host", parts), "accepted");
        assert!(refusal("host", &parts.replace("191", "192")).contains("out of range"));
        let parts = "body:\n%0 = input v0.x\nstore c[192], %0, %0, %0, %0";
        assert!(refusal("host", parts).contains("out of range"));
    }

    #[test]
    fn look_ups_need_a_proof_of_their_range() {
        let parts = "body:\n%0 = input v0.x\n%1 = const 000000c0\n%2 = umin %0, %1\n%3 = gather .x, %2\n\
                     output o0, %3, %3, %3, %3";
        assert_eq!(refusal("host", parts), "accepted");
        assert!(refusal("host", &parts.replace("000000c0", "000000c1")).contains("not bounded"));
        assert!(refusal("host", &parts.replace("umin", "iadd")).contains("not bounded"));
        let parts =
            "body:\n%0 = input v0.x\n%1 = shr 27, %0\n%2 = table exp.x, %1\noutput o0, %2, %2, %2, %2";
        assert_eq!(refusal("host", parts), "accepted");
        assert!(refusal("host", &parts.replace("27", "26")).contains("not bounded"));
    }

    #[test]
    fn doubles_and_words_do_not_mix_and_doubles_stay_in_their_part() {
        let parts = "body:\n%0 = input v0.x\n%1 = promote %0\n%2 = dmul %1, %1\n%3 = dlow %2\noutput o0, %3, %3, %3, %3";
        assert_eq!(refusal("host", parts), "accepted");
        assert!(refusal("host", &parts.replace("dlow %2", "dlow %0")).contains("width"));
        assert!(refusal("host", &parts.replace("dlow %2", "fsqrt %2")).contains("width"));
        let crossing =
            "prologue:\n%0 = ctx c[0].x\n%1 = promote %0\nbody:\n%2 = dlow %1\noutput o0, %2, %2, %2, %2";
        assert!(refusal("host", crossing).contains("width"));
    }
}
