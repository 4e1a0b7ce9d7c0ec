//! Operands of the assembler text: destinations, sources, registers.

use std::ops::Range;

use super::super::Generation;
use super::super::assemble::{Destination, Operand, Register, Target};
use super::super::error::Problem;
use super::super::insn::{Mask, OutTarget, Swizzle};
use super::super::kelvin::{CONSTANTS, INPUTS as INPUT_COUNT, OPOS_MIRROR, OUTPUTS as OUTPUT_COUNT, TEMPS};
use super::super::lex::{Kind, Token};
use super::super::names::{component, inputs, nearest, outputs};
use super::{Parsed, Parser};

impl Parser<'_> {
    pub(super) fn destination(&mut self) -> Parsed<Destination> {
        let token = self.next();
        let word = self.text_of(&token).to_ascii_lowercase();
        let wrong = |message: String| Err(Problem::new(token.span.clone(), message));
        let target = match self.register(&token, "a destination register")? {
            Name::Address => Target::Address,
            Name::Output(n) => Target::Out(OutTarget::Output(n)),
            Name::Register(Register::Temp(n)) if n < TEMPS => Target::Temp(n),
            Name::Register(Register::Temp(_)) => {
                return wrong(format!("{word} cannot be written: it reads oPos back"));
            }
            Name::Register(Register::Constant { indexed: false, row }) if row < CONSTANTS => {
                Target::Out(OutTarget::Constant(row))
            }
            Name::Register(Register::Constant { indexed: true, .. }) => {
                return wrong("a constant cannot be written through a0".to_owned());
            }
            Name::Register(Register::Constant { row, .. }) => return wrong(no_row(row)),
            Name::Register(Register::Input(_)) => {
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
            let message = format!("`{}` is no write mask", &self.text[mask_span.clone()]);
            let problem = Problem::new(mask_span, message);
            return Err(problem.help("name the components to write in the order xyzw, each once"));
        };
        if target == Target::Address && !matches!(mask, Mask::ALL | Mask(8)) {
            return Err(Problem::new(mask_span, "a0 has only the component x"));
        }
        Ok(Destination { target, mask, span })
    }

    pub(super) fn source(&mut self) -> Parsed<Operand> {
        let start = self.peek().span.start;
        let negate = self.eat(Kind::Mark('-')).is_some();
        let token = self.next();
        let register = match self.register(&token, "a source register")? {
            Name::Register(register) => register,
            Name::Output(_) => {
                let message = format!("{} is an output, which cannot be read", self.text_of(&token));
                return Err(Problem::new(token.span, message).help("r12 reads oPos back"));
            }
            Name::Address => {
                return Err(Problem::new(token.span, "a0 can only be used as an index, as in c[a0 + 12]"));
            }
        };
        let mut swizzle = Swizzle::IDENTITY;
        if let Some((letters, span)) = self.component_letters()? {
            let Some(&last) = letters.last().filter(|_| letters.len() <= 4) else {
                return Err(Problem::new(span, "a swizzle names one to four components"));
            };
            swizzle = Swizzle(std::array::from_fn(|c| letters.get(c).copied().unwrap_or(last)));
        }
        Ok(Operand { register, swizzle, negate, span: start..self.last_end() })
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
    fn register(&mut self, token: &Token, expected: &str) -> Parsed<Name> {
        let text = self.text_of(token);
        if token.kind == Kind::Mark('|') {
            let problem = Problem::new(token.span.clone(), "sources have no absolute value");
            return Err(problem.help("ABS computes it"));
        }
        if token.kind != Kind::Word {
            return Err(self.unexpected(token, expected));
        }
        let word = text.to_ascii_lowercase();
        match word.as_str() {
            "_" => return Ok(Name::Register(Register::None)),
            "a0" => return Ok(Name::Address),
            "c" => return self.row().map(Name::Register),
            _ => {}
        }
        let (inputs, outputs) = (inputs(Generation::Kelvin), outputs(Generation::Kelvin));
        if let Some(n) = inputs.iter().position(|name| name.eq_ignore_ascii_case(&word)) {
            return Ok(Name::Register(Register::Input(n as u8)));
        }
        if let Some(n) = outputs.iter().position(|names| names.iter().any(|n| n.eq_ignore_ascii_case(&word)))
        {
            return Ok(Name::Output(n as u8));
        }
        let (message, help) = match numbered(&word) {
            Some(Ok(name)) => return Ok(name),
            Some(Err(message)) => (message, None),
            None => {
                let names = outputs.iter().flat_map(|names| names.iter().copied()).chain(inputs);
                let help = nearest(text, names).map(|name| format!("did you mean {name}?"));
                (format!("`{text}` is no register"), help)
            }
        };
        Err(Problem { span: token.span.clone(), message, help })
    }

    /// What stands between the brackets of `c[...]`.
    fn row(&mut self) -> Parsed<Register> {
        let open = self.next();
        if open.kind != Kind::Mark('[') {
            return Err(self.unexpected(&open, "`[` or a row number"));
        }
        let start = self.peek().span.start;
        let forced = self.eat(Kind::Mark('!')).is_some();
        let mut row = 0i32;
        let mut indexed = false;
        let mut negative = self.eat(Kind::Mark('-')).is_some();
        loop {
            let token = self.peek().clone();
            if token.kind == Kind::Number {
                let (number, _) = self.number()?;
                row = row.saturating_add(if negative { -i32::from(number) } else { number.into() });
            } else if token.kind == Kind::Word && self.text_of(&token).eq_ignore_ascii_case("a0") {
                self.next();
                if self.component_letters()?.is_some_and(|(letters, _)| letters != [0]) {
                    return Err(Problem::new(token.span, "a0 has only the component x"));
                }
                if indexed || negative {
                    return Err(Problem::new(token.span, "a0 can only be added, and once"));
                }
                indexed = true;
            } else {
                return Err(self.unexpected(&token, "a row number or a0"));
            }
            negative = match self.peek().kind {
                Kind::Mark('+') => false,
                Kind::Mark('-') => true,
                _ => break,
            };
            self.next();
        }
        let span = start..self.last_end();
        let close = self.next();
        if close.kind != Kind::Mark(']') {
            return Err(self.unexpected(&close, "`]`"));
        }
        let Ok(row @ 0..=255) = u16::try_from(row) else {
            let problem =
                Problem::new(span, format!("row {row} does not exist; rows are 0 to {}", CONSTANTS - 1));
            return Err(if row < 0 {
                problem.help("rows are counted from the first one; that is c[-96] of Direct3D")
            } else {
                problem
            });
        };
        if row >= CONSTANTS && !indexed && !forced {
            let problem = Problem::new(span, no_row(row));
            return Err(problem.help(format!("write c[!{row}] to read it all the same")));
        }
        Ok(Register::Constant { row, indexed })
    }

    pub(super) fn number(&mut self) -> Parsed<(u16, Range<usize>)> {
        let token = self.next();
        if token.kind != Kind::Number {
            return Err(self.unexpected(&token, "a number"));
        }
        let text = self.text_of(&token).to_ascii_lowercase();
        let number = match text.strip_prefix("0x") {
            Some(digits) => u16::from_str_radix(digits, 16).ok(),
            None => text.parse().ok(),
        };
        match number {
            Some(number) if number < 0x1000 => Ok((number, token.span)),
            _ if text.chars().all(|c| c.is_ascii_digit()) => {
                Err(Problem::new(token.span, format!("{text} is too large")))
            }
            _ => Err(Problem::new(token.span, format!("`{text}` is no number"))),
        }
    }
}

/// What a register's name stands for.
enum Name {
    Register(Register),
    Output(u8),
    Address,
}

fn no_row(row: u16) -> String {
    format!("row {row} does not exist; rows are 0 to {}", CONSTANTS - 1)
}

/// The register of a name that is a letter and a number, if `word` is one; the error is its message.
fn numbered(word: &str) -> Option<Result<Name, String>> {
    let digits = word.get(1..)?;
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let number: u16 = digits.parse().unwrap_or(u16::MAX);
    let byte = u8::try_from(number).unwrap_or(u8::MAX);
    let missing = |what: String| Some(Err(format!("{word} does not exist; {what}")));
    match &word[..1] {
        "r" if byte <= OPOS_MIRROR => Some(Ok(Name::Register(Register::Temp(byte)))),
        "r" => missing(format!("temporaries are r0 to r{}, and r{OPOS_MIRROR} reads oPos back", TEMPS - 1)),
        "v" if byte < INPUT_COUNT => Some(Ok(Name::Register(Register::Input(byte)))),
        "v" => missing(format!("inputs are v0 to v{}", INPUT_COUNT - 1)),
        "o" if byte < OUTPUT_COUNT => Some(Ok(Name::Output(byte))),
        "o" => missing(format!("outputs are o0 to o{}", OUTPUT_COUNT - 1)),
        "c" if number < CONSTANTS => {
            Some(Ok(Name::Register(Register::Constant { row: number, indexed: false })))
        }
        "c" => missing(format!("constants are c[0] to c[{}]", CONSTANTS - 1)),
        "a" => missing("the address register is a0".to_owned()),
        _ => None,
    }
}

/// The mask of component numbers that ascend.
fn mask_of(letters: &[u8]) -> Option<Mask> {
    let ascend = letters.windows(2).all(|pair| pair[0] < pair[1]);
    (ascend && !letters.is_empty()).then(|| Mask(letters.iter().fold(0, |mask, c| mask | 8 >> c)))
}
