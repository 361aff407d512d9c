//! Runs of commands that are gone.
//!
//! `accord run` and `accord workflows run` without a coordinator require their own runner by a unique tag.
//! Killed with `kill -9`, they leave a run that no runner can take, and those that finish may leave child runs
//! that nothing waited for. The next command that hosts a coordinator on the same database fails them with a reason. Whether a
//! command still lives is known by its process, where it ran on this machine, and else by how long its runner has been
//! silent.

use std::path::Path;

use accord_domain::run::{Run, Status};
use accord_domain::runner::{OWN_TAG, Runner};
use accord_store::{PageRequest, RunFilter, Store, StoreError};
use jiff::{SignedDuration, Timestamp};

use super::runner::hostname;

/// A command leaves one run; if there is more than a page of them, the rest is left for the next command.
const PAGE: u32 = 500;

/// The tag of a command's own runner. `unique` makes it different from all others.
pub(super) fn tag(unique: &str) -> String {
    format!("{OWN_TAG}{}-{unique}", std::process::id())
}

/// Fails the runs of commands that are gone. Errors are only logged: this is not what the command was started for.
pub(super) async fn fail(store: &dyn Store, lease_seconds: u32) {
    if let Err(error) = try_to_fail(store, lease_seconds).await {
        tracing::warn!(%error, "could not look for runs of commands that have exited");
    }
}

async fn try_to_fail(store: &dyn Store, lease_seconds: u32) -> Result<(), StoreError> {
    let mut left = Vec::new();
    for status in [Status::Pending, Status::Claimed, Status::Running, Status::Stopping] {
        let filter = RunFilter { status: Some(status), ..RunFilter::default() };
        let page = store.runs(&filter, &PageRequest { limit: PAGE, cursor: None }).await?;
        left.extend(page.items.into_iter().filter_map(|run| Some((tag_of(&run)?, run))));
    }
    if left.is_empty() {
        return Ok(());
    }
    let runners = store.runners().await?;
    let now = Timestamp::now();
    // Twice the lease duration: a runner that was silent for this long is gone.
    let silence = SignedDuration::from_secs(i64::from(lease_seconds).saturating_mul(2));
    for (tag, run) in left {
        if !is_gone(&tag, &run, &runners, now, silence) {
            continue;
        }
        let message = "the command that started this run (`accord run` or `accord workflows run`) has exited; run it again";
        store.abandon_run(&run.id, message, now).await?;
        tracing::warn!(run = %run.id, "marked a run as failed because its command has exited");
    }
    Ok(())
}

fn tag_of(run: &Run) -> Option<String> {
    run.demands.tags.iter().find(|tag| tag.starts_with(OWN_TAG)).cloned()
}

fn is_gone(tag: &str, run: &Run, runners: &[Runner], now: Timestamp, silence: SignedDuration) -> bool {
    let own = runners.iter().find(|runner| runner.profile.tags.contains(tag));
    let seen = own.map_or(run.created_at, |runner| runner.seen_at);
    let is_silent = now.duration_since(seen) > silence;
    let is_here = own.is_some_and(|runner| runner.profile.hostname == hostname());
    is_silent || is_here && is_dead(tag)
}

/// Whether the process in a tag is known to be no more. Where processes cannot be looked at nothing is known.
fn is_dead(tag: &str) -> bool {
    let Some(process) = tag.strip_prefix(OWN_TAG).and_then(|rest| rest.split('-').next()) else {
        return false;
    };
    let is_number = !process.is_empty() && process.bytes().all(|byte| byte.is_ascii_digit());
    is_number && Path::new("/proc/self").exists() && !Path::new("/proc").join(process).exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_dead_or_alive() {
        assert!(!is_dead(&tag("x")), "this one lives");
        // The kernel gives no process a number that large.
        assert!(is_dead("accord-run-4294967295-x"));
        assert!(!is_dead("accord-run-"));
        assert!(!is_dead("accord-run-0193a5-x"));
    }
}
