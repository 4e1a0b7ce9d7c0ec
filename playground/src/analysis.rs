//! What a program is: its three notations, words and fields, IR at each stage, the chip's clocks.

use crate::program::{Asked, Notation, Read, error};
use crate::{registers, scene};
use serde_json::{Value, json};
use std::collections::HashMap;
use xfjit::Model;
use xfjit::asm::gl::{self, Notation as Language};
use xfjit::asm::{self, words};
use xfjit::front::Microcode;
use xfjit::interp::{Stepper, VertexState};
use xfjit::isa::{self, Generation};
use xfjit::runtime::fpenv::FpEnv;
use xfjit::runtime::texture::Textures;
use xfjit::shader::Shader;
use xfjit_ir::ir::func::Func;
use xfjit_ir::ir::origin::Place;
use xfjit_ir::legalize::{self, Path as Recipes};
use xfjit_ir::machine::Machine;
use xfjit_ir::opt;
use xfjit_isa::chip::boards::BOARDS;
use xfjit_isa::isa::layout;
use xfjit_isa::timing::{Diagram, Path, Pipeline, Report};

/// Operations of IR at most: what is longer takes a browser too long.
const MOST_OPERATIONS: usize = 60_000;
/// Clocks of the diagram.
const CLOCKS: u64 = 64;
/// Steps of a vertex that is followed through branches.
const MOST_STEPS: usize = 1 << 12;
/// The processor whose operations are shown: that of most machines, whatever this one is.
const MACHINE: Machine = Machine::X86_64_V3;

/// All of a text.
pub fn answer(asked: &Asked) -> Value {
    let read = match asked.read() {
        Ok(read) => read,
        Err(flaws) => return flaws,
    };
    let generation = read.generation();
    let native = asm::print_as(generation, read.config.reading(), &read.program);
    let codes = isa::encode_as(generation, read.config.reading(), &read.program);
    let (opengl, unsaid) = match gl::say(generation, &read.program, Language::Nv) {
        Ok(text) => (Some(text), Vec::new()),
        Err(why) => (None, why.iter().map(ToString::to_string).collect()),
    };
    json!({
        "notation": read.notation,
        "pairs": read.notation != Notation::Native || asked.pair,
        "native": native,
        "opengl": opengl,
        "unsaid": unsaid,
        "words": words::print_hex(&codes),
        "facts": facts(&read),
        "fields": fields(generation),
        "slots": slots(&read, &codes),
        "stages": stages(&read),
        "clocks": clocks(&read),
    })
}

/// Facts about the whole program.
fn facts(read: &Read) -> Value {
    let generation = read.generation();
    let program = &read.program;
    let inputs = registers::read(program);
    let inputs: Vec<Value> = (0..16)
        .filter(|register| inputs >> register & 1 != 0)
        .map(|register| json!({ "name": format!("v{register}"), "use": asm_input(generation, register) }))
        .collect();
    let masks = registers::written(program);
    let outputs: Vec<String> = (0..generation.outputs())
        .filter(|&register| !masks[register].is_empty())
        .map(|register| {
            format!(
                "{}.{}",
                registers::output_name(generation, register),
                registers::letters(masks[register])
            )
        })
        .collect();
    json!({
        "slots": program.insns.len(),
        "most": generation.slots(),
        "reads": inputs,
        "writes": outputs,
        "terminated": !program.unterminated,
    })
}

fn asm_input(generation: Generation, register: usize) -> &'static str {
    xfjit_isa::asm::input_name(generation, register).unwrap_or("")
}

/// The fields of a slot, from the highest bit down; behind a source its parts.
fn fields(generation: Generation) -> Vec<Value> {
    let layout = layout::layout(generation);
    let field = |of: &xfjit_isa::isa::fields::Field, at: u32, inner: bool| {
        let meaning = of.meaning.replace(", see `SourceFields`", "").replace('`', "");
        json!({ "name": of.name, "lo": of.lo + at, "hi": of.hi + at, "meaning": meaning, "inner": inner })
    };
    let mut all = Vec::new();
    for of in layout.slot.iter().rev() {
        all.push(field(of, 0, false));
        if of.name.starts_with("src_") {
            all.extend(layout.source.iter().rev().map(|part| field(part, of.lo, true)));
        }
    }
    all
}

/// The slots: number, words, text, and the bits that fields are of, as words from the highest down.
fn slots(read: &Read, codes: &[u32]) -> Vec<Value> {
    let generation = read.generation();
    let slot = |(at, (words, insn)): (usize, (&[u32; isa::WORDS_PER_SLOT], &isa::Insn))| {
        let bits = layout::slot_bits(generation, *words);
        let text = asm::print_insn(generation, insn) + if insn.end { " + END" } else { "" };
        json!({
            "slot": read.program.first + at, "text": text, "words": words.map(crate::float::hex),
            "bits": format!("{bits:0128b}"),
        })
    };
    codes.as_chunks().0.iter().zip(&read.program.insns).enumerate().map(slot).collect()
}

