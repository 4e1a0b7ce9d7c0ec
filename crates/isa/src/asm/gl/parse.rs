//! Statements. The grammar of all languages (names are those of `nv` or `arb`):
//!
//! ```text
//! program     = header { option } { label ":" | [ statement ] ";" } "END"
//! option      = "OPTION" name ";"
//! statement   = declaration | instruction                                          ; declarations: see `arb`
//! instruction = opcode [ "C" | "C0" | "C1" ] [ "_SAT" ] operands
//! operands    = destination [ condition ] { "," source } [ "," unit "," target ]
//!             | label [ condition ] | [ condition ] | address
//! condition   = "(" test [ "0" | "1" ] [ "." swizzle ] ")"
//! ```

use std::collections::HashMap;
use std::ops::Range;

use super::super::names::nearest;
use super::ir::Node;
use super::language::{ARB, Language, Sets, V20, V30};
use super::lex::{Kind, Token, tokens};
use super::rows::{Binding, Parameters, Variables};
use super::symbol::Symbol;
use super::temps::Temps;
use crate::isa::Generation;
use crate::text::{MAX_ERRORS, Problem};

pub(super) type Parsed<T> = Result<T, Problem>;

/// A program that has been read.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) generation: Generation,
    pub(super) language: Language,
    pub(super) nodes: Vec<Node>,
    /// The node behind each label.
    pub(super) labels: HashMap<String, usize>,
    pub(super) temps: Temps,
    pub(super) variables: Variables,
    pub(super) parameters: Parameters,
    /// Where END is.
    pub(super) end: Range<usize>,
}

pub(super) struct Parser<'a> {
    pub(super) text: &'a str,
    pub(super) tokens: Vec<Token>,
    pub(super) position: usize,
    /// Generation asked for; without one, `draft.generation` grows with what options need.
    pub(super) wanted: Option<Generation>,
    pub(super) sets: Sets,
    pub(super) position_invariant: bool,
    /// A statement has been read: options come before.
    begun: bool,
    /// Nothing behind an error like this one is worth reading.
    hopeless: bool,
    pub(super) symbols: HashMap<String, Symbol>,
    /// Attributes bound by their names, and by their numbers.
    pub(super) attributes: [u16; 2],
    pub(super) draft: Draft,
}

/// Reads a program whose header ends at `body`, for the generation `wanted`; without one for `least`, or a later one
/// that its options need.
pub(super) fn read(
    wanted: Option<Generation>,
    least: Generation,
    language: Language,
    text: &str,
    body: usize,
) -> Result<Draft, Vec<Problem>> {
    let generation = wanted.unwrap_or(least);
    if generation < language.since() {
        return Err(vec![too_old(generation, language.header(), language.since(), 0..body)]);
    }
    Parser::new(wanted, language, generation, text, body).program()
}

/// What a text names that is a binding of ARB_vertex_program: one row, or the rows of a matrix.
pub(super) fn binding(text: &str) -> Parsed<Vec<Binding>> {
    let mut parser = Parser::new(None, Language::Arb10, Language::Arb10.since(), text, 0);
    let bindings = parser.items(true)?;
    let behind = parser.peek().clone();
    if behind.kind == Kind::End { Ok(bindings) } else { Err(parser.unexpected(&behind, "the end")) }
}

fn too_old(generation: Generation, what: &str, since: Generation, span: Range<usize>) -> Problem {
    let message = format!("{} cannot run {what}, which needs {}", generation.name(), since.name());
    Problem::new(span, message)
}

