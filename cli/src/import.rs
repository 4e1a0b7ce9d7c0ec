//! `xfjit import`: what other tools have written, as program files and captures.

mod programs;

use crate::args::{Form, Global, Import};
use crate::fail::{Failure, remark, warning};
use crate::run::device;
use crate::sort::{self, Wanted};
use crate::text::{self, Flaw};
use crate::{files, outputs};
use std::io;
use std::path::Path;
use std::sync::Arc;
use xfjit::backend::Interp;
use xfjit::capture::{FlipperWriter, UnitWriter};
use xfjit::config::FlipperQuirks;
use xfjit::flipper::dff::{Played, Player, Recording};
use xfjit::flipper::{self, Budget, FlipperUnit, Quirks};
use xfjit::import::{ImportError, log, vpo};
use xfjit::xf::{Chip, Trace};
use xfjit::{Engine, Options};

/// Work of a recording between two looks at what has been recorded.
const STEP: Budget = Budget(1 << 12);

/// Reads what another tool has written, and writes what we read.
pub fn run(args: &Import, global: &Global) -> Result<(), Failure> {
    if !files::is_dash(&args.file) && args.file.is_dir() {
        if files::is_dash(&args.output) {
            let flaw = Flaw::new("is a directory; its programs go to another one, not to standard output");
            return Err(Failure::input(files::name(&args.file), flaw.help("name a directory with -o")));
        }
        return programs::directory(args, global.quiet);
    }
    outputs::Files::apart([("-o", Some(&*args.output))], &[&args.file])?;
    let bytes = match args.from {
        Some(_) => files::read(&args.file)?,
        None => sort::read(&args.file, Wanted::Foreign)?,
    };
    if xfjit::capture::is_one(&bytes) {
        let flaw = Flaw::new("is already a capture: pass it to `xfjit run --trace` or `xfjit prof`");
        return Err(Failure::input(files::name(&args.file), flaw));
    }
    let form = args.from.unwrap_or_else(|| told(&bytes));
    let source =
        Source { name: files::name(&args.file), bytes: &bytes, to: &args.output, quiet: global.quiet };
    match form {
        Form::Rpcs3 | Form::Vpo | Form::Hex => programs::file(form, &source),
        Form::Nv2a => source.method_log(),
        Form::Dff => source.recording(),
        Form::Trace => source.trace(),
    }
}

/// What a file is, by how it begins.
fn told(bytes: &[u8]) -> Form {
    if Recording::is_one(bytes) {
        Form::Dff
    } else if vpo::is_one(bytes) {
        Form::Vpo
    } else if log::is_one(bytes) {
        Form::Nv2a
    } else if !text::is_text(bytes) {
        Form::Rpcs3
    } else {
        let text = text::decode(bytes).unwrap_or_default();
        let words = text.lines().filter_map(|line| line.split(['#', ';']).next()?.split_whitespace().next());
        if words.take(1).eq(["chip"]) { Form::Trace } else { Form::Hex }
    }
}

/// A file, and where what is made of it goes.
struct Source<'a> {
    name: String,
    bytes: &'a [u8],
    to: &'a Path,
    quiet: bool,
}

