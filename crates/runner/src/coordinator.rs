//! The coordinator, as a runner sees it.

use accord_api::{
    ClaimRuns, ClaimedRuns, FileId, FinishRun, FinishedRun, Heartbeat, HeartbeatAnswer, RegisterRunner,
    RegisteredRunner, ReportAttempts, ReportEvents, ReportedAttempts, RunId, RunnerId,
};
use accord_client::{Client, ClientError};
use async_trait::async_trait;

/// The runner protocol. An implementer sends each call once: what is repeated, and when, is the runner's to say.
#[async_trait]
pub trait Coordinator: Send + Sync {
    async fn register(&self, runner: &RegisterRunner) -> Result<RegisteredRunner, ClientError>;

    /// Asks for work, and waits for it as long as the request says.
    async fn claim(&self, claim: &ClaimRuns) -> Result<ClaimedRuns, ClientError>;

    /// Tells what happens in a run.
    async fn events(&self, run: &RunId, report: &ReportEvents) -> Result<(), ClientError>;

    /// Tells which answers of a run were judged.
    async fn attempts(&self, run: &RunId, report: &ReportAttempts) -> Result<ReportedAttempts, ClientError>;

    /// Tells how a run ended.
    async fn finish(&self, run: &RunId, finish: &FinishRun) -> Result<FinishedRun, ClientError>;

    /// Says that a runner is alive, and waits for a stop as long as the request says.
    async fn heartbeat(&self, heartbeat: &Heartbeat) -> Result<HeartbeatAnswer, ClientError>;

    /// Says that a runner is gone.
    async fn unregister(&self, id: &RunnerId) -> Result<(), ClientError>;

    /// The content of a file that a run was given.
    async fn file(&self, run: &RunId, file: &FileId) -> Result<Vec<u8>, ClientError>;
}

#[async_trait]
impl Coordinator for Client {
    async fn register(&self, runner: &RegisterRunner) -> Result<RegisteredRunner, ClientError> {
        self.register_runner(runner).await
    }

    async fn claim(&self, claim: &ClaimRuns) -> Result<ClaimedRuns, ClientError> {
        self.claim_runs(claim).await
    }

    async fn events(&self, run: &RunId, report: &ReportEvents) -> Result<(), ClientError> {
        self.report_events(run, report).await
    }

    async fn attempts(&self, run: &RunId, report: &ReportAttempts) -> Result<ReportedAttempts, ClientError> {
        self.report_attempts(run, report).await
    }

    async fn finish(&self, run: &RunId, finish: &FinishRun) -> Result<FinishedRun, ClientError> {
        self.finish_run(run, finish).await
    }

    async fn heartbeat(&self, heartbeat: &Heartbeat) -> Result<HeartbeatAnswer, ClientError> {
        Client::heartbeat(self, heartbeat).await
    }

    async fn unregister(&self, id: &RunnerId) -> Result<(), ClientError> {
        self.unregister_runner(id).await
    }

    async fn file(&self, run: &RunId, file: &FileId) -> Result<Vec<u8>, ClientError> {
        self.run_file(run, file).await
    }
}
