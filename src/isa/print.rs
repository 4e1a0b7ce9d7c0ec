//! Assembler text of decoded instructions, in the grammar of [`parse`](super::parse()): reading it back gives the same
//! instructions.

use std::fmt;

use super::insn::{Bank, Insn, Mask, OutTarget, Program, Source, Swizzle, Unit};
use super::names::{COMPONENTS, SCALAR_MOV, outputs};
use super::op::{ScaOp, Slot, VecOp};
use super::{Generation, kelvin};

/// The text of a program, one instruction a line.
pub fn print(generation: Generation, program: &Program) -> String {
    let mut out = String::new();
    if program.start != 0 {
        out += &format!(".start {}\n", program.start);
    }
    for insn in &program.insns {
        out += &print_insn(generation, insn);
        out += "\n";
    }
    if program.unterminated {
        out += ".noend\n";
    }
    out
}

/// The text of one instruction, without a line end. END is not part of it: the last instruction of a text has it.
pub fn print_insn(generation: Generation, insn: &Insn) -> String {
    Text { generation, insn }.to_string()
}

/// The letters of a set of components.
fn mask(mask: Mask) -> String {
    if mask == Mask::ALL {
        return String::new();
    }
    std::iter::once('.').chain(mask.components().map(|c| COMPONENTS[c])).collect()
}

/// The letters of a swizzle; a last letter that repeats is written once.
fn swizzle(swizzle: Swizzle) -> String {
    if swizzle == Swizzle::IDENTITY {
        return String::new();
    }
    let mut letters: Vec<char> = swizzle.0.iter().map(|&c| COMPONENTS[usize::from(c & 3)]).collect();
    let last = letters[3];
    while letters.len() > 1 && letters[letters.len() - 2] == last {
        letters.pop();
    }
    std::iter::once('.').chain(letters).collect()
}

struct Text<'a> {
    generation: Generation,
    insn: &'a Insn,
}

impl Text<'_> {
    fn temp(&self, unit: Unit) -> Option<String> {
        let write = match unit {
            Unit::Vec => self.insn.vec_dst,
            Unit::Sca => self.insn.sca_dst,
        };
        (!write.mask.is_empty()).then(|| format!("r{}{}", write.reg, mask(write.mask)))
    }

    fn out(&self, unit: Unit) -> Option<String> {
        let out = self.insn.out.filter(|out| !out.mask(unit).is_empty())?;
        Some(match out.target {
            OutTarget::Output(n) => match outputs(self.generation).get(usize::from(n)) {
                Some(names) => format!("{}{}", names[0], mask(out.mask(unit))),
                None => format!("o{n}{}", mask(out.mask(unit))),
            },
            OutTarget::Constant(row) => format!("c[{row}]{}", mask(out.mask(unit))),
        })
    }

    fn register(&self, bank: Bank) -> String {
        let Insn { input, constant, indexed, .. } = *self.insn;
        match bank {
            Bank::None => "_".to_owned(),
            Bank::Temp(n) => format!("r{n}"),
            Bank::Input => format!("v{input}"),
            Bank::Constant if indexed && constant == 0 => "c[a0]".to_owned(),
            Bank::Constant if indexed => format!("c[a0 + {constant}]"),
            Bank::Constant if constant >= kelvin::CONSTANTS => format!("c[!{constant}]"),
            Bank::Constant => format!("c[{constant}]"),
        }
    }

    fn source(&self, source: &Source, swizzle: &str) -> String {
        let sign = if source.negate { "-" } else { "" };
        format!("{sign}{}{swizzle}", self.register(source.bank))
    }

    /// The operation once for each destination, the output first.
    fn operation(&self, unit: Unit, mnemonic: &str, sources: &[String]) -> Vec<String> {
        let sources = sources.join(", ");
        let destinations = self.out(unit).into_iter().chain(self.temp(unit));
        destinations.map(|destination| format!("{mnemonic} {destination}, {sources}")).collect()
    }

    fn vec(&self) -> Vec<String> {
        let insn = self.insn;
        let slots = insn.vec.reads().iter();
        let sources: Vec<String> =
            slots.map(|&slot| insn.source(slot)).map(|s| self.source(s, &swizzle(s.swizzle))).collect();
        match insn.vec {
            VecOp::Arl => vec![format!("ARL a0.x, {}", sources.join(", "))],
            op => self.operation(Unit::Vec, op.mnemonic(), &sources),
        }
    }

    fn sca(&self) -> Vec<String> {
        let insn = self.insn;
        let source = insn.source(Slot::C);
        let letters = match insn.sca {
            ScaOp::Nop | ScaOp::Mov | ScaOp::Lit => swizzle(source.swizzle),
            _ if source.bank == Bank::None => String::new(),
            _ => swizzle(Swizzle([source.swizzle.0[0]; 4])),
        };
        // After a vector operation that is no MOV of the same source, a MOV can only be the scalar one.
        let plain = match insn.vec {
            VecOp::Nop => false,
            VecOp::Mov => insn.source(Slot::A) != source,
            _ => true,
        };
        let mnemonic = match insn.sca {
            ScaOp::Mov if !plain => SCALAR_MOV,
            op => op.mnemonic(),
        };
        self.operation(Unit::Sca, mnemonic, &[self.source(source, &letters)])
    }
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut operations = self.vec();
        operations.extend(self.sca());
        if operations.is_empty() {
            return f.write_str("NOP");
        }
        for (i, operation) in operations.iter().enumerate() {
            if i > 0 {
                f.write_str(" + ")?;
            }
            f.write_str(operation)?;
        }
        Ok(())
    }
}
