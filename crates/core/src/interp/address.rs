//! Address registers: the results of ARL, ARR and ARA, and indices.

use super::alu::Arithmetic;
use super::write::{Passing, merge};
use super::{Environment, State, forms};
use crate::config::{AddressBias, AddressNan, Addresses, Config};
use crate::isa::op::{Integers, Kind, VecOp};
use crate::isa::{Insn, Unit};
use xfjit_runtime::num;
use xfjit_runtime::num::condition::integer_code;

impl<const N: usize> State<N> {
    /// The index of each vertex before the instruction.
    #[inline]
    pub(super) fn index(&self, insn: &Insn) -> [i32; N] {
        self.address[usize::from(insn.address.reg)][usize::from(insn.address.component)]
    }

    /// The vector unit's result for an address register; `None` if the instruction has none.
    #[inline]
    pub(super) fn address_result<A: Arithmetic>(
        &self,
        insn: &Insn,
        environment: &Environment<'_>,
    ) -> Option<super::Addresses<N>> {
        match insn.vec.kind() {
            Kind::Address(rounding @ (Integers::Floor | Integers::Nearest)) => {
                let operand = self.read(insn, &insn.src[0], environment);
                let mut result = [[0; N]; 4];
                for c in insn.written(Unit::Vec).components() {
                    result[c] = operand[c].map(|bits| address::<A>(environment.config, rounding, bits));
                }
                Some(result)
            }
            Kind::Address(Integers::Sums) => {
                let from = &self.address[usize::from(insn.address.reg)];
                let sum = |a: usize, b: usize| {
                    std::array::from_fn(|lane| {
                        let [a, b] = [a, b].map(|at| forms::summand(environment.config, from[at][lane]));
                        num::ara(A::NUMERICS, a, b)
                    })
                };
                let (xz, yw) = (sum(0, 2), sum(1, 3));
                Some([xz, yw, xz, yw])
            }
            Kind::Nothing | Kind::Value | Kind::Texel | Kind::Jump(..) | Kind::Push | Kind::Pop => None,
        }
    }

    /// Writes an address register, and the condition code of the integer.
    pub(super) fn write_address(
        &mut self,
        insn: &Insn,
        address: &super::Addresses<N>,
        passing: &Passing<N>,
        config: &Config,
    ) {
        let dst = insn.address_dst;
        if insn.vec != VecOp::Arl || config.heard().addresses != Addresses::Never {
            merge(&mut self.address[usize::from(dst.reg)], dst.mask, address, passing);
        }
        if config.quirks.address_codes {
            self.write_code(insn, Unit::Vec, &address.map(|component| component.map(integer_code)), passing);
        }
    }
}

/// The result of ARL or ARR.
#[inline]
fn address<A: Arithmetic>(config: &Config, rounding: Integers, bits: u32) -> i32 {
    let n = A::NUMERICS;
    let bits = match config.quirks.address_bias {
        AddressBias::Milli if rounding == Integers::Floor => num::sum2(n, bits, 0.001f32.to_bits()),
        AddressBias::Milli | AddressBias::None => bits,
    };
    if rounding == Integers::Floor
        && let Some(integer) = forms::address(config.heard().addresses, bits)
    {
        return integer;
    }
    let least = config.quirks.address_nan == AddressNan::Least;
    if least && f32::from_bits(bits).is_nan() {
        return n.rules.address_range().0;
    }
    if rounding == Integers::Nearest { num::arr(n, bits) } else { num::arl(n, bits) }
}
