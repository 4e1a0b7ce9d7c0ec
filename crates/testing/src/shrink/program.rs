//! Programs made smaller: slots, then what each slot does, then what the program is prepared for.

use super::{Reduced, Search, Shrinks, reduce};
use crate::backend::{Backend, Worker};
use crate::config::{Config, Forms, QuirkSet, Quirks, Viewport};
use crate::front::Microcode;
use crate::isa::op::{ScaOp, VecOp};
use crate::isa::{
    Bank, Condition, Insn, Mask, OutTarget, OutWrite, Program, Source, Swizzle, TempWrite, Unit,
};
use crate::repro::{Case, Feed, Placement, Ran, Refusal, Texels, upload};
use std::ops::Range;
use xfjit_runtime::batch::{Layout, Place};
use xfjit_runtime::state::{ATTRIBUTES, OUTPUTS, Row};

impl Shrinks for Case {
    fn run_on(&self, backend: &dyn Backend, worker: &mut Worker) -> Result<(Ran, usize), Refusal> {
        let program = self.program().map_err(Refusal::Decode)?;
        let routine =
            backend.prepare(&Microcode::shader(&program, &self.config)).map_err(Refusal::Compile)?;
        let ran = self.run_prepared(&*routine, worker, &self.inputs()).map_err(Refusal::Streams)?;
        Ok((ran, self.count.div_ceil(routine.lanes())))
    }

    fn placement(&self) -> Placement {
        self.placement()
    }

    fn vertices(&self) -> usize {
        self.count
    }

    fn shrink(&self, shows: &mut dyn FnMut(&Case) -> bool) -> Case {
        let Ok(program) = self.program() else { return self.clone() };
        let begin = Flat::of(self, (*program).clone());
        // What is wrong about places in memory is gone where vertices lie side by side.
        let mut shows = |flat: &Flat| shows(&flat.case());
        if !shows(&begin) {
            return self.clone();
        }
        let search = Search::new(begin, &mut shows);
        let round = |search: &mut Search<'_, Flat>| {
            slots(search) | last_slot(search) | reduce(search) | operations(search) | configuration(search)
        };
        search.rounds(round).case()
    }
}

/// A case whose vertices lie side by side, with its program decoded.
#[derive(Clone, PartialEq)]
struct Flat {
    program: Program,
    config: Config,
    constants: Vec<Row>,
    attributes: [Vec<Row>; ATTRIBUTES],
    texels: Texels,
}

impl Flat {
    fn of(case: &Case, program: Program) -> Flat {
        let inputs = case.inputs();
        let rows = |register| (0..case.count).map(|position| inputs.fetch(register, position)).collect();
        Flat {
            program,
            config: Config { layout: Layout::Rows, ..case.config.clone() },
            constants: case.constants.clone(),
            attributes: std::array::from_fn(rows),
            texels: case.texels,
        }
    }

    fn case(&self) -> Case {
        let (words, start) = upload(&self.config, &self.program);
        let count = self.count();
        let feed = |rows: &Vec<Row>| Feed::Stream {
            data: rows.iter().flatten().flat_map(|word| word.to_ne_bytes()).collect(),
            offset: 0,
            stride: 16,
            components: 4,
        };
        let mut places = [None; OUTPUTS];
        let live = (0..OUTPUTS).filter(|register| self.config.live_outputs >> register & 1 != 0);
        let stride = 16 * self.config.live_outputs.count_ones() as usize;
        live.enumerate().for_each(|(i, register)| places[register] = Some(Place { offset: 16 * i, stride }));
        Case {
            words,
            start,
            config: self.config.clone(),
            constants: self.constants.clone(),
            attributes: self.attributes.each_ref().map(feed),
            texels: self.texels,
            indices: None,
            count,
            places,
            output_bytes: stride * count,
        }
    }
}

impl Reduced for Flat {
    fn count(&self) -> usize {
        self.attributes[0].len()
    }

    fn without(&mut self, vertices: Range<usize>) {
        self.attributes.iter_mut().for_each(|rows| drop(rows.drain(vertices.clone())));
    }

    fn live_outputs(&mut self) -> &mut u32 {
        &mut self.config.live_outputs
    }

    fn constants(&mut self) -> &mut [Row] {
        &mut self.constants
    }

    fn attribute(&mut self, register: usize) -> &mut [Row] {
        &mut self.attributes[register]
    }
}

/// Fewer slots, from slot 0 on.
fn slots(search: &mut Search<'_, Flat>) -> bool {
    let moved = search.change(|case| {
        let first = std::mem::take(&mut case.program.first);
        case.program.start = case.program.start.saturating_sub(first);
        retarget(&mut case.program, |target| target.saturating_sub(first));
    });
    let all = search.best.program.insns.len();
    moved | search.thin(all, |case, part| remove(&mut case.program, part), |case| case.program.insns.len())
}

