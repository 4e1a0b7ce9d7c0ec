//! Random microcode of Rankine and Curie: programs made of branches, loops, calls and conditional operations, most of
//! which end as programs should, and some wild ones.

use super::choices::Choices;
use super::program::{Microcode, Shape};
use crate::isa::op::{Effect, Integers, Kind, ScaOp, VecOp};
use crate::isa::{
    self, AddressComponent, Bank, Branch, CodeWrite, Condition, Generation, Insn, Mask, OutTarget, OutWrite,
    Source, Swizzle, TempWrite, Test, Unit,
};

/// A random program; it always decodes.
pub fn program(c: &mut Choices<'_>, generation: Generation, shape: Shape) -> Microcode {
    let limit = generation.slots();
    let size = 1 + c.below(shape.slots.clamp(1, limit as u32)) as usize;
    let mut writer = Writer::new(c, generation, shape);
    let start = writer.program(c, size);
    let mut slots: Vec<[u32; 4]> = writer.insns.iter().flat_map(|insn| encode(generation, insn)).collect();
    slots.truncate(limit);
    let start = start.min(slots.len() - 1);
    for slot in &mut slots {
        if c.chance(shape.raw) {
            *slot = std::array::from_fn(|_| c.word());
        } else if shape.rare > 0 && c.chance(shape.rare / 8) {
            // A field that means something else now.
            slot[c.below(4) as usize] ^= 1 << c.below(32);
        }
    }
    Microcode { words: slots.concat(), start }
}

fn encode(generation: Generation, insn: &Insn) -> Vec<[u32; 4]> {
    let program = isa::Program { insns: vec![*insn], first: 0, start: 0, unterminated: false };
    isa::encode(generation, &program).as_chunks::<4>().0.to_vec()
}

/// How often an operation of the vector unit is taken.
const fn weight(op: VecOp) -> u32 {
    match op.kind() {
        Kind::Nothing => 0,
        // Native code leaves its groups to the interpreter.
        Kind::Texel => 1,
        Kind::Address(Integers::Floor) => 8,
        Kind::Address(Integers::Nearest | Integers::Sums) => 5,
        // Those that programs of games are made of.
        Kind::Value if op.share() >= 70 => 12,
        Kind::Value | Kind::Jump(..) | Kind::Push | Kind::Pop => 4,
    }
}

/// Temporaries that programs like to use; those above count loops.
const LIKED: u32 = 6;
/// How deep control structures nest.
const DEPTH: u32 = 3;

/// A program in the making.
struct Writer {
    generation: Generation,
    shape: Shape,
    insns: Vec<Insn>,
    /// Calls and the subroutines that they go to.
    calls: Vec<(usize, usize)>,
    subroutines: usize,
    rows: [u16; 4],
    inputs: [u8; 4],
}

impl Writer {
    fn new(c: &mut Choices<'_>, generation: Generation, shape: Shape) -> Self {
        Writer {
            generation,
            shape,
            insns: Vec::new(),
            calls: Vec::new(),
            subroutines: c.below(4) as usize,
            rows: std::array::from_fn(|_| c.below(generation.constants() as u32 - 4) as u16),
            inputs: std::array::from_fn(|_| c.below(16) as u8),
        }
    }

    /// Writes main program and subroutines in either order; the slot in which it starts.
    fn program(&mut self, c: &mut Choices<'_>, size: usize) -> usize {
        let behind = c.chance(70);
        let mut entries = vec![0; self.subroutines];
        if !behind {
            self.all_subroutines(c, size, &mut entries);
        }
        let start = self.insns.len();
        for reg in 0..c.below(LIKED) as u8 {
            let mut insn = self.with_sources(c, Insn { vec: VecOp::Mov, ..Insn::NOP });
            insn.vec_dst = TempWrite { reg, mask: Mask::ALL };
            self.insns.push(insn);
        }
        self.block(c, 0, size, 0);
        if !c.chance(3) {
            let last = self.operation(c);
            self.insns.push(Insn { end: true, ..last });
        }
        if behind {
            self.all_subroutines(c, size, &mut entries);
        }
        for &(call, subroutine) in &self.calls {
            self.insns[call].branch.target = entries[subroutine] as u16;
        }
        start
    }

    fn all_subroutines(&mut self, c: &mut Choices<'_>, size: usize, entries: &mut [usize]) {
        for (number, entry) in entries.iter_mut().enumerate() {
            *entry = self.insns.len();
            self.block(c, 1, size / 3, number + 1);
            let ret = self.branch(c, ScaOp::Ret, Condition::ALWAYS);
            self.insns.push(ret);
        }
    }

