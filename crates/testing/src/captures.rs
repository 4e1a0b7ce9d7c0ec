//! Captures of random streams, and of any bytes.

use crate::backend::Interp;
use crate::capture::{
    Call, CallPlayer, CallWriter, CaptureError, Content, FlipperWriter, Part, Reader, Recorded, Stream,
    UnitWriter,
};
use crate::chip::Chip;
use crate::config::FlipperQuirks;
use crate::engine::{Engine, Options};
use crate::xf::{Command, Type, XfUnit};
use std::sync::{Arc, OnceLock};
use xfjit::capture::block::{self, Blocks, Kind};
use xfjit::flipper::trace::Item;
use xfjit::flipper::{FlipperUnit, Ram};
use xfjit::{flipper, xf};

/// Vertices and state programs that a fuzzer's capture runs, so that it gets on.
const MOST_WORK: usize = 1 << 12;
/// Bytes of memory that it fills.
const MOST_MEMORY: usize = 1 << 20;

/// A trace, written as a capture and read again.
///
/// # Errors
/// Why it cannot be read.
///
/// # Panics
/// Memory cannot be written to.
pub fn through_a_capture(trace: &xf::Trace) -> Result<xf::Trace, CaptureError> {
    let mut writer = UnitWriter::new(Vec::new(), trace.chip).expect("memory takes all");
    trace.items.iter().for_each(|item| writer.item(item).expect("memory takes all"));
    let file = writer.finish().expect("memory takes all");
    let mut reader = Reader::new(&file[..])?;
    let mut again = xf::Trace { chip: trace.chip, items: Vec::new() };
    while let Some(part) = reader.part()? {
        match part {
            Part::Unit(item) => again.items.push(item),
            part => panic!("{part:?}"),
        }
    }
    assert_eq!((reader.content(), reader.cut()), (Content::Unit(trace.chip), None));
    Ok(again)
}

/// A trace of Flipper, likewise.
///
/// # Errors
/// Why it cannot be read.
///
/// # Panics
/// Memory cannot be written to.
pub fn flipper_through_a_capture(trace: &flipper::Trace) -> Result<flipper::Trace, CaptureError> {
    let mut writer = FlipperWriter::new(Vec::new()).expect("memory takes all");
    trace.items.iter().for_each(|item| writer.item(item).expect("memory takes all"));
    let file = writer.finish().expect("memory takes all");
    let mut reader = Reader::new(&file[..])?;
    let mut again = flipper::Trace::default();
    while let Some(part) = reader.part()? {
        match part {
            Part::Flipper(item) => again.items.push(item),
            part => panic!("{part:?}"),
        }
    }
    assert_eq!((reader.content(), reader.cut()), (Content::Flipper, None));
    Ok(again)
}

/// Writes parts as they have been read.
fn write(content: Content, parts: &[Part]) -> Vec<u8> {
    match content {
        Content::Unit(chip) => {
            let mut writer = UnitWriter::new(Vec::new(), chip).expect("memory takes all");
            for part in parts {
                match part {
                    Part::Unit(item) => writer.item(item),
                    Part::Note(text) => writer.note(text),
                    part => panic!("{part:?}"),
                }
                .expect("memory takes all");
            }
            writer.finish()
        }
        Content::Flipper => {
            let mut writer = FlipperWriter::new(Vec::new()).expect("memory takes all");
            for part in parts {
                match part {
                    Part::Flipper(item) => writer.item(item),
                    Part::Note(text) => writer.note(text),
                    part => panic!("{part:?}"),
                }
                .expect("memory takes all");
            }
            writer.finish()
        }
        Content::Calls => {
            let mut writer = CallWriter::new(Vec::new()).expect("memory takes all");
            for part in parts {
                match part {
                    Part::Program(program) => writer.program(program).map(|_| ()),
                    Part::Call(call) => writer.call(call),
                    Part::Name { program, name } => writer.name(*program, name),
                    Part::Note(text) => writer.note(text),
                    part => panic!("{part:?}"),
                }
                .expect("memory takes all");
            }
            writer.finish()
        }
    }
    .expect("memory takes all")
}

