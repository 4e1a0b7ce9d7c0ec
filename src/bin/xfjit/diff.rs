//! `xfjit diff`

use crate::args::{Diff, Format, Global};
use crate::fail::{Failure, remark};
use crate::random::{self, Case};
use crate::table::Table;
use crate::{backends, files, load, progress};
use std::io::Write;
use std::sync::Arc;
use xfjit::backend::{Backend, Outcome};
use xfjit::runtime::batch::{Attribute, Inputs, Outputs};
use xfjit::runtime::state::Context;
use xfjit::{Config, Generation, Model, Worker, isa};

/// Failing programs that are shown.
const SHOWN: usize = 10;
/// Words of a vertex: sixteen registers in, sixteen out.
const STRIDE: usize = 64;
const REGISTERS: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// Compares the backends on random programs.
pub fn run(args: &Diff, global: &Global) -> Result<(), Failure> {
    let generation = backends::generation(args.r#gen)?;
    let models = backends::models(args.model);
    let mut backends = backends::every();
    let reference = backends.remove(0);
    let mut worker = Worker::new();
    let mut tallies = vec![Tally::default(); models.len() * backends.len()];
    let bar = progress::bar(args.programs * models.len() as u64, "comparing", global.quiet);
    let mut failures = 0;
    for (i, &model) in models.iter().enumerate() {
        for number in 0..args.programs {
            let seed = args.seed.wrapping_add(number);
            bar.inc(1);
            let Some(case) = random::case(generation, seed, args.vertices as usize) else { continue };
            let config = random::config(generation, model);
            let (expected, _) = execute(&*reference, &case, &config, &mut worker)?;
            let mut failed = false;
            for (backend, tally) in backends.iter().zip(&mut tallies[i * backends.len()..]) {
                let (got, outcome) = execute(&**backend, &case, &config, &mut worker)?;
                tally.deopt_groups += outcome.deopt_groups;
                let Some(place) = expected.iter().zip(&got).position(|(a, b)| a != b) else { continue };
                tally.mismatches += 1;
                if failures < SHOWN {
                    let difference =
                        Difference { seed, model, place, expected: expected[place], got: got[place] };
                    bar.suspend(|| difference.show(&case, generation, backend.name(), args, !failed));
                }
                failed = true;
            }
            failures += usize::from(failed);
        }
    }
    bar.finish_and_clear();
    if failures > SHOWN {
        remark(format_args!("... and {} more programs", failures - SHOWN));
    }
    summary(args, global, &models, &backends, &tallies, failures)?;
    if failures == 0 { Ok(()) } else { Err(Failure::Mismatch) }
}

/// What a backend did under a model.
#[derive(Clone, Copy, Default)]
struct Tally {
    /// Programs with a difference.
    mismatches: u64,
    deopt_groups: u64,
}

/// The first word that differs.
struct Difference {
    seed: u64,
    model: Model,
    place: usize,
    expected: u32,
    got: u32,
}

impl Difference {
    fn show(&self, case: &Case, generation: Generation, backend: &str, args: &Diff, whole: bool) {
        let Difference { seed, model, place, expected, got } = self;
        let (vertex, register, component) = (place / STRIDE, place % STRIDE / 4, place % 4);
        let name = load::output_name(generation, register);
        let model = backends::model_name(*model);
        let letter = ["x", "y", "z", "w"][component];
        remark(format_args!(
            "seed {seed}, model {model}, {backend}: vertex {vertex}: {name}.{letter}: expected {expected:08x}, got {got:08x}"
        ));
        if whole {
            let text = isa::print(generation, &case.program);
            remark(format_args!("    {}", text.trim_end().replace('\n', "\n    ")));
            remark(format_args!(
                "  reproduce: xfjit diff --gen {} --model {model} --seed {seed} --programs 1 --vertices {}",
                generation.name(),
                args.vertices
            ));
        }
    }
}

fn execute(
    backend: &dyn Backend,
    case: &Case,
    config: &Config,
    worker: &mut Worker,
) -> Result<(Vec<u32>, Outcome), Failure> {
    let internal = |error: &dyn std::fmt::Display| Failure::Internal(format!("{}: {error}", backend.name()));
    let routine =
        backend.prepare(&Arc::new(case.program.clone()), config).map_err(|error| internal(&error))?;
    let mut context = Context::new(config.generation.constants());
    for (row, words) in case.constants.iter().enumerate() {
        context.set_row(row, *words);
    }
    let count = case.vertices.len();
    let words = case.vertices.as_flattened().as_flattened();
    let mut inputs = Inputs::new(count);
    for register in 0..16 {
        inputs = inputs.with(register, Attribute::interleaved(words, 4 * register, STRIDE));
    }
    let mut results = vec![0; count * STRIDE];
    let outcome = routine
        .run(worker, &mut context, &inputs, &mut Outputs::interleaved(&mut results, &REGISTERS))
        .map_err(|error| internal(&error))?;
    Ok((results, outcome))
}

fn summary(
    args: &Diff,
    global: &Global,
    models: &[Model],
    backends: &[Arc<dyn Backend>],
    tallies: &[Tally],
    failures: usize,
) -> Result<(), Failure> {
    let rows = models.iter().flat_map(|model| backends.iter().map(move |backend| (model, backend)));
    let rows: Vec<_> = rows.zip(tallies).collect();
    let mut out = files::stdout();
    let programs = args.programs * models.len() as u64;
    let vertices = programs * u64::from(args.vertices);
    let deopts: u64 = tallies.iter().map(|tally| tally.deopt_groups).sum();
    let mut table = Table::new(["model", "backend", ">programs that differ", ">deoptimised groups"]);
    for ((model, backend), tally) in &rows {
        let numbers = [tally.mismatches, tally.deopt_groups].map(|number| number.to_string());
        let names = [backends::model_name(**model), backend.name()].map(str::to_owned);
        table.row(names.into_iter().chain(numbers));
    }
    match global.format {
        Format::Json => {
            let rows: Vec<serde_json::Value> = rows
                .iter()
                .map(|((model, backend), tally)| {
                    serde_json::json!({
                        "model": backends::model_name(**model), "backend": backend.name(),
                        "mismatches": tally.mismatches, "deopt_groups": tally.deopt_groups,
                    })
                })
                .collect();
            let value = serde_json::json!({
                "schema": "xfjit.diff.1", "generation": backends::generation(args.r#gen)?.name(), "seed": args.seed,
                "programs": programs, "vertices": vertices, "mismatches": failures, "runs": rows,
            });
            writeln!(out, "{value}")?;
        }
        Format::Csv => table.write_csv(&mut out)?,
        Format::Text => {
            if !global.quiet {
                table.write(&mut out)?;
            }
            writeln!(
                out,
                "{programs} programs, {vertices} vertices, {failures} mismatches, {deopts} deoptimised groups"
            )?;
        }
    }
    Ok(out.flush()?)
}
