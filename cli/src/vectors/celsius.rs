//! Single operations of the Celsius pipeline, on the golden functions.

use super::{Check, Difference};
use crate::fail::Failure;
use crate::text::{Flaw, Place};
use crate::vectors_file::{CelsiusOp, CelsiusOps};
use xfjit::Model;
use xfjit::runtime::num::{self, Numerics, Rules, convert, lt, lts};

const CELSIUS: Numerics = Numerics { model: Model::Hw, rules: Rules::Celsius };

/// Who executes: no backend is involved.
pub(super) const GOLDEN: &str = "golden";

pub(super) fn check(cases: CelsiusOps, check: &mut Check) -> Result<(), Failure> {
    let file = cases.name().to_owned();
    for case in cases {
        let case = case?;
        let Some(got) = evaluate(&case) else {
            let text = case.op.clone();
            let place =
                Place { line: case.line, column: 1, length: text.chars().count(), text: text.clone() };
            let flaw = Flaw { place: Some(place), ..Flaw::new(format!("`{text}` is not a known operation")) };
            return Err(Failure::input(file, flaw));
        };
        let failed = got != case.result;
        if failed {
            check.show(&Difference {
                file: &file,
                line: case.line,
                executor: GOLDEN,
                place: "result".to_owned(),
                expected: case.result,
                got,
                code: &format_args!(
                    "{} {:08x?}",
                    case.op,
                    case.operands.iter().flatten().collect::<Vec<_>>()
                ),
            });
        }
        let tally = check.tally(&file, GOLDEN);
        tally.cases += 1;
        tally.failed += u64::from(failed);
        check.case(failed);
    }
    Ok(())
}

fn evaluate(case: &CelsiusOp) -> Option<u32> {
    let [a, b, c, d] = case.operands.map(Option::unwrap_or_default);
    Some(match &case.op[..] {
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