/// Parts of a capture as far as it is good, what it is of, and whether it is good to its end.
fn read(bytes: &[u8]) -> Option<(Content, Vec<Part>, bool)> {
    let mut reader = Reader::new(bytes).ok()?;
    let mut parts = Vec::new();
    loop {
        match reader.part() {
            Ok(Some(part)) => parts.push(part),
            Ok(None) => {
                let cut = reader.cut();
                assert!(cut.is_none_or(|offset| offset <= bytes.len() as u64));
                return Some((reader.content(), parts, cut.is_none()));
            }
            Err(error) => {
                assert!(error.offset <= bytes.len() as u64, "{error}");
                return Some((reader.content(), parts, false));
            }
        }
    }
}

fn engine() -> Arc<Engine> {
    static ENGINE: OnceLock<Arc<Engine>> = OnceLock::new();
    let interpreter = || Options::default().with(|options| options.backend = Arc::new(Interp::Batched));
    Arc::clone(ENGINE.get_or_init(|| Arc::new(Engine::new(interpreter()))))
}

/// A file whose checksums fit, around any content: of a chip that the first byte names, of Flipper, or (for other kinds) of calls, whose
/// blocks have a byte each that says which, and two for how long they are. Fuzzers do not guess checksums.
fn file_around(kind: u8, bytes: &[u8]) -> Vec<u8> {
    let (&chip, content) = bytes.split_first().unwrap_or((&0, &[]));
    let mut blocks = Blocks::new(Vec::new()).expect("memory takes all");
    let mut block = |kind: Kind, content: &[u8]| blocks.block(kind, content).expect("memory takes all");
    match kind {
        0 => {
            block(block::CHIP, Chip::ALL[usize::from(chip) % Chip::ALL.len()].name().as_bytes());
            block(block::UNIT, content);
        }
        1 => {
            block(block::CHIP, b"flipper");
            block(block::FLIPPER, content);
        }
        _ => {
            block(block::CHIP, b"calls");
            let mut rest = bytes;
            while let [which, low, high, behind @ ..] = rest {
                let length = usize::from(u16::from_le_bytes([*low, *high])).min(behind.len());
                let kind = match *which {
                    u8::MAX => block::NAME,
                    which if which % 2 == 0 => block::PROGRAM,
                    _ => block::CALLS,
                };
                block(kind, &behind[..length]);
                rest = &behind[length..];
            }
        }
    }
    blocks.into_out()
}

/// The body of the fuzz target: any bytes are a capture, one that is cut off, or none; what is read of it is written to the same
/// again, and can be played. The first byte says whether the rest is a file, or the content of blocks, whose checksums are made to
/// fit. Returns how many parts.
pub fn fuzz_capture(bytes: &[u8]) -> usize {
    let Some((&how, rest)) = bytes.split_first() else { return 0 };
    let made;
    let file = match how % 8 {
        0..4 => rest,
        how => {
            made = file_around(how - 4, rest);
            &made
        }
    };
    let Some((content, parts, _)) = read(file) else { return 0 };
    let again = write(content, &parts);
    let (content_again, parts_again, is_whole_again) = read(&again).expect("it is one");
    assert_eq!((content, &parts), (content_again, &parts_again));
    assert!(is_whole_again);
    play(content, &parts);
    parts.len()
}

