//! Assembler text to decoded instructions. The grammar (white space is free, letter case does not matter, comments run
//! from `;`, `#` or `//` to the end of the line; docs/isa has examples):
//!
//! ```text
//! program     = { [ label ":" ] [ instruction | "END" | directive ] newline }
//! directive   = ".start" ( number | label ) | ".first" number | ".noend" | ".paired" ( "r1" | "shared" )
//! instruction = operation { [ newline ] "+" [ newline ] ( operation | "END" ) } ; at most one per unit and destination
//! operation   = mnemonic [ "C" | "C0" | "C1" ] [ "_SAT" ] operands
//! operands    = [ destination [ condition ] { "," source } [ "," "tex0".."tex3" ] ] ; ARA: the source is an address
//!             | ( number | label ) [ condition | "," [ "!" ] "b0".."b31" ]          ; BRA CAL | BRB CLB
//!             | [ address [ "." component ] ] [ condition ]                         ; BRAI CALI PUSHA RET
//! condition   = "(" ( "FL" | "LT" | ... | "TR" ) [ "0" | "1" ] [ "." swizzle ] ")"
//! destination = ( temporary | output | constant | address | "cc" ) [ "." mask ]     ; no mask: all components
//! source      = [ "-" ] [ "|" ] ( temporary | input | constant | "_" ) [ "." swizzle ] [ "|" ]
//! output      = "oPos" | "oD0" | ... | "o" number | "o" "[" index "]"               ; see names.rs
//! input       = "iPos" | ... | "v" number | "v" "[" index "]"
//! constant    = "c" number | "c" "[" [ "!" ] index "]"
//! index       = term { ( "+" | "-" ) term }
//! term        = number | address [ "." component ]
//! address     = "a0" | "a1"
//! mask        = some of "xyzw" in this order
//! swizzle     = one to four of "xyzw"; the last one repeats
//! ```
//!
//! This module knows the shape of a program; `parse::operation` and `parse::operand` that of a line. Which operations
//! fit into one instruction is `assemble`'s matter.

use std::collections::HashMap;
use std::ops::Range;

use super::assemble::{assemble, check};
use super::lex::{Kind, Token, tokens};
use super::names::{Mnemonic, nearest};
use super::pair::{self, Paired, Passes};
use crate::isa::decode::reachable;
use crate::isa::{Generation, PairedScalar, Reading};
use crate::isa::{Insn, Program};
use crate::text::{MAX_ERRORS, ParseErrors, Problem};

mod cursor;
#[cfg(test)]
mod later_tests;
mod operand;
mod operation;
#[cfg(test)]
mod round_trip;
#[cfg(test)]
mod tests;

/// Reads a program. The last instruction gets the END bit.
///
/// ```
/// # use xfjit::{Generation, asm};
/// fn slots(text: &str) -> Result<usize, Box<dyn std::error::Error + Send + Sync>> {
///     Ok(asm::parse(Generation::Kelvin, text)?.insns.len())
/// }
/// assert_eq!(slots("MOV oPos, v0").unwrap(), 1);
/// assert_eq!(slots("MOV oPos, v0\nMUL oD0, v3, k0").unwrap_err().to_string(), "2:14: `k0` is not a register");
/// ```
///
/// # Errors
/// Up to [`MAX_ERRORS`] places where the text is not a program.
pub fn parse(generation: Generation, text: &str) -> Result<Program, ParseErrors> {
    parse_as(generation, Reading::default(), text)
}

/// As [`parse`], for a chip that reads words in this way, unless the text says otherwise. The result is a program that
/// [`decode_as`](crate::isa::decode_as) can make of words.
pub fn parse_as(generation: Generation, reading: Reading, text: &str) -> Result<Program, ParseErrors> {
    Ok(parse_with_reading(generation, reading, text)?.0)
}

