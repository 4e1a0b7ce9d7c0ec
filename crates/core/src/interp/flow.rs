//! Control flow: branches, the stack, and how programs end (rankine_curie.md 2.5).

use super::alu::Arithmetic;
use super::write::{Passing, merge};
use super::{Environment, State};
use crate::config::{Config, EndOnBranch, Indirect};
use crate::isa::op::{Decider, Jump, Kind, To};
use crate::isa::{Generation, Insn, Program};
use crate::shader::{Faults, Slots};

/// Entries of the stack (rankine_curie.md 3).
pub(super) const DEPTH: usize = 8;

/// Whether a program has branches or uses the stack.
pub(super) fn has_flow(program: &Program) -> bool {
    program.insns.iter().any(|insn| insn.sca.is_flow())
}

/// The number of slots that a vertex of a program executes.
pub(crate) fn slots(program: &Program, config: &Config) -> Slots {
    let limit = match config.generation {
        Generation::Kelvin => usize::MAX,
        Generation::Rankine | Generation::Curie => config.timeout.into(),
    };
    let once = program.insns.len().min(limit) as u64;
    if !has_flow(program) {
        return Slots::Exactly(once);
    }
    let forward = (program.first..).zip(&program.insns).all(|(slot, insn)| match insn.sca.jump() {
        Some(Jump::Branch(To::Slot)) => usize::from(insn.branch.target) > slot,
        Some(Jump::Branch(To::Register) | Jump::Call(_) | Jump::Return) => false,
        None => true,
    });
    if forward { Slots::AtMost(once) } else { Slots::AtMost(limit as u64) }
}

/// What calls and PUSHA leave on the stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StackEntry {
    /// The slot behind a call.
    Return(usize),
    /// An address register.
    Address([i32; 4]),
}

/// The call stack.
#[derive(Clone, Default, Debug)]
pub(super) struct Stack {
    entries: [Option<StackEntry>; DEPTH],
    depth: usize,
}

impl Stack {
    /// With these entries, or as many as there is room for.
    pub(super) fn of(entries: impl Iterator<Item = StackEntry>) -> Self {
        let mut stack = Stack::default();
        for entry in entries {
            let _ = stack.push(entry);
        }
        stack
    }

    /// Its entries, the newest last.
    pub(super) fn entries(&self) -> impl Iterator<Item = StackEntry> + '_ {
        self.entries[..self.depth].iter().flatten().copied()
    }

    fn push(&mut self, entry: StackEntry) -> Result<(), Fault> {
        *self.entries.get_mut(self.depth).ok_or(Fault::Stack)? = Some(entry);
        self.depth += 1;
        Ok(())
    }

    fn pop(&mut self) -> Option<StackEntry> {
        self.depth = self.depth.checked_sub(1)?;
        self.entries[self.depth]
    }
}

/// Why a program is ended early.
pub(super) enum Fault {
    Timeout,
    Stack,
}

/// The control flow of an instruction, which takes effect after both units have written.
enum Transfer {
    /// On to the next slot, unless END ends the program.
    Next,
    Goto(usize),
    Call(usize),
    Return,
    Push([i32; 4]),
    /// Pops an address register into the components that pass.
    Pop(Passing<1>),
}

impl State<1> {
    /// Runs a program of any kind for the vertex whose inputs have been set.
    pub(super) fn run_flow<A: Arithmetic>(
        &mut self,
        program: &Program,
        environment: &mut Environment<'_>,
    ) -> Faults {
        self.reset(environment.config.generation);
        let limit = u32::from(environment.config.timeout);
        let mut left = limit;
        let ended = self.walk::<A>(program, environment, &mut left);
        environment.taken.vertex(u64::from(limit - left), matches!(ended, Err(Fault::Timeout)));
        self.transform::<A>(environment);
        match ended {
            Ok(()) => Faults::default(),
            Err(Fault::Timeout) => Faults { timeouts: 1, ..Faults::default() },
            Err(Fault::Stack) => Faults { stack: 1, ..Faults::default() },
        }
    }

    /// Executes the program; subtracts the executed slots from `left`.
    fn walk<A: Arithmetic>(
        &mut self,
        program: &Program,
        environment: &mut Environment<'_>,
        left: &mut u32,
    ) -> Result<(), Fault> {
        let (mut stack, mut slot) = (Stack::default(), program.start);
        while self.advance::<A>(program, environment, &mut stack, &mut slot, left)? {}
        Ok(())
    }

