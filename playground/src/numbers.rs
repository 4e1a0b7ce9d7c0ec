//! One operation of two or three numbers under every arithmetic: the chips', `ieee`, and what the presets of emulators have.

use crate::{float, steps};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::LazyLock;
use xfjit::config::{Arithmetic, Library};
use xfjit::emulators::Emulator;
use xfjit::interp::{scalar_operation, vector_operation};
use xfjit::isa::{ScaOp, VecOp};
use xfjit::runtime::num::bits::ONE;
use xfjit::runtime::num::{self, Model, Numerics, Rules};
use xfjit::runtime::state::Row;
use xfjit::{Config, Generation};

/// Two numbers, a third for the functions that take three, and what is shown of them.
#[derive(Deserialize)]
pub struct Asked {
    a: String,
    b: String,
    #[serde(default)]
    c: String,
    /// The name of a function.
    function: String,
    /// The arithmetic whose steps are shown, and which all others are compared with: the name of a chip's rules, or that of another
    /// arithmetic ([`identities`]).
    rules: String,
}

/// What is computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Function {
    /// A product.
    Mul,
    /// A sum of two.
    Add,
    /// A product and a sum.
    Mad,
    /// A sum of three at once, by a dot product with ones.
    Sum,
    /// A reciprocal.
    Rcp,
    /// The reciprocal of a root.
    Rsq,
    /// Powers of two.
    Exp,
    /// Logarithms.
    Log,
    /// Coefficients of lighting.
    Lit,
}

use Function::{Add, Exp, Lit, Log, Mad, Mul, Rcp, Rsq, Sum};

impl Function {
    /// Every one.
    pub const ALL: [Function; 9] = [Mul, Add, Mad, Sum, Rcp, Rsq, Exp, Log, Lit];

    /// Name, what it computes, how many of the numbers it takes, and the components of its result.
    pub const fn described(self) -> (&'static str, &'static str, usize, &'static [&'static str]) {
        match self {
            Mul => ("MUL", "A × B", 2, &[""]),
            Add => ("ADD", "A + B", 2, &[""]),
            Mad => ("MAD", "A × B + C", 3, &[""]),
            Sum => ("DP3", "A + B + C at once: a dot product with (1, 1, 1)", 3, &[""]),
            Rcp => ("RCP", "1 / A", 1, &[""]),
            Rsq => ("RSQ", "1 / √|A|", 1, &[""]),
            Exp => (
                "EXP",
                "x: 2 to the power of floor(A); y: the fraction of A; z: about 2 to the power of A",
                1,
                &["x", "y", "z"],
            ),
            Log => (
                "LOG",
                "of |A|, x: the exponent; y: the significand; z: about the logarithm to base 2",
                1,
                &["x", "y", "z"],
            ),
            Lit => (
                "LIT",
                "of (x = A, y = B, w = C), y: A or 0; z: about B to the power of C, or 0",
                3,
                &["y", "z"],
            ),
        }
    }

    /// Of a name.
    fn from_name(name: &str) -> Option<Function> {
        Function::ALL.into_iter().find(|function| function.described().0 == name)
    }

    /// The components of the result, from a register.
    fn picked(self, [x, y, z, _]: Row) -> Vec<u32> {
        match self {
            Mul | Add | Mad | Sum | Rcp | Rsq => vec![x],
            Exp | Log => vec![x, y, z],
            Lit => vec![y, z],
        }
    }

    /// Whether emulators call a library for it.
    const fn is_in_libraries(self) -> bool {
        matches!(self, Exp | Log | Lit)
    }
}

/// The functions, as the page has them.
pub fn functions() -> Value {
    let one = |function: Function| {
        let (name, what, operands, components) = function.described();
        json!({ "name": name, "what": what, "operands": operands, "components": components })
    };
    Function::ALL.into_iter().map(one).collect()
}

/// Who computes.
enum Who {
    /// Celsius, which has no programs: its primitives.
    Celsius,
    /// A program's operation.
    Programs(Box<Config>),
}

/// An arithmetic: who computes, and what the page says of it.
struct Arithmetics {
    name: String,
    what: String,
    kind: &'static str,
    /// What nothing else is called: a chip's is the name of its rules.
    id: String,
    who: Who,
}

impl Arithmetics {
    /// The way to a result.
    fn steps(&self, function: Function, bits: [u32; 3], computed: &[u32]) -> Vec<steps::Part> {
        match &self.who {
            Who::Celsius => steps::of(function, Rules::Celsius, bits),
            Who::Programs(config) => match config.model {
                Model::Hw => steps::of(function, config.numerics().rules, bits),
                Model::Ieee => steps::floats::of(function, config, bits, computed),
            },
        }
    }
}

