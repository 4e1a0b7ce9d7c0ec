//! What one program costs.

use super::look::Constant;
use super::plays::Time;
use super::report::kept;
use super::sampling::InCode;
use crate::names;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;
use xfjit::engine::{Example, Found, Guarded, Operand, ProgramProfile, Tier, Why};
use xfjit::front::Microcode;
use xfjit::shader::Shader;
use xfjit::{Generation, asm};
use xfjit_ir::ir::origin::Place;
use xfjit_ir::machine::Machine;
use xfjit_isa::timing::{Path, Pipeline, Report};

/// A program, in one play of the capture.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Cost {
    pub(super) name: String,
    /// What people call it, if they do.
    #[serde(default)]
    pub(super) label: Option<String>,
    /// What runs it, and how many vertices at a time.
    pub(super) tier: String,
    /// Of the time of all programs.
    pub(super) share: f64,
    /// The median of all plays.
    pub(super) ns: f64,
    /// Between these lies the middle half of them.
    pub(super) ns_range: (f64, f64),
    /// Some of the plays, in their order.
    pub(super) plays: Vec<f64>,
    /// Of `ns`, what vertices took that native code had left, in the interpreter or on the slow path: measured.
    pub(super) fallback_ns: f64,
    pub(super) batches: f64,
    pub(super) vertices: f64,
    /// Clocks of the chip for a vertex, with three at a time; none if vertices part.
    pub(super) chip_clocks: Option<f64>,
    /// Groups of which native code has left vertices to the interpreter.
    pub(super) guarded: f64,
    /// The vertices of these that have run again, and those that the slow path has run.
    pub(super) guarded_vertices: f64,
    // Reports of before had none.
    #[serde(default)]
    pub(super) slow_vertices: f64,
    /// What constants as literals have won, if that was asked for and there was something to win.
    #[serde(default)]
    pub(super) literals: Option<Literals>,
    /// Which guards these were.
    pub(super) guards: Vec<Guard>,
    pub(super) code_bytes: usize,
    pub(super) compile_us: f64,
    /// How its time is divided among its slots.
    pub(super) divided_by: String,
    /// In the order of their share.
    pub(super) slots: Vec<Slot>,
    /// The draw that took longest, by its number.
    pub(super) draw: Option<u32>,
    /// What it reads of the constants.
    pub(super) constants: Vec<Constant>,
    /// Whether it reads others, by an index.
    pub(super) is_indexed: bool,
}

/// Code with constants as literals.
#[derive(Serialize, Deserialize)]
pub(super) struct Literals {
    /// Routines that have been made.
    pub(super) routines: u64,
    /// Vertices of all plays that they have run.
    pub(super) vertices: u64,
    /// The time of a vertex in code that reads constants, by that of one in these routines. The draws need not be the same.
    pub(super) times_less: Option<f64>,
}

impl Literals {
    fn of(profile: &ProgramProfile) -> Option<Literals> {
        let (all, folded) = (&profile.native, &profile.folded);
        let routines = profile.stats.folded_routines;
        if routines == 0 {
            return None;
        }
        let ns = |time: Duration, vertices: u64| (vertices > 0).then(|| time.as_secs_f64() / vertices as f64);
        let unfolded = all.timed_vertices.saturating_sub(folded.timed_vertices);
        let before = ns(all.timed.saturating_sub(folded.timed), unfolded);
        let after = ns(folded.timed, folded.timed_vertices).filter(|&after| after > 0.0);
        let times_less = before.zip(after).map(|(before, after)| rounded(before / after, 1e3));
        Some(Literals { routines, vertices: folded.vertices, times_less })
    }
}

/// A guard that was raised.
#[derive(Serialize, Deserialize)]
pub(super) struct Guard {
    /// Where, and why, in words.
    pub(super) what: String,
    /// Of the vertices that were looked at, so many raise it.
    pub(super) vertices: u64,
    pub(super) of: u64,
    /// A vertex that does: its place in its batch, from 0.
    pub(super) vertex: usize,
    /// What of its operands seems to be the reason: `a NaN in v2.x`. None if the program has computed it.
    pub(super) operand: Option<String>,
    /// All of it in a sentence.
    pub(super) text: String,
}

