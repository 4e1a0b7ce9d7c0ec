//! `MODE UNIT OP a.xyzw b.xyzw c.xyzw = r.xyzw`: one operation a line.

use super::{Source, hex_words, words_of};
use crate::fail::Failure;
use crate::text::{Flaw, Line, clip};

/// Whose arithmetic rules a case follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum OpRules {
    /// Kelvin.
    Kelvin,
    /// Rankine with ARITH_RULES = 0.
    RankineLegacy,
    /// Rankine with ARITH_RULES = 1.
    RankineModern,
}

impl OpRules {
    /// By the name in the file.
    pub fn from_name(name: &str) -> Option<OpRules> {
        match name {
            "kelvin" => Some(OpRules::Kelvin),
            "rankine_legacy" => Some(OpRules::RankineLegacy),
            "rankine_modern" => Some(OpRules::RankineModern),
            _ => None,
        }
    }
}

/// The unit that executes a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OpUnit {
    /// Sources a, b, c are SRC0, SRC1, SRC2.
    Vec,
    /// Source c is SRC2.
    Sca,
}

/// One operation and its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpCase {
    /// Where it stands in the file.
    pub line: usize,
    /// Arithmetic rules.
    pub rules: OpRules,
    /// Executing unit.
    pub unit: OpUnit,
    /// Mnemonic.
    pub op: String,
    /// Sources a, b, c.
    pub sources: [[u32; 4]; 3],
    /// What the hardware model computes.
    pub result: [u32; 4],
}

/// The cases of a file.
#[derive(Debug)]
pub struct Ops(pub(super) Source);

impl Ops {
    /// The name of the file.
    pub fn name(&self) -> &str {
        self.0.name()
    }
}

impl Iterator for Ops {
    type Item = Result<OpCase, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        let result = parse(self.0.line()?);
        Some(result.map_err(|flaw| {
            self.0.stop();
            self.0.fail(flaw)
        }))
    }
}

fn parse(line: Line<'_>) -> Result<OpCase, Flaw> {
    let words = words_of(line);
    let [rules, unit, op, rest @ ..] = &words[..] else {
        return Err(Flaw::line(&line, "needs rules, unit and operation: is the file cut short?"));
    };
    let Some(rules) = OpRules::from_name(rules.text) else {
        return Err(Flaw::word(rules, format!("`{}` are no known arithmetic rules", clip(rules.text))));
    };
    let unit = match unit.text {
        "vec" => OpUnit::Vec,
        "sca" => OpUnit::Sca,
        other => return Err(Flaw::word(unit, format!("`{}` is not a unit (vec, sca)", clip(other)))),
    };
    let Some((sources, [equals, result @ ..])) = rest.split_at_checked(12) else {
        return Err(Flaw::line(&line, format!("needs 17 words after the operation, has {}", rest.len())));
    };
    if equals.text != "=" {
        return Err(Flaw::word(equals, "expected `=` after 12 words"));
    }
    let a: [u32; 12] = hex_words(&line, sources)?;
    Ok(OpCase {
        line: line.number,
        rules,
        unit,
        op: op.text.to_string(),
        sources: [[a[0], a[1], a[2], a[3]], [a[4], a[5], a[6], a[7]], [a[8], a[9], a[10], a[11]]],
        result: hex_words(&line, result)?,
    })
}
