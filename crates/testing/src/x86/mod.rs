//! An evaluator of the instructions of x86-64 that wide code is made of.
//!
//! It executes what the emitter has encoded, decoded again, on processors that lack the instructions: so no machine leaves a width
//! untested. [`Cpu`] has the registers, [`Memory`] the bytes that a call lends and no others, [`step`] executes an instruction,
//! [`run`] a function. The meaning of instructions stands in a file for each kind, as the manuals of the architecture have it;
//! a test walks the emitter's table and compares each row with the processor, if that has it.

mod compare;
mod cpu;
mod double;
mod fault;
mod flags;
mod float;
mod general;
mod instances;
mod integer;
mod masks;
mod memory;
mod moves;
mod operands;
mod processor;
mod shuffle;
mod state;
mod step;
mod trial;
mod vector;

pub use cpu::Cpu;
pub use fault::Fault;
pub use iced_x86::Code;
pub use memory::Memory;
pub use processor::{evaluated, evaluated_of_two, evaluated_wide, evaluated_within};
pub use state::State;
pub use step::{run, step, was_executed};
pub use trial::{compare_with_another, compare_with_processor, is_here};
pub use vector::Vector;