/// Takes slots out, and lets branches go where they went.
fn remove(program: &mut Program, part: Range<usize>) {
    if part.len() == program.insns.len() {
        return;
    }
    let slots = program.first + part.start..program.first + part.end;
    program.insns.drain(part);
    let moved = |slot: usize| match slot {
        slot if slot >= slots.end => slot - slots.len(),
        slot => slot.min(slots.start),
    };
    program.start = moved(program.start).min(program.first + program.insns.len() - 1);
    retarget(program, moved);
    if let Some(last) = program.insns.last_mut().filter(|_| !program.unterminated) {
        last.end = true;
    }
}

fn retarget(program: &mut Program, to: impl Fn(usize) -> usize) {
    for insn in program.insns.iter_mut().filter(|insn| insn.sca.names_slot()) {
        insn.branch.target = to(insn.branch.target.into()) as u16;
    }
}

/// The program ends with the slot whose result is wrong, which it puts out.
fn last_slot(search: &mut Search<'_, Flat>) -> bool {
    let all = search.best.program.insns.len();
    let output = search.best.config.live_outputs.trailing_zeros() as u8;
    let ends_with = |case: &mut Flat, slot: usize, unit: Unit| {
        case.program.insns.truncate(slot + 1);
        case.program.unterminated = false;
        if let Some(last) = case.program.insns.last_mut() {
            last.end = true;
            (last.code, last.vec_dst, last.sca_dst) = (None, TempWrite::default(), TempWrite::default());
            last.out = Some(OutWrite::new(OutTarget::Output(output), Mask::ALL, unit));
        }
        case.normalise();
    };
    let has_value = |insn: &Insn, unit| match unit {
        Unit::Vec => insn.vec.has_value(),
        Unit::Sca => insn.sca.has_value(),
    };
    // Without an output it is a constant that differs.
    let shortened = if search.best.config.live_outputs == 0 { 0 } else { all.saturating_sub(1) };
    let ends = (0..shortened).flat_map(|slot| [(slot, Unit::Vec), (slot, Unit::Sca)]).any(|(slot, unit)| {
        has_value(&search.best.program.insns[slot], unit) && search.change(|case| ends_with(case, slot, unit))
    });
    ends | search.change(|case| {
        case.program.unterminated = false;
        case.program.insns.iter_mut().last().into_iter().for_each(|last| last.end = true);
    })
}

/// What a slot need not do, the most of it first.
const PLAINER: &[fn(&mut Insn)] = &[
    |insn| *insn = Insn { end: insn.end, ..Insn::NOP },
    |insn| {
        (insn.vec, insn.vec_dst) = (VecOp::Nop, TempWrite::default());
        insn.out = insn.out.map(|out| OutWrite { vec: Mask::NONE, ..out });
    },
    |insn| {
        (insn.sca, insn.sca_dst) = (ScaOp::Nop, TempWrite::default());
        insn.out = insn.out.map(|out| OutWrite { sca: Mask::NONE, ..out });
    },
    |insn| (insn.vec, insn.src) = (VecOp::Mov, [insn.src[0], Source::UNUSED, Source::UNUSED]),
    |insn| (insn.vec, insn.src) = (VecOp::Mov, [insn.src[1], Source::UNUSED, Source::UNUSED]),
    |insn| (insn.vec, insn.src) = (VecOp::Mov, [insn.src[2], Source::UNUSED, Source::UNUSED]),
    |insn| insn.out = None,
    |insn| insn.vec_dst = TempWrite::default(),
    |insn| insn.sca_dst = TempWrite::default(),
    |insn| insn.code = None,
    |insn| insn.condition = Condition::ALWAYS,
    |insn| insn.branch.condition = Condition::ALWAYS,
    |insn| insn.saturate = false,
    |insn| (insn.indexed, insn.address) = (false, Default::default()),
    |insn| (insn.input_indexed, insn.address) = (false, Default::default()),
    |insn| (insn.output_indexed, insn.address) = (false, Default::default()),
    |insn| insn.constant = 0,
    |insn| insn.input = 0,
    |insn| each_source(insn, |source| source.negate = false),
    |insn| each_source(insn, |source| source.absolute = false),
    |insn| each_source(insn, |source| source.swizzle = Swizzle::IDENTITY),
    |insn| insn.src[0] = plain(insn.src[0]),
    |insn| insn.src[1] = plain(insn.src[1]),
    |insn| insn.src[2] = plain(insn.src[2]),
];

fn each_source(insn: &mut Insn, change: fn(&mut Source)) {
    insn.src.iter_mut().filter(|source| source.bank != Bank::None).for_each(change);
}

fn plain(source: Source) -> Source {
    Source { bank: source.bank, ..Source::UNUSED }
}

