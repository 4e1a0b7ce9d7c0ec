//! One batch of a million vertices on one thread and on several, for `cargo bench --features parallel --bench parallel -- [THREADS]`: the
//! seven programs, and a copy of as many bytes, which shows what memory gives. Threads take turns, so that other load meets all of them;
//! each figure is the median of its rounds, and ratios are those of one round.

use std::time::{Duration, Instant};
use xfjit::runtime::batch::Outputs;
use xfjit::{Engine, Model, Options, Worker};
use xfjit_testing::programs::Fixed;

const COUNT: usize = 1_000_000;
const ROUNDS: usize = 11;

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn timed(run: impl FnOnce()) -> Duration {
    let start = Instant::now();
    run();
    start.elapsed()
}

/// Runs with each number of threads in turns: the median of the times on one, and of the ratios of the others to that.
fn compare(threads: &[usize], mut run: impl FnMut(usize)) -> (f64, Vec<f64>) {
    let (mut alone, mut faster) = (Vec::new(), vec![Vec::new(); threads.len()]);
    run(1);
    threads.iter().for_each(|&threads| run(threads));
    for _ in 0..ROUNDS {
        let one = timed(|| run(1)).as_secs_f64();
        alone.push(one);
        for (&threads, faster) in threads.iter().zip(&mut faster) {
            faster.push(one / timed(|| run(threads)).as_secs_f64());
        }
    }
    (median(alone), faster.into_iter().map(median).collect())
}

fn print(name: &str, bytes: usize, (alone, faster): (f64, Vec<f64>)) {
    let rate = COUNT as f64 / alone / 1e6;
    let faster: Vec<String> = faster.iter().map(|ratio| format!("{ratio:.2}")).collect();
    let moved = bytes as f64 * COUNT as f64 / alone / 1e9;
    println!("{name:<12}{rate:>8.0} Mvert/s{bytes:>5} bytes{moved:>8.1} GB/s  x {}", faster.join(" "));
}

/// Copies memory, each thread a part of it.
fn copy(from: &[u32], to: &mut [u32], threads: usize) {
    let part = from.len().div_ceil(threads);
    std::thread::scope(|scope| {
        for (from, to) in from.chunks(part).zip(to.chunks_mut(part)) {
            let mut copy = move || to.copy_from_slice(from);
            if threads == 1 { copy() } else { drop(scope.spawn(copy)) }
        }
    });
}

fn main() {
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    let most = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(cores.max(2));
    let threads: Vec<usize> = [2, 4, 8, 16, 32, 64].into_iter().filter(|&threads| threads <= most).collect();
    println!("{COUNT} vertices, 1 thread; times as fast on {threads:?}, {cores} cores");
    for model in [Model::Ieee, Model::Hw] {
        for name in ["P1", "P2", "P3", "P4", "P5", "P6", "P7"] {
            let fixed = Fixed::find(name).expect("one of the fixed set");
            let program = Engine::new(Options::default()).decoded(fixed.program(), &fixed.config(model));
            let words = fixed.vertices(COUNT);
            let mut out = vec![0; COUNT * fixed.output_words()];
            let (mut worker, mut context) = (Worker::new(), fixed.context());
            let result = compare(&threads, |threads| {
                let inputs = fixed.inputs(&words, COUNT);
                let mut outputs = Outputs::interleaved(&mut out, fixed.outputs);
                program
                    .run_parallel(&mut worker, threads, &mut context, &inputs, &mut outputs)
                    .expect("the streams hold the batch");
            });
            let bytes = 4 * (fixed.input_words() + fixed.output_words());
            print(&format!("{name} {}", model.name()), bytes, result);
        }
    }
    for bytes in [64, 192] {
        let from = vec![1u32; COUNT * bytes / 8];
        let mut to = vec![0u32; from.len()];
        print("memcpy", bytes, compare(&threads, |threads| copy(&from, &mut to, threads)));
    }
}
