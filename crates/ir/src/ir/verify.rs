//! The contract of a function, checked after every pass in debug builds, and once before code is generated in all.
//!
//! - every operand is defined before its use, in the same block unless it is uniform; the prologue contains and uses only
//!   uniform values (rules 1 and 3);
//! - blocks are numbered in order, no `goto` leads to block 0, outputs and constants are written in the last block only; a
//!   block reads a cell before it writes it, and writes it at most once;
//! - operations match the level of the function; immediates are in range;
//! - **no address leaves its table**: the operand of `gather` is provably at most the row of zeros behind the constants (the
//!   last row, if the function writes constants), that of `table` below the table's length; cells occur only where there
//!   are blocks, and fit the scratch memory together with the values that the body reads from the prologue. This is why
//!   generated code needs no bounds checks;
//! - arithmetic of the lighting engine has operands of 22 bits: for others its result is not defined.
//!
//! The time is linear in the length of the function.

use super::facts::Facts;
use super::func::{Func, Inst, Level, Value};
use super::imm::{Column, Element, Passed};
use super::ops::{At, Effect, Imm, Kind, Load, Op};
use std::fmt;
use xfjit_runtime::format::Format;
use xfjit_runtime::state::{ATTRIBUTES, MAX_ROWS, OUTPUTS, SCRATCH};

/// The greatest numbers of blocks and cells; no microcode reaches them.
const MAX_BLOCKS: usize = 1 << 16;
const MAX_CELLS: usize = 1 << 12;

/// A violation of the contract: a bug of this library.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum VerifyError {
    /// An operand is not defined before the instruction.
    UseBeforeDefinition(Value),
    /// An operand that varies is defined in another block.
    CrossesBlocks(Value),
    /// A marker out of order, a `goto` in the last block, an output or constant written in another one, a cell read
    /// or written after it was written, or where there are no blocks.
    BadBlock(Value),
    /// The prologue holds an instruction that is not uniform.
    VaryingPrologue(Value),
    /// The operation does not belong to the function's level.
    WrongLevel(Value),
    /// The immediate is out of range.
    BadImmediate(Value),
    /// The row number of a look-up is not provably in range.
    Unbounded(Value),
    /// An operand of the lighting engine's arithmetic is not provably a number of 22 bits.
    NotShort(Value),
    /// The window of constants is larger than the memory for them, or ends before it begins.
    BadWindow,
    /// Cells and the values that the body reads from the prologue need more words of scratch memory than there are for
    /// each lane.
    TooManyWords(usize),
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
            VerifyError::NotShort(v) => write!(f, "an operand of v{} may have more than 22 bits", v.0),
            VerifyError::BadWindow => write!(f, "the window of constants is not a range of rows"),
            VerifyError::TooManyWords(words) => {
                write!(
                    f,
                    "cells and uniform values need {words} words of scratch memory, {SCRATCH} are there"
                )
            }
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
    if usize::from(func.window.end) > MAX_ROWS || func.window.start > func.window.end {
        return Err(VerifyError::BadWindow);
    }
    let uniform = func.uniform();
    // Serial functions have no row of zeros behind the constants.
    let rows = u32::from(func.window.end) + u32::from(!func.is_serial());
    let mut block_rules = BlockRules::new(func);
    let mut defined = vec![false; func.insts.len()];
    let mut in_prologue = vec![false; func.insts.len()];
    let mut facts = Facts::new(func.insts.len());
    let mut prologue_reads = PrologueReads::new(func.insts.len());
    for (position, value) in func.order().enumerate() {
        let inst = func.inst(value);
        let here = position < func.prologue.len();
        let takes_doubles = inst.op.takes_doubles();
        let mut are_wide = true;
        for &arg in inst.operands() {
            if defined.get(arg.index()) != Some(&true) {
                return Err(VerifyError::UseBeforeDefinition(value));
            }
            let crosses = !here && in_prologue[arg.index()];
            are_wide &= func.inst(arg).op.makes_double() == takes_doubles
                && !(takes_doubles && crosses && !func.is_literal(arg));
            if crosses {
                prologue_reads.read(func, arg);
            }
        }
        if here && !uniform[value.index()] {
            return Err(VerifyError::VaryingPrologue(value));
        }
        if matches!((inst.op.at(), func.level), (At::Xf, Level::Host) | (At::Host, Level::Xf)) {
            return Err(VerifyError::WrongLevel(value));
        }
        if !immediate_in_range(func, inst) {
            return Err(VerifyError::BadImmediate(value));
        }
        if !here {
            block_rules.step(func, value, &uniform)?;
        }
        if !look_up_bounded(rows, inst, &facts) {
            return Err(VerifyError::Unbounded(value));
        }
        if inst.op.is_short() && !inst.operands().iter().all(|&arg| facts.is_short(arg)) {
            return Err(VerifyError::NotShort(value));
        }
        facts.note(func, value);
        in_prologue[value.index()] = here;
        if !are_wide {
            return Err(VerifyError::WrongWidth(value));
        }
        defined[value.index()] = !inst.op.has_effect();
    }
    // A frame that is too large by itself is no violation: the code generator refuses such a function (`Compiler`).
    let words = prologue_reads.count + func.frame();
    if prologue_reads.count > 0 && words > SCRATCH { Err(VerifyError::TooManyWords(words)) } else { Ok(()) }
}