/// A temporary's value comes from what other slots compute; an attribute's or a constant's does not.
fn from(source: Source, bank: Bank) -> Source {
    match source.bank {
        Bank::Temp(_) => Source { bank, ..source },
        Bank::None | Bank::Input | Bank::Constant => source,
    }
}

/// What a slot reads of temporaries, of an attribute or a constant that the program reads anyway.
fn from_elsewhere(search: &mut Search<'_, Flat>, slot: usize) -> bool {
    let insns = search.best.program.insns.clone();
    let mut changed = false;
    for operand in 0..3 {
        for other in insns.iter().filter(|other| other.reads_bank(Bank::Input)) {
            changed |= change_slot(search, slot, &|insn| {
                insn.src[operand] = from(insn.src[operand], Bank::Input);
                insn.input = other.input;
            });
        }
        for other in insns.iter().filter(|other| other.reads_bank(Bank::Constant) && !other.indexed) {
            changed |= change_slot(search, slot, &|insn| {
                insn.src[operand] = from(insn.src[operand], Bank::Constant);
                insn.constant = other.constant;
            });
        }
    }
    changed
}

/// Less in each slot. A change that the generation has no words for comes back as another one, or as none.
fn operations(search: &mut Search<'_, Flat>) -> bool {
    let mut changed = false;
    for slot in 0..search.best.program.insns.len() {
        for plainer in PLAINER {
            changed |= change_slot(search, slot, plainer);
        }
        changed |= from_elsewhere(search, slot);
        for mask in (0..4).map(|component| Mask(8 >> component)) {
            changed |= change_slot(search, slot, &|insn| {
                insn.vec_dst.mask.0 &= mask.0;
                insn.sca_dst.mask.0 &= mask.0;
                insn.out = insn.out.map(|mut out| {
                    (out.vec.0, out.sca.0) = (out.vec.0 & mask.0, out.sca.0 & mask.0);
                    out
                });
            });
        }
    }
    changed | to_first_output(search)
}

fn change_slot(search: &mut Search<'_, Flat>, slot: usize, change: &dyn Fn(&mut Insn)) -> bool {
    let Some(&before) = search.best.program.insns.get(slot) else { return false };
    let mut insn = before;
    change(&mut insn);
    if insn == before {
        return false;
    }
    search.change(|case| {
        case.program.insns[slot] = insn;
        case.normalise();
    })
}

impl Flat {
    /// The program as the chip reads it back.
    fn normalise(&mut self) {
        let case = self.case();
        if let Ok(program) = case.program() {
            self.program = (*program).clone();
        }
    }
}

/// The only output is o0.
fn to_first_output(search: &mut Search<'_, Flat>) -> bool {
    let live = search.best.config.live_outputs;
    if live.count_ones() != 1 || live == 1 {
        return false;
    }
    let only = live.trailing_zeros() as u8;
    search.change(|case| {
        case.config.live_outputs = 1;
        let outputs = case.program.insns.iter_mut().filter_map(|insn| insn.out.as_mut());
        for out in outputs.filter(|out| out.target == OutTarget::Output(only)) {
            out.target = OutTarget::Output(0);
        }
        case.normalise();
    })
}

/// What a configuration need not say, as a new one has it.
const DEFAULTS: &[fn(&mut Flat, &Config)] = &[
    |case, new| (case.config.quirks, case.config.forms) = (new.quirks, new.forms),
    |case, new| case.config.quirks = new.quirks,
    |case, new| case.config.forms = new.forms,
    |case, new| case.config.access = new.access,
    |case, new| case.config.constant_writes = new.constant_writes,
    |case, new| case.config.mode = new.mode,
    |case, new| case.config.arithmetic = new.arithmetic,
    |case, new| case.config.branch_bits = new.branch_bits,
    |case, new| case.config.branch_table = new.branch_table,
    |case, new| case.config.timeout = new.timeout,
    |case, _| case.config.viewport = Viewport::Skip,
    |case, _| case.texels = Texels::default(),
];

fn configuration(search: &mut Search<'_, Flat>) -> bool {
    let new = Config::new(search.best.config.generation);
    DEFAULTS.iter().fold(false, |changed, default| changed | search.change(|case| default(case, &new)))
        | quirks(search, &new)
}

/// Quirk by quirk, where all of them together are needed for something.
fn quirks(search: &mut Search<'_, Flat>, new: &Config) -> bool {
    let mut changed = false;
    for quirk in Quirks::TABLE {
        changed |= search.change(|case| _ = (quirk.set)(&mut case.config.quirks, (quirk.get)(&new.quirks)));
    }
    for form in Forms::TABLE {
        changed |= search.change(|case| _ = (form.set)(&mut case.config.forms, (form.get)(&new.forms)));
    }
    changed
}
