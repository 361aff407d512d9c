//! Reads new events as they become readable, and says which sessions have some.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use accord_domain::id::EventId;
use accord_store::Notice;
use sqlx::{PgPool, Row};
use tokio::time::{sleep, timeout};

use super::{Hub, LONGEST_LOOK};
use crate::convert::id;
use crate::error::{DbError, within};
use crate::events::{SETTLE_PAUSE, floor};
use crate::horizon::event_horizon;

/// Events that are read at once.
const PAGE: i64 = 1000;

/// Unasked looks: this late a notice is when a process died before it could send it.
const UNASKED: Duration = Duration::from_secs(2);

/// The longest pause between two looks at events that a long transaction holds back.
const LONGEST_PAUSE: Duration = Duration::from_millis(100);

/// Between two tries to reach a server that is gone.
const TROUBLE_PAUSE: Duration = Duration::from_millis(250);

const NEW: &str = concat!(
    "SELECT e.id, e.session_id, e.run_id, e.workflow_run_id, e.kind, h.horizon FROM events e, (SELECT ",
    event_horizon!(),
    " AS horizon) h WHERE e.id > $1 ORDER BY e.id LIMIT $2"
);

/// What follows the events read so far.
enum Beyond {
    Nothing,
    /// Events that can be read now.
    More,
    /// Events that an open transaction holds back.
    Unsettled,
}

/// Runs until the store is gone.
pub(super) async fn run(pool: PgPool, hub: Arc<Hub>, mut position: EventId) {
    let (mut pause, mut looks) = (SETTLE_PAUSE, 0);
    loop {
        let missed = hub.missed.swap(false, Ordering::AcqRel);
        let looking = advance(&pool, &hub, &mut position, missed, looks);
        let beyond = within(LONGEST_LOOK, looking).await;
        if missed && !matches!(beyond, Ok(Beyond::Nothing)) {
            hub.missed.store(true, Ordering::Release);
        }
        match beyond {
            Ok(Beyond::More) => {}
            Ok(Beyond::Unsettled) => {
                sleep(pause).await;
                pause = (pause * 2).min(LONGEST_PAUSE);
                looks += 1;
            }
            Ok(Beyond::Nothing) => {
                (pause, looks) = (SETTLE_PAUSE, 0);
                timeout(UNASKED, hub.wake.notified()).await.ok();
            }
            Err(error) => {
                tracing::debug!(?error, "new events cannot be read");
                hub.missed.store(true, Ordering::Release);
                sleep(TROUBLE_PAUSE).await;
            }
        }
    }
}

async fn advance(
    pool: &PgPool,
    hub: &Hub,
    position: &mut EventId,
    missed: bool,
    looks: u32,
) -> Result<Beyond, DbError> {
    let floor = floor(pool, looks).await?.0;
    let rows = sqlx::query(NEW).bind(position.0).bind(PAGE).fetch_all(pool).await?;
    let mut told = HashSet::new();
    let mut queued = false;
    let mut beyond = if rows.len() as i64 == PAGE { Beyond::More } else { Beyond::Nothing };
    for row in &rows {
        let event_id: i64 = row.try_get("id")?;
        if event_id >= row.try_get::<i64, _>("horizon")?.max(floor) {
            beyond = Beyond::Unsettled;
            break;
        }
        *position = EventId(event_id);
        let (session_id, run_id, kind): (Option<&str>, Option<&str>, &str) =
            (row.try_get("session_id")?, row.try_get("run_id")?, row.try_get("kind")?);
        let workflow_run_id: Option<&str> = row.try_get("workflow_run_id")?;
        if told.insert((session_id.or(workflow_run_id), run_id)) {
            if let Some(session_id) = session_id {
                hub.send(Notice::Events { session_id: id(session_id)?, run_id: run_id.map(id).transpose()? });
            }
            if let Some(workflow_run_id) = workflow_run_id {
                hub.send(Notice::WorkflowEvents { workflow_run_id: id(workflow_run_id)? });
            }
        }
        if missed {
            queued |= kind == "run.queued";
            let over = matches!(kind, "run.completed" | "run.failed" | "run.stopped");
            if let Some(run_id) = run_id.filter(|_| over) {
                hub.send(Notice::Changed { run_id: id(run_id)?, over: true });
            }
            if let Some(workflow_run_id) = workflow_run_id.filter(|_| kind == "workflow.finished") {
                hub.send(Notice::WorkflowChanged { workflow_run_id: id(workflow_run_id)? });
            }
        }
    }
    if queued {
        hub.send(Notice::Queued);
    }
    Ok(beyond)
}
