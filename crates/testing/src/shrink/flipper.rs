//! Configurations of Flipper's transform unit made smaller. The dialect stays: it says what is right.

use super::fixed::Plainer;
use crate::chip::flipper::transform::{TEXGENS, Transform};
use crate::front::flipper::Setup;
use xfjit_runtime::batch::Layout;

/// What registers need not say.
const PLAINER: &[fn(&mut Transform)] = &[
    |transform| transform.vertices.matrices = 0,
    |transform| transform.vertices.colours = [false; 2],
    |transform| transform.texgens = 0,
    |transform| transform.texgens = transform.texgens.saturating_sub(1),
    |transform| transform.dual = false,
    |transform| transform.orthographic = false,
    |transform| transform.colour[0] = 0,
    |transform| transform.colour[1] = 0,
    |transform| transform.alpha[0] = 0,
    |transform| transform.alpha[1] = 0,
];

impl Plainer for Setup {
    fn plainer(&self) -> Vec<Setup> {
        let with = |change: &dyn Fn(&mut Transform)| {
            let mut setup = *self;
            change(&mut setup.transform);
            setup
        };
        let mut all = vec![Setup { layout: Layout::Rows, ..*self }];
        all.extend(PLAINER.iter().map(|change| with(change)));
        for number in 0..TEXGENS {
            all.push(with(&|transform| transform.texgen[number] = 0));
            all.push(with(&|transform| transform.post[number] = 0));
        }
        // Fields of the channels bit by bit.
        for bit in 0..15 {
            for channel in 0..2 {
                all.push(with(&|transform| transform.colour[channel] &= !(1 << bit)));
                all.push(with(&|transform| transform.alpha[channel] &= !(1 << bit)));
            }
        }
        all
    }

    fn live_outputs(&mut self) -> &mut u32 {
        &mut self.live_outputs
    }
}
