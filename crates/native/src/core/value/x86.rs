//! What each instruction of x86-64 does with values.

pub(super) mod moves;

use super::super::places::Place;
use super::actions::{Action, Acts, Operand};
use iced_x86::{
    Instruction, InstructionInfoFactory, InstructionInfoOptions, Mnemonic, OpAccess, OpKind, Register,
};
use moves::{Move, words};

impl Acts for Instruction {
    type Reader = InstructionInfoFactory;

    fn reader() -> Self::Reader {
        InstructionInfoFactory::new()
    }

    fn action(&self, reader: &mut Self::Reader, bytes: &[u8], place: Place, is_pure: bool) -> Action {
        action(self, bytes, place, is_pure, reader)
    }

    fn memory(&self) -> (u8, bool) {
        (self.memory_size().size() as u8, self.is_broadcast())
    }

    fn begin(_: &mut Self::Reader) {}
}

fn action(
    insn: &Instruction,
    bytes: &[u8],
    place: Place,
    is_pure: bool,
    factory: &mut InstructionInfoFactory,
) -> Action {
    use Mnemonic as M;
    if matches!(insn.mnemonic(), M::Nop | M::Endbr64 | M::Vzeroupper | M::Push | M::Pop) {
        return Action::None;
    }
    let literal = match place {
        Place::Literals(at) => bytes.get(at as usize..at as usize + insn.memory_size().size()),
        _ => None,
    };
    if let Some(moved) = Move::of(insn, literal).filter(|moved| moved.is_plain || !is_pure) {
        let at = |number: u32| operand(insn, number);
        return Action::Move { to: at(moved.to), from: moved.from.map(at), pattern: moved.pattern };
    }
    computation(insn, factory)
}

fn operand(insn: &Instruction, number: u32) -> Operand {
    match insn.op_kind(number) {
        OpKind::Register => register(insn.op_register(number)),
        OpKind::Memory => Operand::Memory,
        _ => Operand::None,
    }
}

fn register(register: Register) -> Operand {
    if register.is_vector_register() {
        Operand::Vector { number: register.number() as u8, words: words(register) as u8 }
    } else if register.is_k() {
        Operand::Mask(register.number() as u8)
    } else if register.is_gpr() {
        Operand::Integer(register.full_register().number() as u8)
    } else {
        Operand::None
    }
}

fn computation(insn: &Instruction, factory: &mut InstructionInfoFactory) -> Action {
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
        let is_source = matches!(
            access,
            OpAccess::Read | OpAccess::CondRead | OpAccess::ReadWrite | OpAccess::ReadCondWrite
        );
        let is_result = matches!(
            access,
            OpAccess::Write | OpAccess::CondWrite | OpAccess::ReadWrite | OpAccess::ReadCondWrite
        );
        if is_source
            && forgotten != Some(used.register())
            && let Some(next) = reads.next()
        {
            *next = place;
        }
        if is_result && let Some(next) = writes.next() {
            *next = place;
        }
    }
    let memory = (0..insn.op_count()).find(|&number| insn.op_kind(number) == OpKind::Memory);
    if let Some(number) = memory.filter(|_| insn.mnemonic() != Mnemonic::Lea) {
        let is_stored = number == 0 && info.op0_access() != OpAccess::Read;
        let next = if is_stored { writes.next() } else { reads.next() };
        if let Some(next) = next {
            *next = Operand::Memory;
        }
    }
    Action::Compute { read, written, forgets: forgotten.is_some() }
}

/// The register whose contents do not matter to the result, since it is both sources.
fn forgotten(insn: &Instruction) -> Option<Register> {
    use Mnemonic as M;
    let count = insn.op_count();
    let has_immediate = count > 0 && insn.op_kind(count - 1) == OpKind::Immediate8;
    let last = count.checked_sub(if has_immediate { 2 } else { 1 }).filter(|last| *last > 0)?;
    let [a, b] = [last, last - 1].map(|number| (insn.op_kind(number), insn.op_register(number)));
    let forgets = match insn.mnemonic() {
        M::Xor | M::Sub | M::Xorps | M::Xorpd | M::Pxor | M::Vxorps | M::Vxorpd | M::Vpxor | M::Vpxord => {
            true
        }
        M::Psubd | M::Vpsubd | M::Pcmpeqb | M::Pcmpeqw | M::Pcmpeqd | M::Pcmpeqq => true,
        M::Vpcmpeqb | M::Vpcmpeqw | M::Vpcmpeqd | M::Vpcmpeqq => true,
        M::Vpternlogd | M::Vpternlogq => matches!(insn.immediate8(), 0 | 0xff),
        _ => false,
    };
    (forgets && a == b && a.0 == OpKind::Register).then_some(a.1)
}
