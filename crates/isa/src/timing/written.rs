//! Which instruction has written what last. UNKNOWN: whether the chip looks at components or at whole registers; here it looks at components.

use crate::isa::Mask;
use crate::isa::uses::{Place, Uses};
use std::collections::BTreeMap;

/// The last writer of each component of each place.
#[derive(Clone, Default, Debug)]
pub(super) struct Written(BTreeMap<Place, [Option<usize>; 4]>);

impl Written {
    /// The last instruction that an instruction takes something from.
    pub(super) fn needed_by(&self, uses: &Uses) -> Option<usize> {
        let of = |&(place, mask): &(Place, Mask)| {
            let writers = self.0.get(&place)?;
            mask.components().filter_map(|c| writers[c]).max()
        };
        uses.reads.iter().filter_map(of).max()
    }

    /// An instruction comes next.
    pub(super) fn note(&mut self, number: usize, uses: &Uses) {
        for write in &uses.writes {
            let writers = self.0.entry(write.place).or_default();
            write.mask.components().for_each(|c| writers[c] = Some(number));
        }
    }
}
