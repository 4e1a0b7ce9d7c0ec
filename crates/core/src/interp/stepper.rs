//! Runs one vertex slot by slot, for debuggers, and for embedders that begin or end in the middle of a program.

use super::alu::{Arithmetic, with_arithmetic_of_programs};
use super::flow::{Fault, Stack, StackEntry};
use super::{Environment, State, TEMPS};
use crate::config::Config;
use crate::isa::{Generation, Program};
use crate::shader::Taken;
use xfjit_runtime::constants::Constants;
use xfjit_runtime::fpenv::FpEnv;
use xfjit_runtime::num::{self, Model, Rules};
use xfjit_runtime::state::{ATTRIBUTES, DEFAULT_ROW, OUTPUTS, Row};
use xfjit_runtime::texture::Textures;

/// The number of entries of the call stack (rankine_curie.md 3).
pub const STACK: usize = super::flow::DEPTH;

/// The state of a vertex between two slots. Registers that its generation lacks are 0 and have no effect.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VertexState {
    /// Input registers (IBUF).
    pub inputs: [Row; ATTRIBUTES],
    /// Temporaries. R12 of Kelvin is the readable copy of oPos.
    pub temps: [Row; TEMPS],
    /// Output registers (TBUF), as the program has written them so far; (0, 0, 0, 1) before.
    pub outputs: [Row; OUTPUTS],
    /// Address registers; only the first component of the first one on Kelvin.
    pub address: [[i32; 4]; 2],
    /// Condition registers: the values that have set them.
    pub codes: [Row; 2],
    /// The call stack, the newest entry last. Entries beyond [`STACK`] are left out.
    pub stack: Vec<StackEntry>,
    /// The slot that runs next, counted from the beginning of program memory.
    pub slot: usize,
    /// The number of slots that may still run.
    pub left: u32,
    /// How the program has ended, if it has; then nothing more runs.
    pub ended: Option<End>,
}

impl VertexState {
    /// The state in which a program starts: temporaries and address registers 0, condition codes "equal".
    pub fn new(program: &Program, config: &Config, inputs: [Row; ATTRIBUTES]) -> Self {
        VertexState {
            inputs,
            temps: [[0; 4]; TEMPS],
            outputs: [DEFAULT_ROW; OUTPUTS],
            address: [[0; 4]; 2],
            codes: [[0; 4]; 2],
            stack: Vec::new(),
            slot: program.start,
            // Kelvin has no timeout, and no loops.
            left: if config.generation == Generation::Kelvin { u32::MAX } else { config.timeout.into() },
            ended: None,
        }
    }
}

/// How a program ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// By END, by a return without a call, or at a slot without an instruction.
    Done,
    /// By TIMEOUT.
    Timeout,
    /// By the stack: too deep, POPA without an entry, or an entry of the other kind.
    Stack,
}

/// A vertex that runs slot by slot. It computes what a whole run of the interpreter computes.
///
/// ```
/// use xfjit::interp::{End, Stepper, VertexState};
/// use xfjit::runtime::{constants::Constants, texture::Textures};
/// use xfjit::{Config, Generation, asm};
///
/// let program = asm::parse(Generation::Kelvin, "MOV R1, v0\nMUL oPos, R1, c[0]").unwrap();
/// let config = Config::new(Generation::Kelvin).live_outputs(1);
/// let start = VertexState::new(&program, &config, [[2.0f32.to_bits(); 4]; 16]);
/// let mut rows = [[3.0f32.to_bits(); 4]; 192];
/// let mut constants = Constants::new(&mut rows);
///
/// let mut vertex = Stepper::new(&program, &config, &start);
/// assert_eq!(vertex.step(&mut constants, &Textures::NONE), None);
/// let mut state = vertex.state();
/// assert_eq!(state.temps[1], [2.0f32.to_bits(); 4]);
/// state.temps[1] = [5.0f32.to_bits(); 4];
/// vertex.set_state(&state);
/// assert_eq!(vertex.run(&mut constants, &Textures::NONE), End::Done);
/// assert_eq!(vertex.outputs()[0], [15.0f32.to_bits(); 4]);
/// ```
#[derive(Debug)]
pub struct Stepper<'a> {
    program: &'a Program,
    config: &'a Config,
    registers: Box<State<1>>,
    stack: Stack,
    slot: usize,
    left: u32,
    ended: Option<End>,
}

