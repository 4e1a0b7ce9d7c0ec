//! `xfjit prof --diff`: two reports compared, program by program. What is compared is a report: a capture is played for one, and one that was
//! written earlier (`--format json`) is read, so that the same capture can be compared before and after a change.

use super::bootstrap::Interval;
use super::cost::Cost;
use super::report::Report;
use crate::args::{Format, Global, Prof};
use crate::fail::Failure;
use crate::files;
use crate::html::{self, Part};
use crate::names;
use crate::table::{self, Table};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::Duration;

/// A change below this is none, however steady the plays are: code lies elsewhere, and that alone may cost as much.
const LEAST: f64 = 0.03;

/// What has become of a program.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Verdict {
    Slower,
    Faster,
    Same,
    /// There were too few plays to tell.
    Unknown,
    New,
    Gone,
}

/// A report in short.
#[derive(Serialize)]
struct Side {
    name: String,
    target: String,
    times: u32,
    ns: f64,
    programs: usize,
}

/// A program in one of them.
#[derive(Clone, Copy, Serialize)]
struct Of {
    ns: f64,
    share: f64,
    vertices: f64,
    ns_per_vertex: Option<f64>,
    chip_clocks: Option<f64>,
    code_bytes: usize,
}

/// A program, before and after.
#[derive(Serialize)]
struct Pair {
    name: String,
    /// What people call it, if they do.
    label: Option<String>,
    verdict: Verdict,
    /// Time for a vertex, after by before.
    ratio: Option<f64>,
    /// Between these the ratio lies with 95 %; none of few plays.
    interval: Option<Interval>,
    before: Option<Of>,
    after: Option<Of>,
    /// Guards that are raised only after, or only before.
    guards_new: Vec<String>,
    guards_gone: Vec<String>,
}

/// What has changed.
#[derive(Serialize)]
struct Comparison {
    schema: &'static str,
    before: Side,
    after: Side,
    /// Time of a play, after by before.
    ratio: Option<f64>,
    /// Between these it lies with 95 %; none of few plays.
    interval: Option<Interval>,
    /// In sentences.
    finding: Vec<String>,
    /// Those that changed a play's time most first.
    programs: Vec<Pair>,
}

impl Side {
    fn new(report: &Report) -> Side {
        Side {
            name: report.capture.clone(),
            target: report.target.clone(),
            times: report.times,
            ns: report.ns,
            programs: report.programs.len(),
        }
    }
}

impl Of {
    fn new(cost: &Cost) -> Of {
        Of {
            ns: cost.ns,
            share: cost.share,
            vertices: cost.vertices,
            ns_per_vertex: cost.ns_per_vertex(),
            chip_clocks: cost.chip_clocks,
            code_bytes: cost.code_bytes,
        }
    }
}

/// Whether a ratio is a change: more than what scatters, and more than what the place of code in memory comes to.
fn is_change(ratio: f64, interval: Option<Interval>) -> bool {
    interval.is_some_and(Interval::excludes_one) && (ratio - 1.0).abs() > LEAST
}

/// The plays that are kept, for each vertex.
fn of_vertex(cost: &Cost) -> Vec<f64> {
    cost.plays.iter().map(|ns| ns / cost.vertices.max(1.0)).collect()
}

impl Pair {
    fn new(name: &str, before: Option<&Cost>, after: Option<&Cost>) -> Pair {
        let missing = |of: Option<&Cost>, from: Option<&Cost>| -> Vec<String> {
            let known: Vec<&String> =
                from.iter().flat_map(|cost| &cost.guards).map(|guard| &guard.what).collect();
            let all = of.iter().flat_map(|cost| &cost.guards).map(|guard| &guard.what);
            all.filter(|guard| !known.contains(guard)).cloned().collect()
        };
        let label = after.or(before).and_then(|cost| cost.label.clone());
        let (guards_new, guards_gone) = (missing(after, before), missing(before, after));
        let times = before.zip(after).map(|(before, after)| (of_vertex(before), of_vertex(after)));
        let interval = times.and_then(|(before, after)| Interval::of_ratio(&before, &after));
        let (before, after) = (before.map(Of::new), after.map(Of::new));
        let ratio = before.zip(after).and_then(|(before, after)| {
            let (before, after) = (before.ns_per_vertex?, after.ns_per_vertex?);
            (before > 0.0).then(|| after / before)
        });
        let verdict = match (before, after, ratio) {
            (None, ..) => Verdict::New,
            (_, None, _) => Verdict::Gone,
            (.., Some(ratio)) if is_change(ratio, interval) => {
                if ratio > 1.0 {
                    Verdict::Slower
                } else {
                    Verdict::Faster
                }
            }
            _ if interval.is_none() => Verdict::Unknown,
            _ => Verdict::Same,
        };
        let name = name.to_owned();
        Pair { name, label, verdict, ratio, interval, before, after, guards_new, guards_gone }
    }

