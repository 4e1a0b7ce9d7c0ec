//! Names choose what they name, of every quirk, and pages say what each is.

use super::*;
use crate::chip::Pipeline;
use xfjit_runtime::num::Model;

/// What is said of the chips, where each quirk has its sentence.
const PAGES: [&str; 6] = [
    include_str!("../../../../../docs/isa/kelvin.md"),
    include_str!("../../../../../docs/isa/rankine.md"),
    include_str!("../../../../../docs/isa/curie.md"),
    include_str!("../../../../../docs/isa/fixed.md"),
    include_str!("../../../../../docs/isa/flipper.md"),
    include_str!("../../../../../docs/NUMERICS.md"),
];

/// Asserts that names choose what they name, and change nothing else.
fn names_choose_what_they_name<S: QuirkSet + PartialEq>() {
    for quirk in S::TABLE {
        assert_eq!((quirk.get)(&S::default()), quirk.values[0], "{}", quirk.name);
        assert!(quirk.values.len() > 1 && quirk.values.len() == quirk.weights.len(), "{}", quirk.name);
        assert!(quirk.evidence.ends_with('.'), "{}", quirk.name);
        let mut seen: Vec<S> = Vec::new();
        for &value in quirk.values {
            let mut quirks = S::default();
            assert!(quirks.choose(quirk.name, value), "{} {value}", quirk.name);
            assert_eq!((quirk.get)(&quirks), value, "{}", quirk.name);
            assert!(!seen.contains(&quirks), "{} {value}", quirk.name);
            seen.push(quirks);
            let others = S::TABLE.iter().filter(|other| other.name != quirk.name);
            assert!(others.into_iter().all(|other| (other.get)(&quirks) == other.values[0]));
        }
        assert!(!S::default().choose(quirk.name, "neither"));
        let name = format!("`{}`", quirk.name);
        assert!(PAGES.iter().any(|page| page.contains(&name)), "no page names {name}");
    }
    assert!(!S::default().choose("neither", "spec"));
    assert_eq!(S::default().chosen().len(), S::TABLE.len());
}

#[test]
fn names_choose_what_they_name_in_each_record() {
    names_choose_what_they_name::<Quirks>();
    names_choose_what_they_name::<Forms>();
    names_choose_what_they_name::<FixedQuirks>();
    names_choose_what_they_name::<FlipperQuirks>();
    names_choose_what_they_name::<ProcessorQuirks>();
}

#[test]
fn no_name_stands_twice() {
    let mut names: Vec<&str> = Quirk::ALL.iter().map(|quirk| quirk.name).collect();
    names.extend(Forms::TABLE.iter().map(|quirk| quirk.name));
    names.extend(FixedQuirks::TABLE.iter().map(|quirk| quirk.name));
    names.extend(FlipperQuirks::TABLE.iter().map(|quirk| quirk.name));
    names.extend(ProcessorQuirks::TABLE.iter().map(|quirk| quirk.name));
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}

/// Asserts that a generation keeps what matters to it.
fn generations_keep_what_matters<S: QuirkSet>() {
    for quirk in S::TABLE {
        for &value in quirk.values {
            let mut quirks = S::default();
            assert!((quirk.set)(&mut quirks, value));
            for &generation in Generation::ALL {
                let kept = (quirk.get)(&quirks.of(generation)) == value;
                assert_eq!(kept, quirk.matters(generation) || value == quirk.values[0]);
            }
        }
    }
}

#[test]
fn a_generation_keeps_what_matters_to_it() {
    generations_keep_what_matters::<Quirks>();
    generations_keep_what_matters::<Forms>();
}

#[test]
fn each_quirk_of_the_fixed_function_matters_to_some_and_not_to_all() {
    for quirk in FixedQuirks::TABLE {
        let matters = |pipeline: &&Pipeline| FixedQuirks::matters(quirk.name, **pipeline, Model::Hw);
        let count = Pipeline::ALL.iter().filter(matters).count();
        assert!((1..Pipeline::ALL.len()).contains(&count), "{}: {count}", quirk.name);
    }
}
