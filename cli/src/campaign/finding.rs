//! A difference that a campaign has found.

use crate::fail::Failure;
use crate::files;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::Path;

/// A difference, as it is shown and kept.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// The unit that it is of.
    pub unit: u64,
    /// What differs.
    pub what: Vec<String>,
    /// What shows it, if there is a form for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exhibit: Option<Exhibit>,
    /// The command that finds it again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reproduce: Option<String>,
}

/// A file that shows a difference.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exhibit {
    /// Its name.
    pub name: String,
    /// What is in it.
    pub text: String,
}

impl Exhibit {
    /// Whether the name is one that these files have: records come from elsewhere, and name no other places.
    pub fn has_plain_name(&self) -> bool {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        let stem = self.name.strip_suffix(".xf").or_else(|| self.name.strip_suffix(".txt"));
        stem.is_some_and(|stem| (1..=100).contains(&stem.len()) && stem.bytes().all(is_plain))
    }
}

impl Finding {
    /// Writes what shows it into a directory.
    pub fn write(&self, directory: &Path) -> Result<(), Failure> {
        match &self.exhibit {
            Some(Exhibit { name, text }) => files::write(&directory.join(name), text.as_bytes()),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.what.join("\n"))?;
        if let Some(Exhibit { text, .. }) = &self.exhibit {
            write!(f, "\n    {}", text.trim_end().replace('\n', "\n    "))?;
        }
        if let Some(command) = &self.reproduce {
            write!(f, "\n  reproduce: {command}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_nowhere_else() {
        let named = |name: &str| Exhibit { name: name.to_owned(), text: String::new() }.has_plain_name();
        assert!(named("kelvin-hw-17.xf") && named("flipper-3.txt"));
        for name in ["", ".xf", "../a.xf", "/a.xf", "a.b.xf", "a.sh", "a\\b.xf", "a\n.xf", "a"] {
            assert!(!named(name), "{name}");
        }
    }
}
