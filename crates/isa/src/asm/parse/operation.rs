//! Operations of the assembler text: mnemonic, operands, condition.

use std::ops::Range;

use super::super::assemble::{Destination, Extra, Operand, Operation, Operator, Target};
use super::super::lex::Kind;
use super::super::names::{Mnemonic, Suffix, TESTS, mnemonic, mnemonics, nearest};
use super::operand::Name;
use super::{Parsed, Parser};
use crate::isa::op::{Effect, Jump, ScaOp, Takes, To, VecOp};
use crate::isa::reads::canonical_condition;
use crate::isa::{AddressComponent, Condition, Swizzle, Test};
use crate::isa::{Generation, predicate};
use crate::text::Problem;

/// Slots that the target field of a generation can name.
const fn targets(generation: Generation) -> u16 {
    match generation {
        Generation::Kelvin => 0,
        Generation::Rankine => 0x200,
        Generation::Curie => 0x400,
    }
}

impl Parser<'_> {
    pub(super) fn mnemonic(&mut self) -> Parsed<(Mnemonic, Suffix)> {
        let token = self.next();
        let word = self.text_of(&token);
        if token.kind != Kind::Word {
            return Err(self.unexpected(&token, "a mnemonic"));
        }
        let generation = self.generation;
        let Some((mnemonic, suffix)) = mnemonic(word) else {
            let problem = Problem::new(token.span, format!("`{word}` is not a mnemonic"));
            let known = mnemonics().filter(|(_, mnemonic)| mnemonic.since() <= generation);
            return Err(match nearest(word, known.map(|(name, _)| name)) {
                Some(name) => problem.help(format!("did you mean {name}?")),
                None => problem,
            });
        };
        let name = generation.name();
        let message = if mnemonic.since() > generation {
            format!("{name} has no {word}; it came with {}", mnemonic.since().name())
        } else if suffix.saturate && generation != Generation::Curie {
            format!("{name} cannot saturate results")
        } else if suffix.code.is_some() && generation == Generation::Kelvin {
            format!("{name} has no condition codes")
        } else if suffix.code == Some(1) && generation == Generation::Rankine {
            format!("{name} has one condition register")
        } else {
            return self.allow(mnemonic, suffix).map_err(|message| Problem::new(token.span, message));
        };
        Err(Problem::new(token.span, message))
    }

    /// Whether the operation has a result that the suffix could be about.
    fn allow(&self, mnemonic: Mnemonic, suffix: Suffix) -> Result<(Mnemonic, Suffix), String> {
        let effect = match mnemonic {
            Mnemonic::Vec(op) => op.effect(),
            Mnemonic::Sca(op) => op.effect(),
            Mnemonic::Mov | Mnemonic::Sub | Mnemonic::Abs => Effect::Value,
            Mnemonic::Nop | Mnemonic::End => Effect::Nothing,
        };
        if suffix.saturate && effect != Effect::Value {
            return Err("only results can be saturated".to_owned());
        }
        if suffix.code.is_some() && !matches!(effect, Effect::Value | Effect::Address) {
            return Err("only results update condition codes".to_owned());
        }
        Ok((mnemonic, suffix))
    }

    pub(super) fn operation(
        &mut self,
        mnemonic: Mnemonic,
        suffix: Suffix,
        span: Range<usize>,
    ) -> Parsed<Operation> {
        let kelvin = self.generation == Generation::Kelvin;
        let (operator, count) = match mnemonic {
            Mnemonic::Nop | Mnemonic::End => (Operator::Nop, 0),
            Mnemonic::Vec(op) => (Operator::Vec(op), op.reads().len()),
            Mnemonic::Sca(op) => (Operator::Sca(op), op.reads().len()),
            Mnemonic::Mov => (Operator::Mov, 1),
            Mnemonic::Sub => (Operator::Vec(VecOp::Add), 2),
            Mnemonic::Abs if kelvin => (Operator::Vec(VecOp::Max), 1),
            Mnemonic::Abs => (Operator::Vec(VecOp::Mov), 1),
        };
        let mut operation = Operation {
            operator,
            suffix,
            span,
            destination: None,
            condition: Condition::ALWAYS,
            sources: Vec::new(),
            extra: Extra::None,
        };
        match operator {
            Operator::Nop => return Ok(operation),
            Operator::Sca(op) if op.effect() == Effect::Flow => {
                self.flow(op, &mut operation)?;
                return Ok(operation);
            }
            Operator::Sca(ScaOp::Popa) if self.text_of(&self.peek().clone()) == "_" => {
                let token = self.next();
                let target = Target::Nowhere;
                let mask = crate::isa::Mask::ALL;
                operation.destination = Some(Destination { target, mask, index: None, span: token.span });
            }
            Operator::Vec(_) | Operator::Sca(_) | Operator::Mov => {
                operation.destination = Some(self.destination()?);
            }
        }
        operation.condition = self.condition()?;
        let takes = match operator {
            Operator::Vec(op) => op.takes(),
            Operator::Sca(op) => op.takes(),
            Operator::Mov | Operator::Nop => Takes::Nothing,
        };
        match takes {
            Takes::Address => {
                self.expect(',')?;
                operation.extra = Extra::Address(self.address_register()?);
            }
            Takes::Texture => {
                self.expect(',')?;
                operation.sources.push(self.source()?);
                self.expect(',')?;
                operation.extra = Extra::Texture(self.counted("tex", 4, "a texture")?);
            }
            Takes::Nothing => self.sources(&mut operation, count)?,
        }
        match mnemonic {
            Mnemonic::Sub => operation.sources[1].negate ^= true,
            Mnemonic::Abs if kelvin => {
                let source = &operation.sources[0];
                let negated = Operand { negate: !source.negate, ..source.clone() };
                operation.sources.push(negated);
            }
            Mnemonic::Abs => (operation.sources[0].absolute, operation.sources[0].negate) = (true, false),
            Mnemonic::Vec(_) | Mnemonic::Sca(_) | Mnemonic::Mov | Mnemonic::Nop | Mnemonic::End => {}
        }
        Ok(operation)
    }

    /// The sources of an operation that takes `count` of them.
    fn sources(&mut self, operation: &mut Operation, count: usize) -> Parsed<()> {
        let sources = &mut operation.sources;
        while self.eat(Kind::Mark(',')).is_some() {
            sources.push(self.source()?);
        }
        let ends = matches!(self.peek().kind, Kind::Newline | Kind::End | Kind::Mark('+'));
        if sources.len() < count && !ends {
            let token = self.peek().clone();
            return Err(self.unexpected(&token, "`,`"));
        }
        if sources.len() != count {
            let name = &self.text[operation.span.clone()];
            let plural = if count == 1 { "" } else { "s" };
            let message = format!("{name} takes {count} source{plural}, not {}", sources.len());
            return Err(Problem::new(operation.span.clone(), message));
        }
        Ok(())
    }

    /// The operands of an operation without a result.
    fn flow(&mut self, op: ScaOp, operation: &mut Operation) -> Parsed<()> {
        match op.jump() {
            Some(Jump::Branch(To::Slot) | Jump::Call(To::Slot)) => {
                let target = self.jump_target()?;
                let mut boolean = None;
                if op.is_on_boolean() {
                    self.expect(',')?;
                    let polarity = self.eat(Kind::Mark('!')).is_none();
                    boolean = Some((self.counted("b", 32, "a boolean constant")?, polarity));
                }
                operation.extra = Extra::Jump { target, boolean };
            }
            Some(Jump::Branch(To::Register) | Jump::Call(To::Register)) => {
                let reg = self.address_register()?;
                let component = self.address_component()?;
                operation.extra = Extra::Index(AddressComponent { reg, component });
            }
            Some(Jump::Return) | None => {}
        }
        if op.takes() == Takes::Address {
            operation.extra = Extra::Address(self.address_register()?);
        }
        if predicate::tests(op) {
            operation.condition = self.condition()?;
        }
        Ok(())
    }

    /// The slot to go to; 0 and [`Parser::jump`] for a label.
    fn jump_target(&mut self) -> Parsed<u16> {
        if self.peek().kind == Kind::Word {
            self.jump = Some(self.next().span);
            return Ok(0);
        }
        if self.peek().kind != Kind::Number {
            let token = self.next();
            return Err(self.unexpected(&token, "a slot number or a label"));
        }
        let (slot, span) = self.number()?;
        let limit = targets(self.generation);
        if slot >= limit {
            return Err(Problem::new(span, format!("branches go to slots 0 to {}", limit - 1)));
        }
        Ok(slot)
    }

    /// A name that is `stem` and a number below `limit`.
    fn counted(&mut self, stem: &str, limit: u8, what: &str) -> Parsed<u8> {
        let token = self.next();
        let word = self.text_of(&token).to_ascii_lowercase();
        let number = word.strip_prefix(stem).and_then(|digits| digits.parse::<u8>().ok());
        match number {
            Some(number) if number < limit => Ok(number),
            _ => Err(self.unexpected(&token, &format!("{what}, {stem}0 to {stem}{}", limit - 1))),
        }
    }

    fn address_register(&mut self) -> Parsed<u8> {
        let token = self.next();
        match self.register(&token, "an address register")? {
            Name::Address(reg) => Ok(reg),
            _ => Err(self.unexpected(&token, "an address register")),
        }
    }

    /// `(GT.x)`, if it is there.
    fn condition(&mut self) -> Parsed<Condition> {
        let Some(open) = self.eat(Kind::Mark('(')) else { return Ok(Condition::ALWAYS) };
        let token = self.next();
        let word = self.text_of(&token).to_ascii_uppercase();
        let stem = word.trim_end_matches(['0', '1']);
        let reg = match &word[stem.len()..] {
            "" | "0" => Some(0),
            "1" => Some(1),
            _ => None,
        };
        let test = TESTS.iter().position(|&name| name == stem).map(|number| Test::ALL[number]);
        let (Some(test), Some(reg)) = (test, reg) else {
            return Err(self.unexpected(&token, "a test (LT, EQ, LE, GT, NE, GE, TR or FL)"));
        };
        let swizzle = self.swizzle()?.unwrap_or(Swizzle::IDENTITY);
        self.expect(')')?;
        let span = open.span.start..self.last_end();
        match self.generation {
            Generation::Kelvin => Err(Problem::new(span, "kelvin has no conditions")),
            Generation::Rankine if reg == 1 => {
                Err(Problem::new(token.span, "rankine has one condition register"))
            }
            Generation::Rankine | Generation::Curie => {
                Ok(canonical_condition(Condition { test, swizzle, reg }))
            }
        }
    }
}
