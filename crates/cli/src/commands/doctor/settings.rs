//! Whether the settings let accord start.

use super::Check;
use crate::config::Config;
use crate::host;

const NAME: &str = "settings";

pub(super) async fn checks(config: &Config) -> Vec<Check> {
    let refusals = host::refusals(config).await;
    if refusals.is_empty() {
        return vec![Check::ok(NAME, "accord up takes them")];
    }
    let of_problem = |problem: crate::failure::Problem| {
        let (message, hint) = problem.into_parts();
        Check::fail(
            NAME,
            message,
            hint.unwrap_or_else(|| "the table above says where it comes from".to_owned()),
        )
    };
    refusals.into_iter().map(of_problem).collect()
}
