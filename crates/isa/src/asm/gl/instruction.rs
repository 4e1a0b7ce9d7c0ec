//! Instructions: an opcode, and the operands that it takes.

use super::super::assemble::Extra;
use super::super::names::Suffix;
use super::expand::{Fetch, Instruction};
use super::ir::{Destination, Target};
use super::language::{Language, V20, V30};
use super::lex::{Kind, Token};
use super::operand::Written;
use super::ops::{Action, Form, OPCODES, Opcode, find};
use super::outputs::Output;
use super::parse::{Parsed, Parser};
use crate::isa::{Condition, Mask, Swizzle};
use crate::text::Problem;

impl Parser<'_> {
    pub(super) fn instruction(&mut self, token: &Token) -> Parsed<()> {
        let (opcode, suffix) = self.opcode(token)?;
        let mut instruction = Instruction {
            opcode,
            suffix,
            span: token.span.clone(),
            destination: None,
            condition: Condition::ALWAYS,
            sources: Vec::new(),
            extra: Extra::None,
            label: None,
            fetch: None,
            swizzle: None,
        };
        match opcode.form {
            Form::Jump => {
                let label = self.next();
                if label.kind != Kind::Word {
                    return Err(self.unexpected(&label, "a label"));
                }
                instruction.label = Some((self.text_of(&label).to_owned(), label.span));
                instruction.extra = Extra::Jump { target: 0, boolean: None };
                instruction.condition = self.condition()?;
            }
            Form::Return => instruction.condition = self.condition()?,
            Form::Push => instruction.extra = Extra::Address(self.whole_address(false)?),
            Form::Pop => {
                let start = self.peek().span.start;
                let reg = self.whole_address(true)?;
                let span = start..self.last_end();
                let target = Target::Address(reg);
                instruction.destination = Some((Destination { target, mask: Mask::ALL, span }, None));
                instruction.condition = self.condition()?;
            }
            form => {
                instruction.destination = Some(self.destination(form)?);
                self.check_codes(&mut instruction)?;
                instruction.condition = self.condition()?;
                self.operands(&mut instruction)?;
            }
        }
        self.expand(instruction)
    }

    fn opcode(&self, token: &Token) -> Parsed<(&'static Opcode, Suffix)> {
        let word = self.text_of(token);
        let header = self.draft.language.header();
        let sets = self.sets;
        let Some((opcode, suffix)) = find(word) else {
            let known = OPCODES.iter().filter(|opcode| opcode.sets & sets != 0);
            return Err(self.unknown(token, "instruction", known.map(|opcode| opcode.name)));
        };
        let fail = |message: String| Err(Problem::new(token.span.clone(), message));
        if opcode.sets & sets == 0 {
            let problem = Problem::new(token.span.clone(), format!("{header} has no {}", opcode.name));
            let option = match opcode.sets {
                sets if sets & V20 != 0 => "NV_vertex_program2",
                sets if sets & V30 != 0 => "NV_vertex_program3",
                _ => "",
            };
            return Err(match (self.draft.language, option) {
                (Language::Arb10, option) if !option.is_empty() => {
                    problem.help(format!("write OPTION {option}; in front"))
                }
                _ => problem.help(format!("{} has it", opcode.origin())),
            });
        }
        if suffix.code.is_some() && sets & V20 == 0 {
            return fail(format!("{header} has no condition codes"));
        }
        if suffix.code == Some(1) && sets & V30 == 0 {
            return fail(format!("{header} has one condition register"));
        }
        if suffix.saturate && sets & V30 == 0 {
            return fail(format!("{header} cannot saturate results"));
        }
        if suffix != Suffix::default() && !opcode.has_result() {
            return fail(format!("{} has no result that a suffix could apply to", opcode.name));
        }
        if suffix.saturate && matches!(opcode.form, Form::Address | Form::AddressSum) {
            return fail("addresses cannot be saturated".to_owned());
        }
        Ok((opcode, suffix))
    }

    /// What is written, and the component of the register that takes x if only x is an output.
    fn destination(&mut self, form: Form) -> Parsed<(Destination, Option<u8>)> {
        let token = self.next();
        if token.kind != Kind::Word {
            return Err(self.unexpected(&token, "a destination"));
        }
        let written = match (self.text_of(&token), self.sets & V20 != 0) {
            ("CC" | "CC0" | "CC1", true) => Written::Target(Target::Codes),
            _ if self.draft.language == Language::Arb10 => self.arb_destination(&token)?,
            _ => self.nv_destination(&token)?,
        };
        let span = token.span.start..self.last_end();
        let addresses = matches!(form, Form::Address | Form::AddressSum);
        let (target, single) = match written {
            Written::Target(Target::Address(_)) if !addresses => {
                return Err(Problem::new(span, "only ARL, ARR and ARA write an address register"));
            }
            Written::Target(target @ (Target::Address(_) | Target::Codes)) => (target, None),
            _ if addresses => return Err(Problem::new(span, "an address register is written here")),
            Written::Target(target) => (target, None),
            Written::Output(Output { n, single }, index) => (Target::Output { n, index }, single),
        };
        let mask = self.mask()?;
        if self.sets & V20 == 0 && matches!(target, Target::Address(_)) && mask != Some(Mask(8)) {
            return Err(Problem::new(span, "an address register is written as in ARL A0.x"));
        }
        Ok((Destination { target, mask: mask.unwrap_or(Mask::ALL), span }, single))
    }

    /// `CC1` is the register that the suffix `C` means then.
    fn check_codes(&mut self, instruction: &mut Instruction) -> Parsed<()> {
        let Some((Destination { target: Target::Codes, span, .. }, _)) = &instruction.destination else {
            return Ok(());
        };
        let wrong = |message: String| Err(Problem::new(span.clone(), message));
        let (name, header) = (&self.text[span.clone()], self.draft.language.header());
        let named = name.strip_prefix("CC").and_then(|digit| digit.parse::<u8>().ok());
        if named == Some(1) && self.sets & V30 == 0 {
            return wrong(format!("{header} has one condition register"));
        }
        let bare = self.text[instruction.span.clone()].trim_end_matches("_SAT").ends_with('C');
        match (instruction.suffix.code, named) {
            (None, _) => {
                let name = instruction.opcode.name;
                wrong(format!("use the suffix C to write condition codes: {name}C"))
            }
            (Some(_), Some(named)) if bare => {
                instruction.suffix.code = Some(named);
                Ok(())
            }
            (Some(code), Some(named)) if code != named => {
                wrong(format!("the suffix names condition register {code}"))
            }
            _ => Ok(()),
        }
    }

    /// Everything behind the destination.
    fn operands(&mut self, instruction: &mut Instruction) -> Parsed<()> {
        let name = instruction.opcode.name;
        match instruction.opcode.form {
            Form::Unread if self.peek().kind == Kind::Mark(';') => {}
            Form::Vector(count) => self.sources(instruction, count, false)?,
            Form::Unread => {
                self.sources(instruction, 2, false)?;
                instruction.sources.clear();
            }
            Form::Scalar(count) => self.sources(instruction, count, true)?,
            Form::Address => {
                let scalar = self.sets & V20 == 0;
                self.sources(instruction, 1, scalar)?;
            }
            Form::AddressSum => {
                self.expect(',')?;
                instruction.extra = Extra::Address(self.whole_address(false)?);
            }
            Form::Swizzle => {
                self.sources(instruction, 1, false)?;
                let plain = instruction.sources.iter().all(|s| s.swizzle == Swizzle::IDENTITY && !s.negate);
                if !plain {
                    let message = format!("{name} takes a register, its components follow");
                    return Err(Problem::new(instruction.span.clone(), message));
                }
                instruction.swizzle = Some(self.extended_swizzle()?);
            }
            Form::Texture => {
                self.sources(instruction, 1, false)?;
                self.expect(',')?;
                let unit = self.texture_unit()?;
                self.expect(',')?;
                self.texture_target()?;
                if let Action::Texture(lookup) = instruction.opcode.action {
                    instruction.fetch = Some(Fetch { lookup, unit });
                }
            }
            Form::Jump | Form::Return | Form::Push | Form::Pop => {}
        }
        Ok(())
    }

    fn sources(&mut self, instruction: &mut Instruction, count: usize, scalar: bool) -> Parsed<()> {
        for _ in 0..count {
            self.expect(',')?;
            let start = self.peek().span.start;
            let (source, letters) = self.source()?;
            if scalar && letters != 1 {
                let message = format!("{} reads one component", instruction.opcode.name);
                let problem = Problem::new(start..self.last_end(), message);
                return Err(problem.help("name it, as in R0.x"));
            }
            instruction.sources.push(source);
        }
        Ok(())
    }
}
