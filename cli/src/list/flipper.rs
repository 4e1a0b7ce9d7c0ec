//! The commands of Flipper's recordings: of traces and captures, and of Dolphin's FIFO player.

use super::flipper_draw::describe;
use super::lines::Lines;
use super::write::{Draw, Place, Writer};
use crate::capture::FlipperItems;
use crate::fail::{Failure, warning};
use crate::flipper::loads;
use crate::flipper::ring::Watched;
use crate::table;
use xfjit::chip::flipper::cp::Register;
use xfjit::chip::flipper::memory::Memory as Words;
use xfjit::flipper::dff::Recording;
use xfjit::flipper::trace::Item;
use xfjit::flipper::{Budget, Command, Console, Fifo, Memory, Processor, Quirks, Ram, Registers, Sink};

/// Names that are listed of a load.
const NAMES: usize = 4;

/// What a load of the transform unit's words says, once they are there.
fn load(words: &Words, address: u16, count: usize) -> String {
    let named = loads::xf(words, address, count);
    match &named[..] {
        [one] => one.to_string().trim_start_matches("xf ").to_owned(),
        all => {
            let mut names: Vec<&str> = all.iter().take(NAMES).map(|one| &*one.name).collect();
            if all.len() > NAMES {
                names.push("...");
            }
            format!("{address:04x} {count} words: {}", names.join(", "))
        }
    }
}

fn register(number: u8, value: u32) -> String {
    loads::cp(number, value).to_string().trim_start_matches("cp ").to_owned()
}

/// Lists a trace, or a capture of our own.
pub(super) fn items(
    items: &FlipperItems<'_>,
    mut lines: Lines,
    writer: &mut Writer<'_>,
) -> Result<(), Failure> {
    let (mut fifo, mut memory) = (Fifo::new(Quirks::default()), Ram::default());
    let mut kept = Kept { words: Words::new(), draws: Vec::new() };
    let mut ring = Watched::new(&fifo);
    items.each(|item| {
        let place = lines.next();
        fifo.play(item, &mut memory);
        let (registers, words) = (&mut fifo.processor.registers, &mut kept.words);
        let text = item.to_string();
        let arguments = text.split_once(' ').map_or("", |(_, rest)| rest);
        match item {
            Item::LoadCp(number, value) => {
                registers.load(*number, *value);
                writer.command(place, "cp", register(*number, *value))
            }
            Item::LoadXf(address, loaded) => {
                words.write(*address, loaded);
                writer.command(place, "xf", load(words, *address, loaded.len()))
            }
            Item::Memory(address, bytes) => {
                memory.write(*address, bytes);
                writer.command(place, "memory", format_args!("{address:08x} {} bytes", bytes.len()))
            }
            Item::Draw { opcode, count, bytes } => {
                let draw = describe(registers, words, *opcode, *count, bytes);
                writer.draw(place, format_args!("{opcode:02x} {count}, {} bytes", bytes.len()), draw)
            }
            Item::Console(console) => {
                registers.console = *console;
                writer.command(place, "console", arguments)
            }
            Item::LoadBp(number, value) => {
                writer.command(place, "bp", format_args!("{number:02x} {value:06x}"))
            }
            Item::Normal(..) => writer.command(place, "normal", arguments),
            Item::InvalidateVertices => writer.command(place, "invalidate", ""),
            Item::Gather(_) => writer.command(place, "gather", arguments),
            Item::Pi(..) => writer.command(place, "pi", arguments),
            Item::Port(..) => writer.command(place, "port", arguments),
            Item::Store(bytes) => writer.command(place, "store", format_args!("{} bytes", bytes.len())),
            Item::Fifo(work) => {
                writer.command(place, "fifo", arguments)?;
                fifo.run(&memory, &mut kept, Budget((*work).into()));
                kept.draws.drain(..).try_for_each(|(text, draw)| writer.draw(place, text, draw))
            }
            _ => Err(Failure::Internal(format!("an item that is not valid in a list: {text}"))),
        }?;
        ring.look(&fifo).map_or(Ok(()), |ring| writer.command(place, "ring", ring))
    })
}

/// What is kept of the transform unit, and draws that have come.
struct Kept {
    words: Words,
    draws: Vec<(String, Draw)>,
}

impl Sink for Kept {
    fn load_xf(&mut self, address: u16, words: &[u32]) {
        self.words.write(address, words);
    }

    fn draw(&mut self, registers: &Registers, draw: &xfjit::flipper::Draw<'_>, _: Memory<'_>) {
        let text = format!("{:02x} {}, {} bytes", draw.opcode, draw.count, draw.bytes.len());
        let described = describe(registers, &self.words, draw.opcode, draw.count, draw.bytes);
        self.draws.push((text, described));
    }
}

/// Commands of all frames so far: a command may go on in the next one.
struct Stream<'a, 'w> {
    processor: Processor,
    kept: Kept,
    memory: Ram,
    taken: Vec<u8>,
    /// Where the first byte of these is.
    place: (usize, usize),
    writer: &'a mut Writer<'w>,
}