/// The stages of the compiler, line by line.
fn stages(read: &Read) -> Value {
    let shader: Shader = Microcode::shader(&read.program, &read.config);
    let mut all = Vec::new();
    let numbers: HashMap<Place, usize> = (0..read.program.insns.len())
        .map(|at| (Place::Slot((read.program.first + at).try_into().unwrap_or(u16::MAX)), at))
        .collect();
    let mut stage = |name: &str, title: &str, note: &str, func: &Func| {
        let lines = lines(func, &numbers);
        let count = lines.iter().filter(|line| line[2] == false).count();
        all.push(json!({ "name": name, "title": title, "note": note, "operations": count, "lines": lines }));
    };
    // Literals are folded in these passes: under the environment that they are made for.
    let whole = FpEnv::Default.within(|| {
        let lowered = shader.lower_within(MOST_OPERATIONS)?;
        stage("lowered", "Lowered", "The meaning of each slot, in operations of the chip.", &lowered);
        let simple = opt::simplify(lowered);
        stage("simplified", "Simplified", "Repeated computations are done once, and results that nothing reads are removed.", &simple);
        let host = legalize::run_within(&simple, &MACHINE, Recipes::Quick, MOST_OPERATIONS)?;
        let host = opt::sweep(host);
        stage(
            "host",
            "Host operations",
            "Each operation of the chip, expanded into operations of a processor with AVX2, with the same bits.",
            &host,
        );
        Some(())
    });
    match whole {
        Some(()) => json!(all),
        None => error(format!(
            "this program has more than {MOST_OPERATIONS} operations; `xfjit explore` shows them"
        )),
    }
}

/// Place (or -1), text, and whether the line is about those that follow.
fn lines(func: &Func, numbers: &HashMap<Place, usize>) -> Vec<Value> {
    let text = format!("{func:#}");
    let mut order = func.order();
    let line = |line: &str| match line.strip_prefix("  ").and_then(|_| order.next()) {
        Some(value) => {
            let place = func.origin(value).place().and_then(|place| numbers.get(&place));
            json!([place.map_or(-1, |&at| at as i64), line, false])
        }
        None => json!([-1, line, true]),
    };
    text.lines().map(line).collect()
}

/// What a vertex costs the chip. Where vertices may part, the path of the mesh's first one is taken.
fn clocks(read: &Read) -> Value {
    let generation = read.generation();
    let (paths, note) = match read.has_branches() {
        false => (vec![Path::straight(generation, read.config.reading(), &read.program)], ""),
        true => match followed(read) {
            Some(path) => (
                vec![path],
                "The program branches: these are the clocks on the path of the mesh's first vertex.",
            ),
            None => return error(format!("a vertex takes more than {MOST_STEPS} slots")),
        },
    };
    let pipeline = Pipeline::of(generation.family());
    let report = Report::new(&pipeline, &paths);
    let text = |slot: usize| {
        let insn = slot.checked_sub(read.program.first).and_then(|at| read.program.insns.get(at));
        insn.map_or_else(String::new, |insn| asm::print_insn(generation, insn))
    };
    let vertices = pipeline.vertices_at_a_time();
    let diagram = Diagram::new(&pipeline, &paths, vertices, CLOCKS, text);
    let of_vertex = |sum: u64| sum as f64 / report.vertices.max(1.0);
    let slots: Vec<Value> = report
        .slots
        .iter()
        .map(|(&slot, cost)| {
            json!({
                "slot": slot, "runs": of_vertex(cost.runs), "results": of_vertex(cost.waits.results),
                "units": of_vertex(cost.waits.units), "branches": of_vertex(cost.waits.branches),
                "vertices": of_vertex(cost.waits.vertices), "text": text(slot),
            })
        })
        .collect();
    let boards: Vec<Value> = BOARDS
        .iter()
        .filter(|board| board.chip.family().microcode() == Some(generation))
        .filter_map(|board| {
            let units = board.units?;
            let rate = f64::from(board.mhz) * 1e6 * f64::from(units) / report.clocks_per_vertex();
            rate.is_finite()
                .then(|| json!({ "board": board.name, "mhz": board.mhz, "units": units, "vertices": rate }))
        })
        .collect();
    let percent = |unit: usize| 100 * report.units[unit] / report.clocks.max(1);
    json!({
        "note": note,
        "clocks": report.clocks_per_vertex(), "waits": report.waits_per_vertex(), "latency": report.latency,
        "at_a_time": vertices, "under_way": pipeline.vertices_under_way(), "needed": report.vertices_needed,
        "vector": percent(0), "scalar": percent(1),
        "slots": slots, "boards": boards, "diagram": diagram.to_string(),
    })
}

/// The path of the mesh's first vertex.
fn followed(read: &Read) -> Option<Path> {
    let mut constants = scene::Asked::default().constants(read).ok()?.context;
    let config = read.under(Model::Hw);
    let state = VertexState::new(&read.program, &config, crate::mesh::Mesh::new().attributes(0));
    let mut stepper = Stepper::new(&read.program, &config, &state);
    let mut slots = Vec::new();
    let mut constants = constants.constants();
    while slots.len() < MOST_STEPS {
        slots.push(stepper.slot());
        if stepper.step(&mut constants, &Textures::NONE).is_some() {
            return Some(Path::new(read.generation(), config.reading(), &read.program, slots));
        }
    }
    None
}
