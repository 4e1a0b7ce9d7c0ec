//! Command streams as text: one command a line.
//!
//! ```text
//! # from here to the end of the line is a comment
//! chip nv2a                       # first of all
//! XFPR 0.zw 0836106c 2070f801     # type, slot, words written: one of x y z w, or the pair xy or zw
//! XFCTX 0x60.xy 0x3f800000 0      # words: 0x and hexadecimal digits, but for microcode, which goes without
//! VAB 0.x 1.5                     # or a decimal number with a point
//! wrapped 0x1900c 0x3f800000      # a command by the address that FE sends
//! vertex                          # the trigger
//! set outputs 0x1                 # a register outside the commands
//! method 0x1ea0 0x5               # an FE3D method, as the commands that FE makes of it
//! tbuf 5 0x3e800000 0 0 1.0       # what an output register holds
//! read XFCTX 0x3.x                # a read command of Celsius
//! rdi 0x17 0x40                   # a word of an index space, read
//! rdi 0x17 0x40 0x3f800000        # and written
//! ```
//! Slots, addresses and values of registers are decimal, or hexadecimal after `0x`. [`Trace::parse`] reads it, the text of
//! a [`Trace`] is its canonical form, [`XfUnit::record`] records one, [`XfUnit::play`] executes an item.

use super::XfUnit;
use super::command::{COMPONENTS, Command, PAIRS, Payload, Type};
pub use super::item::Item;
use super::methods::Methods;
use super::pipe::ReadError;
use super::rdi::RdiError;
use super::register::Register;
use std::fmt;
use xfjit_isa::chip::{Chip, Family};
use xfjit_isa::text::lines::{Arguments, Flaw, Line, hexadecimal, number, word};
use xfjit_isa::text::{ParseError, ParseErrors};
use xfjit_runtime::state::OUTPUTS;

/// The reply to an item.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Reply {
    /// Nothing.
    None,
    /// The result of a read command.
    Read(Result<u32, ReadError>),
    /// The result of a read of an index space.
    Rdi(Result<u32, RdiError>),
    /// The error of a write to an index space.
    RdiFailed(RdiError),
}

/// A command stream for one chip.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    /// The chip.
    pub chip: Chip,
    /// The items, in order.
    pub items: Vec<Item>,
}

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "chip {}", self.chip.name())?;
        self.items.iter().try_for_each(|item| writeln!(f, "{item}"))
    }
}

impl XfUnit {
    /// Executes one item of a trace.
    pub fn play(&mut self, item: &Item) -> Reply {
        match *item {
            Item::Command(command) => self.command(command),
            Item::Vertex => self.vertex(),
            Item::Set(register, value) => self.set(register, value),
            Item::Tbuf(register, row) => self.set_tbuf(usize::from(register), row),
            Item::Read { kind, slot, word } => return Reply::Read(self.read(kind, slot, word)),
            Item::RdiRead { space, address } => return Reply::Rdi(self.rdi_read(space, address)),
            Item::RdiWrite { space, address, value } => {
                if let Err(error) = self.rdi_write(space, address, value) {
                    return Reply::RdiFailed(error);
                }
            }
        }
        Reply::None
    }
}

impl Trace {
    /// Reads a trace.
    ///
    /// # Errors
    /// Up to [`MAX_ERRORS`](xfjit_isa::text::MAX_ERRORS) invalid lines, each with its place.
    pub fn parse(text: &str) -> Result<Trace, ParseErrors> {
        let mut reader = Reader { state: None, items: Vec::new() };
        Line::each(text, |line| reader.line(line))?;
        match reader.state {
            Some((chip, _)) => Ok(Trace { chip, items: reader.items }),
            None => Err(vec![Line::end(text).error(0..0, "the trace is empty", Some(NEED_CHIP))].into()),
        }
    }
}

const NEED_CHIP: &str = "a trace begins with its chip: `chip nv2a`";

/// Lines so far.
struct Reader {
    state: Option<(Chip, Methods)>,
    items: Vec<Item>,
}

