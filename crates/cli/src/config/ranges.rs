//! Numbers that cannot work are refused before anything is started with them.

use accord_api::agent::Retry;
use accord_api::contract::MOST_RETRIES;
use accord_coordinator::Queue;
use accord_executor::Price;

use super::Values;
use super::origin::Origins;
use crate::failure::Problem;

/// Less than this, and no request of a runner would be taken.
const LEAST_REQUEST: u64 = 64 * 1024;

/// A million tokens have never cost a thousandth of this. A higher price is a typing error and would make every sum useless.
const DEAREST_MILLION: f64 = 1_000_000.0;

/// Looks at every number that has bounds.
pub(super) fn check(values: &Values, origins: &Origins) -> Result<(), Problem> {
    let Values { server, queue, front, runner, enforcement, retry, .. } = values;
    let any = u64::MAX;
    let bounds = [
        ("server.request_limit_bytes", server.request_limit_bytes, LEAST_REQUEST, any),
        ("queue.lease_seconds", queue.lease_seconds.into(), Queue::SHORTEST_LEASE_SECONDS.into(), any),
        ("queue.max_deliveries", queue.max_deliveries.into(), 1, any),
        ("front.linger_seconds", front.linger_seconds.into(), 1, any),
        ("runner.concurrency", runner.concurrency.into(), 1, any),
        ("retry.for_seconds", retry.for_seconds.into(), 0, Retry::MOST_SECONDS.into()),
        ("retry.max_attempts", retry.max_attempts.unwrap_or(1).into(), 1, any),
        ("enforcement.max_retries", enforcement.max_retries.into(), 0, MOST_RETRIES.into()),
    ];
    for (key, value, least, most) in bounds {
        if value < least || value > most {
            let most = if most == any { "or more".to_owned() } else { format!("to {most}") };
            let problem =
                Problem::new(format!("invalid setting {key}: expected {least} {most}, got {value}"));
            return Err(problem.hint(format!("it was set by {}", origins.of(key))));
        }
    }
    values.prices.iter().try_for_each(|(name, price)| check_price(name, price, origins))
}

/// A bound on costs counts in prices: one that is negative or no number would lift it.
fn check_price(name: &str, price: &Price, origins: &Origins) -> Result<(), Problem> {
    let key = format!("prices.{name}");
    let hint = format!("it was set by {}", origins.of(&key));
    if !name.split_once('/').is_some_and(|(provider, model)| !provider.is_empty() && !model.is_empty()) {
        let problem = Problem::new(format!("invalid setting {key}: expected a name PROVIDER/MODEL"));
        return Err(problem.hint(format!("{hint}; PROVIDER/* is for every model of a provider")));
    }
    let fields = [
        ("input", Some(price.input)),
        ("output", Some(price.output)),
        ("cache_read", price.cache_read),
        ("cache_write", price.cache_write),
    ];
    for (field, price) in fields {
        if let Some(price) = price.filter(|price| !(0.0..=DEAREST_MILLION).contains(price)) {
            let told = format!("invalid setting {key}.{field}: expected 0 to {DEAREST_MILLION}, got {price}");
            return Err(Problem::new(told).hint(hint));
        }
    }
    Ok(())
}
