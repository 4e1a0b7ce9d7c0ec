//! Decoded programs as GLSL for people to read. It uses plain floats, without the chip's zero rule, its rounding and its tables
//! (docs/isa/glsl.md). The text compiles, and on ordinary numbers it computes what the program computes.

mod flow;
mod instruction;
mod prelude;
#[cfg(test)]
mod tests;

use super::names;
use crate::isa::op::{Kind, Slot, VecOp};
use crate::isa::{Bank, Generation, Insn, OutTarget, Program, Reading, Source};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The entries of the stack of calls, and of the branch table (rankine_curie.md 3 and 8.3).
const STACK: usize = 8;
const TABLE: usize = 16;

/// A program as GLSL.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Glsl {
    /// Declarations for a vertex shader of GLSL 4.50: attributes, constants and outputs.
    pub interface: String,
    /// Registers, functions that operations need, and the function `program`, which computes outputs.
    pub body: String,
    /// The function `main` of a vertex shader, which passes the outputs on.
    pub main: String,
}

impl Glsl {
    /// The complete text, which is a vertex shader.
    pub fn shader(&self) -> String {
        format!("#version 450\n{}\n{}\n{}", self.interface, self.body, self.main)
    }
}

/// A program as GLSL.
///
/// ```
/// use xfjit_isa::asm::{self, glsl};
/// use xfjit_isa::chip::Generation;
/// use xfjit_isa::isa::Reading;
///
/// let program = asm::parse(Generation::Kelvin, "DP4 oPos.x, v0, c[96] + RCP r1.w, r0.x")?;
/// let glsl = glsl::glsl(Generation::Kelvin, Reading::default(), &program);
/// assert!(glsl.body.contains("    oPos.x = dot(v0, c[96]); // 0\n    r1.w = 1.0 / r0.x;\n"));
/// # Ok::<(), xfjit_isa::text::ParseErrors>(())
/// ```
pub fn glsl(generation: Generation, reading: Reading, program: &Program) -> Glsl {
    let names = Names::new(generation, reading, program);
    Glsl { interface: names.interface(), body: body(&names, program), main: names.main() }
}

/// What registers are called, and which of them there are.
struct Names {
    generation: Generation,
    /// The output that a temporary reads back (kelvin.md 2), if one does.
    read_back: bool,
    inputs: BTreeSet<u8>,
    /// Whether an index chooses an input or an output: then all of them are arrays.
    is_input_array: bool,
    is_output_array: bool,
    outputs: BTreeSet<u8>,
    temps: BTreeSet<u8>,
    addresses: BTreeSet<u8>,
    codes: BTreeSet<u8>,
    textures: BTreeSet<u8>,
    writes_constants: bool,
    reads_constants: bool,
    reads_booleans: bool,
    reads_table: bool,
}

impl Names {
    fn new(generation: Generation, reading: Reading, program: &Program) -> Names {
        let mut names = Names {
            generation,
            read_back: false,
            inputs: BTreeSet::new(),
            is_input_array: program.insns.iter().any(|insn| insn.input_indexed),
            is_output_array: program.insns.iter().any(|insn| insn.output_indexed),
            outputs: BTreeSet::new(),
            temps: BTreeSet::new(),
            addresses: BTreeSet::new(),
            codes: BTreeSet::new(),
            textures: BTreeSet::new(),
            writes_constants: false,
            reads_constants: false,
            reads_booleans: false,
            reads_table: false,
        };
        for insn in &program.insns {
            names.add(insn, reading.reads_position_back(generation));
        }
        names
    }

    fn add(&mut self, insn: &Insn, reads_back: bool) {
        let slots = insn.vec.reads().iter().chain(insn.sca.reads());
        let sources: Vec<&Source> = slots.map(|&slot: &Slot| insn.source(slot)).collect();
        for source in sources {
            match source.bank {
                Bank::None => {}
                Bank::Temp(n) if reads_back && n == crate::chip::programs::POSITION_READ_BACK => {
                    self.read_back = true
                }
                Bank::Temp(n) => drop(self.temps.insert(n)),
                Bank::Input => drop(self.inputs.insert(insn.input)),
                Bank::Constant => self.reads_constants = true,
            }
        }
        for write in [insn.vec_dst, insn.sca_dst] {
            if !write.mask.is_empty() {
                self.temps.insert(write.reg);
            }
        }
        if !insn.address_dst.mask.is_empty() {
            self.addresses.insert(insn.address_dst.reg);
        }
        let is_indexed = insn.indexed || insn.input_indexed || insn.output_indexed;
        if is_indexed || insn.sca.is_indirect() || insn.vec == VecOp::Ara || insn.sca.kind() == Kind::Push {
            self.addresses.insert(insn.address.reg);
        }
        let tests = [insn.condition, insn.branch.condition];
        self.codes.extend(tests.iter().filter(|on| instruction::is_tested(on.test)).map(|on| on.reg));
        self.codes.extend(insn.code.map(|code| code.reg));
        if insn.vec.kind() == Kind::Texel {
            self.textures.insert(insn.texture);
        }
        match insn.out.map(|out| out.target) {
            Some(OutTarget::Output(n)) => drop(self.outputs.insert(n)),
            Some(OutTarget::Constant(_)) => self.writes_constants = true,
            None => {}
        }
        if insn.output_indexed {
            self.outputs.extend(0..self.generation.outputs() as u8);
        }
        self.reads_booleans |= insn.sca.is_on_boolean();
        self.reads_table |= insn.sca.is_indirect();
    }

