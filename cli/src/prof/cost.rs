//! What one program costs.

use super::tier;
use serde::Serialize;
use std::collections::BTreeMap;
use xfjit::asm;
use xfjit::backend;
use xfjit::engine::{ProgramProfile, TierTime, Why};
use xfjit::front::Microcode;
use xfjit::ir::origin::Place;
use xfjit::machine::Machine;
use xfjit::shader::Shader;
use xfjit::timing::{Path, Pipeline, Report};

/// A program, in one play of the capture.
#[derive(Serialize)]
pub(super) struct Cost {
    pub(super) name: String,
    /// What runs it, and how many vertices at a time.
    pub(super) tier: String,
    /// Of the time of all programs.
    pub(super) share: f64,
    pub(super) ns: f64,
    pub(super) batches: f64,
    pub(super) vertices: f64,
    /// Clocks of the chip for a vertex, with five threads; none if vertices part.
    pub(super) chip_clocks: Option<f64>,
    /// Groups of which native code has left vertices to the interpreter.
    pub(super) guarded: f64,
    /// Which guards these were, in words.
    pub(super) guards: Vec<String>,
    pub(super) code_bytes: usize,
    pub(super) compile_us: f64,
    /// In the order of their share.
    pub(super) slots: Vec<Slot>,
}

/// A slot, or a part of a configuration.
#[derive(Serialize)]
pub(super) struct Slot {
    pub(super) place: String,
    pub(super) text: String,
    /// Of the time of the program.
    pub(super) share: f64,
    pub(super) ns: f64,
    /// Clocks of the chip for a vertex.
    pub(super) clocks: Option<f64>,
    /// Host operations.
    pub(super) operations: usize,
}

impl Cost {
    /// What a program has cost since an earlier profile of it, in one of several plays.
    pub(super) fn new(
        shader: &Shader,
        before: Option<&ProgramProfile>,
        profile: ProgramProfile,
        times: u32,
    ) -> Cost {
        let times = f64::from(times);
        let tiers = [
            since(before.map(|before| &before.interpreted), &profile.interpreted),
            since(before.map(|before| &before.native), &profile.native),
        ];
        let [ns, batches, vertices] =
            [0, 1, 2].map(|which| tiers.iter().map(|tier| tier[which]).sum::<f64>() / times);
        let program = shader.made_of::<Microcode>();
        let chip =
            program.filter(|made| !made.program.insns.iter().any(|insn| insn.sca.is_branch())).map(|made| {
                let (program, config) = (&made.program, &made.config);
                let path = Path::straight(config.generation, config.reading(), program);
                Report::new(&Pipeline::default(), &[path])
            });
        let machine = Machine { lanes: profile.lanes, ..Machine::HOST };
        let slots = slots(shader, program, chip.as_ref(), ns, &machine);
        let seen = profile.found.vertices;
        let guards = profile.found.guards.iter().map(|guard| {
            let place = if guard.place.is_empty() { "the program" } else { &guard.place };
            let (operation, why, vertices) = (guard.operation, in_words(guard.why), guard.vertices);
            format!("{place}, {operation}: {why} ({vertices} of {seen} vertices looked at)")
        });
        let guarded = profile.stats.deopt_groups - before.map_or(0, |before| before.stats.deopt_groups);
        Cost {
            tier: tier(&profile.tier, profile.lanes),
            share: 0.0,
            ns,
            batches,
            vertices,
            chip_clocks: chip.as_ref().map(Report::clocks_per_vertex),
            guarded: guarded as f64 / times,
            guards: guards.collect(),
            code_bytes: profile.stats.cost.code_bytes,
            compile_us: profile.stats.cost.compile_time.as_secs_f64() * 1e6,
            slots,
            name: profile.name,
        }
    }

    /// Here.
    pub(super) fn ns_per_vertex(&self) -> Option<f64> {
        (self.vertices > 0.0).then(|| self.ns / self.vertices)
    }
}

/// Why a guard is raised.
fn in_words(why: Why) -> &'static str {
    match why {
        Why::Nan => "a NaN, where its bits or the zero rule would be seen",
        Why::Large => "an exponent above the recipe's range, as infinities and NaNs have it",
        Why::Small => "addends too small for the recipe of the sum",
        Why::Operand => "an operand that the recipe does not cover",
        other => other.name(),
    }
}

/// Nanoseconds, batches and vertices of a tier since an earlier look at it: those that were not timed are taken to have taken as long.
fn since(before: Option<&TierTime>, after: &TierTime) -> [f64; 3] {
    let since = |of: fn(&TierTime) -> f64| of(after) - before.map_or(0.0, of);
    let timed = since(|tier| tier.timed.as_nanos() as f64);
    let (timed_vertices, vertices) =
        (since(|tier| tier.timed_vertices as f64), since(|tier| tier.vertices as f64));
    let ns = if timed_vertices > 0.0 { timed * vertices / timed_vertices } else { timed };
    [ns, since(|tier| tier.batches as f64), vertices]
}

/// The places of a program, those with the most host operations first.
fn slots(
    shader: &Shader,
    program: Option<&Microcode>,
    chip: Option<&Report>,
    ns: f64,
    machine: &Machine,
) -> Vec<Slot> {
    let func = backend::to_host(shader.lower(), machine);
    let mut operations: BTreeMap<Place, usize> = BTreeMap::new();
    let body = func.body.iter().filter(|&&value| !func.is_literal(value));
    let mut all = 0;
    for &value in body {
        all += 1;
        if let Some(place) = func.origin(value).place() {
            *operations.entry(place).or_default() += 1;
        }
    }
    let slot = |(place, operations): (Place, usize)| {
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
            Some((cost.runs + cost.waits + cost.unknown) as f64 / chip.vertices.max(1.0))
        });
        let share = operations as f64 / f64::from(all.max(1));
        Slot {
            place: place.to_string(),
            text: text.unwrap_or_default(),
            share,
            ns: ns * share,
            clocks,
            operations,
        }
    };
    let mut slots: Vec<Slot> = operations.into_iter().map(slot).collect();
    slots.sort_by_key(|slot| std::cmp::Reverse(slot.operations));
    slots
}
