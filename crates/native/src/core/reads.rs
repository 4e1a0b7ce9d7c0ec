//! The rows that a part of a function reads: each is fetched once, for all values that are components of it.

use super::super::fetch::Fetch;
use crate::ir::func::{Func, Value as Ir};
use crate::ir::imm::Passed;
use crate::ir::ops::Op;
use rustc_hash::FxHashMap;

/// What a part reads, and has not fetched yet.
#[derive(Default)]
pub(crate) struct Reads {
    /// For each row the values and their components, in order.
    values: FxHashMap<Fetch, Vec<(Ir, usize)>>,
    /// The attributes whose rows are looked at for guards, and those that are copied, which are looked at on the way.
    looked_at: u16,
    copied: u16,
}

impl Reads {
    /// Begins a part.
    pub(crate) fn begin(&mut self, func: &Func, part: &[Ir]) {
        self.values.clear();
        (self.looked_at, self.copied) = (0, 0);
        for &value in part {
            let inst = func.inst(value);
            if inst.op == Op::RowGuard {
                self.looked_at |= 1 << inst.immediate::<usize>();
            } else if inst.op == Op::RowCopy {
                self.copied |= 1 << inst.immediate::<Passed>().attribute;
            }
            if let Some((fetch, component)) = Fetch::of(inst) {
                self.values.entry(fetch).or_default().push((value, component));
            }
        }
    }

    /// The values of a row.
    #[cfg_attr(
        not(all(target_arch = "x86_64", feature = "wide")),
        allow(dead_code, reason = "only code for x86-64 loads adjacent attributes together")
    )]
    pub(crate) fn of(&self, fetch: Fetch) -> Option<&[(Ir, usize)]> {
        self.values.get(&fetch).map(Vec::as_slice)
    }

    /// The values of a row, which is fetched now; nothing if it has been already.
    pub(crate) fn take(&mut self, fetch: Fetch) -> Option<Vec<(Ir, usize)>> {
        self.values.remove(&fetch)
    }

    /// Whether rows of an attribute are copied.
    pub(crate) fn copies(&self, attribute: usize) -> bool {
        self.copied >> attribute & 1 != 0
    }

    /// Whether rows of an attribute that are copied now are looked at: once.
    pub(crate) fn take_look(&mut self, attribute: usize) -> bool {
        let looks = self.looked_at >> attribute & 1 != 0;
        self.looked_at &= !(1 << attribute);
        looks
    }
}
