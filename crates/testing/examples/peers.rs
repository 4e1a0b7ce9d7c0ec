//! The benchmark programs P1 to P5 as other implementations take them (`benches/peers/run` measures these beside xfjit).
//!
//! ```text
//! peers DIR VERTICES
//! ```
//!
//! For each program NAME it writes `NAME.in` (vertices), `NAME.rows` (constants), `NAME.words` (microcode), `NAME.hw.out` and `NAME.ieee.out` (what xfjit computes),
//! `NAME.comp` (a compute shader without its first lines), and `NAME.hw.h` and `NAME.ieee.h` (its host operations as C over the vectors of `benches/peers/lanes.h`).
//! It prints the registers of attributes and outputs of each.

use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;
use std::{env, fs};
use xfjit::backend::{Backend, Interp};
use xfjit::front::Microcode;
use xfjit::runtime::batch::{Attribute, Inputs, Outputs};
use xfjit::runtime::num::Model;
use xfjit::runtime::state::Row;
use xfjit::{Worker, isa};
use xfjit_core::backend;
use xfjit_ir::ir::func::{Func, Inst, Value};
use xfjit_ir::ir::host::{LEAST_SUMMED, greatest_exponent};
use xfjit_ir::ir::imm::{Column, Element, Passed};
use xfjit_ir::ir::ops::{Double, Effect, Kind, Load, Op};
use xfjit_ir::machine::Machine;
use xfjit_isa::asm::glsl::glsl;
use xfjit_testing::programs::{self, Fixed};

const MODELS: [(&str, Model); 2] = [("hw", Model::Hw), ("ieee", Model::Ieee)];

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_ne_bytes()).collect()
}

/// What the reference makes of vertices.
fn results(fixed: &Fixed, model: Model, vertices: &[u32]) -> Vec<u32> {
    let shader = Microcode::shader(&fixed.program().into(), &fixed.config(model));
    let routine = Interp::Batched.prepare(&shader).expect("the interpreter takes every program");
    let count = vertices.len() / fixed.input_words();
    let rows: &[Row] = vertices.as_chunks().0;
    let column = |place: usize| rows.iter().copied().skip(place).step_by(fixed.attributes.len()).collect();
    let columns: Vec<Vec<Row>> = (0..fixed.attributes.len()).map(column).collect();
    let inputs =
        fixed.attributes.iter().zip(&columns).fold(Inputs::new(count), |inputs, (&register, column)| {
            inputs.with(register.into(), Attribute::rows(column))
        });
    let mut words = vec![0; count * fixed.output_words()];
    let mut outputs = Outputs::interleaved(&mut words, fixed.outputs);
    routine
        .run(&mut Worker::new(), &mut fixed.context(), &inputs, &mut outputs)
        .expect("the streams hold the batch");
    words
}

/// The text as a compute shader, of which an invocation runs a vertex; the lines before it say the version, and how many invocations a `GROUP` has.
fn compute(fixed: &Fixed) -> String {
    let text = glsl(fixed.generation, isa::Reading::default(), &fixed.program());
    let (inputs, outputs) = (fixed.attributes.len(), fixed.outputs.len());
    let mut attributes = String::new();
    let mut fetch = String::new();
    for (place, register) in fixed.attributes.iter().enumerate() {
        if text.interface.contains(&format!(" v{register};")) {
            let _ = writeln!(attributes, "vec4 v{register};");
            let _ = writeln!(fetch, "    v{register} = inputs[at * {inputs} + {place}];");
        }
    }
    // What `main` of the vertex shader hands on, each to its place.
    let mut store = String::new();
    for (to, from) in text.main.lines().filter_map(|line| line.trim().strip_suffix(';')?.split_once(" = ")) {
        let register = if to == "gl_Position" { "0" } else { to.trim_start_matches("out") };
        let place = fixed.outputs.iter().position(|output| output.to_string() == register);
        let place = place.expect("the outputs of the set are those that programs write");
        let _ = writeln!(store, "    outputs[at * {outputs} + {place}] = {from};");
    }
    let rows = programs::ROWS;
    let body = &text.body;
    format!(
        "precision highp float;\nprecision highp int;\nlayout(local_size_x = GROUP) in;\n\
         layout(std430, binding = 0) readonly buffer In {{ vec4 inputs[]; }};\n\
         layout(std430, binding = 1) writeonly buffer Out {{ vec4 outputs[]; }};\n\
         layout(std430, binding = 2) readonly buffer Rows {{ vec4 c[{rows}]; }};\n\
         {attributes}{body}\nvoid main() {{\n    int at = int(gl_GlobalInvocationID.x);\n{fetch}    program();\n{store}}}\n"
    )
}

/// The host operations of a program as a function of C. It goes on where a guard is raised, and returns how many groups had one.
struct Translation<'a> {
    fixed: &'a Fixed,
    func: &'a Func,
    text: String,
    tables: String,
}

