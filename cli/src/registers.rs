//! The registers that a program reads and writes, and their names.

use xfjit::isa::{self, Mask, OutTarget, Program};
use xfjit::runtime::state::OUTPUTS;
use xfjit::{Generation, asm};

/// What a program may write: for each output register the components.
pub fn written(program: &Program) -> [Mask; OUTPUTS] {
    let mut masks = [Mask::NONE; OUTPUTS];
    for insn in &program.insns {
        let Some(isa::OutWrite { target: OutTarget::Output(register), vec, sca }) = insn.out else {
            continue;
        };
        // Only Curie has indices here: they may reach any of its registers.
        let reached = match insn.output_indexed {
            true => 0..Generation::Curie.outputs(),
            false => register.into()..usize::from(register) + 1,
        };
        for mask in masks.get_mut(reached).into_iter().flatten() {
            *mask = Mask(mask.0 | vec.0 | sca.0);
        }
    }
    masks
}

/// The registers with a component in their mask, as a mask of registers.
pub fn registers(masks: &[Mask; OUTPUTS]) -> u32 {
    (0..OUTPUTS).filter(|&register| !masks[register].is_empty()).fold(0, |all, register| all | 1 << register)
}

/// The letters of a mask.
pub fn letters(mask: Mask) -> String {
    mask.components().map(|component| ["x", "y", "z", "w"][component]).collect()
}

/// The name of an output register in the assembler text.
pub fn output_name(generation: Generation, register: usize) -> String {
    let text = asm::print_insn(generation, &copy_to(register as u8));
    let name = text.split([' ', ',']).nth(1);
    name.map_or_else(|| format!("o{register}"), str::to_owned)
}

/// `MOV oREGISTER, v0`
fn copy_to(register: u8) -> isa::Insn {
    let source = isa::Source { bank: isa::Bank::Input, ..isa::Source::UNUSED };
    let out = isa::OutWrite::new(OutTarget::Output(register), Mask::ALL, isa::Unit::Vec);
    isa::Insn {
        vec: isa::VecOp::Mov,
        src: [source, isa::Source::UNUSED, isa::Source::UNUSED],
        out: Some(out),
        ..isa::Insn::NOP
    }
}

/// The attributes that a program may read, as a mask.
pub fn read(program: &Program) -> u16 {
    let reads = |insn: &&isa::Insn| insn.src.iter().any(|source| source.bank == isa::Bank::Input);
    program.insns.iter().filter(reads).fold(0, |mask, insn| match insn.input_indexed {
        true => u16::MAX,
        false => mask | 1 << (insn.input & 15),
    })
}
