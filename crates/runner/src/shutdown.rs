//! The signal to end, given once or twice.

use tokio_util::sync::CancellationToken;

/// The signal to end. The first stops claiming and lets running work end; the second hastens that.
#[derive(Debug, Clone, Default)]
pub struct Shutdown {
    drain: CancellationToken,
    hasten: CancellationToken,
}

impl Shutdown {
    /// A signal that has not been sent yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives the signal: the first time to end, then to hurry.
    pub fn signal(&self) {
        if self.drain.is_cancelled() {
            self.hasten.cancel();
        }
        self.drain.cancel();
    }

    pub(crate) async fn begun(&self) {
        self.drain.cancelled().await;
    }

    pub(crate) async fn hastened(&self) {
        self.hasten.cancelled().await;
    }
}

/// A token that is the first signal.
impl From<CancellationToken> for Shutdown {
    fn from(drain: CancellationToken) -> Self {
        Self { drain, hasten: CancellationToken::new() }
    }
}