impl Translation<'_> {
    fn of(fixed: &Fixed, model: Model) -> String {
        let shader = Microcode::shader(&fixed.program().into(), &fixed.config(model));
        let func = backend::to_host(shader.lower(), &Machine::X86_64);
        let mut translation = Translation { fixed, func: &func, text: String::new(), tables: String::new() };
        let (inputs, outputs) = (fixed.input_words(), fixed.output_words());
        for &value in &func.prologue {
            translation.instruction(value);
        }
        let prologue = std::mem::take(&mut translation.text);
        for (place, register) in fixed.attributes.iter().enumerate() {
            let _ = writeln!(
                translation.text,
                "        U i{register}x, i{register}y, i{register}z, i{register}w;\n        \
                 load_rows(in + at * {inputs} + {}, {inputs}, &i{register}x, &i{register}y, &i{register}z, &i{register}w);",
                4 * place
            );
        }
        for &value in &func.body {
            translation.instruction(value);
        }
        let Translation { text, tables, .. } = &translation;
        format!(
            "#define IN_WORDS {inputs}\n#define OUT_WORDS {outputs}\n{tables}\
             static size_t program(const uint32_t *in, const uint32_t *rows, uint32_t *out, size_t vertices) {{\n    \
             size_t guarded = 0;\n    U uniform = LIT(0);\n    #define guards uniform\n{prologue}    #undef guards\n    \
             for (size_t at = 0; at < vertices; at += LANES) {{\n        U guards = uniform;\n{text}        \
             guarded += any(guards);\n    }}\n    return guarded;\n}}\n"
        )
    }

    fn instruction(&mut self, value: Value) {
        let inst = self.func.inst(value);
        let name = value.index();
        let line = match inst.op.kind() {
            Kind::Effect(effect) => self.effect(effect, inst),
            Kind::Load(load) => format!("U v{name} = {};", self.load(load, inst)),
            Kind::Double(op) => {
                let result = if op == Double::Dlow { "U" } else { "D" };
                format!("{result} v{name} = {};", double(op, inst))
            }
            Kind::Pure(_) => format!("U v{name} = {};", pure(inst)),
            kind => unreachable!("{kind:?} in {} at the level of the host", self.fixed.name),
        };
        let _ = writeln!(self.text, "        {line}");
    }

    fn load(&mut self, load: Load, inst: &Inst) -> String {
        let [row] = operands(inst);
        match load {
            Load::Const => format!("LIT(0x{:x})", inst.imm),
            Load::Input => input(inst.immediate()),
            Load::Ctx => {
                let Element { row, component } = inst.immediate();
                format!("SPREAD(rows[{}])", 4 * row + component)
            }
            Load::Gather => format!("look_up(rows + {}, 4, {row})", inst.imm),
            Load::Table => {
                let Column { table, column } = inst.immediate();
                let name = format!("{}_{column}", table.text().replace(|c: char| !c.is_alphanumeric(), "_"));
                if !self.tables.contains(&format!(" {name}[")) {
                    let entries: Vec<String> =
                        table.rows().iter().map(|row| format!("0x{:x}", row[column])).collect();
                    let _ =
                        writeln!(self.tables, "static const uint32_t {name}[] = {{{}}};", entries.join(", "));
                }
                format!("look_up({name}, 1, {row})")
            }
            Load::Block | Load::Get => unreachable!("{} has no branches", self.fixed.name),
        }
    }

    fn effect(&self, effect: Effect, inst: &Inst) -> String {
        let numerics = self.func.numerics;
        let store = |register: usize, words: &[String]| {
            let place = self.fixed.outputs.iter().position(|&output| usize::from(output) == register);
            let place = place.expect("the outputs of the set are those that live");
            let words_of_all = self.fixed.output_words();
            format!(
                "store_rows(out + at * {words_of_all} + {}, {words_of_all}, {});",
                4 * place,
                words.join(", ")
            )
        };
        let [a] = operands(inst);
        match effect {
            Effect::Output => {
                store(inst.imm as usize, &inst.operands().iter().map(|&arg| text(arg)).collect::<Vec<_>>())
            }
            Effect::RowCopy => {
                let Passed { attribute, output } = inst.immediate();
                store(output, &Element::of_row(attribute).map(input))
            }
            Effect::RowGuard => {
                let words = Element::of_row(inst.imm as usize).map(input);
                words
                    .iter()
                    .map(|word| format!("guards |= (U)((F){word} != (F){word});"))
                    .collect::<Vec<_>>()
                    .join(" ")
            }
            Effect::Guard => format!("guards |= {a};"),
            Effect::BigGuard => {
                format!("guards |= (U)((S){a} > (S)LIT(0x{:x}));", greatest_exponent(numerics))
            }
            Effect::SmallGuard => format!("guards |= (U)({a} < LIT(0x{:x}));", LEAST_SUMMED - 1),
            Effect::Store | Effect::Written | Effect::Goto | Effect::Set => {
                unreachable!("{} neither branches nor writes constants", self.fixed.name)
            }
        }
    }
}

