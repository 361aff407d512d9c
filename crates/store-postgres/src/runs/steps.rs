//! What runs did, step by step.

use std::borrow::Borrow;

use accord_domain::id::RunId;
use accord_domain::step::Step;
use accord_store::StoreError;
use sqlx::postgres::PgRow;
use sqlx::{PgConnection, PgPool, Row};

use crate::convert::{counted, json, micros, time};
use crate::error::DbError;

/// The steps of a run that count, as `t`: [`accord_domain::step::current`].
macro_rules! current {
    ($run:literal) => {
        concat!(
            "steps t WHERE t.run_id = ",
            $run,
            " AND t.number >= (SELECT coalesce(max(l.number), 0) FROM steps l WHERE l.run_id = ",
            $run,
            " AND l.kind = 'restarted')"
        )
    };
}
pub(super) use current;

const INSERT: &str = "
INSERT INTO steps (run_id, number, delivery, at, kind, body)
SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::text[])
ON CONFLICT DO NOTHING";

/// Writes the steps whose numbers their runs do not have yet.
pub(crate) async fn insert<S: Borrow<Step>>(
    connection: &mut PgConnection,
    steps: &[(&RunId, S)],
) -> Result<(), DbError> {
    if steps.is_empty() {
        return Ok(());
    }
    let run_ids: Vec<&str> = steps.iter().map(|(run_id, _)| run_id.as_str()).collect();
    let steps: Vec<&Step> = steps.iter().map(|(_, step)| step.borrow()).collect();
    let bodies: Vec<String> = steps.iter().map(|step| json(&step.body)).collect::<Result<_, _>>()?;
    sqlx::query(INSERT)
        .bind(run_ids)
        .bind(steps.iter().map(|step| i64::from(step.number)).collect::<Vec<_>>())
        .bind(steps.iter().map(|step| i64::from(step.delivery)).collect::<Vec<_>>())
        .bind(steps.iter().map(|step| micros(step.at)).collect::<Vec<_>>())
        .bind(steps.iter().map(|step| step.body.kind()).collect::<Vec<_>>())
        .bind(bodies)
        .execute(connection)
        .await?;
    Ok(())
}

/// The number of a run's next step.
pub(crate) async fn next_number(connection: &mut PgConnection, run_id: &RunId) -> Result<u32, DbError> {
    let query = sqlx::query_scalar("SELECT coalesce(max(number), 0) + 1 FROM steps WHERE run_id = $1");
    Ok(counted(query.bind(run_id.as_str()).fetch_one(connection).await?)?)
}

const ALL: &str = "
SELECT t.number, t.delivery, t.at, t.body FROM runs r LEFT JOIN steps t ON t.run_id = r.id WHERE r.id = $1
ORDER BY t.number";

/// All steps of a run, in order.
pub(super) async fn all(pool: &PgPool, run_id: &RunId) -> Result<Vec<Step>, DbError> {
    let rows = sqlx::query(ALL).bind(run_id.as_str()).fetch_all(pool).await?;
    if rows.is_empty() {
        return Err(StoreError::NoRun(run_id.clone()).into());
    }
    let mut steps = Vec::with_capacity(rows.len());
    for row in &rows {
        if row.try_get::<Option<i64>, _>("number")?.is_some() {
            steps.push(step(row)?);
        }
    }
    Ok(steps)
}

/// The steps of a run that are gathered in the lists `step_…` of its row; NULL if there are none.
pub(super) fn gathered(row: &PgRow) -> Result<Vec<Step>, DbError> {
    let numbers: Option<Vec<i64>> = row.try_get("step_numbers")?;
    let Some(numbers) = numbers else { return Ok(Vec::new()) };
    let deliveries: Vec<i64> = row.try_get("step_deliveries")?;
    let times: Vec<i64> = row.try_get("step_times")?;
    let bodies: Vec<String> = row.try_get("step_bodies")?;
    let parts = numbers.into_iter().zip(deliveries).zip(times.into_iter().zip(bodies));
    parts.map(|((number, delivery), (at, body))| of_parts(number, delivery, at, &body)).collect()
}

fn step(row: &PgRow) -> Result<Step, DbError> {
    of_parts(row.try_get("number")?, row.try_get("delivery")?, row.try_get("at")?, row.try_get("body")?)
}

/// A body is read from its text and not by way of a value, which would turn `-0` into `0`.
fn of_parts(number: i64, delivery: i64, at: i64, body: &str) -> Result<Step, DbError> {
    Ok(Step {
        number: counted(number)?,
        delivery: counted(delivery)?,
        at: time(at)?,
        body: serde_json::from_str(body).map_err(|error| StoreError::Corrupt(error.to_string()))?,
    })
}
