//! [`FileTest`] to text, and cases to tests.

use super::Tested;
use super::names::words;
use super::{Batch, Case, Expected, FileTest, FixedCase, Ran, Texels, Vertex, options};
use std::fmt;
use std::ops::Range;
use xfjit_core::backend::{Interp, Worker};
use xfjit_core::front::fixed::{self, Setup};
use xfjit_core::interp::writes_constants;
use xfjit_core::shader::Faults;
use xfjit_ir::ir::func::Inst;
use xfjit_ir::ir::imm::Element;
use xfjit_ir::ir::layout;
use xfjit_ir::ir::ops::Op;
use xfjit_isa::asm;
use xfjit_isa::chip::memory::Ram;
use xfjit_isa::config::{Config, Viewport};
use xfjit_isa::isa::{Bank, Mask, OutTarget, Program};
use xfjit_runtime::batch::registers;
use xfjit_runtime::format::InputLayout;
use xfjit_runtime::state::Row;

/// The text of a test file; `{:#}` is as few lines as say the same: no empty ones, and constants in the line of their run.
impl fmt::Display for FileTest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.why {
            writeln!(f, "; {line}")?;
        }
        let run = self.runs.then_some("run");
        let tests: Vec<&str> = run.into_iter().chain(self.stages.iter().map(|stage| stage.name())).collect();
        let models = self.models.iter().map(|model| model.name());
        writeln!(f, "test {}", tests.join(", "))?;
        match &self.tested {
            Tested::Microcode(_, config) => writeln!(f, "gen {}", config.generation.name())?,
            Tested::Fixed(Setup { mode, .. }) => {
                let words: Vec<String> = mode.words().iter().map(|word| format!("{word:08x}")).collect();
                writeln!(f, "fixed {} {}", mode.pipeline().name(), words.join(" "))?;
            }
        }
        writeln!(f, "model {}", models.collect::<Vec<_>>().join(" "))?;
        self.write_options(f)?;
        if !self.inputs.is_rows() {
            write!(f, "inputs")?;
            layout::write(f, &self.inputs)?;
            writeln!(f)?;
        }
        if self.texels != Texels::default() {
            writeln!(f, "texels {}", self.texels.name())?;
        }
        if let Some(reason) = &self.known_failure {
            writeln!(f, "known-failure: {reason}")?;
        }
        let space = if f.alternate() { "" } else { "\n" };
        write!(f, "{space}")?;
        match &self.tested {
            Tested::Microcode(program, config) => {
                write!(f, "{}{space}", asm::print(config.generation, program))?;
            }
            // For the reader alone.
            Tested::Fixed(setup) if !f.alternate() => {
                setup.mode.to_string().lines().try_for_each(|line| writeln!(f, "; {}", line.trim_end()))?;
                writeln!(f)?;
            }
            Tested::Fixed(_) => {}
        }
        let names = self.names();
        // Lines of their own hold for all batches below.
        let has_lines = self.batches.len() == 1 && !f.alternate();
        for batch in &self.batches {
            for (row, value) in batch.constants.iter().filter(|_| has_lines) {
                writeln!(f, "; with: {}", names.row(*row, value))?;
            }
            for (i, vertex) in batch.vertices.iter().enumerate() {
                write!(f, "; {}:", if i == 0 { "run" } else { "then" })?;
                for (row, value) in batch.constants.iter().filter(|_| i == 0 && !has_lines) {
                    write!(f, " {}", names.row(*row, value))?;
                }
                for (register, value) in &vertex.inputs {
                    write!(f, " v{register}={}", words(Mask::ALL, value))?;
                }
                write!(f, " ->")?;
                for Expected { target, mask, row } in &vertex.expected {
                    write!(f, " {}={}", names.target(*target, *mask), words(*mask, row))?;
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

impl FileTest {
    fn write_options(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (live, all) = match &self.tested {
            Tested::Microcode(_, config) => {
                (config.live_outputs, Config::new(config.generation).live_outputs)
            }
            Tested::Fixed(setup) => (setup.live_outputs, setup.outputs()),
        };
        if live != all {
            write!(f, "option live_outputs")?;
            for register in registers(live) {
                write!(f, " {}", self.names().target(OutTarget::Output(register as u8), Mask::ALL))?;
            }
            writeln!(f)?;
        }
        match &self.tested {
            Tested::Microcode(_, config) => options::write(f, config),
            Tested::Fixed(setup) => options::write_fixed(f, setup),
        }
    }

    /// Vertices `positions` of a case of the fixed function, with what the reference makes of them. None if that runs nothing; it refuses no case.
    pub fn of_fixed(case: &FixedCase, why: Vec<String>, positions: Range<usize>) -> Option<FileTest> {
        let mut setup = case.setup;
        setup.live_outputs &= setup.outputs();
        let attributes =
            case.attributes.clone().map(|rows| rows.get(positions.clone()).unwrap_or(&[]).to_vec());
        let case = FixedCase { setup, attributes, ..case.clone() };
        let want = case.run(&Interp::Single, &mut Worker::new()).ok()?;
        // All that the function names, dead or alive: what a backend reads by mistake should be there.
        let func = fixed::lower(&setup);
        let reads = |row: usize| {
            let is_of_row = |inst: &Inst| inst.op == Op::Ctx && inst.immediate::<Element>().row == row;
            func.insts.iter().any(is_of_row)
        };
        let pipeline = setup.mode.pipeline();
        let constants = case.context.rows().iter().enumerate().filter_map(|(row, value)| {
            let (ram, _) = Ram::of_row(pipeline, row)?;
            let mut kept = [0; 4];
            kept[..ram.components()].copy_from_slice(&value[..ram.components()]);
            (kept != [0; 4] && reads(row)).then_some((row, kept))
        });
        let inputs = |position: usize| {
            let live = registers(func.live_inputs());
            live.map(|register| (register, case.attributes[register][position])).collect()
        };
        let placement = case.placement();
        let expected = |position: usize| {
            let rows = case.live().into_iter().filter_map(|register| {
                let row = placement.row(&want.output, usize::from(register), position)?;
                Some(Expected { target: OutTarget::Output(register), mask: Mask::ALL, row })
            });
            rows.collect()
        };
        let vertices = (0..case.count()).map(|position| Vertex {
            inputs: inputs(position),
            expected: expected(position),
            faults: Faults::default(),
        });
        let batch = Batch { line: 0, constants: constants.collect(), vertices: vertices.collect() };
        Some(FileTest {
            why,
            runs: true,
            stages: Vec::new(),
            models: vec![setup.model],
            tested: Tested::Fixed(setup),
            inputs: InputLayout::ROWS,
            known_failure: None,
            texels: Texels::default(),
            batches: vec![batch],
            blocks: Vec::new(),
        })
    }

    /// Vertices `positions` of a case, with what the reference makes of them. Layouts of memory are not part of it.
    /// If the program writes constants, the vertices before them are needed, too. None if there is no text for the
    /// program: assembler text means words as the chip is thought to read them (see [`xfjit_isa::isa::Reading`]).
    pub fn of_case(case: &Case, why: Vec<String>, positions: Range<usize>) -> Option<FileTest> {
        let program = case.program().ok()?;
        let generation = case.config.generation;
        let text = asm::print(generation, &program);
        asm::parse_as(generation, case.config.reading(), &text).ok().filter(|read| *read == *program)?;
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
            let live = registers(program.live_inputs());
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
            tested: Tested::Microcode(program, case.config.clone()),
            inputs: InputLayout::ROWS,
            known_failure: None,
            texels: case.texels,
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
    let rows = config.generation.viewport_rows();
    let viewport = config.viewport == Viewport::Transform && rows.map(usize::from).contains(&row);
    viewport
        || program.insns.iter().any(|insn| {
            let reads = insn.reads_bank(Bank::Constant)
                && (insn.indexed || config.direct(insn.constant) == Some(row as u16));
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
