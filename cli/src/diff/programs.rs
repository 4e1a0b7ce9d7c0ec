//! `xfjit diff`: random programs.

use super::comparison::Kind;
use crate::args::Diff;
use crate::backends;
use xfjit::backend::{Backend, Interp};
use xfjit::{Generation, Model};
use xfjit_testing::filetest::FileTest;
use xfjit_testing::{Case, Choices, Limits, RandomCase};

/// Programs of one generation, under the models.
pub(super) struct Programs {
    generation: Generation,
    models: Vec<Model>,
    vertices: u32,
}

impl Programs {
    pub(super) fn new(args: &Diff) -> Self {
        Programs { generation: args.r#gen, models: backends::models(args.model), vertices: args.vertices }
    }
}

impl Kind for Programs {
    type Case = Case;
    const NAME: &'static str = "program";
    const PLURAL: &'static str = "programs";
    const GROUPS: &'static str = "model";
    const SCHEMA: &'static str = "xfjit.diff.1";

    fn family(&self) -> &'static str {
        self.generation.name()
    }

    fn groups(&self) -> Vec<&'static str> {
        self.models.iter().map(|model| model.name()).collect()
    }

    fn compares(&self, group: &str, backend: &dyn Backend) -> bool {
        Model::from_name(group).is_some_and(|model| backends::knows(backend, model))
    }

    fn reference(&self) -> &dyn Backend {
        &Interp::Single
    }

    fn cases(&self, seed: u64) -> Vec<Vec<(&'static str, Case)>> {
        let case = |model: Model| {
            let mut choices = Choices::seed(seed);
            let limits = Limits::choose(&mut choices, self.generation).model(model);
            Case::within(&mut choices, Limits { vertices: self.vertices, ..limits })
        };
        self.models.iter().map(|&model| vec![(model.name(), case(model))]).collect()
    }

    fn titles(&self, group: &str, _: &Case) -> (String, String) {
        (format!("{}-{group}", self.generation.name()), format!("model {group}"))
    }

    fn options(&self, group: &str, _: &Case) -> String {
        format!("--gen {} --model {group} --vertices {}", self.generation.name(), self.vertices)
    }

    fn exhibit(&self, case: &Case, why: String) -> (String, &'static str) {
        match FileTest::of_case(case, vec![why], 0..case.count) {
            Some(test) => (format!("{test:#}"), "xf"),
            None => (case.to_string(), "txt"),
        }
    }
}
