//! Telling the coordinator what happens in a run, in order, in batches, without running ahead of it.

use std::sync::Arc;

use accord_api::{Attempt, ErrorName, EventBody, ReportAttempts, ReportEvents};
use accord_client::ClientError;
use async_trait::async_trait;
use jiff::Timestamp;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::backoff::Backoff;
use crate::coordinator::Coordinator;
use crate::drive::Observer;
use crate::leases::{Hold, Reason};
use crate::limits::{EVENTS_PER_BATCH, REPORTS_HELD};

/// Boxed, because a channel makes room for many at once, and thousands of runs wait with an empty one.
enum Report {
    Event(Box<EventBody>),
    Attempt(Box<Attempt>),
}

/// What goes into one request.
enum Batch {
    Events(ReportEvents),
    Attempts(ReportAttempts),
}

/// Takes what happens in one run.
pub(crate) struct Reporter {
    sender: mpsc::Sender<Report>,
    hold: Arc<Hold>,
}

impl Reporter {
    /// A reporter, and the task that sends. The task ends when the reporter is dropped and everything is sent, or when the
    /// run is lost.
    pub(crate) fn start(coordinator: Arc<dyn Coordinator>, hold: &Arc<Hold>) -> (Self, JoinHandle<()>) {
        let (sender, receiver) = mpsc::channel(REPORTS_HELD);
        let sending = Sending { coordinator, hold: Arc::clone(hold), receiver, next: None };
        (Self { sender, hold: Arc::clone(hold) }, tokio::spawn(sending.run()))
    }

    /// Waits for room. Work that is told to end does not wait.
    async fn send(&self, report: Report) {
        let report = match self.sender.try_send(report) {
            Err(mpsc::error::TrySendError::Full(report)) => report,
            Ok(()) | Err(mpsc::error::TrySendError::Closed(_)) => return,
        };
        tokio::select! {
            sent = self.sender.send(report) => drop(sent),
            () = self.hold.cancel.cancelled() => {}
        }
    }
}

#[async_trait]
impl Observer for Reporter {
    async fn event(&self, event: EventBody) {
        self.send(Report::Event(Box::new(event))).await;
    }

    async fn attempt(&self, attempt: Attempt) {
        self.send(Report::Attempt(Box::new(attempt))).await;
    }

    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

struct Sending {
    coordinator: Arc<dyn Coordinator>,
    hold: Arc<Hold>,
    receiver: mpsc::Receiver<Report>,
    /// What was received and belongs into the next batch.
    next: Option<Report>,
}

impl Sending {
    async fn run(mut self) {
        let lost = self.hold.lost.clone();
        tokio::select! {
            () = lost.cancelled() => {}
            () = self.send_all() => {}
        }
    }

    async fn send_all(&mut self) {
        while let Some(report) = self.receive().await {
            let holding = self.hold.holding.clone();
            let batch = match report {
                Report::Event(event) => Batch::Events(ReportEvents { holding, events: self.events(*event) }),
                Report::Attempt(attempt) => {
                    Batch::Attempts(ReportAttempts { holding, attempts: vec![*attempt] })
                }
            };
            self.deliver(&batch).await;
        }
    }

    async fn receive(&mut self) -> Option<Report> {
        match self.next.take() {
            Some(report) => Some(report),
            None => self.receiver.recv().await,
        }
    }

    /// What came while the last batch was on its way.
    fn events(&mut self, first: EventBody) -> Vec<EventBody> {
        let mut events = vec![first];
        while events.len() < EVENTS_PER_BATCH {
            match self.receiver.try_recv() {
                Ok(Report::Event(event)) => events.push(*event),
                Ok(other) => {
                    self.next = Some(other);
                    break;
                }
                Err(_) => break,
            }
        }
        events
    }

    /// Sends until it is answered. What the coordinator refuses for good is dropped: the run does not depend on it.
    async fn deliver(&self, batch: &Batch) {
        let mut backoff = Backoff::default();
        loop {
            match self.send(batch).await {
                Ok(()) => return,
                Err(error) if error.is(ErrorName::LeaseLost) => return self.hold.end(Reason::Lost),
                Err(error) if error.is_transient() => backoff.rest().await,
                Err(error) => {
                    tracing::warn!(run_id = %self.hold.run_id, %error, "a report is refused");
                    return;
                }
            }
        }
    }

    async fn send(&self, batch: &Batch) -> Result<(), ClientError> {
        let run_id = &self.hold.run_id;
        match batch {
            Batch::Events(report) => self.coordinator.events(run_id, report).await,
            Batch::Attempts(report) => self.coordinator.attempts(run_id, report).await,
        }
    }
}
