//! The experiments, which the command carries with it, and the quirks that none asks about.

use super::experiment::{Console, Experiment};
use crate::fail::Failure;
use crate::text::clip;

/// How to see what there is.
pub const ALL: &str = "`xfjit kit list` lists the experiments";

/// The files of `cli/kit`.
macro_rules! files { ($($console:ident in $directory:literal: $($name:literal)*;)*) => {
    /// Each experiment: its name, who can run it, and its text.
    const FILES: &[(&str, Console, &str)] = &[$($(
        ($name, Console::$console, include_str!(concat!("../../kit/", $directory, "/", $name, ".txt"))),
    )*)*];
} }

files! {
    Nv2a in "nv2a":
        "write-order" "address-bias" "address-range" "address-nan" "missing-rows" "read-back" "constant-results"
        "products" "extremes" "comparisons" "sums" "denormals" "nan-bits" "reciprocals" "reciprocal-bits" "library"
        "lighting-sums" "light-gaps";
    Flipper in "flipper":
        "accumulation" "storage" "to-integer" "half-angle" "depth" "dialect" "decoding";
    Rsx in "rsx":
        "curie-write-order" "branch-test" "end-on-branch" "indirect" "address-codes" "curie-address-bias"
        "curie-address-nan" "curie-missing-rows" "saturate-nan" "sign-of-nan" "waves" "curie-sums";
}

/// Quirks that no experiment asks about, and why.
pub const LEFT: &[(&str, &str)] = &[
    ("fog_write", "captures of an Xbox have settled it (kelvin.md 3), and only fog shows it"),
    (
        "rows",
        "rows that the chip does not have can be neither loaded nor written, so no program shows whether they exist",
    ),
    ("paired", "only Rankine has it: no console has that chip"),
    ("clip_outputs", "only Rankine has it: no console has that chip"),
    ("both_outputs", "only Rankine has it: no console has that chip"),
    ("ring", "a stream of commands does not show it: the console's processor must set up a ring"),
    ("interrupt", "a stream of commands does not show it: the console's processor must take interrupts"),
    (
        "wrap",
        "a stream of commands does not show it: the console's processor must read one of its own registers",
    ),
    ("watermarks", "a stream of commands does not show it: the console's processor must set up a ring"),
];

/// Every experiment. A file that is wrong is a fault of ours: a test reads them all.
pub fn all() -> Result<Vec<Experiment>, Failure> {
    let read = FILES.iter().map(|&(name, console, text)| {
        Experiment::parse(name, console, text)
            .map_err(|flaw| Failure::Internal(format!("the experiment {name}: {flaw}")))
    });
    read.collect()
}

/// The experiment of a name.
pub fn named(name: &str) -> Result<Experiment, Failure> {
    let found = all()?.into_iter().find(|experiment| experiment.name == name);
    found.ok_or_else(|| Failure::Usage(format!("there is no experiment `{}`; {ALL}", clip(name))))
}

#[cfg(test)]
mod tests {
    use super::super::hypothesis::Hypothesis;
    use super::super::predict::predict;
    use super::*;
    use std::collections::BTreeSet;
    use std::path::Path;
    use xfjit::Model;
    use xfjit::config::{FixedQuirks, FlipperQuirks, Forms, Quirk, QuirkSet};
    use xfjit::flipper::Quirks;

    /// Whether an experiment says that it does not tell two answers apart.
    fn are_alike(experiment: &Experiment, a: &Hypothesis, b: &Hypothesis) -> bool {
        let has = |class: &Vec<String>, answer: &Hypothesis| class.iter().any(|value| value == answer.value);
        experiment.alike.iter().any(|class| has(class, a) && has(class, b))
    }

    #[test]
    fn each_experiment_tells_its_answers_apart() {
        for experiment in all().expect("the files are right") {
            let outcome = |hypothesis| predict(&experiment, hypothesis).expect("it runs");
            let outcomes: Vec<_> = experiment.hypotheses.iter().map(outcome).collect();
            let places: Vec<_> =
                experiment.readings.iter().flat_map(|reading| vec![reading; reading.words()]).collect();
            for (at, (a, seen)) in experiment.hypotheses.iter().zip(&outcomes).enumerate() {
                for (b, expected) in experiment.hypotheses[at + 1..].iter().zip(&outcomes[at + 1..]) {
                    let mut words = places.iter().zip(seen.iter().zip(expected));
                    let is_same = words.all(|(place, (&a, &b))| place.agrees(experiment.console, a, b));
                    // A form's default is what the chip's own arithmetic may do as well.
                    let of_form = a.option != b.option && b.value == default_of(b);
                    let name = experiment.name;
                    assert!(
                        !is_same || of_form || are_alike(&experiment, a, b),
                        "{name}: {a}, {b}: {seen:x?}"
                    );
                    assert!(is_same || !are_alike(&experiment, a, b), "{name}: {a} and {b} are not alike");
                }
            }
        }
    }

