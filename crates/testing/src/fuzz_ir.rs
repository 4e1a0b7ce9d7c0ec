//! The body of the fuzz target for functions in their text form: what the verifier accepts can be optimised, legalised,
//! compiled and run.

use crate::backend::to_host;
use crate::ir::func::{Func, Level};
use crate::ir::{eval, parse};
use crate::machine::Machine;

/// Any text is a function or an error that points into it; what is a function prints and reads back, passes the verifier
/// after every pass (in debug builds), and is evaluated and compiled without a panic. Its machine code is checked again,
/// and runs on a small batch. Returns the functions.
///
/// # Panics
/// If something does not hold.
pub fn fuzz_ir(bytes: &[u8]) -> u64 {
    let text = String::from_utf8_lossy(bytes);
    let func = match parse::parse(&text) {
        Ok(func) => func,
        Err(error) => {
            assert!(error.line <= text.lines().count().max(1), "{error}");
            return 0;
        }
    };
    let printed = func.to_string();
    let again = parse::parse(&printed).unwrap_or_else(|error| panic!("{error}\n{printed}"));
    assert_eq!(again.to_string(), printed);
    let func = match func.level {
        Level::Xf => to_host(func, &Machine::HOST),
        Level::Host => func,
    };
    // A loop need not end.
    let ends = func
        .blocks()
        .into_iter()
        .enumerate()
        .all(|(number, block)| block.successors.into_iter().all(|successor| successor > number));
    if ends {
        let context = xfjit_runtime::state::Context::new(usize::from(func.window.end));
        eval::run(&func, context.rows(), |register| [register as u32 * 0x0123_4567; 4]);
    }
    native(&func, bytes.len(), ends);
    1
}

#[cfg(not(feature = "jit"))]
fn native(_: &Func, _: usize, _: bool) {}

/// Both register allocators of Cranelift take turns, and both layouts. Code for wide vectors is made of the same functions.
#[cfg(feature = "jit")]
fn native(func: &Func, turn: usize, ends: bool) {
    use crate::backend::CompileError;
    use crate::native::{Budget, Compiler, Target};
    use xfjit_runtime::batch::Layout;
    let Ok(target) = Target::host() else { return };
    let budget = Budget { thorough: [0, usize::MAX][turn % 2], ..Budget::default() };
    let layout = [Layout::Rows, Layout::Planes][turn / 2 % 2];
    match Compiler::new(target).budget(budget).checked(true).compile(func, layout) {
        Ok(compiled) if ends => run(func, &compiled, layout),
        Ok(_) | Err(CompileError::TooLarge(_)) => {}
        Err(error) => panic!("{error}\n{func}"),
    }
    #[cfg(all(feature = "jit", any(target_arch = "x86_64", target_arch = "aarch64")))]
    for width in super::check::widths() {
        match crate::native::emitter::compile(func, layout, width) {
            Ok(compiled) if ends => run(func, &compiled, layout),
            Ok(_) | Err(CompileError::TooLarge(_)) => {}
            Err(error) => panic!("{}: {error}\n{func}", width.name()),
        }
    }
}

/// What lies around and between the outputs stays as it is.
#[cfg(feature = "jit")]
fn run(func: &Func, compiled: &crate::native::Compiled, layout: xfjit_runtime::batch::Layout) {
    use crate::ir::ops::Op;
    use xfjit_runtime::batch::{Attribute, Inputs, Layout, Outputs, Place};
    use xfjit_runtime::bound::Bound;
    use xfjit_runtime::fpenv::FpGuard;
    use xfjit_runtime::state::{ATTRIBUTES, Context, OUTPUTS, Row, Scratch};
    const UNTOUCHED: u8 = 0x5a;
    let lanes = compiled.lanes();
    let fewest = compiled.call().fewest;
    let count = fewest + func.insts.len() % (2 * lanes);
    // Bytes for an output, of which a part is not its own.
    let share = 16 * count + 48;
    let rows: Vec<Row> = (0..count as u32)
        .map(|vertex| [0, 1, 2, 3].map(|c| (vertex * 4 + c).wrapping_mul(0x0811_1111)))
        .collect();
    let mut inputs = Inputs::new(count);
    for register in 0..ATTRIBUTES {
        if let Attribute::Stream { data, stride, .. } = Attribute::rows(&rows) {
            inputs = inputs.formatted(register, data, stride, func.inputs.format(register));
        }
    }
    let stride = if layout == Layout::Rows { 16 } else { 4 * count };
    let mut data = vec![UNTOUCHED; OUTPUTS * share + 32];
    let places = std::array::from_fn(|register| Some(Place { offset: 32 + register * share, stride }));
    let outputs = Outputs::new(&mut data, layout, places);
    let live_outputs = func.live_outputs();
    let mut context = Context::new(usize::from(func.window.end));
    {
        let mut scratch = Scratch::new();
        let mut bound =
            Bound::new(&compiled.needs(), &inputs, &outputs).expect("the streams are long enough");
        let mut streams =
            bound.streams(&mut scratch, compiled.call()).expect("the attributes are read where they are");
        let _env = FpGuard::enter(func.env());
        let mut next = 0;
        while next < count && count - next >= fewest {
            // A guarded group is left out; if all are, the status is above them.
            let status = compiled.run(&mut context.constants(), &mut streams, next..count);
            next = status.saturating_add(lanes as u64) as usize;
        }
    }
    let is_own = |at: usize| {
        let (register, rest) = ((at.saturating_sub(32)) / share, at.saturating_sub(32) % share);
        at >= 32 && register < OUTPUTS && live_outputs >> register & 1 != 0 && rest < 16 * count
    };
    for (at, &byte) in data.iter().enumerate() {
        assert!(byte == UNTOUCHED || is_own(at), "byte {at} has been written\n{func}");
    }
    if !func.body.iter().any(|&value| func.inst(value).op == Op::Store) {
        assert!(context == Context::new(usize::from(func.window.end)), "constants have been written\n{func}");
    }
}
