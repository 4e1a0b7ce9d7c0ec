//! Masks that stay in mask registers, at sixteen lanes; and masks that choose whole lanes, which AVX2 knows.
//!
//! A mask that nothing reads but what takes a mask register is kept in one, if one is free until its last reader: a comparison
//! and a selection are two instructions then, and no vector is needed for what is between them. All others are vectors of ones
//! and zeros, as everywhere else.

use super::asm::{Arg, Source};
use super::emit::Emitter;
use super::table::Insn;
use super::width::Width;
use crate::ir::func::{Func, Value as Ir};
use crate::ir::ops::Op;
use iced_x86::Register;

/// The mask register of a single instruction.
pub(super) const OF_ONE: Register = Register::K1;
/// That of the odd lanes, in code with products of 64 bits; a value's in other code.
pub(super) const ODD_LANES: Register = Register::K5;

/// The mask registers of values, and which are in them.
#[derive(Default)]
pub(super) struct Masks {
    held: Vec<(Register, Option<Ir>)>,
    /// See [`by_lanes`].
    by_lanes: Vec<bool>,
}

impl Masks {
    /// For a function.
    pub(super) fn new(func: &Func, width: Width) -> Self {
        let all = width.implementation().mask_registers(func);
        Masks {
            held: all.iter().map(|&register| (register, None)).collect(),
            by_lanes: by_lanes(func, width),
        }
    }

    /// Whether a value is known to be all ones or all zeros in each lane.
    pub(super) fn are_by_lanes(&self, value: Ir) -> bool {
        self.by_lanes.get(value.index()).is_some_and(|&is_so| is_so)
    }

    /// Frees all of them.
    pub(super) fn clear(&mut self) {
        self.held.iter_mut().for_each(|(_, value)| *value = None);
    }
}

/// Whether code multiplies words to 64 bits.
pub(super) fn multiplies_long(func: &Func) -> bool {
    func.order().any(|value| func.inst(value).op == Op::MulShr)
}

/// For each value, if that matters, whether it is all ones or all zeros in each lane: then AVX2 selects by it in one instruction, which looks at signs.
fn by_lanes(func: &Func, width: Width) -> Vec<bool> {
    if !width.facts().chooses_by_signs {
        return Vec::new();
    }
    let mut are = vec![false; func.insts.len()];
    for value in func.order() {
        let inst = func.inst(value);
        let masks = |operands: &[Ir]| operands.iter().all(|arg| are[arg.index()]);
        are[value.index()] = match (inst.op, inst.operands()) {
            (Op::And | Op::AndNot | Op::Or | Op::Xor, operands) => masks(operands),
            (Op::Select, [_, chosen @ ..]) => masks(chosen),
            (Op::Sar, _) => inst.imm == 31,
            (Op::Const, _) => matches!(inst.imm, 0 | u32::MAX),
            (op, _) => op == Op::Block || op.compares(),
        };
    }
    are
}

/// What is done with two masks, or with two vectors.
#[derive(Clone, Copy)]
pub(super) struct Logic {
    vectors: Insn,
    masks: Insn,
    /// Whether the first operand of the instructions is the second one of the operation.
    swaps: bool,
}

pub(super) const AND: Logic = Logic { vectors: Insn::Vpand, masks: Insn::Kandw, swaps: false };
pub(super) const OR: Logic = Logic { vectors: Insn::Vpor, masks: Insn::Korw, swaps: false };
pub(super) const XOR: Logic = Logic { vectors: Insn::Vpxor, masks: Insn::Kxorw, swaps: false };
/// The instructions invert their first operand.
pub(super) const AND_NOT: Logic = Logic { vectors: Insn::Vpandn, masks: Insn::Kandnw, swaps: true };

