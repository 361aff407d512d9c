//! Attempts: kept whole, and in columns what is counted.

use accord_domain::attempt::{Attempt, ValueSource};
use accord_domain::event::{Body, NewEvent};
use accord_domain::run::Run;
use jiff::Timestamp;
use sqlx::PgConnection;

use crate::convert::{from_json, json};
use crate::error::DbError;
use crate::load::Step;
use crate::text::escape;

const INSERT: &str = "
INSERT INTO attempts
    (run_id, delivery, number, model, strategy, outcome, source, error_paths, error_keywords, record,
    input_tokens, output_tokens, cost_usd)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
ON CONFLICT DO NOTHING";

/// Writes those that are not there yet, and gives their events. There are seldom more than one.
pub(super) async fn insert(
    connection: &mut PgConnection,
    run: &Run,
    attempts: &[Attempt],
    now: Timestamp,
) -> Result<Vec<NewEvent>, DbError> {
    let mut events = Vec::new();
    for attempt in attempts {
        let paths: Vec<_> = attempt.errors.iter().map(|error| escape(&error.place()).into_owned()).collect();
        let keywords: Vec<_> =
            attempt.errors.iter().map(|error| escape(&error.keyword).into_owned()).collect();
        let inserted = sqlx::query(INSERT)
            .bind(run.id.as_str())
            .bind(i64::from(attempt.delivery))
            .bind(i64::from(attempt.number))
            .bind(escape(&attempt.model))
            .bind(attempt.strategy.as_str())
            .bind(attempt.outcome.as_str())
            .bind(attempt.source.map(ValueSource::as_str))
            .bind(paths)
            .bind(keywords)
            .bind(json(attempt)?)
            .bind(i64::try_from(attempt.usage.input_tokens).unwrap_or(i64::MAX))
            .bind(i64::try_from(attempt.usage.output_tokens).unwrap_or(i64::MAX))
            .bind(attempt.usage.cost_usd)
            .execute(&mut *connection)
            .await?;
        if inserted.rows_affected() == 1 {
            events.push(judged(run, attempt, now));
        }
    }
    Ok(events)
}

const OF_RUN: &str = "SELECT record FROM attempts WHERE run_id = $1 ORDER BY delivery, number";

/// A decision without a runner's report. If it ends a run, the usage comes from its attempts.
pub(crate) async fn counted(connection: &mut PgConnection, step: Step) -> Result<Step, DbError> {
    if !step.change.ends_without_runner() {
        return Ok(step);
    }
    let query = sqlx::query_scalar(OF_RUN).bind(step.change.run.id.as_str());
    let records: Vec<String> = query.fetch_all(connection).await?;
    let attempts = records.iter().map(|record| from_json(record)).collect::<Result<Vec<Attempt>, _>>()?;
    Ok(Step { change: step.change.with_attempts(&attempts), ..step })
}

fn judged(run: &Run, attempt: &Attempt, at: Timestamp) -> NewEvent {
    let attempt = Box::new(Attempt { text: String::new(), ..attempt.clone() });
    NewEvent {
        at,
        session_id: run.session_id.clone(),
        run_id: Some(run.id.clone()),
        body: Body::AttemptJudged { attempt },
    }
}
