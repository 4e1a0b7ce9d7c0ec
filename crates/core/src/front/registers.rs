//! The chip's registers while a program is lowered: each component is an IR value, and a cell between blocks.

use crate::chip::Generation;
use crate::ir::build::Builder;
use crate::ir::func::Value;
use xfjit_runtime::state::{DEFAULT_ROW, OUTPUTS};

/// Four components of a register.
pub(super) type Quad = [Value; 4];

/// Temporaries of the largest generation.
const TEMPS: u32 = Generation::Curie.temps() as u32;
/// Address registers and condition registers (rankine_curie.md 2.3 to 2.5).
const ADDRESSES: u32 = 2;
const CODES: u32 = 2;
/// Entries of the call stack.
pub(super) const STACK: u32 = 8;

/// The number of a register of four components. All kinds of registers are numbered in one sequence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Register(u32);

impl Register {
    /// A temporary; on Kelvin, register 12 reads oPos back.
    pub(super) fn temp(number: u8) -> Self {
        Register(u32::from(number).min(TEMPS - 1))
    }

    /// An output register.
    pub(super) fn output(number: u8) -> Self {
        Register(TEMPS + u32::from(number).min(OUTPUTS as u32 - 1))
    }

    /// An address register; its components are integers.
    pub(super) fn address(number: u8) -> Self {
        Register(TEMPS + OUTPUTS as u32 + u32::from(number & 1))
    }

    /// A condition register. A code is stored as the value that set it.
    pub(super) fn code(number: u8) -> Self {
        Register(TEMPS + OUTPUTS as u32 + ADDRESSES + u32::from(number & 1))
    }

    /// An address register on the call stack.
    pub(super) fn pushed(depth: u32) -> Self {
        Register(TEMPS + OUTPUTS as u32 + ADDRESSES + CODES + depth.min(STACK - 1))
    }

    /// The register and component with the entry of a lane's call stack at a depth: the return slot, or -1 for an address
    /// register.
    pub(super) fn returns(depth: u32) -> (Self, usize) {
        (Register(Register::pushed(STACK - 1).0 + 1 + depth.min(STACK - 1) / 4), depth as usize % 4)
    }

    /// Counters of the control flow.
    const COUNTERS: Register = Register(TEMPS + OUTPUTS as u32 + ADDRESSES + CODES + STACK + STACK / 4);
    /// Instructions executed.
    pub(super) const EXECUTED: (Register, usize) = (Register::COUNTERS, 0);
    /// Entries on the call stack.
    pub(super) const DEPTH: (Register, usize) = (Register::COUNTERS, 1);

    /// The `index`th of the constants that the program writes.
    pub(super) fn stored(index: usize) -> Self {
        Register(Register::COUNTERS.0 + 1 + index as u32)
    }

    /// The register and component that tell whether this vertex has written the `index`th of `stored` constants: not 0 if it
    /// has.
    pub(super) fn written(index: usize, stored: usize) -> (Self, usize) {
        (Register::stored(stored + index / 4), index % 4)
    }

    fn cell(self, component: usize) -> u32 {
        self.0 * 4 + component as u32
    }

    fn is_output(self) -> bool {
        (TEMPS..TEMPS + OUTPUTS as u32).contains(&self.0)
    }
}

/// The values of all registers at the current point of the program.
#[derive(Debug)]
pub(super) struct RegisterValues {
    /// The value of each component, if it has been read or written in this block.
    values: Vec<Option<Value>>,
    written: Vec<bool>,
    /// Whether the other components are in cells; otherwise they have their initial values.
    in_cells: bool,
}

impl RegisterValues {
    /// The initial values: 0, outputs (0, 0, 0, 1) (kelvin.md 2, rankine_curie.md 3). `stored` is the number of constants
    /// that the program writes.
    pub(super) fn new(stored: usize) -> Self {
        let count = Register::stored(stored + stored.div_ceil(4)).cell(0) as usize;
        RegisterValues { values: vec![None; count], written: vec![false; count], in_cells: false }
    }

    /// The value of a component.
    pub(super) fn component(&mut self, f: &mut Builder, register: Register, component: usize) -> Value {
        let cell = register.cell(component);
        if let Some(value) = self.values[cell as usize] {
            return value;
        }
        let value = if self.in_cells {
            f.get(cell)
        } else {
            f.bits(if register.is_output() { DEFAULT_ROW[component] } else { 0 })
        };
        self.values[cell as usize] = Some(value);
        value
    }

    /// All components.
    pub(super) fn read(&mut self, f: &mut Builder, register: Register) -> Quad {
        std::array::from_fn(|component| self.component(f, register, component))
    }

    /// Writes a component.
    pub(super) fn write(&mut self, register: Register, component: usize, value: Value) {
        let cell = register.cell(component) as usize;
        self.values[cell] = Some(value);
        self.written[cell] = true;
    }

    /// Ends a block: stores the components that it wrote to their cells, in the active lanes. The first block stores all.
    pub(super) fn store_to_cells(&mut self, f: &mut Builder) {
        for cell in 0..self.values.len() {
            let (register, component) = (Register(cell as u32 / 4), cell % 4);
            if self.in_cells && !self.written[cell] {
                continue;
            }
            let mut value = self.component(f, register, component);
            let before = f.origin();
            f.set_origin(f.func().origin(value));
            if let Some(active) = f.active() {
                let kept = f.get(cell as u32);
                value = f.select(active, value, kept);
            }
            f.set(cell as u32, value);
            f.set_origin(before);
        }
        self.values.fill(None);
        self.written.fill(false);
        self.in_cells = true;
    }
}
