//! `xfjit run` of Flipper's streams: traces, recordings of Dolphin's FIFO player, bytes of the command FIFO.

mod mesh;
mod write;

use super::device;
use crate::args::{Global, Run};
use crate::capture::FlipperItems;
use crate::fail::{Failure, remark, warning};
use crate::files;
use crate::flipper::ring::Watched;
use crate::flipper_choices::FlipperChoices;
use crate::sort::{self, Wanted};
use crate::table;
use crate::text::Flaw;
use mesh::Mesh;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use write::Writer;
use xfjit::Model;
use xfjit::flipper::dff::{Played, Player, Recording};
use xfjit::flipper::{Budget, FlipperUnit, Memory, Output, Ram};

/// Work of a stream between two looks at whether anybody still reads what is printed.
const STEP: Budget = Budget(1 << 16);

/// What memory holds from an address on: `FILE[@ADDRESS]`. What stands behind the last @ and is no number is part of the name.
#[derive(Clone, Debug)]
pub struct Image {
    path: PathBuf,
    address: u32,
}

impl FromStr for Image {
    type Err = String;

    fn from_str(text: &str) -> Result<Image, String> {
        let number = |text: &str| match text.strip_prefix("0x") {
            Some(digits) => u32::from_str_radix(digits, 16).ok(),
            None => text.parse().ok(),
        };
        let split = text.rsplit_once('@').and_then(|(path, address)| Some((path, number(address)?)));
        let (path, address) = split.unwrap_or((text, 0));
        if address >= Memory::END {
            return Err(format!("{address:#x} is above all addresses that commands can name"));
        }
        Ok(Image { path: path.into(), address })
    }
}

impl Image {
    /// Lays it over a memory.
    fn load(&self, memory: &mut Vec<u8>) -> Result<(), Failure> {
        let bytes = sort::read(&self.path, Wanted::Bytes)?;
        let at = self.address as usize;
        let end = at + bytes.len();
        if end > Memory::END as usize {
            let message = format!("ends at {end:#x}, above all addresses that commands can name");
            return Err(Failure::input(files::name(&self.path), Flaw::new(message)));
        }
        if memory.len() < end {
            memory.resize(end, 0);
        }
        memory[at..end].copy_from_slice(&bytes);
        Ok(())
    }
}

/// Where what leaves the unit goes.
enum Target {
    /// It is printed.
    Print(Box<Writer>),
    /// It is drawn.
    Draw(Box<Mesh>),
    /// Nowhere: this frame is not the one.
    None,
}

impl Target {
    fn take(&mut self, output: &Output<'_>) {
        match self {
            Target::Print(writer) => writer.take(output),
            Target::Draw(mesh) => mesh.take(output),
            Target::None => {}
        }
    }

    /// Whether everything could be written so far.
    fn check(&mut self) -> Result<(), Failure> {
        match self {
            Target::Print(writer) => writer.check(),
            Target::Draw(_) | Target::None => Ok(()),
        }
    }
}

/// A run: the unit, and where what leaves it goes.
struct Running<'a> {
    unit: FlipperUnit,
    target: Target,
    args: &'a Run,
}

