//! Runs of workflows go on.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;

use super::reconcilers::{BETWEEN_LOOKS, failed, rest};
use crate::app::App;

/// The end of a run wakes the reconciler; this is for wake-ups that were lost, and for those who are slow to stop.
const LOOK_EVERY: Duration = Duration::from_secs(5);

pub(super) async fn advance(app: Arc<App>) {
    while !app.closing.is_cancelled() {
        let wait = match app.advance_workflows().await {
            Ok(()) => LOOK_EVERY,
            Err(error) => failed("workflows", &error),
        };
        rest(&app, BETWEEN_LOOKS).await;
        tokio::select! {
            _ = timeout(wait, app.hub.some_workflow_due()) => {}
            () = app.closing.cancelled() => {}
        }
    }
}
