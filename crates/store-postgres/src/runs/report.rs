//! What happens while a run is at work.

use accord_domain::event::NewEvent;
use accord_domain::run::change::held;
use accord_store::Report;

use super::attempts;
use crate::fault::Fault;
use crate::notices::Announcement;
use crate::store::PostgresStore;
use crate::{load, write};

impl PostgresStore {
    /// The run is locked, so that nothing is told of it after its end.
    pub(super) async fn tell(&self, report: &Report) -> Result<(), Fault> {
        let mut transaction = self.pool.begin().await?;
        let run = load::run(&mut transaction, &report.holder.run_id).await?;
        held(&run, &report.holder)?;
        let told = report.events.iter().map(|body| NewEvent {
            at: report.now,
            session_id: run.session_id.clone(),
            run_id: Some(run.id.clone()),
            body: body.clone(),
        });
        let mut events: Vec<_> = told.collect();
        events.extend(attempts::insert(&mut transaction, &run, &report.attempts, report.now).await?);
        write::events(&mut transaction, &events).await?;
        transaction.commit().await?;
        if !events.is_empty() {
            self.hub.announce(Announcement::events());
        }
        Ok(())
    }
}
