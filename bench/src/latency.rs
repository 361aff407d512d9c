//! How long many things took.

use std::time::Duration;

/// Durations in order.
pub struct Latencies(Vec<Duration>);

impl Latencies {
    pub fn new(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        Self(times)
    }

    /// A percentile in milliseconds; 0 of none.
    pub fn percentile(&self, percent: usize) -> f64 {
        let index = self.0.len() * percent / 100;
        self.0.get(index).or(self.0.last()).map_or(0.0, |time| time.as_secs_f64() * 1000.0)
    }
}
