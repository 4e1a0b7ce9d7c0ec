//! Operands of the assembler text: destinations, sources, registers.

use std::ops::Range;

use super::super::assemble::{Destination, Operand, Register, Target};
use super::super::lex::{Kind, Token};
use super::super::names::{component, inputs, nearest, outputs};
use super::{Parsed, Parser};
use crate::chip::programs::POSITION_READ_BACK;
use crate::isa::Generation;
use crate::isa::{AddressComponent, Mask, OutTarget, Swizzle};
use crate::text::Problem;

/// What a register's name stands for.
pub(super) enum Name {
    Register(Register),
    Output(u8, Option<AddressComponent>),
    Address(u8),
    Codes,
}

/// What stands between brackets.
struct Index {
    /// Written with `!`.
    forced: bool,
    base: i32,
    address: Option<AddressComponent>,
    span: Range<usize>,
}

/// The greatest row number of a generation's microcode.
const fn greatest_row(generation: Generation) -> u16 {
    match generation {
        Generation::Kelvin => 0xff,
        Generation::Rankine => 0x1ff,
        Generation::Curie => 0x3ff,
    }
}

impl Parser<'_> {
    pub(super) fn destination(&mut self) -> Parsed<Destination> {
        let token = self.next();
        let word = self.text_of(&token).to_ascii_lowercase();
        let wrong = |message: String| Err(Problem::new(token.span.clone(), message));
        let temps = self.generation.temps() as u8;
        let mut index = None;
        let target = match self.register(&token, "a destination register")? {
            Name::Address(reg) => Target::Address(reg),
            Name::Codes => Target::Codes,
            Name::Output(n, address) => {
                index = address;
                Target::Out(OutTarget::Output(n))
            }
            Name::Register(Register::Temp(n)) if n < temps => Target::Temp(n),
            Name::Register(Register::Temp(_)) => {
                return wrong(format!("{word} cannot be written: it reads oPos back"));
            }
            Name::Register(Register::Constant { .. }) if self.generation == Generation::Curie => {
                return wrong("curie cannot write constants".to_owned());
            }
            Name::Register(Register::Constant { index: Some(_), .. }) => {
                return wrong("a constant cannot be written through a0".to_owned());
            }
            Name::Register(Register::Constant { row, .. })
                if usize::from(row) < self.generation.constants() =>
            {
                Target::Out(OutTarget::Constant(row))
            }
            Name::Register(Register::Constant { row, .. }) => return wrong(self.no_row(row)),
            Name::Register(Register::Input { .. }) => {
                return wrong(format!("{word} is an input, which cannot be written"));
            }
            Name::Register(Register::None) => return wrong("nothing can be written to `_`".to_owned()),
        };
        let span = token.span.start..self.last_end();
        let (mask, mask_span) = match self.component_letters()? {
            Some((letters, span)) => (mask_of(&letters), span),
            None => (Some(Mask::ALL), span.clone()),
        };
        let Some(mask) = mask else {
            let message = format!("`{}` is not a write mask", &self.text[mask_span.clone()]);
            let problem = Problem::new(mask_span, message);
            return Err(problem.help("name the components to write in the order xyzw, each once"));
        };
        let kelvins = self.generation == Generation::Kelvin && matches!(target, Target::Address(_));
        if kelvins && !matches!(mask, Mask::ALL | Mask(8)) {
            return Err(Problem::new(mask_span, "a0 has only the component x"));
        }
        Ok(Destination { target, mask: if kelvins { Mask(8) } else { mask }, index, span })
    }

    pub(super) fn source(&mut self) -> Parsed<Operand> {
        let start = self.peek().span.start;
        let negate = self.eat(Kind::Mark('-')).is_some();
        let kelvin = self.generation == Generation::Kelvin;
        if self.peek().kind == Kind::Mark('|') && kelvin {
            let problem = Problem::new(self.next().span, "sources have no absolute value");
            return Err(problem.help("ABS computes it"));
        }
        let absolute = self.eat(Kind::Mark('|')).is_some();
        let token = self.next();
        let register = match self.register(&token, "a source register")? {
            Name::Register(register) => register,
            Name::Output(..) => {
                let message = format!("{} is an output, which cannot be read", self.text_of(&token));
                let problem = Problem::new(token.span, message);
                return Err(if kelvin { problem.help("r12 reads oPos back") } else { problem });
            }
            Name::Address(reg) => {
                let message = format!("a{reg} can only be used as an index, as in c[a{reg} + 12]");
                return Err(Problem::new(token.span, message));
            }
            Name::Codes => return Err(Problem::new(token.span, "condition codes can only be tested")),
        };
        let swizzle = self.swizzle()?.unwrap_or(Swizzle::IDENTITY);
        if absolute {
            self.expect('|')?;
        }
        Ok(Operand { register, swizzle, absolute, negate, span: start..self.last_end() })
    }

    /// The swizzle after a dot, if there is one.
    pub(super) fn swizzle(&mut self) -> Parsed<Option<Swizzle>> {
        let Some((letters, span)) = self.component_letters()? else { return Ok(None) };
        let Some(&last) = letters.last().filter(|_| letters.len() <= 4) else {
            return Err(Problem::new(span, "a swizzle names one to four components"));
        };
        Ok(Some(Swizzle(std::array::from_fn(|c| letters.get(c).copied().unwrap_or(last)))))
    }

    /// The component of an address register; x if none is named.
    pub(super) fn address_component(&mut self) -> Parsed<u8> {
        let start = self.position.saturating_sub(1);
        let Some((letters, span)) = self.component_letters()? else { return Ok(0) };
        match letters[..] {
            [0] => Ok(0),
            _ if self.generation == Generation::Kelvin => {
                Err(Problem::new(self.tokens[start].span.clone(), "a0 has only the component x"))
            }
            [component] => Ok(component),
            _ => Err(Problem::new(span, "an index must be one component")),
        }
    }

    /// The components after a dot, if there is one.
    fn component_letters(&mut self) -> Parsed<Option<(Vec<u8>, Range<usize>)>> {
        if self.eat(Kind::Mark('.')).is_none() {
            return Ok(None);
        }
        let token = self.next();
        let word = self.text_of(&token);
        if token.kind != Kind::Word {
            return Err(self.unexpected(&token, "components"));
        }
        match word.chars().map(component).collect() {
            Some(letters) => Ok(Some((letters, token.span))),
            None => {
                let problem = Problem::new(token.span, format!("`{word}` names no components"));
                Err(problem.help("components are x, y, z and w"))
            }
        }
    }

    /// The register that `token` begins to name.
    pub(super) fn register(&mut self, token: &Token, expected: &str) -> Parsed<Name> {
        let text = self.text_of(token);
        if token.kind != Kind::Word {
            return Err(self.unexpected(token, expected));
        }
        let word = text.to_ascii_lowercase();
        let kelvin = self.generation == Generation::Kelvin;
        let bracket = self.peek().kind == Kind::Mark('[');
        match word.as_str() {
            "_" => return Ok(Name::Register(Register::None)),
            "a0" => return Ok(Name::Address(0)),
            "a1" if !kelvin => return Ok(Name::Address(1)),
            "cc" if !kelvin => return Ok(Name::Codes),
            "c" => return self.row().map(Name::Register),
            "v" if bracket && !kelvin => {
                let (n, index) = self.indexed("inputs", self.generation.inputs())?;
                return Ok(Name::Register(Register::Input { n, index }));
            }
            "o" if bracket && !kelvin => {
                let (n, index) = self.indexed("outputs", self.generation.outputs())?;
                return Ok(Name::Output(n, index));
            }
            _ => {}
        }
        let (inputs, outputs) = (inputs(self.generation), outputs(self.generation));
        if let Some(n) = inputs.iter().position(|name| name.eq_ignore_ascii_case(&word)) {
            return Ok(Name::Register(Register::Input { n: n as u8, index: None }));
        }
        if let Some(n) = outputs.iter().position(|names| names.iter().any(|n| n.eq_ignore_ascii_case(&word)))
        {
            return Ok(Name::Output(n as u8, None));
        }
        let (message, help) = match self.numbered(&word) {
            Some(Ok(name)) => return Ok(name),
            Some(Err(message)) => (message, None),
            None => {
                let names = outputs.iter().flat_map(|names| names.iter().copied()).chain(inputs);
                let help = nearest(text, names).map(|name| format!("did you mean {name}?"));
                (format!("`{text}` is not a register"), help)
            }
        };
        Err(Problem { span: token.span.clone(), message, help })
    }

    /// The register of a name that is a letter and a number, if `word` is one; the error is its message.
    fn numbered(&self, word: &str) -> Option<Result<Name, String>> {
        let generation = self.generation;
        let digits = word.get(1..)?;
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let number: u16 = digits.parse().unwrap_or(u16::MAX);
        let byte = u8::try_from(number).unwrap_or(u8::MAX);
        let below = |limit: usize| usize::from(number) < limit;
        let missing = |what: String| Some(Err(format!("{word} does not exist; {what}")));
        let kelvin = generation == Generation::Kelvin;
        let temps = generation.temps();
        match &word[..1] {
            "r" if below(temps) || kelvin && byte == POSITION_READ_BACK => {
                Some(Ok(Name::Register(Register::Temp(byte))))
            }
            "r" => {
                let mirror = if kelvin {
                    format!(", and r{POSITION_READ_BACK} reads oPos back")
                } else {
                    String::new()
                };
                missing(format!("temporaries are r0 to r{}{mirror}", temps - 1))
            }
            "v" if below(generation.inputs()) => {
                Some(Ok(Name::Register(Register::Input { n: byte, index: None })))
            }
            "v" => missing(format!("inputs are v0 to v{}", generation.inputs() - 1)),
            "o" if below(generation.outputs()) => Some(Ok(Name::Output(byte, None))),
            "o" => missing(format!("outputs are o0 to o{}", generation.outputs() - 1)),
            "c" if below(generation.constants()) => {
                Some(Ok(Name::Register(Register::Constant { row: number, index: None })))
            }
            "c" => missing(format!("constants are c[0] to c[{}]", generation.constants() - 1)),
            "a" if kelvin => missing("the address register is a0".to_owned()),
            "a" => missing("the address registers are a0 and a1".to_owned()),
            _ => None,
        }
    }

    fn no_row(&self, row: impl std::fmt::Display) -> String {
        format!("row {row} does not exist; rows are 0 to {}", self.generation.constants() - 1)
    }

    /// What stands between the brackets of `c[...]`.
    fn row(&mut self) -> Parsed<Register> {
        let Index { forced, base, address, span } =
            self.brackets("`[` or a row number", "a row number or a0")?;
        let row = match u16::try_from(base) {
            Ok(row) if row <= greatest_row(self.generation) => row,
            _ => {
                let problem = Problem::new(span, self.no_row(base));
                return Err(if base < 0 && self.generation == Generation::Kelvin {
                    problem.help("rows count from the first one, which is c[-96] in Direct3D")
                } else {
                    problem
                });
            }
        };
        if usize::from(row) >= self.generation.constants() && address.is_none() && !forced {
            let problem = Problem::new(span, self.no_row(row));
            return Err(problem.help(format!("write c[!{row}] to read it anyway")));
        }
        Ok(Register::Constant { row, index: address })
    }

    /// What stands between the brackets of `v[...]` and `o[...]`.
    fn indexed(&mut self, what: &str, limit: usize) -> Parsed<(u8, Option<AddressComponent>)> {
        let Index { forced, base, address, span } =
            self.brackets("`[`", "a number or an address register")?;
        if address.is_some() && self.generation != Generation::Curie {
            return Err(Problem::new(span, format!("{} cannot index {what}", self.generation.name())));
        }
        match u8::try_from(base) {
            Ok(n) if usize::from(n) < limit && !forced => Ok((n, address)),
            _ => Err(Problem::new(span, format!("{what} are 0 to {}", limit - 1))),
        }
    }

    fn brackets(&mut self, opening: &str, term: &str) -> Parsed<Index> {
        let open = self.next();
        if open.kind != Kind::Mark('[') {
            return Err(self.unexpected(&open, opening));
        }
        let start = self.peek().span.start;
        let forced = self.eat(Kind::Mark('!')).is_some();
        let mut base = 0i32;
        let mut address = None;
        let mut negative = self.eat(Kind::Mark('-')).is_some();
        loop {
            let token = self.peek().clone();
            let register = match self.text_of(&token).to_ascii_lowercase().as_str() {
                "a0" => Some(0),
                "a1" if self.generation != Generation::Kelvin => Some(1),
                _ => None,
            };
            if token.kind == Kind::Number {
                let (number, _) = self.number()?;
                base = base.saturating_add(if negative { -i32::from(number) } else { number.into() });
            } else if let Some(reg) = register {
                self.next();
                let component = self.address_component()?;
                if address.is_some() || negative {
                    let message = format!("a{reg} can only be added, and once");
                    return Err(Problem::new(token.span, message));
                }
                address = Some(AddressComponent { reg, component });
            } else {
                return Err(self.unexpected(&token, term));
            }
            negative = match self.peek().kind {
                Kind::Mark('+') => false,
                Kind::Mark('-') => true,
                _ => break,
            };
            self.next();
        }
        let span = start..self.last_end();
        self.expect(']')?;
        Ok(Index { forced, base, address, span })
    }
}

/// The mask of component numbers that ascend.
fn mask_of(letters: &[u8]) -> Option<Mask> {
    let ascend = letters.windows(2).all(|pair| pair[0] < pair[1]);
    (ascend && !letters.is_empty()).then(|| Mask(letters.iter().fold(0, |mask, c| mask | 8 >> c)))
}
