//! Notices when workflows' files change.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::files::fingerprint;
use crate::app::agents::watch_folder;
use crate::app::blueprints::Blueprints;

/// Reloads the workflows whenever their files change, until told to stop.
pub(crate) async fn watch(definitions: Arc<Blueprints>, stop: CancellationToken) {
    let Some(folder) = definitions.workflows.folder.clone() else { return };
    let reload = || {
        let definitions = Arc::clone(&definitions);
        async move { definitions.reload_workflows().await }
    };
    watch_folder(folder, fingerprint, reload, stop).await;
}
