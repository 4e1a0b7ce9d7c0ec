//! The reference: steps decoded instructions over the golden arithmetic.
//!
//! `State` holds `N` vertices that run in step, register components side by side. `N` = 1 is the reference
//! interpreter; a larger `N` is the batched form, the fast fallback tier: each instruction is looked at once for a
//! block of vertices, and the inner loops go over plain arrays. Both are the same text, so they cannot disagree.

mod alu;
mod batch;

pub use batch::Interpreter;
pub(crate) use batch::live_inputs;

use crate::config::{AddressBias, Config, FogWrite};
use crate::isa::op::VecOp;
use crate::isa::{Bank, Insn, Mask, OutTarget, Program, Source, TempWrite, Unit};
use alu::Arithmetic;
use xfjit_runtime::num;
use xfjit_runtime::state::{ATTRIBUTES, Context, DEFAULT_ROW, OUTPUTS};

/// One component of a register for each vertex.
type Lanes<const N: usize> = [u32; N];
/// A register for each vertex.
type Quad<const N: usize> = [Lanes<N>; 4];

/// The oPos register, which R12 reads back (kelvin.md 2).
const POSITION: u8 = 0;
/// The fog register, see [`FogWrite`].
const FOG: u8 = 5;
/// oPos as a source; it reads +0 before the first write.
const READ_BACK: u8 = 12;
/// Temporaries of Kelvin, R12 among them.
const TEMPS: usize = 13;

/// `N` vertices in flight.
#[derive(Clone, Debug)]
struct State<const N: usize> {
    inputs: [Quad<N>; ATTRIBUTES],
    temps: [Quad<N>; TEMPS],
    outputs: [Quad<N>; OUTPUTS],
    address: [i32; N],
}

impl<const N: usize> State<N> {
    fn new() -> Box<Self> {
        Box::new(State {
            inputs: [[[0; N]; 4]; ATTRIBUTES],
            temps: [[[0; N]; 4]; TEMPS],
            outputs: [[[0; N]; 4]; OUTPUTS],
            address: [0; N],
        })
    }

    /// Runs the program once for each vertex whose inputs have been set (kelvin.md 2, program start state).
    fn run<A: Arithmetic>(&mut self, program: &Program, config: &Config, context: &mut Context) {
        self.temps = [[[0; N]; 4]; TEMPS];
        self.outputs = [DEFAULT_ROW.map(|word| [word; N]); OUTPUTS];
        self.address = [0; N];
        for insn in &program.insns {
            self.step::<A>(insn, config, context);
        }
    }

    /// One instruction: all reads before all writes (kelvin.md 2).
    fn step<A: Arithmetic>(&mut self, insn: &Insn, config: &Config, context: &mut Context) {
        let sources = |slot: usize| self.read(insn, &insn.src[slot], config, context);
        let vec = alu::vector::<A, N>(insn.vec, sources);
        let sca = alu::scalar::<A, N>(insn.sca, sources);
        if insn.vec == VecOp::Arl
            && let Some(operand) = &vec
        {
            self.address = operand[0].map(|bits| address::<A>(config.address_bias, bits));
        }
        let result = |unit: Unit| match unit {
            Unit::Vec => vec.as_ref(),
            Unit::Sca => sca.as_ref(),
        };
        for unit in config.write_order.units() {
            let Some(result) = result(unit) else { continue };
            if !config.write_order.drops(insn, unit) {
                self.write_temp(insn.temp_write(unit), result);
            }
            let Some(out) = insn.out else { continue };
            match out.target {
                OutTarget::Output(register) => self.write_output(register, out.mask(unit), result, config),
                OutTarget::Constant(row) if config.constant_writes => {
                    write_constant(context, row, out.mask(unit), result)
                }
                OutTarget::Constant(_) => {}
            }
        }
    }

