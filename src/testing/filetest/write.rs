//! [`FileTest`] to text, and cases to tests.

use super::{Batch, Expected, FileTest, Vertex, options};
use crate::backend::{Interp, Worker};
use crate::config::{Config, Viewport};
use crate::interp::{Faults, live_inputs, writes_constants};
use crate::isa::op::VecOp;
use crate::isa::{self, Bank, Generation, Insn, Mask, OutTarget, OutWrite, Program, Unit};
use crate::testing::case::{Case, Ran};
use crate::testing::texels::Texels;
use std::fmt;
use std::ops::Range;
use xfjit_runtime::batch::registers;
use xfjit_runtime::num::Model;
use xfjit_runtime::state::Row;

impl fmt::Display for FileTest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.why {
            writeln!(f, "; {line}")?;
        }
        let run = self.runs.then_some("run");
        let tests: Vec<&str> = run.into_iter().chain(self.stages.iter().map(|stage| stage.name())).collect();
        let models = self.models.iter().map(|model| match model {
            Model::Hw => "hw",
            Model::Ieee => "ieee",
        });
        writeln!(f, "test {}", tests.join(", "))?;
        writeln!(f, "gen {}", self.config.generation.name())?;
        writeln!(f, "model {}", models.collect::<Vec<_>>().join(" "))?;
        options(f, &self.config)?;
        if self.texels != Texels::default() {
            writeln!(f, "texels {}", self.texels.name())?;
        }
        if let Some(reason) = &self.known_failure {
            writeln!(f, "known-failure: {reason}")?;
        }
        writeln!(f, "\n{}", isa::print(self.config.generation, &self.program))?;
        // Lines of their own hold for all batches below.
        let has_lines = self.batches.len() == 1;
        for batch in &self.batches {
            for (row, value) in batch.constants.iter().filter(|_| has_lines) {
                writeln!(f, "; with: c[{row}]={}", words(Mask::ALL, value))?;
            }
            for (i, vertex) in batch.vertices.iter().enumerate() {
                write!(f, "; {}:", if i == 0 { "run" } else { "then" })?;
                for (row, value) in batch.constants.iter().filter(|_| i == 0 && !has_lines) {
                    write!(f, " c[{row}]={}", words(Mask::ALL, value))?;
                }
                for (register, value) in &vertex.inputs {
                    write!(f, " v{register}={}", words(Mask::ALL, value))?;
                }
                write!(f, " ->")?;
                for Expected { target, mask, row } in &vertex.expected {
                    let place = place(self.config.generation, *target, *mask);
                    write!(f, " {place}={}", words(*mask, row))?;
                }
                for (name, count) in [("timeout", vertex.faults.timeouts), ("stack", vertex.faults.stack)] {
                    if count != 0 {
                        write!(f, " {name}={count}")?;
                    }
                }
                writeln!(f)?;
            }
        }
        for block in &self.blocks {
            writeln!(f, "; {}:", block.stage.name())?;
            for line in block.text.lines() {
                writeln!(f, "{}", format!(";   {line}").trim_end())?;
            }
        }
        Ok(())
    }
}

fn options(f: &mut fmt::Formatter<'_>, config: &Config) -> fmt::Result {
    let Config { generation, live_outputs, .. } = *config;
    if live_outputs != Config::new(generation).live_outputs {
        write!(f, "option live_outputs")?;
        for register in registers(live_outputs) {
            write!(f, " {}", place(generation, OutTarget::Output(register as u8), Mask::ALL))?;
        }
        writeln!(f)?;
    }
    options::write(f, config)
}

/// The components of a mask as hexadecimal digits.
fn words(mask: Mask, row: &Row) -> String {
    let words: Vec<String> = mask.components().map(|c| format!("{:08x}", row[c])).collect();
    if words.len() == 1 { words.concat() } else { format!("({})", words.join(" ")) }
}

