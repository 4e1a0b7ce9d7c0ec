//! The transfer functions of x86-64: what an instruction that is no jump does to the state.

mod vectors;

use super::super::contract::Stream;
use super::super::shape::RowNumbers;
use super::super::x86::{has_hidden_operands, is_vector};
use super::access::Accessed;
use super::memory::Slot;
use super::state::{Flags, State};
use super::vectors::Vector;
use super::word::{Base, Word};
use super::{Check, Condition, Told, Transfer, Why};
use iced_x86::{Instruction, Mnemonic, OpKind, Register};

/// What instructions do with integer registers; each class has one transfer function. Instructions of none are refused, unless they
/// write nothing but a vector, or a mask register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Class {
    /// Changes neither registers nor memory of ours.
    Nothing,
    Compare,
    Push,
    Pop,
    /// Copies a register or memory.
    Move,
    /// Loads less than a register, and clears the rest.
    Extend,
    /// Copies a lane of a vector, or two lanes.
    Lane,
    Pair,
    Address,
    Add,
    Increment,
    Subtract,
    Decrement,
    Multiply,
    ShiftLeft,
    ShiftRight,
    /// Clears a register, if both operands are one.
    Xor,
    Complement,
    /// One of two operands.
    Choose,
    /// Computes something of which no address is made.
    Opaque,
}

impl Class {
    fn of(mnemonic: Mnemonic) -> Option<Class> {
        use Mnemonic as M;
        Some(match mnemonic {
            M::Nop | M::Endbr64 | M::Vzeroupper | M::Test => Class::Nothing,
            M::Cmp => Class::Compare,
            M::Push => Class::Push,
            M::Pop => Class::Pop,
            M::Mov => Class::Move,
            M::Movzx => Class::Extend,
            M::Movd | M::Vmovd | M::Pextrd | M::Vpextrd => Class::Lane,
            M::Movq | M::Vmovq | M::Pextrq | M::Vpextrq => Class::Pair,
            M::Lea => Class::Address,
            M::Add => Class::Add,
            M::Inc => Class::Increment,
            M::Sub => Class::Subtract,
            M::Dec => Class::Decrement,
            M::Imul => Class::Multiply,
            M::Shl => Class::ShiftLeft,
            M::Shr => Class::ShiftRight,
            M::Xor => Class::Xor,
            M::Cmova | M::Cmovae | M::Cmovb | M::Cmovbe | M::Cmove | M::Cmovne => Class::Choose,
            M::Not => Class::Complement,
            M::And | M::Or | M::Sar | M::Neg | M::Movsx | M::Movsxd => Class::Opaque,
            M::Sete | M::Setne | M::Setb | M::Setae | M::Seta | M::Setbe => Class::Opaque,
            M::Movmskps | M::Vmovmskps | M::Movmskpd | M::Vmovmskpd => Class::Opaque,
            M::Pmovmskb | M::Vpmovmskb | M::Kmovw | M::Kmovb => Class::Opaque,
            _ => return None,
        })
    }
}

impl Transfer for Instruction {
    fn follow(&self, check: &Check<'_>, state: &mut State) -> Result<Option<Accessed>, Why> {
        check.step(self, state)
    }

    fn told(&self, left: Word, right: Word) -> Option<Told> {
        let condition = match self.mnemonic() {
            Mnemonic::Jb => Condition::Below,
            Mnemonic::Jae => Condition::AtLeast,
            Mnemonic::Ja => Condition::Above,
            Mnemonic::Jbe => Condition::AtMost,
            Mnemonic::Je => Condition::Equal,
            Mnemonic::Jne => Condition::Unequal,
            _ => return None,
        };
        Some(Told::by(condition, left, right))
    }

    /// It compares the stack pointer with where it is to be.
    fn goes_on(&self, left: Word, right: Word) -> Option<bool> {
        let at = |word: Word| word.distance().filter(|_| word.base == Base::Stack);
        Some(at(left)? != at(right)?)
    }
}