/// Plays parts, but for what would be too much work. Returns vertices and state programs.
fn play(content: Content, parts: &[Part]) -> usize {
    let mut left = MOST_WORK;
    // Vertices of what is played; none if it is too much.
    let mut pay = |work: usize| {
        let paid = left.checked_sub(work);
        left = paid.unwrap_or(left);
        paid.is_some()
    };
    match content {
        Content::Unit(chip) => {
            let mut unit = XfUnit::new(engine(), chip);
            for part in parts {
                let Part::Unit(item) = part else { continue };
                let work = match item {
                    xf::trace::Item::Vertex => 1,
                    // As many instructions as many a vertex.
                    xf::trace::Item::Command(Command { kind: Type::Run, .. }) => 16,
                    _ => 0,
                };
                if pay(work) {
                    unit.play(item);
                }
            }
            unit.drain(|_| ());
        }
        Content::Flipper => {
            let (quirks, arithmetic) = (flipper::Quirks::default(), FlipperQuirks::SPEC);
            let (mut unit, mut memory) = (FlipperUnit::new(engine(), quirks, arithmetic), Ram::default());
            for part in parts {
                let Part::Flipper(item) = part else { continue };
                let work = match item {
                    Item::Draw { count, .. } => usize::from(*count),
                    Item::Memory(address, bytes) if *address as usize + bytes.len() > MOST_MEMORY => continue,
                    _ => 0,
                };
                if pay(work) {
                    unit.play(item, &mut memory, |_| ()).expect("a reader hands out whole draws");
                }
            }
        }
        Content::Calls => {
            let mut player = CallPlayer::new(engine());
            for part in parts {
                match part {
                    Part::Program(program) => player.program(program).expect("a reader hands out programs"),
                    Part::Name { program, name } => {
                        player.name(*program, name).expect("a reader hands out names");
                    }
                    Part::Call(call) if pay(call.count) => {
                        player.call(call).expect("a reader hands out calls");
                    }
                    _ => {}
                }
            }
        }
    }
    MOST_WORK - left
}

/// A capture of calls that has something of everything.
pub fn calls() -> Vec<u8> {
    use super::programs;
    let mut writer = CallWriter::new(Vec::new()).expect("memory takes all");
    let mut write = || -> std::io::Result<()> {
        writer.note("programs that are measured, a call each")?;
        for fixed in programs::ALL {
            let config = fixed.config(xfjit_runtime::num::Model::Ieee);
            let decoded = fixed.program();
            let mut words = vec![0; 4 * decoded.first];
            words.extend(crate::isa::encode(fixed.generation, &decoded));
            let program = writer.program(&Recorded { words, start: decoded.start, config })?;
            let vertices = fixed.vertices(3);
            let attributes = fixed.attributes.iter().enumerate().map(|(at, &register)| {
                let rows = vertices.chunks_exact(fixed.input_words()).map(|vertex| vertex.as_chunks().0[at]);
                (register, if at == 1 { Stream::One([1, 2, 3, 4]) } else { Stream::Each(rows.collect()) })
            });
            let mut attributes: Vec<(u8, Stream)> = attributes.collect();
            attributes.sort_by_key(|(register, _)| *register);
            let constants = (0..16).zip(fixed.context().rows().iter().copied()).collect();
            writer.call(&Call { program, count: 3, constants, attributes })?;
        }
        Ok(())
    };
    write().expect("memory takes all");
    writer.finish().expect("memory takes all")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(file: &[u8]) -> (Content, Vec<Part>) {
        let (content, parts, is_whole) = read(file).expect("it is one");
        assert!(is_whole);
        (content, parts)
    }

    /// A fuzzer's captures are played, each kind of them, and not without end.
    #[test]
    fn each_content_is_played_within_bounds() {
        let mut writer = UnitWriter::new(Vec::new(), xf::Chip::Nv2a).expect("memory");
        (0..2 * MOST_WORK).for_each(|_| writer.item(&xf::trace::Item::Vertex).expect("memory"));
        let (content, unit) = parts(&writer.finish().expect("memory"));
        assert_eq!(play(content, &unit), MOST_WORK);
        let mut writer = FlipperWriter::new(Vec::new()).expect("memory");
        for count in [3, u16::MAX, 4] {
            writer.item(&Item::Draw { opcode: 0x90, count, bytes: Vec::new() }).expect("memory");
        }
        let (content, draws) = parts(&writer.finish().expect("memory"));
        assert_eq!(play(content, &draws), 7);
        let (content, all) = parts(&calls());
        let calls = all.iter().filter(|part| matches!(part, Part::Call(_))).count();
        assert_eq!(play(content, &all), 3 * calls);
    }
}
