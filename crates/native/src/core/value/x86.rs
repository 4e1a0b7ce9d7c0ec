//! What each instruction of x86-64 does with values.

pub(super) mod moves;

use super::super::places::Place;
use super::super::x86::{has_hidden_operands, is_vector};
use super::actions::{Action, Acts, Operand};
use super::held::ELEMENTS;
use iced_x86::{
    EncodingKind, Instruction, InstructionInfoFactory, InstructionInfoOptions, Mnemonic, OpAccess, OpKind,
    Register,
};
use moves::Move;
#[cfg(test)]
use moves::words;
use rustc_hash::FxHashMap;

impl Acts for Instruction {
    type Reader = Forms;

    fn reader() -> Self::Reader {
        Forms { factory: InstructionInfoFactory::new(), known: FxHashMap::default() }
    }

    fn action(&self, reader: &mut Self::Reader, bytes: &[u8], place: Place, is_pure: bool) -> Action {
        action(self, bytes, place, is_pure, reader)
    }

    fn memory(&self) -> (u8, bool) {
        (self.memory_size().size() as u8, self.is_broadcast())
    }

    fn begin(_: &mut Self::Reader) {}
}

/// What an instruction does, whatever its registers are, unless it [forgets](forgotten) one.
#[derive(Clone, Copy)]
enum Form {
    /// Nothing with values.
    Nothing,
    Moves(Move),
    Computes(Named),
    /// It uses registers that it does not name.
    Other,
}

/// How an instruction that computes, and uses nothing but what it names, accesses its first operand. It reads the others.
#[derive(Clone, Copy)]
struct Named {
    reads: bool,
    writes: bool,
}

/// Forms of instructions that have been met: each is found out once.
pub(in super::super) struct Forms {
    factory: InstructionInfoFactory,
    known: FxHashMap<u32, Form>,
}

impl Forms {
    fn of(&mut self, insn: &Instruction, is_pure: bool) -> Form {
        // All that decides beside registers.
        let [pure, masked, clearing] = [is_pure, insn.has_op_mask(), insn.zeroing_masking()].map(u32::from);
        let operands = memory_operand(insn).map_or(7, |number| number & 7);
        let key = (insn.code() as u32) << 14
            | operands << 11
            | pure << 10
            | masked << 9
            | clearing << 8
            | u32::from(insn.immediate8());
        let factory = &mut self.factory;
        *self.known.entry(key).or_insert_with(|| Form::of(insn, is_pure, factory))
    }
}

impl Form {
    fn of(insn: &Instruction, is_pure: bool, factory: &mut InstructionInfoFactory) -> Form {
        use Mnemonic as M;
        if matches!(insn.mnemonic(), M::Nop | M::Endbr64 | M::Vzeroupper | M::Push | M::Pop) {
            return Form::Nothing;
        }
        let moved = if is_pure { Move::plain(insn) } else { Move::of(insn, None) };
        match moved {
            Some(moved) => Form::Moves(moved),
            None => Named::of(insn, factory).map_or(Form::Other, Form::Computes),
        }
    }
}

fn action(insn: &Instruction, bytes: &[u8], place: Place, is_pure: bool, forms: &mut Forms) -> Action {
    let moves = |moved: Move| {
        let at = |number: u32| operand(insn, number);
        Action::Move { to: at(moved.to), from: moved.from.map(at), pattern: moved.pattern }
    };
    // What a permutation of bytes does is behind the code.
    if let Place::Literals(at) = place
        && matches!(insn.mnemonic(), Mnemonic::Pshufb | Mnemonic::Vpshufb)
        && !is_pure
        && let Some(moved) = Move::of(insn, bytes.get(at as usize..at as usize + insn.memory_size().size()))
    {
        return moves(moved);
    }
    if forgotten(insn).is_some() {
        return of_used_registers(insn, &mut forms.factory);
    }
    match forms.of(insn, is_pure) {
        Form::Nothing => Action::None,
        Form::Moves(moved) => moves(moved),
        Form::Computes(named) => named.action(insn),
        Form::Other => of_used_registers(insn, &mut forms.factory),
    }
}

