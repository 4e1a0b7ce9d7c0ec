//! The encodings of which machine code is made.

use crate::ir::func::Func;
use std::collections::BTreeSet;
use xfjit_runtime::batch::Layout;

/// The table's name.
pub(super) const TABLE: &str = "encodings of x86-64";

/// All encodings that code may have; none in a build that makes no such code.
#[cfg(not(all(feature = "jit", target_arch = "x86_64")))]
pub(super) fn rows() -> impl Iterator<Item = String> {
    std::iter::empty()
}

/// The encodings in the code of a function.
#[cfg(not(all(feature = "jit", target_arch = "x86_64")))]
pub(super) fn reached(_: &Func, _: Layout) -> BTreeSet<String> {
    BTreeSet::new()
}

/// All encodings that code may have.
#[cfg(all(feature = "jit", target_arch = "x86_64"))]
pub(super) fn rows() -> impl Iterator<Item = String> {
    crate::native::x64::codes().map(|code| format!("{code:?}"))
}

/// The encodings in the code of a function: for each width; of one of the XF level by the quick path and by the slow one.
#[cfg(all(feature = "jit", target_arch = "x86_64"))]
pub(super) fn reached(func: &Func, layout: Layout) -> BTreeSet<String> {
    use crate::ir::func::Level;
    use crate::native::x64::{self, Width};
    use xfjit_ir::legalize::{self, Path};
    let mut reached = BTreeSet::new();
    for &width in Width::ALL {
        let machine = width.machine();
        let legalised = |path| legalize::run_within(func, &machine, path, MOST);
        let host: Vec<Func> = match func.level {
            Level::Host => vec![func.clone()],
            Level::Xf => {
                let slow = legalize::has_slow_path(func).then_some(Path::Slow);
                let paths = [Path::Quick].into_iter().chain(slow).filter_map(legalised);
                paths.map(|host| crate::opt::run(host, &machine)).collect()
            }
        };
        // What is too large for a width runs elsewhere.
        let codes = host.iter().filter_map(|host| x64::code(host, layout, width).ok());
        reached.extend(codes.flat_map(|bytes| instructions(&bytes)).map(|code| format!("{code:?}")));
    }
    reached
}

/// Instructions of a function; longer ones are left out.
#[cfg(all(feature = "jit", target_arch = "x86_64"))]
const MOST: usize = 1 << 16;

/// The instructions that control reaches from the beginning; literals stand behind them.
#[cfg(all(feature = "jit", target_arch = "x86_64"))]
fn instructions(bytes: &[u8]) -> Vec<iced_x86::Code> {
    use iced_x86::{Decoder, DecoderOptions, FlowControl};
    let mut decoder = Decoder::with_ip(64, bytes, 0, DecoderOptions::NONE);
    let (mut ways, mut seen, mut codes) = (vec![0], BTreeSet::new(), Vec::new());
    while let Some(mut at) = ways.pop() {
        while at < bytes.len() && seen.insert(at) && decoder.set_position(at).is_ok() {
            decoder.set_ip(at as u64);
            let insn = decoder.decode();
            codes.push(insn.code());
            at += insn.len();
            match insn.flow_control() {
                FlowControl::ConditionalBranch => ways.push(insn.near_branch_target() as usize),
                FlowControl::UnconditionalBranch => at = insn.near_branch_target() as usize,
                FlowControl::Return | FlowControl::Exception => break,
                FlowControl::Next
                | FlowControl::Call
                | FlowControl::IndirectBranch
                | FlowControl::IndirectCall
                | FlowControl::Interrupt
                | FlowControl::XbeginXabortXend => {}
            }
        }
    }
    codes
}
