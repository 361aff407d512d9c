//! Figures. SQLite gives one row for each run, and they are added up here: it has no percentiles.

use std::collections::BTreeMap;

use accord_domain::run::FailureType;
use accord_store::{
    ErrorCount, Group, MOST_COST_COUNTED, MOST_TOKENS_COUNTED, StatRow, StatsQuery, StatsStore, StoreError,
};
use async_trait::async_trait;
use rusqlite::{Connection, Row, params};

use crate::fault::Done;
use crate::store::SqliteStore;
use crate::value::{counted, micros, time};

#[async_trait]
impl StatsStore for SqliteStore {
    async fn stats(&self, query: &StatsQuery) -> Result<Vec<StatRow>, StoreError> {
        let query = query.clone();
        self.read(move |connection| stats(connection, &query)).await
    }

    async fn frequent_errors(&self, query: &StatsQuery, limit: u32) -> Result<Vec<ErrorCount>, StoreError> {
        let query = query.clone();
        self.read(move |connection| frequent_errors(connection, &query, limit)).await
    }
}

/// Runs made since, of one agent or of all.
macro_rules! counting {
    () => {
        "r.created_at >= ?1 AND (?2 IS NULL OR r.agent_name = ?2)"
    };
}

const OVER: &str = concat!(
    "SELECT r.agent_name, r.status, r.failure_type, r.input_tokens, r.output_tokens, r.cost_usd, r.created_at, ",
    "r.finished_at, a.contract IS NULL, (SELECT count(*) FROM attempts t WHERE t.run = r.seq), ",
    "(SELECT t.outcome FROM attempts t WHERE t.run = r.seq ORDER BY t.delivery, t.number LIMIT 1), ",
    "(SELECT t.model FROM attempts t WHERE t.run = r.seq ORDER BY t.delivery DESC, t.number DESC LIMIT 1), ",
    "(SELECT t.strategy FROM attempts t WHERE t.run = r.seq ORDER BY t.delivery DESC, t.number DESC LIMIT 1) ",
    "FROM runs r CROSS JOIN assignments a ON a.run = r.seq ",
    "WHERE r.status IN ('completed', 'failed', 'stopped') AND ",
    counting!()
);

#[derive(Default)]
struct Sum {
    row: StatRow,
    latencies: Vec<u64>,
}

fn stats(connection: &Connection, query: &StatsQuery) -> Done<Vec<StatRow>> {
    let mut statement = connection.prepare_cached(OVER)?;
    let since = query.since.map_or(i64::MIN, micros);
    let mut rows = statement.query(params![since, query.agent_name])?;
    let mut sums: BTreeMap<String, Sum> = BTreeMap::new();
    while let Some(row) = rows.next()? {
        add(sums.entry(key(query.group, row)?).or_default(), row)?;
    }
    Ok(sums.into_iter().map(|(key, sum)| finished(key, sum)).collect())
}

fn key(group: Group, row: &Row<'_>) -> Done<String> {
    Ok(match group {
        Group::All => String::new(),
        Group::Agent => row.get(0)?,
        Group::Model => row.get::<_, Option<String>>(11)?.unwrap_or_default(),
        Group::Strategy => row.get::<_, Option<String>>(12)?.unwrap_or_default(),
        Group::Day => time(row.get(6)?)?.strftime("%Y-%m-%d").to_string(),
    })
}

fn add(sum: &mut Sum, row: &Row<'_>) -> Done<()> {
    let status: String = row.get(1)?;
    let failure: Option<String> = row.get(2)?;
    let no_contract: bool = row.get(8)?;
    let first: Option<String> = row.get(10)?;
    let broken = [FailureType::OutputSchemaValidationFailed, FailureType::SchemaValidationFailed];
    let total = &mut sum.row;
    total.runs += 1;
    match status.as_str() {
        "completed" => {
            total.completed += 1;
            total.first_try += u64::from(no_contract || first.is_none_or(|first| first == "accepted"));
        }
        "failed" => {
            total.failed += 1;
            let contract = broken.iter().any(|kind| failure.as_deref() == Some(kind.as_str()));
            total.contract_failed += u64::from(contract);
        }
        _ => total.stopped += 1,
    }
    total.attempts += counted::<u64>(row.get(9)?)?;
    total.input_tokens = tokens(total.input_tokens, counted(row.get(3)?)?);
    total.output_tokens = tokens(total.output_tokens, counted(row.get(4)?)?);
    if let Some(cost) = row.get::<_, Option<f64>>(5)? {
        *total.cost_usd.get_or_insert(0.0) += cost.clamp(0.0, MOST_COST_COUNTED);
    }
    let (created, finished): (i64, Option<i64>) = (row.get(6)?, row.get(7)?);
    let taken = finished.unwrap_or(created).saturating_sub(created) / 1000;
    sum.latencies.push(u64::try_from(taken).unwrap_or_default());
    Ok(())
}

fn tokens(sum: u64, more: u64) -> u64 {
    sum.saturating_add(more).min(MOST_TOKENS_COUNTED)
}

fn finished(key: String, sum: Sum) -> StatRow {
    let mut latencies = sum.latencies;
    latencies.sort_unstable();
    StatRow {
        key,
        latency_ms_p50: percentile(&latencies, 50),
        latency_ms_p95: percentile(&latencies, 95),
        ..sum.row
    }
}

/// The smallest of these that so many of a hundred do not exceed.
fn percentile(sorted: &[u64], percent: usize) -> u64 {
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or_default()
}

fn frequent_errors(connection: &Connection, query: &StatsQuery, limit: u32) -> Done<Vec<ErrorCount>> {
    let sql = concat!(
        "SELECT e.path, e.keyword, count(*) FROM runs r CROSS JOIN attempt_errors e ON e.run = r.seq WHERE ",
        counting!(),
        " GROUP BY e.path, e.keyword ORDER BY count(*) DESC, e.path, e.keyword LIMIT ?3"
    );
    let mut statement = connection.prepare_cached(sql)?;
    let since = query.since.map_or(i64::MIN, micros);
    let mut rows = statement.query(params![since, query.agent_name, limit])?;
    let mut errors = Vec::new();
    while let Some(row) = rows.next()? {
        errors.push(ErrorCount { path: row.get(0)?, keyword: row.get(1)?, count: counted(row.get(2)?)? });
    }
    Ok(errors)
}
