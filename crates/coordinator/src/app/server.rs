//! The server itself: whether it can work, and how it is set up.

use std::sync::Arc;
use std::time::Duration;

use accord_api::{ErrorName, ServerConfig, ServerEnforcement, ServerLimits};
use accord_store::{PoisonedCount, QuarantineStore, QueueDepth, Upkeep};
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::instance::Instance;
use super::{FRESH, Keys};
use crate::error::Error;
use crate::settings::Settings;

/// How long an answer on readiness holds: it costs a write to the store, and anybody may ask.
const READY_FRESH: Duration = Duration::from_secs(1);

/// The state and the configuration of this coordinator.
pub(crate) struct Server {
    pub(super) upkeep: Arc<dyn Upkeep>,
    pub(super) quarantine: Arc<dyn QuarantineStore>,
    pub(super) settings: Arc<Settings>,
    pub(super) instance: Arc<Instance>,
    pub(super) keys: Arc<Keys>,
    pub(super) has_embedder: bool,
    /// The last answer on readiness. Requests that come while it is found out wait for it.
    pub(super) last_ready: Mutex<Option<(Instant, Result<(), Error>)>>,
}

impl Server {
    /// Whether the store can be read and written; the error says why not.
    pub(crate) async fn ready(&self) -> Result<(), Error> {
        let mut last = self.last_ready.lock().await;
        if let Some((at, answer)) = last.as_ref()
            && at.elapsed() < READY_FRESH
        {
            return answer.clone();
        }
        let answer = self.upkeep.ping().await.map_err(|error| {
            tracing::warn!(%error, "the database is not ready");
            Error::new(ErrorName::StoreUnavailable, format!("not ready: {error}"))
        });
        *last = Some((Instant::now(), answer.clone()));
        answer
    }

    /// How many runs wait, and how much work is quarantined.
    pub(crate) async fn queue(&self) -> Result<(QueueDepth, PoisonedCount), Error> {
        Ok((self.upkeep.queue_depth().await?, self.quarantine.count_poisoned().await?))
    }

    /// The configuration in force. Settings are copied one by one, so that a new one is not exposed by accident.
    pub(crate) async fn config(&self) -> Result<ServerConfig, Error> {
        let settings = &self.settings;
        Ok(ServerConfig {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            instance: self.instance.id().to_owned(),
            store: settings.store,
            listen: self.keys.listen().map(|address| address.to_string()),
            auth: !self.keys.open(FRESH).await?,
            files: settings.agents_dir.is_some(),
            embeddings: self.has_embedder,
            limits: ServerLimits {
                request_bytes: settings.request_limit_bytes as u64,
                lease_seconds: settings.queue.lease_seconds,
                max_deliveries: settings.queue.max_deliveries,
                match_timeout_seconds: settings.queue.match_timeout_seconds,
            },
            enforcement: ServerEnforcement {
                max_retries: settings.enforcement.max_retries,
                extract_json: settings.enforcement.extract_json,
                embedded: settings.enforcement.embedded,
                validation_mode: settings.enforcement.validation_mode,
                strategy: settings.enforcement.strategy,
            },
        })
    }
}
