//! What draws depend on, and draws, as text: one item a line.
//!
//! ```text
//! # from here to the end of the line is a comment
//! chip flipper                    # first of all
//! console wii                     # its addresses have 29 bits; at first they are those of the gamecube
//! cp 0x50 0x200                   # a register of the command processor
//! xf 0x20 0x3f800000 0 0 1.5      # words of the transform unit: 0x and hexadecimal digits, or a decimal number with a point
//! bp 0x45 0x2                     # a register behind it
//! normal 0 0.0 0.0 1.0            # what is kept of vertices: normal 0, tangent 1, binormal 2; or none
//! memory 0x1000 00ff80 7f         # bytes of the guest's memory
//! invalidate                      # the vertex cache is emptied
//! draw 0x90 3 000102 030405 060708 # the command's byte, vertices, and their bytes, as the registers have them
//! gather 0x0c008000               # where gathered stores go: here to the ring of the processor's interface
//! pi 0x0c 0x100                   # a register of the processor's interface, by its offset from 0c003000
//! port 0x20 0x100                 # one of the command processor's that the processor reaches, by its offset from 0c000000
//! store 61450000 02               # bytes that the processor stores to the line whose stores are gathered
//! fifo 65536                      # the ring is read and its commands are run: as much work as this, in bytes and vertices
//! ```
//! [`Trace::parse`] reads it, the text of a [`Trace`] is its canonical form, [`FlipperUnit::record`](super::FlipperUnit::record) records
//! one, [`FlipperUnit::play`](super::FlipperUnit::play) executes an item. In recordings, lists are resolved, indexed loads are plain loads,
//! and rings have been read: only traces that are written by hand have items that bring commands. After `fifo`, vertices may come only
//! through the ring, since a reader of text does not know what the ring has loaded. A trace does not include hypotheses.

use super::command::{Draw, Incomplete};
use super::memory::Ram;
use super::registers::Registers;
use std::fmt;
use xfjit_isa::chip::flipper::fifo::{BLOCK, CpPort, Pi};
use xfjit_isa::chip::flipper::registers::END;
use xfjit_isa::chip::flipper::{Console, SECOND};
use xfjit_isa::text::lines::{Arguments, Flaw, Line, number, word};
use xfjit_isa::text::{ParseError, ParseErrors};

/// Words of the transform unit in one item, at most: as many as a command has.
pub(super) const MOST_WORDS_OF_ITEM: usize = super::command::MOST_WORDS;

/// The most work of one item that reads a ring.
const MOST_WORK: u32 = 1 << 24;

/// One line of a trace.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Item {
    /// A register of the command processor is loaded.
    LoadCp(u8, u32),
    /// Words of the transform unit are loaded.
    LoadXf(u16, Vec<u32>),
    /// A register after the transform unit is loaded: 24 bits.
    LoadBp(u8, u32),
    /// Normal, tangent or binormal (0 to 2) for vertices that lack it. This is state of a unit, not a command.
    Normal(u8, Option<[u32; 3]>),
    /// The guest's memory holds these bytes.
    Memory(u32, Vec<u8>),
    /// Addresses are those of a console from here on; at first those of the GameCube. This is state of a unit, not a command.
    Console(Console),
    /// The vertex cache is emptied.
    InvalidateVertices,
    /// Vertices.
    Draw {
        /// The byte that the command begins with.
        opcode: u8,
        /// How many.
        count: u16,
        /// Their bytes.
        bytes: Vec<u8>,
    },
    /// The address where gathered stores go.
    Gather(u32),
    /// A register of the processor's interface, by its offset.
    Pi(u32, u32),
    /// A register of the command processor that the processor reaches, by its offset.
    Port(u32, u16),
    /// Bytes that the processor stores to be gathered.
    Store(Vec<u8>),
    /// The ring is read, up to this much work.
    Fifo(u32),
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hex = |f: &mut fmt::Formatter<'_>, bytes: &[u8]| {
            bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
        };
        match self {
            Item::LoadCp(register, value) => write!(f, "cp {register:#04x} {value:#010x}"),
            Item::LoadXf(address, words) => {
                write!(f, "xf {address:#06x}")?;
                words.iter().try_for_each(|word| write!(f, " {word:#010x}"))
            }
            Item::LoadBp(register, value) => write!(f, "bp {register:#04x} {value:#08x}"),
            Item::Normal(which, None) => write!(f, "normal {which} none"),
            Item::Normal(which, Some([x, y, z])) => {
                write!(f, "normal {which} {x:#010x} {y:#010x} {z:#010x}")
            }
            Item::Memory(address, bytes) => {
                write!(f, "memory {address:#010x} ")?;
                hex(f, bytes)
            }
            Item::Console(console) => write!(f, "console {}", console.name()),
            Item::InvalidateVertices => f.write_str("invalidate"),
            Item::Gather(address) => write!(f, "gather {address:#010x}"),
            Item::Pi(offset, value) => write!(f, "pi {offset:#04x} {value:#010x}"),
            Item::Port(offset, value) => write!(f, "port {offset:#04x} {value:#06x}"),
            Item::Store(bytes) => {
                f.write_str("store")?;
                bytes.chunks(BLOCK as usize).try_for_each(|block| {
                    f.write_str(" ")?;
                    hex(f, block)
                })
            }
            Item::Fifo(work) => write!(f, "fifo {work}"),
            Item::Draw { opcode, count, bytes } => {
                write!(f, "draw {opcode:#04x} {count}")?;
                let size = bytes.len().checked_div(usize::from(*count)).unwrap_or(0);
                bytes.chunks(size.max(1)).try_for_each(|vertex| {
                    f.write_str(" ")?;
                    hex(f, vertex)
                })
            }
        }
    }
}

