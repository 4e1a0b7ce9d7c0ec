//! The report of a process that was attached to.

use super::super::cost::{Cost, Divided, Literals};
use super::super::finding;
use super::super::look::Seen;
use super::super::measure::set;
use super::super::page::{self, Source};
use super::super::report::{self, Attached, Moment, Over, Report, SCHEMA, What};
use super::session::{Session, fallback_of, guards, tier, time_of};
use crate::args::{Global, Prof};
use crate::fail::{Failure, note};
use crate::names::Names;
use crate::{files, progress};
use std::collections::BTreeMap;
use xfjit::attach::{SeenProgram, SeenTier};
use xfjit::shader::Shader;

/// Columns of plots.
const BINS: u32 = 100;

/// What has been seen, as a report; the page is written if it is wanted.
pub(super) fn report(
    session: &mut Session,
    args: &Prof,
    global: &Global,
    names: &Names,
) -> Result<Report, Failure> {
    let count = session.reader().programs().len();
    let bar = progress::bar(2 * count as u64, "programs", global.quiet);
    let mut programs: Vec<(usize, Cost, Option<Shader>)> = Vec::new();
    for place in 0..count {
        bar.inc(1);
        if session.counts(place).batches == 0 {
            continue;
        }
        let shader = session.shader(place);
        programs.push((place, cost(session, place, shader.as_ref()), shader));
    }
    programs.sort_by(|(_, a, _), (_, b, _)| b.ns.total_cmp(&a.ns));
    let ns: f64 = programs.iter().map(|(_, cost, _)| cost.ns).sum();
    for (_, cost, _) in &mut programs {
        cost.share = if ns > 0.0 { cost.ns / ns } else { 0.0 };
    }
    let places: BTreeMap<usize, usize> =
        programs.iter().enumerate().map(|(place, &(number, ..))| (number, place)).collect();
    let moments: Vec<Moment> = std::mem::take(&mut session.moments)
        .into_iter()
        .filter_map(|moment| Some(Moment { program: *places.get(&moment.program)?, ..moment }))
        .collect();
    let (left_programs, left_vertices) = session.left_out();
    let header = session.reader().header();
    let attached = Attached {
        process: header.process,
        executable: header.executable.clone(),
        library: header.library.clone(),
        seconds: session.seconds(),
        is_whole: session.is_whole,
        has_ended: session.is_over(),
        records: session.records,
        lost: session.lost(),
        damaged: session.reader().damaged(),
        left_programs,
        left_vertices,
        unkept: session.unkept,
    };
    let mut report = Report {
        schema: SCHEMA.to_owned(),
        capture: session.title(),
        target: header.target.clone(),
        arithmetic: "models of its programs".to_owned(),
        times: 1,
        ns,
        plays: Vec::new(),
        over: over(&moments),
        programs: Vec::new(),
        attached: Some(attached),
        moments,
        draws: Vec::new(),
    };
    let mut made_of = Vec::new();
    for (place, cost, shader) in programs {
        report.programs.push(cost);
        made_of.push((shader, lanes(&session.reader().programs()[place])));
    }
    report::name(&mut [&mut report], names)?;
    if report.programs.is_empty() {
        finding::sentences(&report).iter().for_each(note);
    }
    if let Some(file) = &args.out {
        let sources: Vec<Source<'_>> = made_of
            .iter()
            .map(|(shader, lanes)| Source { shader: shader.as_ref(), set: set(None, *lanes) })
            .collect();
        let seen = sources.iter().map(|_| Seen::default()).collect();
        let page = page::page(&report, &sources, seen, || bar.inc(1))?;
        files::write(file, page.as_bytes())?;
    }
    bar.finish_and_clear();
    Ok(report)
}

/// Vertices of a group of a program's native code, if that runs it.
fn lanes(program: &SeenProgram) -> Option<usize> {
    (program.tier == SeenTier::Native).then_some(program.lanes)
}

