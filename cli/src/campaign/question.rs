//! What a campaign asks of each of its units.

use fnv::FnvHasher;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::hash::Hasher;

/// What decides the result of a unit besides its number. Two records belong together if their questions are equal.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// The command.
    pub command: String,
    /// The version of the command, since another one may choose other programs.
    pub version: String,
    /// Its options, and digests of what else is asked about.
    pub asked: BTreeMap<String, Value>,
}

impl Question {
    /// A question of this version.
    pub fn new<const N: usize>(command: &str, asked: [(&str, Value); N]) -> Question {
        let asked = asked.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Question { command: command.to_owned(), version: env!("CARGO_PKG_VERSION").to_owned(), asked }
    }

    /// Sixteen digits that tell questions apart, the same on every machine.
    pub fn fingerprint(&self) -> String {
        let asked: Vec<String> = self.asked.iter().map(|(name, value)| format!("{name}={value}")).collect();
        digest(format!("{}\n{}\n{}", self.command, self.version, asked.join("\n")).as_bytes())
    }

    /// How another question differs, in words; None if it does not.
    pub fn difference(&self, other: &Question) -> Option<String> {
        let fixed = [("command", &self.command, &other.command), ("version", &self.version, &other.version)];
        if let Some((name, mine, theirs)) = fixed.iter().find(|(_, mine, theirs)| mine != theirs) {
            return Some(format!("the {name} is {theirs}, not {mine}"));
        }
        let names = self.asked.keys().chain(other.asked.keys());
        let differs = |name: &&String| self.asked.get(*name) != other.asked.get(*name);
        let text = |value: Option<&Value>| value.map_or("not given".to_owned(), |value| value.to_string());
        names.into_iter().find(differs).map(|name| {
            format!("{name} is {}, not {}", text(other.asked.get(name)), text(self.asked.get(name)))
        })
    }
}

/// Sixteen digits for some bytes, the same on every machine: FNV-1a.
pub fn digest(bytes: &[u8]) -> String {
    let mut hasher = FnvHasher::default();
    hasher.write(bytes);
    format!("{:016x}", hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_told_by_its_name() {
        let one = Question::new("diff", [("seed", 1.into()), ("model", Value::Null)]);
        let mut other = one.clone();
        assert_eq!((one.difference(&other), one.fingerprint()), (None, other.fingerprint()));
        other.asked.insert("seed".to_owned(), 2.into());
        assert_eq!(one.difference(&other).as_deref(), Some("seed is 2, not 1"));
        assert_ne!(one.fingerprint(), other.fingerprint());
        other.asked.remove("seed");
        assert_eq!(one.difference(&other).as_deref(), Some("seed is not given, not 1"));
        other.command = "vectors".to_owned();
        assert_eq!(one.difference(&other).as_deref(), Some("the command is vectors, not diff"));
    }

    #[test]
    fn digests_are_the_same_everywhere() {
        assert_eq!(digest(b""), "cbf29ce484222325");
        assert_eq!(digest(b"foobar"), "85944171f73967e8");
    }
}
