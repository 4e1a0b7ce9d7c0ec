//! `op,a,b,c,d,result`: one operation of the Celsius pipeline a line, unused operands empty.

use super::lines::{FileFlaw, Source};
use crate::text::{self, Flaw, Line, Word};
use xfjit_runtime::num::{self, Model, Numerics, Rules, convert, lt, lts};

const CELSIUS: Numerics = Numerics { model: Model::Hw, rules: Rules::Celsius };

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

impl CelsiusOp {
    /// What the golden functions make of it; `None` of an operation that they do not know.
    pub fn golden(&self) -> Option<u32> {
        let [a, b, c, d] = self.operands.map(Option::unwrap_or_default);
        Some(match &self.op[..] {
            "xf_mul_nv10" => num::mul(CELSIUS, a, b),
            "xf_add_v1" => num::sum2(CELSIUS, a, b),
            "xf_sum3_v1" => num::sum3(CELSIUS, a, b, c),
            "xf_sum4_v1" => num::sum4(CELSIUS, a, b, c, d),
            "xf_rcp_lut1" => num::rcp(CELSIUS, a),
            "xf_rcc_lut1" => num::rcc(CELSIUS, a),
            "xf_rsq_v1_abs" => num::rsq(CELSIUS, a),
            "lt_mul" => lt::mul(a, b),
            "lt_add" => lt::add(a, b),
            "lt_add3" => lt::add3(a, b, c),
            "lt_rcp" => lt::rcp(a),
            "lt_rsqrt" => lt::rsqrt(a),
            "lts_mul" => lts::mul(a, b),
            "lts_add" => lts::add(a, b),
            "xf2lt" => convert::xf_to_lt(a),
            "ltc_load" => convert::ltc_load(a),
            "color_to_u8" => u32::from(convert::colour_to_u8(a)),
            "squash" => convert::squash(a),
            "squash_xy" => convert::window_coordinate(a),
            _ => return None,
        })
    }
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
    type Item = Result<CelsiusOp, FileFlaw>;

    fn next(&mut self) -> Option<Self::Item> {
        let case = parse(self.0.line()?);
        self.0.item(case.map(Some))
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
