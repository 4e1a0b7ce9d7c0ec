//! The report as a page.

use super::cost;
use super::finding;
use super::look::Seen;
use super::picture::Picture;
use super::report::Report;
use crate::explore::stages;
use crate::fail::Failure;
use crate::html::{self, Part};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use xfjit::InstructionSet;
use xfjit::shader::Shader;

/// Bytes of all stages in the page.
const STAGE_BYTES: usize = 2_000_000;

/// What the page shows beside the report.
#[derive(Serialize)]
struct Page<'a> {
    #[serde(flatten)]
    report: &'a Report,
    /// What it comes to, in sentences.
    finding: Vec<String>,
    /// Of each program.
    details: Vec<Detail>,
}

#[derive(Serialize)]
struct Detail {
    picture: Option<Picture>,
    /// Operations of the chip and machine code, line by line with places of slots: JSON, packed by [`html::pack`]; of programs that cost little
    /// none, so that the page stays small.
    stages: Option<String>,
}

/// What the stages of a program are made of.
pub(super) struct Source<'a> {
    /// None if it is not known.
    pub(super) shader: Option<&'a Shader>,
    /// The instruction set that has run it; none if the interpreter has.
    pub(super) set: Option<InstructionSet>,
}

/// The page. Sources and what has been seen are in the order of the report.
pub(super) fn page(
    report: &Report,
    sources: &[Source<'_>],
    seen: Vec<Seen>,
    done: impl Fn() + Sync,
) -> Result<String, Failure> {
    let stages = all_stages(report, sources, done);
    let details = seen.into_iter().zip(stages).map(|(seen, stages)| Detail { picture: seen.picture, stages });
    let page = Page { report, finding: finding::sentences(report), details: details.collect() };
    let part = Part {
        body: include_str!("page.html"),
        style: include_str!("page.css"),
        scripts: &[html::UNPACK, html::LINES, html::TABLE, include_str!("plots.js"), include_str!("page.js")],
    };
    html::page(&part, &format!("{}: what its programs cost", report.capture), &page)
}

/// The stages of as many programs as there is room for, on all processors.
fn all_stages(report: &Report, sources: &[Source<'_>], done: impl Fn() + Sync) -> Vec<Option<String>> {
    let (next, used) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let made: Mutex<BTreeMap<usize, String>> = Mutex::default();
    let work = || {
        while used.load(Ordering::Relaxed) < STAGE_BYTES {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(Source { shader, set }) = sources.get(number) else { return };
            let Some(shader) = shader else {
                done();
                continue;
            };
            let program = &report.programs[number];
            let places = cost::places(shader, &program.slots);
            let stages = stages::brief(shader, *set, program.code_bytes).stages(&places);
            let packed = html::pack(&stages);
            used.fetch_add(packed.len(), Ordering::Relaxed);
            made.lock().unwrap_or_else(std::sync::PoisonError::into_inner).insert(number, packed);
            done();
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(sources.len());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work);
        }
    });
    // Whoever was first, the page has those that cost most, as far as there is room.
    let mut made = made.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    let mut sum = 0;
    let kept = |number| {
        let packed = made.remove(&number)?;
        sum += packed.len();
        (sum <= STAGE_BYTES).then_some(packed)
    };
    (0..sources.len()).map(kept).collect()
}
