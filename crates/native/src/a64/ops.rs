//! Machine operations as instructions.

use super::emit::Emitter;
use super::table::Insn;
use crate::ir::backend::HostOps;
use crate::ir::func::Value as Ir;
use crate::ir::ops::Op;

impl Emitter<'_> {
    /// The result of an instruction with two operands.
    fn binary(&mut self, insn: Insn, a: Ir, b: Ir) {
        let [x, y] = self.find_all([a, b]);
        let to = self.result_of(&[a, b], 0);
        self.asm.vectors(insn, [to, x, y]);
    }

    fn unary(&mut self, insn: Insn, a: Ir) {
        let x = self.find(a, 0);
        let to = self.result_of(&[a], 0);
        self.asm.vectors(insn, [to, x]);
    }

    fn shifted(&mut self, insn: Insn, a: Ir, count: u32) {
        let x = self.find(a, 0);
        let to = self.result_of(&[a], 0);
        // A shift to the right by nothing has no encoding.
        let insn = if count == 0 { Insn::Shl } else { insn };
        self.asm.op(insn, [to.into(), x.into(), count]);
    }

    /// An instruction for each half of doubles.
    fn doubles(&mut self, insn: Insn, a: Ir, b: Ir) {
        for half in 0..2 {
            let (x, y) = (self.find(a, half), self.find(b, half));
            let to = self.result_of(&[], half);
            self.asm.vectors(insn, [to, x, y]);
        }
    }

    /// Whether what holds a value has its complement.
    pub(super) fn has_complement(&self, value: Ir) -> bool {
        self.complements[value.index()]
    }

    /// Whether an instruction reads the complement of a mask as well.
    fn takes_complement(&self, reader: Ir, mask: Ir) -> bool {
        let inst = self.func.inst(reader);
        // Of two masks one may have its complement.
        let is_other = |value: Ir| value != mask && self.func.inst(value).op != Op::Funord;
        match (inst.op, inst.operands()) {
            (Op::Guard, _) => true,
            (Op::Select, &[by, a, b]) => by == mask && is_other(a) && is_other(b),
            (Op::And | Op::Or, &[a, b]) => is_other(if a == mask { b } else { a }),
            (Op::AndNot, &[a, b]) => b == mask && is_other(a),
            _ => false,
        }
    }

    /// The first operand where the mask of a comparison of them is set, else the second.
    fn pick(&mut self, [a, b]: [Ir; 2], [greater, less]: [usize; 2]) {
        let operands = self.find_all([a, b]);
        let to = self.result(0);
        self.asm.vectors(Insn::Fcmgt, [to, operands[greater], operands[less]]);
        self.asm.vectors(Insn::Bsl, [to, operands[0], operands[1]]);
    }
}

/// Methods with two operands that are one instruction.
macro_rules! binary {
    ($($name:ident = $insn:ident;)*) => { $(
        fn $name(&mut self, a: Ir, b: Ir) {
            self.binary(Insn::$insn, a, b);
        }
    )* };
}

/// Methods with one operand that are one instruction.
macro_rules! unary {
    ($($name:ident = $insn:ident;)*) => { $(
        fn $name(&mut self, a: Ir) {
            self.unary(Insn::$insn, a);
        }
    )* };
}

macro_rules! shift {
    ($($name:ident = $insn:ident;)*) => { $(
        fn $name(&mut self, a: Ir, count: u32) {
            self.shifted(Insn::$insn, a, count);
        }
    )* };
}

macro_rules! double {
    ($($name:ident = $insn:ident;)*) => { $(
        fn $name(&mut self, a: Ir, b: Ir) {
            self.doubles(Insn::$insn, a, b);
        }
    )* };
}

