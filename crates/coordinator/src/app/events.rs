//! Events are followed by reading the store and nothing else, so the order is the store's, nothing is missed, and a slow reader
//! costs one page of memory. A wake-up only says when to read.

use std::fmt::Display;
use std::sync::Arc;

use accord_api::PageQuery;
use accord_domain::event::{Event, OUTPUT_DELTA};
use accord_domain::id::{EventId, SessionId};
use accord_store::{EventFilter, EventLimit, EventStore, MOST_EVENT_BYTES, SessionStore};
use tokio_util::sync::CancellationToken;

use super::page;
use crate::error::{Error, refuse};
use crate::hub::{Hub, Topic, Watch};
use crate::outstanding::{Holder, Outstanding, Turn};

/// The kinds that can be asked for.
pub(crate) const EVENT_KINDS: &[&str] = &[
    "session.created",
    "run.queued",
    "run.claimed",
    "run.started",
    "message",
    OUTPUT_DELTA,
    "tool.started",
    "tool.finished",
    "request.repeated",
    "attempt.judged",
    "run.waiting",
    "run.input_required",
    "input.closed",
    "result",
    "run.completed",
    "run.failed",
    "run.stopped",
    "callback.delivered",
    "callback.held",
    "workflow.node_started",
    "workflow.node_finished",
    "workflow.contradiction",
    "workflow.comparison_truncated",
    "workflow.finished",
];

/// How much is read at once for a follower, and held until it is sent: a page of small events. There may be thousands of
/// followers, and one that does not read holds a page.
const PAGE: EventLimit = EventLimit { events: 64, bytes: 64 * 1024 };

/// Before the first event.
const BEGINNING: EventId = EventId(0);

pub(crate) struct Events {
    pub(super) events: Arc<dyn EventStore>,
    pub(super) sessions: Arc<dyn SessionStore>,
    pub(super) hub: Arc<Hub>,
    pub(super) outstanding: Outstanding,
    pub(super) closing: CancellationToken,
}

impl Events {
    /// A page of a session's events, in order, as JSON text.
    pub(crate) async fn of_session(&self, session_id: &SessionId, query: PageQuery) -> Result<String, Error> {
        let limit = page::limit(query.limit)?;
        let after = match page::given(query.cursor.as_deref()) {
            None => BEGINNING,
            Some(cursor) => cursor.parse().map_err(|error| refuse(format!("cursor: {error}")))?,
        };
        self.sessions.session(session_id).await?;
        let filter = EventFilter { session_id: Some(session_id.clone()), ..EventFilter::default() };
        let events = self.events.events(&filter, after, EventLimit::of(limit)).await?;
        // A full page may be the last one, so the event after it is looked up.
        let is_full = events.len() >= limit as usize
            || events.iter().map(|event| event.body.len()).sum::<usize>() >= MOST_EVENT_BYTES;
        let next_cursor = match events.last().filter(|_| is_full) {
            Some(last) if !self.events.events(&filter, last.id, EventLimit::of(1)).await?.is_empty() => {
                Some(last.id.to_string())
            }
            _ => None,
        };
        let items: Vec<String> = events.iter().map(event_json).collect();
        let next = next_cursor.map_or_else(|| "null".to_owned(), |cursor| format!("\"{cursor}\""));
        Ok(format!("{{\"items\":[{}],\"next_cursor\":{next}}}", items.join(",")))
    }