/// Every arithmetic that has a function.
fn arithmetics(function: Function) -> Vec<Arithmetics> {
    let mut all = Vec::new();
    for (rules, what) in [
        (Rules::Celsius, "GeForce 1 and 2"),
        (Rules::Kelvin, "GeForce 3 and 4, Xbox"),
        (Rules::RankineLegacy, "GeForce 5 to 7, PlayStation 3: legacy rules"),
        (Rules::RankineModern, "GeForce 5 to 7, PlayStation 3: modern rules"),
    ] {
        for (model, kind) in [(Model::Hw, "chip"), (Model::Ieee, "ieee")] {
            let who = match rules {
                Rules::Celsius if model == Model::Ieee => continue,
                Rules::Celsius if function.is_in_libraries() => continue,
                Rules::Celsius => Who::Celsius,
                Rules::Kelvin => Who::Programs(Box::new(Config::new(Generation::Kelvin).model(model))),
                Rules::RankineLegacy | Rules::RankineModern => {
                    let mut config = Config::new(Generation::Rankine).model(model);
                    config.arithmetic =
                        if rules == Rules::RankineLegacy { Arithmetic::Legacy } else { Arithmetic::Modern };
                    Who::Programs(Box::new(config))
                }
            };
            let name = format!("{} {}", model.name(), rules.name().replace('_', " "));
            let id = if model == Model::Hw { rules.name().to_owned() } else { name.clone() };
            all.push(Arithmetics { name, what: what.to_owned(), kind, id, who });
        }
    }
    // The chips first.
    all.sort_by_key(|one| one.kind != "chip");
    for emulator in Emulator::ALL {
        for &generation in emulator.generations() {
            let Ok(config) = Config::like(emulator, generation) else { continue };
            let name = format!("{} {}", emulator.name(), generation.name());
            let one = |what: &str, config: Config| Arithmetics {
                name: name.clone(),
                what: what.to_owned(),
                kind: "preset",
                id: if config.heard().library == Library::Chip {
                    name.clone()
                } else {
                    format!("{name} library")
                },
                who: Who::Programs(Box::new(config)),
            };
            if function.is_in_libraries() && emulator.library() != Library::Chip {
                let with = config.clone().with(|config| config.forms.library = emulator.library());
                all.push(one("preset with the emulator's C library", with));
                all.push(one("preset with the chip's tables", config));
            } else {
                all.push(one("preset", config));
            }
        }
    }
    all
}

/// Every arithmetic of any function by what nothing else is called.
pub fn identities() -> &'static BTreeSet<String> {
    static ALL: LazyLock<BTreeSet<String>> =
        LazyLock::new(|| Function::ALL.into_iter().flat_map(arithmetics).map(|one| one.id).collect());
    &ALL
}

/// The result of an arithmetic for three numbers.
fn computed(who: &Who, function: Function, [a, b, c]: [u32; 3]) -> Vec<u32> {
    let config = match who {
        Who::Celsius => return vec![celsius(function, [a, b, c])],
        Who::Programs(config) => config,
    };
    let all = |bits: u32| [bits; 4];
    let row = match function {
        Mul => vector_operation(config, VecOp::Mul, &[all(a), all(b), all(c)]),
        Add => vector_operation(config, VecOp::Add, &[all(a), all(c), all(b)]),
        Mad => vector_operation(config, VecOp::Mad, &[all(a), all(b), all(c)]),
        Sum => vector_operation(config, VecOp::Dp3, &[[a, b, c, 0], all(ONE), all(0)]),
        Rcp => scalar_operation(config, ScaOp::Rcp, &[all(0), all(0), all(a)]),
        Rsq => scalar_operation(config, ScaOp::Rsq, &[all(0), all(0), all(a)]),
        Exp => scalar_operation(config, ScaOp::Exp, &[all(0), all(0), all(a)]),
        Log => scalar_operation(config, ScaOp::Log, &[all(0), all(0), all(a)]),
        Lit => scalar_operation(config, ScaOp::Lit, &[all(0), all(0), [a, b, 0, c]]),
    };
    function.picked(row.unwrap_or_default())
}

/// Celsius' primitives, which serve its fixed function; those of programs are no part of it.
fn celsius(function: Function, [a, b, c]: [u32; 3]) -> u32 {
    let n = Numerics { model: Model::Hw, rules: Rules::Celsius };
    match function {
        Mul => num::mul(n, a, b),
        Add => num::sum2(n, a, b),
        Mad => num::sum2(n, num::mul(n, a, b), c),
        Sum => num::sum3(n, num::mul(n, a, ONE), num::mul(n, b, ONE), num::mul(n, c, ONE)),
        Rcp => num::rcp(n, a),
        Rsq => num::rsq(n, a),
        Exp | Log | Lit => 0,
    }
}

/// The numbers, the table, and the steps of one chip.
pub fn answer(asked: &Asked) -> Value {
    table(asked).unwrap_or_else(|error| json!({ "error": error }))
}