impl HostOps for Emitter<'_> {
    type Operand = Ir;
    type Result = ();

    binary! {
        iadd = Add;
        isub = Sub;
        imul = Mul;
        xor = Eor;
        ieq = Cmeq;
        igt = Cmgt;
        imin = Smin;
        imax = Smax;
        umin = Umin;
        fadd = Fadd;
        fsub = Fsub;
        fmul = Fmul;
        fdiv = Fdiv;
        feq = Fcmeq;
    }
    unary! {
        swap = Rev32;
        fsqrt = Fsqrt;
        ffloor = Frintm;
        cvt_f = Scvtf;
        cvt_i = Fcvtzs;
    }
    shift! {
        shl = Shl;
        shr = Ushr;
        sar = Sshr;
    }
    double! {
        dadd = FaddD;
        dsub = FsubD;
        dmul = FmulD;
    }

    fn and(&mut self, a: Ir, b: Ir) {
        match [a, b].map(|value| self.has_complement(value)) {
            [true, _] => self.binary(Insn::Bic, b, a),
            [_, true] => self.binary(Insn::Bic, a, b),
            _ => self.binary(Insn::And, a, b),
        }
    }

    fn andnot(&mut self, a: Ir, b: Ir) {
        let insn = if self.has_complement(b) { Insn::And } else { Insn::Bic };
        self.binary(insn, a, b);
    }

    fn or(&mut self, a: Ir, b: Ir) {
        match [a, b].map(|value| self.has_complement(value)) {
            [true, _] => self.binary(Insn::Orn, b, a),
            [_, true] => self.binary(Insn::Orn, a, b),
            _ => self.binary(Insn::Orr, a, b),
        }
    }

    fn flt(&mut self, a: Ir, b: Ir) {
        self.binary(Insn::Fcmgt, b, a);
    }

    fn fle(&mut self, a: Ir, b: Ir) {
        self.binary(Insn::Fcmge, b, a);
    }

    /// The greater of two floats is a NaN if one of them is.
    fn funord(&mut self, a: Ir, b: Ir) {
        let [x, y] = self.find_all([a, b]);
        let to = self.result_of(&[a, b], 0);
        let either = if x == y {
            x
        } else {
            self.asm.vectors(Insn::Fmax, [to, x, y]);
            to
        };
        self.asm.vectors(Insn::Fcmeq, [to, either, either]);
        let value = self.running;
        if self.is_of_part(value)
            && self.file.readers(value).all(|reader| self.takes_complement(reader, value))
        {
            self.complements[value.index()] = true;
        } else {
            self.asm.vectors(Insn::Mvn, [to, to]);
        }
    }

    fn fmin(&mut self, a: Ir, b: Ir) {
        self.pick([a, b], [1, 0]);
    }

    fn fmax(&mut self, a: Ir, b: Ir) {
        self.pick([a, b], [0, 1]);
    }

    /// What has it is [refused](super::refusal).
    fn fmaxmag(&mut self, _: Ir, _: Ir) {
        self.is_full = true;
    }

    fn fminmag(&mut self, _: Ir, _: Ir) {
        self.is_full = true;
    }

    fn fma(&mut self, a: Ir, b: Ir, c: Ir) {
        let [x, y] = self.find_all([a, b]);
        let to = self.accumulate(c, 0);
        self.asm.vectors(Insn::Fmla, [to, x, y]);
    }

    fn dfma(&mut self, a: Ir, b: Ir, c: Ir) {
        for half in 0..2 {
            let (x, y) = (self.find(a, half), self.find(b, half));
            let to = self.accumulate(c, half);
            self.asm.vectors(Insn::FmlaD, [to, x, y]);
        }
    }

    /// Products of the lower and of the upper lanes, whose low words are put together.
    fn mulshr(&mut self, a: Ir, b: Ir, count: u32) {
        let [x, y] = self.find_all([a, b]);
        let products = [(); 2].map(|()| self.temporary());
        for (insn, product) in [Insn::Smull, Insn::Smull2].into_iter().zip(products) {
            self.asm.vectors(insn, [product, x, y]);
            if count & 31 != 0 {
                // The low word of the shifted product is the same for logical and arithmetic shifts.
                self.asm.op(Insn::UshrD, [product.into(), product.into(), count & 31]);
            }
        }
        let to = self.result_of(&[a, b], 0);
        let [low, high] = products;
        self.asm.vectors(Insn::Uzp1, [to, low, high]);
    }

    fn select(&mut self, mask: Ir, a: Ir, b: Ir) {
        let (a, b) = if self.has_complement(mask) { (b, a) } else { (a, b) };
        // The instruction that writes what is not needed any more.
        let (lost, insn, others) = match [mask, b, a].map(|operand| self.is_lost(operand)) {
            [true, ..] => (mask, Insn::Bsl, [a, b]),
            [_, true, _] => (b, Insn::Bit, [a, mask]),
            [.., true] => (a, Insn::Bif, [b, mask]),
            _ => (mask, Insn::Bsl, [a, b]),
        };
        let [x, y] = self.find_all(others);
        let to = self.accumulate(lost, 0);
        self.asm.vectors(insn, [to, x, y]);
    }

    fn promote(&mut self, a: Ir) {
        let x = self.find(a, 0);
        for (half, insn) in [Insn::Fcvtl, Insn::Fcvtl2].into_iter().enumerate() {
            let to = self.result(half as u8);
            self.asm.vectors(insn, [to, x]);
        }
    }

    fn dlow(&mut self, a: Ir) {
        let (low, high) = (self.find(a, 0), self.find(a, 1));
        let to = self.result(0);
        self.asm.vectors(Insn::Uzp1, [to, low, high]);
    }
}
