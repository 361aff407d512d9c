//! Runs a command's work on the coordinator of its project, or on an embedded one.

use accord_client::{Client, ClientError};

use crate::config::Config;
use crate::connection::{self, Access};
use crate::failure::Failure;
use crate::host::{self, Embedded};
use crate::refusal::needs_coordinator;
use crate::store;

/// Whether the result is needed after the command has exited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lasting {
    /// No: a coordinator of the command's own will do.
    No,
    /// The caller comes back for it, so the coordinator must outlive the command.
    Yes,
}

impl Lasting {
    /// Whether the command does not wait, or the run may be requested again.
    pub(crate) fn of(no_wait: bool, idempotency_key: Option<&String>) -> Self {
        if no_wait || idempotency_key.is_some() { Self::Yes } else { Self::No }
    }
}

/// Does the work. `look` fetches its subject first: if that is missing, no database is created.
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
    let result = work(&connection::in_trace(&client)).await;
    embedded.end().await;
    result
}
