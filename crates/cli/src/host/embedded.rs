//! A coordinator and a runner of a command's own, for as long as the command lasts.

use std::sync::Arc;

use accord_client::Client;
use accord_executor::Registry;
use accord_store::Store;
use tokio_util::sync::CancellationToken;

use super::{Hosted, Work, coordinator, runner};
use crate::config::Config;
use crate::connection;
use crate::failure::Failure;

/// Any free port of this machine.
const ANY_PORT: &str = "127.0.0.1:0";

/// A coordinator and a runner inside this process.
pub(crate) struct Embedded {
    hosted: Hosted,
    work: Work,
    drain: CancellationToken,
    serving: CancellationToken,
}

impl Embedded {
    /// Starts both on a store.
    pub(crate) async fn start(
        config: &Config,
        store: Arc<dyn Store>,
        executors: Registry,
    ) -> Result<(Self, Client), Failure> {
        let (drain, serving) = (CancellationToken::new(), CancellationToken::new());
        let hosted = coordinator(config, store, ANY_PORT, serving.clone()).await?;
        let client = connection::local_client(&hosted, config)?;
        let runner_client = connection::local_client(&hosted, config)?;
        let work = runner(config, runner_client, executors, drain.clone(), CancellationToken::new())?;
        Ok((Self { hosted, work, drain, serving }, client))
    }

    /// Ends both, the runner first: it may still have to report.
    pub(crate) async fn end(self) {
        self.drain.cancel();
        let _ = self.work.task.await;
        self.serving.cancel();
        self.hosted.coordinator.ended().await;
    }
}
