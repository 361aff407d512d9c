//! Runs that wait for their children.

use accord_domain::id::SessionId;
use accord_store::WaitingRun;
use jiff::Timestamp;
use sqlx::postgres::PgRow;
use sqlx::{PgPool, Row};

use super::{ended, unfinished};
use crate::convert::{counted, id, micros, time};
use crate::error::DbError;

/// Runs that wait for all of their children stay in the second part for long, and must not push the others out.
const WAITING: &str = concat!(
    "SELECT * FROM (SELECT r.id, r.session_id, r.attempt, r.waits_until, r.created_at, \
     ARRAY(SELECT c.run_id FROM ",
    ended!("r.session_id"),
    " ORDER BY c.created_at, c.number) AS ended, \
     ARRAY(SELECT s.id FROM ",
    unfinished!("r.session_id"),
    " ORDER BY s.created_at, s.id) AS unfinished \
     FROM runs r WHERE r.status = 'waiting') p \
     WHERE cardinality(p.ended) > 0 OR cardinality(p.unfinished) = 0 OR p.waits_until <= $1 \
     ORDER BY cardinality(p.unfinished) > 0 AND coalesce(p.waits_until > $1, true), p.created_at, p.id LIMIT $2"
);

pub(super) async fn runs(pool: &PgPool, now: Timestamp, limit: u32) -> Result<Vec<WaitingRun>, DbError> {
    let query = sqlx::query(WAITING).bind(micros(now)).bind(i64::from(limit));
    query.fetch_all(pool).await?.iter().map(waiting).collect()
}

fn waiting(row: &PgRow) -> Result<WaitingRun, DbError> {
    let (ended, unfinished): (Vec<String>, Vec<String>) = (row.try_get("ended")?, row.try_get("unfinished")?);
    Ok(WaitingRun {
        run_id: id(row.try_get("id")?)?,
        session_id: id(row.try_get("session_id")?)?,
        attempt: counted(row.try_get("attempt")?)?,
        waits_until: row.try_get::<Option<i64>, _>("waits_until")?.map(time).transpose()?,
        ended: ended.iter().map(|run_id| id(run_id)).collect::<Result<_, _>>()?,
        unfinished: unfinished.iter().map(|child| id(child)).collect::<Result<_, _>>()?,
    })
}

const CHILDREN: &str = concat!(
    "SELECT k.id FROM (SELECT s.id FROM ",
    unfinished!("$1"),
    " UNION SELECT c.session_id FROM ",
    ended!("$1"),
    ") t JOIN sessions k ON k.id = t.id ORDER BY k.created_at, k.id"
);

pub(super) async fn children(pool: &PgPool, session_id: &SessionId) -> Result<Vec<SessionId>, DbError> {
    let query = sqlx::query_scalar(CHILDREN).bind(session_id.as_str());
    let ids: Vec<String> = query.fetch_all(pool).await?;
    Ok(ids.iter().map(|child| id(child)).collect::<Result<_, _>>()?)
}
