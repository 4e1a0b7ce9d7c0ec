//! Decoded programs as texts of OpenGL's languages, as far as these can express them (docs/isa/opengl.md, "From microcode to
//! text"). Translating the text back gives a program with the same results, which has one slot for each operation and
//! destination.

use super::super::assemble::Operator;
use super::super::names::COMPONENTS;
use super::super::print::insn::{condition, mask};
use super::super::split::{self, Statement, To};
use super::language::Language;
use super::ops::{Action, Form, Lookup, OPCODES, Opcode};
use super::outputs;
use crate::chip::programs::POSITION_READ_BACK;
use crate::isa::op::{ScaOp, Slot, VecOp};
use crate::isa::{Bank, Generation, Insn, Mask, OutTarget, Program, Source, Swizzle, Unit};

use std::collections::BTreeSet;

mod unsaid;
mod words;

pub use unsaid::{Unsaid, Unsayable};
pub use words::Notation;
use words::{Words, result};

/// Returns the text of a program.
///
/// ```
/// use xfjit_isa::asm::{self, gl};
/// use xfjit_isa::chip::Generation;
///
/// let program = asm::parse(Generation::Kelvin, "DP4 oPos.x, v0, c[96] + RCP r1.w, r0.x")?;
/// let text = gl::say(Generation::Kelvin, &program, gl::Notation::Nv).expect("it can be said");
/// assert_eq!(text, "!!VP1.1\nDP4 o[HPOS].x, v[0], c[0];\nRCP R1.w, R0.x;\nEND\n");
/// # Ok::<(), xfjit_isa::text::ParseErrors>(())
/// ```
///
/// # Errors
/// Some instructions cannot be expressed; the error lists them with the reasons.
pub fn say(generation: Generation, program: &Program, notation: Notation) -> Result<String, Vec<Unsayable>> {
    let writes = |insn: &Insn| matches!(insn.out, Some(out) if matches!(out.target, OutTarget::Constant(_)));
    let words = Words::new(generation, notation, program.insns.iter().any(writes));
    let Program { insns, first, start, .. } = program;
    let last = first + insns.len().saturating_sub(1);
    let mut labels: BTreeSet<usize> = program.labels().into_iter().map(usize::from).collect();
    let mut text = words.head(insns);
    let head = text.len();
    let mut unsayable = Vec::new();
    if first != start {
        labels.insert(*start);
        text += &format!("BRA L{start};\n");
    }
    let mut ends = false;
    for (slot, insn) in (*first..).zip(insns) {
        if labels.contains(&slot) {
            text += &format!("L{slot}:\n");
        }
        let say = Say { generation, words, insn, labels: &labels };
        match say.instruction() {
            Ok(said) => said.iter().for_each(|statement| text += &format!("{statement};\n")),
            Err(why) => unsayable.push(Unsayable { slot, why }),
        }
        if insn.end && slot != last {
            if !words.has_conditions() || say.branches() {
                unsayable.push(Unsayable { slot, why: Unsaid::End });
            }
            ends = true;
            text += "BRA Lend;\n";
        }
    }
    if ends {
        text += "Lend:\n";
    }
    if text.len() == head && !words.language.may_be_empty() {
        // The grammar asks for an instruction.
        text += "MOV R0, R0;\n";
    }
    text += "END\n";
    if unsayable.is_empty() { Ok(text) } else { Err(unsayable) }
}

/// An instruction on its way to text.
struct Say<'a> {
    generation: Generation,
    words: Words,
    insn: &'a Insn,
    labels: &'a BTreeSet<usize>,
}

/// `.x` or `.zyxw`; nothing where nothing changes.
fn swizzle(Swizzle(from): Swizzle) -> String {
    match from {
        [0, 1, 2, 3] => String::new(),
        [x, y, z, w] if [y, z, w] == [x; 3] => format!(".{}", COMPONENTS[usize::from(x & 3)]),
        all => std::iter::once('.').chain(all.map(|c| COMPONENTS[usize::from(c & 3)])).collect(),
    }
}