impl<'a> Parser<'a> {
    /// At the beginning of a text, whose header ends at `body`.
    fn new(
        wanted: Option<Generation>,
        language: Language,
        generation: Generation,
        text: &'a str,
        body: usize,
    ) -> Parser<'a> {
        let draft = Draft {
            generation,
            language,
            nodes: Vec::new(),
            labels: HashMap::new(),
            temps: Temps::default(),
            variables: Variables::default(),
            parameters: Parameters::new(language, generation),
            end: body..body,
        };
        Parser {
            text,
            tokens: tokens(text, body),
            position: 0,
            wanted,
            sets: language.sets(),
            position_invariant: false,
            begun: false,
            hopeless: false,
            symbols: HashMap::new(),
            attributes: [0; 2],
            draft,
        }
    }

    fn program(mut self) -> Result<Draft, Vec<Problem>> {
        let mut problems = Vec::new();
        while problems.len() < MAX_ERRORS {
            let token = self.peek().clone();
            if token.kind == Kind::End {
                problems.push(Problem::new(token.span, "the program has no END"));
                break;
            }
            if token.kind == Kind::Word && self.text_of(&token) == "END" {
                self.next();
                self.draft.end = token.span;
                let behind = self.peek().clone();
                if behind.kind != Kind::End {
                    problems.push(Problem::new(behind.span, "nothing can follow END"));
                }
                break;
            }
            if let Err(problem) = self.statement() {
                problems.push(problem);
                if self.hopeless {
                    break;
                }
                self.skip_statement();
            }
        }
        if problems.is_empty() && self.draft.nodes.is_empty() && !self.draft.language.may_be_empty() {
            let end = self.draft.end.clone();
            problems.push(Problem::new(end, "the program has no instruction"));
        }
        if problems.is_empty() { Ok(self.draft) } else { Err(problems) }
    }

    /// One statement with its semicolon, or a label.
    fn statement(&mut self) -> Parsed<()> {
        if self.eat(Kind::Mark(';')).is_some() {
            return Ok(());
        }
        let token = self.next();
        let word = self.text_of(&token);
        if token.kind != Kind::Word {
            return Err(self.unexpected(&token, "a statement"));
        }
        if self.sets & V20 != 0 && self.peek().kind == Kind::Mark(':') {
            self.next();
            self.begun = true;
            let here = self.draft.nodes.len();
            if self.draft.labels.insert(word.to_owned(), here).is_some() {
                return Err(Problem::new(token.span, format!("the label {word} is already defined")));
            }
            return Ok(());
        }
        match word {
            "OPTION" => self.option()?,
            "ATTRIB" | "PARAM" | "TEMP" | "ADDRESS" | "OUTPUT" | "ALIAS"
                if self.draft.language == Language::Arb10 =>
            {
                self.begun = true;
                self.declaration(word)?;
            }
            _ => {
                self.begun = true;
                self.instruction(&token)?;
            }
        }
        self.expect(';')?;
        Ok(())
    }

    fn option(&mut self) -> Parsed<()> {
        let token = self.next();
        let span = token.span.clone();
        let name = self.text_of(&token);
        if self.begun {
            return Err(Problem::new(span, "options must come first"));
        }
        match (name, self.draft.language) {
            ("NV_position_invariant", Language::Vp11 | Language::Vp20 | Language::Vp30)
            | ("ARB_position_invariant", Language::Arb10) => self.transform_position(&span),
            ("NV_vertex_program2", Language::Arb10) => self.extend(name, V20, Generation::Rankine, span),
            ("NV_vertex_program3", Language::Arb10) => self.extend(name, V20 | V30, Generation::Curie, span),
            _ if name.starts_with("ARB_fog_") || name.starts_with("ARB_precision_hint_") => {
                Err(Problem::new(span, format!("{name} is an option of fragment programs")))
            }
            _ => {
                let header = self.draft.language.header();
                let problem = Problem::new(span, format!("{header} has no option {name}"));
                Err(match self.draft.language {
                    Language::Vp10 | Language::Vsp10 => problem.help("!!VP1.1 introduced options"),
                    Language::Vp11 | Language::Vp20 | Language::Vp30 => {
                        problem.help("use the option NV_position_invariant")
                    }
                    Language::Arb10 => problem.help(
                        "options are ARB_position_invariant, NV_vertex_program2 and NV_vertex_program3",
                    ),
                })
            }
        }
    }

    /// An option that adds instruction sets.
    fn extend(&mut self, name: &str, sets: Sets, since: Generation, span: Range<usize>) -> Parsed<()> {
        match self.wanted {
            Some(wanted) if wanted < since => {
                self.hopeless = true;
                Err(too_old(wanted, name, since, span))
            }
            _ => {
                self.draft.generation = self.draft.generation.max(since);
                self.sets |= sets | ARB;
                Ok(())
            }
        }
    }

    /// Goes on behind the statement that cannot be read.
    fn skip_statement(&mut self) {
        // What was read last may have been its end.
        let last = self.position.checked_sub(1).map(|last| self.tokens[last].kind);
        if last == Some(Kind::Mark(';')) {
            return;
        }
        loop {
            let token = self.peek().clone();
            let ends = token.kind == Kind::Word && self.text_of(&token) == "END";
            if token.kind == Kind::End || ends {
                return;
            }
            self.next();
            if token.kind == Kind::Mark(';') {
                return;
            }
        }
    }

    pub(super) fn peek(&self) -> &Token {
        // The last token is End, and `next` never passes it.
        &self.tokens[self.position]
    }

    pub(super) fn next(&mut self) -> Token {
        let token = self.tokens[self.position].clone();
        if self.position + 1 < self.tokens.len() {
            self.position += 1;
        }
        token
    }

    pub(super) fn text_of(&self, token: &Token) -> &'a str {
        &self.text[token.span.clone()]
    }

    pub(super) fn eat(&mut self, kind: Kind) -> Option<Token> {
        (self.peek().kind == kind).then(|| self.next())
    }

    pub(super) fn expect(&mut self, mark: char) -> Parsed<Token> {
        let token = self.peek().clone();
        match token.kind == Kind::Mark(mark) {
            true => Ok(self.next()),
            false => Err(self.unexpected(&token, &format!("`{mark}`"))),
        }
    }

    /// A word, and nothing but this one.
    pub(super) fn expect_word(&mut self, word: &str) -> Parsed<Token> {
        let token = self.peek().clone();
        match token.kind == Kind::Word && self.text_of(&token) == word {
            true => Ok(self.next()),
            false => Err(self.unexpected(&token, &format!("`{word}`"))),
        }
    }

    /// An integer from 0 to below `limit`; `what` names it.
    pub(super) fn integer(&mut self, limit: u16, what: &str) -> Parsed<u16> {
        let token = self.peek().clone();
        if token.kind != Kind::Integer {
            return Err(self.unexpected(&token, what));
        }
        self.next();
        match self.text_of(&token).parse::<u16>() {
            Ok(number) if number < limit => Ok(number),
            _ => {
                let message = format!("{what} must be 0 to {}", limit.saturating_sub(1));
                Err(Problem::new(token.span, message))
            }
        }
    }

    /// `[n]`
    pub(super) fn bracketed(&mut self, limit: u16, what: &str) -> Parsed<u16> {
        self.expect('[')?;
        let number = self.integer(limit, what)?;
        self.expect(']')?;
        Ok(number)
    }

    /// Where the token before the next one ends.
    pub(super) fn last_end(&self) -> usize {
        self.position.checked_sub(1).map_or(0, |last| self.tokens[last].span.end)
    }

    /// What has been read since `start`: nothing if that is where the text ends, which spaces may precede.
    pub(super) fn since(&self, start: usize) -> Range<usize> {
        start..self.last_end().max(start)
    }

    pub(super) fn unexpected(&self, token: &Token, expected: &str) -> Problem {
        let found = match token.kind {
            Kind::End => "the end of the text".to_owned(),
            _ => format!("`{}`", self.text_of(token)),
        };
        Problem::new(token.span.clone(), format!("expected {expected}, found {found}"))
    }

    /// A word that is not known; perhaps one of `known`.
    pub(super) fn unknown<'k>(
        &self,
        token: &Token,
        what: &str,
        known: impl Iterator<Item = &'k str>,
    ) -> Problem {
        let word = self.text_of(token);
        let article = if what.starts_with(['a', 'i', 'o']) { "an" } else { "a" };
        let problem = Problem::new(token.span.clone(), format!("`{word}` is not {article} {what}"));
        match nearest(word, known.filter(|known| *known != word)) {
            Some(name) => problem.help(format!("did you mean {name}?")),
            None => problem,
        }
    }
}
