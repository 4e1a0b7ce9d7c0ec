//! What a program reads and nobody gave.

use crate::streams::{INPUTS, Vertices};
use std::collections::BTreeSet;
use xfjit::isa::{Bank, OutTarget, Program};

/// Names the attributes that no file gives and the rows of constants that are neither given nor written by the program
/// itself; what is reached by an index is not known. None if there is nothing to name.
pub fn missing(program: &Program, vertices: &Vertices, given: &[bool]) -> Option<String> {
    let mut attributes = BTreeSet::new();
    let mut rows = BTreeSet::new();
    for insn in &program.insns {
        let reads = |bank| insn.src.iter().any(|source| source.bank == bank);
        if reads(Bank::Input) && !insn.input_indexed {
            attributes.insert(usize::from(insn.input));
        }
        if reads(Bank::Constant) && !insn.indexed {
            rows.insert(usize::from(insn.constant));
        }
    }
    let written = program.insns.iter().filter_map(|insn| match insn.out?.target {
        OutTarget::Constant(row) => Some(usize::from(row)),
        OutTarget::Output(_) => None,
    });
    let written: BTreeSet<usize> = written.collect();
    attributes.retain(|&register| register < INPUTS && vertices.attributes[register].is_none());
    rows.retain(|row| !written.contains(row) && given.get(*row) == Some(&false));
    let attribute = |register| format!("v{register}");
    let row = |row| format!("c[{row}]");
    let value = match (attributes.is_empty(), rows.is_empty()) {
        (true, true) => return None,
        (false, true) => "0 0 0 1",
        (true, false) => "0 0 0 0",
        (false, false) => "0 0 0 1 and 0 0 0 0",
    };
    let names = [ranges(&attributes, attribute), ranges(&rows, row)].concat();
    let verb = if attributes.len() + rows.len() == 1 { "is" } else { "are" };
    Some(format!("{} {verb} read but not given, so the program reads {value}", names.join(", ")))
}

/// Names, neighbours together.
fn ranges(numbers: &BTreeSet<usize>, name: impl Fn(usize) -> String) -> Vec<String> {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for &number in numbers {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => ranges.push((number, number)),
        }
    }
    let text = |(first, last): (usize, usize)| match last - first {
        0 => name(first),
        1 => format!("{}, {}", name(first), name(last)),
        _ => format!("{} to {}", name(first), name(last)),
    };
    ranges.into_iter().map(text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::streams::Attribute;
    use xfjit::{Generation, asm};

    fn of(text: &str, attributes: &[usize], rows: &[usize]) -> Option<String> {
        let mut vertices = Vertices::default();
        attributes.iter().for_each(|&register| vertices.attributes[register] = Some(Attribute::default()));
        let mut given = [false; 192];
        rows.iter().for_each(|&row| given[row] = true);
        missing(&asm::parse(Generation::Kelvin, text).unwrap(), &vertices, &given)
    }

    #[test]
    fn what_is_read_and_not_given_is_named_once() {
        let text = "MUL r0, v0, c[0]\nMAD r1, v9, c[1], r0\nADD r0, r0, c[2]\nADD r0, r0, c[7]\nMAD oPos, v9, c[1], r0";
        assert_eq!(of(text, &[0, 9], &[0, 1, 2, 7]), None);
        assert_eq!(
            of(text, &[0], &[0, 1, 2, 7]).unwrap(),
            "v9 is read but not given, so the program reads 0 0 0 1"
        );
        assert_eq!(
            of(text, &[0, 9], &[1]).unwrap(),
            "c[0], c[2], c[7] are read but not given, so the program reads 0 0 0 0"
        );
        assert_eq!(
            of(text, &[], &[]).unwrap(),
            "v0, v9, c[0] to c[2], c[7] are read but not given, so the program reads 0 0 0 1 and 0 0 0 0"
        );
    }

    #[test]
    fn indices_and_rows_that_the_program_writes_are_left_out() {
        assert_eq!(of("ARL a0.x, v0.x\nMOV oPos, c[a0.x + 3]", &[0], &[]), None);
        assert_eq!(of("MOV c[5], v0\nMOV oPos, c[5]", &[0], &[]), None);
    }
}
