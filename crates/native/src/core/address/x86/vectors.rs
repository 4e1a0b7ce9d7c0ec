//! Bounds of the lanes of vectors that instructions of x86-64 compute.

use super::super::vectors::Vector;
use iced_x86::{Instruction, Mnemonic, OpKind, Register};

/// What is known of a vector that an instruction computes, by what is known of its operands.
pub(super) fn result(insn: &Instruction, operand: impl Fn(u32) -> Vector) -> Vector {
    use Mnemonic as M;
    let count = insn.op_count();
    // Under a mask lanes stay as they are.
    if !insn.op0_register().is_xmm() || insn.op_mask() != Register::None || count < 2 {
        return Vector::ANY;
    }
    // The last two operands; if there are three, the first is only written.
    let (x, y) = (count - 2, count - 1);
    let by = || match insn.op_kind(y) {
        OpKind::Register | OpKind::Memory => None,
        _ => Some(insn.immediate(y)).filter(|by| *by < 32),
    };
    let most = |operand_number: u32| operand(operand_number).most();
    match insn.mnemonic() {
        M::Movups | M::Movaps | M::Movupd | M::Movapd | M::Movdqu | M::Movdqa => operand(1),
        M::Vmovups | M::Vmovaps | M::Vmovupd | M::Vmovapd | M::Vmovdqu | M::Vmovdqa => operand(1),
        M::Pand | M::Andps | M::Andpd | M::Pminud => Vector::AtMost(most(x).min(most(y))),
        M::Vpand | M::Vandps | M::Vandpd | M::Vpminud => Vector::AtMost(most(x).min(most(y))),
        M::Pxor | M::Vpxor | M::Xorps | M::Vxorps
            if insn.op_kind(x) == OpKind::Register
                && insn.op_kind(y) == OpKind::Register
                && insn.op_register(x) == insn.op_register(y) =>
        {
            Vector::AtMost(0)
        }
        M::Psrld | M::Vpsrld => by().map_or(Vector::ANY, |by| Vector::AtMost(most(x) >> by)),
        M::Pslld | M::Vpslld => {
            let shifted = by().and_then(|by| u32::try_from(u64::from(most(x)) << by).ok());
            shifted.map_or(Vector::ANY, Vector::AtMost)
        }
        M::Paddd | M::Vpaddd => Vector::AtMost(most(x).saturating_add(most(y))),
        _ => Vector::ANY,
    }
}
