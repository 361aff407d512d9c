//! Sends what happened in a run until it is answered.

use std::sync::Arc;

use accord_api::{ErrorName, LastReport, ReportAttempts, ReportEvents};
use accord_client::ClientError;

use crate::backoff::Backoff;
use crate::coordinator::Coordinator;
use crate::leases::{LeasedRun, Reason};

/// The way to the coordinator for the reports of one run.
pub(crate) struct Delivery {
    coordinator: Arc<dyn Coordinator>,
    hold: Arc<LeasedRun>,
    /// Whether a step was rejected. The following ones are not sent, because they would not follow
    /// from the stored ones.
    is_full: bool,
}

/// A report that was refused for good.
type Refused = Box<(ClientError, LastReport)>;

impl Delivery {
    pub(crate) fn new(coordinator: Arc<dyn Coordinator>, hold: &Arc<LeasedRun>) -> Self {
        Self { coordinator, hold: Arc::clone(hold), is_full: false }
    }

    /// Sends what happened, and says whether the run has to wait for its children. If the coordinator refuses it, its parts are sent
    /// one by one, so that the rest is not lost with the one that it does not take. An event that it refuses for good is dropped:
    /// the run does not depend on it. After a step that it refuses no more steps are sent: the run starts after the last saved one
    /// if its runner is lost.
    pub(crate) async fn deliver(&mut self, told: LastReport) -> bool {
        let told = self.possible(told);
        if count(&told) == 0 {
            return false;
        }
        let refused = match self.send(told).await {
            Ok(waits) => return waits,
            Err(refused) => refused,
        };
        if count(&refused.1) == 1 {
            self.refused(&refused);
            return false;
        }
        let mut waits = false;
        for part in parts(refused.1) {
            match self.send(self.possible(part)).await {
                Ok(answer) => waits |= answer,
                Err(refused) => self.refused(&refused),
            }
        }
        waits
    }

    /// The report without what cannot be saved.
    pub(crate) fn possible(&self, told: LastReport) -> LastReport {
        match self.is_full {
            true => LastReport { steps: Vec::new(), step: None, ..told },
            false => told,
        }
    }

    async fn send(&self, told: LastReport) -> Result<bool, Refused> {
        let LastReport { events, steps, attempts, step } = told;
        let (run_id, holding) = (&self.hold.run_id, self.hold.holding.clone());
        if attempts.is_empty() {
            let report = ReportEvents { holding, events, steps };
            let Err(error) = self.answered(|| self.coordinator.events(run_id, &report)).await else {
                return Ok(false);
            };
            let ReportEvents { events, steps, .. } = report;
            return Err(Box::new((error, LastReport { events, steps, attempts, step })));
        }
        let report = ReportAttempts { holding, attempts, step, events, steps };
        match self.answered(|| self.coordinator.attempts(run_id, &report)).await {
            Ok(reported) => Ok(reported.is_some_and(|reported| reported.waiting)),
            Err(error) => {
                let ReportAttempts { attempts, step, events, steps, .. } = report;
                Err(Box::new((error, LastReport { events, steps, attempts, step })))
            }
        }
    }

    fn refused(&mut self, refused: &(ClientError, LastReport)) {
        let (error, told) = refused;
        self.is_full |= !told.steps.is_empty();
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

/// How many parts a report has.
pub(crate) fn count(told: &LastReport) -> usize {
    told.events.len() + told.steps.len() + told.attempts.len()
}

/// The parts of a report, each by itself, in order.
fn parts(told: LastReport) -> impl Iterator<Item = LastReport> {
    let LastReport { events, steps, attempts, step } = told;
    let events = events.into_iter().map(|event| LastReport { events: vec![event], ..LastReport::default() });
    let steps = steps.into_iter().map(|step| LastReport { steps: vec![step], ..LastReport::default() });
    let judged = move |attempt| LastReport { attempts: vec![attempt], step, ..LastReport::default() };
    events.chain(steps).chain(attempts.into_iter().map(judged))
}
