//! Registers as NV_vertex_program and its successors name them: `R0`, `v[OPOS]`, `c[A0.x + 12]`, `o[HPOS]`, `A0`.

use super::ir::{Place, Register, Target};
use super::language::{Language, V20, V30};
use super::lex::{Kind, Token};
use super::operand::{Read, Written};
use super::outputs::{self, output};
use super::parse::{Parsed, Parser};
use crate::text::Problem;

/// Names of the attributes; those without one have only their number.
const ATTRIBUTES: [&str; 16] = [
    "OPOS", "WGHT", "NRML", "COL0", "COL1", "FOGC", "", "", "TEX0", "TEX1", "TEX2", "TEX3", "TEX4", "TEX5",
    "TEX6", "TEX7",
];

/// The number behind a letter.
fn numbered(word: &str, letter: char) -> Option<u16> {
    let digits = word.strip_prefix(letter)?;
    let number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    number.then(|| digits.parse().unwrap_or(u16::MAX))
}

impl Parser<'_> {
    /// The address register that a word names.
    pub(super) fn address_register(&self, token: &Token) -> Option<u8> {
        let word = self.text_of(token);
        match self.draft.language {
            Language::Arb10 => self.arb_address(word),
            _ if word == "A0" => Some(0),
            _ if word == "A1" && self.sets & V20 != 0 => Some(1),
            _ => None,
        }
    }

    /// The temporary that a word names, if it is a name of one.
    fn nv_temp(&mut self, token: &Token) -> Parsed<Option<u16>> {
        let Some(number) = numbered(self.text_of(token), 'R') else { return Ok(None) };
        let limit = self.draft.language.temps();
        if number >= limit {
            let header = self.draft.language.header();
            let message = format!("temporaries of {header} are R0 to R{}", limit - 1);
            return Err(Problem::new(token.span.clone(), message));
        }
        Ok(Some(self.draft.temps.numbered(number as u8)))
    }

    pub(super) fn nv_destination(&mut self, token: &Token) -> Parsed<Written> {
        let wrong = |message: &str| Err(Problem::new(token.span.clone(), message));
        if let Some(temp) = self.nv_temp(token)? {
            return Ok(Written::Target(Target::Temp(temp)));
        }
        if let Some(reg) = self.address_register(token) {
            return Ok(Written::Target(Target::Address(reg)));
        }
        let state = self.draft.language == Language::Vsp10;
        match self.text_of(token) {
            "o" if state => wrong("a vertex state program writes parameters, not outputs"),
            "o" => self.nv_output(),
            "c" if !state => wrong("only vertex state programs write parameters"),
            "c" => {
                let n = self.bracketed(self.draft.language.parameters(), "a parameter that is written")?;
                self.draft.parameters.name(n);
                Ok(Written::Target(Target::Parameter(n)))
            }
            "v" => wrong("attributes cannot be written"),
            _ => Err(self.unexpected(token, "a destination")),
        }
    }

    /// `[HPOS]`, and of NV_vertex_program3 `[TEX0 + A0.x]` in either order.
    fn nv_output(&mut self) -> Parsed<Written> {
        let open = self.expect('[')?;
        let mut token = self.next();
        let mut index = None;
        if let Some(reg) = self.address_register(&token).filter(|_| self.sets & V30 != 0) {
            index = Some(self.index(reg, &token)?);
            self.expect('+')?;
            token = self.next();
        }
        let name = self.text_of(&token);
        let found = match output(self.draft.generation, name) {
            Some(found) => found.map_err(|message| Problem::new(token.span.clone(), message))?,
            None => {
                let numbered = ["TEX0", "TEX1", "TEX2", "TEX3", "TEX4", "TEX5", "TEX6", "TEX7"];
                let names = outputs::NAMES.iter().copied().chain(numbered);
                return Err(self.unknown(&token, "output", names));
            }
        };
        if name.starts_with("CLP") && self.sets & V20 == 0 {
            let header = self.draft.language.header();
            return Err(Problem::new(token.span, format!("{header} has no clip distances")));
        }
        if index.is_none() && self.sets & V30 != 0 && self.eat(Kind::Mark('+')).is_some() {
            let address = self.next();
            let Some(reg) = self.address_register(&address) else {
                return Err(self.unexpected(&address, "an address register"));
            };
            index = Some(self.index(reg, &address)?);
        }
        self.expect(']')?;
        if name == "HPOS" && self.position_invariant {
            let span = self.since(open.span.start);
            return Err(Problem::new(span, "a position-invariant program does not write the position"));
        }
        if index.is_some() && found.single.is_some() {
            return Err(Problem::new(token.span, format!("{name} cannot be indexed")));
        }
        Ok(Written::Output(found, index))
    }

    pub(super) fn nv_source(&mut self, token: &Token) -> Parsed<Read> {
        if token.kind != Kind::Word {
            return Err(self.unexpected(token, "a register"));
        }
        if let Some(temp) = self.nv_temp(token)? {
            return Ok(Read::Register(Register::Temp(temp)));
        }
        if self.address_register(token).is_some() {
            return Ok(Read::Not("an address register"));
        }
        match self.text_of(token) {
            "v" => self.nv_attribute().map(Read::Register),
            "c" => self.nv_parameter().map(Read::Register),
            "o" => Ok(Read::Not("an output")),
            _ => Err(self.unexpected(token, "a register (R0, v[0] or c[0])")),
        }
    }

    fn nv_attribute(&mut self) -> Parsed<Register> {
        self.expect('[')?;
        let token = self.peek().clone();
        let (n, index) = if token.kind == Kind::Integer {
            (self.integer(16, "an attribute")? as u8, None)
        } else {
            self.next();
            let word = self.text_of(&token);
            let named = ATTRIBUTES.iter().position(|&name| name == word && !name.is_empty());
            match (named, self.address_register(&token)) {
                (Some(n), _) => (n as u8, None),
                (None, Some(reg)) if self.sets & V30 != 0 => {
                    let index = self.index(reg, &token)?;
                    (self.attribute_offset()?, Some(index))
                }
                (None, Some(_)) => {
                    let header = self.draft.language.header();
                    return Err(Problem::new(token.span, format!("{header} cannot index attributes")));
                }
                _ => return Err(self.unknown(&token, "attribute", ATTRIBUTES.into_iter())),
            }
        };
        self.expect(']')?;
        if self.draft.language == Language::Vsp10 && n != 0 {
            return Err(Problem::new(token.span, "a vertex state program reads only v[0]"));
        }
        Ok(Register::Attribute { n, index })
    }

    /// The number that an index of attributes is added to.
    pub(super) fn attribute_offset(&mut self) -> Parsed<u8> {
        let start = self.peek().span.start;
        let offset = self.offset()?;
        u8::try_from(offset).ok().filter(|&n| n < 16).ok_or_else(|| {
            let message = format!("there is no attribute at an index offset of {offset}");
            Problem::new(self.since(start), message)
        })
    }

    fn nv_parameter(&mut self) -> Parsed<Register> {
        self.expect('[')?;
        let token = self.peek().clone();
        let (offset, index) = match self.address_register(&token) {
            Some(reg) => {
                self.next();
                let index = self.index(reg, &token)?;
                let offset = self.offset()?;
                self.draft.parameters.index(offset);
                (offset, Some(index))
            }
            None => {
                let n = self.integer(self.draft.language.parameters(), "a parameter")?;
                self.draft.parameters.name(n);
                (i32::from(n), None)
            }
        };
        self.expect(']')?;
        Ok(Register::Constant { place: Place::Parameters, offset, index })
    }
}
