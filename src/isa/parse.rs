//! Assembler text to decoded instructions. The grammar (white space is free, letter case does not matter, comments run
//! from `;`, `#` or `//` to the end of the line; docs/isa/kelvin.md has examples):
//!
//! ```text
//! program     = { [ instruction | "END" | ".start" number | ".noend" ] newline }
//! instruction = operation { [ newline ] "+" [ newline ] operation }       ; at most one per unit and destination
//! operation   = mnemonic [ destination { "," source } ]
//! destination = ( "r0".."r11" | output | constant | "a0" ) [ "." mask ]    ; no mask: all components
//! source      = [ "-" ] ( "r0".."r12" | input | constant | "_" ) [ "." swizzle ]
//! output      = "oPos" | "oD0" | ... | "o0".."o15"                         ; see names.rs
//! input       = "v0".."v15" | "iPos" | ...
//! constant    = "c" number | "c" "[" [ "!" ] term { ( "+" | "-" ) term } "]"
//! term        = number | "a0" [ ".x" ]
//! mask        = some of "xyzw" in this order
//! swizzle     = one to four of "xyzw"; the last one repeats
//! ```
//!
//! This module knows the shape of the text; which operations fit into one instruction is `assemble`'s matter.

use std::ops::Range;

use super::Generation;
use super::assemble::{Operand, Operation, Operator, assemble};
use super::error::{MAX_ERRORS, ParseError, Problem};
use super::insn::{Insn, Program};
use super::kelvin::SLOTS;
use super::lex::{Kind, Token, tokens};
use super::names::{Mnemonic, mnemonics, nearest};
use super::op::VecOp;

mod operand;
#[cfg(test)]
mod round_trip;
#[cfg(test)]
mod tests;

/// Reads a program. The last instruction gets the END bit. Reports up to [`MAX_ERRORS`] errors.
pub fn parse(generation: Generation, text: &str) -> Result<Program, Vec<ParseError>> {
    let _ = generation;
    let parser = Parser { text, tokens: tokens(text), position: 0 };
    parser.program().map_err(|problems| problems.into_iter().map(|problem| problem.locate(text)).collect())
}

type Parsed<T> = Result<T, Problem>;

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    position: usize,
}

/// What a line holds.
enum Line {
    Insn(Insn),
    End,
    Start(usize),
    NoEnd,
}

impl<'a> Parser<'a> {
    fn program(mut self) -> Result<Program, Vec<Problem>> {
        let mut program = Program { insns: Vec::new(), first: 0, start: 0, unterminated: false };
        let mut problems = Vec::new();
        let mut ended = false;
        let mut no_end = None;
        while problems.len() < MAX_ERRORS {
            while self.eat(Kind::Newline).is_some() {}
            let first = self.peek().clone();
            if first.kind == Kind::End {
                break;
            }
            let full = |program: &Program| program.start + program.insns.len() >= SLOTS;
            match self.line() {
                Err(problem) => {
                    problems.push(problem);
                    self.skip_instruction();
                }
                Ok(_) if ended => {
                    problems.push(Problem::new(first.span, "nothing can follow END"));
                    break;
                }
                Ok(Line::Insn(_)) if full(&program) => {
                    let message = format!("the program has more than the {SLOTS} slots of XFPR");
                    problems.push(Problem::new(first.span, message));
                    break;
                }
                Ok(Line::Insn(insn)) => program.insns.push(insn),
                Ok(Line::End) => ended = true,
                Ok(Line::NoEnd) => no_end = Some(first.span),
                Ok(Line::Start(_)) if !program.insns.is_empty() => {
                    problems.push(Problem::new(first.span, ".start belongs before the first instruction"));
                }
                Ok(Line::Start(slot)) => (program.first, program.start) = (slot, slot),
            }
        }
        program.unterminated = no_end.is_some();
        if let Some(span) = no_end.filter(|_| ended) {
            problems.push(Problem::new(span, "a program with END cannot have .noend"));
        }
        match program.insns.last_mut() {
            Some(last) => last.end = !program.unterminated,
            None if problems.is_empty() => {
                problems
                    .push(Problem::new(self.text.len()..self.text.len(), "the program has no instruction"));
            }
            None => {}
        }
        problems.truncate(MAX_ERRORS);
        if problems.is_empty() { Ok(program) } else { Err(problems) }
    }

    fn line(&mut self) -> Parsed<Line> {
        if self.eat(Kind::Mark('.')).is_some() {
            return self.directive();
        }
        let mut operations = Vec::new();
        loop {
            let token = self.peek().clone();
            match self.mnemonic()? {
                Mnemonic::End if operations.is_empty() => {
                    self.end_of_line()?;
                    return Ok(Line::End);
                }
                Mnemonic::End => return Err(Problem::new(token.span, "END stands on a line of its own")),
                mnemonic => operations.push(self.operation(mnemonic, token.span)?),
            }
            if !self.another_operation()? {
                return assemble(&operations).map(Line::Insn);
            }
        }
    }

