//! Room for open files: every run that waits for its model holds a connection open, and so does every caller that waits.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// As many as a service asks for. Three times what ten thousand waiting runs and their callers hold; not all that some
/// systems allow, because the programs that a runner starts inherit the limit, and some walk through every number below it.
const WANTED: u64 = 65_536;

/// Files that are always open: the database, the listener, connections between runner and
/// coordinator.
const APART_FROM_RUNS: u64 = 256;

/// Raises the limit as far as the system allows, and warns if that is too little for the number of concurrent runs.
pub(super) fn make_room(runs_at_once: u32) {
    let allowed = raised();
    let needed = u64::from(runs_at_once) + APART_FROM_RUNS;
    if let Some(allowed) = allowed.filter(|allowed| *allowed < needed) {
        tracing::warn!(
            "{runs_at_once} concurrent runs need more than {needed} open files, but the system allows {allowed}: runs may \
             fail to reach their models; raise the hard limit (ulimit -Hn), or lower runner.concurrency"
        );
    }
}

/// The current limit, if there is one.
fn raised() -> Option<u64> {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let now = current?;
    let wanted = maximum.map_or(WANTED, |maximum| maximum.min(WANTED));
    if now >= wanted {
        return Some(now);
    }
    match setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum }) {
        Ok(()) => Some(wanted),
        Err(error) => {
            tracing::debug!(%error, now, wanted, "cannot raise the limit of open files");
            Some(now)
        }
    }
}
