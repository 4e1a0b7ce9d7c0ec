//! Which instruction has written what last.

use super::path::Needs;
use crate::isa::Mask;
use crate::isa::uses::{Place, Uses};
use std::collections::BTreeMap;

/// The last writers of each component of each place: those whose results come like any other, and those that look up a texel.
#[derive(Clone, Default, Debug)]
pub(super) struct Written(BTreeMap<Place, [[Option<usize>; 2]; 4]>);

impl Written {
    /// The last instructions that an instruction takes something from.
    pub(super) fn needed_by(&self, uses: &Uses) -> Needs {
        let last = |whole: bool| {
            [0, 1].map(|kind| {
                let of = |&(place, mask): &(Place, Mask)| {
                    let writers = self.0.get(&place)?;
                    let mask = if whole { Mask::ALL } else { mask };
                    mask.components().filter_map(|c| writers[c][kind]).max()
                };
                uses.reads.iter().filter_map(of).max()
            })
        };
        Needs { components: last(false), registers: last(true) }
    }

    /// An instruction comes next; whether it looks up a texel.
    pub(super) fn note(&mut self, number: usize, uses: &Uses, is_texel: bool) {
        for write in &uses.writes {
            let writers = self.0.entry(write.place).or_default();
            for c in write.mask.components() {
                // What may not be written leaves what was there.
                if write.certain {
                    writers[c] = [None, None];
                }
                writers[c][usize::from(is_texel)] = Some(number);
            }
        }
    }
}