/// What a program has cost.
fn cost(session: &Session, place: usize, shader: Option<&Shader>) -> Cost {
    let counts = session.counts(place);
    let (ns, fallback_ns) = (time_of(&counts), fallback_of(&counts));
    let Some(program) = session.reader().programs().get(place) else { return Cost::default() };
    let divided =
        shader.map(|shader| Divided::new(shader, lanes(program).unwrap_or(1), (ns, fallback_ns), None));
    let Divided { chip_clocks, by, slots } = divided.unwrap_or_else(|| Divided {
        chip_clocks: None,
        by: "nothing: its file does not say what it is made of".to_owned(),
        slots: Vec::new(),
    });
    let routines = u64::from(program.literal_routines);
    Cost {
        name: crate::text::plain(&program.name),
        label: program.label.as_deref().map(crate::text::plain),
        tier: tier(program),
        share: 0.0,
        ns,
        ns_range: (ns, ns),
        plays: Vec::new(),
        fallback_ns,
        batches: counts.batches as f64,
        vertices: counts.vertices as f64,
        chip_clocks,
        guarded: counts.guarded_groups as f64,
        guarded_vertices: counts.guarded_vertices as f64,
        slow_vertices: counts.slow_vertices as f64,
        literals: (routines > 0).then_some(Literals {
            routines,
            vertices: counts.literal_vertices,
            times_less: None,
        }),
        guards: guards(program, shader),
        code_bytes: usize::try_from(program.code_bytes).unwrap_or(usize::MAX),
        compile_us: program.compile_ns as f64 / 1e3,
        divided_by: by,
        slots,
        draw: None,
        constants: Vec::new(),
        is_indexed: false,
    }
}

/// What happened over the time, in columns of equal length.
fn over(moments: &[Moment]) -> Over {
    let begin = moments.iter().map(|moment| moment.at).min().unwrap_or(0);
    let end = moments.iter().map(|moment| moment.at).max().unwrap_or(0);
    let length = (end - begin) / u64::from(BINS) + 1;
    let mut sums: BTreeMap<(u32, usize), (u64, u64, f64)> = BTreeMap::new();
    for &Moment { program, at, ns, what } in moments {
        let What::Batch { vertices, .. } = what else { continue };
        let sum = sums.entry((((at - begin) / length) as u32, program)).or_default();
        sum.0 += 1;
        sum.1 = sum.1.saturating_add(vertices);
        sum.2 += ns as f64;
    }
    let parts =
        sums.into_iter().map(|((column, place), (calls, vertices, ns))| (column, place, calls, vertices, ns));
    let draws = if moments.is_empty() { 0 } else { ((end - begin) / length) as u32 + 1 };
    Over { draws, each: 1, parts: parts.collect() }
}

/// The report with the slots of as many programs as are wanted.
pub(super) fn shortened(mut report: Report, args: &Prof, global: &Global) -> Report {
    if global.given.has("top") {
        report.programs.iter_mut().skip(args.top).for_each(|program| program.slots.clear());
    }
    report
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_cover_the_time() {
        let batch = |at, program| Moment {
            program,
            at,
            ns: 10,
            what: What::Batch { vertices: 3, guarded: 0, worker: 1, is_first: false },
        };
        let empty = over(&[]);
        assert_eq!((empty.draws, empty.parts.len()), (0, 0));
        let one = over(&[batch(u64::MAX, 0)]);
        assert_eq!((one.draws, &one.parts[..]), (1, &[(0, 0, 1, 3, 10.0)][..]));
        let all = over(&[batch(1000, 0), batch(1001, 1), batch(6000, 0), batch(u64::MAX, 0)]);
        assert!(all.draws <= BINS && all.parts.iter().all(|part| part.0 < all.draws));
        assert_eq!(all.parts.iter().map(|part| part.2).sum::<u64>(), 4);
    }
}
