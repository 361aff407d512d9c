//! Numbers that cannot work are refused before anything is started with them.

use accord_api::contract::MOST_RETRIES;

use super::Values;
use super::origin::Origins;
use crate::failure::Problem;

/// Less than this, and no request of a runner would be taken.
const LEAST_REQUEST: u64 = 64 * 1024;

/// Looks at every number that has bounds.
pub(super) fn check(values: &Values, origins: &Origins) -> Result<(), Problem> {
    let Values { server, queue, runner, enforcement, .. } = values;
    let any = u64::MAX;
    let bounds = [
        ("server.request_limit_bytes", server.request_limit_bytes, LEAST_REQUEST, any),
        ("queue.lease_seconds", queue.lease_seconds.into(), 1, any),
        ("queue.max_deliveries", queue.max_deliveries.into(), 1, any),
        ("runner.concurrency", runner.concurrency.into(), 1, any),
        ("enforcement.max_retries", enforcement.max_retries.into(), 0, MOST_RETRIES.into()),
    ];
    for (key, value, least, most) in bounds {
        if value < least || value > most {
            let most = if most == any { "or more".to_owned() } else { format!("to {most}") };
            let problem = Problem::new(format!("{key} is {value}: use {least} {most}"));
            return Err(problem.hint(format!("it was set by {}", origins.of(key))));
        }
    }
    Ok(())
}
