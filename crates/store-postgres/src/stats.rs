//! Figures over runs.

use accord_domain::usage::Usage;
use accord_store::{
    CountedAttempt, EndedRun, ErrorCount, ErrorTally, Figures, HourFigures, Kept, Span, StatsQuery,
    StatsStore, StoreError, Tally,
};
use async_trait::async_trait;
use futures_util::TryStreamExt;
use jiff::Timestamp;
use sqlx::Row;
use sqlx::postgres::PgRow;

use crate::convert::{counted, micros, named, time};
use crate::error::{DbError, retrying};
use crate::event_rows::Statement;
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
WHERE r.status IN ('completed', 'failed', 'stopped') AND r.created_at >= $1 AND r.created_at < $2
    AND ($3::text IS NULL OR r.agent_name = $3)
ORDER BY r.id, t.delivery, t.number";

macro_rules! errors {
    ($runs:literal) => {
        concat!(
            "SELECT r.created_at, r.agent_name, place.path, place.keyword FROM runs r JOIN attempts t ON t.run_id = r.id, \
             unnest(t.error_paths, t.error_keywords) AS place(path, keyword) WHERE ",
            $runs,
            " AND r.created_at >= $1 AND r.created_at < $2 AND ($3::text IS NULL OR r.agent_name = $3)"
        )
    };
}

const ERRORS: &str = errors!("r.status IN ('completed', 'failed', 'stopped')");

/// Runs that have not finished are few, are never kept, and each kind has an index.
const ERRORS_OF_UNFINISHED: &str = errors!(
    "(r.status = 'pending' OR r.lease_expires_at IS NOT NULL OR r.status IN ('waiting', 'input_required'))"
);

impl PostgresStore {
    async fn count_runs(&self, asked: &StatsQuery) -> Result<Figures, DbError> {
        let kept = self.kept_now(asked).await?;
        let spans = kept.spans(asked);
        let mut tally = self.tally(Tally::new(asked), &spans, asked.agent_name.as_deref()).await?;
        for (hour, figures) in &kept.hours {
            if let Some(figures) = figures {
                tally.add_hour(*hour, figures);
            }
        }
        Ok(tally.figures())
    }

    /// What is kept, brought up to date if that can be done.
    async fn kept_now(&self, asked: &StatsQuery) -> Result<Kept<HourFigures>, DbError> {
        if let Err(error) = self.keep_hours().await {
            tracing::debug!(?error, "statistics of past hours were not kept; their runs are read");
        }
        self.kept(asked).await
    }

    /// Adds the runs of these times, of one agent or of all. Each time is a statement, whose plan depends on how many runs it has.
    pub(crate) async fn tally(
        &self,
        mut tally: Tally,
        spans: &[Span],
        agent_name: Option<&str>,
    ) -> Result<Tally, DbError> {
        for span in spans {
            let mut rows = of_span(ENDED, *span, agent_name).fetch(&self.pool);
            let mut last = String::new();
            while let Some(row) = rows.try_next().await? {
                let id: &str = row.try_get("id")?;
                if id != last {
                    tally.run(ended(&row)?);
                    last = id.to_owned();
                }
                attempt(&mut tally, &row)?;
            }
        }
        Ok(tally)
    }

    async fn count_errors(&self, asked: &StatsQuery, limit: u32) -> Result<Vec<ErrorCount>, DbError> {
        let kept = self.kept(asked).await?;
        let mut tally = ErrorTally::default();
        for figures in kept.hours.iter().filter_map(|(_, figures)| figures.as_ref()) {
            tally.add_hour(figures, asked);
        }
        let agent_name = asked.agent_name.as_deref();
        self.errors(&kept.spans(asked), agent_name, |_, _, error| tally.add(&error)).await?;
        let all = (asked.since.unwrap_or(Timestamp::MIN), Timestamp::MAX);
        let mut rows = of_span(ERRORS_OF_UNFINISHED, all, agent_name).fetch(&self.pool);
        while let Some(row) = rows.try_next().await? {
            tally.add(&error(&row)?);
        }
        Ok(tally.most_frequent(limit))
    }

    /// The errors of finished runs of these times, each with its time and agent.
    pub(crate) async fn errors(
        &self,
        spans: &[Span],
        agent_name: Option<&str>,
        mut each: impl FnMut(Timestamp, String, ErrorCount),
    ) -> Result<(), DbError> {
        for span in spans {
            let mut rows = of_span(ERRORS, *span, agent_name).fetch(&self.pool);
            while let Some(row) = rows.try_next().await? {
                let agent_name = unescape(row.try_get("agent_name")?);
                each(time(row.try_get("created_at")?)?, agent_name, error(&row)?);
            }
        }
        Ok(())
    }
}

fn of_span<'q>(sql: &'static str, (start, stop): Span, agent_name: Option<&str>) -> Statement<'q> {
    let agent_name = agent_name.map(|name| escape(name).into_owned());
    sqlx::query(sql).bind(micros(start)).bind(micros(stop)).bind(agent_name)
}

fn attempt(tally: &mut Tally, row: &PgRow) -> Result<(), DbError> {
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
    Ok(())
}

fn error(row: &PgRow) -> Result<ErrorCount, DbError> {
    let (path, keyword) = (unescape(row.try_get("path")?), unescape(row.try_get("keyword")?));
    Ok(ErrorCount { path, keyword, count: 1 })
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