/// The name of an output register or constant: the disassembler knows it.
fn place(generation: Generation, target: OutTarget, mask: Mask) -> String {
    let out = Some(OutWrite::new(target, mask, Unit::Vec));
    let text = isa::print_insn(generation, &Insn { vec: VecOp::Mov, out, ..Insn::NOP });
    let name = text.trim_start_matches("MOV ").split(',').next();
    name.unwrap_or_default().to_owned()
}

impl FileTest {
    /// Vertices `positions` of a case, with what the reference makes of them. Layouts of memory are not part of it.
    /// If the program writes constants, the vertices before them are needed, too. None if there is no text for the
    /// program: assembler text means words as the chip is thought to read them (see [`crate::isa::Reading`]).
    pub fn of_case(case: &Case, why: Vec<String>, positions: Range<usize>) -> Option<FileTest> {
        let program = case.program().ok()?;
        let generation = case.config.generation;
        isa::parse(generation, &isa::print(generation, &program)).ok().filter(|read| *read == *program)?;
        let is_serial = writes_constants(&program, &case.config);
        let positions = if is_serial { 0..positions.end } else { positions };
        let mut shortened = case.clone();
        shortened.count = positions.end;
        let want = shortened.run(&Interp::Single, &mut Worker::new()).ok()?;

        let mut batch = Batch::default();
        for (row, &value) in case.constants.iter().enumerate() {
            if value != [0; 4] && may_read(&program, &case.config, row) {
                batch.constants.push((row, value));
            }
        }
        let inputs = case.inputs();
        for position in positions.clone() {
            let live = registers(live_inputs(&program));
            let inputs = live.map(|register| (register, inputs.fetch(register, position))).collect();
            let mut expected = outputs(&shortened, &want, position);
            if position + 1 == positions.end {
                expected.extend(constants(&shortened, &want));
            }
            batch.vertices.push(Vertex { inputs, expected, faults: faults(&shortened, position)? });
        }
        Some(FileTest {
            why,
            runs: true,
            stages: Vec::new(),
            models: vec![case.config.model],
            config: case.config.clone(),
            known_failure: None,
            texels: case.texels,
            program: (*program).clone(),
            batches: vec![batch],
            blocks: Vec::new(),
        })
    }
}

/// How the program of a vertex ends.
fn faults(case: &Case, position: usize) -> Option<Faults> {
    let until = |count| {
        let case = Case { count, ..case.clone() };
        Some(case.run(&Interp::Single, &mut Worker::new()).ok()?.outcome.faults)
    };
    let (before, after) = (until(position)?, until(position + 1)?);
    Some(Faults { timeouts: after.timeouts - before.timeouts, stack: after.stack - before.stack })
}

/// Whether the program could see a constant row; a masked write keeps part of one.
fn may_read(program: &Program, config: &Config, row: usize) -> bool {
    let viewport = config.viewport == Viewport::Transform && [0x76, 0x77].contains(&row);
    viewport
        || program.insns.iter().any(|insn| {
            let reads =
                insn.reads_bank(Bank::Constant) && (insn.indexed || usize::from(insn.constant) == row);
            let writes = matches!(insn.out, Some(out) if out.target == OutTarget::Constant(row as u16));
            reads || writes
        })
}

fn outputs(case: &Case, ran: &Ran, position: usize) -> Vec<Expected> {
    let rows = registers(case.config.live_outputs).filter_map(|register| {
        let row = case.output(&ran.output, register, position)?;
        Some(Expected { target: OutTarget::Output(register as u8), mask: Mask::ALL, row })
    });
    rows.collect()
}

/// The constants that have changed.
fn constants(case: &Case, ran: &Ran) -> Vec<Expected> {
    let before = case.context();
    let rows = before.rows().iter().zip(ran.context.rows()).enumerate();
    let changed = rows.filter(|(_, (before, after))| before != after);
    let expected = |(row, (_, &after)): (usize, (&Row, &Row))| Expected {
        target: OutTarget::Constant(row as u16),
        mask: Mask::ALL,
        row: after,
    };
    changed.map(expected).collect()
}
