//! What units have come to, as numbers that add up.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Numbers by name.
pub type Numbers = BTreeMap<String, u64>;

/// Numbers of all the work, and of each back end in each group: a model, a dialect, a file.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// Of all the work.
    pub total: Numbers,
    /// By group, then by back end.
    pub groups: BTreeMap<String, BTreeMap<String, Numbers>>,
}

impl Counts {
    /// Counts something of all the work.
    pub fn add(&mut self, name: &str, count: u64) {
        add(&mut self.total, name, count);
    }

    /// Counts something of a back end. What is counted as 0 has its place.
    pub fn add_of(&mut self, group: &str, backend: &str, name: &str, count: u64) {
        let backends = self.groups.entry(group.to_owned()).or_default();
        add(backends.entry(backend.to_owned()).or_default(), name, count);
    }

    /// What has been counted of all the work.
    pub fn get(&self, name: &str) -> u64 {
        self.total.get(name).copied().unwrap_or(0)
    }

    /// What has been counted of a back end.
    pub fn of(&self, group: &str, backend: &str, name: &str) -> u64 {
        let numbers = self.groups.get(group).and_then(|backends| backends.get(backend));
        numbers.and_then(|numbers| numbers.get(name)).copied().unwrap_or(0)
    }

    /// Adds what other units have come to.
    pub fn merge(&mut self, other: &Counts) {
        other.total.iter().for_each(|(name, &count)| self.add(name, count));
        for (group, backends) in &other.groups {
            for (backend, numbers) in backends {
                numbers.iter().for_each(|(name, &count)| self.add_of(group, backend, name, count));
            }
        }
    }
}

/// A record may hold any number, so sums stop at the greatest one.
fn add(numbers: &mut Numbers, name: &str, count: u64) {
    match numbers.get_mut(name) {
        Some(sum) => *sum = sum.saturating_add(count),
        None => _ = numbers.insert(name.to_owned(), count),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_add_up_by_name() {
        let (mut one, mut two) = (Counts::default(), Counts::default());
        one.add("programs", 3);
        one.add_of("hw", "jit", "refused", 0);
        two.add("programs", 4);
        two.add("vertices", 5);
        two.add_of("hw", "jit", "refused", 2);
        two.add_of("ieee", "jit", "refused", u64::MAX);
        one.merge(&two);
        two.merge(&two.clone());
        assert_eq!((one.get("programs"), one.get("vertices"), one.get("absent")), (7, 5, 0));
        assert_eq!((one.of("hw", "jit", "refused"), one.of("hw", "eval", "refused")), (2, 0));
        assert_eq!(two.of("ieee", "jit", "refused"), u64::MAX);
    }
}
