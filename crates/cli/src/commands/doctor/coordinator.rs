//! Whether a coordinator answers.

use accord_api::{ErrorBody, PageQuery};
use accord_client::{Client, ClientError};

use super::check::{Check, Status};
use crate::config::{Config, without_secrets};
use crate::connection;

const NAME: &str = "coordinator";

/// The checks, and the coordinator, where it can be asked for more.
pub(super) async fn checks(config: &Config) -> (Vec<Check>, Option<Client>) {
    let checks = match connection::running(config).await {
        Ok(Some(client)) => {
            let checks = answering(&client).await;
            let is_ready = checks.iter().all(|check| check.status != Status::Fail);
            return (checks, is_ready.then_some(client));
        }
        Ok(None) => vec![Check::warn(NAME, "not running for this project", "start one with `accord up`")],
        Err(_) => {
            let message = format!(
                "invalid runner.coordinator '{}'",
                without_secrets(&config.values.runner.coordinator)
            );
            vec![Check::fail(NAME, message, "expected a URL such as http://127.0.0.1:8765")]
        }
    };
    (checks, None)
}

async fn answering(client: &Client) -> Vec<Check> {
    let url = without_secrets(client.base_url().trim_end_matches('/'));
    if let Err(error) = client.health().await {
        return vec![Check::fail(NAME, error.to_string(), "is it running? Start one here with `accord up`")];
    }
    let mut checks = vec![match client.ready().await {
        Ok(()) => Check::ok(NAME, format!("running at {url}, database ready")),
        Err(error) => Check::fail(NAME, format!("running at {url}, but not ready: {error}"), "see its log"),
    }];
    checks.push(match client.runners(&PageQuery::default()).await {
        Ok(page) => match page.items.iter().filter(|runner| runner.alive).count() {
            0 => Check::warn(
                "runners",
                "none is alive, so runs will wait",
                "start one with `accord up` or `accord runner`",
            ),
            count => Check::ok("runners", format!("{count} alive")),
        },
        Err(ClientError::Api(body)) if is_of_a_runner(&body) => {
            Check::ok("runners", "the key has the role runner, which cannot list runners")
        }
        Err(ClientError::Api(body)) if matches!(body.status_code, 401 | 403) => {
            Check::warn("runners", body.message, "pass a key with --key-file or ACCORD_KEY")
        }
        Err(error) => Check::fail("runners", error.to_string(), "see the coordinator's log"),
    });
    checks
}

/// Whether a key is refused for being a runner's, which is the one to have where a runner is.
fn is_of_a_runner(body: &ErrorBody) -> bool {
    body.status_code == 403 && body.message.contains("'runner'")
}
