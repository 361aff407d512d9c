//! A coordinator and a runner of a command's own, for as long as the command lasts.

use std::sync::Arc;

use accord_api::Role;
use accord_client::Client;
use accord_coordinator::{Outside as _, System};
use accord_executor::Registry;
use accord_runner::Shutdown;
use accord_store::Store;
use tokio_util::sync::CancellationToken;

use super::{Duty, Hosted, Work, coordinator, orphaned_runs, runner};
use crate::config::Config;
use crate::failure::Failure;

/// Any free port of this machine.
pub(crate) const ANY_PORT: &str = "127.0.0.1:0";

/// A coordinator and a runner inside this process.
pub(crate) struct Embedded {
    hosted: Hosted,
    work: Work,
    shutdown: Shutdown,
    serving: CancellationToken,
}

impl Embedded {
    /// Starts both on a store. Others may use the store too, so the runs of this command require
    /// its own runner, and that runner executes nothing else: it would have to release unfinished
    /// runs when the command ends.
    pub(crate) async fn start(
        config: &Config,
        store: Arc<dyn Store>,
        executors: Registry,
    ) -> Result<(Self, Client), Failure> {
        let (shutdown, serving) = (Shutdown::new(), CancellationToken::new());
        let tag = orphaned_runs::tag(&System.unique());
        let mut tagged = config.clone();
        tagged.values.runner.tags.push(tag.clone());
        let hosted = coordinator(config, store, ANY_PORT, Duty::Command { tag }, serving.clone()).await?;
        let client = hosted.client(Role::Admin)?;
        let work = runner(&tagged, hosted.client(Role::Runner)?, executors, shutdown.clone())?;
        Ok((Self { hosted, work, shutdown, serving }, client))
    }

    /// Ends both, the runner first: it may still have to report.
    pub(crate) async fn end(mut self) {
        // Twice: nothing of ours is left to be waited for.
        self.shutdown.signal();
        self.shutdown.signal();
        // The run that failed has reported it.
        let _ = self.work.ended().await;
        self.serving.cancel();
        self.hosted.ended().await;
    }
}
