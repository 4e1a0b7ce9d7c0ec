//! What an instruction reads and writes, and the one form that all instructions of equal meaning share.

use super::insn::{Bank, Insn, Mask, Source, Swizzle, TempWrite, Unit};
use super::op::{ScaOp, Slot, VecOp};

const X: Mask = Mask(8);
const XYZ: Mask = Mask(14);
const YZ: Mask = Mask(6);
const YW: Mask = Mask(5);
const XYW: Mask = Mask(13);

/// Components of source `slot` that `op` reads if the components `written` of its result go somewhere.
fn vec_reads(op: VecOp, slot: Slot, written: Mask) -> Mask {
    if !op.reads().contains(&slot) {
        return Mask::NONE;
    }
    match (op, slot) {
        (VecOp::Nop, _) => Mask::NONE,
        (VecOp::Arl, _) => X,
        (VecOp::Dp3, _) | (VecOp::Dph, Slot::A) => XYZ,
        (VecOp::Dp4, _) | (VecOp::Dph, _) => Mask::ALL,
        (VecOp::Dst, Slot::A) => YZ,
        (VecOp::Dst, _) => YW,
        (VecOp::Mov | VecOp::Mul | VecOp::Add | VecOp::Mad, _) => written,
        (VecOp::Min | VecOp::Max | VecOp::Slt | VecOp::Sge, _) => written,
    }
}

/// The same for the scalar unit.
fn sca_reads(op: ScaOp, slot: Slot, written: Mask) -> Mask {
    if !op.reads().contains(&slot) {
        return Mask::NONE;
    }
    match op {
        ScaOp::Nop => Mask::NONE,
        ScaOp::Mov => written,
        ScaOp::Rcp | ScaOp::Rcc | ScaOp::Rsq | ScaOp::Exp | ScaOp::Log => X,
        ScaOp::Lit => XYW,
    }
}

/// Of the swizzles that agree with `swizzle` on the components `read`, the first of: a replicated component; the
/// identity; the one whose unread components repeat the read one before them (the first read one, if none is).
fn canonical_swizzle(swizzle: Swizzle, read: Mask) -> Swizzle {
    let Swizzle(from) = swizzle;
    let Some(first) = read.components().next() else {
        return Swizzle::IDENTITY;
    };
    if read.components().all(|c| from[c] == from[first]) {
        return Swizzle([from[first]; 4]);
    }
    if read.components().all(|c| usize::from(from[c]) == c) {
        return Swizzle::IDENTITY;
    }
    let mut canonical = [from[first]; 4];
    for c in 1..4 {
        canonical[c] = if read.has(c) { from[c] } else { canonical[c - 1] };
    }
    Swizzle(canonical)
}

fn canonical_temp(write: TempWrite, present: bool) -> TempWrite {
    if present && !write.mask.is_empty() { write } else { TempWrite::default() }
}

impl Slot {
    /// The slots, in the order of [`Insn::src`].
    pub const ALL: [Slot; 3] = [Slot::A, Slot::B, Slot::C];
}

impl Insn {
    /// No operation, not the last instruction.
    pub const NOP: Insn = Insn {
        vec: VecOp::Nop,
        sca: ScaOp::Nop,
        src: [Source::UNUSED; 3],
        input: 0,
        constant: 0,
        indexed: false,
        vec_dst: TempWrite { reg: 0, mask: Mask::NONE },
        sca_dst: TempWrite { reg: 0, mask: Mask::NONE },
        out: None,
        end: false,
    };

    /// The source in `slot`.
    pub const fn source(&self, slot: Slot) -> &Source {
        &self.src[slot as usize]
    }

    /// Components of a unit's result that some destination takes.
    pub fn written(&self, unit: Unit) -> Mask {
        let temp = match unit {
            Unit::Vec => self.vec_dst.mask,
            Unit::Sca => self.sca_dst.mask,
        };
        match self.out {
            Some(out) if out.from == unit => Mask(temp.0 | out.mask.0),
            _ => temp,
        }
    }

    /// Components of the source in `slot`, after its swizzle, that `unit` reads.
    pub fn read_by(&self, unit: Unit, slot: Slot) -> Mask {
        match unit {
            Unit::Vec => vec_reads(self.vec, slot, self.written(unit)),
            Unit::Sca => sca_reads(self.sca, slot, self.written(unit)),
        }
    }

    /// Components of the source in `slot`, after its swizzle, that either unit reads.
    pub fn read(&self, slot: Slot) -> Mask {
        Mask(self.read_by(Unit::Vec, slot).0 | self.read_by(Unit::Sca, slot).0)
    }

    /// Whether some operation reads a register of `bank`.
    pub fn reads_bank(&self, bank: Bank) -> bool {
        Slot::ALL.iter().any(|&slot| self.source(slot).bank == bank && !self.read(slot).is_empty())
    }

    /// The instruction of the same meaning in which everything that cannot matter has its fixed value: operations
    /// without effect are NOP, sources that nobody reads [`Source::UNUSED`], unread swizzle components as the
    /// others dictate. Idempotent. The destination of the scalar unit is left alone: pairing is settled before.
    pub fn canonical(mut self) -> Insn {
        self.vec_dst = canonical_temp(self.vec_dst, !matches!(self.vec, VecOp::Nop | VecOp::Arl));
        self.sca_dst = canonical_temp(self.sca_dst, self.sca != ScaOp::Nop);
        self.out = self.out.filter(|out| {
            let present = match out.from {
                Unit::Vec => !matches!(self.vec, VecOp::Nop | VecOp::Arl),
                Unit::Sca => self.sca != ScaOp::Nop,
            };
            present && !out.mask.is_empty()
        });
        if self.written(Unit::Vec).is_empty() && self.vec != VecOp::Arl {
            self.vec = VecOp::Nop;
        }
        if self.written(Unit::Sca).is_empty() {
            self.sca = ScaOp::Nop;
        }
        for slot in Slot::ALL {
            let read = self.read(slot);
            let source = &mut self.src[slot as usize];
            if read.is_empty() {
                *source = Source::UNUSED;
            } else if source.bank == Bank::None {
                source.swizzle = Swizzle::IDENTITY;
            } else {
                source.swizzle = canonical_swizzle(source.swizzle, read);
            }
        }
        if !self.reads_bank(Bank::Input) {
            self.input = 0;
        }
        if !self.reads_bank(Bank::Constant) {
            self.constant = 0;
            self.indexed = false;
        }
        self
    }
}
