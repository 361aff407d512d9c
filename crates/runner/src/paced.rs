//! The coordinator, with few requests at once.
//!
//! Thousands of runs that begin or end together would open a connection each, and every connection is memory and two open
//! files where both ends are on one machine. The coordinator writes what comes together in one go, so that a few dozen
//! requests at once keep it as busy as thousands do. What waits for its answer by intent (claims, heartbeats) is not
//! counted: there is one of each.

use std::sync::Arc;

use accord_api::{
    ClaimRuns, ClaimedRuns, FileId, FinishRun, FinishedRun, Heartbeat, HeartbeatAnswer, RegisterRunner,
    RegisteredRunner, ReportAttempts, ReportEvents, ReportedAttempts, RunId, RunnerId,
};
use accord_client::ClientError;
use async_trait::async_trait;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::coordinator::Coordinator;
use crate::limits::REQUESTS_AT_ONCE;

pub(crate) struct Paced {
    inner: Arc<dyn Coordinator>,
    places: Semaphore,
}

impl Paced {
    pub(crate) fn new(inner: Arc<dyn Coordinator>) -> Self {
        Self { inner, places: Semaphore::new(REQUESTS_AT_ONCE) }
    }

    /// A place for one request. The semaphore is never closed, so there is always one in the end.
    async fn place(&self) -> Option<SemaphorePermit<'_>> {
        self.places.acquire().await.ok()
    }
}

#[async_trait]
impl Coordinator for Paced {
    async fn register(&self, runner: &RegisterRunner) -> Result<RegisteredRunner, ClientError> {
        self.inner.register(runner).await
    }

    async fn claim(&self, claim: &ClaimRuns) -> Result<ClaimedRuns, ClientError> {
        self.inner.claim(claim).await
    }

    async fn events(&self, run: &RunId, report: &ReportEvents) -> Result<(), ClientError> {
        let _place = self.place().await;
        self.inner.events(run, report).await
    }

    async fn attempts(&self, run: &RunId, report: &ReportAttempts) -> Result<ReportedAttempts, ClientError> {
        let _place = self.place().await;
        self.inner.attempts(run, report).await
    }

    async fn finish(&self, run: &RunId, finish: &FinishRun) -> Result<FinishedRun, ClientError> {
        let _place = self.place().await;
        self.inner.finish(run, finish).await
    }

    async fn heartbeat(&self, heartbeat: &Heartbeat) -> Result<HeartbeatAnswer, ClientError> {
        self.inner.heartbeat(heartbeat).await
    }

    async fn unregister(&self, id: &RunnerId) -> Result<(), ClientError> {
        self.inner.unregister(id).await
    }

    async fn file(&self, run: &RunId, file: &FileId) -> Result<Vec<u8>, ClientError> {
        let _place = self.place().await;
        self.inner.file(run, file).await
    }
}
