//! Reports the end of a run until there is a response.

use std::sync::Arc;

use accord_api::agent::Executor;
use accord_api::{
    Demands, ErrorName, Failure, FailureType, FinishRun, FinishStatus, Holding, LastReport, Origin, Profile,
    RunStatus, Usage,
};
use accord_client::ClientError;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::assignment::Assignment;
use crate::backoff::Backoff;
use crate::coordinator::Coordinator;
use crate::delivery::{Delivery, count};
use crate::drive::{Outcome, RunEnd};
use crate::leases::{LeasedRun, Reason};
use crate::limits::RAW_BYTES;
use crate::text::shortened;

/// A report with nothing in it.
fn empty(holding: &Holding, status: FinishStatus) -> FinishRun {
    FinishRun {
        holding: holding.clone(),
        status,
        result_text: None,
        result_data: None,
        raw: None,
        validation: None,
        error: None,
        report: None,
        answer: None,
        inputs: Vec::new(),
        usage: Usage::default(),
        retry_count: 0,
        conversation: None,
        affinity: None,
        facts: Vec::new(),
        repeated: false,
    }
}

/// The report of a run that could not be worked on.
pub(crate) fn failed(holding: &Holding, failure: Failure) -> FinishRun {
    FinishRun { error: Some(failure), ..empty(holding, FinishStatus::Failed) }
}

/// The report of a run that was stopped before it started.
pub(crate) fn ended(holding: &Holding, reason: Option<Reason>) -> FinishRun {
    match reason {
        Some(Reason::Release) => empty(holding, FinishStatus::Released),
        _ => empty(holding, FinishStatus::Stopped),
    }
}

/// Whether a report says what the work came to, rather than that it was ended.
pub(crate) fn is_result(finish: &FinishRun) -> bool {
    match finish.status {
        FinishStatus::Completed
        | FinishStatus::Failed
        | FinishStatus::Answered
        | FinishStatus::Waiting
        | FinishStatus::InputRequired => true,
        FinishStatus::Stopped | FinishStatus::Released => false,
    }
}

/// Whether the run is over with this, so that the coordinator takes what happened at last together with it.
fn is_over(finish: &FinishRun) -> bool {
    matches!(finish.status, FinishStatus::Completed | FinishStatus::Failed | FinishStatus::Stopped)
}

/// The report of what the work came to.
pub(crate) fn report(
    hold: &LeasedRun,
    outcome: Outcome,
    last: LastReport,
    affinity: Option<Demands>,
) -> FinishRun {
    let Outcome { end, usage, retries, facts, conversation } = outcome;
    let last = (count(&last) > 0).then_some(last);
    let conversation = conversation.and_then(|value| raw(&value));
    let base = |status| FinishRun {
        usage,
        retry_count: retries,
        facts: facts.clone(),
        conversation: conversation.clone(),
        affinity: affinity.clone(),
        ..empty(&hold.holding, status)
    };
    let finish = match end {
        RunEnd::Text(text) => FinishRun { result_text: Some(text), ..base(FinishStatus::Completed) },
        RunEnd::Data { value, raw: text, validation } => FinishRun {
            result_data: raw(&value),
            raw: Some(shortened(&text, RAW_BYTES)),
            validation,
            ..base(FinishStatus::Completed)
        },
        RunEnd::Answered(answer) => FinishRun { answer: Some(answer), ..base(FinishStatus::Answered) },
        RunEnd::Failed(failure) => FinishRun { error: Some(failure), ..base(FinishStatus::Failed) },
        // The next runner starts where this run started.
        RunEnd::Stopped if hold.reason() == Some(Reason::Release) => {
            FinishRun { conversation: None, affinity: None, ..base(FinishStatus::Released) }
        }
        RunEnd::InputRequired(inputs) => {
            FinishRun { inputs, conversation: None, ..base(FinishStatus::InputRequired) }
        }
        RunEnd::Waiting => FinishRun { conversation: None, ..base(FinishStatus::Waiting) },
        // Tried again before, with nothing recorded: it cannot happen twice.
        RunEnd::Diverged(reason) => FinishRun {
            error: Some(Failure::new(FailureType::ExecutorFailed, reason)),
            ..base(FinishStatus::Failed)
        },
        RunEnd::Stopped => base(FinishStatus::Stopped),
    };
    FinishRun { report: last, ..finish }
}

