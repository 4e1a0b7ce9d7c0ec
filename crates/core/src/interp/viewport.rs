//! The viewport transform after the end of a program, see [`Viewport`].

use super::alu::Arithmetic;
use super::{Environment, State};
use crate::chip::programs::POSITION;
use crate::config::Viewport;
use crate::isa::Generation;
use xfjit_runtime::num;

impl<const N: usize> State<N> {
    /// The viewport transform, if the configuration asks for it.
    #[inline]
    pub(super) fn transform<A: Arithmetic>(&mut self, environment: &Environment<'_>) {
        let config = environment.config;
        if config.generation == Generation::Kelvin || config.viewport == Viewport::Skip {
            return;
        }
        let n = A::NUMERICS;
        let [scale, translation] =
            config.generation.viewport_rows().map(|row| environment.constants.row(row.into()));
        let position = &mut self.outputs[usize::from(POSITION)];
        let reciprocal = position[3].map(|w| num::rcc(n, w));
        for c in 0..3 {
            for lane in 0..N {
                let scaled = num::mul(n, num::mul(n, position[c][lane], scale[c]), reciprocal[lane]);
                position[c][lane] = num::sum2(n, scaled, translation[c]);
            }
        }
    }
}
