//! What parents are owed. Everything but a new end is written under the lock of the parent's session.

mod orphans;
mod waiting;

use std::collections::HashSet;

use accord_domain::callback::{self, Held, Undelivered};
use accord_domain::event::{Body, NewEvent};
use accord_domain::id::{RunId, SessionId};
use accord_domain::run::change::Children;
use accord_store::{CallbackHold, CallbackStore, Due, StoreError, WaitingRun};
use async_trait::async_trait;
use jiff::Timestamp;
use sqlx::postgres::PgRow;
use sqlx::{PgConnection, Row};

use crate::convert::{id, micros, named, time, whole};
use crate::error::{DbError, retrying};
use crate::notices::Announcement;
use crate::store::{PostgresStore, conclude};
use crate::text::{escape, unescape};
use crate::{load, write};

/// The ends of children that this session is owed and that are not held.
macro_rules! ended {
    ($parent:literal) => {
        concat!(
            "callbacks c WHERE c.parent_session_id = ",
            $parent,
            " AND c.delivered_by IS NULL AND c.held_reason IS NULL"
        )
    };
}

/// The children of a session that have not finished and will call it back.
macro_rules! unfinished {
    ($parent:literal) => {
        concat!(
            "sessions s JOIN runs w ON w.id = s.last_run_id WHERE s.parent_session_id = ",
            $parent,
            " AND w.execution_mode = 'async_callback' AND w.status NOT IN ('completed', 'failed', 'stopped')"
        )
    };
}
use {ended, unfinished};

#[async_trait]
impl CallbackStore for PostgresStore {
    async fn due_callbacks(&self, limit: u32) -> Result<Vec<Due>, StoreError> {
        retrying(|| self.read_due(limit)).await
    }

    async fn waiting_runs(&self, now: Timestamp, limit: u32) -> Result<Vec<WaitingRun>, StoreError> {
        retrying(|| waiting::runs(&self.pool, now, limit)).await
    }

    async fn children_to_come(&self, session_id: &SessionId) -> Result<Vec<SessionId>, StoreError> {
        retrying(|| waiting::children(&self.pool, session_id)).await
    }

    async fn children_to_stop(&self, limit: u32) -> Result<Vec<RunId>, StoreError> {
        retrying(|| orphans::runs(&self.pool, limit)).await
    }

    async fn undelivered(&self, parent: &SessionId, limit: u32) -> Result<Vec<Undelivered>, StoreError> {
        retrying(|| self.read_undelivered(parent, limit)).await
    }

    async fn delay_callbacks(&self, parent: &SessionId, now: Timestamp) -> Result<(), StoreError> {
        retrying(|| self.write_delay(parent, now)).await
    }

    async fn hold_callbacks(&self, hold: CallbackHold) -> Result<(), StoreError> {
        let hold = CallbackHold { now: whole(hold.now), ..hold };
        retrying(|| self.write_hold(&hold)).await
    }
}

const DUE: &str = "
SELECT c.parent_session_id, array_agg(c.run_id ORDER BY c.created_at, c.number) AS run_ids,
    min(c.failing_since) AS failing_since
FROM callbacks c JOIN sessions p ON p.id = c.parent_session_id
WHERE c.delivered_by IS NULL AND c.held_reason IS NULL AND p.status IN ('idle', 'finished', 'stopped', 'failed')
GROUP BY c.parent_session_id ORDER BY min(c.created_at), min(c.number) LIMIT $1";

const UNDELIVERED: &str = "
SELECT run_id, session_id, created_at, held_reason, held_message, held_at FROM callbacks
WHERE parent_session_id = $1 AND delivered_by IS NULL ORDER BY created_at, number LIMIT $2";

const DELAY: &str = "
UPDATE callbacks SET failing_since = $2
WHERE parent_session_id = $1 AND delivered_by IS NULL AND held_reason IS NULL AND failing_since IS NULL";

const HOLD: &str = "
WITH held AS (
    UPDATE callbacks SET held_reason = $3, held_message = $4, held_at = $5
    WHERE parent_session_id = $1 AND run_id = ANY($2) AND delivered_by IS NULL AND held_reason IS NULL
    RETURNING session_id, created_at, number
)
SELECT session_id FROM held GROUP BY session_id ORDER BY min(created_at), min(number)";

/// A running child becomes a callback in one transaction, so it is always seen as one or the other.
const CHILDREN: &str = concat!(
    "SELECT p.id FROM unnest($1::text[]) AS p(id) WHERE EXISTS (SELECT 1 FROM ",
    ended!("p.id"),
    ") OR EXISTS (SELECT 1 FROM ",
    unfinished!("p.id"),
    ")"
);

const LET_GO: &str = "
UPDATE callbacks SET held_reason = NULL, held_message = NULL, held_at = NULL, failing_since = NULL
WHERE parent_session_id = $1 AND delivered_by IS NULL AND (held_reason IS NOT NULL OR failing_since IS NOT NULL)";

const TAKE_BACK: &str = "UPDATE callbacks SET delivered_by = NULL WHERE delivered_by = ANY($1)";

const SETTLE: &str = "DELETE FROM callbacks WHERE delivered_by = ANY($1)";