impl Check<'_> {
    /// The address of a memory operand.
    pub(super) fn address(&self, insn: &Instruction, state: &State) -> Word {
        let displacement = insn.memory_displacement64() as i64;
        let (base, index) = (insn.memory_base(), insn.memory_index());
        let value = |register: Register| match register {
            Register::None => Word::exactly(0),
            register if register.is_gpr64() => state.words[register.number()],
            _ => Word::ANY,
        };
        if index == Register::None {
            return value(base).offset(displacement);
        }
        let known = state.known(self.contract);
        let scale = Word::exactly(i64::from(insn.memory_index_scale()));
        value(base).plus(value(index).times(scale, known), known).offset(displacement)
    }

    /// The memory operand of an instruction, which writes or reads it.
    pub(super) fn access(&self, insn: &Instruction, writes: bool, state: &State) -> Result<Accessed, Why> {
        let bytes = insn.memory_size().size();
        if bytes == 0 {
            return Err("an operand of unknown size");
        }
        if insn.is_ip_rel_memory_operand() {
            return match writes {
                false => self.literal(insn.ip_rel_memory_address(), bytes as u64),
                true => Err("constants outside of the code"),
            };
        }
        let (word, bytes) = (self.address(insn, state), bytes as i64);
        self.check(word, bytes, writes, state)?;
        Ok(Accessed::Memory(word, bytes))
    }

    /// Follows an instruction that is no jump; returns the memory that it accesses.
    pub(super) fn step(&self, insn: &Instruction, state: &mut State) -> Result<Option<Accessed>, Why> {
        let mut memory = None;
        for operand in 0..insn.op_count() {
            match insn.op_kind(operand) {
                OpKind::Memory => memory = memory.or(Some(operand)),
                OpKind::Register | OpKind::Immediate8 | OpKind::Immediate8to32 | OpKind::Immediate8to64 => {}
                OpKind::Immediate32 | OpKind::Immediate32to64 | OpKind::Immediate64 => {}
                _ => return Err("an operand of another kind"),
            }
        }
        if has_hidden_operands(insn.mnemonic()) {
            return Err("an instruction with operands that it does not name");
        }
        let class = Class::of(insn.mnemonic());
        if matches!(class, Some(Class::Nothing)) && insn.mnemonic() == Mnemonic::Nop {
            return Ok(None);
        }
        let before = state.flags;
        if before != Flags::Unknown && insn.rflags_modified() != 0 {
            state.flags = Flags::Unknown;
        }
        let place = match memory {
            Some(_) if class == Some(Class::Address) => None,
            Some(0) if is_read(insn) => Some(self.access(insn, false, state)?),
            Some(0) if !is_store(insn) => return Err("no known store"),
            Some(operand) => Some(self.access(insn, operand == 0, state)?),
            None => None,
        };
        if let Some(accessed) = &place
            && memory == Some(0)
            && !is_read(insn)
        {
            Self::store(accessed, stored(insn, accessed, state), state);
            return Ok(place);
        }
        if insn.op_count() > 0 && insn.op0_kind() == OpKind::Register && is_vector(insn.op0_register()) {
            self.set_vector(insn, place.as_ref(), state);
            return Ok(place);
        }
        let class = class.ok_or("not on the list")?;
        self.integers(class, insn, place.as_ref(), state)?;
        Ok(place)
    }

    /// Follows an instruction that writes a vector, or a mask.
    fn set_vector(&self, insn: &Instruction, place: Option<&Accessed>, state: &mut State) {
        let register = insn.op0_register();
        if self.contract.shape.row_numbers == RowNumbers::Followed && register.is_vector_register() {
            let vector = vectors::result(insn, |operand| match insn.op_kind(operand) {
                OpKind::Register if insn.op_register(operand).is_xmm() => {
                    state.vectors[insn.op_register(operand).number()]
                }
                OpKind::Memory => place.map_or(Vector::ANY, |place| self.load_vector(place, state)),
                _ => Vector::ANY,
            });
            state.vectors[register.number()] = vector;
        }
    }

    /// Follows an instruction on integers.
    fn integers(
        &self,
        class: Class,
        insn: &Instruction,
        place: Option<&Accessed>,
        state: &mut State,
    ) -> Result<(), Why> {
        let [left, right] = [0, 1].map(|number| self.operand(number, insn, place, state));
        match class {
            Class::Nothing => return Ok(()),
            Class::Push => return self.push(insn, state),
            Class::Pop => return self.pop(insn, state),
            Class::Compare => {
                state.flags = compared(insn, left, right);
                return Ok(());
            }
            Class::Subtract => state.flags = compared(insn, left, right),
            _ => {}
        }
        let result = self.result(class, insn, [left, right], state).ok_or("not on the list")?;
        set(insn, result, state)?;
        self.is_stack_whole(state)
    }

    /// An operand as a word.
    fn operand(&self, number: u32, insn: &Instruction, place: Option<&Accessed>, state: &State) -> Word {
        if number >= insn.op_count() {
            return Word::ANY;
        }
        match insn.op_kind(number) {
            OpKind::Register => word(insn.op_register(number), state),
            OpKind::Memory => place.map_or(Word::ANY, |place| self.load(place, state)),
            _ => Word::exactly(insn.immediate(number) as i64),
        }
    }

    /// What an instruction leaves in its first operand.
    fn result(&self, class: Class, insn: &Instruction, operands: [Word; 2], state: &State) -> Option<Word> {
        let known = state.known(self.contract);
        let [left, right] = operands;
        let (first, second) = (insn.op0_register(), insn.op1_register());
        let is_memory = insn.op1_kind() == OpKind::Memory;
        let count = || right.exact().filter(|_| insn.op1_kind() != OpKind::Register && !is_memory);
        Some(match class {
            Class::Move => right,
            Class::Extend if is_memory && matches!(right.base, Base::Index(_)) => right,
            Class::Extend => Word::ANY,
            Class::Lane if second.is_xmm() => state.vectors[second.number()].lane(),
            Class::Pair if second.is_xmm() && first.is_gpr64() => state.vectors[second.number()].pair(),
            Class::Address => self.moved(self.address(insn, state), state),
            Class::Add => left.plus(right, known),
            Class::Increment => left.offset(1),
            Class::Decrement => left.offset(-1),
            Class::Subtract => left.minus(right),
            Class::Multiply if insn.op_count() == 2 => left.times(right, known),
            Class::Multiply if insn.op_count() == 3 => right.times(self.operand(2, insn, None, state), known),
            Class::ShiftLeft => match count() {
                Some(by @ 0..=31) => left.times(Word::exactly(1 << by), known),
                _ => Word::ANY,
            },
            Class::ShiftRight => match count() {
                Some(by @ 0..=63) => left.shifted_right(by as u32),
                _ => Word::ANY,
            },
            Class::Xor if first == second && insn.op1_kind() == OpKind::Register => Word::exactly(0),
            Class::Complement => left.complement(),
            Class::Choose if left == right => left,
            Class::Choose | Class::Xor | Class::Opaque => Word::ANY,
            Class::Lane | Class::Pair | Class::Multiply => return None,
            Class::Nothing | Class::Compare | Class::Push | Class::Pop => return None,
        })
    }

    /// An address that is known to be that of another attribute in the same array.
    fn moved(&self, word: Word, state: &State) -> Word {
        let Base::Cursor(stream, count) = word.base else { return word };
        let (Some(first), Some(bytes @ 1..)) = (stream.attribute(), word.distance()) else { return word };
        let mut within = state.arrays.within(self.contract.inputs, first);
        let other = within.find(|&(_, at)| i64::from(at) == bytes);
        other.map_or(word, |(other, _)| Word::at(Base::Cursor(Stream::input(other), count)))
    }

    fn push(&self, insn: &Instruction, state: &mut State) -> Result<(), Why> {
        let register = insn.op0_register();
        if insn.op0_kind() != OpKind::Register || !register.is_gpr64() {
            return Err("not on the list");
        }
        let pushed = state.words[register.number()];
        let stack = &mut state.words[Register::RSP.number()];
        *stack = stack.offset(-8);
        let place = Accessed::Memory(*stack, 8);
        self.is_stack_whole(state)?;
        Self::store(&place, Some(Slot::Word(pushed)), state);
        Ok(())
    }

    fn pop(&self, insn: &Instruction, state: &mut State) -> Result<(), Why> {
        let register = insn.op0_register();
        if insn.op0_kind() != OpKind::Register || !register.is_gpr64() {
            return Err("not on the list");
        }
        let stack = state.words[Register::RSP.number()];
        self.check(stack, 8, false, state)?;
        let word = self.load(&Accessed::Memory(stack, 8), state);
        state.words[Register::RSP.number()] = stack.offset(8);
        state.words[register.number()] = word;
        self.is_stack_whole(state)
    }
}

