//! What holds for all programs.

use super::*;
use crate::timing::{Needs, Step};

/// Numbers that look random.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }
}

/// A path of instructions that take something of earlier ones now and then, and the inverse unit if it may.
fn random_path(random: &mut Random, inverses: bool) -> Path {
    let steps = (0..1 + random.below(24) as usize).map(|at| {
        let needed =
            (at > 0 && random.below(2) == 0).then(|| at - 1 - random.below(at.min(4) as u64) as usize);
        let needs = Needs { components: [needed, None], registers: [needed, None] };
        let rates: [&[Rate]; 2] = match random.below(5) {
            0 if inverses => [&[], &[Rate::Inverses]],
            1 if inverses => [&[Rate::Sums], &[Rate::Tables]],
            2 => [&[Rate::Products, Rate::Sums], &[]],
            _ => [&[Rate::Sums], &[]],
        };
        Step { slot: at, needs, is_branch: false, units: [true, false], rates }
    });
    Path { steps: steps.collect(), attributes: random.below(17) as u16, outputs: random.below(16) as u16 }
}

/// Clocks until so many vertices are through.
fn through(pipeline: &Pipeline, path: &Path, vertices: usize) -> u64 {
    pipeline.run(std::slice::from_ref(path), vertices, |_| {})
}

/// Where the inverse unit is asked for it depends on who comes to it together, and that on everything: one buffer more may make vertices
/// come one behind the other that have come apart.
#[test]
fn more_buffers_are_never_slower() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut faster = 0;
    for number in 0..300 {
        let inverses = number % 3 == 0;
        let path = random_path(&mut random, inverses);
        let hold = random.below(2) as u16;
        let with = |buffers| {
            let others = [("tbuf", 12), ("wbuf", 12), ("vbuf", 12), ("hold", hold), ("ibuf", buffers)];
            through(&unit(&others), &path, 40)
        };
        let clocks: Vec<u64> = (1..12).map(with).collect();
        // Fewer buffers than three are fewer vertices at a time, who take turns otherwise. The last vertices have no company, and may end
        // a clock or three later.
        let is_slower = clocks[2..].windows(2).any(|pair| pair[1] > pair[0] + 3);
        assert!(inverses || !is_slower, "{path:?}: {clocks:?}");
        assert!(clocks[0] > clocks[5] && clocks[6..].iter().all(|more| *more < clocks[0]), "{clocks:?}");
        faster += usize::from(clocks[2] > clocks[5]);
    }
    assert!(faster > 100, "{faster}");
}

#[test]
fn a_vertex_takes_its_instructions_at_least_and_keeps_its_order() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for _ in 0..200 {
        let path = random_path(&mut random, true);
        let pipeline = unit(&[("hold", random.below(2) as u16), ("launch", 1 + random.below(3) as u16)]);
        let (mut free, mut waited, mut at) = (0, 0, vec![0; 30]);
        let end = pipeline.run(std::slice::from_ref(&path), 30, |issue| {
            assert!(issue.enters >= free && issue.leaves > issue.enters);
            // Each clock is an instruction's, or one of waiting.
            assert_eq!(issue.leaves - free, 1 + issue.waits.all());
            assert_eq!(issue.step, at[issue.vertex]);
            at[issue.vertex] += 1;
            (free, waited) = (issue.leaves, waited + issue.waits.all());
        });
        assert_eq!(end, waited + 30 * path.steps.len() as u64);
        assert!(at.iter().all(|&steps| steps == path.steps.len()));
    }
}

#[test]
fn the_inverse_unit_is_the_bound_of_what_it_is_asked_for() {
    let mut random = Random(0x1234_5678_9abc_def1);
    for _ in 0..200 {
        let path = random_path(&mut random, true);
        let asked = path.steps.iter().filter(|step| step.rates[1].len() == 1).count();
        let clocks = Report::clocks_of(&unit(&[]), std::slice::from_ref(&path));
        assert!(clocks + 1e-9 >= (2 * asked).max(path.steps.len()) as f64, "{clocks} {path:?}");
    }
}
