//! The status of each failure at `/v1`.
//!
//! Clients repeat 408, 409, 429 and 5xx by themselves, and some ignore the header that forbids it. Each repetition would be another
//! run, so what is final has another status: 400, 403, 404, 422 or 424. 409, 429 and 5xx are only for what a repetition can change.

use accord_api::{ErrorName, FailureType};
use axum::http::StatusCode;

/// Why there is no answer, as clients of OpenAI's API see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unanswered<'a> {
    pub(super) status: StatusCode,
    pub(super) code: &'a str,
}

/// The code of an unmet contract, the agent's or the caller's.
const CONTRACT_NOT_MET: &str = "output_schema_validation_failed";

/// A run that failed: 422 if the answer is to blame, 424 if something that it depends on is.
pub(super) fn of_failure(kind: FailureType) -> Unanswered<'static> {
    use FailureType as Kind;
    let (status, code) = match kind {
        Kind::OutputSchemaValidationFailed | Kind::SchemaValidationFailed => {
            (StatusCode::UNPROCESSABLE_ENTITY, CONTRACT_NOT_MET)
        }
        Kind::ModelRefused | Kind::OutputTruncated | Kind::BudgetExhausted => {
            (StatusCode::UNPROCESSABLE_ENTITY, kind.as_str())
        }
        Kind::NoMatchingRunner
        | Kind::ExecutorFailed
        | Kind::TimedOut
        | Kind::RunnerLost
        | Kind::ChildrenTimedOut
        | Kind::InputTimedOut
        | Kind::Poisoned
        | Kind::Stopped => (StatusCode::FAILED_DEPENDENCY, kind.as_str()),
    };
    Unanswered { status, code }
}

/// Failures of a workflow itself, where no model, CLI or server failed.
const WORKFLOW_NOT_MET: [&str; 9] = [
    "check_failed",
    "condition_failed",
    "inputs_too_large",
    "no_output",
    "outputs_too_large",
    "plan_invalid",
    "template_failed",
    "too_many_items",
    "ParameterValidationFailed",
];

/// A workflow run that failed: as the node that failed, or for a reason of its own.
pub(super) fn of_workflow_failure(kind: &str) -> Unanswered<'_> {
    if let Some(known) = FailureType::ALL.into_iter().find(|known| known.as_str() == kind) {
        return of_failure(known);
    }
    let status = match WORKFLOW_NOT_MET.contains(&kind) {
        true => StatusCode::UNPROCESSABLE_ENTITY,
        false => StatusCode::FAILED_DEPENDENCY,
    };
    Unanswered { status, code: kind }
}

/// A request that was refused before there was a run.
pub(super) fn of_error(name: ErrorName) -> StatusCode {
    use ErrorName as Name;
    let status = match name {
        // These pass by themselves.
        Name::SessionBusy | Name::WorkflowRunBusy | Name::SessionNotFinished => 409,
        Name::AgentBroken | Name::WorkflowBroken => 424,
        // What a model is asked is content, and content that cannot be processed is 422 here.
        Name::ParameterValidationFailed => 422,
        name if name.status() == 409 => 422,
        name => name.status(),
    };
    StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

/// Whether the same request can succeed later.
pub(super) fn may_pass(status: StatusCode) -> bool {
    matches!(status, StatusCode::CONFLICT | StatusCode::TOO_MANY_REQUESTS) || status.is_server_error()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    /// The final statuses: the official clients repeat none of them.
    const FINAL: [u16; 9] = [400, 401, 403, 404, 405, 412, 413, 415, 422];

    #[test]
    fn no_failed_run_has_a_status_that_clients_repeat() {
        for kind in FailureType::ALL {
            let status = of_failure(kind).status;
            assert!([422, 424].contains(&status.as_u16()), "{kind:?}: {status}");
            assert!(!may_pass(status), "{kind:?}");
        }
        assert_eq!(of_failure(FailureType::Stopped).status, 424);
        for kind in WORKFLOW_NOT_MET.into_iter().chain(["workflow_failed"]) {
            assert!([422, 424].contains(&of_workflow_failure(kind).status.as_u16()), "{kind}");
        }
    }

    #[test]
    fn a_conflict_is_only_what_passes() {
        for name in ErrorName::ALL {
            let status = of_error(*name);
            let is_final = FINAL.contains(&status.as_u16()) || status == StatusCode::FAILED_DEPENDENCY;
            assert_ne!(is_final, may_pass(status), "{name:?}: {status}");
        }
        let passing: Vec<_> =
            ErrorName::ALL.iter().filter(|name| of_error(**name) == StatusCode::CONFLICT).collect();
        assert_eq!(
            passing,
            [&ErrorName::SessionBusy, &ErrorName::WorkflowRunBusy, &ErrorName::SessionNotFinished]
        );
    }

    /// The page has a row for each kind of failure, with its status.
    #[test]
    fn the_page_of_statuses_is_complete() {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/errors/openai.md");
        let page = fs::read_to_string(page).unwrap();
        let failures = FailureType::ALL.into_iter().map(|kind| (kind.as_str(), of_failure(kind)));
        let of_workflows = WORKFLOW_NOT_MET.into_iter().map(|kind| (kind, of_workflow_failure(kind)));
        for (kind, Unanswered { status, code }) in failures.chain(of_workflows) {
            let row = format!("| `{kind}` | {} | `{code}` |", status.as_u16());
            assert!(page.contains(&row), "{row}");
        }
        for name in ErrorName::ALL.iter().filter(|name| of_error(**name).as_u16() != name.status()) {
            let row = format!("| [{0}]({0}.md) | {1} |", name.as_str(), of_error(*name).as_u16());
            assert!(page.contains(&row), "{row}");
        }
    }
}
