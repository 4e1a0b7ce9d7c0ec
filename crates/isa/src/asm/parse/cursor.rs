//! The parser's place in the text.

use std::ops::Range;

use super::super::lex::{Kind, Token};
use super::{Parsed, Parser};
use crate::text::Problem;

impl<'a> Parser<'a> {
    pub(super) fn peek(&self) -> &Token {
        &self.tokens[self.position.min(self.tokens.len() - 1)]
    }

    /// What the token after the next one is.
    pub(super) fn peek_second(&self) -> Kind {
        self.tokens.get(self.position + 1).map_or(Kind::End, |token| token.kind)
    }

    pub(super) fn next(&mut self) -> Token {
        let token = self.peek().clone();
        if token.kind != Kind::End {
            self.position += 1;
        }
        token
    }

    pub(super) fn eat(&mut self, kind: Kind) -> Option<Token> {
        (kind != Kind::End && self.peek().kind == kind).then(|| self.next())
    }

    /// Consumes a mark that must be there.
    pub(super) fn expect(&mut self, mark: char) -> Parsed<Token> {
        let token = self.next();
        if token.kind == Kind::Mark(mark) {
            Ok(token)
        } else {
            Err(self.unexpected(&token, &format!("`{mark}`")))
        }
    }

    pub(super) fn text_of(&self, token: &Token) -> &'a str {
        &self.text[token.span.clone()]
    }

    /// Where the last token consumed ends.
    pub(super) fn last_end(&self) -> usize {
        self.position.checked_sub(1).map_or(0, |last| self.tokens[last].span.end)
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
            _ => Err(Problem::new(token.span, format!("`{text}` is not a number"))),
        }
    }

    pub(super) fn end_of_line(&mut self) -> Parsed<()> {
        match self.peek().kind {
            Kind::Newline | Kind::End => Ok(()),
            _ => {
                let token = self.peek().clone();
                Err(self.unexpected(&token, "the end of the line"))
            }
        }
    }

    /// Skips to the first line that does not continue the instruction.
    pub(super) fn skip_instruction(&mut self) {
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

    pub(super) fn unexpected(&self, token: &Token, expected: &str) -> Problem {
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
}
