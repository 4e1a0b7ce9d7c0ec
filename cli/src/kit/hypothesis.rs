//! The answers that an experiment can tell apart: a value of the option that it asks about.

use super::experiment::Console;
use crate::flipper_choices::FlipperChoices;
use std::fmt;
use xfjit::config::{FixedQuirks, FlipperQuirks, Forms, Quirk, QuirkSet};
use xfjit::repro::options;
use xfjit::{Config, Generation, Model, flipper};

/// The question whether a chip computes by the model of its own arithmetic, or as IEEE.
const MODEL: &str = "model";

/// An answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hypothesis {
    /// The name of the option.
    pub option: &'static str,
    /// The name of the value.
    pub value: &'static str,
    /// The arithmetic under which the option is heard.
    pub model: Model,
}

impl fmt::Display for Hypothesis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.option, self.value)
    }
}

/// Every answer to the question about an option; none if the console's chip does not have it. Forms are heard under `ieee` alone, so the chip's own
/// arithmetic is an answer of its own beside their values.
pub fn hypotheses(console: Console, option: &str) -> Option<Vec<Hypothesis>> {
    let all = |option, values: &[&'static str], model| -> Vec<Hypothesis> {
        values.iter().map(|&value| Hypothesis { option, value, model }).collect()
    };
    let Some(generation) = console.generation() else {
        let processor = flipper::Quirks::row(option).map(|quirk| (quirk.name, quirk.values));
        let quirk = processor.or(FlipperQuirks::row(option).map(|quirk| (quirk.name, quirk.values)));
        return quirk.map(|(name, values)| all(name, values, Model::Ieee));
    };
    let of_chip = Hypothesis { option: MODEL, value: Model::Hw.name(), model: Model::Hw };
    if option == MODEL {
        return Some(vec![of_chip, Hypothesis { value: Model::Ieee.name(), model: Model::Ieee, ..of_chip }]);
    }
    if let Some(quirk) = Quirk::named(option).filter(|quirk| quirk.matters(generation)) {
        return Some(all(quirk.name, quirk.values, Model::Hw));
    }
    if let Some(quirk) = FixedQuirks::row(option).filter(|_| console == Console::Nv2a) {
        return Some(all(quirk.name, quirk.values, Model::Hw));
    }
    let form = Forms::row(option).filter(|form| form.matters(generation))?;
    Some([vec![of_chip], all(form.name, form.values, Model::Ieee)].concat())
}

impl Hypothesis {
    /// The configuration of programs under it.
    pub fn config(&self, generation: Generation) -> Config {
        let mut config = Config::new(generation).model(self.model);
        if self.option != MODEL && FixedQuirks::row(self.option).is_none() {
            let chosen = options::set(&mut config, &[self.option, self.value]);
            debug_assert!(chosen.is_some(), "{self} is of the table");
        }
        config
    }

    /// The choices of the fixed function under it.
    pub fn fixed(&self) -> FixedQuirks {
        let mut quirks = FixedQuirks::SPEC;
        quirks.choose(self.option, self.value);
        quirks
    }

    /// Flipper under it.
    pub fn flipper(&self) -> FlipperChoices {
        let mut choices = FlipperChoices::default();
        let chosen = choices.processor.choose(self.option, self.value)
            || choices.transform.choose(self.option, self.value);
        debug_assert!(chosen, "{self} is of the table");
        choices
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_the_values_of_the_table() {
        let names = |console, option| {
            let all = hypotheses(console, option)?;
            Some(all.iter().map(Hypothesis::to_string).collect::<Vec<_>>().join(" "))
        };
        assert_eq!(
            names(Console::Nv2a, "write_order").as_deref(),
            Some("write_order=scalar_wins write_order=vector_wins write_order=vector_dropped")
        );
        assert_eq!(names(Console::Rsx, "waves").as_deref(), Some("model=hw waves=computed waves=half"));
        assert_eq!(names(Console::Nv2a, "model").as_deref(), Some("model=hw model=ieee"));
        assert_eq!(names(Console::Flipper, "depth").as_deref(), Some("depth=plain depth=lessened"));
        for (console, option) in
            [(Console::Nv2a, "waves"), (Console::Flipper, "model"), (Console::Rsx, "ring")]
        {
            assert_eq!(names(console, option), None, "{option}");
        }
    }

    #[test]
    fn an_answer_is_what_runs() {
        let of = |console, option: &str, at: usize| hypotheses(console, option).expect("it has some")[at];
        let config = of(Console::Nv2a, "products", 2).config(Generation::Kelvin);
        assert_eq!((config.model, config.forms.products), (Model::Ieee, xfjit::config::Products::Plain));
        let choices = of(Console::Flipper, "ring", 1).flipper();
        assert_eq!(choices.processor.ring, flipper::Ring::Exclusive);
    }
}
