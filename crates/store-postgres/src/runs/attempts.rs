//! Attempts: kept whole, and in columns what is counted.

use std::collections::HashSet;

use accord_domain::attempt::{Attempt, Error, ValueSource};
use accord_domain::event::{Body, NewEvent};
use accord_domain::run::Run;
use jiff::Timestamp;
use sqlx::{PgConnection, Row};

use crate::convert::{count, from_json, json};
use crate::error::DbError;
use crate::load::Step;
use crate::rows::column;
use crate::text::escape;

const INSERT: &str = "
INSERT INTO attempts
    (run_id, delivery, number, model, strategy, outcome, source, error_paths, error_keywords, record,
    input_tokens, output_tokens, cost_usd)
SELECT t.run_id, t.delivery, t.number, t.model, t.strategy, t.outcome, t.source,
    ARRAY(SELECT json_array_elements_text(t.error_paths::json)),
    ARRAY(SELECT json_array_elements_text(t.error_keywords::json)), t.record, t.input_tokens, t.output_tokens, t.cost_usd
FROM unnest(
    $1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
    $10::text[], $11::bigint[], $12::bigint[], $13::double precision[]
) AS t(
    run_id, delivery, number, model, strategy, outcome, source, error_paths, error_keywords, record,
    input_tokens, output_tokens, cost_usd
)
ON CONFLICT DO NOTHING RETURNING run_id, delivery, number";

/// An attempt of a run, judged at this time.
pub(super) struct Judged<'a> {
    pub(super) run: &'a Run,
    pub(super) attempt: &'a Attempt,
    pub(super) at: Timestamp,
}

impl Judged<'_> {
    fn event(&self) -> NewEvent {
        let attempt = Box::new(Attempt { text: String::new(), ..self.attempt.clone() });
        NewEvent {
            at: self.at,
            session_id: self.run.session_id.clone(),
            run_id: Some(self.run.id.clone()),
            body: Body::AttemptJudged { attempt },
        }
    }
}

/// Writes those that are not there yet, and gives their events.
pub(super) async fn insert(
    connection: &mut PgConnection,
    judged: &[Judged<'_>],
) -> Result<Vec<NewEvent>, DbError> {
    if judged.is_empty() {
        return Ok(Vec::new());
    }
    let all: Vec<&Attempt> = judged.iter().map(|judged| judged.attempt).collect();
    let of_errors = |part: fn(&Error) -> String| -> Result<Vec<String>, DbError> {
        let lists = all.iter().map(|attempt| attempt.errors.iter().map(part).collect::<Vec<_>>());
        Ok(lists.map(|list| json(&list)).collect::<Result<_, _>>()?)
    };
    let rows = sqlx::query(INSERT)
        .bind(judged.iter().map(|judged| judged.run.id.as_str()).collect::<Vec<_>>())
        .bind(column(&all, |attempt| i64::from(attempt.delivery)))
        .bind(column(&all, |attempt| i64::from(attempt.number)))
        .bind(column(&all, |attempt| escape(&attempt.model)))
        .bind(column(&all, |attempt| attempt.strategy.as_str()))
        .bind(column(&all, |attempt| attempt.outcome.as_str()))
        .bind(column(&all, |attempt| attempt.source.map(ValueSource::as_str)))
        .bind(of_errors(|error| escape(&error.place()).into_owned())?)
        .bind(of_errors(|error| escape(&error.keyword).into_owned())?)
        .bind(all.iter().map(json).collect::<Result<Vec<_>, _>>()?)
        .bind(column(&all, |attempt| count(attempt.usage.input_tokens)))
        .bind(column(&all, |attempt| count(attempt.usage.output_tokens)))
        .bind(column(&all, |attempt| attempt.usage.cost_usd))
        .fetch_all(connection)
        .await?;
    let mut inserted = HashSet::new();
    for row in &rows {
        let (delivery, number): (i64, i64) = (row.try_get("delivery")?, row.try_get("number")?);
        inserted.insert((row.try_get::<&str, _>("run_id")?, delivery, number));
    }
    let mut events = Vec::with_capacity(rows.len());
    for judged in judged {
        let Attempt { delivery, number, .. } = judged.attempt;
        // Removed, because the same attempt may be reported twice at once.
        if inserted.remove(&(judged.run.id.as_str(), i64::from(*delivery), i64::from(*number))) {
            events.push(judged.event());
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
