//! Reloads definitions when their files change.
//!
//! The folder is watched, and polled as well: it may not exist yet, be deleted and created again, or be on a file system that
//! cannot be watched.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::Notify;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_util::sync::CancellationToken;

use super::Kind;
use crate::app::blueprints::Blueprints;

/// Editors write a file in several steps; without a change for this long they are done.
const QUIET: Duration = Duration::from_millis(100);

/// The longest wait for that, because something may never stop writing.
const LONGEST_WAIT: Duration = Duration::from_secs(1);

/// Poll interval of a folder that is not watched.
const POLL: Duration = Duration::from_secs(2);

/// Poll interval of a watched folder.
const WATCHED_POLL: Duration = Duration::from_secs(10);

/// Reloads definitions at the start and whenever a file in their folder changes.
pub(crate) async fn watch<K: Kind>(blueprints: Arc<Blueprints>, stop: CancellationToken) {
    let Some(folder) = K::definitions(&blueprints).folder.clone() else { return };
    let changed = Arc::new(Notify::new());
    let mut seen = None;
    loop {
        // Watched before it is read, so that a change in between is noticed.
        let watcher = watcher(&folder, &changed);
        let fingerprint = fingerprint::<K>(&folder).await;
        if seen != Some(fingerprint) {
            blueprints.reload_definitions::<K>().await;
            seen = Some(fingerprint);
        }
        let interval = if watcher.is_some() { WATCHED_POLL } else { POLL };
        tokio::select! {
            () = stop.cancelled() => return,
            notified = timeout(interval, changed.notified()) => {
                if notified.is_ok() {
                    settle(&changed).await;
                    // The change may be too quick for the clock of the file system.
                    seen = None;
                }
            }
        }
    }
}

/// Waits until nothing has changed for a moment.
async fn settle(changed: &Notify) {
    let deadline = Instant::now() + LONGEST_WAIT;
    while Instant::now() < deadline {
        let quiet = (Instant::now() + QUIET).min(deadline);
        if timeout_at(quiet, changed.notified()).await.is_err() {
            return;
        }
    }
}

async fn fingerprint<K: Kind>(folder: &Path) -> u64 {
    let folder = folder.to_owned();
    tokio::task::spawn_blocking(move || K::fingerprint(&folder)).await.unwrap_or_default()
}

/// A watcher of the folder, or `None` if it does not exist or cannot be watched. The folder around it is not watched
/// instead, because the database is in there and each of its writes would be a change.
fn watcher(folder: &Path, changed: &Arc<Notify>) -> Option<RecommendedWatcher> {
    let changed = Arc::clone(changed);
    let notify_change = move |event: notify::Result<notify::Event>| {
        // Reading is not a change.
        if !matches!(&event, Ok(event) if matches!(event.kind, EventKind::Access(_))) {
            changed.notify_one();
        }
    };
    let mut watcher = notify::recommended_watcher(notify_change).ok()?;
    watcher.watch(folder, RecursiveMode::Recursive).ok()?;
    Some(watcher)
}
