//! When work on files has lasted long enough.

use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

/// How long one call may look through files. A model waits for it, and a narrower question is soon asked.
const PATIENCE: Duration = Duration::from_secs(20);

pub(super) struct Pace {
    stop: CancellationToken,
    until: Instant,
}

impl Pace {
    pub(super) fn new(stop: CancellationToken) -> Self {
        Self { stop, until: Instant::now() + PATIENCE }
    }

    /// Whether to stop, because the caller is gone or it has taken too long.
    pub(super) fn is_over(&self) -> bool {
        self.stop.is_cancelled() || Instant::now() >= self.until
    }

    #[cfg(test)]
    pub(super) fn endless() -> Self {
        Self { stop: CancellationToken::new(), until: Instant::now() + Duration::from_secs(3600) }
    }

    #[cfg(test)]
    pub(super) fn over() -> Self {
        Self { stop: CancellationToken::new(), until: Instant::now() }
    }
}
