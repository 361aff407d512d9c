//! The tables `attempts` and `attempt_errors`.

use accord_domain::attempt::{Attempt, Outcome, ValueSource};
use accord_domain::contract::Strategy;
use accord_domain::event::Body;
use accord_domain::usage::Usage;
use rusqlite::{Connection, params};

use super::event;
use crate::error::DbResult;
use crate::value::{count, from_json, json, micros};

/// An answer, ready to be written.
pub(crate) struct Prepared {
    delivery: u32,
    number: u32,
    outcome: Outcome,
    strategy: Strategy,
    model: String,
    source: Option<ValueSource>,
    usage: Usage,
    document: String,
    text: String,
    event: event::Prepared,
    errors: Vec<(String, String)>,
}

impl Prepared {
    pub(crate) fn new(mut attempt: Attempt) -> DbResult<Self> {
        let text = std::mem::take(&mut attempt.text);
        let errors = attempt.errors.iter().map(|error| (error.place(), error.keyword.clone()));
        Ok(Self {
            delivery: attempt.delivery,
            number: attempt.number,
            outcome: attempt.outcome,
            strategy: attempt.strategy,
            model: attempt.model.clone(),
            source: attempt.source,
            usage: attempt.usage,
            document: json(&attempt)?,
            text,
            errors: errors.collect(),
            event: event::Prepared::new(&Body::AttemptJudged { attempt: Box::new(attempt) })?,
        })
    }

    pub(crate) fn number(&self) -> u32 {
        self.number
    }
}

/// Writes an attempt and its event, unless they exist; returns whether it did.
pub(crate) fn insert(
    connection: &Connection,
    session: i64,
    run: i64,
    at: jiff::Timestamp,
    attempt: &Prepared,
) -> DbResult<bool> {
    let sql = "INSERT INTO attempts (run, delivery, number, outcome, model, strategy, source, document, text, \
               input_tokens, output_tokens, cost_usd) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12) ON CONFLICT DO NOTHING";
    let written = connection.prepare_cached(sql)?.execute(params![
        run,
        attempt.delivery,
        attempt.number,
        attempt.outcome.as_str(),
        attempt.model,
        attempt.strategy.as_str(),
        attempt.source.map(ValueSource::as_str),
        attempt.document,
        attempt.text,
        count(attempt.usage.input_tokens),
        count(attempt.usage.output_tokens),
        attempt.usage.cost_usd,
    ])?;
    if written == 0 {
        return Ok(false);
    }
    let sql = "INSERT INTO attempt_errors (run, path, keyword) VALUES (?1, ?2, ?3)";
    let mut statement = connection.prepare_cached(sql)?;
    for (path, keyword) in &attempt.errors {
        statement.execute(params![run, path, keyword])?;
    }
    event::insert(connection, micros(at), session, Some(run), &attempt.event)?;
    Ok(true)
}

/// The answers of a run, in order.
pub(crate) fn all(connection: &Connection, run: i64) -> DbResult<Vec<Attempt>> {
    let sql = "SELECT document, text FROM attempts WHERE run = ?1 ORDER BY delivery, number";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([run])?;
    let mut attempts = Vec::new();
    while let Some(row) = rows.next()? {
        let document = row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?;
        attempts.push(Attempt { text: row.get(1)?, ..from_json(document)? });
    }
    Ok(attempts)
}