    /// About `size` instructions; calls go to subroutines from `next` on.
    fn block(&mut self, c: &mut Choices<'_>, depth: u32, size: usize, next: usize) {
        let end = self.insns.len() + size;
        while self.insns.len() < end {
            if depth < DEPTH && c.chance(self.shape.idioms) {
                let left = end - self.insns.len();
                self.structure(c, depth + 1, 1 + left / 3, next);
            } else if self.shape.rare > 0 && c.chance(self.shape.rare / 6) {
                self.wild(c);
            } else {
                let insn = self.operation(c);
                self.insns.push(insn);
            }
        }
    }

    /// A control structure as compilers write them.
    fn structure(&mut self, c: &mut Choices<'_>, depth: u32, size: usize, next: usize) {
        match c.below(8) {
            0 | 1 => {
                let skip = self.decision(c);
                self.block(c, depth, size, next);
                self.land(skip);
            }
            2 | 3 => {
                let to_else = self.decision(c);
                self.block(c, depth, size, next);
                let jump = self.branch(c, ScaOp::Bra, Condition::ALWAYS);
                self.insns.push(jump);
                let to_end = self.insns.len() - 1;
                self.land(to_else);
                self.block(c, depth, size, next);
                self.land(to_end);
            }
            4 => self.counted(c, depth, size, next),
            5 if self.generation == Generation::Curie => {
                let address = AddressComponent { reg: c.below(2) as u8, component: 0 };
                self.insns.push(Insn { sca: ScaOp::Pusha, address, ..Insn::NOP });
                self.block(c, depth, size.min(4), next);
                let address_dst = TempWrite { reg: c.below(2) as u8, mask: Mask::ALL };
                let condition = self.rare_condition(c);
                let popa = Insn {
                    sca: ScaOp::Popa,
                    address_dst,
                    condition,
                    code: popped(self.insns.len()),
                    ..Insn::NOP
                };
                self.insns.push(popa);
            }
            _ if next < self.subroutines => {
                let subroutine = next + c.below((self.subroutines - next) as u32) as usize;
                let boolean = self.generation == Generation::Curie && c.chance(30);
                let call = if boolean {
                    self.on_boolean(c, ScaOp::Clb)
                } else {
                    let condition = if c.chance(50) { Condition::ALWAYS } else { self.condition(c) };
                    self.branch(c, ScaOp::Cal, condition)
                };
                self.calls.push((self.insns.len(), subroutine));
                self.insns.push(call);
            }
            _ => self.counted(c, depth, size, next),
        }
    }

    /// A loop that ends after 1, 2 or 4 rounds, if nobody changes its counter.
    fn counted(&mut self, c: &mut Choices<'_>, depth: u32, size: usize, next: usize) {
        let counter = self.generation.temps() as u8 - depth as u8;
        let one = counter - DEPTH as u8;
        let x = |reg: u8| Source { bank: Bank::Temp(reg), ..Source::UNUSED };
        let to = |reg: u8| TempWrite { reg, mask: Mask(8) };
        self.insns.push(Insn { vec: VecOp::Str, vec_dst: to(counter), ..Insn::NOP });
        for _ in 0..c.below(3) {
            let src = [x(counter), Source::UNUSED, x(counter)];
            self.insns.push(Insn { vec: VecOp::Add, src, vec_dst: to(counter), ..Insn::NOP });
        }
        let top = self.insns.len() as u16;
        self.block(c, depth, size, next);
        self.insns.push(Insn { vec: VecOp::Str, vec_dst: to(one), ..Insn::NOP });
        let src = [x(counter), Source::UNUSED, Source { negate: true, ..x(one) }];
        let code = Some(CodeWrite { reg: 0, mask: Mask(8), from: Unit::Vec });
        self.insns.push(Insn { vec: VecOp::Add, src, vec_dst: to(counter), code, ..Insn::NOP });
        let condition = Condition { test: Test::Gt, swizzle: Swizzle([0; 4]), reg: 0 };
        let branch = Branch { condition, target: top, ..Branch::NONE };
        self.insns.push(Insn { sca: ScaOp::Bra, branch, ..Insn::NOP });
    }

