//! Bytes as instructions of x86-64: those that control reaches, and the places that jumps lead to.

use super::contract::Convention;
use super::steps::{Decoded, Fault, Flow, Head, Insn, Step};
use crate::named::named;
use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic, OpKind, Register};
use std::collections::{BTreeMap, BTreeSet};

impl Insn for Instruction {
    /// System V's, on every system. No vector registers are saved.
    const CONVENTION: &'static Convention = &Convention {
        arguments: [7, 6, 2, 1],
        result: 0,
        stack: 4,
        saved: &[3, 5, 12, 13, 14, 15],
        saved_vectors: 0..0,
        return_bytes: size_of::<u64>(),
        frame_bytes: size_of::<u64>(),
    };

    fn at(&self) -> u64 {
        self.ip()
    }

    fn target(&self) -> u64 {
        self.near_branch_target()
    }

    fn text(&self) -> String {
        named(self)
    }
}

/// What is known of a byte.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Byte {
    Unknown,
    /// An instruction begins there, or goes on there.
    Start,
    Within,
}

struct Decoding {
    /// Whether upper halves have to be cleared right before code returns.
    clears: bool,
    known: Vec<Byte>,
    waiting: BTreeSet<u64>,
    heads: BTreeMap<u64, Head>,
    steps: Vec<Step<Instruction>>,
    end: u64,
}

/// Makes the tables of the decoder, if nobody has: who decodes first would, and a small program is compiled in less time.
pub(crate) fn make_tables() {
    let _ = Decoder::new(64, &[], DecoderOptions::NONE);
}

/// Decodes the instructions that control reaches. No two of them share a byte, and between them is nothing but others.
pub(super) fn decode(bytes: &[u8], clears: bool) -> Result<Decoded<Instruction>, Fault> {
    let mut decoding = Decoding {
        clears,
        known: vec![Byte::Unknown; bytes.len()],
        waiting: BTreeSet::from([0]),
        heads: BTreeMap::new(),
        steps: Vec::with_capacity(bytes.len() / 6),
        end: 0,
    };
    let mut decoder = Decoder::with_ip(64, bytes, 0, DecoderOptions::NONE);
    decoding.head(0, None);
    while let Some(start) = decoding.waiting.pop_first() {
        decoding.run(start, &mut decoder)?;
    }
    decoding.gaps(bytes)?;
    let Decoding { steps, heads, end, .. } = decoding;
    // They are read where no instruction is.
    let behind = end..bytes.len() as u64;
    let code = Decoded::new(steps, heads.into_values(), end, vec![behind]);
    for head in &code.heads {
        let is_return = |step: &Step<Instruction>| step.flow == Flow::Return && step.insn.ip() == head.at;
        if clears && code.steps.get(head.step).is_some_and(is_return) {
            return Err(Fault::new(head.at, UPPER_HALVES));
        }
    }
    Ok(code)
}

const UPPER_HALVES: &str = "returns without clearing upper halves";

impl Decoding {
    /// Decodes up to where control goes elsewhere, or where instructions are known already.
    fn run(&mut self, start: u64, decoder: &mut Decoder<'_>) -> Result<(), Fault> {
        let (mut at, mut insn) = (start, Instruction::default());
        let (mut compares_stack, mut has_cleared) = (false, false);
        loop {
            let fault = |why: &str| Err(Fault::new(at, why));
            let index = usize::try_from(at).unwrap_or(usize::MAX);
            match self.known.get(index) {
                None => return fault("control leaves the code"),
                Some(Byte::Unknown) => {}
                Some(Byte::Start) => return Ok(()),
                Some(Byte::Within) => return fault("control enters an instruction"),
            }
            if decoder.ip() != at {
                if decoder.set_position(index).is_err() {
                    return fault("control leaves the code");
                }
                decoder.set_ip(at);
            }
            decoder.decode_out(&mut insn);
            let Some(own) = self.known.get_mut(index..index + insn.len()).filter(|_| !insn.is_invalid())
            else {
                return fault("no instruction");
            };
            if own.iter().any(|&byte| byte != Byte::Unknown) {
                return fault("control enters an instruction");
            }
            own.fill(Byte::Within);
            own[0] = Byte::Start;
            self.end = self.end.max(insn.next_ip());
            if insn.has_lock_prefix() || insn.segment_prefix() != Register::None {
                return fault("a prefix that nothing here needs");
            }
            if is_of_vectors(&insn) {
                self.steps.push(Step { insn, flow: Flow::Next, is_of_vectors: true, is_probe: false });
                (compares_stack, has_cleared, at) = (false, false, insn.next_ip());
                continue;
            }
            let flow = match insn.flow_control() {
                FlowControl::Next => Flow::Next,
                // Others count in a register.
                FlowControl::ConditionalBranch if !insn.is_jcc_short_or_near() => {
                    return Err(Fault::of(&insn, "a branch that is not on the list"));
                }
                FlowControl::ConditionalBranch => Flow::Branch,
                FlowControl::UnconditionalBranch => Flow::Jump,
                FlowControl::Return => Flow::Return,
                FlowControl::Exception => Flow::Trap,
                _ => return Err(Fault::of(&insn, "control goes where nothing can follow it")),
            };
            let is_probe = compares_stack && insn.mnemonic() == Mnemonic::Jne;
            self.steps.push(Step { insn, flow, is_of_vectors: false, is_probe });
            match flow {
                Flow::Next => {}
                Flow::Branch if is_probe => self.probe(&insn)?,
                Flow::Branch => self.head(insn.near_branch_target(), Some((insn.ip(), flow))),
                Flow::Jump => {
                    self.head(insn.near_branch_target(), Some((insn.ip(), flow)));
                    return Ok(());
                }
                Flow::Return if self.clears && !has_cleared => return fault(UPPER_HALVES),
                Flow::Return | Flow::Trap => return Ok(()),
            }
            compares_stack = compares_stack_pointer(&insn);
            has_cleared = insn.mnemonic() == Mnemonic::Vzeroupper;
            at = insn.next_ip();
        }
    }