    /// As it is told of.
    fn shown(&self) -> String {
        names::shown(&self.name, self.label.as_deref())
    }

    /// What it adds to a play.
    fn change(&self) -> f64 {
        self.after.map_or(0.0, |of| of.ns) - self.before.map_or(0.0, |of| of.ns)
    }
}

impl Comparison {
    fn new(before: &Report, after: &Report) -> Comparison {
        let mut all: BTreeMap<&str, (Option<&Cost>, Option<&Cost>)> = BTreeMap::new();
        for cost in &before.programs {
            all.entry(&cost.name).or_default().0 = Some(cost);
        }
        for cost in &after.programs {
            all.entry(&cost.name).or_default().1 = Some(cost);
        }
        let mut programs: Vec<Pair> =
            all.into_iter().map(|(name, (before, after))| Pair::new(name, before, after)).collect();
        programs.sort_by(|a, b| b.change().abs().total_cmp(&a.change().abs()));
        let ratio = (before.ns > 0.0).then(|| after.ns / before.ns);
        let mut comparison = Comparison {
            schema: "xfjit.prof.diff.2",
            before: Side::new(before),
            after: Side::new(after),
            ratio,
            interval: Interval::of_ratio(&before.plays, &after.plays),
            finding: Vec::new(),
            programs,
        };
        comparison.finding = comparison.sentences();
        comparison
    }

    fn sentences(&self) -> Vec<String> {
        let time = |ns: f64| table::duration(Duration::from_nanos(ns as u64));
        let mut all = Vec::new();
        let (before, after) = (time(self.before.ns), time(self.after.ns));
        // As whole percents, the smaller one first.
        let percents = |Interval { low, high }: Interval| {
            let of = |ratio: f64| (ratio - 1.0) * 100.0;
            (of(low), of(high))
        };
        all.push(match (self.ratio, self.interval) {
            (Some(ratio), Some(interval)) if is_change(ratio, self.interval) => {
                let (low, high) = percents(interval);
                let (word, low, high) =
                    if ratio > 1.0 { ("longer", low, high) } else { ("less", -high, -low) };
                let part = (ratio - 1.0).abs() * 100.0;
                format!(
                    "A play takes {part:.0}% {word} than before ({low:.0} to {high:.0}%): {after} instead of {before}."
                )
            }
            (_, Some(interval)) => {
                let (low, high) = percents(interval);
                format!("There is no certain difference: a play takes {after}, {before} before ({low:+.0} to {high:+.0}%).")
            }
            (_, None) => format!(
                "There were too few plays to see a difference: a play takes {after}, {before} before."
            ),
        });
        let mut named = |verdict: Verdict, one: &str, many: &str| {
            let of: Vec<&Pair> = self.programs.iter().filter(|pair| pair.verdict == verdict).collect();
            let Some(first) = of.first() else { return };
            let ratio = first.ratio.map_or_else(String::new, |ratio| format!(" ({ratio:.2} times the time)"));
            all.push(match of.len() {
                1 => format!("{} {one}{ratio}.", first.shown()),
                count => format!("{count} programs {many}, most of all {}{ratio}.", first.shown()),
            });
        };
        named(Verdict::Slower, "is slower", "are slower");
        named(Verdict::Faster, "is faster", "are faster");
        named(Verdict::New, "is new", "are new");
        named(Verdict::Gone, "is gone", "are gone");
        let guards =
            |of: fn(&Pair) -> &Vec<String>| self.programs.iter().filter(|pair| !of(pair).is_empty()).count();
        let (new, gone) = (guards(|pair| &pair.guards_new), guards(|pair| &pair.guards_gone));
        if new + gone > 0 {
            all.push(format!("Programs that now raise new guards: {new}; programs that no longer raise some guards: {gone}."));
        }
        all
    }
}

