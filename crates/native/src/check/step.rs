//! The effect of each instruction on the abstract state.

use super::value::{Base, StackSlot, State, Word, of_io};
use super::{Check, Place};
use iced_x86::{Instruction, Mnemonic, OpKind, Register};

impl Check<'_> {
    /// Executes an instruction that is not a branch.
    pub(super) fn step(&self, insn: &Instruction, state: &mut State) -> Result<(), String> {
        let kinds = || (0..insn.op_count()).map(|operand| insn.op_kind(operand));
        for (operand, kind) in kinds().enumerate() {
            let plain = |r: Register| r.is_gpr64() || r.is_gpr32() || r.is_gpr8() || r.is_xmm();
            let is_known = match kind {
                OpKind::Register => plain(insn.op_register(operand as u32)),
                OpKind::Memory => true,
                OpKind::Immediate8 | OpKind::Immediate8to32 | OpKind::Immediate8to64 => true,
                OpKind::Immediate32 | OpKind::Immediate32to64 | OpKind::Immediate64 => true,
                _ => false,
            };
            if !is_known {
                return Err("an operand of another kind".to_owned());
            }
        }
        let place = if kinds().any(|kind| kind == OpKind::Memory) && insn.mnemonic() != Mnemonic::Lea {
            Some(self.place(insn, state)?)
        } else {
            None
        };
        let stores = insn.op_count() > 0 && insn.op0_kind() == OpKind::Memory && stores(insn.mnemonic());
        let reads_first = matches!(insn.mnemonic(), Mnemonic::Cmp | Mnemonic::Test);
        if insn.op_count() > 0 && insn.op0_kind() == OpKind::Memory && !stores && !reads_first {
            return Err("no known store".to_owned());
        }
        if let Some(place) = &place {
            self.check(place, stores, state)?;
        }
        if stores {
            let place = place.as_ref().ok_or("a store without a place")?;
            let source = if insn.op1_kind() == OpKind::Register { Some(insn.op1_register()) } else { None };
            store(state, place, source, matches!(insn.mnemonic(), Mnemonic::Movss | Mnemonic::Vmovss));
            return Ok(());
        }
        self.effect(insn, place.as_ref(), state)
    }

    /// The effect of an instruction on registers.
    fn effect(&self, insn: &Instruction, place: Option<&Place>, state: &mut State) -> Result<(), String> {
        use Mnemonic as M;
        let (first, second) = (insn.op0_register(), insn.op1_register());
        let immediate = |operand: u32| match insn.op_kind(operand) {
            OpKind::Register | OpKind::Memory => None,
            _ => Some(insn.immediate(operand) as i64),
        };
        // An operand of an integer instruction.
        let word = |state: &State, operand: u32| match insn.op_kind(operand) {
            OpKind::Register => register(state, insn.op_register(operand)),
            OpKind::Memory => place.map_or(Word::ANY, |place| self.load(state, place)),
            _ => Word::number(insn.immediate(operand) as i64, insn.immediate(operand) as i64),
        };
        let lanes = |state: &State, operand: u32| match insn.op_kind(operand) {
            OpKind::Register if insn.op_register(operand).is_xmm() => {
                state.lanes[insn.op_register(operand).number()]
            }
            OpKind::Memory => place.map_or(u32::MAX, |place| self.load_lanes(state, place)),
            _ => u32::MAX,
        };
        if insn.op_count() > 0 && insn.op0_kind() == OpKind::Register && first.is_xmm() {
            if matches!(
                insn.mnemonic(),
                M::Pcmpestri
                    | M::Pcmpestrm
                    | M::Pcmpistri
                    | M::Pcmpistrm
                    | M::Vpcmpestri
                    | M::Vpcmpestrm
                    | M::Vpcmpistri
                    | M::Vpcmpistrm
                    | M::Maskmovdqu
                    | M::Vmaskmovdqu
            ) {
                return Err("an instruction with operands that it does not name".to_owned());
            }
            let count = insn.op_count();
            // The last two operands; if there are three, the first is only written.
            let sources = |state: &State| (lanes(state, count - 2), lanes(state, count - 1));
            let shift = immediate(count - 1).filter(|count| (0..32).contains(count));
            let most = match insn.mnemonic() {
                M::Movups
                | M::Movaps
                | M::Movupd
                | M::Movapd
                | M::Movdqu
                | M::Movdqa
                | M::Vmovups
                | M::Vmovaps
                | M::Vmovupd
                | M::Vmovapd
                | M::Vmovdqu
                | M::Vmovdqa => lanes(state, 1),
                M::Pand | M::Andps | M::Andpd | M::Vpand | M::Vandps | M::Vandpd | M::Pminud | M::Vpminud => {
                    let (a, b) = sources(state);
                    a.min(b)
                }
                M::Pxor | M::Vpxor | M::Xorps | M::Vxorps
                    if insn.op_register(count - 2) == insn.op_register(count - 1) =>
                {
                    0
                }
                M::Psrld | M::Vpsrld => shift.map_or(u32::MAX, |by| lanes(state, count - 2) >> by),
                M::Pslld | M::Vpslld => shift.map_or(u32::MAX, |by| {
                    u32::try_from(u64::from(lanes(state, count - 2)) << by).unwrap_or(u32::MAX)
                }),
                M::Paddd | M::Vpaddd => {
                    let (a, b) = sources(state);
                    a.saturating_add(b)
                }
                _ => u32::MAX,
            };
            // Two-operand shifts by an immediate read their first operand.
            let most = if matches!(insn.mnemonic(), M::Psrld | M::Pslld) && count == 2 {
                let before = state.lanes[first.number()];
                match (shift, insn.mnemonic()) {
                    (Some(by), M::Psrld) => before >> by,
                    (Some(by), _) => u32::try_from(u64::from(before) << by).unwrap_or(u32::MAX),
                    (None, _) => u32::MAX,
                }
            } else {
                most
            };
            state.lanes[first.number()] = most;
            return Ok(());
        }
        let group = self.contract.group;
        let result = match insn.mnemonic() {
            M::Nop | M::Endbr64 | M::Vzeroupper | M::Cmp | M::Test => return Ok(()),
            M::Push => {
                let stack = Register::RSP.number();
                state.words[stack] = state.words[stack].offset(-8);
                let place = Place { word: state.words[stack], bytes: 8 };
                self.check(&place, true, state)?;
                store(state, &place, Some(first), false);
                return Ok(());
            }
            M::Pop => {
                let stack = Register::RSP.number();
                let place = Place { word: state.words[stack], bytes: 8 };
                self.check(&place, false, state)?;
                let word = self.load(state, &place);
                state.words[stack] = state.words[stack].offset(8);
                word
            }
            M::Mov if insn.op0_kind() == OpKind::Register && first.is_gpr32() => word(state, 1).half(),
            M::Mov => word(state, 1),
            M::Movq | M::Vmovq if first.is_gpr64() && second.is_xmm() => {
                Word { base: Base::Pair, low: 0, high: state.lanes[second.number()].into() }
            }
            M::Pextrq | M::Vpextrq if second.is_xmm() => {
                Word { base: Base::Pair, low: 0, high: state.lanes[second.number()].into() }
            }
            M::Movd | M::Vmovd | M::Pextrd | M::Vpextrd if second.is_xmm() => {
                Word::number(0, state.lanes[second.number()].into())
            }
            M::Movmskps | M::Vmovmskps | M::Movmskpd | M::Vmovmskpd | M::Pmovmskb | M::Vpmovmskb => {
                Word::number(0, 0xffff)
            }
            M::Movzx if insn.op1_kind() == OpKind::Memory => match word(state, 1) {
                index @ Word { base: Base::Index(_), .. } => index,
                _ => Word::ANY,
            },
            M::Lea => self.address(insn, state),
            M::Add => word(state, 0).plus(word(state, 1), group),
            M::Inc => word(state, 0).offset(1),
            M::Sub => match immediate(1) {
                Some(by) => word(state, 0).offset(by.wrapping_neg()),
                None => Word::ANY,
            },
            M::Imul if insn.op_count() == 2 => word(state, 0).times(word(state, 1), group),
            M::Imul if insn.op_count() == 3 => word(state, 1).times(word(state, 2), group),
            M::Shl => match immediate(1) {
                Some(by @ 0..=31) => word(state, 0).times(Word::number(1 << by, 1 << by), group),
                _ => Word::ANY,
            },
            M::Shr => match immediate(1) {
                Some(by @ 0..=63) => word(state, 0).shifted_right(by as u32),
                _ => Word::ANY,
            },
            M::Xor if first == second => Word::number(0, 0),
            M::And | M::Or | M::Xor | M::Sar | M::Neg | M::Not | M::Movzx | M::Movsx | M::Movsxd => Word::ANY,
            M::Sete | M::Setne | M::Setb | M::Setae | M::Seta | M::Setbe => Word::ANY,
            _ => return Err("not on the list".to_owned()),
        };
        if insn.op0_kind() != OpKind::Register || !(first.is_gpr64() || first.is_gpr32() || first.is_gpr8()) {
            return Err("a result of another kind".to_owned());
        }
        let narrow = match insn.mnemonic() {
            M::Mov | M::Pop | M::Movd | M::Vmovd | M::Pextrd | M::Vpextrd => result,
            _ if first.is_gpr64() => result,
            _ if first.is_gpr32() => result.half(),
            _ => Word::ANY,
        };
        let narrow = if first.is_gpr8() { Word::ANY } else { narrow };
        state.words[first.full_register().number()] = narrow;
        Ok(())
    }

    /// What a load into an integer register yields.
    fn load(&self, state: &State, place: &Place) -> Word {
        let Place { word, bytes } = *place;
        match (word.base, bytes) {
            (Base::Io, 8) if word.low == word.high => of_io(word.low),
            (Base::Stack, 8) if word.low == word.high => match state.kept(word.low) {
                Some(StackSlot::Word(word)) => word,
                _ => Word::ANY,
            },
            // Whole numbers of the list, and no parts of two.
            (Base::Listed(list), _)
                if bytes == self.contract.group.width(list)
                    && word.low == word.high
                    && word.low % bytes == 0 =>
            {
                Word::at(Base::Index(list))
            }
            _ => Word::ANY,
        }
    }
}

