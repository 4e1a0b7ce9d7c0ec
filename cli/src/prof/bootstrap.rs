//! How sure a ratio of medians is: the plays are drawn again, with replacement, and the ratio is computed anew each time.
//!
//! B. Efron, "Bootstrap Methods: Another Look at the Jackknife", The Annals of Statistics 7 (1979). Plays that follow each other are alike (a
//! machine is busy for a while), so they are drawn in runs: H. R. Kuensch, "The Jackknife and the Bootstrap for General Stationary
//! Observations", The Annals of Statistics 17 (1989).

/// How often the plays are drawn again.
const ROUNDS: usize = 1000;

/// Of the ratios so many lie below the interval, and as many above: in 1000.
const OUTSIDE: usize = 25;

/// Fewer plays say nothing of how far they scatter.
const FEWEST: usize = 5;

/// Between these a ratio lies with 95 %.
#[derive(Clone, Copy, PartialEq, Debug, serde::Serialize)]
pub(super) struct Interval {
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Interval {
    /// Of the ratio of two medians, after by before. None if there are too few plays.
    pub(super) fn of_ratio(before: &[f64], after: &[f64]) -> Option<Interval> {
        if before.len().min(after.len()) < FEWEST {
            return None;
        }
        let (mut random, mut drawn) = (Random(0x9e37_79b9_7f4a_7c15), Vec::new());
        let mut ratios: Vec<f64> = (0..ROUNDS)
            .map(|_| {
                let [before, after] = [before, after].map(|plays| random.median(plays, &mut drawn));
                after / before.max(1e-9)
            })
            .collect();
        ratios.sort_by(f64::total_cmp);
        Some(Interval { low: ratios[OUTSIDE], high: ratios[ROUNDS - 1 - OUTSIDE] })
    }

    /// Whether a ratio of one is outside.
    pub(super) fn excludes_one(self) -> bool {
        self.low > 1.0 || self.high < 1.0
    }
}

/// Random numbers, equal in each run, so that a comparison of two reports does not change when it is made again.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((u128::from(self.0) * limit as u128) >> 64) as usize
    }

    /// The median of as many plays as there are, drawn in runs as long as the root of their number.
    fn median(&mut self, plays: &[f64], drawn: &mut Vec<f64>) -> f64 {
        let run = plays.len().isqrt();
        drawn.clear();
        while drawn.len() < plays.len() {
            let start = self.below(plays.len() - run + 1);
            drawn.extend_from_slice(&plays[start..start + run]);
        }
        drawn.truncate(plays.len());
        let middle = drawn.len() / 2;
        *drawn.select_nth_unstable_by(middle, f64::total_cmp).1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plays around a time, which scatter by a part of it.
    fn plays(time: f64, scatter: f64, seed: u64) -> Vec<f64> {
        let mut random = Random(seed);
        (0..64).map(|_| time * (1.0 + scatter * (random.below(2001) as f64 / 1000.0 - 1.0))).collect()
    }

    #[test]
    fn a_difference_beyond_the_scatter_is_seen_and_none_within_it() {
        let before = plays(100.0, 0.05, 1);
        let interval = Interval::of_ratio(&before, &plays(110.0, 0.05, 2)).unwrap();
        assert!(interval.excludes_one() && interval.low > 1.05 && interval.high < 1.15, "{interval:?}");
        let interval = Interval::of_ratio(&before, &plays(90.0, 0.05, 3)).unwrap();
        assert!(interval.excludes_one() && interval.high < 0.95, "{interval:?}");
        let same = Interval::of_ratio(&before, &before).unwrap();
        assert!(!same.excludes_one() && same.low < 1.0 && same.high > 1.0, "{same:?}");
    }

    /// Of forty pairs that do not differ some are told apart by chance, one in twenty by the interval's making; of as many that differ by
    /// twice the scatter all are.
    #[test]
    fn few_that_are_equal_are_told_apart() {
        let told = |ratio: f64| {
            let is_told = |&seed: &u64| {
                let (before, after) =
                    (plays(100.0, 0.1, 2 * seed + 1), plays(100.0 * ratio, 0.1, 2 * seed + 2));
                Interval::of_ratio(&before, &after).unwrap().excludes_one()
            };
            (100..140).filter(is_told).count()
        };
        assert!(told(1.0) <= 8, "{}", told(1.0));
        assert_eq!(told(1.2), 40);
    }

    #[test]
    fn few_plays_have_no_interval() {
        assert_eq!(Interval::of_ratio(&[1.0; 4], &[2.0; 64]), None);
        assert_eq!(Interval::of_ratio(&[], &[]), None);
        assert_eq!(Interval::of_ratio(&[1.0; 5], &[2.0; 5]), Some(Interval { low: 2.0, high: 2.0 }));
    }
}
