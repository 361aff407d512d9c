//! Telling the coordinator what happens in a run, in order, in batches, without running ahead of it.
//!
//! What happens within a moment goes into one batch. What happens right before the end of a run is not sent here: it goes with
//! the end, so that a caller does not wait for requests that only prepare it.

mod delivery;

use std::sync::Arc;

use accord_api::{Attempt, EventBody, LastReport, NewStep, step};
use accord_executor::StepSink;
use async_trait::async_trait;
use jiff::Timestamp;
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};

use crate::coordinator::Coordinator;
use crate::drive::Observer;
use crate::leases::LeasedRun;
use crate::limits::{EVENTS_PER_BATCH, GATHERING, REPORTS_HELD};
pub(crate) use delivery::Delivery;

/// Levels of a tool's arguments in an event. JSON readers accept 128 in all, and events are nested in other values;
/// no real call has more.
const MOST_LEVELS: usize = 100;

/// Boxed, because a channel makes room for many at once, and thousands of runs wait with an empty one.
enum Report {
    Event(Box<EventBody>),
    Step(Box<NewStep>),
    /// The sender gets whether the run has to wait for its children.
    Attempt(Box<(Attempt, Option<u32>)>, Option<oneshot::Sender<bool>>),
    /// Everything before it is delivered when this is dropped.
    Barrier(oneshot::Sender<bool>),
}

/// Takes what happens in one run.
#[derive(Clone)]
pub(crate) struct Reporter {
    sender: mpsc::Sender<Report>,
    hold: Arc<LeasedRun>,
}

impl Reporter {
    /// A reporter, and the task that sends. The task ends when the reporter is dropped, with what is not sent yet, or when the
    /// run is lost.
    pub(crate) fn start(
        coordinator: Arc<dyn Coordinator>,
        hold: &Arc<LeasedRun>,
    ) -> (Self, JoinHandle<LastReport>) {
        let (sender, receiver) = mpsc::channel(REPORTS_HELD);
        let sending = Sending { delivery: Delivery::new(coordinator, hold), receiver, next: None };
        (Self { sender, hold: Arc::clone(hold) }, tokio::spawn(sending.run()))
    }

    /// The answer to a report; false if the run ended meanwhile.
    async fn answered(&self, receiver: oneshot::Receiver<bool>) -> bool {
        tokio::select! {
            answer = receiver => answer.unwrap_or(false),
            () = self.hold.cancel.cancelled() => false,
        }
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

    async fn attempt(&self, attempt: Attempt, step: Option<u32>) -> bool {
        if !attempt.outcome.is_answer() {
            self.send(Report::Attempt(Box::new((attempt, step)), None)).await;
            return false;
        }
        let (sender, receiver) = oneshot::channel();
        self.send(Report::Attempt(Box::new((attempt, step)), Some(sender))).await;
        self.answered(receiver).await
    }

    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

#[async_trait]
impl StepSink for Reporter {
    async fn save(&self, number: u32, body: step::Body) {
        self.send(Report::Step(Box::new(NewStep { number, body }))).await;
    }

    async fn saved(&self) {
        let (sender, receiver) = oneshot::channel();
        self.send(Report::Barrier(sender)).await;
        self.answered(receiver).await;
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
    delivery: Delivery,
    receiver: mpsc::Receiver<Report>,
    /// What was received and belongs into the next batch.
    next: Option<Report>,
}

impl Sending {
    /// Sends everything but what came last: that may go with the end of the run.
    async fn run(mut self) -> LastReport {
        let lost = self.delivery.hold.lost.clone();
        tokio::select! {
            () = lost.cancelled() => LastReport::default(),
            last = self.send_all() => last,
        }
    }

    async fn send_all(&mut self) -> LastReport {
        while let Some(report) = self.receive().await {
            match report {
                Report::Attempt(judged, Some(asker)) => {
                    let (attempt, step) = *judged;
                    let _ = asker.send(self.delivery.attempt(attempt, step).await);
                }
                Report::Barrier(asker) => drop(asker.send(true)),
                first => match self.batch(first).await {
                    Batch::Last(last) => return self.delivery.sendable(last),
                    Batch::Due(batch) => self.delivery.deliver(batch).await,
                },
            }
        }
        LastReport::default()
    }

    async fn receive(&mut self) -> Option<Report> {
        match self.next.take() {
            Some(report) => Some(report),
            None => self.receiver.recv().await,
        }
    }

    /// What comes within a moment, unless somebody waits for it. It has one step at most, which may be large, and ends with an
    /// attempt.
    async fn batch(&mut self, first: Report) -> Batch {
        let until = Instant::now() + GATHERING;
        let mut batch = LastReport::default();
        let mut next = Some(first);
        while let Some(report) = next.take() {
            match report {
                Report::Event(event) if batch.attempts.is_empty() => batch.events.push(*event),
                Report::Step(step) if batch.steps.is_empty() && batch.attempts.is_empty() => {
                    batch.steps.push(*step);
                }
                Report::Attempt(judged, None) if batch.attempts.is_empty() => {
                    let (attempt, step) = *judged;
                    batch.attempts.push(attempt);
                    batch.step = step;
                }
                other => {
                    self.next = Some(other);
                    break;
                }
            }
            if batch.events.len() < EVENTS_PER_BATCH {
                match timeout_at(until, self.receiver.recv()).await {
                    Ok(Some(report)) => next = Some(report),
                    Ok(None) => return Batch::Last(batch),
                    Err(_) => {}
                }
            }
        }
        Batch::Due(batch)
    }
}

enum Batch {
    /// Nothing comes after it.
    Last(LastReport),
    Due(LastReport),
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
