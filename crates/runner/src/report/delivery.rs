//! Sending a batch until there is a response.

use std::sync::Arc;

use accord_api::{Attempt, ErrorName, LastReport, ReportAttempts, ReportEvents};
use accord_client::ClientError;

use crate::backoff::Backoff;
use crate::coordinator::Coordinator;
use crate::leases::{LeasedRun, Reason};

/// The way to the coordinator, for one run.
pub(crate) struct Delivery {
    coordinator: Arc<dyn Coordinator>,
    pub(super) hold: Arc<LeasedRun>,
    /// Whether a step was refused. Those behind it are not sent: they would not follow from the ones before.
    is_full: bool,
}

impl Delivery {
    pub(crate) fn new(coordinator: Arc<dyn Coordinator>, hold: &Arc<LeasedRun>) -> Self {
        Self { coordinator, hold: Arc::clone(hold), is_full: false }
    }

    /// What may be sent of a batch.
    pub(super) fn sendable(&self, batch: LastReport) -> LastReport {
        match self.is_full {
            true => LastReport { steps: Vec::new(), step: None, ..batch },
            false => batch,
        }
    }

    /// Sends a batch. If the coordinator refuses it, its parts are sent one by one, so that the rest is not lost with the one that
    /// it does not take. An event that it refuses for good is dropped: the run does not depend on it. After a step that it
    /// refuses no more steps are sent: the run starts after the last saved one if its runner is lost.
    pub(crate) async fn deliver(&mut self, batch: LastReport) {
        let LastReport { events, steps, attempts, step } = batch;
        let holding = self.hold.holding.clone();
        self.deliver_events(ReportEvents { holding, events, steps }).await;
        for attempt in attempts {
            self.attempt(attempt, step).await;
        }
    }

    async fn deliver_events(&mut self, mut batch: ReportEvents) {
        if self.is_full {
            batch.steps.clear();
        }
        let is_alone = batch.events.len() + batch.steps.len() <= 1;
        let Err(error) = self.events(&batch).await else { return };
        if is_alone {
            return self.refused(&error, !batch.steps.is_empty());
        }
        let ReportEvents { holding, events, steps } = batch;
        let part = |events, steps| ReportEvents { holding: holding.clone(), events, steps };
        let events = events.into_iter().map(|event| part(vec![event], Vec::new()));
        let steps = steps.into_iter().map(|step| part(Vec::new(), vec![step]));
        for part in events.chain(steps).collect::<Vec<_>>() {
            if let Err(error) = self.events(&part).await {
                self.refused(&error, !part.steps.is_empty());
            }
        }
    }

    /// Reports an attempt. True if the run has to wait for its children.
    pub(super) async fn attempt(&self, attempt: Attempt, step: Option<u32>) -> bool {
        let step = step.filter(|_| !self.is_full);
        let report = ReportAttempts { holding: self.hold.holding.clone(), attempts: vec![attempt], step };
        let run_id = &self.hold.run_id;
        match self.answered(|| self.coordinator.attempts(run_id, &report)).await {
            Ok(reported) => reported.is_some_and(|reported| reported.waiting),
            Err(error) => {
                tracing::warn!(run_id = %self.hold.run_id, %error, "the coordinator rejected an attempt");
                false
            }
        }
    }

    async fn events(&self, batch: &ReportEvents) -> Result<(), ClientError> {
        if batch.events.is_empty() && batch.steps.is_empty() {
            return Ok(());
        }
        let run_id = &self.hold.run_id;
        self.answered(|| self.coordinator.events(run_id, batch)).await.map(|_| ())
    }

    fn refused(&mut self, error: &ClientError, is_step: bool) {
        self.is_full |= is_step;
        tracing::warn!(run_id = %self.hold.run_id, %error, "the coordinator rejected a report");
    }

    /// Sends until it is answered; `None` if the run is lost. An error is a refusal for good.
    async fn answered<T, Sent: Future<Output = Result<T, ClientError>>>(
        &self,
        send: impl Fn() -> Sent,
    ) -> Result<Option<T>, ClientError> {
        let mut backoff = Backoff::default();
        loop {
            match send().await {
                Err(error) if error.is(ErrorName::LeaseLost) => {
                    self.hold.end(Reason::Lost);
                    return Ok(None);
                }
                Err(error) if error.is_transient() => backoff.rest().await,
                answered => return answered.map(Some),
            }
        }
    }
}
