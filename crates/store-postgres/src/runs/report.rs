//! What happens while a run is at work.

use accord_domain::event::{Body, NewEvent};
use accord_domain::run::change::held;
use accord_store::Report;
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
    let told = report.events.iter().map(|body| NewEvent {
        at: report.now,
        session_id: run.session_id.clone(),
        run_id: Some(run.id.clone()),
        body: body.clone(),
    });
    let mut events: Vec<_> = told.collect();
    events.extend(attempts::insert(connection, &run, &report.attempts, report.now).await?);
    steps::insert(connection, &run.id, &report.steps).await?;
    write::events(connection, &events).await?;
    Ok(events)
}