    /// A source operand after swizzle and negation.
    #[inline]
    fn read(&self, insn: &Insn, source: &Source, config: &Config, context: &Context) -> Quad<N> {
        let picked = match source.bank {
            Bank::None => [[0; N]; 4],
            Bank::Temp(register) => self.pick(&self.temps[usize::from(register)], source),
            Bank::Input => self.pick(&self.inputs[usize::from(insn.input)], source),
            Bank::Constant if insn.indexed => self.relative(insn.constant, source, config, context),
            Bank::Constant => {
                let row = match config.access.direct(config.generation, insn.constant) {
                    true => context.row(usize::from(insn.constant)),
                    false => [0; 4],
                };
                source.swizzle.0.map(|component| [row[usize::from(component)]; N])
            }
        };
        if source.negate { picked.map(|lanes| lanes.map(|bits| bits ^ 0x8000_0000)) } else { picked }
    }

    #[inline]
    fn pick(&self, register: &Quad<N>, source: &Source) -> Quad<N> {
        source.swizzle.0.map(|component| register[usize::from(component)])
    }

    /// The constant at `base` plus A0.x; (0, 0, 0, 0) outside the window that the access mode leaves.
    fn relative(&self, base: u16, source: &Source, config: &Config, context: &Context) -> Quad<N> {
        let window = config.access.window(config.generation);
        let mut result = [[0; N]; 4];
        for lane in 0..N {
            let row = i64::from(self.address[lane]) + i64::from(base);
            if !(i64::from(window.start)..i64::from(window.end)).contains(&row) {
                continue;
            }
            let row = context.row(row as usize);
            for (component, &from) in result.iter_mut().zip(&source.swizzle.0) {
                component[lane] = row[usize::from(from)];
            }
        }
        result
    }

    #[inline]
    fn write_temp(&mut self, dst: TempWrite, value: &Quad<N>) {
        merge(&mut self.temps[usize::from(dst.reg)], dst.mask, value);
    }

    #[inline]
    fn write_output(&mut self, register: u8, mask: Mask, value: &Quad<N>, config: &Config) {
        if register == POSITION {
            merge(&mut self.temps[usize::from(READ_BACK)], mask, value);
        }
        merge(&mut self.outputs[usize::from(register)], mask, value);
        if register == FOG && config.fog_write == FogWrite::AnyComponent && !mask.is_empty() {
            self.outputs[usize::from(register)][0] = value[0];
        }
    }
}

#[inline]
fn merge<const N: usize>(register: &mut Quad<N>, mask: Mask, value: &Quad<N>) {
    for c in mask.components() {
        register[c] = value[c];
    }
}

/// Constant writes belong to one vertex; with more in step the last one's would win, so such programs run with
/// `N` = 1 (see [`Interpreter::run`]).
fn write_constant<const N: usize>(context: &mut Context, row: u16, mask: Mask, value: &Quad<N>) {
    let mut merged = context.row(usize::from(row));
    for c in mask.components() {
        merged[c] = value[c][N - 1];
    }
    context.set_row(usize::from(row), merged);
}

/// What ARL leaves in A0.x.
#[inline]
fn address<A: Arithmetic>(bias: AddressBias, bits: u32) -> i32 {
    match bias {
        AddressBias::None => num::arl(A::NUMERICS, bits),
        AddressBias::Milli => num::arl(A::NUMERICS, num::sum2(A::NUMERICS, bits, 0.001f32.to_bits())),
    }
}

/// A NaN that leaves the program in the model `ieee` is the canonical one (architecture: two models).
#[inline]
fn leaving<A: Arithmetic>(bits: u32) -> u32 {
    num::canonical(A::NUMERICS, bits)
}

/// Whether the instructions write constants.
pub(crate) fn writes_constants(program: &Program, config: &Config) -> bool {
    config.constant_writes
        && program
            .insns
            .iter()
            .any(|insn| matches!(insn.out, Some(out) if matches!(out.target, OutTarget::Constant(_))))
}