/// Whether the first operand is only read.
fn is_read(insn: &Instruction) -> bool {
    matches!(insn.mnemonic(), Mnemonic::Cmp | Mnemonic::Test)
}

/// Whether an instruction whose first operand is memory writes it, and nothing else.
fn is_store(insn: &Instruction) -> bool {
    let is_vector =
        insn.op_count() > 1 && insn.op1_kind() == OpKind::Register && is_vector(insn.op1_register());
    is_vector || insn.mnemonic() == Mnemonic::Mov
}

/// What a store leaves, if it is a whole register.
fn stored(insn: &Instruction, place: &Accessed, state: &State) -> Option<Slot> {
    let &Accessed::Memory(_, bytes) = place else { return None };
    let is_copy = insn.op_count() == 2 && insn.op1_kind() == OpKind::Register;
    let register = insn.op1_register();
    match bytes {
        8 if is_copy && register.is_gpr64() => Some(Slot::Word(state.words[register.number()])),
        16 if is_copy && register.is_xmm() && insn.op_mask() == Register::None => {
            Some(Slot::Vector(state.vectors[register.number()]))
        }
        _ => None,
    }
}

/// The flags behind a comparison, or a difference, of whole registers.
fn compared(insn: &Instruction, left: Word, right: Word) -> Flags {
    let is_whole = match insn.op0_kind() {
        OpKind::Register => insn.op0_register().is_gpr64(),
        _ => insn.memory_size().size() == 8,
    };
    if is_whole { Flags::Of(left, right) } else { Flags::Unknown }
}

/// What an integer register holds, as far as an operand of its width shows it.
fn word(register: Register, state: &State) -> Word {
    if register.is_gpr64() {
        state.words[register.number()]
    } else if register.is_gpr32() {
        state.words[register.full_register().number()].half()
    } else {
        Word::ANY
    }
}

/// Writes the result of an instruction to its first operand.
fn set(insn: &Instruction, result: Word, state: &mut State) -> Result<(), Why> {
    let register = insn.op0_register();
    let is_integer = register.is_gpr64() || register.is_gpr32() || register.is_gpr8();
    if insn.op0_kind() != OpKind::Register || !is_integer {
        return Err("a result of another kind");
    }
    state.words[register.full_register().number()] = if register.is_gpr64() {
        result
    } else if register.is_gpr32() {
        result.half()
    } else {
        Word::ANY
    };
    Ok(())
}