impl<'a> Stepper<'a> {
    /// Creates a stepper for a vertex in some state.
    pub fn new(program: &'a Program, config: &'a Config, state: &VertexState) -> Self {
        let mut stepper = Stepper {
            program,
            config,
            registers: State::new(),
            stack: Stack::default(),
            slot: 0,
            left: 0,
            ended: None,
        };
        stepper.set_state(state);
        stepper
    }

    /// The slot that runs next, like [`VertexState::slot`].
    pub fn slot(&self) -> usize {
        self.slot
    }

    /// Its state.
    pub fn state(&self) -> VertexState {
        let State { inputs, temps, outputs, address, codes } = &*self.registers;
        VertexState {
            inputs: inputs.map(row),
            temps: temps.map(row),
            outputs: outputs.map(row),
            address: address.map(row),
            codes: codes.map(row),
            stack: self.stack.entries().collect(),
            slot: self.slot,
            left: self.left,
            ended: self.ended,
        }
    }

    /// Replaces the state. Address registers are clamped to their range.
    pub fn set_state(&mut self, state: &VertexState) {
        let (least, greatest) = match self.config.has_wide_addresses() {
            true => (i32::MIN, i32::MAX),
            false => self.config.numerics().rules.address_range(),
        };
        let clamped = |register: [i32; 4]| register.map(|value| value.clamp(least, greatest));
        *self.registers = State {
            inputs: state.inputs.map(quad),
            temps: state.temps.map(quad),
            outputs: state.outputs.map(quad),
            address: state.address.map(|register| quad(clamped(register))),
            codes: state.codes.map(quad),
        };
        self.stack = Stack::of(state.stack.iter().map(|&entry| match entry {
            StackEntry::Return(slot) => StackEntry::Return(slot),
            StackEntry::Address(register) => StackEntry::Address(clamped(register)),
        }));
        (self.slot, self.left, self.ended) = (state.slot, state.left, state.ended);
    }

    /// The outputs: in the model `ieee` a NaN becomes the canonical one.
    pub fn outputs(&self) -> [Row; OUTPUTS] {
        let numerics = self.config.numerics();
        self.registers.outputs.map(|register| row(register).map(|bits| num::canonical(numerics, bits)))
    }

    /// Executes one slot. Returns how the program has ended, if it has. At its end, the viewport transforms the position, if the
    /// configuration requests it. The caller's floating-point environment has no influence and is restored.
    ///
    /// # Panics
    /// If the instructions name registers that the generation lacks, which no words do.
    pub fn step(&mut self, constants: &mut Constants<'_>, textures: &Textures<'_>) -> Option<End> {
        self.go(constants, textures, 1)
    }

    /// Executes the rest of the program, which may take up to [`VertexState::left`] slots.
    ///
    /// # Panics
    /// As [`Stepper::step`].
    pub fn run(&mut self, constants: &mut Constants<'_>, textures: &Textures<'_>) -> End {
        loop {
            if let Some(end) = self.go(constants, textures, u32::MAX) {
                return end;
            }
        }
    }

    fn go(&mut self, constants: &mut Constants<'_>, textures: &Textures<'_>, slots: u32) -> Option<End> {
        if self.ended.is_none() {
            let constants = constants.reborrow();
            let mut environment =
                Environment { config: self.config, constants, textures, taken: Taken::default() };
            FpEnv::Default.within(
                || with_arithmetic_of_programs!(self.config, A => self.go_on::<A>(&mut environment, slots)),
            );
        }
        self.ended
    }

    fn go_on<A: Arithmetic>(&mut self, environment: &mut Environment<'_>, slots: u32) {
        let Stepper { program, registers, stack, slot, left, ended, .. } = self;
        for _ in 0..slots {
            *ended = match registers.advance::<A>(program, environment, stack, slot, left) {
                Ok(true) => continue,
                Ok(false) => Some(End::Done),
                Err(Fault::Timeout) => Some(End::Timeout),
                Err(Fault::Stack) => Some(End::Stack),
            };
            return registers.transform::<A>(environment);
        }
    }
}

pub(super) fn row<T: Copy>(register: [[T; 1]; 4]) -> [T; 4] {
    register.map(|[component]| component)
}

pub(super) fn quad<T: Copy>(row: [T; 4]) -> [[T; 1]; 4] {
    row.map(|component| [component])
}
