//! Runs test files on every backend, and rewrites their golden text if asked to.

use super::stage;
use super::{Batch, Expected, FileTest, Stage, Tested, Vertex};
use crate::backend::{Backend, Interp, Worker};
use crate::check::backends;
use crate::chip::memory;
use crate::config::Config;
use crate::front::fixed::Setup;
use crate::isa::{OutTarget, Program};
use crate::repro::{Case, Feed, FixedCase, Indexed, Placement, Ran, Refusal, upload};
use crate::shader::Faults;
use std::fmt::Write;
use std::sync::Arc;
use xfjit_runtime::batch::{Layout, Place};
use xfjit_runtime::num::Model;
use xfjit_runtime::state::{Context, DEFAULT_ROW, OUTPUTS, Row};
use xfjit_runtime::texture::Textures;

/// Whether golden text is compared or rewritten.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bless {
    /// Compared.
    No,
    /// Rewritten.
    Yes,
}

/// Tests the text of a file. With [`Bless::Yes`] the text with its stages rewritten is returned if it differs.
///
/// # Errors
/// What is wrong, or that a known failure does not fail.
pub fn check_text(text: &str, bless: Bless) -> Result<Option<String>, String> {
    let test: FileTest = text.parse().map_err(|error| format!("{error}"))?;
    let blessed = match bless {
        Bless::No => None,
        Bless::Yes => Some(rewritten(&test, text)?).filter(|blessed| blessed != text),
    };
    let result = match &blessed {
        None => test.check(),
        Some(blessed) => blessed.parse::<FileTest>().map_err(|error| format!("{error}"))?.check(),
    };
    match (&test.known_failure, result) {
        (None, Ok(())) | (Some(_), Err(_)) => Ok(blessed),
        (None, Err(error)) => Err(error),
        (Some(reason), Ok(())) => Err(format!("passes, although it is said to fail: {reason}")),
    }
}

/// What is asked of a test file.
pub trait CheckFileTest: Sized {
    /// Runs everything that the header names.
    ///
    /// # Errors
    /// The first difference.
    fn check(&self) -> Result<(), String>;

    /// Runs every batch on a backend, under a model.
    ///
    /// # Errors
    /// The first difference.
    fn check_runs(&self, backend: &dyn Backend, model: Model) -> Result<(), String>;
}

impl CheckFileTest for FileTest {
    fn check(&self) -> Result<(), String> {
        for &stage in &self.stages {
            check_stage(self, stage)?;
        }
        if !self.runs {
            return Ok(());
        }
        if self.batches.is_empty() {
            return Err("there is no `; run:` line".to_owned());
        }
        for &model in &self.models {
            let mut all = backends(model);
            all.insert(0, Arc::new(Interp::Single));
            for backend in all {
                self.check_runs(&*backend, model)
                    .map_err(|error| format!("{}, {model:?}: {error}", backend.name()))?;
            }
        }
        Ok(())
    }

    fn check_runs(&self, backend: &dyn Backend, model: Model) -> Result<(), String> {
        let tested = self.tested(model);
        let is_serial = tested.shader().is_serial();
        let mut worker = Worker::new();
        for batch in &self.batches {
            let count = batch.vertices.len();
            let mut counts = vec![count];
            if !is_serial {
                // Whole groups and a rest, each vertex in several lanes.
                counts.push(count.next_multiple_of(8) + 8 + 7);
            }
            for count in counts {
                check_batch(self, backend, &tested, batch, count, &mut worker)
                    .map_err(|error| format!("line {}: {error}", batch.line))?;
            }
        }
        Ok(())
    }
}

fn check_stage(test: &FileTest, stage: Stage) -> Result<(), String> {
    let Some(got) = stage::text(stage, test)? else { return Ok(()) };
    let name = stage.name();
    let block = test.blocks.iter().find(|block| block.stage == stage);
    let block = block.ok_or_else(|| format!("there is no block `; {name}:`: bless the file"))?;
    match difference(&block.text, &got) {
        None => Ok(()),
        Some(difference) => Err(format!("{name} has changed:\n{difference}")),
    }
}

fn check_batch(
    test: &FileTest,
    backend: &dyn Backend,
    tested: &Tested,
    batch: &Batch,
    count: usize,
    worker: &mut Worker,
) -> Result<(), String> {
    let refused = |refusal: Refusal| refusal.to_string();
    let shader = tested.shader().with_inputs(test.inputs);
    let attributes = std::array::from_fn(|register| rows(batch, register, count));
    let indexed = Indexed::new(test.inputs.indices(), attributes)?;
    let (placement, ran, stray) = match tested {
        Tested::Microcode(program, config) => {
            let case = case(test, program, config, batch, count);
            let textures = test.texels.textures();
            let ran = indexed.with(textures, |inputs| case.run_with(backend, worker, &shader, inputs));
            let ran = ran.map_err(refused)?;
            let want = indexed
                .with(textures, |inputs| case.run_with(&Interp::Single, worker, &shader, inputs))
                .map_err(refused)?;
            if ran.written != want.written {
                return Err("other dirty bytes than the interpreter's".to_owned());
            }
            let stray = case.stray_write(&ran.output);
            (case.placement(), ran, stray)
        }
        Tested::Fixed(setup) => {
            let case = fixed_case(setup, batch, count);
            let routine = backend.prepare(&shader).map_err(|error| error.to_string())?;
            let ran = indexed.with(Textures::NONE, |inputs| case.run_with(&*routine, worker, inputs));
            let ran = ran.map_err(|error| error.to_string())?;
            if *ran.context != case.context {
                return Err("a memory was written".to_owned());
            }
            (case.placement(), ran, None)
        }
    };
    if let Some(at) = stray {
        return Err(format!("byte {at} was written, which belongs to no output"));
    }
    let mut faults = Faults::default();
    (0..count).for_each(|i| faults += batch.vertices[i % batch.vertices.len()].faults);
    if ran.outcome.faults != faults {
        let got = ran.outcome.faults;
        return Err(format!("expected {faults:?} of {count} vertices, got {got:?}"));
    }
    for position in 0..count {
        let expected = &batch.vertices[position % batch.vertices.len()].expected;
        compare(&placement, &ran, expected, position)
            .map_err(|error| format!("vertex {position} of {count}: {error}"))?;
    }
    Ok(())
}