    fn has_constants(&self) -> bool {
        self.reads_constants || self.writes_constants
    }

    fn input(&self, n: u8) -> String {
        if self.is_input_array { format!("v[{n}]") } else { format!("v{n}") }
    }

    /// An output by its name, which is that of the assembler text.
    fn output(&self, n: u8) -> String {
        if self.is_output_array {
            return format!("o[{n}]");
        }
        match names::outputs(self.generation).get(usize::from(n)) {
            Some(names) => names[0].to_owned(),
            None => format!("o{n}"),
        }
    }

    /// What an input customarily is, as a comment.
    fn custom(&self, n: u8) -> String {
        names::input_name(self.generation, n.into()).map_or_else(String::new, |name| format!(" // {name}"))
    }

    fn interface(&self) -> String {
        let mut text = String::new();
        let mut line = |line: String| {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{line}");
        };
        if self.is_input_array {
            line("in vec4 v[16];".to_owned());
        } else {
            for &n in &self.inputs {
                line(format!("layout(location = {n}) in vec4 v{n};{}", self.custom(n)));
            }
        }
        if self.has_constants() {
            let name = if self.writes_constants { "constants" } else { "c" };
            line(format!("uniform vec4 {name}[{}];", self.generation.constants()));
        }
        if self.reads_booleans {
            line("uniform int b; // boolean constants, a bit each".to_owned());
        }
        if self.reads_table {
            line(format!("uniform int table[{TABLE}]; // slots of indirect branches"));
        }
        for n in &self.textures {
            line(format!("uniform sampler2D tex{n};"));
        }
        for &n in self.outputs.iter().filter(|&&n| self.is_output_array || !self.is_position(n)) {
            line(format!(
                "out vec4 out{n}; // {}",
                names::outputs(self.generation).get(usize::from(n)).map_or("", |names| names[0])
            ));
        }
        text
    }

    fn is_position(&self, n: u8) -> bool {
        names::output_number(self.generation, "oPos") == Some(usize::from(n))
    }

    /// Registers as variables, with the values in which programs start (kelvin.md 2, rankine_curie.md 2.3 and 3).
    fn registers(&self) -> String {
        let mut text = String::new();
        let all = |set: &BTreeSet<u8>, letter: &str, value: &str| -> String {
            set.iter().map(|n| format!("{letter}{n} = {value}")).collect::<Vec<_>>().join(", ")
        };
        let mut line = |kind: &str, all: String| {
            if !all.is_empty() {
                let _ = writeln!(text, "{kind} {all};");
            }
        };
        if self.writes_constants {
            line("vec4", format!("c[{}]", self.generation.constants()));
        }
        line("vec4", all(&self.temps, "r", "vec4(0.0)"));
        if self.read_back {
            line("vec4", format!("r{} = vec4(0.0)", crate::chip::programs::POSITION_READ_BACK));
        }
        line("ivec4", all(&self.addresses, "a", "ivec4(0)"));
        line("vec4", all(&self.codes, "cc", "vec4(0.0)"));
        let outputs: Vec<String> =
            self.outputs.iter().map(|&n| format!("{} = vec4(0.0, 0.0, 0.0, 1.0)", self.output(n))).collect();
        match self.is_output_array {
            true => line("vec4", format!("o[{}]", self.generation.outputs())),
            false => line("vec4", outputs.join(", ")),
        }
        text
    }

    fn main(&self) -> String {
        let mut text = "void main() {\n    program();\n".to_owned();
        for &n in &self.outputs {
            if self.is_position(n) {
                let _ = writeln!(text, "    gl_Position = {};", self.output(n));
            }
            if self.is_output_array || !self.is_position(n) {
                let _ = writeln!(text, "    out{n} = {};", self.output(n));
            }
        }
        text + "}\n"
    }
}

fn body(names: &Names, program: &Program) -> String {
    let flow = flow::flow(names, program);
    let mut start = String::new();
    if names.writes_constants {
        let rows = names.generation.constants();
        let _ = writeln!(start, "    for (int row = 0; row < {rows}; ++row) c[row] = constants[row];");
    }
    if names.is_output_array {
        let outputs = names.generation.outputs();
        let _ = writeln!(start, "    for (int n = 0; n < {outputs}; ++n) o[n] = vec4(0.0, 0.0, 0.0, 1.0);");
    }
    let functions = prelude::functions(names, &flow);
    format!("{}{functions}\nvoid program() {{\n{start}{flow}}}\n", names.registers())
}
