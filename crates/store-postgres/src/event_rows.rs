//! Events as rows.

use accord_domain::event::{Body, NewEvent};
use accord_domain::id::{RunId, WorkflowRunId};
use accord_store::StoreError;
use jiff::Timestamp;
use sqlx::Postgres;
use sqlx::postgres::PgArguments;
use sqlx::query::Query;

use crate::convert::{json, micros};
use crate::error::DbError;
use crate::sql::MOST_EVENTS;

/// A statement to which values are bound.
pub(crate) type Statement<'q> = Query<'q, Postgres, PgArguments>;

/// Writes events, which are numbered within their transaction. More tables can follow.
macro_rules! insert_events {
    ($at:literal, $session:literal, $run:literal, $workflow_run:literal, $kind:literal, $body:literal) => {
        concat!(
            "INSERT INTO events (id, at, session_id, run_id, workflow_run_id, kind, body) SELECT ",
            crate::sql::event_base!(),
            " + t.place - 1, t.at, t.session_id, t.run_id, t.workflow_run_id, t.kind, t.body FROM unnest(",
            $at,
            "::bigint[], ",
            $session,
            "::text[], ",
            $run,
            "::text[], ",
            $workflow_run,
            "::text[], ",
            $kind,
            "::text[], ",
            $body,
            "::text[]) WITH ORDINALITY AS t(at, session_id, run_id, workflow_run_id, kind, body, place)"
        )
    };
}

pub(crate) use insert_events;

/// Something that happens in a workflow run.
pub(crate) struct WorkflowEvent<'a> {
    pub(crate) at: Timestamp,
    pub(crate) workflow_run_id: &'a WorkflowRunId,
    pub(crate) body: &'a Body,
}

/// Events as the values of [`insert_events`].
#[derive(Default)]
pub(crate) struct EventColumns {
    times: Vec<i64>,
    sessions: Vec<Option<String>>,
    runs: Vec<Option<String>>,
    workflow_runs: Vec<Option<String>>,
    kinds: Vec<&'static str>,
    bodies: Vec<String>,
}

impl EventColumns {
    pub(crate) fn of(events: &[NewEvent], of_workflows: &[WorkflowEvent<'_>]) -> Result<Self, DbError> {
        let count = events.len() + of_workflows.len();
        if count > MOST_EVENTS {
            let text = format!("{count} events at once are too many; send at most {MOST_EVENTS}");
            return Err(StoreError::Unavailable(text).into());
        }
        let mut columns = Self::default();
        for event in events {
            columns.push(event.at, &event.body)?;
            columns.sessions.push(Some(event.session_id.to_string()));
            columns.runs.push(event.run_id.as_ref().map(RunId::to_string));
            columns.workflow_runs.push(None);
        }
        for event in of_workflows {
            columns.push(event.at, event.body)?;
            columns.sessions.push(None);
            columns.runs.push(None);
            columns.workflow_runs.push(Some(event.workflow_run_id.to_string()));
        }
        Ok(columns)
    }

    fn push(&mut self, at: Timestamp, body: &Body) -> Result<(), DbError> {
        self.times.push(micros(at));
        self.kinds.push(body.kind());
        self.bodies.push(json(body)?);
        Ok(())
    }

    pub(crate) fn bind(self, query: Statement<'_>) -> Statement<'_> {
        query
            .bind(self.times)
            .bind(self.sessions)
            .bind(self.runs)
            .bind(self.workflow_runs)
            .bind(self.kinds)
            .bind(self.bodies)
    }
}
