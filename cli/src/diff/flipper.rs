//! `xfjit diff --flipper`: random configurations of Flipper's transform unit.

use super::comparison::Kind;
use crate::args::Diff;
use xfjit::backend::{Backend, Interp};
use xfjit::config::{Dialect, FlipperQuirks};
use xfjit_testing::{Choices, FlipperCase, RandomFlipper};

/// What configurations run in that mix the hypotheses of dialects.
const MIXED: &str = "mixed";

/// Dialects whose transform units differ.
const NAMED: [Dialect; 2] = [Dialect::Spec, Dialect::DolphinSw];

/// The dialect that a configuration is in.
fn dialect(quirks: FlipperQuirks) -> &'static str {
    NAMED.iter().find(|dialect| dialect.transform() == quirks).map_or(MIXED, |dialect| dialect.name())
}

/// Configurations, each in the dialect that its seed chose, which may be a mixture, and in all those with names.
pub(super) struct Flipper {
    vertices: u32,
}

impl Flipper {
    pub(super) fn new(args: &Diff) -> Self {
        Flipper { vertices: args.vertices }
    }
}

impl Kind for Flipper {
    type Case = FlipperCase;
    const NAME: &'static str = "configuration of Flipper";
    const PLURAL: &'static str = "configurations";
    const GROUPS: &'static str = "dialect";
    const SCHEMA: &'static str = "xfjit.diff.flipper.1";

    fn family(&self) -> &'static str {
        "flipper"
    }

    fn groups(&self) -> Vec<&'static str> {
        NAMED.map(Dialect::name).into_iter().chain([MIXED]).collect()
    }

    fn compares(&self, _: &str, _: &dyn Backend) -> bool {
        true
    }

    fn reference(&self) -> &dyn Backend {
        &Interp::Single
    }

    fn cases(&self, seed: u64) -> Vec<Vec<(&'static str, FlipperCase)>> {
        let chosen = FlipperCase::choose_flipper(&mut Choices::seed(seed), self.vertices as usize);
        let mixed = (dialect(chosen.setup.quirks) == MIXED).then_some((MIXED, chosen.setup.quirks));
        let named = NAMED.map(|dialect| (dialect.name(), dialect.transform()));
        let case = |(name, quirks)| {
            let mut case = chosen.clone();
            case.setup.quirks = quirks;
            (name, case)
        };
        vec![named.into_iter().chain(mixed).map(case).collect()]
    }

    fn titles(&self, group: &str, _: &FlipperCase) -> (String, String) {
        (format!("flipper-{group}"), format!("dialect {group}"))
    }

    fn options(&self, _: &str, _: &FlipperCase) -> String {
        format!("--flipper --vertices {}", self.vertices)
    }

    /// There is no test file of Flipper: what is not 0, a register a line.
    fn exhibit(&self, case: &FlipperCase, why: String) -> (String, &'static str) {
        (format!("{why}\n{}", xfjit_testing::flipper::text(case)), "txt")
    }
}
