//! Events, in the order of their ids. How the ids come about is in the crate's documentation and in `horizon`.

use std::sync::atomic::Ordering;
use std::time::Duration;

use accord_domain::event::Event;
use accord_domain::id::EventId;
use accord_store::{EventFilter, EventLimit, EventStore, Notices, StoreError};
use async_trait::async_trait;
use sqlx::postgres::PgRow;
use sqlx::{PgPool, Postgres, QueryBuilder, Row};
use tokio::time::{Instant, sleep};

use crate::convert::{id, time};
use crate::error::{DbError, retrying};
use crate::horizon::{QUICK_LOOKS, event_horizon, past_strangers};
use crate::store::PostgresStore;

/// How long a reader waits for older transactions of writers to end, so that it sees what was committed before it asked.
/// They take milliseconds; events after one that hangs come with a later read.
pub(crate) const SETTLE_LIMIT: Duration = Duration::from_millis(250);

/// How long to wait between two looks: about as long as a quick transaction.
pub(crate) const SETTLE_PAUSE: Duration = Duration::from_millis(2);

/// The committed events, and the id up to which they are final.
struct Snapshot {
    events: Vec<Event>,
    newest: EventId,
    horizon: EventId,
}

#[async_trait]
impl EventStore for PostgresStore {
    async fn events(
        &self,
        filter: &EventFilter,
        after: EventId,
        limit: EventLimit,
    ) -> Result<Vec<Event>, StoreError> {
        let known = EventId(self.settled.load(Ordering::Relaxed).saturating_add(1));
        retrying(|| settled(&self.pool, filter, after, limit, known)).await
    }

    async fn last_event(&self) -> Result<EventId, StoreError> {
        let newest = retrying(|| newest_settled(&self.pool)).await?;
        self.settled.fetch_max(newest.0, Ordering::Relaxed);
        Ok(newest)
    }

    fn notices(&self) -> Notices {
        self.hub.subscribe()
    }
}

/// The events of a page whose ids are final. Waits a moment if an open transaction could still add
/// smaller ids; ids below `known` are known to be final.
async fn settled(
    pool: &PgPool,
    filter: &EventFilter,
    after: EventId,
    limit: EventLimit,
    known: EventId,
) -> Result<Vec<Event>, DbError> {
    let first = snapshot(pool, filter, after, limit).await?;
    if first.newest < first.horizon.max(known) {
        return Ok(first.events);
    }
    let (wanted, deadline) = (first.newest, Instant::now() + SETTLE_LIMIT);
    let mut looks = 1;
    loop {
        sleep(SETTLE_PAUSE).await;
        let floor = floor(pool, looks).await?;
        looks += 1;
        let next = snapshot(pool, filter, after, limit).await?;
        let horizon = next.horizon.max(floor).max(known);
        if wanted < horizon || Instant::now() >= deadline {
            return Ok(next.events.into_iter().take_while(|event| event.id < horizon).collect());
        }
    }
}

/// The id up to which all ids are final, ignoring transactions of other programs. Zero until the
/// cheap check has failed a few times.
pub(crate) async fn floor(pool: &PgPool, looks: u32) -> Result<EventId, DbError> {
    if looks < QUICK_LOOKS { Ok(EventId(0)) } else { past_strangers(pool).await }
}

/// Everything that is committed, settled or not.
async fn snapshot(
    pool: &PgPool,
    filter: &EventFilter,
    after: EventId,
    limit: EventLimit,
) -> Result<Snapshot, DbError> {
    let mut query = QueryBuilder::<Postgres>::new(concat!(
        // Rows beyond the cut are not read: the length of a text is known without reading it.
        "SELECT * FROM (SELECT e.*, sum(octet_length(e.body)) OVER (ORDER BY e.id) - octet_length(e.body) AS before FROM (",
        "SELECT e.id, e.at, e.session_id, e.run_id, e.workflow_run_id, e.kind, e.body, h.horizon FROM events e, (SELECT ",
        event_horizon!(),
        " AS horizon) h WHERE e.id > "
    ));
    query.push_bind(after.0);
    if let Some(session_id) = &filter.session_id {
        query.push(" AND e.session_id = ").push_bind(session_id.as_str());
    }
    if let Some(run_id) = &filter.run_id {
        query.push(" AND e.run_id = ").push_bind(run_id.as_str());
    }
    if let Some(workflow_run_id) = &filter.workflow_run_id {
        query.push(" AND e.workflow_run_id = ").push_bind(workflow_run_id.as_str());
    }
    if !filter.kinds.is_empty() {
        // We never write a kind with a NUL.
        let kinds: Vec<_> = filter.kinds.iter().filter(|kind| !kind.contains('\0')).collect();
        query.push(" AND e.kind = ANY(").push_bind(kinds).push(")");
    }
    query.push(" ORDER BY e.id LIMIT ").push_bind(i64::from(limit.events));
    let most_bytes = i64::try_from(limit.bytes).unwrap_or(i64::MAX);
    query.push(") e) e WHERE e.before < ").push_bind(most_bytes).push(" ORDER BY e.id");
    let rows = query.build().fetch_all(pool).await?;
    let horizon = rows.first().map(|row| row.try_get("horizon")).transpose()?.unwrap_or(i64::MAX);
    let events = rows.iter().map(event).collect::<Result<Vec<_>, _>>()?;
    let newest = events.last().map_or(after, |event| event.id);
    // Nothing after `after`: nothing to wait for.
    let newest = if events.is_empty() { EventId(i64::MIN) } else { newest };
    Ok(Snapshot { events, newest, horizon: EventId(horizon) })
}

fn event(row: &PgRow) -> Result<Event, DbError> {
    let session_id: Option<&str> = row.try_get("session_id")?;
    let run_id: Option<&str> = row.try_get("run_id")?;
    let workflow_run_id: Option<&str> = row.try_get("workflow_run_id")?;
    Ok(Event {
        id: EventId(row.try_get("id")?),
        at: time(row.try_get("at")?)?,
        session_id: session_id.map(id).transpose()?,
        run_id: run_id.map(id).transpose()?,
        workflow_run_id: workflow_run_id.map(id).transpose()?,
        kind: row.try_get("kind")?,
        body: row.try_get("body")?,
    })
}

const NEWEST: &str = concat!(
    "SELECT h.horizon, (SELECT max(id) FROM events) AS newest, \
     (SELECT max(id) FROM events WHERE id < h.horizon) AS settled FROM (SELECT ",
    "greatest($1, ",
    event_horizon!(),
    ") AS horizon) h"
);

/// The newest id under which no smaller one can appear.
pub(crate) async fn newest_settled(pool: &PgPool) -> Result<EventId, DbError> {
    let deadline = Instant::now() + SETTLE_LIMIT;
    let (mut wanted, mut looks) = (None, 0);
    loop {
        let row = sqlx::query(NEWEST).bind(floor(pool, looks).await?.0).fetch_one(pool).await?;
        looks += 1;
        let newest: Option<i64> = row.try_get("newest")?;
        let wanted = *wanted.get_or_insert(newest.unwrap_or_default());
        if wanted < row.try_get::<i64, _>("horizon")? || Instant::now() >= deadline {
            return Ok(EventId(row.try_get::<Option<i64>, _>("settled")?.unwrap_or_default()));
        }
        sleep(SETTLE_PAUSE).await;
    }
}
