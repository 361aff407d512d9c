//! Passes the store's notices on to what waits in this process.

use std::sync::Arc;

use accord_store::Notices;
use tokio::sync::broadcast::error::RecvError;

use crate::app::App;

pub(super) async fn pass_on(app: Arc<App>, mut notices: Notices) {
    loop {
        let notice = tokio::select! {
            notice = notices.recv() => notice,
            () = app.closing.cancelled() => return,
        };
        match notice {
            Ok(notice) => app.hub.notice(notice),
            Err(RecvError::Lagged(_)) => app.hub.wake_everybody(),
            // Everything that waits also polls.
            Err(RecvError::Closed) => return,
        }
    }
}
