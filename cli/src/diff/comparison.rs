//! Backends compared on random cases of any kind, a seed a unit.

use crate::campaign::{Counts, Exhibit, Finding, Note, Outcome, Work, digest};
use crate::fail::Failure;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use xfjit::Worker;
use xfjit::backend::Backend;
use xfjit_testing::case::{Ran, Refusal};
use xfjit_testing::check::difference;
use xfjit_testing::shrink::Shrinks;

/// A kind of cases.
pub(super) trait Kind: Sync {
    /// What is compared on.
    type Case: Shrinks + fmt::Debug + Send;
    /// What its cases are called.
    const NAME: &'static str;
    /// What several of its cases are called.
    const PLURAL: &'static str;
    /// What its groups are: models, dialects.
    const GROUPS: &'static str;
    /// The schema of what is printed.
    const SCHEMA: &'static str;

    /// Whose programs or configurations.
    fn family(&self) -> &'static str;

    /// The groups, in the order in which they are reported.
    fn groups(&self) -> Vec<&'static str>;

    /// Whether a backend is compared in a group.
    fn compares(&self, group: &str, backend: &dyn Backend) -> bool;

    /// The backend that is right.
    fn reference(&self) -> &dyn Backend;

    /// The cases that a seed names, with the group of each. Those that stand together count as one.
    fn cases(&self, seed: u64) -> Vec<Vec<(&'static str, Self::Case)>>;

    /// What a finding is called besides its seed, in the name of a file and before what differs.
    fn titles(&self, group: &str, case: &Self::Case) -> (String, String);

    /// The options of `xfjit diff` that try such a case again.
    fn options(&self, group: &str, case: &Self::Case) -> String;

    /// What shows a difference, and the ending of the file's name.
    fn exhibit(&self, case: &Self::Case, why: String) -> (String, &'static str);
}

/// A backend in a group.
pub(super) struct Column {
    pub(super) group: &'static str,
    pub(super) backend: Arc<dyn Backend>,
}

/// What is compared.
pub(super) struct Comparison<K> {
    pub(super) kind: K,
    pub(super) columns: Vec<Column>,
    pub(super) seed: u64,
}

/// Cases whose names identify the generator of cases.
const FIRST: u64 = 4;

/// What a backend has done with a case.
enum Done {
    Ran { ran: Box<Ran>, groups: usize },
    Refused(String),
    Panicked(String),
}

/// Cases of one seed on which backends differ: each by its column, and what differs.
pub(super) struct Difference<C> {
    first: (&'static str, C),
    found: Vec<(usize, String)>,
    panicked: bool,
}

impl<K: Kind> Comparison<K> {
    /// Of the reference, which comes first of `all`, and the other backends.
    pub(super) fn new(kind: K, all: &[Arc<dyn Backend>], seed: u64) -> Self {
        let mut columns = Vec::new();
        for group in kind.groups() {
            let others = all.iter().skip(1).filter(|backend| kind.compares(group, &***backend));
            columns.extend(others.map(|backend| Column { group, backend: Arc::clone(backend) }));
        }
        Comparison { kind, columns, seed }
    }

    /// What tells this generator of cases from others: records of another one do not add up with this one's.
    pub(super) fn digest(&self) -> String {
        let cases: Vec<_> = (0..FIRST).map(|unit| self.kind.cases(self.seed_of(unit))).collect();
        digest(format!("{cases:08x?}").as_bytes())
    }

    fn seed_of(&self, unit: u64) -> u64 {
        self.seed.wrapping_add(unit)
    }

    fn in_group(&self, group: &str) -> impl Iterator<Item = (usize, &Column)> {
        self.columns.iter().enumerate().filter(move |(_, column)| column.group == group)
    }

    /// Compares all backends on cases that count as one.
    fn compare(
        &self,
        seed: u64,
        cases: Vec<(&'static str, K::Case)>,
        worker: &mut Worker,
        outcome: &mut Outcome<Difference<K::Case>>,
    ) -> Result<(), Failure> {
        let mut difference: Option<Difference<K::Case>> = None;
        outcome.counts.add(K::PLURAL, 1);
        for (group, case) in cases {
            outcome.counts.add("vertices", case.vertices() as u64);
            let want = match attempt(&case, self.kind.reference(), worker) {
                Done::Ran { ran, .. } => ran,
                Done::Refused(why) | Done::Panicked(why) => {
                    return Err(Failure::Internal(format!("seed {seed}: {why}")));
                }
            };
            for (index, column) in self.in_group(group) {
                let done = attempt(&case, &*column.backend, worker);
                let is_panic = matches!(done, Done::Panicked(_));
                let Some(what) = count(&done, &case, &want, column, seed, outcome) else { continue };
                let new = || Difference { first: (group, case.clone()), found: Vec::new(), panicked: false };
                let difference = difference.get_or_insert_with(new);
                difference.panicked |= is_panic;
                difference.found.push((index, what));
            }
        }
        outcome.failed += u64::from(difference.is_some());
        outcome.counts.add("mismatches", difference.is_some().into());
        outcome.differences.extend(difference);
        Ok(())
    }

    /// The case of a difference with as little in it as shows it.
    fn smallest(&self, difference: &Difference<K::Case>, worker: &mut Worker) -> K::Case {
        let (group, case) = &difference.first;
        // Each try of a panic would print it.
        let in_group = |(index, _): &&(usize, String)| self.columns[*index].group == *group;
        let first = difference.found.iter().find(in_group).filter(|_| !difference.panicked);
        let Some(&(index, _)) = first else { return case.clone() };
        let backend = &*self.columns[index].backend;
        let mut differs = |case: &K::Case| differs(case, self.kind.reference(), backend, worker);
        // A case that cannot be made smaller is still a finding.
        let smallest = catch_unwind(AssertUnwindSafe(|| case.shrink(&mut differs)));
        smallest.unwrap_or_else(|_| case.clone())
    }
}

/// Whether two backends differ on a case.
fn differs<C: Shrinks>(
    case: &C,
    reference: &dyn Backend,
    backend: &dyn Backend,
    worker: &mut Worker,
) -> bool {
    let mut run = |backend| match attempt(case, backend, worker) {
        Done::Ran { ran, .. } => Some(ran),
        Done::Refused(_) | Done::Panicked(_) => None,
    };
    let Some((want, got)) = run(reference).zip(run(backend)) else { return false };
    difference(&case.placement(), &want, &got).is_some()
}

/// Runs a case. What panics does not end a campaign, so nothing of its thread is used again.
fn attempt<C: Shrinks>(case: &C, backend: &dyn Backend, worker: &mut Worker) -> Done {
    match catch_unwind(AssertUnwindSafe(|| case.run_on(backend, worker))) {
        Ok(Ok((ran, groups))) => Done::Ran { ran: Box::new(ran), groups },
        Ok(Err(Refusal::Compile(error))) => Done::Refused(error.to_string()),
        Ok(Err(refusal)) => Done::Panicked(refusal.to_string()),
        Err(panic) => {
            *worker = Worker::new();
            let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
            Done::Panicked(format!("panicked: {}", text.unwrap_or_default()))
        }
    }
}

/// Counts what a backend has done, and tells what is wrong with it.
fn count<C: Shrinks>(
    done: &Done,
    case: &C,
    want: &Ran,
    column: &Column,
    seed: u64,
    outcome: &mut Outcome<Difference<C>>,
) -> Option<String> {
    let name = column.backend.name();
    let (what, groups, deopts) = match done {
        Done::Ran { ran, groups } => {
            let what = difference(&case.placement(), want, ran).map(|(what, _)| what);
            (what, *groups as u64, ran.outcome.deopt_groups)
        }
        Done::Panicked(why) => (Some(why.clone()), 0, 0),
        Done::Refused(why) => {
            let text = format!("seed {seed}: {name} rejects it: {why}");
            let (group, backend) = (column.group.to_owned(), name.to_owned());
            outcome.notes.push(Note { group, backend, counted: "refused", text });
            (None, 0, 0)
        }
    };
    let refused = matches!(done, Done::Refused(_));
    let counted = [
        ("compared", u64::from(!refused)),
        ("mismatches", what.is_some().into()),
        ("groups", groups),
        ("deopt_groups", deopts),
        ("refused", refused.into()),
    ];
    let counts: &mut Counts = &mut outcome.counts;
    counted.iter().for_each(|(counted, count)| counts.add_of(column.group, name, counted, *count));
    what
}

impl<K: Kind> Work for Comparison<K> {
    type Hands = Worker;
    type Difference = Difference<K::Case>;

    fn hands(&self) -> Worker {
        Worker::new()
    }

    fn unit(&self, unit: u64, worker: &mut Worker) -> Result<Outcome<Self::Difference>, Failure> {
        let seed = self.seed_of(unit);
        let mut outcome = Outcome::default();
        for cases in self.kind.cases(seed) {
            self.compare(seed, cases, worker, &mut outcome)?;
        }
        Ok(outcome)
    }

    fn finding(&self, unit: u64, difference: Self::Difference, worker: &mut Worker) -> Finding {
        let seed = self.seed_of(unit);
        let (group, case) = &difference.first;
        let (file, title) = self.kind.titles(group, case);
        let what: Vec<String> = (difference.found.iter())
            .map(|(index, what)| {
                let column = &self.columns[*index];
                let (_, title) = self.kind.titles(column.group, case);
                format!("seed {seed}, {title}, {}: {what}", column.backend.name())
            })
            .collect();
        let smallest = self.smallest(&difference, worker);
        let backend = self.columns[difference.found[0].0].backend.name();
        let why = format!("xfjit diff, seed {seed}, {title}: {backend} differs.");
        let (text, ending) = self.kind.exhibit(&smallest, why);
        let reproduce = format!("xfjit diff {} --seed {seed} --programs 1", self.kind.options(group, case));
        let name = format!("{file}-{seed}.{ending}");
        Finding { unit, what, exhibit: Some(Exhibit { name, text }), reproduce: Some(reproduce) }
    }
}
