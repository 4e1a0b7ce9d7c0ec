//! The programs that a capture contains.

use super::{Capture, How, items};
use crate::args::Global;
use crate::args::limits::Limits;
use crate::fail::Failure;
use crate::flipper_choices::FlipperChoices;
use crate::names::{self, Hash, Names};
use crate::sort::Sort;
use crate::text::{Flaw, clip};
use std::path::Path;
use std::sync::Arc;
use xfjit::backend::Interp;
use xfjit::capture::{Part, Recorded};
use xfjit::{Engine, Model, Options};

/// Bytes that all programs of a capture may have together, so that none is forgotten.
const CACHE_BYTES: usize = 1 << 30;

/// A program of a capture.
#[derive(Clone, Debug)]
pub struct Known {
    /// As profiles name it.
    pub id: String,
    /// What people call it.
    pub label: Option<String>,
    /// What it is.
    pub recorded: Recorded,
}

impl Known {
    /// As it is shown.
    pub fn shown(&self) -> String {
        names::shown(&self.id, self.label.as_deref())
    }
}

/// The program that options name, if the content of a file is a capture or a command stream.
pub fn program_of(
    (file, bytes): (&str, &[u8]),
    (program, names): (Option<&str>, Option<&Path>),
    model: Model,
    global: &Global,
) -> Result<Option<Known>, Failure> {
    let Some(Sort::Capture | Sort::Trace) = Sort::of(bytes) else { return Ok(None) };
    let names = Names::read(names)?;
    Capture::read(file, bytes, global)?.program(file, program, model, &names).map(Some)
}

impl Capture<'_> {
    /// The programs with instructions. Calls name theirs, in the order in which these were recorded; a unit has those that it runs when the capture is
    /// played with a model, by their ids.
    pub fn programs(&self, model: Model, names: &Names) -> Result<Vec<Known>, Failure> {
        let options = Options::default().with(|options| {
            options.backend = Arc::new(Interp::Batched);
            options.cache_bytes = CACHE_BYTES;
        });
        let engine = Arc::new(Engine::new(options));
        let mut all: Vec<Known> = Vec::new();
        match self {
            Capture::Calls(calls) => items::parts(calls.bytes, |part| {
                match part {
                    Part::Program(recorded) => {
                        let program = engine.program(&recorded.words, recorded.start, &recorded.config);
                        let id = program.map_err(|error| Failure::Internal(error.to_string()))?.name();
                        all.push(Known { id, label: None, recorded: *recorded });
                    }
                    Part::Name { program, name } => {
                        if let Some(known) = all.get_mut(program) {
                            known.label = (!name.is_empty()).then_some(name);
                        }
                    }
                    _ => {}
                }
                Ok(())
            })?,
            Capture::Unit(_) => {
                let how = How { model, flipper: FlipperChoices::default(), limits: Limits::default() };
                self.play(&engine, how, &mut |_| {})?;
                let known = |program: &Arc<xfjit::Program>| {
                    let recorded = Recorded::of(program)?;
                    Some(Known { id: program.name(), label: None, recorded })
                };
                all.extend(engine.programs().iter().filter_map(known));
                all.sort_by(|a, b| a.id.cmp(&b.id));
            }
            Capture::Flipper(_) | Capture::Recording(_) => {}
        }
        let named = names.of(all.iter().map(|known| &*known.id))?;
        for known in &mut all {
            if let Some(name) = named.get(&known.id) {
                known.label = Some(name.clone());
            }
        }
        Ok(all)
    }

    /// The program that is called so or has this hash; without a wish the only one.
    fn program(
        &self,
        file: &str,
        wanted: Option<&str>,
        model: Model,
        names: &Names,
    ) -> Result<Known, Failure> {
        let all = self.programs(model, names)?;
        if all.is_empty() {
            return Err(Failure::input(file, Flaw::new("contains no program with instructions")));
        }
        let found: Vec<&Known> = match wanted {
            None => all.iter().collect(),
            Some(wanted) => {
                let called = all.iter().filter(|known| known.label.as_deref() == Some(wanted));
                let mut found: Vec<&Known> = called.collect();
                if found.is_empty()
                    && let Some(hash) = Hash::parse(wanted)
                {
                    found.extend(all.iter().filter(|known| hash.is_of(&known.id)));
                }
                found
            }
        };
        // A program that was recorded twice is one.
        if let [first, rest @ ..] = &found[..]
            && rest.iter().all(|known| known.id == first.id)
        {
            return Ok(Known::clone(first));
        }
        let shown = |known: &[&Known]| {
            let shown: Vec<String> = known.iter().map(|known| known.shown()).collect();
            names::some(&shown.iter().map(String::as_str).collect::<Vec<_>>())
        };
        Err(Failure::Usage(match wanted {
            None => format!(
                "{file} contains {} programs; choose one with --program: {}",
                found.len(),
                shown(&found)
            ),
            Some(wanted) if found.is_empty() => {
                let all: Vec<&Known> = all.iter().collect();
                format!("--program `{}`: {file} has no such program; it has {}", clip(wanted), shown(&all))
            }
            Some(wanted) => {
                let count = found.len();
                format!("--program `{}` means {count} programs of {file}: {}", clip(wanted), shown(&found))
            }
        }))
    }
}
