//! Elements of vectors in other places.

use super::fault::Fault;
use super::operands::length;
use super::state::State;
use super::vector::Vector;
use iced_x86::{Instruction, Mnemonic, OpKind, Register};

/// Executes an instruction of this kind; tells whether it is one.
pub(super) fn execute(state: &mut State<'_>, insn: &Instruction) -> Result<bool, Fault> {
    let length = length(insn);
    match insn.mnemonic() {
        Mnemonic::Vshufps => {
            let how = state.number(insn, 3)? as usize;
            in_parts(state, insn, |a, b| {
                std::array::from_fn(|word| if word < 2 { a } else { b }[how >> (2 * word) & 3])
            })?;
        }
        Mnemonic::Vunpcklps => in_parts(state, insn, |a, b| [a[0], b[0], a[1], b[1]])?,
        Mnemonic::Vunpckhps => in_parts(state, insn, |a, b| [a[2], b[2], a[3], b[3]])?,
        Mnemonic::Vunpcklpd => in_pairs(state, insn, |a, b| [a[0], a[1], b[0], b[1]])?,
        Mnemonic::Vunpckhpd => in_pairs(state, insn, |a, b| [a[2], a[3], b[2], b[3]])?,
        Mnemonic::Vmovshdup => {
            let a = state.vector(insn, 1)?;
            state.set_words(insn, Vector(std::array::from_fn(|word| a.0[word | 1])), length)?;
        }
        Mnemonic::Vpshufb => {
            let (bytes, how) = (state.vector(insn, 1)?.bytes(), state.vector(insn, 2)?.bytes());
            let byte = |at: usize| match how[at] {
                which if which & 0x80 != 0 => 0,
                which => bytes[at & !15 | usize::from(which & 15)],
            };
            let bytes: [u8; 64] = std::array::from_fn(byte);
            state.set_elements(insn, Vector::of_bytes(&bytes), length, 1)?;
        }
        Mnemonic::Vpermq => {
            let (a, how) = (state.vector(insn, 1)?.quads(), state.number(insn, 2)? as usize);
            let quad = |at: usize| a[at & !3 | how >> (2 * (at & 3)) & 3];
            state.set_quads(insn, Vector::of_quads(std::array::from_fn(quad)), length)?;
        }
        Mnemonic::Vpermd => {
            let (how, a) = (state.vector(insn, 1)?, state.vector(insn, 2)?);
            let word = |at: usize| a.0[how.0[at] as usize % (length / 4)];
            state.set_words(insn, Vector(std::array::from_fn(word)), length)?;
        }
        Mnemonic::Vpermi2d => {
            let [how, a, b] = three(state, insn)?;
            state.set_words(insn, of_both(length, how, a, b), length)?;
        }
        Mnemonic::Vpermt2ps => {
            let [a, how, b] = three(state, insn)?;
            state.set_words(insn, of_both(length, how, a, b), length)?;
        }
        Mnemonic::Vpermt2w => {
            let [a, how, b] = three(state, insn)?.map(|vector| vector.halves());
            let halves = length / 2;
            let half = |at: usize| {
                let which = usize::from(how[at]) % (2 * halves);
                if which < halves { a[which] } else { b[which - halves] }
            };
            state.set_elements(insn, Vector::of_halves(std::array::from_fn(half)), length, 2)?;
        }
        Mnemonic::Vshufi32x4 => {
            let (a, b) = (state.vector(insn, 1)?.parts(), state.vector(insn, 2)?.parts());
            let how = state.number(insn, 3)? as usize;
            // Half of the parts are of each operand, and a number has as many bits as it takes to tell them.
            let parts = length / 16;
            let bits = parts.ilog2() as usize;
            let part = |at: usize| {
                let which = how >> (bits * at) & (parts - 1);
                if at < parts / 2 { a[which] } else { b[which] }
            };
            state.set_words(insn, Vector::of_parts(std::array::from_fn(part)), length)?;
        }
        Mnemonic::Vpblendd => {
            let (a, b, how) = (state.vector(insn, 1)?, state.vector(insn, 2)?, state.number(insn, 3)?);
            let word = |at: usize| if how >> at & 1 != 0 { b.0[at] } else { a.0[at] };
            state.set_words(insn, Vector(std::array::from_fn(word)), length)?;
        }
        Mnemonic::Vblendvps => {
            let [a, b, how] = [state.vector(insn, 1)?, state.vector(insn, 2)?, state.vector(insn, 3)?];
            let word = |at: usize| if how.0[at] >> 31 != 0 { b.0[at] } else { a.0[at] };
            state.set_words(insn, Vector(std::array::from_fn(word)), length)?;
        }
        Mnemonic::Vpblendmd => blend(state, insn)?,
        Mnemonic::Vinsertf128 | Mnemonic::Vinsertf32x4 => insert(state, insn, 1)?,
        Mnemonic::Vinsertf64x4 => insert(state, insn, 2)?,
        Mnemonic::Vextractf128 | Mnemonic::Vextracti128 | Mnemonic::Vextractf32x4 => extract(state, insn, 1)?,
        Mnemonic::Vextractf64x4 => extract(state, insn, 2)?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// The first three operands.
fn three(state: &State<'_>, insn: &Instruction) -> Result<[Vector; 3], Fault> {
    Ok([state.vector(insn, 0)?, state.vector(insn, 1)?, state.vector(insn, 2)?])
}

/// In each 128 bits words of those of two operands.
fn in_parts(
    state: &mut State<'_>,
    insn: &Instruction,
    f: impl Fn([u32; 4], [u32; 4]) -> [u32; 4],
) -> Result<(), Fault> {
    let value = parts_of(state, insn, f)?;
    state.set_words(insn, value, length(insn))
}

/// In each 128 bits words that go in pairs: masks have a bit for two of them.
fn in_pairs(
    state: &mut State<'_>,
    insn: &Instruction,
    f: impl Fn([u32; 4], [u32; 4]) -> [u32; 4],
) -> Result<(), Fault> {
    let value = parts_of(state, insn, f)?;
    state.set_quads(insn, value, length(insn))
}

fn parts_of(
    state: &State<'_>,
    insn: &Instruction,
    f: impl Fn([u32; 4], [u32; 4]) -> [u32; 4],
) -> Result<Vector, Fault> {
    let (a, b) = (state.vector(insn, 1)?.parts(), state.vector(insn, 2)?.parts());
    Ok(Vector::of_parts(std::array::from_fn(|part| f(a[part], b[part]))))
}

/// Words of two vectors of so many bytes, by their numbers in both.
fn of_both(length: usize, how: Vector, a: Vector, b: Vector) -> Vector {
    let words = length / 4;
    Vector(std::array::from_fn(|at| {
        let which = how.0[at] as usize % (2 * words);
        if which < words { a.0[which] } else { b.0[which - words] }
    }))
}

/// Words of the second operand where the mask says so, of the first elsewhere, or zeros.
fn blend(state: &mut State<'_>, insn: &Instruction) -> Result<(), Fault> {
    let (a, b, mask) = (state.vector(insn, 1)?, state.vector(insn, 2)?, state.written(insn));
    let word = |at: usize| match mask >> at & 1 != 0 {
        true => b.0[at],
        false if insn.zeroing_masking() => 0,
        false => a.0[at],
    };
    // All words are written: the mask has said which.
    let mut all = *insn;
    all.set_op_mask(Register::None);
    state.set_words(&all, Vector(std::array::from_fn(word)), length(insn))
}

/// One vector with another, of so many parts of 128 bits, in a place of it.
fn insert(state: &mut State<'_>, insn: &Instruction, count: usize) -> Result<(), Fault> {
    let (mut a, b) = (state.vector(insn, 1)?.parts(), state.vector(insn, 2)?.parts());
    let at = place(state, insn, 3, count)?;
    a[at..at + count].copy_from_slice(&b[..count]);
    state.set_elements(insn, Vector::of_parts(a), length(insn), 4 * count)
}

/// So many parts of 128 bits of a vector.
fn extract(state: &mut State<'_>, insn: &Instruction, count: usize) -> Result<(), Fault> {
    let a = state.vector(insn, 1)?.parts();
    let at = place(state, insn, 2, count)?;
    let mut parts = [[0; 4]; 4];
    parts[..count].copy_from_slice(&a[at..at + count]);
    state.set_elements(insn, Vector::of_parts(parts), 16 * count, 4 * count)
}

/// The part at which an immediate says that so many of them are.
fn place(state: &State<'_>, insn: &Instruction, op: u32, count: usize) -> Result<usize, Fault> {
    if insn.op_kind(op) != OpKind::Immediate8 {
        return Err(Fault::Operand);
    }
    let places = length(insn) / (16 * count);
    Ok(state.number(insn, op)? as usize % places * count)
}
