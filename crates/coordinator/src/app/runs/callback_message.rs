//! The message that tells a parent how its children ended.

use accord_contract::prompt::{self, ChildEnd, ChildResult, ChildText};
use accord_domain::id::RunId;
use accord_domain::run::{Failure, Outcome, Run};
use accord_json::read_kept;
use accord_store::{RunReader, StoreError};
use serde_json::Value;

use crate::error::Error;
use crate::work::heavy;

/// Results up to this size are read where they are needed, which takes less than a millisecond.
const SMALL_BYTES: usize = 64 * 1024;

/// The message that tells a parent how these runs of its children ended. Results are read one after the other, and only what is said
/// of each is kept.
pub(in crate::app) async fn callback_message(
    store: &dyn RunReader,
    run_ids: &[RunId],
) -> Result<String, Error> {
    let mut children = Vec::with_capacity(run_ids.len());
    for run_id in run_ids {
        let run = store.run(run_id).await?;
        let outcome = store.outcome(run_id).await?;
        let texts = outcome.iter().flat_map(|outcome| [&outcome.result_data, &outcome.result_text]);
        let is_small = texts.flatten().map(String::len).sum::<usize>() <= SMALL_BYTES;
        let work = move || text_of(outcome, &run).map(|text| (run, text));
        children.push(if is_small { work()? } else { heavy(move |_| work()).await?? });
    }
    let ends: Vec<ChildEnd<'_>> = children
        .iter()
        .map(|(run, result)| ChildEnd {
            session_id: run.session_id.as_str(),
            agent_name: &run.agent_name,
            status: run.status.as_str(),
            result: result.clone(),
        })
        .collect();
    Ok(prompt::agent_callback(&ends))
}

fn text_of(outcome: Option<Outcome>, run: &Run) -> Result<ChildText, Error> {
    Ok(match (outcome, &run.failure) {
        (Some(Outcome { result_data: Some(text), .. }), _) => {
            let value: Value = read_kept(&text).map_err(|error| {
                Error::from(StoreError::Corrupt(format!("the result of {}: {error}", run.id)))
            })?;
            ChildText::of(ChildResult::Data(&value))
        }
        (Some(outcome), _) => {
            ChildText::of(ChildResult::Text(outcome.result_text.as_deref().unwrap_or_default()))
        }
        (None, Some(failure)) => ChildText::of(ChildResult::Error(&failure_text(failure))),
        (None, None) => ChildText::of(ChildResult::Error(&format!("the run is {}", run.status))),
    })
}

/// A failure with the validation errors of the closest answer: the parent needs them to decide what to do next.
fn failure_text(failure: &Failure) -> String {
    let errors: String = failure.validation_errors.iter().map(|error| format!("\n- {error}")).collect();
    format!("{}: {}{errors}", failure.kind.as_str(), failure.message)
}
