//! What `.ci/proofs` reads of recipes: their operations as text, what processors make of machine operations, and what becomes of operands
//! that the solver has found.
//!
//! ```text
//! proofs recipes          each recipe: a line "@ FINGERPRINT NAME", then its operations
//! proofs machine ROWS     machine operations: "ENV OP IMM A B C EVALUATOR CODE.."
//! proofs check            reads rows "OP MODEL RULES SHAPE A B C D"; what the golden function, recipes and machine codes make of each
//! ```

use std::io::{self, BufRead, Write};
use std::process::ExitCode;
use xfjit_ir::ir::Op;
use xfjit_ir::ir::ops::{At, Imm, Kind};
use xfjit_runtime::state::Row;
use xfjit_testing::operand::{self, Temper};
use xfjit_testing::proofs::{self, Example};
use xfjit_testing::recipe::Recipe;
use xfjit_testing::{Choices, native_models};

/// Rows of one batch of a machine code: whole groups.
const GROUP: usize = 16;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut out = io::stdout().lock();
    let done = match *words {
        ["recipes"] => recipes(&mut out),
        ["machine", rows] => machine_rows(&mut out, number(rows).next_multiple_of(GROUP)),
        ["check"] => check(&mut out, io::stdin().lock()),
        _ => {
            eprintln!("usage: proofs recipes | machine ROWS | check");
            return ExitCode::from(2);
        }
    };
    done.map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS)
}

fn number(text: &str) -> usize {
    text.parse().expect("a number of rows")
}

fn hex(words: &[u32]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("{word:08x}")).collect();
    words.join(" ")
}

fn recipes(out: &mut impl Write) -> io::Result<()> {
    for entry in proofs::recipes() {
        write!(out, "@ {:016x} {}\n{}", entry.fingerprint(), entry.name(), entry.func)?;
    }
    Ok(())
}

fn rows(seed: u64, count: usize) -> Vec<Row> {
    let mut choices = Choices::seed(seed);
    let temper = |i| if i % 2 == 0 { Temper::Wild } else { Temper::Ordinary };
    (0..count).map(|i| operand::row(&mut choices, temper(i))).collect()
}

fn machine_rows(out: &mut impl Write, count: usize) -> io::Result<()> {
    // Not every machine has these.
    let special = |op: Op| matches!(op, Op::Fma | Op::Fmaxmag | Op::Fminmag);
    let pure = |op: &&Op| matches!(op.kind(), Kind::Pure(_)) && op.at() != At::Xf && !special(**op);
    for &model in native_models() {
        for &op in Op::ALL.iter().filter(pure) {
            let immediates: &[u32] = if op.imm() == Imm::Shift { &[1, 13, 23, 31] } else { &[0] };
            for &imm in immediates {
                let mut recipe = Recipe::of_machine(op, imm, model);
                let rows = rows(op as u64, count);
                let mut columns = vec![recipe.evaluated(&rows)];
                for code in 0..recipe.codes().len() {
                    let mut results = vec![0; 4 * count];
                    recipe.run(code, &rows, &mut results, &mut Vec::new());
                    columns.push(results);
                }
                for (i, row) in rows.iter().enumerate() {
                    let results: Vec<u32> = columns.iter().map(|column| column[i]).collect();
                    writeln!(
                        out,
                        "{} {} {imm} {} {}",
                        model.name(),
                        op.text(),
                        hex(&row[..3]),
                        hex(&results)
                    )?;
                }
            }
        }
    }
    Ok(())
}

fn check(out: &mut impl Write, input: impl BufRead) -> io::Result<()> {
    for line in input.lines() {
        let line = line?;
        match Example::parse(&line) {
            Ok(example) => writeln!(out, "{line}: {}", example.report())?,
            Err(message) => writeln!(out, "{line}: {message}")?,
        }
    }
    Ok(())
}
