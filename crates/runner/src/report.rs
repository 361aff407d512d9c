//! Telling the coordinator what happens in a run, in order, in batches, without running ahead of it.

use std::sync::Arc;

use accord_api::{Attempt, ErrorName, EventBody, NewStep, ReportAttempts, ReportEvents, step};
use accord_client::ClientError;
use accord_executor::StepSink;
use async_trait::async_trait;
use jiff::Timestamp;
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};
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
    /// A reporter, and the task that sends. The task ends when the reporter is dropped and everything is sent, or when the
    /// run is lost.
    pub(crate) fn start(coordinator: Arc<dyn Coordinator>, hold: &Arc<LeasedRun>) -> (Self, JoinHandle<()>) {
        let (sender, receiver) = mpsc::channel(REPORTS_HELD);
        let sending = Sending { coordinator, hold: Arc::clone(hold), receiver, next: None, is_full: false };
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
    coordinator: Arc<dyn Coordinator>,
    hold: Arc<LeasedRun>,
    receiver: mpsc::Receiver<Report>,
    /// What was received and belongs into the next batch.
    next: Option<Report>,
    /// Whether a step was refused. Those behind it are not sent: they would not follow from the ones before.
    is_full: bool,
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
            match report {
                Report::Event(_) | Report::Step(_) => {
                    let batch = self.batch(report);
                    self.deliver(batch).await;
                }
                Report::Attempt(judged, asker) => {
                    let (attempt, step) = *judged;
                    let waits = self.attempt(attempt, step).await;
                    asker.map(|asker| asker.send(waits));
                }
                Report::Barrier(asker) => drop(asker.send(true)),
            }
        }
    }

    async fn receive(&mut self) -> Option<Report> {
        match self.next.take() {
            Some(report) => Some(report),
            None => self.receiver.recv().await,
        }
    }

    /// What came while the last batch was on its way. A step ends a batch: it may be large.
    fn batch(&mut self, first: Report) -> ReportEvents {
        let holding = self.hold.holding.clone();
        let mut batch = ReportEvents { holding, events: Vec::new(), steps: Vec::new() };
        let mut next = Some(first);
        while let Some(report) = next.take() {
            match report {
                Report::Event(event) => batch.events.push(*event),
                Report::Step(step) => {
                    batch.steps.push(*step);
                    break;
                }
                other => {
                    self.next = Some(other);
                    break;
                }
            }
            if batch.events.len() < EVENTS_PER_BATCH {
                next = self.receiver.try_recv().ok();
            }
        }
        batch
    }

    /// Sends a batch. If the coordinator refuses it, its parts are sent one by one, so that the rest is not lost with the one that
    /// it does not take. An event that it refuses for good is dropped: the run does not depend on it. After a step that it
    /// refuses no more steps are sent: the run starts after the last saved one if its runner is lost.
    async fn deliver(&mut self, mut batch: ReportEvents) {
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

    async fn attempt(&self, attempt: Attempt, step: Option<u32>) -> bool {
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