/// The values that the body reads from the prologue, except literals.
struct PrologueReads {
    is_read: Vec<bool>,
    count: usize,
}

impl PrologueReads {
    fn new(values: usize) -> Self {
        PrologueReads { is_read: vec![false; values], count: 0 }
    }

    fn read(&mut self, func: &Func, value: Value) {
        if !func.is_literal(value) && !std::mem::replace(&mut self.is_read[value.index()], true) {
            self.count += 1;
        }
    }
}

/// The rules of blocks and cells, and the current block.
struct BlockRules {
    last: usize,
    block: usize,
    /// The block that defines each value.
    home: Vec<usize>,
    /// For each cell, the last block that wrote it.
    written: Vec<Option<usize>>,
}

impl BlockRules {
    fn new(func: &Func) -> Self {
        let markers = func.body.iter().filter(|value| func.inst(**value).op == Op::Block).count();
        BlockRules {
            last: markers,
            block: 0,
            home: vec![0; func.insts.len()],
            // Where there are no blocks, no cell is looked up.
            written: if markers > 0 { vec![None; func.cells().min(MAX_CELLS)] } else { Vec::new() },
        }
    }

    fn step(&mut self, func: &Func, value: Value, uniform: &[bool]) -> Result<(), VerifyError> {
        let inst = func.inst(value);
        if inst.op == Op::Block {
            self.block += 1;
        }
        self.home[value.index()] = self.block;
        let fits = match inst.op.kind() {
            Kind::Load(load) => self.allows_load(load, inst.imm as usize),
            Kind::Effect(effect) => self.allows_effect(effect, inst.imm as usize),
            Kind::Pure(_) | Kind::Double(_) => true,
            Kind::Indexed(_) | Kind::Arithmetic(_) | Kind::Function(_) => true,
            Kind::Lighting(_) | Kind::Leaving(_) => true,
        };
        if !fits {
            return Err(VerifyError::BadBlock(value));
        }
        let reaches = |arg: &Value| uniform[arg.index()] || self.home[arg.index()] == self.block;
        if inst.operands().iter().all(reaches) { Ok(()) } else { Err(VerifyError::CrossesBlocks(value)) }
    }

    fn allows_load(&self, load: Load, number: usize) -> bool {
        match load {
            Load::Block => number == self.block,
            Load::Get => self.last > 0 && self.written[number] != Some(self.block),
            Load::Const | Load::Input | Load::Ctx | Load::Gather | Load::Table => true,
        }
    }

    fn allows_effect(&mut self, effect: Effect, number: usize) -> bool {
        match effect {
            Effect::Goto => self.block < self.last && (1..=self.last).contains(&number),
            Effect::Set => self.last > 0 && self.written[number].replace(self.block) != Some(self.block),
            Effect::Output | Effect::Store | Effect::Written => self.block == self.last,
            Effect::RowCopy | Effect::RowGuard => self.block == self.last,
            Effect::Guard | Effect::BigGuard | Effect::SmallGuard => true,
        }
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
        Imm::Input => {
            let Element { row, component } = inst.immediate();
            let reads_memory = func.level == Level::Host;
            row < ATTRIBUTES && (!reads_memory || component < func.inputs.format(row).element_words())
        }
        // The base of a relative read may lie anywhere in the 8 to 10 bits of its field.
        Imm::Ctx => inst.immediate::<Element>().row < if inst.op == Op::CtxRel { 1024 } else { rows },
        Imm::Table => Column::exists(inst.imm),
        Imm::Output => imm < OUTPUTS,
        Imm::Row => imm < rows,
        Imm::Copy => {
            let Passed { attribute, output } = inst.immediate();
            is_row(func, attribute) && output < OUTPUTS
        }
        Imm::Register => is_row(func, imm),
        Imm::Block => imm <= MAX_BLOCKS,
        Imm::Cell => imm < MAX_CELLS,
    }
}

/// Whether there is an attribute that lies in memory as four words of the host, as those do that are taken whole.
fn is_row(func: &Func, register: usize) -> bool {
    register < ATTRIBUTES && func.inputs.format(register) == Format::ROW
}

