//! Figures of a reading: those of the tree, and those of a campaign.

use crate::lines::unpacked;
use std::io::Write;
use std::path::Path;
use std::process::Command;

/// A reading, the figures that the tree holds of it, and how many cases those are; a campaign has as many.
pub(crate) struct Reading {
    /// The program, without `.py`.
    pub(crate) name: &'static str,
    /// What it printed, packed.
    pub(crate) packed: &'static [u8],
    /// How many lines that is.
    pub(crate) count: usize,
}

macro_rules! reading {
    ($name:literal, $count:literal) => {
        crate::figures::Reading {
            name: $name,
            packed: include_bytes!(concat!("../data/readings/", $name, ".txt.xz")),
            count: $count,
        }
    };
}
pub(crate) use reading;

impl Reading {
    /// The tree's figures.
    pub(crate) fn committed(&self) -> String {
        let text = unpacked(self.packed);
        assert_eq!(text.lines().count(), self.count, "{} has lost cases", self.name);
        text
    }

    /// Figures of the seed that `XFJIT_READINGS` names, if it names one and Python is there.
    pub(crate) fn campaign(&self) -> Option<String> {
        let seed = std::env::var("XFJIT_READINGS").ok()?;
        let script =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/readings").join(self.name).with_extension("py");
        // Without -B Python would leave its own files in the tree.
        let run =
            Command::new("python3").arg("-B").arg(script).args([&seed, &self.count.to_string()]).output();
        let Ok(output) = run else {
            // Not by `eprintln!`, which the harness would swallow.
            let note = format!(
                "SKIPPED: no figures of {}.py were generated, since python3 is not installed\n",
                self.name
            );
            std::io::stderr().write_all(note.as_bytes()).expect("standard error is there");
            return None;
        };
        assert!(output.status.success(), "{}.py: {}", self.name, String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).expect("the figures are text");
        assert_eq!(text.lines().count(), self.count, "{}.py has printed another number of cases", self.name);
        Some(text)
    }

    /// Runs a check on the tree's figures, and on those of a campaign.
    pub(crate) fn check(&self, check: impl Fn(&str)) {
        check(&self.committed());
        if let Some(text) = self.campaign() {
            check(&text);
        }
    }
}