pub(super) fn register(state: &State, register: Register) -> Word {
    match register.full_register() {
        full if register.is_gpr64() => state.words[full.number()],
        full if register.is_gpr32() => state.words[full.number()].half(),
        _ => Word::ANY,
    }
}

/// Notes a store to the frame or to scratch memory.
fn store(state: &mut State, place: &Place, source: Option<Register>, is_scalar: bool) {
    let Place { word, bytes } = *place;
    let what = source.and_then(|source| match bytes {
        8 if source.is_gpr64() => Some(StackSlot::Word(state.words[source.number()])),
        16 if source.is_xmm() && !is_scalar => Some(StackSlot::Lanes(state.lanes[source.number()])),
        _ => None,
    });
    let lanes = if let Some(StackSlot::Lanes(most)) = what { most } else { u32::MAX };
    match word.base {
        Base::Stack => {
            state.keep(word.low, word.high - word.low + bytes, what.filter(|_| word.low == word.high))
        }
        Base::Scratch if word.low == word.high => state.set_scratch(word.low, bytes, lanes),
        Base::Scratch => state.set_scratch(word.low, word.high - word.low + bytes, u32::MAX),
        _ => {}
    }
}

/// Instructions that write their first operand if it is memory, and do not read it.
fn stores(mnemonic: Mnemonic) -> bool {
    use Mnemonic as M;
    matches!(
        mnemonic,
        M::Mov
            | M::Movups
            | M::Movaps
            | M::Movupd
            | M::Movapd
            | M::Movdqu
            | M::Movdqa
            | M::Movss
            | M::Movsd
            | M::Movq
            | M::Movd
            | M::Vmovups
            | M::Vmovaps
            | M::Vmovupd
            | M::Vmovapd
            | M::Vmovdqu
            | M::Vmovdqa
            | M::Vmovss
            | M::Vmovsd
            | M::Vmovq
            | M::Vmovd
    )
}
