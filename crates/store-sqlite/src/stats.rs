//! Figures over runs.

use accord_domain::usage::Usage;
use accord_store::{
    CountedAttempt, EndedRun, ErrorCount, Figures, StatsQuery, StatsStore, StoreError, Tally,
};
use async_trait::async_trait;
use rusqlite::{Connection, Row, params};

use crate::error::DbResult;
use crate::store::SqliteStore;
use crate::value::{counted, micros, named, time};

#[async_trait]
impl StatsStore for SqliteStore {
    async fn stats(&self, query: &StatsQuery) -> Result<Figures, StoreError> {
        let query = query.clone();
        self.read(move |connection| stats(connection, &query)).await
    }

    async fn frequent_errors(&self, query: &StatsQuery, limit: u32) -> Result<Vec<ErrorCount>, StoreError> {
        let query = query.clone();
        self.read(move |connection| frequent_errors(connection, &query, limit)).await
    }
}

/// Runs made since, of one agent or of all.
fn counting(query: &StatsQuery) -> &'static str {
    match query.agent_name {
        Some(_) => "r.created_at >= ?1 AND r.agent_name = ?2",
        None => "r.created_at >= ?1 AND ?2 IS NULL",
    }
}

/// One row for each attempt, those of a run together and in their order, and one row for a run without. The runs come in the order
/// in which they were made, which an index gives.
fn stats(connection: &Connection, query: &StatsQuery) -> DbResult<Figures> {
    let sql = format!(
        "SELECT r.seq, r.agent_name, r.status, r.failure_type, a.contract IS NOT NULL, r.input_tokens, r.output_tokens, \
         r.cost_usd, r.created_at, coalesce(r.finished_at, r.created_at), t.outcome, t.model, t.strategy, t.source, \
         coalesce(t.input_tokens, 0), coalesce(t.output_tokens, 0), t.cost_usd \
         FROM runs r CROSS JOIN assignments a ON a.run = r.seq LEFT JOIN attempts t ON t.run = r.seq \
         WHERE r.status IN ('completed', 'failed', 'stopped') AND {} \
         ORDER BY r.created_at, r.seq, t.delivery, t.number",
        counting(query)
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query(params![query.since.map_or(i64::MIN, micros), query.agent_name])?;
    let mut tally = Tally::new(query);
    let mut last: Option<i64> = None;
    while let Some(row) = rows.next()? {
        let seq = Some(row.get(0)?);
        if seq != last {
            tally.run(ended(row)?);
            last = seq;
        }
        if let Some(outcome) = row.get_ref(10)?.as_str_or_null().map_err(rusqlite::Error::from)? {
            let source = row.get_ref(13)?.as_str_or_null().map_err(rusqlite::Error::from)?;
            let usage = Usage {
                input_tokens: counted(row.get(14)?)?,
                output_tokens: counted(row.get(15)?)?,
                cost_usd: row.get(16)?,
            };
            let (model, strategy) = (row.get(11)?, row.get(12)?);
            tally.attempt(CountedAttempt { outcome, model, strategy, source, usage });
        }
    }
    Ok(tally.figures())
}

fn ended(row: &Row<'_>) -> DbResult<EndedRun> {
    Ok(EndedRun {
        agent_name: row.get(1)?,
        status: named(row.get_ref(2)?.as_str().map_err(rusqlite::Error::from)?)?,
        failure_type: row.get(3)?,
        contracted: row.get(4)?,
        input_tokens: counted(row.get(5)?)?,
        output_tokens: counted(row.get(6)?)?,
        cost_usd: row.get(7)?,
        created_at: time(row.get(8)?)?,
        finished_at: time(row.get(9)?)?,
    })
}

fn frequent_errors(connection: &Connection, query: &StatsQuery, limit: u32) -> DbResult<Vec<ErrorCount>> {
    let sql = format!(
        "SELECT e.path, e.keyword, count(*) FROM runs r CROSS JOIN attempt_errors e ON e.run = r.seq WHERE {} \
         GROUP BY e.path, e.keyword ORDER BY count(*) DESC, e.path, e.keyword LIMIT ?3",
        counting(query)
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let since = query.since.map_or(i64::MIN, micros);
    let mut rows = statement.query(params![since, query.agent_name, limit])?;
    let mut errors = Vec::new();
    while let Some(row) = rows.next()? {
        errors.push(ErrorCount { path: row.get(0)?, keyword: row.get(1)?, count: counted(row.get(2)?)? });
    }
    Ok(errors)
}
