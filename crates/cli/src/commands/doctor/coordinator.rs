//! Whether a coordinator answers.

use accord_api::{ErrorBody, PageQuery};
use accord_client::{Client, ClientError};

use super::{Check, Status};
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
        Ok(None) => vec![Check::warn(NAME, "none runs for this project", "accord up starts one")],
        Err(_) => {
            let message = format!(
                "runner.coordinator '{}' cannot be used",
                without_secrets(&config.values.runner.coordinator)
            );
            vec![Check::fail(NAME, message, "it should look like http://127.0.0.1:8765")]
        }
    };
    (checks, None)
}

async fn answering(client: &Client) -> Vec<Check> {
    let url = without_secrets(client.base_url().trim_end_matches('/'));
    if let Err(error) = client.health().await {
        return vec![Check::fail(NAME, error.to_string(), "is it running there? accord up starts one here")];
    }
    let mut checks = vec![match client.ready().await {
        Ok(()) => Check::ok(NAME, format!("answers at {url}, its store is ready")),
        Err(error) => {
            Check::fail(NAME, format!("answers at {url}, but is not ready: {error}"), "see its log")
        }
    }];
    checks.push(match client.runners(&PageQuery::default()).await {
        Ok(page) => match page.items.iter().filter(|runner| runner.alive).count() {
            0 => Check::warn(
                "runners",
                "none is alive: runs would wait",
                "accord up or accord runner starts one",
            ),
            count => Check::ok("runners", format!("{count} alive")),
        },
        Err(ClientError::Api(body)) if is_of_a_runner(&body) => {
            Check::ok("runners", "the key is a runner's: it takes work, and is not told who else does")
        }
        Err(ClientError::Api(body)) if matches!(body.status_code, 401 | 403) => {
            Check::warn("runners", body.message, "show a key with --key-file or ACCORD_KEY")
        }
        Err(error) => Check::fail("runners", error.to_string(), "see the coordinator's log"),
    });
    checks
}

/// Whether a key is refused for being a runner's, which is the one to have where a runner is.
fn is_of_a_runner(body: &ErrorBody) -> bool {
    body.status_code == 403 && body.message.contains("the role 'runner'")
}