    /// A branch forward on what has just been computed, or on a boolean; its place.
    fn decision(&mut self, c: &mut Choices<'_>) -> usize {
        let branch = if self.generation == Generation::Curie && c.chance(25) {
            self.on_boolean(c, ScaOp::Brb)
        } else {
            let condition = self.condition(c);
            if c.chance(75) {
                let mut insn = self.operation(c);
                let from = if insn.vec == VecOp::Nop { Unit::Sca } else { Unit::Vec };
                insn.code = Some(CodeWrite { reg: condition.reg, mask: insn.written(from), from });
                insn.condition = Condition::ALWAYS;
                self.insns.push(insn);
            }
            self.branch(c, ScaOp::Bra, condition)
        };
        self.insns.push(branch);
        self.insns.len() - 1
    }

    /// Makes a branch go to what comes next.
    fn land(&mut self, branch: usize) {
        self.insns[branch].branch.target = self.insns.len() as u16;
    }

    /// Flow that no compiler writes: into the middle of anything, endless, recursive, with a stack out of balance.
    fn wild(&mut self, c: &mut Choices<'_>) {
        let ops: &[ScaOp] = match self.generation {
            Generation::Curie => &[ScaOp::Pusha, ScaOp::Popa, ScaOp::Brb, ScaOp::Clb],
            Generation::Kelvin | Generation::Rankine => &[],
        };
        let common = [ScaOp::Bra, ScaOp::Bra, ScaOp::Cal, ScaOp::Ret, ScaOp::BraIndirect, ScaOp::CalIndirect];
        let at = c.below((common.len() + ops.len()) as u32) as usize;
        let op = common.iter().chain(ops).copied().nth(at).unwrap_or(ScaOp::Bra);
        let condition = if c.chance(15) { Condition::ALWAYS } else { self.condition(c) };
        let mut insn =
            if op.is_on_boolean() { self.on_boolean(c, op) } else { self.branch(c, op, condition) };
        let here = self.insns.len() as u32;
        insn.branch.target = if c.chance(60) { here + c.below(12) } else { c.below(here + 20) } as u16;
        insn.address = AddressComponent { reg: c.below(2) as u8, component: c.below(4) as u8 };
        if op == ScaOp::Popa {
            insn.address_dst = TempWrite { reg: c.below(2) as u8, mask: mask(c) };
            insn.code = insn.code.or_else(|| popped(self.insns.len()));
        }
        insn.end = c.chance(10);
        self.insns.push(insn);
    }

    /// A branch, sometimes beside an operation of the vector unit.
    fn branch(&mut self, c: &mut Choices<'_>, op: ScaOp, condition: Condition) -> Insn {
        let mut insn = Insn::NOP;
        if c.chance(25) {
            insn = self.operation(c);
            insn.condition = if c.chance(50) { condition } else { Condition::ALWAYS };
            insn.sca_dst = TempWrite::default();
            insn.out = insn.out.filter(|out| out.sca.is_empty());
            insn.code = insn.code.filter(|code| code.from == Unit::Vec);
        }
        insn.sca = op;
        insn.branch = Branch { condition, ..Branch::NONE };
        insn.end = self.shape.rare > 0 && c.chance(2);
        insn
    }

    fn on_boolean(&mut self, c: &mut Choices<'_>, op: ScaOp) -> Insn {
        let mut insn = self.branch(c, op, Condition::ALWAYS);
        (insn.branch.bit, insn.branch.polarity) = (c.below(32) as u8, c.chance(50));
        insn
    }

    /// An operation of one unit or both.
    fn operation(&mut self, c: &mut Choices<'_>) -> Insn {
        let known = |op: &&VecOp| op.since() <= self.generation;
        let vec: Vec<_> = VecOp::ALL.iter().filter(known).map(|&op| (weight(op), op)).collect();
        let sca: Vec<ScaOp> =
            ScaOp::ALL.iter().copied().filter(|op| op.has_value() && op.since() <= self.generation).collect();
        let mut insn = Insn::NOP;
        let both = c.chance(20);
        if both || c.chance(75) {
            insn.vec = c.weighted(&vec);
        }
        if both || insn.vec == VecOp::Nop {
            insn.sca = c.pick(&sca);
        }
        insn = self.with_sources(c, insn);
        insn.condition = self.rare_condition(c);
        self.destinations(c, &mut insn);
        insn.end = self.shape.rare > 0 && c.below(200) == 0;
        insn
    }