fn text(value: Value) -> String {
    format!("v{}", value.index())
}

/// The texts of as many operands as an instruction has.
fn operands<const N: usize>(inst: &Inst) -> [String; N] {
    std::array::from_fn(|place| inst.operands().get(place).map_or(String::new(), |&value| text(value)))
}

fn input(Element { row, component }: Element) -> String {
    format!("i{row}{}", ["x", "y", "z", "w"][component])
}

fn double(op: Double, inst: &Inst) -> String {
    let [a, b, c] = operands(inst);
    match op {
        Double::Promote => format!("promote({a})"),
        Double::Dadd => format!("{a} + {b}"),
        Double::Dsub => format!("{a} - {b}"),
        Double::Dmul => format!("{a} * {b}"),
        Double::Dfma => format!("dfma({a}, {b}, {c})"),
        Double::Dlow => format!("dlow({a})"),
    }
}

fn pure(inst: &Inst) -> String {
    let [a, b, c] = operands(inst);
    let count = inst.imm;
    let float = |operator: &str| format!("(U)((F){a} {operator} (F){b})");
    let signed = |operator: &str| format!("(U)((S){a} {operator} (S){b})");
    let chosen = |mask: String| format!("CHOOSE({mask}, {a}, {b})");
    match inst.op {
        Op::Iadd => format!("{a} + {b}"),
        Op::Isub => format!("{a} - {b}"),
        Op::Imul => format!("{a} * {b}"),
        Op::MulShr => format!("mulshr({a}, {b}, {count})"),
        Op::And => format!("{a} & {b}"),
        Op::AndNot => format!("{a} & ~{b}"),
        Op::Or => format!("{a} | {b}"),
        Op::Xor => format!("{a} ^ {b}"),
        Op::Shl => format!("{a} << {count}"),
        Op::Shr => format!("{a} >> {count}"),
        Op::Sar => format!("(U)((S){a} >> {count})"),
        Op::Swap => format!("swap({a})"),
        Op::Ieq => format!("(U)({a} == {b})"),
        Op::Igt => signed(">"),
        Op::Imin => chosen(signed("<")),
        Op::Imax => chosen(signed(">")),
        Op::Umin => chosen(format!("({a} < {b})")),
        Op::Select => format!("CHOOSE({a}, {b}, {c})"),
        Op::Fadd => float("+"),
        Op::Fsub => float("-"),
        Op::Fmul => float("*"),
        Op::Fdiv => float("/"),
        Op::Fsqrt => format!("fsqrt({a})"),
        Op::Ffloor => format!("ffloor({a})"),
        Op::Fmin => chosen(float("<")),
        Op::Fmax => chosen(float(">")),
        Op::Feq => float("=="),
        Op::Flt => float("<"),
        Op::Fle => float("<="),
        Op::Funord => format!("(U)((F){a} != (F){a}) | (U)((F){b} != (F){b})"),
        Op::Fma => format!("fma1({a}, {b}, {c})"),
        Op::CvtF => format!("(U)__builtin_convertvector((S){a}, F)"),
        Op::CvtI => format!("(U)__builtin_convertvector((F){a}, S)"),
        op => unreachable!("the machine has no {}", op.text()),
    }
}

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let [directory, count] = &words[..] else {
        eprintln!("usage: peers DIR VERTICES");
        return ExitCode::from(2);
    };
    let count: usize = count.parse().expect("a number of vertices");
    for fixed in &programs::ALL[..5] {
        let vertices = fixed.vertices(count);
        let mut files = vec![
            ("in".to_owned(), bytes(&vertices)),
            ("rows".to_owned(), bytes(fixed.constants().as_flattened())),
            ("words".to_owned(), bytes(&isa::encode(fixed.generation, &fixed.program()))),
            ("comp".to_owned(), compute(fixed).into_bytes()),
        ];
        for (name, model) in MODELS {
            files.push((format!("{name}.out"), bytes(&results(fixed, model, &vertices))));
            files.push((format!("{name}.h"), Translation::of(fixed, model).into_bytes()));
        }
        for (ending, bytes) in files {
            let path = Path::new(directory).join(format!("{}.{ending}", fixed.name));
            fs::write(path, bytes).expect("the directory can be written");
        }
        let list = |registers: &[u8]| registers.iter().map(u8::to_string).collect::<Vec<_>>().join(" ");
        println!("{} {} / {}", fixed.name, list(fixed.attributes), list(fixed.outputs));
    }
    ExitCode::SUCCESS
}