impl Source<'_> {
    fn wrong(&self, error: &ImportError) -> Failure {
        Failure::input(&self.name, Flaw::new(error.to_string()))
    }

    fn text(&self) -> Result<std::borrow::Cow<'_, str>, Failure> {
        text::decode(self.bytes).map_err(|flaw| Failure::input(&self.name, flaw))
    }

    fn tell(&self, text: std::fmt::Arguments<'_>) {
        if !self.quiet {
            remark(text);
        }
    }

    fn method_log(&self) -> Result<(), Failure> {
        let text = self.text()?;
        // Nothing is written for a file that is none.
        let mut summary = log::read(&text, |_| {}).map_err(|error| self.wrong(&error))?;
        if summary.methods == 0 {
            return Err(Failure::input(&self.name, Flaw::new("holds no method of a log of the NV2A")));
        }
        files::write_with(self.to, |out| -> Result<(), Failure> {
            let mut writer = UnitWriter::new(out, Chip::Nv2a)?;
            writer.note(&format!("imported from {}", self.name))?;
            let mut written = Ok(());
            let read = log::read(&text, |item| {
                if written.is_ok() {
                    written = writer.item(item);
                }
            });
            summary = read.map_err(|error| self.wrong(&error))?;
            written?;
            writer.finish()?;
            Ok(())
        })?;
        for (what, (count, line)) in &summary.lost {
            warning(format_args!("{}:{line}: not in the capture: {what} ({count} in all)", self.name));
        }
        let log::Summary { methods, items, vertices, .. } = summary;
        self.tell(format_args!("{methods} methods: {items} items, of which {vertices} are vertices"));
        Ok(())
    }

    /// A recording is played, and what its draws depend on recorded.
    fn recording(&self) -> Result<(), Failure> {
        let recording = Recording::read(self.bytes)
            .map_err(|error| Failure::input(&self.name, Flaw::new(error.to_string())))?;
        let interpreter = Options::default().with(|options| options.backend = Arc::new(Interp::Batched));
        let engine = Arc::new(Engine::new(interpreter));
        let mut unit = FlipperUnit::new(engine, Quirks::default(), FlipperQuirks::SPEC);
        unit.set_outputs(0);
        let left = files::write_with(self.to, |out| -> Result<usize, Failure> {
            Ok(self.play(&recording, &mut unit, out)?)
        })?;
        if left > 0 {
            warning(format_args!("{} ends inside a command: {left} bytes remain", self.name));
        }
        let stats = unit.stats();
        let frames = recording.frames.len();
        self.tell(format_args!("{frames} frames: {} draws of {} vertices", stats.batches, stats.vertices));
        Ok(())
    }

    fn play(
        &self,
        recording: &Recording<'_>,
        unit: &mut FlipperUnit,
        out: &mut dyn io::Write,
    ) -> io::Result<usize> {
        let mut writer = FlipperWriter::new(out)?;
        writer.note(&format!("imported from {}", self.name))?;
        unit.record();
        let mut player = Player::new(recording, unit);
        let (mut unknown, mut first) = (0u64, None);
        for number in 0..recording.frames.len() {
            let mut played = Played::Part;
            while played == Played::Part {
                played = player.frame(unit, STEP, |output| {
                    if let flipper::Output::Unknown(byte) = output {
                        first.get_or_insert((byte, number));
                        unknown += 1;
                    }
                });
                writer.take(unit)?;
            }
        }
        let rest = unit.recorded();
        rest.iter().flat_map(|rest| &rest.items).try_for_each(|item| writer.item(item))?;
        writer.finish()?;
        if let Some((byte, frame)) = first {
            warning(format_args!(
                "{}: not in the capture: bytes that begin no command, {byte:#04x} in frame {frame} ({unknown} in all)",
                self.name
            ));
        }
        Ok(player.left())
    }

    /// Writes the items of a trace. One that a capture cannot hold is the trace's fault.
    fn items<I>(&self, items: &[I], mut write: impl FnMut(&I) -> io::Result<()>) -> Result<(), Failure> {
        for (number, item) in items.iter().enumerate() {
            write(item).map_err(|error| match error.kind() {
                io::ErrorKind::InvalidInput => {
                    Failure::input(&self.name, Flaw::new(format!("item {number}: {error}")))
                }
                _ => error.into(),
            })?;
        }
        Ok(())
    }

    fn trace(&self) -> Result<(), Failure> {
        let text = self.text()?;
        let count = if flipper::Trace::is_named_in(&text) {
            let trace =
                flipper::Trace::parse(&text).map_err(|errors| device::wrong(&self.name, &text, &errors))?;
            files::write_with(self.to, |out| -> Result<(), Failure> {
                let mut writer = FlipperWriter::new(out)?;
                self.items(&trace.items, |item| writer.item(item))?;
                writer.finish()?;
                Ok(())
            })?;
            trace.items.len()
        } else {
            let trace = Trace::parse(&text).map_err(|errors| device::wrong(&self.name, &text, &errors))?;
            files::write_with(self.to, |out| -> Result<(), Failure> {
                let mut writer = UnitWriter::new(out, trace.chip)?;
                self.items(&trace.items, |item| writer.item(item))?;
                writer.finish()?;
                Ok(())
            })?;
            trace.items.len()
        };
        self.tell(format_args!("{count} items"));
        Ok(())
    }
}
