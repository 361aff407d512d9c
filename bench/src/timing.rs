//! A small clock, enough to compare two ways within one run.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// The best of several rounds: what the work costs when nothing else happens. A round that took long is not
/// repeated: its noise is small.
pub fn best_of<T>(rounds: usize, mut work: impl FnMut() -> T) -> Duration {
    const LONG: Duration = Duration::from_secs(2);
    let mut best = Duration::MAX;
    for _ in 0..rounds {
        best = best.min(timed(&mut work));
        if best > LONG {
            break;
        }
    }
    best
}

fn timed<T>(work: &mut impl FnMut() -> T) -> Duration {
    let start = Instant::now();
    black_box(work());
    start.elapsed()
}