    /// Executes one slot, and subtracts it from `left`. Returns whether the program continues, at `slot`.
    #[inline]
    pub(super) fn advance<A: Arithmetic>(
        &mut self,
        program: &Program,
        environment: &mut Environment<'_>,
        stack: &mut Stack,
        slot: &mut usize,
        left: &mut u32,
    ) -> Result<bool, Fault> {
        // An empty slot ends the program as well. UNKNOWN: what a branch behind the last slot runs; it ends the program here.
        let Some(insn) = program.slot(*slot) else { return Ok(false) };
        *left = left.checked_sub(1).ok_or(Fault::Timeout)?;
        // Branch operands are read before the instruction writes.
        let transfer = self.transfer_of::<A>(insn, environment.config);
        self.step::<A>(insn, environment);
        let behind = *slot + 1;
        match transfer {
            Transfer::Next => {}
            Transfer::Goto(target) => {
                *slot = target;
                return Ok(true);
            }
            Transfer::Call(target) => {
                stack.push(StackEntry::Return(behind))?;
                *slot = target;
                return Ok(true);
            }
            Transfer::Return => match stack.pop() {
                Some(StackEntry::Return(caller)) => {
                    *slot = caller;
                    return Ok(true);
                }
                Some(StackEntry::Address(_)) => return Err(Fault::Stack),
                None => return Ok(false),
            },
            Transfer::Push(address) => stack.push(StackEntry::Address(address))?,
            Transfer::Pop(passing) => match stack.pop() {
                Some(StackEntry::Address(address)) => {
                    let dst = insn.address_dst;
                    let value = address.map(|component| [component]);
                    merge(&mut self.address[usize::from(dst.reg)], dst.mask, &value, &passing);
                }
                Some(StackEntry::Return(_)) | None => return Err(Fault::Stack),
            },
        }
        *slot = behind;
        Ok(!insn.end)
    }

    /// The control flow of an instruction.
    fn transfer_of<A: Arithmetic>(&self, insn: &Insn, config: &Config) -> Transfer {
        let branch = &insn.branch;
        let ends = insn.end && config.quirks.end_on_branch == EndOnBranch::Ends;
        let goes = |decider: Decider| match decider {
            Decider::Boolean => (config.branch_bits >> (branch.bit & 31) & 1 != 0) == branch.polarity,
            Decider::Test => self
                .passing::<A>(branch.condition)
                .is_none_or(|passing| passing.as_flattened().contains(&true)),
        };
        let target = |to: To| match to {
            To::Slot => usize::from(branch.target),
            To::Register => self.indirect(insn, config),
        };
        match insn.sca.kind() {
            Kind::Jump(_, decider) if ends || !goes(decider) => Transfer::Next,
            Kind::Jump(Jump::Branch(to), _) => Transfer::Goto(target(to)),
            Kind::Jump(Jump::Call(to), _) => Transfer::Call(target(to)),
            Kind::Jump(Jump::Return, _) => Transfer::Return,
            // UNKNOWN: whether the condition decides over PUSHA, too (rankine_curie.md 2.5); here it is one of writes alone.
            Kind::Push => {
                Transfer::Push(self.address[usize::from(insn.address.reg)].map(|[component]| component))
            }
            // UNKNOWN: POPA of some components only, which the specification forbids (rankine_curie.md 2.5): it pops,
            // and writes those that the mask names and that pass the condition.
            Kind::Pop => Transfer::Pop(self.passing::<A>(insn.condition)),
            Kind::Nothing | Kind::Value | Kind::Texel | Kind::Address(_) => Transfer::Next,
        }
    }

    /// The target slot of an indirect branch.
    fn indirect(&self, insn: &Insn, config: &Config) -> usize {
        let [index] = self.index(insn);
        match config.quirks.indirect {
            Indirect::Table => {
                let last = config.branch_table.len() as i32 - 1;
                config.branch_table[index.clamp(0, last) as usize].into()
            }
            // No program has a slot of that number.
            Indirect::Slot => usize::try_from(index).unwrap_or(usize::MAX),
        }
    }
}
