//! Judgements as they are told: on attempts, and in the error of a run whose contract was not met.

use accord_contract::{Outcome as Reason, Repair, Violation};
use accord_domain::attempt::{self, Attempt, Outcome as Judged};
use accord_domain::contract::{Contract, Origin};
use accord_domain::run::{Failure, FailureType};

/// How much of an answer an error carries. The attempt has all of it.
const LAST_OUTPUT_BYTES: usize = 8 * 1024;

/// How a contract was not met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Unmet {
    /// There are no more retries.
    RetriesSpent,
    /// The model gave the same again.
    NoProgress,
    /// Another answer may not be paid for, in words.
    Exhausted(String),
}

/// The failure that callers see: what was wrong with the answer that came closest.
pub(super) fn failure(terms: &Contract, attempts: &[Attempt], retries: u32, unmet: Unmet) -> Failure {
    let mut answers = attempts.iter().filter(|attempt| is_answer(attempt));
    let all_cut_off = answers.all(|attempt| attempt.outcome == Judged::Truncated);
    let retries = match retries {
        1 => "1 retry".to_owned(),
        retries => format!("{retries} retries"),
    };
    let (kind, message) = match unmet {
        Unmet::Exhausted(words) => (FailureType::BudgetExhausted, words),
        Unmet::RetriesSpent | Unmet::NoProgress if all_cut_off => (
            FailureType::OutputTruncated,
            format!("Output was cut off each time, after {retries}; allow longer answers or ask for less"),
        ),
        Unmet::RetriesSpent => (broken(terms), format!("Output did not match schema after {retries}")),
        Unmet::NoProgress => (
            broken(terms),
            format!(
                "Output did not match schema after {retries}: the model gave the same answer or the same errors again"
            ),
        ),
    };
    with_closest(Failure::new(kind, message), attempts)
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
    let message = "the answer was cut off before its end; raise max_tokens, or ask for less";
    Failure {
        last_output: Some(cut(text, LAST_OUTPUT_BYTES).to_owned()),
        attempts: Some(attempts),
        ..Failure::new(FailureType::OutputTruncated, message)
    }
}

/// A failure with the answer that came closest, what was wrong with it, and how many attempts there were.
pub(super) fn with_closest(failure: Failure, attempts: &[Attempt]) -> Failure {
    let answers = attempts.iter().rev().filter(|attempt| is_answer(attempt));
    let closest = answers.min_by_key(|attempt| distance(attempt));
    Failure {
        validation_errors: closest
            .map(|attempt| attempt.errors.iter().map(ToString::to_string).collect())
            .unwrap_or_default(),
        last_output: closest.map(|attempt| cut(&attempt.text, LAST_OUTPUT_BYTES).to_owned()),
        attempts: Some(u32::try_from(attempts.len()).unwrap_or(u32::MAX)),
        ..failure
    }
}

/// Whether a model was heard, and what it said did not meet the contract. A refusal, and a turn that got no answer, say
/// nothing of how close it came.
pub(super) fn is_answer(attempt: &Attempt) -> bool {
    distance(attempt).is_some()
}

/// How far an answer was from conforming: the kind of failure first, then the number of errors.
fn distance(attempt: &Attempt) -> Option<(u8, usize)> {
    let kind = match attempt.outcome {
        Judged::InvariantFailed => 0,
        Judged::SchemaInvalid => 1,
        Judged::Ambiguous => 2,
        Judged::ParseError | Judged::Truncated => 3,
        Judged::NoJson => 4,
        Judged::SchemaEcho | Judged::NotSubmitted | Judged::NoProgress => 5,
        Judged::Accepted
        | Judged::Refused
        | Judged::SchemaRejected
        | Judged::Transport
        | Judged::Failed
        | Judged::BudgetExhausted
        | Judged::TimedOut
        | Judged::Stopped => return None,
    };
    Some((kind, attempt.errors.len() + attempt.more_errors))
}

pub(super) fn outcome(reason: Reason) -> Judged {
    match reason {
        Reason::NoJson => Judged::NoJson,
        Reason::ParseError => Judged::ParseError,
        Reason::SchemaInvalid => Judged::SchemaInvalid,
        Reason::InvariantFailed => Judged::InvariantFailed,
        Reason::SchemaEcho => Judged::SchemaEcho,
        Reason::Ambiguous => Judged::Ambiguous,
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

/// The beginning of a text, at most so many bytes, and whole characters.
fn cut(text: &str, bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes)).unwrap_or(text)
}
