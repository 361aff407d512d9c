//! Work that a command has done by the coordinator that runs for its project, or by one of its own.

use accord_client::{Client, ClientError};

use crate::config::Config;
use crate::connection::{self, Access};
use crate::failure::Failure;
use crate::host::{self, Embedded};
use crate::refusal::needs_coordinator;
use crate::store;

/// Who the work is for once the command has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lasting {
    /// Nobody: a coordinator of the command's own will do.
    No,
    /// Somebody comes back for it, so the coordinator has to be one that stays.
    Yes,
}

impl Lasting {
    /// Whether the end is not waited for, or the run may be asked for again.
    pub(crate) fn of(no_wait: bool, idempotency_key: Option<&String>) -> Self {
        if no_wait || idempotency_key.is_some() { Self::Yes } else { Self::No }
    }
}

/// Does the work. `look` asks for what it is about: where that is not there, no store is left behind.
pub(crate) async fn work<T>(
    config: &Config,
    lasting: Lasting,
    look: impl AsyncFnOnce(&Client) -> Result<(), ClientError>,
    work: impl AsyncFnOnce(&Client) -> Result<T, Failure>,
) -> Result<T, Failure> {
    if let Some(client) = connection::running(config).await? {
        return work(&client).await;
    }
    if lasting == Lasting::Yes {
        return Err(needs_coordinator().into());
    }
    if store::is_to_be_made(config)? {
        let reached = connection::reach(config, Access::Look).await?;
        look(&reached).await?;
    }
    let store = store::local_store(config).await?;
    let executors = host::executors(config)?;
    let (embedded, client) = Embedded::start(config, store, executors).await?;
    let result = work(&client).await;
    embedded.end().await;
    result
}
