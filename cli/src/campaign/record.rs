//! What a campaign leaves: which units are done, and what they have come to.

use super::counts::Counts;
use super::finding::{Exhibit, Finding};
use super::question::Question;
use super::shard::Shard;
use crate::fail::Failure;
use crate::files;
use crate::text::Flaw;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The form of records.
const SCHEMA: &str = "xfjit.campaign.1";
/// Findings that are kept, of the units with the lowest numbers; what else differs is counted.
pub const KEPT: usize = 100;

/// Which units of a part are done: the first ones.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Done {
    /// The part.
    pub shard: Shard,
    /// How many of its units, from the first one on, none left out.
    pub units: u64,
}

/// The record of a campaign, or of several that share the work.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    schema: String,
    /// What was asked.
    pub question: Question,
    /// Its fingerprint, by which people tell records apart.
    fingerprint: String,
    /// What is done.
    pub done: Vec<Done>,
    /// Programs, configurations or cases with a difference.
    pub failed: u64,
    /// Differences, also those that are not kept.
    pub differences: u64,
    /// What the units have come to.
    pub counts: Counts,
    /// The first differences, by unit.
    pub findings: Vec<Finding>,
}

/// What records have that others have not.
#[derive(Deserialize)]
struct Head {
    #[serde(default)]
    schema: String,
}

impl Record {
    /// The record of a part of which nothing is done.
    pub fn new(question: Question, shard: Shard) -> Record {
        Record {
            schema: SCHEMA.to_owned(),
            fingerprint: question.fingerprint(),
            question,
            done: vec![Done { shard, units: 0 }],
            failed: 0,
            differences: 0,
            counts: Counts::default(),
            findings: Vec::new(),
        }
    }

    /// Reads a record.
    ///
    /// # Errors
    /// The file cannot be read, is no record, or contradicts itself.
    pub fn read(path: &Path) -> Result<Record, Failure> {
        let bytes = files::read(path)?;
        Record::parse(&bytes).map_err(|flaw| Failure::input(files::name(path), flaw))
    }

    fn parse(bytes: &[u8]) -> Result<Record, Flaw> {
        let no_record = |message: String| {
            Flaw::new(message)
                .help("--resume and --summary of `xfjit diff`, `vectors` and `run` write records")
        };
        if let Ok(Head { schema }) = serde_json::from_slice::<Head>(bytes)
            && schema != SCHEMA
        {
            return Err(no_record(format!("is not the record of a campaign: its schema is not {SCHEMA}")));
        }
        let record: Record = serde_json::from_slice(bytes)
            .map_err(|error| no_record(format!("is not the record of a campaign: {error}")))?;
        match record.contradiction() {
            Some(what) => Err(no_record(format!("is a damaged record: {what}"))),
            None => Ok(record),
        }
    }

    /// What of a record cannot be, whoever has written it.
    fn contradiction(&self) -> Option<&'static str> {
        let has_end = |done: &Done| done.shard.unit(done.units).is_some();
        let is_done = |finding: &Finding| {
            let is_in = |done: &Done| done.shard.index(finding.unit).is_some_and(|index| index < done.units);
            self.done.iter().any(is_in)
        };
        let is_plain = |finding: &Finding| finding.exhibit.as_ref().is_none_or(Exhibit::has_plain_name);
        if self.fingerprint != self.question.fingerprint() {
            Some("its fingerprint is not that of its question")
        } else if self.done.is_empty() || !self.done.iter().all(has_end) {
            Some("it counts more units than there are")
        } else if !self.done.is_sorted_by(|one, next| are_two_parts(one.shard, next.shard)) {
            Some("its parts are not in order, or not of the same work")
        } else if self.findings.len() > KEPT || !self.findings.is_sorted_by_key(|finding| finding.unit) {
            Some("its findings are too many, or not in order")
        } else if !self.findings.iter().all(is_done) {
            Some("it has a finding of a unit that is not done")
        } else if !self.findings.iter().all(is_plain) {
            Some("a finding has the name of another place")
        } else {
            None
        }
    }

    /// Writes the record, as a whole or not at all.
    pub fn write(&self, path: &Path) -> Result<(), Failure> {
        files::write(path, self.text()?.as_bytes())
    }

    /// The record as text.
    pub fn text(&self) -> Result<String, Failure> {
        let text = serde_json::to_string_pretty(self);
        text.map(|text| text + "\n").map_err(|error| Failure::Internal(error.to_string()))
    }

    /// What people tell records of different questions apart by.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// Units that are done.
    pub fn units(&self) -> u64 {
        self.done.iter().fold(0, |sum, done| sum.saturating_add(done.units))
    }

    /// One more unit is done. Records of work that goes on are of one part.
    pub fn has_done_one(&mut self) {
        self.done.iter_mut().for_each(|done| done.units += 1);
    }

    /// Why this is not where work on a part of a question goes on; None if it is.
    pub fn refuses(&self, question: &Question, shard: Shard) -> Option<Flaw> {
        if let Some(difference) = question.difference(&self.question) {
            let flaw = Flaw::new(format!("is the record of another campaign: {difference}"));
            return Some(flaw.help("repeat the options that it was begun with, or choose another file"));
        }
        match self.done[..] {
            [Done { shard: only, .. }] if only == shard => None,
            [Done { shard: only, .. }] => Some(
                Flaw::new(format!("is the record of part {only}, not {shard}"))
                    .help("give --shard as before"),
            ),
            _ => {
                let flaw = Flaw::new("is a sum of parts of which none is complete");
                Some(flaw.help("resume the parts, and add them up again with `xfjit summary`"))
            }
        }
    }

    /// All parts of the work as the whole, if they are the first units of it without a gap.
    #[must_use]
    pub fn joined(self) -> Record {
        let total = self.units();
        let is_complete = |part: &Done| {
            part.shard.parts() == self.done.len() as u64 && part.units == part.shard.share(total)
        };
        match self.done.iter().all(is_complete) {
            true => Record { done: vec![Done { shard: Shard::WHOLE, units: total }], ..self },
            false => self,
        }
    }

    /// Adds a record of other units.
    ///
    /// # Errors
    /// It answers another question, or counts a unit that this one counts, too.
    pub fn add(&mut self, other: Record) -> Result<(), Flaw> {
        if let Some(difference) = self.question.difference(&other.question) {
            return Err(Flaw::new(format!("answers another question: {difference}")));
        }
        let mut done: Vec<Done> = self.done.iter().copied().chain(other.done).collect();
        done.sort_unstable();
        let mut pairs = done.iter().zip(&done[1..]);
        if let Some((one, next)) = pairs.find(|(one, next)| !are_two_parts(one.shard, next.shard)) {
            let message = match one.shard == next.shard {
                true => format!("counts part {} again", one.shard),
                false => format!("is of {} parts, the rest of {}", next.shard.parts(), one.shard.parts()),
            };
            return Err(Flaw::new(message).help("each unit counts once; add parts I/N of one N, each once"));
        }
        self.done = done;
        self.failed = self.failed.saturating_add(other.failed);
        self.differences = self.differences.saturating_add(other.differences);
        self.counts.merge(&other.counts);
        self.findings.extend(other.findings);
        self.findings.sort_by_key(|finding| finding.unit);
        self.findings.truncate(KEPT);
        Ok(())
    }
}

/// Whether these are an earlier and a later part of the same work.
fn are_two_parts(one: Shard, next: Shard) -> bool {
    one.parts() == next.parts() && one < next
}

#[cfg(test)]
mod tests;