/// As [`parse_as`], and also returns the reading that the program is for: the given one, changed by directives of the text.
pub fn parse_with_reading(
    generation: Generation,
    reading: Reading,
    text: &str,
) -> Result<(Program, Reading), ParseErrors> {
    parse_with_passes(generation, reading, text, Passes::NONE)
}

/// As [`parse_with_reading`], and makes the program shorter ([`pair`](super::pair())): only the result must fit the chip's slots.
pub fn parse_with_passes(
    generation: Generation,
    reading: Reading,
    text: &str,
    passes: Passes,
) -> Result<(Program, Reading), ParseErrors> {
    let tokens = tokens(text);
    let mut parser = Parser { generation, reading, passes, text, tokens, position: 0, jump: None };
    match parser.program() {
        Ok(program) => Ok((program, parser.reading)),
        Err(problems) => Err(problems.into_iter().map(|problem| problem.locate(text)).collect()),
    }
}

type Parsed<T> = Result<T, Problem>;

struct Parser<'a> {
    generation: Generation,
    reading: Reading,
    passes: Passes,
    text: &'a str,
    tokens: Vec<Token>,
    position: usize,
    /// The label that the branch of the line being read goes to.
    jump: Option<Range<usize>>,
}

/// What a line holds.
enum Line {
    Insn(Insn),
    End,
    First(usize),
    Start(Place),
    NoEnd,
    Paired(PairedScalar),
}

/// A slot, by number or by the label whose name is there.
enum Place {
    Slot(usize),
    Label(Range<usize>),
}

/// What has been read so far.
#[derive(Default)]
struct Draft {
    insns: Vec<Insn>,
    /// Where each instruction is in the text.
    spans: Vec<Range<usize>>,
    /// Index of the instruction behind each label, by the label's name in lower case.
    labels: HashMap<String, usize>,
    /// The labels that branches go to, with the index of the branch.
    jumps: Vec<(usize, Range<usize>)>,
    first: Option<usize>,
    start: Option<Place>,
    /// A line END has been read.
    ended: bool,
    no_end: Option<Range<usize>>,
    /// Nothing after an error like this one is worth reading.
    hopeless: bool,
}

impl Draft {
    /// The slot of the first instruction.
    fn first(&self) -> usize {
        match (self.first, &self.start) {
            (Some(first), _) => first,
            (None, Some(Place::Slot(slot))) => *slot,
            (None, _) => 0,
        }
    }
}

