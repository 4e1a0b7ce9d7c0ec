//! The reference interpreter: executes decoded instructions with the golden arithmetic.
//!
//! `State` holds `N` vertices that run in step, each register component as an array of `N`. `N` = 1 is the reference
//! interpreter; a larger `N` is the batched form, the fast fallback tier: it dispatches each instruction once for a
//! block of vertices, and the inner loops run over arrays. Both are one generic implementation, so they cannot differ.
//! Programs that branch or use the stack always run with `N` = 1.

mod address;
mod alu;
mod batch;
mod evaluator;
pub(crate) mod fixed;
pub(crate) mod flipper;
mod flow;
mod forms;
pub(crate) mod gradual;
mod library;
mod operation;
mod program;
mod read;
mod stepper;
mod viewport;
mod write;

#[cfg(test)]
mod tests;

pub use batch::{Interpreter, writes_constants};
pub(crate) use evaluator::Evaluator;
pub use flow::StackEntry;
pub(crate) use flow::slots;
pub use operation::{scalar_operation, vector_operation};
pub use program::Interp;
pub(crate) use program::Interpreted;
pub use stepper::{End, STACK, Stepper, VertexState};

use crate::chip::programs::POSITION_READ_BACK;
use crate::config::Config;
use crate::isa::op::Kind;
use crate::isa::{Generation, Insn, Program, Unit};
use crate::shader::{Faults, Taken};
use alu::Arithmetic;
use xfjit_runtime::constants::Constants;
use xfjit_runtime::num::bits::INFINITY;
use xfjit_runtime::state::{ATTRIBUTES, DEFAULT_ROW, OUTPUTS};
use xfjit_runtime::texture::Textures;

/// One component of a register for each vertex.
type Lanes<const N: usize> = [u32; N];
/// A register for each vertex.
type Quad<const N: usize> = [Lanes<N>; 4];
/// An address register for each vertex.
type Addresses<const N: usize> = [[i32; N]; 4];

/// Temporaries of the largest generation.
pub const TEMPS: usize = Generation::Curie.temps();

/// The environment of a run: configuration, constants and textures.
struct Environment<'a> {
    config: &'a Config,
    constants: Constants<'a>,
    textures: &'a Textures<'a>,
    /// What has been executed so far, by all vertices.
    taken: Taken,
}

/// `N` vertices in flight.
#[derive(Clone, Debug)]
struct State<const N: usize> {
    inputs: [Quad<N>; ATTRIBUTES],
    temps: [Quad<N>; TEMPS],
    outputs: [Quad<N>; OUTPUTS],
    address: [Addresses<N>; 2],
    /// Condition registers: the values that set them, see [`xfjit_runtime::num::condition`].
    codes: [Quad<N>; 2],
}

impl<const N: usize> State<N> {
    fn new() -> Box<Self> {
        Box::new(State {
            inputs: [[[0; N]; 4]; ATTRIBUTES],
            temps: [[[0; N]; 4]; TEMPS],
            outputs: [[[0; N]; 4]; OUTPUTS],
            address: [[[0; N]; 4]; 2],
            codes: [[[0; N]; 4]; 2],
        })
    }

    /// The state in which programs start: address registers 0, condition codes "equal" (kelvin.md 2, rankine_curie.md
    /// 2.3 and 3).
    fn reset(&mut self, generation: Generation) {
        // What reads oPos back reads +0 before the first write.
        let reads_back = usize::from(POSITION_READ_BACK) + 1;
        let temps = if generation == Generation::Kelvin { reads_back } else { generation.temps() };
        self.temps[..temps].fill([[0; N]; 4]);
        self.outputs = [DEFAULT_ROW.map(|word| [word; N]); OUTPUTS];
        self.address = [[[0; N]; 4]; 2];
        self.codes = [[[0; N]; 4]; 2];
    }

    /// Runs a program without branches once for each vertex whose inputs have been set; so many of them count.
    fn run_straight<A: Arithmetic>(
        &mut self,
        program: &Program,
        environment: &mut Environment<'_>,
        count: usize,
    ) -> Faults {
        self.reset(environment.config.generation);
        let limit = match environment.config.generation {
            Generation::Kelvin => program.insns.len(),
            Generation::Rankine | Generation::Curie => usize::from(environment.config.timeout),
        };
        for insn in program.insns.iter().take(limit) {
            self.step::<A>(insn, environment);
        }
        environment.taken.slots += (count * program.insns.len().min(limit)) as u64;
        self.transform::<A>(environment);
        let timeouts = if program.insns.len() > limit { count as u64 } else { 0 };
        Faults { timeouts, ..Faults::default() }
    }

    /// Executes both units of one instruction: all reads before all writes (kelvin.md 2).
    #[inline]
    fn step<A: Arithmetic>(&mut self, insn: &Insn, environment: &mut Environment<'_>) {
        let config = environment.config;
        let passing = self.passing::<A>(insn.condition);
        let index = self.index(insn);
        let sources = |slot: usize| self.read(insn, &insn.src[slot], environment);
        let mut vec = if insn.vec.kind() == Kind::Texel {
            Some(texels(insn.texture, &sources(0), environment.textures))
        } else {
            forms::vector::<A, N>(config, insn.vec, sources)
        };
        let mut sca = forms::scalar::<A, N>(config, insn.sca, sources);
        let address = self.address_result::<A>(insn, environment);
        if insn.saturate {
            [vec, sca] = [vec, sca].map(|result| result.map(|value| alu::saturate::<A, N>(config, value)));
        }

        if let Some(address) = &address {
            self.write_address(insn, address, &passing, config);
        }
        for unit in config.quirks.write_order.units() {
            let result = match unit {
                Unit::Vec => vec.as_ref(),
                Unit::Sca => sca.as_ref(),
            };
            let Some(result) = result else { continue };
            if !config.quirks.write_order.drops(insn, unit) {
                self.write_temp(insn.temp_write(unit), result, &passing);
            }
            self.write_out(insn, unit, result, &index, &passing, environment);
            self.write_code(insn, unit, result, &passing);
        }
    }
}

/// x if it is greater than 0, else +0. It is told by the bits: of a comparison and a choice LLVM makes AArch64's FMAXNM, which makes a
/// NaN of one that signals.
fn positive(x: f32) -> f32 {
    if (1..=INFINITY).contains(&x.to_bits()) { x } else { 0.0 }
}

/// The texels that TXL reads.
fn texels<const N: usize>(unit: u8, coordinates: &Quad<N>, textures: &Textures<'_>) -> Quad<N> {
    let mut result = [[0; N]; 4];
    for lane in 0..N {
        let texel = textures.fetch(unit, coordinates.map(|component| component[lane]));
        for (component, word) in result.iter_mut().zip(texel) {
            component[lane] = word;
        }
    }
    result
}