    fn directive(&mut self) -> Parsed<Line> {
        let name = self.next();
        let line = match self.text_of(&name).to_ascii_lowercase().as_str() {
            "noend" => Line::NoEnd,
            "start" => {
                let (slot, span) = self.number()?;
                if usize::from(slot) >= SLOTS {
                    let message = format!("slot {slot} does not exist; slots are 0 to {}", SLOTS - 1);
                    return Err(Problem::new(span, message));
                }
                Line::Start(slot.into())
            }
            other => {
                let problem = Problem::new(name.span, format!("`.{other}` is no directive"));
                return Err(problem.help("directives are .start and .noend"));
            }
        };
        self.end_of_line()?;
        Ok(line)
    }

    /// Whether the instruction goes on after an operation; consumes the plus sign or the end of the line.
    fn another_operation(&mut self) -> Parsed<bool> {
        let after = self.tokens[self.position..].iter().position(|token| token.kind != Kind::Newline);
        let after = self.position + after.unwrap_or(0);
        if self.tokens[after].kind == Kind::Mark('+') {
            self.position = after + 1;
            while self.eat(Kind::Newline).is_some() {}
            return Ok(true);
        }
        self.end_of_line()?;
        Ok(false)
    }

    fn mnemonic(&mut self) -> Parsed<Mnemonic> {
        let token = self.next();
        let word = self.text_of(&token);
        if token.kind != Kind::Word {
            return Err(self.unexpected(&token, "a mnemonic"));
        }
        if let Some((_, mnemonic)) = mnemonics().find(|(name, _)| name.eq_ignore_ascii_case(word)) {
            return Ok(mnemonic);
        }
        let problem = Problem::new(token.span, format!("`{word}` is no mnemonic"));
        Err(match nearest(word, mnemonics().map(|(name, _)| name)) {
            Some(name) => problem.help(format!("did you mean {name}?")),
            None => problem,
        })
    }

    fn operation(&mut self, mnemonic: Mnemonic, span: Range<usize>) -> Parsed<Operation> {
        let (operator, count) = match mnemonic {
            Mnemonic::Nop | Mnemonic::End => {
                return Ok(Operation {
                    operator: Operator::Nop,
                    span,
                    destination: None,
                    sources: Vec::new(),
                });
            }
            Mnemonic::Vec(op) => (Operator::Vec(op), op.reads().len()),
            Mnemonic::Sca(op) => (Operator::Sca(op), op.reads().len()),
            Mnemonic::Mov => (Operator::Mov, 1),
            Mnemonic::Sub => (Operator::Vec(VecOp::Add), 2),
            Mnemonic::Abs => (Operator::Vec(VecOp::Max), 1),
        };
        let destination = self.destination()?;
        let mut sources = Vec::new();
        while self.eat(Kind::Mark(',')).is_some() {
            sources.push(self.source()?);
        }
        let ends = matches!(self.peek().kind, Kind::Newline | Kind::End | Kind::Mark('+'));
        if sources.len() < count && !ends {
            let token = self.peek().clone();
            return Err(self.unexpected(&token, "`,`"));
        }
        if sources.len() != count {
            let name = &self.text[span.clone()];
            let plural = if count == 1 { "" } else { "s" };
            let message = format!("{name} takes {count} source{plural}, not {}", sources.len());
            return Err(Problem::new(span, message));
        }
        match mnemonic {
            Mnemonic::Sub => sources[1].negate ^= true,
            Mnemonic::Abs => {
                let negated = Operand { negate: !sources[0].negate, ..sources[0].clone() };
                sources.push(negated);
            }
            _ => {}
        }
        Ok(Operation { operator, span, destination: Some(destination), sources })
    }

    fn end_of_line(&mut self) -> Parsed<()> {
        match self.peek().kind {
            Kind::Newline | Kind::End => Ok(()),
            _ => {
                let token = self.peek().clone();
                Err(self.unexpected(&token, "the end of the line"))
            }
        }
    }

    /// Skips to the first line that does not continue the instruction.
    fn skip_instruction(&mut self) {
        self.position = self.position.min(self.tokens.len() - 1);
        // The token at fault may have been the line's end.
        if self.position > 0 && self.tokens[self.position - 1].kind == Kind::Newline {
            self.position -= 1;
        }
        loop {
            while !matches!(self.peek().kind, Kind::Newline | Kind::End) {
                self.position += 1;
            }
            while self.eat(Kind::Newline).is_some() {}
            if self.peek().kind != Kind::Mark('+') {
                return;
            }
        }
    }

    fn unexpected(&self, token: &Token, expected: &str) -> Problem {
        let found = match token.kind {
            Kind::Newline => "the line ends",
            Kind::End => "the text ends",
            _ => {
                return Problem::new(
                    token.span.clone(),
                    format!("expected {expected}, found `{}`", self.text_of(token)),
                );
            }
        };
        Problem::new(token.span.start..token.span.start, format!("expected {expected}, but {found}"))
    }

    fn peek(&self) -> &Token {
        &self.tokens[self.position.min(self.tokens.len() - 1)]
    }

    fn next(&mut self) -> Token {
        let token = self.peek().clone();
        if token.kind != Kind::End {
            self.position += 1;
        }
        token
    }

    fn eat(&mut self, kind: Kind) -> Option<Token> {
        (kind != Kind::End && self.peek().kind == kind).then(|| self.next())
    }

    fn text_of(&self, token: &Token) -> &'a str {
        &self.text[token.span.clone()]
    }

    /// Where the last token consumed ends.
    fn last_end(&self) -> usize {
        self.position.checked_sub(1).map_or(0, |last| self.tokens[last].span.end)
    }
}