impl Guard {
    /// `generation` is whose microcode it is, if it is microcode: its attributes have customs.
    fn new(guard: &Guarded, found: &Found, generation: Option<Generation>) -> Guard {
        let &Guarded {
            ref place, operation, why, vertices, example: Example { vertex, operand, .. }, ..
        } = guard;
        Guard::of((place, operation, why), (vertices, found.vertices), (vertex, operand), generation)
    }

    /// Where it is and why it was raised, by how many vertices of those looked at, and one of these.
    pub(super) fn of(
        (place, operation, why): (&str, &str, Why),
        (vertices, of): (u64, u64),
        (vertex, operand): (usize, Option<Operand>),
        generation: Option<Generation>,
    ) -> Guard {
        let place = if place.is_empty() { "the program" } else { place };
        let what = format!("{place}, {operation}: {}", in_words(why));
        let operand = operand.map(|operand| {
            let article = if operand.kind().starts_with('i') { "an" } else { "a" };
            let custom = generation.filter(|_| !operand.is_constant);
            let name = custom.and_then(|generation| xfjit_isa::asm::input_name(generation, operand.row));
            let name = name.map_or_else(String::new, |name| format!(" ({name})"));
            format!("{article} {} in {operand}{name}", operand.kind())
        });
        let example = match &operand {
            Some(operand) => format!("vertex {vertex} has {operand}"),
            None => format!("vertex {vertex} does"),
        };
        let text = format!("{what} ({vertices} of {of} vertices looked at; {example})");
        Guard { what, vertices, of, vertex, operand, text }
    }
}

/// A slot, or a part of a configuration.
#[derive(Serialize, Deserialize)]
pub(super) struct Slot {
    pub(super) place: String,
    pub(super) text: String,
    /// Of the time of the program. What is missing at the sum of all goes to vertices that run again ([`Cost::fallback_ns`]), or is spent in what begins and
    /// ends groups, and in calling the program.
    pub(super) share: f64,
    pub(super) ns: f64,
    /// Clocks of the chip for a vertex.
    pub(super) clocks: Option<f64>,
    /// Host operations.
    pub(super) operations: usize,
}

/// What a program has done in all plays.
pub(super) struct Done {
    pub(super) profile: ProgramProfile,
    /// Of each play.
    pub(super) times: Vec<Time>,
    /// Batches and vertices of a play, groups that native code has left, vertices of these that have run again, and vertices of the
    /// slow path.
    pub(super) batches: f64,
    pub(super) vertices: f64,
    pub(super) guarded: f64,
    pub(super) guarded_vertices: f64,
    pub(super) slow_vertices: f64,
    /// Where the processor was, if that was looked at.
    pub(super) in_code: Option<InCode>,
}

/// So many samples divide the time of a program: with fewer the shares of slots would be chance.
const ENOUGH: u64 = 100;

/// How the time of a program is divided, and what comes to each place.
struct Division {
    by: String,
    shares: BTreeMap<Place, f64>,
}

impl Division {
    /// By the operations of the host that come of each; of the program's time its code has a part.
    fn by_operations(operations: &BTreeMap<Place, usize>, all: usize, part: f64) -> Division {
        let share = |count: usize| part * count as f64 / all.max(1) as f64;
        let shares = operations.iter().map(|(&place, &count)| (place, share(count))).collect();
        Division { by: "host operations".to_owned(), shares }
    }

    /// By samples in the code of a program that takes so many nanoseconds, if there are enough. Its code has a part of them at most.
    fn by_samples(in_code: &InCode, ns: f64, part: f64) -> Option<Division> {
        if in_code.all < ENOUGH {
            return None;
        }
        let of_one = (part / in_code.all as f64).min(in_code.ns_of_one / ns.max(1e-9));
        let places = in_code.places.iter();
        let shares = places.filter_map(|(place, &count)| Some(((*place)?, count as f64 * of_one))).collect();
        Some(Division { by: format!("{}, {} in its code", in_code.by, in_code.all), shares })
    }
}