impl Emitter<'_> {
    /// The mask register that a value is in.
    pub(super) fn mask(&self, value: Ir) -> Option<Register> {
        self.masks.held.iter().find(|&&(_, held)| held == Some(value)).map(|&(register, _)| register)
    }

    /// A mask register for the result of the current instruction; nothing if it has to be a vector.
    pub(super) fn mask_result(&mut self) -> Option<Register> {
        let value = self.running;
        let free = self.masks.held.iter().position(|(_, held)| held.is_none())?;
        let takes = |reader: Ir| self.takes_mask(reader, value);
        if self.uniforms.has(value) || !self.file.readers(value).all(takes) {
            return None;
        }
        let (register, held) = &mut self.masks.held[free];
        *held = Some(value);
        Some(*register)
    }

    /// Whether an instruction reads a mask as well from a mask register.
    fn takes_mask(&self, reader: Ir, mask: Ir) -> bool {
        let inst = self.func.inst(reader);
        match (inst.op, inst.operands()) {
            (Op::Guard, _) => true,
            (Op::Select, &[by, a, b]) => by == mask && a != mask && b != mask,
            (Op::And, _) => true,
            (Op::AndNot, &[a, b]) if b == mask && a != mask => true,
            (Op::Or | Op::Xor | Op::AndNot, &[a, b]) => self.is_comparison(if a == mask { b } else { a }),
            _ => false,
        }
    }

    /// Whether a value is in a mask register, or may come to be in one.
    fn is_comparison(&self, value: Ir) -> bool {
        self.mask(value).is_some() || self.func.inst(value).op.compares()
    }

    /// Frees the registers of masks that nothing reads any more.
    pub(super) fn release_masks(&mut self) {
        for (_, held) in &mut self.masks.held {
            if held.is_some_and(|value| !self.file.is_read(value)) {
                *held = None;
            }
        }
    }

    /// A mask register as a vector of masks.
    pub(super) fn spread(&mut self, to: u8, mask: Register) {
        let args = [self.vector(to), Arg::Register(mask)];
        self.op(Insn::Vpmovm2d, &args);
    }

    /// Logic of two values, which may be masks.
    pub(super) fn logic(&mut self, logic: Logic, a: Ir, b: Ir) {
        let Logic { vectors, masks, swaps } = logic;
        let (a, b) = if swaps { (b, a) } else { (a, b) };
        let mut held = None;
        let other = match (self.mask(a), self.mask(b)) {
            (None, None) => return self.binary(vectors, !swaps, a, b),
            (Some(a), Some(b)) => return self.logic_of_masks(masks, a, b),
            (Some(mask), None) | (None, Some(mask)) if masks == AND.masks => {
                let value = if self.mask(a).is_some() { b } else { a };
                let (to, source) = (self.result(0), self.find(value, 0));
                return self.load_where(mask, to, source);
            }
            (Some(mask), None) if masks == AND_NOT.masks => return self.clear_where(mask, b),
            (Some(mask), None) | (None, Some(mask)) => {
                // The first is for the operand that is no mask.
                let [_operand, vector] = [(); 2].map(|()| self.temporary());
                self.spread(vector.register(), mask);
                held.insert(vector).register()
            }
        };
        let to = self.result(0);
        let mut find = |value: Ir| {
            if self.mask(value).is_some() { Source::Register(other) } else { self.find(value, 0) }
        };
        let (x, y) = (find(a), find(b));
        self.instruction2(vectors, to, x, y);
    }

    fn logic_of_masks(&mut self, insn: Insn, a: Register, b: Register) {
        let result = self.mask_result();
        let to = result.unwrap_or(OF_ONE);
        self.asm.op(insn, &[to, a, b].map(Arg::Register));
        if result.is_none() {
            let vector = self.result(0);
            self.spread(vector, to);
        }
    }

    /// Loads the lanes that a mask has, and zero to the others.
    fn load_where(&mut self, mask: Register, to: u8, source: Source) {
        let insn = if source.is_scalar() { Insn::Vpbroadcastd } else { Insn::Vmovdqa32 };
        let args = [self.vector(to), self.whole(source)];
        self.op_zeroing(insn, &args, mask);
    }

    /// A value without the lanes that a mask register has: they become zero.
    fn clear_where(&mut self, mask: Register, value: Ir) {
        let to = self.result(0);
        let value = self.find(value, 0);
        let (value, _held) = self.loaded(value);
        let zero = self.word(0);
        let args = [self.vector(to), self.vector(value), self.operand(zero)];
        self.op_masked(Insn::Vpblendmd, &args, mask);
    }

    /// Lanes of one value where a mask register has them, those of another elsewhere.
    pub(super) fn choose(&mut self, mask: Register, a: Ir, b: Ir) {
        let to = self.result(0);
        let (x, y) = (self.find(a, 0), self.find(b, 0));
        let (y, _held) = self.loaded(y);
        let args = [self.vector(to), self.vector(y), self.operand(x)];
        self.op_masked(Insn::Vpblendmd, &args, mask);
    }
}
