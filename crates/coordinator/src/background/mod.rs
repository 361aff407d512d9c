//! Background work.
//!
//! Each task is a reconciler: it has no input, reads the store, does what is due, and can be killed at any time. It is woken by
//! a signal or a timer. One that fails logs it and tries again. A passive coordinator has none of them.

mod notices;
mod reconcilers;

use std::sync::Arc;

use accord_blueprint::{Agents, Workflows};
use tokio::task::JoinSet;

use crate::app::{App, watch};
use crate::error::Error;

/// The tasks of one application.
#[derive(Debug)]
pub struct Background {
    tasks: JoinSet<()>,
}

impl Background {
    /// Starts them. They end when the application closes.
    pub fn start(app: &Arc<App>) -> Self {
        let Self { mut tasks } = Self::look(app);
        tasks.spawn(reconcilers::marks(Arc::clone(app)));
        tasks.spawn(reconcilers::workflows(Arc::clone(app)));
        tasks.spawn(reconcilers::reaper(Arc::clone(app)));
        tasks.spawn(reconcilers::unmatched(Arc::clone(app)));
        tasks.spawn(reconcilers::callbacks(Arc::clone(app)));
        tasks.spawn(reconcilers::orphans(Arc::clone(app)));
        tasks.spawn(reconcilers::inputs(Arc::clone(app)));
        tasks.spawn(reconcilers::callers(Arc::clone(app)));
        tasks.spawn(reconcilers::forget(Arc::clone(app)));
        tasks.spawn(reconcilers::key_uses(Arc::clone(app)));
        tasks.spawn(reconcilers::figures(Arc::clone(app)));
        Self { tasks }
    }

    /// Starts only what passes on changes.
    pub fn look(app: &Arc<App>) -> Self {
        let mut tasks = JoinSet::new();
        // The receiver is made here, so that nothing is missed that is written once this returns.
        let notices = app.event_store.notices();
        tasks.spawn(notices::pass_on(Arc::clone(app), notices));
        tasks.spawn(watch::<Agents>(Arc::clone(&app.blueprints), app.closing.clone()));
        tasks.spawn(watch::<Workflows>(Arc::clone(&app.blueprints), app.closing.clone()));
        Self { tasks }
    }

    /// One round of all reconcilers, for tests that drive a coordinator by hand.
    pub async fn round(app: &App) -> Result<(), Error> {
        app.quarantine.tend_marks().await?;
        app.upkeep.reap().await?;
        app.upkeep.fail_unmatched(app.outside.now()).await?;
        app.callbacks.deliver_due().await?;
        app.inputs.expire_due().await?;
        app.workflow_runs.advance_due().await?;
        app.front.stop_left_alone(&app.workflow_runs).await?;
        app.runs.stop_orphans().await?;
        app.upkeep.forget().await
    }

    /// Waits until all have ended.
    pub async fn ended(mut self) {
        while self.tasks.join_next().await.is_some() {}
    }
}