    /// Looks at what lies between instructions: those that nothing leads to, up to the next ones.
    fn gaps(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        let end = usize::try_from(self.end).unwrap_or(usize::MAX);
        let mut from = 0;
        while let Some(gap) = self.known[from..end].iter().position(|&byte| byte == Byte::Unknown) {
            let start = from + gap;
            let insn = Decoder::with_ip(64, &bytes[start..end], start as u64, DecoderOptions::NONE).decode();
            from = start + insn.len();
            let is_apart =
                self.known.get(start..from).is_some_and(|own| own.iter().all(|&byte| byte == Byte::Unknown));
            if insn.is_invalid() || !is_apart {
                return Err(Fault::new(start as u64, "control enters an instruction"));
            }
        }
        Ok(())
    }

    /// Notes a place that control comes to from an instruction, or from outside.
    fn head(&mut self, at: u64, from: Option<(u64, Flow)>) {
        let head = self.heads.entry(at).or_insert(Head::new(at));
        if let Some((from, flow)) = from {
            head.come_from(from, flow);
        }
        self.waiting.insert(at);
    }

    /// The jump of a loop that makes room on the stack leads back to what has been decoded.
    fn probe(&self, insn: &Instruction) -> Result<(), Fault> {
        let at = usize::try_from(insn.near_branch_target()).unwrap_or(usize::MAX);
        let is_known = self.known.get(at) == Some(&Byte::Start) && insn.near_branch_target() < insn.ip();
        if is_known { Ok(()) } else { Err(Fault::of(insn, "the stack is probed elsewhere")) }
    }
}

/// Whether an instruction does nothing but compute a vector or a mask of what is in registers.
pub(super) fn is_of_vectors(insn: &Instruction) -> bool {
    insn.op0_kind() == OpKind::Register
        && is_vector(insn.op0_register())
        && (1..insn.op_count())
            .all(|operand| matches!(insn.op_kind(operand), OpKind::Register | OpKind::Immediate8))
        && insn.rflags_modified() == 0
        && !has_hidden_operands(insn.mnemonic())
}

pub(super) fn is_vector(register: Register) -> bool {
    register.is_vector_register() || register.is_k()
}

/// Instructions with a vector as first operand that write something which they do not name.
pub(super) fn has_hidden_operands(mnemonic: Mnemonic) -> bool {
    use Mnemonic as M;
    matches!(
        mnemonic,
        M::Pcmpestri
            | M::Pcmpestrm
            | M::Pcmpistri
            | M::Pcmpistrm
            | M::Vpcmpestri
            | M::Vpcmpestrm
            | M::Vpcmpistri
            | M::Vpcmpistrm
            | M::Pcmpestri64
            | M::Pcmpestrm64
            | M::Vpcmpestri64
            | M::Vpcmpestrm64
            | M::Loadiwkey
    )
}

/// As the loop does that probes a frame of many pages.
fn compares_stack_pointer(insn: &Instruction) -> bool {
    insn.mnemonic() == Mnemonic::Cmp && [insn.op0_register(), insn.op1_register()].contains(&Register::RSP)
}
