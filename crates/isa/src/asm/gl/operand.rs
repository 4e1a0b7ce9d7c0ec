//! Operands: sources, masks, conditions, indices.

use super::super::names::{TESTS, component};
use super::ir::{Register, Source, Target};
use super::language::{Language, V20, V30};
use super::lex::{Kind, Token};
use super::outputs::Output;
use super::parse::{Parsed, Parser};
use crate::isa::reads::canonical_condition;
use crate::isa::{AddressComponent, Condition, Mask, Swizzle, Test};
use crate::text::Problem;

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
    /// A source, and how many components were named.
    pub(super) fn source(&mut self) -> Parsed<(Source, usize)> {
        let start = self.peek().span.start;
        let negate = self.eat(Kind::Mark('-')).is_some();
        if !negate {
            self.eat(Kind::Mark('+'));
        }
        let bar = self.eat(Kind::Mark('|'));
        if let Some(bar) = bar.as_ref().filter(|_| self.sets & V20 == 0) {
            let header = self.draft.language.header();
            let message = format!("sources of {header} have no absolute value");
            return Err(Problem::new(bar.span.clone(), message));
        }
        let token = self.next();
        let read = match self.draft.language {
            Language::Arb10 => self.arb_source(&token)?,
            _ => self.nv_source(&token)?,
        };
        let register = match read {
            Read::Register(register) => register,
            Read::Not(what) => {
                let span = self.since(token.span.start);
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
        let span = self.since(start);
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
    pub(super) fn components(&mut self) -> Parsed<Option<Vec<u8>>> {
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
    pub(super) fn mask(&mut self) -> Parsed<Option<Mask>> {
        let start = self.peek().span.end;
        let Some(letters) = self.components()? else { return Ok(None) };
        let ascend = letters.windows(2).all(|pair| pair[0] < pair[1]);
        if !ascend {
            let span = self.since(start);
            let problem = Problem::new(span.clone(), format!("`{}` is not a write mask", &self.text[span]));
            return Err(problem.help("name the components to write in the order xyzw, each once"));
        }
        Ok(Some(Mask(letters.iter().fold(0, |mask, c| mask | 8 >> c))))
    }

    /// `(GT.x)`, if it is there.
    pub(super) fn condition(&mut self) -> Parsed<Condition> {
        let Some(open) = self.eat(Kind::Mark('(')) else { return Ok(Condition::ALWAYS) };
        let header = self.draft.language.header();
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
                let span = self.since(token.span.start);
                return Err(Problem::new(span, "a swizzle names one component or four"));
            }
        };
        self.expect(')')?;
        Ok(canonical_condition(Condition { test, swizzle, reg }))
    }

    /// An address register as a whole: its name alone where it is read (`instOperandAddrVNS` of
    /// NV_vertex_program2_option and 3), or with all components where POPA writes it.
    pub(super) fn whole_address(&mut self, written: bool) -> Parsed<u8> {
        let token = self.next();
        let reg =
            self.address_register(&token).ok_or_else(|| self.unexpected(&token, "an address register"))?;
        let whole = match written {
            true => matches!(self.mask()?, None | Some(Mask::ALL)),
            false => self.components()?.is_none(),
        };
        if whole {
            return Ok(reg);
        }
        Err(Problem::new(self.since(token.span.start), "name the whole address register"))
    }

    /// The component of an address register behind its name: an index.
    pub(super) fn index(&mut self, reg: u8, token: &Token) -> Parsed<AddressComponent> {
        let letters = self.components()?;
        let span = self.since(token.span.start);
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
    pub(super) fn extended_swizzle(&mut self) -> Parsed<[(u8, bool); 4]> {
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

    pub(super) fn texture_unit(&mut self) -> Parsed<u8> {
        let token = self.next();
        let word = self.text_of(&token);
        if self.draft.language == Language::Arb10 {
            if word != "texture" {
                return Err(self.unexpected(&token, "texture[n]"));
            }
            return self.bracketed(4, "a vertex texture").map(|unit| unit as u8);
        }
        let unit = word.strip_prefix("TEX").and_then(|digit| digit.parse::<u8>().ok());
        unit.filter(|&unit| unit < 4).ok_or_else(|| self.unexpected(&token, "a vertex texture, TEX0 to TEX3"))
    }

    /// `1D` or `2D`; to the lexer, a number and a word.
    pub(super) fn texture_target(&mut self) -> Parsed<()> {
        let token = self.next();
        let letter = self.eat(Kind::Word).map_or("", |letter| self.text_of(&letter));
        let span = self.since(token.span.start);
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
}