    /// Starts to follow events: those after an id, or new ones. An id beyond the newest event means new ones too.
    pub(crate) async fn follow(
        self: &Arc<Self>,
        holder: Holder,
        following: Following,
    ) -> Result<Follower, Error> {
        let filter = &following.filter;
        let topic = match (&filter.workflow_run_id, &filter.run_id, &filter.session_id) {
            (Some(id), _, _) => Topic::WorkflowEvents(id.clone()),
            (None, Some(run_id), _) => Topic::RunEvents(run_id.clone()),
            (None, None, Some(session_id)) => Topic::SessionEvents(session_id.clone()),
            (None, None, None) => Topic::Events,
        };
        let watch = self.hub.watch(vec![topic]);
        let after = match following.after {
            Some(BEGINNING) => BEGINNING,
            // An id beyond the last event comes from another database, before a reset or a restored copy. Waiting for later ids
            // would miss all events until then.
            Some(after) => after.min(self.events.last_event().await?),
            None => self.events.last_event().await?,
        };
        Ok(Follower { events: Arc::clone(self), holder, watch, after, newest: after, following })
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Following {
    pub(crate) filter: EventFilter,
    /// After this one; none is from now on.
    pub(crate) after: Option<EventId>,
}

/// A follower of events. It continues after the last event that was read and not after the last that matched, which may be long
/// ago.
pub(crate) struct Follower {
    events: Arc<Events>,
    holder: Holder,
    watch: Watch,
    after: EventId,
    /// The newest event before the next read: a read that finds nothing has covered everything up
    /// to it.
    newest: EventId,
    following: Following,
}

#[derive(Debug)]
pub(crate) enum Followed {
    /// Events, in order, and the turn in which they were read.
    Events(Vec<Event>, Turn),
    Closed,
}

impl Follower {
    /// The next events, waiting for them. Can be dropped and called again: nothing is lost.
    pub(crate) async fn next(&mut self) -> Result<Followed, Error> {
        loop {
            if self.events.closing.is_cancelled() {
                return Ok(Followed::Closed);
            }
            let turn = tokio::select! {
                turn = self.events.outstanding.turn_when_read(&self.holder) => turn,
                () = self.events.closing.cancelled() => return Ok(Followed::Closed),
            };
            let events = self.events.events.events(&self.following.filter, self.after, PAGE).await?;
            if let Some(last) = events.last() {
                self.after = last.id;
                return Ok(Followed::Events(events, turn));
            }
            drop(turn);
            self.after = self.after.max(self.newest);
            if !self.following.filter.kinds.is_empty() {
                self.newest = self.events.events.last_event().await?;
            }
            tokio::select! {
                () = self.watch.changed() => {}
                () = self.events.closing.cancelled() => {}
            }
        }
    }
}

/// An event as callers see it. The stored body is an object, and is spliced in without being read.
pub(crate) fn event_json(event: &Event) -> String {
    let Event { id, at, session_id, run_id, workflow_run_id, body, .. } = event;
    let quoted = |id: Option<&dyn Display>| id.map_or_else(|| "null".to_owned(), |id| format!("\"{id}\""));
    let session_id = quoted(session_id.as_ref().map(|id| id as &dyn Display));
    let run_id = quoted(run_id.as_ref().map(|id| id as &dyn Display));
    let workflow_run_id =
        workflow_run_id.as_ref().map_or_else(String::new, |id| format!(",\"workflow_run_id\":\"{id}\""));
    let rest = body.strip_prefix('{').unwrap_or("}");
    let comma = if rest == "}" { "" } else { "," };
    format!(
        "{{\"id\":\"{id}\",\"at\":\"{at}\",\"session_id\":{session_id},\"run_id\":{run_id}{workflow_run_id}{comma}{rest}"
    )
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use accord_api::EventView;
    use accord_domain::event::Body;
    use accord_domain::id::RunId;
    use jiff::Timestamp;

    use super::*;
    use crate::app::agents::fixture::{Fixture, reviewer};

    #[tokio::test]
    async fn events_are_not_read_twice() {
        let fixture = Fixture::new(&[]);
        fixture.post("/agents", &reviewer("reviewer")).await;
        let run = serde_json::json!({"agent_name": "reviewer", "prompt": "x"});
        let kinds = vec!["run.failed".to_owned()];
        let filter = EventFilter { kinds, ..EventFilter::default() };
        let mut follower = fixture
            .app
            .events
            .follow(Holder::Address(None), Following { filter, after: None })
            .await
            .unwrap();
        for _ in 0..2 {
            assert_eq!(fixture.post("/runs", &run).await.status.as_u16(), 201);
            let newest = fixture.store.last_event().await.unwrap();
            assert!(follower.after < newest);
            // The first read of the newest event finds that it is the newest, the second continues
            // after it. On a busy machine, a wait may end before the read does.
            for _ in 0..100 {
                let next = tokio::time::timeout(Duration::from_millis(50), follower.next()).await;
                assert!(next.is_err(), "{next:?}");
                if follower.after == newest {
                    break;
                }
            }
            assert_eq!(follower.after, newest);
        }
    }

    #[test]
    fn a_spliced_event_reads_as_the_event() {
        let view = EventView {
            id: EventId(7),
            at: Timestamp::from_millisecond(1_800_000_000_123).unwrap(),
            session_id: Some(SessionId::new("1")),
            run_id: Some(RunId::new("1")),
            workflow_run_id: None,
            body: Body::Message { role: "assistant".into(), text: "a\n\"b\" \u{0} 🦀".into() },
        };
        let event = Event {
            id: view.id,
            at: view.at,
            session_id: view.session_id.clone(),
            run_id: view.run_id.clone(),
            workflow_run_id: None,
            kind: view.body.kind().into(),
            body: serde_json::to_string(&view.body).unwrap(),
        };
        assert_eq!(event_json(&event), serde_json::to_string(&view).unwrap());
        let of_workflow = Some(accord_domain::id::WorkflowRunId::new("1"));
        let view = EventView { session_id: None, run_id: None, workflow_run_id: of_workflow.clone(), ..view };
        let event = Event { session_id: None, run_id: None, workflow_run_id: of_workflow, ..event };
        assert_eq!(event_json(&event), serde_json::to_string(&view).unwrap());
    }
}
