//! `xfjit diff --fixed`: random configurations of the fixed function.

use super::comparison::Kind;
use crate::args::Diff;
use crate::backends;
use xfjit::Model;
use xfjit::backend::{Backend, Runs};
use xfjit::chip::{Family, Pipeline};
use xfjit_core::backend::Eval;
use xfjit_testing::filetest::FileTest;
use xfjit_testing::{Choices, FixedCase, RandomFixed};

/// Configurations of one family, under the models.
pub(super) struct Fixed {
    family: Family,
    models: Vec<Model>,
    vertices: u32,
}

impl Fixed {
    pub(super) fn new(args: &Diff, family: Family) -> Self {
        Fixed { family, models: backends::models(args.model), vertices: args.vertices }
    }
}

impl Kind for Fixed {
    type Case = FixedCase;
    const NAME: &'static str = "configuration";
    const PLURAL: &'static str = "configurations";
    const GROUPS: &'static str = "model";
    const SCHEMA: &'static str = "xfjit.diff.fixed.1";

    fn family(&self) -> &'static str {
        self.family.name()
    }

    fn groups(&self) -> Vec<&'static str> {
        self.models.iter().map(|model| model.name()).collect()
    }

    /// The evaluator of what was lowered is the reference here.
    fn compares(&self, _: &str, backend: &dyn Backend) -> bool {
        backend.runs() != Runs::Primitives
    }

    fn reference(&self) -> &dyn Backend {
        &Eval::Xf
    }

    fn cases(&self, seed: u64) -> Vec<Vec<(&'static str, FixedCase)>> {
        let case = |&model: &Model| {
            let choices = &mut Choices::seed(seed);
            let case = FixedCase::choose(choices, self.family, Some(model), self.vertices as usize);
            vec![(model.name(), case)]
        };
        self.models.iter().map(case).collect()
    }

    fn titles(&self, group: &str, case: &FixedCase) -> (String, String) {
        let pipeline = case.setup.mode.pipeline().name();
        (format!("fixed-{pipeline}-{group}"), format!("model {group}, {pipeline}"))
    }

    fn options(&self, group: &str, case: &FixedCase) -> String {
        // Of Curie's family one chip has a fixed function.
        let family = match case.setup.mode.pipeline() {
            Pipeline::Curie => Pipeline::Curie.name(),
            _ => self.family.name(),
        };
        format!("--fixed {family} --model {group} --vertices {}", self.vertices)
    }

    fn exhibit(&self, case: &FixedCase, why: String) -> (String, &'static str) {
        match FileTest::of_fixed(case, vec![why], 0..case.count()) {
            Some(test) => (format!("{test:#}"), "xf"),
            None => (format!("{case:08x?}\n"), "txt"),
        }
    }
}
