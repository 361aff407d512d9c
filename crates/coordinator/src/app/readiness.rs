//! Whether the server can do its work.

use std::time::Duration;

use accord_api::ErrorName;
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::App;
use crate::error::Error;

/// How long an answer holds. The store is written to for it, and anybody may ask, as often as they like.
const FRESH: Duration = Duration::from_secs(1);

/// The last answer. Whoever asks while somebody finds out waits for that one's answer.
#[derive(Debug, Default)]
pub(super) struct Readiness(Mutex<Option<(Instant, Result<(), Error>)>>);

impl App {
    /// Whether the store can be read and written; the error says why not.
    pub(crate) async fn ready(&self) -> Result<(), Error> {
        let mut last = self.readiness.0.lock().await;
        if let Some((at, answer)) = last.as_ref()
            && at.elapsed() < FRESH
        {
            return answer.clone();
        }
        let answer = self.store.ping().await.map_err(|error| {
            tracing::warn!(%error, "the database is not ready");
            Error::new(ErrorName::StoreUnavailable, format!("not ready: {error}"))
        });
        *last = Some((Instant::now(), answer.clone()));
        answer
    }
}