impl PostgresStore {
    async fn read_due(&self, limit: u32) -> Result<Vec<Due>, DbError> {
        let rows = sqlx::query(DUE).bind(i64::from(limit)).fetch_all(&self.pool).await?;
        let mut due = Vec::with_capacity(rows.len());
        for row in rows {
            let run_ids: Vec<String> = row.try_get("run_ids")?;
            due.push(Due {
                parent_session_id: id(row.try_get("parent_session_id")?)?,
                run_ids: run_ids.iter().map(|run_id| id(run_id)).collect::<Result<_, _>>()?,
                failing_since: row.try_get::<Option<i64>, _>("failing_since")?.map(time).transpose()?,
            });
        }
        Ok(due)
    }

    async fn read_undelivered(&self, parent: &SessionId, limit: u32) -> Result<Vec<Undelivered>, DbError> {
        let query = sqlx::query(UNDELIVERED).bind(parent.as_str()).bind(i64::from(limit));
        query.fetch_all(&self.pool).await?.iter().map(undelivered).collect()
    }

    async fn write_delay(&self, parent: &SessionId, now: Timestamp) -> Result<(), DbError> {
        sqlx::query(DELAY).bind(parent.as_str()).bind(micros(now)).execute(&self.pool).await?;
        Ok(())
    }

    async fn write_hold(&self, hold: &CallbackHold) -> Result<(), DbError> {
        let mut transaction = self.begin().await?;
        let held = keep_back(&mut transaction, hold).await;
        if conclude(transaction, held).await? == HoldResult::Some {
            self.hub.announce(Announcement::events());
        }
        Ok(())
    }
}

fn undelivered(row: &PgRow) -> Result<Undelivered, DbError> {
    let reason: Option<&str> = row.try_get("held_reason")?;
    let held = match reason {
        None => None,
        Some(reason) => Some(Held {
            reason: named(reason)?,
            message: unescape(row.try_get("held_message")?),
            at: time(row.try_get("held_at")?)?,
        }),
    };
    Ok(Undelivered {
        run_id: id(row.try_get("run_id")?)?,
        session_id: id(row.try_get("session_id")?)?,
        created_at: time(row.try_get("created_at")?)?,
        held,
    })
}

/// Whether anything was held.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum HoldResult {
    Nothing,
    Some,
}

pub(crate) async fn keep_back(
    connection: &mut PgConnection,
    hold: &CallbackHold,
) -> Result<HoldResult, DbError> {
    let parent = match load::session(connection, &hold.parent_session_id).await {
        Err(DbError::Store(StoreError::NoSession(_))) => return Ok(HoldResult::Nothing),
        found => found?,
    };
    if parent.last_run_id != hold.last_run_id || parent.status.is_busy() {
        return Ok(HoldResult::Nothing);
    }
    let rows = sqlx::query(HOLD)
        .bind(parent.id.as_str())
        .bind(hold.run_ids.iter().map(RunId::as_str).collect::<Vec<_>>())
        .bind(hold.reason.as_str())
        .bind(escape(&hold.message))
        .bind(micros(hold.now))
        .fetch_all(&mut *connection)
        .await?;
    if rows.is_empty() {
        return Ok(HoldResult::Nothing);
    }
    let mut children = Vec::with_capacity(rows.len());
    for row in &rows {
        children.push(id(row.try_get("session_id")?)?);
    }
    let still = still_to_come(connection, &parent.id).await?;
    let after = callback::settle(parent.clone(), still, hold.now);
    if after != parent {
        write::sessions(connection, &[&after]).await?;
    }
    let body = Body::CallbackHeld { children, reason: hold.reason, message: hold.message.clone() };
    let event = NewEvent { at: hold.now, session_id: parent.id, run_id: None, body };
    write::events(connection, &[event]).await?;
    Ok(HoldResult::Some)
}

/// Whether children have still to call this session back.
pub(crate) async fn still_to_come(
    connection: &mut PgConnection,
    session_id: &SessionId,
) -> Result<Children, DbError> {
    let parents = with_children_to_come(connection, &[session_id.as_str()]).await?;
    Ok(if parents.is_empty() { Children::Quiet } else { Children::WillCallBack })
}

/// Which of these sessions have children that have still to call back.
pub(crate) async fn with_children_to_come(
    connection: &mut PgConnection,
    sessions: &[&str],
) -> Result<HashSet<String>, DbError> {
    if sessions.is_empty() {
        return Ok(HashSet::new());
    }
    let found: Vec<String> = sqlx::query_scalar(CHILDREN).bind(sessions).fetch_all(connection).await?;
    Ok(found.into_iter().collect())
}

/// The session is resumed: its callbacks are no longer held.
pub(crate) async fn let_go(connection: &mut PgConnection, session_id: &SessionId) -> Result<(), DbError> {
    sqlx::query(LET_GO).bind(session_id.as_str()).execute(connection).await?;
    Ok(())
}

/// What these runs were made to tell is owed again.
pub(crate) async fn take_back(connection: &mut PgConnection, runs: Vec<&str>) -> Result<(), DbError> {
    sqlx::query(TAKE_BACK).bind(runs).execute(connection).await?;
    Ok(())
}

/// The callbacks of these runs are delivered for good, even if they fail.
pub(crate) async fn settle(connection: &mut PgConnection, runs: Vec<&str>) -> Result<(), DbError> {
    sqlx::query(SETTLE).bind(runs).execute(connection).await?;
    Ok(())
}
