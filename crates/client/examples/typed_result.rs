//! Starts a run, waits for its end, and reads the result into a struct.
//!
//! ```text
//! accord init --dir demo && accord up --dir demo              # in one terminal
//! cargo run --package accord-client --example typed_result    # in another
//! ```
//!
//! The agent of `accord init` answers from a recording, which knows one ticket; with a live model any may be given.
//!
//! The coordinator is looked for at `ACCORD_URL` (`http://127.0.0.1:8765` without it), and `ACCORD_KEY` is shown to it.
#![expect(clippy::print_stdout, reason = "an example shows what it got")]

use std::error::Error;

use accord_client::api::{CreateRun, FailureType, RunStatus, RunView};
use accord_client::{ApiKey, Client, ClientError};
use serde::Deserialize;
use serde_json::json;

/// The agent's output contract as a type. What the contract promises needs no checks here.
#[derive(Debug, Deserialize)]
struct Triage {
    category: Category,
    urgency: Urgency,
    summary: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Category {
    Billing,
    Bug,
    Question,
    Outage,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Urgency {
    Low,
    Medium,
    High,
}

/// The ticket of `.accord/inputs/ticket.json`.
const RECORDED_TICKET: &str =
    "Since nine o'clock nobody in our office can log in. The page says: internal error.";

/// One wait is at most 300 seconds. A run that takes longer is asked for again.
const WAIT_SECONDS: u32 = 60;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let ticket = std::env::args().nth(1).unwrap_or_else(|| RECORDED_TICKET.to_owned());
    let url = std::env::var("ACCORD_URL").unwrap_or_else(|_| "http://127.0.0.1:8765".to_owned());
    let key = std::env::var("ACCORD_KEY").ok().map(ApiKey::new);
    let client = Client::new(&url, key.as_ref())?;

    let run = ended(&client, &ticket).await?;
    match (run.status, run.result, run.error) {
        (RunStatus::Completed, Some(result), _) => {
            let Triage { category, urgency, summary } = result.data()?;
            println!("{category:?}, {urgency:?}: {summary}");
            Ok(())
        }
        // The model could not keep the contract: what was wrong is told, and no half-right value is.
        (_, _, Some(error)) if error.kind == FailureType::OutputSchemaValidationFailed => {
            Err(format!("{}: {}", error.message, error.validation_errors.join("; ")).into())
        }
        (status, _, error) => {
            let why = error.map(|error| error.message).unwrap_or_default();
            Err(format!("{} is {status}: {why}", run.run_id).into())
        }
    }
}

/// The run at its end. The key makes the request safe to repeat: one that is sent again finds the same run.
async fn ended(client: &Client, ticket: &str) -> Result<RunView, ClientError> {
    let request = CreateRun {
        agent_name: Some("ticket-triage".to_owned()),
        parameters: Some(json!({"ticket": ticket})),
        ..CreateRun::default()
    };
    let key = format!("typed-result-{}", std::process::id());
    loop {
        let run = client.create_run_and_wait(&request, WAIT_SECONDS, Some(&key)).await?;
        if run.status.is_over() {
            return Ok(run);
        }
    }
}
