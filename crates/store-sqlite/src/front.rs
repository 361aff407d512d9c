//! Requests whose callers wait for the answer.

use accord_store::{Arrival, FrontRequest, FrontStore, Standing, StoreError};
use async_trait::async_trait;
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use crate::error::DbResult;
use crate::store::SqliteStore;
use crate::value::{micros, time, time_if};

const COLUMNS: &str = "scope, key, fingerprint, work, waiting, waited_until, left_at, closed_at";

#[async_trait]
impl FrontStore for SqliteStore {
    async fn arrive(&self, arrival: Arrival) -> Result<FrontRequest, StoreError> {
        self.write(move |write| arrive(write.connection(), &arrival)).await
    }

    async fn wait_on(&self, scope: &str, key: &str, until: Timestamp) -> Result<(), StoreError> {
        let key = [scope.to_owned(), key.to_owned()];
        self.write(move |write| {
            let [scope, key] = &key;
            let sql = "UPDATE front_requests SET waited_until = max(waited_until, ?3) WHERE scope = ?1 AND key = ?2";
            write.connection().prepare_cached(sql)?.execute(params![scope, key, micros(until)])?;
            Ok(())
        })
        .await
    }

    async fn leave(
        &self,
        scope: &str,
        key: &str,
        is_answered: bool,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let key = [scope.to_owned(), key.to_owned()];
        self.write(move |write| {
            let [scope, key] = &key;
            let sql = "UPDATE front_requests SET waiting = max(waiting - 1, 0), left_at = ?3, \
                       closed_at = CASE WHEN ?4 THEN ?3 ELSE closed_at END WHERE scope = ?1 AND key = ?2";
            let mut statement = write.connection().prepare_cached(sql)?;
            statement.execute(params![scope, key, micros(now), is_answered])?;
            Ok(())
        })
        .await
    }

    async fn left_alone(&self, since: Timestamp, limit: u32) -> Result<Vec<FrontRequest>, StoreError> {
        self.read(move |connection| {
            let sql = format!(
                "SELECT {COLUMNS} FROM front_requests WHERE closed_at IS NULL AND is_reason \
                 AND (waited_until <= ?1 OR waiting = 0 AND left_at <= ?1) ORDER BY begun_at LIMIT ?2"
            );
            let mut statement = connection.prepare_cached(&sql)?;
            let mut rows = statement.query(params![micros(since), limit])?;
            let mut requests = Vec::new();
            while let Some(row) = rows.next()? {
                requests.push(read(row)?.0);
            }
            Ok(requests)
        })
        .await
    }

    async fn forget_request(&self, scope: &str, key: &str) -> Result<(), StoreError> {
        let key = [scope.to_owned(), key.to_owned()];
        self.write(move |write| {
            let sql = "DELETE FROM front_requests WHERE scope = ?1 AND key = ?2";
            write.connection().prepare_cached(sql)?.execute(key)?;
            Ok(())
        })
        .await
    }

    async fn forget_requests(&self, before: Timestamp) -> Result<(), StoreError> {
        self.write(move |write| {
            let keys = "DELETE FROM idempotency_keys WHERE (scope, key) IN \
                        (SELECT scope, key FROM front_requests \
                         WHERE NOT is_named AND begun_at < ?1 AND waited_until < ?1)";
            write.connection().prepare_cached(keys)?.execute([micros(before)])?;
            let sql = "DELETE FROM front_requests WHERE begun_at < ?1 AND waited_until < ?1";
            write.connection().prepare_cached(sql)?.execute([micros(before)])?;
            Ok(())
        })
        .await
    }
}

fn arrive(connection: &Connection, arrival: &Arrival) -> DbResult<FrontRequest> {
    let Arrival { request, is_named, is_reason, now, until, .. } = arrival;
    let FrontRequest { scope, key, fingerprint, work } = request;
    if let Some((known, standing)) = equal(connection, arrival)? {
        let sql = "UPDATE front_requests SET waiting = ?3, waited_until = max(waited_until, ?4), closed_at = NULL \
                   WHERE scope = ?1 AND key = ?2";
        let waiting = standing.waiting_at(*now) + 1;
        let mut statement = connection.prepare_cached(sql)?;
        statement.execute(params![known.scope, known.key, waiting, micros(*until)])?;
        return Ok(known);
    }
    let sql = "INSERT INTO front_requests \
               (scope, key, fingerprint, work, is_named, is_reason, begun_at, waiting, waited_until) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 1, ?8)";
    let mut statement = connection.prepare_cached(sql)?;
    statement.execute(params![
        scope,
        key,
        fingerprint,
        work,
        is_named,
        is_reason,
        micros(*now),
        micros(*until)
    ])?;
    Ok(request.clone())
}

/// The request that an arrival joins: the one of its key, or the last that is equal.
fn equal(connection: &Connection, arrival: &Arrival) -> DbResult<Option<(FrontRequest, Standing)>> {
    let FrontRequest { scope, key, fingerprint, .. } = &arrival.request;
    let (condition, value) = match arrival.is_named {
        true => ("key = ?2", key),
        false => ("fingerprint = ?2 AND NOT is_named", fingerprint),
    };
    let sql = format!(
        "SELECT {COLUMNS} FROM front_requests WHERE scope = ?1 AND {condition} ORDER BY begun_at DESC LIMIT 1"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let found = statement.query_row([scope, value], |row| Ok(read(row))).optional()?.transpose()?;
    Ok(found.filter(|(_, standing)| arrival.is_named || standing.is_joined_by(arrival)))
}

fn read(row: &Row<'_>) -> DbResult<(FrontRequest, Standing)> {
    let request = FrontRequest {
        scope: row.get("scope")?,
        key: row.get("key")?,
        fingerprint: row.get("fingerprint")?,
        work: row.get("work")?,
    };
    let standing = Standing {
        waiting: row.get("waiting")?,
        waited_until: time(row.get("waited_until")?)?,
        left_at: time_if(row.get("left_at")?)?,
        closed_at: time_if(row.get("closed_at")?)?,
    };
    Ok((request, standing))
}
