//! Attributes as they lie in memory: what the layout says becomes loads and conversions.

use super::Legalizer;
use crate::ir::func::{Inst, Value};
use crate::ir::imm::Element;
use xfjit_runtime::format::ByteOrder;
use xfjit_runtime::state::DEFAULT_ROW;

impl Legalizer {
    /// A component of an attribute.
    pub(super) fn input(&mut self, inst: Inst) -> Value {
        let Element { row, component } = inst.immediate();
        let format = self.f.func().inputs.format(row);
        if component >= usize::from(format.components) {
            return self.f.bits(DEFAULT_ROW[component]);
        }
        let word = self.unchanged(inst);
        match format.order {
            ByteOrder::Host => word,
            ByteOrder::Swapped => self.swapped(word),
        }
    }

    /// The bytes of a word in the other order.
    fn swapped(&mut self, word: Value) -> Value {
        let f = &mut self.f;
        let (low, high) = (f.shl(word, 24), f.shr(word, 24));
        let (second, mask) = (f.bits(0xff00), f.bits(0x00ff_0000));
        let ends = f.or(low, high);
        let up = f.and(word, second);
        let up = f.shl(up, 8);
        let down = f.and(word, mask);
        let down = f.shr(down, 8);
        let middle = f.or(up, down);
        f.or(ends, middle)
    }
}