/// Compares two reports, and tells.
pub(super) fn run(before: &Report, after: &Report, args: &Prof, global: &Global) -> Result<(), Failure> {
    let comparison = Comparison::new(before, after);
    if let Some(file) = &args.out {
        let part = Part {
            body: include_str!("diff.html"),
            style: include_str!("page.css"),
            scripts: &[html::TABLE, include_str!("diff.js")],
        };
        let title = format!("{} and {} compared", comparison.before.name, comparison.after.name);
        files::write(file, html::page(&part, &title, &comparison)?.as_bytes())?;
    }
    let mut out = args.outputs()?.report();
    match global.format {
        Format::Json => {
            serde_json::to_writer(&mut out, &comparison).map_err(io::Error::from)?;
            writeln!(out)?;
        }
        Format::Csv => comparison.table(true).write_csv(&mut out)?,
        Format::Text => {
            for sentence in &comparison.finding {
                writeln!(out, "{sentence}")?;
            }
            writeln!(out)?;
            comparison.table(false).write(&mut out)?;
            for pair in &comparison.programs {
                for (guards, what) in
                    [(&pair.guards_new, "raised now"), (&pair.guards_gone, "no longer raised")]
                {
                    for guard in guards {
                        writeln!(out, "{}: {what}: {guard}", pair.shown())?;
                    }
                }
            }
        }
    }
    Ok(out.flush()?)
}

