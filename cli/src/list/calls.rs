//! The programs and calls of a capture: a call is a draw of one program.

use super::write::{Draw, Place, Writer, ranges};
use crate::capture::Known;
use crate::fail::Failure;
use crate::table;
use xfjit::capture::{CaptureError, Part, Reader, Stream};

/// Lists a capture that has been read through before; `known` are its programs.
pub(super) fn list(bytes: &[u8], known: &[Known], writer: &mut Writer<'_>) -> Result<(), Failure> {
    let internal = |error: CaptureError| Failure::Internal(error.to_string());
    let mut reader = Reader::new(bytes).map_err(internal)?;
    let (mut item, mut programs) = (0, 0);
    while let Some(part) = reader.part().map_err(internal)? {
        let place = Place::Item { item };
        match part {
            Part::Program(program) => {
                let config = &program.config;
                let (generation, model) = (config.generation.name(), config.model.name());
                let slots = table::count(program.words.len() / 4, "slot");
                let start = program.start;
                let shown = known[programs].shown();
                let text = format!("{programs}: {generation}, {model}, {slots}, from slot {start}, {shown}");
                writer.command(place, "program", text)?;
                programs += 1;
            }
            Part::Call(call) => {
                let format = call.attributes.iter().map(|(register, stream)| match stream {
                    Stream::One(_) => format!("v{register} for all"),
                    Stream::Each(_) => format!("v{register}"),
                });
                let constants = ranges(call.constants.iter().map(|(row, _)| *row));
                let draw = Draw {
                    vertices: call.count as u64,
                    format: format.collect(),
                    by: Some(match &known[call.program].label {
                        Some(label) => format!("program {}, {label}", call.program),
                        None => format!("program {}", call.program),
                    }),
                    constants: (!constants.is_empty()).then_some(constants),
                    ..Draw::default()
                };
                writer.draw(place, "", draw)?;
            }
            _ => continue,
        }
        item += 1;
    }
    Ok(())
}
