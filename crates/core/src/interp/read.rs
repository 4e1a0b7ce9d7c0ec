//! Source operands.

use super::{Environment, Quad, State};
use crate::config::Config;
use crate::isa::{Bank, Insn, Source};
use xfjit_runtime::num::bits::SIGN;

impl<const N: usize> State<N> {
    /// A source operand after swizzle, absolute value and negation, in this order.
    #[inline]
    pub(super) fn read(&self, insn: &Insn, source: &Source, environment: &Environment<'_>) -> Quad<N> {
        let mut value = match source.bank {
            Bank::None => [[0; N]; 4],
            Bank::Temp(register) => pick(self.temp(environment.config, register), source),
            Bank::Input if insn.input_indexed => pick(&self.relative_input(insn), source),
            Bank::Input => pick(&self.inputs[usize::from(insn.input)], source),
            Bank::Constant if insn.indexed => self.relative_constant(insn, source, environment),
            Bank::Constant => {
                let row = environment.config.direct(insn.constant);
                let row = row.map_or([0; 4], |row| environment.constants.row(row.into()));
                let mut value = [[0; N]; 4];
                for (lanes, component) in value.iter_mut().zip(source.swizzle.0) {
                    *lanes = [row[usize::from(component)]; N];
                }
                value
            }
        };
        if source.absolute || source.negate {
            let kept = if source.absolute { !SIGN } else { !0 };
            let flipped = if source.negate { SIGN } else { 0 };
            for bits in value.as_flattened_mut() {
                *bits = *bits & kept ^ flipped;
            }
        }
        value
    }

    /// The constant at the instruction's row plus the index; (0, 0, 0, 0) outside the rows that the access mode lets a
    /// program read.
    fn relative_constant(&self, insn: &Insn, source: &Source, environment: &Environment<'_>) -> Quad<N> {
        let config = environment.config;
        let window = config.window();
        let index = self.index(insn);
        let mut result = [[0; N]; 4];
        for lane in 0..N {
            let row = wrapped(config, i64::from(index[lane]) + i64::from(insn.constant));
            if !(i64::from(window.start)..i64::from(window.end)).contains(&row) {
                continue;
            }
            let row = environment.constants.row(row as usize);
            for (component, &from) in result.iter_mut().zip(&source.swizzle.0) {
                component[lane] = row[usize::from(from)];
            }
        }
        result
    }

    /// The input at the instruction's register plus the index; (0, 0, 0, 0) if there is no such register, see [`OutOfRange`](crate::config::OutOfRange).
    fn relative_input(&self, insn: &Insn) -> Quad<N> {
        let index = self.index(insn);
        let mut result = [[0; N]; 4];
        for lane in 0..N {
            let register = usize::try_from(index[lane].saturating_add(i32::from(insn.input)));
            let Some(input) = register.ok().and_then(|register| self.inputs.get(register)) else { continue };
            for (component, from) in result.iter_mut().zip(input) {
                component[lane] = from[lane];
            }
        }
        result
    }
}

#[inline]
fn pick<const N: usize>(register: &Quad<N>, source: &Source) -> Quad<N> {
    let mut value = [[0; N]; 4];
    for (lanes, component) in value.iter_mut().zip(source.swizzle.0) {
        *lanes = register[usize::from(component)];
    }
    value
}

/// The row that the sum of row and index addresses.
fn wrapped(config: &Config, row: i64) -> i64 {
    config.wraps_at().map_or(row, |count| row.rem_euclid(count as i64))
}
