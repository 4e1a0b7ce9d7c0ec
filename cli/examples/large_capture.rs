//! Makes a large capture, to see how `xfjit prof` does with it: 10,000 draws of 300 programs.
//!
//! `cargo run --release --example large_capture large.capture`

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::PathBuf;
use std::process::ExitCode;
use xfjit::capture::UnitWriter;
use xfjit::chip::Chip;
use xfjit::runtime::state::Row;
use xfjit::xf::trace::Item;
use xfjit::xf::{Command, Register, Type};
use xfjit::{Generation, Model, isa};
use xfjit_testing::programs::{self, Fixed};

const DRAWS: usize = 10_000;
/// Of each program of the fixed set.
const VARIANTS: usize = 60;
/// Draws of one program that follow each other.
const RUN: usize = 8;

fn main() -> ExitCode {
    let Some(path) = std::env::args_os().nth(1).map(PathBuf::from) else {
        eprintln!("which file?");
        return ExitCode::from(2);
    };
    let written = File::create(&path).and_then(|file| write(BufWriter::new(file)));
    match written {
        Ok(_) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error}", path.display());
            ExitCode::FAILURE
        }
    }
}

fn write(out: impl io::Write) -> io::Result<()> {
    let mut writer = UnitWriter::new(out, Chip::Nv2a)?;
    let fixed: Vec<&Fixed> =
        programs::ALL.iter().filter(|fixed| fixed.generation == Generation::Kelvin).collect();
    let count = fixed.len() * VARIANTS;
    let vertices: Vec<Vec<u32>> = fixed.iter().map(|fixed| fixed.vertices(96)).collect();
    let mut items = Vec::new();
    for draw in 0..DRAWS {
        // Every program comes, those with low numbers more often.
        let turn = draw / RUN;
        let number = if turn < count { turn } else { turn * turn % 7919 % count * (turn % 3 + 1) / 3 };
        let which = number % fixed.len();
        if draw % RUN == 0 {
            program(fixed[which], number / fixed.len(), &mut items);
        }
        vector(&mut items, Type::Xfctx, 95, [(draw as f32).to_bits(), 0, 0, 0]);
        let count = 16 + draw * 37 % 80;
        for vertex in vertices[which].chunks_exact(fixed[which].input_words()).take(count) {
            for (&register, words) in fixed[which].attributes.iter().zip(vertex.as_chunks::<4>().0) {
                vector(&mut items, Type::Vab, register.into(), *words);
            }
            items.push(Item::Vertex);
        }
        for item in items.drain(..) {
            writer.item(&item)?;
        }
    }
    writer.finish()?;
    Ok(())
}

/// A program, other rows of constants in each variant.
fn program(fixed: &Fixed, variant: usize, items: &mut Vec<Item>) {
    let mut program = fixed.program();
    for insn in program
        .insns
        .iter_mut()
        .filter(|insn| insn.src.iter().any(|source| source.bank == isa::Bank::Constant))
    {
        insn.constant += variant as u16;
    }
    let code = isa::encode(fixed.generation, &program);
    for (slot, &words) in (program.first as u16..).zip(code.as_chunks::<4>().0) {
        vector(items, Type::Xfpr, slot, words);
    }
    for (slot, &row) in (0..).zip(fixed.context().rows()) {
        if row != [0; 4] {
            vector(items, Type::Xfctx, slot + variant as u16, row);
        }
    }
    vector(items, Type::Mode, 0, [2 << 30 | 1 << 18, 0, 0, 0]);
    items.push(Item::Set(Register::Start, program.start as u32));
    items.push(Item::Set(Register::Outputs, fixed.config(Model::Hw).live_outputs));
}

fn vector(items: &mut Vec<Item>, kind: Type, slot: u16, [x, y, z, w]: Row) {
    items.push(Item::Command(Command::pair(kind, slot, 0, [x, y])));
    items.push(Item::Command(Command::pair(kind, slot, 2, [z, w])));
}
