//! One input, from its key to the end of its run.
//!
//! The idempotency key of an input is made of everything that decides its result. So the same command finds the runs that it
//! made before, and waits for them or takes their results, and an input or an agent that changed has a new key. A run that
//! was stopped, or lost with the command that hosted it, is not final: its input is submitted again under the next key.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use accord_api::{CreateRun, CreatedRun, ErrorName, FailureType, RunStatus, RunView};
use accord_client::{Client, ClientError};
use jiff::Timestamp;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::start::Outage;
use crate::failure::Failure;

/// How long one request waits for the end of a run.
const WAIT_SECONDS: u32 = 60;

/// A coordinator that restarts is back by then.
const GONE_AFTER: Duration = Duration::from_secs(30);

/// How long a run may take before it is looked at whether its provider is away.
const LOOK_AFTER: Duration = Duration::from_secs(3);

/// How long it is left alone after it could not be reached.
const PAUSE: Duration = Duration::from_millis(500);

/// What the keys of a batch are made of, besides the input.
pub(super) struct Identity(Sha256);

impl Identity {
    /// The agent as it is defined, with the schema that its contract has now, and the name of the batch.
    pub(super) fn new(blueprint: &Value, output_schema: Option<&Value>, name: Option<&str>) -> Self {
        let mut whole = json!([blueprint, output_schema, name]);
        whole.sort_all_objects();
        Self(Sha256::new().chain_update(whole.to_string()))
    }

    /// The identity of a request.
    fn of(&self, request: &CreateRun) -> Result<[u8; 32], serde_json::Error> {
        let mut body = serde_json::to_value(request)?;
        body.sort_all_objects();
        Ok(self.0.clone().chain_update(body.to_string()).finalize().into())
    }
}

/// Distinguishes equal inputs: the second one gets its own key.
#[derive(Default)]
pub(super) struct Occurrences(HashMap<[u8; 16], u32>);

impl Occurrences {
    /// The key of the next input that is asked for like this, without its number.
    pub(super) fn key(
        &mut self,
        identity: &Identity,
        request: &CreateRun,
    ) -> Result<String, serde_json::Error> {
        let hash = identity.of(request)?;
        // Half of it tells apart more inputs than anybody has, and the map holds one for each.
        let half: [u8; 16] = std::array::from_fn(|at| hash.get(at).copied().unwrap_or_default());
        let occurrence = self.0.entry(half).or_default();
        *occurrence += 1;
        let hex: String = half.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(format!("batch-{hex}-{occurrence}"))
    }
}

/// How the inputs of a batch are asked for.
pub(super) struct Asking<'a> {
    pub(super) client: &'a Client,
    /// Cancelled: every run is stopped.
    pub(super) stop: CancellationToken,
    /// Runs made by then are from an earlier command; by the coordinator's clock.
    pub(super) made_before: Option<Timestamp>,
    /// Inputs that failed earlier are run again.
    pub(super) retry_failed: bool,
    pub(super) outage: Arc<Outage>,
}

/// What became of an input.
pub(super) enum ItemOutcome {
    /// Its run has finished.
    Run { run: Box<RunView>, is_earlier: bool },
    /// The coordinator refused it.
    Refused(String),
    /// The batch was stopped before it was asked for.
    NotAsked,
}

