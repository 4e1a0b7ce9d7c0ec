//! What the page holds, and its file.

use super::origins::{self, Field, Place};
use super::stages::{self, Stage};
use crate::fail::Failure;
use crate::html::{self, Part};
use crate::subject::Subject;
use serde::Serialize;
use xfjit::InstructionSet;
use xfjit_ir::ir::origin::Place as Origin;

/// Everything that is shown.
#[derive(Serialize)]
pub struct Page {
    schema: &'static str,
    title: String,
    /// What the places are.
    of: &'static str,
    /// Whether they are slots, with words.
    has_words: bool,
    /// Names and values.
    facts: Vec<(&'static str, String)>,
    /// The layout of a slot.
    fields: Vec<Field>,
    places: Vec<Place>,
    stages: Vec<Stage>,
    /// The stages that are open at first.
    first: [usize; 2],
}

impl Page {
    /// Of a program or a configuration.
    pub fn new(subject: &Subject) -> Page {
        let compiled = stages::compile(subject);
        let names: Vec<Origin> = match &subject.program {
            Some((program, _)) => (0..program.insns.len())
                .map(|at| Origin::Slot((program.first + at).try_into().unwrap_or(u16::MAX)))
                .collect(),
            None => compiled.places(),
        };
        let stages = compiled.stages(&names);
        let places = match &subject.program {
            Some((program, config)) => origins::slots(program, config),
            None => names.iter().map(|&name| origins::part(name, compiled.operations(name))).collect(),
        };
        let has_words = subject.program.is_some();
        let named = |name: &str| stages.iter().position(|stage| stage.name == name).unwrap_or(0);
        // The machine code that this machine runs, the widest of several.
        let code =
            |set: InstructionSet| stages.iter().position(|stage| stage.name == set.name() && stage.bytes > 0);
        let here = InstructionSet::here().filter_map(code).last();
        let first = [named("simplified"), here.unwrap_or(stages.len() - 1)];
        Page {
            schema: "xfjit.explore.1",
            title: subject.name.clone(),
            of: if has_words { "Slots" } else { "Parts of the configuration" },
            has_words,
            facts: origins::facts(subject, &compiled),
            fields: subject
                .program
                .as_ref()
                .map_or_else(Vec::new, |(_, config)| origins::fields(config.generation)),
            places,
            stages,
            first,
        }
    }

    /// One file that needs no other.
    pub fn html(&self) -> Result<String, Failure> {
        let part = Part {
            body: include_str!("page.html"),
            style: include_str!("page.css"),
            scripts: &[html::LINES, include_str!("page.js")],
        };
        html::page(&part, &self.title, self)
    }
}
