//! Runs.

use accord_api::{
    AttemptList, CreateRun, CreatedRun, FinishedRun, ForkRun, Page, RetryRun, RunId, RunQuery, RunView,
    StepList, WaitQuery,
};

use crate::client::Client;
use crate::error::ClientError;
use crate::http::query;

impl Client {
    /// Makes a run. With the same idempotency key and body, the first answer comes again.
    pub async fn create_run(
        &self,
        run: &CreateRun,
        idempotency_key: Option<&str>,
    ) -> Result<CreatedRun, ClientError> {
        let call = self.post(&["runs"]).header("idempotency-key", idempotency_key);
        call.header("accord-contract", run.contract_hash.as_deref()).body(run).read().await
    }

    /// Creates a run and waits until it finishes or the time is up.
    pub async fn create_run_and_wait(
        &self,
        run: &CreateRun,
        wait_seconds: u32,
        idempotency_key: Option<&str>,
    ) -> Result<RunView, ClientError> {
        let wait = query(&WaitQuery { wait: Some(wait_seconds) })?;
        let call = self.post(&["runs"]).query(wait).waiting(wait_seconds);
        let call = call.header("idempotency-key", idempotency_key);
        call.header("accord-contract", run.contract_hash.as_deref()).body(run).read().await
    }

    /// A run, with its parameters, contract and result.
    pub async fn run(&self, id: &RunId) -> Result<RunView, ClientError> {
        self.get(&["runs", id.as_str()]).read().await
    }

    /// Waits until a run finishes or the time is up, and returns it.
    pub async fn wait_for_run(&self, id: &RunId, wait_seconds: u32) -> Result<RunView, ClientError> {
        let wait = query(&WaitQuery { wait: Some(wait_seconds) })?;
        self.get(&["runs", id.as_str()]).query(wait).waiting(wait_seconds).read().await
    }

    /// Runs, the newest first.
    pub async fn runs(&self, which: &RunQuery) -> Result<Page<RunView>, ClientError> {
        self.get(&["runs"]).query(query(which)?).read().await
    }

    /// Every attempt of a run.
    pub async fn attempts(&self, id: &RunId) -> Result<AttemptList, ClientError> {
        self.get(&["runs", id.as_str(), "attempts"]).read().await
    }

    /// Every step of a run.
    pub async fn steps(&self, id: &RunId) -> Result<StepList, ClientError> {
        self.get(&["runs", id.as_str(), "steps"]).read().await
    }

    /// Stops a run; a finished run is unchanged.
    pub async fn stop_run(&self, id: &RunId) -> Result<FinishedRun, ClientError> {
        self.post(&["runs", id.as_str(), "stop"]).read().await
    }

    /// Runs a finished run again, with these changes. Gives the new run.
    pub async fn retry_run(&self, id: &RunId, changes: &RetryRun) -> Result<CreatedRun, ClientError> {
        self.post(&["runs", id.as_str(), "retry"]).body(changes).read().await
    }

    /// Continues a run from one of its steps. Gives the new run.
    pub async fn fork_run(&self, id: &RunId, changes: &ForkRun) -> Result<CreatedRun, ClientError> {
        self.post(&["runs", id.as_str(), "fork"]).body(changes).read().await
    }
}
