//! The stream of events, restored after a lost connection.

use std::collections::VecDeque;
use std::pin::Pin;
use std::time::Duration;

use accord_api::{EventId, EventView, RunId, SessionId, WorkflowRunId};
use accord_sse::{Decoder, Event, EventError};
use futures_util::Stream;
use futures_util::stream;
use reqwest::Response;
use serde_json::{Value, json};

use crate::client::{Client, MAX_ANSWER_BYTES};
use crate::error::ClientError;

/// The coordinator sends heartbeats: after this silence the connection is dead, even if it reports no error.
const SILENCE: Duration = Duration::from_secs(60);

/// The pauses before a lost stream is opened again: the first and the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// Which events. Absent fields match everything.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EventFilter {
    /// Of this session.
    pub session_id: Option<SessionId>,
    /// Of this run.
    pub run_id: Option<RunId>,
    /// Of this workflow run.
    pub workflow_run_id: Option<WorkflowRunId>,
    /// Of these types: `run.completed`, `attempt.judged`, …
    pub types: Vec<String>,
}

impl EventFilter {
    fn query(&self) -> Value {
        let types = (!self.types.is_empty()).then(|| self.types.join(","));
        json!({
            "session_id": self.session_id,
            "run_id": self.run_id,
            "workflow_run_id": self.workflow_run_id,
            "types": types,
        })
    }
}

/// Events as they come.
pub type EventStream = Pin<Box<dyn Stream<Item = Result<EventView, ClientError>> + Send>>;

impl Client {
    /// Events after `after`, or all new ones. A lost connection is restored and no event is missed.
    /// An event that cannot be read is an error and the stream continues; an error of the request
    /// itself (no key, no such session) ends it.
    pub fn events(&self, filter: &EventFilter, after: Option<EventId>) -> EventStream {
        let reader = EventReader {
            client: self.clone(),
            query: filter.query(),
            last: after.map(|id| id.to_string()),
            pause: FIRST_PAUSE,
            ready: VecDeque::new(),
            open: None,
            over: false,
        };
        Box::pin(stream::unfold(reader, |mut reader| async {
            let item = reader.next().await?;
            Some((item, reader))
        }))
    }
}

struct EventReader {
    client: Client,
    query: Value,
    last: Option<String>,
    pause: Duration,
    ready: VecDeque<Result<Event, EventError>>,
    open: Option<(Response, Decoder)>,
    over: bool,
}

impl EventReader {
    async fn next(&mut self) -> Option<Result<EventView, ClientError>> {
        while !self.over {
            if let Some(event) = self.ready.pop_front() {
                return Some(self.event(event));
            }
            if self.open.is_some() {
                self.read().await;
            } else if let Err(error) = self.connect().await {
                self.over = true;
                return Some(Err(error));
            }
        }
        None
    }

    fn event(&mut self, event: Result<Event, EventError>) -> Result<EventView, ClientError> {
        let (id, data) = match event {
            Ok(event) => (event.id, Ok(event.data)),
            Err(EventError::TooLong { id }) => {
                (id, Err(format!("an event has more than {MAX_ANSWER_BYTES} bytes")))
            }
            Err(EventError::NotUtf8) => (None, Err("an event is not UTF-8".to_owned())),
        };
        self.last = id.or_else(|| self.last.take());
        let data = data.map_err(|reason| self.client.unreadable(reason))?;
        let event: EventView = serde_json::from_str(&data)
            .map_err(|error| self.client.unreadable(format!("an event: {error}")))?;
        self.last = Some(event.id.to_string());
        Ok(event)
    }

    /// Connects, or waits if that is not possible now. An error is final.
    async fn connect(&mut self) -> Result<(), ClientError> {
        let call = self.client.get(&["events"]).query(self.query.clone()).endless();
        let call = call.header("accept", Some("text/event-stream"));
        let sending = call.header("last-event-id", self.last.as_deref()).send();
        match tokio::time::timeout(SILENCE, sending).await {
            Ok(Ok(response)) => self.open = Some((response, Decoder::new(MAX_ANSWER_BYTES))),
            Ok(Err(error)) if !error.is_transient() => return Err(error),
            Ok(Err(_)) | Err(_) => self.back_off().await,
        }
        Ok(())
    }

    async fn read(&mut self) {
        let Some((response, decoder)) = &mut self.open else { return };
        match tokio::time::timeout(SILENCE, response.chunk()).await {
            Ok(Ok(Some(bytes))) => {
                self.pause = FIRST_PAUSE;
                self.ready.extend(decoder.feed(&bytes));
            }
            Ok(Ok(None) | Err(_)) | Err(_) => self.disconnect().await,
        }
    }

    async fn disconnect(&mut self) {
        self.open = None;
        self.back_off().await;
    }

    async fn back_off(&mut self) {
        tokio::time::sleep(self.pause).await;
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
    }
}