fn table(asked: &Asked) -> Result<Value, String> {
    let unknown = |what: &str, name: &str| format!("there is no {what} {name:?}");
    let function =
        Function::from_name(&asked.function).ok_or_else(|| unknown("function", &asked.function))?;
    if !identities().contains(&asked.rules) {
        return Err(unknown("arithmetic", &asked.rules));
    }
    let (_, _, operands, components) = function.described();
    let mut bits = [0; 3];
    for ((to, text), name) in
        bits.iter_mut().zip([&asked.a, &asked.b, &asked.c]).zip(["A", "B", "C"]).take(operands)
    {
        *to = float::parse(text).map_err(|flaw| format!("{name}: {flaw}"))?;
    }
    let all = arithmetics(function);
    let results: Vec<Vec<u32>> = all.iter().map(|one| computed(&one.who, function, bits)).collect();
    // Celsius has not all functions, and few have a library: the first chip is compared with instead.
    let against = all.iter().position(|one| one.id == asked.rules).unwrap_or(0);
    let table: Vec<Value> = all
        .iter()
        .zip(&results)
        .map(|(one, result)| {
            let cells =
                result.iter().zip(components).zip(&results[against]).map(|((&bits, component), &chip)| {
                    json!({
                        "component": component, "bits": float::hex(bits), "text": float::text(bits),
                        "differs": float::hex(bits ^ chip),
                    })
                });
            json!({
                "name": one.name, "what": one.what, "kind": one.kind, "rules": one.id,
                "results": cells.collect::<Vec<_>>(),
            })
        })
        .collect();
    let parts = all[against].steps(function, bits, &results[against]);
    Ok(json!({
        "operands": bits[..operands].iter().map(|&bits| json!({ "bits": float::hex(bits), "text": float::text(bits) })).collect::<Vec<_>>(),
        "against": against, "table": table,
        "steps": parts.iter().map(steps::Part::shown).collect::<Vec<_>>(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_end_at_what_is_computed() {
        let spicy = [
            0u32,
            0x8000_0000,
            1,
            0x807f_ffff,
            0x0080_0000,
            0x3f80_0000,
            0xbf80_0000,
            0x3f80_0001,
            0x40490fdb,
            0x7f7f_ffff,
            0xff7f_ffff,
            0x7f80_0000,
            0xff80_0000,
            0x7fff_ffff,
            0xffc0_0001,
            0xb380_0000,
            0xb400_0000,
            0x3300_0000,
            0x4b00_0001,
            0x42fe_0000,
            0xc2fc_0001,
            0x4080_0000,
            0x3e80_0000,
            0x4000_0000,
            0x1f80_0000,
            0x5f80_0000,
            0x3f7f_ffff,
            0x4300_0000,
        ];
        let mut state = 0x1234_5678u32;
        let mut random = || {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            state
        };
        let mut cases: Vec<[u32; 3]> =
            spicy.iter().flat_map(|&a| spicy.map(|b| [a, b, 0x3f80_0000])).collect();
        cases.extend(spicy.iter().flat_map(|&a| spicy.map(|b| [0x3f80_0000, a, b])));
        for _ in 0..2_000 {
            // Exponents near each other, so that sums meet.
            let near = |bits: u32| bits & 0x807f_ffff | (110 + (bits >> 23) % 40) << 23;
            let three = [random(), random(), random()];
            cases.push(three);
            cases.push(three.map(near));
            cases.push([three[0] & !0xff, spicy[three[1] as usize % spicy.len()], near(three[2])]);
        }
        for function in Function::ALL {
            for one in arithmetics(function) {
                for &bits in &cases {
                    let result = computed(&one.who, function, bits);
                    let parts = one.steps(function, bits, &result);
                    let ends: Vec<u32> = parts.iter().map(|part| part.result).collect();
                    assert_eq!(ends, result, "{function:?} {} {bits:08x?}", one.name);
                    assert!(parts.iter().all(|part| !part.steps.is_empty()));
                }
            }
        }
    }

    #[test]
    fn each_arithmetic_is_called_what_no_other_is() {
        for function in Function::ALL {
            let ids: Vec<String> = arithmetics(function).into_iter().map(|one| one.id).collect();
            assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "{ids:?}");
        }
    }

    #[test]
    fn every_arithmetic_is_in_the_table() {
        let asked = |function: &str| Asked {
            a: "1.5".to_owned(),
            b: "0x40490fdb".to_owned(),
            c: "2".to_owned(),
            function: function.to_owned(),
            rules: "kelvin".to_owned(),
        };
        let rows = |function: &str| table(&asked(function)).unwrap()["table"].as_array().unwrap().len();
        assert_eq!([rows("MUL"), rows("EXP")], [4 + 3 + 8, 3 + 3 + 8 + 5]);
        assert!(table(&asked("NOP")).is_err());
        assert!(table(&Asked { b: "x".to_owned(), ..asked("ADD") }).unwrap_err().starts_with("B: "));
        assert!(table(&Asked { b: "x".to_owned(), ..asked("RCP") }).is_ok());
    }
}
