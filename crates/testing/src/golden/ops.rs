//! `MODE UNIT OP a.xyzw b.xyzw c.xyzw = r.xyzw`: one operation a line.

use super::lines::{FileFlaw, Source, hex_words, words_of};
use crate::text::{Flaw, Line, clip};
use xfjit_runtime::num::bits::ONE;
use xfjit_runtime::num::{self, Model, Numerics, Rules};

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

impl OpCase {
    /// What the golden functions make of it; `None` of an operation that they do not know.
    pub fn golden(&self) -> Option<[u32; 4]> {
        let rules = match self.rules {
            OpRules::Kelvin => Rules::Kelvin,
            OpRules::RankineLegacy => Rules::RankineLegacy,
            OpRules::RankineModern => Rules::RankineModern,
        };
        let n = Numerics { model: Model::Hw, rules };
        let [a, b, c] = self.sources;
        match self.unit {
            OpUnit::Vec => vector(n, &self.op, a, b, c),
            OpUnit::Sca => scalar(n, &self.op, c),
        }
    }
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
    type Item = Result<OpCase, FileFlaw>;

    fn next(&mut self) -> Option<Self::Item> {
        let case = parse(self.0.line()?);
        self.0.item(case.map(Some))
    }
}

fn parse(line: Line<'_>) -> Result<OpCase, Flaw> {
    let words = words_of(line);
    let [rules, unit, op, rest @ ..] = &words[..] else {
        return Err(Flaw::line(&line, "needs rules, unit and operation: is the file cut short?"));
    };
    let Some(rules) = OpRules::from_name(rules.text) else {
        return Err(Flaw::word(rules, format!("`{}` are not known arithmetic rules", clip(rules.text))));
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

type Vector = [u32; 4];

fn vector(n: Numerics, op: &str, a: Vector, b: Vector, c: Vector) -> Option<Vector> {
    let each =
        |f: fn(Numerics, u32, u32) -> u32, a: Vector, b: Vector| [0, 1, 2, 3].map(|i| f(n, a[i], b[i]));
    let [px, py, pz, pw] = each(num::mul, a, b);
    Some(match op {
        "MOV" => a,
        "MUL" => [px, py, pz, pw],
        "ADD" => each(num::sum2, a, c),
        "MAD" => each(num::sum2, [px, py, pz, pw], c),
        "DP3" => [num::sum3(n, px, py, pz); 4],
        "DPH" => [num::sum4(n, px, py, pz, num::mul(n, ONE, b[3])); 4],
        "DP4" => [num::sum4(n, px, py, pz, pw); 4],
        "DST" => [ONE, py, a[2], b[3]],
        "MIN" => each(num::min, a, b),
        "MAX" => each(num::max, a, b),
        "SLT" => each(num::slt, a, b),
        "SGE" => each(num::sge, a, b),
        "SEQ" => each(num::seq, a, b),
        "SGT" => each(num::sgt, a, b),
        "SLE" => each(num::sle, a, b),
        "SNE" => each(num::sne, a, b),
        "SSG" => a.map(|a| num::ssg(n, a)),
        "FLR" => a.map(|a| num::flr(n, a)),
        "FRC" => a.map(|a| num::frc(n, a)),
        "SFL" => [0; 4],
        "STR" => [ONE; 4],
        _ => return None,
    })
}

fn scalar(n: Numerics, op: &str, c: Vector) -> Option<Vector> {
    let [x, y, _, w] = c;
    Some(match op {
        "MOV" => c,
        "RCP" => [num::rcp(n, x); 4],
        "RCC" => [num::rcc(n, x); 4],
        "RSQ" => [num::rsq(n, x); 4],
        "EXP" => [num::exp_x(n, x), num::exp_y(n, x), num::exp_z(n, x), ONE],
        "LOG" => [num::log_x(n, x), num::log_y(n, x), num::log_z(n, x), ONE],
        "LIT" => [ONE, num::lit_y(n, x), num::lit_z(n, x, y, w), ONE],
        "LG2" => [num::lg2(n, x); 4],
        "EX2" => [num::ex2(n, x); 4],
        "SIN" => [num::sin(n, x); 4],
        "COS" => [num::cos(n, x); 4],
        _ => return None,
    })
}