impl Say<'_> {
    fn branches(&self) -> bool {
        self.insn.sca.is_branch()
    }

    fn instruction(&self) -> Result<Vec<String>, Unsaid> {
        split::split(self.insn)?.iter().map(|statement| self.statement(statement)).collect()
    }

    fn statement(&self, statement: &Statement) -> Result<String, Unsaid> {
        if statement.to == To::Flow {
            return self.flow();
        }
        let opcode = self.opcode(statement.unit)?;
        let Statement { unit, to, mask: written, code } = *statement;
        let code = match code {
            // It updates none, whatever the word says.
            _ if opcode.form == Form::Pop => "",
            None => "",
            Some(0) => "C",
            Some(_) => "C1",
        };
        let is_value = !matches!(opcode.form, Form::Address | Form::AddressSum | Form::Pop);
        let saturate = if self.insn.saturate && is_value { "_SAT" } else { "" };
        let (to, when) = (self.destination(to, written)?, condition(self.insn.condition, swizzle));
        let operands: Vec<String> = self.operands(unit, opcode)?;
        let operands: String = operands.iter().map(|operand| format!(", {operand}")).collect();
        Ok(format!("{}{code}{saturate} {to}{when}{operands}", opcode.name))
    }

    /// The row of an operation.
    fn opcode(&self, unit: Unit) -> Result<&'static Opcode, Unsaid> {
        let (wanted, name) = match (unit, self.insn.vec, self.insn.sca) {
            (Unit::Vec, VecOp::Mov, _) | (Unit::Sca, _, ScaOp::Mov) => (Action::Plain(Operator::Mov), "MOV"),
            (Unit::Vec, VecOp::Txl, _) => (Action::Texture(Lookup::Level), "TXL"),
            (Unit::Vec, op, _) => (Action::Plain(Operator::Vec(op)), op.mnemonic()),
            (Unit::Sca, _, op) => (Action::Plain(Operator::Sca(op)), op.mnemonic()),
        };
        let is_it = |opcode: &&Opcode| {
            opcode.action == wanted && opcode.sets & self.words.sets != 0 && opcode.name == name
        };
        // From Rankine on the languages take the absolute value here, which the chip does only if it is told to.
        let takes_absolute = match self.insn.sca {
            ScaOp::Log => true,
            ScaOp::Rsq => self.words.is_arb(),
            _ => false,
        };
        let &Source { absolute, negate, .. } = self.insn.source(Slot::C);
        let is_signed = takes_absolute && unit == Unit::Sca && (negate || !absolute);
        if is_signed && self.generation > Generation::Kelvin {
            return Err(Unsaid::Signed(name));
        }
        OPCODES.iter().find(is_it).ok_or(Unsaid::Operation(name))
    }

    fn destination(&self, to: To, written: Mask) -> Result<String, Unsaid> {
        let register = match to {
            To::Temp(n) => self.temp(n)?,
            To::Output(n) => return self.output(n, written),
            To::Constant(_) if self.words.is_arb() => return Err(Unsaid::State),
            To::Constant(row) => format!("c[{}]", self.parameter(row)?),
            To::Address(n) if !self.words.has_conditions() => return Ok(format!("A{n}.x")),
            To::Address(n) => format!("A{n}"),
            To::Codes => "CC".to_owned(),
            To::Flow => String::new(),
        };
        Ok(register + &mask(written))
    }

    fn temp(&self, n: u8) -> Result<String, Unsaid> {
        let is_read_back = self.generation == Generation::Kelvin && n == POSITION_READ_BACK;
        match u16::from(n) < self.words.temps && !is_read_back {
            true => Ok(format!("R{n}")),
            false => Err(Unsaid::Register(format!("temporary {n}"))),
        }
    }

    /// An output, of which names of one component have that alone.
    fn output(&self, n: u8, written: Mask) -> Result<String, Unsaid> {
        if self.words.language == Language::Vsp10 {
            return Err(Unsaid::State);
        }
        let textures = (0..outputs::TEXTURES).map(|number| format!("TEX{number}"));
        let clips = (0..outputs::CLIPS).map(|number| format!("CLP{number}"));
        let names = outputs::NAMES.iter().map(|name| (*name).to_owned()).chain(textures);
        let names = names.chain(clips.filter(|_| self.generation == Generation::Rankine));
        for name in names {
            let Some(Ok(found)) = outputs::output(self.generation, &name) else { continue };
            if found.n != n {
                continue;
            }
            let index = match self.insn.output_indexed {
                true => format!(" + {}", self.address()),
                false => String::new(),
            };
            let name = match self.words.is_arb() {
                true if !index.is_empty() => {
                    return Err(Unsaid::Register("an output with an index".to_owned()));
                }
                true => result(&name),
                false => format!("o[{name}{index}]"),
            };
            return match found.single {
                None => Ok(name + &mask(written)),
                Some(0) if written == Mask(8) && index.is_empty() => Ok(name + ".x"),
                Some(_) => Err(Unsaid::Register(format!("output {n}{}", mask(written)))),
            };
        }
        Err(Unsaid::Register(format!("output {n}")))
    }

    /// The number of a row of constants.
    fn parameter(&self, row: u16) -> Result<u16, Unsaid> {
        let number = row.checked_sub(self.generation.user_rows().start);
        let number = number.filter(|&number| number < self.words.parameters);
        number.ok_or_else(|| Unsaid::Register(format!("row {row} of constants")))
    }

    /// `A0.x`
    fn address(&self) -> String {
        let address = self.insn.address;
        format!("A{}.{}", address.reg, COMPONENTS[usize::from(address.component & 3)])
    }

    fn register(&self, bank: Bank) -> Result<String, Unsaid> {
        let Insn { input, constant, indexed, input_indexed, .. } = *self.insn;
        Ok(match bank {
            Bank::None => return Err(Unsaid::Register("an operand without a register".to_owned())),
            Bank::Temp(n) => self.temp(n)?,
            Bank::Input if self.words.is_arb() && input_indexed => {
                return Err(Unsaid::Register("an attribute with an index".to_owned()));
            }
            Bank::Input if self.words.is_arb() => format!("vertex.attrib[{input}]"),
            Bank::Input if self.words.language == Language::Vsp10 && (input != 0 || input_indexed) => {
                return Err(Unsaid::State);
            }
            Bank::Input if input_indexed => format!("v[{} + {input}]", self.address()),
            Bank::Input => format!("v[{input}]"),
            Bank::Constant if usize::from(constant) >= self.generation.constants() => {
                return Err(Unsaid::Register(format!("row {constant} of constants")));
            }
            Bank::Constant if indexed => {
                let offset = i32::from(constant) - i32::from(self.generation.user_rows().start);
                match offset {
                    0 => format!("c[{}]", self.address()),
                    1.. => format!("c[{} + {offset}]", self.address()),
                    _ => format!("c[{} - {}]", self.address(), -offset),
                }
            }
            Bank::Constant => format!("c[{}]", self.parameter(constant)?),
        })
    }

    fn source(&self, source: &Source, letters: &str) -> Result<String, Unsaid> {
        let sign = if source.negate { "-" } else { "" };
        let bar = if source.absolute { "|" } else { "" };
        Ok(format!("{sign}{bar}{}{letters}{bar}", self.register(source.bank)?))
    }

    fn operands(&self, unit: Unit, opcode: &Opcode) -> Result<Vec<String>, Unsaid> {
        let slots: &[Slot] = match unit {
            Unit::Vec => self.insn.vec.reads(),
            Unit::Sca => self.insn.sca.reads(),
        };
        let is_one = match opcode.form {
            Form::Scalar(_) => true,
            Form::Address => !self.words.has_conditions(),
            _ => false,
        };
        let mut operands = Vec::new();
        if opcode.form != Form::Unread {
            for &slot in slots {
                let source = self.insn.source(slot);
                let letters = match is_one {
                    true => format!(".{}", COMPONENTS[usize::from(source.swizzle.0[0] & 3)]),
                    false => swizzle(source.swizzle),
                };
                operands.push(self.source(source, &letters)?);
            }
        }
        match opcode.form {
            Form::Texture => {
                let name = if self.words.is_arb() {
                    format!("texture[{}]", self.insn.texture)
                } else {
                    format!("TEX{}", self.insn.texture)
                };
                operands.extend([name, "2D".to_owned()]);
            }
            Form::AddressSum => operands.push(format!("A{}", self.insn.address.reg)),
            _ => {}
        }
        Ok(operands)
    }

    fn flow(&self) -> Result<String, Unsaid> {
        let insn = self.insn;
        let opcode = self.opcode(Unit::Sca)?;
        let name = opcode.name;
        let when = condition(insn.branch.condition, swizzle);
        match opcode.form {
            Form::Jump if self.labels.contains(&insn.branch.target.into()) => {
                Ok(format!("{name} L{}{when}", insn.branch.target))
            }
            Form::Jump => Err(Unsaid::Register(format!("slot {}", insn.branch.target))),
            Form::Push => Ok(format!("{name} A{}", insn.address.reg)),
            _ => Ok(format!("{name}{when}")),
        }
    }
}
