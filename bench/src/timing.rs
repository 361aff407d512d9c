//! A small clock: medians and best times, enough to compare two ways within one run.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// The middle of several rounds. A round that took long is not repeated: its noise is small.
pub fn median_of<T>(rounds: usize, mut work: impl FnMut() -> T) -> Duration {
    const LONG: Duration = Duration::from_secs(2);
    let mut times = Vec::with_capacity(rounds);
    for _ in 0..rounds {
        let time = timed(&mut work);
        times.push(time);
        if time > LONG {
            break;
        }
    }
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// The best of several rounds: what the work costs when nothing else happens.
pub fn best_of<T>(rounds: usize, mut work: impl FnMut() -> T) -> Duration {
    (0..rounds).map(|_| timed(&mut work)).min().unwrap_or_default()
}

fn timed<T>(work: &mut impl FnMut() -> T) -> Duration {
    let start = Instant::now();
    black_box(work());
    start.elapsed()
}