/// Whether the row number of a look-up is below the number of rows: of a table, or these of the constants.
fn look_up_bounded(rows: u32, inst: &Inst, facts: &Facts) -> bool {
    let Kind::Load(load) = inst.op.kind() else { return true };
    match load {
        Load::Gather => facts.most(inst.args[0]) < rows,
        Load::Table => {
            let rows = inst.immediate::<Column>().table.rows();
            (facts.most(inst.args[0]) as usize) < rows.len()
        }
        // Their addresses are immediates.
        Load::Const | Load::Input | Load::Ctx | Load::Block | Load::Get => true,
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
        let parts = "body:\n%0 = input v0.x\n%1 = umin %0, %0\noutput o0, %1, %1, %1, %1";
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
        // One that writes constants has no row of zeros behind them.
        let serial = format!("{parts}\nstore c[0], %0, %0, %0, %0");
        assert!(refusal("host", &serial).contains("not bounded"));
        assert_eq!(refusal("host", &serial.replace("000000c0", "000000bf")), "accepted");
        let parts =
            "body:\n%0 = input v0.x\n%1 = shr 27, %0\n%2 = table exp.x, %1\noutput o0, %2, %2, %2, %2";
        assert_eq!(refusal("host", parts), "accepted");
        assert!(refusal("host", &parts.replace("27", "26")).contains("not bounded"));
    }

    #[test]
    fn cells_need_blocks() {
        for cell in ["%0 = get s0\noutput o0, %0, %0, %0, %0", "%0 = input v0.x\nset s0, %0"] {
            assert!(refusal("host", &format!("body:\n{cell}")).contains("does not belong"), "{cell}");
        }
        assert_eq!(
            refusal("host", "body:\n%0 = input v0.x\nset s0, %0\n%1 = block b1\n%2 = get s0"),
            "accepted"
        );
    }

    #[test]
    fn the_window_is_a_range() {
        let text = |window: &str| format!("func host hw kelvin window {window} {{\nbody:\n}}");
        assert!(parse(&text("0..544")).is_ok());
        for window in ["0..545", "2..1"] {
            assert!(parse(&text(window)).is_err(), "{window}");
        }
    }

    /// Sums of sums, each read twice: paths double with each. Chains: a frame of the stack for each would overflow it.
    #[test]
    fn bounds_take_one_step_for_each_value() {
        use crate::ir::facts::Facts;
        use crate::ir::{Func, Inst, Level, Op, Value};
        use xfjit_runtime::num::{Model, Numerics, Rules};
        let start = |count: usize, op: Op| {
            let numerics = Numerics { model: Model::Hw, rules: Rules::Kelvin };
            let mut func = Func::new(Level::Host, numerics, 0..192);
            func.insts.push(Inst::new(Op::Const, 1, &[]));
            func.insts.extend((0..count).map(|i| Inst::new(op, 0, &[Value(i as u32); 2])));
            func.insts.push(Inst::new(Op::Gather, 0, &[Value(count as u32)]));
            func.body = (0..func.insts.len() as u32).map(Value).collect();
            func
        };
        assert_eq!(super::verify(&start(400_000, Op::Umin)), Ok(()));
        let mut facts = Facts::new(64);
        let doubled = start(40, Op::Iadd);
        doubled.body.iter().for_each(|&value| facts.note(&doubled, value));
        assert_eq!([7, 31, 32, 40].map(|i| facts.most(Value(i))), [128, 1 << 31, u32::MAX, u32::MAX]);
        assert_eq!(super::verify(&start(7, Op::Iadd)), Ok(()));
        assert!(super::verify(&start(40, Op::Iadd)).is_err());
    }

    #[test]
    fn what_the_body_reads_of_the_prologue_fits_the_scratch_memory() {
        let parts = |count: usize| {
            let made = (0..count).map(|i| format!("%{i} = ctx c[{}].{}", i / 4, ["x", "y", "z", "w"][i % 4]));
            let read = (0..count).map(|i| format!("output o{}, %{i}, %{i}, %{i}, %{i}", i % 16));
            let lines: Vec<String> = made.chain(["body:".to_owned()]).chain(read).collect();
            format!("func host hw kelvin window 0..544 {{\nprologue:\n{}\n}}", lines.join("\n"))
        };
        assert!(parse(&parts(1024)).is_ok());
        assert!(parse(&parts(1025)).is_err_and(|error| error.message.contains("1025 words")));
        // Beside a frame there is less: one cell, the lanes' places, their guards.
        let framed = |count: usize| {
            parts(count).replace("body:\n", "body:\n%a = input v0.x\nset s0, %a\n%b = block b1\n")
        };
        assert!(parse(&framed(1021)).is_ok());
        assert!(parse(&framed(1022)).is_err_and(|error| error.message.contains("1025 words")));
    }

    #[test]
    fn the_lighting_engine_takes_numbers_of_its_own_length() {
        let parts = |made: &str| format!("body:\n%0 = input v0.x\n{made}\n%9 = lt_rcp %8");
        for made in [
            "%8 = xf_to_lt %0",
            "%8 = const 3f800400",
            "%1 = const fffffc00\n%8 = and %1, %0",
            "%1 = xf_to_lt %0\n%2 = const 80000000\n%3 = xor %1, %2\n%8 = select %0, %1, %3",
            "%1 = xf_to_lt %0\n%8 = lts_mul %1, %1",
        ] {
            assert_eq!(refusal("xf", &parts(made)), "accepted", "{made}");
        }
        for made in [
            "%8 = mul %0, %0",
            "%8 = const 3f800001",
            "%1 = const fffffe00\n%8 = and %1, %0",
            "%1 = xf_to_lt %0\n%8 = select %0, %1, %0",
            "%1 = xf_to_lt %0\n%8 = or %1, %0",
            "%8 = ctx c[0].x",
        ] {
            assert!(refusal("xf", &parts(made)).contains("22 bits"), "{made}");
        }
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
