//! `xfjit prof --diff`: two reports compared, program by program. What is compared is a report: a capture is played for one, and one that was
//! written earlier (`--format json`) is read, so that the same capture can be compared before and after a change.

use super::cost::Cost;
use super::report::Report;
use crate::args::{Format, Global, Prof};
use crate::fail::Failure;
use crate::files;
use crate::html::{self, Part};
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
    /// How far apart the ends of the middle half of the plays are, as a part of the time.
    spread: f64,
    chip_clocks: Option<f64>,
    code_bytes: usize,
}

/// A program, before and after.
#[derive(Serialize)]
struct Pair {
    name: String,
    verdict: Verdict,
    /// Time for a vertex, after by before.
    ratio: Option<f64>,
    /// By how much both are uncertain, as a part of the ratio.
    noise: Option<f64>,
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
        let (low, high) = cost.ns_range;
        Of {
            ns: cost.ns,
            share: cost.share,
            vertices: cost.vertices,
            ns_per_vertex: cost.ns_per_vertex(),
            spread: if cost.ns > 0.0 { (high - low) / cost.ns } else { 0.0 },
            chip_clocks: cost.chip_clocks,
            code_bytes: cost.code_bytes,
        }
    }
}

/// A guard without how often it was seen.
fn kind(guard: &str) -> &str {
    guard.rsplit_once(" (").map_or(guard, |(kind, _)| kind)
}

impl Pair {
    fn new(name: &str, before: Option<&Cost>, after: Option<&Cost>) -> Pair {
        let missing = |of: Option<&Cost>, from: Option<&Cost>| -> Vec<String> {
            let known: Vec<&str> =
                from.iter().flat_map(|cost| &cost.guards).map(|guard| kind(guard)).collect();
            let all = of.iter().flat_map(|cost| &cost.guards).map(|guard| kind(guard));
            all.filter(|guard| !known.contains(guard)).map(str::to_owned).collect()
        };
        let (guards_new, guards_gone) = (missing(after, before), missing(before, after));
        let (before, after) = (before.map(Of::new), after.map(Of::new));
        let both = before.zip(after);
        let ratio = both.and_then(|(before, after)| {
            let (before, after) = (before.ns_per_vertex?, after.ns_per_vertex?);
            (before > 0.0).then(|| after / before)
        });
        let noise = both.map(|(before, after)| before.spread.hypot(after.spread));
        let verdict = match (before, after, ratio.zip(noise)) {
            (None, ..) => Verdict::New,
            (_, None, _) => Verdict::Gone,
            (.., Some((ratio, noise))) if (ratio - 1.0).abs() > noise.max(LEAST) => {
                if ratio > 1.0 {
                    Verdict::Slower
                } else {
                    Verdict::Faster
                }
            }
            _ => Verdict::Same,
        };
        Pair { name: name.to_owned(), verdict, ratio, noise, before, after, guards_new, guards_gone }
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
            schema: "xfjit.prof.diff.1",
            before: Side::new(before),
            after: Side::new(after),
            ratio,
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
        all.push(match self.ratio {
            Some(ratio) if (ratio - 1.0).abs() > LEAST => {
                let (part, word) = ((ratio - 1.0).abs() * 100.0, if ratio > 1.0 { "longer" } else { "less" });
                format!("A play takes {part:.0}% {word} than before: {after} instead of {before}.")
            }
            _ => format!("A play takes as long as before: {after}, {before} before."),
        });
        let mut named = |verdict: Verdict, one: &str, many: &str| {
            let of: Vec<&Pair> = self.programs.iter().filter(|pair| pair.verdict == verdict).collect();
            let Some(first) = of.first() else { return };
            let ratio = first.ratio.map_or_else(String::new, |ratio| format!(" ({ratio:.2} times the time)"));
            all.push(match of.len() {
                1 => format!("{} {one}{ratio}.", first.name),
                count => format!("{count} programs {many}, most of all {}{ratio}.", first.name),
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
            all.push(format!("Programs with guards that were not raised before: {new}; with guards that are not raised any more: {gone}."));
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
    let mut out = files::stdout();
    match global.format {
        Format::Json => {
            serde_json::to_writer(&mut out, &comparison).map_err(io::Error::from)?;
            writeln!(out)?;
        }
        Format::Csv => comparison.table().write_csv(&mut out)?,
        Format::Text => {
            for sentence in &comparison.finding {
                writeln!(out, "{sentence}")?;
            }
            writeln!(out)?;
            comparison.table().write(&mut out)?;
            for pair in &comparison.programs {
                for (guards, what) in
                    [(&pair.guards_new, "raised now"), (&pair.guards_gone, "not raised any more")]
                {
                    for guard in guards {
                        writeln!(out, "{}: {what}: {guard}", pair.name)?;
                    }
                }
            }
        }
    }
    Ok(out.flush()?)
}

impl Comparison {
    fn table(&self) -> Table {
        let mut table = Table::new([
            "program",
            "verdict",
            ">before ns/vertex",
            ">after ns/vertex",
            ">ratio",
            ">noise",
            ">change ns",
        ]);
        let or_dash = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
        for pair in &self.programs {
            let ns =
                |of: Option<Of>| or_dash(of.and_then(|of| of.ns_per_vertex).map(|ns| format!("{ns:.2}")));
            let verdict = match pair.verdict {
                Verdict::Slower => "slower",
                Verdict::Faster => "faster",
                Verdict::Same => "same",
                Verdict::New => "new",
                Verdict::Gone => "gone",
            };
            table.row([
                pair.name.clone(),
                verdict.to_owned(),
                ns(pair.before),
                ns(pair.after),
                or_dash(pair.ratio.map(|ratio| format!("{ratio:.3}"))),
                or_dash(pair.noise.map(|noise| format!("{:.1}%", 100.0 * noise))),
                format!("{:+.0}", pair.change()),
            ]);
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prof::report::{Over, SCHEMA};

    fn cost(name: &str, ns: f64, range: (f64, f64), guards: &[&str]) -> Cost {
        Cost {
            name: name.to_owned(),
            tier: "native, 4".to_owned(),
            share: 0.5,
            ns,
            ns_range: range,
            batches: 1.0,
            vertices: 10.0,
            chip_clocks: None,
            guarded: 0.0,
            guards: guards.iter().map(|&guard| guard.to_owned()).collect(),
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
        let over = Over { draws: 1, each: 1, parts: Vec::new() };
        let (schema, capture, target) = (SCHEMA.to_owned(), "x".to_owned(), "y".to_owned());
        Report { schema, capture, target, arithmetic: String::new(), times: 5, ns, programs, over }
    }

    #[test]
    fn a_change_is_one_if_it_is_more_than_noise() {
        let before = report(vec![
            cost("steady", 100.0, (99.0, 101.0), &["slot 1, rsq: a NaN (1 of 4 vertices looked at)"]),
            cost("noisy", 100.0, (60.0, 140.0), &[]),
            cost("gone", 10.0, (10.0, 10.0), &[]),
            cost("still", 100.0, (100.0, 100.0), &[]),
            cost("better", 100.0, (99.0, 101.0), &[]),
        ]);
        let after = report(vec![
            cost("steady", 130.0, (129.0, 131.0), &["slot 2, rsq: a NaN (1 of 4 vertices looked at)"]),
            cost("noisy", 130.0, (90.0, 150.0), &[]),
            cost("still", 102.0, (102.0, 102.0), &[]),
            cost("better", 50.0, (49.0, 51.0), &[]),
            cost("new", 5.0, (5.0, 5.0), &[]),
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
}