const fn is_read(access: OpAccess) -> bool {
    matches!(access, OpAccess::Read | OpAccess::CondRead | OpAccess::ReadWrite | OpAccess::ReadCondWrite)
}

const fn is_written(access: OpAccess) -> bool {
    matches!(access, OpAccess::Write | OpAccess::CondWrite | OpAccess::ReadWrite | OpAccess::ReadCondWrite)
}

fn operand(insn: &Instruction, number: u32) -> Operand {
    match insn.op_kind(number) {
        OpKind::Register => register(insn.op_register(number)),
        OpKind::Memory => Operand::Memory,
        _ => Operand::None,
    }
}

/// The number of the operand that is memory.
fn memory_operand(insn: &Instruction) -> Option<u32> {
    (0..insn.op_count()).find(|&number| insn.op_kind(number) == OpKind::Memory)
}

fn register(register: Register) -> Operand {
    // By the order in which the decoder numbers registers, which a test looks at.
    const VECTORS: u32 = 32;
    let vector = (register as u32).wrapping_sub(Register::XMM0 as u32);
    if vector < 3 * VECTORS {
        Operand::Vector { number: (vector % VECTORS) as u8, words: 4 << (vector / VECTORS) }
    } else if register.is_k() {
        Operand::Mask((register as u32 - Register::K0 as u32) as u8)
    } else if register.is_gpr() {
        Operand::Integer(register.full_register().number() as u8)
    } else {
        Operand::None
    }
}

/// What an instruction computes, by all registers that it uses, whether it names them or not.
fn of_used_registers(insn: &Instruction, factory: &mut InstructionInfoFactory) -> Action {
    let mut read = [Operand::None; 6];
    let mut written = [Operand::None; 2];
    let info = factory.info_options(insn, InstructionInfoOptions::NO_MEMORY_USAGE);
    let (mut reads, mut writes) = (read.iter_mut(), written.iter_mut());
    let forgotten = forgotten(insn);
    if let Some(source) = forgotten
        && let Some(next) = reads.next()
    {
        *next = register(source);
    }
    for used in info.used_registers() {
        let place = register(used.register());
        let access = used.access();
        if is_read(access)
            && forgotten != Some(used.register())
            && let Some(next) = reads.next()
        {
            *next = place;
        }
        if is_written(access)
            && let Some(next) = writes.next()
        {
            *next = place;
        }
    }
    if let Some(number) = memory_operand(insn).filter(|_| insn.mnemonic() != Mnemonic::Lea) {
        let is_stored = number == 0 && info.op0_access() != OpAccess::Read;
        let next = if is_stored { writes.next() } else { reads.next() };
        if let Some(next) = next {
            *next = Operand::Memory;
        }
    }
    Action::Compute { read, written, forgets: forgotten.is_some() }
}

impl Named {
    /// That of an instruction that leaves a vector or a mask, as nearly all do.
    fn of(insn: &Instruction, factory: &mut InstructionInfoFactory) -> Option<Named> {
        let is_named = insn.op0_kind() == OpKind::Register
            && is_vector(insn.op0_register())
            && insn.code().encoding() != EncodingKind::Legacy
            && !has_hidden_operands(insn.mnemonic())
            && !insn.is_vsib();
        is_named.then(|| {
            let options = InstructionInfoOptions::NO_MEMORY_USAGE | InstructionInfoOptions::NO_REGISTER_USAGE;
            let access = factory.info_options(insn, options).op0_access();
            Named { reads: is_read(access), writes: is_written(access) }
        })
    }