impl Asking<'_> {
    /// Asks for one input and waits for its end.
    pub(super) async fn end(&self, request: &CreateRun, key: &str) -> Result<ItemOutcome, Failure> {
        for generation in 1_u32.. {
            if self.stop.is_cancelled() {
                return Ok(ItemOutcome::NotAsked);
            }
            let key = format!("{key}-{generation}");
            let created = self.persisting(async || self.client.create_run(request, Some(&key)).await).await;
            let created = match created {
                Ok(created) => created,
                Err(error) if error.is(ErrorName::ParameterValidationFailed) => {
                    return Ok(ItemOutcome::Refused(error.to_string()));
                }
                Err(error) => return Err(error.into()),
            };
            let run = match self.over(&created).await {
                Ok(run) => run,
                // Its session was removed since; the key is still known.
                Err(error) if error.is(ErrorName::RunNotFound) => continue,
                Err(error) => return Err(error.into()),
            };
            let is_earlier = self.made_before.is_some_and(|before| run.created_at <= before);
            if !(is_earlier && self.begins_again(&run)) {
                return Ok(ItemOutcome::Run { run: Box::new(run), is_earlier });
            }
        }
        Ok(ItemOutcome::NotAsked)
    }

    /// Whether an earlier run of an input is not its end.
    fn begins_again(&self, run: &RunView) -> bool {
        match run.status {
            RunStatus::Stopped => true,
            RunStatus::Failed => {
                let kind = run.error.as_ref().map(|error| error.kind);
                self.retry_failed || kind == Some(FailureType::RunnerLost)
            }
            _ => false,
        }
    }

    /// The run at its end. It is stopped where the batch is.
    async fn over(&self, created: &CreatedRun) -> Result<RunView, ClientError> {
        let run_id = &created.run_id;
        let mut told_to_stop = false;
        loop {
            let wait = self.persisting(async || self.client.wait_for_run(run_id, WAIT_SECONDS).await);
            let run = tokio::select! {
                run = wait => run?,
                () = self.stop.cancelled(), if !told_to_stop => {
                    self.persisting(async || self.client.stop_run(run_id).await).await?;
                    told_to_stop = true;
                    continue;
                }
                () = sleep(LOOK_AFTER), if !self.outage.is_settled() => {
                    self.outage.look(self.client, &created.session_id).await;
                    continue;
                }
            };
            if run.status.is_over() {
                self.outage.settle();
                return Ok(run);
            }
        }
    }

    /// Repeats a call while the coordinator may come back. Every one here can be repeated.
    async fn persisting<T>(&self, call: impl AsyncFn() -> Result<T, ClientError>) -> Result<T, ClientError> {
        let mut missing_since = None;
        loop {
            match call().await {
                Err(error) if error.is_transient() => {
                    let since = *missing_since.get_or_insert_with(Instant::now);
                    if since.elapsed() > GONE_AFTER {
                        return Err(error);
                    }
                    sleep(PAUSE).await;
                }
                answer => return answer,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agent(prompt: &str) -> Value {
        json!({"name": "a", "system_prompt": prompt})
    }

    fn request(text: &str) -> CreateRun {
        CreateRun { parameters: Some(json!({"prompt": text})), ..CreateRun::default() }
    }

    #[test]
    fn a_key_changes_with_the_input_the_agent_and_the_name() {
        let key = |agent: &Value, schema: Option<&Value>, name: Option<&str>, text: &str| {
            let identity = Identity::new(agent, schema, name);
            Occurrences::default().key(&identity, &request(text)).unwrap()
        };
        let schema = json!({"type": "object"});
        let first = key(&agent("x"), None, None, "one");
        assert_eq!(first, key(&agent("x"), None, None, "one"));
        for other in [
            key(&agent("x"), None, None, "two"),
            key(&agent("y"), None, None, "one"),
            key(&agent("x"), Some(&schema), None, "one"),
            key(&agent("x"), None, Some("again"), "one"),
        ] {
            assert_ne!(first, other);
        }
    }

    #[test]
    fn equal_inputs_have_keys_of_their_own() {
        let identity = Identity::new(&agent("x"), None, None);
        let mut occurrences = Occurrences::default();
        let keys: Vec<String> = ["one", "two", "one"]
            .iter()
            .map(|text| occurrences.key(&identity, &request(text)).unwrap())
            .collect();
        assert!(keys[0].ends_with("-1") && keys[1].ends_with("-1") && keys[2].ends_with("-2"), "{keys:?}");
        assert_ne!(keys[0], keys[1]);
    }
}
