//! `op,a,b,c,d,result`: one operation of the Celsius pipeline a line, unused operands empty.

use super::Source;
use crate::fail::Failure;
use crate::text::{self, Flaw, Line, Word};

/// One operation and its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CelsiusOp {
    /// Where it stands in the file.
    pub line: usize,
    /// Name of the operation, for example `lt_mul`.
    pub op: String,
    /// Operands; None where the operation has no more.
    pub operands: [Option<u32>; 4],
    /// What the hardware model computes.
    pub result: u32,
}

/// The cases of a file.
#[derive(Debug)]
pub struct CelsiusOps(Source);

impl CelsiusOps {
    pub(super) fn new(mut source: Source) -> CelsiusOps {
        source.line(); // the names of the columns
        CelsiusOps(source)
    }

    /// The name of the file.
    pub fn name(&self) -> &str {
        self.0.name()
    }
}

impl Iterator for CelsiusOps {
    type Item = Result<CelsiusOp, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        let result = parse(self.0.line()?);
        Some(result.map_err(|flaw| {
            self.0.stop();
            self.0.fail(flaw)
        }))
    }
}

fn parse(line: Line<'_>) -> Result<CelsiusOp, Flaw> {
    let mut start = 0;
    let cells: Vec<Word<'_>> = line
        .text
        .split(',')
        .map(|text| {
            let cell = Word { line, start, text };
            start += text.len() + 1;
            cell
        })
        .collect();
    let [op, a, b, c, d, result] = &cells[..] else {
        let message = format!("needs 6 cells, has {}: is the file cut short?", cells.len());
        return Err(Flaw::line(&line, message));
    };
    let operand = |cell: &Word<'_>| if cell.text.is_empty() { Ok(None) } else { text::hex(cell).map(Some) };
    Ok(CelsiusOp {
        line: line.number,
        op: op.text.to_string(),
        operands: [operand(a)?, operand(b)?, operand(c)?, operand(d)?],
        result: text::hex(result)?,
    })
}
