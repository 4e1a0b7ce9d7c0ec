//! Value numbering: equal instructions become one; constants are folded.

use crate::ir::build::Builder;
use crate::ir::func::{Func, Inst, Value};

/// Rebuilds the function through a sharing [`Builder`].
pub fn run(func: Func) -> Func {
    let mut builder = Builder::sharing(func.like(func.level), func.is_serial());
    builder.reserve(func.insts.len());
    let mut new = vec![Value::NONE; func.insts.len()];
    for value in func.order() {
        let inst = func.inst(value);
        let args = inst.args.map(|arg| if arg == Value::NONE { arg } else { new[arg.index()] });
        builder.set_origin(func.origin(value));
        new[value.index()] = builder.push(Inst { args, ..*inst });
    }
    builder.finish()
}
