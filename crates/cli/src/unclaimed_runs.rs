//! Pending runs that no live runner can execute: reported once per agent, so that the user knows
//! why they wait.

use std::collections::HashSet;
use std::convert::Infallible;
use std::time::Duration;

use accord_api::{PageQuery, RunId, RunQuery, RunStatus, RunView, Worker, WorkflowRunId};
use accord_client::{Client, ClientError};
use tokio::time::sleep;

use crate::view::text::line;

/// A live runner claims a run sooner than this.
const FIRST_LOOK: Duration = Duration::from_secs(3);

/// Nodes of a workflow begin later.
const LOOK_EVERY: Duration = Duration::from_secs(10);

/// How many of the newest runs that wait are looked at.
const LOOKED_AT: u32 = 500;

/// What the command waits for.
pub(crate) enum Awaited<'a> {
    /// A run.
    Run(&'a RunId),
    /// The runs of a workflow's nodes.
    Workflow(&'a WorkflowRunId),
}

/// Reports runs that no runner can take, until it is dropped.
pub(crate) async fn announce(client: &Client, awaited: Awaited<'_>, say: impl Fn(&str)) -> Infallible {
    let mut told = HashSet::new();
    let mut patience = FIRST_LOOK;
    loop {
        sleep(patience).await;
        patience = LOOK_EVERY;
        // An unreachable coordinator is reported by the code that follows the run.
        for run in stuck(client, &awaited).await.unwrap_or_default() {
            if told.insert(run.agent_name.clone()) {
                say(&said(&run));
            }
        }
    }
}

/// The runs that no runner can take now.
async fn stuck(client: &Client, awaited: &Awaited<'_>) -> Result<Vec<RunView>, ClientError> {
    let waiting =
        RunQuery { status: Some(RunStatus::Pending), limit: Some(LOOKED_AT), ..RunQuery::default() };
    let mut waiting = client.runs(&waiting).await?.items;
    if waiting.is_empty() {
        return Ok(waiting);
    }
    let ours: HashSet<RunId> = match awaited {
        Awaited::Run(id) => HashSet::from([(*id).clone()]),
        Awaited::Workflow(id) => {
            let tasks = client.workflow_run(id).await?.nodes.into_iter().flat_map(|node| node.tasks);
            let run = |worker| match worker {
                Worker::Run { run_id, .. } => Some(run_id),
                Worker::Workflow { .. } => None,
            };
            tasks.filter_map(|task| task.worker.and_then(run)).collect()
        }
    };
    let runners = client.runners(&PageQuery::default()).await?.items;
    let is_taken =
        |run: &RunView| runners.iter().any(|runner| runner.alive && runner.profile.meets(&run.demands));
    waiting.retain(|run| ours.contains(&run.run_id) && !is_taken(run));
    Ok(waiting)
}

fn said(run: &RunView) -> String {
    let demands = serde_json::to_string(&run.demands).unwrap_or_default();
    let agent = line(&run.agent_name);
    format!(
        "{agent} is waiting: no live runner meets its requirements {demands}; run `accord runners list` to see the runners\n"
    )
}