    fn with_sources(&self, c: &mut Choices<'_>, mut insn: Insn) -> Insn {
        insn.src = std::array::from_fn(|_| self.source(c));
        insn.input = c.pick(&self.inputs);
        insn.constant = c.pick(&self.rows) + c.below(4) as u16;
        if self.shape.rare > 0 && c.chance(2) {
            (insn.input, insn.constant) = (c.below(16) as u8, c.below(512) as u16);
        }
        insn.indexed = c.chance(12);
        insn.input_indexed = self.generation == Generation::Curie && c.chance(8);
        insn.address = AddressComponent { reg: c.below(2) as u8, component: c.below(4) as u8 };
        insn.texture = c.below(4) as u8;
        insn
    }

    fn source(&self, c: &mut Choices<'_>) -> Source {
        let temp = if self.shape.rare > 0 && c.chance(3) { self.generation.temps() as u32 } else { LIKED };
        let bank = match c.below(100) {
            0..45 => Bank::Temp(c.below(temp) as u8),
            45..70 => Bank::Input,
            70..99 => Bank::Constant,
            _ => Bank::None,
        };
        Source { bank, swizzle: swizzle(c), absolute: c.chance(10), negate: c.chance(15) }
    }

    fn destinations(&self, c: &mut Choices<'_>, insn: &mut Insn) {
        let masks = [mask(c), mask(c)];
        let reg = |c: &mut Choices<'_>| c.below(LIKED) as u8;
        insn.saturate = self.generation == Generation::Curie && c.chance(15);
        let unit = match (insn.vec, insn.sca) {
            (VecOp::Nop, _) => Unit::Sca,
            (_, ScaOp::Nop) => Unit::Vec,
            _ => c.pick(&[Unit::Vec, Unit::Sca]),
        };
        if c.chance(35) {
            let register = c.below(self.generation.outputs() as u32) as u8;
            let mut target = OutTarget::Output(register);
            if self.generation == Generation::Rankine && self.shape.rare > 0 && c.chance(self.shape.rare / 3)
            {
                target = OutTarget::Constant(c.pick(&self.rows) + c.below(4) as u16);
            }
            insn.out = Some(OutWrite::new(target, masks[unit as usize], unit));
            insn.output_indexed = self.generation == Generation::Curie && c.chance(15);
        }
        if insn.vec.effect() == Effect::Address {
            insn.address_dst = TempWrite { reg: c.below(2) as u8, mask: masks[0] };
        } else if insn.out.is_none() || c.chance(20) || insn.sca != ScaOp::Nop {
            insn.vec_dst = TempWrite { reg: reg(c), mask: masks[0] };
        }
        if insn.sca != ScaOp::Nop && (insn.out.is_none() || unit == Unit::Vec || c.chance(20)) {
            insn.sca_dst = TempWrite { reg: reg(c), mask: masks[1] };
        }
        if c.chance(20) {
            let from = c.pick(&[unit, unit, Unit::Vec, Unit::Sca]);
            insn.code = Some(CodeWrite { reg: insn.condition.reg, mask: masks[from as usize], from });
        }
    }

    fn rare_condition(&self, c: &mut Choices<'_>) -> Condition {
        if c.chance(25) {
            self.condition(c)
        } else {
            Condition { reg: self.code_register(c), ..Condition::ALWAYS }
        }
    }

    fn condition(&self, c: &mut Choices<'_>) -> Condition {
        Condition { test: c.pick(&Test::ALL), swizzle: swizzle(c), reg: self.code_register(c) }
    }

    fn code_register(&self, c: &mut Choices<'_>) -> u8 {
        if self.generation == Generation::Curie { c.below(2) as u8 } else { 0 }
    }
}

fn swizzle(c: &mut Choices<'_>) -> Swizzle {
    match c.weighted(&[(55, 0), (25, 1), (20, 2)]) {
        0 => Swizzle::IDENTITY,
        1 => Swizzle([c.below(4) as u8; 4]),
        _ => Swizzle(std::array::from_fn(|_| c.below(4) as u8)),
    }
}

/// The condition codes that a POPA at a place says that it updates. No random number decides it, so that what seeds make stays what it was.
fn popped(at: usize) -> Option<CodeWrite> {
    at.is_multiple_of(3).then_some(CodeWrite { reg: (at / 3 % 2) as u8, mask: Mask::ALL, from: Unit::Sca })
}

fn mask(c: &mut Choices<'_>) -> Mask {
    match c.below(4) {
        0 | 1 => Mask::ALL,
        2 => Mask(1 << c.below(4)),
        _ => Mask(1 + c.below(15) as u8),
    }
}
