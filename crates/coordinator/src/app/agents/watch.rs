//! Notices when agents' files change.
//!
//! The system tells of changes where it can. The folder is looked at now and then all the same: it may not be there yet,
//! be deleted and made again, or lie on a disk that tells nothing.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::Notify;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_util::sync::CancellationToken;

use super::files::fingerprint;
use crate::app::blueprints::Blueprints;

/// Editors write a file in several steps; this much silence means that they are done.
const QUIET: Duration = Duration::from_millis(100);

/// The longest wait for silence: something that never stops writing must not keep us from reading.
const LONGEST_UNREST: Duration = Duration::from_secs(1);

/// How often to look where the system tells nothing.
const SLOW_POLL: Duration = Duration::from_secs(2);

/// How often to look where it does.
const SLOWER_POLL: Duration = Duration::from_secs(10);

/// Reloads the agents whenever their files change, until told to stop.
pub(crate) async fn watch(agents: Arc<Blueprints>, stop: CancellationToken) {
    let Some(folder) = agents.catalog.folder().map(Path::to_owned) else { return };
    let reload = || {
        let agents = Arc::clone(&agents);
        async move { agents.reload_agents().await }
    };
    watch_folder(folder, fingerprint, reload, stop).await;
}

/// Calls back whenever something in a folder changes, and once at the beginning.
pub(in crate::app) async fn watch_folder<Reload: Future<Output = ()>>(
    folder: PathBuf,
    fingerprint: fn(&Path) -> u64,
    reload: impl Fn() -> Reload,
    stop: CancellationToken,
) {
    let changed = Arc::new(Notify::new());
    let mut seen = None;
    loop {
        // The watch first, then the look: a change between the two is told.
        let watcher = watcher(&folder, &changed);
        let print = looked_at(&folder, fingerprint).await;
        if seen != Some(print) {
            reload().await;
            seen = Some(print);
        }
        let patience = if watcher.is_some() { SLOWER_POLL } else { SLOW_POLL };
        tokio::select! {
            () = stop.cancelled() => return,
            told = timeout(patience, changed.notified()) => {
                if told.is_ok() {
                    settle(&changed).await;
                    // What the system tells may be too quick for the clock of the file system.
                    seen = None;
                }
            }
        }
    }
}

/// Waits until nothing has changed for a moment.
async fn settle(changed: &Notify) {
    let deadline = Instant::now() + LONGEST_UNREST;
    while Instant::now() < deadline {
        let quiet = (Instant::now() + QUIET).min(deadline);
        if timeout_at(quiet, changed.notified()).await.is_err() {
            return;
        }
    }
}

async fn looked_at(folder: &Path, fingerprint: fn(&Path) -> u64) -> u64 {
    let folder = folder.to_owned();
    tokio::task::spawn_blocking(move || fingerprint(&folder)).await.unwrap_or_default()
}

/// A watcher on the folder; none where it is not there or the system cannot watch. The folder around it is not watched
/// meanwhile: the database lives there, and the system would tell of each of its writes.
fn watcher(folder: &Path, changed: &Arc<Notify>) -> Option<RecommendedWatcher> {
    let told = Arc::clone(changed);
    let tell = move |event: notify::Result<notify::Event>| {
        // Our own reading is no change.
        if !matches!(&event, Ok(event) if matches!(event.kind, EventKind::Access(_))) {
            told.notify_one();
        }
    };
    let mut watcher = notify::recommended_watcher(tell).ok()?;
    watcher.watch(folder, RecursiveMode::Recursive).ok()?;
    Some(watcher)
}