impl Parser<'_> {
    fn program(&mut self) -> Result<Program, Vec<Problem>> {
        let mut draft = Draft::default();
        let mut problems = Vec::new();
        while problems.len() < MAX_ERRORS && !draft.hopeless {
            while self.eat(Kind::Newline).is_some() {}
            let first = self.peek().clone();
            if first.kind == Kind::End {
                break;
            }
            let read = if first.kind == Kind::Word && self.peek_second() == Kind::Mark(':') {
                self.label(&mut draft)
            } else {
                self.line().and_then(|line| self.add(&mut draft, line, first.span))
            };
            if let Err(problem) = read {
                problems.push(problem);
                self.skip_instruction();
            }
        }
        if let Some(span) = draft.no_end.clone().filter(|_| draft.ended) {
            problems.push(Problem::new(span, "a program with END cannot have .noend"));
        }
        if draft.insns.is_empty() && problems.is_empty() {
            let end = self.text.len();
            problems.push(Problem::new(end..end, "the program has no instruction"));
        }
        let program = if problems.is_empty() { self.finish(draft) } else { Err(problems) };
        program.map_err(|mut problems| {
            problems.truncate(MAX_ERRORS);
            problems
        })
    }

    /// Names the next slot.
    fn label(&mut self, draft: &mut Draft) -> Parsed<()> {
        let token = self.next();
        self.next();
        let name = self.text_of(&token).to_ascii_lowercase();
        if draft.labels.insert(name, draft.insns.len()).is_some() {
            let message = format!("the label {} is already defined", self.text_of(&token));
            return Err(Problem::new(token.span, message));
        }
        Ok(())
    }

    /// Adds what a line holds.
    fn add(&mut self, draft: &mut Draft, line: Line, span: Range<usize>) -> Parsed<()> {
        if draft.ended {
            draft.hopeless = true;
            return Err(Problem::new(span, "nothing can follow END"));
        }
        let late =
            |name| Err(Problem::new(span.clone(), format!("{name} must come before the first instruction")));
        match line {
            Line::Insn(_) if draft.first() + draft.insns.len() >= self.most() => {
                draft.hopeless = true;
                return Err(self.too_long(span));
            }
            Line::Insn(insn) => {
                draft.jumps.extend(self.jump.take().map(|label| (draft.insns.len(), label)));
                draft.insns.push(insn);
                draft.spans.push(span.start..self.last_end());
            }
            Line::End => draft.ended = true,
            Line::NoEnd => draft.no_end = Some(span),
            Line::First(_) if !draft.insns.is_empty() => return late(".first"),
            Line::First(slot) => draft.first = Some(slot),
            Line::Start(Place::Slot(_)) if !draft.insns.is_empty() => return late(".start"),
            Line::Start(place) => draft.start = Some(place),
            Line::Paired(_) if !draft.insns.is_empty() => return late(".paired"),
            Line::Paired(paired) => self.reading.paired = paired,
        }
        Ok(())
    }

    /// Gives branches their targets and checks the program as a whole.
    fn finish(&self, mut draft: Draft) -> Result<Program, Vec<Problem>> {
        let mut problems = Vec::new();
        let first = draft.first();
        for (branch, label) in std::mem::take(&mut draft.jumps) {
            match self.slot_of(&draft, first, label) {
                Ok(slot) => draft.insns[branch].branch.target = slot as u16,
                Err(problem) => problems.push(problem),
            }
        }
        let start = match draft.start.take() {
            None => first,
            Some(Place::Slot(slot)) => slot,
            Some(Place::Label(label)) => self.slot_of(&draft, first, label).unwrap_or_else(|problem| {
                problems.push(problem);
                first
            }),
        };
        if let Some(last) = draft.insns.last_mut() {
            last.end |= draft.no_end.is_none();
        }
        for (insn, span) in draft.insns.iter().zip(&draft.spans) {
            // Targets behind the last slot have no bits, and may come to have some.
            let long = first + draft.insns.len() > self.generation.slots();
            let shown = if long { pair::stand_in(self.generation, self.reading, insn) } else { *insn };
            problems.extend(check(self.generation, self.reading, &shown, span).err());
        }
        let slots = first + draft.insns.len();
        if problems.is_empty() && !(first..slots).contains(&start) {
            let message = format!("the program has no slot {start} to start from");
            problems.push(Problem::new(draft.spans[0].clone(), message));
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        let at = |slot: usize| slot.checked_sub(first).and_then(|i| draft.insns.get(i)).copied();
        let program = reachable(slots, start, |slot| at(slot).unwrap_or(Insn::NOP));
        for (i, span) in draft.spans.iter().enumerate() {
            let kept = program.slot(first + i).is_some_and(|&insn| insn == draft.insns[i]);
            if !kept && (Insn { end: false, ..draft.insns[i] }) != Insn::NOP {
                let problem = Problem::new(span.clone(), "nothing branches to this instruction");
                problems.push(
                    problem.help("write END at the end of the program; branches go to slots or labels"),
                );
            }
        }
        if problems.is_empty() {
            self.shortened(&draft, first, &program).map_err(|problem| vec![problem])
        } else {
            Err(problems)
        }
    }

    /// The program after the passes, if it fits.
    fn shortened(&self, draft: &Draft, first: usize, program: &Program) -> Parsed<Program> {
        let Paired { program: short, from } = pair::pair(self.generation, self.reading, program, self.passes);
        let Some(from) = self.generation.slots().checked_sub(short.first).and_then(|slot| from.get(slot))
        else {
            return Ok(short);
        };
        // Where what is one too many stands in the text.
        let place = from.iter().flatten().min().map_or(0, |place| program.first + place - first);
        Err(self.too_long(draft.spans.get(place).cloned().unwrap_or_default()))
    }

    /// Slots that a text may have.
    fn most(&self) -> usize {
        let slots = self.generation.slots();
        if self.passes == Passes::NONE { slots } else { pair::MOST * slots }
    }

    fn too_long(&self, span: Range<usize>) -> Problem {
        let slots = self.generation.slots();
        Problem::new(span, format!("the program has more than the {slots} slots of XFPR"))
    }

    /// The slot that a label names.
    fn slot_of(&self, draft: &Draft, first: usize, label: Range<usize>) -> Parsed<usize> {
        let name = &self.text[label.clone()];
        if let Some(index) = draft.labels.get(&name.to_ascii_lowercase()) {
            return Ok(first + index);
        }
        let problem = Problem::new(label, format!("there is no label {name}"));
        Err(match nearest(name, draft.labels.keys().map(String::as_str)) {
            Some(other) => problem.help(format!("did you mean {other}?")),
            None => problem,
        })
    }

    fn line(&mut self) -> Parsed<Line> {
        self.jump = None;
        if self.eat(Kind::Mark('.')).is_some() {
            return self.directive();
        }
        let mut operations = Vec::new();
        let mut end = false;
        loop {
            let token = self.peek().clone();
            match self.mnemonic()? {
                (Mnemonic::End, _) if operations.is_empty() => {
                    self.end_of_line()?;
                    return Ok(Line::End);
                }
                (Mnemonic::End, _) if self.generation == Generation::Kelvin => {
                    return Err(Problem::new(token.span, "END must be on a line of its own"));
                }
                (Mnemonic::End, _) => end = true,
                (mnemonic, suffix) => operations.push(self.operation(mnemonic, suffix, token.span)?),
            }
            if end {
                self.end_of_line()?;
            } else if self.another_operation()? {
                continue;
            }
            let insn = assemble(self.generation, self.reading, &operations)?;
            return Ok(Line::Insn(Insn { end, ..insn }));
        }
    }

    fn directive(&mut self) -> Parsed<Line> {
        let name = self.next();
        let line = match self.text_of(&name).to_ascii_lowercase().as_str() {
            "noend" => Line::NoEnd,
            "first" => Line::First(self.slot_number()?),
            "start" if self.peek().kind == Kind::Word => Line::Start(Place::Label(self.next().span)),
            "start" => Line::Start(Place::Slot(self.slot_number()?)),
            "paired" if self.generation == Generation::Rankine => Line::Paired(self.paired()?),
            "paired" => {
                let message =
                    format!(".paired has no meaning for {}; it is only for rankine", self.generation.name());
                return Err(Problem::new(name.span, message));
            }
            other => {
                let problem = Problem::new(name.span, format!("`.{other}` is not a directive"));
                return Err(problem.help("directives are .start, .first, .noend and rankine's .paired"));
            }
        };
        self.end_of_line()?;
        Ok(line)
    }

    /// Where the scalar result of paired operations goes.
    fn paired(&mut self) -> Parsed<PairedScalar> {
        let token = self.next();
        let word = self.text_of(&token).to_ascii_lowercase();
        let found = PairedScalar::ALL.iter().find(|paired| paired.name() == word);
        found.copied().ok_or_else(|| self.unexpected(&token, "r1 or shared"))
    }

    /// The number of a slot of XFPR.
    fn slot_number(&mut self) -> Parsed<usize> {
        let (slot, span) = self.number()?;
        let slots = self.generation.slots();
        if usize::from(slot) >= slots {
            let message = format!("slot {slot} does not exist; slots are 0 to {}", slots - 1);
            return Err(Problem::new(span, message));
        }
        Ok(slot.into())
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
}
