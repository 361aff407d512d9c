//! Figures, counted by PostgreSQL.

use accord_domain::run::FailureType;
use accord_store::{ErrorCount, Group, MOST_COST_COUNTED, StatRow, StatsQuery, StatsStore, StoreError};
use async_trait::async_trait;
use sqlx::postgres::PgRow;
use sqlx::{Postgres, QueryBuilder, Row};

use crate::convert::{counted, micros};
use crate::fault::{Fault, retrying};
use crate::store::PostgresStore;
use crate::text::{escape, unescape};

#[async_trait]
impl StatsStore for PostgresStore {
    async fn stats(&self, query: &StatsQuery) -> Result<Vec<StatRow>, StoreError> {
        retrying(|| self.count_runs(query)).await
    }

    async fn frequent_errors(&self, query: &StatsQuery, limit: u32) -> Result<Vec<ErrorCount>, StoreError> {
        retrying(|| self.count_errors(query, limit)).await
    }
}

/// A sum that is too large for a column is shown as the largest number, not as an error. Its parameter is the most that one
/// run's cost counts.
const FIGURES: &str = "
SELECT key,
    count(*) AS runs,
    count(*) FILTER (WHERE status = 'completed') AS completed,
    count(*) FILTER (WHERE status = 'completed' AND (free OR coalesce(first_outcome, 'accepted') = 'accepted')) AS first_try,
    count(*) FILTER (WHERE status = 'failed') AS failed,
    count(*) FILTER (WHERE contract_failed) AS contract_failed,
    count(*) FILTER (WHERE status = 'stopped') AS stopped,
    coalesce(sum(attempts), 0)::bigint AS attempts,
    least(coalesce(sum(input_tokens), 0), 9223372036854775807)::bigint AS input_tokens,
    least(coalesce(sum(output_tokens), 0), 9223372036854775807)::bigint AS output_tokens,
    sum(least(greatest(cost_usd, 0), $1)) FILTER (WHERE cost_usd IS NOT NULL) AS cost_usd,
    percentile_disc(0.5) WITHIN GROUP (ORDER BY latency_ms) AS p50,
    percentile_disc(0.95) WITHIN GROUP (ORDER BY latency_ms) AS p95
FROM counted GROUP BY key ORDER BY key COLLATE \"C\"";

const COUNTED: &str = ", r.status, a.contract IS NULL AS free, first.outcome AS first_outcome,
    coalesce(r.failure_type = ANY($1), false) AS contract_failed, every.attempts,
    r.input_tokens, r.output_tokens, r.cost_usd, (r.finished_at - r.created_at) / 1000 AS latency_ms
FROM runs r
LEFT JOIN assignments a ON a.run_id = r.id
LEFT JOIN LATERAL (SELECT count(*) AS attempts FROM attempts t WHERE t.run_id = r.id) every ON true
LEFT JOIN LATERAL (
    SELECT t.outcome FROM attempts t WHERE t.run_id = r.id ORDER BY t.delivery, t.number LIMIT 1
) first ON true
LEFT JOIN LATERAL (
    SELECT t.model, t.strategy FROM attempts t WHERE t.run_id = r.id
    ORDER BY t.delivery DESC, t.number DESC LIMIT 1
) last ON true
WHERE r.status IN ('completed', 'failed', 'stopped')";

const CONTRACT_FAILURES: [FailureType; 2] =
    [FailureType::OutputSchemaValidationFailed, FailureType::SchemaValidationFailed];

fn key(group: Group) -> &'static str {
    match group {
        Group::All => "''",
        Group::Agent => "r.agent_name",
        Group::Model => "coalesce(last.model, '')",
        Group::Strategy => "coalesce(last.strategy, '')",
        Group::Day => "to_char(to_timestamp(r.created_at / 1000000) AT TIME ZONE 'UTC', 'YYYY-MM-DD')",
    }
}

impl PostgresStore {
    async fn count_runs(&self, asked: &StatsQuery) -> Result<Vec<StatRow>, Fault> {
        let failures: Vec<&str> = CONTRACT_FAILURES.iter().map(|kind| kind.as_str()).collect();
        let mut query = QueryBuilder::<Postgres>::new("WITH counted AS (SELECT ");
        query.push(key(asked.group)).push("::text AS key");
        let [before, after] = split(COUNTED);
        query.push(before).push_bind(failures).push(after);
        narrow(&mut query, asked);
        let [before, after] = split(FIGURES);
        query.push(") ").push(before).push_bind(MOST_COST_COUNTED).push(after);
        let rows = query.build().fetch_all(&self.pool).await?;
        rows.iter().map(stat_row).collect()
    }

    async fn count_errors(&self, asked: &StatsQuery, limit: u32) -> Result<Vec<ErrorCount>, Fault> {
        let mut query = QueryBuilder::<Postgres>::new(
            "SELECT place.path, place.keyword, count(*) AS count \
             FROM runs r JOIN attempts t ON t.run_id = r.id, \
             unnest(t.error_paths, t.error_keywords) AS place(path, keyword) WHERE true",
        );
        narrow(&mut query, asked);
        query.push(
            " GROUP BY place.path, place.keyword \
             ORDER BY count(*) DESC, place.path COLLATE \"C\", place.keyword COLLATE \"C\" LIMIT ",
        );
        query.push_bind(i64::from(limit));
        let rows = query.build().fetch_all(&self.pool).await?;
        let mut counts = Vec::with_capacity(rows.len());
        for row in rows {
            counts.push(ErrorCount {
                path: unescape(row.try_get("path")?),
                keyword: unescape(row.try_get("keyword")?),
                count: counted(row.try_get("count")?),
            });
        }
        Ok(counts)
    }
}

/// The statement around its one parameter.
fn split(sql: &'static str) -> [&'static str; 2] {
    sql.split_once("$1").map_or([sql, ""], |(before, after)| [before, after])
}

fn narrow(query: &mut QueryBuilder<Postgres>, asked: &StatsQuery) {
    if let Some(since) = asked.since {
        query.push(" AND r.created_at >= ").push_bind(micros(since));
    }
    if let Some(agent_name) = &asked.agent_name {
        query.push(" AND r.agent_name = ").push_bind(escape(agent_name));
    }
}

fn stat_row(row: &PgRow) -> Result<StatRow, Fault> {
    let number = |column: &str| -> Result<u64, Fault> { Ok(counted(row.try_get(column)?)) };
    Ok(StatRow {
        key: unescape(row.try_get("key")?),
        runs: number("runs")?,
        completed: number("completed")?,
        first_try: number("first_try")?,
        failed: number("failed")?,
        contract_failed: number("contract_failed")?,
        stopped: number("stopped")?,
        attempts: number("attempts")?,
        input_tokens: number("input_tokens")?,
        output_tokens: number("output_tokens")?,
        cost_usd: row.try_get("cost_usd")?,
        latency_ms_p50: number("p50")?,
        latency_ms_p95: number("p95")?,
    })
}