impl Reader {
    fn line(&mut self, line: &Line<'_>) -> Result<(), ParseError> {
        let words = line.words();
        let Some((verb, mut arguments)) = Arguments::behind(line, &words) else { return Ok(()) };
        let rest = arguments.rest;
        if self.state.is_none() != (verb.text == "chip") {
            let message =
                if self.state.is_none() { "the chip is missing" } else { "the chip is already named" };
            return Err(line.error(verb.span.clone(), message, Some(NEED_CHIP)));
        }
        let Some((chip, methods)) = &mut self.state else {
            let chip = arguments.next("a chip", |text| {
                let names = "nv10 nv15 nv20 nv2a nv25 nv30 nv34 nv35 nv40 nv41 nv43";
                Chip::from_name(text).ok_or_else(|| (format!("no chip `{text}`"), Some(names)))
            })?;
            self.state = Some((chip, Methods::new(chip)));
            return arguments.finish();
        };
        let family = chip.family();
        match verb.text {
            "vertex" => self.items.push(Item::Vertex),
            "set" => {
                let register = arguments.next("a register", |text| {
                    let known = |text| {
                        Register::from_name(text).ok_or_else(|| (format!("no register `{text}`"), None))
                    };
                    let register = known(text)?;
                    match register.matters(*chip) {
                        true => Ok(register),
                        false => Err((format!("{} has no register `{text}`", chip.name()), None)),
                    }
                })?;
                let value = arguments.next("a value", number)?;
                self.items.push(Item::Set(register, value));
            }
            "tbuf" => {
                let register = arguments.next("an output register", |text| {
                    let last = "output registers have numbers below 24";
                    let register = number(text)?;
                    let register = u8::try_from(register).ok().filter(|&n| usize::from(n) < OUTPUTS);
                    register.ok_or_else(|| (format!("no output register `{text}`"), Some(last)))
                })?;
                let mut row = [0; 4];
                for word in &mut row {
                    *word = arguments.next("a word", payload)?;
                }
                self.items.push(Item::Tbuf(register, row));
            }
            "read" => {
                let kind = arguments.next("a type", kind)?;
                let (slot, words) = arguments.next("a slot", |text| place(family, text))?;
                let Words::One(word) = words else {
                    return Err(line.error(rest[1].span.clone(), "a read has exactly one word", None));
                };
                self.items.push(Item::Read { kind, slot, word });
            }
            "rdi" => {
                let space = arguments.next("a space", number)?;
                let address = arguments.next("an address", number)?;
                let item = match arguments.rest {
                    [] => Item::RdiRead { space, address },
                    _ => Item::RdiWrite { space, address, value: arguments.next("a word", payload)? },
                };
                self.items.push(item);
            }
            "method" => {
                let at = rest.first().map_or(verb.span.clone(), |word| word.span.clone());
                let method = arguments.next("a method", number)?;
                let value = arguments.next("a value", payload)?;
                let items = &mut self.items;
                methods
                    .write(method, value, &mut |item| items.push(item))
                    .map_err(|error| line.error(at, error.to_string(), None))?;
            }
            "wrapped" => {
                let at = rest.first().map_or(verb.span.clone(), |word| word.span.clone());
                let address = arguments.next("an address", number)?;
                let first = arguments.next("a word", payload)?;
                let payload = match arguments.rest {
                    [] => Payload::Word(first),
                    _ => Payload::Pair([first, arguments.next("a word", payload)?]),
                };
                let command = Command::wrapped(family, address, payload)
                    .map_err(|error| line.error(at, error.to_string(), None))?;
                self.items.push(Item::Command(command));
            }
            name => {
                let kind =
                    kind(name).map_err(|(message, help)| line.error(verb.span.clone(), message, help))?;
                let (slot, words) = arguments.next("a slot", |text| place(family, text))?;
                let read = if kind == Type::Xfpr { hexadecimal } else { payload };
                let first = arguments.next("a word", read)?;
                self.items.push(Item::Command(match words {
                    Words::One(word) => Command::word(kind, slot, word, first),
                    Words::Two(word) => {
                        Command::pair(kind, slot, word, [first, arguments.next("a second word", read)?])
                    }
                }));
            }
        }
        arguments.finish()
    }
}

fn kind(text: &str) -> Result<Type, Flaw> {
    let help = "types: NOP VAB XFPR T3 PARAM PASSTHRU RUN MODE XTRA XFCTX LTCTX LTC0 LTC1 LTC2 LTC3 SYNC; others: vertex \
                set tbuf read rdi method wrapped";
    Type::from_name(text).ok_or_else(|| (format!("`{text}` is not a command"), Some(help)))
}

/// Which words of a vector.
#[derive(Clone, Copy)]
enum Words {
    One(u8),
    Two(u8),
}

fn place(family: Family, text: &str) -> Result<(u16, Words), Flaw> {
    let missing = || (format!("`{text}` names no words"), Some("write the slot and its words: `0x60.xy`"));
    let (slot, words) = text.split_once('.').ok_or_else(missing)?;
    let one = COMPONENTS.iter().position(|&component| component == words).map(|word| Words::One(word as u8));
    let two = PAIRS.iter().position(|&pair| pair == words).map(|pair| Words::Two(2 * pair as u8));
    let words = one.or(two).ok_or_else(|| {
        (format!("`{words}` is not x, y, z, w, xy or zw"), Some("commands write a word, or an aligned pair"))
    })?;
    let slot = number(slot)?;
    if slot >> family.slot_bits() != 0 {
        let last = (1u32 << family.slot_bits()) - 1;
        return Err((format!("there is no slot {slot:#x}; the last one is {last:#x}"), None));
    }
    Ok((slot as u16, words))
}

fn payload(text: &str) -> Result<u32, Flaw> {
    let help = "write 0x and up to eight hexadecimal digits, or a decimal number with a point; only words of XFPR are written without 0x";
    word(text).map_err(|(message, _)| (message, Some(help)))
}
