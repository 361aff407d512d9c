//! The runner protocol.

use accord_api::{
    ClaimRuns, ClaimedRuns, FinishRun, FinishedRun, Heartbeat, HeartbeatAnswer, RegisterRunner,
    RegisteredRunner, ReportAttempts, ReportEvents, ReportedAttempts, RunId, RunnerId,
};
use reqwest::Method;

use crate::client::Client;
use crate::error::ClientError;

impl Client {
    /// Makes a runner known.
    pub async fn register_runner(&self, runner: &RegisterRunner) -> Result<RegisteredRunner, ClientError> {
        self.post(&["runner", "register"]).body(runner).read().await
    }

    /// Asks for work, and waits for it as long as the request says.
    pub async fn claim_runs(&self, claim: &ClaimRuns) -> Result<ClaimedRuns, ClientError> {
        self.post(&["runner", "claims"]).waiting(claim.wait_seconds).body(claim).read().await
    }

    /// Tells what happens in a run.
    pub async fn report_events(&self, run: &RunId, report: &ReportEvents) -> Result<(), ClientError> {
        self.post(&["runner", "runs", run.as_str(), "events"]).body(report).done().await
    }

    /// Tells which answers of a run were judged.
    pub async fn report_attempts(
        &self,
        run: &RunId,
        report: &ReportAttempts,
    ) -> Result<ReportedAttempts, ClientError> {
        self.post(&["runner", "runs", run.as_str(), "attempts"]).body(report).read().await
    }

    /// Tells how a run ended.
    pub async fn finish_run(&self, run: &RunId, finish: &FinishRun) -> Result<FinishedRun, ClientError> {
        self.post(&["runner", "runs", run.as_str(), "finish"]).body(finish).read().await
    }

    /// Says that a runner is alive, and waits for a stop as long as the request says.
    pub async fn heartbeat(&self, heartbeat: &Heartbeat) -> Result<HeartbeatAnswer, ClientError> {
        self.post(&["runner", "heartbeat"]).waiting(heartbeat.wait_seconds).body(heartbeat).read().await
    }

    /// Says that a runner is gone.
    pub async fn unregister_runner(&self, id: &RunnerId) -> Result<(), ClientError> {
        self.call(Method::DELETE, &["runner", id.as_str()]).done().await
    }
}