impl<'a> Running<'a> {
    fn new(args: &'a Run, global: &Global) -> Result<Running<'a>, Failure> {
        let choices = FlipperChoices::with(args.dialect, &args.quirks, &args.configuration.options)?;
        // Flipper computes as IEEE has it.
        let (backend, engine) = device::engine(args, Model::Ieee)?;
        let unit = FlipperUnit::new(engine, choices.processor, choices.transform);
        let inputs = [&args.trace, &args.fifo].map(Option::as_deref);
        args.drawing.check(&inputs.into_iter().flatten().collect::<Vec<_>>())?;
        let target = match args.drawing.wants_triangles() {
            true => Target::Draw(Box::default()),
            false => {
                let writer = Writer::new(global.format, args.hex, choices.dialect.name(), backend)?;
                Target::Print(Box::new(writer))
            }
        };
        Ok(Running { unit, target, args })
    }

    /// Ends it: so many bytes of the stream are the beginning of a command.
    fn finish(self, left: usize) -> Result<(), Failure> {
        match self.target {
            Target::Print(writer) => writer.finish()?,
            Target::Draw(mesh) => mesh.finish(self.args)?,
            Target::None => {}
        }
        if left > 0 {
            warning(format_args!("the stream ends inside a command: {} left", table::count(left, "byte")));
        }
        let stats = self.unit.stats();
        if self.args.verbose {
            remark(format_args!(
                "{} in {}, {}, {} left to run again",
                table::count(stats.vertices, "vertex"),
                table::count(stats.batches, "draw"),
                table::count(stats.resolved, "handle request"),
                table::count(stats.deopt_groups, "group")
            ));
        }
        match stats.mismatches {
            0 => Ok(()),
            count => {
                remark(format_args!("{count} draws differ between the reference and native code"));
                Err(Failure::Mismatch)
            }
        }
    }
}

/// Executes a trace.
pub(super) fn trace(args: &Run, items: &FlipperItems<'_>, global: &Global) -> Result<(), Failure> {
    has_no_frames(args)?;
    let mut running = Running::new(args, global)?;
    let mut memory = Ram::default();
    let mut ring = Watched::new(&running.unit.fifo);
    items.each(|item| {
        let target = &mut running.target;
        let played = running.unit.play(item, &mut memory, |output| target.take(&output));
        played.map_err(|_| Failure::Internal("a draw of a trace lacks bytes".to_owned()))?;
        if let (Target::Print(writer), Some(ring)) = (&mut running.target, ring.look(&running.unit.fifo)) {
            writer.ring(ring);
        }
        running.target.check()
    })?;
    running.finish(0)
}

/// Plays a recording.
pub(super) fn recording(args: &Run, recording: &Recording<'_>, global: &Global) -> Result<(), Failure> {
    let mut running = Running::new(args, global)?;
    let frames = recording.frames.len();
    let shown = args.drawing.frame;
    if let Some(frame) = shown.filter(|&frame| frame >= frames) {
        return Err(Failure::Usage(format!(
            "--frame {frame}: the recording has only {frames} frames, counted from 0"
        )));
    }
    let mut player = Player::new(recording, &mut running.unit);
    let mut is_whole = true;
    for number in 0..frames {
        // What is drawn is of one frame; those before it are run for what they leave.
        let mut waits = Target::None;
        let is_before = shown.is_some_and(|shown| number < shown);
        match &mut running.target {
            Target::Print(writer) => writer.frame(number),
            Target::Draw(mesh) if !mesh.is_empty() || shown.is_some_and(|shown| number > shown) => {
                is_whole = false;
                break;
            }
            Target::Draw(_) | Target::None => {}
        }
        let mut played = Played::Part;
        while played == Played::Part {
            let target = if is_before { &mut waits } else { &mut running.target };
            played = player.frame(&mut running.unit, STEP, |output| target.take(&output));
            running.target.check()?;
        }
    }
    running.finish(if is_whole { player.left() } else { 0 })
}

/// Refuses a frame of what has none.
fn has_no_frames(args: &Run) -> Result<(), Failure> {
    match args.drawing.frame {
        Some(_) => Err(Failure::Usage(
            "--frame is for recordings for Dolphin's FIFO player; only they have frames".to_owned(),
        )),
        None => Ok(()),
    }
}

/// Runs bytes of the command FIFO.
pub(super) fn stream(args: &Run, path: &Path, global: &Global) -> Result<(), Failure> {
    has_no_frames(args)?;
    let bytes = sort::read(path, Wanted::Bytes)?;
    let mut memory = Vec::new();
    args.memory.iter().try_for_each(|image| image.load(&mut memory))?;
    let mut running = Running::new(args, global)?;
    let mut left = &bytes[..];
    loop {
        let target = &mut running.target;
        let used = running.unit.run(left, &memory, STEP, |output| target.take(&output));
        left = &left[used..];
        running.target.check()?;
        if used == 0 && !running.unit.fifo.processor.is_in_list() {
            return running.finish(left.len());
        }
    }
}
