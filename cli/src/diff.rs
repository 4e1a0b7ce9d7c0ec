//! `xfjit diff`

mod comparison;
mod fixed;
mod flipper;
mod programs;
mod report;

use crate::args::{Diff, Global};
use crate::backends;
use crate::campaign::{self, Question, Words};
use crate::fail::Failure;
use comparison::{Comparison, Kind};
use std::sync::Arc;
use xfjit::backend::Backend;
use xfjit::chip::Pipeline;

/// Programs that are compared if nothing else says when to stop.
const PROGRAMS: u64 = 1000;

/// Compares the backends on random programs or configurations.
pub fn run(args: &Diff, global: &Global) -> Result<(), Failure> {
    if let Some(pipeline) = args.fixed.as_deref().and_then(Pipeline::from_name) {
        return compare(fixed::Fixed::new(args, pipeline.family()), args, global);
    }
    match args.flipper {
        true => compare(flipper::Flipper::new(args), args, global),
        false => compare(programs::Programs::new(args), args, global),
    }
}

/// Compares the backends on cases of one kind, and reports.
fn compare<K: Kind>(kind: K, args: &Diff, global: &Global) -> Result<(), Failure> {
    let total = args.programs.or_else(|| args.campaign.extent.seconds.is_none().then_some(PROGRAMS));
    let comparison = Comparison::new(kind, &all(args)?, args.seed);
    let question = Question::new(
        "diff",
        [
            ("of", K::NAME.into()),
            ("gen", comparison.kind.family().into()),
            ("model", args.model.map(|model| model.name()).into()),
            ("target", args.target.map(|target| target.name()).into()),
            ("seed", args.seed.into()),
            ("vertices", args.vertices.into()),
            // Told last: it differs wherever something else does.
            ("what seeds name", comparison.digest().into()),
        ],
    );
    let words = Words { doing: "comparing", units: "seeds", differing: K::PLURAL, shown: 10 };
    let options = (&args.campaign, args.findings.as_deref());
    let record = campaign::conduct(&comparison, question, total, &words, options, global)?;
    report::write::<K>(&comparison, &record, global)?;
    if record.failed == 0 { Ok(()) } else { Err(Failure::Mismatch) }
}

/// The backends to compare, the reference first.
fn all(args: &Diff) -> Result<Vec<Arc<dyn Backend>>, Failure> {
    if args.target.is_none() {
        backends::note_missing();
    }
    backends::every(args.target)
}

#[cfg(test)]
mod tests;