impl Comparison {
    fn table(&self, is_csv: bool) -> Table {
        let columns = [
            "program",
            "verdict",
            ">before ns/vertex",
            ">after ns/vertex",
            ">ratio",
            ">95% of ratios",
            ">change ns",
        ];
        // As in a report.
        let mut table = Table::new(columns.into_iter().chain(is_csv.then_some("label")));
        let or_dash = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
        for pair in &self.programs {
            let ns =
                |of: Option<Of>| or_dash(of.and_then(|of| of.ns_per_vertex).map(|ns| format!("{ns:.2}")));
            let verdict = match pair.verdict {
                Verdict::Slower => "slower",
                Verdict::Faster => "faster",
                Verdict::Same => "same",
                Verdict::Unknown => "unknown",
                Verdict::New => "new",
                Verdict::Gone => "gone",
            };
            let cells = [
                if is_csv { pair.name.clone() } else { pair.shown() },
                verdict.to_owned(),
                ns(pair.before),
                ns(pair.after),
                or_dash(pair.ratio.map(|ratio| format!("{ratio:.3}"))),
                or_dash(pair.interval.map(|Interval { low, high }| format!("{low:.3} to {high:.3}"))),
                format!("{:+.0}", pair.change()),
            ];
            let label = is_csv.then(|| pair.label.clone().unwrap_or_default());
            table.row(cells.into_iter().chain(label));
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prof::cost::Guard;
    use crate::prof::report::{Over, SCHEMA};

    /// A program of ten vertices whose plays lie around a time, as far away as that.
    fn cost(name: &str, ns: f64, around: f64, guards: &[&str]) -> Cost {
        let guard = |what: &&str| Guard {
            what: (*what).to_owned(),
            vertices: 1,
            of: 4,
            vertex: 0,
            operand: None,
            text: String::new(),
        };
        Cost {
            name: name.to_owned(),
            label: None,
            tier: "native, 4".to_owned(),
            share: 0.5,
            ns,
            ns_range: (ns - around / 2.0, ns + around / 2.0),
            plays: (0..99).map(|play| ns + around * (f64::from(play * 37 % 99) / 49.0 - 1.0)).collect(),
            fallback_ns: 0.0,
            batches: 1.0,
            vertices: 10.0,
            chip_clocks: None,
            guarded: 0.0,
            guarded_vertices: 0.0,
            slow_vertices: 0.0,
            literals: None,
            guards: guards.iter().map(guard).collect(),
            code_bytes: 1,
            compile_us: 1.0,
            divided_by: String::new(),
            slots: Vec::new(),
            draw: None,
            constants: Vec::new(),
            is_indexed: false,
        }
    }

    fn report(programs: Vec<Cost>) -> Report {
        let ns = programs.iter().map(|cost| cost.ns).sum();
        let plays = (0..99).map(|play| programs.iter().map(|cost| cost.plays[play]).sum()).collect();
        let over = Over { draws: 1, each: 1, parts: Vec::new() };
        let (schema, capture, target) = (SCHEMA.to_owned(), "x".to_owned(), "y".to_owned());
        Report {
            schema,
            capture,
            target,
            arithmetic: String::new(),
            times: 99,
            ns,
            plays,
            programs,
            over,
            attached: None,
            moments: Vec::new(),
            draws: Vec::new(),
        }
    }

    #[test]
    fn a_change_is_one_if_it_is_more_than_noise() {
        let before = report(vec![
            cost("steady", 100.0, 1.0, &["slot 1, rsq: a NaN"]),
            cost("noisy", 100.0, 90.0, &[]),
            cost("gone", 10.0, 0.0, &[]),
            cost("still", 100.0, 0.0, &[]),
            cost("better", 100.0, 1.0, &[]),
        ]);
        let after = report(vec![
            cost("steady", 130.0, 1.0, &["slot 2, rsq: a NaN"]),
            cost("noisy", 106.0, 90.0, &[]),
            cost("still", 102.0, 0.0, &[]),
            cost("better", 50.0, 1.0, &[]),
            cost("new", 5.0, 0.0, &[]),
        ]);
        let comparison = Comparison::new(&before, &after);
        let of = |name: &str| {
            comparison.programs.iter().find(|pair| pair.name == name).map(|pair| pair.verdict).unwrap()
        };
        assert!(of("steady") == Verdict::Slower && of("better") == Verdict::Faster);
        assert!(of("noisy") == Verdict::Same && of("still") == Verdict::Same);
        assert!(of("new") == Verdict::New && of("gone") == Verdict::Gone);
        let steady = comparison.programs.iter().find(|pair| pair.name == "steady").unwrap();
        assert_eq!(steady.guards_new, ["slot 2, rsq: a NaN"]);
        assert_eq!(steady.guards_gone, ["slot 1, rsq: a NaN"]);
        assert_eq!(comparison.programs[0].name, "better");
        assert!(comparison.finding.iter().any(|text| text == "steady is slower (1.30 times the time)."));
        // Equal reports are equal.
        let same = Comparison::new(&before, &before);
        assert!(same.programs.iter().all(|pair| pair.verdict == Verdict::Same));
        assert_eq!(same.finding.len(), 1, "{:?}", same.finding);
    }

    /// What is said of the whole is said with the same care as what is said of its parts.
    #[test]
    fn no_difference_is_told_that_is_within_the_noise() {
        let (before, after) =
            (report(vec![cost("a", 100.0, 60.0, &[])]), report(vec![cost("a", 104.0, 60.0, &[])]));
        let comparison = Comparison::new(&before, &after);
        assert!(
            comparison.finding[0].starts_with("There is no certain difference"),
            "{:?}",
            comparison.finding
        );
        let after = report(vec![cost("a", 80.0, 10.0, &[])]);
        let comparison = Comparison::new(&before, &after);
        assert!(
            comparison.finding[0].starts_with("A play takes 20% less than before ("),
            "{:?}",
            comparison.finding
        );
        // Nothing is said of one play.
        let few = |ns: f64| Report { plays: vec![ns], ..report(vec![cost("a", ns, 0.0, &[])]) };
        let comparison = Comparison::new(&few(100.0), &few(200.0));
        assert!(comparison.finding[0].starts_with("There were too few"), "{:?}", comparison.finding);
    }
}
