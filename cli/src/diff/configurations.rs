//! Backends compared on configurations, of whichever pipeline.

use crate::args::{Diff, Global};
use crate::fail::{Failure, remark};
use crate::table::Table;
use indicatif::ProgressBar;
use std::sync::Arc;
use xfjit::backend::{Backend, Worker};
use xfjit::shader::Shader;
use xfjit_testing::FixedCase;
use xfjit_testing::case::{Ran, Refusal};
use xfjit_testing::check::difference;

/// Differences that are shown.
const SHOWN: u64 = 10;

/// A backend under a model or in a dialect, and how it did.
pub(super) struct Column {
    /// The model's name, or the dialect's.
    pub(super) of: &'static str,
    pub(super) backend: Arc<dyn Backend>,
    mismatches: u64,
    groups: u64,
    deopt_groups: u64,
    refused: u64,
}

impl Column {
    pub(super) fn new(of: &'static str, backend: Arc<dyn Backend>) -> Self {
        Column { of, backend, mismatches: 0, groups: 0, deopt_groups: 0, refused: 0 }
    }

    /// The first difference to what is expected of a case, and the vertex that it is about if it is about one.
    pub(super) fn compare<S: Copy + Into<Shader>>(
        &mut self,
        case: &FixedCase<S>,
        want: &Ran,
        worker: &mut Worker,
    ) -> Result<Option<(String, Option<usize>)>, Refusal> {
        let Ok(routine) = self.backend.prepare(&case.shader()) else {
            self.refused += 1;
            return Ok(None);
        };
        let got = case.run_on(&*routine, worker).map_err(Refusal::Streams)?;
        self.groups += case.count().div_ceil(routine.lanes()) as u64;
        self.deopt_groups += got.outcome.deopt_groups;
        let found = difference(&case.placement(), want, &got);
        self.mismatches += u64::from(found.is_some());
        Ok(found)
    }
}

/// What has been compared so far.
pub(super) struct Comparison {
    pub(super) columns: Vec<Column>,
    pub(super) vertices: u64,
    configurations: u64,
    mismatches: u64,
    bar: ProgressBar,
}

impl Comparison {
    pub(super) fn new(columns: Vec<Column>, bar: ProgressBar) -> Self {
        Comparison { columns, vertices: 0, configurations: 0, mismatches: 0, bar }
    }

    /// A configuration has been compared, with these differences; the first ones are shown.
    pub(super) fn note<T>(&mut self, found: &[T], show: impl FnOnce(&[T])) {
        self.configurations += 1;
        if !found.is_empty() {
            self.mismatches += 1;
            if self.mismatches <= SHOWN {
                self.bar.suspend(|| show(found));
            }
        }
        self.bar.inc(1);
    }

    /// What came of all columns; the names are that of what they differ in, and of the schema.
    pub(super) fn finish(
        self,
        (of, schema): (&str, &str),
        args: &Diff,
        global: &Global,
    ) -> Result<(), Failure> {
        let Comparison { columns, vertices, configurations, mismatches, bar } = self;
        bar.finish_and_clear();
        if mismatches > SHOWN {
            remark(format_args!("... and {} more configurations", mismatches - SHOWN));
        }
        let mut table = Table::new([
            of,
            "backend",
            ">configurations that differ",
            ">groups",
            ">deoptimised groups",
            ">refused",
        ]);
        for column in &columns {
            let names = [column.of, column.backend.name()].map(str::to_owned);
            let numbers = [column.mismatches, column.groups, column.deopt_groups, column.refused];
            table.row(names.into_iter().chain(numbers.map(|number| number.to_string())));
        }
        let value = || {
            let rows: Vec<serde_json::Value> = columns.iter().map(|column| json(of, column)).collect();
            serde_json::json!({
                "schema": schema, "seed": args.seed, "configurations": configurations,
                "vertices": vertices, "mismatches": mismatches, "runs": rows,
            })
        };
        let line = format!("{configurations} configurations, {vertices} vertices, {mismatches} mismatches");
        super::write(&table, value, &line, global)?;
        if mismatches == 0 { Ok(()) } else { Err(Failure::Mismatch) }
    }
}

fn json(of: &str, column: &Column) -> serde_json::Value {
    serde_json::json!({
        of: column.of, "backend": column.backend.name(),
        "mismatches": column.mismatches, "groups": column.groups, "deopt_groups": column.deopt_groups,
        "refused": column.refused,
    })
}
