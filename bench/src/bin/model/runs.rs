//! The runs, a few at once, and what came of each.

use accord_contract::Meter;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use accord_client::Client;
use accord_client::api::{CreateRun, RunStatus, RunView};
use accord_contract::Schema;
use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;
use tokio::task::JoinSet;

use crate::host::{self, Agent};

/// One wait of a caller. A run that takes longer is asked for again.
const WAIT_SECONDS: u32 = 300;

/// How many of all runs lie between two words on the progress.
const PROGRESS_STEPS: usize = 20;

/// What came of a run.
#[derive(Debug, Clone)]
pub(crate) struct Ended {
    pub(crate) task: String,
    pub(crate) completed: bool,
    /// Answers that were judged, and how.
    pub(crate) outcomes: Vec<String>,
    /// Why it failed.
    pub(crate) failure: Option<String>,
    pub(crate) seconds: f64,
}

impl Ended {
    pub(crate) fn is_first_try(&self) -> bool {
        self.completed && self.outcomes.len() == 1
    }
}

/// Creates this many runs, grouped by agent: the server caches prompt prefixes, so prompts with the
/// same beginning should follow each other.
pub(crate) async fn all(
    client: &Client,
    agents: Vec<Agent>,
    count: usize,
    at_once: usize,
    progress: impl Fn(&[Ended]),
) -> Result<Vec<Ended>> {
    let schemas: BTreeMap<String, Schema> = agents
        .iter()
        .map(|agent| {
            Ok((
                agent.name.clone(),
                Schema::compile(&agent.schema, &Meter::default()).map_err(anyhow::Error::msg)?,
            ))
        })
        .collect::<Result<_>>()?;
    let (agents, schemas, next) = (Arc::new(agents), Arc::new(schemas), Arc::new(AtomicUsize::new(0)));
    let (sender, mut ended) = tokio::sync::mpsc::unbounded_channel();
    let mut callers = JoinSet::new();
    for _ in 0..at_once {
        let (client, agents, schemas) = (client.clone(), Arc::clone(&agents), Arc::clone(&schemas));
        let (next, sender) = (Arc::clone(&next), sender.clone());
        callers.spawn(async move {
            loop {
                let number = next.fetch_add(1, Ordering::SeqCst);
                if number >= count {
                    return Ok::<_, anyhow::Error>(());
                }
                let agent = agents.get(number * agents.len() / count).context("there are no agents")?;
                let input = agent.inputs.get(number % agent.inputs.len()).context("a task has no inputs")?;
                let run = one(&client, &agent.name, input).await?;
                let schema = schemas.get(&agent.name).context("no schema")?;
                let ended = examined(&client, agent, input, run, schema).await?;
                sender.send(ended).ok();
            }
        });
    }
    drop(sender);
    let step = (count / PROGRESS_STEPS).max(1);
    let mut all = Vec::with_capacity(count);
    while let Some(one) = ended.recv().await {
        all.push(one);
        if all.len().is_multiple_of(step) || all.len() == count {
            progress(&all);
        }
    }
    while let Some(caller) = callers.join_next().await {
        caller??;
    }
    Ok(all)
}

async fn one(client: &Client, agent: &str, parameters: &Value) -> Result<RunView> {
    let request = CreateRun {
        agent_name: Some(agent.to_owned()),
        parameters: Some(parameters.clone()),
        ..CreateRun::default()
    };
    let mut run = client.create_run_and_wait(&request, WAIT_SECONDS, None).await?;
    while !run.status.is_over() {
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        run = client.run(&run.run_id).await?;
    }
    Ok(run)
}

/// What came of a run. A result that does not conform, or that has a placeholder's or an example's value, ends everything.
async fn examined(
    client: &Client,
    agent: &Agent,
    input: &Value,
    run: RunView,
    schema: &Schema,
) -> Result<Ended> {
    let completed = run.status == RunStatus::Completed;
    match &run.result {
        Some(result) => {
            let value: Value = result.data()?;
            ensure!(
                schema.accepts(&value, &Meter::default()),
                "{} has a result that does not conform: {value}",
                run.run_id
            );
            let (mut copied, asked) = (None, input.to_string());
            host::strings(&value, &mut |text| {
                let is_shown = text.starts_with('<') || agent.of_examples.iter().any(|other| other == text);
                if is_shown && !asked.contains(text) {
                    copied = Some(text.to_owned());
                }
            });
            ensure!(copied.is_none(), "{} has a result with a value that was shown: {value}", run.run_id);
        }
        None if completed => bail!("{} is completed and has no result", run.run_id),
        None => {}
    }
    let attempts = client.attempts(&run.run_id).await?.items;
    let outcomes = attempts.iter().map(|attempt| attempt.outcome.as_str().to_owned()).collect();
    let finished = run.finished_at.context("a run is over at no time")?;
    let seconds = finished.duration_since(run.created_at).as_secs_f64();
    let failure = run.error.map(|error| error.kind.as_str().to_owned());
    Ok(Ended { task: agent.task.clone(), completed, outcomes, failure, seconds })
}
