//! What happens while a run is at work.

use accord_domain::attempt::Attempt;
use accord_domain::event::{Body, NewEvent};
use accord_domain::run::Run;
use accord_domain::run::change::held;
use accord_domain::step::Step;
use accord_store::Report;
use jiff::Timestamp;
use sqlx::PgConnection;

use super::{attempts, steps};
use crate::error::DbError;
use crate::notices::Announcement;
use crate::store::{PostgresStore, conclude};
use crate::{load, write};

impl PostgresStore {
    pub(super) async fn tell(&self, report: &Report) -> Result<Vec<u32>, DbError> {
        let mut transaction = self.begin().await?;
        let written = write_report(&mut transaction, report).await;
        let events = conclude(transaction, written).await?;
        if !events.is_empty() {
            self.hub.announce(Announcement::events());
        }
        let judged = events.iter().filter_map(|event| match &event.body {
            Body::AttemptJudged { attempt } => Some(attempt.number),
            _ => None,
        });
        Ok(judged.collect())
    }
}

/// The run is locked, so that nothing is reported after its end. Returns the events.
async fn write_report(connection: &mut PgConnection, report: &Report) -> Result<Vec<NewEvent>, DbError> {
    let run = load::run(connection, &report.holder.run_id).await?;
    held(&run, &report.holder)?;
    let Report { events, attempts, steps, now, .. } = report;
    let events = insert(connection, &run, events, attempts, steps, *now).await?;
    write::events(connection, &events).await?;
    Ok(events)
}

/// Writes attempts and steps. Returns the events, which are to be written.
pub(super) async fn insert(
    connection: &mut PgConnection,
    run: &Run,
    events: &[Body],
    attempts: &[Attempt],
    steps: &[Step],
    at: Timestamp,
) -> Result<Vec<NewEvent>, DbError> {
    let (session_id, run_id) = (&run.session_id, Some(&run.id));
    let told = events.iter().map(|body| NewEvent {
        at,
        session_id: session_id.clone(),
        run_id: run_id.cloned(),
        body: body.clone(),
    });
    let mut events: Vec<_> = told.collect();
    events.extend(attempts::insert(connection, run, attempts, at).await?);
    steps::insert(connection, &run.id, steps).await?;
    Ok(events)
}
