//! Telling the coordinator what happens in a run, in order, in batches, without running ahead of it.
//!
//! What happens waits for a moment, so that it is one request with what happens next, and the last of it is reported together with the
//! end of the run. A step that has to be saved before the work goes on does not wait.

use std::sync::Arc;

use accord_api::{Attempt, EventBody, LastReport, NewStep, step};
use accord_executor::StepSink;
use async_trait::async_trait;
use jiff::Timestamp;
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use crate::coordinator::Coordinator;
use crate::delivery::{Delivery, count};
use crate::drive::Observer;
use crate::leases::LeasedRun;
use crate::limits::{EVENTS_PER_BATCH, REPORT_PAUSE, REPORTS_HELD};

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
    /// The sender gets what is not delivered yet.
    Last(oneshot::Sender<LastReport>),
}

/// Takes what happens in one run.
#[derive(Clone)]
pub(crate) struct Reporter {
    sender: mpsc::Sender<Report>,
    hold: Arc<LeasedRun>,
}

impl Reporter {
    /// A reporter, and the task that sends. The task ends when the reporter is dropped and everything is sent, or when the
    /// run is lost.
    pub(crate) fn start(coordinator: Arc<dyn Coordinator>, hold: &Arc<LeasedRun>) -> (Self, JoinHandle<()>) {
        let (sender, receiver) = mpsc::channel(REPORTS_HELD);
        let (delivery, lost) = (Delivery::new(coordinator, hold), hold.lost.clone());
        let sending = Sending { delivery, lost, receiver, held: LastReport::default(), due: None };
        (Self { sender, hold: Arc::clone(hold) }, tokio::spawn(sending.run()))
    }

    /// Waits until everything is delivered, except for the last batch, which is handed over: it is reported together with the end.
    /// Nothing if the run is lost.
    pub(crate) async fn last(&self) -> LastReport {
        let (sender, receiver) = oneshot::channel();
        // If it cannot be sent, the run is lost.
        let _ = self.sender.send(Report::Last(sender)).await;
        receiver.await.unwrap_or_default()
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
    lost: CancellationToken,
    receiver: mpsc::Receiver<Report>,
    /// What waits for more: events, a step, and then an attempt.
    held: LastReport,
    /// Until then.
    due: Option<Instant>,
}

impl Sending {
    async fn run(mut self) {
        let lost = self.lost.clone();
        tokio::select! {
            () = lost.cancelled() => {}
            () = self.send_all() => {}
        }
    }

    async fn send_all(&mut self) {
        loop {
            let received = match self.due {
                None => self.receiver.recv().await,
                Some(due) => match timeout_at(due, self.receiver.recv()).await {
                    Ok(received) => received,
                    Err(_) => {
                        self.flush().await;
                        continue;
                    }
                },
            };
            match received {
                Some(report) => self.take(report).await,
                None => {
                    self.flush().await;
                    return;
                }
            }
        }
    }

    async fn take(&mut self, report: Report) {
        match report {
            Report::Event(event) => {
                self.make_room(self.held.events.len() >= EVENTS_PER_BATCH).await;
                self.held.events.push(*event);
            }
            // It may be large: one in a batch.
            Report::Step(step) => {
                self.make_room(!self.held.steps.is_empty()).await;
                self.held.steps.push(*step);
            }
            Report::Attempt(judged, asker) => {
                self.make_room(false).await;
                let (attempt, step) = *judged;
                (self.held.attempts, self.held.step) = (vec![attempt], step);
                if let Some(asker) = asker {
                    let waits = self.flush().await;
                    // Nobody waits for it if the run ended meanwhile.
                    let _ = asker.send(waits);
                }
            }
            Report::Barrier(asker) => {
                self.flush().await;
                let _ = asker.send(true);
            }
            Report::Last(asker) => {
                let last = self.taken();
                let last = self.delivery.possible(last);
                if let Err(last) = asker.send(last) {
                    Box::pin(self.delivery.deliver(last)).await;
                }
            }
        }
        if count(&self.held) > 0 {
            self.due.get_or_insert_with(|| Instant::now() + REPORT_PAUSE);
        }
    }

    /// Sends what is held if there is no room for more. An attempt is the last of a batch, because what comes next happened after it.
    async fn make_room(&mut self, is_full: bool) {
        if is_full || !self.held.attempts.is_empty() {
            self.flush().await;
        }
    }

    /// Sends what is held, and says whether the run has to wait for its children.
    async fn flush(&mut self) -> bool {
        let held = self.taken();
        // Boxed: it takes no room while nothing happens.
        Box::pin(self.delivery.deliver(held)).await
    }

    fn taken(&mut self) -> LastReport {
        self.due = None;
        std::mem::take(&mut self.held)
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
