//! Assembler text of one instruction.

use std::collections::BTreeSet;
use std::fmt;

use super::super::names::{COMPONENTS, SCALAR_MOV, Suffix, TESTS, outputs};
use super::label;
use crate::isa::op::{Effect, ScaOp, Slot, Takes, VecOp};
use crate::isa::{Bank, Condition, Insn, Mask, OutTarget, Source, Swizzle, Test, Unit};
use crate::isa::{Generation, predicate};

/// The letters of a set of components.
pub(in crate::asm) fn mask(mask: Mask) -> String {
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

/// ` (GT1.x)`, with letters as a language has them; nothing where the test always passes.
pub(in crate::asm) fn condition(condition: Condition, swizzle: fn(Swizzle) -> String) -> String {
    if condition.test == Test::Tr {
        return String::new();
    }
    let reg = if condition.reg == 0 { "" } else { "1" };
    format!(" ({}{reg}{})", TESTS[condition.test as usize], swizzle(condition.swizzle))
}

/// An instruction, and the slots that have a name.
pub(super) struct Text<'a> {
    pub(super) generation: Generation,
    pub(super) insn: &'a Insn,
    pub(super) labels: &'a BTreeSet<u16>,
}

impl Text<'_> {
    /// `a0.x + 12`, or Kelvin's `a0 + 12`.
    fn indexed(&self, base: u16) -> String {
        let address = self.insn.address;
        let component = match self.generation {
            Generation::Kelvin => String::new(),
            Generation::Rankine | Generation::Curie => {
                format!(".{}", COMPONENTS[usize::from(address.component & 3)])
            }
        };
        let base = if base == 0 { String::new() } else { format!(" + {base}") };
        format!("a{}{component}{base}", address.reg)
    }

    fn out(&self, unit: Unit) -> Option<String> {
        let out = self.insn.out.filter(|out| !out.mask(unit).is_empty())?;
        let register = match out.target {
            OutTarget::Output(n) if self.insn.output_indexed => format!("o[{}]", self.indexed(n.into())),
            OutTarget::Output(n) => match outputs(self.generation).get(usize::from(n)) {
                Some(names) => names[0].to_owned(),
                None => format!("o{n}"),
            },
            OutTarget::Constant(row) => format!("c[{row}]"),
        };
        Some(register + &mask(out.mask(unit)))
    }

    fn temp(&self, unit: Unit) -> Option<String> {
        let write = self.insn.temp_write(unit);
        (!write.mask.is_empty()).then(|| format!("r{}{}", write.reg, mask(write.mask)))
    }

    /// The condition register, where it takes more components than all other destinations.
    fn code(&self, unit: Unit) -> Option<String> {
        let code = self.insn.code.filter(|code| code.from == unit)?;
        let others = Insn { code: None, ..*self.insn }.written(unit);
        (code.mask != others).then(|| format!("cc{}", mask(code.mask)))
    }

    fn address(&self) -> String {
        let write = self.insn.address_dst;
        match (write.mask.is_empty(), self.generation) {
            (true, _) => "_".to_owned(),
            (false, Generation::Kelvin) => "a0.x".to_owned(),
            (false, _) => format!("a{}{}", write.reg, mask(write.mask)),
        }
    }

    fn suffix(&self, unit: Unit, effect: Effect) -> Suffix {
        Suffix {
            code: self.insn.code.filter(|code| code.from == unit).map(|code| code.reg),
            saturate: self.insn.saturate && effect == Effect::Value,
        }
    }

    fn register(&self, bank: Bank) -> String {
        let Insn { input, constant, indexed, input_indexed, .. } = *self.insn;
        match bank {
            Bank::None => "_".to_owned(),
            Bank::Temp(n) => format!("r{n}"),
            Bank::Input if input_indexed => format!("v[{}]", self.indexed(input.into())),
            Bank::Input => format!("v{input}"),
            Bank::Constant if indexed => format!("c[{}]", self.indexed(constant)),
            Bank::Constant if usize::from(constant) >= self.generation.constants() => {
                format!("c[!{constant}]")
            }
            Bank::Constant => format!("c[{constant}]"),
        }
    }

    fn source(&self, source: &Source, swizzle: &str) -> String {
        let sign = if source.negate { "-" } else { "" };
        let bar = if source.absolute { "|" } else { "" };
        format!("{sign}{bar}{}{swizzle}{bar}", self.register(source.bank))
    }

    /// The operation once for each destination, the output first.
    fn operation(&self, unit: Unit, mnemonic: &str, sources: &[String]) -> Vec<String> {
        let sources: String = sources.iter().map(|source| format!(", {source}")).collect();
        let suffix = self.suffix(unit, Effect::Value);
        let condition = condition(self.insn.condition, swizzle);
        let destinations = self.out(unit).into_iter().chain(self.temp(unit)).chain(self.code(unit));
        destinations.map(|to| format!("{mnemonic}{suffix} {to}{condition}{sources}")).collect()
    }

    fn vec(&self) -> Vec<String> {
        let insn = self.insn;
        let slots = insn.vec.reads().iter();
        let mut sources: Vec<String> =
            slots.map(|&slot| insn.source(slot)).map(|s| self.source(s, &swizzle(s.swizzle))).collect();
        match insn.vec.takes() {
            Takes::Texture => sources.push(format!("tex{}", insn.texture)),
            Takes::Address => sources.push(format!("a{}", insn.address.reg)),
            Takes::Nothing => {}
        }
        let mnemonic = insn.vec.mnemonic();
        if insn.vec.effect() == Effect::Address {
            let suffix = self.suffix(Unit::Vec, Effect::Address);
            let (to, condition) = (self.address(), condition(insn.condition, swizzle));
            return vec![format!("{mnemonic}{suffix} {to}{condition}, {}", sources.join(", "))];
        }
        self.operation(Unit::Vec, mnemonic, &sources)
    }

    fn flow(&self) -> String {
        let insn = self.insn;
        let op = insn.sca;
        let mut text = op.mnemonic().to_owned();
        let target = insn.branch.target;
        if op.names_slot() {
            text += &match self.labels.contains(&target) {
                true => format!(" {}", label(target)),
                false => format!(" {target}"),
            };
        }
        if op.is_indirect() {
            text += &format!(" {}", self.indexed(0));
        } else if op.takes() == Takes::Address {
            text += &format!(" a{}", insn.address.reg);
        } else if op.is_on_boolean() {
            let not = if insn.branch.polarity { "" } else { "!" };
            text += &format!(", {not}b{}", insn.branch.bit);
        }
        if predicate::tests(op) {
            text += &condition(insn.branch.condition, swizzle);
        }
        text
    }

    fn popa(&self) -> String {
        // Beside another operation that writes an address register there is no register left for it.
        let to = if self.insn.address_from() == Some(Unit::Sca) { self.address() } else { "_".to_owned() };
        let suffix = self.suffix(Unit::Sca, Effect::Address);
        format!("POPA{suffix} {to}{}", condition(self.insn.condition, swizzle))
    }

    fn sca(&self) -> Vec<String> {
        let insn = self.insn;
        let source = insn.source(Slot::C);
        let whole = match insn.sca.effect() {
            Effect::Address => return vec![self.popa()],
            Effect::Flow => return vec![self.flow()],
            Effect::Nothing => true,
            // Where x alone is read the other components say nothing.
            Effect::Value => insn.read_by(Unit::Sca, Slot::C) != Mask(8) || insn.sca == ScaOp::Mov,
        };
        let letters = if whole {
            swizzle(source.swizzle)
        } else if source.bank == Bank::None {
            String::new()
        } else {
            swizzle(Swizzle([source.swizzle.0[0]; 4]))
        };
        // After a vector operation that is no MOV of the same source, a MOV can only be the scalar one.
        let plain = insn.vec != VecOp::Nop && (insn.vec != VecOp::Mov || insn.source(Slot::A) != source);
        let mnemonic = if insn.sca == ScaOp::Mov && !plain { SCALAR_MOV } else { insn.sca.mnemonic() };
        self.operation(Unit::Sca, mnemonic, &[self.source(source, &letters)])
    }
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut operations = self.vec();
        operations.extend(self.sca());
        f.write_str(&if operations.is_empty() { "NOP".to_owned() } else { operations.join(" + ") })
    }
}
