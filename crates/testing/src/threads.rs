//! Work on all cores.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Makes so many results, on as many threads as the machine has cores. Each is made of its number, and they come back in that order.
///
/// # Panics
/// If `make` does.
pub fn in_parallel<T: Send>(count: usize, make: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let made = in_parallel_with(count, || (), |(), number| make(number));
    made.unwrap_or_else(|panic| resume_unwind(panic))
}

/// [`in_parallel`], where each thread has something to work with.
///
/// # Errors
/// What the first thread that has panicked says.
pub fn in_parallel_with<B, T: Send>(
    count: usize,
    bench: impl Fn() -> B + Sync,
    make: impl Fn(&mut B, usize) -> T + Sync,
) -> thread::Result<Vec<T>> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut bench = bench();
        let numbers = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
        let numbers = numbers.take_while(|&number| number < count);
        numbers.map(|number| (number, make(&mut bench, number))).collect::<Vec<_>>()
    };
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let parts = thread::scope(|scope| {
        let threads: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        // All have ended before one is looked at.
        let ended: Vec<_> = threads.into_iter().map(|thread| thread.join()).collect();
        ended.into_iter().collect::<thread::Result<Vec<_>>>()
    })?;
    let mut made: Vec<(usize, T)> = parts.into_iter().flatten().collect();
    made.sort_unstable_by_key(|&(number, _)| number);
    Ok(made.into_iter().map(|(_, made)| made).collect())
}
