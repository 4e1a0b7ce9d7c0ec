//! Declarations and registers of ARB_vertex_program:
//!
//! ```text
//! declaration = "ATTRIB" name "=" "vertex" ...
//!             | "PARAM" name "=" item | "PARAM" name "[" [ size ] "]" "=" "{" item { "," item } "}"
//!             | "TEMP" name { "," name } | "ADDRESS" name { "," name }
//!             | "OUTPUT" name "=" "result" ... | "ALIAS" name "=" name
//! item        = "state" ... | "program" ... | [ sign ] number | "{" [ sign ] number { "," [ sign ] number } "}"
//! ```

use std::ops::Range;

use super::ir::{Place, Register, Target};
use super::language::V20;
use super::lex::{Kind, Token};
use super::operand::{Read, Written};
use super::ops::find;
use super::parse::{Parsed, Parser};
use super::rows::Binding;
use super::symbol::Symbol;
use crate::isa::AddressComponent;
use crate::isa::Generation;
use crate::text::Problem;

/// Address registers of a program with an option; without one, only the first component counts.
const ADDRESSES: u8 = 2;

impl Parser<'_> {
    /// A declaration behind its keyword.
    pub(super) fn declaration(&mut self, keyword: &str) -> Parsed<()> {
        match keyword {
            "TEMP" => self.names(|parser, _| Ok(Symbol::Temp(parser.draft.temps.declare()))),
            "ADDRESS" => self.names(Self::declare_address),
            "ATTRIB" => {
                let name = self.new_name()?;
                self.expect('=')?;
                self.expect_word("vertex")?;
                let register = self.vertex_binding()?;
                self.establish(&name, Symbol::Attribute(register))
            }
            "OUTPUT" => {
                let name = self.new_name()?;
                self.expect('=')?;
                self.expect_word("result")?;
                let (output, index) = self.result_binding()?;
                self.establish(&name, Symbol::Output(output, index))
            }
            "ALIAS" => {
                let name = self.new_name()?;
                self.expect('=')?;
                let other = self.next();
                match self.symbols.get(self.text_of(&other)) {
                    Some(&symbol) => self.establish(&name, symbol),
                    None => Err(self.undeclared(&other)),
                }
            }
            _ => self.parameter(),
        }
    }

    fn names(&mut self, symbol: impl Fn(&mut Self, &Token) -> Parsed<Symbol>) -> Parsed<()> {
        loop {
            let name = self.new_name()?;
            let symbol = symbol(self, &name)?;
            self.establish(&name, symbol)?;
            if self.eat(Kind::Mark(',')).is_none() {
                return Ok(());
            }
        }
    }

    fn declare_address(&mut self, name: &Token) -> Parsed<Symbol> {
        let declared = |symbol: &&Symbol| matches!(symbol, Symbol::Address(_));
        let mut numbers: Vec<u8> = self
            .symbols
            .values()
            .filter(declared)
            .filter_map(|symbol| if let Symbol::Address(n) = symbol { Some(*n) } else { None })
            .collect();
        numbers.sort_unstable();
        numbers.dedup();
        let limit = match self.draft.generation {
            Generation::Kelvin => 1,
            Generation::Rankine | Generation::Curie => ADDRESSES,
        };
        let n = numbers.len() as u8;
        if n >= limit {
            let generation = self.draft.generation.name();
            let plural = if limit == 1 { "" } else { "s" };
            let message = format!("{generation} has {limit} address register{plural}");
            return Err(Problem::new(name.span.clone(), message));
        }
        Ok(Symbol::Address(n))
    }

    fn new_name(&mut self) -> Parsed<Token> {
        let token = self.next();
        let word = self.text_of(&token);
        if token.kind != Kind::Word {
            return Err(self.unexpected(&token, "a name"));
        }
        let keywords = [
            "ADDRESS", "ALIAS", "ATTRIB", "END", "OPTION", "OUTPUT", "PARAM", "TEMP", "program", "result",
            "state", "vertex",
        ];
        let opcode =
            find(word).is_some_and(|(opcode, _)| opcode.name == word && opcode.sets & self.sets != 0);
        if opcode || keywords.contains(&word) {
            return Err(Problem::new(token.span, format!("{word} cannot be a name")));
        }
        Ok(token)
    }

    fn establish(&mut self, name: &Token, symbol: Symbol) -> Parsed<()> {
        let word = self.text_of(name);
        if self.symbols.contains_key(word) {
            return Err(Problem::new(name.span.clone(), format!("{word} is already declared")));
        }
        self.symbols.insert(word.to_owned(), symbol);
        Ok(())
    }

    fn undeclared(&self, token: &Token) -> Problem {
        if token.kind != Kind::Word {
            return self.unexpected(token, "a register");
        }
        let mut problem = self.unknown(token, "register", self.symbols.keys().map(String::as_str));
        problem.message = format!("`{}` is not declared", self.text_of(token));
        problem
    }

    /// Behind `PARAM`.
    fn parameter(&mut self) -> Parsed<()> {
        let name = self.new_name()?;
        let array = self.eat(Kind::Mark('[')).is_some();
        if !array {
            self.expect('=')?;
            let start = self.peek().span.start;
            let items = self.items(false)?;
            let span = self.since(start);
            let variable = match <[Binding; 1]>::try_from(items) {
                Ok([binding]) => self.draft.variables.single(binding, span),
                Err(items) => self.draft.variables.declare(items, span),
            };
            return self.establish(&name, Symbol::Variable { variable, array });
        }
        let size = match self.peek().kind {
            Kind::Integer => {
                Some((self.peek().span.clone(), self.integer(u16::MAX, "the size of an array")?))
            }
            _ => None,
        };
        self.expect(']')?;
        self.expect('=')?;
        self.expect('{')?;
        let mut items = self.items(true)?;
        while self.eat(Kind::Mark(',')).is_some() {
            items.extend(self.items(true)?);
            if items.len() > 1024 {
                return Err(Problem::new(name.span, "no chip has an array this long"));
            }
        }
        self.expect('}')?;
        if let Some((span, size)) = size.filter(|(_, size)| usize::from(*size) != items.len()) {
            let message = format!("the array has {} items, not {size}", items.len());
            return Err(Problem::new(span, message));
        }
        let variable = self.draft.variables.declare(items, name.span.clone());
        self.establish(&name, Symbol::Variable { variable, array })
    }

    /// What a parameter is bound to; with `many` several rows at once.
    pub(super) fn items(&mut self, many: bool) -> Parsed<Vec<Binding>> {
        let token = self.peek().clone();
        match (token.kind, self.text_of(&token)) {
            (Kind::Word, "state") => {
                self.next();
                self.state_binding(many)
            }
            (Kind::Word, "program") => {
                self.next();
                self.program_binding(many)
            }
            (Kind::Mark('{'), _) => Ok(vec![self.vector()?]),
            (Kind::Integer | Kind::Float | Kind::Mark('-' | '+'), _) => {
                let bits = self.signed()?;
                Ok(vec![Binding::Literal([bits; 4])])
            }
            _ => Err(self.unexpected(&token, "a number, `{`, state or program")),
        }
    }

    /// `{ x, y, z, w }`; what is left out is 0, 0 and 1.
    fn vector(&mut self) -> Parsed<Binding> {
        let open = self.expect('{')?;
        let mut words = [0, 0, 0, 1f32.to_bits()];
        let mut count = 0;
        loop {
            let bits = self.signed()?;
            let Some(word) = words.get_mut(count) else {
                let span = self.since(open.span.start);
                return Err(Problem::new(span, "a vector must have one to four components"));
            };
            *word = bits;
            count += 1;
            if self.eat(Kind::Mark(',')).is_none() {
                break;
            }
        }
        self.expect('}')?;
        Ok(Binding::Literal(words))
    }

    /// A number with an optional sign, as bits.
    fn signed(&mut self) -> Parsed<u32> {
        let negative = self.eat(Kind::Mark('-')).is_some();
        if !negative {
            self.eat(Kind::Mark('+'));
        }
        let token = self.next();
        let bits = self.number(&token)?;
        Ok(bits ^ u32::from(negative) << 31)
    }

    /// The bits of a number.
    fn number(&self, token: &Token) -> Parsed<u32> {
        let number = match token.kind {
            Kind::Integer | Kind::Float => self.text_of(token).parse::<f32>().ok(),
            _ => None,
        };
        number.map(f32::to_bits).ok_or_else(|| self.unexpected(token, "a number"))
    }

    /// The address register of a name.
    pub(super) fn arb_address(&self, word: &str) -> Option<u8> {
        match self.symbols.get(word) {
            Some(&Symbol::Address(n)) => Some(n),
            // The options' own names, where nothing else is declared so.
            None if self.sets & V20 != 0 && word == "A0" => Some(0),
            None if self.sets & V20 != 0 && word == "A1" => Some(1),
            _ => None,
        }
    }

    pub(super) fn arb_destination(&mut self, token: &Token) -> Parsed<Written> {
        let word = self.text_of(token);
        if word == "result" {
            return self.result_binding().map(|(output, index)| Written::Output(output, index));
        }
        if let Some(reg) = self.arb_address(word) {
            return Ok(Written::Target(Target::Address(reg)));
        }
        let wrong = |what: &str| Err(Problem::new(token.span.clone(), format!("{what} cannot be written")));
        match self.symbols.get(word) {
            Some(&Symbol::Temp(temp)) => Ok(Written::Target(Target::Temp(temp))),
            Some(&Symbol::Output(output, index)) => Ok(Written::Output(output, index)),
            Some(Symbol::Attribute(_)) => wrong("an attribute"),
            Some(Symbol::Variable { .. }) => wrong("a parameter"),
            _ if word == "vertex" => wrong("an attribute"),
            _ if matches!(word, "state" | "program") => wrong("a parameter"),
            _ => Err(self.undeclared(token)),
        }
    }

    pub(super) fn arb_source(&mut self, token: &Token) -> Parsed<Read> {
        let word = self.text_of(token);
        let bindings = match (token.kind, word) {
            (Kind::Integer | Kind::Float, _) => {
                let bits = self.number(token)?;
                vec![Binding::Literal([bits; 4])]
            }
            (Kind::Mark('{'), _) => {
                self.position -= 1;
                vec![self.vector()?]
            }
            (Kind::Word, "vertex") => return self.vertex_binding().map(Read::Register),
            (Kind::Word, "state") => self.state_binding(false)?,
            (Kind::Word, "program") => self.program_binding(false)?,
            (Kind::Word, "result") => return Ok(Read::Not("a result")),
            (Kind::Word, _) => return self.declared_source(token),
            _ => return Err(self.unexpected(token, "a register or a number")),
        };
        let span = self.since(token.span.start);
        let Some(binding) = bindings.into_iter().next() else {
            return Err(self.unexpected(token, "a parameter"));
        };
        let variable = self.draft.variables.single(binding, span);
        Ok(Read::Register(self.constant(variable, 0, None)))
    }

    fn declared_source(&mut self, token: &Token) -> Parsed<Read> {
        let word = self.text_of(token);
        if self.arb_address(word).is_some() {
            return Ok(Read::Not("an address register"));
        }
        match self.symbols.get(word).copied() {
            Some(Symbol::Temp(temp)) => Ok(Read::Register(Register::Temp(temp))),
            Some(Symbol::Attribute(register)) => Ok(Read::Register(register)),
            Some(Symbol::Output(..)) => Ok(Read::Not("a result")),
            Some(Symbol::Address(_)) => Ok(Read::Not("an address register")),
            Some(Symbol::Variable { variable, array: false }) => {
                Ok(Read::Register(self.constant(variable, 0, None)))
            }
            Some(Symbol::Variable { variable, array: true }) => self.element(token, variable),
            None => Err(self.undeclared(token)),
        }
    }

    /// `[n]` or `[A0.x + n]` behind an array.
    fn element(&mut self, name: &Token, variable: usize) -> Parsed<Read> {
        if self.peek().kind != Kind::Mark('[') {
            let message = format!("{} is an array: name one of its items", self.text_of(name));
            return Err(Problem::new(name.span.clone(), message));
        }
        self.next();
        let token = self.peek().clone();
        let register = match self.address_register(&token) {
            Some(reg) => {
                self.next();
                let index = self.index(reg, &token)?;
                let offset = self.offset()?;
                self.constant(variable, offset, Some(index))
            }
            None => {
                let size = self.draft.variables.0[variable].items.len() as u16;
                let n = self.integer(size, "an item of this array")?;
                self.constant(variable, n.into(), None)
            }
        };
        self.expect(']')?;
        Ok(Read::Register(register))
    }

    /// A reference to a variable, which is in use from now on.
    fn constant(&mut self, variable: usize, offset: i32, index: Option<AddressComponent>) -> Register {
        let used = &mut self.draft.variables.0[variable];
        used.used = true;
        if index.is_some() {
            used.indexed = true;
            used.least_offset = used.least_offset.min(offset);
        }
        Register::Constant { place: Place::Variable(variable), offset, index }
    }

    /// A variable that holds a literal, in use from now on.
    pub(super) fn literal(&mut self, words: [u32; 4], span: &Range<usize>) -> Register {
        let variable = self.draft.variables.single(Binding::Literal(words), span.clone());
        self.constant(variable, 0, None)
    }
}