/// What is measured is not known to more digits, and reports are long.
fn rounded(value: f64, parts: f64) -> f64 {
    (value * parts).round() / parts
}

/// The middle of some numbers, and the ends of their middle half.
fn quartiles(mut values: Vec<f64>) -> (f64, (f64, f64)) {
    values.sort_by(f64::total_cmp);
    let at = |quarter: usize| values.get((values.len().max(1) - 1) * quarter / 4).copied().unwrap_or(0.0);
    (at(2), (at(1), at(3)))
}

impl Cost {
    /// What a program has cost.
    pub(super) fn new(shader: &Shader, done: Done) -> Cost {
        let Done { profile, times, batches, vertices, guarded, guarded_vertices, slow_vertices, in_code } =
            done;
        let plays = kept(times.iter().map(|time| time.ns));
        let (fallback_ns, _) = quartiles(times.iter().map(|time| time.fallback).collect());
        let (ns, ns_range) = quartiles(times.iter().map(|time| time.ns).collect());
        let fallback_ns = fallback_ns.min(ns);
        let Divided { chip_clocks, by: divided_by, slots } =
            Divided::new(shader, profile.lanes, (ns, fallback_ns), in_code.as_ref());
        let generation = shader.made_of::<Microcode>().map(|made| made.config.generation);
        let guards = profile.found.guards.iter().map(|guard| Guard::new(guard, &profile.found, generation));
        Cost {
            tier: tier(&profile.tier, profile.lanes),
            share: 0.0,
            ns,
            ns_range,
            plays,
            fallback_ns,
            batches,
            vertices,
            chip_clocks,
            guarded,
            guarded_vertices,
            slow_vertices,
            literals: Literals::of(&profile),
            guards: guards.collect(),
            code_bytes: profile.stats.cost.code_bytes,
            compile_us: profile.stats.cost.compile_time.as_secs_f64() * 1e6,
            divided_by,
            slots,
            draw: None,
            constants: Vec::new(),
            is_indexed: false,
            name: profile.name,
            label: profile.label,
        }
    }

    /// Beside its slots, where its time goes: to vertices that run again, and to what begins and ends groups, and calling the program.
    pub(super) fn beside_slots(&self) -> [(&'static str, f64); 2] {
        let slots: f64 = self.slots.iter().map(|slot| slot.ns).sum();
        [("run again", self.fallback_ns), ("other", (self.ns - self.fallback_ns - slots).max(0.0))]
    }

    /// What runs most of the vertices again that native code leaves.
    pub(super) fn runs_again(&self) -> &'static str {
        if 2.0 * self.slow_vertices >= self.guarded_vertices { "the slow path" } else { "the interpreter" }
    }

    /// As it is told of: by its label too, if it has one.
    pub(super) fn shown(&self) -> String {
        names::shown(&self.name, self.label.as_deref())
    }

    /// Here.
    pub(super) fn ns_per_vertex(&self) -> Option<f64> {
        (self.vertices > 0.0).then(|| self.ns / self.vertices)
    }
}

/// The time of a program, divided among its slots, and what the chip takes.
pub(super) struct Divided {
    pub(super) chip_clocks: Option<f64>,
    pub(super) by: String,
    pub(super) slots: Vec<Slot>,
}

impl Divided {
    /// Of a program that takes so many nanoseconds, some of them for vertices that run again, in code for so many vertices at a time.
    pub(super) fn new(shader: &Shader, lanes: usize, times: (f64, f64), in_code: Option<&InCode>) -> Divided {
        let program = shader.made_of::<Microcode>();
        let chip =
            program.filter(|made| !made.program.insns.iter().any(|insn| insn.sca.is_branch())).map(|made| {
                let (program, config) = (&made.program, &made.config);
                let path = Path::straight(config.generation, config.reading(), program);
                Report::new(&Pipeline::of(config.generation.family()), &[path])
            });
        let machine = Machine { lanes, ..Machine::HOST };
        let (by, slots) = slots(shader, program, chip.as_ref(), times, &machine, in_code);
        Divided { chip_clocks: chip.as_ref().map(Report::clocks_per_vertex), by, slots }
    }
}

