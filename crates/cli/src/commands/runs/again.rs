//! What `accord runs retry` and `accord runs fork` have in common: a new run, whose id is printed or whose result is waited for.

use std::io;
use std::time::Duration;

use accord_api::{CreatedRun, RunId};
use accord_client::Client;

use crate::commands::run::followed;
use crate::config::Config;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::follow::seconds;
use crate::output;
use crate::own_coordinator::{self, Lasting};

/// Whether the parent hears of the new run
#[derive(Debug, clap::Args)]
pub(super) struct Callback {
    /// Report the outcome to the parent session of the run, which continues with it
    #[arg(long)]
    pub(super) callback: bool,
}

/// Whether to wait for the new run
#[derive(Debug, clap::Args)]
pub(super) struct Waiting {
    /// Wait for the new run and print its result, like `accord run`
    #[arg(long)]
    pub(super) wait: bool,
    /// Stop the new run after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds, requires = "wait")]
    timeout: Option<u64>,
}

impl Waiting {
    /// Makes the run and follows it, at the coordinator that runs for the project or a temporary one.
    pub(super) async fn follow(
        &self,
        config: &Config,
        of: &RunId,
        create: impl AsyncFnOnce(&Client) -> Result<CreatedRun, Failure>,
        json: bool,
    ) -> Result<Exit, Failure> {
        let look = async |client: &Client| client.run(of).await.map(drop);
        let work = async |client: &Client| {
            let limit = self.timeout.map(Duration::from_secs);
            let (report, _) = followed(client, create(client), limit).await?;
            report.print(json)
        };
        own_coordinator::work(config, Lasting::No, look, work).await
    }
}

/// Prints the id of a new run, alone, so that a script can use it.
pub(super) fn show(created: &CreatedRun, json: bool) -> io::Result<()> {
    if json { output::json(created) } else { output::show(&format!("{}\n", created.run_id)) }
}
