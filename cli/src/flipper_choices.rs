//! `--dialect` and `--quirk`: what a stream of Flipper is run as.

use crate::fail::Failure;
use crate::named_values::{named_values, no_value};
use xfjit::config::{FlipperQuirks, QuirkSet};
use xfjit::flipper::{Dialect, Quirks};

/// How the chip is taken to behave.
#[derive(Clone, Copy, Debug, Default)]
pub struct FlipperChoices {
    /// Its command processor.
    pub processor: Quirks,
    /// Its transform unit.
    pub transform: FlipperQuirks,
    /// The dialect that was asked for.
    pub dialect: Dialect,
}

impl FlipperChoices {
    /// The choices of a dialect, and over it those given as `NAME=VALUE`.
    pub fn new(dialect: Option<Dialect>, quirks: &[String]) -> Result<Self, Failure> {
        Self::with(dialect, quirks, &[])
    }

    /// The choices of a dialect, and over it those given as `--quirk` and as `--option`; what is wrong is told by the name that it was given as.
    pub fn with(dialect: Option<Dialect>, quirks: &[String], options: &[String]) -> Result<Self, Failure> {
        let dialect = dialect.unwrap_or_default();
        let mut choices =
            FlipperChoices { processor: dialect.processor(), transform: dialect.transform(), dialect };
        let mut seen = Vec::new();
        for (option, given) in [("quirk", quirks), ("option", options)] {
            let words = [option, "quirk of Flipper", "ring=exclusive"];
            let names = named_values(words, given, all, |(name, value, values)| {
                if choices.processor.choose(name, value) || choices.transform.choose(name, value) {
                    return Ok(());
                }
                Err(no_value(option, (name, value, values)))
            })?;
            if let Some(name) = names.iter().find(|name| seen.contains(*name)) {
                return Err(Failure::Usage(format!(
                    "--{option} {name} is also given as --quirk; give it once"
                )));
            }
            seen = names;
        }
        Ok(choices)
    }
}

/// Every quirk of Flipper, with the names of its values. That of vertices is `--dialect`, but can be chosen alone.
fn all() -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    let processor = Quirks::TABLE.iter().map(|quirk| (quirk.name, quirk.values));
    processor.chain(FlipperQuirks::TABLE.iter().map(|quirk| (quirk.name, quirk.values)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_quirk_can_be_chosen_over_every_dialect() {
        for dialect in Dialect::ALL {
            for (name, values) in all() {
                for value in values {
                    let given = [format!("{name}={value}")];
                    let choices = FlipperChoices::new(Some(dialect), &given).expect(name);
                    let chosen = [choices.processor.chosen(), choices.transform.chosen()].concat();
                    let at = all().position(|(known, _)| known == name).expect("it is one of them");
                    assert_eq!(chosen[at], *value, "{name}");
                }
            }
        }
    }

    #[test]
    fn wrong_quirks_are_named() {
        let refused = |given: &[&str]| {
            let given: Vec<String> = given.iter().map(|&quirk| quirk.to_owned()).collect();
            match FlipperChoices::new(None, &given) {
                Err(Failure::Usage(message)) => message,
                other => panic!("{given:?}: {other:?}"),
            }
        };
        assert!(refused(&["ring"]).contains("NAME=VALUE"));
        assert!(refused(&["write_order=vector_wins"]).contains("ring, "));
        assert!(refused(&["ring=square"]).contains("inclusive, exclusive"));
        assert!(refused(&["ring=inclusive", "ring=exclusive"]).contains("twice"));
        let (quirks, options) = (["ring=exclusive".to_owned()], |text: &str| [text.to_owned()]);
        for (option, expected) in [
            ("square=1", "--option: `square` is not a quirk of Flipper"),
            ("ring=square", "--option ring: `square`"),
            ("ring=inclusive", "--option ring is also given as --quirk; give it once"),
        ] {
            match FlipperChoices::with(None, &quirks, &options(option)) {
                Err(Failure::Usage(message)) => assert!(message.starts_with(expected), "{message}"),
                other => panic!("{option}: {other:?}"),
            }
        }
        let mixed =
            FlipperChoices::with(None, &quirks, &options("depth=lessened")).expect("they are choices");
        assert_eq!((mixed.processor.chosen()[2], mixed.transform.chosen()[0]), ("exclusive", "lessened"));
    }
}