    fn default_of(hypothesis: &Hypothesis) -> &'static str {
        Forms::row(hypothesis.option).map_or("", |form| form.values[0])
    }

    #[test]
    fn what_has_not_run_is_no_evidence() {
        use crate::kit::judge::is_untouched;

        // Such results do not reach rows of constants at all.
        const LEAVES: [&str; 2] = ["constant-results", "elsewhere"];
        for experiment in all().expect("the files are right") {
            for hypothesis in &experiment.hypotheses {
                let outcome = predict(&experiment, hypothesis).expect("it runs");
                let is_untouched = is_untouched(&experiment, &outcome);
                let is_known = [experiment.name, hypothesis.value] == LEAVES;
                assert_eq!(is_untouched, is_known, "{}: {hypothesis}", experiment.name);
            }
        }
    }

    #[test]
    fn answers_that_one_experiment_does_not_tell_apart_are_told_apart_by_others() {
        // Both read vertices alike, and differ in what else they choose, about which other experiments ask.
        let all = all().expect("the files are right");
        for experiment in all.iter().filter(|experiment| !experiment.alike.is_empty()) {
            assert_eq!((experiment.name, experiment.alike.len()), ("dialect", 1));
            assert_eq!(experiment.alike[0], ["dolphin-jit", "dolphin"]);
        }
        let [jit, dolphin] = [xfjit::flipper::Dialect::DolphinJit, xfjit::flipper::Dialect::Dolphin]
            .map(|dialect| dialect.transform().chosen());
        let differ: Vec<&str> = (FlipperQuirks::TABLE.iter().zip(jit.iter().zip(&dolphin)))
            .filter(|(_, (a, b))| a != b)
            .map(|(quirk, _)| quirk.name)
            .collect();
        for option in differ {
            assert!(all.iter().any(|experiment| experiment.hypotheses[0].option == option), "{option}");
        }
    }

    #[test]
    fn every_quirk_is_asked_about_or_left_for_a_reason() {
        let all = all().expect("the files are right");
        let asked: BTreeSet<&str> =
            all.iter().flat_map(|experiment| &experiment.hypotheses).map(|answer| answer.option).collect();
        let left: BTreeSet<&str> = LEFT.iter().map(|(option, _)| *option).collect();
        assert_eq!(left.len(), LEFT.len());
        let programs = Quirk::ALL.iter().map(|quirk| quirk.name);
        let forms = Forms::TABLE.iter().map(|quirk| quirk.name);
        let fixed = FixedQuirks::TABLE.iter().map(|quirk| quirk.name);
        let flipper = FlipperQuirks::TABLE.iter().map(|quirk| quirk.name);
        let processor = Quirks::TABLE.iter().map(|quirk| quirk.name);
        let options: BTreeSet<&str> =
            programs.chain(forms).chain(fixed).chain(flipper).chain(processor).collect();
        let missing: Vec<&&str> =
            options.iter().filter(|option| asked.contains(**option) == left.contains(**option)).collect();
        assert!(missing.is_empty(), "neither asked about nor left, or both: {missing:?}");
        assert!(left.iter().all(|option| options.contains(option)), "{left:?}");
    }

    #[test]
    fn every_file_is_on_the_shelf() {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("kit");
        let mut found = 0;
        for console in Console::ALL {
            let files = std::fs::read_dir(directory.join(console.name()));
            for file in files.into_iter().flatten() {
                let file = file.expect("the directory can be read").path();
                if file.extension().is_none_or(|extension| extension != "txt") {
                    continue;
                }
                let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
                let known = FILES.iter().any(|(known, of, _)| (*known, *of) == (&name, console));
                assert!(known, "{}", file.display());
                found += 1;
            }
        }
        assert_eq!(found, FILES.len());
        let names: BTreeSet<&str> = FILES.iter().map(|(name, ..)| *name).collect();
        assert_eq!(names.len(), FILES.len(), "names are of one experiment each");
    }

    #[test]
    fn experiments_name_what_they_cite() {
        for (name, _, text) in FILES {
            assert!(
                text.starts_with("# ") && text.contains(".md "),
                "{name} says where the question comes from"
            );
        }
        assert!(
            all()
                .expect("right")
                .iter()
                .all(|it| it.hypotheses.iter().all(|a| a.model == Model::Hw || a.model == Model::Ieee))
        );
    }
}
