//! Figures over runs.

use accord_domain::usage::Usage;
use accord_store::{
    CountedAttempt, EndedRun, ErrorCount, Figures, StatsQuery, StatsStore, StoreError, Tally,
};
use async_trait::async_trait;
use futures_util::TryStreamExt;
use sqlx::postgres::PgRow;
use sqlx::{Postgres, QueryBuilder, Row};

use crate::convert::{counted, micros, named, time};
use crate::error::{DbError, retrying};
use crate::store::PostgresStore;
use crate::text::{escape, unescape};

#[async_trait]
impl StatsStore for PostgresStore {
    async fn stats(&self, query: &StatsQuery) -> Result<Figures, StoreError> {
        retrying(|| self.count_runs(query)).await
    }

    async fn frequent_errors(&self, query: &StatsQuery, limit: u32) -> Result<Vec<ErrorCount>, StoreError> {
        retrying(|| self.count_errors(query, limit)).await
    }
}

/// One row for each attempt, those of a run together and in their order, and one row for a run without.
const ENDED: &str = "
SELECT r.id, r.agent_name, r.status, r.failure_type, a.contract IS NOT NULL AS contracted, r.input_tokens, r.output_tokens,
    r.cost_usd, r.created_at, coalesce(r.finished_at, r.created_at) AS finished_at, t.outcome, t.model, t.strategy,
    t.source, coalesce(t.input_tokens, 0) AS attempt_input, coalesce(t.output_tokens, 0) AS attempt_output,
    t.cost_usd AS attempt_cost
FROM runs r LEFT JOIN assignments a ON a.run_id = r.id LEFT JOIN attempts t ON t.run_id = r.id
WHERE r.status IN ('completed', 'failed', 'stopped')";

impl PostgresStore {
    async fn count_runs(&self, asked: &StatsQuery) -> Result<Figures, DbError> {
        let mut query = QueryBuilder::<Postgres>::new(ENDED);
        narrow(&mut query, asked);
        query.push(" ORDER BY r.id, t.delivery, t.number");
        let mut rows = query.build().fetch(&self.pool);
        let mut tally = Tally::new(asked);
        let mut last = String::new();
        while let Some(row) = rows.try_next().await? {
            let id: &str = row.try_get("id")?;
            if id != last {
                tally.run(ended(&row)?);
                last = id.to_owned();
            }
            if let Some(outcome) = row.try_get("outcome")? {
                tally.attempt(CountedAttempt {
                    outcome,
                    model: unescape(row.try_get("model")?),
                    strategy: row.try_get("strategy")?,
                    source: row.try_get("source")?,
                    usage: Usage {
                        input_tokens: counted(row.try_get("attempt_input")?)?,
                        output_tokens: counted(row.try_get("attempt_output")?)?,
                        cost_usd: row.try_get("attempt_cost")?,
                    },
                });
            }
        }
        Ok(tally.figures())
    }

    async fn count_errors(&self, asked: &StatsQuery, limit: u32) -> Result<Vec<ErrorCount>, DbError> {
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
                count: counted(row.try_get("count")?)?,
            });
        }
        Ok(counts)
    }
}

fn narrow(query: &mut QueryBuilder<Postgres>, asked: &StatsQuery) {
    if let Some(since) = asked.since {
        query.push(" AND r.created_at >= ").push_bind(micros(since));
    }
    if let Some(agent_name) = &asked.agent_name {
        query.push(" AND r.agent_name = ").push_bind(escape(agent_name));
    }
}

fn ended(row: &PgRow) -> Result<EndedRun, DbError> {
    Ok(EndedRun {
        agent_name: unescape(row.try_get("agent_name")?),
        status: named(row.try_get("status")?)?,
        failure_type: row.try_get("failure_type")?,
        contracted: row.try_get("contracted")?,
        input_tokens: counted(row.try_get("input_tokens")?)?,
        output_tokens: counted(row.try_get("output_tokens")?)?,
        cost_usd: row.try_get("cost_usd")?,
        created_at: time(row.try_get("created_at")?)?,
        finished_at: time(row.try_get("finished_at")?)?,
    })
}
