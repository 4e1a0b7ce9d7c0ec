//! The viewport transform after the end of a program, see [`Viewport`].

use super::alu::Arithmetic;
use super::{Environment, POSITION, State};
use crate::config::Viewport;
use crate::isa::Generation;
use xfjit_runtime::num;

/// XFCTX rows of the viewport on Rankine and Curie (rankine_curie.md 7).
const SCALE: usize = 0x76;
const TRANSLATION: usize = 0x77;

impl<const N: usize> State<N> {
    /// The viewport transform, if the configuration asks for it.
    #[inline]
    pub(super) fn transform<A: Arithmetic>(&mut self, environment: &Environment<'_>) {
        let config = environment.config;
        if config.generation == Generation::Kelvin || config.viewport == Viewport::Skip {
            return;
        }
        let n = A::NUMERICS;
        let (scale, translation) = (environment.constants.row(SCALE), environment.constants.row(TRANSLATION));
        let position = &mut self.outputs[POSITION];
        let reciprocal = position[3].map(|w| num::rcc(n, w));
        for c in 0..3 {
            for lane in 0..N {
                let scaled = num::mul(n, num::mul(n, position[c][lane], scale[c]), reciprocal[lane]);
                position[c][lane] = num::sum2(n, scaled, translation[c]);
            }
        }
    }
}