/// The case of `count` vertices that repeat those of a batch.
fn case(test: &FileTest, program: &Program, config: &Config, batch: &Batch, count: usize) -> Case {
    let mut constants = vec![[0; 4]; config.rows()];
    for &(row, value) in &batch.constants {
        // An option behind it may have taken the row away.
        if let Some(constant) = constants.get_mut(row) {
            *constant = value;
        }
    }
    let attributes = std::array::from_fn(|register| {
        let data = rows(batch, register, count).into_iter().flatten().flat_map(u32::to_ne_bytes).collect();
        Feed::Stream { data, offset: 0, stride: 16, components: 4 }
    });
    let place = |register: usize| match config.layout {
        Layout::Rows => Place { offset: 16 * register, stride: 16 * OUTPUTS },
        Layout::Planes => Place { offset: 16 * register * count, stride: 4 * count },
    };
    let (words, start) = upload(config, program);
    Case {
        words,
        start,
        config: config.clone(),
        constants,
        attributes,
        texels: test.texels,
        indices: None,
        count,
        places: std::array::from_fn(|register| Some(place(register))),
        output_bytes: 16 * OUTPUTS * count,
    }
}

/// An attribute of `count` vertices that repeat those of a batch.
fn rows(batch: &Batch, register: usize, count: usize) -> Vec<Row> {
    let row = |vertex: &Vertex| {
        let input = vertex.inputs.iter().find(|(number, _)| *number == register);
        input.map_or(DEFAULT_ROW, |&(_, row)| row)
    };
    batch.vertices.iter().map(row).cycle().take(count).collect()
}

/// The case of the fixed function of `count` vertices that repeat those of a batch.
fn fixed_case(setup: &Setup, batch: &Batch, count: usize) -> FixedCase {
    let mut context = Context::new(memory::rows(setup.mode.pipeline()));
    for &(row, value) in &batch.constants {
        context.set_row(row, value);
    }
    let attributes = std::array::from_fn(|register| rows(batch, register, count));
    FixedCase { setup: *setup, context, attributes }
}

fn compare(placement: &Placement, ran: &Ran, expected: &[Expected], position: usize) -> Result<(), String> {
    for &Expected { target, mask, row } in expected {
        let (name, got) = match target {
            OutTarget::Output(register) => {
                (format!("o{register}"), placement.row(&ran.output, usize::from(register), position))
            }
            OutTarget::Constant(number) => {
                (format!("c[{number}]"), Some(ran.context.row(usize::from(number))))
            }
        };
        let got = got.unwrap_or_default();
        if mask.components().any(|c| got[c] != row[c]) {
            return Err(format!("{name}: expected {row:08x?} (mask {:04b}), got {got:08x?}", mask.0));
        }
    }
    Ok(())
}

/// The first line in which texts differ, with what surrounds it.
fn difference(want: &str, got: &str) -> Option<String> {
    let (want, got): (Vec<&str>, Vec<&str>) =
        (want.lines().map(str::trim_end).collect(), got.lines().map(str::trim_end).collect());
    let trimmed = |lines: &[&str]| lines.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
    let (want, got) = (&want[..trimmed(&want)], &got[..trimmed(&got)]);
    let at = (0..want.len().max(got.len())).find(|&at| want.get(at) != got.get(at))?;
    let mut text = String::new();
    for line in &want[at.saturating_sub(3)..at] {
        let _ = writeln!(text, "    {line}");
    }
    for line in want.iter().skip(at).take(4) {
        let _ = writeln!(text, "  - {line}");
    }
    for line in got.iter().skip(at).take(4) {
        let _ = writeln!(text, "  + {line}");
    }
    Some(text)
}

/// The text with the blocks of all tested stages brought up to date; those that this build has no text for stay.
fn rewritten(test: &FileTest, text: &str) -> Result<String, String> {
    let lines: Vec<&str> = text.lines().collect();
    let mut out = String::new();
    let mut next = 0;
    let block = |stage: Stage, text: &str| {
        let lines = text.trim_end().lines().map(|line| format!("{}\n", format!(";   {line}").trim_end()));
        format!("; {}:\n{}", stage.name(), lines.collect::<String>())
    };
    for found in &test.blocks {
        if !test.stages.contains(&found.stage) {
            continue;
        }
        let Some(text) = stage::text(found.stage, test)? else { continue };
        lines[next..found.lines.start].iter().for_each(|line| out += &format!("{line}\n"));
        out += &block(found.stage, &text);
        next = found.lines.end;
    }
    lines[next..].iter().for_each(|line| out += &format!("{line}\n"));
    for &stage in &test.stages {
        if test.blocks.iter().all(|block| block.stage != stage)
            && let Some(text) = stage::text(stage, test)?
        {
            out += &block(stage, &text);
        }
    }
    Ok(out)
}
