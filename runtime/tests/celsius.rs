//! Every row of the Celsius and LT primitive vectors (`data/celsius_op_vectors.csv`) on the golden functions.

use xfjit_runtime::num::{self, Model, Numerics, Rules, convert, lt, lts};

const CELSIUS: Numerics = Numerics { model: Model::Hw, rules: Rules::Celsius };

fn run(op: &str, [a, b, c, d]: [u32; 4]) -> u32 {
    match op {
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
        other => panic!("unknown operation {other}"),
    }
}

/// A hexadecimal word; an operand that the operation has not is empty.
fn word(text: &str) -> u32 {
    if text.is_empty() { 0 } else { u32::from_str_radix(text, 16).expect("a hexadecimal word") }
}

#[test]
fn celsius_vectors_pass() {
    let rows: Vec<&str> = include_str!("data/celsius_op_vectors.csv").lines().skip(1).collect();
    let failures: Vec<String> = rows
        .iter()
        .filter_map(|row| {
            let fields: Vec<&str> = row.split(',').collect();
            let operands = [1, 2, 3, 4].map(|i| word(fields[i]));
            let got = run(fields[0], operands);
            (got != word(fields[5])).then(|| format!("{row}\n  got {got:08x}"))
        })
        .collect();
    let shown = failures.iter().take(20).map(String::as_str).collect::<Vec<_>>().join("\n");
    assert!(failures.is_empty(), "{} of {} rows fail:\n{shown}", failures.len(), rows.len());
    assert_eq!(rows.len(), 19 * 120, "the file has lost rows");
}
