//! Every recipe of the legaliser: what `.ci/proofs` proves, and what the ledger of proofs must name (docs/PROOFS.md).
//!
//! A recipe is what a primitive becomes under some numerics, with operands of some [`Shape`], on a machine, on a path. Machines and
//! paths for which the same operations come out share an entry. Scheduling is left out: it only orders operations.

use crate::ir::func::Func;
use crate::ir::{Op, eval};
use crate::machine::Machine;
use crate::opt;
use crate::recipe::{Recipe, Shape, applies, golden, lowered, primitives};
use xfjit_ir::legalize::{self, Path};
use xfjit_runtime::num::{Model, Numerics, Rules};
use xfjit_runtime::state::Row;

/// The machines that recipes tell apart, by what they have: nothing special, fused products, and picking by magnitude as well.
pub const MACHINES: [(&str, Machine); 3] =
    [("plain", Machine::X86_64), ("fused", Machine::AARCH64), ("magnitudes", Machine::X86_64_V4)];

/// The paths of recipes by their names.
pub const PATHS: [(&str, Path); 2] = [("quick", Path::Quick), ("slow", Path::Slow)];

/// One recipe.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The primitive.
    pub op: Op,
    /// The arithmetic.
    pub numerics: Numerics,
    /// How its operands come about.
    pub shape: Shape,
    /// For which paths and machines it is: `quick.plain`.
    pub variants: Vec<String>,
    /// The operations, as the legaliser makes them.
    pub func: Func,
}

impl Entry {
    /// The name: primitive, model, rules, shape, and the paths and machines.
    pub fn name(&self) -> String {
        let Numerics { model, rules } = self.numerics;
        let (op, shape) = (self.op.text(), self.shape.name());
        format!("{op} {} {} {shape} {}", model.name(), rules.name(), self.variants.join("+"))
    }

    /// Changes whenever an operation of the recipe does (FNV-1a of its text).
    pub fn fingerprint(&self) -> u64 {
        fingerprint(&format!("{} {}\n{}", self.op.text(), self.shape.name(), self.func))
    }

    /// What the golden function makes of the operands.
    pub fn golden(&self, operands: Row) -> u32 {
        golden(self.op, self.numerics, self.shape, operands)
    }

    /// What the recipe makes of the operands; nothing if it raises a guard.
    pub fn evaluate(&self, operands: Row) -> Option<u32> {
        let outcome = eval::run(&self.func, &[], |_| operands);
        (!outcome.guarded).then_some(outcome.outputs[0][0])
    }
}

/// A hash that is the same on all machines and in all versions of the compiler.
pub fn fingerprint(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Every arithmetic.
pub fn numerics() -> impl Iterator<Item = Numerics> {
    Model::ALL.iter().flat_map(|&model| Rules::ALL.map(|rules| Numerics { model, rules }))
}

/// Every recipe, in the order of the table of operations.
pub fn recipes() -> Vec<Entry> {
    let mut all = Vec::new();
    for op in primitives() {
        for numerics in numerics().filter(|&numerics| applies(op, numerics)) {
            for shape in Shape::ALL.into_iter().filter(|shape| shape.applies(op, numerics.rules)) {
                all.extend(recipes_of(op, numerics, shape));
            }
        }
    }
    all
}

/// The recipes of a primitive, each with the machines and paths that share it.
pub fn recipes_of(op: Op, numerics: Numerics, shape: Shape) -> Vec<Entry> {
    let simple = opt::simplify(lowered(op, numerics, shape));
    let mut entries: Vec<Entry> = Vec::new();
    for (path_name, path) in PATHS {
        if path == Path::Slow && !legalize::has_slow_path(&simple) {
            continue;
        }
        for (machine_name, machine) in MACHINES {
            let func = legalize::run_within(&simple, &machine, path, usize::MAX);
            let func = opt::sweep(func.expect("without a limit nothing is over it"));
            let variant = format!("{path_name}.{machine_name}");
            match entries.iter_mut().find(|entry| entry.func.to_string() == func.to_string()) {
                Some(entry) => entry.variants.push(variant),
                None => entries.push(Entry { op, numerics, shape, variants: vec![variant], func }),
            }
        }
    }
    entries
}

/// Operands of a primitive on which a recipe was wrong once, or might be: a line `OP MODEL RULES SHAPE A B C D`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Example {
    op: Op,
    numerics: Numerics,
    shape: Shape,
    operands: Row,
}

impl Example {
    /// Reads a line.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(line: &str) -> Result<Self, String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [op, model, rules, shape, ref operands @ ..] = *words else {
            return Err("a line has a primitive, a model, rules, a shape and four operands".to_owned());
        };
        let bits = |word: &&str| u32::from_str_radix(word, 16).ok();
        let operands: Option<Vec<u32>> = operands.iter().map(bits).collect();
        let operands = operands.and_then(|operands| Row::try_from(operands).ok());
        Ok(Example {
            op: Op::from_text(op).ok_or_else(|| format!("there is no primitive {op}"))?,
            numerics: Numerics {
                model: Model::from_name(model).ok_or_else(|| format!("there is no model {model}"))?,
                rules: Rules::from_name(rules).ok_or_else(|| format!("there are no rules {rules}"))?,
            },
            shape: Shape::from_name(shape).ok_or_else(|| format!("there is no shape {shape}"))?,
            operands: operands.ok_or("operands are four words in hexadecimal digits")?,
        })
    }

    /// What each recipe and each machine code makes of the operands, with their names; nothing if a guard is raised.
    pub fn results(&self) -> Vec<(String, Option<u32>)> {
        let entries = recipes_of(self.op, self.numerics, self.shape);
        let mut results: Vec<(String, Option<u32>)> =
            entries.iter().map(|entry| (entry.variants.join("+"), entry.evaluate(self.operands))).collect();
        for (path_name, path) in PATHS {
            let Some(mut recipe) = Recipe::on(path, self.op, self.numerics, self.shape) else { continue };
            for (code, name) in recipe.codes().into_iter().enumerate() {
                // A whole group of any machine.
                let (rows, mut words, mut guarded) = ([self.operands; 16], [0; 64], Vec::new());
                recipe.run(code, &rows, &mut words, &mut guarded);
                results.push((format!("{path_name}.{name}"), guarded.is_empty().then_some(words[0])));
            }
        }
        results
    }

    /// The operands.
    pub fn operands(&self) -> Row {
        self.operands
    }

    /// What the golden function makes of them.
    pub fn golden(&self) -> u32 {
        golden(self.op, self.numerics, self.shape, self.operands)
    }

    /// The results that are not the golden one, as a text; nothing if all are right.
    pub fn wrong(&self) -> Option<String> {
        let want = self.golden();
        let results = self.results();
        let wrong = results.iter().filter(|(_, got)| got.is_some_and(|got| got != want));
        let wrong: Vec<String> =
            wrong.map(|(name, got)| format!("{name} {:08x}", got.unwrap_or_default())).collect();
        (!wrong.is_empty()).then(|| format!("expected {want:08x}, got {}", wrong.join(", ")))
    }

    /// Everything in one line.
    pub fn report(&self) -> String {
        let results = self.results().into_iter().map(|(name, got)| match got {
            Some(got) => format!("{name} {got:08x}"),
            None => format!("{name} guard"),
        });
        format!("golden {:08x}, {}", self.golden(), results.collect::<Vec<_>>().join(", "))
    }
}
