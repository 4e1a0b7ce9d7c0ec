//! The golden functions, on arrays.

use crate::arrays::{self, Array};
use crate::error::error;
use crate::names;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use xfjit::runtime::fpenv::FpEnv;
use xfjit::runtime::num::{self, Numerics, bits, convert, lt, lts};

/// A word of an array, which need not be aligned.
type Word = [u8; 4];

/// A function of words.
struct Operation {
    /// What it is called.
    name: &'static str,
    operands: usize,
    run: fn(Numerics, &[&[Word]], &mut [Word]),
}

/// The table: name, operands, the function.
macro_rules! operations { ($($name:literal [$($operand:ident)+] $n:ident $value:expr;)*) => {
    /// Every operation.
    const ALL: &[Operation] = &[$(Operation {
        name: $name,
        operands: [$(stringify!($operand)),+].len(),
        run: |$n, operands, results| {
            let _ = $n;
            let mut operands = operands.iter();
            $(let $operand = operands.next().copied().unwrap_or_default();)+
            for (at, result) in results.iter_mut().enumerate() {
                $(let $operand = u32::from_ne_bytes($operand[at]);)+
                let value: u32 = $value;
                *result = value.to_ne_bytes();
            }
        },
    }),*];
} }

operations! {
    "mul" [a b] n num::mul(n, a, b);
    "add" [a b] n num::sum2(n, a, b);
    "sum3" [a b c] n num::sum3(n, a, b, c);
    "sum4" [a b c d] n num::sum4(n, a, b, c, d);
    "mad" [a b c] n num::sum2(n, num::mul(n, a, b), c);
    "dp3" [ax ay az bx by bz] n
        num::sum3(n, num::mul(n, ax, bx), num::mul(n, ay, by), num::mul(n, az, bz));
    "dph" [ax ay az bx by bz bw] n
        num::sum4(n, num::mul(n, ax, bx), num::mul(n, ay, by), num::mul(n, az, bz), num::mul(n, bits::ONE, bw));
    "dp4" [ax ay az aw bx by bz bw] n
        num::sum4(n, num::mul(n, ax, bx), num::mul(n, ay, by), num::mul(n, az, bz), num::mul(n, aw, bw));
    "min" [a b] n num::min(n, a, b);
    "max" [a b] n num::max(n, a, b);
    "slt" [a b] n num::slt(n, a, b);
    "sge" [a b] n num::sge(n, a, b);
    "seq" [a b] n num::seq(n, a, b);
    "sgt" [a b] n num::sgt(n, a, b);
    "sle" [a b] n num::sle(n, a, b);
    "sne" [a b] n num::sne(n, a, b);
    "ssg" [a] n num::ssg(n, a);
    "flr" [a] n num::flr(n, a);
    "frc" [a] n num::frc(n, a);
    "rcp" [a] n num::rcp(n, a);
    "rcc" [a] n num::rcc(n, a);
    "rsq" [a] n num::rsq(n, a);
    "exp_x" [a] n num::exp_x(n, a);
    "exp_y" [a] n num::exp_y(n, a);
    "exp_z" [a] n num::exp_z(n, a);
    "log_x" [a] n num::log_x(n, a);
    "log_y" [a] n num::log_y(n, a);
    "log_z" [a] n num::log_z(n, a);
    "lit_y" [x] n num::lit_y(n, x);
    "lit_z" [x y w] n num::lit_z(n, x, y, w);
    "lg2" [a] n num::lg2(n, a);
    "ex2" [a] n num::ex2(n, a);
    "sin" [a] n num::sin(n, a);
    "cos" [a] n num::cos(n, a);
    "saturate" [a] n num::saturate(n, a);
    "arl" [a] n num::arl(n, a).cast_unsigned();
    "arr" [a] n num::arr(n, a).cast_unsigned();
    "lt_mul" [a b] n lt::mul(a, b);
    "lt_add" [a b] n lt::add(a, b);
    "lt_add3" [a b c] n lt::add3(a, b, c);
    "lt_dp" [ax ay az bx by bz] n lt::dp([ax, ay, az], [bx, by, bz]);
    "lt_rcp" [a] n lt::rcp(a);
    "lt_rsqrt" [a] n lt::rsqrt(a);
    "lts_mul" [a b] n lts::mul(a, b);
    "lts_add" [a b] n lts::add(a, b);
    "lts_mac" [a b c] n lts::mac(a, b, c);
    "xf_to_lt" [a] n convert::xf_to_lt(a);
    "ltc_load" [a] n convert::ltc_load(a);
}

/// The operation, and the names of all.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let names = ALL.iter().map(|operation| operation.name);
    module.add("OPERATIONS", PyTuple::new(module.py(), names.collect::<Vec<_>>())?)?;
    module.add_function(wrap_pyfunction!(operation, module)?)
}

/// An operation on arrays of one shape, which are contiguous; the results as words.
#[pyfunction]
#[pyo3(signature = (name, operands, chip, model, arithmetic))]
fn operation<'py>(
    py: Python<'py>,
    name: &str,
    operands: &Bound<'py, PyTuple>,
    chip: &str,
    model: &str,
    arithmetic: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let n = names::numerics(chip, model, arithmetic)?;
    let found = ALL.iter().find(|operation| operation.name == name);
    let operation = found.ok_or_else(|| {
        let names: Vec<&str> = ALL.iter().map(|operation| operation.name).collect();
        error(format_args!("`{name}` is not an operation: {}", names.join(", ")))
    })?;
    let given = operands.len();
    if given != operation.operands {
        return Err(error(format_args!("{name} has {} operands, not {given}", operation.operands)));
    }
    let arrays = operands
        .iter()
        .map(|operand| Array::words(&format!("an operand of {name}"), &operand))
        .collect::<PyResult<Vec<_>>>()?;
    let shape = arrays.first().map(Array::shape).unwrap_or_default().to_vec();
    if arrays.iter().any(|array| array.shape() != shape) {
        return Err(error(format_args!("the operands of {name} must all have the same shape")));
    }
    let words = arrays.iter().map(Array::all).collect::<PyResult<Vec<_>>>()?;
    let words: Vec<&[Word]> = words.iter().map(|bytes| bytes.as_chunks().0).collect();
    let (result, mut memory) = arrays::empty(py, &shape)?;
    let (results, _) = memory.bytes_mut()?.as_chunks_mut();
    py.detach(|| FpEnv::Default.within(|| (operation.run)(n, &words, results)));
    drop(memory);
    Ok(result)
}
