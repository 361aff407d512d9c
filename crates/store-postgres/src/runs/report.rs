//! What happens while a run is at work.

use accord_domain::event::NewEvent;
use accord_domain::run::change::held;
use accord_store::Report;
use sqlx::PgConnection;

use super::attempts;
use crate::fault::Fault;
use crate::notices::Announcement;
use crate::store::{PostgresStore, conclude};
use crate::{load, write};

impl PostgresStore {
    pub(super) async fn tell(&self, report: &Report) -> Result<(), Fault> {
        let mut transaction = self.begin().await?;
        let written = write_report(&mut transaction, report).await;
        if conclude(transaction, written).await? > 0 {
            self.hub.announce(Announcement::events());
        }
        Ok(())
    }
}

/// The run is locked, so that nothing is told of it after its end. Gives the number of events.
async fn write_report(connection: &mut PgConnection, report: &Report) -> Result<usize, Fault> {
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
    write::events(connection, &events).await?;
    Ok(events.len())
}
