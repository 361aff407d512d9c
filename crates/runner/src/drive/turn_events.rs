//! Reports what happens in a turn as events of the run.

use accord_api::{EventBody, OutputChannel, RunId};
use accord_executor::{Channel, Event};
use serde_json::Value;

use super::Observer;
use super::budget::Budget;
use super::live::Live;
use crate::limits::{EVENT_ARGUMENTS_BYTES, EVENT_TEXT_BYTES, REQUESTS_TIMED};
use crate::text::shortened;

/// Reports the events of a turn, and keeps what is needed afterwards.
pub(super) struct TurnEvents<'a> {
    observer: &'a dyn Observer,
    run_id: &'a RunId,
    budget: &'a Budget,
    /// How long each request took.
    pub(super) requests: Vec<u64>,
    /// Whether a tool was used.
    pub(super) has_worked: bool,
    pub(super) live: Live,
}

impl<'a> TurnEvents<'a> {
    pub(super) fn new(observer: &'a dyn Observer, run_id: &'a RunId, budget: &'a Budget) -> Self {
        let live = Live::default();
        Self { observer, run_id, budget, requests: Vec::new(), has_worked: false, live }
    }

    /// Tells the output that is due.
    pub(super) async fn tell_output(&mut self) {
        for body in self.live.take_due() {
            self.observer.event(body).await;
        }
    }

    pub(super) async fn tell(&mut self, event: Event) {
        if let Some(body) = self.body(event) {
            self.observer.event(body).await;
        }
    }

    fn body(&mut self, event: Event) -> Option<EventBody> {
        let run_id = self.run_id;
        Some(match event {
            Event::Partial { channel, text } => {
                let channel = match channel {
                    Channel::Text => OutputChannel::Text,
                    Channel::Stderr => OutputChannel::Stderr,
                };
                self.live.take(channel, &text);
                return None;
            }
            Event::Message { text } => {
                self.live.discard_text();
                EventBody::Message { role: "assistant".to_owned(), text: shortened(&text, EVENT_TEXT_BYTES) }
            }
            Event::ToolStarted { call_id, name, arguments } => {
                self.has_worked = true;
                EventBody::ToolStarted { call_id, name, arguments: fitting(arguments) }
            }
            Event::ToolFinished { call_id, name, ok, output } => {
                let output = shortened(&output, EVENT_TEXT_BYTES);
                EventBody::ToolFinished { call_id, name, ok, output }
            }
            Event::Conversation(_) => return None,
            Event::Replayed(event) => {
                self.has_worked |= matches!(*event, Event::ToolStarted { .. });
                return None;
            }
            Event::Requested { endpoint, milliseconds, status } => {
                tracing::debug!(%run_id, endpoint, milliseconds, status, "requested");
                if self.requests.len() < REQUESTS_TIMED {
                    self.requests.push(milliseconds);
                }
                return None;
            }
            Event::Retrying { reason, milliseconds, attempts, attempts_left, milliseconds_left } => {
                tracing::info!(%run_id, reason, milliseconds, attempts, "request retried");
                EventBody::RequestRepeated {
                    reason: shortened(&reason, EVENT_TEXT_BYTES),
                    milliseconds,
                    attempts,
                    attempts_left,
                    milliseconds_left: milliseconds_left.map(|left| self.within_the_run(left, milliseconds)),
                }
            }
        })
    }

    /// The time that is left for more attempts after a pause: not longer than the run may take.
    fn within_the_run(&self, left: u64, pause: u64) -> u64 {
        let run = self.budget.time_left().and_then(|time| u64::try_from(time.as_millis()).ok());
        run.map_or(left, |run| left.min(run.saturating_sub(pause)))
    }
}

/// Arguments that are too long for an event become a text that says so.
fn fitting(arguments: Value) -> Value {
    let text = arguments.to_string();
    if text.len() <= EVENT_ARGUMENTS_BYTES {
        return arguments;
    }
    Value::String(shortened(&text, EVENT_ARGUMENTS_BYTES))
}
