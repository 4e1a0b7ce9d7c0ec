//! The report in the forms of other tools: stacks for flame graphs, speedscope's JSON, pprof's protocol buffers, the trace events that Perfetto
//! and Chrome show.

use super::report::{Moment, Report, What};
use crate::args::Prof;
use crate::fail::Failure;
use crate::files;
use prost::Message;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::rc::Rc;

/// Writes what the options ask for.
pub(super) fn write(report: &Report, args: &Prof) -> Result<(), Failure> {
    if let Some(file) = &args.folded {
        files::write(file, folded(report).as_bytes())?;
    }
    if let Some(file) = &args.speedscope {
        files::write(file, speedscope(report).to_string().as_bytes())?;
    }
    if let Some(file) = &args.pprof {
        files::write(file, &pprof(report).encode_to_vec())?;
    }
    if let Some(file) = &args.perfetto {
        files::write(file, perfetto(report).to_string().as_bytes())?;
    }
    Ok(())
}

/// A slot of a program, or what else its time is spent in.
struct Stack {
    program: Rc<str>,
    /// The slot with its instruction.
    place: String,
    /// The slot's number, if it has one.
    slot: Option<i64>,
    /// Whole nanoseconds of a play, one at least.
    ns: u64,
}

/// Where the time of a play goes; the sum of all is that time, but for what is rounded.
fn stacks(report: &Report) -> impl Iterator<Item = Stack> {
    report.programs.iter().flat_map(|program| {
        let shown: Rc<str> = program.shown().into();
        let slots = program.slots.iter().map(|slot| {
            let number = slot.place.strip_prefix("slot ").and_then(|number| number.parse().ok());
            (format!("{} {}", slot.place, slot.text).trim_end().to_owned(), number, slot.ns)
        });
        let others = program.beside_slots().map(|(place, ns)| (place.to_owned(), None, ns));
        let whole = move |(place, slot, ns): (String, Option<i64>, f64)| Stack {
            program: Rc::clone(&shown),
            place,
            slot,
            ns: ns.round() as u64,
        };
        slots.chain(others).map(whole).filter(|stack| stack.ns > 0)
    })
}

/// A line for each of them: capture, program, slot, and nanoseconds, as tools for flame graphs read them.
fn folded(report: &Report) -> String {
    // A semicolon divides a stack, and a line is one.
    let frame = |text: &str| text.replace([';', '\n'], ",");
    let capture = frame(&report.capture);
    let mut text = String::new();
    for Stack { program, place, ns, .. } in stacks(report) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{capture};{};{} {ns}", frame(&program), frame(&place));
    }
    text
}

/// A profile as <https://www.speedscope.app/file-format-schema.json> has it.
fn speedscope(report: &Report) -> Value {
    let mut frames: BTreeMap<String, usize> = BTreeMap::new();
    let mut names = Vec::new();
    let mut frame = |name: &str| {
        *frames.entry(name.to_owned()).or_insert_with(|| {
            names.push(json!({ "name": name }));
            names.len() - 1
        })
    };
    let (mut samples, mut weights, mut sum) = (Vec::new(), Vec::new(), 0);
    for Stack { program, place, ns, .. } in stacks(report) {
        // Slots of two programs are not one frame, though they may be alike.
        samples.push([frame(&program), frame(&format!("{program}: {place}"))]);
        weights.push(ns);
        sum += ns;
    }
    json!({
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "name": report.capture,
        "exporter": format!("xfjit {}", env!("CARGO_PKG_VERSION")),
        "shared": { "frames": names },
        "profiles": [{
            "type": "sampled", "name": report.capture, "unit": "nanoseconds", "startValue": 0, "endValue": sum,
            "samples": samples, "weights": weights,
        }],
    })
}

