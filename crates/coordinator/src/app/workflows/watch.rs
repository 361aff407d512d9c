//! Notices when workflows' files change.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::files::fingerprint;
use crate::app::App;
use crate::app::agents::watch_folder;

/// Reloads the workflows whenever their files change, until told to stop.
pub(crate) async fn watch(app: Arc<App>, stop: CancellationToken) {
    let Some(folder) = app.workflows.folder.clone() else { return };
    let reload = || {
        let app = Arc::clone(&app);
        async move { app.reload_workflows().await }
    };
    watch_folder(folder, fingerprint, reload, stop).await;
}
