//! Events, in the order of their ids. How the ids come about is in the crate's documentation.

use std::time::Duration;

use accord_domain::event::Event;
use accord_domain::id::EventId;
use accord_store::{EventFilter, EventStore, Notices, StoreError};
use async_trait::async_trait;
use sqlx::postgres::PgRow;
use sqlx::{PgPool, Postgres, QueryBuilder, Row};
use tokio::time::{Instant, sleep};

use crate::convert::{id, time};
use crate::fault::{Fault, retrying};
use crate::store::PostgresStore;

/// The lowest bits of an id are the place in its transaction. A request of 8 MiB cannot hold as many events, and the
/// bits that are left number every transaction of 25 years at ten thousand a second.
pub(crate) const PLACE_BITS: i32 = 20;

/// So many events fit into one transaction.
pub(crate) const MOST_EVENTS: usize = 1 << PLACE_BITS;

/// The first id of this transaction.
macro_rules! event_base {
    () => {
        "(((SELECT transaction_offset FROM event_numbering) + pg_current_xact_id()::text::bigint) << 20)"
    };
}

/// The first id that an open or future transaction may still write: what is smaller is settled.
macro_rules! event_horizon {
    () => {
        "(((SELECT transaction_offset FROM event_numbering) \
         + pg_snapshot_xmin(pg_current_snapshot())::text::bigint) << 20)"
    };
}

pub(crate) use {event_base, event_horizon};

/// How long a reader waits for older transactions to end, so that it sees what was committed before it asked. They take
/// milliseconds; one of another database that takes longer is not waited for, and its events come with the next read.
const SETTLE_LIMIT: Duration = Duration::from_millis(250);

/// How long to wait between two looks: about as long as a quick transaction.
pub(crate) const SETTLE_PAUSE: Duration = Duration::from_millis(2);

/// Rows after which no smaller id can appear, and whether there are newer ones that wait.
struct Look {
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
        limit: u32,
    ) -> Result<Vec<Event>, StoreError> {
        retrying(|| settled(&self.pool, filter, after, limit)).await
    }

    async fn last_event(&self) -> Result<EventId, StoreError> {
        retrying(|| newest_settled(&self.pool)).await
    }

    fn notices(&self) -> Notices {
        self.hub.subscribe()
    }
}

async fn settled(
    pool: &PgPool,
    filter: &EventFilter,
    after: EventId,
    limit: u32,
) -> Result<Vec<Event>, Fault> {
    let first = look(pool, filter, after, limit).await?;
    if first.newest < first.horizon {
        return Ok(first.events);
    }
    let (wanted, deadline) = (first.newest, Instant::now() + SETTLE_LIMIT);
    loop {
        sleep(SETTLE_PAUSE).await;
        let next = look(pool, filter, after, limit).await?;
        if wanted < next.horizon || Instant::now() >= deadline {
            let horizon = next.horizon;
            return Ok(next.events.into_iter().take_while(|event| event.id < horizon).collect());
        }
    }
}

/// Everything that is committed, settled or not.
async fn look(pool: &PgPool, filter: &EventFilter, after: EventId, limit: u32) -> Result<Look, Fault> {
    let mut query = QueryBuilder::<Postgres>::new(concat!(
        "SELECT e.id, e.at, e.session_id, e.run_id, e.kind, e.body, h.horizon FROM events e, (SELECT ",
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
    if !filter.kinds.is_empty() {
        // A kind with a NUL is none that we write.
        let kinds: Vec<_> = filter.kinds.iter().filter(|kind| !kind.contains('\0')).collect();
        query.push(" AND e.kind = ANY(").push_bind(kinds).push(")");
    }
    query.push(" ORDER BY e.id LIMIT ").push_bind(i64::from(limit));
    let rows = query.build().fetch_all(pool).await?;
    let horizon = rows.first().map(|row| row.try_get("horizon")).transpose()?.unwrap_or(i64::MAX);
    let events = rows.iter().map(event).collect::<Result<Vec<_>, _>>()?;
    let newest = events.last().map_or(after, |event| event.id);
    // Nothing after `after`: nothing to wait for.
    let newest = if events.is_empty() { EventId(i64::MIN) } else { newest };
    Ok(Look { events, newest, horizon: EventId(horizon) })
}

fn event(row: &PgRow) -> Result<Event, Fault> {
    let run_id: Option<&str> = row.try_get("run_id")?;
    Ok(Event {
        id: EventId(row.try_get("id")?),
        at: time(row.try_get("at")?)?,
        session_id: id(row.try_get("session_id")?)?,
        run_id: run_id.map(id).transpose()?,
        kind: row.try_get("kind")?,
        body: row.try_get("body")?,
    })
}

const NEWEST: &str = concat!(
    "SELECT h.horizon, (SELECT max(id) FROM events) AS newest, \
     (SELECT max(id) FROM events WHERE id < h.horizon) AS settled FROM (SELECT ",
    event_horizon!(),
    " AS horizon) h"
);

/// The newest id under which no smaller one can appear.
pub(crate) async fn newest_settled(pool: &PgPool) -> Result<EventId, Fault> {
    let deadline = Instant::now() + SETTLE_LIMIT;
    let mut wanted = None;
    loop {
        let row = sqlx::query(NEWEST).fetch_one(pool).await?;
        let newest: Option<i64> = row.try_get("newest")?;
        let wanted = *wanted.get_or_insert(newest.unwrap_or_default());
        if wanted < row.try_get::<i64, _>("horizon")? || Instant::now() >= deadline {
            return Ok(EventId(row.try_get::<Option<i64>, _>("settled")?.unwrap_or_default()));
        }
        sleep(SETTLE_PAUSE).await;
    }
}
