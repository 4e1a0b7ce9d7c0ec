//! Random sequences of calls end in statuses, never in a panic, and write nothing but what was lent.

mod body;

use body::{Tally, faults, random_calls};

#[test]
fn random_calls_end_in_statuses() {
    let mut all = Tally::default();
    for seed in 1..=450u64 {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let bytes: Vec<u8> = (0..24_000)
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                (state >> 32) as u8
            })
            .collect();
        let Tally { done, refused, ran, compared, dirty, flipper, lacking, worlds } = random_calls(&bytes);
        (all.done, all.refused, all.ran) = (all.done + done, all.refused + refused, all.ran + ran);
        (all.compared, all.dirty) = (all.compared + compared, all.dirty + dirty);
        all.flipper += flipper;
        all.lacking += lacking;
        all.worlds = std::array::from_fn(|world| all.worlds[world] + worlds[world]);
    }
    println!("{all:?}, watched memory was touched so often: {:?}", faults());
    assert!(all.done > 4000 && all.refused > 2000 && all.ran > 200, "{all:?}");
    assert!(all.compared > 2000 && all.dirty > 200 && all.flipper > 250 && all.lacking > 12, "{all:?}");
    // Plain, odd environments, watched memory, forks.
    let fewest = [1000, 1000, 1000, 50];
    assert!(all.worlds.iter().zip(fewest).all(|(count, fewest)| *count > fewest), "{all:?}");
    assert!(faults().is_none_or(|faults| faults > 1000), "{:?}", faults());
}