/// The events of a unit, in order.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Trace {
    /// Items.
    pub items: Vec<Item>,
}

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "chip flipper")?;
        self.items.iter().try_for_each(|item| writeln!(f, "{item}"))
    }
}

const NEED_CHIP: &str = "a trace begins with its chip: `chip flipper`";

impl Trace {
    /// Whether a text begins like a trace of Flipper; other devices have traces of their own.
    pub fn is_named_in(text: &str) -> bool {
        let plain = |line: &str| line.find(['#', ';']).unwrap_or(line.len());
        let mut words = text.lines().flat_map(|line| line[..plain(line)].split_whitespace());
        words.next() == Some("chip") && words.next() == Some("flipper")
    }

    /// Reads a trace.
    ///
    /// # Errors
    /// Up to [`MAX_ERRORS`](xfjit_isa::text::MAX_ERRORS) invalid lines, each with its place.
    pub fn parse(text: &str) -> Result<Trace, ParseErrors> {
        let mut reader = Reader { registers: None, items: Vec::new(), has_read_ring: false };
        Line::each(text, |line| reader.line(line))?;
        match reader.registers {
            Some(_) => Ok(Trace { items: reader.items }),
            None => Err(vec![Line::end(text).error(0..0, "the trace is empty", Some(NEED_CHIP))].into()),
        }
    }
}

/// Lines so far, and the registers behind them, once the chip is known.
struct Reader {
    registers: Option<Registers>,
    items: Vec<Item>,
    /// Whether a ring may have loaded registers.
    has_read_ring: bool,
}

