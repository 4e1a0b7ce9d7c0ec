//! Experiments of Flipper as bytes of its command FIFO, and as a recording for Dolphin's FIFO player.

use super::experiment::{Body, Experiment};
use crate::fail::Failure;
use xfjit::flipper::trace::Item;

/// The commands (flipper.md 1.1).
const LOAD_CP: u8 = 0x08;
const LOAD_XF: u8 = 0x10;
const INVALIDATE: u8 = 0x48;
const LOAD_BP: u8 = 0x61;

/// The bytes of an experiment.
pub fn stream(experiment: &Experiment) -> Result<Vec<u8>, Failure> {
    let Body::Stream(trace) = &experiment.body else {
        return Err(Failure::Internal(format!("{} is no stream", experiment.name)));
    };
    let mut bytes = Vec::new();
    for item in &trace.items {
        match item {
            Item::LoadCp(register, value) => {
                bytes.extend([LOAD_CP, *register]);
                bytes.extend(value.to_be_bytes());
            }
            Item::LoadXf(address, words) => {
                bytes.push(LOAD_XF);
                bytes.extend(((words.len() as u32 - 1) << 16 | u32::from(*address)).to_be_bytes());
                bytes.extend(words.iter().flat_map(|word| word.to_be_bytes()));
            }
            Item::LoadBp(register, value) => {
                bytes.extend([LOAD_BP, *register]);
                bytes.extend(&value.to_be_bytes()[1..]);
            }
            Item::InvalidateVertices => bytes.push(INVALIDATE),
            Item::Draw { opcode, count, bytes: vertices } => {
                bytes.push(*opcode);
                bytes.extend(count.to_be_bytes());
                bytes.extend(vertices);
            }
            // What the processor stores goes into the FIFO as it is.
            Item::Store(stored) => bytes.extend(stored),
            item => return Err(Failure::Internal(format!("{}: no command is `{item}`", experiment.name))),
        }
    }
    Ok(bytes)
}

/// What a recording begins with, and the version of its format that has all of this one's fields (`src/flipper/dff.rs` describes them).
const MAGIC: u32 = 0x0d01_f1f0;
const VERSION: u32 = 1;
const HEADER: usize = 128;
const FRAME: usize = 64;

/// A recording of one frame with these commands; all registers are zero at first.
pub fn recording(commands: &[u8]) -> Vec<u8> {
    let mut file = vec![0; HEADER + FRAME];
    let mut put = |at: usize, value: u32| file[at..at + 4].copy_from_slice(&value.to_le_bytes());
    let first = (HEADER + FRAME) as u32;
    for (at, value) in [(0, MAGIC), (4, VERSION), (8, VERSION), (0x3c, HEADER as u32), (0x44, 1)] {
        put(at, value);
    }
    // Registers at first, of which there are none: their places are the end of the headers.
    [0x0c, 0x18, 0x24, 0x30].iter().for_each(|&at| put(at, first));
    put(HEADER, first);
    put(HEADER + 8, commands.len() as u32);
    put(HEADER + 20, first);
    file.extend(commands);
    file
}

#[cfg(test)]
mod tests {
    use super::*;
    use xfjit::flipper::dff::Recording;

    #[test]
    fn a_recording_has_the_commands() {
        let file = recording(&[8, 0x50, 0, 0, 2, 0]);
        let read = Recording::read(&file).expect("it is one");
        assert_eq!((read.frames.len(), read.frames[0].commands), (1, &[8, 0x50, 0, 0, 2, 0][..]));
        assert!(read.frames[0].updates.is_empty() && read.loads().next().is_none());
    }
}
