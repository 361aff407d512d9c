//! How the server is set up, for whoever looks after it.

use accord_api::{ServerConfig, ServerEnforcement, ServerLimits};

use super::{App, FRESH};
use crate::error::Error;

impl App {
    /// What is in force. Settings are copied one by one: what is added to them is not told by accident.
    pub(crate) async fn config(&self) -> Result<ServerConfig, Error> {
        let settings = &self.settings;
        Ok(ServerConfig {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            instance: self.instance().to_owned(),
            store: settings.store,
            listen: self.keys.listen().map(|address| address.to_string()),
            auth: !self.keys.open(FRESH).await?,
            files: settings.agents_dir.is_some(),
            embeddings: self.embedder.is_some(),
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