impl Stream<'_, '_> {
    /// Lists the commands that are whole. The frame's commands have been taken up to a byte.
    fn run(&mut self, frame: usize, to: usize) -> Result<(), Failure> {
        let mut used = 0;
        while let Ok((command, length)) =
            Command::read(&self.taken[used..], &self.processor.registers, self.processor.quirks.decoding)
        {
            let place = Place::Byte { frame: self.place.0, offset: self.place.1 };
            let stream = &self.taken[used..used + length];
            let is_call = matches!(command, Command::Call(..));
            if is_call {
                // What stands in the list comes behind it.
                list_command(&command, &self.kept.words, place, self.writer)?;
            }
            let mut left = stream;
            loop {
                let done = self.processor.run(left, &self.memory, &mut self.kept, Budget(1 << 16));
                left = &left[done..];
                for (text, draw) in self.kept.draws.drain(..) {
                    self.writer.draw(place, text, draw)?;
                }
                if left.is_empty() && !self.processor.is_in_list() {
                    break;
                }
            }
            if !is_call {
                list_command(&command, &self.kept.words, place, self.writer)?;
            }
            used += length;
            let behind = self.taken.len() - used;
            // What is left may have begun in a frame before this one.
            self.place = match to.checked_sub(behind) {
                Some(offset) => (frame, offset),
                None => (self.place.0, self.place.1 + length),
            };
        }
        self.taken.drain(..used);
        Ok(())
    }
}

/// Lists a command that is no draw.
fn list_command(
    command: &Command<'_>,
    words: &Words,
    place: Place,
    writer: &mut Writer<'_>,
) -> Result<(), Failure> {
    match command {
        Command::Nop(count) => writer.command(place, "nop", count),
        Command::LoadCp(number, value) => writer.command(place, "cp", register(*number, *value)),
        Command::LoadXf(address, loaded) => {
            writer.command(place, "xf", load(words, *address, loaded.iter().len()))
        }
        Command::LoadIndexed { array, index, address, count } => {
            let said = format!("{array} {index}: {}", load(words, *address, usize::from(*count)));
            writer.command(place, "indexed", said)
        }
        Command::Call(address, bytes) => {
            writer.command(place, "call", format_args!("{address:08x} {bytes} bytes"))
        }
        Command::Metrics => writer.command(place, "metrics", ""),
        Command::InvalidateVertices => writer.command(place, "invalidate", ""),
        Command::LoadBp(number, value) => {
            writer.command(place, "bp", format_args!("{number:02x} {value:06x}"))
        }
        Command::Unknown(byte) => writer.command(place, "unknown", format_args!("{byte:02x}")),
        Command::Draw(_) => Ok(()),
    }
}

/// Lists a recording of Dolphin's FIFO player.
pub(super) fn recording(recording: &Recording<'_>, writer: &mut Writer<'_>) -> Result<(), Failure> {
    let mut processor = Processor::default();
    processor.registers.console = if recording.is_wii { Console::Wii } else { Console::GameCube };
    // Of registers that have several numbers the lowest holds the value.
    for number in (0..=u8::MAX).filter(|&number| Register::of(number).number() == number) {
        processor.registers.load(number, recording.cp[usize::from(number)]);
    }
    let mut words = Words::new();
    words.write(0, &recording.xf);
    let kept = Kept { words, draws: Vec::new() };
    let memory = Ram::default();
    let mut stream = Stream { processor, kept, memory, taken: Vec::new(), place: (0, 0), writer };
    for (frame, recorded) in recording.frames.iter().enumerate() {
        let (commands, updates) = (recorded.commands.len(), recorded.updates.len());
        let place = Place::Byte { frame, offset: 0 };
        stream.writer.command(
            place,
            "frame",
            format_args!("{commands} bytes of commands, {updates} updates of memory"),
        )?;
        if stream.taken.is_empty() {
            stream.place = (frame, 0);
        }
        let mut at = 0;
        // As the player has it: updates are made before the byte that they name.
        let positions = recorded.updates.iter().map(|update| (update.position as usize).min(commands));
        for (update, to) in recorded.updates.iter().map(Some).zip(positions).chain([(None, commands)]) {
            let to = to.max(at);
            stream.taken.extend_from_slice(&recorded.commands[at..to]);
            at = to;
            stream.run(frame, to)?;
            if let Some(update) = update {
                let place = Place::Byte { frame, offset: to };
                let said = format_args!("{:08x} {} bytes", update.address, update.bytes.len()).to_string();
                stream.writer.command(place, "memory", said)?;
                stream.memory.write(update.address, update.bytes);
            }
        }
    }
    match stream.taken.len() {
        0 => {}
        left => {
            warning(format_args!("the stream ends inside a command: {} left", table::count(left, "byte")))
        }
    }
    Ok(())
}