impl Reader {
    fn line(&mut self, line: &Line<'_>) -> Result<(), ParseError> {
        let words = line.words();
        let Some((verb, mut arguments)) = Arguments::behind(line, &words) else { return Ok(()) };
        let wrong = |message: &str| Err(line.error(verb.span.clone(), message, Some(NEED_CHIP)));
        let Some(registers) = &mut self.registers else {
            if verb.text != "chip" {
                return wrong("the chip is missing");
            }
            arguments.next("a chip", |text| match text {
                "flipper" => Ok(()),
                _ => Err((format!("no chip `{text}` in this trace"), Some(NEED_CHIP))),
            })?;
            self.registers = Some(Registers::default());
            return arguments.finish();
        };
        let item = match verb.text {
            "chip" => return wrong("the chip is already named"),
            "cp" => {
                let register = arguments.next("a register", below(0x100))? as u8;
                let value = arguments.next("a value", number)?;
                registers.load(register, value);
                Item::LoadCp(register, value)
            }
            "xf" => {
                let address = arguments.next("an address", below(END.into()))? as u16;
                let mut words = vec![arguments.next("a word", word)?];
                while !arguments.rest.is_empty() && words.len() < MOST_WORDS_OF_ITEM {
                    words.push(arguments.next("a word", word)?);
                }
                Item::LoadXf(address, words)
            }
            "bp" => {
                let register = arguments.next("a register", below(0x100))? as u8;
                Item::LoadBp(register, arguments.next("a value", below(1 << 24))?)
            }
            "normal" => {
                let which = arguments.next("0, 1 or 2", below(3))? as u8;
                if let [word] = arguments.rest
                    && word.text == "none"
                {
                    self.items.push(Item::Normal(which, None));
                    return Ok(());
                }
                let mut normal = [0; 3];
                for component in &mut normal {
                    *component = arguments.next("a word", word)?;
                }
                Item::Normal(which, Some(normal))
            }
            "memory" => {
                let address = arguments.next("an address", below(2 * SECOND))?;
                let span = line.words().last().map_or(verb.span.clone(), |word| word.span.clone());
                let bytes = all_bytes(&mut arguments)?;
                if !Ram::fits(address, bytes.len()) {
                    return Err(line.error(span, "there is no such memory", None));
                }
                Item::Memory(address, bytes)
            }
            "console" => {
                let console = arguments.next("a console", |text| {
                    let named = Console::ALL.into_iter().find(|console| console.name() == text);
                    named.ok_or_else(|| (format!("no console is `{text}`"), Some("consoles: gamecube wii")))
                })?;
                registers.console = console;
                Item::Console(console)
            }
            "invalidate" => Item::InvalidateVertices,
            "gather" => Item::Gather(arguments.next("an address", number)?),
            "pi" => {
                let offset = arguments.next("an offset", offset(|offset| Pi::at(offset).is_some()))?;
                Item::Pi(offset, arguments.next("a value", number)?)
            }
            "port" => {
                let offset = arguments.next("an offset", offset(|offset| CpPort::at(offset).is_some()))?;
                Item::Port(offset, arguments.next("a value", below(0x1_0000))? as u16)
            }
            "store" => Item::Store(all_bytes(&mut arguments)?),
            "fifo" => {
                self.has_read_ring = true;
                Item::Fifo(arguments.next("how much work", below(MOST_WORK + 1))?)
            }
            "draw" if self.has_read_ring => {
                let help = "only stores bring them, because stores may have loaded their registers";
                let message = "after `fifo`, vertices come through the ring";
                return Err(line.error(verb.span.clone(), message, Some(help)));
            }
            "draw" => {
                let opcode = arguments.next("the command's byte", |text| {
                    let help = Some("drawing commands are 0x80 to 0xbf");
                    let byte = number(text)?;
                    let is_one = (0x80..0xc0).contains(&byte);
                    if is_one { Ok(byte as u8) } else { Err((format!("`{text}` draws nothing"), help)) }
                })?;
                let count = arguments.next("a number of vertices", below(0x10000))? as u16;
                let bytes = all_bytes(&mut arguments)?;
                let needed = match Draw::new(registers, opcode, count, &bytes) {
                    Ok(draw) => draw.bytes.len(),
                    Err(Incomplete { needed }) => needed,
                };
                if needed != bytes.len() {
                    let message = format!("the vertices need {needed} bytes, but there are {}", bytes.len());
                    let help = "the registers of the command processor determine the size of vertices";
                    return Err(line.error(verb.span.clone(), message, Some(help)));
                }
                Item::Draw { opcode, count, bytes }
            }
            name => {
                let help = "items: console cp xf bp normal memory invalidate draw gather pi port store fifo";
                return Err(line.error(verb.span.clone(), format!("`{name}` is not an item"), Some(help)));
            }
        };
        self.items.push(item);
        arguments.finish()
    }
}

/// A number that is less than another.
fn below(bound: u32) -> impl Fn(&str) -> Result<u32, Flaw> {
    move |text| match number(text)? {
        value if value < bound => Ok(value),
        _ => Err((format!("`{text}` is too large; the number must be below {bound:#x}"), None)),
    }
}

/// An offset at which there is a register.
fn offset(exists: impl Fn(u32) -> bool) -> impl Fn(&str) -> Result<u32, Flaw> {
    move |text| match number(text)? {
        offset if exists(offset) => Ok(offset),
        _ => Err((format!("there is no register at `{text}`"), Some("docs/spec/flipper.md 1.7 lists them"))),
    }
}

/// The bytes of all further words.
fn all_bytes(arguments: &mut Arguments<'_, '_>) -> Result<Vec<u8>, ParseError> {
    let mut all = Vec::new();
    while !arguments.rest.is_empty() {
        all.extend(arguments.next("bytes", bytes)?);
    }
    Ok(all)
}

fn bytes(text: &str) -> Result<Vec<u8>, Flaw> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let pairs = text.as_bytes().as_chunks::<2>();
    let bytes: Option<Vec<u8>> =
        pairs.0.iter().map(|&[high, low]| Some((digit(high)? << 4 | digit(low)?) as u8)).collect();
    let help = Some("a byte is two hexadecimal digits, without 0x");
    bytes.filter(|_| pairs.1.is_empty()).ok_or_else(|| (format!("`{text}` is not a list of bytes"), help))
}
