//! Pauses that grow, each a little different, so that many runners do not come back at once.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

use crate::limits::{FIRST_PAUSE, LONGEST_PAUSE};

/// The pauses of one row of failures.
#[derive(Debug)]
pub(crate) struct Backoff(Duration);

impl Default for Backoff {
    fn default() -> Self {
        Self(FIRST_PAUSE)
    }
}

impl Backoff {
    /// Waits a little longer each time.
    pub(crate) async fn rest(&mut self) {
        let pause = self.next(RandomState::new().build_hasher().finish());
        tokio::time::sleep(pause).await;
    }

    /// Between half of the pause and all of it.
    fn next(&mut self, random: u64) -> Duration {
        /// As fine as chance needs to be.
        const STEPS: u32 = 1000;
        let share = u32::try_from(random % u64::from(STEPS)).unwrap_or_default();
        let half = self.0 / 2;
        let pause = half + half * share / STEPS;
        self.0 = (self.0 * 2).min(LONGEST_PAUSE);
        pause
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_a_bound() {
        let mut backoff = Backoff::default();
        let pauses: Vec<u128> = (0..8).map(|_| backoff.next(0).as_millis()).collect();
        assert_eq!(pauses, [100, 200, 400, 800, 1600, 3200, 5000, 5000]);
        assert!(backoff.next(999) < LONGEST_PAUSE);
        assert!(backoff.next(u64::MAX) >= LONGEST_PAUSE / 2);
    }
}
