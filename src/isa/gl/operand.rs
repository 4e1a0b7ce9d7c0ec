//! Instructions: opcode, operands, condition.

use std::ops::Range;

use super::super::Generation;
use super::super::assemble::{Extra, Operator};
use super::super::error::Problem;
use super::super::insn::{AddressComponent, Condition, Mask, Swizzle, Test};
use super::super::names::{Suffix, TESTS, component};
use super::super::op::{ScaOp, VecOp};
use super::super::reads::canonical_condition;
use super::dialect::{Dialect, V20, V30};
use super::expand::{Fetch, Instruction};
use super::ir::{Destination, Register, Source, Target};
use super::lex::{Kind, Token};
use super::ops::{Action, Form, OPCODES, Opcode, find};
use super::outputs::Output;
use super::parse::{Parsed, Parser};

/// What a name stands for where something is written.
pub(super) enum Written {
    Target(Target),
    Output(Output, Option<AddressComponent>),
}

/// What a name stands for where something is read.
pub(super) enum Read {
    Register(Register),
    /// Something else, which cannot be read: what to call it.
    Not(&'static str),
}

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
            Form::Push => instruction.extra = Extra::Address(self.whole_address()?),
            Form::Pop => {
                let start = self.peek().span.start;
                let reg = self.whole_address()?;
                let span = start..self.last_end();
                let target = Target::Address(reg);
                instruction.destination = Some((Destination { target, mask: Mask::ALL, span }, None));
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
        let header = self.draft.dialect.header();
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
            return Err(match (self.draft.dialect, option) {
                (Dialect::Arb10, option) if !option.is_empty() => {
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
            return fail(format!("{} has no result for a suffix", opcode.name));
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
            _ if self.draft.dialect == Dialect::Arb10 => self.arb_destination(&token)?,
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
        let (name, header) = (&self.text[span.clone()], self.draft.dialect.header());
        let named = name.strip_prefix("CC").and_then(|digit| digit.parse::<u8>().ok());
        if named == Some(1) && self.sets & V30 == 0 {
            return wrong(format!("{header} has one condition register"));
        }
        let bare = self.text[instruction.span.clone()].trim_end_matches("_SAT").ends_with('C');
        match (instruction.suffix.code, named) {
            (None, _) => {
                let name = instruction.opcode.name;
                wrong(format!("condition codes are written by the suffix: {name}C"))
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
                instruction.extra = Extra::Address(self.whole_address()?);
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

    /// A source, and how many components were named.
    fn source(&mut self) -> Parsed<(Source, usize)> {
        let start = self.peek().span.start;
        let negate = self.eat(Kind::Mark('-')).is_some();
        if !negate {
            self.eat(Kind::Mark('+'));
        }
        let bar = self.eat(Kind::Mark('|'));
        if let Some(bar) = bar.as_ref().filter(|_| self.sets & V20 == 0) {
            let header = self.draft.dialect.header();
            let message = format!("sources of {header} have no absolute value");
            return Err(Problem::new(bar.span.clone(), message));
        }
        let token = self.next();
        let read = match self.draft.dialect {
            Dialect::Arb10 => self.arb_source(&token)?,
            _ => self.nv_source(&token)?,
        };
        let register = match read {
            Read::Register(register) => register,
            Read::Not(what) => {
                let span = token.span.start..self.last_end();
                return Err(Problem::new(span, format!("{what} cannot be read")));
            }
        };
        let mut letters = self.components()?;
        if bar.is_some() {
            self.expect('|')?;
            if letters.is_none() {
                letters = self.components()?;
            }
        }
        let span = start..self.last_end();
        let scalar = matches!(self.tokens[self.position - 1].kind, Kind::Integer | Kind::Float);
        let (swizzle, count) = match letters.as_deref() {
            // A number is the same in all components.
            None if scalar => (Swizzle::IDENTITY, 1),
            None => (Swizzle::IDENTITY, 4),
            Some(&[c]) => (Swizzle([c; 4]), 1),
            Some(&[x, y, z, w]) => (Swizzle([x, y, z, w]), 4),
            Some(_) => return Err(Problem::new(span, "a swizzle names one component or four")),
        };
        Ok((Source { register, swizzle, absolute: bar.is_some(), negate, span }, count))
    }

    /// The components behind a point, if there is one.
    fn components(&mut self) -> Parsed<Option<Vec<u8>>> {
        if self.eat(Kind::Mark('.')).is_none() {
            return Ok(None);
        }
        let token = self.next();
        let word = self.text_of(&token);
        let letters = word.chars().map(|c| component(c).filter(|_| c.is_ascii_lowercase()));
        match letters.collect::<Option<Vec<u8>>>() {
            Some(letters) if token.kind == Kind::Word => Ok(Some(letters)),
            _ => {
                let problem = Problem::new(token.span, format!("`{word}` names no components"));
                Err(problem.help("components are x, y, z and w"))
            }
        }
    }

    /// The mask behind a point, if there is one.
    fn mask(&mut self) -> Parsed<Option<Mask>> {
        let start = self.peek().span.end;
        let Some(letters) = self.components()? else { return Ok(None) };
        let ascend = letters.windows(2).all(|pair| pair[0] < pair[1]);
        if !ascend {
            let span = start..self.last_end();
            let problem = Problem::new(span.clone(), format!("`{}` is no write mask", &self.text[span]));
            return Err(problem.help("name the components to write in the order xyzw, each once"));
        }
        Ok(Some(Mask(letters.iter().fold(0, |mask, c| mask | 8 >> c))))
    }

    /// `(GT.x)`, if it is there.
    fn condition(&mut self) -> Parsed<Condition> {
        let Some(open) = self.eat(Kind::Mark('(')) else { return Ok(Condition::ALWAYS) };
        let header = self.draft.dialect.header();
        if self.sets & V20 == 0 {
            return Err(Problem::new(open.span, format!("{header} has no conditions")));
        }
        let token = self.next();
        let word = self.text_of(&token);
        let stem = word.trim_end_matches(['0', '1']);
        let test = TESTS.iter().position(|&name| name == stem).map(|number| Test::ALL[number]);
        let (Some(test), Some(reg)) = (
            test,
            match &word[stem.len()..] {
                "" | "0" => Some(0),
                "1" => Some(1),
                _ => None,
            },
        ) else {
            return Err(self.unexpected(&token, "a test (LT, EQ, LE, GT, NE, GE, TR or FL)"));
        };
        if stem.len() < word.len() && self.sets & V30 == 0 {
            return Err(Problem::new(token.span, format!("{header} has one condition register")));
        }
        let swizzle = match self.components()?.as_deref() {
            None => Swizzle::IDENTITY,
            Some(&[c]) => Swizzle([c; 4]),
            Some(&[x, y, z, w]) => Swizzle([x, y, z, w]),
            Some(_) => {
                let span = token.span.start..self.last_end();
                return Err(Problem::new(span, "a swizzle names one component or four"));
            }
        };
        self.expect(')')?;
        Ok(canonical_condition(Condition { test, swizzle, reg }))
    }

    /// An address register with all its components.
    fn whole_address(&mut self) -> Parsed<u8> {
        let token = self.next();
        let reg =
            self.address_register(&token).ok_or_else(|| self.unexpected(&token, "an address register"))?;
        match self.mask()? {
            None | Some(Mask::ALL) => Ok(reg),
            Some(_) => {
                let span = token.span.start..self.last_end();
                Err(Problem::new(span, "the whole address register is meant"))
            }
        }
    }

    /// The component of an address register behind its name: an index.
    pub(super) fn index(&mut self, reg: u8, token: &Token) -> Parsed<AddressComponent> {
        let letters = self.components()?;
        let span = token.span.start..self.last_end();
        match letters.as_deref() {
            Some(&[0]) => Ok(AddressComponent { reg, component: 0 }),
            Some(&[component]) if self.sets & V20 != 0 => Ok(AddressComponent { reg, component }),
            _ => Err(Problem::new(span, "an index names one component, as in A0.x")),
        }
    }

    /// `+ n` or `- n` behind an index; 0 if there is neither.
    pub(super) fn offset(&mut self) -> Parsed<i32> {
        let negative = self.eat(Kind::Mark('-')).is_some();
        if !negative && self.eat(Kind::Mark('+')).is_none() {
            return Ok(0);
        }
        let offset = i32::from(self.integer(1024, "an offset")?);
        Ok(if negative { -offset } else { offset })
    }

    /// Each component's source (0 to 3, 4 for 0.0, 5 for 1.0) and sign.
    fn extended_swizzle(&mut self) -> Parsed<[(u8, bool); 4]> {
        let mut parts = [(0, false); 4];
        for part in &mut parts {
            self.expect(',')?;
            let negate = self.eat(Kind::Mark('-')).is_some();
            if !negate {
                self.eat(Kind::Mark('+'));
            }
            let token = self.next();
            let selected = match self.text_of(&token) {
                "x" => 0,
                "y" => 1,
                "z" => 2,
                "w" => 3,
                "0" => 4,
                "1" => 5,
                _ => return Err(self.unexpected(&token, "a component, 0 or 1")),
            };
            *part = (selected, negate);
        }
        Ok(parts)
    }

    fn texture_unit(&mut self) -> Parsed<u8> {
        let token = self.next();
        let word = self.text_of(&token);
        if self.draft.dialect == Dialect::Arb10 {
            if word != "texture" {
                return Err(self.unexpected(&token, "texture[n]"));
            }
            return self.bracketed(4, "a vertex texture").map(|unit| unit as u8);
        }
        let unit = word.strip_prefix("TEX").and_then(|digit| digit.parse::<u8>().ok());
        unit.filter(|&unit| unit < 4).ok_or_else(|| self.unexpected(&token, "a vertex texture, TEX0 to TEX3"))
    }

    /// `1D` or `2D`; to the lexer, a number and a word.
    fn texture_target(&mut self) -> Parsed<()> {
        let token = self.next();
        let letter = self.eat(Kind::Word).map_or("", |letter| self.text_of(&letter));
        let span = token.span.start..self.last_end();
        match (self.text_of(&token), letter) {
            ("1" | "2", "D") => Ok(()),
            ("3", "D") | ("CUBE" | "RECT", _) => {
                let name = self.draft.generation.name();
                let message = format!("vertex textures of {name} are 1D or 2D");
                Err(Problem::new(span, message))
            }
            _ => Err(Problem::new(span, "expected a texture target: 1D or 2D")),
        }
    }

    /// Puts the transform of position-invariant programs in front.
    pub(super) fn transform_position(&mut self, span: &Range<usize>) -> Parsed<()> {
        if std::mem::replace(&mut self.position_invariant, true) {
            return Ok(());
        }
        self.attributes[0] |= 1;
        for row in 0..4u8 {
            let matrix = super::rows::Binding::State(format!("state.matrix.mvp.row[{row}]"));
            let variable = self.draft.variables.single(matrix, span.clone());
            self.draft.variables.0[variable].used = true;
            let place = super::ir::Place::Variable(variable);
            let source = |register| Source {
                register,
                swizzle: Swizzle::IDENTITY,
                absolute: false,
                negate: false,
                span: span.clone(),
            };
            let destination = Destination {
                target: Target::Output { n: 0, index: None },
                mask: Mask(8 >> row),
                span: span.clone(),
            };
            let sources = vec![
                source(Register::Attribute { n: 0, index: None }),
                source(Register::Constant { place, offset: 0, index: None }),
            ];
            self.draft.nodes.push(super::ir::Node::new(Operator::Vec(VecOp::Dp4), destination, sources));
        }
        Ok(())
    }

    /// Whether sources read absolute values where the dialect says so and the chip does not: the reciprocal square root
    /// and the logarithm of programs that are older than the chip (rankine_curie.md 4).
    pub(super) fn reads_magnitude(&self, op: ScaOp) -> bool {
        let older = !matches!(self.draft.dialect, Dialect::Vp20 | Dialect::Vp30);
        self.draft.generation > Generation::Kelvin
            && match op {
                ScaOp::Rsq => older,
                ScaOp::Log => true,
                _ => false,
            }
    }
}
