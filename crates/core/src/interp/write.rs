//! Destinations: which components are written, and where.

use super::alu::Arithmetic;
use super::{Environment, Quad, State, forms};
use crate::chip::programs::{POSITION, POSITION_READ_BACK};
use crate::config::{Config, FogWrite, ReadBack};
use crate::isa::kelvin::FOG;
use crate::isa::{Condition, Generation, Insn, Mask, OutTarget, TempWrite, Test, Unit};
use xfjit_runtime::constants::Constants;
use xfjit_runtime::num::condition::passes;

/// For each component and vertex, whether it is written; `None` where all are.
pub(super) type Passing<const N: usize> = Option<[[bool; N]; 4]>;

impl<const N: usize> State<N> {
    /// The components and lanes in which a condition passes.
    #[inline]
    pub(super) fn passing<A: Arithmetic>(&self, condition: Condition) -> Passing<N> {
        if condition.test == Test::Tr {
            return None;
        }
        let codes = &self.codes[usize::from(condition.reg)];
        let test = condition.test as u32;
        Some(condition.swizzle.0.map(|c| codes[usize::from(c)].map(|code| passes(A::NUMERICS, test, code))))
    }

    #[inline]
    pub(super) fn write_temp(&mut self, dst: TempWrite, value: &Quad<N>, passing: &Passing<N>) {
        merge(&mut self.temps[usize::from(dst.reg)], dst.mask, value, passing);
    }

    /// Writes a unit's result to the output register or constant; `index` is the instruction's.
    #[inline]
    pub(super) fn write_out(
        &mut self,
        insn: &Insn,
        unit: Unit,
        value: &Quad<N>,
        index: &[i32; N],
        passing: &Passing<N>,
        environment: &mut Environment<'_>,
    ) {
        let config = environment.config;
        for (target, mask) in config.targets(insn, unit).into_iter().flatten() {
            match target {
                OutTarget::Output(register) if insn.output_indexed => {
                    self.write_relative(register, mask, value, index, passing, config);
                }
                OutTarget::Output(register) => self.write_output(register, mask, value, passing, config),
                OutTarget::Constant(row) if config.constant_writes => {
                    write_constant(&mut environment.constants, row, mask, value, passing);
                }
                OutTarget::Constant(_) => {}
            }
        }
    }

    #[inline]
    fn write_output(
        &mut self,
        register: u8,
        mask: Mask,
        value: &Quad<N>,
        passing: &Passing<N>,
        config: &Config,
    ) {
        if !config.has_output(register) {
            return;
        }
        merge(&mut self.outputs[usize::from(register)], mask, value, passing);
        if register == POSITION && config.reading().reads_position_back(config.generation) {
            let back = &mut self.temps[usize::from(POSITION_READ_BACK)];
            match forms::read_back(config) {
                ReadBack::Written => merge(back, mask, value, passing),
                ReadBack::Whole => *back = self.outputs[usize::from(POSITION)],
                ReadBack::Output => {}
            }
        }
        // UNKNOWN: whether programs of Kelvin's class do so on Rankine, too; they do not here.
        let any =
            config.generation == Generation::Kelvin && config.quirks.fog_write == FogWrite::AnyComponent;
        if register == FOG && any && !mask.is_empty() {
            self.outputs[usize::from(FOG)][0] = value[0];
        }
    }

    /// Writes the output register at `register` plus the index; if there is no such register, the write is dropped.
    fn write_relative(
        &mut self,
        register: u8,
        mask: Mask,
        value: &Quad<N>,
        index: &[i32; N],
        passing: &Passing<N>,
        config: &Config,
    ) {
        for lane in 0..N {
            let register = u8::try_from(index[lane].saturating_add(i32::from(register)));
            let Some(register) = register.ok().filter(|&register| config.has_output(register)) else {
                continue;
            };
            for c in mask.components() {
                if passing.as_ref().is_none_or(|passing| passing[c][lane]) {
                    self.outputs[usize::from(register)][c][lane] = value[c][lane];
                }
            }
        }
    }

    /// Updates a condition register with the result of `unit`, if the instruction says so.
    #[inline]
    pub(super) fn write_code(&mut self, insn: &Insn, unit: Unit, value: &Quad<N>, passing: &Passing<N>) {
        if let Some(code) = insn.code.filter(|code| code.from == unit) {
            merge(&mut self.codes[usize::from(code.reg)], code.mask, value, passing);
        }
    }
}

/// Copies the components that are in the mask and pass.
#[inline]
pub(super) fn merge<T: Copy, const N: usize>(
    register: &mut [[T; N]; 4],
    mask: Mask,
    value: &[[T; N]; 4],
    passing: &Passing<N>,
) {
    for c in mask.components() {
        match passing {
            None => register[c] = value[c],
            Some(passing) => {
                for lane in 0..N {
                    if passing[c][lane] {
                        register[c][lane] = value[c][lane];
                    }
                }
            }
        }
    }
}

/// Writes a constant, if any component of it is written. Only the last of `N` vertices would be seen to write, so programs that
/// write constants run with `N` = 1 (see [`super::Interpreter::run`]).
fn write_constant<const N: usize>(
    constants: &mut Constants<'_>,
    row: u16,
    mask: Mask,
    value: &Quad<N>,
    passing: &Passing<N>,
) {
    let mut merged = constants.row(usize::from(row));
    let mut is_written = false;
    for c in mask.components() {
        if passing.as_ref().is_none_or(|passing| passing[c][N - 1]) {
            merged[c] = value[c][N - 1];
            is_written = true;
        }
    }
    // A write of what is there already is one.
    if is_written {
        constants.set_row(usize::from(row), merged);
    }
}
