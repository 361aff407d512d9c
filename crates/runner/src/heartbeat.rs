//! Being heard of: leases renewed, stops heard at once, expired leases let go.

use std::sync::Arc;
use std::time::Duration;

use accord_api::{ErrorName, Heartbeat};
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::backoff::Backoff;
use crate::limits::{LONGEST_HEARTBEAT_SECONDS, NEWLY_HELD};
use crate::runner::Shared;

/// The pause after an answer that came at once: a run that is being stopped is answered so until it has ended.
const PACE: Duration = Duration::from_secs(1);

/// Renews the leases until there are none left.
pub(crate) async fn keep(shared: Arc<Shared>, done: CancellationToken) {
    tokio::select! {
        () = done.cancelled() => {}
        () = beat(&shared) => {}
        () = watch_expiry(&shared) => {}
    }
}

/// One heartbeat after the other, each for all runs. It waits at the coordinator, so that a stop comes at once; a run that is
/// taken meanwhile begins the next.
async fn beat(shared: &Shared) {
    let mut backoff = Backoff::default();
    let mut taken = shared.leases.taken();
    loop {
        let registered = shared.registered();
        let asked_at = Instant::now();
        taken.mark_unchanged();
        let runs = shared.leases.held();
        let most = (registered.lease_seconds / 2).clamp(1, LONGEST_HEARTBEAT_SECONDS);
        let wait_seconds = registered.heartbeat_seconds.clamp(1, most);
        let is_full = runs.len() >= shared.places();
        let waiting = is_full.then(|| *shared.leases.waiting().borrow());
        let heartbeat = Heartbeat { runner_id: registered.runner_id.clone(), runs, wait_seconds, waiting };
        let answer = tokio::select! {
            biased;
            answer = shared.coordinator.heartbeat(&heartbeat) => answer,
            () = newly_held(&mut taken) => continue,
        };
        match answer {
            Ok(answer) => {
                shared.leases.instructed(&heartbeat.runs, &answer, asked_at);
                backoff = Backoff::default();
                if asked_at.elapsed() < PACE {
                    tokio::select! {
                        () = tokio::time::sleep(PACE) => {}
                        () = newly_held(&mut taken) => {}
                    }
                }
            }
            Err(error) if error.is(ErrorName::RunnerNotFound) => {
                shared.register_again(&registered.runner_id).await;
            }
            Err(error) => {
                tracing::warn!(%error, "the coordinator rejected the heartbeat");
                backoff.rest().await;
            }
        }
    }
}

async fn newly_held(taken: &mut watch::Receiver<u64>) {
    if taken.changed().await.is_err() {
        std::future::pending::<()>().await;
    }
    tokio::time::sleep(NEWLY_HELD).await;
}

async fn watch_expiry(shared: &Shared) {
    let mut taken = shared.leases.taken();
    loop {
        match shared.leases.next_expiry() {
            Some(at) => {
                tokio::time::sleep_until(at).await;
                shared.leases.expire(Instant::now());
            }
            None if taken.changed().await.is_ok() => {}
            None => std::future::pending::<()>().await,
        }
    }
}
