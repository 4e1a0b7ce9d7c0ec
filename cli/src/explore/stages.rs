//! A program at every stage of the compiler, line by line.

use crate::subject::Subject;
use serde::Serialize;
use std::collections::{BTreeSet, HashMap};
use xfjit::runtime::fpenv::FpEnv;
use xfjit::shader::Shader;
use xfjit::{InstructionSet, Model};
use xfjit_core::backend;
use xfjit_ir::ir::func::Func;
use xfjit_ir::ir::origin::Place;
use xfjit_ir::machine::Machine;
use xfjit_ir::{legalize, opt};
use xfjit_native::{Listing, listing};

/// A stage as the page has it.
#[derive(Serialize)]
pub struct Stage {
    pub name: String,
    title: String,
    /// What there is to say of it.
    note: String,
    /// Instructions or operations.
    instructions: usize,
    /// Bytes of machine code.
    pub bytes: usize,
    /// Place (or -1), text, and whether the line is about those that follow.
    lines: Vec<(i32, String, bool)>,
}

/// What a stage consists of.
enum Form {
    /// A function.
    Ir(Func),
    /// Machine code, made of a function.
    Code { listing: String, bytes: usize, of: Func },
    /// Text.
    Plain(String),
}

/// A stage, with the places that its lines come from.
struct Compiled {
    name: String,
    title: String,
    note: String,
    form: Form,
}

/// All stages.
pub struct All(Vec<Compiled>);

/// Compiles a program or a configuration, and keeps what each pass makes.
pub fn compile(subject: &Subject) -> All {
    let mut all = Vec::new();
    let mut ir = |name: &str, title: &str, note: &str, func: &Func| {
        let (name, title, note) = (name.to_owned(), title.to_owned(), note.to_owned());
        all.push(Compiled { name, title, note, form: Form::Ir(func.clone()) });
    };
    // Literals are folded in these passes: under the environment that they are made for.
    let lowered = FpEnv::Default.within(|| {
        let lowered = subject.shader.lower();
        ir("lowered", "Lowered", "The meaning of each slot or part, in operations of the chip.", &lowered);
        let numbered = opt::gvn::run(lowered.clone());
        ir("numbered", "Value numbering", "Repeated computations are done once.", &numbered);
        let simple = opt::dce::run(numbered);
        ir("simplified", "Without dead code", "Results that nothing reads are removed.", &simple);
        let host = legalize::run(&simple, &Machine::HOST);
        ir(
            "host",
            "Host operations",
            "Each operation of the chip, expanded into operations of the processor with the same bits.",
            &host,
        );
        let host = opt::simplify(host);
        ir("host-simplified", "Host operations, simplified", "Numbered again, without dead code.", &host);
        lowered
    });
    if subject.program.is_none() {
        let form = Form::Plain(subject.text.clone());
        let (name, title) = ("words".to_owned(), "Words".to_owned());
        all.insert(0, Compiled { name, title, note: "The fields of its words.".to_owned(), form });
    }
    for &set in InstructionSet::ALL {
        let machine = set.machine();
        let func = backend::to_host(lowered.clone(), &machine);
        let name = set.name();
        let note = format!(
            "The order in which it runs there, {} vertices at a time; work that is the same for all vertices comes first.",
            machine.lanes
        );
        let form = Form::Ir(func.clone());
        all.push(Compiled { name: format!("{name}-order"), title: format!("{name}: order"), note, form });
        let (note, form) = match listing(&func, subject.shader.layout(), set) {
            Ok(Listing { text, bytes }) => (String::new(), Form::Code { listing: text, bytes, of: func }),
            Err(error) => (error.to_string(), Form::Plain(String::new())),
        };
        all.push(Compiled { name: name.to_owned(), title: format!("{name}: machine code"), note, form });
    }
    All(all)
}

/// What a program becomes on one machine, in short: operations of the chip, and machine code, if there is any.
pub fn brief(shader: &Shader, set: Option<InstructionSet>, bytes: usize) -> All {
    let simple = FpEnv::Default.within(|| opt::simplify(shader.lower()));
    let ir = Compiled {
        name: "simplified".to_owned(),
        title: "Operations of the chip".to_owned(),
        note: String::new(),
        form: Form::Ir(simple),
    };
    let Some(set) = set else { return All(vec![ir]) };
    let func = backend::to_host(shader.lower(), &set.machine());
    let (note, form) = match listing(&func, shader.layout(), set) {
        Ok(listing) => (String::new(), Form::Code { listing: listing.text, bytes, of: func }),
        Err(error) => (error.to_string(), Form::Plain(String::new())),
    };
    let title = format!("Machine code, {}", set.name());
    All(vec![ir, Compiled { name: set.name().to_owned(), title, note, form }])
}

