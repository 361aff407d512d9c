//! Telling the coordinator what happens in a run, in order, in batches, without running ahead of it.

use std::sync::Arc;

use accord_api::{Attempt, ErrorName, EventBody, ReportAttempts, ReportEvents};
use accord_client::ClientError;
use async_trait::async_trait;
use jiff::Timestamp;
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::backoff::Backoff;
use crate::coordinator::Coordinator;
use crate::drive::Observer;
use crate::leases::{LeasedRun, Reason};
use crate::limits::{EVENTS_PER_BATCH, REPORTS_HELD};

/// Levels of a tool's arguments in an event. JSON readers accept 128 in all, and events are nested in other values;
/// no real call has more.
const MOST_LEVELS: usize = 100;

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
    hold: Arc<LeasedRun>,
}

impl Reporter {
    /// A reporter, and the task that sends. The task ends when the reporter is dropped and everything is sent, or when the
    /// run is lost.
    pub(crate) fn start(coordinator: Arc<dyn Coordinator>, hold: &Arc<LeasedRun>) -> (Self, JoinHandle<()>) {
        let (sender, receiver) = mpsc::channel(REPORTS_HELD);
        let sending = Sending { coordinator, hold: Arc::clone(hold), receiver, next: None };
        (Self { sender, hold: Arc::clone(hold) }, tokio::spawn(sending.run()))
    }

    /// Waits for room, unless the work was stopped.
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
        self.send(Report::Event(Box::new(readable(event)))).await;
    }

    async fn attempt(&self, attempt: Attempt) {
        self.send(Report::Attempt(Box::new(attempt))).await;
    }

    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

/// An event that every reader of JSON takes: arguments that nest too deep become their text.
fn readable(event: EventBody) -> EventBody {
    match event {
        EventBody::ToolStarted { call_id, name, arguments } if !is_within(&arguments, MOST_LEVELS) => {
            EventBody::ToolStarted { call_id, name, arguments: Value::String(arguments.to_string()) }
        }
        other => other,
    }
}

/// Whether a value nests no deeper than this.
fn is_within(value: &Value, levels: usize) -> bool {
    let Some(left) = levels.checked_sub(1) else { return !value.is_array() && !value.is_object() };
    match value {
        Value::Array(items) => items.iter().all(|item| is_within(item, left)),
        Value::Object(members) => members.values().all(|member| is_within(member, left)),
        _ => true,
    }
}

struct Sending {
    coordinator: Arc<dyn Coordinator>,
    hold: Arc<LeasedRun>,
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
            self.deliver(batch).await;
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

    /// Sends a batch. Where the coordinator refuses several events, they are sent one by one, so that the rest is not lost
    /// with the one that it does not take. What it refuses for good is dropped: the run does not depend on it.
    async fn deliver(&self, batch: Batch) {
        let Err(error) = self.answered(&batch).await else { return };
        match batch {
            Batch::Events(ReportEvents { holding, events }) if events.len() > 1 => {
                for event in events {
                    let alone = ReportEvents { holding: holding.clone(), events: vec![event] };
                    if let Err(error) = self.answered(&Batch::Events(alone)).await {
                        self.refused(&error);
                    }
                }
            }
            Batch::Events(_) | Batch::Attempts(_) => self.refused(&error),
        }
    }

    fn refused(&self, error: &ClientError) {
        tracing::warn!(run_id = %self.hold.run_id, %error, "the coordinator rejected a report");
    }

    /// Sends until it is answered. An error is a refusal for good.
    async fn answered(&self, batch: &Batch) -> Result<(), ClientError> {
        let mut backoff = Backoff::default();
        loop {
            match self.send(batch).await {
                Err(error) if error.is(ErrorName::LeaseLost) => {
                    self.hold.end(Reason::Lost);
                    return Ok(());
                }
                Err(error) if error.is_transient() => backoff.rest().await,
                answered => return answered,
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn reported(levels: usize) -> Value {
        let arguments = (0..levels).fold(json!(1.50), |inside, level| match level % 2 {
            0 => json!([inside]),
            _ => json!({"a": inside}),
        });
        let (call_id, name) = ("1".to_owned(), "look".to_owned());
        match readable(EventBody::ToolStarted { call_id, name, arguments }) {
            EventBody::ToolStarted { arguments, .. } => arguments,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn arguments_that_nest_too_deep_become_their_text() {
        assert!(reported(0).is_number() && reported(MOST_LEVELS).is_object());
        let Value::String(text) = reported(MOST_LEVELS + 1) else { panic!("it is no text") };
        assert!(text.starts_with("[{\"a\":[{") && text.ends_with("]}]}]"), "{text}");
    }
}