/// The name of a tier, with the vertices that native code takes at a time.
fn tier(tier: &Tier, lanes: usize) -> String {
    match tier {
        Tier::Native => format!("native, {lanes}"),
        tier => tier.name().to_owned(),
    }
}

/// Why a guard is raised.
fn in_words(why: Why) -> &'static str {
    match why {
        Why::Nan => "a NaN, where its bits or the zero rule matter",
        Why::Large => "an exponent above the recipe's range, as in infinities and NaNs",
        Why::Small => "addends that are too small for the recipe of the sum",
        Why::Operand => "an operand that the recipe does not cover",
        other => other.name(),
    }
}

/// The places of a program, those that take most first, and what their shares go by.
fn slots(
    shader: &Shader,
    program: Option<&Microcode>,
    chip: Option<&Report>,
    (ns, fallback_ns): (f64, f64),
    machine: &Machine,
    in_code: Option<&InCode>,
) -> (String, Vec<Slot>) {
    let func = xfjit_core::backend::to_host(shader.lower(), machine);
    let mut operations: BTreeMap<Place, usize> = BTreeMap::new();
    if let Some(made) = program {
        // Slots that came to nothing are part of it, too.
        let all = (0..made.program.insns.len()).map(|at| (made.program.first + at).try_into());
        operations.extend(all.filter_map(Result::ok).map(|slot| (Place::Slot(slot), 0)));
    }
    let mut all = 0;
    for &value in func.body.iter().filter(|&&value| !func.is_literal(value)) {
        all += 1;
        if let Some(place) = func.origin(value).place() {
            *operations.entry(place).or_default() += 1;
        }
    }
    let part = if ns > 0.0 { 1.0 - fallback_ns / ns } else { 1.0 };
    let by_samples = in_code.and_then(|in_code| Division::by_samples(in_code, ns, part));
    let Division { by, shares } =
        by_samples.unwrap_or_else(|| Division::by_operations(&operations, all, part));
    let slot = |(&place, &operations): (&Place, &usize)| {
        let number = match place {
            Place::Slot(number) => Some(usize::from(number)),
            Place::Part(..) => None,
        };
        let text = program.zip(number).and_then(|(made, number)| {
            let insn = made.program.insns.get(number.checked_sub(made.program.first)?)?;
            Some(asm::print_insn(made.config.generation, insn))
        });
        let clocks = chip.zip(number).and_then(|(chip, number)| {
            let cost = chip.slots.get(&number)?;
            Some(cost.clocks() as f64 / chip.vertices.max(1.0))
        });
        let share = shares.get(&place).copied().unwrap_or(0.0);
        Slot {
            place: place.to_string(),
            text: text.unwrap_or_default(),
            share: rounded(share, 1e6),
            ns: rounded(ns * share, 10.0),
            clocks,
            operations,
        }
    };
    let mut slots: Vec<Slot> = operations.iter().map(slot).collect();
    slots.sort_by(|a, b| b.share.total_cmp(&a.share).then(b.operations.cmp(&a.operations)));
    (by, slots)
}

/// The places of a report's slots, in their order.
pub(super) fn places(shader: &Shader, slots: &[Slot]) -> Vec<Place> {
    let mut all: BTreeMap<String, Place> = BTreeMap::new();
    let func = shader.lower();
    all.extend(
        func.order().filter_map(|value| func.origin(value).place()).map(|place| (place.to_string(), place)),
    );
    let absent = Place::Slot(u16::MAX);
    slots.iter().map(|slot| all.get(&slot.place).copied().unwrap_or(absent)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_half_of_plays() {
        assert_eq!(quartiles(vec![5.0, 1.0, 2.0, 3.0, 4.0]), (3.0, (2.0, 4.0)));
        assert_eq!(quartiles(vec![7.0]), (7.0, (7.0, 7.0)));
        assert_eq!(quartiles(Vec::new()), (0.0, (0.0, 0.0)));
    }
}