impl All {
    /// The places that instructions come from, as they follow each other.
    pub fn places(&self) -> Vec<Place> {
        let mut seen = BTreeSet::new();
        let funcs = self.0.iter().filter_map(|stage| stage.func());
        let places = funcs.flat_map(|func| func.order().filter_map(|value| func.origin(value).place()));
        places.filter(|&place| seen.insert(place)).collect()
    }

    /// The model of arithmetic.
    pub fn model(&self) -> Model {
        self.0.iter().find_map(Compiled::func).map_or(Model::Hw, |func| func.numerics.model)
    }

    /// Operations of the chip that a place needs, once what is dead is gone.
    pub fn operations(&self, place: Place) -> usize {
        let simple = self.0.iter().find(|stage| stage.name == "simplified").and_then(Compiled::func);
        simple
            .map_or(0, |func| func.order().filter(|&value| func.origin(value).place() == Some(place)).count())
    }

    /// Bytes of machine code, by instruction set.
    pub fn bytes(&self) -> impl Iterator<Item = (&str, usize)> {
        self.0.iter().filter_map(|stage| match stage.form {
            Form::Code { bytes, .. } => Some((stage.name.as_str(), bytes)),
            Form::Ir(_) | Form::Plain(_) => None,
        })
    }

    /// As the page has them; places are numbered as they are named here.
    pub fn stages(&self, names: &[Place]) -> Vec<Stage> {
        let numbers: HashMap<Place, i32> = names.iter().copied().zip(0..).collect();
        self.0.iter().map(|stage| stage.lines(&numbers)).collect()
    }
}

impl Compiled {
    fn func(&self) -> Option<&Func> {
        match &self.form {
            Form::Ir(func) => Some(func),
            Form::Code { .. } | Form::Plain(_) => None,
        }
    }

    fn lines(&self, numbers: &HashMap<Place, i32>) -> Stage {
        let (lines, bytes) = match &self.form {
            Form::Ir(func) => (operations(func, numbers), 0),
            Form::Code { listing, bytes, of } => (instructions(listing, of, numbers), *bytes),
            Form::Plain(text) => (text.lines().map(|line| (-1, line.to_owned(), false)).collect(), 0),
        };
        let (name, title, mut note) = (self.name.clone(), self.title.clone(), self.note.clone());
        if bytes > 0 && lines.iter().all(|&(place, ..)| place < 0) {
            "The origin of the instructions in this code is not known.".clone_into(&mut note);
        }
        let is_plain = matches!(self.form, Form::Plain(_));
        let instructions = if is_plain { 0 } else { lines.iter().filter(|(.., is_head)| !is_head).count() };
        Stage { name, title, note, instructions, bytes, lines }
    }
}

/// A line of a function's own text, and the instruction that it is.
fn printed(func: &Func) -> impl Iterator<Item = (Option<Place>, String, bool)> {
    let text = format!("{func:#}");
    let mut order = func.order();
    let lines: Vec<_> = text
        .lines()
        .map(|line| match line.strip_prefix("  ").and_then(|_| order.next()) {
            Some(value) => (func.origin(value).place(), line.to_owned(), false),
            None => (None, line.to_owned(), true),
        })
        .collect();
    lines.into_iter()
}

fn number(place: Option<Place>, numbers: &HashMap<Place, i32>) -> i32 {
    place.and_then(|place| numbers.get(&place).copied()).unwrap_or(-1)
}

fn operations(func: &Func, numbers: &HashMap<Place, i32>) -> Vec<(i32, String, bool)> {
    printed(func).map(|(place, text, is_head)| (number(place, numbers), text, is_head)).collect()
}

/// Machine code: what stands behind a line that names an operation is for that one.
fn instructions(listing: &str, of: &Func, numbers: &HashMap<Place, i32>) -> Vec<(i32, String, bool)> {
    let places: HashMap<String, Option<Place>> =
        printed(of).map(|(place, text, _)| (text.trim().to_owned(), place)).collect();
    let mut current = -1;
    let line = |line: &str| {
        if let Some(head) = line.strip_prefix(';') {
            current = number(places.get(head.trim()).copied().flatten(), numbers);
            // Where it names none, code of no operation follows.
            return (!head.trim().is_empty()).then(|| (current, line.to_owned(), true));
        }
        Some((current, line.to_owned(), line.trim_end().ends_with(':')))
    };
    listing.lines().filter_map(line).collect()
}
