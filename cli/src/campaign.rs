//! Campaigns: work in numbered units that goes on for long, on many threads and machines.
//!
//! ```text
//! Question   what is asked of each unit; what a unit comes to depends on the question and its number alone
//! Shard      which units are this machine's
//! pool       threads take unit after unit; what they come to is counted in the order of their numbers
//! Record     which units are done, what they have come to: a file that is resumed, and that adds up
//! ```
//! So neither the number of threads nor where the work was interrupted can be seen in a record.

mod counts;
mod finding;
mod pool;
mod question;
mod record;
mod shard;

pub use counts::Counts;
pub use finding::{Exhibit, Finding};
pub use pool::{Note, Outcome, Work};
pub use question::{Question, digest};
pub use record::Record;
pub use shard::Shard;

use crate::args::{Campaign, Extent, Global};
use crate::fail::{Failure, note, remark};
use crate::{files, progress};
use pool::{Plan, Until};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What a campaign is called where people read of it.
pub struct Words {
    /// What it does, beside its progress.
    pub doing: &'static str,
    /// Its units.
    pub units: &'static str,
    /// What has differences.
    pub differing: &'static str,
    /// How many differences are shown.
    pub shown: u64,
}

/// Does the work as the options say: what is recorded already is not done again. `total` is how many units there are; None for as
/// many as there is time for.
///
/// # Errors
/// A record that is another's, or cannot be written; what a unit could not be done for. What was done until then is recorded.
pub fn conduct<W: Work>(
    work: &W,
    question: Question,
    total: Option<u64>,
    words: &Words,
    (args, findings): (&Campaign, Option<&Path>),
    global: &Global,
) -> Result<Record, Failure> {
    let began = Instant::now();
    let Extent { shard, seconds, resume, summary } = &args.extent;
    let records: Vec<&Path> = [resume, summary].into_iter().flatten().map(PathBuf::as_path).collect();
    if records.iter().any(|path| files::is_dash(path)) {
        return Err(Failure::Usage("--resume and --summary take a file, not standard output".to_owned()));
    }
    let mut record = begin(question, &args.extent)?;
    // Known before the work, not after it.
    findings.map_or(Ok(()), files::writable)?;
    records.iter().try_for_each(|path| record.write(path))?;
    let share = total.map(|total| shard.share(total));
    let end = seconds.map(|seconds| Until { began, length: Duration::from_secs(seconds) });
    let plan = Plan { shard: *shard, jobs: args.threads(), share, end };
    let bar = progress::campaign(record.units(), share, words.doing, global.quiet);
    let mut keeper = Keeper { path: resume.as_deref(), findings, words, shown: 0, written: began };
    record.findings.iter().try_for_each(|finding| keeper.finding(finding, &bar))?;
    let ended = pool::run(work, &plan, &mut record, &bar, &mut keeper);
    bar.finish_and_clear();
    records.iter().try_for_each(|path| record.write(path))?;
    ended?;
    keeper.close(&record, &plan);
    Ok(record)
}

/// The record that is resumed, or a new one.
fn begin(question: Question, Extent { shard, resume, .. }: &Extent) -> Result<Record, Failure> {
    let Some(path) = resume.as_deref().filter(|path| path.exists()) else {
        return Ok(Record::new(question, *shard));
    };
    let record = Record::read(path)?;
    match record.refuses(&question, *shard) {
        Some(flaw) => Err(Failure::input(files::name(path), flaw)),
        None => Ok(record),
    }
}

/// Keeps what comes while the work goes on.
pub struct Keeper<'a> {
    path: Option<&'a Path>,
    findings: Option<&'a Path>,
    words: &'a Words,
    shown: u64,
    written: Instant,
}

impl Keeper<'_> {
    /// Time between two writes of a record: what is lost if the machine stops.
    const EVERY: Duration = Duration::from_secs(5);

    /// Shows a finding, unless many have been shown, and writes what shows it.
    fn finding(&mut self, finding: &Finding, bar: &indicatif::ProgressBar) -> Result<(), Failure> {
        self.shown += 1;
        if self.shown <= self.words.shown {
            bar.suspend(|| remark(finding));
        }
        self.findings.map_or(Ok(()), |directory| finding.write(directory))
    }

    /// Writes the record now and then.
    fn now_and_then(&mut self, record: &Record) -> Result<(), Failure> {
        match self.path.filter(|_| self.written.elapsed() >= Self::EVERY) {
            Some(path) => {
                self.written = Instant::now();
                record.write(path)
            }
            None => Ok(()),
        }
    }

    /// Tells what has not been shown, and what has not been done.
    fn close(&self, record: &Record, plan: &Plan) {
        let Words { units, differing, shown, .. } = self.words;
        let more = record.differences.saturating_sub(*shown);
        if more > 0 {
            remark(format_args!("... and {more} more {differing}"));
        }
        if let Some(share) = plan.share.filter(|&share| share > record.units()) {
            note(format_args!("the time is over: {} of {share} {units} are done", record.units()));
        }
    }
}

#[cfg(test)]
mod tests;
