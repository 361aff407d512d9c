//! Judgements in the types of the API: on attempts, and in the error of a run whose contract was not met.

use accord_contract::{Outcome as Reason, Repair, Source, Violation};
use accord_domain::attempt::{self, Attempt, Outcome as Judged, ValueSource};
use accord_domain::contract::{Contract, Origin};
use accord_domain::run::{Failure, FailureType};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Unmet {
    RetriesSpent,
    NoProgress,
    /// Another answer may not be paid for, in words.
    Exhausted(String),
}

/// The failure that callers see: what was wrong with the answer that came closest.
pub(super) fn failure(terms: &Contract, attempts: &[Attempt], retries: u32, unmet: Unmet) -> Failure {
    let mut answers = attempts.iter().filter(|attempt| attempt.outcome.is_answer());
    let all_cut_off = answers.all(|attempt| attempt.outcome == Judged::Truncated);
    let retries = match retries {
        1 => "1 retry".to_owned(),
        retries => format!("{retries} retries"),
    };
    let closest = attempt::closest(attempts).map_or(Judged::SchemaInvalid, |attempt| attempt.outcome);
    let told = closest.unmet();
    let (kind, message) = match unmet {
        Unmet::Exhausted(words) => (FailureType::BudgetExhausted, words),
        Unmet::RetriesSpent | Unmet::NoProgress if all_cut_off => (
            FailureType::OutputTruncated,
            format!("output was cut off each time, after {retries}; allow longer answers or ask for less"),
        ),
        Unmet::RetriesSpent => (broken(terms), format!("{told} after {retries}")),
        Unmet::NoProgress => (
            broken(terms),
            format!("{told} after {retries}: the model repeated the same answer or the same errors"),
        ),
    };
    Failure::new(kind, message).with_closest(attempts)
}

/// Whose contract was not met.
fn broken(terms: &Contract) -> FailureType {
    match terms.origin {
        Origin::Caller => FailureType::SchemaValidationFailed,
        Origin::Blueprint | Origin::Default => FailureType::OutputSchemaValidationFailed,
    }
}

/// The failure of a run without a contract whose text is not whole.
pub(super) fn cut_off(text: &str, attempts: u32) -> Failure {
    let message = "the answer was cut off; raise max_tokens, or ask for less";
    Failure {
        attempts: Some(attempts),
        ..Failure::new(FailureType::OutputTruncated, message).with_output(text)
    }
}

/// The failure of a run without a contract whose text is empty.
pub(super) fn no_answer(attempts: u32) -> Failure {
    let message = "the answer is empty; retry the run, or change the prompt";
    Failure { attempts: Some(attempts), ..Failure::new(FailureType::ExecutorFailed, message) }
}

pub(super) fn outcome(reason: Reason) -> Judged {
    match reason {
        Reason::NoJson => Judged::NoJson,
        Reason::ParseError => Judged::ParseError,
        Reason::SchemaInvalid => Judged::SchemaInvalid,
        Reason::InvariantFailed => Judged::InvariantFailed,
        Reason::SchemaEcho => Judged::SchemaEcho,
        Reason::ExampleEcho => Judged::ExampleEcho,
        Reason::Ambiguous => Judged::Ambiguous,
        Reason::Embedded => Judged::Embedded,
        Reason::Unconfirmed => Judged::Unconfirmed,
    }
}

pub(super) fn source(source: Source) -> ValueSource {
    match source {
        Source::Structured => ValueSource::Structured,
        Source::Text => ValueSource::Text,
        Source::Fence => ValueSource::Fence,
        Source::Prose => ValueSource::Prose,
    }
}

pub(super) fn error(violation: &Violation) -> attempt::Error {
    attempt::Error {
        path: violation.path.clone(),
        pointer: violation.pointer.clone(),
        keyword: violation.keyword.clone(),
        message: violation.message.clone(),
    }
}

pub(super) fn repair(repair: &Repair) -> attempt::Repair {
    let kind = serde_json::to_value(repair.kind).ok();
    attempt::Repair {
        kind: kind.as_ref().and_then(|kind| kind.as_str()).unwrap_or_default().to_owned(),
        path: repair.path.clone(),
        detail: repair.detail.clone(),
    }
}
