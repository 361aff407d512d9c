//! The message that tells a parent how its children ended.

use accord_contract::prompt::{self, ChildEnd, ChildResult};
use accord_domain::id::RunId;
use accord_domain::run::{Failure, Outcome, Run};
use accord_json::read_kept;
use accord_store::{RunReader, StoreError};
use serde_json::Value;

use crate::error::Error;

enum Ending {
    Data(Value),
    Text(String),
    Error(String),
}

/// The message that tells a parent how these runs of its children ended.
pub(in crate::app) async fn callback_message(
    store: &dyn RunReader,
    run_ids: &[RunId],
) -> Result<String, Error> {
    let mut children = Vec::with_capacity(run_ids.len());
    for run_id in run_ids {
        let run = store.run(run_id).await?;
        let ending = ending(store.outcome(run_id).await?, &run)?;
        children.push((run.session_id.to_string(), run, ending));
    }
    let ends: Vec<ChildEnd<'_>> = children
        .iter()
        .map(|(session_id, run, ending)| ChildEnd {
            session_id,
            agent_name: &run.agent_name,
            status: run.status.as_str(),
            result: match ending {
                Ending::Data(value) => ChildResult::Data(value),
                Ending::Text(text) => ChildResult::Text(text),
                Ending::Error(text) => ChildResult::Error(text),
            },
        })
        .collect();
    Ok(prompt::agent_callback(&ends))
}

fn ending(outcome: Option<Outcome>, run: &Run) -> Result<Ending, Error> {
    Ok(match (outcome, &run.failure) {
        (Some(Outcome { result_data: Some(text), .. }), _) => {
            Ending::Data(read_kept(&text).map_err(|error| {
                Error::from(StoreError::Corrupt(format!("the result of {}: {error}", run.id)))
            })?)
        }
        (Some(outcome), _) => Ending::Text(outcome.result_text.unwrap_or_default()),
        (None, Some(failure)) => Ending::Error(failure_text(failure)),
        (None, None) => Ending::Error(format!("the run is {}", run.status)),
    })
}

/// A failure with the validation errors of the closest answer: the parent needs them to decide what to do next.
fn failure_text(failure: &Failure) -> String {
    let errors: String = failure.validation_errors.iter().map(|error| format!("\n- {error}")).collect();
    format!("{}: {}{errors}", failure.kind.as_str(), failure.message)
}