    /// What such an instruction reads and writes.
    fn action(self, insn: &Instruction) -> Action {
        let mut read = [Operand::None; 6];
        let mut reads = read.iter_mut();
        let mut push = |operand: Operand| {
            if let Some(next) = reads.next() {
                *next = operand;
            }
        };
        let to = register(insn.op0_register());
        if self.reads {
            push(to);
        }
        for number in 1..insn.op_count() {
            match insn.op_kind(number) {
                OpKind::Register => push(register(insn.op_register(number))),
                OpKind::Memory => {
                    let parts = [insn.memory_base(), insn.memory_index()].map(register);
                    parts.into_iter().filter(|part| *part != Operand::None).for_each(&mut push);
                    push(Operand::Memory);
                }
                _ => {}
            }
        }
        if insn.has_op_mask() {
            push(register(insn.op_mask()));
        }
        // What is behind the words that it writes is cleared.
        let to = match to {
            _ if !self.writes => Operand::None,
            Operand::Vector { number, .. } => Operand::Vector { number, words: ELEMENTS as u8 },
            other => other,
        };
        Action::Compute { read, written: [to, Operand::None], forgets: false }
    }
}

/// The register whose contents do not matter to the result, since it is both sources.
fn forgotten(insn: &Instruction) -> Option<Register> {
    use Mnemonic as M;
    let forgets = match insn.mnemonic() {
        M::Xor | M::Sub | M::Xorps | M::Xorpd | M::Pxor | M::Vxorps | M::Vxorpd | M::Vpxor | M::Vpxord => {
            true
        }
        M::Psubd | M::Vpsubd | M::Pcmpeqb | M::Pcmpeqw | M::Pcmpeqd | M::Pcmpeqq => true,
        M::Vpcmpeqb | M::Vpcmpeqw | M::Vpcmpeqd | M::Vpcmpeqq => true,
        M::Vpternlogd | M::Vpternlogq => matches!(insn.immediate8(), 0 | 0xff),
        _ => false,
    };
    if !forgets {
        return None;
    }
    let count = insn.op_count();
    let has_immediate = count > 0 && insn.op_kind(count - 1) == OpKind::Immediate8;
    let last = count.checked_sub(if has_immediate { 2 } else { 1 }).filter(|last| *last > 0)?;
    let [a, b] = [last, last - 1].map(|number| (insn.op_kind(number), insn.op_register(number)));
    (a == b && a.0 == OpKind::Register).then_some(a.1)
}

#[cfg(test)]
mod tests {
    use super::super::super::rewrite::instructions;
    use super::super::tests::all;
    use super::{Action, Named, Operand, forgotten, of_used_registers, register, words};
    use iced_x86::{InstructionInfoFactory, Register};

    /// What is read and written, in an order of its own.
    fn accessed(action: &Action) -> [Vec<String>; 2] {
        let Action::Compute { read, written, forgets: false } = action else { panic!("{action:?}") };
        let sorted = |operands: &[Operand]| {
            let there = operands.iter().filter(|operand| **operand != Operand::None);
            let mut texts: Vec<String> = there.map(|operand| format!("{operand:?}")).collect();
            texts.sort();
            texts
        };
        [sorted(read), sorted(written)]
    }

    #[test]
    fn registers_have_their_numbers() {
        for of in Register::values() {
            let want = match of {
                _ if of.is_vector_register() => {
                    Operand::Vector { number: of.number() as u8, words: words(of) as u8 }
                }
                _ if of.is_k() => Operand::Mask(of.number() as u8),
                _ if of.is_gpr() => Operand::Integer(of.full_register().number() as u8),
                _ => Operand::None,
            };
            assert_eq!(register(of), want, "{of:?}");
        }
    }

    #[test]
    fn named_operands_are_all_that_is_used() {
        let (mut factory, mut named, mut count) = (InstructionInfoFactory::new(), 0, 0);
        for (name, all) in all() {
            for insn in all.iter().flat_map(|made| instructions(&made.bytes)) {
                count += 1;
                if forgotten(&insn).is_none()
                    && let Some(found) = Named::of(&insn, &mut factory)
                {
                    named += 1;
                    let action = found.action(&insn);
                    let used = of_used_registers(&insn, &mut factory);
                    assert_eq!(accessed(&action), accessed(&used), "{name}: {insn:?}");
                }
            }
        }
        assert!(3 * named > count, "{named} of {count}");
    }
}