fn raw(value: &Value) -> Option<Box<RawValue>> {
    RawValue::from_string(value.to_string()).ok()
}

/// The requirements of every later run of the session: a CLI keeps its transcript where it ran.
pub(crate) fn affinity(assignment: &Assignment, profile: &Profile) -> Option<Demands> {
    match assignment.agent.executor {
        Executor::ClaudeCode(_) | Executor::Codex(_) | Executor::Acp(_) => Some(Demands {
            hostname: Some(profile.hostname.clone()),
            project_dir: Some(profile.project_dir.clone()),
            ..Demands::default()
        }),
        Executor::Llm(_)
        | Executor::Process(_)
        | Executor::External(_)
        | Executor::Human(_)
        | Executor::Replay(_) => None,
    }
}

/// Reports the end until there is a response. A report that is too large is sent again without its extras; a result that
/// is refused becomes a failure that says so; what happened before the end is reported by itself if it cannot go along; a failure that is refused is dropped, and the lease runs out.
pub(crate) async fn tell(
    coordinator: &Arc<dyn Coordinator>,
    hold: &Arc<LeasedRun>,
    mut finish: FinishRun,
    origin: Option<Origin>,
) {
    let alone = |last| async { Delivery::new(Arc::clone(coordinator), hold).deliver(last).await };
    if !is_over(&finish)
        && let Some(last) = finish.report.take()
    {
        alone(last).await;
    }
    let mut backoff = Backoff::default();
    let mut mended = false;
    loop {
        let error = match coordinator.finish(&hold.run_id, &finish).await {
            Ok(finished) => {
                let status = finished.status;
                let span = tracing::Span::current();
                span.record("status", status.as_str());
                if status == RunStatus::Failed {
                    span.record("otel.status_code", "ERROR");
                }
                let told = if status.is_over() { "run finished" } else { "run continues" };
                tracing::info!(run_id = %hold.run_id, %status, "{told}");
                return;
            }
            Err(error) => error,
        };
        if error.is_transient() {
            backoff.rest().await;
            finish.repeated = true;
            continue;
        }
        let gone = [ErrorName::LeaseLost, ErrorName::RunNotFound, ErrorName::RunnerNotFound];
        if gone.into_iter().any(|name| error.is(name)) {
            tracing::warn!(run_id = %hold.run_id, %error, "the run belongs to another runner now; its outcome is dropped");
            return;
        }
        // A result that does not conform was refused before anything was saved.
        if !error.is(ErrorName::ContractViolation)
            && let Some(last) = finish.report.take()
        {
            tracing::warn!(run_id = %hold.run_id, %error, "the end of the run is reported without what happened before it");
            alone(last).await;
            continue;
        }
        if error.is(ErrorName::RequestTooLarge) && lighten(&mut finish) {
            tracing::warn!(
                run_id = %hold.run_id, %error,
                "the outcome of the run is too large: it is reported without the conversation and the raw text, so the session continues from its previous state"
            );
            continue;
        }
        if mended {
            tracing::error!(run_id = %hold.run_id, %error, "the coordinator rejected the outcome of the run");
            return;
        }
        tracing::warn!(run_id = %hold.run_id, %error, "the coordinator rejected the result");
        mended = true;
        finish = FinishRun {
            usage: finish.usage,
            report: finish.report,
            ..failed(&hold.holding, refused(&error, origin))
        };
    }
}

/// Takes out what goes along with a result. Says whether there was anything.
fn lighten(finish: &mut FinishRun) -> bool {
    let conversation = finish.conversation.take();
    let raw = finish.raw.take();
    conversation.is_some() || raw.is_some()
}

/// The failure of a run whose result the coordinator rejects.
fn refused(error: &ClientError, origin: Option<Origin>) -> Failure {
    let kind = match origin {
        Some(origin) if error.is(ErrorName::ContractViolation) => FailureType::of_contract(origin),
        _ => FailureType::ExecutorFailed,
    };
    Failure::new(kind, format!("the coordinator rejected the result: {error}"))
}