/// The draws of a play, one behind the other, as the trace events of Perfetto and Chrome ("Trace Event Format"): of each draw the programs
/// that ran in it. Times are microseconds.
fn perfetto(report: &Report) -> Value {
    let mut events = vec![
        json!({ "ph": "M", "pid": 1, "name": "process_name", "args": { "name": report.capture } }),
        json!({ "ph": "M", "pid": 1, "tid": 1, "name": "thread_name", "args": { "name": "draws" } }),
        json!({ "ph": "M", "pid": 1, "tid": 2, "name": "thread_name", "args": { "name": "programs" } }),
    ];
    if report.attached.is_some() {
        return trace(report);
    }
    let mut clock = 0.0;
    for parts in report.draws.chunk_by(|one, other| one.draw == other.draw) {
        let begin = clock;
        for part in parts {
            let program = &report.programs[part.program];
            events.push(json!({
                "ph": "X", "pid": 1, "tid": 2, "cat": "program", "name": program.shown(), "ts": clock / 1e3, "dur": part.ns / 1e3,
                "args": { "calls": part.batches, "vertices": part.vertices, "tier": program.tier, "program": program.name },
            }));
            clock += part.ns;
        }
        events.push(json!({
            "ph": "X", "pid": 1, "tid": 1, "cat": "draw", "name": format!("draw {}", parts[0].draw + 1),
            "ts": begin / 1e3, "dur": (clock - begin) / 1e3,
        }));
    }
    json!({ "displayTimeUnit": "ns", "traceEvents": events })
}

/// What happened in a process that was attached to: of each worker its batches, and what was compiled.
fn trace(report: &Report) -> Value {
    let process = report.attached.as_ref().map_or(1, |attached| attached.process);
    let named = |kind: &str, tid: u64, name: &str| json!({ "ph": "M", "pid": process, "tid": tid, "name": kind, "args": { "name": name } });
    let mut events = vec![named("process_name", 0, &report.capture), named("thread_name", 0, "compilation")];
    let mut workers = BTreeSet::new();
    for &Moment { program, at, ns, what } in &report.moments {
        let Some(program) = report.programs.get(program) else { continue };
        let (name, ts, dur) = (program.shown(), at as f64 / 1e3, ns as f64 / 1e3);
        let instant = |what: &str| json!({ "ph": "i", "s": "p", "pid": process, "tid": 0, "cat": "program", "name": format!("{name}: {what}"), "ts": ts });
        match what {
            What::Batch { vertices, guarded, worker, is_first } => {
                if workers.insert(worker) {
                    events.push(named("thread_name", worker, &format!("worker {worker}")));
                }
                if is_first {
                    events.push(instant("first batch"));
                }
                events.push(json!({
                    "ph": "X", "pid": process, "tid": worker, "cat": "program", "name": name, "ts": ts, "dur": dur,
                    "args": { "vertices": vertices, "guarded vertices": guarded, "tier": program.tier, "program": program.name },
                }));
            }
            What::Compiled { routine } => events.push(json!({
                "ph": "X", "pid": process, "tid": 0, "cat": "compilation", "name": format!("{name}: {routine}"), "ts": ts, "dur": dur,
            })),
            What::Refused => events.push(instant("native code is refused")),
            What::Retired => events.push(instant("native code is given up")),
        }
    }
    json!({ "displayTimeUnit": "ns", "traceEvents": events })
}

/// The messages of pprof, as <https://github.com/google/pprof/blob/main/proto/profile.proto> numbers their fields; those that are not used
/// here are left out.
mod proto {
    /// A profile. Texts are numbers: their places in `string_table`, of which the first is empty.
    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Profile {
        #[prost(message, repeated, tag = "1")]
        pub(super) sample_type: Vec<ValueType>,
        #[prost(message, repeated, tag = "2")]
        pub(super) sample: Vec<Sample>,
        #[prost(message, repeated, tag = "4")]
        pub(super) location: Vec<Location>,
        #[prost(message, repeated, tag = "5")]
        pub(super) function: Vec<Function>,
        #[prost(string, repeated, tag = "6")]
        pub(super) string_table: Vec<String>,
        #[prost(int64, tag = "10")]
        pub(super) duration_nanos: i64,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct ValueType {
        #[prost(int64, tag = "1")]
        pub(super) r#type: i64,
        #[prost(int64, tag = "2")]
        pub(super) unit: i64,
    }

    /// Where it was, the innermost place first, and for how long.
    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Sample {
        #[prost(uint64, repeated, tag = "1")]
        pub(super) location_id: Vec<u64>,
        #[prost(int64, repeated, tag = "2")]
        pub(super) value: Vec<i64>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Location {
        #[prost(uint64, tag = "1")]
        pub(super) id: u64,
        #[prost(message, repeated, tag = "4")]
        pub(super) line: Vec<Line>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Line {
        #[prost(uint64, tag = "1")]
        pub(super) function_id: u64,
        #[prost(int64, tag = "2")]
        pub(super) line: i64,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub(super) struct Function {
        #[prost(uint64, tag = "1")]
        pub(super) id: u64,
        #[prost(int64, tag = "2")]
        pub(super) name: i64,
        #[prost(int64, tag = "3")]
        pub(super) system_name: i64,
        #[prost(int64, tag = "4")]
        pub(super) filename: i64,
    }
}

/// A profile of pprof: programs are functions, and so are their slots, which a program calls.
fn pprof(report: &Report) -> proto::Profile {
    let mut profile = proto::Profile { string_table: vec![String::new()], ..Default::default() };
    let mut texts: BTreeMap<String, i64> = BTreeMap::from([(String::new(), 0)]);
    let mut functions: BTreeMap<(String, String), u64> = BTreeMap::new();
    let proto::Profile { string_table, function, location, sample, .. } = &mut profile;
    let mut text = |text: &str| {
        *texts.entry(text.to_owned()).or_insert_with(|| {
            string_table.push(text.to_owned());
            string_table.len() as i64 - 1
        })
    };
    let (time, nanoseconds) = (text("time"), text("nanoseconds"));
    let capture = text(&report.capture);
    let mut place = |program: &str, name: &str, slot: Option<i64>| {
        *functions.entry((program.to_owned(), name.to_owned())).or_insert_with(|| {
            let id = function.len() as u64 + 1;
            // pprof groups by names: slots of two programs may have one.
            let name = if name.is_empty() { text(program) } else { text(&format!("{program}: {name}")) };
            function.push(proto::Function { id, name, system_name: name, filename: capture });
            location.push(proto::Location {
                id,
                line: vec![proto::Line { function_id: id, line: slot.unwrap_or(0) }],
            });
            id
        })
    };
    for Stack { program, place: name, slot, ns } in stacks(report) {
        let location_id = vec![place(&program, &name, slot), place(&program, "", None)];
        sample.push(proto::Sample { location_id, value: vec![ns as i64] });
    }
    profile.sample_type = vec![proto::ValueType { r#type: time, unit: nanoseconds }];
    profile.duration_nanos = report.ns as i64;
    profile
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prof::cost::{Cost, Slot};
    use crate::prof::report::{Draw, Over, SCHEMA};

    fn report() -> Report {
        let slot = |place: &str, ns: f64| Slot {
            place: place.to_owned(),
            text: "MOV r0; v0".to_owned(),
            share: ns / 100.0,
            ns,
            clocks: None,
            operations: 1,
        };
        let cost = |name: &str| Cost {
            name: name.to_owned(),
            ns: 100.0,
            fallback_ns: 25.0,
            slots: vec![slot("slot 0", 30.0), slot("slot 12", 40.0), slot("slot 13", 0.2)],
            ..Cost::default()
        };
        let draw = |draw, program, ns| Draw { draw, program, batches: 1, vertices: 3, ns };
        Report {
            schema: SCHEMA.to_owned(),
            capture: "a;b.capture".to_owned(),
            target: String::new(),
            arithmetic: String::new(),
            times: 1,
            ns: 200.0,
            plays: Vec::new(),
            programs: vec![cost("one"), cost("two")],
            over: Over { draws: 2, each: 1, parts: Vec::new() },
            attached: None,
            moments: Vec::new(),
            draws: vec![draw(0, 0, 60.0), draw(0, 1, 100.0), draw(1, 0, 40.0)],
        }
    }

    #[test]
    fn stacks_add_up_to_the_time_of_a_play() {
        let report = report();
        assert_eq!(stacks(&report).map(|stack| stack.ns).sum::<u64>(), 200);
        let text = folded(&report);
        assert_eq!(text.lines().next(), Some("a,b.capture;one;slot 0 MOV r0, v0 30"));
        assert_eq!(text.lines().count(), 8, "{text}");
        assert!(text.contains(";two;run again 25\n") && text.contains(";two;other 5\n"), "{text}");
    }

    #[test]
    fn speedscope_has_the_same_stacks() {
        let value = speedscope(&report());
        let profile = &value["profiles"][0];
        let (samples, weights) =
            (profile["samples"].as_array().unwrap(), profile["weights"].as_array().unwrap());
        assert_eq!((samples.len(), weights.len()), (8, 8));
        assert_eq!(weights.iter().map(|ns| ns.as_u64().unwrap()).sum::<u64>(), 200);
        assert_eq!(profile["endValue"], 200);
        let name =
            |sample: &Value| value["shared"]["frames"][sample.as_u64().unwrap() as usize]["name"].clone();
        assert_eq!([name(&samples[0][0]), name(&samples[0][1])], ["one", "one: slot 0 MOV r0; v0"]);
        assert_eq!(name(&samples[4][1]), "two: slot 0 MOV r0; v0");
    }

    /// What is written is read again, as pprof reads it: places are those of tables.
    #[test]
    fn pprof_has_the_same_stacks() {
        let profile = proto::Profile::decode(pprof(&report()).encode_to_vec().as_slice()).unwrap();
        let text = |number: i64| profile.string_table[number as usize].as_str();
        assert_eq!(profile.string_table[0], "");
        let [kind] = &profile.sample_type[..] else { panic!("{:?}", profile.sample_type) };
        assert_eq!((text(kind.r#type), text(kind.unit)), ("time", "nanoseconds"));
        let name = |location: u64| {
            let [line] = &profile.location[location as usize - 1].line[..] else { panic!("{location}") };
            (text(profile.function[line.function_id as usize - 1].name), line.line)
        };
        let second = &profile.sample[1];
        assert_eq!(second.value, [40]);
        let names: Vec<_> = second.location_id.iter().map(|&location| name(location)).collect();
        assert_eq!(names, [("one: slot 12 MOV r0; v0", 12), ("one", 0)]);
        assert_eq!(profile.sample.iter().map(|sample| sample.value[0]).sum::<i64>(), 200);
    }

    /// Each form names programs as the report does, so that two of one label are not taken together.
    #[test]
    fn labels_stand_before_names() {
        let mut report = report();
        report.programs.iter_mut().for_each(|program| program.label = Some("a; b".to_owned()));
        assert!(folded(&report).starts_with("a,b.capture;a, b (one);slot 0"), "{}", folded(&report));
        let frames = speedscope(&report)["shared"]["frames"].clone();
        let names = frames.as_array().unwrap().iter().map(|frame| frame["name"].as_str().unwrap());
        assert_eq!(
            names.filter(|name| !name.contains(": ")).collect::<Vec<_>>(),
            ["a; b (one)", "a; b (two)"]
        );
        let profile = pprof(&report);
        assert!(profile.string_table.contains(&"a; b (two)".to_owned()), "{:?}", profile.string_table);
        let events = perfetto(&report)["traceEvents"].clone();
        let programs = events.as_array().unwrap().iter().filter(|event| event["cat"] == "program");
        let programs: Vec<_> = programs.map(|event| (&event["name"], &event["args"]["program"])).collect();
        assert_eq!(programs[1], (&json!("a; b (two)"), &json!("two")));
    }

    #[test]
    fn draws_follow_each_other_in_time() {
        let value = perfetto(&report());
        let of = |category: &str| -> Vec<(String, f64, f64)> {
            let events = value["traceEvents"].as_array().unwrap().iter();
            let of = events.filter(|event| event["cat"] == category);
            of.map(|event| {
                let number = |field: &str| event[field].as_f64().unwrap();
                (event["name"].as_str().unwrap().to_owned(), number("ts"), number("dur"))
            })
            .collect()
        };
        let one = |name: &str, ts, dur| (name.to_owned(), ts, dur);
        assert_eq!(of("draw"), [one("draw 1", 0.0, 0.16), one("draw 2", 0.16, 0.04)]);
        assert_eq!(of("program"), [one("one", 0.0, 0.06), one("two", 0.06, 0.1), one("one", 0.16, 0.04)]);
    }
}
